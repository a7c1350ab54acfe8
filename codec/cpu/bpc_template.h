/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The block coder (FORMAT.md section 7), written once with the operations of
 * bpc_lanes_*.h and bpc_model_*.h, and compiled once for each instruction set by
 * bpc_plain.c, bpc_avx2.c, bpc_avx512.c and bpc_neon.c.
 *
 * It is fast by two means. The bits of a plane are sliced into row masks, so that a
 * decision about 64 coefficients takes a few instructions on a word. And contexts
 * are not counted in each visit but kept up to date: a coefficient that becomes
 * significant adds its weights to the contexts of the rows around it. So a visit
 * reads 32 contexts, takes 32 probabilities from tables and codes 32 symbols.
 *
 * Functions take `sharing` (1, 4, 8 lanes to a codeword) and `full` (all lanes
 * always active) as compile-time constants. */
#pragma once
#include "codec/check.h"

#define NO_SIGN 0xff

typedef enum
{
  SCAN_MERGED,     /* every coefficient */
  SCAN_NEIGHBORS,  /* not significant, but a neighbor is */
  SCAN_REFINEMENT, /* significant when the plane began */
  SCAN_REST,       /* neither, and not coded yet */
} Scan;

/* What is fixed while a block is coded. */
typedef struct
{
  PacoBpcScratch *scratch;
  const PacoBpcBlock *block;
  const PacoBlockRecord *record;
  unsigned sharing;               /* lanes to a codeword */
  uint64_t valid;                 /* columns that are in the block */
  uint32_t stripes;               /* that the block has, as bits of a mask */
  LanesWeights weights;           /* of the subband */
  uint8_t sign_codes[16];         /* (h, v) to context and inversion */
  LanesSignTable sign_table;      /* of these, for the decoder */
  uint8_t sign_probabilities[16]; /* of that; changes with the plane */
  uint8_t wake_probabilities[PACO_N_WAKE]; /* so does this */
  uint32_t awake;                          /* stripes, as bits of a mask */
  uint8_t *out;                            /* encoder: where codewords go */
  const uint8_t *limit; /* decoder: codewords must end before */
} Coding;

/* The weights by orientation. */
static const BpcWeights neighbor_weights[4] = PACO_NEIGHBOR_WEIGHTS;

static uint64_t
valid_columns (unsigned width)
{
  return low_bits ((width + 1) / 2) | low_bits (width / 2) << 32;
}

/* A sign's code: its context in bits 0-2, whether it is inverted in bit 3. */
static void
make_sign_codes (unsigned orientation, uint8_t codes[16])
{
  memset (codes, 0, 16);
  for (int a = -1; a <= 1; a++)
    for (int b = -1; b <= 1; b++) {
      int h = orientation == PACO_ORIENTATION_HL ? b : a;
      int v = orientation == PACO_ORIENTATION_HL ? a : b;
      bool inverted = h < 0 || (h == 0 && v < 0);
      int u = inverted ? -v : v;
      unsigned context = h ? (unsigned) (1 - u) : u ? 3 : 4;

      codes[4 * a + b + 5] = (uint8_t) (context | inverted << 3);
    }
}

static void
coding_begin (Coding *coding, PacoBpcScratch *scratch,
    const PacoBpcBlock *block, const PacoBlockRecord *record)
{
  unsigned rows = block->height + 2 * BPC_MARGIN;

  coding->scratch = scratch;
  coding->block = block;
  coding->record = record;
  coding->sharing = paco_record_lanes (record);
  coding->valid = valid_columns (block->width);
  coding->stripes = (uint32_t) low_bits (
      (block->height + PACO_STRIPE_LINES - 1u) / PACO_STRIPE_LINES);
  coding->weights = lanes_weights (&neighbor_weights[block->orientation]);
  coding->awake = 0;
  make_sign_codes (block->orientation, coding->sign_codes);
  coding->sign_table = lanes_sign_table (coding->sign_codes);
  memset (scratch->significant, 0, rows * sizeof (uint64_t));
  memset (scratch->fresh, 0, rows * sizeof (uint64_t));
  memset (scratch->known, 0, rows * sizeof (uint64_t));
  memset (scratch->coded, 0, rows * sizeof (uint64_t));
  memset (scratch->contexts, 0, rows * 64);
  memset (scratch->signs, 0, rows * 64);
  memset (scratch->counts, 0, sizeof scratch->counts);
  memset (scratch->sign_values, NO_SIGN, block->height * 32u);
}

/* --- Stripes --- */

typedef struct
{
  unsigned begin, end;
} RowRange;

/* Removes the first stripe from the mask and returns its number. */
BPC_INLINE unsigned
next_stripe (uint32_t *stripes)
{
  unsigned g = (unsigned) __builtin_ctz (*stripes);

  *stripes &= *stripes - 1;
  return g;
}

/* Returns the row of the first line of a stripe. */
BPC_INLINE unsigned
stripe_row (unsigned g)
{
  return BPC_MARGIN + PACO_STRIPE_LINES * g;
}

BPC_INLINE unsigned
stripe_lines (const Coding *coding, unsigned g)
{
  unsigned left = coding->block->height - PACO_STRIPE_LINES * g;

  return MIN (left, PACO_STRIPE_LINES);
}

/* Removes the first stripe and those that follow it without a gap from the mask;
 * returns the rows of their lines. */
BPC_INLINE RowRange
next_rows (const Coding *coding, uint32_t *stripes)
{
  unsigned first = (unsigned) __builtin_ctz (*stripes);
  uint64_t above = *stripes + (UINT64_C (1) << first);
  unsigned end = (unsigned) __builtin_ctzll (above);

  *stripes &= (uint32_t) above;
  return (RowRange){ stripe_row (first),
    MIN (stripe_row (end), (unsigned) BPC_MARGIN + coding->block->height) };
}

/* Returns the probabilities of the visit to the stripes. */
BPC_INLINE LanesRow
wake_probabilities (const Coding *coding)
{
  const uint8_t *p = coding->wake_probabilities;
  uint32_t above = coding->awake << 1, below = coding->awake >> 1;

  return lanes_row_of_left (
      lanes_select (lanes_mask (above & below), lanes_all (p[2]),
          lanes_select (
              lanes_mask (above | below), lanes_all (p[1]), lanes_all (p[0]))));
}

/* --- Planes --- */

static uint32_t
count_significant (const Coding *coding)
{
  const PacoBpcScratch *s = coding->scratch;
  uint32_t stripes = coding->awake, n = 0;

  while (stripes) {
    RowRange rows = next_rows (coding, &stripes);

    for (unsigned i = rows.begin; i < rows.end; i++)
      n += (uint32_t) __builtin_popcountll (s->significant[i]);
  }
  return n;
}

/* Chooses the probabilities of a plane. */
static void
begin_plane (Coding *coding, unsigned plane, uint32_t n_significant)
{
  const PacoBpcBlock *block = coding->block;
  PacoBpcScratch *scratch = coding->scratch;
  uint32_t n = (uint32_t) block->width * block->height;
  const uint8_t (
      *rows)[PACO_N_CONTEXTS] = block->sets.sets[coding->record->set]->p
      + PACO_PLANE_ROW (block->orientation, plane);
  const uint8_t *p = rows[paco_density_class (n_significant, n)];

  for (unsigned q = 0; q < PACO_N_DENSITIES; q++)
    memcpy (scratch->tables[q], rows[q], PACO_SIGN_CONTEXT);
  memset (coding->sign_probabilities, 128, 16);
  for (unsigned c = 0; c < PACO_N_SIGN; c++)
    coding->sign_probabilities[c] = coding->sign_probabilities[8 + c] =
        p[PACO_SIGN_CONTEXT + c];
  memcpy (coding->wake_probabilities, p + PACO_WAKE_CONTEXT, PACO_N_WAKE);
  if (block->coding_passes > 1)
    memcpy (scratch->old, scratch->significant,
        (block->height + 2 * BPC_MARGIN) * sizeof (uint64_t));
}

/* Returns how many significant coefficients the lanes have in the stripe `beside`
 * stripe g, or, if that is not in the block, in g itself. */
BPC_INLINE LanesBytes
stripe_counts (const Coding *coding, unsigned g, unsigned beside)
{
  const PacoBpcScratch *s = coding->scratch;
  const uint8_t *counts =
      s->counts[beside < 32 && coding->stripes >> beside & 1 ? beside : g];

  return lanes_add (lanes_load (counts), lanes_load (counts + 32));
}

/* Returns the density classes of a stripe (FORMAT.md section 7.4). */
static LanesBytes
stripe_densities (const Coding *coding, unsigned g, uint32_t of_block)
{
  uint32_t valid = (uint32_t) coding->valid;
  LanesBytes here = stripe_counts (coding, g, g), before, after, sums;

  sums = lanes_add (lanes_add (here, here),
      lanes_add (
          stripe_counts (coding, g, g - 1), stripe_counts (coding, g, g + 1)));
  before = lanes_select (lanes_mask (1), sums, lanes_from_previous (sums));
  after = lanes_select (
      lanes_mask (valid & ~(valid >> 1)), sums, lanes_from_next (sums));
  sums = lanes_add (lanes_add (sums, before), after);
  sums = lanes_add (sums, lanes_all ((uint8_t) of_block));
  return lanes_select (lanes_mask (valid),
      lanes_density (coding->scratch->density_classes, sums),
      lanes_all (LANES_NO_CLASS));
}

/* Finds the classes of the stripes that are awake. */
static void
find_densities (const Coding *coding, uint32_t n_significant)
{
  const PacoBpcBlock *block = coding->block;
  PacoBpcScratch *s = coding->scratch;
  uint32_t of_block = paco_density_of_block (
      n_significant, (uint32_t) block->width * block->height);
  LanesBytes classes = lanes_of_mask (
      lanes_mask (~(uint32_t) coding->valid), LANES_NO_CLASS);

  for (uint32_t stripes = coding->awake; stripes;) {
    unsigned g = next_stripe (&stripes);

    if (n_significant > 0)
      classes = stripe_densities (coding, g, of_block);
    lanes_store (s->densities[g], classes);
    s->present[g] = (uint16_t) lanes_present (classes);
  }
}

/* --- Which lanes take part in a scan --- */

/* The left, and below the right, columns that have a significant neighbor, from what is
 * significant in the rows above, at and below. */
BPC_INLINE uint32_t
near_left (uint64_t above, uint64_t at, uint64_t below)
{
  uint64_t right = (above | at | below) >> 32;

  return (uint32_t) (above | below | right | right << 1);
}

BPC_INLINE uint32_t
near_right (uint64_t above, uint64_t at, uint64_t below)
{
  uint32_t left = (uint32_t) (above | at | below);

  return (uint32_t) ((above | below) >> 32) | left | left >> 1;
}

/* Returns the lanes that code a symbol of their left column in row i. */
BPC_INLINE uint32_t
active_left (const Coding *coding, Scan scan, unsigned i)
{
  const PacoBpcScratch *s = coding->scratch;
  uint32_t valid = (uint32_t) coding->valid;

  switch (scan) {
    case SCAN_MERGED:
      return valid;
    case SCAN_NEIGHBORS:
      return valid & ~(uint32_t) s->old[i]
          & near_left (
              s->significant[i - 1], s->significant[i], s->significant[i + 1]);
    case SCAN_REFINEMENT:
      return (uint32_t) s->old[i];
    default:
      return valid & ~(uint32_t) (s->old[i] | s->coded[i]);
  }
}

/* Returns the same of the right columns, when the left columns fresh_left have just
 * become significant. */
BPC_INLINE uint32_t
active_right (const Coding *coding, Scan scan, unsigned i, uint32_t fresh_left)
{
  const PacoBpcScratch *s = coding->scratch;
  uint32_t valid = coding->valid >> 32;

  switch (scan) {
    case SCAN_MERGED:
      return valid;
    case SCAN_NEIGHBORS:
      return valid & ~(uint32_t) (s->old[i] >> 32)
          & near_right (s->significant[i - 1], s->significant[i] | fresh_left,
              s->significant[i + 1]);
    case SCAN_REFINEMENT:
      return s->old[i] >> 32;
    default:
      return valid & ~(uint32_t) ((s->old[i] | s->coded[i]) >> 32);
  }
}

/* Returns the columns whose symbols have refinement contexts. */
BPC_INLINE uint64_t
refined_columns (Scan scan, uint64_t significant)
{
  return scan == SCAN_MERGED    ? significant
      : scan == SCAN_REFINEMENT ? UINT64_MAX
                                : 0;
}

/* With a step map: says whether line y has other cells than the line before, or is the
 * first one. */
static bool
begins_cells (const PacoBpcBlock *block, unsigned y)
{
  unsigned lines = (1u << PACO_STEP_MAP_CELL_LOG2) >> block->map.shift_y;

  return y % MAX (lines, 1) == 0;
}

/* Sets columns[x] of line y of a block to the value of the exponent of column x. Blocks
 * begin with a cell, in which all columns have one value. */
#define FILL_COLUMNS(name, Value)                                              \
  BPC_INLINE void name##_cells (const uint8_t *cells, unsigned halved,         \
      unsigned n, unsigned width, const Value *values, Value *columns)         \
  {                                                                            \
    for (unsigned x = 0; x < width; x += n)                                    \
      for (unsigned k = 0; k < n; k++)                                         \
        columns[x + k] = values[cells[x / n] >> halved];                       \
  }                                                                            \
                                                                               \
  static void name (const PacoBpcBlock *block, unsigned y,                     \
      const Value values[PACO_STEP_MAP_EXPONENTS],                             \
      Value columns[PACO_BLOCK_WIDTH])                                         \
  {                                                                            \
    const uint8_t *cells = block->cells                                        \
        + paco_step_map_cell (&block->map, block->x, block->y + y);            \
    unsigned shift = block->map.shift_x, halved = block->map.halved;           \
                                                                               \
    if (shift == 1)                                                            \
      name##_cells (cells, halved, 8, block->width, values, columns);          \
    else if (shift == 2)                                                       \
      name##_cells (cells, halved, 4, block->width, values, columns);          \
    else                                                                       \
      for (unsigned x = 0; x < block->width; x++)                              \
        columns[x] =                                                           \
            values[cells[x << shift >> PACO_STEP_MAP_CELL_LOG2] >> halved];    \
  }

FILL_COLUMNS (fill_multipliers, uint32_t)
FILL_COLUMNS (fill_scales, float)
#undef FILL_COLUMNS

#include "codec/cpu/bpc_template_signs.h"
#include "codec/cpu/bpc_template_encode.h"
#include "codec/cpu/bpc_template_decode.h"

/* The check of a block's bytes, compiled for the instruction set. */
static uint16_t
check_bytes (const uint8_t *bytes, size_t length)
{
  return paco_check_bytes (bytes, length);
}

const PacoBpcOps LANES_OPS = {
  .name = LANES_NAME,
  .encode = encode_block,
  .decode = decode_block,
  .check = check_bytes,
};
