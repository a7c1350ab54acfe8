/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Encoded frames on their way out; output.h says how they are used. The encoder and
 * every frame that is out have a reference to the PacoOutputs. */
#include "codec/cpu/output.h"
#include "codec/cpu/memory.h"
#include <string.h>

typedef struct _Output Output;

struct _Output
{
  PacoEncodedFrame frame; /* first: it is what the caller sees */
  PacoOutputs *outputs;
  uint8_t *buffer;
  size_t capacity;
  Output *next;
};

struct _PacoOutputs
{
  gint references;
  GMutex lock;
  unsigned keep, n_kept;
  Output *kept;
};

PacoOutputs *
paco_outputs_new (void)
{
  PacoOutputs *outputs = g_new0 (PacoOutputs, 1);

  outputs->references = 1;
  g_mutex_init (&outputs->lock);
  return outputs;
}

static void
unref (PacoOutputs *outputs)
{
  if (g_atomic_int_dec_and_test (&outputs->references)) {
    g_mutex_clear (&outputs->lock);
    g_free (outputs);
  }
}

static void
output_free (Output *output)
{
  paco_memory_free (output->buffer);
  g_free (output);
}

void
paco_outputs_keep (PacoOutputs *outputs, unsigned keep)
{
  Output *kept;

  g_mutex_lock (&outputs->lock);
  outputs->keep = keep;
  kept = outputs->kept;
  outputs->kept = NULL;
  outputs->n_kept = 0;
  g_mutex_unlock (&outputs->lock);
  while (kept) {
    Output *next = kept->next;

    output_free (kept);
    kept = next;
  }
}

void
paco_outputs_close (PacoOutputs *outputs)
{
  paco_outputs_keep (outputs, 0);
  unref (outputs);
}

static void
release (PacoEncodedFrame *frame)
{
  Output *output = (Output *) frame;
  PacoOutputs *outputs = output->outputs;

  g_clear_error (&frame->error);
  g_mutex_lock (&outputs->lock);
  if (output->buffer && outputs->n_kept < outputs->keep) {
    output->next = outputs->kept;
    outputs->kept = output;
    outputs->n_kept++;
    output = NULL;
  }
  g_mutex_unlock (&outputs->lock);
  if (output)
    output_free (output);
  unref (outputs);
}

/* Takes a kept buffer that is large enough and not much too large. If there is none,
 * one of the others is freed to make room for a new one. */
static Output *
take_kept (PacoOutputs *outputs, size_t size)
{
  Output **at, *output;

  g_mutex_lock (&outputs->lock);
  for (at = &outputs->kept; *at; at = &(*at)->next)
    if ((*at)->capacity >= size && (*at)->capacity / 2 <= size)
      break;
  if (!*at)
    at = &outputs->kept;
  output = *at;
  if (output) {
    *at = output->next;
    outputs->n_kept--;
  }
  g_mutex_unlock (&outputs->lock);
  return output;
}

PacoEncodedFrame *
paco_outputs_get (PacoOutputs *outputs, size_t size)
{
  Output *output = size > 0 ? take_kept (outputs, size) : NULL;

  if (!output)
    output = g_new0 (Output, 1);
  if (output->capacity < size || output->capacity / 2 > size) {
    size_t capacity = size + MIN (size / 16, G_MAXSIZE - size);

    paco_memory_free (output->buffer);
    output->buffer = paco_memory_new (capacity, 1);
    output->capacity = output->buffer ? capacity : 0;
  }
  output->outputs = outputs;
  g_atomic_int_inc (&outputs->references);
  output->frame = (PacoEncodedFrame){
    .data = output->buffer,
    .size = output->buffer ? size : 0,
    .release = release,
  };
  return &output->frame;
}
