/* SPDX-License-Identifier: LGPL-2.1-or-later
 * bitplanes.h says what this is for. */
#include "tests/lab/bitplanes.h"
#include <stdlib.h>
#include <string.h>

#define STRIDE (BITPLANES_WIDTH + 2)
#define LINES (BITPLANES_MAX_HEIGHT + 2)

/* These say what is known of a coefficient. */
enum
{
  SIGNIFICANT = 1,
  OLD = 2,  /* was significant when the bitplane began */
  DONE = 4, /* its bit of this bitplane was coded */
};

typedef enum
{
  PASS_SIGNIFICANCE, /* not significant, with a significant neighbor */
  PASS_ALL,          /* not significant: the first of two passes */
  PASS_REFINEMENT,
  PASS_CLEANUP, /* not significant and not coded by PASS_SIGNIFICANCE */
} Pass;

/* This is the state of one block. Arrays have a margin of one that is never
 * significant. */
typedef struct
{
  const BitplanesForm *form;
  const BitplanesTable *table; /* or NULL, for those who need none */
  SymbolCoder symbols;
  BitplanesRecord *record;
  SymbolPoint points[BITPLANES_MAX_PASSES]; /* at the end of each pass */
  unsigned width, height, plane;
  const float *exact;
  double gain;
  uint32_t magnitude[LINES * STRIDE]; /* the decoder's: the bits known */
  bool negative[LINES * STRIDE];
  uint8_t state[LINES * STRIDE];
  uint8_t near[LINES * STRIDE]; /* how many neighbors are significant */
  int8_t sign[LINES * STRIDE];
  uint8_t known[LINES * STRIDE];
} Block;

static unsigned
place_of (unsigned x, unsigned y)
{
  return (y + 1) * STRIDE + x + 1;
}

static bool
code (Block *block, unsigned lane, unsigned context, bool bit)
{
  unsigned p = block->table ? block->table->p[block->plane][context] : 0;

  return symbol_code (&block->symbols, lane, context, p, bit);
}

static void
become_significant (Block *block, unsigned place)
{
  uint8_t *above = &block->near[place - STRIDE];
  uint8_t *below = &block->near[place + STRIDE];

  block->state[place] |= SIGNIFICANT;
  for (int d = -1; d <= 1; d++) {
    above[d]++;
    below[d]++;
  }
  block->near[place - 1]++;
  block->near[place + 1]++;
}

/* Adds the squared error that goes when a bit of this bitplane is known, with
 * the middle of what is open as the decoder's guess. */
static void
gain_from (Block *block, unsigned x, unsigned y, unsigned place)
{
  double exact, half = (double) ((uint32_t) 1 << block->plane) / 2;
  uint32_t now, before;
  double left, was;

  if (!block->exact)
    return;
  exact = (double) block->exact[y * block->width + x];
  now = block->magnitude[place] >> block->plane << block->plane;
  before = block->magnitude[place] >> (block->plane + 1) << (block->plane + 1);
  was = exact - (before ? before + 2 * half : 0);
  left = exact - (now ? now + half : 0);
  block->gain += was * was - left * left;
}

/* Returns the context of eq. (3.2), and whether the symbol is the opposite
 * of the sign, since it is coded relative to the sign that the neighbors
 * predict. */
static unsigned
sign_context (const Block *block, unsigned place, bool *inverted)
{
  const int8_t *sign = &block->sign[place];
  int v = sign[-STRIDE] + sign[STRIDE], h = sign[-1] + sign[1];

  *inverted = false;
  if ((v > 0 && h > 0) || (v < 0 && h < 0)) {
    *inverted = v < 0;
    return 0;
  }
  if (v == 0 && h != 0) {
    *inverted = h < 0;
    return 1;
  }
  if (v != 0 && h == 0) {
    *inverted = v < 0;
    return 2;
  }
  return 3;
}

static void
code_sign (Block *block, unsigned lane, unsigned place, bool cleanup)
{
  bool inverted;
  unsigned context = sign_context (block, place, &inverted);

  if (block->form->one_context) {
    context = CONTEXT_SIGN;
    inverted = false;
  } else {
    context += cleanup ? CONTEXT_CLEANUP_SIGN : CONTEXT_SIGN;
  }
  block->negative[place] = code (block, lane, context,
                               block->negative[place] != inverted)
      != inverted;
  block->sign[place] = block->negative[place] ? -1 : 1;
}

static bool
takes_part (const Block *block, Pass pass, unsigned place)
{
  uint8_t state = block->state[place];

  switch (pass) {
    case PASS_SIGNIFICANCE:
      return !(state & SIGNIFICANT) && block->near[place] > 0;
    case PASS_ALL:
      return !(state & SIGNIFICANT);
    case PASS_REFINEMENT:
      return state & OLD;
    default:
      return !(state & (SIGNIFICANT | DONE));
  }
}

static unsigned
bit_context (const Block *block, Pass pass, unsigned place)
{
  if (pass == PASS_REFINEMENT)
    return CONTEXT_REFINEMENT;
  if (block->form->one_context)
    return CONTEXT_SIGNIFICANCE;
  return block->near[place]
      + (pass == PASS_CLEANUP ? CONTEXT_CLEANUP : CONTEXT_SIGNIFICANCE);
}

/* Codes the bits of one column of each lane, then the signs that they ask for. */
static void
visit (Block *block, Pass pass, unsigned y, unsigned side)
{
  uint8_t awaits_sign[SYMBOL_LANES];
  unsigned n = 0, active = 0;

  for (unsigned x = side; x < block->width; x += 2) {
    unsigned place = place_of (x, y);
    bool bit;

    if (!takes_part (block, pass, place))
      continue;
    active++;
    bit = code (block, x / 2, bit_context (block, pass, place),
        (block->magnitude[place] >> block->plane) & 1);
    block->magnitude[place] |= (uint32_t) bit << block->plane;
    block->state[place] |= DONE;
    block->known[place] = (uint8_t) block->plane;
    gain_from (block, x, y, place);
    if (bit && pass != PASS_REFINEMENT) {
      become_significant (block, place);
      awaits_sign[n++] = (uint8_t) x;
    }
  }
  for (unsigned i = 0; i < n; i++)
    code_sign (block, awaits_sign[i] / 2, place_of (awaits_sign[i], y),
        pass == PASS_CLEANUP);
  block->record->active += active;
  block->record->visits += active > 0;
}

static void
code_pass (Block *block, Pass pass)
{
  for (unsigned y = 0; y < block->height; y++) {
    visit (block, pass, y, 0);
    visit (block, pass, y, 1);
  }
}

static void
begin_plane (Block *block, unsigned plane)
{
  block->plane = plane;
  for (unsigned y = 0; y < block->height; y++)
    for (unsigned x = 0; x < block->width; x++) {
      uint8_t *state = &block->state[place_of (x, y)];

      *state = *state & SIGNIFICANT ? SIGNIFICANT | OLD : 0;
    }
}

unsigned
bitplanes_n_passes (const BitplanesForm *form, unsigned planes)
{
  return planes == 0 ? 0 : form->passes * (planes - 1) + 1;
}

/* Codes n_passes passes and says of each how long the code was and what it gained. */
static void
code_passes (Block *block, unsigned n_passes, BitplanesCounts *counts)
{
  static const Pass orders[2][3] = {
    { PASS_ALL, PASS_REFINEMENT },
    { PASS_SIGNIFICANCE, PASS_REFINEMENT, PASS_CLEANUP },
  };
  unsigned per_plane = block->form->passes, plane = block->record->planes;
  /* The first bitplane has only that pass which needs no significant neighbor. */
  unsigned next = per_plane == 3 ? 2 : 0;
  bool first = true;

  for (unsigned i = 0; i < n_passes; i++) {
    if (first || next == 0)
      begin_plane (block, --plane);
    code_pass (block, orders[per_plane == 3][next]);
    next = first ? 0 : (next + 1) % per_plane;
    first = false;
    block->record->passes[i].gain = block->gain;
    block->points[i] = symbol_coder_point (&block->symbols);
    if (counts && (next == 0 || i + 1 == n_passes)) {
      for (unsigned c = 0; c < N_CONTEXTS; c++)
        for (unsigned b = 0; b < 2; b++)
          (*counts)[plane][c][b] += block->symbols.counts[c][b];
      memset (block->symbols.counts, 0, sizeof block->symbols.counts);
    }
  }
}

static Block *
block_new (const BitplanesForm *form, const BitplanesTable *table,
    unsigned width, unsigned height, BitplanesRecord *record)
{
  Block *block = g_new0 (Block, 1);

  block->form = form;
  block->table = table;
  block->width = width;
  block->height = height;
  block->record = record;
  return block;
}

/* Begins as JPEG 2000 does: where nothing is near, nothing is likely. */
static void
init_adaptive (Block *block)
{
  block->symbols.mq.state[CONTEXT_SIGNIFICANCE] = 4;
  block->symbols.mq.state[CONTEXT_CLEANUP] = 4;
}

static unsigned
top_plane (uint32_t magnitude)
{
  return magnitude == 0 ? 0 : g_bit_storage (magnitude);
}

void
bitplanes_encode (const BitplanesForm *form, const BitplanesTable *table,
    const int32_t *indices, const float *exact, unsigned width, unsigned height,
    BitplanesRecord *record, BitplanesCounts *counts, GByteArray *bytes)
{
  Block *block = block_new (form, table, width, height, record);
  GByteArray *code = g_byte_array_new ();
  uint32_t all = 0;

  memset (record, 0, sizeof *record);
  for (unsigned y = 0; y < height; y++)
    for (unsigned x = 0; x < width; x++) {
      int32_t index = indices[y * width + x];

      block->magnitude[place_of (x, y)] = (uint32_t) abs (index);
      block->negative[place_of (x, y)] = index < 0;
      all |= (uint32_t) abs (index);
    }
  record->planes = top_plane (all);
  record->n_passes = bitplanes_n_passes (form, record->planes);
  block->exact = exact;
  symbol_coder_encode (&block->symbols, form->kind, form->precision, code);
  init_adaptive (block);
  code_passes (block, record->n_passes, counts);
  symbol_coder_finish (&block->symbols);
  for (unsigned i = 0; i < record->n_passes; i++)
    record->passes[i].bytes = (uint32_t) symbol_point_length (
        &block->symbols, &block->points[i]);
  if (record->n_passes > 0)
    g_byte_array_append (
        bytes, code->data, record->passes[record->n_passes - 1].bytes);
  g_byte_array_unref (code);
  g_free (block);
}

bool
bitplanes_decode (const BitplanesForm *form, const BitplanesTable *table,
    const uint8_t *bytes, size_t size, unsigned width, unsigned height,
    const BitplanesRecord *record, int32_t *indices, uint8_t *known)
{
  BitplanesRecord own = *record;
  Block *block = block_new (form, table, width, height, &own);
  bool good;

  symbol_coder_decode (
      &block->symbols, form->kind, form->precision, bytes, size);
  init_adaptive (block);
  memset (block->known, (int) record->planes, sizeof block->known);
  code_passes (block, record->n_passes, NULL);
  good = !block->symbols.broken;
  for (unsigned y = 0; y < height; y++)
    for (unsigned x = 0; x < width; x++) {
      unsigned place = place_of (x, y);
      int32_t magnitude = (int32_t) block->magnitude[place];

      indices[y * width + x] = block->negative[place] ? -magnitude : magnitude;
      known[y * width + x] = block->known[place];
    }
  g_free (block);
  return good;
}
