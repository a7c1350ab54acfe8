/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Says where a warp keeps its block of 64 columns and HEIGHT lines while it
 * filters it, and how a lane gets at numbers of the lanes beside it (text 000,
 * section V): in registers with shuffles, in registers with an auxiliary buffer
 * in shared memory, or wholly in shared memory. A lane has columns 2 * lane and
 * 2 * lane + 1. All three have
 *
 *   get (y, i), set (y, i, number)  line y, column i of the lane's two
 *   even_after (y), odd_before (y)  the nearest number of the lane after, or before
 *   end_step ()                     all lanes have taken a step of the lifting */
#pragma once
#include "gpu/kernels/dwt_strips.cuh"
#include "tests/lab/cuda/registers.h"

extern __shared__ uint32_t shared[];

template <class Number_, int HEIGHT_> struct InRegisters
{
  typedef Number_ Number;
  static constexpr int HEIGHT = HEIGHT_;
  Number numbers[HEIGHT][2];

  __device__ __forceinline__ explicit InRegisters (unsigned warp, unsigned lane)
  {
  }

  __device__ __forceinline__ Number get (int y, int i) const
  {
    return numbers[y][i];
  }

  __device__ __forceinline__ void set (int y, int i, Number number)
  {
    numbers[y][i] = number;
  }

  __device__ __forceinline__ Number even_after (int y) const
  {
    return __shfl_down_sync (ALL_LANES, numbers[y][0], 1);
  }

  __device__ __forceinline__ Number odd_before (int y) const
  {
    return __shfl_up_sync (ALL_LANES, numbers[y][1], 1);
  }

  __device__ __forceinline__ void end_step ()
  {
  }
};

/* Two rows of the buffer take turns. So one meeting a line is enough: a row is written
 * again two lines later, when all lanes have met after they had read it. */
template <class Number_, int HEIGHT_>
struct WithBuffer : InRegisters<Number_, HEIGHT_>
{
  typedef Number_ Number;
  typedef InRegisters<Number_, HEIGHT_> Base;
  Number *rows;
  unsigned lane;

  __device__ __forceinline__ explicit WithBuffer (unsigned warp, unsigned l)
      : Base (warp, l),
        rows ((Number *) shared + warp * LAB_REGISTERS_BUFFER_WORDS), lane (l)
  {
    static_assert (HEIGHT_ % 2 == 0, "the rows take turns from step to step");
  }

  __device__ __forceinline__ Number exchange (int y, Number own, int from) const
  {
    Number *row = rows + y % 2 * 32;

    row[lane] = own;
    __syncwarp ();
    return row[(lane + from) % 32];
  }

  __device__ __forceinline__ Number even_after (int y) const
  {
    return exchange (y, this->numbers[y][0], 1);
  }

  __device__ __forceinline__ Number odd_before (int y) const
  {
    return exchange (y, this->numbers[y][1], 31);
  }
};

/* The even columns of a line lie side by side, and so do the odd ones: no two lanes
 * want the same bank. */
template <class Number_, int HEIGHT_> struct InSharedMemory
{
  typedef Number_ Number;
  static constexpr int HEIGHT = HEIGHT_;
  Number *numbers;
  unsigned lane;

  __device__ __forceinline__ explicit InSharedMemory (unsigned warp, unsigned l)
      : numbers ((Number *) shared + warp * LAB_REGISTERS_WIDTH * HEIGHT),
        lane (l)
  {
  }

  __device__ __forceinline__ Number get (int y, int i) const
  {
    return numbers[(2 * y + i) * 32 + lane];
  }

  __device__ __forceinline__ void set (int y, int i, Number number)
  {
    numbers[(2 * y + i) * 32 + lane] = number;
  }

  __device__ __forceinline__ Number even_after (int y) const
  {
    return numbers[2 * y * 32 + (lane + 1) % 32];
  }

  __device__ __forceinline__ Number odd_before (int y) const
  {
    return numbers[(2 * y + 1) * 32 + (lane + 31) % 32];
  }

  __device__ __forceinline__ void end_step ()
  {
    __syncwarp ();
  }
};
