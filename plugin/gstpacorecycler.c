/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A block is memory of the source that stays mapped. What is handed out is
 * memory wrapped around a block, so that sharing and copying need no code here;
 * when the last part of it is freed the block is kept for the next. */
#include "gstpacorecycler.h"

/* Blocks are larger than asked for by this share, because the next frame may be
 * somewhat larger, and a multiple of the second. */
#define SPARE_SHARE 8
#define GRAIN ((gsize) 64 << 10)
/* What blocks are aligned to at least; masks, as GstAllocationParams has it. */
#define ALIGN ((gsize) 63)

typedef struct _Block Block;

struct _Block
{
  GstPacoRecycler *owner; /* a reference, while the block is out */
  GstMemory *memory;
  GstMapInfo map;
  Block *next; /* of those that are kept */
};

struct _GstPacoRecycler
{
  GstAllocator parent;
  GstAllocator *source; /* NULL: the system's */
  guint most;           /* blocks */

  GMutex lock;   /* of the following */
  Block *kept;   /* the last that came back first: caches know it best */
  guint n_alive; /* blocks kept and out */
  gboolean stopped;
};

G_DEFINE_FINAL_TYPE (GstPacoRecycler, gst_paco_recycler, GST_TYPE_ALLOCATOR);

/* --- blocks --- */

/* NULL if there is no memory. */
static Block *
block_new (GstAllocator *source, gsize size)
{
  GstAllocationParams params = { .align = ALIGN };
  Block *block = g_new0 (Block, 1);

  size += size / SPARE_SHARE;
  size = (size + GRAIN - 1) / GRAIN * GRAIN;
  block->memory = gst_allocator_alloc (source, size, &params);
  if (block->memory
      && gst_memory_map (block->memory, &block->map, GST_MAP_READWRITE))
    return block;
  g_clear_pointer (&block->memory, gst_memory_unref);
  g_free (block);
  return NULL;
}

static void
block_free (Block *block)
{
  if (block == NULL)
    return;
  gst_memory_unmap (block->memory, &block->map);
  gst_memory_unref (block->memory);
  g_free (block);
}

/* Takes a kept block that is large enough out of the list, or else returns
 * NULL. With the lock. */
static Block *
take_kept (GstPacoRecycler *self, gsize size)
{
  for (Block **at = &self->kept; *at != NULL; at = &(*at)->next) {
    Block *block = *at;

    if (block->map.size >= size) {
      *at = block->next;
      return block;
    }
  }
  return NULL;
}

/* A block of at least size bytes; NULL if there are as many as there may be, or
 * if there is no memory. A kept one that is too small makes room for it. */
static Block *
get_block (GstPacoRecycler *self, gsize size)
{
  Block *block, *small = NULL;
  gboolean allowed = FALSE;

  g_mutex_lock (&self->lock);
  block = take_kept (self, size);
  if (block == NULL && !self->stopped) {
    small = self->kept;
    if (small != NULL)
      self->kept = small->next;
    allowed = small != NULL || self->n_alive < self->most;
    if (small == NULL && allowed)
      self->n_alive++;
  }
  g_mutex_unlock (&self->lock);
  block_free (small);
  if (!allowed)
    return block;

  block = block_new (self->source, size);
  if (block == NULL) {
    g_mutex_lock (&self->lock);
    self->n_alive--;
    g_mutex_unlock (&self->lock);
  }
  return block;
}

/* Nothing refers to the memory around the block any more. */
static void
take_back (gpointer data)
{
  Block *block = data;
  GstPacoRecycler *self = block->owner;
  gboolean keep;

  block->owner = NULL;
  g_mutex_lock (&self->lock);
  keep = !self->stopped;
  if (keep) {
    block->next = self->kept;
    self->kept = block;
  } else {
    self->n_alive--;
  }
  g_mutex_unlock (&self->lock);
  if (!keep)
    block_free (block);
  gst_object_unref (self);
}

/* --- allocator --- */

static GstMemory *
gst_paco_recycler_alloc (
    GstAllocator *allocator, gsize size, GstAllocationParams *params)
{
  GstPacoRecycler *self = GST_PACO_RECYCLER (allocator);
  Block *block = NULL;

  /* Nobody who reads frames wants anything around them. */
  if (params->prefix == 0 && params->padding == 0
      && (params->align & ~ALIGN) == 0)
    block = get_block (self, size);
  if (block == NULL)
    return gst_allocator_alloc (NULL, size, params);
  block->owner = gst_object_ref (self);
  return gst_memory_new_wrapped (params->flags, block->map.data,
      block->map.size, 0, size, block, take_back);
}

/* No memory has this allocator as its own. */
static void
gst_paco_recycler_free (GstAllocator *allocator, GstMemory *memory)
{
  g_return_if_reached ();
}

/* What is out holds references. */
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
gst_paco_recycler_new (GstAllocator *source, guint n_blocks)
{
  GstPacoRecycler *self = g_object_new (GST_TYPE_PACO_RECYCLER, NULL);

  if (source != NULL)
    self->source = gst_object_ref (source);
  self->most = n_blocks;
  return GST_ALLOCATOR_CAST (gst_object_ref_sink (self));
}

void
gst_paco_recycler_stop (GstAllocator *allocator)
{
  GstPacoRecycler *self = GST_PACO_RECYCLER (allocator);
  Block *block;

  g_mutex_lock (&self->lock);
  self->stopped = TRUE;
  block = g_steal_pointer (&self->kept);
  for (const Block *at = block; at != NULL; at = at->next)
    self->n_alive--;
  g_mutex_unlock (&self->lock);
  while (block != NULL) {
    Block *next = block->next;

    block_free (block);
    block = next;
  }
}
