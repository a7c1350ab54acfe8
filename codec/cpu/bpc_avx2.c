/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The block coder for AVX2: bpc_template.h compiled with the operations of bpc_plain.c.
 * bpc.c has it in its list.
 *
 * The bytes of 32 lanes are one register of 8 words, in which byte r of word j is
 * lane 4j + r. So the first of the four registers with intervals has those of lanes
 * 0, 4, 8, ..., and register r those of lanes r, 4 + r, 8 + r, ...: one shift moves
 * their probabilities to where they are needed. When lanes share a codeword,
 * register r belongs to step r. */
#include "codec/cpu/bpc_lanes_avx.h"

#define LANES_NAME "avx2"
#define LANES_OPS paco_bpc_ops_avx2
#define LANES_PAST_CACHES false

/* --- One byte for each lane, or for each coefficient of a row --- */

typedef LanesBytes LanesMask;

BPC_INLINE LanesMask
lanes_mask (uint32_t bits)
{
  const __m256i bit = _mm256_set1_epi64x ((long long) 0x8040201008040201);
  const __m256i spread = _mm256_setr_epi8 (0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1,
      1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3);
  __m256i v = _mm256_shuffle_epi8 (_mm256_set1_epi32 ((int) bits), spread);

  return _mm256_cmpeq_epi8 (_mm256_and_si256 (v, bit), bit);
}

BPC_INLINE uint32_t
lanes_bits (LanesMask mask)
{
  return (uint32_t) _mm256_movemask_epi8 (mask);
}

BPC_INLINE LanesMask
lanes_without (LanesMask a, LanesMask b)
{
  return _mm256_andnot_si256 (b, a);
}

BPC_INLINE LanesBytes
lanes_select (LanesMask mask, LanesBytes a, LanesBytes b)
{
  return _mm256_blendv_epi8 (b, a, mask);
}

BPC_INLINE LanesMask
lanes_bit (LanesBytes v, unsigned bit)
{
  return _mm256_cmpgt_epi8 (
      _mm256_setzero_si256 (), _mm256_slli_epi16 (v, 7 - (int) bit));
}

BPC_INLINE LanesMask
lanes_differ (LanesBytes v, uint8_t value)
{
  return _mm256_xor_si256 (_mm256_set1_epi8 (-1),
      _mm256_cmpeq_epi8 (v, _mm256_set1_epi8 ((char) value)));
}

typedef __m256i LanesTable; /* 16 bytes in both halves */

BPC_INLINE LanesTable
lanes_load_table (const uint8_t table[16])
{
  return _mm256_broadcastsi128_si256 (
      _mm_loadu_si128 ((const __m128i *) table));
}

BPC_INLINE LanesBytes
lanes_lookup (const uint8_t table[16], LanesBytes v)
{
  return _mm256_shuffle_epi8 (
      lanes_load_table (table), _mm256_and_si256 (v, _mm256_set1_epi8 (15)));
}

BPC_INLINE LanesBytes
lanes_lookup_signs (const uint8_t table[16], LanesBytes h, LanesBytes v)
{
  h = _mm256_sign_epi8 (_mm256_set1_epi8 (4), h);
  v = _mm256_sign_epi8 (_mm256_set1_epi8 (1), v);
  h = _mm256_add_epi8 (_mm256_add_epi8 (h, v), _mm256_set1_epi8 (5));
  return _mm256_shuffle_epi8 (lanes_load_table (table), h);
}

BPC_INLINE LanesBytes
lanes_and (LanesBytes a, LanesBytes b)
{
  return _mm256_and_si256 (a, b);
}

BPC_INLINE LanesBytes
lanes_times_4 (LanesBytes v)
{
  return _mm256_slli_epi16 (v, 2); /* bytes are below 64 */
}

BPC_INLINE LanesBytes
lanes_all (uint8_t value)
{
  return _mm256_set1_epi8 ((char) value);
}

BPC_INLINE LanesBytes
lanes_lookup_16 (LanesTable table, LanesBytes v)
{
  return _mm256_shuffle_epi8 (table, v);
}

BPC_INLINE LanesBytes
lanes_refining (LanesBytes contexts)
{
  const __m256i low = _mm256_set1_epi8 (0xff >> PACO_REFINEMENT_SHIFT);
  __m256i class = _mm256_and_si256 (
      _mm256_srli_epi16 (contexts, PACO_REFINEMENT_SHIFT), low);

  return lanes_add (class, _mm256_set1_epi8 (PACO_REFINEMENT_CONTEXT));
}

BPC_INLINE uint32_t
lanes_round_half (LanesBytes c, const uint8_t bytes[32])
{
  __m256i sum = _mm256_and_si256 (lanes_load (bytes), _mm256_set1_epi8 (15));

  sum = _mm256_add_epi8 (sum, _mm256_min_epu8 (c, _mm256_set1_epi8 (4)));
  sum = _mm256_sub_epi8 (
      sum, _mm256_cmpgt_epi8 (c, _mm256_set1_epi8 (PACO_ROUNDING_5 - 1)));
  sum = _mm256_sub_epi8 (
      sum, _mm256_cmpgt_epi8 (c, _mm256_set1_epi8 (PACO_ROUNDING_6 - 1)));
  sum = _mm256_sub_epi8 (
      sum, _mm256_cmpgt_epi8 (c, _mm256_set1_epi8 (PACO_ROUNDING_7 - 1)));
  return lanes_bits (lanes_bit (sum, PACO_FRACTION_BITS));
}

#include "codec/cpu/bpc_template_halves.h"

/* --- The arithmetic coder --- */

/* Moves byte r of each word to all its bytes. */
BPC_INLINE __m256i
lanes_word_mask (LanesMask v, unsigned r)
{
  const __m256i words = _mm256_setr_epi32 (0, 0x04040404, 0x08080808,
      0x0c0c0c0c, 0, 0x04040404, 0x08080808, 0x0c0c0c0c);

  return _mm256_shuffle_epi8 (
      v, _mm256_or_si256 (words, _mm256_set1_epi8 ((char) r)));
}

/* Makes masks of words of the four registers to bytes in the order of lanes. */
BPC_INLINE LanesMask
lanes_mask_of_words (const __m256i m[4])
{
  const __m256i odd = _mm256_set1_epi16 ((short) 0xff00);
  __m256i low = _mm256_blendv_epi8 (m[0], m[1], odd);
  __m256i high = _mm256_blendv_epi8 (m[2], m[3], odd);

  return _mm256_blend_epi16 (low, high, 0xaa);
}

/* Returns which arithmetic coders of the four registers have no codeword and need
 * one. */
BPC_INLINE LanesMask
lanes_empty (const __m256i s[4], LanesMask active, bool full)
{
  __m256i words[4];

  for (unsigned r = 0; r < 4; r++)
    words[r] = _mm256_cmpeq_epi32 (s[r], _mm256_setzero_si256 ());
  return full ? lanes_mask_of_words (words)
              : _mm256_and_si256 (lanes_mask_of_words (words), active);
}

typedef struct
{
  __m256i s[4], l[4]; /* shared: s[0], l[0] */
  uint32_t *finished;
  uint8_t *reserved_by;
  size_t n;
} LanesEncoder;

/* Codes 8 bits; masks are of words. */
BPC_INLINE void
lanes_encode_8 (
    __m256i *s, __m256i *l, __m256i p, __m256i ones, __m256i active, bool full)
{
  __m256i t = lanes_split (*s, p);
  __m256i t1 = _mm256_sub_epi32 (t, _mm256_set1_epi32 (-1));
  __m256i next = lanes_select (ones, _mm256_sub_epi32 (*s, t1), t);

  *l = _mm256_add_epi32 (*l, _mm256_and_si256 (ones, t1));
  *s = full ? next : lanes_select (active, next, *s);
}

/* Notes for the coders of the mask, in the order of their numbers, the codeword that
 * each has finished and that it reserves a new one. low holds the registers of l. There
 * is no branch for the first, which no processor foresees. */
BPC_INLINE void
lanes_reserve (LanesEncoder *e, uint32_t mask, const uint32_t (*low)[8])
{
  unsigned t = (unsigned) __builtin_ctz (mask | 1u << 31);

  e->reserved_by[e->n] = (uint8_t) t;
  e->finished[e->n] = low[t & 3][t >> 2];
  e->n += mask != 0;
  for (mask &= mask - 1; mask; mask &= mask - 1) {
    t = (unsigned) __builtin_ctz (mask);
    e->reserved_by[e->n] = (uint8_t) t;
    e->finished[e->n++] = low[t & 3][t >> 2];
  }
}

BPC_INLINE void
lanes_encode_separate (
    LanesEncoder *e, LanesBytes p, LanesMask ones, LanesMask active, bool full)
{
  __m256i empty = lanes_empty (e->s, active, full);
  uint32_t low[4][8] BPC_ALIGNED;

  memcpy (low, e->l, sizeof low);
  lanes_reserve (e, lanes_bits (empty), low);
  for (unsigned r = 0; r < 4; r++) {
    __m256i here = lanes_word_mask (empty, r);

    e->s[r] = _mm256_or_si256 (e->s[r], here);
    e->l[r] = _mm256_andnot_si256 (here, e->l[r]);
    lanes_encode_8 (&e->s[r], &e->l[r], lanes_factors (p, r),
        lanes_word_mask (ones, r), lanes_word_mask (active, r), full);
  }
}

BPC_INLINE void
lanes_encode_four (
    LanesEncoder *e, LanesBytes p, LanesMask ones, LanesMask active, bool full)
{
  for (unsigned r = 0; r < 4; r++) {
    __m256i in = lanes_word_mask (active, r);
    __m256i empty = _mm256_cmpeq_epi32 (e->s[0], _mm256_setzero_si256 ());

    if (!full)
      empty = _mm256_and_si256 (empty, in);
    if (!_mm256_testz_si256 (empty, empty)) {
      uint32_t mask = (uint32_t) _mm256_movemask_ps (
          _mm256_castsi256_ps (empty));
      uint32_t low[8] BPC_ALIGNED;

      memcpy (low, &e->l[0], sizeof low);
      for (; mask; mask &= mask - 1) {
        unsigned j = (unsigned) __builtin_ctz (mask);

        e->reserved_by[e->n] = (uint8_t) j;
        e->finished[e->n++] = low[j];
      }
      e->s[0] = _mm256_or_si256 (e->s[0], empty);
      e->l[0] = _mm256_andnot_si256 (empty, e->l[0]);
    }
    lanes_encode_8 (&e->s[0], &e->l[0], lanes_factors (p, r),
        lanes_word_mask (ones, r), in, full);
  }
}

BPC_INLINE void
lanes_encode_eight (
    LanesEncoder *e, LanesBytes p, LanesMask ones, LanesMask active)
{
  LanesMask first = lanes_mask (LANES_FIRST_FOUR);

  lanes_encode_four (
      e, p, lanes_and (ones, first), lanes_and (active, first), false);
  lanes_swap_words (&e->s[0]);
  lanes_swap_words (&e->l[0]);
  lanes_encode_four (
      e, p, lanes_without (ones, first), lanes_without (active, first), false);
  lanes_swap_words (&e->s[0]);
  lanes_swap_words (&e->l[0]);
}

BPC_INLINE void
lanes_encode (LanesEncoder *e, LanesRow row, unsigned side, LanesMask ones,
    LanesMask active, bool full, unsigned sharing)
{
  LanesBytes p = lanes_side (row, side);

  if (sharing == 8)
    lanes_encode_eight (e, p, ones, active);
  else if (sharing == 4)
    lanes_encode_four (e, p, ones, active, full);
  else
    lanes_encode_separate (e, p, ones, active, full);
}

/* Stores registers in the order of lanes, or of arithmetic coders. */
BPC_INLINE void
lanes_in_order (const __m256i v[4], unsigned sharing, uint32_t out[32])
{
  uint32_t words[4][8] BPC_ALIGNED;

  memcpy (words, v, sizeof words);
  for (unsigned i = 0; i < PACO_LANES / sharing; i++)
    out[i] = sharing == 8 ? words[0][2 * i]
        : sharing == 4    ? words[0][i]
                          : words[i & 3][i >> 2];
}

BPC_INLINE void
lanes_encoder_end (
    const LanesEncoder *e, unsigned sharing, uint32_t s[32], uint32_t l[32])
{
  lanes_in_order (e->s, sharing, s);
  lanes_in_order (e->l, sharing, l);
}

typedef struct
{
  __m256i s[4], d[4];
  const uint8_t *next; /* codeword */
} LanesDecoder;

/* Decodes the symbols of 8 coders; masks are of words. Returns where there is no one.
 * Where d < t1, which is a zero, d - t1 is above d. */
BPC_INLINE __m256i
lanes_decode_8 (__m256i *s, __m256i *d, __m256i p, __m256i active, bool full)
{
  __m256i t = lanes_split (*s, p), zero, rest;
  __m256i t1 = _mm256_sub_epi32 (t, _mm256_set1_epi32 (-1));

  if (!full) {
    t = lanes_select (active, t, *s);
    t1 = _mm256_and_si256 (active, t1);
  }
  rest = _mm256_min_epu32 (*d, _mm256_sub_epi32 (*d, t1));
  zero = _mm256_cmpeq_epi32 (*d, rest);
  *s = lanes_select (zero, t, _mm256_sub_epi32 (*s, t1));
  *d = rest;
  return zero;
}

/* Counts the lanes of the mask before each lane. */
BPC_INLINE LanesBytes
lanes_number (LanesMask mask)
{
  const __m256i last = _mm256_setr_epi8 (-1, -1, -1, -1, -1, -1, -1, -1, 7, 7,
      7, 7, 7, 7, 7, 7, -1, -1, -1, -1, -1, -1, -1, -1, 7, 7, 7, 7, 7, 7, 7, 7);
  __m256i n = lanes_sub (_mm256_setzero_si256 (), mask), half;

  n = lanes_add (n, _mm256_slli_epi64 (n, 8));
  n = lanes_add (n, _mm256_slli_epi64 (n, 16));
  n = lanes_add (n, _mm256_slli_epi64 (n, 32));
  n = lanes_add (n, _mm256_shuffle_epi8 (n, last));
  half = _mm256_shuffle_epi8 (
      _mm256_permute2x128_si256 (n, n, 0x08), _mm256_set1_epi8 (15));
  return lanes_add (lanes_add (n, half), mask);
}

/* Gives coder j, of those that four lanes share, the next codeword. */
BPC_INLINE void
lanes_next_codeword (LanesDecoder *d, uint32_t j)
{
  const __m256i words = _mm256_setr_epi32 (0, 1, 2, 3, 4, 5, 6, 7);
  __m256i here = _mm256_cmpeq_epi32 (words, _mm256_set1_epi32 ((int) j));

  d->d[0] = lanes_select (
      here, _mm256_set1_epi32 ((int) load_le32 (d->next)), d->d[0]);
  d->next += 4;
}

/* Gives the coders of the mask their next codewords. A third of all visits need some,
 * and no processor foresees which, so there is no branch but for more than a register's
 * codewords. */
BPC_INLINE void
lanes_next_codewords (LanesDecoder *d, LanesMask empty)
{
  uint32_t mask = lanes_bits (empty);
  unsigned n = (unsigned) __builtin_popcount (mask);

  if (G_UNLIKELY (n > 8)) {
    uint32_t words[4][8] BPC_ALIGNED;

    memcpy (words, d->d, sizeof words);
    for (; mask; mask &= mask - 1) {
      unsigned t = (unsigned) __builtin_ctz (mask);

      words[t & 3][t >> 2] = load_le32 (d->next);
      d->next += 4;
    }
    memcpy (d->d, words, sizeof words);
    for (unsigned r = 0; r < 4; r++)
      d->s[r] = _mm256_or_si256 (d->s[r], lanes_word_mask (empty, r));
  } else {
    __m256i number = lanes_number (empty), words = lanes_load (d->next);

    d->next += 4 * n;
    for (unsigned r = 0; r < 4; r++) {
      __m256i here = lanes_word_mask (empty, r);
      __m256i codes = _mm256_permutevar8x32_epi32 (
          words, _mm256_srli_epi32 (number, 8 * (int) r));

      d->d[r] = lanes_select (here, codes, d->d[r]);
      d->s[r] = _mm256_or_si256 (d->s[r], here);
    }
  }
}

BPC_INLINE LanesMask
lanes_decode_separate (
    LanesDecoder *d, LanesBytes p, LanesMask active, bool full)
{
  __m256i zero[4];

  lanes_next_codewords (d, lanes_empty (d->s, active, full));
  for (unsigned r = 0; r < 4; r++)
    zero[r] = lanes_decode_8 (&d->s[r], &d->d[r], lanes_factors (p, r),
        lanes_word_mask (active, r), full);
  return lanes_unlike (lanes_mask_of_words (zero), lanes_all (0xff));
}

BPC_INLINE LanesMask
lanes_decode_four (LanesDecoder *d, LanesBytes p, LanesMask active, bool full)
{
  __m256i zero[4];

  for (unsigned r = 0; r < 4; r++) {
    __m256i in = lanes_word_mask (active, r);
    __m256i empty = _mm256_cmpeq_epi32 (d->s[0], _mm256_setzero_si256 ());
    uint32_t mask;

    if (!full)
      empty = _mm256_and_si256 (empty, in);
    mask = (uint32_t) _mm256_movemask_ps (_mm256_castsi256_ps (empty));
    for (; mask; mask &= mask - 1)
      lanes_next_codeword (d, (unsigned) __builtin_ctz (mask));
    d->s[0] = _mm256_or_si256 (d->s[0], empty);
    zero[r] = lanes_decode_8 (
        &d->s[0], &d->d[0], lanes_factors (p, r), in, full);
  }
  return lanes_unlike (lanes_mask_of_words (zero), lanes_all (0xff));
}

BPC_INLINE LanesMask
lanes_decode_eight (LanesDecoder *d, LanesBytes p, LanesMask active)
{
  LanesMask first = lanes_mask (LANES_FIRST_FOUR), ones;

  ones = lanes_decode_four (d, p, lanes_and (active, first), false);
  lanes_swap_words (&d->s[0]);
  lanes_swap_words (&d->d[0]);
  ones = _mm256_or_si256 (
      ones, lanes_decode_four (d, p, lanes_without (active, first), false));
  lanes_swap_words (&d->s[0]);
  lanes_swap_words (&d->d[0]);
  return ones;
}

BPC_INLINE LanesMask
lanes_decode (LanesDecoder *d, LanesRow row, unsigned side, LanesMask active,
    bool full, unsigned sharing)
{
  LanesBytes p = lanes_side (row, side);

  return sharing == 8 ? lanes_decode_eight (d, p, active)
      : sharing == 4  ? lanes_decode_four (d, p, active, full)
                      : lanes_decode_separate (d, p, active, full);
}

BPC_INLINE void
lanes_decoder_end (
    const LanesDecoder *d, unsigned sharing, uint32_t s[32], uint32_t value[32])
{
  lanes_in_order (d->s, sharing, s);
  lanes_in_order (d->d, sharing, value);
}

/* --- Coefficients --- */

/* Takes the byte at a shift from each of 32 words: first those of even words, then
 * those of odd ones. */
BPC_INLINE __m256i
lanes_gather_bytes (const __m256i words[4], int shift)
{
  const __m256i byte = _mm256_set1_epi32 (255);
  const __m256i even = _mm256_setr_epi8 (0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7,
      9, 11, 13, 15, 0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
  __m256i w[4], bytes;

  for (unsigned k = 0; k < 4; k++)
    w[k] = _mm256_and_si256 (_mm256_srli_epi32 (words[k], shift), byte);
  bytes = _mm256_packus_epi16 (
      _mm256_packus_epi32 (w[0], w[1]), _mm256_packus_epi32 (w[2], w[3]));
  bytes = _mm256_permutevar8x32_epi32 (
      bytes, _mm256_setr_epi32 (0, 4, 1, 5, 2, 6, 3, 7));
  return _mm256_permute4x64_epi64 (_mm256_shuffle_epi8 (bytes, even), 0xd8);
}

/* Does paco_rate_scale(), with the lower 12 bits of x and with the upper ones where the
 * whole product may have more than 32 bits. */
BPC_INLINE __m256i
lanes_rescale_8 (__m256i x, __m256i m, unsigned shift, bool narrow)
{
  __m256i low = _mm256_and_si256 (x, _mm256_set1_epi32 (4095));
  __m256i high;

  if (narrow)
    return _mm256_srl_epi32 (
        _mm256_mullo_epi32 (x, m), _mm_cvtsi32_si128 ((int) shift));
  high = _mm256_mullo_epi32 (_mm256_srli_epi32 (x, 12), m);
  low = _mm256_srli_epi32 (_mm256_mullo_epi32 (low, m), 12);
  return _mm256_srl_epi32 (
      _mm256_add_epi32 (high, low), _mm_cvtsi32_si128 ((int) shift - 12));
}

/* Brings the magnitudes of a line to the steps of the step map. Returns all or-ed. */
BPC_INLINE __m256i
lanes_map_row (const BpcQuantizer *q, __m256i words[8], bool narrow)
{
  __m256i all = _mm256_setzero_si256 ();

  for (unsigned k = 0; k < 8; k++) {
    __m256i x = _mm256_add_epi32 (words[k], words[k]);

    words[k] = lanes_rescale_8 (_mm256_add_epi32 (x, _mm256_set1_epi32 (1)),
        lanes_load (q->multipliers + 8 * k), PACO_STEP_MAP_SHIFT, narrow);
    all = _mm256_or_si256 (all, words[k]);
  }
  return all;
}

BPC_INLINE uint32_t
lanes_quantize_row (const BpcQuantizer *q, const void *coefficients,
    unsigned width, uint8_t bytes[3][64], uint64_t *negative)
{
  const __m256i most = _mm256_set1_epi32 (PACO_MAX_MAGNITUDE);
  const __m256 magnitude = _mm256_castsi256_ps (_mm256_set1_epi32 (INT32_MAX));
  uint32_t padded[64] BPC_ALIGNED, or_ed[8] BPC_ALIGNED;
  __m256i words[8], all = _mm256_setzero_si256 ();
  const uint32_t *from = coefficients;
  uint64_t minus = 0;

  if (width < 64) {
    memset (padded, 0, sizeof padded);
    memcpy (padded, from, width * 4u);
    from = padded;
  }
  for (unsigned k = 0; k < 8; k++) {
    __m256i x = lanes_load (from + 8 * k);

    minus |= (uint64_t) _mm256_movemask_ps (_mm256_castsi256_ps (x)) << (8 * k);
    if (q->reversible) {
      x = _mm256_min_epu32 (_mm256_abs_epi32 (x), most);
    } else {
      __m256 scaled = _mm256_mul_ps (
          _mm256_and_ps (_mm256_castsi256_ps (x), magnitude),
          _mm256_set1_ps (q->scale));

      scaled = _mm256_min_ps (scaled, _mm256_set1_ps (PACO_MAX_MAGNITUDE));
      x = _mm256_cvttps_epi32 (scaled);
      if (q->multiplier > 0)
        x = lanes_rescale_8 (
            x, _mm256_set1_epi32 ((int) q->multiplier), q->shift, q->narrow);
    }
    words[k] = x;
    all = _mm256_or_si256 (all, x);
  }
  if (q->multipliers)
    all = q->narrow ? lanes_map_row (q, words, true)
                    : lanes_map_row (q, words, false);
  *negative = extract_bits (minus, UINT64_C (0x5555555555555555))
      | extract_bits (minus, UINT64_C (0xaaaaaaaaaaaaaaaa)) << 32;
  for (int k = 0; k < 3; k++) {
    __m256i a = lanes_gather_bytes (words, 8 * k);
    __m256i b = lanes_gather_bytes (words + 4, 8 * k);

    lanes_store (bytes[k], _mm256_permute2x128_si256 (a, b, 0x20));
    lanes_store (bytes[k] + 32, _mm256_permute2x128_si256 (a, b, 0x31));
  }
  lanes_store (or_ed, all);
  for (unsigned k = 1; k < 8; k++)
    or_ed[0] |= or_ed[k];
  return or_ed[0];
}

BPC_INLINE uint64_t
lanes_at_least (const uint8_t bytes[3][64], uint8_t least)
{
  __m256i limit = _mm256_set1_epi8 ((char) least), less[2];

  for (unsigned k = 0; k < 2; k++) {
    __m256i low = lanes_load (bytes[0] + 32 * k);
    __m256i high = _mm256_or_si256 (
        lanes_load (bytes[1] + 32 * k), lanes_load (bytes[2] + 32 * k));

    less[k] = _mm256_andnot_si256 (
        _mm256_cmpeq_epi8 (_mm256_max_epu8 (low, limit), low),
        _mm256_cmpeq_epi8 (high, _mm256_setzero_si256 ()));
  }
  return ~((uint32_t) _mm256_movemask_epi8 (less[0])
      | (uint64_t) (uint32_t) _mm256_movemask_epi8 (less[1]) << 32);
}

/* Makes coefficients from the eight magnitudes of columns x0 and up; the lowest bits of
 * minus are the signs. */
BPC_INLINE __m256i
lanes_dequantize_8 (
    const BpcQuantizer *q, unsigned x0, __m256i m, uint32_t minus)
{
  const __m256i bit = _mm256_setr_epi32 (1, 2, 4, 8, 16, 32, 64, 128);
  __m256i zero = _mm256_cmpeq_epi32 (m, _mm256_setzero_si256 ());
  __m256i less = _mm256_and_si256 (_mm256_set1_epi32 ((int) minus), bit), x;

  less = _mm256_cmpeq_epi32 (less, bit);
  if (q->reversible) {
    x = _mm256_add_epi32 (
        _mm256_sll_epi32 (m, _mm_cvtsi32_si128 ((int) q->dropped)),
        _mm256_set1_epi32 (q->middle));
    x = _mm256_sub_epi32 (_mm256_xor_si256 (x, less), less);
  } else {
    __m256i index = _mm256_add_epi32 (
        _mm256_slli_epi32 (m, 8), _mm256_set1_epi32 (q->middle));

    x = _mm256_castps_si256 (_mm256_mul_ps (
        _mm256_cvtepi32_ps (index), _mm256_load_ps (q->scales + x0)));
    x = _mm256_xor_si256 (x, _mm256_slli_epi32 (less, 31));
  }
  return _mm256_andnot_si256 (zero, x);
}

/* Brings bytes and signs of a row into the order of columns. */
BPC_INLINE uint64_t
lanes_columns_of_row (const LanesRow bytes[3], unsigned n_bytes,
    uint64_t negative, uint8_t columns[3][64])
{
  for (unsigned k = 0; k < n_bytes; k++) {
    __m256i a = _mm256_unpacklo_epi8 (bytes[k].left, bytes[k].right);
    __m256i b = _mm256_unpackhi_epi8 (bytes[k].left, bytes[k].right);

    lanes_store (columns[k], _mm256_permute2x128_si256 (a, b, 0x20));
    lanes_store (columns[k] + 32, _mm256_permute2x128_si256 (a, b, 0x31));
  }
  return deposit_bits (negative, UINT64_C (0x5555555555555555))
      | deposit_bits (negative >> 32, UINT64_C (0xaaaaaaaaaaaaaaaa));
}

BPC_INLINE void
lanes_dequantize_narrow (const BpcQuantizer *q, const LanesRow bytes[3],
    unsigned n_bytes, uint64_t negative, int16_t *coefficients, unsigned width)
{
  const __m256i bit = _mm256_setr_epi16 (1, 2, 4, 8, 16, 32, 64, 128, 256, 512,
      1024, 2048, 4096, 8192, 16384, INT16_MIN);
  int16_t padded[64] BPC_ALIGNED;
  int16_t *to = width < 64 ? padded : coefficients;
  uint8_t columns[3][64] BPC_ALIGNED;
  uint64_t minus = lanes_columns_of_row (bytes, n_bytes, negative, columns);

  for (unsigned k = 0; k < 4; k++) {
    __m256i m = _mm256_cvtepu8_epi16 (
        _mm_load_si128 ((const __m128i *) (columns[0] + 16 * k)));
    __m256i less = _mm256_and_si256 (
        _mm256_set1_epi16 ((int16_t) (minus >> (16 * k))), bit);
    __m256i x;

    if (n_bytes > 1)
      m = _mm256_or_si256 (m,
          _mm256_slli_epi16 (_mm256_cvtepu8_epi16 (_mm_load_si128 (
                                 (const __m128i *) (columns[1] + 16 * k))),
              8));
    less = _mm256_cmpeq_epi16 (less, bit);
    x = _mm256_add_epi16 (
        _mm256_sll_epi16 (m, _mm_cvtsi32_si128 ((int) q->dropped)),
        _mm256_set1_epi16 ((int16_t) q->middle));
    x = _mm256_sub_epi16 (_mm256_xor_si256 (x, less), less);
    x = _mm256_andnot_si256 (
        _mm256_cmpeq_epi16 (m, _mm256_setzero_si256 ()), x);
    lanes_store (to + 16 * k, x);
  }
  if (width < 64)
    memcpy (coefficients, padded, width * 2u);
}

BPC_INLINE void
lanes_dequantize_row (const BpcQuantizer *q, const LanesRow bytes[3],
    unsigned n_bytes, uint64_t negative, void *coefficients, unsigned width)
{
  uint32_t padded[64] BPC_ALIGNED;
  uint32_t *to = width < 64 ? padded : coefficients;
  uint8_t columns[3][64] BPC_ALIGNED;
  uint64_t minus = lanes_columns_of_row (bytes, n_bytes, negative, columns);

  for (unsigned k = 0; k < 8; k++) {
    __m256i m = _mm256_setzero_si256 ();

    for (unsigned b = n_bytes; b-- > 0;)
      m = _mm256_or_si256 (_mm256_slli_epi32 (m, 8),
          _mm256_cvtepu8_epi32 (
              _mm_loadl_epi64 ((const __m128i *) (columns[b] + 8 * k))));
    lanes_store (to + 8 * k,
        lanes_dequantize_8 (q, 8 * k, m, (uint32_t) (minus >> (8 * k)) & 255));
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
  __m256i result = _mm256_shuffle_epi8 (lanes_load_table (classes),
      _mm256_min_epu8 (sums, _mm256_set1_epi8 (15)));

  for (unsigned k = 0; k < 14 && bounds[k] > 15; k++) {
    __m256i least = _mm256_set1_epi8 ((char) (bounds[k] + 1));

    result = lanes_add (
        result, _mm256_cmpeq_epi8 (_mm256_max_epu8 (sums, least), sums));
  }
  return result;
}

/* Makes probabilities from contexts. A shuffle finds one of 16, and 0 where the highest
 * bit of the index is set. */
BPC_INLINE LanesBytes
lanes_probabilities_of (const LanesTables *tables, LanesBytes contexts)
{
  const __m256i above_15 = _mm256_set1_epi8 (0x80 - 16);
  __m256i index[3], p = _mm256_setzero_si256 ();

  for (int k = 0; k < 3; k++)
    index[k] = _mm256_adds_epu8 (
        lanes_sub (contexts, _mm256_set1_epi8 ((char) (16 * k))), above_15);
  for (unsigned i = 0; i < tables->n; i++) {
    const uint8_t *table = tables->p[i];
    __m256i a = _mm256_or_si256 (
        _mm256_shuffle_epi8 (lanes_load_table (table), index[0]),
        _mm256_shuffle_epi8 (lanes_load_table (table + 16), index[1]));

    a = _mm256_or_si256 (
        a, _mm256_shuffle_epi8 (lanes_load_table (table + 32), index[2]));
    p = _mm256_or_si256 (p, _mm256_and_si256 (a, tables->lanes[i]));
  }
  return p;
}

BPC_INLINE void
lanes_probabilities (const uint8_t p[PACO_N_DENSITIES][64],
    const uint8_t *classes, unsigned present, LanesRow rows[PACO_STRIPE_LINES])
{
  LanesTables tables;

  lanes_tables (&tables, p, classes, present);
  for (unsigned k = 0; k < PACO_STRIPE_LINES; k++) {
    rows[k].left = lanes_probabilities_of (&tables, rows[k].left);
    rows[k].right = lanes_probabilities_of (&tables, rows[k].right);
  }
}

BPC_INLINE LanesRow
lanes_side_probabilities (const LanesTables *tables, LanesBytes contexts)
{
  return lanes_row_of_left (lanes_probabilities_of (tables, contexts));
}

/* --- Counts --- */

typedef struct
{
  __m256i significant, pairs, last; /* last: the stripe's last four rows */
} LanesCount;

/* Returns how many bits are set in each byte. */
BPC_INLINE __m256i
lanes_count_bits (__m256i v)
{
  const __m256i nibble = _mm256_set1_epi8 (15);
  const __m256i bits = _mm256_broadcastsi128_si256 (
      _mm_setr_epi8 (0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
  __m256i low = _mm256_and_si256 (v, nibble);
  __m256i high = _mm256_and_si256 (_mm256_srli_epi16 (v, 4), nibble);

  return _mm256_add_epi8 (
      _mm256_shuffle_epi8 (bits, low), _mm256_shuffle_epi8 (bits, high));
}

BPC_INLINE bool
lanes_count_stripe (
    LanesCount *count, uint64_t *significant, const uint64_t *plane, bool apart)
{
  const __m256i zero = _mm256_setzero_si256 ();
  __m256i at[2], last = apart ? zero : count->last;

  for (unsigned k = 0; k < 2; k++)
    at[k] = _mm256_or_si256 (
        lanes_load (significant + 4 * k), lanes_load (plane + 4 * k));
  count->last = at[1];
  if (_mm256_testz_si256 (at[0], at[0]) && _mm256_testz_si256 (at[1], at[1]))
    return false;

  for (unsigned k = 0; k < 2; k++)
    lanes_store (significant + 4 * k, at[k]);
  for (unsigned k = 0; k < 2; k++) {
    __m256i above = _mm256_permute4x64_epi64 (
        _mm256_blend_epi32 (at[k], last, 0xc0), _MM_SHUFFLE (2, 1, 0, 3));
    __m256i pairs = _mm256_add_epi8 (
        lanes_count_bits (_mm256_and_si256 (at[k], above)),

        lanes_count_bits (
            _mm256_and_si256 (at[k], _mm256_srli_epi64 (at[k], 32))));
    last = at[k];
    count->significant = _mm256_add_epi64 (
        count->significant, _mm256_sad_epu8 (lanes_count_bits (at[k]), zero));

    count->pairs = _mm256_add_epi64 (
        count->pairs, _mm256_sad_epu8 (pairs, zero));
  }
  return true;
}

BPC_INLINE uint32_t
lanes_sum_words (__m256i v)
{
  uint64_t words[4];

  lanes_store (words, v);
  return (uint32_t) (words[0] + words[1] + words[2] + words[3]);
}

BPC_INLINE void
lanes_count_end (
    const LanesCount *count, uint32_t *significant, uint32_t *pairs)
{
  *significant = lanes_sum_words (count->significant);
  *pairs = lanes_sum_words (count->pairs);
}

#define LANES_SIGNS_HEADER "codec/cpu/bpc_template_signs_avx2.h"
#include "codec/cpu/bpc_template.h"
