/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The 32 lanes of the block coder in NEON. The bytes of 32 lanes are two
 * registers. The intervals of arithmetic coders are four to a register, in the
 * order of the coders: register k has coders 4k to 4k + 3, which take the symbols
 * of their lanes one after the other. bpc_template.h calls these operations. */
#pragma once
#include "codec/cpu/bpc_bits.h"
#include <arm_neon.h>

#define LANES_NAME "neon"
#define LANES_OPS paco_bpc_ops_neon
#define LANES_PAST_CACHES false

/* --- One byte for each lane, or for each coefficient of a row --- */

typedef struct
{
  uint8x16_t low, high; /* lanes 0..15, 16..31 */
} LanesBytes;

/* Byte i has bit i % 8. */
BPC_INLINE uint8x16_t
lanes_bit_of_byte (void)
{
  return vreinterpretq_u8_u64 (vdupq_n_u64 (UINT64_C (0x8040201008040201)));
}

typedef LanesBytes LanesMask;

BPC_INLINE LanesMask
lanes_mask (uint32_t bits)
{
  const uint8x16_t low = { 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1 };
  const uint8x16_t high = { 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3 };
  uint8x16_t v = vreinterpretq_u8_u32 (vdupq_n_u32 (bits));

  return (LanesMask){
    vtstq_u8 (vqtbl1q_u8 (v, low), lanes_bit_of_byte ()),
    vtstq_u8 (vqtbl1q_u8 (v, high), lanes_bit_of_byte ()),
  };
}

BPC_INLINE uint32_t
lanes_bits (LanesMask mask)
{
  uint8x16_t low = vandq_u8 (mask.low, lanes_bit_of_byte ());
  uint8x16_t high = vandq_u8 (mask.high, lanes_bit_of_byte ());
  uint8x16_t sums = vpaddq_u8 (low, high);

  sums = vpaddq_u8 (sums, sums);
  sums = vpaddq_u8 (sums, sums);
  return vgetq_lane_u32 (vreinterpretq_u32_u8 (sums), 0);
}

BPC_INLINE LanesBytes
lanes_load (const void *data)
{
  const uint8_t *bytes = data;

  return (LanesBytes){ vld1q_u8 (bytes), vld1q_u8 (bytes + 16) };
}

BPC_INLINE void
lanes_store (void *data, LanesBytes v)
{
  uint8_t *bytes = data;

  vst1q_u8 (bytes, v.low);
  vst1q_u8 (bytes + 16, v.high);
}

/* Returns the same value in all lanes. */
BPC_INLINE LanesBytes
lanes_all (uint8_t value)
{
  return (LanesBytes){ vdupq_n_u8 (value), vdupq_n_u8 (value) };
}

BPC_INLINE LanesBytes
lanes_add (LanesBytes a, LanesBytes b)
{
  return (LanesBytes){ vaddq_u8 (a.low, b.low), vaddq_u8 (a.high, b.high) };
}

BPC_INLINE LanesBytes
lanes_sub (LanesBytes a, LanesBytes b)
{
  return (LanesBytes){ vsubq_u8 (a.low, b.low), vsubq_u8 (a.high, b.high) };
}

BPC_INLINE LanesBytes
lanes_times_4 (LanesBytes v)
{
  return (LanesBytes){ vshlq_n_u8 (v.low, 2), vshlq_n_u8 (v.high, 2) };
}

BPC_INLINE LanesBytes
lanes_and (LanesBytes a, LanesBytes b)
{
  return (LanesBytes){ vandq_u8 (a.low, b.low), vandq_u8 (a.high, b.high) };
}

BPC_INLINE LanesBytes
lanes_xor (LanesBytes a, LanesBytes b)
{
  return (LanesBytes){ veorq_u8 (a.low, b.low), veorq_u8 (a.high, b.high) };
}

BPC_INLINE LanesBytes
lanes_select (LanesMask mask, LanesBytes a, LanesBytes b)
{
  return (LanesBytes){ vbslq_u8 (mask.low, a.low, b.low),
    vbslq_u8 (mask.high, a.high, b.high) };
}

BPC_INLINE LanesMask
lanes_without (LanesMask a, LanesMask b)
{
  return (LanesMask){ vbicq_u8 (a.low, b.low), vbicq_u8 (a.high, b.high) };
}

BPC_INLINE LanesBytes
lanes_from_previous (LanesBytes v)
{
  return (LanesBytes){ vextq_u8 (vdupq_n_u8 (0), v.low, 15),
    vextq_u8 (v.low, v.high, 15) };
}

BPC_INLINE LanesBytes
lanes_from_next (LanesBytes v)
{
  return (LanesBytes){ vextq_u8 (v.low, v.high, 1),
    vextq_u8 (v.high, vdupq_n_u8 (0), 1) };
}

BPC_INLINE LanesMask
lanes_bit (LanesBytes v, unsigned bit)
{
  uint8x16_t one = vdupq_n_u8 ((uint8_t) (1u << bit));

  return (LanesMask){ vtstq_u8 (v.low, one), vtstq_u8 (v.high, one) };
}

BPC_INLINE LanesMask
lanes_differ (LanesBytes v, uint8_t value)
{
  uint8x16_t same = vdupq_n_u8 (value);

  return (LanesMask){ vmvnq_u8 (vceqq_u8 (v.low, same)),
    vmvnq_u8 (vceqq_u8 (v.high, same)) };
}

typedef uint8x16_t LanesTable;

BPC_INLINE LanesTable
lanes_load_table (const uint8_t table[16])
{
  return vld1q_u8 (table);
}

/* table[v]; 0 where v is 16 or more. */
BPC_INLINE LanesBytes
lanes_lookup_16 (LanesTable table, LanesBytes v)
{
  return (LanesBytes){ vqtbl1q_u8 (table, v.low), vqtbl1q_u8 (table, v.high) };
}

BPC_INLINE LanesBytes
lanes_lookup (const uint8_t table[16], LanesBytes v)
{
  return lanes_lookup_16 (vld1q_u8 (table), lanes_and (v, lanes_all (15)));
}

BPC_INLINE LanesBytes
lanes_nibbles_up (LanesBytes v)
{
  return (LanesBytes){ vshlq_n_u8 (v.low, 4), vshlq_n_u8 (v.high, 4) };
}

BPC_INLINE LanesBytes
lanes_nibbles_down (LanesBytes v)
{
  return (LanesBytes){ vshrq_n_u8 (v.low, 4), vshrq_n_u8 (v.high, 4) };
}

/* 4 sign (h) + sign (v) + 5. Comparisons give -1. */
BPC_INLINE uint8x16_t
lanes_sign_index (uint8x16_t h, uint8x16_t v)
{
  int8x16_t a = vreinterpretq_s8_u8 (h), b = vreinterpretq_s8_u8 (v);
  uint8x16_t of_h = vsubq_u8 (vcltzq_s8 (a), vcgtzq_s8 (a));
  uint8x16_t of_v = vsubq_u8 (vcltzq_s8 (b), vcgtzq_s8 (b));

  return vaddq_u8 (vaddq_u8 (vshlq_n_u8 (of_h, 2), of_v), vdupq_n_u8 (5));
}

BPC_INLINE LanesBytes
lanes_lookup_signs (const uint8_t table[16], LanesBytes h, LanesBytes v)
{
  return lanes_lookup_16 (vld1q_u8 (table),
      (LanesBytes){
          lanes_sign_index (h.low, v.low), lanes_sign_index (h.high, v.high) });
}

BPC_INLINE LanesBytes
lanes_refining (LanesBytes contexts)
{
  uint8x16_t first = vdupq_n_u8 (PACO_REFINEMENT_CONTEXT);

  return (LanesBytes){
    vaddq_u8 (vshrq_n_u8 (contexts.low, PACO_REFINEMENT_SHIFT), first),
    vaddq_u8 (vshrq_n_u8 (contexts.high, PACO_REFINEMENT_SHIFT), first),
  };
}

/* Returns which of 16 columns are rounded up. */
BPC_INLINE uint8x16_t
lanes_round_16 (uint8x16_t c, const uint8_t *bytes)
{
  uint8x16_t sum = vandq_u8 (vld1q_u8 (bytes), vdupq_n_u8 (15));

  sum = vaddq_u8 (sum, vminq_u8 (c, vdupq_n_u8 (4)));
  sum = vsubq_u8 (sum, vcgeq_u8 (c, vdupq_n_u8 (PACO_ROUNDING_5)));
  sum = vsubq_u8 (sum, vcgeq_u8 (c, vdupq_n_u8 (PACO_ROUNDING_6)));
  sum = vsubq_u8 (sum, vcgeq_u8 (c, vdupq_n_u8 (PACO_ROUNDING_7)));
  return vtstq_u8 (sum, vdupq_n_u8 (1 << PACO_FRACTION_BITS));
}

BPC_INLINE uint32_t
lanes_round_half (LanesBytes c, const uint8_t bytes[32])
{
  return lanes_bits ((LanesMask){
      lanes_round_16 (c.low, bytes), lanes_round_16 (c.high, bytes + 16) });
}

#include "codec/cpu/bpc_template_halves.h"

/* --- The arithmetic coder --- */

/* How many registers the arithmetic coders take. */
#define LANES_REGISTERS(sharing) (8 / (sharing))

/* The first of the lanes whose symbols register k takes in a step; the others
 * follow at a distance of `sharing`. */
BPC_INLINE unsigned
lanes_first (unsigned k, unsigned step, unsigned sharing)
{
  return 4 * k * sharing + step;
}

/* Makes words of the bytes of these lanes: `times` and others say which bytes of a word
 * are the lane's. */
BPC_INLINE uint32x4_t
lanes_words_by (LanesBytes v, unsigned k, unsigned step, unsigned sharing,
    uint32_t times, uint32_t others)
{
  unsigned t = lanes_first (k, step, sharing);
  uint8x16x2_t both = { { v.low, v.high } };
  uint32x4_t index;

  if (sharing < 8)
    t &= 15;
  index = (uint32x4_t){ t, t + sharing, t + 2 * sharing, t + 3 * sharing };
  index = vorrq_u32 (
      vmulq_u32 (index, vdupq_n_u32 (times)), vdupq_n_u32 (others));
  if (sharing == 8)
    return vreinterpretq_u32_u8 (
        vqtbl2q_u8 (both, vreinterpretq_u8_u32 (index)));
  return vreinterpretq_u32_u8 (
      vqtbl1q_u8 (lanes_first (k, step, sharing) < 16 ? v.low : v.high,
          vreinterpretq_u8_u32 (index)));
}

/* The bytes of these lanes as words; an index out of the table gives 0. */
BPC_INLINE uint32x4_t
lanes_words_of (LanesBytes p, unsigned k, unsigned step, unsigned sharing)
{
  return lanes_words_by (p, k, step, sharing, 1, 0xffffff00u);
}

/* These lanes of a mask as words. */
BPC_INLINE uint32x4_t
lanes_word_mask (LanesMask m, unsigned k, unsigned step, unsigned sharing)
{
  return lanes_words_by (m, k, step, sharing, 0x01010101u, 0);
}

/* s p / 256. */
BPC_INLINE uint32x4_t
lanes_split (uint32x4_t s, uint32x4_t p)
{
  uint32x2_t low = vshrn_n_u64 (
      vmull_u32 (vget_low_u32 (s), vget_low_u32 (p)), 8);

  return vshrn_high_n_u64 (low, vmull_high_u32 (s, p), 8);
}

/* Makes masks of words of eight registers to bytes in the order of the words. */
BPC_INLINE LanesMask
lanes_mask_of_words (const uint32x4_t m[8])
{
  uint16x8_t half[4];

  for (unsigned k = 0; k < 4; k++)
    half[k] = vuzp1q_u16 (
        vreinterpretq_u16_u32 (m[2 * k]), vreinterpretq_u16_u32 (m[2 * k + 1]));
  return (LanesMask){
    vuzp1q_u8 (vreinterpretq_u8_u16 (half[0]), vreinterpretq_u8_u16 (half[1])),
    vuzp1q_u8 (vreinterpretq_u8_u16 (half[2]), vreinterpretq_u8_u16 (half[3])),
  };
}

/* Returns which coders of a step have no codeword and need one: for each register a
 * mask of its words, and all of them as bits in the order of the coders. */
BPC_INLINE uint32_t
lanes_empty (const uint32x4_t *s, const uint32x4_t *in, bool full,
    unsigned sharing, uint32x4_t empty[8])
{
  unsigned n = LANES_REGISTERS (sharing);
  uint32x4_t least = vdupq_n_u32 (UINT32_MAX);

  for (unsigned k = 0; k < n; k++) {
    empty[k] = full ? s[k] : vornq_u32 (s[k], in[k]);
    least = vminq_u32 (least, empty[k]);
  }
  if (G_LIKELY (vminvq_u32 (least) != 0))
    return 0;
  for (unsigned k = 0; k < n; k++)
    empty[k] = vceqzq_u32 (empty[k]);
  for (unsigned k = n; k < 8; k++)
    empty[k] = vdupq_n_u32 (0);
  return lanes_bits (lanes_mask_of_words (empty));
}

/* Which of the lanes of a step are active. */
BPC_INLINE void
lanes_in_step (
    LanesMask active, unsigned step, unsigned sharing, uint32x4_t in[8])
{
  for (unsigned k = 0; k < LANES_REGISTERS (sharing); k++)
    in[k] = lanes_word_mask (active, k, step, sharing);
}

typedef struct
{
  uint32x4_t s[8], l[8]; /* shared: the first ones */
  uint32_t *finished;
  uint8_t *reserved_by;
  size_t n;
} LanesEncoder;

/* Notes for the coders of the mask, in the order of their numbers, the codeword that
 * each has finished and that it reserves a new one. */
BPC_INLINE void
lanes_reserve (
    LanesEncoder *e, uint32_t mask, const uint32x4_t empty[8], unsigned sharing)
{
  uint32_t low[32] BPC_ALIGNED;

  for (unsigned k = 0; k < LANES_REGISTERS (sharing); k++)
    vst1q_u32 (low + 4 * k, e->l[k]);
  for (; mask; mask &= mask - 1) {
    unsigned j = (unsigned) __builtin_ctz (mask);

    e->reserved_by[e->n] = (uint8_t) j;
    e->finished[e->n++] = low[j];
  }
  for (unsigned k = 0; k < LANES_REGISTERS (sharing); k++) {
    e->s[k] = vorrq_u32 (e->s[k], empty[k]);
    e->l[k] = vbicq_u32 (e->l[k], empty[k]);
  }
}

/* The coders of a register code a symbol: bits are masks of words. */
BPC_INLINE void
lanes_encode_4 (uint32x4_t *s, uint32x4_t *l, uint32x4_t p, uint32x4_t bits,
    uint32x4_t in, bool full)
{
  uint32x4_t t = lanes_split (*s, p);
  uint32x4_t t1 = vaddq_u32 (t, vdupq_n_u32 (1));
  uint32x4_t next = vbslq_u32 (bits, vsubq_u32 (*s, t1), t);

  *l = vaddq_u32 (*l, vandq_u32 (bits, t1));
  *s = full ? next : vbslq_u32 (in, next, *s);
}

BPC_INLINE void
lanes_encode (LanesEncoder *e, LanesRow row, unsigned side, LanesMask ones,
    LanesMask active, bool full, unsigned sharing)
{
  LanesBytes p = lanes_side (row, side);

#pragma GCC unroll 8
  for (unsigned step = 0; step < sharing; step++) {
    uint32x4_t in[8], empty[8];
    uint32_t mask;

    lanes_in_step (active, step, sharing, in);
    mask = lanes_empty (e->s, in, full, sharing, empty);
    if (mask)
      lanes_reserve (e, mask, empty, sharing);
#pragma GCC unroll 8
    for (unsigned k = 0; k < LANES_REGISTERS (sharing); k++)
      lanes_encode_4 (&e->s[k], &e->l[k], lanes_words_of (p, k, step, sharing),
          lanes_word_mask (ones, k, step, sharing), in[k], full);
  }
}

BPC_INLINE unsigned
lanes_coder (uint8_t noted, unsigned sharing)
{
  return noted;
}

BPC_INLINE void
lanes_encoder_end (
    const LanesEncoder *e, unsigned sharing, uint32_t s[32], uint32_t l[32])
{
  memcpy (s, e->s, sizeof e->s);
  memcpy (l, e->l, sizeof e->l);
}

typedef struct
{
  uint32x4_t s[8], d[8];
  const uint8_t *next; /* codeword */
} LanesDecoder;

/* Gives the coders of the mask their next codewords. */
BPC_INLINE void
lanes_next_codewords (
    LanesDecoder *d, uint32_t mask, const uint32x4_t empty[8], unsigned sharing)
{
  uint32_t words[32] BPC_ALIGNED;

  for (; mask; mask &= mask - 1) {
    words[__builtin_ctz (mask)] = load_le32 (d->next);
    d->next += 4;
  }
  for (unsigned k = 0; k < LANES_REGISTERS (sharing); k++) {
    d->s[k] = vorrq_u32 (d->s[k], empty[k]);
    d->d[k] = vbslq_u32 (empty[k], vld1q_u32 (words + 4 * k), d->d[k]);
  }
}

/* Decodes the symbols of a register's coders; returns a mask of the words with
 * 0. */
BPC_INLINE uint32x4_t
lanes_decode_4 (
    uint32x4_t *s, uint32x4_t *d, uint32x4_t p, uint32x4_t in, bool full)
{
  uint32x4_t t = lanes_split (*s, p);
  uint32x4_t t1 = vaddq_u32 (t, vdupq_n_u32 (1));
  uint32x4_t zero = vcleq_u32 (*d, t);
  uint32x4_t next = vbslq_u32 (zero, t, vsubq_u32 (*s, t1));
  uint32x4_t rest = vsubq_u32 (*d, vbicq_u32 (t1, zero));

  *s = full ? next : vbslq_u32 (in, next, *s);
  *d = full ? rest : vbslq_u32 (in, rest, *d);
  return zero;
}

/* Makes masks of words of all steps to bytes in the order of lanes. The word of a coder
 * covers the bytes of its lanes, or half of them. */
BPC_INLINE LanesMask
lanes_mask_of_steps (const uint32x4_t m[8], unsigned sharing)
{
  LanesMask r = lanes_all (0);

  if (sharing == 1)
    return lanes_mask_of_words (m);
  for (unsigned step = 0; step < sharing; step++) {
    uint8x16_t here = vreinterpretq_u8_u64 (vdupq_n_u64 (
        (sharing == 4 ? UINT64_C (0xff000000ff) : 0xff) << (8 * step)));
    uint32x4_t low = sharing == 4 ? m[2 * step] : vzip1q_u32 (m[step], m[step]);
    uint32x4_t high = sharing == 4 ? m[2 * step + 1]
                                   : vzip2q_u32 (m[step], m[step]);

    r.low = vbslq_u8 (here, vreinterpretq_u8_u32 (low), r.low);
    r.high = vbslq_u8 (here, vreinterpretq_u8_u32 (high), r.high);
  }
  return r;
}

BPC_INLINE LanesMask
lanes_decode (LanesDecoder *d, LanesRow row, unsigned side, LanesMask active,
    bool full, unsigned sharing)
{
  LanesBytes p = lanes_side (row, side);
  uint32x4_t zero[8];

#pragma GCC unroll 8
  for (unsigned step = 0; step < sharing; step++) {
    uint32x4_t in[8], empty[8];
    uint32_t mask;

    lanes_in_step (active, step, sharing, in);
    mask = lanes_empty (d->s, in, full, sharing, empty);
    if (mask)
      lanes_next_codewords (d, mask, empty, sharing);
#pragma GCC unroll 8
    for (unsigned k = 0; k < LANES_REGISTERS (sharing); k++)
      zero[LANES_REGISTERS (sharing) * step + k] = lanes_decode_4 (&d->s[k],
          &d->d[k], lanes_words_of (p, k, step, sharing), in[k], full);
  }
  return lanes_without (active, lanes_mask_of_steps (zero, sharing));
}

BPC_INLINE void
lanes_decoder_end (
    const LanesDecoder *d, unsigned sharing, uint32_t s[32], uint32_t value[32])
{
  memcpy (s, d->s, sizeof d->s);
  memcpy (value, d->d, sizeof d->d);
}
