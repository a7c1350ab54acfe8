/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The compaction of signs in AVX-512. Seen lane by lane, to move the values of
 * new signs to the front is one instruction for 64 lines, and its inverse
 * another. So the values are transposed, compressed, and transposed back. */
#pragma once

/* Transposes 16 rows of 16 words. */
BPC_INLINE void
transpose_words (__m512i r[16])
{
  __m512i a[16];

  for (unsigned i = 0; i < 16; i += 4) {
    __m512i p = _mm512_unpacklo_epi32 (r[i], r[i + 1]);
    __m512i q = _mm512_unpackhi_epi32 (r[i], r[i + 1]);
    __m512i u = _mm512_unpacklo_epi32 (r[i + 2], r[i + 3]);
    __m512i v = _mm512_unpackhi_epi32 (r[i + 2], r[i + 3]);

    a[i] = _mm512_unpacklo_epi64 (p, u);
    a[i + 1] = _mm512_unpackhi_epi64 (p, u);
    a[i + 2] = _mm512_unpacklo_epi64 (q, v);
    a[i + 3] = _mm512_unpackhi_epi64 (q, v);
  }
  /* a[4 g + k] holds column 4 b + k of rows 4 g .. 4 g + 3 in its part b. */
  for (unsigned k = 0; k < 4; k++) {
    __m512i p = _mm512_shuffle_i32x4 (a[k], a[4 + k], 0x88);
    __m512i q = _mm512_shuffle_i32x4 (a[k], a[4 + k], 0xdd);
    __m512i u = _mm512_shuffle_i32x4 (a[8 + k], a[12 + k], 0x88);
    __m512i v = _mm512_shuffle_i32x4 (a[8 + k], a[12 + k], 0xdd);

    r[k] = _mm512_shuffle_i32x4 (p, u, 0x88);
    r[4 + k] = _mm512_shuffle_i32x4 (q, v, 0x88);
    r[8 + k] = _mm512_shuffle_i32x4 (p, u, 0xdd);
    r[12 + k] = _mm512_shuffle_i32x4 (q, v, 0xdd);
  }
}

/* Transposes 64 rows of 32 lanes to 32 lanes of 64 rows. */
BPC_INLINE void
rows_to_lanes (const uint8_t rows[64][32], __m512i lanes[32])
{
  uint8_t order[2][64] BPC_ALIGNED;

  for (unsigned i = 0; i < 64; i++) {
    order[0][i] = (uint8_t) (32 * (i % 4) + i / 4);
    order[1][i] = (uint8_t) (order[0][i] + 16);
  }
  for (unsigned g = 0; g < 16; g++) {
    __m512i a = _mm512_loadu_si512 (rows[4 * g]);
    __m512i b = _mm512_loadu_si512 (rows[4 * g + 2]);

    lanes[g] = _mm512_permutex2var_epi8 (a, _mm512_load_si512 (order[0]), b);
    lanes[16 + g] = _mm512_permutex2var_epi8 (
        a, _mm512_load_si512 (order[1]), b);
  }
  transpose_words (lanes);
  transpose_words (lanes + 16);
}

BPC_INLINE void
lanes_to_rows (__m512i lanes[32], uint8_t rows[64][32])
{
  uint8_t order[2][64] BPC_ALIGNED;

  for (unsigned i = 0; i < 64; i++) {
    unsigned lane = i % 32;

    order[0][i] = (uint8_t) (64 * (lane / 16) + 4 * (lane % 16) + i / 32);
    order[1][i] = (uint8_t) (order[0][i] + 2);
  }
  transpose_words (lanes);
  transpose_words (lanes + 16);
  for (unsigned g = 0; g < 16; g++) {
    _mm512_storeu_si512 (rows[4 * g],
        _mm512_permutex2var_epi8 (
            lanes[g], _mm512_load_si512 (order[0]), lanes[16 + g]));
    _mm512_storeu_si512 (rows[4 * g + 2],
        _mm512_permutex2var_epi8 (
            lanes[g], _mm512_load_si512 (order[1]), lanes[16 + g]));
  }
}

/* Says whether a stripe is awake among the 64 lines from y on. */
BPC_INLINE bool
lines_awake (const Coding *coding, unsigned y)
{
  return coding->awake >> (y / PACO_STRIPE_LINES)
      & low_bits (64 / PACO_STRIPE_LINES);
}

/* Does compact_signs() for many signs. */
static unsigned
compact_many_signs (const Coding *coding, unsigned side)
{
  const __m512i none = _mm512_set1_epi8 ((char) NO_SIGN);
  PacoBpcScratch *s = coding->scratch;
  uint32_t count[32] = { 0 };
  unsigned height = coding->block->height, n = 0;
  __m512i lanes[32];

  for (unsigned y = height; y % 64 != 0; y++)
    memset (s->sign_values[y], NO_SIGN, 32);
  for (unsigned y = 0; y < height; y += 64) {
    if (!lines_awake (coding, y)) {
      memset (s->fresh_lines[y / 64], 0, sizeof s->fresh_lines[0]);
      continue;
    }
    rows_to_lanes (s->sign_values + y, lanes);
    for (unsigned t = 0; t < 32; t++) {
      __mmask64 fresh = _mm512_cmpneq_epi8_mask (lanes[t], none);

      s->fresh_lines[y / 64][t] = fresh;
      _mm512_storeu_si512 (s->sign_lists[t] + count[t],
          _mm512_maskz_compress_epi8 (fresh, lanes[t]));
      count[t] += (uint32_t) __builtin_popcountll (fresh);
    }
  }
  for (unsigned t = 0; t < 32; t++)
    n = MAX (n, count[t]);
  for (unsigned k = 0; k < n; k += 64) {
    for (unsigned t = 0; t < 32; t++) {
      unsigned left = count[t] > k ? count[t] - k : 0;

      lanes[t] = _mm512_mask_loadu_epi8 (
          none, low_bits (left), s->sign_lists[t] + k);
    }
    lanes_to_rows (lanes, s->sign_visits + k);
  }
  return n;
}

/* Does expand_signs() after compact_many_signs(), for n visits. */
static void
expand_many_signs (const Coding *coding, unsigned side, unsigned n)
{
  const __m512i one = _mm512_set1_epi8 (1), minus = _mm512_set1_epi8 (-1);
  PacoBpcScratch *s = coding->scratch;
  unsigned height = coding->block->height;
  uint32_t at[32] = { 0 };
  __m512i lanes[32];

  for (unsigned k = 0; k < n; k += 64) {
    for (unsigned i = 0; i < 64; i += 2)
      _mm512_store_si512 (s->sign_visits[k + i],
          _mm512_mask_mov_epi8 (one,
              s->sign_bits[k + i] | (uint64_t) s->sign_bits[k + i + 1] << 32,
              minus));
    rows_to_lanes (s->sign_visits + k, lanes);
    for (unsigned t = 0; t < 32; t++)
      _mm512_storeu_si512 (s->sign_lists[t] + k, lanes[t]);
  }
  for (unsigned y = 0; y < height; y += 64) {
    if (!lines_awake (coding, y))
      continue;
    for (unsigned t = 0; t < 32; t++) {
      uint64_t fresh = s->fresh_lines[y / 64][t];

      lanes[t] = _mm512_maskz_expand_epi8 (
          fresh, _mm512_loadu_si512 (s->sign_lists[t] + at[t]));
      at[t] += (uint32_t) __builtin_popcountll (fresh);
    }
    lanes_to_rows (lanes, s->sign_visits);
    for (unsigned k = 0; k < MIN (height - y, 64); k++) {
      unsigned i = BPC_MARGIN + y + k;
      LanesBytes v = lanes_load (s->sign_visits[k]);

      lanes_store (s->signs[i] + side,
          _mm256_or_si256 (lanes_load (s->signs[i] + side), v));
      s->negative[i] |= (uint64_t) (uint32_t) _mm256_movepi8_mask (v) << side;
      s->known[i] |= (uint64_t) (uint32_t) (s->fresh[i] >> side) << side;
    }
  }
}
