/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What a warp keeps of its codeblock while it codes it, in shared memory, and
 * the tables of a bitplane. */
#pragma once
#include "gpu/kernels/bpc.h"
#include "gpu/kernels/lanes.cuh"

enum
{
  LEFT,
  RIGHT,
};

/* codec/probability.h and wavelet.h, which CUDA cannot include. */
constexpr int REFINEMENT_CONTEXT = 32;
constexpr int SIGN_CONTEXT = REFINEMENT_CONTEXT + 4;
constexpr int ORIENTATION_LL = 0, ORIENTATION_HL = 1, ORIENTATION_HH = 3;

/* Shared memory: the tables, then for every 32 lines of the block the arrays
 * below, then the raw signs. A bit of a word is a line, a word is
 * a lane's, so no two lanes ever meet in a bank. Arrays come with the lanes'
 * left columns, then their right ones. */
template <bool ENCODE, int PASSES> struct Layout
{
  /* Signs that were coded: of which coefficients, and which are negative. The
   * encoder's SIGN has all signs. */
  static constexpr int KNOWN = 0;
  static constexpr int SIGN = 64;
  /* What became significant in the scan before. */
  static constexpr int FRESH = 128;
  /* Sign contexts of one column: bits 4 * k + (0..3) of word j are of line
   * 4 * k + j. */
  static constexpr int SIGN_WORDS = 192;
  /* Significant now, and when the plane began; coded in this plane. With one
   * pass SIGNIFICANT is KNOWN: signs that are not coded come last. */
  static constexpr int SIGNIFICANT = PASSES > 1 ? 320 : KNOWN;
  static constexpr int OLD = 384;
  static constexpr int CODED = 448;
  /* Where contexts are counted visit by visit (bpc_scan.cuh): of 32 lines, a
   * byte a coefficient, in the place of the sign contexts of 128. */
  static constexpr bool COUNTS = !ENCODE || PASSES == 3;
  static constexpr int SIZE = PASSES > 1 ? 512 : 320;
};

/* Tables of the plane; a value is P, in the highest byte. Where contexts are
 * counted (COUNTS) they come as 0..36, not yet cut to 31, and 64 more for a
 * significant coefficient; else as in the format. The sign table is
 * bpc_signs.cuh's. */
constexpr int SIGN_TABLE = 40;
constexpr int REFINEMENT_TABLE = 64;
/* The decoder's next codewords, and what bpc_scan.cuh adds up. */
constexpr int CODEWORD_RING = 104;
constexpr int WEIGHT_TABLE = CODEWORD_RING + 128;

/* The entry of the sign table that this lane fills: its context in the format,
 * and in bit 0 whether the symbol is inverted. h and v are those of FORMAT.md
 * 7.5, exchanged already in HL. The encoder knows all of a sign's context
 * beforehand and inverts symbols itself; its index says in bits 0 and 1 whether
 * h and v are not 0, and in bit 2 whether they are opposed. The decoder's is
 * 5 * h + v, from the sums of the lateral and the vertical signs, h of
 * -1, 0, 1 plus 1, v of -2 .. 2 plus 2. */
template <bool ENCODE>
static __device__ uint32_t
sign_entry_of_lane (uint32_t lane, uint32_t orientation)
{
  int h, v;

  if (ENCODE) {
    h = lane & 1;
    v = lane & 4 ? -1 : (int) (lane >> 1 & 1);
  } else {
    h = (int) (lane / 5) - 1;
    v = (int) (lane % 5) - 2;
    v = (v > 0) - (v < 0);
    if (orientation == ORIENTATION_HL) {
      int swap = h;

      h = v;
      v = swap;
    }
  }

  bool inverted = h < 0 || (h == 0 && v < 0);

  if (inverted) {
    h = -h;
    v = -v;
  }
  return (h > 0 ? 1 - v : v > 0 ? 3 : 4) * 2 + inverted;
}

template <bool ENCODE, int PASSES> struct Block
{
  using L = Layout<ENCODE, PASSES>;

  static constexpr int TABLE_WORDS = L::COUNTS ? PACO_BPC_COUNTING_TABLE_WORDS
                                               : PACO_BPC_TABLE_WORDS;

  uint32_t lane, width, height;
  uint32_t words;      /* of a column of a plane */
  bool column[2];      /* whether the lane has them */
  uint32_t sign_entry; /* of the lane in the sign table: context, inverted */
  uint32_t orientation;
  uint32_t n_significant;
  /* Bitplanes in scratch memory: plane p, 32 lines w, lane t, side:
   * planes[((p * words + w) * 32 + t) * 2 + side]. This points to lane's. */
  uint2 *planes;

  __device__ __forceinline__ uint32_t &at (int array, uint32_t w)
  {
    return shared[TABLE_WORDS + w * L::SIZE + array + lane];
  }

  __device__ __forceinline__ uint32_t &at (int array, int side, uint32_t w)
  {
    return at (array + 32 * side, w);
  }

  /* The word of the column left or right of the lane's columns. */
  __device__ __forceinline__ uint32_t beyond (int array, int side, uint32_t w)
  {
    if (side == LEFT)
      return lane > 0 ? (&at (array, RIGHT, w))[-1] : 0;
    return lane < 31 ? (&at (array, LEFT, w))[1] : 0;
  }

  /* Contexts of four of the 32 lines that are visited. */
  __device__ __forceinline__ uint32_t &contexts (int side, uint32_t group)
  {
    return at (L::SIGN_WORDS + group % 2 * 64, side, group / 2);
  }

  /* A visit to these lines has all lanes in it. */
  __device__ __forceinline__ bool is_whole (
      uint32_t first_line, uint32_t n) const
  {
    return width == 64 && first_line + n <= height;
  }

  __device__ __forceinline__ uint2 &plane_word (uint32_t plane, uint32_t w)
  {
    return planes[(plane * words + w) * 32];
  }

  __device__ __forceinline__ void init (const PacoGpuBlock &block,
      uint32_t *scratch, uint32_t max_planes, uint32_t lane_)
  {
    lane = lane_;
    width = block.width;
    height = block.height;
    words = (height + 31) / 32;
    column[LEFT] = 2 * lane < width;
    column[RIGHT] = 2 * lane + 1 < width;
    orientation = block.orientation;
    n_significant = 0;
    planes = (uint2 *) (scratch + (size_t) block.columns * max_planes) + lane;
    sign_entry = sign_entry_of_lane<ENCODE> (lane, orientation);
  }

  __device__ void clear ();
  __device__ void load_tables (const uint8_t *rows, uint32_t plane);
};

template <bool ENCODE, int PASSES>
__device__ void
Block<ENCODE, PASSES>::clear ()
{
  for (uint32_t w = 0; w < words; w++) {
#pragma unroll
    for (int array = 0; array < L::SIZE; array += 32) {
      if (ENCODE && (array == L::SIGN || array == L::SIGN + 32))
        continue;
      at (array, w) = 0;
    }
  }
}

/* Chooses the row of the probability set for a plane that begins. */
template <bool ENCODE, int PASSES>
__device__ void
Block<ENCODE, PASSES>::load_tables (const uint8_t *rows, uint32_t plane)
{
  uint32_t n = width * height;
  uint64_t square = (uint64_t) n_significant * n_significant;
  uint32_t dense = __ballot_sync (
      ALL_LANES, lane < 15 && square << lane <= (uint64_t) n * n);
  uint32_t density = n_significant == 0 ? 0 : 32 - __clz (dense);
  uint32_t kind = orientation == ORIENTATION_LL ? 0
      : orientation == ORIENTATION_HH           ? 2
                                                : 1;
  const uint8_t *row = rows
      + PACO_GPU_ROW_BYTES * ((kind * 4 + min (plane, 3)) * 16 + density);

  __syncwarp ();
  shared[lane] = __ldg (row + lane) << 24;
  if (L::COUNTS) {
    shared[REFINEMENT_TABLE + lane] =
        __ldg (row + REFINEMENT_CONTEXT + lane / 8) << 24;
    if (lane < 5) {
      shared[32 + lane] = __ldg (row + 31) << 24;
      shared[REFINEMENT_TABLE + 32 + lane] =
          __ldg (row + REFINEMENT_CONTEXT + 3) << 24;
    }
  } else if (lane < 4) {
    shared[REFINEMENT_CONTEXT + lane] = __ldg (row + REFINEMENT_CONTEXT + lane)
        << 24;
  }
  if (lane < 15)
    shared[SIGN_TABLE + lane] = __ldg (row + SIGN_CONTEXT + sign_entry / 2)
            << 24
        | (sign_entry & 1);
  __syncwarp ();
}
