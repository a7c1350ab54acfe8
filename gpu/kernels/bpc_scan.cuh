/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The scans of a bitplane (FORMAT.md sections 7.3 and 7.5).
 *
 * The decoder forms the contexts of 32 lines without what it will find in them
 * (bpc_contexts.cuh), a byte a coefficient. Then a visit takes one byte out of
 * a register, looks up a probability, codes, and only where the warp found a
 * new coefficient, adds its weight to the bytes of its neighbours that are
 * still to be visited, four lines at once: what to add depends on three bits,
 * whether the lane before, this one and the one after found any, and comes
 * out of a table. Bit 6 of a byte says that the coefficient is significant
 * itself. The encoder needs this only where the visits decide who is visited
 * next, in the first of three passes. */
#pragma once
#include "gpu/kernels/bpc_contexts.cuh"

enum Scan
{
  SCAN_ALL,           /* the merged scan of one pass */
  SCAN_INSIGNIFICANT, /* two passes: not significant */
  SCAN_NEIGHBORS,     /* three: the same, with significant neighbours */
  SCAN_REFINEMENT,    /* significant when the plane began */
  SCAN_REST,          /* three: not significant and not coded yet */
};

constexpr uint32_t SIGNIFICANT_FLAG = 0x40;

/* Weights on the lines -2 .. 2 around a new coefficient, lowest byte first: in
 * its own column, the next ones, and those two away. */
constexpr uint64_t OWN_WEIGHTS = 0x0103000301;
constexpr uint64_t NEXT_WEIGHTS = 0x0103030301;
constexpr uint64_t FAR_WEIGHTS = 0x0001010100;

/* Contexts of a column: the four lines visited and the four after. */
struct ContextWindow
{
  uint32_t here, after;
};

/* For a visit to line i of `here`, the part of weights that belongs to `here`,
 * and the one that belongs to `after`, none for i < 2. */
static __device__ __forceinline__ uint32_t
weights_here (uint64_t weights, uint32_t i)
{
  return i < 2 ? weights >> (16 - 8 * i) : weights << (8 * i - 16);
}

static __device__ __forceinline__ uint32_t
weights_after (uint64_t weights, uint32_t i)
{
  return i < 2 ? 0 : weights >> (48 - 8 * i);
}

/* The table: for each side visited, line i and the three bits, lane before
 * lowest, what to add to the lane's column of that side and to its other one:
 * here, then after. The eight entries of a visit are in different banks. */
static __device__ __forceinline__ void
fill_weights (uint32_t lane)
{
  for (uint32_t entry = lane; entry < 64; entry += 32) {
    uint32_t side = entry / 32, i = entry / 8 % 4;
    uint32_t before = entry & 1, own = entry >> 1 & 1, after = entry >> 2 & 1;
    /* The other column is between two of the visited side. */
    uint32_t next = own + (side == LEFT ? after : before);
    uint32_t *out = shared + WEIGHT_TABLE + 4 * entry;
    uint32_t far = before + after;

    out[0] = own * weights_here (OWN_WEIGHTS, i)
        + far * weights_here (FAR_WEIGHTS, i);
    out[1] = next * weights_here (NEXT_WEIGHTS, i);
    out[2] = own * weights_after (OWN_WEIGHTS, i)
        + far * weights_after (FAR_WEIGHTS, i);
    out[3] = next * weights_after (NEXT_WEIGHTS, i);
  }
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

template <bool ENCODE, int PASSES, int LANES_PER_STREAM, int SCAN>
struct Scanner
{
  using L = Layout<ENCODE, PASSES>;
  using B = Block<ENCODE, PASSES>;

  /* A scan that finds nothing new. */
  static constexpr bool REFINES = SCAN == SCAN_REFINEMENT;
  /* The first of the plane that visits coefficients. */
  static constexpr bool FIRST = SCAN != SCAN_REFINEMENT && SCAN != SCAN_REST;

  B &block;
  Coder<ENCODE, LANES_PER_STREAM> &coder;
  ContextWindow window[2];
  uint32_t bits[2];              /* of the plane, these 32 lines */
  uint32_t members[2];           /* who takes part in the scan */
  uint32_t found[2];             /* decoder: ones, in these four lines */
  uint32_t rotation, lanes_mask; /* bring a ballot's bits to the table */

  __device__ __forceinline__ Scanner (
      B &block_, Coder<ENCODE, LANES_PER_STREAM> &coder_)
      : block (block_), coder (coder_)
  {
    rotation = (block.lane - 1 - 4) & 31;
    lanes_mask = block.lane == 0 ? 0x60 : block.lane == 31 ? 0x30 : 0x70;
  }

  __device__ __forceinline__ void form_contexts (uint32_t w);
  __device__ __forceinline__ void begin_words (uint32_t plane, uint32_t w);
  __device__ __forceinline__ void end_words (uint32_t plane, uint32_t w);
  __device__ __forceinline__ uint32_t near_words (int side, uint32_t w);
  template <bool WHOLE>
  __device__ __forceinline__ void visit (
      int side, int i, uint32_t line, bool inside);
  __device__ __forceinline__ void spread (
      int side, int i, uint32_t line, bool is_new);
  template <bool WHOLE>
  __device__ __forceinline__ void visit_group (uint32_t first);
  __device__ __forceinline__ uint32_t scan (uint32_t plane);
};

/* Which coefficients have significant neighbours, before the visits to these
 * 32 lines: those of the plane, and those found in the line above. */
template <bool ENCODE, int PASSES, int LANES_PER_STREAM, int SCAN>
__device__ __forceinline__ uint32_t
Scanner<ENCODE, PASSES, LANES_PER_STREAM, SCAN>::near_words (
    int side, uint32_t w)
{
  constexpr int S = L::SIGNIFICANT, F = L::FRESH;
  int other = 1 - side;
  uint32_t rows[3]; /* columns side by side, on the lines above, here, below */
  uint32_t own = block.at (S, side, w), above = 0, below = 0;

  rows[1] = block.at (S, other, w) | block.beyond (S, side, w);
  rows[0] = own | rows[1];
  if (w > 0)
    above = block.at (S, side, w - 1) | block.at (F, side, w - 1)
        | block.at (S, other, w - 1) | block.at (F, other, w - 1)
        | block.beyond (S, side, w - 1) | block.beyond (F, side, w - 1);
  if (w + 1 < block.words)
    below = block.at (S, side, w + 1) | block.at (S, other, w + 1)
        | block.beyond (S, side, w + 1);
  return rows[1] | __funnelshift_l (above, rows[0], 1)
      | __funnelshift_r (rows[0], below, 1);
}

/* Contexts without what these 32 lines will bring. */
template <bool ENCODE, int PASSES, int LANES_PER_STREAM, int SCAN>
__device__ __forceinline__ void
Scanner<ENCODE, PASSES, LANES_PER_STREAM, SCAN>::form_contexts (uint32_t w)
{
  Surroundings<ENCODE, PASSES, false> around (block, w);

#pragma unroll
  for (int side = 0; side < 2; side++) {
    uint32_t c[6];

    around.sum (side, c);

    uint32_t bits_of[8] = { c[0], c[1], c[2], c[3], c[4], c[5],
      around.own (side).before, 0 };

    transpose_bytes (bits_of);
    sort_lines (bits_of);
#pragma unroll
    for (int group = 0; group < 8; group++)
      block.contexts (side, group) = bits_of[group];
  }
}

template <bool ENCODE, int PASSES, int LANES_PER_STREAM, int SCAN>
__device__ __forceinline__ void
Scanner<ENCODE, PASSES, LANES_PER_STREAM, SCAN>::begin_words (
    uint32_t plane, uint32_t w)
{
  if (SCAN == SCAN_ALL)
    form_contexts (w);
  bits[LEFT] = bits[RIGHT] = 0;
  if (ENCODE || !FIRST) {
    uint2 both = block.plane_word (plane, w);

    bits[LEFT] = both.x;
    bits[RIGHT] = both.y;
  }
#pragma unroll
  for (int side = 0; side < 2; side++) {
    if (SCAN == SCAN_REFINEMENT)
      members[side] = block.at (L::OLD, side, w);
    if (SCAN == SCAN_INSIGNIFICANT)
      members[side] = ~block.at (L::OLD, side, w);
    if (SCAN == SCAN_REST)
      members[side] = ~block.at (L::OLD, side, w)
          & ~block.at (L::CODED, side, w);
    if (SCAN == SCAN_NEIGHBORS)
      members[side] = near_words (side, w);
  }
}

template <bool ENCODE, int PASSES, int LANES_PER_STREAM, int SCAN>
__device__ __forceinline__ void
Scanner<ENCODE, PASSES, LANES_PER_STREAM, SCAN>::end_words (
    uint32_t plane, uint32_t w)
{
  if (!ENCODE)
    block.plane_word (plane, w) = make_uint2 (bits[LEFT], bits[RIGHT]);
#pragma unroll
  for (int side = 0; side < 2; side++) {
    if (SCAN == SCAN_ALL || SCAN == SCAN_INSIGNIFICANT)
      block.at (L::FRESH, side, w) = bits[side]
          & ~block.at (L::SIGNIFICANT, side, w);
    if (SCAN == SCAN_NEIGHBORS || SCAN == SCAN_REST)
      block.at (L::FRESH, side, w) = bits[side] & members[side]
          & ~block.at (L::SIGNIFICANT, side, w);
    if (SCAN == SCAN_NEIGHBORS)
      block.at (L::CODED, side, w) = members[side];
  }
  /* For the contexts of the next ones. */
  if (!REFINES)
    __syncwarp ();
}

/* After a visit: the new coefficients' neighbours learn of them. */
template <bool ENCODE, int PASSES, int LANES_PER_STREAM, int SCAN>
__device__ __forceinline__ void
Scanner<ENCODE, PASSES, LANES_PER_STREAM, SCAN>::spread (
    int side, int i, uint32_t line, bool is_new)
{
  uint32_t who = __ballot_sync (ALL_LANES, is_new);

  if (who == 0)
    return;

  uint32_t lanes = __funnelshift_r (who, who, rotation) & lanes_mask;
  const char *weights =
      (const char *) (shared + WEIGHT_TABLE + (4 * side + i) * 32) + lanes;
  uint32_t next;

  if (i < 2) {
    uint2 add = *(const uint2 *) weights;

    window[side].here += add.x;
    window[1 - side].here += next = add.y;
  } else {
    uint4 add = *(const uint4 *) weights;

    window[side].here += add.x;
    window[1 - side].here += next = add.y;
    window[side].after += add.z;
    window[1 - side].after += add.w;
  }
  if (SCAN == SCAN_NEIGHBORS) {
    /* Only those that are still to be visited matter. */
    members[side] |= (is_new ? 2u : 0u) << line;
    members[1 - side] |= (next ? side == LEFT ? 3u : 2u : 0u) << line;
  }
}

/* line: of these 32; i: of the window. */
template <bool ENCODE, int PASSES, int LANES_PER_STREAM, int SCAN>
template <bool WHOLE>
__device__ __forceinline__ void
Scanner<ENCODE, PASSES, LANES_PER_STREAM, SCAN>::visit (
    int side, int i, uint32_t line, bool inside)
{
  uint32_t context = __byte_perm (window[side].here, 0, 0x4440 | i);
  bool significant = window[side].here & SIGNIFICANT_FLAG << (8 * i);
  bool active = WHOLE || (inside && block.column[side]);
  bool bit = ENCODE && (bits[side] >> line & 1);

  if (SCAN == SCAN_NEIGHBORS)
    active = active && !significant;
  if (SCAN != SCAN_ALL)
    active = active && (members[side] >> line & 1);
  /* Where scans share a plane, many visits are nobody's. */
  if (SCAN != SCAN_ALL && !__any_sync (ALL_LANES, active))
    return;
  bit = WHOLE && SCAN == SCAN_ALL
      ? coder.visit_all (bit, shared[context])
      : active & coder.visit (active, bit, shared[context]);
  if (!ENCODE && bit)
    found[side] |= 1 << i;
  if (!REFINES)
    spread (side, i, line, bit && active && !significant);
}

template <bool ENCODE, int PASSES, int LANES_PER_STREAM, int SCAN>
template <bool WHOLE>
__device__ __forceinline__ void
Scanner<ENCODE, PASSES, LANES_PER_STREAM, SCAN>::visit_group (uint32_t first)
{
  /* Only what is run most is worth the room in the instruction cache. */
  constexpr bool MOST = WHOLE && LANES_PER_STREAM == 1;

  found[LEFT] = found[RIGHT] = 0;
#pragma unroll(MOST ? 4 : 1)
  for (int i = 0; i < 4; i++) {
    bool inside = WHOLE || first + i < block.height;

    visit<WHOLE> (LEFT, i, first % 32 + i, inside);
    visit<WHOLE> (RIGHT, i, first % 32 + i, inside);
    coder.refill ();
  }
  if (!ENCODE) {
    bits[LEFT] |= found[LEFT] << first % 32;
    bits[RIGHT] |= found[RIGHT] << first % 32;
  }
}

/* Returns how many coefficients of the lane became significant. */
template <bool ENCODE, int PASSES, int LANES_PER_STREAM, int SCAN>
__device__ __forceinline__ uint32_t
Scanner<ENCODE, PASSES, LANES_PER_STREAM, SCAN>::scan (uint32_t plane)
{
  uint32_t n_fresh = 0;

#pragma unroll 1
  for (uint32_t w = 0; w < block.words; w++) {
    begin_words (plane, w);
    window[LEFT].after = window[RIGHT].after = 0;
    bool any = SCAN == SCAN_ALL
        || __any_sync (ALL_LANES, members[LEFT] | members[RIGHT]);

    if (SCAN != SCAN_ALL && any)
      form_contexts (w);
#pragma unroll 1
    for (uint32_t group = 0; any && group < 8; group++) {
      uint32_t line = 32 * w + 4 * group;

      if (line >= block.height)
        break;
#pragma unroll
      for (int side = 0; side < 2; side++) {
        window[side].here = block.contexts (side, group) + window[side].after;
        window[side].after = 0;
      }
      if (SCAN == SCAN_ALL && block.is_whole (line, 4))
        visit_group<true> (line);
      else
        visit_group<false> (line);
    }
    end_words (plane, w);
    if (!REFINES)
      n_fresh += __popc (block.at (L::FRESH, LEFT, w))
          + __popc (block.at (L::FRESH, RIGHT, w));
  }
  return n_fresh;
}
