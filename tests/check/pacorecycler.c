/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests the allocator that keeps memory that comes back (plugin/coder/gstpacoallocator.c),
 * over an allocator of its own that counts. */
#include "plugin/coder/gstpacoallocator.h"
#include "elements.h"
#include <string.h>

GST_DEBUG_CATEGORY (gst_paco_debug);

#define N_THREADS 4
#define N_ROUNDS 3000

/* --- an allocator that counts, and may have nothing --- */

typedef struct
{
  GstAllocator parent;
  gint n_asked, n_out; /* atomic */
  gboolean fails;
} Source;

typedef struct
{
  GstAllocatorClass parent_class;
} SourceClass;

static GType source_get_type (void);
G_DEFINE_TYPE (Source, source, GST_TYPE_ALLOCATOR)

static void
give_back (gpointer data)
{
  Source *source = *(Source **) data;

  g_atomic_int_add (&source->n_out, -1);
  gst_object_unref (source);
  g_free (data);
}

static GstMemory *
source_alloc (GstAllocator *allocator, gsize size, GstAllocationParams *params)
{
  Source *source = (Source *) allocator;
  guint8 *data;

  if (source->fails)
    return NULL;
  g_atomic_int_inc (&source->n_asked);
  g_atomic_int_inc (&source->n_out);
  data = g_malloc (64 + size);
  memset (data + 64, 0xaa, size);
  *(Source **) data = gst_object_ref (source);
  return gst_memory_new_wrapped (0, data, 64 + size, 64, size, data, give_back);
}

static void
source_class_init (SourceClass *klass)
{
  GST_ALLOCATOR_CLASS (klass)->alloc = source_alloc;
}

static void
source_init (Source *source)
{
  GST_OBJECT_FLAG_SET (source, GST_ALLOCATOR_FLAG_CUSTOM_ALLOC);
}

static Source *
source_new (void)
{
  return gst_object_ref_sink (g_object_new (source_get_type (), NULL));
}

/* --- tests --- */

static const guint8 *
address_of (GstMemory *memory)
{
  const guint8 *data;
  GstMapInfo map;

  fail_unless (gst_memory_map (memory, &map, GST_MAP_READWRITE));
  memset (map.data, 0x55, map.size);
  data = map.data;
  gst_memory_unmap (memory, &map);
  return data;
}

static GstMemory *
allocate (GstAllocator *allocator, gsize size)
{
  GstMemory *memory = gst_allocator_alloc (allocator, size, NULL);

  fail_unless (memory != NULL);
  fail_unless_equals_uint64 (gst_memory_get_sizes (memory, NULL, NULL), size);
  return memory;
}

TEST (test_kept)
{
  Source *source = source_new ();
  GstAllocator *allocator = gst_paco_recycler_new ((GstAllocator *) source, 4);
  GstMemory *memory = allocate (allocator, 100000), *share;
  const guint8 *data = address_of (memory);

  /* The memory is out as long as any part of it is. */
  share = gst_memory_share (memory, 1000, 10);
  gst_memory_unref (memory);
  memory = allocate (allocator, 100000);
  fail_unless (address_of (memory) != data);
  fail_unless_equals_int (source->n_asked, 2);
  gst_memory_unref (memory);
  gst_memory_unref (share);

  /* The memory that came back last is handed out next, for any size up to some
   * more. */
  for (guint i = 0; i < 100; i++) {
    memory = allocate (allocator, g_random_int_range (1, 112500));
    fail_unless (address_of (memory) == data);
    gst_memory_unref (memory);
  }
  fail_unless_equals_int (source->n_asked, 2);
  gst_object_unref (allocator);
  fail_unless_equals_int (source->n_out, 0);
  gst_object_unref (source);
}

/* Tests that frames that become larger take the place of what has become too
 * small. */
TEST (test_growing)
{
  Source *source = source_new ();
  GstAllocator *allocator = gst_paco_recycler_new ((GstAllocator *) source, 2);

  for (gsize size = 1 << 16; size < 1 << 22; size *= 2) {
    GstMemory *a = allocate (allocator, size), *b = allocate (allocator, size);

    fail_unless (address_of (a) != address_of (b));
    gst_memory_unref (a);
    gst_memory_unref (b);
    fail_unless_equals_int (source->n_out, 2);
  }
  gst_object_unref (allocator);
  fail_unless_equals_int (source->n_out, 0);
  gst_object_unref (source);
}

/* Tests that memory is the system's beyond the number of slabs, for what is
 * more than a slab, and where the source has none. */
TEST (test_ordinary)
{
  Source *source = source_new ();
  g_autoptr (GstAllocator)
      allocator = gst_paco_recycler_new ((GstAllocator *) source, 2);
  GstAllocationParams params;
  GstMemory *memory[5];

  for (guint i = 0; i < 5; i++)
    memory[i] = allocate (allocator, 1000);
  fail_unless_equals_int (source->n_asked, 2);
  for (guint i = 0; i < 5; i++)
    gst_memory_unref (memory[i]);
  fail_unless_equals_int (source->n_out, 2);

  gst_allocation_params_init (&params);
  params.prefix = 64;
  params.padding = 3;
  memory[0] = gst_allocator_alloc (allocator, 1000, &params);
  gst_memory_resize (memory[0], -64, 1067);
  gst_memory_unref (memory[0]);
  params = (GstAllocationParams){ .align = 4095 };
  memory[0] = gst_allocator_alloc (allocator, 1000, &params);
  fail_unless (((guintptr) address_of (memory[0]) & 4095) == 0);
  gst_memory_unref (memory[0]);
  fail_unless_equals_int (source->n_asked, 2);

  source->fails = TRUE;
  gst_memory_unref (allocate (allocator, 1 << 20));
  source->fails = FALSE;
  for (guint i = 0; i < 3; i++)
    memory[i] = allocate (allocator, 1 << 20);
  fail_unless_equals_int (source->n_out, 2);
  for (guint i = 0; i < 3; i++)
    gst_memory_unref (memory[i]);
  gst_object_unref (source);
}

TEST (test_stopped)
{
  Source *source = source_new ();
  GstAllocator *allocator = gst_paco_recycler_new ((GstAllocator *) source, 4);
  GstMemory *out = allocate (allocator, 1000), *other;

  gst_memory_unref (allocate (allocator, 1000));
  fail_unless_equals_int (source->n_out, 2);
  gst_paco_recycler_stop (allocator);
  fail_unless_equals_int (source->n_out, 1);
  other = allocate (allocator, 1000);
  fail_unless_equals_int (source->n_asked, 2);
  gst_memory_unref (other);
  /* Memory that is out may outlive the allocator. */
  gst_object_unref (allocator);
  address_of (out);
  gst_memory_unref (out);
  fail_unless_equals_int (source->n_out, 0);
  gst_object_unref (source);
}

static gpointer
use (gpointer allocator)
{
  for (guint i = 0; i < N_ROUNDS; i++) {
    GstMemory *memory = allocate (
        allocator, g_random_int_range (1, 8) << (i % 12));

    address_of (memory);
    gst_memory_unref (memory);
  }
  return NULL;
}

TEST (test_threads)
{
  Source *source = source_new ();
  GstAllocator *allocator = gst_paco_recycler_new ((GstAllocator *) source, 3);
  GThread *threads[N_THREADS];

  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("use", use, allocator);
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
  fail_unless (g_atomic_int_get (&source->n_out) <= 3);
  gst_object_unref (allocator);
  fail_unless_equals_int (source->n_out, 0);
  gst_object_unref (source);
}

TEST_MAIN ("pacorecycler")
