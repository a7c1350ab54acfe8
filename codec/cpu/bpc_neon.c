/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The block coder for 64-bit Arm, which always has NEON: bpc_template.h compiled with
 * the operations of bpc_plain.c. bpc.c has it in its list. */
#include "codec/cpu/bpc_lanes_neon.h"

/* --- Coefficients --- */

/* The bytes 0 to 3 of 16 words. */
BPC_INLINE void
lanes_bytes_of_words (const uint32x4_t words[4], uint8x16_t bytes[4])
{
  uint16x8_t low[2], high[2];

  for (unsigned k = 0; k < 2; k++) {
    uint16x8_t a = vreinterpretq_u16_u32 (words[2 * k]);
    uint16x8_t b = vreinterpretq_u16_u32 (words[2 * k + 1]);

    low[k] = vuzp1q_u16 (a, b);
    high[k] = vuzp2q_u16 (a, b);
  }
  bytes[0] = vuzp1q_u8 (
      vreinterpretq_u8_u16 (low[0]), vreinterpretq_u8_u16 (low[1]));
  bytes[1] = vuzp2q_u8 (
      vreinterpretq_u8_u16 (low[0]), vreinterpretq_u8_u16 (low[1]));
  bytes[2] = vuzp1q_u8 (
      vreinterpretq_u8_u16 (high[0]), vreinterpretq_u8_u16 (high[1]));
  bytes[3] = vuzp2q_u8 (
      vreinterpretq_u8_u16 (high[0]), vreinterpretq_u8_u16 (high[1]));
}

/* Does paco_rate_scale() with the lower 12 bits of x and with the upper ones,
 * because the whole product has more than 32 bits. */
BPC_INLINE uint32x4_t
lanes_rescale_4 (uint32x4_t x, uint32x4_t multipliers, unsigned shift)
{
  uint32x4_t low = vmulq_u32 (vandq_u32 (x, vdupq_n_u32 (4095)), multipliers);
  uint32x4_t sum = vsraq_n_u32 (
      vmulq_u32 (vshrq_n_u32 (x, 12), multipliers), low, 12);

  return vshlq_u32 (sum, vdupq_n_s32 (12 - (int) shift));
}

/* Returns the magnitudes of four coefficients. A NaN gets the largest one. */
BPC_INLINE uint32x4_t
lanes_quantize_4 (const BpcQuantizer *q, uint32x4_t x)
{
  float32x4_t scaled;

  if (q->reversible)
    return vminq_u32 (
        vreinterpretq_u32_s32 (vabsq_s32 (vreinterpretq_s32_u32 (x))),
        vdupq_n_u32 (PACO_MAX_MAGNITUDE));
  scaled = vmulq_n_f32 (vabsq_f32 (vreinterpretq_f32_u32 (x)), q->scale);
  scaled = vminnmq_f32 (scaled, vdupq_n_f32 (PACO_MAX_MAGNITUDE));
  x = vcvtq_u32_f32 (scaled);
  return q->multiplier > 0
      ? lanes_rescale_4 (x, vdupq_n_u32 (q->multiplier), q->shift)
      : x;
}

/* Brings magnitudes of every other column, from x + side on, to the steps of the frame's
 * step map. */
BPC_INLINE uint32x4_t
lanes_map_4 (const BpcQuantizer *q, unsigned x, unsigned side, uint32x4_t words)
{
  uint32x4x2_t multipliers = vld2q_u32 (q->multipliers + x);

  return lanes_rescale_4 (vaddq_u32 (vaddq_u32 (words, words), vdupq_n_u32 (1)),
      multipliers.val[side], PACO_STEP_MAP_SHIFT);
}

/* These move four words, which elsewhere are int32_t or float. */
BPC_INLINE uint32x4_t
lanes_load_words (const uint8_t *data)
{
  return vreinterpretq_u32_u8 (vld1q_u8 (data));
}

BPC_INLINE void
lanes_store_words (uint8_t *data, uint32x4_t words)
{
  vst1q_u8 (data, vreinterpretq_u8_u32 (words));
}

BPC_INLINE uint32_t
lanes_quantize_row (const BpcQuantizer *q, const void *coefficients,
    unsigned width, uint8_t bytes[3][64], uint64_t *negative)
{
  const uint8_t *from = coefficients;
  uint8_t padded[4 * 64] BPC_ALIGNED;
  uint32x4_t all = vdupq_n_u32 (0);
  uint8x16_t tops[2][2];

  if (width < 64) {
    memset (padded, 0, sizeof padded);
    memcpy (padded, from, width * 4u);
    from = padded;
  }
  for (unsigned half = 0; half < 2; half++) {
    uint32x4_t words[2][4], magnitudes[2][4];

    for (unsigned k = 0; k < 4; k++) {
      uint32x4_t a = lanes_load_words (from + 128 * half + 32 * k);
      uint32x4_t b = lanes_load_words (from + 128 * half + 32 * k + 16);

      words[0][k] = vuzp1q_u32 (a, b);
      words[1][k] = vuzp2q_u32 (a, b);
      for (unsigned side = 0; side < 2; side++) {
        magnitudes[side][k] = lanes_quantize_4 (q, words[side][k]);
        if (q->multipliers)
          magnitudes[side][k] = lanes_map_4 (
              q, 32 * half + 8 * k, side, magnitudes[side][k]);
        all = vorrq_u32 (all, magnitudes[side][k]);
      }
    }
    for (unsigned side = 0; side < 2; side++) {
      uint8x16_t of_words[4];

      lanes_bytes_of_words (words[side], of_words);
      tops[side][half] = of_words[3];
      lanes_bytes_of_words (magnitudes[side], of_words);
      for (unsigned k = 0; k < 3; k++)
        vst1q_u8 (bytes[k] + 32 * side + 16 * half, of_words[k]);
    }
  }
  *negative = lanes_row_top_bits (
      (LanesRow){ { tops[0][0], tops[0][1] }, { tops[1][0], tops[1][1] } });
  all = vorrq_u32 (all, vextq_u32 (all, all, 2));
  return vgetq_lane_u32 (all, 0) | vgetq_lane_u32 (all, 1);
}

BPC_INLINE LanesBytes
lanes_at_least_half (const uint8_t bytes[3][64], uint8_t least, unsigned side)
{
  LanesBytes b0 = lanes_load (bytes[0] + side);
  LanesBytes b1 = lanes_load (bytes[1] + side);
  LanesBytes b2 = lanes_load (bytes[2] + side);
  uint8x16_t limit = vdupq_n_u8 (least);
  uint8x16_t low = vorrq_u8 (b1.low, b2.low);
  uint8x16_t high = vorrq_u8 (b1.high, b2.high);

  return (LanesBytes){
    vorrq_u8 (vcgeq_u8 (b0.low, limit), vtstq_u8 (low, low)),
    vorrq_u8 (vcgeq_u8 (b0.high, limit), vtstq_u8 (high, high)),
  };
}

BPC_INLINE uint64_t
lanes_at_least (const uint8_t bytes[3][64], uint8_t least)
{
  return lanes_bits (lanes_at_least_half (bytes, least, 0))
      | (uint64_t) lanes_bits (lanes_at_least_half (bytes, least, 32)) << 32;
}

/* Makes coefficients from four magnitudes, whose columns have these scales; minus is
 * all ones where they are negative. */
BPC_INLINE uint32x4_t
lanes_dequantize_4 (
    const BpcQuantizer *q, float32x4_t scales, uint32x4_t m, uint32x4_t minus)
{
  uint32x4_t x;

  if (q->reversible) {
    x = vaddq_u32 (vshlq_u32 (m, vdupq_n_s32 ((int) q->dropped)),
        vdupq_n_u32 ((uint32_t) q->middle));
    x = vsubq_u32 (veorq_u32 (x, minus), minus);
  } else {
    uint32x4_t index = vaddq_u32 (
        vshlq_n_u32 (m, 8), vdupq_n_u32 ((uint32_t) q->middle));

    x = vreinterpretq_u32_f32 (
        vmulq_f32 (vcvtq_f32_s32 (vreinterpretq_s32_u32 (index)), scales));
    x = veorq_u32 (x, vshlq_n_u32 (minus, 31));
  }
  return vandq_u32 (x, vtstq_u32 (m, m));
}

/* The bytes of 16 magnitudes as words. */
BPC_INLINE void
lanes_words_of_bytes (
    const uint8x16_t bytes[3], unsigned n_bytes, uint32x4_t words[4])
{
  const uint8x16_t zero = vdupq_n_u8 (0);
  uint8x16_t b1 = n_bytes > 1 ? bytes[1] : zero;
  uint8x16_t b2 = n_bytes > 2 ? bytes[2] : zero;
  uint16x8_t low[2] = { vreinterpretq_u16_u8 (vzip1q_u8 (bytes[0], b1)),
    vreinterpretq_u16_u8 (vzip2q_u8 (bytes[0], b1)) };
  uint16x8_t high[2] = { vreinterpretq_u16_u8 (vzip1q_u8 (b2, zero)),
    vreinterpretq_u16_u8 (vzip2q_u8 (b2, zero)) };

  for (unsigned k = 0; k < 2; k++) {
    words[2 * k] = vreinterpretq_u32_u16 (vzip1q_u16 (low[k], high[k]));
    words[2 * k + 1] = vreinterpretq_u32_u16 (vzip2q_u16 (low[k], high[k]));
  }
}

BPC_INLINE void
lanes_dequantize_narrow (const BpcQuantizer *q, const LanesRow bytes[3],
    unsigned n_bytes, uint64_t negative, int16_t *coefficients, unsigned width)
{
  const uint16x8_t bits = { 1, 2, 4, 8, 16, 32, 64, 128 };
  uint8_t padded[2 * 64] BPC_ALIGNED;
  uint8_t *to = width < 64 ? padded : (uint8_t *) coefficients;
  LanesBytes low[2], high[2];

  for (unsigned side = 0; side < 2; side++) {
    low[side] = lanes_side (bytes[0], 32 * side);
    high[side] = (LanesBytes){ vdupq_n_u8 (0), vdupq_n_u8 (0) };
    if (n_bytes > 1)
      high[side] = lanes_side (bytes[1], 32 * side);
  }
#pragma GCC unroll 4
  for (unsigned k = 0; k < 4; k++) {
    uint16x8_t x[2];

    for (unsigned side = 0; side < 2; side++) {
      uint8x16_t b0 = k < 2 ? low[side].low : low[side].high;
      uint8x16_t b1 = k < 2 ? high[side].low : high[side].high;
      uint16x8_t m = vreinterpretq_u16_u8 (
          k % 2 ? vzip2q_u8 (b0, b1) : vzip1q_u8 (b0, b1));
      uint16x8_t minus = vtstq_u16 (
          vdupq_n_u16 ((uint8_t) (negative >> (32 * side + 8 * k))), bits);

      x[side] = vaddq_u16 (vshlq_u16 (m, vdupq_n_s16 ((int16_t) q->dropped)),
          vdupq_n_u16 ((uint16_t) q->middle));
      x[side] = vsubq_u16 (veorq_u16 (x[side], minus), minus);
      x[side] = vandq_u16 (x[side], vtstq_u16 (m, m));
    }
    vst1q_u8 (to + 32 * k, vreinterpretq_u8_u16 (vzip1q_u16 (x[0], x[1])));
    vst1q_u8 (to + 32 * k + 16, vreinterpretq_u8_u16 (vzip2q_u16 (x[0], x[1])));
  }
  if (width < 64)
    memcpy (coefficients, padded, width * 2u);
}

BPC_INLINE void
lanes_dequantize_row (const BpcQuantizer *q, const LanesRow bytes[3],
    unsigned n_bytes, uint64_t negative, void *coefficients, unsigned width)
{
  uint8_t padded[4 * 64] BPC_ALIGNED;
  uint8_t *to = width < 64 ? padded : coefficients;
  uint32x4_t minus[2] = { vdupq_n_u32 ((uint32_t) negative),
    vdupq_n_u32 ((uint32_t) (negative >> 32)) };

#pragma GCC unroll 2
  for (unsigned half = 0; half < 2; half++) {
    uint32x4_t words[2][4];

    for (unsigned side = 0; side < 2; side++) {
      uint8x16_t of_words[3];

      for (unsigned k = 0; k < n_bytes; k++) {
        LanesBytes b = lanes_side (bytes[k], 32 * side);

        of_words[k] = half ? b.high : b.low;
      }
      lanes_words_of_bytes (of_words, n_bytes, words[side]);
    }
#pragma GCC unroll 4
    for (unsigned k = 0; k < 4; k++) {
      uint32x4_t bits = vshlq_u32 (
          (uint32x4_t){ 1, 2, 4, 8 }, vdupq_n_s32 ((int) (16 * half + 4 * k)));
      float32x4x2_t scales = vld2q_f32 (q->scales + 32 * half + 8 * k);
      uint32x4_t x[2];

      for (unsigned side = 0; side < 2; side++)
        x[side] = lanes_dequantize_4 (
            q, scales.val[side], words[side][k], vtstq_u32 (minus[side], bits));
      lanes_store_words (to + 128 * half + 32 * k, vzip1q_u32 (x[0], x[1]));
      lanes_store_words (
          to + 128 * half + 32 * k + 16, vzip2q_u32 (x[0], x[1]));
    }
  }
  if (width < 64)
    memcpy (coefficients, padded, width * 4u);
}

/* --- Densities and probabilities --- */

/* Returns the density classes of sums. Those of sums up to 15 are in a table; above,
 * each bound that is exceeded makes the class one less. */
BPC_INLINE LanesBytes
lanes_density (const uint8_t classes[256], LanesBytes sums)
{
  static const uint8_t bounds[14] = { PACO_LOCAL_DENSITY_BOUNDS };
  LanesBytes result = lanes_lookup_16 (vld1q_u8 (classes),
      (LanesBytes){ vminq_u8 (sums.low, vdupq_n_u8 (15)),
          vminq_u8 (sums.high, vdupq_n_u8 (15)) });

  for (unsigned k = 0; k < 14 && bounds[k] > 15; k++) {
    uint8x16_t bound = vdupq_n_u8 (bounds[k]);

    result = lanes_add (result,
        (LanesBytes){
            vcgtq_u8 (sums.low, bound), vcgtq_u8 (sums.high, bound) });
  }
  return result;
}

BPC_INLINE unsigned
lanes_present (LanesBytes classes)
{
  const uint8x16_t bits = lanes_bit_of_byte ();
  const uint8x16_t none = vdupq_n_u8 (0);
  LanesBytes low = lanes_lookup_16 (vextq_u8 (bits, none, 8), classes);
  LanesBytes high = lanes_lookup_16 (vextq_u8 (none, bits, 8), classes);
  uint8x16_t a = vorrq_u8 (low.low, low.high);
  uint8x16_t b = vorrq_u8 (high.low, high.high);
  uint8x16_t both = vorrq_u8 (vzip1q_u8 (a, b), vzip2q_u8 (a, b));
  uint64x2_t words = vreinterpretq_u64_u8 (both);
  uint64_t any = vgetq_lane_u64 (words, 0) | vgetq_lane_u64 (words, 1);

  any |= any >> 32;
  return (unsigned) (any | any >> 16) & 0xffff;
}

/* The probabilities of the lanes of a stripe: those of each class that occurs, and the
 * lanes that have the class. */
typedef struct
{
  unsigned n;
  const uint8_t *p[PACO_N_DENSITIES];
  LanesBytes lanes[PACO_N_DENSITIES];
} LanesTables;

BPC_INLINE void
lanes_tables (LanesTables *tables, const uint8_t p[PACO_N_DENSITIES][64],
    const uint8_t *classes, unsigned present)
{
  LanesBytes all = lanes_load (classes);
  unsigned n = 0;

  for (; present; present &= present - 1) {
    unsigned class = (unsigned) __builtin_ctz (present);
    uint8x16_t same = vdupq_n_u8 ((uint8_t) class);

    tables->p[n] = p[class];
    tables->lanes[n++] = (LanesBytes){ vceqq_u8 (all.low, same),
      vceqq_u8 (all.high, same) };
  }
  tables->n = n;
}

/* Makes probabilities from contexts, all of which are below 48. */
BPC_INLINE LanesBytes
lanes_lookup_48 (uint8x16x3_t table, LanesBytes v)
{
  return (LanesBytes){ vqtbl3q_u8 (table, v.low), vqtbl3q_u8 (table, v.high) };
}
G_STATIC_ASSERT (PACO_SIGN_CONTEXT <= 48);

BPC_INLINE void
lanes_row_probabilities (const LanesTables *tables, LanesRow *row)
{
  LanesRow p = lanes_row_zero ();

  for (unsigned i = 0; i < tables->n; i++) {
    uint8x16x3_t table = vld1q_u8_x3 (tables->p[i]);

    p.left = lanes_select (
        tables->lanes[i], lanes_lookup_48 (table, row->left), p.left);
    p.right = lanes_select (
        tables->lanes[i], lanes_lookup_48 (table, row->right), p.right);
  }
  *row = p;
}

BPC_INLINE void
lanes_probabilities (const uint8_t p[PACO_N_DENSITIES][64],
    const uint8_t *classes, unsigned present, LanesRow rows[PACO_STRIPE_LINES])
{
  LanesTables tables;

  lanes_tables (&tables, p, classes, present);
  for (unsigned k = 0; k < PACO_STRIPE_LINES; k++)
    lanes_row_probabilities (&tables, &rows[k]);
}

BPC_INLINE LanesRow
lanes_side_probabilities (const LanesTables *tables, LanesBytes contexts)
{
  LanesBytes p = lanes_all (0);

  for (unsigned i = 0; i < tables->n; i++)
    p = lanes_select (tables->lanes[i],
        lanes_lookup_48 (vld1q_u8_x3 (tables->p[i]), contexts), p);
  return lanes_row_of_left (p);
}

/* --- Counts --- */

/* Counts over stripes: the significant coefficients, and the pairs of them that
 * the choice of a set asks for (policy_set.h). A block has at most 65536 bits in
 * eight sums, and pairs up to twice that. */
typedef struct
{
  uint32x4_t significant, pairs;
  uint64x2_t last; /* the stripe's last two rows */
} LanesCount;

/* Returns how many bits each byte has. */
BPC_INLINE uint8x16_t
lanes_count_bits (uint64x2_t v)
{
  return vcntq_u8 (vreinterpretq_u8_u64 (v));
}

BPC_INLINE bool
lanes_count_stripe (
    LanesCount *count, uint64_t *significant, const uint64_t *plane, bool apart)
{
  uint64x2_t last = apart ? vdupq_n_u64 (0) : count->last, at[4], any;
  uint8x16_t n = vdupq_n_u8 (0), pairs = vdupq_n_u8 (0);

  for (unsigned k = 0; k < 4; k++)
    at[k] = vorrq_u64 (
        vld1q_u64 (significant + 2 * k), vld1q_u64 (plane + 2 * k));
  count->last = at[3];
  any = vorrq_u64 (vorrq_u64 (at[0], at[1]), vorrq_u64 (at[2], at[3]));
  if (vmaxvq_u32 (vreinterpretq_u32_u64 (any)) == 0)
    return false;

  for (unsigned k = 0; k < 4; k++) {
    uint64x2_t above = vextq_u64 (last, at[k], 1);
    uint64x2_t beside = vandq_u64 (at[k], vshrq_n_u64 (at[k], 32));

    vst1q_u64 (significant + 2 * k, at[k]);
    last = at[k];
    n = vaddq_u8 (n, lanes_count_bits (at[k]));
    pairs = vaddq_u8 (pairs,
        vaddq_u8 (lanes_count_bits (vandq_u64 (at[k], above)),
            lanes_count_bits (beside)));
  }
  count->significant = vpadalq_u16 (count->significant, vpaddlq_u8 (n));
  count->pairs = vpadalq_u16 (count->pairs, vpaddlq_u8 (pairs));
  return true;
}

BPC_INLINE void
lanes_count_end (
    const LanesCount *count, uint32_t *significant, uint32_t *pairs)
{
  *significant = vaddvq_u32 (count->significant);
  *pairs = vaddvq_u32 (count->pairs);
}

#include "codec/cpu/bpc_template.h"
