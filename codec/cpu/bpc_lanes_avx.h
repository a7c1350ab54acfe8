/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What the lanes of the block coder have in common in AVX2 and AVX-512: a byte for each
 * of the 32 lanes, or for half of the coefficients of a row, is in a register of 256
 * bits. bpc_avx2.c and bpc_lanes_avx512.h include it. */
#pragma once
#include "codec/cpu/bpc_bits.h"
#include <immintrin.h>

typedef __m256i LanesBytes;

/* Eight lanes to a codeword are done in two halves of four: first the lanes of words 0,
 * 2, 4 and 6, then the others, for which the coders move to the next word. */
#define LANES_FIRST_FOUR 0x0f0f0f0fu

BPC_INLINE void
lanes_swap_words (__m256i *v)
{
  *v = _mm256_shuffle_epi32 (*v, _MM_SHUFFLE (2, 3, 0, 1));
}

/* Returns the number of the coder that the encoder has noted; it has noted the
 * coder's word. */
BPC_INLINE unsigned
lanes_coder (uint8_t noted, unsigned sharing)
{
  return sharing == 8 ? noted / 2u : noted;
}

BPC_INLINE LanesBytes
lanes_load (const void *data)
{
  return _mm256_loadu_si256 (data);
}

BPC_INLINE void
lanes_store (void *data, LanesBytes v)
{
  _mm256_storeu_si256 (data, v);
}

BPC_INLINE LanesBytes
lanes_add (LanesBytes a, LanesBytes b)
{
  return _mm256_add_epi8 (a, b);
}

BPC_INLINE LanesBytes
lanes_sub (LanesBytes a, LanesBytes b)
{
  return _mm256_sub_epi8 (a, b);
}

BPC_INLINE LanesBytes
lanes_xor (LanesBytes a, LanesBytes b)
{
  return _mm256_xor_si256 (a, b);
}

BPC_INLINE LanesBytes
lanes_from_previous (LanesBytes v)
{
  return _mm256_alignr_epi8 (v, _mm256_permute2x128_si256 (v, v, 0x08), 15);
}

BPC_INLINE LanesBytes
lanes_from_next (LanesBytes v)
{
  return _mm256_alignr_epi8 (_mm256_permute2x128_si256 (v, v, 0x81), v, 1);
}

BPC_INLINE LanesBytes
lanes_nibbles_up (LanesBytes v)
{
  return _mm256_slli_epi16 (v, 4); /* the high ones are 0 */
}

BPC_INLINE LanesBytes
lanes_nibbles_down (LanesBytes v)
{
  return _mm256_and_si256 (_mm256_srli_epi16 (v, 4), _mm256_set1_epi8 (15));
}

BPC_INLINE unsigned
lanes_present (LanesBytes classes)
{
  const __m128i bits = _mm_set1_epi64x ((long long) 0x8040201008040201);
  __m256i low = _mm256_broadcastsi128_si256 (_mm_move_epi64 (bits));
  __m256i high = _mm256_broadcastsi128_si256 (_mm_slli_si128 (bits, 8));
  __m256i words;
  __m128i any;

  low = _mm256_shuffle_epi8 (low, classes);
  high = _mm256_shuffle_epi8 (high, classes);
  words = _mm256_or_si256 (
      _mm256_unpacklo_epi8 (low, high), _mm256_unpackhi_epi8 (low, high));
  any = _mm_or_si128 (
      _mm256_castsi256_si128 (words), _mm256_extracti128_si256 (words, 1));
  any = _mm_or_si128 (any, _mm_srli_si128 (any, 8));
  any = _mm_or_si128 (any, _mm_srli_si128 (any, 4));
  any = _mm_or_si128 (any, _mm_srli_si128 (any, 2));
  return (unsigned) _mm_cvtsi128_si32 (any) & 0xffff;
}

/* Moves byte r of each word to bytes 1 and 3, as lanes_split() takes it. */
BPC_INLINE __m256i
lanes_factors (LanesBytes p, unsigned r)
{
  const __m256i order = _mm256_set1_epi32 (
      (int) (0x00800080u | 0x01000100u * r));
  const __m256i words = _mm256_setr_epi32 (0, 0x04000400, 0x08000800,
      0x0c000c00, 0, 0x04000400, 0x08000800, 0x0c000c00);

  return _mm256_shuffle_epi8 (p, _mm256_or_si256 (order, words));
}

/* s p / 256, by the halves of s: the upper one has a product of 24 bits, the lower 8 of
 * which come down from the low half of the multiplication. */
BPC_INLINE __m256i
lanes_split (__m256i s, __m256i p)
{
  return _mm256_add_epi32 (_mm256_mulhi_epu16 (s, p),
      _mm256_srli_epi32 (_mm256_mullo_epi16 (s, p), 16));
}

/* The probabilities of the lanes of a stripe: those of each class that occurs, and the
 * lanes that have the class. */
typedef struct
{
  unsigned n;
  const uint8_t *p[PACO_N_DENSITIES];
  __m256i lanes[PACO_N_DENSITIES];
} LanesTables;

BPC_INLINE void
lanes_tables (LanesTables *tables, const uint8_t p[PACO_N_DENSITIES][64],
    const uint8_t *classes, unsigned present)
{
  __m256i all = lanes_load (classes);
  unsigned n = 0;

  for (; present; present &= present - 1) {
    unsigned class = (unsigned) __builtin_ctz (present);

    tables->p[n] = p[class];
    tables->lanes[n++] = _mm256_cmpeq_epi8 (
        all, _mm256_set1_epi8 ((char) class));
  }
  tables->n = n;
}
