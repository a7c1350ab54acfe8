/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The signs of coefficients that a scan made significant (FORMAT.md section 7.5).
 *
 * Each lane walks through its own new coefficients, so the warp makes as many visits as
 * the lane with the most of them, not as many as there are lines. Contexts are prepared
 * with logic on words of 32 lines, four bits a coefficient. In the encoder one of these
 * is the symbol. In the decoder, the sign of a new coefficient right above comes from
 * the lane's last visit. */
#pragma once
#include "gpu/kernels/bpc_block.cuh"

/* Signs next to 32 lines of a column; a line has at most one of the two bits. */
struct SignWords
{
  uint32_t plus, minus;
};

/* In each four bits, bit k of bits[j] becomes bit j of bits[k]. */
static DEVICE void
transpose_fours (uint32_t (&bits)[4])
{
#pragma unroll
  for (int distance = 2; distance > 0; distance /= 2) {
    uint32_t mask = distance == 2 ? 0x33333333 : 0x55555555;

#pragma unroll
    for (int i = 0; i < 4; i++)
      if (!(i & distance))
        exchange_bits (bits[i], bits[i + distance], distance, mask);
  }
}

static DEVICE SignWords
sign_of_sum (SignWords a, SignWords b)
{
  return { (a.plus & ~b.minus) | (b.plus & ~a.minus),
    (a.minus & ~b.plus) | (b.minus & ~a.plus) };
}

template <bool ENCODE, int PASSES> struct SignCoder
{
  using L = Layout<PASSES>;
  using B = Block<ENCODE, PASSES>;

  B &block;
  ArithmeticCoder<ENCODE> &coder;

  DEVICE SignCoder (B &block_, ArithmeticCoder<ENCODE> &coder_)
      : block (block_), coder (coder_)
  {
  }

  /* The sign of the sum of the left and right neighbors' signs. */
  DEVICE SignWords lateral (int side, uint32_t w)
  {
    constexpr int S = L::SIGN;
    uint32_t a = block.known (1 - side, w), b = block.known_beyond (side, w);
    uint32_t a_sign = block.at (S, 1 - side, w);
    uint32_t b_sign = block.beyond (S, side, w);

    return sign_of_sum (
        { a & ~a_sign, a & a_sign }, { b & ~b_sign, b & b_sign });
  }

  DEVICE void prepare (int side, uint32_t w)
  {
    constexpr int S = L::SIGN, F = L::FRESH;
    SignWords h = lateral (side, w);
    uint32_t known = block.known (side, w), sign = block.at (S, side, w);
    uint32_t known_above = known, above = 0, above_sign = 0;
    uint32_t below = 0, below_sign = 0;
    uint32_t bits[4];

    if (w > 0) {
      above = block.known (side, w - 1);
      above_sign = block.at (S, side, w - 1);
      if (ENCODE)
        above |= block.at (F, side, w - 1);
    }
    if (ENCODE)
      known_above |= block.at (F, side, w);
    if (w + 1 < block.words) {
      below = block.known (side, w + 1);
      below_sign = block.at (S, side, w + 1);
    }

    uint32_t up = __funnelshift_l (above, known_above, 1);
    uint32_t up_sign = __funnelshift_l (above_sign, sign, 1);
    uint32_t down = __funnelshift_r (known, below, 1);
    uint32_t down_sign = __funnelshift_r (sign, below_sign, 1);
    SignWords u = { up & ~up_sign, up & up_sign };
    SignWords d = { down & ~down_sign, down & down_sign };

    if (ENCODE) {
      SignWords v = sign_of_sum (u, d);

      if (block.orientation == ORIENTATION_HL) {
        SignWords swap = h;

        h = v;
        v = swap;
      }

      uint32_t h_any = h.plus | h.minus;

      bits[0] = sign ^ (h.minus | (~h_any & v.minus));
      bits[1] = h_any;
      bits[2] = v.plus | v.minus;
      bits[3] = (h.plus & v.minus) | (h.minus & v.plus);
    } else {
      /* v + 2 from each sign plus 1, which is 0, 1 (unknown) or 2. */
      uint32_t carry = ~up & ~down;
      uint32_t v[3] = { up ^ down, u.plus ^ d.plus ^ carry,
        (u.plus & d.plus) | (u.plus & carry) | (d.plus & carry) };
      /* h + 1, and five times that: bits 0 and 2 for 1, 1 and 3 for 2. */
      uint32_t one = ~(h.plus | h.minus), two = h.plus;
      uint32_t c0 = one & v[0];
      uint32_t c1 = (two & v[1]) | (two & c0) | (v[1] & c0);
      uint32_t c2 = (one & v[2]) | (one & c1) | (v[2] & c1);

      bits[0] = one ^ v[0];
      bits[1] = two ^ v[1] ^ c0;
      bits[2] = one ^ v[2] ^ c1;
      bits[3] = two ^ c2;
    }
    transpose_fours (bits);
#pragma unroll
    for (int j = 0; j < 4; j++)
      block.sign_contexts (w, j) = bits[j];
  }

  /* words_left has a bit for each word of the lane's column that has signs to code. */
  template <bool SHARED> DEVICE void visit_signs (int side, uint32_t words_left)
  {
    uint32_t w = 0, left = 0; /* left: to visit, in these lines */
    uint32_t next_line = ~0u; /* after the one visited last */
    uint32_t origin = coder.origin;
    uint32_t lines = origin + 4 * (block.arrays + 32 * side);
    uint32_t at = lines; /* the address of word w of the arrays */
    uint32_t signs = ENCODE ? 0 : shared_word<L::SIGN> (at); /* of word w */
    uint32_t above = origin; /* a word before or after it, by the last sign */

#pragma unroll 1
    for (;;) {
      uint32_t next_word = left == 0 ? words_left & -words_left : 0;

      words_left ^= next_word;
      if (!ENCODE)
        store_word_if<L::SIGN> (next_word != 0, at, signs);
      w = choose (next_word, 31 - __clz (next_word), w);
      at = lines + 4 * L::SIZE * w;
      left = shared_word_if<L::FRESH> (next_word != 0, at, left);
      if (!ENCODE)
        signs = shared_word_if<L::SIGN> (next_word != 0, at, signs);

      bool active = left != 0;

      if (!__any_sync (ALL_LANES, active))
        break;

      uint32_t first = left & -left, line = 31 - __clz (first);
      uint32_t context = block.sign_contexts (w, line & 3) >> (line & 28) & 15;

      if (ENCODE) {
        coder.template visit<false, SHARED> (active, context & 1,
            shared_word<SIGN_TABLE> (origin | 4 * context));
      } else {
        uint32_t table = 32 * w + line == next_line ? above : origin;
        uint32_t entry = shared_word<SIGN_TABLE> (table + 4 * context);
        bool negative = coder.template visit<false, SHARED> (
                            active, false, entry & 0xff000000u)
            != (entry & 1);

        set_bits_if (active && negative, signs, first);
        coder.refill ();
        above = negative ? origin - 4 : origin + 4;
        next_line = 32 * w + line + 1;
      }
      left ^= first;
    }
    if (!ENCODE)
      block.at (L::SIGN, side, w) = signs;
  }

  __device__ void code_side (int side)
  {
    uint32_t words_left = 0;

#pragma unroll 1
    for (uint32_t k = 0; k < block.words; k++) {
      prepare (side, k);
      words_left |= (block.at (L::FRESH, side, k) != 0) << k;
    }
    if (coder.sharing)
      visit_signs<true> (side, words_left);
    else
      visit_signs<false> (side, words_left);
#pragma unroll 1
    for (uint32_t k = 0; k < block.words; k++)
      block.at (L::SIGNIFICANT, side, k) |= block.at (L::FRESH, side, k);
    __syncwarp ();
  }
};
