/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The model of the block coder (FORMAT.md sections 7.3 and 7.4) in AVX2, with the
 * operations of bpc_model_plain.h. bpc_template.h calls it. */
#pragma once
#include "codec/cpu/bpc_lanes_avx2.h"

/* --- Contexts --- */

/* Tables of what a column's contexts gain, in its row, in the next one and in the
 * one after that, by how many fresh columns lie beside it (bits 0-1) and how many
 * two columns away (bits 2-3). One more table is for what left columns add to the
 * right ones of their row. Behind them are single weights. */
typedef struct
{
  __m256i y0, y1, y2, right, horizontal, diagonal, vertical, vertical_2, knight;
} LanesWeights;

BPC_INLINE LanesWeights
lanes_weights (const BpcWeights *weights)
{
  uint8_t y0[16], y1[16], y2[16], right[16];

  for (unsigned i = 0; i < 16; i++) {
    unsigned beside = i % 4, far = i / 4;

    y0[i] = (uint8_t) (weights->horizontal * beside
        + weights->horizontal_2 * far);
    y1[i] = (uint8_t) (weights->diagonal * beside + weights->knight * far);
    y2[i] = (uint8_t) (weights->knight * beside);
    right[i] = (uint8_t) (weights->horizontal * beside);
  }
  return (LanesWeights){
    .y0 = lanes_load_table (y0),
    .y1 = lanes_load_table (y1),
    .y2 = lanes_load_table (y2),
    .right = lanes_load_table (right),
    .horizontal = _mm256_set1_epi8 ((char) weights->horizontal),
    .diagonal = _mm256_set1_epi8 ((char) weights->diagonal),
    .vertical = _mm256_set1_epi8 ((char) weights->vertical),
    .vertical_2 = _mm256_set1_epi8 ((char) weights->vertical_2),
    .knight = _mm256_set1_epi8 ((char) weights->knight),
  };
}

/* What coefficients that become significant add to the contexts of their own row (y0),
 * of the rows next to it (y1) and of the rows two away (y2); and what left columns add
 * to the right ones of their own row. */
typedef struct
{
  LanesRow y0, y1, y2, right;
} LanesSpread;

/* Computes the spread of half a row from how many fresh columns lie beside and two away
 * from each of its columns. Returns these numbers as the tables take them. */
BPC_INLINE LanesBytes
lanes_spread_half (const LanesWeights *w, LanesBytes beside, LanesBytes far,
    LanesBytes here, LanesBytes *y0, LanesBytes *y1, LanesBytes *y2)
{
  LanesBytes sums = lanes_add (beside, _mm256_slli_epi16 (far, 2));

  *y0 = _mm256_shuffle_epi8 (w->y0, sums);
  *y1 = lanes_add (
      _mm256_shuffle_epi8 (w->y1, sums), _mm256_and_si256 (here, w->vertical));
  *y2 = lanes_add (_mm256_shuffle_epi8 (w->y2, sums),
      _mm256_and_si256 (here, w->vertical_2));
  return sums;
}

BPC_INLINE LanesSpread
lanes_spread (const LanesWeights *w, uint64_t fresh)
{
  const __m256i one = _mm256_set1_epi8 (1);
  LanesBytes left_here = lanes_where ((uint32_t) fresh);
  LanesBytes right_here = lanes_where (fresh >> 32);
  LanesBytes left = _mm256_and_si256 (left_here, one);
  LanesBytes right = _mm256_and_si256 (right_here, one);
  LanesBytes left_before = lanes_from_previous (left);
  LanesBytes left_after = lanes_from_next (left);
  LanesBytes right_before = lanes_from_previous (right);
  LanesBytes right_after = lanes_from_next (right);
  LanesBytes sums;
  LanesSpread r;

  lanes_spread_half (w, lanes_add (right, right_before),
      lanes_add (left_before, left_after), left_here, &r.y0.left, &r.y1.left,
      &r.y2.left);
  sums = lanes_spread_half (w, lanes_add (left, left_after),
      lanes_add (right_before, right_after), right_here, &r.y0.right,
      &r.y1.right, &r.y2.right);
  r.right.left = _mm256_setzero_si256 ();
  r.right.right = _mm256_shuffle_epi8 (w->right, sums);
  return r;
}

/* Adds the columns of a mask to their counts. */
BPC_INLINE LanesRow
lanes_count (LanesRow counts, uint64_t mask)
{
  counts.left = lanes_sub (counts.left, lanes_where ((uint32_t) mask));
  counts.right = lanes_sub (counts.right, lanes_where (mask >> 32));
  return counts;
}

/* The decoder cannot go on before it knows which coefficients have just become
 * significant. So these functions first compute the contexts that the next column
 * needs, and no others. */

/* Returns where bits are set and significant ones are not. */
BPC_INLINE uint32_t
lanes_fresh (uint32_t bits, uint32_t significant)
{
  return bits & ~significant;
}

BPC_INLINE LanesBytes
lanes_add_columns (
    LanesBytes contexts, __m256i weight, uint32_t fresh, unsigned side)
{
  uint32_t beyond = side ? fresh << 1 : fresh >> 1;

  contexts = lanes_add (
      contexts, _mm256_and_si256 (lanes_where (fresh), weight));
  return lanes_add (contexts, _mm256_and_si256 (lanes_where (beyond), weight));
}

/* These add what fresh columns of a side (0, 32) mean for the other columns of their
 * row, and of the next row. */
BPC_INLINE LanesBytes
lanes_add_beside (
    const LanesWeights *w, LanesBytes contexts, uint32_t fresh, unsigned side)
{
  return lanes_add_columns (contexts, w->horizontal, fresh, side);
}

BPC_INLINE LanesBytes
lanes_add_diagonal (
    const LanesWeights *w, LanesBytes contexts, uint32_t fresh, unsigned side)
{
  return lanes_add_columns (contexts, w->diagonal, fresh, side);
}

/* Adds what fresh columns mean for the same columns of the next row. */
BPC_INLINE LanesBytes
lanes_add_below (const LanesWeights *w, LanesBytes contexts, uint32_t fresh)
{
  LanesBytes here = lanes_where (fresh);
  LanesBytes knight = _mm256_and_si256 (here, w->knight);

  contexts = lanes_add (contexts, _mm256_and_si256 (here, w->vertical));
  return lanes_add (contexts,
      lanes_add (lanes_from_previous (knight), lanes_from_next (knight)));
}

/* The contexts of symbols, from the contexts of significance and the mask of what is
 * refined. */
BPC_INLINE LanesBytes
lanes_side_contexts (LanesBytes contexts, uint32_t refined)
{
  const __m256i low = _mm256_set1_epi8 (0xff >> PACO_REFINEMENT_SHIFT);
  __m256i class = _mm256_and_si256 (
      _mm256_srli_epi16 (contexts, PACO_REFINEMENT_SHIFT), low);

  class = lanes_add (class, _mm256_set1_epi8 (PACO_REFINEMENT_CONTEXT));
  return _mm256_blendv_epi8 (contexts, class, lanes_where (refined));
}

BPC_INLINE LanesRow
lanes_contexts (LanesRow contexts, uint64_t refined)
{
  return (LanesRow){ lanes_side_contexts (contexts.left, (uint32_t) refined),
    lanes_side_contexts (contexts.right, refined >> 32) };
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

/* Returns the probabilities of one side, in the left half of the row. */
BPC_INLINE LanesRow
lanes_side_probabilities (const LanesTables *tables, LanesBytes contexts)
{
  return lanes_row_of_left (lanes_probabilities_of (tables, contexts));
}

/* --- Counts --- */

/* Counts over all stripes of a plane: the significant coefficients, and the pairs of
 * them that the choice of a set asks for (policy_set.h). */
typedef struct
{
  __m256i significant, pairs, last; /* last: the stripe's last four rows */
} LanesCount;

BPC_INLINE LanesCount
lanes_count_begin (void)
{
  return (LanesCount){ _mm256_setzero_si256 (), _mm256_setzero_si256 (),
    _mm256_setzero_si256 () };
}

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

/* Adds the columns of a plane to what is significant in the rows of a stripe, and
 * counts it. Returns whether anything is significant there. Stripes come from the
 * top; `apart` says that this one makes no pairs with the one above. */
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
