/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Decodes a frame, and undoes the wavelet of a stack (FORMAT.md sections 1, 10 and 12):
 * the functions that users of the reference decoder call. */
#include "parts.h"
#include <stdlib.h>
#include <string.h>

/* --- memory --- */

static void
clear_frame (Frame *frame)
{
  if (!frame)
    return;
  for (unsigned f = 0; f < 2; f++)
    for (unsigned c = 0; c < MAX_COMPONENTS; c++)
      free (frame->planes[f][c].samples);
  free (frame->blocks);
  free (frame->cells);
  free (frame->used);
  free (frame->coder);
  free (frame->indices);
  free (frame->samples);
  free (frame);
}

void
paco_reference_picture_clear (Picture *picture)
{
  for (unsigned c = 0; c < MAX_COMPONENTS; c++)
    free (picture->components[c].samples);
  memset (picture->components, 0, sizeof picture->components);
}

/* Finds the sizes of the picture's components; returns how many samples they have. */
static uint64_t
set_sizes (const Frame *frame, Picture *picture)
{
  uint64_t samples = 0;

  for (unsigned c = 0; c < frame->header.n_components; c++) {
    Image *image = &picture->components[c];

    image->height = 0;
    for (unsigned f = 0; f < frame->n_fields; f++) {
      uint32_t height;

      component_size (
          &frame->header, c, f, frame->reduce, &image->width, &height);
      image->height += height;
    }
    samples += (uint64_t) image->width * image->height;
  }
  return samples;
}

static bool
allocate (Frame *frame, Picture *picture)
{
  for (unsigned c = 0; c < frame->header.n_components; c++) {
    Image *image = &picture->components[c];

    image->samples = (uint16_t *) new_zeros (
        (uint64_t) image->width * image->height, sizeof *image->samples);
    if (!image->samples)
      return false;
    for (unsigned f = 0; f < frame->n_fields; f++) {
      Plane *plane = &frame->planes[f][c];

      component_size (
          &frame->header, c, f, frame->reduce, &plane->width, &plane->height);
      plane->samples = (Sample *) new_zeros (
          (uint64_t) plane->width * plane->height, sizeof *plane->samples);
      if (!plane->samples)
        return false;
    }
  }
  return blocks_init (frame);
}

/* --- blocks --- */

static void
place_block (Frame *frame, uint32_t i)
{
  const Codeblock *block = &frame->blocks[i];
  const Subband *subband = &frame->subbands[block->subband];
  Plane *plane = &frame->planes[subband->field][subband->component];

  for (unsigned y = 0; y < block->height; y++)
    memcpy (plane->samples
            + (size_t) (subband->top + block->y + y) * plane->width
            + subband->left + block->x,
        frame->samples + (size_t) y * block->width,
        block->width * sizeof *frame->samples);
}

/* Does block i. If it is broken, it is concealed or stays zero. False if there is no
 * memory. */
static bool
do_block (Frame *frame, Concealer *concealer, uint32_t i)
{
  bool sound = decode_block (frame, i);
  bool replaced = !sound && concealer && conceal_block (concealer, frame, i);

  frame->broken_blocks += !sound;
  frame->concealed_blocks += replaced;
  if (sound || replaced) {
    dequantize_block (frame, i, replaced, frame->samples);
    place_block (frame, i);
  }
  return !concealer
      || conceal_keep (
          concealer, frame, i, sound || replaced ? frame->samples : NULL);
}

/* --- samples --- */

/* Undoes wavelets and colors of a field. False if there is no memory. */
static bool
undo_transforms (Frame *frame, unsigned field)
{
  const Header *header = &frame->header;
  Plane *planes = frame->planes[field];

  for (unsigned c = 0; c < header->n_components; c++) {
    unsigned wavelet = header->components[c].wavelet;
    uint32_t longest = planes[c].width > planes[c].height ? planes[c].width
                                                          : planes[c].height;
    Sample *x = (Sample *) new_zeros (longest, sizeof *x);

    if (!x)
      return false;
    paco_reference_transform (
        &planes[c], header->levels - frame->reduce, wavelet, true, x);
    free (x);
    paco_reference_reduce (&planes[c], wavelet, frame->reduce);
  }
  paco_reference_undo_color (header, planes);
  paco_reference_filter_mosaic (header, planes, true);
  return true;
}

/* Puts a field of a component into its image. */
static void
store_samples (const Frame *frame, unsigned field, unsigned c,
    const uint16_t *sample_of_number, uint32_t n, int32_t shift, Image *image)
{
  const Plane *plane = &frame->planes[field][c];
  const Sample *sample = plane->samples;

  for (uint32_t y = 0; y < plane->height; y++) {
    uint16_t *line = image->samples
        + (size_t) (frame->header.fields ? 2 * y + field : y) * image->width;

    for (uint32_t x = 0; x < plane->width; x++, sample++) {
      int64_t number = (int64_t) sample->i + shift;

      *line++ = sample_of_number[number < 0 ? 0
              : number > (int64_t) n - 1    ? n - 1
                                            : (uint32_t) number];
    }
  }
}

static bool
make_images (Frame *frame, Picture *picture)
{
  uint16_t *map = (uint16_t *) malloc (N_CODES * sizeof *map);
  bool done = map != NULL;

  for (unsigned f = 0; done && f < frame->n_fields; f++)
    done = undo_transforms (frame, f);
  for (unsigned c = 0; done && c < frame->header.n_components; c++) {
    int32_t shift;
    uint32_t n = map_numbers (frame, c, map, &shift);

    for (unsigned f = 0; f < frame->n_fields; f++)
      store_samples (frame, f, c, map, n, shift, &picture->components[c]);
  }
  free (map);
  return done;
}

/* --- frames --- */

static bool
decode (Frame *frame, Concealer *concealer, Picture *picture)
{
  bool memory = allocate (frame, picture);

  if (memory && concealer)
    conceal_begin (concealer, frame);
  picture->header = frame->header;
  picture->n_blocks = frame->n_blocks_at[frame->reduce];
  for (uint32_t i = 0; memory && i < picture->n_blocks; i++)
    memory = do_block (frame, concealer, i);
  memory = memory && make_images (frame, picture);
  if (memory && concealer)
    conceal_end (concealer, frame);
  picture->broken_blocks = frame->broken_blocks;
  picture->concealed_blocks = frame->concealed_blocks;
  return memory;
}

static bool
read_and_decode (const uint8_t *data, size_t size, Frame *frame,
    const Options *options, Picture *picture, Reason *reason)
{
  Header *header = &frame->header;

  if (!read_header (data, size, header, reason))
    return false;
  if (size < header->frame_size)
    return invalid (reason, "the frame is cut off");
  if (options->reduce > header->levels)
    return refuse (reason, PACO_REFERENCE_ASKED,
        "the frame has fewer levels than are to be left out");
  frame->reduce = options->reduce;
  frame->n_fields = header->fields ? 2 : 1;
  if (set_sizes (frame, picture) > options->max_samples
      && options->max_samples > 0)
    return refuse (reason, PACO_REFERENCE_LARGE,
        "the picture has more samples than are allowed");
  frame->index = data + header->header_size;
  frame->payload = frame->index + header->index_size;
  if (!read_index (frame, reason))
    return false;
  if (header->set)
    read_set (header->set, header->set_size, &frame->carried);
  return decode (frame, options->concealer, picture) || no_memory (reason);
}

Status
paco_reference_decode_frame (const uint8_t *data, size_t size,
    const Options *options, Picture *picture, const char **message)
{
  static const Options usual = { 0, 0, NULL };
  Frame *frame = (Frame *) calloc (1, sizeof *frame);
  Reason reason = { PACO_REFERENCE_DONE, "" };

  memset (picture, 0, sizeof *picture);
  if (!frame)
    no_memory (&reason);
  else if (!read_and_decode (
               data, size, frame, options ? options : &usual, picture, &reason))
    paco_reference_picture_clear (picture);
  clear_frame (frame);
  if (message)
    *message = reason.message;
  return reason.status;
}

/* --- stacks --- */

/* Says whether both are slices of one stack and of one size. */
static bool
is_same_stack (const Picture *a, const Picture *b)
{
  const Slice *p = &a->header.slice, *q = &b->header.slice;

  return p->number == q->number && p->length == q->length
      && p->wavelet == q->wavelet && p->levels == q->levels
      && p->depth == q->depth && p->bits == q->bits
      && a->components[0].width == b->components[0].width
      && a->components[0].height == b->components[0].height;
}

Status
paco_reference_undo_stack (
    Picture *const slices[MAX_STACK], const char **message)
{
  const Slice *slice = slices[0] ? &slices[0]->header.slice : NULL;
  bool good = slice && slice->length > 0;
  size_t n;

  for (unsigned p = 0; good && p < slice->length; p++)
    good = !slices[p]
        || (is_same_stack (slices[0], slices[p])
            && slices[p]->header.slice.position == p);
  if (message)
    *message = good ? ""
                    : "the pictures are not the slices of one stack, in order";
  if (!good)
    return PACO_REFERENCE_ASKED;
  n = (size_t) slices[0]->components[0].width * slices[0]->components[0].height;
  for (size_t k = 0; k < n; k++) {
    int values[MAX_STACK];

    for (unsigned p = 0; p < slice->length; p++)
      values[p] = slices[p] ? slices[p]->components[0].samples[k] - 32768 : 0;
    paco_reference_filter_stack (slice, true, values);
    for (unsigned p = 0; p < slice->length; p++)
      if (slices[p])
        slices[p]->components[0].samples[k] =
            (uint16_t) paco_reference_stack_sample (slice, values[p]);
  }
  for (unsigned p = 0; p < slice->length; p++)
    if (slices[p])
      slices[p]->header.components[0].depth = slice->depth;
  return PACO_REFERENCE_DONE;
}
