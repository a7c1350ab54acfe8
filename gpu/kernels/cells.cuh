/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What the kernels of the block coder and of rate control do with the cells of a step map:
 * they bring magnitudes to the steps of their cells (FORMAT.md section 9). */
#pragma once
#include "codec/step_cells.h"
#include "gpu/kernels/bpc.h"
#include "gpu/kernels/device.cuh"

/* Two coefficients next to each other, as magnitudes. */
static DEVICE void
load_two (const int16_t *at, uint32_t (&x)[2])
{
  uint32_t pair = __vabs2 (*(const uint32_t *) at);

  x[0] = pair & 0x7fff;
  x[1] = pair >> 16 & 0x7fff;
}

static DEVICE void
load_two (const int32_t *at, uint32_t (&x)[2])
{
  int2 pair = *(const int2 *) at;

  x[0] = min (abs (pair.x), (1 << 23) - 1);
  x[1] = min (abs (pair.y), (1 << 23) - 1);
}

/* The cells of a block whose warp has two columns in each lane. */
struct BlockCells
{
  const uint8_t *cells; /* that of the block's first coefficient; null: none */
  uint32_t columns, shift, halved;
  uint32_t at[2];          /* the cells of the lane's columns in a row */
  uint32_t own_multiplier; /* lane e: of exponent e */
  uint32_t multiplier[2];  /* of the lane's columns, as find() has left them */

  DEVICE
  BlockCells (const uint8_t *map, const PacoGpuBlock &block, uint32_t lane)
  {
    uint32_t e = lane % PACO_STEP_MAP_EXPONENTS;

    cells = map && block.cell_shift_x ? map + block.first_cell : nullptr;
    columns = block.cell_columns;
    shift = block.cell_shift_y;
    halved = block.cells_halved;
    for (uint32_t side = 0; side < 2; side++)
      at[side] = min (2 * lane + side, (uint32_t) block.width - 1)
              << block.cell_shift_x
          >> PACO_STEP_MAP_CELL_LOG2;
    own_multiplier = PACO_STEP_MAP_MULTIPLIER (e);
    multiplier[0] = multiplier[1] = 0;
  }

  /* Lines of a cell, less one: of each of them the lowest bits are others. */
  DEVICE uint32_t lines_mask () const
  {
    return shift < PACO_STEP_MAP_CELL_LOG2
        ? (1u << (PACO_STEP_MAP_CELL_LOG2 - shift)) - 1
        : 0;
  }

  /* The cells of the row that a line of the block is in. */
  DEVICE const uint8_t *row (uint32_t line) const
  {
    return cells + (line << shift >> PACO_STEP_MAP_CELL_LOG2) * columns;
  }

  /* Finds the multipliers of a row; all lanes of the warp call it. */
  DEVICE void find (const uint8_t *row)
  {
    for (uint32_t side = 0; side < 2; side++)
      multiplier[side] = __shfl_sync (
          ALL_LANES, own_multiplier, row[at[side]] >> halved);
  }

  /* Brings a magnitude below 2^15 to the step of its cell. */
  DEVICE uint32_t coarser (int side, uint32_t c) const
  {
    return (2 * c + 1) * multiplier[side] >> PACO_STEP_MAP_SHIFT;
  }

  /* The same below 2^23. */
  DEVICE uint32_t coarser_wide (int side, uint32_t c) const
  {
    return (uint32_t) ((uint64_t) (2 * c + 1) * multiplier[side]
        >> PACO_STEP_MAP_SHIFT);
  }
};
