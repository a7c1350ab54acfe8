/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The quantizer, one coefficient at a time (FORMAT.md sections 8 and 9), for the
 * reference's encoder.c and for tables/count.c. */
#include "codec/quantizer.h"
#include "codec/reference/reference.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int32_t
paco_reference_scale (PacoReferenceSample coefficient, PacoWaveletId wavelet,
    float step, unsigned fraction_bits)
{
  float inverse_step, scaled;
  int32_t magnitude;

  if (paco_wavelets[wavelet].reversible)
    return coefficient.i;

  inverse_step = 1.0f / step;
  scaled = fabsf (coefficient.f) * ldexpf (inverse_step, (int) fraction_bits);
  magnitude = scaled < (float) PACO_MAX_MAGNITUDE ? (int32_t) floorf (scaled)
                                                  : PACO_MAX_MAGNITUDE;
  return signbit (coefficient.f) ? -magnitude : magnitude;
}

uint32_t
paco_reference_scaled_magnitude (
    PacoReferenceSample coefficient, PacoWaveletId wavelet, float scale)
{
  float scaled;

  if (paco_wavelets[wavelet].reversible)
    return (uint32_t) MIN (abs (coefficient.i), PACO_MAX_MAGNITUDE);
  scaled = fabsf (coefficient.f) * scale;
  return scaled < (float) PACO_MAX_MAGNITUDE ? (uint32_t) floorf (scaled)
                                             : PACO_MAX_MAGNITUDE;
}

int32_t
paco_reference_scale_to_step (PacoReferenceSample coefficient,
    PacoWaveletId wavelet, float scale, const PacoRateStep *step)
{
  int32_t magnitude;

  if (paco_wavelets[wavelet].reversible)
    return coefficient.i;
  magnitude = (int32_t) ((uint64_t) paco_reference_scaled_magnitude (
                             coefficient, wavelet, scale)
          * step->multiplier
      >> step->shift);
  return signbit (coefficient.f) ? -magnitude : magnitude;
}

/* 32 lines of a block are rounded together, without a look at others. */
#define TILE_LINES 32
/* A neighbor counts as significant from 13 sixteenths of a step on. */
#define SIGNIFICANT 13

/* A tile of a block, before it is rounded. */
typedef struct
{
  const int32_t *values;
  int width, height;
} Tile;

static unsigned
is_significant (const Tile *tile, int x, int y)
{
  return x >= 0 && y >= 0 && x < tile->width && y < tile->height
      && abs (tile->values[y * tile->width + x]) >= SIGNIFICANT;
}

/* Returns the context of FORMAT.md 7.3. */
static unsigned
context (const Tile *tile, int x, int y)
{
  unsigned near = 0, ring = 0;

  for (int dy = -2; dy <= 2; dy++) {
    for (int dx = -2; dx <= 2; dx++) {
      unsigned distance = (unsigned) MAX (abs (dx), abs (dy));

      if (distance == 1)
        near += is_significant (tile, x + dx, y + dy);
      else if (distance == 2 && abs (dx * dy) != 4)
        ring += is_significant (tile, x + dx, y + dy);
    }
  }
  return 3 * near + ring;
}

/* Returns what is added before the bits behind the point are cut off. */
static unsigned
rounding (const Tile *tile, int x, int y)
{
  static const uint8_t steps[7] = { 1, 2, 3, 4, 6, 12, 24 };
  unsigned c = context (tile, x, y), sum = 0;

  for (unsigned k = 0; k < G_N_ELEMENTS (steps); k++)
    sum += c >= steps[k];
  return sum;
}

void
paco_reference_round_block (
    int32_t *values, unsigned width, unsigned height, unsigned fraction_bits)
{
  int32_t before[PACO_BLOCK_WIDTH * PACO_MAX_BLOCK_HEIGHT];

  if (fraction_bits == 0)
    return;
  memcpy (before, values, width * height * sizeof *values);
  for (unsigned top = 0; top < height; top += TILE_LINES) {
    Tile tile = { before + top * width, (int) width,
      (int) MIN (height - top, TILE_LINES) };

    for (int y = 0; y < tile.height; y++) {
      for (int x = 0; x < tile.width; x++) {
        int32_t value = tile.values[y * tile.width + x];
        unsigned sum = fraction_bits == PACO_FRACTION_BITS
            ? rounding (&tile, x, y)
            : 1u << (fraction_bits - 1);
        int32_t index = (int32_t) ((unsigned) abs (value) + sum)
            >> fraction_bits;

        *values++ = value < 0 ? -index : index;
      }
    }
  }
}

unsigned
paco_reference_reconstruction (
    unsigned reconstruction, const PacoBlockRecord *record)
{
  return paco_reference_point (
      reconstruction, record->cut, record->dropped_planes);
}
