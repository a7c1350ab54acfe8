/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Allocators of a coder's memory, and of memory that is used again
 * (gstpacoallocator.h). What they hand out is of the system allocator's kind, wrapped
 * around what the backend allocates or around a slab, so that mapping, sharing and
 * copying need no code here. A slab is memory of the recycler's source that stays
 * mapped; when the last part of it is freed the slab is kept for the next frame. */
#include "gstpacoallocator.h"
#include "codec/recycler.h"
#include <string.h>

GST_DEBUG_CATEGORY_EXTERN (gst_paco_debug);
#define GST_CAT_DEFAULT gst_paco_debug

/* The backend's memory is aligned to this at least. */
#define PAGE_MASK ((gsize) 4095)
/* A slab is larger than asked for by this part, because the next frame may be
 * somewhat larger, and its size is a multiple of GRAIN. */
#define SPARE_SHARE 8
#define GRAIN ((gsize) 64 << 10)
/* Slabs are aligned to this at least; it is a mask, as in GstAllocationParams. */
#define ALIGN ((gsize) 63)

typedef struct
{
  PacoRecycled memory; /* first: the recycler's */
  GstMemory *wrapped;
  GstMapInfo map;
} Slab;

#define GST_TYPE_PACO_ALLOCATOR (gst_paco_allocator_get_type ())
G_DECLARE_FINAL_TYPE (
    GstPacoAllocator, gst_paco_allocator, GST, PACO_ALLOCATOR, GstAllocator)

struct _GstPacoAllocator
{
  GstAllocator parent;
  GMutex lock;      /* guards coder */
  PacoCoder *coder; /* a reference, or NULL: a recycler's, or detached */

  PacoRecycler *slabs;  /* NULL if it is no recycler */
  GstAllocator *source; /* NULL if it is the system's */
};

G_DEFINE_FINAL_TYPE (GstPacoAllocator, gst_paco_allocator, GST_TYPE_ALLOCATOR);

/* --- memory of a coder --- */

static void
release (gpointer data)
{
  PacoHostMemory *memory = data;

  memory->release (memory);
}

static PacoHostMemory *
ask_backend (GstPacoAllocator *self, gsize size)
{
  PacoHostMemory *memory;
  g_autoptr (GError) error = NULL;
  PacoCoder *coder = NULL;

  /* The device may take its time, so it is asked without the lock. */
  g_mutex_lock (&self->lock);
  if (self->coder)
    coder = paco_coder_ref (self->coder);
  g_mutex_unlock (&self->lock);
  if (coder == NULL)
    return NULL;
  memory = paco_coder_host_memory (coder, size, &error);
  paco_coder_unref (coder);
  if (error)
    GST_WARNING_OBJECT (
        self, "taking ordinary memory instead: %s", error->message);
  return memory;
}

/* Returns NULL if the coder has none. Pools use such memory again for many frames, which
 * do not cover all of it, and it may hold what was there before. */
static GstMemory *
allocate_of_coder (
    GstPacoAllocator *self, gsize size, const GstAllocationParams *params)
{
  gsize whole = params->prefix + size + params->padding;
  PacoHostMemory *memory = NULL;

  if ((params->align & ~PAGE_MASK) == 0)
    memory = ask_backend (self, whole);
  if (memory == NULL)
    return NULL;
  memset (memory->data, 0, whole);
  return gst_memory_new_wrapped (params->flags, memory->data, whole,
      params->prefix, size, memory, release);
}

/* --- slabs --- */

static bool
slab_allocate (void *item, size_t size, void *user, GError **error)
{
  GstAllocationParams params = { .align = ALIGN };
  GstPacoAllocator *self = user;
  Slab *slab = item;

  size += size / SPARE_SHARE;
  size = (size + GRAIN - 1) / GRAIN * GRAIN;
  slab->wrapped = gst_allocator_alloc (self->source, size, &params);
  if (slab->wrapped == NULL)
    return false;
  if (!gst_memory_map (slab->wrapped, &slab->map, GST_MAP_READWRITE)) {
    gst_memory_unref (slab->wrapped);
    return false;
  }
  slab->memory.data = slab->map.data;
  slab->memory.size = slab->map.size;
  return true;
}

static void
slab_release (void *item)
{
  Slab *slab = item;

  gst_memory_unmap (slab->wrapped, &slab->map);
  gst_memory_unref (slab->wrapped);
}

/* Returns NULL if there is no slab. Slabs have no room for prefix and padding; who reads
 * frames asks for none. */
static GstMemory *
allocate_slab (
    GstPacoAllocator *self, gsize size, const GstAllocationParams *params)
{
  PacoRecycled *slab = NULL;

  if (params->prefix == 0 && params->padding == 0
      && (params->align & ~ALIGN) == 0)
    slab = paco_recycler_take (self->slabs, size, NULL);
  return slab != NULL ? gst_memory_new_wrapped (params->flags, slab->data,
             slab->size, 0, size, slab, paco_recycler_give)
                      : NULL;
}

/* --- class --- */

static GstMemory *
gst_paco_allocator_alloc (
    GstAllocator *allocator, gsize size, GstAllocationParams *params)
{
  GstPacoAllocator *self = GST_PACO_ALLOCATOR (allocator);
  GstMemory *memory = self->slabs != NULL
      ? allocate_slab (self, size, params)
      : allocate_of_coder (self, size, params);

  return memory != NULL ? memory : gst_allocator_alloc (NULL, size, params);
}

/* This is never called: the memory that is handed out belongs to the system's
 * allocator. */
static void
gst_paco_allocator_free (GstAllocator *allocator, GstMemory *memory)
{
  g_return_if_reached ();
}

static void
gst_paco_allocator_finalize (GObject *object)
{
  GstPacoAllocator *self = GST_PACO_ALLOCATOR (object);

  g_clear_pointer (&self->coder, paco_coder_unref);
  g_clear_pointer (&self->slabs, paco_recycler_free);
  gst_clear_object (&self->source);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (gst_paco_allocator_parent_class)->finalize (object);
}

static void
gst_paco_allocator_class_init (GstPacoAllocatorClass *klass)
{
  GstAllocatorClass *allocator_class = GST_ALLOCATOR_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = gst_paco_allocator_finalize;
  allocator_class->alloc = gst_paco_allocator_alloc;
  allocator_class->free = gst_paco_allocator_free;
}

static void
gst_paco_allocator_init (GstPacoAllocator *self)
{
  GST_OBJECT_FLAG_SET (self, GST_ALLOCATOR_FLAG_CUSTOM_ALLOC);
  g_mutex_init (&self->lock);
}

GstAllocator *
gst_paco_allocator_new (PacoCoder *coder)
{
  GstPacoAllocator *self = g_object_new (GST_TYPE_PACO_ALLOCATOR, NULL);

  self->coder = paco_coder_ref (coder);
  return GST_ALLOCATOR_CAST (gst_object_ref_sink (self));
}

void
gst_paco_allocator_set_coder (GstAllocator *allocator, PacoCoder *coder)
{
  GstPacoAllocator *self = GST_PACO_ALLOCATOR (allocator);
  PacoCoder *last;

  g_mutex_lock (&self->lock);
  last = self->coder;
  self->coder = coder != NULL ? paco_coder_ref (coder) : NULL;
  g_mutex_unlock (&self->lock);
  g_clear_pointer (&last, paco_coder_unref);
}

/* --- recyclers --- */

GstAllocator *
gst_paco_recycler_new (GstAllocator *source, guint n_slabs)
{
  static const PacoRecyclerClass klass = {
    .item_size = sizeof (Slab),
    .allocate = slab_allocate,
    .release = slab_release,
  };
  const PacoRecyclerLimits limits = { .least = n_slabs, .alive = n_slabs };
  GstPacoAllocator *self = g_object_new (GST_TYPE_PACO_ALLOCATOR, NULL);

  if (source != NULL)
    self->source = gst_object_ref (source);
  self->slabs = paco_recycler_new (&klass, &limits, self);
  return GST_ALLOCATOR_CAST (gst_object_ref_sink (self));
}

void
gst_paco_recycler_stop (GstAllocator *allocator)
{
  GstPacoAllocator *self = GST_PACO_ALLOCATOR (allocator);

  paco_recycler_limit (self->slabs, &(PacoRecyclerLimits){ 0 });
  paco_recycler_reset (self->slabs);
}

GstAllocator *
gst_paco_recycler_offered (GstPad *source_pad, GstCaps *caps)
{
  g_autoptr (GstQuery) query = gst_query_new_allocation (caps, FALSE);
  GstAllocator *offered = NULL;

  if (gst_pad_peer_query (source_pad, query)
      && gst_query_get_n_allocation_params (query) > 0)
    gst_query_parse_nth_allocation_param (query, 0, &offered, NULL);
  if (!GST_IS_PACO_ALLOCATOR (offered)
      || GST_PACO_ALLOCATOR (offered)->slabs == NULL)
    gst_clear_object (&offered);
  return offered;
}
