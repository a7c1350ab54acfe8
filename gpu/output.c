/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Encoded frames on their way out; output.h says how they are used. */
#include "gpu/output.h"
#include "codec/recycler.h"
#include "gpu/pinned.h"
#include <stdlib.h>
#include <string.h>

/* How many buffers may be out beyond those of the frames in flight. */
#define MAX_SPARE 8
/* How many bytes of page-locked memory are allocated before they are needed, and
 * kept when they are not needed any more. The driver takes the time of many frames
 * to lock or unlock the 200 MB of a buffer for 8K. */
#define MAX_IDLE ((size_t) 2 << 30)

typedef struct
{
  PacoRecycled recycled; /* first: the recycler's */
  PacoHostMemory *memory;
} Buffer;

typedef struct
{
  PacoEncodedFrame frame;   /* first: it is what the caller sees */
  PacoCudaOutputs *outputs; /* valid until finish() */
  PacoRecycled *buffer;
  void *copy; /* the frame's data, if it is not in buffer */
} Output;

struct _PacoCudaOutputs
{
  PacoRecycler *buffers;
  size_t size; /* of each */
  unsigned n;  /* buffers to keep, at least */
};

static bool
buffer_allocate (void *item, size_t size, void *user, GError **error)
{
  Buffer *buffer = item;

  buffer->memory = paco_cuda_host_memory_new (user, size, error);
  if (!buffer->memory)
    return false;
  buffer->recycled.data = buffer->memory->data;
  buffer->recycled.size = buffer->memory->size;
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
  PacoCudaOutputs *outputs = g_new0 (PacoCudaOutputs, 1);

  outputs->buffers = paco_recycler_new (
      &klass, &(PacoRecyclerLimits){ 0 }, device);
  return outputs;
}

void
paco_cuda_outputs_close (PacoCudaOutputs *outputs)
{
  if (!outputs)
    return;
  paco_recycler_free (outputs->buffers);
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

static void
release (PacoEncodedFrame *frame)
{
  Output *output = (Output *) frame;

  g_clear_error (&frame->error);
  paco_recycler_give (output->buffer);
  free (output->copy);
  g_free (output);
}

PacoEncodedFrame *
paco_cuda_outputs_get (PacoCudaOutputs *outputs)
{
  Output *output = g_new0 (Output, 1);
  PacoEncodedFrame *frame = &output->frame;

  output->outputs = outputs;
  output->buffer = paco_recycler_take (
      outputs->buffers, outputs->size, &frame->error);
  frame->release = release;
  if (output->buffer) {
    frame->data = output->buffer->data;
    frame->size = output->buffer->size;
  }
  return frame;
}

/* Moves a frame of that size to its copy; the page-locked buffer comes back. */
static void
move_to_copy (PacoEncodedFrame *frame, size_t size)
{
  Output *output = (Output *) frame;

  memcpy (output->copy, frame->data, size);
  frame->data = output->copy;
  paco_recycler_give (g_steal_pointer (&output->buffer));
}

gboolean
paco_cuda_outputs_finish (PacoEncodedFrame *frame, size_t size,
    const PacoAttachment *attachment, GError **error)
{
  Output *output = (Output *) frame;
  PacoCudaOutputs *outputs = output->outputs;
  size_t whole = size + attachment->size;
  bool fits = whole <= output->buffer->size;

  if (!fits || paco_recycler_used (outputs->buffers) > outputs->n + MAX_SPARE)
    output->copy = malloc (whole);
  if (!fits && !output->copy) {
    g_set_error (error, PACO_ERROR, PACO_ERROR_MEMORY,
        "not enough memory for a coded frame of %zu bytes", whole);
    return FALSE;
  }
  if (output->copy)
    move_to_copy (frame, size);
  paco_attachment_copy (attachment, frame->data + size);
  frame->size = whole;
  return TRUE;
}
