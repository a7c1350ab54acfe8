/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests the allocator of the elements (plugin/coder/gstpacoallocator.h), over a backend of
 * its own: which memory buffers get, and that it is released once. */
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

TEST_MAIN_AFTER (
    GST_DEBUG_CATEGORY_INIT (gst_paco_debug, "paco", 0, "PaCo backends"),
    "allocator")
