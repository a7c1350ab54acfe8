/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Moves samples between memory and planes, with level shift and color transform
 * (FORMAT.md section 5), for the reference's encoder.c and decoder.c and for
 * tables/count.c. */
#include "codec/fit.h"
#include "codec/matrix.h"
#include "codec/reference/reference.h"
#include <math.h>
#include <string.h>

bool
paco_reference_plane_init (
    PacoReferencePlane *plane, uint32_t width, uint32_t height)
{
  plane->width = width;
  plane->height = height;
  plane->samples = g_try_new0 (
      PacoReferenceSample, MAX ((size_t) width * height, 1));
  return plane->samples != NULL;
}

void
paco_reference_plane_clear (PacoReferencePlane *plane)
{
  g_clear_pointer (&plane->samples, g_free);
}

/* Returns where byte i of the word of sample x is in its line. Byte 0 is the least
 * significant one. */
static size_t
byte_address (const PacoSampleLayout *layout, uint32_t x, unsigned i)
{
  size_t at = (size_t) (x / layout->group_samples) * layout->group_bytes
      + layout->places[x % layout->group_samples].byte
      + (layout->big_endian ? layout->word_bytes - 1 - i : i);

  return layout->swap_words ? at / 4 * 4 + 3 - at % 4 : at;
}

/* Returns the group of CSI-2 that has sample x, and sets which one of the group it is. */
static size_t
csi2_group (const PacoSampleLayout *layout, uint32_t x, unsigned *sample)
{
  const PacoSamplePlace *place = &layout->places[x % layout->group_samples];

  *sample = (8u * place->byte + place->shift)
      / PACO_CSI2_DEPTH (layout->group_bytes);
  return (size_t) (x / layout->group_samples) * layout->group_bytes;
}

/* The high bits of a sample have a byte; the others are in the last byte of the group. */
static void
write_csi2 (
    uint8_t *line, const PacoSampleLayout *layout, uint32_t x, uint32_t value)
{
  unsigned low = layout->group_bytes == 5 ? 2 : 4, sample;
  uint8_t *group = line + csi2_group (layout, x, &sample);
  uint8_t *last = group + layout->group_bytes - 1;
  unsigned mask = ((1u << low) - 1) << low * sample;

  group[sample] = (uint8_t) (value >> low);
  *last = (uint8_t) ((*last & ~mask) | (value << low * sample & mask));
}

static uint32_t
read_csi2 (const uint8_t *line, const PacoSampleLayout *layout, uint32_t x)
{
  unsigned low = layout->group_bytes == 5 ? 2 : 4, sample;
  const uint8_t *group = line + csi2_group (layout, x, &sample);
  uint32_t last = group[layout->group_bytes - 1];

  return (uint32_t) group[sample] << low
      | (last >> low * sample & ((1u << low) - 1));
}

/* Sets sample x of a line to `value`. */
static void
write_sample (uint8_t *line, const PacoSampleLayout *layout, unsigned depth,
    uint32_t x, uint32_t value)
{
  unsigned shift = layout->places[x % layout->group_samples].shift;
  uint32_t mask = ((1u << depth) - 1) << shift;

  if (layout->csi2) {
    write_csi2 (line, layout, x, value);
    return;
  }
  for (unsigned i = 0; i < layout->word_bytes; i++) {
    uint8_t *byte = &line[byte_address (layout, x, i)];

    *byte &= (uint8_t) ~(mask >> (8 * i));
    *byte |= (uint8_t) (value << shift >> (8 * i));
  }
}

static uint32_t
read_sample (const uint8_t *line, const PacoSampleLayout *layout,
    unsigned depth, uint32_t x)
{
  uint32_t word = 0;

  if (layout->csi2)
    return read_csi2 (line, layout, x);
  for (unsigned i = 0; i < layout->word_bytes; i++)
    word |= (uint32_t) line[byte_address (layout, x, i)] << (8 * i);
  return word >> layout->places[x % layout->group_samples].shift
      & ((1u << depth) - 1);
}

/* Line y of a field of a component. */
static uint8_t *
line_address (const PacoPictureFormat *format, const PacoPicture *picture,
    unsigned field, unsigned component, uint32_t y)
{
  ptrdiff_t line = format->fields ? 2 * (ptrdiff_t) y + field : (ptrdiff_t) y;

  return picture->data[component] + line * picture->stride[component];
}

void
paco_reference_load_samples (const PacoPictureFormat *format,
    const PacoPicture *picture, unsigned field, unsigned component,
    PacoReferencePlane *plane)
{
  const PacoSampleLayout *layout = &picture->layout[component];
  unsigned depth = format->components[component].depth;
  PacoReferenceSample *sample = plane->samples;

  for (uint32_t y = 0; y < plane->height; y++) {
    const uint8_t *line = line_address (format, picture, field, component, y);

    for (uint32_t x = 0; x < plane->width; x++, sample++)
      sample->i = (int32_t) read_sample (line, layout, depth, x)
          - (1 << (depth - 1));
  }
}

/* Sets the bits of sample x to 0, as far as they lie in a line of line_bytes bytes. */
static void
clear_sample (uint8_t *line, size_t line_bytes, const PacoSampleLayout *layout,
    unsigned depth, uint32_t x)
{
  uint32_t mask = ((1u << depth) - 1)
      << layout->places[x % layout->group_samples].shift;

  if (layout->csi2) {
    write_csi2 (line, layout, x, 0);
    return;
  }
  for (unsigned i = 0; i < layout->word_bytes; i++) {
    size_t at = byte_address (layout, x, i);

    if (at < line_bytes)
      line[at] &= (uint8_t) ~(mask >> (8 * i));
  }
}

/* Bytes of a line that belong to the picture: all groups, and with swapped words
 * what is left of the last word; unless the stride ends before. */
static size_t
n_bytes (const PacoPicture *picture, unsigned component, uint32_t width)
{
  const PacoSampleLayout *layout = &picture->layout[component];
  size_t groups = (width + layout->group_samples - 1) / layout->group_samples;
  size_t bytes = groups * layout->group_bytes;

  if (layout->swap_words)
    bytes = (bytes + 3) / 4 * 4;
  return MIN (bytes, (size_t) ABS (picture->stride[component]));
}

void
paco_reference_blank_samples (const PacoPictureFormat *format,
    const PacoPicture *picture, unsigned field,
    const PacoReferencePlane *planes)
{
  /* All bytes are set first, because components may share some. */
  for (unsigned c = 0; c < format->n_components; c++)
    for (uint32_t y = 0; y < planes[c].height; y++)
      memset (line_address (format, picture, field, c, y),
          picture->layout[c].fill, n_bytes (picture, c, planes[c].width));
  for (unsigned c = 0; c < format->n_components; c++) {
    const PacoSampleLayout *layout = &picture->layout[c];
    size_t bytes = n_bytes (picture, c, planes[c].width);
    size_t groups = (bytes + layout->group_bytes - 1) / layout->group_bytes;

    for (uint32_t y = 0; y < planes[c].height; y++)
      for (uint32_t x = 0; x < groups * layout->group_samples; x++)
        clear_sample (line_address (format, picture, field, c, y), bytes,
            layout, format->components[c].depth, x);
  }
}

void
paco_reference_store_samples (const PacoPictureFormat *format,
    const PacoPicture *picture, unsigned field, unsigned component,
    const PacoReferencePlane *plane)
{
  const PacoSampleLayout *layout = &picture->layout[component];
  unsigned depth = format->components[component].depth;
  int64_t max = (1 << depth) - 1;
  const PacoReferenceSample *sample = plane->samples;

  for (uint32_t y = 0; y < plane->height; y++) {
    uint8_t *line = line_address (format, picture, field, component, y);

    for (uint32_t x = 0; x < plane->width; x++, sample++) {
      int64_t value = (int64_t) sample->i + (1 << (depth - 1));

      write_sample (line, layout, depth, x, (uint32_t) CLAMP (value, 0, max));
    }
  }
}

static void
forward_rct (
    PacoReferenceSample *a, PacoReferenceSample *b, PacoReferenceSample *c)
{
  int32_t red = a->i, green = b->i, blue = c->i;

  a->i = (red + 2 * green + blue) >> 2;
  b->i = blue - green;
  c->i = red - green;
}

/* RCT2 takes blue against the mean of red and green. */
static void
forward_rct2 (
    PacoReferenceSample *a, PacoReferenceSample *b, PacoReferenceSample *c)
{
  int32_t red = a->i, green = b->i, blue = c->i;
  int32_t v = red - green;
  int32_t mean = green + (v >> 1);
  int32_t u = blue - mean;

  a->i = mean + (u >> 2);
  b->i = u;
  c->i = v;
}

/* Returns what rct-fit takes away from C. */
static int32_t
predict_by_fit (const PacoFit *fit, int32_t b, int32_t v)
{
  uint32_t part = fit->x * (uint32_t) v - fit->y * (uint32_t) b;

  return b + ((int32_t) part >> 3);
}

static void
forward_fit (PacoReferencePlane *planes, const PacoCoding *coding)
{
  size_t n = (size_t) planes[0].width * planes[0].height;
  PacoFit fit = paco_fit (coding->parameters);

  for (size_t i = 0; i < n; i++) {
    int32_t a = planes[fit.a].samples[i].i;
    int32_t b = planes[fit.b].samples[i].i;
    int32_t c = planes[fit.c].samples[i].i;
    int32_t v = a - b, t = fit.mean ? b + (v >> 1) : b;

    planes[0].samples[i].i = t;
    planes[1].samples[i].i = c - predict_by_fit (&fit, b, v);
    planes[2].samples[i].i = v;
  }
}

/* Applies one of the above to components 0, 1, 2 of every pixel. */
static void
each_pixel (PacoReferencePlane *planes,
    void (*transform) (
        PacoReferenceSample *, PacoReferenceSample *, PacoReferenceSample *))
{
  size_t n = (size_t) planes[0].width * planes[0].height;

  for (size_t i = 0; i < n; i++)
    transform (
        &planes[0].samples[i], &planes[1].samples[i], &planes[2].samples[i]);
}

static void
integers_to_floats (PacoReferencePlane *plane)
{
  size_t n = (size_t) plane->width * plane->height;

  for (size_t i = 0; i < n; i++)
    plane->samples[i].f = (float) plane->samples[i].i;
}

/* ICT and matrix, whose rows are m. */
static void
forward_matrix (PacoReferencePlane *planes, const float m[PACO_MATRIX_SIZE])
{
  size_t n = (size_t) planes[0].width * planes[0].height;

  for (size_t i = 0; i < n; i++) {
    float *a = &planes[0].samples[i].f, red = *a;
    float *b = &planes[1].samples[i].f, green = *b;
    float *c = &planes[2].samples[i].f, blue = *c;

    *a = fmaf (m[0], red, fmaf (m[1], green, m[2] * blue));
    *b = fmaf (m[5], blue, fmaf (m[4], green, m[3] * red));
    *c = fmaf (m[6], red, fmaf (m[7], green, m[8] * blue));
  }
}

void
paco_reference_forward_color (
    PacoReferencePlane *planes, unsigned n_planes, const PacoCoding *coding)
{
  float matrix[PACO_MATRIX_SIZE];

  if (coding->color_transform == PACO_COLOR_TRANSFORM_RCT)
    each_pixel (planes, forward_rct);
  if (coding->color_transform == PACO_COLOR_TRANSFORM_RCT2)
    each_pixel (planes, forward_rct2);
  if (coding->color_transform == PACO_COLOR_TRANSFORM_FIT)
    forward_fit (planes, coding);
  for (unsigned c = 0; c < n_planes; c++)
    if (!paco_is_reversible (coding, c))
      integers_to_floats (&planes[c]);
  if (paco_color_transform_is_matrix (coding->color_transform)) {
    paco_color_matrix (coding, false, matrix);
    forward_matrix (planes, matrix);
  }
}
