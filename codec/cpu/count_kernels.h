/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Counts the highest bits of coefficients, and adds them up by cells, for rows_kernels.h:
 * a budget's step (codec/rate_estimate.h) and a step map (codec/policy_map.h) follow from
 * them. */
#pragma once
#include "codec/cpu/rows.h"
#include "codec/cpu/rows_loops.h"
#include "codec/quantizer.h"
#include <string.h>

enum
{
  COUNTED_AT_ONCE = 64,
  /* The exponent field of the float 1.0. */
  EXPONENT_OF_ONE = 127,
};

/* Makes c of n coefficients. */
INLINE void
scale_to_integers (const PacoWord *line, size_t n, float scale, Int *out)
{
  const Int *integers = (const Int *) line;
  const Float *floats = (const Float *) line;

  if (scale == 0.0f) {
    INDEPENDENT
    for (size_t i = 0; i < n; i++) {
      int32_t x = integers[i] < 0 ? -integers[i] : integers[i];

      out[i] = x < PACO_MAX_MAGNITUDE ? x : PACO_MAX_MAGNITUDE;
    }
  } else {
    INDEPENDENT
    for (size_t i = 0; i < n; i++) {
      float x = (floats[i] < 0 ? -floats[i] : floats[i]) * scale;

      out[i] = (int32_t) (x < (float) PACO_MAX_MAGNITUDE
              ? x
              : (float) PACO_MAX_MAGNITUDE);
    }
  }
}

/* Brings them to the steps of the step map. */
INLINE void
map_integers (const PacoCountedBlock *block, unsigned y, Int *c)
{
  const uint8_t *cells = block->cells;
  uint32_t multipliers[COUNTED_AT_ONCE] = { 0 };

  for (unsigned x = 0; x < block->width; x++)
    multipliers[x] = paco_step_map_multipliers[paco_step_map_exponent (
        &block->map, cells, block->x + x, block->y + y)];
  INDEPENDENT
  for (unsigned x = 0; x < COUNTED_AT_ONCE; x++)
    c[x] = (int32_t) ((2 * (uint64_t) (uint32_t) c[x] + 1) * multipliers[x]
        >> PACO_STEP_MAP_SHIFT);
}

enum
{
  /* How many lines are added up in bytes. */
  COUNTED_LINES = 128,
};

/* For each plane and column, how many lines have their highest bit there or above. */
typedef struct
{
  uint8_t n[PACO_RATE_PLANES][COUNTED_AT_ONCE];
  int highest;
} Counted;

/* All numbers are bytes, so that a vector holds one for each column. */
INLINE void
add_those_above (uint8_t *n, const uint8_t *planes, const uint8_t least)
{
  INDEPENDENT
  for (unsigned i = 0; i < COUNTED_AT_ONCE; i++) {
    uint8_t one = planes[i] > least ? 1 : 0;

    n[i] = (uint8_t) (n[i] + one);
  }
}

static void
count_line (Counted *counted, const PacoCountedBlock *block, unsigned y)
{
  Int magnitude[COUNTED_AT_ONCE] = { 0 };
  Float *floats = (Float *) magnitude;
  uint8_t planes[COUNTED_AT_ONCE];
  int32_t all = 0;
  int highest;

  scale_to_integers (block->line + (ptrdiff_t) y * block->stride, block->width,
      block->scale, magnitude);
  if (block->cells)
    map_integers (block, y, magnitude);
  /* The exponents of floats say in which plane the highest bit is. */
  INDEPENDENT
  for (unsigned i = 0; i < COUNTED_AT_ONCE; i++)
    floats[i] = (float) magnitude[i];
  for (unsigned i = 0; i < COUNTED_AT_ONCE; i++)
    all |= magnitude[i];
  /* This is one more than the plane of the highest bit, and 0 if that is below plane 0.
   * Exponents that are or-ed are no less than the largest one. */
  for (unsigned i = 0; i < COUNTED_AT_ONCE; i++) {
    int32_t exponent = (magnitude[i] >> 23) - (EXPONENT_OF_ONE - 1);

    planes[i] = (uint8_t) (exponent > 0 ? exponent : 0);
  }
  highest = (all >> 23) - EXPONENT_OF_ONE;
  if (highest >= PACO_RATE_PLANES)
    highest = PACO_RATE_PLANES - 1;
  for (int p = 0; p <= highest; p++)
    add_those_above (counted->n[p], planes, (uint8_t) p);
  counted->highest = highest > counted->highest ? highest : counted->highest;
}

/* Adds what has been counted to top[], and begins again. */
static void
take_counted (Counted *counted, uint32_t top[PACO_RATE_PLANES])
{
  uint32_t above = 0;

  for (int p = counted->highest; p >= 0; p--) {
    uint32_t at_least = 0;

    for (unsigned i = 0; i < COUNTED_AT_ONCE; i++)
      at_least += counted->n[p][i];
    top[p] += at_least - above;
    above = at_least;
    memset (counted->n[p], 0, sizeof counted->n[p]);
  }
  counted->highest = -1;
}

/* Counted lines come from memory, and no two are beside each other. So each is
 * prefetched this many counted lines before. */
#define COUNTED_AHEAD 3

INLINE void
fetch_counted (const PacoWord *line, unsigned width)
{
  for (unsigned x = 0; x < width; x += 64 / sizeof *line)
    __builtin_prefetch (line + x);
}

static uint32_t
count_tops (const PacoCountedBlock *block, uint32_t top[PACO_RATE_PLANES])
{
  Counted counted;
  uint32_t n_lines = paco_rate_counted_lines (block->height, block->all);

  memset (&counted, 0, sizeof counted);
  counted.highest = -1;
  for (uint32_t n = 0; n < n_lines; n++) {
    if (n + COUNTED_AHEAD < n_lines)
      fetch_counted (block->line
              + (ptrdiff_t) paco_rate_counted_line (
                    n + COUNTED_AHEAD, block->all)
                  * block->stride,
          block->width);
    count_line (&counted, block, paco_rate_counted_line (n, block->all));
    if ((n + 1) % COUNTED_LINES == 0)
      take_counted (&counted, top);
  }
  take_counted (&counted, top);
  return n_lines;
}

static void
sum_cells (const PacoWord *line, ptrdiff_t stride, unsigned width,
    unsigned height, float scale, uint32_t sums[PACO_SUMMED_CELLS])
{
  uint32_t columns[COUNTED_AT_ONCE] = { 0 };
  Int c[COUNTED_AT_ONCE] = { 0 };

  for (unsigned y = 0; y < height; y++, line += stride) {
    if (width == COUNTED_AT_ONCE)
      scale_to_integers (line, COUNTED_AT_ONCE, scale, c);
    else
      scale_to_integers (line, width, scale, c);
    INDEPENDENT
    for (unsigned x = 0; x < COUNTED_AT_ONCE; x++)
      columns[x] += (uint32_t) c[x];
  }
  for (unsigned x = 0; x < COUNTED_AT_ONCE; x++)
    sums[x * PACO_SUMMED_CELLS / COUNTED_AT_ONCE] += columns[x];
}
