/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Encoded frames on their way out; output.h says how they are used. The encoder and
 * every frame that is out have a reference to the PacoCudaOutputs. */
#include "gpu/output.h"
#include "gpu/pinned.h"
#include <stdlib.h>
#include <string.h>

/* How many buffers may be out beyond those of the frames in flight. */
#define MAX_SPARE 8
/* How many bytes of page-locked memory are allocated before they are needed, and
 * kept when they are not needed any more. The driver takes the time of many frames
 * to lock or unlock the 200 MB of a buffer for 8K. */
#define MAX_IDLE ((size_t) 2 << 30)

typedef struct _Output Output;

struct _Output
{
  PacoEncodedFrame frame; /* first: it is what the caller sees */
  PacoCudaOutputs *outputs;
  PacoHostMemory *memory;
  void *copy; /* the frame's data, if it is not in memory */
};

struct _PacoCudaOutputs
{
  gint references;
  PacoCudaDevice *device;
  GMutex lock;
  bool closed;
  size_t size;
  unsigned n;      /* buffers to keep, at least */
  unsigned n_out;  /* buffers that are out */
  GPtrArray *kept; /* of PacoHostMemory */
};

static void
memory_release (gpointer data)
{
  PacoHostMemory *memory = data;

  if (memory)
    memory->release (memory);
}

PacoCudaOutputs *
paco_cuda_outputs_new (PacoCudaDevice *device)
{
  PacoCudaOutputs *outputs = g_new0 (PacoCudaOutputs, 1);

  outputs->references = 1;
  outputs->device = paco_cuda_device_ref (device);
  outputs->kept = g_ptr_array_new_with_free_func (memory_release);
  g_mutex_init (&outputs->lock);
  return outputs;
}

static void
unref (PacoCudaOutputs *outputs)
{
  if (g_atomic_int_dec_and_test (&outputs->references)) {
    g_ptr_array_free (outputs->kept, TRUE);
    g_mutex_clear (&outputs->lock);
    paco_cuda_device_unref (outputs->device);
    g_free (outputs);
  }
}

void
paco_cuda_outputs_close (PacoCudaOutputs *outputs)
{
  if (!outputs)
    return;
  g_mutex_lock (&outputs->lock);
  outputs->closed = true;
  g_ptr_array_set_size (outputs->kept, 0);
  g_mutex_unlock (&outputs->lock);
  unref (outputs);
}

gboolean
paco_cuda_outputs_configure (
    PacoCudaOutputs *outputs, size_t size, unsigned n, GError **error)
{
  size_t n_first = CLAMP (MAX_IDLE / size, 1, n);
  gboolean done = TRUE;

  g_mutex_lock (&outputs->lock);
  if (outputs->size != size)
    g_ptr_array_set_size (outputs->kept, 0);
  outputs->size = size;
  outputs->n = n;
  while (done && outputs->kept->len + outputs->n_out < n_first) {
    PacoHostMemory *memory = paco_cuda_host_memory_new (
        outputs->device, size, error);

    if (memory)
      g_ptr_array_add (outputs->kept, memory);
    done = memory != NULL;
  }
  g_mutex_unlock (&outputs->lock);
  return done;
}

/* Says whether one buffer more may be kept. The lock is held. */
static bool
has_room (const PacoCudaOutputs *outputs)
{
  unsigned n = outputs->kept->len + outputs->n_out;

  return outputs->kept->len < outputs->n
      || (n < outputs->n + MAX_SPARE && n < MAX_IDLE / outputs->size);
}

/* Takes back a buffer. The lock is held. */
static void
take_back (PacoCudaOutputs *outputs, PacoHostMemory **memory)
{
  outputs->n_out--;
  if (!outputs->closed && (*memory)->size == outputs->size
      && has_room (outputs)) {
    g_ptr_array_add (outputs->kept, *memory);
    *memory = NULL;
  }
}

static void
release (PacoEncodedFrame *frame)
{
  Output *output = (Output *) frame;
  PacoCudaOutputs *outputs = output->outputs;

  g_clear_error (&frame->error);
  g_mutex_lock (&outputs->lock);
  if (output->memory)
    take_back (outputs, &output->memory);
  g_mutex_unlock (&outputs->lock);
  memory_release (output->memory);
  free (output->copy);
  g_free (output);
  unref (outputs);
}

PacoEncodedFrame *
paco_cuda_outputs_get_empty (PacoCudaOutputs *outputs)
{
  Output *output = g_new0 (Output, 1);

  output->outputs = outputs;
  output->frame.release = release;
  g_atomic_int_inc (&outputs->references);
  return &output->frame;
}

PacoEncodedFrame *
paco_cuda_outputs_get (PacoCudaOutputs *outputs)
{
  PacoEncodedFrame *frame = paco_cuda_outputs_get_empty (outputs);
  Output *output = (Output *) frame;

  g_mutex_lock (&outputs->lock);
  if (outputs->kept->len > 0)
    output->memory = g_ptr_array_steal_index_fast (
        outputs->kept, outputs->kept->len - 1);
  else
    output->memory = paco_cuda_host_memory_new (
        outputs->device, outputs->size, &frame->error);
  if (output->memory) {
    outputs->n_out++;
    frame->data = output->memory->data;
    frame->size = output->memory->size;
  }
  g_mutex_unlock (&outputs->lock);
  return frame;
}

/* Moves a frame of that size to its copy; the page-locked buffer comes back. */
static void
move_to_copy (PacoEncodedFrame *frame, size_t size)
{
  Output *output = (Output *) frame;
  PacoCudaOutputs *outputs = output->outputs;
  PacoHostMemory *memory = output->memory;

  memcpy (output->copy, frame->data, size);
  frame->data = output->copy;
  output->memory = NULL;
  g_mutex_lock (&outputs->lock);
  take_back (outputs, &memory);
  g_mutex_unlock (&outputs->lock);
  memory_release (memory);
}

gboolean
paco_cuda_outputs_finish (PacoEncodedFrame *frame, size_t size,
    const PacoAttachment *attachment, GError **error)
{
  Output *output = (Output *) frame;
  PacoCudaOutputs *outputs = output->outputs;
  size_t whole = size + attachment->size;
  bool fits = whole <= output->memory->size;

  g_mutex_lock (&outputs->lock);
  if (!fits || outputs->n_out > outputs->n + MAX_SPARE)
    output->copy = malloc (whole);
  g_mutex_unlock (&outputs->lock);
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
