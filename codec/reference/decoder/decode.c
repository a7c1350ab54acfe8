/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Decodes a frame, and undoes the wavelet of a stack (FORMAT.md sections 1, 10 and 12):
 * the functions that users of the reference decoder call. */
#include "private.h"
#include <stdlib.h>
#include <string.h>

/* --- memory --- */

static void
clear_frame (PacoReferenceFrame *frame)
{
  for (unsigned f = 0; f < 2; f++)
    for (unsigned c = 0; c < PACO_REFERENCE_MAX_COMPONENTS; c++)
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
paco_reference_picture_clear (PacoReferencePicture *picture)
{
  for (unsigned c = 0; c < PACO_REFERENCE_MAX_COMPONENTS; c++)
    free (picture->components[c].samples);
  memset (picture->components, 0, sizeof picture->components);
}

/* Finds the sizes of the picture's components; returns how many samples they have. */
static uint64_t
set_sizes (const PacoReferenceFrame *frame, PacoReferencePicture *picture)
{
  uint64_t samples = 0;

  for (unsigned c = 0; c < frame->header.n_components; c++) {
    PacoReferenceImage *image = &picture->components[c];

    image->height = 0;
    for (unsigned f = 0; f < frame->n_fields; f++) {
      uint32_t height;

      paco_reference_size (
          &frame->header, c, f, frame->reduce, &image->width, &height);
      image->height += height;
    }
    samples += (uint64_t) image->width * image->height;
  }
  return samples;
}

/* Returns room for a number of samples, of zeros; one byte more does no harm where there
 * are none. */
static void *
samples_new (uint64_t n, size_t size)
{
  return n > SIZE_MAX / size - 1 ? NULL : calloc ((size_t) n + 1, size);
}

static bool
allocate (PacoReferenceFrame *frame, PacoReferencePicture *picture)
{
  for (unsigned c = 0; c < frame->header.n_components; c++) {
    PacoReferenceImage *image = &picture->components[c];

    image->samples = (uint16_t *) samples_new (
        (uint64_t) image->width * image->height, sizeof *image->samples);
    if (!image->samples)
      return false;
    for (unsigned f = 0; f < frame->n_fields; f++) {
      PacoReferencePlane *plane = &frame->planes[f][c];

      paco_reference_size (
          &frame->header, c, f, frame->reduce, &plane->width, &plane->height);
      plane->samples = (PacoReferenceSample *) samples_new (
          (uint64_t) plane->width * plane->height, sizeof *plane->samples);
      if (!plane->samples)
        return false;
    }
  }
  return paco_reference_blocks_init (frame);
}

/* --- blocks --- */

static void
place_block (PacoReferenceFrame *frame, uint32_t i)
{
  const PacoReferenceCodeblock *block = &frame->blocks[i];
  const PacoReferenceSubband *subband = &frame->subbands[block->subband];
  PacoReferencePlane *plane =
      &frame->planes[subband->field][subband->component];

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
do_block (
    PacoReferenceFrame *frame, PacoReferenceConcealer *concealer, uint32_t i)
{
  bool sound = paco_reference_decode_block_of (frame, i);
  bool replaced = !sound && concealer
      && paco_reference_conceal (concealer, frame, i);

  frame->broken_blocks += !sound;
  frame->concealed_blocks += replaced;
  if (sound || replaced) {
    paco_reference_dequantize_block (frame, i, replaced, frame->samples);
    place_block (frame, i);
  }
  return !concealer
      || paco_reference_conceal_keep (
          concealer, frame, i, sound || replaced ? frame->samples : NULL);
}

/* --- samples --- */

/* Undoes wavelets and colors of a field. False if there is no memory. */
static bool
undo_transforms (PacoReferenceFrame *frame, unsigned field)
{
  const PacoReferenceHeader *header = &frame->header;
  PacoReferencePlane *planes = frame->planes[field];

  for (unsigned c = 0; c < header->n_components; c++) {
    unsigned wavelet = header->components[c].wavelet;
    uint32_t longest = planes[c].width > planes[c].height ? planes[c].width
                                                          : planes[c].height;
    PacoReferenceSample *x = (PacoReferenceSample *) samples_new (
        longest, sizeof *x);

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
store_samples (const PacoReferenceFrame *frame, unsigned field, unsigned c,
    const uint16_t *sample_of_number, uint32_t n, int32_t shift,
    PacoReferenceImage *image)
{
  const PacoReferencePlane *plane = &frame->planes[field][c];
  const PacoReferenceSample *sample = plane->samples;

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
make_images (PacoReferenceFrame *frame, PacoReferencePicture *picture)
{
  uint16_t *map = (uint16_t *) malloc (PACO_REFERENCE_N_CODES * sizeof *map);
  bool done = map != NULL;

  for (unsigned f = 0; done && f < frame->n_fields; f++)
    done = undo_transforms (frame, f);
  for (unsigned c = 0; done && c < frame->header.n_components; c++) {
    int32_t shift;
    uint32_t n = paco_reference_map_numbers (frame, c, map, &shift);

    for (unsigned f = 0; f < frame->n_fields; f++)
      store_samples (frame, f, c, map, n, shift, &picture->components[c]);
  }
  free (map);
  return done;
}

/* --- frames --- */

static PacoReferenceStatus
no_memory (const char **message)
{
  return paco_reference_fail (PACO_REFERENCE_MEMORY,
      "not enough memory for the samples of the picture", message);
}

/* Decodes a frame whose header was read. */
static PacoReferenceStatus
decode (PacoReferenceFrame *frame, const PacoReferenceOptions *options,
    PacoReferencePicture *picture, const char **message)
{
  PacoReferenceStatus status = paco_reference_read_index (frame, message);
  PacoReferenceConcealer *concealer = options->concealer;

  if (status != PACO_REFERENCE_DONE)
    return status;
  if (frame->header.set)
    paco_reference_read_set (
        frame->header.set, frame->header.set_size, &frame->carried);
  if (!allocate (frame, picture))
    return no_memory (message);
  if (concealer)
    paco_reference_conceal_begin (concealer, frame);
  picture->n_blocks = frame->n_blocks_at[frame->reduce];
  for (uint32_t i = 0; i < picture->n_blocks; i++)
    if (!do_block (frame, concealer, i))
      return no_memory (message);
  if (!make_images (frame, picture))
    return no_memory (message);
  if (concealer)
    paco_reference_conceal_end (concealer, frame);
  picture->header = frame->header;
  picture->broken_blocks = frame->broken_blocks;
  picture->concealed_blocks = frame->concealed_blocks;
  return PACO_REFERENCE_DONE;
}

static PacoReferenceStatus
begin_and_decode (const uint8_t *data, size_t size, PacoReferenceFrame *frame,
    const PacoReferenceOptions *options, PacoReferencePicture *picture,
    const char **message)
{
  PacoReferenceHeader *header = &frame->header;
  PacoReferenceStatus status = paco_reference_read_header (
      data, size, header, message);

  if (status != PACO_REFERENCE_DONE)
    return status;
  if (size < header->frame_size)
    return paco_reference_fail (
        PACO_REFERENCE_INVALID, "the frame is cut off", message);
  if (options->reduce > header->levels)
    return paco_reference_fail (PACO_REFERENCE_ASKED,
        "the frame has not so many levels to leave out", message);
  frame->reduce = options->reduce;
  frame->n_fields = header->fields ? 2 : 1;
  if (set_sizes (frame, picture) > options->max_samples
      && options->max_samples > 0)
    return paco_reference_fail (PACO_REFERENCE_LARGE,
        "the picture has more samples than are allowed", message);
  frame->index = data + header->header_size;
  frame->payload = frame->index + header->index_size;
  return decode (frame, options, picture, message);
}

PacoReferenceStatus
paco_reference_decode_frame (const uint8_t *data, size_t size,
    const PacoReferenceOptions *options, PacoReferencePicture *picture,
    const char **message)
{
  PacoReferenceFrame *frame = (PacoReferenceFrame *) calloc (1, sizeof *frame);
  PacoReferenceOptions usual;
  PacoReferenceStatus status;

  memset (&usual, 0, sizeof usual);
  memset (picture, 0, sizeof *picture);
  if (!frame)
    return no_memory (message);
  status = begin_and_decode (
      data, size, frame, options ? options : &usual, picture, message);
  clear_frame (frame);
  if (status != PACO_REFERENCE_DONE)
    paco_reference_picture_clear (picture);
  return status;
}

/* --- stacks --- */

/* Says whether both are slices of one stack and of one size. */
static bool
is_same_stack (const PacoReferencePicture *a, const PacoReferencePicture *b)
{
  const PacoReferenceSlice *p = &a->header.slice, *q = &b->header.slice;

  return p->number == q->number && p->length == q->length
      && p->wavelet == q->wavelet && p->levels == q->levels
      && p->depth == q->depth && p->bits == q->bits
      && a->components[0].width == b->components[0].width
      && a->components[0].height == b->components[0].height;
}

PacoReferenceStatus
paco_reference_undo_stack (
    PacoReferencePicture *const slices[PACO_REFERENCE_MAX_STACK],
    const char **message)
{
  const PacoReferencePicture *first = slices[0];
  PacoReferenceSlice slice;
  size_t n;

  if (!first || first->header.slice.length == 0)
    return paco_reference_fail (PACO_REFERENCE_ASKED,
        "the first picture is no slice of a stack", message);
  slice = first->header.slice;
  for (unsigned p = 0; p < slice.length; p++)
    if (slices[p]
        && (!is_same_stack (first, slices[p])
            || slices[p]->header.slice.position != p))
      return paco_reference_fail (PACO_REFERENCE_ASKED,
          "the pictures are not slices of one stack, in order", message);
  n = (size_t) first->components[0].width * first->components[0].height;
  for (size_t k = 0; k < n; k++) {
    int values[PACO_REFERENCE_MAX_STACK];

    for (unsigned p = 0; p < slice.length; p++)
      values[p] = slices[p] ? slices[p]->components[0].samples[k] - 32768 : 0;
    paco_reference_filter_stack (&slice, true, values);
    for (unsigned p = 0; p < slice.length; p++)
      if (slices[p])
        slices[p]->components[0].samples[k] =
            (uint16_t) paco_reference_stack_sample (&slice, values[p]);
  }
  for (unsigned p = 0; p < slice.length; p++)
    if (slices[p])
      slices[p]->header.components[0].depth = slice.depth;
  return PACO_REFERENCE_DONE;
}
