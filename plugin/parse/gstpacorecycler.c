/* SPDX-License-Identifier: LGPL-2.1-or-later
 * An allocator of memory that is used again (gstpacorecycler.h).
 *
 * A slab is memory of the source that stays mapped. What is handed out is
 * memory wrapped around a slab, so that sharing and copying need no code here;
 * when the last part of it is freed the slab is kept for the next. */
#include "gstpacorecycler.h"
#include "codec/recycler.h"

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

struct _GstPacoRecycler
{
  GstAllocator parent;
  GstAllocator *source; /* NULL if it is the system's */
  PacoRecycler *slabs;
};

G_DEFINE_FINAL_TYPE (GstPacoRecycler, gst_paco_recycler, GST_TYPE_ALLOCATOR);

/* --- slabs --- */

static bool
slab_allocate (void *item, size_t size, void *user, GError **error)
{
  GstAllocationParams params = { .align = ALIGN };
  GstPacoRecycler *self = user;
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

/* --- allocator --- */

static GstMemory *
gst_paco_recycler_alloc (
    GstAllocator *allocator, gsize size, GstAllocationParams *params)
{
  GstPacoRecycler *self = GST_PACO_RECYCLER (allocator);
  PacoRecycled *slab = NULL;

  /* Slabs have no room for prefix and padding; who reads frames asks for none. */
  if (params->prefix == 0 && params->padding == 0
      && (params->align & ~ALIGN) == 0)
    slab = paco_recycler_take (self->slabs, size, NULL);
  if (slab == NULL)
    return gst_allocator_alloc (NULL, size, params);
  return gst_memory_new_wrapped (
      params->flags, slab->data, slab->size, 0, size, slab, paco_recycler_give);
}

/* This is never called: the memory that is handed out belongs to the system's
 * allocator. */
static void
gst_paco_recycler_free (GstAllocator *allocator, GstMemory *memory)
{
  g_return_if_reached ();
}

static void
gst_paco_recycler_finalize (GObject *object)
{
  GstPacoRecycler *self = GST_PACO_RECYCLER (object);

  paco_recycler_free (self->slabs);
  gst_clear_object (&self->source);
  G_OBJECT_CLASS (gst_paco_recycler_parent_class)->finalize (object);
}

static void
gst_paco_recycler_class_init (GstPacoRecyclerClass *klass)
{
  GstAllocatorClass *allocator_class = GST_ALLOCATOR_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = gst_paco_recycler_finalize;
  allocator_class->alloc = gst_paco_recycler_alloc;
  allocator_class->free = gst_paco_recycler_free;
}

static void
gst_paco_recycler_init (GstPacoRecycler *self)
{
  GST_OBJECT_FLAG_SET (self, GST_ALLOCATOR_FLAG_CUSTOM_ALLOC);
}

GstAllocator *
gst_paco_recycler_new (GstAllocator *source, guint n_slabs)
{
  static const PacoRecyclerClass klass = {
    .item_size = sizeof (Slab),
    .allocate = slab_allocate,
    .release = slab_release,
  };
  const PacoRecyclerLimits limits = { .least = n_slabs, .alive = n_slabs };
  GstPacoRecycler *self = g_object_new (GST_TYPE_PACO_RECYCLER, NULL);

  if (source != NULL)
    self->source = gst_object_ref (source);
  self->slabs = paco_recycler_new (&klass, &limits, self);
  return GST_ALLOCATOR_CAST (gst_object_ref_sink (self));
}

void
gst_paco_recycler_stop (GstAllocator *allocator)
{
  GstPacoRecycler *self = GST_PACO_RECYCLER (allocator);

  paco_recycler_limit (self->slabs, &(PacoRecyclerLimits){ 0 });
  paco_recycler_reset (self->slabs);
}

GstAllocator *
gst_paco_recycler_offered (GstPad *source_pad, GstCaps *caps)
{
  GstQuery *query = gst_query_new_allocation (caps, FALSE);
  GstAllocator *offered = NULL;

  if (gst_pad_peer_query (source_pad, query)
      && gst_query_get_n_allocation_params (query) > 0)
    gst_query_parse_nth_allocation_param (query, 0, &offered, NULL);
  gst_query_unref (query);
  if (offered != NULL && !GST_IS_PACO_RECYCLER (offered))
    gst_clear_object (&offered);
  return offered;
}
