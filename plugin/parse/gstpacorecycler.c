/* SPDX-License-Identifier: LGPL-2.1-or-later
 * An allocator of memory that is used again (gstpacorecycler.h).
 *
 * A slab is memory of the source that stays mapped. What is handed out is
 * memory wrapped around a slab, so that sharing and copying need no code here;
 * when the last part of it is freed the slab is kept for the next. */
#include "gstpacorecycler.h"

/* A slab is larger than asked for by this part, because the next frame may be
 * somewhat larger, and its size is a multiple of GRAIN. */
#define SPARE_SHARE 8
#define GRAIN ((gsize) 64 << 10)
/* Slabs are aligned to this at least; it is a mask, as in GstAllocationParams. */
#define ALIGN ((gsize) 63)

typedef struct _Slab Slab;

struct _Slab
{
  GstPacoRecycler *owner; /* a reference while the slab is in use */
  GstMemory *memory;
  GstMapInfo map;
  Slab *next; /* the next one of those that are kept */
};

struct _GstPacoRecycler
{
  GstAllocator parent;
  GstAllocator *source; /* NULL if it is the system's */
  guint most;           /* slabs */

  GMutex lock; /* guards what follows */
  Slab *kept; /* the one that came back last is first, as caches hold it best */
  guint n_alive; /* slabs that are kept or in use */
  gboolean stopped;
};

G_DEFINE_FINAL_TYPE (GstPacoRecycler, gst_paco_recycler, GST_TYPE_ALLOCATOR);

/* --- slabs --- */

/* Allocates a slab. Returns NULL if there is no memory. */
static Slab *
slab_new (GstAllocator *source, gsize size)
{
  GstAllocationParams params = { .align = ALIGN };
  Slab *slab = g_new0 (Slab, 1);

  size += size / SPARE_SHARE;
  size = (size + GRAIN - 1) / GRAIN * GRAIN;
  slab->memory = gst_allocator_alloc (source, size, &params);
  if (slab->memory
      && gst_memory_map (slab->memory, &slab->map, GST_MAP_READWRITE))
    return slab;
  g_clear_pointer (&slab->memory, gst_memory_unref);
  g_free (slab);
  return NULL;
}

static void
slab_free (Slab *slab)
{
  if (slab == NULL)
    return;
  gst_memory_unmap (slab->memory, &slab->map);
  gst_memory_unref (slab->memory);
  g_free (slab);
}

/* Takes a kept slab that is large enough out of the list, or returns NULL. The
 * lock must be held. */
static Slab *
take_kept (GstPacoRecycler *self, gsize size)
{
  for (Slab **at = &self->kept; *at != NULL; at = &(*at)->next) {
    Slab *slab = *at;

    if (slab->map.size >= size) {
      *at = slab->next;
      return slab;
    }
  }
  return NULL;
}

/* Returns a slab of at least size bytes, or NULL if there are as many as there
 * may be, or if there is no memory. A kept one that is too small makes room for
 * it. */
static Slab *
get_slab (GstPacoRecycler *self, gsize size)
{
  Slab *slab, *small = NULL;
  gboolean allowed = FALSE;

  g_mutex_lock (&self->lock);
  slab = take_kept (self, size);
  if (slab == NULL && !self->stopped) {
    small = self->kept;
    if (small != NULL)
      self->kept = small->next;
    allowed = small != NULL || self->n_alive < self->most;
    if (small == NULL && allowed)
      self->n_alive++;
  }
  g_mutex_unlock (&self->lock);
  slab_free (small);
  if (!allowed)
    return slab;

  slab = slab_new (self->source, size);
  if (slab == NULL) {
    g_mutex_lock (&self->lock);
    self->n_alive--;
    g_mutex_unlock (&self->lock);
  }
  return slab;
}

/* Takes a slab back when nothing refers to the memory around it any more. */
static void
take_back (gpointer data)
{
  Slab *slab = data;
  GstPacoRecycler *self = slab->owner;
  gboolean keep;

  slab->owner = NULL;
  g_mutex_lock (&self->lock);
  keep = !self->stopped;
  if (keep) {
    slab->next = self->kept;
    self->kept = slab;
  } else {
    self->n_alive--;
  }
  g_mutex_unlock (&self->lock);
  if (!keep)
    slab_free (slab);
  gst_object_unref (self);
}

/* --- allocator --- */

static GstMemory *
gst_paco_recycler_alloc (
    GstAllocator *allocator, gsize size, GstAllocationParams *params)
{
  GstPacoRecycler *self = GST_PACO_RECYCLER (allocator);
  Slab *slab = NULL;

  /* Slabs have no room for prefix and padding; who reads frames asks for none. */
  if (params->prefix == 0 && params->padding == 0
      && (params->align & ~ALIGN) == 0)
    slab = get_slab (self, size);
  if (slab == NULL)
    return gst_allocator_alloc (NULL, size, params);
  slab->owner = gst_object_ref (self);
  return gst_memory_new_wrapped (
      params->flags, slab->map.data, slab->map.size, 0, size, slab, take_back);
}

/* This is never called: the memory that is handed out belongs to the system's
 * allocator. */
static void
gst_paco_recycler_free (GstAllocator *allocator, GstMemory *memory)
{
  g_return_if_reached ();
}

/* No slab is in use any more, because each that is holds a reference. */
static void
gst_paco_recycler_finalize (GObject *object)
{
  GstPacoRecycler *self = GST_PACO_RECYCLER (object);

  gst_paco_recycler_stop (GST_ALLOCATOR_CAST (self));
  gst_clear_object (&self->source);
  g_mutex_clear (&self->lock);
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
  g_mutex_init (&self->lock);
}

GstAllocator *
gst_paco_recycler_new (GstAllocator *source, guint n_slabs)
{
  GstPacoRecycler *self = g_object_new (GST_TYPE_PACO_RECYCLER, NULL);

  if (source != NULL)
    self->source = gst_object_ref (source);
  self->most = n_slabs;
  return GST_ALLOCATOR_CAST (gst_object_ref_sink (self));
}

void
gst_paco_recycler_stop (GstAllocator *allocator)
{
  GstPacoRecycler *self = GST_PACO_RECYCLER (allocator);
  Slab *slab;

  g_mutex_lock (&self->lock);
  self->stopped = TRUE;
  slab = g_steal_pointer (&self->kept);
  for (const Slab *at = slab; at != NULL; at = at->next)
    self->n_alive--;
  g_mutex_unlock (&self->lock);
  while (slab != NULL) {
    Slab *next = slab->next;

    slab_free (slab);
    slab = next;
  }
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
