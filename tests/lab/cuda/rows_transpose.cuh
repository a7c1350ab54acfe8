/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Does the transpose method's transposition (van der Laan et al., section
 * V-B2): columns become rows for the horizontal step, and rows columns again
 * behind it. It goes by way of squares in shared memory, so that reading and
 * writing go along rows. */
#pragma once
#include "tests/lab/cuda/rows_lifting.cuh"

/* Does a block: square blockIdx.x of a row of squares, row of squares
 * blockIdx.y. n_lines rows of n elements at `line` become n rows at
 * `sample`. */
template <class Element>
__device__ __forceinline__ void
transpose (const LabLines &p)
{
  const int side = LAB_TRANSPOSE_SIDE, rows = LAB_TRANSPOSE_THREADS / side;
  const Element *from = (const Element *) p.from;
  Element *to = (Element *) p.to;
  Element *square = (Element *) shared;
  int x = threadIdx.x % side, y = threadIdx.x / side;
  int column = blockIdx.x * side, row = blockIdx.y * side;

  for (int i = y; i < side; i += rows)
    if (column + x < (int) p.n && row + i < (int) p.n_lines)
      square[i * (side + 1) + x] =
          from[(size_t) (row + i) * p.line + column + x];
  __syncthreads ();
  for (int i = y; i < side; i += rows)
    if (row + x < (int) p.n_lines && column + i < (int) p.n)
      to[(size_t) (column + i) * p.sample + row + x] =
          square[x * (side + 1) + i];
}
