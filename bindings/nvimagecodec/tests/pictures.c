/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Random pictures, and what images of the host are made of them. */
#include "pictures.h"
#include <stdlib.h>
#include <string.h>

static uint64_t state;

void
pictures_seed (uint64_t seed)
{
  state = seed * 0x9e3779b97f4a7c15ull + 1;
}

uint32_t
pictures_random_below (uint32_t n)
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (uint32_t) ((state * 0x2545f4914f6cdd1dull) >> 33) % n;
}

static void
pictures_size (Picture *picture)
{
  for (unsigned c = 0; c < picture->info.n_components; c++) {
    paco_component_size (
        &picture->info, c, 0, &picture->width[c], &picture->height[c], NULL);
    picture->samples[c] = calloc (
        (size_t) picture->width[c] * picture->height[c], sizeof (uint16_t));
  }
}

void
pictures_free (Picture *picture)
{
  for (unsigned c = 0; c < 4; c++)
    free (picture->samples[c]);
  *picture = (Picture){ 0 };
}

PacoStatus
pictures_decode (const void *data, size_t size, Picture *picture)
{
  PacoFrameDecoder *decoder = paco_frame_decoder_new ();
  PacoImage image = { 0 };
  PacoResult result = { 0 };
  PacoStatus status;

  *picture = (Picture){ .info = PACO_INFO_INIT };
  status = paco_probe (data, size, &picture->info, NULL, NULL);
  if (status == PACO_STATUS_OK && picture->info.stack_length > 0)
    status = PACO_STATUS_UNSUPPORTED;
  if (status == PACO_STATUS_OK) {
    pictures_size (picture);
    for (unsigned c = 0; c < picture->info.n_components; c++) {
      image.data[c] = picture->samples[c];
      image.stride[c] = (ptrdiff_t) picture->width[c] * 2;
      image.size[c] = (size_t) picture->width[c] * picture->height[c] * 2;
      image.layout[c] =
          (PacoLayout){ .group_bytes = 2, .group_samples = 1, .word_bytes = 2 };
    }
    paco_frame_decoder_set (decoder, "backend", "cpu", NULL);
    status = paco_frame_decoder_decode (
        decoder, data, size, &image, &result, NULL);
  }
  if (status == PACO_STATUS_OK && result.corrupted_blocks > 0)
    status = PACO_STATUS_CORRUPT;
  paco_frame_decoder_free (decoder);
  return status;
}

static nvimgcodecSampleDataType_t
type_of (const PacoInfo *info, unsigned c)
{
  static const nvimgcodecSampleDataType_t types[3][2] = {
    { NVIMGCODEC_SAMPLE_DATA_TYPE_UINT8, NVIMGCODEC_SAMPLE_DATA_TYPE_UINT16 },
    { NVIMGCODEC_SAMPLE_DATA_TYPE_INT8, NVIMGCODEC_SAMPLE_DATA_TYPE_INT16 },
    { NVIMGCODEC_SAMPLE_DATA_TYPE_FLOAT16, NVIMGCODEC_SAMPLE_DATA_TYPE_FLOAT16 }
  };

  return types[info->sample_kind[c]][info->depth[c] > 8];
}

static nvimgcodecChromaSubsampling_t
sampling_of (const PacoInfo *info)
{
  switch (info->subsampling_x[1] * 4 + info->subsampling_y[1]) {
    case 0:
      return NVIMGCODEC_SAMPLING_444;
    case 1:
      return NVIMGCODEC_SAMPLING_440;
    case 4:
      return NVIMGCODEC_SAMPLING_422;
    case 5:
      return NVIMGCODEC_SAMPLING_420;
    case 8:
      return NVIMGCODEC_SAMPLING_411;
    case 9:
      return NVIMGCODEC_SAMPLING_410;
    default:
      return NVIMGCODEC_SAMPLING_UNSUPPORTED;
  }
}

static nvimgcodecSampleFormat_t
format_of (const PacoInfo *info, Shape shape)
{
  static const nvimgcodecSampleFormat_t formats[] = { 0,
    NVIMGCODEC_SAMPLEFORMAT_P_Y, NVIMGCODEC_SAMPLEFORMAT_P_YA,
    NVIMGCODEC_SAMPLEFORMAT_P_RGB, NVIMGCODEC_SAMPLEFORMAT_P_RGBA };
  unsigned planar = NVIMGCODEC_SAMPLEFORMAT_P_UNCHANGED;

  if (!shape.unchanged) {
    planar = formats[info->n_components];
    if (info->n_components == 3 && info->matrix != 1)
      planar = NVIMGCODEC_SAMPLEFORMAT_P_YUV;
    else if (info->n_components == 3 && shape.swapped)
      planar = NVIMGCODEC_SAMPLEFORMAT_P_BGR;
  }
  return (nvimgcodecSampleFormat_t) (planar + shape.interleaved);
}

void
pictures_shape (const Side *side, const PacoInfo *info, Shape shape,
    uint32_t width, uint32_t height, Image *image)
{
  nvimgcodecImageInfo_t *told = &image->info;

  *image = (Image){ 0 };
  told->struct_type = NVIMGCODEC_STRUCTURE_TYPE_IMAGE_INFO;
  told->struct_size = sizeof *told;
  told->sample_format = format_of (info, shape);
  told->color_spec = info->n_components < 3 ? NVIMGCODEC_COLORSPEC_GRAY
      : info->matrix == 1                   ? NVIMGCODEC_COLORSPEC_SRGB
                                            : NVIMGCODEC_COLORSPEC_SYCC;
  told->chroma_subsampling = info->n_components < 3 ? NVIMGCODEC_SAMPLING_GRAY
                                                    : sampling_of (info);
  told->num_planes = shape.interleaved ? 1 : info->n_components;
  for (unsigned p = 0; p < told->num_planes; p++) {
    nvimgcodecImagePlaneInfo_t *plane = &told->plane_info[p];
    unsigned x = info->subsampling_x[p], y = info->subsampling_y[p];

    plane->struct_type = NVIMGCODEC_STRUCTURE_TYPE_IMAGE_PLANE_INFO;
    plane->struct_size = sizeof *plane;
    plane->width = (width + (1u << x) - 1) >> x;
    plane->height = (height + (1u << y) - 1) >> y;
    plane->num_channels = shape.interleaved ? info->n_components : 1;
    plane->sample_type = type_of (info, p);
    plane->precision = (uint8_t) info->depth[p];
    plane->row_stride = (size_t) plane->width * plane->num_channels
            * ((unsigned) plane->sample_type >> 11)
        + shape.padding;
  }
  host_allocate (side, image);
}

/* The plane of component c, and its place in a group of samples. */
static const nvimgcodecImagePlaneInfo_t *
plane_of (const Image *image, Shape shape, unsigned c, unsigned *channel)
{
  const nvimgcodecImagePlaneInfo_t *planes = image->info.plane_info;
  unsigned n = shape.interleaved ? planes->num_channels
                                 : image->info.num_planes;
  unsigned i = shape.swapped ? n - 1 - c : c;

  *channel = shape.interleaved ? i : 0;
  return shape.interleaved ? planes : &planes[i];
}

static uint8_t *
line_of (
    const Image *image, const nvimgcodecImagePlaneInfo_t *plane, uint32_t y)
{
  uint8_t *bytes = image->bytes;

  for (const nvimgcodecImagePlaneInfo_t *before = image->info.plane_info;
       before < plane; before++)
    bytes += before->row_stride * before->height;
  return bytes + y * plane->row_stride;
}

uint8_t *
pictures_at (
    const Image *image, Shape shape, unsigned c, uint32_t x, uint32_t y)
{
  unsigned channel;
  const nvimgcodecImagePlaneInfo_t *plane = plane_of (
      image, shape, c, &channel);

  return line_of (image, plane, y)
      + ((size_t) x * plane->num_channels + channel)
      * ((unsigned) plane->sample_type >> 11);
}

bool
pictures_walk (const Picture *picture, Image *image, Shape shape, bool stores,
    uint32_t x0, uint32_t y0)
{
  const PacoInfo *info = &picture->info;

  for (unsigned c = 0; c < info->n_components; c++) {
    unsigned channel;
    const nvimgcodecImagePlaneInfo_t *plane = plane_of (
        image, shape, c, &channel);
    uint32_t left = x0 >> info->subsampling_x[c];
    uint32_t top = y0 >> info->subsampling_y[c];

    for (uint32_t y = 0; y < plane->height; y++) {
      for (uint32_t x = 0; x < plane->width; x++) {
        uint16_t *sample =
            &picture->samples[c][(size_t) (top + y) * picture->width[c] + left
                + x];
        uint8_t *byte = pictures_at (image, shape, c, x, y);

        if (stores)
          memcpy (byte, sample, (unsigned) plane->sample_type >> 11);
        else if (memcmp (byte, sample, (unsigned) plane->sample_type >> 11))
          return false;
      }
      for (unsigned i = 0; i < shape.padding && !stores; i++)
        if (line_of (image, plane, y)[plane->row_stride - 1 - i] != PADDING)
          return false;
    }
  }
  return true;
}

static bool
is_subsampled (const PacoInfo *info)
{
  return info->subsampling_x[1] || info->subsampling_y[1];
}

Shape
pictures_random_shape (const PacoInfo *info)
{
  Shape shape = { .unchanged = pictures_random_below (4) == 0,
    .padding = pictures_random_below (2) ? 0 : pictures_random_below (40) };
  bool alike = !is_subsampled (info);

  for (unsigned c = 1; c < info->n_components; c++)
    alike = alike && info->depth[c] == info->depth[0];
  if (info->n_components == 4 && info->matrix != 1)
    shape.unchanged = true;
  shape.interleaved = alike && pictures_random_below (2);
  shape.swapped = !shape.unchanged && info->n_components == 3
      && info->matrix == 1 && pictures_random_below (3) == 0;
  /* Strides are whole samples. */
  if (info->depth[0] > 8)
    shape.padding &= ~1u;
  return shape;
}

void
pictures_random (Picture *picture, uint32_t most)
{
  PacoInfo *info = &picture->info;
  unsigned kind = pictures_random_below (6) ? PACO_SAMPLES_UNSIGNED
                                            : 1 + pictures_random_below (2);
  unsigned depth = kind == PACO_SAMPLES_FLOAT ? 16
      : kind == PACO_SAMPLES_SIGNED ? 8 + 8 * pictures_random_below (2)
                                    : 1 + pictures_random_below (16);

  *picture = (Picture){ .info = PACO_INFO_INIT };
  info->width = 1 + pictures_random_below (most);
  info->height = 1 + pictures_random_below (most);
  info->n_components = 1 + pictures_random_below (4);
  info->range = 1;
  if (info->n_components >= 3 && pictures_random_below (2))
    info->matrix = 1;
  for (unsigned c = 0; c < info->n_components; c++) {
    info->depth[c] = depth;
    info->sample_kind[c] = kind;
  }
  if (info->n_components >= 3 && info->matrix != 1) {
    info->range = 0;
    info->subsampling_x[1] = info->subsampling_x[2] = pictures_random_below (3);
    info->subsampling_y[1] = info->subsampling_y[2] = pictures_random_below (2);
  }
  pictures_size (picture);
  for (unsigned c = 0; c < info->n_components; c++) {
    unsigned step = 1 + pictures_random_below (9),
             noise = 1 + pictures_random_below (1u << depth);
    uint32_t mask = kind == PACO_SAMPLES_FLOAT ? 0xbbff : (1u << depth) - 1;

    for (uint32_t y = 0; y < picture->height[c]; y++)
      for (uint32_t x = 0; x < picture->width[c]; x++)
        picture->samples[c][(size_t) y * picture->width[c] + x] =
            (uint16_t) (((x + y) * step + pictures_random_below (noise))
                & mask);
  }
}
