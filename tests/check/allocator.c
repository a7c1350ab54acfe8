/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests the allocator of the elements (plugin/coder/gstpacoallocator.h), over a backend of
 * its own: which memory buffers get, and that it is released once; and the one that keeps
 * memory that comes back, over an allocator that counts. */
#include "codec/coder_private.h"
#include "plugin/coder/gstpacoallocator.h"
#include "elements.h"
#include <string.h>

GST_DEBUG_CATEGORY (gst_paco_debug);

/* This is a coder that hands out memory full of 0xaa. */
typedef struct
{
  PacoCoder base;
  guint n_asked, n_out;
  gboolean fails;
} Coder;

typedef struct
{
  PacoHostMemory memory;
  Coder *coder;
} Memory;

static void
release (PacoHostMemory *memory)
{
  g_autofree Memory *self = (Memory *) memory;

  self->coder->n_out--;
  g_aligned_free (memory->data);
}

static PacoHostMemory *
host_memory (void *device, gsize size, GError **error)
{
  Coder *coder = device;
  Memory *self;

  coder->n_asked++;
  if (coder->fails) {
    g_set_error_literal (
        error, PACO_ERROR, PACO_ERROR_MEMORY, "this coder has none");
    return NULL;
  }
  coder->n_out++;
  self = g_new0 (Memory, 1);
  self->coder = coder;
  self->memory.data = g_aligned_alloc (1, (size + 4095) & ~4095, 4096);
  self->memory.size = size;
  self->memory.release = release;
  memset (self->memory.data, 0xaa, size);
  return &self->memory;
}

static bool
call (void *device, void (*func) (void *data), void (*late) (void *data),
    void *data)
{
  func (data);
  return true;
}

static void
do_nothing (PacoCoder *coder, unsigned device)
{
}

static Coder *
coder_new (void)
{
  static const PacoDeviceClass device = {
    .call = call,
    .host_memory = host_memory,
  };
  static const PacoCoderClass klass = {
    .backend = "test",
    .device = &device,
    .unconfigure = do_nothing,
    .close = do_nothing,
  };
  static const PacoCoderKind kind = { .name = "coder" };
  const PacoBackendOptions options = { .depth = 1 };
  Coder *coder = g_new0 (Coder, 1);

  paco_coder_init (&coder->base, &klass, &kind, &options);
  paco_coder_add_device (&coder->base, coder, "a device");
  return coder;
}

static void
check_clear (GstMemory *memory, gsize n)
{
  GstMapInfo map;

  fail_unless (gst_memory_map (memory, &map, GST_MAP_READ));
  for (gsize i = 0; i < n; i++)
    fail_unless_equals_int (map.data[i], 0);
  gst_memory_unmap (memory, &map);
}

TEST (test_backend_memory)
{
  Coder *coder = coder_new ();
  GstAllocator *allocator = gst_paco_allocator_new (&coder->base);
  GstMemory *memory = gst_allocator_alloc (allocator, 1000, NULL), *share;

  fail_unless_equals_int (coder->n_out, 1);
  check_clear (memory, 1000);
  share = gst_memory_share (memory, 10, 20);
  gst_memory_unref (memory);
  fail_unless_equals_int (coder->n_out, 1);
  gst_memory_unref (share);
  fail_unless_equals_int (coder->n_out, 0);

  /* Memory that is in use may outlive the allocator and the coder. */
  memory = gst_allocator_alloc (allocator, 1000, NULL);
  gst_paco_allocator_set_coder (allocator, NULL);
  gst_object_unref (allocator);
  check_clear (memory, 1000);
  gst_memory_unref (memory);
  fail_unless_equals_int (coder->n_out, 0);
  paco_coder_close (&coder->base);
}

TEST (test_params)
{
  Coder *coder = coder_new ();
  GstAllocator *allocator = gst_paco_allocator_new (&coder->base);
  GstAllocationParams params;
  GstMemory *memory;
  gsize offset, maximum;

  gst_allocation_params_init (&params);
  params.prefix = 64;
  params.padding = 32;
  params.align = 4095;
  params.flags = GST_MEMORY_FLAG_ZERO_PREFIXED | GST_MEMORY_FLAG_ZERO_PADDED;
  memory = gst_allocator_alloc (allocator, 1000, &params);
  fail_unless_equals_int (coder->n_asked, 1);
  fail_unless_equals_int (
      gst_memory_get_sizes (memory, &offset, &maximum), 1000);
  fail_unless_equals_int (offset, 64);
  fail_unless (maximum >= 64 + 1000 + 32);
  gst_memory_resize (memory, -64, 64 + 1000 + 32);
  check_clear (memory, 64 + 1000 + 32);
  gst_memory_unref (memory);

  /* Nobody but the system has memory that is aligned better than the backend
   * promises. */
  params.align = 65535;
  memory = gst_allocator_alloc (allocator, 1000, &params);
  fail_unless (memory != NULL);
  fail_unless_equals_int (coder->n_asked, 1);
  gst_memory_unref (memory);
  gst_object_unref (allocator);
  paco_coder_close (&coder->base);
}

/* Tests that memory comes from the system where the backend has none, or has been
 * closed. */
TEST (test_system_memory)
{
  Coder *coder = coder_new ();
  GstAllocator *allocator = gst_paco_allocator_new (&coder->base);
  GstMemory *memory;

  coder->fails = TRUE;
  memory = gst_allocator_alloc (allocator, 1000, NULL);
  fail_unless (memory != NULL);
  fail_unless_equals_int (coder->n_asked, 1);
  gst_memory_unref (memory);

  gst_paco_allocator_set_coder (allocator, NULL);
  memory = gst_allocator_alloc (allocator, 1000, NULL);
  fail_unless (memory != NULL);
  fail_unless_equals_int (coder->n_asked, 1);
  gst_memory_unref (memory);
  gst_object_unref (allocator);
  paco_coder_close (&coder->base);
}

/* --- memory that comes back and is used again ---------------------------- */

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

TEST_MAIN_AFTER (
    GST_DEBUG_CATEGORY_INIT (gst_paco_debug, "paco", 0, "PaCo backends"),
    "allocator")
