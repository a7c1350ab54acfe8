/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A step of the color transform of mosaics, in place, one thread for each sample. */
#pragma once
#include "gpu/kernels/device.cuh"
#include "gpu/kernels/mosaic.h"

DEVICE uint16_t *
mosaic_line (const PacoMosaicParameters &p, uint64_t plane, unsigned y)
{
  return (uint16_t *) (plane + (uint64_t) p.stride * y);
}

/* Neighbors beyond an edge are mirrored: that is the one on the other side, which has
 * the same number as the one next to it. */
DEVICE int
mosaic_neighbors (const PacoMosaicParameters &p, unsigned x, unsigned y)
{
  const unsigned left = p.place_x || x == 0 ? x : x - 1;
  const unsigned right = p.place_x && x + 1 < p.columns ? x + 1 : x;
  const unsigned up = p.place_y || y == 0 ? y : y - 1;
  const unsigned down = p.place_y && y + 1 < p.lines ? y + 1 : y;

  if (p.diagonal) {
    const uint16_t *first = mosaic_line (p, p.beside, up);
    const uint16_t *second = mosaic_line (p, p.beside, down);

    return first[left] + first[right] + second[left] + second[right];
  }
  const uint16_t *line = mosaic_line (p, p.beside, y);

  return line[left] + line[right] + mosaic_line (p, p.above, up)[x]
      + mosaic_line (p, p.above, down)[x];
}

extern "C" __global__ void
__launch_bounds__ (PACO_MOSAIC_THREADS)
    layout_mosaic (const __grid_constant__ PacoMosaicParameters p)
{
  const unsigned x = blockIdx.x * PACO_MOSAIC_LANES
      + threadIdx.x % PACO_MOSAIC_LANES;
  const unsigned y = blockIdx.y * PACO_MOSAIC_LINES
      + threadIdx.x / PACO_MOSAIC_LANES;

  wait_for_kernel_before ();
  if (x >= p.columns || y >= p.lines)
    return;

  uint16_t *sample = mosaic_line (p, p.samples, y) + x;
  int sum = mosaic_neighbors (p, x, y) - 4 * p.neighbors;
  int change = (p.weight * sum + 16) >> 5;
  int value = *sample - p.before;

  value = (int16_t) (p.half > 0 ? value + change : value - change);
  if (p.half > 0)
    value = min (max (value, -p.half), p.half - 1);
  *sample = (uint16_t) (value + p.after);
}
