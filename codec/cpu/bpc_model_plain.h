/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The model of the block coder (FORMAT.md sections 7.3 and 7.4) in plain C: what
 * neighbors add to contexts, which probabilities belong to contexts and densities, and
 * what is counted for the choice of a set. bpc_template.h calls it. */
#pragma once
#include "codec/cpu/bpc_lanes_plain.h"

/* --- Contexts --- */

typedef BpcWeights LanesWeights;

BPC_INLINE LanesWeights
lanes_weights (const BpcWeights *weights)
{
  return *weights;
}

/* What coefficients that become significant add to the contexts of their own row (y0),
 * of the rows next to it (y1) and of the rows two away (y2); and what left columns add
 * to the right ones of their own row. */
typedef struct
{
  LanesRow y0, y1, y2, right;
} LanesSpread;

BPC_INLINE LanesSpread
lanes_spread (const LanesWeights *w, uint64_t fresh)
{
  uint64_t left = (uint32_t) fresh, right = fresh >> 32;
  uint64_t same = left << 32 | right;
  uint64_t diagonal = (left >> 1) << 32 | (uint32_t) (right << 1);
  uint64_t before = (right << 33) | (uint32_t) (left << 1);
  uint64_t after = (right >> 1) << 32 | (left >> 1);
  LanesSpread r;

  for (unsigned i = 0; i < 64; i++) {
    uint8_t self = fresh >> i & 1;
    uint8_t beside = (uint8_t) ((same >> i & 1) + (diagonal >> i & 1));
    uint8_t far = (uint8_t) ((before >> i & 1) + (after >> i & 1));

    r.y0.b[i] = (uint8_t) (w->horizontal * beside + w->horizontal_2 * far);
    r.y1.b[i] = (uint8_t) (w->diagonal * beside + w->knight * far
        + w->vertical * self);
    r.y2.b[i] = (uint8_t) (w->knight * beside + w->vertical_2 * self);
    r.right.b[i] = (uint8_t) (i < 32 ? 0 : w->horizontal * beside);
  }
  return r;
}

/* Adds the columns of a mask to their counts. */
BPC_INLINE LanesRow
lanes_count (LanesRow counts, uint64_t mask)
{
  for (unsigned i = 0; i < 64; i++)
    counts.b[i] = (uint8_t) (counts.b[i] + (mask >> i & 1));
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

  for (unsigned t = 0; t < 32; t++)
    contexts.b[t] = (uint8_t) (contexts.b[t]
        + weight * ((fresh >> t & 1) + (beyond >> t & 1)));
  return contexts;
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
  uint32_t before = fresh << 1, after = fresh >> 1;

  for (unsigned t = 0; t < 32; t++)
    contexts.b[t] = (uint8_t) (contexts.b[t] + w->vertical * (fresh >> t & 1)
        + w->knight * ((before >> t & 1) + (after >> t & 1)));
  return contexts;
}

BPC_INLINE uint8_t
lanes_context (uint8_t c, bool refined)
{
  return refined ? PACO_REFINEMENT_CONTEXT + (c >> PACO_REFINEMENT_SHIFT) : c;
}

/* The contexts of symbols, from the contexts of significance and the mask of what is
 * refined. */
BPC_INLINE LanesRow
lanes_contexts (LanesRow contexts, uint64_t refined)
{
  for (unsigned i = 0; i < 64; i++)
    contexts.b[i] = lanes_context (contexts.b[i], refined >> i & 1);
  return contexts;
}

BPC_INLINE LanesBytes
lanes_side_contexts (LanesBytes contexts, uint32_t refined)
{
  for (unsigned t = 0; t < 32; t++)
    contexts.b[t] = lanes_context (contexts.b[t], refined >> t & 1);
  return contexts;
}

/* --- Densities and probabilities --- */

/* Returns the density classes of sums. */
BPC_INLINE LanesBytes
lanes_density (const uint8_t classes[256], LanesBytes sums)
{
  for (unsigned t = 0; t < 32; t++)
    sums.b[t] = classes[sums.b[t]];
  return sums;
}

/* The classes that occur, as bits of a mask; LANES_NO_CLASS is not one. */
BPC_INLINE unsigned
lanes_present (LanesBytes classes)
{
  unsigned present = 0;

  for (unsigned t = 0; t < 32; t++)
    if (classes.b[t] != LANES_NO_CLASS)
      present |= 1u << classes.b[t];
  return present;
}

/* The probabilities of the lanes of a stripe: each lane has those of its class. */
typedef struct
{
  const uint8_t *p[32];
} LanesTables;

BPC_INLINE void
lanes_tables (LanesTables *tables, const uint8_t p[PACO_N_DENSITIES][64],
    const uint8_t *classes, unsigned present)
{
  for (unsigned t = 0; t < 32; t++)
    tables->p[t] = p[classes[t] == LANES_NO_CLASS ? 0 : classes[t]];
}

/* Makes probabilities from the contexts of the rows of a stripe. */
BPC_INLINE void
lanes_probabilities (const uint8_t p[PACO_N_DENSITIES][64],
    const uint8_t *classes, unsigned present, LanesRow rows[PACO_STRIPE_LINES])
{
  LanesTables tables;

  lanes_tables (&tables, p, classes, present);

  for (unsigned k = 0; k < PACO_STRIPE_LINES; k++)
    for (unsigned i = 0; i < 64; i++)
      rows[k].b[i] = tables.p[i % 32][rows[k].b[i]];
}

/* Returns the probabilities of one side, in the left half of the row. */
BPC_INLINE LanesRow
lanes_side_probabilities (const LanesTables *tables, LanesBytes contexts)
{
  for (unsigned t = 0; t < 32; t++)
    contexts.b[t] = tables->p[t][contexts.b[t]];
  return lanes_row_of_left (contexts);
}

/* --- Counts --- */

/* Counts over all stripes of a plane: the significant coefficients, and the pairs of
 * them that the choice of a set asks for (policy_set.h). */
typedef struct
{
  uint32_t significant, pairs;
} LanesCount;

BPC_INLINE LanesCount
lanes_count_begin (void)
{
  return (LanesCount){ 0, 0 };
}

/* Adds the columns of a plane to what is significant in the rows of a stripe, and
 * counts it. Returns whether anything is significant there. Stripes come from the
 * top; `apart` says that this one makes no pairs with the one above. */
BPC_INLINE bool
lanes_count_stripe (
    LanesCount *count, uint64_t *significant, const uint64_t *plane, bool apart)
{
  uint64_t above = apart ? 0 : significant[-1], any = 0;

  for (unsigned k = 0; k < PACO_STRIPE_LINES; k++) {
    uint64_t at = significant[k] | plane[k];

    significant[k] = at;
    any |= at;
    count->significant += (uint32_t) __builtin_popcountll (at);
    count->pairs += (uint32_t) (__builtin_popcountll (at & above)
        + __builtin_popcount ((uint32_t) (at & at >> 32)));
    above = at;
  }
  return any != 0;
}

BPC_INLINE void
lanes_count_end (
    const LanesCount *count, uint32_t *significant, uint32_t *pairs)
{
  *significant = count->significant;
  *pairs = count->pairs;
}
