/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The encoder's scans (FORMAT.md sections 7.3 and 7.5): it knows beforehand
 * what every visit will find, so contexts need no visits. As bytes they are the
 * places of the probabilities in the table. */
#pragma once
#include "gpu/kernels/bpc_contexts.cuh"
#include "gpu/kernels/bpc_scan.cuh"

template <int PASSES, int LANES_PER_STREAM, int SCAN> struct WordScanner
{
  using L = Layout<true, PASSES>;
  using B = Block<true, PASSES>;

  static constexpr bool REFINES = SCAN == SCAN_REFINEMENT;

  B &block;
  Coder<true, LANES_PER_STREAM> &coder;
  uint32_t bits[2], members[2];
  /* Byte k of places[side][j]: line 8 * k + j's place in the table. */
  uint32_t places[2][8];

  __device__ __forceinline__ WordScanner (
      B &block_, Coder<true, LANES_PER_STREAM> &coder_)
      : block (block_), coder (coder_)
  {
  }

  __device__ __forceinline__ uint32_t find_fresh (uint32_t plane);
  __device__ __forceinline__ void place (
      int side, const uint32_t (&c)[6], uint32_t refined);
  __device__ __forceinline__ void begin_words (uint32_t plane, uint32_t w);
  __device__ __forceinline__ void visit_whole (uint32_t k);
  __device__ __forceinline__ void visit_any (uint32_t w);
  __device__ __forceinline__ uint32_t scan (uint32_t plane);
};

/* Returns how many coefficients of the lane become significant. */
template <int PASSES, int LANES_PER_STREAM, int SCAN>
__device__ __forceinline__ uint32_t
WordScanner<PASSES, LANES_PER_STREAM, SCAN>::find_fresh (uint32_t plane)
{
  uint32_t n = 0;

#pragma unroll 1
  for (uint32_t w = 0; w < block.words; w++) {
    uint2 both = block.plane_word (plane, w);
    uint32_t left = both.x & ~block.at (L::SIGNIFICANT, LEFT, w);
    uint32_t right = both.y & ~block.at (L::SIGNIFICANT, RIGHT, w);

    block.at (L::FRESH, LEFT, w) = left;
    block.at (L::FRESH, RIGHT, w) = right;
    n += __popc (left) + __popc (right);
  }
  __syncwarp ();
  return n;
}

template <int PASSES, int LANES_PER_STREAM, int SCAN>
__device__ __forceinline__ void
WordScanner<PASSES, LANES_PER_STREAM, SCAN>::place (
    int side, const uint32_t (&c)[6], uint32_t refined)
{
  uint32_t *bits_of = places[side];

  /* min (c, 31), or for refinement 32 + min (c, 31) / 8; times four. */
  bits_of[0] = bits_of[1] = 0;
  bits_of[2] = (refined & c[3]) | (~refined & c[0]) | c[5];
  bits_of[3] = (refined & c[4]) | (~refined & c[1]) | c[5];
#pragma unroll
  for (int k = 2; k < 5; k++)
    bits_of[2 + k] = ~refined & (c[k] | c[5]);
  bits_of[7] = refined;
  transpose_bytes (places[side]);
}

template <int PASSES, int LANES_PER_STREAM, int SCAN>
__device__ __forceinline__ void
WordScanner<PASSES, LANES_PER_STREAM, SCAN>::begin_words (
    uint32_t plane, uint32_t w)
{
  Surroundings<true, PASSES, !REFINES> around (block, w);
  uint2 both;

#pragma unroll
  for (int side = 0; side < 2; side++) {
    uint32_t c[6];

    if (SCAN == SCAN_REFINEMENT)
      members[side] = block.at (L::OLD, side, w);
    if (SCAN == SCAN_INSIGNIFICANT)
      members[side] = ~block.at (L::OLD, side, w);
    around.sum (side, c);
    place (side, c, REFINES ? ~0u : around.own (side).before);
  }
  both = block.plane_word (plane, w);
  bits[LEFT] = both.x;
  bits[RIGHT] = both.y;
}

/* Eight lines in which all lanes take part in all visits. */
template <int PASSES, int LANES_PER_STREAM, int SCAN>
__device__ __forceinline__ void
WordScanner<PASSES, LANES_PER_STREAM, SCAN>::visit_whole (uint32_t k)
{
  const char *table = (const char *) shared;
  uint32_t lines[2] = { bits[LEFT] >> (8 * k), bits[RIGHT] >> (8 * k) };

#pragma unroll
  for (int j = 0; j < 8; j++) {
#pragma unroll
    for (int side = 0; side < 2; side++) {
      uint32_t place = __byte_perm (places[side][j], 0, 0x4440 | k);

      coder.visit_all (
          lines[side] & 1u << j, *(const uint32_t *) (table + place));
    }
  }
}

/* 32 lines, or what there is of them. Not unrolled: the instruction cache is
 * for visit_whole(), which most visits are. */
template <int PASSES, int LANES_PER_STREAM, int SCAN>
__device__ __forceinline__ void
WordScanner<PASSES, LANES_PER_STREAM, SCAN>::visit_any (uint32_t w)
{
  const char *table = (const char *) shared;
  uint32_t n_lines = min (32, block.height - 32 * w);

#pragma unroll
  for (int side = 0; side < 2; side++)
#pragma unroll
    for (int j = 0; j < 8; j++)
      block.contexts (side, j) = places[side][j];
#pragma unroll 1
  for (uint32_t line = 0; line < n_lines; line++) {
#pragma unroll
    for (int side = 0; side < 2; side++) {
      uint32_t place = __byte_perm (
          block.contexts (side, line % 8), 0, 0x4440 | line / 8);
      uint32_t probability = *(const uint32_t *) (table + place);
      uint32_t bit = bits[side] >> line & 1;
      bool active = block.column[side];

      if (SCAN != SCAN_ALL)
        active = active && (members[side] >> line & 1);
      coder.visit (active, bit, probability);
    }
  }
}

template <int PASSES, int LANES_PER_STREAM, int SCAN>
__device__ __forceinline__ uint32_t
WordScanner<PASSES, LANES_PER_STREAM, SCAN>::scan (uint32_t plane)
{
  uint32_t n = REFINES ? 0 : find_fresh (plane);

#pragma unroll 1
  for (uint32_t w = 0; w < block.words; w++) {
    begin_words (plane, w);
    if (SCAN == SCAN_ALL && LANES_PER_STREAM == 1
        && block.is_whole (32 * w, 32)) {
#pragma unroll 1
      for (uint32_t k = 0; k < 4; k++)
        visit_whole (k);
    } else {
      visit_any (w);
    }
  }
  return n;
}
