/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Random pictures, layouts and parameters. */
#include "random-picture.h"
#include "codec/header.h"
#include <math.h>
#include <string.h>

/* 1..max, small ones as likely as large ones. */
static uint32_t
random_size (GRand *rand, double max)
{
  return (uint32_t) exp2 (g_rand_double_range (rand, 0.0, log2 (max + 0.99)));
}

void
test_format_random (GRand *rand, PacoPictureFormat *format, uint32_t samples)
{
  bool alike = g_rand_boolean (rand);
  uint8_t depth = g_rand_int_range (rand, 1, 17);

  *format = (PacoPictureFormat){
    .n_components = g_rand_int_range (rand, 1, 5),
    .fields = g_rand_int_range (rand, 0, 4) == 0,
  };
  format->width = random_size (rand, MIN (samples, 400));
  format->height = random_size (rand, CLAMP (samples / format->width, 1, 400));
  if (g_rand_boolean (rand))
    depth = 8 + 2 * g_rand_int_range (rand, 0, 5);
  for (unsigned c = 0; c < format->n_components; c++) {
    format->components[c].depth = depth;
    if (!alike)
      format->components[c].depth = g_rand_int_range (rand, 1, 17);
    if (c > 0 && !alike) {
      format->components[c].subsampling_x = g_rand_int_range (rand, 0, 3);
      format->components[c].subsampling_y = g_rand_int_range (rand, 0, 3);
    }
  }
}

/* --- layouts --- */

static unsigned
total_depth (const PacoPictureFormat *format)
{
  unsigned total = 0;

  for (unsigned c = 0; c < format->n_components; c++)
    total += format->components[c].depth;
  return total;
}

/* All components in one word, one above the other. */
static void
share_words (GRand *rand, TestPicture *picture)
{
  const PacoPictureFormat *format = &picture->format;
  unsigned bytes = total_depth (format) > 16 ? 4 : 2, shift = 0;
  PacoSampleLayout layout = {
    .bytes = bytes,
    .pixel_stride = bytes + (g_rand_boolean (rand) ? bytes : 0),
    .big_endian = g_rand_boolean (rand),
    .shared = true,
  };

  for (unsigned c = 0; c < format->n_components; c++) {
    layout.shift = shift;
    shift += format->components[c].depth;
    picture->picture.layout[c] = layout;
  }
}

static PacoSampleLayout
random_layout (GRand *rand, unsigned depth)
{
  static const uint8_t bytes[] = { 1, 2, 2, 2, 4 };
  PacoSampleLayout layout = { 0 };

  do
    layout.bytes = bytes[g_rand_int_range (rand, 0, G_N_ELEMENTS (bytes))];
  while (layout.bytes * 8 < (int) depth);
  if (g_rand_boolean (rand))
    layout.shift = layout.bytes * 8 - depth;
  if (g_rand_int_range (rand, 0, 4) == 0)
    layout.shift = g_rand_int_range (rand, 0, layout.bytes * 8 - depth + 1);
  layout.big_endian = g_rand_int_range (rand, 0, 4) == 0;
  layout.pixel_stride = layout.bytes * g_rand_int_range (rand, 1, 5);
  if (g_rand_int_range (rand, 0, 8) == 0)
    layout.pixel_stride = layout.bytes + g_rand_int_range (rand, 0, 13);
  return layout;
}

static void
place_component (GRand *rand, TestPicture *picture, unsigned c, unsigned reduce)
{
  const PacoSampleLayout *layout = &picture->picture.layout[c];
  uint32_t width = paco_ceil_shift (
      paco_component_width (&picture->format, c), reduce);
  uint32_t height = paco_component_height (&picture->format, c);
  size_t stride, used = (size_t) layout->pixel_stride * width;
  ptrdiff_t first = 0;

  height = picture->format.fields
      ? 2 * paco_ceil_shift ((height + 1) / 2, reduce)
      : paco_ceil_shift (height, reduce);
  stride = used + g_rand_int_range (rand, 0, 24);
  picture->sizes[c] = stride * height;
  picture->buffers[c] = g_malloc (picture->sizes[c]);
  for (size_t i = 0; i < picture->sizes[c]; i += sizeof (guint32)) {
    guint32 noise = g_rand_int (rand);

    memcpy (picture->buffers[c] + i, &noise,
        MIN (sizeof noise, picture->sizes[c] - i));
  }
  if (g_rand_int_range (rand, 0, 4) == 0) {
    first = stride * (height - 1);
    stride = -stride;
  }
  picture->picture.data[c] = picture->buffers[c] + first;
  picture->picture.stride[c] = (ptrdiff_t) stride;
}

void
test_picture_init (GRand *rand, TestPicture *picture,
    const PacoPictureFormat *format, unsigned reduce)
{
  bool share = g_rand_boolean (rand) && total_depth (format) <= 32;

  memset (picture, 0, sizeof *picture);
  picture->format = *format;
  /* Words are shared by components of one size, or of one height. */
  for (unsigned c = 1; c < format->n_components; c++)
    share = share && format->components[c].subsampling_y == 0
        && format->components[c].subsampling_x <= 1;
  if (share)
    share_words (rand, picture);
  for (unsigned c = 0; c < format->n_components; c++) {
    if (!share)
      picture->picture.layout[c] = random_layout (
          rand, format->components[c].depth);
    if (!share || c == 0) {
      place_component (rand, picture, c, reduce);
    } else {
      picture->picture.data[c] = picture->picture.data[0];
      picture->picture.stride[c] = picture->picture.stride[0];
    }
  }
}

void
test_picture_copy (TestPicture *copy, const TestPicture *picture)
{
  *copy = *picture;
  for (unsigned c = 0; c < picture->format.n_components; c++) {
    unsigned owner = picture->buffers[c] ? c : 0;

    if (picture->buffers[c])
      copy->buffers[c] = g_memdup2 (picture->buffers[c], picture->sizes[c]);
    copy->picture.data[c] = copy->buffers[owner]
        + (picture->picture.data[c] - picture->buffers[owner]);
  }
}

void
test_picture_clear (TestPicture *picture)
{
  for (unsigned c = 0; c < PACO_MAX_COMPONENTS; c++)
    g_clear_pointer (&picture->buffers[c], g_free);
}

void
test_picture_compare (const TestPicture *a, const TestPicture *b)
{
  for (unsigned c = 0; c < a->format.n_components; c++)
    if (a->buffers[c])
      g_assert_cmpmem (a->buffers[c], a->sizes[c], b->buffers[c], b->sizes[c]);
}

/* --- contents --- */

static uint8_t *
sample_address (const TestPicture *picture, unsigned c, uint32_t x, uint32_t y)
{
  return picture->picture.data[c] + (ptrdiff_t) y * picture->picture.stride[c]
      + (ptrdiff_t) x * picture->picture.layout[c].pixel_stride;
}

static uint32_t
get_sample (const TestPicture *picture, unsigned c, uint32_t x, uint32_t y)
{
  const PacoSampleLayout *layout = &picture->picture.layout[c];
  const uint8_t *data = sample_address (picture, c, x, y);
  uint32_t word = 0;

  for (unsigned i = 0; i < layout->bytes; i++)
    word |= (uint32_t) data[layout->big_endian ? layout->bytes - 1 - i : i]
        << (8 * i);
  return word >> layout->shift
      & ((1u << picture->format.components[c].depth) - 1);
}

void
test_picture_compare_component (
    const TestPicture *a, const TestPicture *b, unsigned component)
{
  for (uint32_t y = 0; y < paco_component_height (&a->format, component); y++)
    for (uint32_t x = 0; x < paco_component_width (&a->format, component); x++)
      g_assert_cmpuint (
          get_sample (a, component, x, y), ==, get_sample (b, component, x, y));
}

static void
put_sample (
    TestPicture *picture, unsigned c, uint32_t x, uint32_t y, uint32_t value)
{
  const PacoSampleLayout *layout = &picture->picture.layout[c];
  uint8_t *data = sample_address (picture, c, x, y);
  uint32_t mask = ((1u << picture->format.components[c].depth) - 1)
      << layout->shift;

  for (unsigned i = 0; i < layout->bytes; i++) {
    uint8_t *byte = data + (layout->big_endian ? layout->bytes - 1 - i : i);
    uint8_t m = mask >> (8 * i);

    *byte = (*byte & ~m) | ((value << layout->shift >> (8 * i)) & m);
  }
}

static uint32_t
random_sample (GRand *rand, unsigned kind, uint32_t max, double phase,
    uint32_t x, uint32_t y)
{
  double wave = 0.5 + 0.4 * sin (x * 0.05 + phase) * cos (y * 0.07 - phase);

  switch (kind) {
    case 0: /* noise */
      return g_rand_int (rand) & max;
    case 1: /* smooth */
      return (uint32_t) (wave * max);
    case 2: /* smooth with noise */
      return CLAMP (wave * max + (g_rand_int (rand) & (max >> 4)), 0, max);
    case 3: /* flat */
      return (uint32_t) ((0.5 + 0.5 * sin (phase)) * max);
    case 4: /* extremes */
      return g_rand_boolean (rand) ? max : 0;
    default: /* sparse */
      return g_rand_int_range (rand, 0, 50) ? max / 2 : g_rand_int (rand) & max;
  }
}

void
test_picture_fill (GRand *rand, TestPicture *picture)
{
  for (unsigned c = 0; c < picture->format.n_components; c++) {
    unsigned kind = g_rand_int_range (rand, 0, 6);
    uint32_t max = (1u << picture->format.components[c].depth) - 1;
    uint32_t width = paco_component_width (&picture->format, c);
    uint32_t height = paco_component_height (&picture->format, c);
    double phase = g_rand_double_range (rand, 0.0, 6.0);

    for (uint32_t y = 0; y < height; y++)
      for (uint32_t x = 0; x < width; x++)
        put_sample (
            picture, c, x, y, random_sample (rand, kind, max, phase, x, y));
  }
}

/* --- parameters --- */

void
test_parameters_random (GRand *rand, PacoParameters *parameters)
{
  static const unsigned heights[] = { 0, 32, 64, 128, 256 };

  *parameters = (PacoParameters){
    .rate_control = g_rand_boolean (rand) ? PACO_RATE_LOSSLESS
                                          : PACO_RATE_QUALITY,
    .quality = g_rand_double_range (rand, 0.0, 100.0),
    .wavelet = PACO_WAVELET_AUTO,
    .levels = g_rand_int_range (rand, 0, 9),
    .block_height = heights[g_rand_int_range (rand, 0, G_N_ELEMENTS (heights))],
    .coding_passes = g_rand_int_range (rand, 1, 4),
    .color_transform = PACO_COLOR_TRANSFORM_AUTO,
    .complexity = g_rand_int_range (rand, 0, 4),
    .rgb = g_rand_boolean (rand),
    .block_checks = g_rand_boolean (rand),
  };
  if (g_rand_int_range (rand, 0, 3) == 0)
    parameters->wavelet = g_rand_int_range (rand, 0, PACO_N_WAVELETS);
  if (g_rand_int_range (rand, 0, 3) == 0)
    parameters->color_transform = g_rand_int_range (
        rand, 0, PACO_COLOR_TRANSFORM_ICT + 1);
}

void
test_video_random (GRand *rand, PacoVideoInfo *video)
{
  *video = (PacoVideoInfo){
    .raw_format = "TEST",
    .par_n = g_rand_int_range (rand, 1, 100),
    .par_d = g_rand_int_range (rand, 1, 100),
    .fps_n = g_rand_int_range (rand, 0, 60000),
    .fps_d = g_rand_int_range (rand, 1, 1002),
    .picture_flags = g_rand_boolean (rand) ? PACO_PICTURE_TOP_FIELD_FIRST : 0,
    .matrix = g_rand_int_range (rand, 0, 7),
    .has_content_light = g_rand_boolean (rand),
    .max_content_light = g_rand_int (rand) & 0xffff,
    .has_mastering_display = g_rand_boolean (rand),
    .has_views = g_rand_boolean (rand),
    .has_place = g_rand_boolean (rand),
  };
  if (!video->has_content_light)
    video->max_content_light = 0;
}
