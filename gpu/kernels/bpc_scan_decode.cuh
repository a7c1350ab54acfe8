/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The decoder's scans of a bitplane (FORMAT.md sections 7.3 to 7.5).
 *
 * It forms the contexts of 32 lines without what it will find in them
 * (bpc_contexts.cuh), a byte a coefficient. Then a window of four lines slides
 * down the columns, in the stripes that are awake:
 *
 *        here (a word a column)       ahead
 *   [ line | + 1 | + 2 | + 3 ] <- [ + 4 | ... ]
 *      |      ^     ^
 *      |      +-----+---- weights of what is found
 *      +-- visited: looked up, decoded
 *
 * A visit looks up the lowest byte's probability, in the row of the lane's
 * density in the stripe, and decodes. Only where the warp found a new
 * coefficient, it adds its weight to the bytes of its neighbours that are still
 * to be visited, all of them in the window: what to add depends on three bits,
 * whether the lane before, this one and the one after found any, and comes out
 * of a table. Bit 6 of a byte says that the coefficient is significant itself.
 *
 * All scans of a plane are this code, and visits are a loop of one or two lines,
 * because of the instruction cache (bpc_scan_encode.cuh). */
#pragma once
#include "gpu/kernels/bpc_contexts.cuh"

/* A byte of the window is c, plus SIGNIFICANT_FLAG for a significant coefficient: then
 * the place of its refinement context in a row is (byte >> 3) + REFINEMENT_BASE. For
 * others this number is larger than c, which is their place. So the smaller of the two
 * is the place in both cases. */
constexpr uint32_t SIGNIFICANT_FLAG = 0x40;
constexpr uint32_t REFINEMENT_BASE = PACO_GPU_REFINEMENT_PLACE
    - (SIGNIFICANT_FLAG >> PACO_REFINEMENT_SHIFT);
static_assert (PACO_N_SIGNIFICANCE <= SIGNIFICANT_FLAG
        && REFINEMENT_BASE + (PACO_N_SIGNIFICANCE - 1) / 8
            >= PACO_N_SIGNIFICANCE - 1
        && PACO_GPU_REFINEMENT_PLACE + PACO_N_REFINEMENT <= SIGNIFICANT_FLAG,
    "the smaller one is the right one");
static_assert (
    PACO_GPU_REFINEMENT_PLACE + PACO_N_REFINEMENT <= PACO_BPC_ROW_BYTES,
    "rows in shared memory have all contexts of scans");

/* What a new coefficient adds to the lines 0 .. 2 below it, lowest byte first: in its
 * own column, in the next ones, and in those two away (on line 0 nothing, since they
 * are visited together). */
struct Weights
{
  uint32_t own, next, far;
};

static DEVICE constexpr Weights
weights (uint32_t horizontal, uint32_t vertical, uint32_t diagonal,
    uint32_t vertical_2, uint32_t knight)
{
  return { vertical << 8 | vertical_2 << 16,
    horizontal | diagonal << 8 | knight << 16, knight << 8 };
}

static DEVICE Weights
weights_of_orientation (uint32_t orientation)
{
  switch (orientation) {
    case ORIENTATION_LL:
      return weights (PACO_LL_HORIZONTAL, PACO_LL_VERTICAL, PACO_LL_DIAGONAL,
          PACO_LL_VERTICAL_2, PACO_LL_KNIGHT);
    case ORIENTATION_HL:
      return weights (PACO_HL_HORIZONTAL, PACO_HL_VERTICAL, PACO_HL_DIAGONAL,
          PACO_HL_VERTICAL_2, PACO_HL_KNIGHT);
    case ORIENTATION_HH:
      return weights (PACO_HH_HORIZONTAL, PACO_HH_VERTICAL, PACO_HH_DIAGONAL,
          PACO_HH_VERTICAL_2, PACO_HH_KNIGHT);
    default:
      return weights (PACO_LH_HORIZONTAL, PACO_LH_VERTICAL, PACO_LH_DIAGONAL,
          PACO_LH_VERTICAL_2, PACO_LH_KNIGHT);
  }
}

struct ContextWindow
{
  uint32_t here, ahead;
};

/* The table has, for each side that is visited, each line i of the window and each
 * value of the three bits (lowest: the lane before), what to add to the lane's column
 * of that side and to the other one. */
static DEVICE void
fill_weights (uint32_t lane, uint32_t orientation)
{
  Weights weights = weights_of_orientation (orientation);
  uint32_t side = lane / 16, i = lane / 8 % 2;
  uint32_t before = lane & 1, own = lane >> 1 & 1, after = lane >> 2 & 1;
  /* The other column is between two of the visited side. */
  uint32_t next = own + (side == LEFT ? after : before);
  uint32_t *out = shared + WEIGHT_TABLE + 2 * lane;

  out[0] = (own * weights.own + (before + after) * weights.far) << (8 * i);
  out[1] = next * weights.next << (8 * i);
  __syncwarp ();
}

/* Sorts bytes by lines: byte k of bits[j], line 8 * k + j, becomes byte j % 4 of bits[2
 * * k + j / 4]. */
static DEVICE void
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

template <int PASSES> struct DecodeScanner
{
  using L = Layout<PASSES>;
  using B = Block<false, PASSES>;

  B &block;
  ArithmeticCoder<false> &coder;
  ContextWindow window[2];
  uint32_t bits[2]; /* of the plane, these 32 lines */
  /* Coefficients that take part, and with SCAN_NEIGHBORS those that will with a
   * significant neighbor. */
  uint32_t members[2], candidates[2];
  /* With several scans: lines where some lane has a member, or may have one. */
  uint32_t lines[2];
  uint32_t row, refinement_row;  /* of the lane in the stripe, addresses */
  uint32_t rotation, lanes_mask; /* bring a ballot's bits to the table */

  DEVICE DecodeScanner (B &block_, ArithmeticCoder<false> &coder_)
      : block (block_), coder (coder_)
  {
    rotation = (block.lane - 1 - 3) & 31;
    lanes_mask = block.lane == 0 ? 0x30 : block.lane == 31 ? 0x18 : 0x38;
  }

  /* Forms the contexts without what this scan will find. */
  DEVICE void form_contexts (uint32_t w)
  {
    Surroundings<false, PASSES, false> around (block, w);

#pragma unroll 1
    for (int side = 0; side < 2; side++) {
      uint32_t c[6];

      around.sum (block.orientation, c);

      uint32_t bits_of[8] = { c[0], c[1], c[2], c[3], c[4], c[5],
        around.own ().before, 0 };

      transpose_bytes (bits_of);
      sort_lines (bits_of);
#pragma unroll
      for (int group = 0; group < 8; group++)
        block.contexts (side, group) = bits_of[group];
      around.move_on ();
    }
    window[LEFT].here = block.contexts (LEFT, 0);
    window[RIGHT].here = block.contexts (RIGHT, 0);
  }

  /* Returns whether any coefficient of 32 lines is to be visited. */
  DEVICE bool begin_words (Scan scan, uint32_t plane, uint32_t w)
  {
    bool first = scan != SCAN_REFINEMENT && scan != SCAN_REST;
    uint2 both = first ? make_uint2 (0, 0) : block.plane_word (plane, w);

    bits[LEFT] = both.x;
    bits[RIGHT] = both.y;
#pragma unroll
    for (int side = 0; side < 2; side++) {
      members[side] = block.members (scan, side, w);
      candidates[side] = 0;
      if (scan == SCAN_NEIGHBORS) {
        candidates[side] = members[side];
        members[side] &= block.with_neighbors (side, w);
      }
      if (PASSES > 1)
        lines[side] = or_of_lanes (members[side]);
    }
    if (PASSES > 1 && !(lines[LEFT] | lines[RIGHT]))
      return false;
    form_contexts (w);
    return true;
  }

  DEVICE void end_words (Scan scan, uint32_t plane, uint32_t w)
  {
    block.plane_word (plane, w) = make_uint2 (bits[LEFT], bits[RIGHT]);
#pragma unroll
    for (int side = 0; side < 2; side++) {
      uint32_t significant = block.at (L::SIGNIFICANT, side, w);

      if (scan != SCAN_REFINEMENT)
        block.at (L::FRESH, side, w) = bits[side] & ~significant;
      if (scan == SCAN_NEIGHBORS)
        block.at (L::CODED, side, w) = members[side];
      if (scan == SCAN_REST)
        block.at (L::CODED, side, w) |= ~significant;
    }
    __syncwarp ();
  }

  /* Adds the weights of new coefficients to their neighbors' contexts. */
  template <int SIDE, int I> DEVICE void spread (bool is_new, uint32_t line_bit)
  {
    uint32_t who = __ballot_sync (ALL_LANES, is_new);

    if (who == 0)
      return;

    uint32_t lanes = __funnelshift_r (who, who, rotation) & lanes_mask;
    uint2 add = shared_pair<WEIGHT_TABLE + 32 * SIDE + 16 * I> (
        lanes | coder.origin);

    window[SIDE].here += add.x;
    window[1 - SIDE].here += add.y;
    if (PASSES == 3) {
      /* Neighbors that are still to be visited. */
      uint32_t own = 2 * line_bit, other = SIDE == LEFT ? 3 * line_bit : own;

      if (is_new)
        members[SIDE] |= candidates[SIDE] & own;
      if (add.y)
        members[1 - SIDE] |= candidates[1 - SIDE] & other;
      lines[SIDE] |= own;
      lines[1 - SIDE] |= other;
    }
  }

  /* I is the line of the window, 0 or 1; line_bit the same in the 32 lines. */
  template <bool ALL, bool SHARED, int SIDE, int I>
  DEVICE void visit (uint32_t line_bit)
  {
    uint32_t byte = __byte_perm (window[SIDE].here, 0, 0x4440 | I);
    bool significant = byte >= SIGNIFICANT_FLAG;
    bool active = ALL || members[SIDE] & line_bit;
    uint32_t probability;
    bool bit;

    /* Where a plane has several scans, in many visits no lane takes part. */
    if (PASSES > 1 && !(lines[SIDE] & line_bit))
      return;
    probability = shared_byte (min (row + byte,
                      refinement_row + (byte >> PACO_REFINEMENT_SHIFT)))
        << 24;
    bit = coder.visit<ALL, SHARED> (active, false, probability);
    /* With one pass set_bits_if() costs copies of registers. */
    if (PASSES > 1)
      set_bits_if (bit, bits[SIDE], line_bit);
    else if (bit)
      bits[SIDE] |= line_bit;
    spread<SIDE, I> (bit && !significant, line_bit);
  }

  template <bool ALL, bool SHARED, int I>
  DEVICE void visit_line (uint32_t line_bit)
  {
    visit<ALL, SHARED, LEFT, I> (line_bit << I);
    visit<ALL, SHARED, RIGHT, I> (line_bit << I);
    coder.refill ();
  }

  template <bool ALL, bool SHARED> DEVICE void visit_lines (uint32_t group)
  {
    /* Lines that the window slides at a time. */
    constexpr int N = (ALL || PASSES > 1) && !SHARED ? 2 : 1;
    uint32_t line_bit = 1u << (4 * group);

#pragma unroll 1
    for (int line = 0; line < 4; line += N) {
      visit_line<ALL, SHARED, 0> (line_bit);
      if (N == 2)
        visit_line<ALL, SHARED, 1> (line_bit);
      line_bit <<= N;
#pragma unroll
      for (int side = 0; side < 2; side++) {
        window[side].here = __funnelshift_r (
            window[side].here, window[side].ahead, 8 * N);
        window[side].ahead >>= 8 * N;
      }
    }
  }

  /* Goes on with the lines that `ahead` has. */
  DEVICE void skip_lines ()
  {
    window[LEFT].here = window[LEFT].ahead;
    window[RIGHT].here = window[RIGHT].ahead;
  }

  template <bool SHARED> DEVICE void visit_group (uint32_t w, uint32_t group)
  {
#pragma unroll
    for (int side = 0; side < 2; side++)
      window[side].ahead = block.contexts (side, min (group + 1, 7));
    if (PASSES == 1) {
      if (block.is_whole (32 * w + 4 * group, 4)) {
        visit_lines<true, SHARED> (group);
        return;
      }
      for (int side = 0; side < 2; side++)
        members[side] = block.members (SCAN_ALL, side, w);
    } else if (!((lines[LEFT] | lines[RIGHT]) >> (4 * group) & 15)) {
      skip_lines ();
      return;
    }
    visit_lines<false, SHARED> (group);
  }

  template <bool SHARED> DEVICE void visit_stripe (uint32_t w, uint32_t k)
  {
    constexpr uint32_t N = PACO_STRIPE_LINES / 4;
    uint32_t end = min (N * (k + 1), (block.height - 32 * w + 3) / 4);

    if (!(block.awake >> (4 * w + k) & 1)) {
#pragma unroll
      for (int side = 0; side < 2; side++)
        window[side].ahead = block.contexts (side, min (N * (k + 1), 7));
      skip_lines ();
      return;
    }
    row = opaque (coder.origin + PACO_BPC_ROW_BYTES * block.density (w, k));
    refinement_row = opaque (row + REFINEMENT_BASE);
#pragma unroll 1
    for (uint32_t group = N * k; group < end; group++)
      visit_group<SHARED> (w, group);
  }

  /* Visits 32 lines. */
  template <bool SHARED> DEVICE void visit_words (uint32_t w)
  {
    uint32_t n_stripes = min (4, block.n_stripes () - 4 * w);

#pragma unroll 1
    for (uint32_t k = 0; k < n_stripes; k++)
      visit_stripe<SHARED> (w, k);
  }

  /* Returns how many coefficients of the lane became significant. */
  DEVICE uint32_t run (Scan scan, uint32_t plane)
  {
    uint32_t n_fresh = 0;

#pragma unroll 1
    for (uint32_t w = 0; w < block.words; w++) {
      if (!block.any_awake (w)) {
        block.plane_word (plane, w) = make_uint2 (0, 0);
        continue;
      }
      if (begin_words (scan, plane, w)) {
        if (coder.sharing)
          visit_words<true> (w);
        else
          visit_words<false> (w);
      }
      end_words (scan, plane, w);
      if (scan != SCAN_REFINEMENT)
        n_fresh += __popc (block.at (L::FRESH, LEFT, w))
            + __popc (block.at (L::FRESH, RIGHT, w));
    }
    return n_fresh;
  }
};
