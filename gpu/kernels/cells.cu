/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds the cells of a step map by the coefficients of level 1 (codec/policy_map.h).
 * Launched by gpu/cells.c. */
#include "gpu/kernels/cells.h"
#include "gpu/kernels/cells.cuh"

#define CELL (1u << (PACO_STEP_MAP_CELL_LOG2 - 1)) /* coefficients of level 1 */

/* How many of a cell's lines or columns from `first` on there are. */
static DEVICE uint32_t
length_of_cell (uint32_t first, uint32_t length)
{
  return first < length ? min (CELL, length - first) : 0;
}

/* Adds the lane's two columns of the cell in a row. */
template <typename T>
static DEVICE uint32_t
sum_columns (const T *coefficients, const PacoCellsSubband &subband, uint32_t x,
    uint32_t row)
{
  uint32_t height = length_of_cell (CELL * row, subband.height), sum = 0;
  const T *at = coefficients + subband.coefficients
      + (size_t) (CELL * row) * subband.stride + x;

  if (x >= subband.width)
    return 0;
#pragma unroll
  for (uint32_t y = 0; y < CELL; y++) {
    uint32_t two[2] = { 0, 0 };

    if (y < height)
      load_two (at + (size_t) y * subband.stride, two);
    sum += two[0] + (x + 1 < subband.width ? two[1] : 0);
  }
  return sum;
}

/* Adds the numbers of the lanes of a cell. */
static DEVICE uint32_t
sum_of_cell (uint32_t value)
{
  for (uint32_t distance = 1; distance < PACO_CELLS_LANES; distance *= 2)
    value += __shfl_xor_sync (ALL_LANES, value, distance);
  return value;
}

template <typename T>
static DEVICE void
find_cells (const PacoCellsParameters &p)
{
  uint32_t thread = blockIdx.x * PACO_CELLS_THREADS + threadIdx.x;
  uint32_t column = thread / PACO_CELLS_LANES;
  uint32_t field = blockIdx.y >= p.rows, row = blockIdx.y - field * p.rows;
  uint64_t sum = 0;
  uint32_t n = 0;

  for (uint32_t i = 0; i < PACO_ACTIVITY_SUBBANDS; i++) {
    const PacoCellsSubband &subband = p.subbands[field][i];

    sum += (uint64_t) p.activity.weight[i]
        * sum_of_cell (
            sum_columns ((const T *) p.coefficients, subband, 2 * thread, row));
    n += length_of_cell (CELL * row, subband.height)
        * length_of_cell (CELL * column, subband.width);
  }
  if (thread % PACO_CELLS_LANES == 0 && column < p.columns) {
    uint32_t cell = blockIdx.y * p.columns + column;
    uint32_t exponent = paco_activity_exponent (&p.activity, sum, n);

    if (p.added)
      exponent = min (
          exponent + p.added[cell], (uint32_t) PACO_STEP_MAP_EXPONENTS - 1);
    p.cells[cell] = exponent;
  }
}

extern "C" __global__ void
__launch_bounds__ (PACO_CELLS_THREADS)
    paco_find_cells_16 (PacoCellsParameters p)
{
  find_cells<int16_t> (p);
}

extern "C" __global__ void
__launch_bounds__ (PACO_CELLS_THREADS)
    paco_find_cells_32 (PacoCellsParameters p)
{
  find_cells<int32_t> (p);
}
