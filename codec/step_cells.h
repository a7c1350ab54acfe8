/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The numbers of the step map (FORMAT.md section 6.2), which step_map.h and the CUDA
 * kernels include. */
#pragma once

enum
{
  PACO_STEP_MAP_CELL_LOG2 =
      4, /* A cell has 16 lines and columns of component 0. */
  PACO_STEP_MAP_LEVELS = 3, /* Coarser levels do not use the map. */
  PACO_STEP_MAP_EXPONENTS = 16,
};

/* The mantissa, in 1/512, of 2^(e/4). */
#define PACO_STEP_MAP_MANTISSA(e)                                              \
  ((unsigned) ((97ull << 9 | 212ull << 18 | 349ull << 27) >> 9 * ((e) % 4))    \
      & 511)

/* An encoder's coefficients, with bits behind the point, become those of a step that is
 * coarser by the exponent e: (2 c + 1) times round (2^16 / scale), divided by 2^17 and cut
 * off (FORMAT.md section 9). For e = 0 that is c. */
#define PACO_STEP_MAP_MULTIPLIER(e)                                            \
  ((((1u << 26) / ((512 + PACO_STEP_MAP_MANTISSA (e)) << (e) / 4)) + 1) / 2)
#define PACO_STEP_MAP_SHIFT 17
