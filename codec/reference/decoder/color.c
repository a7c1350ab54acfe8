/* SPDX-License-Identifier: LGPL-2.1-or-later
 * From what wavelets give to samples: color transforms, those of mosaics, and numbers,
 * codes and samples (FORMAT.md section 5), for the reference decoder's decode.c. */
#include "parts.h"
#include <math.h>

/* Integer arithmetic that wraps around modulo 2^32. */
static int32_t
add (int32_t a, int32_t b)
{
  return (int32_t) ((uint32_t) a + (uint32_t) b);
}

static int32_t
subtract (int32_t a, int32_t b)
{
  return (int32_t) ((uint32_t) a - (uint32_t) b);
}

static int32_t
clamp (int32_t value, int32_t least, int32_t most)
{
  return value < least ? least : value > most ? most : value;
}

/* --- color transforms --- */

static void
undo_matrix (const float m[9], float *a, float *b, float *c)
{
  float y = *a, u = *b, v = *c;

  *a = fmaf (m[2], v, fmaf (m[1], u, m[0] * y));
  *b = fmaf (m[4], u, fmaf (m[5], v, m[3] * y));
  *c = fmaf (m[7], u, fmaf (m[8], v, m[6] * y));
}

/* Rounds to nearest even. What 32 bits do not hold becomes the nearest number that they
 * do. */
static void
round_plane (Plane *plane)
{
  size_t n = (size_t) plane->width * plane->height;

  for (size_t i = 0; i < n; i++) {
    float rounded = rintf (plane->samples[i].f);

    rounded = rounded < -2147483648.0f ? -2147483648.0f : rounded;
    rounded = rounded > 2147483520.0f ? 2147483520.0f : rounded;
    plane->samples[i].i = (int32_t) rounded;
  }
}

static void
undo_rct (bool second, int32_t *a, int32_t *b, int32_t *c)
{
  int32_t y = *a, u = *b, v = *c, mean, green;

  if (second) {
    mean = subtract (y, u >> 2);
    green = subtract (mean, v >> 1);
  } else {
    green = mean = subtract (y, add (u, v) >> 2);
  }
  *a = add (v, green);
  *b = green;
  *c = add (u, mean);
}

static void
undo_fit (const uint8_t parameters[2], int32_t *pixel[3])
{
  unsigned c = parameters[0] & 3, b = parameters[0] >> 2 & 3;
  uint32_t x = parameters[1] & 15, y = parameters[1] >> 4;
  int32_t t = *pixel[0], u = *pixel[1], v = *pixel[2];
  int32_t second = parameters[0] >> 4 & 1 ? subtract (t, v >> 1) : t;
  uint32_t part = x * (uint32_t) v - y * (uint32_t) second;

  *pixel[3 - b - c] = add (v, second);
  *pixel[b] = second;
  *pixel[c] = add (add (u, second), (int32_t) part >> 3);
}

void
paco_reference_undo_color (const Header *header, Plane *planes)
{
  static const float ict[9] = { 1.0f, 0.0f, 1.402f, 1.0f, -0.344136f,
    -0.714136f, 1.0f, 1.772f, 0.0f };
  unsigned transform = header->color_transform;
  size_t n = (size_t) planes[0].width * planes[0].height;

  for (size_t i = 0; (transform == 2 || transform == 4) && i < n; i++)
    undo_matrix (transform == 2 ? ict : header->color_matrix,
        &planes[0].samples[i].f, &planes[1].samples[i].f,
        &planes[2].samples[i].f);
  for (unsigned c = 0; c < header->n_components; c++)
    if (header->components[c].wavelet == CDF97)
      round_plane (&planes[c]);
  for (size_t i = 0; (transform == 1 || transform == 3) && i < n; i++)
    undo_rct (transform == 3, &planes[0].samples[i].i, &planes[1].samples[i].i,
        &planes[2].samples[i].i);
  for (size_t i = 0; transform == 5 && i < n; i++) {
    int32_t *pixel[3];

    for (unsigned c = 0; c < 3; c++)
      pixel[c] = &planes[c].samples[i].i;
    undo_fit (header->parameters, pixel);
  }
}

/* --- mosaics (FORMAT.md section 5.1) --- */

/* Returns the sample in a column and a line of the mosaic, mirrored at its edges. */
static int32_t
mosaic_sample (
    const Header *header, const Plane *planes, int64_t column, int64_t line)
{
  int64_t width = 2 * (int64_t) planes[0].width;
  int64_t height = 2 * (int64_t) planes[0].height;
  unsigned c = 0;

  column = column < 0 ? -column : column;
  column = column >= width ? 2 * (width - 1) - column : column;
  line = line < 0 ? -line : line;
  line = line >= height ? 2 * (height - 1) - line : line;
  while (header->components[c].place_x != column % 2
      || header->components[c].place_y != line % 2)
    c++;
  return planes[c].samples[line / 2 * planes[c].width + column / 2].i;
}

/* Returns p of a sample of component c. */
static int32_t
mosaic_prediction (
    const Header *header, const Plane *planes, unsigned c, int64_t x, int64_t y)
{
  static const int8_t sides[4][2] = { { -1, 0 }, { 1, 0 }, { 0, -1 },
    { 0, 1 } };
  static const int8_t corners[4][2] = { { -1, -1 }, { 1, -1 }, { -1, 1 },
    { 1, 1 } };
  bool beside = c == 0 || c == 3;
  int32_t s = 0,
          weight = c == 0 ? header->parameters[0]
      : c == 3            ? header->parameters[1]
      : c == 2            ? 8
                          : -4;

  for (unsigned k = 0; k < 4; k++)
    s += mosaic_sample (header, planes, x + (beside ? sides : corners)[k][0],
        y + (beside ? sides : corners)[k][1]);
  return (weight * s + 16) >> 5;
}

/* Does or undoes the step of component c. */
static void
filter_component (const Header *header, Plane *planes, unsigned c, bool undo)
{
  const Component *component = &header->components[c];
  int32_t half = 1 << (component->depth - 1);
  Sample *sample = planes[c].samples;

  for (uint32_t y = 0; y < planes[c].height; y++)
    for (uint32_t x = 0; x < planes[c].width; x++, sample++) {
      int32_t p = mosaic_prediction (header, planes, c,
          2 * (int64_t) x + component->place_x,
          2 * (int64_t) y + component->place_y);
      uint32_t sum = (uint32_t) (undo ? sample->i + p : sample->i - p);

      sample->i = (int32_t) ((sum + 32768u) & 65535u) - 32768;
      if (undo)
        sample->i = clamp (sample->i, -half, half - 1);
    }
}

void
paco_reference_filter_mosaic (const Header *header, Plane *planes, bool undo)
{
  static const uint8_t order[4] = { 0, 3, 2, 1 };

  if (header->color_transform != 7)
    return;
  for (unsigned c = 0; undo && c < 4; c++)
    for (size_t i = 0; i < (size_t) planes[c].width * planes[c].height; i++)
      planes[c].samples[i].i = clamp (planes[c].samples[i].i, -32768, 32767);
  for (unsigned k = 0; k < 4; k++)
    filter_component (header, planes, order[undo ? 3 - k : k], undo);
}

/* --- numbers --- */

static uint16_t
sample_of_code (const Component *component, uint32_t code)
{
  uint32_t middle = 1u << (component->depth - 1);

  if (component->kind == 1)
    return (uint16_t) (code ^ middle);
  if (component->kind == 2)
    return (uint16_t) (code >= middle ? code - middle : 65535 - code);
  return (uint16_t) code;
}

/* Returns d of a component: of its own table, or its depth without one. */
static unsigned
number_bits (const Header *header, unsigned c)
{
  const Component *component = &header->components[c];
  unsigned bits = 1;

  if (component->table == 0)
    return component->depth;
  while (header->tables[component->table - 1].n_codes > 1u << bits)
    bits++;
  return bits;
}

static uint32_t
map_numbers (
    const Frame *frame, unsigned c, uint16_t samples[N_CODES], int32_t *shift)
{
  const Header *header = &frame->header;
  const Component *component = &header->components[c];
  unsigned n_mixed = header->color_transform == 0 ? 0
      : header->color_transform == 7              ? 4
                                                  : 3;
  unsigned bits = number_bits (header, c);
  uint32_t n = 0;

  for (unsigned other = 0; c < n_mixed && other < n_mixed; other++)
    if (number_bits (header, other) > bits)
      bits = number_bits (header, other);
  for (uint32_t code = 0; code < 1u << component->depth; code++)
    if (component->table == 0
        || has_bit (frame->used[component->table - 1], code))
      samples[n++] = sample_of_code (component, code);
  *shift = 1 << (bits - 1);
  return n;
}
