/* SPDX-License-Identifier: LGPL-2.1-or-later
 * An allocator of memory of the backend's device (gstpacoallocator.h). Its memory is
 * of the system allocator's kind, wrapped around what the backend allocates, so that
 * mapping, sharing and copying need no code here. */
#include "gstpacoallocator.h"
#include <string.h>

GST_DEBUG_CATEGORY_EXTERN (gst_paco_debug);
#define GST_CAT_DEFAULT gst_paco_debug

/* The backend's memory is aligned to this at least. */
#define PAGE_MASK ((gsize) 4095)

struct _GstPacoAllocator
{
  GstAllocator parent;
  GMutex lock;      /* guards coder */
  PacoCoder *coder; /* a reference, or NULL once it is detached */
};

G_DEFINE_FINAL_TYPE (GstPacoAllocator, gst_paco_allocator, GST_TYPE_ALLOCATOR);

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
  PacoCoder *coder = NULL;
  GError *error = NULL;

  /* The device may take its time, so it is asked without the lock. */
  g_mutex_lock (&self->lock);
  if (self->coder)
    coder = paco_coder_ref (self->coder);
  g_mutex_unlock (&self->lock);
  if (coder == NULL)
    return NULL;
  memory = paco_coder_host_memory (coder, size, &error);
  paco_coder_unref (coder);
  if (error) {
    GST_WARNING_OBJECT (
        self, "taking ordinary memory instead: %s", error->message);
    g_error_free (error);
  }
  return memory;
}

static GstMemory *
gst_paco_allocator_alloc (
    GstAllocator *allocator, gsize size, GstAllocationParams *params)
{
  gsize whole = params->prefix + size + params->padding;
  PacoHostMemory *memory = NULL;

  if ((params->align & ~PAGE_MASK) == 0)
    memory = ask_backend (GST_PACO_ALLOCATOR (allocator), whole);
  if (memory == NULL)
    return gst_allocator_alloc (NULL, size, params);
  /* Memory of the backend may hold what was there before. Pools use it again for many
   * frames, which do not cover all of it. */
  memset (memory->data, 0, whole);
  return gst_memory_new_wrapped (params->flags, memory->data, whole,
      params->prefix, size, memory, release);
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
