/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The numbers of the quantizer (FORMAT.md sections 2, 8 and 9), for all who quantize,
 * dequantize or choose steps; and how large coefficients can become. */
#pragma once
#include "header.h"
#include "rounding.h"
#include <math.h>
#include <stdint.h>

#define PACO_MAX_MAGNITUDE ((1 << 23) - 1)

/* Returns the step of a 14-bit code, exact in binary32. */
static inline float
paco_step_decode (uint16_t code)
{
  return ldexpf (1.0f + (code & 511) / 512.0f, (int) (code >> 9) - 16);
}

/* The code of the nearest step that there is. */
uint16_t paco_step_encode (double step);

/* Sets bounds[c][k] to what no coefficient of entry k (PacoCoding.subbands) of
 * component c exceeds: in quantizer steps, or with a reversible wavelet in integers. */
void paco_coefficient_bounds (const PacoPictureFormat *format,
    const PacoCoding *coding,
    double bounds[PACO_MAX_COMPONENTS][PACO_MAX_SUBBANDS]);
