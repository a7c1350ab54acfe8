/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The block coder for AVX-512 with VBMI and VBMI2: bpc_template.h compiled with the
 * operations of bpc_plain.c. bpc.c has it in its list. */
#include "codec/cpu/bpc_lanes_avx512.h"

/* --- Contexts --- */

/* The tables of BpcGains, and single weights. */
typedef struct
{
  __m512i y0, y1, y2, right, horizontal, diagonal, vertical, vertical_2, knight;
} LanesWeights;

BPC_INLINE LanesWeights
lanes_weights (const BpcWeights *weights)
{
  BpcGains gains = bpc_gains (weights);

  return (LanesWeights){
    .y0 = _mm512_broadcast_i32x4 (_mm_loadu_si128 ((const __m128i *) gains.y0)),
    .y1 = _mm512_broadcast_i32x4 (_mm_loadu_si128 ((const __m128i *) gains.y1)),
    .y2 = _mm512_broadcast_i32x4 (_mm_loadu_si128 ((const __m128i *) gains.y2)),
    .right = _mm512_maskz_broadcast_i32x4 (
        0xff00, _mm_loadu_si128 ((const __m128i *) gains.right)),
    .horizontal = _mm512_set1_epi8 ((char) weights->horizontal),
    .diagonal = _mm512_set1_epi8 ((char) weights->diagonal),
    .vertical = _mm512_set1_epi8 ((char) weights->vertical),
    .vertical_2 = _mm512_set1_epi8 ((char) weights->vertical_2),
    .knight = _mm512_set1_epi8 ((char) weights->knight),
  };
}

typedef struct
{
  LanesRow y0, y1, y2, right;
} LanesSpread;

BPC_INLINE LanesSpread
lanes_spread (const LanesWeights *w, uint64_t left, uint64_t right)
{
  __mmask64 fresh = left | right << 32;
  __m512i one = _mm512_set1_epi8 (1), four = _mm512_set1_epi8 (4);
  /* Two columns lie beside a column: the other one of its lane, and one of the next
   * lane. */
  __mmask64 same = fresh << 32 | fresh >> 32;
  __mmask64 beyond = (left >> 1) << 32 | (uint32_t) (right << 1);
  __mmask64 before = right << 33 | (uint32_t) (left << 1);
  __mmask64 after = (fresh & ~(UINT64_C (1) << 32)) >> 1;
  __m512i sums = _mm512_maskz_mov_epi8 (same, one);
  LanesSpread r;

  sums = _mm512_mask_add_epi8 (sums, beyond, sums, one);
  sums = _mm512_mask_add_epi8 (sums, before, sums, four);
  sums = _mm512_mask_add_epi8 (sums, after, sums, four);
  r.y0 = _mm512_shuffle_epi8 (w->y0, sums);
  r.y1 = _mm512_shuffle_epi8 (w->y1, sums);
  r.y1 = _mm512_mask_add_epi8 (r.y1, fresh, r.y1, w->vertical);
  r.y2 = _mm512_shuffle_epi8 (w->y2, sums);
  r.y2 = _mm512_mask_add_epi8 (r.y2, fresh, r.y2, w->vertical_2);
  r.right = _mm512_shuffle_epi8 (w->right, sums);
  return r;
}

/* Adds fresh columns to their counts. */
BPC_INLINE LanesRow
lanes_count (LanesRow counts, uint64_t left, uint64_t right)
{
  return _mm512_mask_add_epi8 (
      counts, left | right << 32, counts, _mm512_set1_epi8 (1));
}

BPC_INLINE LanesBytes
lanes_add_columns (
    LanesBytes contexts, __m512i weight, LanesMask fresh, unsigned side)
{
  __m256i w = _mm512_castsi512_si256 (weight);
  __mmask32 beyond = side ? _kshiftli_mask32 (fresh, 1)
                          : _kshiftri_mask32 (fresh, 1);

  contexts = _mm256_mask_add_epi8 (contexts, fresh, contexts, w);
  return _mm256_mask_add_epi8 (contexts, beyond, contexts, w);
}

/* Adds what fresh columns mean for the same columns of the next row. */
BPC_INLINE LanesBytes
lanes_add_below (const LanesWeights *w, LanesBytes contexts, LanesMask fresh)
{
  __m256i vertical = _mm512_castsi512_si256 (w->vertical);
  __m256i knight = _mm512_castsi512_si256 (w->knight);

  contexts = _mm256_mask_add_epi8 (contexts, fresh, contexts, vertical);
  contexts = _mm256_mask_add_epi8 (contexts, fresh >> 1, contexts, knight);
  return _mm256_mask_add_epi8 (contexts, fresh << 1, contexts, knight);
}

/* Returns the context of refinement for each context of significance. */
BPC_INLINE __m512i
lanes_refinement_contexts (void)
{
  uint8_t contexts[64];

  for (unsigned c = 0; c < 64; c++)
    contexts[c] = (uint8_t) (PACO_REFINEMENT_CONTEXT
        + (c >> PACO_REFINEMENT_SHIFT));
  return _mm512_loadu_si512 (contexts);
}

/* The contexts of symbols, from the contexts of significance and the mask of what is
 * refined. */
BPC_INLINE LanesRow
lanes_contexts (LanesRow contexts, uint64_t refined)
{
  return _mm512_mask_permutexvar_epi8 (
      contexts, refined, contexts, lanes_refinement_contexts ());
}

BPC_INLINE LanesBytes
lanes_side_contexts (LanesBytes contexts, LanesMask refined)
{
  return _mm512_castsi512_si256 (
      lanes_contexts (_mm512_castsi256_si512 (contexts), refined));
}

/* The contexts of the five rows around the row that a scan has come to, in registers. */
typedef struct
{
  uint8_t (*row)[64];
  LanesRow up2, up1, at, down1, down2;
} Window;

BPC_INLINE Window
window_begin (uint8_t (*row)[64])
{
  return (Window){ row, lanes_row_load (row[-2]), lanes_row_load (row[-1]),
    lanes_row_load (row[0]), lanes_row_load (row[1]), lanes_row_load (row[2]) };
}

BPC_INLINE LanesRow
window_at (const Window *w)
{
  return w->at;
}

BPC_INLINE LanesRow
window_below (const Window *w)
{
  return w->down1;
}

BPC_INLINE void
window_add (Window *w, const LanesSpread *spread)
{
  w->up2 = lanes_row_add (w->up2, spread->y2);
  w->up1 = lanes_row_add (w->up1, spread->y1);
  w->at = lanes_row_add (w->at, spread->y0);
  w->down1 = lanes_row_add (w->down1, spread->y1);
  w->down2 = lanes_row_add (w->down2, spread->y2);
}

BPC_INLINE void
window_move (Window *w)
{
  lanes_row_store (w->row[-2], w->up2);
  w->up2 = w->up1;
  w->up1 = w->at;
  w->at = w->down1;
  w->down1 = w->down2;
  w->row++;
  w->down2 = lanes_row_load (w->row[2]);
}

BPC_INLINE void
window_end (const Window *w)
{
  lanes_row_store (w->row[-2], w->up2);
  lanes_row_store (w->row[-1], w->up1);
  lanes_row_store (w->row[0], w->at);
  lanes_row_store (w->row[1], w->down1);
}

/* --- Densities and probabilities --- */

BPC_INLINE LanesBytes
lanes_density (const uint8_t classes[256], LanesBytes sums)
{
  __m512i index = _mm512_castsi256_si512 (sums);
  __m512i low = _mm512_permutex2var_epi8 (
      _mm512_load_si512 (classes), index, _mm512_load_si512 (classes + 64));
  __m512i high = _mm512_permutex2var_epi8 (_mm512_load_si512 (classes + 128),
      index, _mm512_load_si512 (classes + 192));

  return _mm256_blendv_epi8 (
      _mm512_castsi512_si256 (low), _mm512_castsi512_si256 (high), sums);
}

BPC_INLINE void
lanes_probabilities (const uint8_t tables[PACO_N_DENSITIES][64],
    const uint8_t *classes, unsigned present, LanesRow rows[PACO_STRIPE_LINES])

{
  __m512i all = _mm512_broadcast_i64x4 (lanes_load (classes));
  __m512i p[PACO_STRIPE_LINES];
  __m512i table = _mm512_loadu_si512 (tables[__builtin_ctz (present)]);

  for (unsigned k = 0; k < PACO_STRIPE_LINES; k++)
    p[k] = _mm512_permutexvar_epi8 (rows[k], table);
  while (present &= present - 1) {
    unsigned class = (unsigned) __builtin_ctz (present);
    __mmask64 here = _mm512_cmpeq_epi8_mask (
        all, _mm512_set1_epi8 ((char) class));

    table = _mm512_loadu_si512 (tables[class]);
    for (unsigned k = 0; k < PACO_STRIPE_LINES; k++)
      p[k] = _mm512_mask_permutexvar_epi8 (p[k], here, rows[k], table);
  }

  for (unsigned k = 0; k < PACO_STRIPE_LINES; k++)
    rows[k] = p[k];
}

BPC_INLINE LanesRow
lanes_side_probabilities (const LanesTables *tables, LanesBytes contexts)
{
  __m512i index = _mm512_castsi256_si512 (contexts);
  __m256i p = _mm512_castsi512_si256 (
      _mm512_permutexvar_epi8 (index, _mm512_loadu_si512 (tables->p[0])));

  for (unsigned i = 1; i < tables->n; i++) {
    __m256i other = _mm512_castsi512_si256 (
        _mm512_permutexvar_epi8 (index, _mm512_loadu_si512 (tables->p[i])));

    /* This takes the others where the lanes have the class, else p. */
    p = _mm256_ternarylogic_epi32 (p, other, tables->lanes[i], 0xd8);
  }
  return _mm512_castsi256_si512 (p);
}

/* --- Counts --- */

typedef struct
{
  __m512i significant, pairs, last; /* last: the stripe's rows */
} LanesCount;

/* Returns how many bits are set in each byte. */
BPC_INLINE __m512i
lanes_count_bits (__m512i v)
{
  const __m512i nibble = _mm512_set1_epi8 (15);
  const __m512i bits = _mm512_broadcast_i32x4 (
      _mm_setr_epi8 (0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
  __m512i low = _mm512_and_si512 (v, nibble);
  __m512i high = _mm512_and_si512 (_mm512_srli_epi16 (v, 4), nibble);

  return _mm512_add_epi8 (
      _mm512_shuffle_epi8 (bits, low), _mm512_shuffle_epi8 (bits, high));
}

BPC_INLINE bool
lanes_count_stripe (
    LanesCount *count, uint64_t *significant, const uint64_t *plane, bool apart)
{
  const __m512i zero = _mm512_setzero_si512 ();
  __m512i at = _mm512_or_si512 (
      _mm512_loadu_si512 (significant), _mm512_loadu_si512 (plane));
  __m512i above = _mm512_maskz_alignr_epi64 (
      apart ? 0xfe : 0xff, at, count->last, 7);
  __m512i pairs;

  count->last = at;
  if (_mm512_test_epi64_mask (at, at) == 0)
    return false;
  _mm512_storeu_si512 (significant, at);

  pairs = _mm512_add_epi8 (lanes_count_bits (_mm512_and_si512 (at, above)),
      lanes_count_bits (_mm512_and_si512 (at, _mm512_srli_epi64 (at, 32))));
  count->significant = _mm512_add_epi64 (
      count->significant, _mm512_sad_epu8 (lanes_count_bits (at), zero));
  count->pairs = _mm512_add_epi64 (count->pairs, _mm512_sad_epu8 (pairs, zero));
  return true;
}

BPC_INLINE void
lanes_count_end (
    const LanesCount *count, uint32_t *significant, uint32_t *pairs)
{
  *significant = (uint32_t) _mm512_reduce_add_epi64 (count->significant);
  *pairs = (uint32_t) _mm512_reduce_add_epi64 (count->pairs);
}

#define LANES_SIGNS_HEADER "codec/cpu/bpc_template_signs_avx512.h"
#include "codec/cpu/bpc_template.h"
