/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The encoder's scans of a bitplane (FORMAT.md sections 7.3 and 7.5): it finds
 * out beforehand, 32 lines at a time, who takes part in a scan and becomes
 * significant in it, so contexts need no visits. As bytes they are the places
 * of the probabilities in the table, byte k of contexts (side, j) that of line
 * 8 * k + j.
 *
 * All scans of a plane are this code, and visits are a loop of one line: warps
 * are in different scans at a time, and code that does not fit the instruction
 * cache costs more than the loop. */
#pragma once
#include "gpu/kernels/bpc_contexts.cuh"

template <int PASSES, bool SHARED> struct EncodeScanner
{
  using L = Layout<PASSES>;
  using B = Block<true, PASSES>;

  B &block;
  ArithmeticCoder<true, SHARED> &coder;
  uint32_t bits[2], members[2];

  __device__ __forceinline__ EncodeScanner (
      B &block_, ArithmeticCoder<true, SHARED> &coder_)
      : block (block_), coder (coder_)
  {
  }

  __device__ __forceinline__ void follow (
      uint32_t w, uint32_t (&coded)[2], uint32_t (&fresh)[2]);
  __device__ __forceinline__ uint32_t find_fresh (Scan scan, uint32_t plane);
  __device__ __forceinline__ void put_contexts (
      int side, const uint32_t (&c)[6], uint32_t refined);
  __device__ __forceinline__ bool begin_words (
      Scan scan, uint32_t plane, uint32_t w);
  template <bool ALL>
  __device__ __forceinline__ void visit_lines (uint32_t n_lines);
  __device__ __forceinline__ uint32_t run (Scan scan, uint32_t plane);
};

/* SCAN_NEIGHBORS: coded: who may take part; returns who does. fresh: who would
 * become significant; returns who does.
 *
 * Each new coefficient brings in its neighbours that are still to be visited,
 * and these may be new in turn. Down a column a carry follows that through all
 * 32 lines; from column to column it takes a few rounds. */
template <int PASSES, bool SHARED>
__device__ __forceinline__ void
EncodeScanner<PASSES, SHARED>::follow (
    uint32_t w, uint32_t (&coded)[2], uint32_t (&fresh)[2])
{
  uint32_t near[2], found[2] = { 0, 0 };
  bool more;

  near[LEFT] = block.with_neighbors (LEFT, w);
  near[RIGHT] = block.with_neighbors (RIGHT, w);
  do {
    uint32_t before = __shfl_up_sync (ALL_LANES, found[RIGHT], 1);
    uint32_t old[2] = { found[LEFT], found[RIGHT] }, after;

    if (block.lane == 0)
      before = 0;
    near[LEFT] |= (found[LEFT] | found[RIGHT] | before) << 1;
    found[LEFT] = near[LEFT] & fresh[LEFT];
    found[LEFT] |= ((fresh[LEFT] + found[LEFT]) ^ fresh[LEFT]) & fresh[LEFT];
    after = __shfl_down_sync (ALL_LANES, found[LEFT], 1);
    if (block.lane == 31)
      after = 0;
    near[RIGHT] |= (found[RIGHT] | found[LEFT] | after) << 1 | found[LEFT]
        | after;
    found[RIGHT] = near[RIGHT] & fresh[RIGHT];
    found[RIGHT] |= ((fresh[RIGHT] + found[RIGHT]) ^ fresh[RIGHT])
        & fresh[RIGHT];
    more = found[LEFT] != old[LEFT] || found[RIGHT] != old[RIGHT];
  } while (__any_sync (ALL_LANES, more));
#pragma unroll
  for (int side = 0; side < 2; side++) {
    fresh[side] = found[side];
    coded[side] &= near[side];
  }
}

/* Before the scan: CODED and FRESH as the scan leaves them. Returns how many
 * coefficients of the lane become significant. */
template <int PASSES, bool SHARED>
__device__ __forceinline__ uint32_t
EncodeScanner<PASSES, SHARED>::find_fresh (Scan scan, uint32_t plane)
{
  uint32_t n = 0;

#pragma unroll 1
  for (uint32_t w = 0; w < block.words; w++) {
    uint2 both = block.plane_word (plane, w);
    uint32_t coded[2], fresh[2] = { both.x, both.y };

#pragma unroll
    for (int side = 0; side < 2; side++) {
      coded[side] = block.members (scan, side, w);
      fresh[side] &= scan == SCAN_ALL ? ~block.at (L::SIGNIFICANT, side, w)
                                      : coded[side];
    }
    if (scan == SCAN_NEIGHBORS)
      follow (w, coded, fresh);
#pragma unroll
    for (int side = 0; side < 2; side++) {
      block.at (L::FRESH, side, w) = fresh[side];
      if (scan == SCAN_INSIGNIFICANT || scan == SCAN_NEIGHBORS)
        block.at (L::CODED, side, w) = coded[side];
      n += __popc (fresh[side]);
    }
    if (scan == SCAN_NEIGHBORS)
      __syncwarp ();
  }
  __syncwarp ();
  return n;
}

template <int PASSES, bool SHARED>
__device__ __forceinline__ void
EncodeScanner<PASSES, SHARED>::put_contexts (
    int side, const uint32_t (&c)[6], uint32_t refined)
{
  uint32_t bits_of[8];

  /* min (c, 31), or for refinement 32 + min (c, 31) / 8; times four, as the
   * table has words. */
  bits_of[0] = bits_of[1] = 0;
  bits_of[2] = (refined & c[3]) | (~refined & c[0]) | c[5];
  bits_of[3] = (refined & c[4]) | (~refined & c[1]) | c[5];
#pragma unroll
  for (int k = 2; k < 5; k++)
    bits_of[2 + k] = ~refined & (c[k] | c[5]);
  bits_of[7] = refined;
  transpose_bytes (bits_of);
#pragma unroll
  for (int j = 0; j < 8; j++)
    block.contexts (side, j) = bits_of[j];
}

/* Returns whether there is anybody to visit. */
template <int PASSES, bool SHARED>
__device__ __forceinline__ bool
EncodeScanner<PASSES, SHARED>::begin_words (
    Scan scan, uint32_t plane, uint32_t w)
{
  uint2 both = block.plane_word (plane, w);

  bits[LEFT] = both.x;
  bits[RIGHT] = both.y;
#pragma unroll
  for (int side = 0; side < 2; side++) {
    members[side] = scan == SCAN_INSIGNIFICANT || scan == SCAN_NEIGHBORS
        ? block.at (L::CODED, side, w)
        : block.members (scan, side, w);
    if (scan == SCAN_REST)
      block.at (L::CODED, side, w) |= members[side];
  }
  if (PASSES > 1 && !__any_sync (ALL_LANES, members[LEFT] | members[RIGHT]))
    return false;

  Surroundings<true, PASSES, true> around (block, w);

#pragma unroll
  for (int side = 0; side < 2; side++) {
    uint32_t c[6], refined = scan == SCAN_REFINEMENT ? ~0u : 0;

    if (scan == SCAN_ALL)
      refined = around.own (side).before;
    around.sum (side, c);
    put_contexts (side, c, refined);
  }
  return true;
}

/* 32 lines, or what there is of them. ALL: all lanes take part in all visits.
 */
template <int PASSES, bool SHARED>
template <bool ALL>
__device__ __forceinline__ void
EncodeScanner<PASSES, SHARED>::visit_lines (uint32_t n_lines)
{
  const char *table = (const char *) shared;

#pragma unroll 1
  for (uint32_t first = 0; first < n_lines; first += 8) {
#pragma unroll 1
    for (uint32_t j = 0; j < 8; j++) {
#pragma unroll
      for (int side = 0; side < 2; side++) {
        const uint8_t *places = (const uint8_t *) &block.contexts (side, j);
        uint32_t probability = *(const uint32_t *) (table + places[first / 8]);
        bool active = members[side] & 1;

        /* Where scans share a plane, many visits are nobody's. */
        if (ALL)
          coder.visit_all (bits[side] & 1, probability);
        else if (PASSES == 1 || __any_sync (ALL_LANES, active))
          coder.visit (active, bits[side] & 1, probability);
        members[side] >>= 1;
        bits[side] >>= 1;
      }
    }
  }
}

/* Returns how many coefficients of the lane became significant. */
template <int PASSES, bool SHARED>
__device__ __forceinline__ uint32_t
EncodeScanner<PASSES, SHARED>::run (Scan scan, uint32_t plane)
{
  uint32_t n = scan == SCAN_REFINEMENT ? 0 : find_fresh (scan, plane);

#pragma unroll 1
  for (uint32_t w = 0; w < block.words; w++) {
    if (!begin_words (scan, plane, w))
      continue;
    if (PASSES == 1 && block.is_whole (32 * w, 32))
      visit_lines<true> (32);
    else
      visit_lines<false> (min (32, block.height - 32 * w));
  }
  __syncwarp ();
  return n;
}
