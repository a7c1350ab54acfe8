/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Encoded frames on their way out (output.h). */
#include "gpu/output.h"
#include "codec/recycler.h"
#include "gpu/pinned.h"
#include <string.h>

/* Buffers that may be out beyond those of the frames in flight. */
#define MAX_SPARE 8
/* Page-locked bytes that are allocated before they are needed, and kept when idle. The
 * driver takes the time of many frames to lock or unlock the 200 MB of a buffer for
 * 8K. */
#define MAX_IDLE ((size_t) 2 << 30)

typedef struct
{
  PacoRecycledFrame frame;
  PacoHostMemory *memory;
} Buffer;

struct _PacoCudaOutputs
{
  PacoRecycler *buffers; /* page-locked */
  PacoRecycler *copies;  /* in ordinary memory */
  size_t size;           /* of a buffer */
  unsigned n;            /* buffers to keep, at least */
};

static bool
buffer_allocate (void *item, size_t size, void *user, GError **error)
{
  Buffer *buffer = item;

  buffer->memory = paco_cuda_host_memory_new (user, size, error);
  if (!buffer->memory)
    return false;
  buffer->frame.memory.data = buffer->memory->data;
  buffer->frame.memory.size = buffer->memory->size;
  return true;
}

static void
buffer_release (void *item)
{
  PacoHostMemory *memory = ((Buffer *) item)->memory;

  memory->release (memory);
}

PacoCudaOutputs *
paco_cuda_outputs_new (PacoCudaDevice *device)
{
  static const PacoRecyclerClass klass = {
    .item_size = sizeof (Buffer),
    .allocate = buffer_allocate,
    .release = buffer_release,
  };
  const PacoRecyclerLimits copies = {
    .most = MAX_SPARE,
    .most_bytes = MAX_IDLE,
    .alive = G_MAXUINT,
  };
  PacoCudaOutputs *outputs = g_new0 (PacoCudaOutputs, 1);

  outputs->buffers = paco_recycler_new (
      &klass, &(PacoRecyclerLimits){ 0 }, device);
  outputs->copies = paco_recycler_new (&paco_plain_frames, &copies, NULL);
  return outputs;
}

void
paco_cuda_outputs_close (PacoCudaOutputs *outputs)
{
  if (!outputs)
    return;
  paco_recycler_free (outputs->buffers);
  paco_recycler_free (outputs->copies);
  g_free (outputs);
}

gboolean
paco_cuda_outputs_configure (
    PacoCudaOutputs *outputs, size_t size, unsigned n, GError **error)
{
  const PacoRecyclerLimits limits = {
    .least = n,
    .most = n + MAX_SPARE,
    .most_bytes = MAX_IDLE,
    .alive = G_MAXUINT,
  };

  if (outputs->size != size)
    paco_recycler_reset (outputs->buffers);
  paco_recycler_limit (outputs->buffers, &limits);
  outputs->size = size;
  outputs->n = n;
  return paco_recycler_fill (
      outputs->buffers, CLAMP (MAX_IDLE / size, 1, n), size, error);
}

PacoEncodedFrame *
paco_cuda_outputs_get (PacoCudaOutputs *outputs, GError **error)
{
  PacoRecycledFrame *buffer = paco_recycler_take_frame (
      outputs->buffers, outputs->size, error);

  return buffer ? &buffer->frame : NULL;
}

gboolean
paco_cuda_outputs_finish (PacoCudaOutputs *outputs, PacoEncodedFrame **frame,
    size_t size, const PacoAttachment *attachment, GError **error)
{
  size_t whole = size + attachment->size;
  bool fits = whole <= outputs->size;
  PacoRecycledFrame *copy = NULL;

  if (!fits || paco_recycler_used (outputs->buffers) > outputs->n + MAX_SPARE)
    copy = paco_recycler_take_frame (outputs->copies, whole, NULL);
  if (!fits && !copy) {
    g_set_error (error, PACO_ERROR, PACO_ERROR_MEMORY,
        "not enough memory for a coded frame of %zu bytes", whole);
    return FALSE;
  }
  if (copy) {
    memcpy (copy->frame.data, (*frame)->data, size);
    (*frame)->release (*frame);
    *frame = &copy->frame;
  }
  paco_attachment_copy (attachment, (*frame)->data + size);
  (*frame)->size = whole;
  return TRUE;
}
