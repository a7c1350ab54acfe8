/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Converts pictures in memory of the application to pictures as the codec sees them,
 * for encoder.c and decoder.c. */
#include "codec/geometry.h"
#include "lib/private.h"
#include <string.h>

G_STATIC_ASSERT (PACO_COMPONENTS == PACO_MAX_COMPONENTS);
G_STATIC_ASSERT (PACO_GROUP_SAMPLES == PACO_MAX_GROUP_SAMPLES);

static void
read_layouts (
    const PacoImage *image, PacoSampleLayout layouts[PACO_MAX_COMPONENTS])
{
  memset (layouts, 0, PACO_MAX_COMPONENTS * sizeof layouts[0]);
  for (unsigned c = 0; c < PACO_MAX_COMPONENTS; c++) {
    const PacoLayout *layout = &image->layout[c];

    layouts[c] = (PacoSampleLayout){
      .group_bytes = layout->group_bytes,
      .group_samples = layout->group_samples,
      .word_bytes = layout->word_bytes,
      .fill = layout->fill,
      .big_endian = layout->big_endian,
      .swap_words = layout->swap_words
          && layout->swap_words != PACO_LAYOUT_CSI2,
      .csi2 = layout->swap_words == PACO_LAYOUT_CSI2,
    };
    for (unsigned i = 0; i < PACO_MAX_GROUP_SAMPLES; i++)
      layouts[c].places[i] = (PacoSamplePlace){ layout->places[i].byte,
        layout->places[i].shift };
  }
}

/* Returns how many bytes there are from the first one of a region to the last
 * one. */
static size_t
region_bytes (const PacoRegion *region)
{
  return (size_t) (region->lines - 1) * (size_t) ABS (region->stride)
      + region->line_bytes;
}

static PacoStatus
check_sizes (const PacoImage *image, const PacoRegion *region, PacoError *error)
{
  size_t needed;

  if (region->lines == 0 || region->groups == 0)
    return PACO_STATUS_OK;
  needed = region_bytes (region);
  for (unsigned i = 0; i < region->n_components; i++) {
    unsigned c = region->components[i];

    if (image->size[c] < needed)
      return paco_error_set (error, PACO_STATUS_INVALID,
          "the memory of component %u has %zu bytes, and %u lines of %zu "
          "bytes, "
          "%td bytes apart, take %zu",
          c, image->size[c], region->lines, region->line_bytes, region->stride,
          needed);
  }
  return PACO_STATUS_OK;
}

PacoStatus
paco_image_read (const PacoImage *image, const PacoPictureFormat *format,
    unsigned reduce, PacoCrop crop, PacoPicture *picture, PacoError *error)
{
  PacoRegion regions[PACO_MAX_COMPONENTS];
  GError *failure = NULL;
  unsigned n;

  if (!image)
    return paco_error_null ("image", error);
  if (image->where > PACO_IN_CUDA_MEMORY || image->reserved != 0
      || image->more[0] | image->more[1] | image->more[2] | image->more[3])
    return paco_error_set (error, PACO_STATUS_INVALID,
        "an image says that it lies where nothing is known of; all of it that "
        "is not set is 0");
  *picture = (PacoPicture){ .memory = PACO_MEMORY_HOST, .crop = crop };
  if (image->where == PACO_IN_CUDA_MEMORY) {
    picture->memory = PACO_MEMORY_DEVICE;
    picture->stream = image->stream;
  }
  for (unsigned c = 0; c < format->n_components; c++) {
    if (!image->data[c])
      return paco_error_set (error, PACO_STATUS_INVALID,
          "the picture has %u components, and the image has no data for "
          "component %u",
          format->n_components, c);
    if (image->stride[c] > PTRDIFF_MAX / PACO_MAX_SIZE / 2
        || image->stride[c] < -PTRDIFF_MAX / PACO_MAX_SIZE / 2)
      return paco_error_set (error, PACO_STATUS_INVALID,
          "component %u: lines cannot be %td bytes apart", c, image->stride[c]);
    picture->data[c] = image->data[c];
    picture->stride[c] = image->stride[c];
  }
  read_layouts (image, picture->layout);
  if (!paco_picture_check (format, picture, reduce, &failure))
    return paco_error_take (error, failure);
  n = paco_picture_regions (format, picture, reduce, regions);
  for (unsigned i = 0; i < n; i++)
    if (check_sizes (image, &regions[i], error) != PACO_STATUS_OK)
      return PACO_STATUS_INVALID;
  return paco_error_ok (error);
}

/* --- what applications lay out with us --- */

static PacoStatus
check_reduce (unsigned reduce, PacoError *error)
{
  if (reduce <= PACO_MAX_LEVELS)
    return paco_error_ok (error);
  return paco_error_set (error, PACO_STATUS_INVALID,
      "reduce=%u, and there are at most %d levels", reduce, PACO_MAX_LEVELS);
}

PacoStatus
paco_component_size (const PacoInfo *info, unsigned component, unsigned reduce,
    uint32_t *width, uint32_t *height, PacoError *error)
{
  PacoPictureFormat format;
  PacoVideoInfo video;
  PacoStatus status = paco_info_read (info, &format, &video, error);

  if (status == PACO_STATUS_OK)
    status = check_reduce (reduce, error);
  if (status != PACO_STATUS_OK)
    return status;
  if (!width || !height || component >= format.n_components)
    return paco_error_set (error, PACO_STATUS_INVALID,
        "component %u of %u is asked for, or width or height is NULL",
        component, format.n_components);
  paco_geometry_reduced_component (&format, component, reduce, width, height);
  return PACO_STATUS_OK;
}

static bool
has_subsampling (const PacoPictureFormat *format)
{
  for (unsigned c = 0; c < format->n_components; c++)
    if (format->components[c].subsampling_x
        || format->components[c].subsampling_y)
      return true;
  return false;
}

static unsigned
bytes_of_words (const PacoPictureFormat *format, unsigned how)
{
  for (unsigned c = 0; c < format->n_components; c++)
    if (format->components[c].depth > 8)
      return 2;
  return how & PACO_IMAGE_TWO_BYTES ? 2 : 1;
}

/* Lays out component c, `first` bytes behind what comes before it. */
static void
lay_out (PacoImage *image, unsigned c, unsigned word, unsigned group,
    unsigned first, unsigned how)
{
  image->layout[c] = (PacoLayout){
    .group_bytes = (uint8_t) group,
    .group_samples = 1,
    .word_bytes = (uint8_t) word,
    .big_endian = (how & PACO_IMAGE_BIG_ENDIAN) != 0,
  };
  image->layout[c].places[0].byte = (uint8_t) first;
}

/* Lays a mosaic out as the samples lie on the sensor. Returns its bytes. */
static size_t
init_mosaic (PacoImage *image, const PacoPictureFormat *format, unsigned reduce,
    unsigned how, uint8_t *memory)
{
  unsigned word = bytes_of_words (format, how);
  uint32_t columns, lines;
  size_t line;

  paco_geometry_reduced_size (format, reduce, &columns, &lines);
  line = (size_t) columns * word;
  for (unsigned c = 0; c < format->n_components; c++) {
    const PacoComponent *component = &format->components[c];
    size_t first = component->place_y * line;

    lay_out (image, c, word, 2 * word, component->place_x * word, how);
    image->stride[c] = (ptrdiff_t) (2 * line);
    image->size[c] = lines * line - first;
    if (memory)
      image->data[c] = memory + first;
  }
  return lines * line;
}

static size_t
init_image (PacoImage *image, const PacoPictureFormat *format, unsigned reduce,
    unsigned how, uint8_t *memory)
{
  unsigned word = bytes_of_words (format, how), n = format->n_components;
  size_t total = 0;

  memset (image, 0, sizeof *image);
  if (format->mosaic && (how & PACO_IMAGE_INTERLEAVED))
    return init_mosaic (image, format, reduce, how, memory);
  for (unsigned c = 0; c < n; c++) {
    bool first = c == 0 || !(how & PACO_IMAGE_INTERLEAVED);
    unsigned group = how & PACO_IMAGE_INTERLEAVED ? word * n : word;
    uint32_t columns, lines;

    paco_geometry_reduced_component (format, c, reduce, &columns, &lines);
    lay_out (image, c, word, group, first ? 0 : word * c, how);
    image->stride[c] = (ptrdiff_t) columns * group;
    image->size[c] = (size_t) image->stride[c] * lines;
    if (memory)
      image->data[c] = first ? memory + total : image->data[0];
    if (first)
      total += image->size[c];
  }
  return total;
}

PacoStatus
paco_image_init (PacoImage *image, const PacoInfo *info, unsigned reduce,
    unsigned how, void *memory, size_t *bytes, PacoError *error)
{
  const unsigned all = PACO_IMAGE_INTERLEAVED | PACO_IMAGE_BIG_ENDIAN
      | PACO_IMAGE_TWO_BYTES;
  PacoPictureFormat format;
  PacoVideoInfo video;
  PacoStatus status = paco_info_read (info, &format, &video, error);
  size_t total;

  if (status == PACO_STATUS_OK)
    status = check_reduce (reduce, error);
  if (status != PACO_STATUS_OK)
    return status;
  if (!image || (how & ~all))
    return paco_error_set (error, PACO_STATUS_INVALID,
        "the argument image is NULL, or how=%u is unknown", how);
  if ((how & PACO_IMAGE_INTERLEAVED) && !format.mosaic
      && has_subsampling (&format))
    return paco_error_set (error, PACO_STATUS_UNSUPPORTED,
        "components that are subsampled are not interleaved; take "
        "PACO_IMAGE_PLANES, or lay them out yourself");
  total = init_image (image, &format, reduce, how, memory);
  if (bytes)
    *bytes = total;
  return PACO_STATUS_OK;
}

PacoStatus
paco_image_check_context (
    const PacoImage *image, const PacoSession *session, PacoError *error)
{
  if (image->where != PACO_IN_CUDA_MEMORY || session->options.context.handle)
    return PACO_STATUS_OK;
  return paco_error_set (error, PACO_STATUS_INVALID,
      "a picture lies in CUDA memory, and nobody has said in which context: "
      "paco_frame_*_use_context() comes first");
}
