/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Does the transform of text 000, Algorithm 1: a warp reads a block with the
 * lines and columns around it that its results depend on (its halo), filters
 * along lines, filters down columns, and writes what belongs to it. Inverse,
 * it is all the other way round. The lifting steps are the codec's
 * (gpu/kernels/dwt_lifting.cuh). */
#pragma once
#include "gpu/kernels/dwt_strips.cuh"
#include "tests/lab/cuda/registers.h"

/* This is what a kernel does: all of it, or what is left without the accesses
 * to global memory, or without the arithmetic. */
enum class Part
{
  ALL,
  ARITHMETIC,
  MEMORY,
};

/* --- Filtering --- */

/* Does to what a block holds the steps from the N-th on, along lines. */
template <PacoWaveletId ID, bool UNDO, int N = 0, class Block>
static __device__ __forceinline__ void
filter_lines (Block &block)
{
  if constexpr (N < paco_wavelets[ID].n_steps) {
    typedef Step<ID, N, UNDO> Own;

    static_assert (Own::TAPS == 1, "a step reads the nearest numbers only");
#pragma unroll
    for (int y = 0; y < Block::HEIGHT; y++) {
      typename Block::Number near[2];

      near[0] = Own::PARITY ? block.get (y, 0) : block.odd_before (y);
      near[1] = Own::PARITY ? block.even_after (y) : block.get (y, 1);
      block.set (y, Own::PARITY, Own::apply (block.get (y, Own::PARITY), near));
    }
    block.end_step ();
    filter_lines<ID, UNDO, N + 1> (block);
  }
}

/* Does the same down columns. The first and the last line lack a neighbor, and
 * are of the halo. */
template <PacoWaveletId ID, bool UNDO, int N = 0, class Block>
static __device__ __forceinline__ void
filter_columns (Block &block)
{
  if constexpr (N < paco_wavelets[ID].n_steps) {
    typedef Step<ID, N, UNDO> Own;

#pragma unroll
    for (int y = Own::PARITY ? 1 : 2; y + 1 < Block::HEIGHT; y += 2) {
#pragma unroll
      for (int i = 0; i < 2; i++) {
        typename Block::Number near[2];

        near[0] = block.get (y - 1, i);
        near[1] = block.get (y + 1, i);
        block.set (y, i, Own::apply (block.get (y, i), near));
      }
    }
    filter_columns<ID, UNDO, N + 1> (block);
  }
}

/* --- Global memory --- */

/* This says which lines and columns are the warp's. HALO is how many lines or
 * columns on each side it reads, but does not write. */
template <PacoWaveletId ID, int HEIGHT, int HALO> struct Position
{
  int line, column;  /* the block's first line, the lane's first column */
  int width, height; /* of the plane */
  bool border;       /* some of the block is outside of the plane */
  bool owns, owns_high;

  __device__ __forceinline__ Position (
      const LabRegistersParameters &p, unsigned warp, unsigned lane)
  {
    int block_y = warp / p.blocks_x, block_x = warp - block_y * p.blocks_x;
    int first = block_x * (LAB_REGISTERS_WIDTH - 2 * HALO) - HALO;

    line = block_y * (HEIGHT - 2 * HALO) - HALO;
    column = first + 2 * (int) lane;
    width = p.width;
    height = p.height;
    border = first < 0 || line < 0 || first + LAB_REGISTERS_WIDTH > width
        || line + HEIGHT > height;
    owns = (int) lane >= HALO / 2 && (int) lane < 32 - HALO / 2
        && column < width;
    owns_high = owns && column + 1 < width;
  }

  /* Returns what stands in for column i of the lane's two, for line y of the
   * block. */
  __device__ __forceinline__ int column_of (int i) const
  {
    return mirrored<SHORT> (min (column + i, width + HALO), width);
  }

  __device__ __forceinline__ int line_of (int y) const
  {
    return mirrored<SHORT> (min (line + y, height + HALO), height);
  }
};

template <class Number>
static __device__ __forceinline__ void
load_pair (const int16_t *from, Number *pair)
{
  uint32_t word = *(const uint32_t *) from;

  pair[0] = (int16_t) word;
  pair[1] = (int16_t) (word >> 16);
}

static __device__ __forceinline__ void
load_pair (const float *from, float *pair)
{
  float2 two = *(const float2 *) from;

  pair[0] = two.x;
  pair[1] = two.y;
}

static __device__ __forceinline__ void
convert (int number, int16_t *to)
{
  *to = (int16_t) number;
}

static __device__ __forceinline__ void
convert (float number, int16_t *to)
{
  *to = (int16_t) __float2int_rn (number);
}

static __device__ __forceinline__ void
convert (float number, float *to)
{
  *to = number;
}

template <class Number>
static __device__ __forceinline__ void
store_pair (int16_t *to, Number first, Number second)
{
  int16_t low, high;

  convert (first, &low);
  convert (second, &high);
  *(uint32_t *) to = (uint16_t) low | (uint32_t) (uint16_t) high << 16;
}

static __device__ __forceinline__ void
store_pair (float *to, float first, float second)
{
  *(float2 *) to = make_float2 (first, second);
}

template <class Element, class Block, class Place>
static __device__ __forceinline__ void
read_samples (const LabRegistersParameters &p, const Place &place, Block &block)
{
  const Element *fine = (const Element *) p.fine;

  if (!place.border) {
    const Element *from = fine + (size_t) place.line * p.fine_stride
        + place.column;

#pragma unroll
    for (int y = 0; y < Block::HEIGHT; y++) {
      typename Block::Number pair[2];

      load_pair (from + (size_t) y * p.fine_stride, pair);
      block.set (y, 0, pair[0]);
      block.set (y, 1, pair[1]);
    }
  } else {
    int columns[2] = { place.column_of (0), place.column_of (1) };

#pragma unroll
    for (int y = 0; y < Block::HEIGHT; y++) {
      const Element *from = fine + (size_t) place.line_of (y) * p.fine_stride;

      block.set (y, 0, from[columns[0]]);
      block.set (y, 1, from[columns[1]]);
    }
  }
}

/* With CHECKED some of the block is outside of the plane. */
template <class Element, int HALO, bool CHECKED, class Block, class Place>
static __device__ __forceinline__ void
write_samples (
    const LabRegistersParameters &p, const Place &place, const Block &block)
{
  Element *to = (Element *) p.fine + (ptrdiff_t) place.line * p.fine_stride
      + place.column;

  if (!place.owns)
    return;
#pragma unroll
  for (int y = HALO; y < Block::HEIGHT - HALO; y++)
    if (!CHECKED || place.line + y < place.height)
      store_pair (
          to + (size_t) y * p.fine_stride, block.get (y, 0), block.get (y, 1));
}

/* Finds the number at a line and a column of fine in the subband where it
 * lies. */
template <class Element>
static __device__ __forceinline__ Element *
coefficient (const LabRegistersParameters &p, int line, int column)
{
  unsigned high = column & 1, lower = line & 1;

  return (Element *) p.subbands[2 * lower + high]
      + (size_t) (line >> 1) * (high ? p.high_stride : p.low_stride)
      + (column >> 1);
}

template <class Element, class Block, class Place>
static __device__ __forceinline__ void
read_coefficients (
    const LabRegistersParameters &p, const Place &place, Block &block)
{
  if (!place.border) {
#pragma unroll
    for (int i = 0; i < 2; i++) {
      const Element *upper = (const Element *) p.subbands[i]
          + (size_t) (place.line >> 1) * (i ? p.high_stride : p.low_stride)
          + (place.column >> 1);
      const Element *lower = (const Element *) p.subbands[2 + i]
          + (size_t) (place.line >> 1) * (i ? p.high_stride : p.low_stride)
          + (place.column >> 1);

#pragma unroll
      for (int y = 0; y < Block::HEIGHT; y += 2) {
        size_t at = (size_t) (y / 2) * (i ? p.high_stride : p.low_stride);

        block.set (y, i, upper[at]);
        block.set (y + 1, i, lower[at]);
      }
    }
  } else {
    int columns[2] = { place.column_of (0), place.column_of (1) };

#pragma unroll
    for (int y = 0; y < Block::HEIGHT; y++) {
      int line = place.line_of (y);

      /* Mirroring changes no parity, but in a plane of one line or column: that has no
       * high coefficients. */
#pragma unroll
      for (int i = 0; i < 2; i++)
        block.set (y, i,
            ((line ^ y) | (columns[i] ^ i)) & 1
                ? (Element) 0
                : *coefficient<Element> (p, line, columns[i]));
    }
  }
}

template <class Element, int HALO, bool CHECKED, class Block, class Place>
static __device__ __forceinline__ void
write_coefficients (
    const LabRegistersParameters &p, const Place &place, const Block &block)
{
  ptrdiff_t line = place.line >> 1, column = place.column >> 1;
  Element *to[4];

  if (!place.owns)
    return;
#pragma unroll
  for (int o = 0; o < 4; o++)
    to[o] = (Element *) p.subbands[o]
        + line * (ptrdiff_t) (o & 1 ? p.high_stride : p.low_stride) + column;
#pragma unroll
  for (int y = HALO; y < Block::HEIGHT - HALO; y++) {
#pragma unroll
    for (int i = 0; i < 2; i++)
      if (!CHECKED
          || (place.line + y < place.height && (i == 0 || place.owns_high)))
        convert (block.get (y, i),
            &to[2 * (y & 1) + i][(y / 2) * (i ? p.high_stride : p.low_stride)]);
  }
}

template <bool INVERSE, class Element, int HALO, bool CHECKED, class Block,
    class Place>
static __device__ __forceinline__ void
write_block (
    const LabRegistersParameters &p, const Place &place, const Block &block)
{
  if (INVERSE)
    write_samples<Element, HALO, CHECKED> (p, place, block);
  else
    write_coefficients<Element, HALO, CHECKED> (p, place, block);
}

/* --- A warp --- */

/* Returns the same number, but the compiler does not know. */
static __device__ __forceinline__ int
unknown (int number)
{
#ifdef __CUDA_ARCH__
  asm volatile("" : "+r"(number));
#endif
  return number;
}

static __device__ __forceinline__ uint32_t
bits_of (int number)
{
  return number;
}

static __device__ __forceinline__ uint32_t
bits_of (float number)
{
  return __float_as_uint (number);
}

/* Returns something of all results. What depends on it cannot be decided before
 * they are there: it takes half an instruction for each of them. */
template <int HALO, class Block>
static __device__ __forceinline__ uint32_t
sum_up (const Block &block)
{
  uint32_t sum = 0;

#pragma unroll
  for (int y = HALO; y < Block::HEIGHT - HALO; y++)
    sum ^= bits_of (block.get (y, 0)) ^ bits_of (block.get (y, 1));
  return sum;
}

template <class Block>
static __device__ __forceinline__ void
make_up (const LabRegistersParameters &p, Block &block)
{
#pragma unroll
  for (int y = 0; y < Block::HEIGHT; y++) {
    block.set (y, 0, unknown (p.seed + y));
    block.set (y, 1, unknown (p.seed - y));
  }
}

/* Transforms a block. Element is that of what is in global memory. HALO is 0 in
 * a kernel that measures what the halo costs, and filters nothing. */
template <PacoWaveletId ID, bool INVERSE, class Block, class Element, Part PART,
    int HALO>
static __device__ __forceinline__ void
transform_block (const LabRegistersParameters &p)
{
  /* This goes through a shuffle: the compiler knows then that lanes do not
   * differ. */
  unsigned warp = __shfl_sync (ALL_LANES, threadIdx.x / 32, 0);
  unsigned number = blockIdx.x * (LAB_REGISTERS_THREADS / 32) + warp;
  unsigned lane = threadIdx.x % 32;

  static_assert (HALO == 0 || HALO == Wavelet<ID>::REACH, "no other halo");
  if (number >= p.n_blocks)
    return;

  Position<ID, Block::HEIGHT, HALO> place (p, number, lane);
  Block block (warp, lane);

  if (PART == Part::ARITHMETIC)
    make_up (p, block);
  else if (INVERSE)
    read_coefficients<Element> (p, place, block);
  else
    read_samples<Element> (p, place, block);
  block.end_step ();
  if (PART != Part::MEMORY && INVERSE) {
    filter_columns<ID, true> (block);
    block.end_step ();
    filter_lines<ID, true> (block);
  } else if (PART != Part::MEMORY) {
    filter_lines<ID, false> (block);
    filter_columns<ID, false> (block);
  }
  if (PART == Part::ARITHMETIC && !p.writes
      && sum_up<HALO> (block) != (uint32_t) p.seed)
    return;
  if (place.border)
    write_block<INVERSE, Element, HALO, true> (p, place, block);
  else
    write_block<INVERSE, Element, HALO, false> (p, place, block);
}

/* Says where a warp keeps its block of 64 columns and HEIGHT lines while it
 * filters it, and how a lane gets at numbers of the lanes beside it (text 000,
 * section V): in registers with shuffles, in registers with an auxiliary buffer
 * in shared memory, or wholly in shared memory. A lane has columns 2 * lane and
 * 2 * lane + 1. All three have
 * 
 *   get (y, i), set (y, i, number)  line y, column i of the lane's two
 *   even_after (y), odd_before (y)  the nearest number of the lane after, or before
 *   end_step ()                     all lanes have taken a step of the lifting */

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
