/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The 32 lanes of the block coder in AVX-512 with VBMI and VBMI2; bpc_template.h
 * calls these operations. The 64 bytes of a row are one register, row masks are mask
 * registers, and the intervals of 32 arithmetic coders are two registers in the
 * order of the lanes. */
#pragma once
#include "codec/cpu/bpc_lanes_avx.h"

#define LANES_NAME "avx512"
#define LANES_OPS paco_bpc_ops_avx512
#define LANES_PAST_CACHES true

/* --- One byte for each lane, or for each coefficient of a row --- */

typedef __m512i LanesRow;

/* Masks stay in mask registers. */
typedef __mmask32 LanesMask;

BPC_INLINE LanesMask
lanes_mask (uint32_t bits)
{
  return bits;
}

BPC_INLINE uint32_t
lanes_bits (LanesMask mask)
{
  return mask;
}

BPC_INLINE LanesMask
lanes_without (LanesMask a, LanesMask b)
{
  return _kandn_mask32 (b, a);
}

BPC_INLINE LanesMask
lanes_both (LanesMask a, LanesMask b)
{
  return a & b;
}

BPC_INLINE LanesMask
lanes_unlike (LanesMask a, LanesMask b)
{
  return a ^ b;
}

BPC_INLINE LanesBytes
lanes_all (uint8_t value)
{
  return _mm256_set1_epi8 ((char) value);
}

BPC_INLINE LanesBytes
lanes_of_mask (LanesMask mask, uint8_t value)
{
  return _mm256_maskz_set1_epi8 (mask, (char) value);
}

BPC_INLINE LanesBytes
lanes_select (LanesMask mask, LanesBytes a, LanesBytes b)
{
  return _mm256_mask_mov_epi8 (b, mask, a);
}

BPC_INLINE LanesMask
lanes_bit (LanesBytes v, unsigned bit)
{
  return _mm256_test_epi8_mask (v, _mm256_set1_epi8 ((char) (1u << bit)));
}

BPC_INLINE LanesMask
lanes_differ (LanesBytes v, uint8_t value)
{
  return _mm256_cmpneq_epi8_mask (v, _mm256_set1_epi8 ((char) value));
}

BPC_INLINE LanesBytes
lanes_lookup_16 (const uint8_t table[16], LanesBytes nibbles)
{
  __m128i t = _mm_loadu_si128 ((const __m128i *) table);

  return _mm256_shuffle_epi8 (_mm256_broadcastsi128_si256 (t), nibbles);
}

BPC_INLINE LanesBytes
lanes_lookup (const uint8_t table[16], LanesBytes v)
{
  return lanes_lookup_16 (table, _mm256_and_si256 (v, _mm256_set1_epi8 (15)));
}

BPC_INLINE LanesBytes
lanes_lookup_signs (const uint8_t table[16], LanesBytes h, LanesBytes v)
{
  h = _mm256_sign_epi8 (_mm256_set1_epi8 (4), h);
  v = _mm256_sign_epi8 (_mm256_set1_epi8 (1), v);
  h = _mm256_add_epi8 (_mm256_add_epi8 (h, v), _mm256_set1_epi8 (5));
  return lanes_lookup_16 (table, h);
}

/* The codes of signs by h + 5 v, and 25 more where the sign above is not known; in the
 * lower nibble if that is 1, in the upper one if it is -1. */
typedef __m512i LanesSignTable;

BPC_INLINE LanesSignTable
lanes_sign_table (const uint8_t codes[16])
{
  uint8_t table[64] = { 0 };

  for (int h = -2; h <= 2; h++)
    for (int v = -2; v <= 2; v++)
      for (int u = 0; u < 2; u++) {
        const uint8_t *row = codes + 5 + 4 * ((h > 0) - (h < 0));
        unsigned low = row[(v + u > 0) - (v + u < 0)];
        unsigned high = row[(v - u > 0) - (v - u < 0)];

        table[(h + 5 * v + 25 * u) & 63] = (uint8_t) (low | high << 4);
      }
  return _mm512_loadu_si512 (table);
}

BPC_INLINE LanesBytes
lanes_sign_values (
    LanesSignTable table, LanesBytes h, LanesBytes v, LanesMask above)
{
  LanesBytes two = lanes_add (v, v), i = lanes_add (h, v);

  i = lanes_add (i, lanes_add (two, two));
  i = _mm256_mask_add_epi8 (i, above, i, lanes_all (25));
  return _mm512_castsi512_si256 (
      _mm512_permutexvar_epi8 (_mm512_castsi256_si512 (i), table));
}

BPC_INLINE LanesRow
lanes_row_zero (void)
{
  return _mm512_setzero_si512 ();
}

BPC_INLINE LanesRow
lanes_row_load (const void *data)
{
  return _mm512_loadu_si512 (data);
}

BPC_INLINE void
lanes_row_store (void *data, LanesRow r)
{
  _mm512_storeu_si512 (data, r);
}

BPC_INLINE LanesRow
lanes_row_add (LanesRow a, LanesRow b)
{
  return _mm512_add_epi8 (a, b);
}

/* The first makes a row of its left half; the second returns the half of a side, 0 or
 * 32. */
BPC_INLINE LanesRow
lanes_row_of_left (LanesBytes left)
{
  return _mm512_castsi256_si512 (left);
}

BPC_INLINE LanesBytes
lanes_side (LanesRow r, unsigned side)
{
  return side ? _mm512_extracti64x4_epi64 (r, 1) : _mm512_castsi512_si256 (r);
}

BPC_INLINE uint64_t
lanes_row_top_bits (LanesRow r)
{
  return _mm512_movepi8_mask (r);
}

BPC_INLINE LanesRow
lanes_row_push (LanesRow r, uint64_t mask)
{
  /* Twice the bytes, minus -1. */
  return _mm512_sub_epi8 (_mm512_add_epi8 (r, r), _mm512_movm_epi8 (mask));
}

/* --- The arithmetic coder --- */

/* s p / 256, when p is in the highest byte: the high half of the product. */
BPC_INLINE __m512i
lanes_split_16 (__m512i s, __m512i p)
{
  __m512i even = _mm512_mul_epu32 (s, p);
  __m512i odd = _mm512_mul_epu32 (
      _mm512_srli_epi64 (s, 32), _mm512_srli_epi64 (p, 32));

  return _mm512_mask_shuffle_epi32 (odd, 0x5555, even, _MM_PERM_DDBB);
}

/* Moves 16 bytes, from number `first` on, to the highest bytes of words. */
BPC_INLINE __m512i
lanes_factors_16 (__m512i p, unsigned first)
{
  uint8_t order[64] = { 0 };

  for (unsigned i = 0; i < 16; i++)
    order[4 * i + 3] = (uint8_t) (first + i);
  return _mm512_maskz_permutexvar_epi8 (
      UINT64_C (0x8888888888888888), _mm512_loadu_si512 (order), p);
}

typedef struct
{
  __m512i s[2], l[2];
  __m256i shared_s, shared_l;
  uint32_t *finished;
  uint8_t *reserved_by;
  size_t n;
} LanesEncoder;

BPC_INLINE __m256i
lanes_numbers (void)
{
  return _mm256_setr_epi8 (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
      16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
}

/* Codes, or decodes, the symbols of 16 coders. */
BPC_INLINE void
lanes_encode_16 (__m512i *s, __m512i *l, __m512i p, __mmask16 bits,
    __mmask16 active, bool full)
{
  __m512i t = lanes_split_16 (*s, p);
  __m512i not_t = _mm512_ternarylogic_epi32 (t, t, t, 0x55);
  __m512i next = _mm512_mask_add_epi32 (t, bits, *s, not_t);

  *l = _mm512_mask_sub_epi32 (*l, bits, *l, not_t);
  *s = full ? next : _mm512_mask_mov_epi32 (*s, active, next);
}

BPC_INLINE void
lanes_encode_separate (LanesEncoder *e, LanesRow p, unsigned side,
    LanesMask bits, LanesMask active, bool full)
{
  __m512i ones = _mm512_set1_epi32 (-1);
  __mmask16 empty0 = _mm512_testn_epi32_mask (e->s[0], e->s[0]);
  __mmask16 empty1 = _mm512_testn_epi32_mask (e->s[1], e->s[1]);
  uint32_t *finished = e->finished + e->n;
  uint32_t empty;

  if (!full) {
    empty0 &= active;
    empty1 &= active >> 16;
  }
  empty = empty0 | (uint32_t) empty1 << 16;
  _mm256_storeu_si256 ((__m256i *) (e->reserved_by + e->n),
      _mm256_maskz_compress_epi8 (empty, lanes_numbers ()));
  _mm512_storeu_si512 (finished, _mm512_maskz_compress_epi32 (empty0, e->l[0]));
  _mm512_storeu_si512 (finished + __builtin_popcount (empty0),
      _mm512_maskz_compress_epi32 (empty1, e->l[1]));
  e->n += (unsigned) __builtin_popcount (empty);
  e->s[0] = _mm512_mask_mov_epi32 (e->s[0], empty0, ones);
  e->s[1] = _mm512_mask_mov_epi32 (e->s[1], empty1, ones);
  e->l[0] = _mm512_maskz_mov_epi32 (~empty0, e->l[0]);
  e->l[1] = _mm512_maskz_mov_epi32 (~empty1, e->l[1]);
  lanes_encode_16 (
      &e->s[0], &e->l[0], lanes_factors_16 (p, side), bits, active, full);
  lanes_encode_16 (&e->s[1], &e->l[1], lanes_factors_16 (p, side + 16),
      bits >> 16, active >> 16, full);
}

/* The mask of those of 8 coders whose lane in this step is set. */
BPC_INLINE __mmask8
lanes_of_step (__m256i lanes, unsigned step)
{
  return _mm256_test_epi32_mask (
      lanes, _mm256_set1_epi32 ((int) (0xffu << (8 * step))));
}

BPC_INLINE void
lanes_encode_four (
    LanesEncoder *e, LanesBytes p, LanesMask bits, LanesMask active, bool full)
{
  __m256i s = e->shared_s, l = e->shared_l;
  __m256i bit_lanes = _mm256_movm_epi8 (bits);
  __m256i active_lanes = _mm256_movm_epi8 (active);

  for (unsigned step = 0; step < 4; step++) {
    __mmask8 ones = lanes_of_step (bit_lanes, step);
    __mmask8 in = full ? 0xff : lanes_of_step (active_lanes, step);
    __mmask8 empty = _mm256_testn_epi32_mask (s, s) & in;
    __m256i t, not_t, next;

    _mm_storeu_si128 ((__m128i *) (e->reserved_by + e->n),
        _mm_maskz_compress_epi8 (
            empty, _mm256_castsi256_si128 (lanes_numbers ())));
    _mm256_storeu_si256 ((__m256i *) (e->finished + e->n),
        _mm256_maskz_compress_epi32 (empty, l));
    e->n += (unsigned) __builtin_popcount (empty);
    s = _mm256_mask_mov_epi32 (s, empty, _mm256_set1_epi32 (-1));
    l = _mm256_maskz_mov_epi32 (~empty, l);

    t = lanes_split (s, lanes_factors (p, step));
    not_t = _mm256_ternarylogic_epi32 (t, t, t, 0x55);
    next = _mm256_mask_add_epi32 (t, ones, s, not_t);
    l = _mm256_mask_sub_epi32 (l, ones, l, not_t);
    s = full ? next : _mm256_mask_mov_epi32 (s, in, next);
  }
  e->shared_s = s;
  e->shared_l = l;
}

BPC_INLINE void
lanes_encode_eight (
    LanesEncoder *e, LanesBytes p, LanesMask bits, LanesMask active)
{
  uint32_t first = LANES_FIRST_FOUR;

  lanes_encode_four (e, p, bits & first, active & first, false);
  lanes_swap_words (&e->shared_s);
  lanes_swap_words (&e->shared_l);
  lanes_encode_four (e, p, bits & ~first, active & ~first, false);
  lanes_swap_words (&e->shared_s);
  lanes_swap_words (&e->shared_l);
}

BPC_INLINE void
lanes_encode (LanesEncoder *e, LanesRow p, unsigned side, LanesMask bits,
    LanesMask active, bool full, unsigned sharing)
{
  if (sharing == 8)
    lanes_encode_eight (e, lanes_side (p, side), bits, active);
  else if (sharing == 4)
    lanes_encode_four (e, lanes_side (p, side), bits, active, full);
  else
    lanes_encode_separate (e, p, side, bits, active, full);
}

/* Stores the words of the coders that four or eight lanes share, in their order. */
BPC_INLINE void
lanes_store_coders (__m256i v, unsigned sharing, uint32_t out[32])
{
  if (sharing == 8)
    v = _mm256_permutevar8x32_epi32 (
        v, _mm256_setr_epi32 (0, 2, 4, 6, 1, 3, 5, 7));
  _mm256_storeu_si256 ((__m256i *) out, v);
}

BPC_INLINE void
lanes_encoder_end (
    const LanesEncoder *e, unsigned sharing, uint32_t s[32], uint32_t l[32])
{
  if (sharing > 1) {
    lanes_store_coders (e->shared_s, sharing, s);
    lanes_store_coders (e->shared_l, sharing, l);
  } else {
    memcpy (s, e->s, sizeof e->s);
    memcpy (l, e->l, sizeof e->l);
  }
}

typedef struct
{
  __m512i s[2], d[2];
  __m256i shared_s, shared_d;
  const uint8_t *next; /* codeword */
} LanesDecoder;

/* Codes, or decodes, the symbols of 16 coders. */
BPC_INLINE __mmask16
lanes_decode_16 (__m512i *s, __m512i *d, __m512i p, __mmask16 active, bool full)
{
  __m512i t = lanes_split_16 (*s, p);
  __m512i not_t = _mm512_ternarylogic_epi32 (t, t, t, 0x55);
  __mmask16 bits = full ? _mm512_cmpgt_epu32_mask (*d, t)
                        : _mm512_mask_cmpgt_epu32_mask (active, *d, t);
  __m512i next = _mm512_mask_add_epi32 (t, bits, *s, not_t);

  *d = _mm512_mask_add_epi32 (*d, bits, *d, not_t);
  *s = full ? next : _mm512_mask_mov_epi32 (*s, active, next);
  return bits;
}

BPC_INLINE LanesMask
lanes_decode_separate (
    LanesDecoder *d, LanesRow p, unsigned side, LanesMask active, bool full)
{
  __m512i ones = _mm512_set1_epi32 (-1);
  __mmask16 empty0 = _mm512_testn_epi32_mask (d->s[0], d->s[0]), bits0;
  __mmask16 empty1 = _mm512_testn_epi32_mask (d->s[1], d->s[1]), bits1;

  if (!full) {
    empty0 &= active;
    empty1 &= active >> 16;
  }
  d->d[0] = _mm512_mask_expand_epi32 (
      d->d[0], empty0, _mm512_loadu_si512 (d->next));
  d->next += 4 * __builtin_popcount (empty0);
  d->d[1] = _mm512_mask_expand_epi32 (
      d->d[1], empty1, _mm512_loadu_si512 (d->next));
  d->next += 4 * __builtin_popcount (empty1);
  d->s[0] = _mm512_mask_mov_epi32 (d->s[0], empty0, ones);
  d->s[1] = _mm512_mask_mov_epi32 (d->s[1], empty1, ones);
  bits0 = lanes_decode_16 (
      &d->s[0], &d->d[0], lanes_factors_16 (p, side), active, full);
  bits1 = lanes_decode_16 (
      &d->s[1], &d->d[1], lanes_factors_16 (p, side + 16), active >> 16, full);
  return _mm512_kunpackw (bits1, bits0);
}

BPC_INLINE LanesMask
lanes_decode_four (LanesDecoder *d, LanesBytes p, LanesMask active, bool full)
{
  __m256i s = d->shared_s, value = d->shared_d;
  __m256i active_lanes = _mm256_movm_epi8 (active);
  uint32_t result = 0;

  for (unsigned step = 0; step < 4; step++) {
    __mmask8 in = full ? 0xff : lanes_of_step (active_lanes, step), bits;
    __mmask8 empty = _mm256_testn_epi32_mask (s, s) & in;
    __m256i t, not_t, next;

    value = _mm256_mask_expand_epi32 (
        value, empty, _mm256_loadu_si256 ((const __m256i *) d->next));
    d->next += 4 * __builtin_popcount (empty);
    s = _mm256_mask_mov_epi32 (s, empty, _mm256_set1_epi32 (-1));

    t = lanes_split (s, lanes_factors (p, step));
    not_t = _mm256_ternarylogic_epi32 (t, t, t, 0x55);
    bits = _mm256_mask_cmpgt_epu32_mask (in, value, t);
    next = _mm256_mask_add_epi32 (t, bits, s, not_t);
    value = _mm256_mask_add_epi32 (value, bits, value, not_t);
    s = full ? next : _mm256_mask_mov_epi32 (s, in, next);
    result |= _pdep_u32 (bits, 0x11111111) << step;
  }
  d->shared_s = s;
  d->shared_d = value;
  return result;
}

BPC_INLINE LanesMask
lanes_decode_eight (LanesDecoder *d, LanesBytes p, LanesMask active)
{
  uint32_t first = LANES_FIRST_FOUR, bits;

  bits = lanes_decode_four (d, p, active & first, false);
  lanes_swap_words (&d->shared_s);
  lanes_swap_words (&d->shared_d);
  bits |= lanes_decode_four (d, p, active & ~first, false);
  lanes_swap_words (&d->shared_s);
  lanes_swap_words (&d->shared_d);
  return bits;
}

BPC_INLINE LanesMask
lanes_decode (LanesDecoder *d, LanesRow p, unsigned side, LanesMask active,
    bool full, unsigned sharing)
{
  return sharing == 8 ? lanes_decode_eight (d, lanes_side (p, side), active)
      : sharing == 4 ? lanes_decode_four (d, lanes_side (p, side), active, full)
                     : lanes_decode_separate (d, p, side, active, full);
}

BPC_INLINE void
lanes_decoder_end (
    const LanesDecoder *d, unsigned sharing, uint32_t s[32], uint32_t value[32])
{
  if (sharing > 1) {
    lanes_store_coders (d->shared_s, sharing, s);
    lanes_store_coders (d->shared_d, sharing, value);
  } else {
    memcpy (s, d->s, sizeof d->s);
    memcpy (value, d->d, sizeof d->d);
  }
}

/* --- Coefficients --- */

/* Returns the order of the columns in a row: left columns first, then right ones. */
BPC_INLINE __m512i
lanes_halves_of_columns (void)
{
  uint8_t order[64];

  for (unsigned i = 0; i < 64; i++)
    order[i] = (uint8_t) (i < 32 ? 2 * i : 2 * (i - 32) + 1);
  return _mm512_loadu_si512 (order);
}

BPC_INLINE __m512i
lanes_columns_of_halves (void)
{
  uint8_t order[64];

  for (unsigned x = 0; x < 64; x++)
    order[x] = (uint8_t) (x / 2 + 32 * (x & 1));
  return _mm512_loadu_si512 (order);
}

/* Takes the byte at a shift from each of 64 words, in the order of a row. */
BPC_INLINE __m512i
lanes_gather_bytes (const __m512i words[4], unsigned shift)
{
  __m512i bytes = _mm512_castsi128_si512 (
      _mm512_cvtepi32_epi8 (_mm512_srli_epi32 (words[0], shift)));

  bytes = _mm512_inserti32x4 (
      bytes, _mm512_cvtepi32_epi8 (_mm512_srli_epi32 (words[1], shift)), 1);
  bytes = _mm512_inserti32x4 (
      bytes, _mm512_cvtepi32_epi8 (_mm512_srli_epi32 (words[2], shift)), 2);
  bytes = _mm512_inserti32x4 (
      bytes, _mm512_cvtepi32_epi8 (_mm512_srli_epi32 (words[3], shift)), 3);
  return _mm512_permutexvar_epi8 (lanes_halves_of_columns (), bytes);
}

/* Does paco_rate_scale(), with the lower 12 bits of x and with the upper ones where the
 * whole product may have more than 32 bits. */
BPC_INLINE __m512i
lanes_rescale_16 (__m512i x, __m512i m, unsigned shift, bool narrow)
{
  __m512i low = _mm512_and_si512 (x, _mm512_set1_epi32 (4095));
  __m512i high;

  if (narrow)
    return _mm512_srl_epi32 (
        _mm512_mullo_epi32 (x, m), _mm_cvtsi32_si128 ((int) shift));
  high = _mm512_mullo_epi32 (_mm512_srli_epi32 (x, 12), m);
  low = _mm512_srli_epi32 (_mm512_mullo_epi32 (low, m), 12);
  return _mm512_srl_epi32 (
      _mm512_add_epi32 (high, low), _mm_cvtsi32_si128 ((int) shift - 12));
}

/* Brings the magnitudes of a line to the steps of the step map. Returns all or-ed. */
BPC_INLINE __m512i
lanes_map_row (const BpcQuantizer *q, __m512i words[4], bool narrow)
{
  __m512i all = _mm512_setzero_si512 ();

  for (unsigned k = 0; k < 4; k++) {
    __m512i x = _mm512_add_epi32 (words[k], words[k]);

    words[k] = lanes_rescale_16 (_mm512_add_epi32 (x, _mm512_set1_epi32 (1)),
        _mm512_loadu_si512 (q->multipliers + 16 * k), PACO_STEP_MAP_SHIFT,
        narrow);
    all = _mm512_or_si512 (all, words[k]);
  }
  return all;
}

BPC_INLINE uint32_t
lanes_quantize_row (const BpcQuantizer *q, const void *coefficients,
    unsigned width, uint8_t bytes[3][64], uint64_t *negative)
{
  const __m512i most = _mm512_set1_epi32 (PACO_MAX_MAGNITUDE);
  const float *floats = coefficients;
  uint64_t valid = low_bits (width), minus = 0;
  __m512i words[4], all = _mm512_setzero_si512 ();

  for (unsigned k = 0; k < 4; k++) {
    __mmask16 in = (__mmask16) (valid >> (16 * k));
    __m512i x = _mm512_maskz_loadu_epi32 (in, floats + 16 * k);

    minus |= (uint64_t) _mm512_movepi32_mask (x) << (16 * k);
    if (q->reversible) {
      x = _mm512_min_epu32 (_mm512_abs_epi32 (x), most);
    } else {
      __m512 scaled = _mm512_mul_ps (
          _mm512_abs_ps (_mm512_castsi512_ps (x)), _mm512_set1_ps (q->scale));

      scaled = _mm512_min_ps (scaled, _mm512_set1_ps (PACO_MAX_MAGNITUDE));
      x = _mm512_cvttps_epi32 (scaled);
      if (q->multiplier > 0)
        x = lanes_rescale_16 (
            x, _mm512_set1_epi32 ((int) q->multiplier), q->shift, q->narrow);
    }
    words[k] = x;
    all = _mm512_or_si512 (all, x);
  }
  if (q->multipliers)
    all = q->narrow ? lanes_map_row (q, words, true)
                    : lanes_map_row (q, words, false);
  *negative = _pext_u64 (minus, UINT64_C (0x5555555555555555))
      | _pext_u64 (minus, UINT64_C (0xaaaaaaaaaaaaaaaa)) << 32;
  for (unsigned k = 0; k < 3; k++)
    _mm512_storeu_si512 (bytes[k], lanes_gather_bytes (words, 8 * k));
  return (uint32_t) _mm512_reduce_or_epi32 (all);
}

BPC_INLINE uint64_t
lanes_at_least (const uint8_t bytes[3][64], uint8_t least)
{
  __m512i high = _mm512_or_si512 (
      _mm512_loadu_si512 (bytes[1]), _mm512_loadu_si512 (bytes[2]));

  return _mm512_cmpge_epu8_mask (
             _mm512_loadu_si512 (bytes[0]), _mm512_set1_epi8 ((char) least))
      | _mm512_test_epi8_mask (high, high);
}

/* Returns the columns with an odd byte. */
BPC_INLINE uint64_t
lanes_odd (const uint8_t bytes[64])
{
  return _mm512_test_epi8_mask (
      _mm512_loadu_si512 (bytes), _mm512_set1_epi8 (1));
}

/* Returns what is added in each of the 37 contexts. */
BPC_INLINE __m512i
lanes_roundings (void)
{
  uint8_t sums[64];

  for (unsigned c = 0; c < 64; c++)
    sums[c] = (uint8_t) (MIN (c, 4) + (c >= PACO_ROUNDING_5)
        + (c >= PACO_ROUNDING_6) + (c >= PACO_ROUNDING_7));
  return _mm512_loadu_si512 (sums);
}

/* The columns that are rounded up, from their contexts and the lowest bytes of their
 * magnitudes. */
BPC_INLINE uint64_t
lanes_round (LanesRow contexts, const uint8_t bytes[64])
{
  __m512i sum = _mm512_and_si512 (
      _mm512_loadu_si512 (bytes), _mm512_set1_epi8 (15));

  sum = _mm512_add_epi8 (
      sum, _mm512_permutexvar_epi8 (contexts, lanes_roundings ()));
  return _mm512_test_epi8_mask (
      sum, _mm512_set1_epi8 (1 << PACO_FRACTION_BITS));
}

/* Brings the bits of a row mask into the order of columns. */
BPC_INLINE uint64_t
lanes_columns_of_mask (uint64_t mask)
{
  return _pdep_u64 (mask, UINT64_C (0x5555555555555555))
      | _pdep_u64 (mask >> 32, UINT64_C (0xaaaaaaaaaaaaaaaa));
}

/* Sets halves to the bytes of a row as words, in the order of columns. */
BPC_INLINE void
lanes_words_of_row (LanesRow row, __m512i halves[2])
{
  __m512i bytes = _mm512_permutexvar_epi8 (lanes_columns_of_halves (), row);

  halves[0] = _mm512_cvtepu8_epi16 (_mm512_castsi512_si256 (bytes));
  halves[1] = _mm512_cvtepu8_epi16 (_mm512_extracti64x4_epi64 (bytes, 1));
}

BPC_INLINE void
lanes_dequantize_narrow (const BpcQuantizer *q, const LanesRow bytes[3],
    unsigned n_bytes, uint64_t negative, int16_t *coefficients, unsigned width)
{
  uint64_t valid = low_bits (width), minus = lanes_columns_of_mask (negative);
  __m512i m[2], high[2] = { _mm512_setzero_si512 (), _mm512_setzero_si512 () };

  lanes_words_of_row (bytes[0], m);
  if (n_bytes > 1)
    lanes_words_of_row (bytes[1], high);
#pragma GCC unroll 2
  for (unsigned k = 0; k < 2; k++) {
    __mmask32 in = (__mmask32) (valid >> (32 * k));
    __mmask32 less = (__mmask32) (minus >> (32 * k));
    __m512i x;

    m[k] = _mm512_or_si512 (m[k], _mm512_slli_epi16 (high[k], 8));
    x = _mm512_maskz_add_epi16 (_mm512_test_epi16_mask (m[k], m[k]),
        _mm512_sll_epi16 (m[k], _mm_cvtsi32_si128 ((int) q->dropped)),
        _mm512_set1_epi16 ((int16_t) q->middle));
    x = _mm512_mask_sub_epi16 (x, less, _mm512_setzero_si512 (), x);
    if (q->past_caches && width == 64)
      _mm512_stream_si512 ((__m512i *) (coefficients + 32 * k), x);
    else
      _mm512_mask_storeu_epi16 (coefficients + 32 * k, in, x);
  }
}

BPC_INLINE void
lanes_dequantize_row (const BpcQuantizer *q, const LanesRow bytes[3],
    unsigned n_bytes, uint64_t negative, void *coefficients, unsigned width)
{
  uint64_t valid = low_bits (width), minus = lanes_columns_of_mask (negative);
  float *floats = coefficients;
  BPC_ALIGNED uint8_t columns[3][64];

  for (unsigned k = 0; k < n_bytes; k++)
    _mm512_store_si512 (columns[k],
        _mm512_permutexvar_epi8 (lanes_columns_of_halves (), bytes[k]));
  for (unsigned k = 0; k < 4; k++) {
    __mmask16 in = (__mmask16) (valid >> (16 * k));
    __mmask16 less = (__mmask16) (minus >> (16 * k)), nonzero;
    __m512i m = _mm512_setzero_si512 (), x;

    for (unsigned b = n_bytes; b-- > 0;)
      m = _mm512_or_si512 (_mm512_slli_epi32 (m, 8),
          _mm512_cvtepu8_epi32 (
              _mm_load_si128 ((const __m128i *) (columns[b] + 16 * k))));
    nonzero = _mm512_test_epi32_mask (m, m);
    if (q->reversible) {
      x = _mm512_maskz_add_epi32 (nonzero,
          _mm512_sll_epi32 (m, _mm_cvtsi32_si128 ((int) q->dropped)),
          _mm512_set1_epi32 (q->middle));
      x = _mm512_mask_sub_epi32 (x, less, _mm512_setzero_si512 (), x);
    } else {
      __m512i index = _mm512_add_epi32 (
          _mm512_slli_epi32 (m, 8), _mm512_set1_epi32 (q->middle));

      x = _mm512_castps_si512 (_mm512_maskz_mul_ps (nonzero,
          _mm512_cvtepi32_ps (index), _mm512_load_ps (q->scales + 16 * k)));
      x = _mm512_mask_xor_epi32 (
          x, less & nonzero, x, _mm512_set1_epi32 (INT32_MIN));
    }
    if (q->past_caches && width == 64)
      _mm512_stream_si512 ((__m512i *) (floats + 16 * k), x);
    else
      _mm512_mask_storeu_epi32 (floats + 16 * k, in, x);
  }
}
