/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The decoder's scans of a bitplane (FORMAT.md sections 7.3 and 7.5).
 *
 * It forms the contexts of 32 lines without what it will find in them
 * (bpc_contexts.cuh), a byte a coefficient. Then a window of four lines slides
 * down the columns:
 *
 *        here (a word a column)       ahead
 *   [ line | + 1 | + 2 | + 3 ] <- [ + 4 | ... ]
 *      |      ^     ^
 *      |      +-----+---- weights of what is found
 *      +-- visited: looked up, decoded
 *
 * A visit looks up the lowest byte's probability and decodes. Only where the
 * warp found a new coefficient, it adds its weight to the bytes of its
 * neighbours that are still to be visited, all of them in the window: what to
 * add depends on three bits, whether the lane before, this one and the one
 * after found any, and comes out of a table. Bit 6 of a byte says that the
 * coefficient is significant itself.
 *
 * All scans of a plane are this code, and visits are a loop of one or two lines,
 * because of the instruction cache (bpc_scan_encode.cuh). */
#pragma once
#include "gpu/kernels/bpc_contexts.cuh"

constexpr uint32_t SIGNIFICANT_FLAG = 0x40;

/* Weights on the lines 0 .. 2 below a new coefficient, lowest byte first: in its
 * own column, the next ones, and those two away. */
constexpr uint32_t OWN_WEIGHTS = 0x010300;
constexpr uint32_t NEXT_WEIGHTS = 0x010303;
constexpr uint32_t FAR_WEIGHTS = 0x000101;

/* Contexts of a column, four lines a word. */
struct ContextWindow
{
  uint32_t here, ahead;
};

/* The table: for each side visited, line i of the window and the three bits,
 * lane before lowest, what to add to the lane's column of that side and to its
 * other one. */
static __device__ __forceinline__ void
fill_weights (uint32_t lane)
{
  uint32_t side = lane / 16, i = lane / 8 % 2;
  uint32_t before = lane & 1, own = lane >> 1 & 1, after = lane >> 2 & 1;
  /* The other column is between two of the visited side. */
  uint32_t next = own + (side == LEFT ? after : before);
  uint32_t *out = shared + WEIGHT_TABLE + 2 * lane;

  out[0] = (own * OWN_WEIGHTS + (before + after) * FAR_WEIGHTS) << (8 * i);
  out[1] = next * NEXT_WEIGHTS << (8 * i);
  __syncwarp ();
}

/* Bytes of words j, j + 8, .. to words of four lines: byte k of bits[j] is line
 * 8 * k + j, and becomes byte j % 4 of bits[2 * k + j / 4]. */
static __device__ __forceinline__ void
sort_lines (uint32_t (&bits)[8])
{
  uint32_t sorted[8];

#pragma unroll
  for (int half = 0; half < 2; half++) {
    const uint32_t *x = bits + 4 * half;
    uint32_t low[2] = { __byte_perm (x[0], x[1], 0x5140),
      __byte_perm (x[2], x[3], 0x5140) };
    uint32_t high[2] = { __byte_perm (x[0], x[1], 0x7362),
      __byte_perm (x[2], x[3], 0x7362) };

    sorted[half] = __byte_perm (low[0], low[1], 0x5410);
    sorted[2 + half] = __byte_perm (low[0], low[1], 0x7632);
    sorted[4 + half] = __byte_perm (high[0], high[1], 0x5410);
    sorted[6 + half] = __byte_perm (high[0], high[1], 0x7632);
  }
#pragma unroll
  for (int k = 0; k < 8; k++)
    bits[k] = sorted[k];
}

template <int PASSES, bool SHARED> struct DecodeScanner
{
  using L = Layout<PASSES>;
  using B = Block<false, PASSES>;

  B &block;
  ArithmeticCoder<false, SHARED> &coder;
  ContextWindow window[2];
  uint32_t bits[2]; /* of the plane, these 32 lines */
  /* Who takes part, and with SCAN_NEIGHBORS, who does when it gets a neighbour.
   * Bit 0 is the line that is visited. */
  uint32_t members[2], candidates[2];
  uint32_t coded[2];             /* SCAN_NEIGHBORS: who took part */
  uint32_t rotation, lanes_mask; /* bring a ballot's bits to the table */

  __device__ __forceinline__ DecodeScanner (
      B &block_, ArithmeticCoder<false, SHARED> &coder_)
      : block (block_), coder (coder_)
  {
    rotation = (block.lane - 1 - 3) & 31;
    lanes_mask = block.lane == 0 ? 0x30 : block.lane == 31 ? 0x18 : 0x38;
  }

  __device__ __forceinline__ void form_contexts (uint32_t w);
  __device__ __forceinline__ bool begin_words (
      Scan scan, uint32_t plane, uint32_t w);
  __device__ __forceinline__ void end_words (
      Scan scan, uint32_t plane, uint32_t w);
  __device__ __forceinline__ void spread (int side, int i, bool is_new);
  template <bool ALL>
  __device__ __forceinline__ void visit (int side, int i, uint32_t line_bit);
  template <bool ALL>
  __device__ __forceinline__ void visit_lines (uint32_t group);
  __device__ __forceinline__ void visit_group (uint32_t w, uint32_t group);
  __device__ __forceinline__ uint32_t run (Scan scan, uint32_t plane);
};

/* Contexts without what these 32 lines will bring. */
template <int PASSES, bool SHARED>
__device__ __forceinline__ void
DecodeScanner<PASSES, SHARED>::form_contexts (uint32_t w)
{
  Surroundings<false, PASSES, false> around (block, w);

#pragma unroll
  for (int side = 0; side < 2; side++) {
    uint32_t c[6];

    around.sum (side, block.orientation, c);

    uint32_t bits_of[8] = { c[0], c[1], c[2], c[3], c[4], c[5],
      around.own (side).before, 0 };

    transpose_bytes (bits_of);
    sort_lines (bits_of);
#pragma unroll
    for (int group = 0; group < 8; group++)
      block.contexts (side, group) = bits_of[group];
    window[side].here = bits_of[0];
  }
}

/* Returns whether there is anybody to visit. */
template <int PASSES, bool SHARED>
__device__ __forceinline__ bool
DecodeScanner<PASSES, SHARED>::begin_words (
    Scan scan, uint32_t plane, uint32_t w)
{
  bool first = scan != SCAN_REFINEMENT && scan != SCAN_REST;
  uint2 both = first ? make_uint2 (0, 0) : block.plane_word (plane, w);

  bits[LEFT] = both.x;
  bits[RIGHT] = both.y;
#pragma unroll
  for (int side = 0; side < 2; side++) {
    members[side] = block.members (scan, side, w);
    candidates[side] = coded[side] = 0;
    if (scan == SCAN_NEIGHBORS) {
      candidates[side] = members[side];
      members[side] &= block.with_neighbors (side, w);
    }
  }
  if (PASSES > 1 && !__any_sync (ALL_LANES, members[LEFT] | members[RIGHT]))
    return false;
  form_contexts (w);
  return true;
}

template <int PASSES, bool SHARED>
__device__ __forceinline__ void
DecodeScanner<PASSES, SHARED>::end_words (Scan scan, uint32_t plane, uint32_t w)
{
  block.plane_word (plane, w) = make_uint2 (bits[LEFT], bits[RIGHT]);
#pragma unroll
  for (int side = 0; side < 2; side++) {
    uint32_t significant = block.at (L::SIGNIFICANT, side, w);

    if (scan != SCAN_REFINEMENT)
      block.at (L::FRESH, side, w) = bits[side] & ~significant;
    if (scan == SCAN_NEIGHBORS)
      block.at (L::CODED, side, w) = coded[side];
    if (scan == SCAN_INSIGNIFICANT || scan == SCAN_REST)
      block.at (L::CODED, side, w) |= ~significant;
  }
  /* For the contexts of the next ones. */
  __syncwarp ();
}

/* After a visit: the new coefficients' neighbours learn of them. */
template <int PASSES, bool SHARED>
__device__ __forceinline__ void
DecodeScanner<PASSES, SHARED>::spread (int side, int i, bool is_new)
{
  uint32_t who = __ballot_sync (ALL_LANES, is_new);

  if (who == 0)
    return;

  uint32_t lanes = __funnelshift_r (who, who, rotation) & lanes_mask;
  const char *weights =
      (const char *) (shared + WEIGHT_TABLE + 16 * (2 * side + i)) + lanes;
  uint2 add = *(const uint2 *) weights;

  window[side].here += add.x;
  window[1 - side].here += add.y;
  if (PASSES == 3) {
    /* Of SCAN_NEIGHBORS, those that are still to be visited. */
    if (is_new)
      members[side] |= candidates[side] & 2;
    if (add.y)
      members[1 - side] |= candidates[1 - side] & (side == LEFT ? 3 : 2);
  }
}

/* i: line of the window; 1 only where ALL lanes take part in all visits. */
template <int PASSES, bool SHARED>
template <bool ALL>
__device__ __forceinline__ void
DecodeScanner<PASSES, SHARED>::visit (int side, int i, uint32_t line_bit)
{
  uint32_t context = __byte_perm (window[side].here, 0, 0x4440 | i);
  bool significant = window[side].here & SIGNIFICANT_FLAG << (8 * i);
  bool active = ALL || members[side] & 1;
  bool bit;

  /* Where scans share a plane, many visits are nobody's. */
  if (PASSES > 1 && !__any_sync (ALL_LANES, active))
    return;
  if (PASSES == 3 && active)
    coded[side] |= line_bit;
  bit = ALL ? coder.visit_all (false, shared[context])
            : coder.visit (active, false, shared[context]) && active;
  if (bit)
    bits[side] |= line_bit;
  spread (side, i, bit && !significant);
}

/* Four lines. */
template <int PASSES, bool SHARED>
template <bool ALL>
__device__ __forceinline__ void
DecodeScanner<PASSES, SHARED>::visit_lines (uint32_t group)
{
  /* How far the window slides at a time. */
  constexpr int N = ALL && !SHARED ? 2 : 1;
  uint32_t line_bit = 1u << (4 * group);

#pragma unroll 1
  for (int line = 0; line < 4; line += N) {
#pragma unroll
    for (int i = 0; i < N; i++) {
      visit<ALL> (LEFT, i, line_bit << i);
      visit<ALL> (RIGHT, i, line_bit << i);
      coder.refill ();
    }
    line_bit <<= N;
#pragma unroll
    for (int side = 0; side < 2; side++) {
      if (!ALL)
        members[side] >>= N;
      candidates[side] >>= N;
      window[side].here = __funnelshift_r (
          window[side].here, window[side].ahead, 8 * N);
      window[side].ahead >>= 8 * N;
    }
  }
}

template <int PASSES, bool SHARED>
__device__ __forceinline__ void
DecodeScanner<PASSES, SHARED>::visit_group (uint32_t w, uint32_t group)
{
  for (int side = 0; side < 2; side++)
    window[side].ahead = block.contexts (side, min (group + 1, 7));
  if (PASSES == 1) {
    if (block.is_whole (32 * w + 4 * group, 4)) {
      visit_lines<true> (group);
      return;
    }
    for (int side = 0; side < 2; side++)
      members[side] = block.members (SCAN_ALL, side, w) >> (4 * group);
  } else if (!__any_sync (ALL_LANES, (members[LEFT] | members[RIGHT]) & 15)) {
    for (int side = 0; side < 2; side++) {
      members[side] >>= 4;
      candidates[side] >>= 4;
      window[side].here = window[side].ahead;
    }
    return;
  }
  visit_lines<false> (group);
}

/* Returns how many coefficients of the lane became significant. */
template <int PASSES, bool SHARED>
__device__ __forceinline__ uint32_t
DecodeScanner<PASSES, SHARED>::run (Scan scan, uint32_t plane)
{
  uint32_t n_fresh = 0;

#pragma unroll 1
  for (uint32_t w = 0; w < block.words; w++) {
    uint32_t n_groups = min (8, (block.height - 32 * w + 3) / 4);

    if (!begin_words (scan, plane, w))
      n_groups = 0;
#pragma unroll 1
    for (uint32_t group = 0; group < n_groups; group++)
      visit_group (w, group);
    end_words (scan, plane, w);
    if (scan != SCAN_REFINEMENT)
      n_fresh += __popc (block.at (L::FRESH, LEFT, w))
          + __popc (block.at (L::FRESH, RIGHT, w));
  }
  return n_fresh;
}
