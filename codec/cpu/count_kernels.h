/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Counts the highest bits of coefficients, for rows_kernels.h: a budget's step is
 * chosen by them (codec/rate_estimate.h). */
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

/* Makes floats of magnitudes; their exponents say in which plane the highest bit is. */
INLINE void
magnitudes (const PacoWord *line, size_t n, float scale, Float *out)
{
  const Int *integers = (const Int *) line;
  const Float *floats = (const Float *) line;

  if (scale == 0.0f) {
    INDEPENDENT
    for (size_t i = 0; i < n; i++) {
      int32_t x = integers[i] < 0 ? -integers[i] : integers[i];

      out[i] = (float) (x < PACO_MAX_MAGNITUDE ? x : PACO_MAX_MAGNITUDE);
    }
  } else {
    INDEPENDENT
    for (size_t i = 0; i < n; i++) {
      float x = (floats[i] < 0 ? -floats[i] : floats[i]) * scale;

      out[i] = x < (float) PACO_MAX_MAGNITUDE ? x : (float) PACO_MAX_MAGNITUDE;
    }
  }
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
count_line (Counted *counted, const PacoWord *line, size_t n, float scale)
{
  Int magnitude[COUNTED_AT_ONCE] = { 0 };
  uint8_t planes[COUNTED_AT_ONCE];
  int32_t all = 0;
  int highest;

  magnitudes (line, n, scale, (Float *) magnitude);
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
count_tops (const PacoWord *line, ptrdiff_t stride, unsigned width,
    unsigned height, bool all, float scale, uint32_t top[PACO_RATE_PLANES])
{
  Counted counted;
  uint32_t n_lines = paco_rate_counted_lines (height, all);

  memset (&counted, 0, sizeof counted);
  counted.highest = -1;
  for (uint32_t n = 0; n < n_lines; n++) {
    if (n + COUNTED_AHEAD < n_lines)
      fetch_counted (line
              + (ptrdiff_t) paco_rate_counted_line (n + COUNTED_AHEAD, all)
                  * stride,
          width);
    count_line (&counted,
        line + (ptrdiff_t) paco_rate_counted_line (n, all) * stride, width,
        scale);
    if ((n + 1) % COUNTED_LINES == 0)
      take_counted (&counted, top);
  }
  take_counted (&counted, top);
  return n_lines;
}
