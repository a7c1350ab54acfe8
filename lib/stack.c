/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tells applications (paco.h) which frames are slices of one stack, and makes pictures
 * of the slices that they have decoded; codec/stack.c undoes the wavelet. */
#include "lib/private.h"
#include "lib/stream/stacks.h"
#include <string.h>

#define PIECE 1024 /* samples that are made at a time */

static PacoStatus
check_slices (const PacoHeader *header, uint16_t *const *slices, uint32_t width,
    uint32_t height, const PacoImage *const *images, PacoError *error)
{
  if (header->video.slice.length == 0)
    return paco_error_set (error, PACO_STATUS_UNSUPPORTED,
        "the frame is of no stack: it is a picture by itself");
  if (!slices || !images)
    return paco_error_null (slices ? "images" : "slices", error);
  if (width == 0 || height == 0 || width > header->picture.width
      || height > header->picture.height)
    return paco_error_set (error, PACO_STATUS_INVALID,
        "slices of %u x %u samples are none of a stack of %u x %u", width,
        height, header->picture.width, header->picture.height);
  if (!slices[0] && header->video.slice.levels > 0)
    return paco_error_set (error, PACO_STATUS_INVALID,
        "slice 0 is NULL: without it the pictures of a stack show nothing");
  return PACO_STATUS_OK;
}

/* Reads what the application wants written of picture i; picture->data[0] is NULL if
 * nothing is. */
static PacoStatus
read_image (const PacoImage *image, const PacoPictureFormat *format,
    PacoPicture *picture, PacoError *error)
{
  *picture = (PacoPicture){ .memory = PACO_MEMORY_HOST };
  if (!image)
    return PACO_STATUS_OK;
  if (image->where != PACO_IN_HOST_MEMORY)
    return paco_error_set (error, PACO_STATUS_UNSUPPORTED,
        "pictures of a stack are made in the host's memory only");
  return paco_image_read (image, format, 0, (PacoCrop){ 0 }, picture, error);
}

/* Puts n samples, from column x on, into a line that is blank. */
static void
store_piece (const PacoSlice *slice, const uint16_t *coded,
    const PacoSampleLayout *layout, uint8_t *line, uint32_t x, uint32_t n)
{
  uint8_t narrow[PIECE];
  uint16_t wide[PIECE];
  bool is_narrow = slice->depth == 8;

  paco_slice_store (slice, coded, is_narrow ? (void *) narrow : wide, n);
  for (uint32_t i = 0; i < n; i++)
    paco_layout_put (
        layout, line, x + i, is_narrow ? narrow[i] : GUINT16_FROM_LE (wide[i]));
}

static void
store (const PacoSlice *slice, const uint16_t *coded,
    const PacoPictureFormat *format, const PacoPicture *picture)
{
  PacoRegion region[PACO_MAX_COMPONENTS];

  paco_picture_regions (format, picture, 0, region);
  for (uint32_t y = 0; y < format->height; y++) {
    uint8_t *line = picture->data[0] + (ptrdiff_t) y * picture->stride[0];

    paco_region_blank_line (&region[0], y);
    for (uint32_t x = 0; x < format->width; x += PIECE)
      store_piece (slice, coded + (size_t) y * format->width + x,
          &picture->layout[0], line, x, MIN (PIECE, format->width - x));
  }
}

/* Sets all[i] to slice i or, if it is missing, to memory of zero coefficients. *memory,
 * which is freed with g_free(), has those. */
static PacoStatus
fill_in (unsigned length, size_t n_samples, uint16_t *const *slices,
    uint16_t *all[PACO_MAX_STACK], uint16_t **memory, PacoError *error)
{
  size_t n = 0;

  for (unsigned i = 0; i < length; i++)
    n += slices[i] ? 0 : n_samples;
  *memory = n > 0 ? g_try_malloc_n (n, sizeof **memory) : NULL;
  if (n > 0 && !*memory)
    return paco_error_set (error, PACO_STATUS_MEMORY,
        "there is no memory for the slices of a stack");
  for (size_t k = 0; k < n; k++)
    (*memory)[k] = PACO_NO_SLICE;
  n = 0;
  for (unsigned i = 0; i < length; i++) {
    all[i] = slices[i] ? slices[i] : *memory + n;
    n += slices[i] ? 0 : n_samples;
  }
  return PACO_STATUS_OK;
}

PacoStatus
paco_stack_pictures (const void *data, size_t size, uint16_t *const *slices,
    uint32_t width, uint32_t height, const PacoImage *const *images,
    PacoError *error)
{
  uint16_t *all[PACO_MAX_STACK], *memory;
  PacoPicture pictures[PACO_MAX_STACK];
  PacoPictureFormat format = {
    .width = width, .height = height, .n_components = 1
  };
  PacoHeader header;
  const PacoSlice *slice = &header.video.slice;
  PacoStatus status = paco_info_header (data, size, &header, NULL, error);

  if (status == PACO_STATUS_OK)
    status = check_slices (&header, slices, width, height, images, error);
  if (status != PACO_STATUS_OK)
    return status;
  format.components[0].depth = slice->depth;
  for (unsigned i = 0; i < slice->length; i++) {
    status = read_image (images[i], &format, &pictures[i], error);
    if (status != PACO_STATUS_OK)
      return status;
  }
  status = fill_in (
      slice->length, (size_t) width * height, slices, all, &memory, error);
  if (status != PACO_STATUS_OK)
    return status;
  paco_stack_inverse (slice, all, (size_t) width * height);
  for (unsigned i = 0; i < slice->length; i++)
    if (pictures[i].data[0])
      store (slice, all[i], &format, &pictures[i]);
  g_free (memory);
  return paco_error_ok (error);
}

/* --- which frames are slices of one stack --- */

G_STATIC_ASSERT (sizeof (PacoStackState) >= sizeof (PacoStacks));

PacoStatus
paco_stack_next (PacoStackState *state, const PacoFrame *frame, uint32_t *what,
    PacoError *error)
{
  PacoStacks stacks;
  PacoHeader header;
  PacoStatus status;

  if (!state || !frame || !what)
    return paco_error_null (!state ? "state" : frame ? "what" : "frame", error);
  status = paco_info_header (frame->data, frame->size, &header, NULL, error);
  if (status != PACO_STATUS_OK)
    return status;
  memcpy (&stacks, state, sizeof stacks);
  paco_stacks_frame (
      &stacks, &header, frame->skipped > 0 || frame->missing > 0);
  memcpy (state, &stacks, sizeof stacks);
  if (header.video.slice.length == 0)
    *what = PACO_STACK_NONE;
  else if (!stacks.has_first)
    *what = PACO_STACK_STRAY;
  else
    *what = stacks.goes_on ? PACO_STACK_NEXT : PACO_STACK_FIRST;
  return paco_error_ok (error);
}
