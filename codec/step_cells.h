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
