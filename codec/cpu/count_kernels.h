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
  /* Of 1.0 in the exponent of a float. */
  EXPONENT_OF_ONE = 127,
};

/* Magnitudes as floats; their exponents are the planes of their highest bits. */
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

static void
count_tops (
    const PacoWord *line, size_t n, float scale, uint32_t top[PACO_RATE_PLANES])
{
  Int magnitude[COUNTED_AT_ONCE] = { 0 };
  int32_t all = 0;
  uint32_t above = 0;
  int highest;

  magnitudes (line, n, scale, (Float *) magnitude);
  for (unsigned i = 0; i < COUNTED_AT_ONCE; i++)
    all = magnitude[i] > all ? magnitude[i] : all;
  highest = (all >> 23) - EXPONENT_OF_ONE;
  /* Floats that are not negative are in the order of their bits. */
  for (int p = highest; p >= 0; p--) {
    int32_t least = (p + EXPONENT_OF_ONE) << 23;
    uint32_t at_least = 0;

    for (unsigned i = 0; i < COUNTED_AT_ONCE; i++)
      at_least += magnitude[i] >= least;
    top[p] += at_least - above;
    above = at_least;
  }
}
