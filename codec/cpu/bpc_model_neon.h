/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The model of the block coder (FORMAT.md sections 7.3 and 7.4) in NEON, with the
 * operations of bpc_model_plain.h. bpc_template.h calls it. */
#pragma once
#include "codec/cpu/bpc_lanes_neon.h"

/* --- Contexts --- */

/* Tables of what a column's contexts gain, in its row, in the next one and in the
 * one after that, by how many fresh columns lie beside it (bits 0-1) and how many
 * two columns away (bits 2-3). One more table is for what left columns add to the
 * right ones of their row. Behind them are single weights. */
typedef struct
{
  uint8x16_t y0, y1, y2, right;
  uint8_t horizontal, diagonal, vertical, vertical_2, knight;
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
    .y0 = vld1q_u8 (y0),
    .y1 = vld1q_u8 (y1),
    .y2 = vld1q_u8 (y2),
    .right = vld1q_u8 (right),
    .horizontal = weights->horizontal,
    .diagonal = weights->diagonal,
    .vertical = weights->vertical,
    .vertical_2 = weights->vertical_2,
    .knight = weights->knight,
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
 * from each of its columns. These numbers are negative, since comparisons give -1.
 * Returns them as the tables take them. */
BPC_INLINE LanesBytes
lanes_spread_half (const LanesWeights *w, LanesBytes beside, LanesBytes far,
    LanesBytes here, LanesBytes *y0, LanesBytes *y1, LanesBytes *y2)
{
  LanesBytes sums = lanes_add (far, far);

  sums = lanes_sub (lanes_all (0), lanes_add (beside, lanes_add (sums, sums)));
  *y0 = lanes_lookup_16 (w->y0, sums);
  *y1 = lanes_add (
      lanes_lookup_16 (w->y1, sums), lanes_and (here, lanes_all (w->vertical)));
  *y2 = lanes_add (lanes_lookup_16 (w->y2, sums),
      lanes_and (here, lanes_all (w->vertical_2)));
  return sums;
}

BPC_INLINE LanesSpread
lanes_spread (const LanesWeights *w, uint64_t fresh)
{
  LanesBytes left = lanes_where ((uint32_t) fresh);
  LanesBytes right = lanes_where ((uint32_t) (fresh >> 32));
  LanesBytes left_before = lanes_from_previous (left);
  LanesBytes left_after = lanes_from_next (left);
  LanesBytes right_before = lanes_from_previous (right);
  LanesBytes right_after = lanes_from_next (right);
  LanesBytes sums;
  LanesSpread r;

  lanes_spread_half (w, lanes_add (right, right_before),
      lanes_add (left_before, left_after), left, &r.y0.left, &r.y1.left,
      &r.y2.left);
  sums = lanes_spread_half (w, lanes_add (left, left_after),
      lanes_add (right_before, right_after), right, &r.y0.right, &r.y1.right,
      &r.y2.right);
  /* Right columns get only what left columns add. */
  r.right.left = lanes_all (0);
  r.right.right = lanes_lookup_16 (w->right, sums);
  return r;
}

/* Adds the columns of a mask to their counts. */
BPC_INLINE LanesRow
lanes_count (LanesRow counts, uint64_t mask)
{
  counts.left = lanes_sub (counts.left, lanes_where ((uint32_t) mask));
  counts.right = lanes_sub (
      counts.right, lanes_where ((uint32_t) (mask >> 32)));
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
    LanesBytes contexts, uint8_t weight, uint32_t fresh, unsigned side)
{
  uint32_t beyond = side ? fresh << 1 : fresh >> 1;

  contexts = lanes_add (contexts, lanes_of_mask (fresh, weight));
  return lanes_add (contexts, lanes_of_mask (beyond, weight));
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
  LanesBytes knight = lanes_and (here, lanes_all (w->knight));

  contexts = lanes_add (contexts, lanes_and (here, lanes_all (w->vertical)));
  return lanes_add (contexts,
      lanes_add (lanes_from_previous (knight), lanes_from_next (knight)));
}

BPC_INLINE uint8x16_t
lanes_refinement_contexts (uint8x16_t contexts)
{
  return vaddq_u8 (vshrq_n_u8 (contexts, PACO_REFINEMENT_SHIFT),
      vdupq_n_u8 (PACO_REFINEMENT_CONTEXT));
}

/* The contexts of symbols, from the contexts of significance and the mask of what is
 * refined. */
BPC_INLINE LanesBytes
lanes_side_contexts (LanesBytes contexts, uint32_t refined)
{
  LanesBytes refining = { lanes_refinement_contexts (contexts.low),
    lanes_refinement_contexts (contexts.high) };

  return lanes_select (refined, refining, contexts);
}

BPC_INLINE LanesRow
lanes_contexts (LanesRow contexts, uint64_t refined)
{
  return (LanesRow){ lanes_side_contexts (contexts.left, (uint32_t) refined),
    lanes_side_contexts (contexts.right, (uint32_t) (refined >> 32)) };
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

/* The classes that occur, as bits of a mask; LANES_NO_CLASS is not one. */
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

    p.left = lanes_choose (
        tables->lanes[i], lanes_lookup_48 (table, row->left), p.left);
    p.right = lanes_choose (
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

/* Returns the probabilities of one side, in the left half of the row. */
BPC_INLINE LanesRow
lanes_side_probabilities (const LanesTables *tables, LanesBytes contexts)
{
  LanesBytes p = lanes_all (0);

  for (unsigned i = 0; i < tables->n; i++)
    p = lanes_choose (tables->lanes[i],
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

BPC_INLINE LanesCount
lanes_count_begin (void)
{
  return (LanesCount){ vdupq_n_u32 (0), vdupq_n_u32 (0), vdupq_n_u64 (0) };
}

/* Returns how many bits each byte has. */
BPC_INLINE uint8x16_t
lanes_count_bits (uint64x2_t v)
{
  return vcntq_u8 (vreinterpretq_u8_u64 (v));
}

/* Adds the columns of a plane to what is significant in the rows of a stripe, and
 * counts it. Returns whether anything is significant there. Stripes come from the
 * top; `apart` says that this one makes no pairs with the one above. */
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
