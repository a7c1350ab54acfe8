/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The encoder's scans of a bitplane (FORMAT.md sections 7.3 and 7.5). The encoder finds
 * out beforehand, 32 lines at a time, which coefficients take part in a scan and become
 * significant, so all contexts are known before the visits. They are stored as bytes,
 * the places of their probabilities in the rows (bpc.h): byte k of contexts (side, j)
 * is that of line 8 * k + j, in stripe k.
 *
 * All scans of a plane are this code, and visits are a loop of one line: warps are in
 * different scans at the same time, and code that does not fit the instruction cache
 * costs more than the loop. */
#pragma once
#include "gpu/kernels/bpc_contexts.cuh"

template <int PASSES> struct EncodeScanner
{
  using L = Layout<PASSES>;
  using B = Block<true, PASSES>;

  B &block;
  ArithmeticCoder<true> &coder;
  uint32_t bits[2], members[2];
  uint32_t lines[2]; /* With several scans: where some lane has a member. */

  DEVICE EncodeScanner (B &block_, ArithmeticCoder<true> &coder_)
      : block (block_), coder (coder_)
  {
  }

  /* For SCAN_NEIGHBORS: reduces `coded` from coefficients that may take part to those
   * that do, and `fresh` from those that would become significant to those that do.
   * Unvisited neighbors of a new coefficient take part as well, and may be new
   * themselves. Down a column the carry of an addition follows that through 32 lines;
   * from column to column it takes a few rounds. */
  DEVICE void follow (uint32_t w, uint32_t (&coded)[2], uint32_t (&fresh)[2])
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

  /* Sets CODED and FRESH to what the scan will leave there. Returns how many
   * coefficients of the lane become significant. */
  DEVICE uint32_t find_fresh (Scan scan, uint32_t plane)
  {
    uint32_t n = 0;

#pragma unroll 1
    for (uint32_t w = 0; w < block.words; w++) {
      if (!block.any_awake (w))
        continue;

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
        if (scan == SCAN_NEIGHBORS)
          block.at (L::CODED, side, w) = coded[side];
        n += __popc (fresh[side]);
      }
      if (scan == SCAN_NEIGHBORS)
        __syncwarp ();
    }
    __syncwarp ();
    return n;
  }

  DEVICE void put_contexts (int side, const uint32_t (&c)[6], uint32_t refined)
  {
    uint32_t bits_of[8];

    /* c, or for refinement 48 + c / 8. */
    static_assert (
        PACO_REFINEMENT_SHIFT == 3 && PACO_GPU_REFINEMENT_PLACE == 48,
        "these are the places below");
#pragma unroll
    for (int k = 0; k < 3; k++)
      bits_of[k] = (refined & c[3 + k]) | (~refined & c[k]);
    bits_of[3] = ~refined & c[3];
    bits_of[4] = refined | c[4];
    bits_of[5] = refined | c[5];
    bits_of[6] = bits_of[7] = 0;
    transpose_bytes (bits_of);
#pragma unroll
    for (int j = 0; j < 8; j++)
      block.contexts (side, j) = bits_of[j];
  }

  /* Returns whether any coefficient of 32 lines is to be visited. */
  DEVICE bool begin_words (Scan scan, uint32_t plane, uint32_t w)
  {
    uint2 both = block.plane_word (plane, w);

    bits[LEFT] = both.x;
    bits[RIGHT] = both.y;
#pragma unroll
    for (int side = 0; side < 2; side++) {
      members[side] = scan == SCAN_NEIGHBORS ? block.at (L::CODED, side, w)
                                             : block.members (scan, side, w);
      if (scan == SCAN_REST)
        block.at (L::CODED, side, w) |= members[side];
      if (PASSES > 1)
        lines[side] = or_of_lanes (members[side]);
    }
    if (PASSES > 1 && !(lines[LEFT] | lines[RIGHT]))
      return false;

    Surroundings<true, PASSES, true> around (block, w);

#pragma unroll 1
    for (int side = 0; side < 2; side++) {
      uint32_t c[6], refined = scan == SCAN_REFINEMENT ? ~0u : 0;

      if (scan == SCAN_ALL)
        refined = around.own ().before;
      around.sum (block.orientation, c);
      put_contexts (side, c, refined);
      around.move_on ();
    }
    return true;
  }

  /* ALL: all lanes take part in all visits. */
  template <bool ALL, bool SHARED>
  DEVICE void visit_stripe (uint32_t w, uint32_t k)
  {
    uint32_t density = block.density (w, k);
    uint32_t row = shared_address () + PACO_BPC_ROW_BYTES * density;
    uint32_t places = shared_address () + block.context_place () + k;
    uint32_t line = 1u << PACO_STRIPE_LINES * k;
    uint32_t end = line << PACO_STRIPE_LINES; /* 0 at last */

#pragma unroll 1
    do {
#pragma unroll
      for (int side = 0; side < 2; side++) {
        uint32_t place = shared_byte (places + 128 * PACO_STRIPE_LINES * side);
        uint32_t probability = shared_byte (row + place) << 24;
        bool active = members[side] & line;

        /* Where a plane has several scans, in many visits no lane takes part. */
        if (ALL || PASSES == 1 || lines[side] & line)
          coder.visit<ALL, SHARED> (active, bits[side] & line, probability);
      }
      places += 128;
      line <<= 1;
    } while (line != end);
  }

  template <bool SHARED> DEVICE void visit_words (uint32_t w)
  {
    bool whole = PASSES == 1 && block.is_whole (32 * w, 32);

#pragma unroll 1
    for (uint32_t k = 0; k < 4; k++) {
      if (!(block.awake >> (4 * w + k) & 1))
        continue;
      if (whole)
        visit_stripe<true, SHARED> (w, k);
      else
        visit_stripe<false, SHARED> (w, k);
    }
  }

  /* Returns how many coefficients of the lane became significant. */
  DEVICE uint32_t run (Scan scan, uint32_t plane)
  {
    uint32_t n = scan == SCAN_REFINEMENT ? 0 : find_fresh (scan, plane);

#pragma unroll 1
    for (uint32_t w = 0; w < block.words; w++) {
      if (!block.any_awake (w) || !begin_words (scan, plane, w))
        continue;
      if (coder.sharing)
        visit_words<true> (w);
      else
        visit_words<false> (w);
    }
    __syncwarp ();
    return n;
  }
};
