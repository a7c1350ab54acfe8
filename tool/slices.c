/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes pictures of slices (slices.h) with libpaco. */
#include "slices.h"
#include "codec/header.h"
#include "tool.h"

void
paco_slice_read (const PacoFrame *frame, PacoHeader *header)
{
  if (!paco_header_parse (frame->data, frame->size, header, NULL, NULL))
    header->video.slice = (PacoSlice){ 0 };
}

bool
paco_slice_place (
    PacoDecoded *frame, PacoInfo *told, PacoImage *image, GError **error)
{
  unsigned how = PACO_IMAGE_TWO_BYTES
      | (G_BYTE_ORDER == G_BIG_ENDIAN ? PACO_IMAGE_BIG_ENDIAN : 0);
  size_t bytes = 0;
  PacoError failure;

  told->depth[0] = PACO_SLICE_DEPTH;
  if (paco_image_init (image, told, 0, how, NULL, &bytes, &failure)
          == PACO_STATUS_OK
      && bytes > frame->capacity) {
    g_free (frame->samples);
    frame->samples = g_try_malloc (bytes);
    frame->capacity = frame->samples ? bytes : 0;
  }
  if (!frame->samples)
    return paco_tool_failed (
        error, "there is no memory for a slice of %zu bytes", bytes);
  if (!paco_tool_check (paco_image_init (image, told, 0, how, frame->samples,
                            &bytes, &failure),
          &failure, error))
    return false;
  told->depth[0] = frame->stack.slice.depth;
  return true;
}

static bool
is_sound (const PacoDecoded *frame)
{
  return !frame->error && frame->result.corrupted_blocks == 0;
}

/* Tells of each picture what is wrong with its stack. Returns whether anything can be
 * shown. */
static bool
judge (GQueue *frames)
{
  const PacoDecoded *first = g_queue_peek_head (frames);
  unsigned n_sound = 0, n_bad;

  if (first->stack.slice.levels == 0)
    return true;
  for (GList *at = frames->head; at; at = at->next)
    n_sound += is_sound (at->data);
  n_bad = first->stack.slice.length - n_sound;
  for (GList *at = frames->head; at; at = at->next) {
    PacoDecoded *frame = at->data;

    frame->n_bad = n_bad - !is_sound (frame);
    if (first->error && !frame->error)
      paco_tool_failed (&frame->error,
          "the first slice of its stack cannot be decoded: %s",
          first->error->message);
  }
  return !first->error;
}

bool
paco_slices_finish (GQueue *frames, GError **error)
{
  const PacoDecoded *first = g_queue_peek_head (frames);
  const PacoInfo *info = &first->pixels.info;
  uint16_t *slices[PACO_MAX_STACK] = { NULL };
  const PacoImage *images[PACO_MAX_STACK] = { NULL };
  PacoError failure;

  if (!judge (frames))
    return true;
  for (GList *at = frames->head; at; at = at->next) {
    PacoDecoded *frame = at->data;

    if (frame->error)
      continue;
    slices[frame->stack.slice.position] = frame->samples;
    images[frame->stack.slice.position] = &frame->pixels.image;
  }
  return paco_tool_check (
      paco_stack_pictures (first->input.frame.data, first->input.frame.size,
          slices, info->width, info->height, images, &failure),
      &failure, error);
}
