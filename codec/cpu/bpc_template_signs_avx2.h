/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The compaction of signs in AVX2. Seen lane by lane, the eight values of a stripe are a
 * word, in which one instruction of BMI2 moves those of new signs to the front, and
 * another moves them back. So the values of a stripe are transposed to words. */
#pragma once

/* The lane of each word: a register has words of two lanes in each half. */
#define WORD_LANE(i) (2 * ((i) / 4) + (i) % 2 + 16 * ((i) / 2 % 2))

/* Transposes eight rows of 32 lanes to the words of 32 lanes. */
BPC_INLINE void
rows_to_lanes (const __m256i rows[8], __m256i words[8])
{
  __m256i a[8], b[8];

  for (unsigned k = 0; k < 4; k++) {
    a[k] = _mm256_unpacklo_epi8 (rows[2 * k], rows[2 * k + 1]);
    a[4 + k] = _mm256_unpackhi_epi8 (rows[2 * k], rows[2 * k + 1]);
  }
  for (unsigned k = 0; k < 8; k += 4)
    for (unsigned i = 0; i < 2; i++) {
      b[k + i] = _mm256_unpacklo_epi16 (a[k + 2 * i], a[k + 2 * i + 1]);
      b[k + 2 + i] = _mm256_unpackhi_epi16 (a[k + 2 * i], a[k + 2 * i + 1]);
    }
  for (unsigned k = 0; k < 4; k++) {
    words[2 * k] = _mm256_unpacklo_epi32 (b[2 * k], b[2 * k + 1]);
    words[2 * k + 1] = _mm256_unpackhi_epi32 (b[2 * k], b[2 * k + 1]);
  }
}

/* Transposes the words of 32 lanes to eight rows. */
BPC_INLINE void
lanes_to_rows (const __m256i words[8], __m256i rows[8])
{
  const __m256i halves = _mm256_setr_epi8 (0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5,
      13, 6, 14, 7, 15, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
  __m256i a[8], b[8];

  for (unsigned k = 0; k < 8; k++)
    a[k] = _mm256_shuffle_epi8 (words[k], halves);
  for (unsigned k = 0; k < 4; k++) {
    b[2 * k] = _mm256_unpacklo_epi16 (a[2 * k], a[2 * k + 1]);
    b[2 * k + 1] = _mm256_unpackhi_epi16 (a[2 * k], a[2 * k + 1]);
  }
  /* b[2 p + q] has four bytes of each of rows 4 q .. 4 q + 3, of lanes 4 p and up. */
  for (unsigned q = 0; q < 2; q++) {
    __m256i low[2], high[2];

    for (unsigned p = 0; p < 2; p++) {
      low[p] = _mm256_unpacklo_epi32 (b[4 * p + q], b[4 * p + 2 + q]);
      high[p] = _mm256_unpackhi_epi32 (b[4 * p + q], b[4 * p + 2 + q]);
    }
    rows[4 * q] = _mm256_unpacklo_epi64 (low[0], low[1]);
    rows[4 * q + 1] = _mm256_unpackhi_epi64 (low[0], low[1]);
    rows[4 * q + 2] = _mm256_unpacklo_epi64 (high[0], high[1]);
    rows[4 * q + 3] = _mm256_unpackhi_epi64 (high[0], high[1]);
  }
}

/* Loads eight bytes of the lists of two words of each half. */
BPC_INLINE __m256i
load_words (const uint8_t *lists, const uint64_t at[4])
{
  __m128i halves[2];

  for (unsigned k = 0; k < 2; k++)
    halves[k] = _mm_castps_si128 (
        _mm_loadh_pi (_mm_castsi128_ps (_mm_loadl_epi64 (
                          (const __m128i *) (lists + at[2 * k]))),
            (const __m64 *) (lists + at[2 * k + 1])));
  return _mm256_inserti128_si256 (
      _mm256_castsi128_si256 (halves[0]), halves[1], 1);
}

/* Where the list of each word begins. */
BPC_INLINE void
begin_lists (uint64_t at[32])
{
  for (unsigned i = 0; i < 32; i++)
    at[i] = WORD_LANE (i) * sizeof ((PacoBpcScratch *) NULL)->sign_lists[0];
}

/* Moves the places of four words on by how many of their bytes are fresh. */
BPC_INLINE void
advance (uint64_t at[4], __m256i fresh)
{
  __m256i n = _mm256_sad_epu8 (
      _mm256_and_si256 (fresh, _mm256_set1_epi8 (1)), _mm256_setzero_si256 ());

  lanes_store (at, _mm256_add_epi64 (lanes_load (at), n));
}

/* Does compact_signs() for many signs. Values are inverted on the way, so that there is
 * no one where bytes are zero. */
static unsigned
compact_many_signs (const Coding *coding, unsigned side)
{
  const __m256i none = lanes_all (NO_SIGN), zero = _mm256_setzero_si256 ();
  PacoBpcScratch *s = coding->scratch;
  uint8_t *lists = s->sign_lists[0];
  uint64_t at[32] BPC_ALIGNED, begin[32];
  uint8_t counts[32], last[32];
  __m256i least, any;
  unsigned n = 0;

  begin_lists (begin);
  memcpy (at, begin, sizeof at);
  for (unsigned y = coding->block->height; y % PACO_STRIPE_LINES != 0; y++)
    lanes_store (s->sign_values[y], none);
  for (uint32_t stripes = coding->awake; stripes;) {
    unsigned g = next_stripe (&stripes);
    uint64_t *fresh = s->fresh_words[g];
    uint64_t values[32] BPC_ALIGNED;
    __m256i rows[8], words[8];

    for (unsigned k = 0; k < 8; k++)
      rows[k] = lanes_load (s->sign_values[PACO_STRIPE_LINES * g + k]);
    rows_to_lanes (rows, words);
    for (unsigned i = 0; i < 8; i++) {
      __m256i empty = _mm256_cmpeq_epi8 (words[i], none);

      lanes_store (values + 4 * i, lanes_xor (words[i], none));
      lanes_store (fresh + 4 * i, lanes_xor (empty, none));
    }
    for (unsigned i = 0; i < 32; i++)
      store_le64 (lists + at[i], _pext_u64 (values[i], fresh[i]));
    for (unsigned i = 0; i < 8; i++)
      advance (at + 4 * i, lanes_load (fresh + 4 * i));
  }
  for (unsigned i = 0; i < 32; i++) {
    unsigned count = (unsigned) (at[i] - begin[i]);

    counts[WORD_LANE (i)] = (uint8_t) MIN (count, 255);
    last[WORD_LANE (i)] = (uint8_t) (count - 1);
    n = MAX (n, count);
  }
  any = lanes_xor (_mm256_cmpeq_epi8 (lanes_load (counts), zero), none);
  least = lanes_load (last);
  for (unsigned k = 0; k < n; k += 8) {
    __m256i words[8], rows[8];

    for (unsigned i = 0; i < 8; i++)
      words[i] = load_words (lists + k, begin + 4 * i);
    lanes_to_rows (words, rows);
    for (unsigned i = 0; i < 8; i++) {
      __m256i number = lanes_all ((uint8_t) (k + i)), in;

      in = _mm256_cmpeq_epi8 (_mm256_min_epu8 (least, number), number);
      in = _mm256_and_si256 (in, any);
      lanes_store (s->sign_visits[k + i],
          lanes_xor (_mm256_and_si256 (rows[i], in), none));
    }
  }
  return n;
}

/* Does expand_signs() after compact_many_signs(), for n visits. */
static void
expand_many_signs (const Coding *coding, unsigned side, unsigned n)
{
  const __m256i none = lanes_all (NO_SIGN);
  PacoBpcScratch *s = coding->scratch;
  uint8_t *lists = s->sign_lists[0];
  uint64_t at[32] BPC_ALIGNED;

  begin_lists (at);
  for (unsigned k = 0; k < n; k += 8) {
    uint64_t values[32] BPC_ALIGNED;
    __m256i rows[8], words[8];

    for (unsigned i = 0; i < 8; i++)
      rows[i] = lanes_of_mask (lanes_mask (s->sign_bits[k + i]), 0xff);
    rows_to_lanes (rows, words);
    for (unsigned i = 0; i < 8; i++)
      lanes_store (values + 4 * i, words[i]);
    for (unsigned i = 0; i < 32; i++)
      store_le64 (lists + k + at[i], values[i]);
  }
  for (uint32_t stripes = coding->awake; stripes;) {
    unsigned g = next_stripe (&stripes), i = stripe_row (g);
    const uint64_t *fresh = s->fresh_words[g];
    __m256i rows[8], words[8];

    for (unsigned k = 0; k < 8; k++) {
      uint64_t v[4];

      for (unsigned j = 0; j < 4; j++)
        v[j] = _pdep_u64 (load_le64 (lists + at[4 * k + j]), fresh[4 * k + j]);
      words[k] = _mm256_setr_epi64x ((long long) v[0], (long long) v[1],
          (long long) v[2], (long long) v[3]);
      advance (at + 4 * k, lanes_load (fresh + 4 * k));
    }
    lanes_to_rows (words, rows);
    for (unsigned k = 0; k < 8; k++, i++) {
      __m256i no = _mm256_cmpeq_epi8 (
          lanes_load (s->sign_values[i - BPC_MARGIN]), none);
      __m256i signs = _mm256_or_si256 (
          rows[k], _mm256_andnot_si256 (no, lanes_all (1)));

      lanes_store (s->signs[i] + side,
          _mm256_or_si256 (lanes_load (s->signs[i] + side), signs));
      s->negative[i] |= (uint64_t) (uint32_t) _mm256_movemask_epi8 (rows[k])
          << side;
      s->known[i] |= (uint64_t) (uint32_t) (s->fresh[i] >> side) << side;
    }
  }
}
