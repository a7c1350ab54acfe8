/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Codeblocks (FORMAT.md section 7): visits, contexts, planes and scans, which the
 * reference encoder walks through as well; then the arithmetic decoders, the raw string,
 * and what makes a block broken. */
#include "parts.h"
#include <string.h>

enum
{
  STRIPE_LINES = 8,
  REFINEMENT_CONTEXT = 41,
  SIGN_CONTEXT = 47,
  WAKE_CONTEXT = 52,
  M = PACO_REFERENCE_MARGIN,
};

/* --- visits --- */

static void
clear_visit (Coder *coder)
{
  for (unsigned t = 0; t < LANES; t++)
    coder->visit[t].active = false;
}

/* Codes the visit's symbols in the order of (step, arithmetic coder). */
static void
code_visit (Coder *coder)
{
  unsigned n = paco_reference_lanes (&coder->record);

  for (unsigned step = 0; step < n; step++)
    for (unsigned j = 0; j < LANES / n; j++) {
      unsigned t = n * j + step, row, context;
      bool symbol;

      if (!coder->visit[t].active)
        continue;
      row = coder->visit[t].row;
      context = coder->visit[t].context;
      symbol = coder->code (coder->symbols, j, row, context,
          coder->set->p[row][context],
          coder->visit[t].bit != coder->visit[t].inverted);
      coder->visit[t].bit = symbol != coder->visit[t].inverted;
    }
}

/* --- scans --- */

typedef enum
{
  SCAN_ALL,           /* the merged scan */
  SCAN_NEIGHBORS,     /* not significant, with significant neighbors */
  SCAN_INSIGNIFICANT, /* not significant and not coded yet */
  SCAN_REFINEMENT,    /* significant when the plane began */
} Scan;

static bool
takes_part (
    const Coder *coder, Scan scan, unsigned x, unsigned y, unsigned plane)
{
  bool old = coder->became[y][x] > plane + 1;

  switch (scan) {
    case SCAN_NEIGHBORS:
      return !old && coder->near[y + M][x + M] > 0;
    case SCAN_INSIGNIFICANT:
      return !old && coder->coded[y][x] != plane + 1;
    case SCAN_REFINEMENT:
      return old;
    default:
      return true;
  }
}

/* Adds what a coefficient that becomes significant weighs for its neighbors. */
static void
weigh (Coder *coder, unsigned x, unsigned y)
{
  /* By what is there: nothing; those beside, above and below, at the corners; two columns
   * and two lines away; at a knight's move. */
  static const uint8_t places[5][5] = { { 0, 6, 5, 6, 0 }, { 6, 3, 2, 3, 6 },
    { 4, 1, 0, 1, 4 }, { 6, 3, 2, 3, 6 }, { 0, 6, 5, 6, 0 } };
  static const uint8_t weights[4][7] = { { 0, 3, 3, 3, 1, 1, 1 },
    { 0, 3, 5, 2, 1, 2, 1 }, { 0, 5, 3, 2, 2, 1, 1 }, { 0, 3, 3, 4, 1, 1, 1 } };

  for (unsigned i = 0; i < 25; i++) {
    unsigned place = places[i / 5][i % 5];
    uint8_t *context = &coder->context[y + i / 5][x + i % 5];

    *context = (uint8_t) (*context + weights[coder->orientation][place]);
    coder->near[y + i / 5][x + i % 5] |= place >= 1 && place <= 3;
  }
}

static void
take_effect (Coder *coder, unsigned x, unsigned y, unsigned plane, bool bit)
{
  coder->coded[y][x] = (uint8_t) (plane + 1);
  coder->magnitude[y][x] |= (uint32_t) bit << plane;
  if (bit && coder->became[y][x] == 0) {
    coder->became[y][x] = (uint8_t) (plane + 1);
    coder->n_significant++;
    coder->count[y / STRIPE_LINES][x / 2]++;
    weigh (coder, x, y);
  }
}

/* Visits the left or the right columns of a line. */
static void
scan_line (Coder *coder, Scan scan, unsigned y, unsigned side, unsigned plane)
{
  bool any = false;

  clear_visit (coder);
  for (unsigned x = side; x < coder->width; x += 2) {
    unsigned t = x / 2, c = coder->context[y + M][x + M];

    if (!takes_part (coder, scan, x, y, plane))
      continue;
    any = true;
    coder->visit[t].active = true;
    coder->visit[t].inverted = false;
    coder->visit[t].row = coder->plane_row
        + coder->density[y / STRIPE_LINES][t];
    coder->visit[t].context = (uint8_t) (coder->became[y][x] > plane + 1
            ? REFINEMENT_CONTEXT + c / 8
            : c);
    coder->visit[t].bit = coder->magnitude[y][x] >> plane & 1;
  }
  if (!any)
    return;
  code_visit (coder);
  for (unsigned x = side; x < coder->width; x += 2)
    if (coder->visit[x / 2].active)
      take_effect (coder, x, y, plane, coder->visit[x / 2].bit);
}

static void
code_scan (Coder *coder, Scan scan, unsigned plane)
{
  for (unsigned y = 0; y < coder->height; y++)
    for (unsigned side = 0; side < 2 && coder->awake[y / STRIPE_LINES]; side++)
      scan_line (coder, scan, y, side, plane);
}

/* --- signs --- */

static int
sign_of_sum (int sum)
{
  return (sum > 0) - (sum < 0);
}

/* Returns the context of a sign and whether its symbol is inverted. */
static unsigned
sign_context (const Coder *coder, unsigned x, unsigned y, bool *inverted)
{
  int h = sign_of_sum (
      coder->sign[y + M][x + M - 1] + coder->sign[y + M][x + M + 1]);
  int v = sign_of_sum (
      coder->sign[y + M - 1][x + M] + coder->sign[y + M + 1][x + M]);

  if (coder->orientation == 1) {
    int swap = h;

    h = v;
    v = swap;
  }
  *inverted = h < 0 || (h == 0 && v < 0);
  if (*inverted) {
    h = -h;
    v = -v;
  }
  if (h > 0)
    return SIGN_CONTEXT + (v > 0 ? 0 : v == 0 ? 1 : 2);
  return SIGN_CONTEXT + (v > 0 ? 3 : 4);
}

static void
code_signs_of_side (Coder *coder, unsigned side, unsigned plane)
{
  unsigned next[LANES] = { 0 };
  bool any;

  do {
    any = false;
    clear_visit (coder);
    for (unsigned x = side; x < coder->width; x += 2) {
      unsigned t = x / 2, y = next[t];

      while (y < coder->height
          && (coder->became[y][x] != plane + 1 || coder->sign[y + M][x + M]))
        y++;
      next[t] = y;
      if (y == coder->height)
        continue;
      any = true;
      coder->visit[t].active = true;
      coder->visit[t].y = (uint8_t) y;
      coder->visit[t].row = coder->plane_row + coder->block_density;
      coder->visit[t].context = (uint8_t) sign_context (
          coder, x, y, &coder->visit[t].inverted);
      coder->visit[t].bit = coder->negative[y][x];
    }
    code_visit (coder);
    for (unsigned x = side; x < coder->width; x += 2) {
      unsigned y = coder->visit[x / 2].y;
      bool negative = coder->visit[x / 2].bit;

      if (!coder->visit[x / 2].active)
        continue;
      coder->negative[y][x] = negative;
      coder->sign[y + M][x + M] = negative ? -1 : 1;
    }
  } while (any);
}

/* Codes the signs of what became significant in the scan before. Signs that are raw
 * are left out; they stay 0. */
static void
code_signs (Coder *coder, unsigned plane)
{
  const Record *record = &coder->record;
  bool last = plane == record->dropped_planes && record->raw_planes == 0
      && !record->cut;

  if (!(last && record->raw_left_signs))
    code_signs_of_side (coder, 0, plane);
  if (!last)
    code_signs_of_side (coder, 1, plane);
}

/* --- stripes and densities --- */

static unsigned
stripes_of (const Coder *coder)
{
  return (coder->height + STRIPE_LINES - 1) / STRIPE_LINES;
}

/* Says whether a coefficient of the stripe has a 1 in the plane, as an encoder knows. */
static bool
has_ones (const Coder *coder, unsigned stripe, unsigned plane)
{
  unsigned y = stripe * STRIPE_LINES;

  for (unsigned k = 0; k < STRIPE_LINES && y + k < coder->height; k++)
    for (unsigned x = 0; x < coder->width; x++)
      if (coder->magnitude[y + k][x] >> plane & 1)
        return true;
  return false;
}

static void
code_waking_stripes (Coder *coder, unsigned plane)
{
  unsigned n = stripes_of (coder);

  clear_visit (coder);
  for (unsigned g = 0; g < n; g++) {
    coder->visit[g].active = !coder->awake[g];
    coder->visit[g].inverted = false;
    coder->visit[g].row = coder->plane_row + coder->block_density;
    coder->visit[g].context = (uint8_t) (WAKE_CONTEXT
        + (g > 0 && coder->awake[g - 1]) + (g + 1 < n && coder->awake[g + 1]));
    coder->visit[g].bit = !coder->awake[g] && has_ones (coder, g, plane);
  }
  code_visit (coder);
  for (unsigned g = 0; g < n; g++)
    if (coder->visit[g].active)
      coder->awake[g] = coder->visit[g].bit;
}

/* Returns 1 + the largest k in 0..14 with a^2 2^k <= b^2; a may be 0. */
static unsigned
density_class (uint64_t a, uint64_t b)
{
  unsigned k = 0;

  while (k < 14 && (a * a) << (k + 1) <= b * b)
    k++;
  return 1 + k;
}

/* w(t, g) */
static unsigned
around_stripe (const Coder *coder, unsigned t, unsigned g)
{
  unsigned last = stripes_of (coder) - 1;

  return coder->count[g > 0 ? g - 1 : g][t] + 2u * coder->count[g][t]
      + coder->count[g < last ? g + 1 : g][t];
}

static void
find_densities (Coder *coder)
{
  unsigned s = coder->n_significant, n = coder->width * coder->height;
  unsigned n_lanes = (coder->width + 1) / 2;

  coder->block_density = s == 0 ? 0 : density_class (s, n);
  for (unsigned g = 0; g < stripes_of (coder); g++) {
    unsigned w[LANES];

    for (unsigned t = 0; t < n_lanes; t++)
      w[t] = around_stripe (coder, t, g);
    for (unsigned t = 0; t < n_lanes; t++) {
      unsigned z = w[t > 0 ? t - 1 : t] + w[t] + w[t + 1 < n_lanes ? t + 1 : t]
          + 29 * s / n;

      coder->density[g][t] = (uint8_t) (s == 0 ? 0 : density_class (z, 221));
    }
  }
}

/* --- planes --- */

unsigned
paco_reference_lanes (const Record *record)
{
  if (!record->shared_codewords)
    return 1;
  return record->planes - record->dropped_planes == 1 && !record->cut ? 8 : 4;
}

void
paco_reference_begin_block (Coder *coder)
{
  memset (coder->became, 0, sizeof coder->became);
  memset (coder->coded, 0, sizeof coder->coded);
  memset (coder->context, 0, sizeof coder->context);
  memset (coder->near, 0, sizeof coder->near);
  memset (coder->sign, 0, sizeof coder->sign);
  memset (coder->count, 0, sizeof coder->count);
  memset (coder->awake, 0, sizeof coder->awake);
  coder->n_significant = 0;
}

void
paco_reference_code_plane (Coder *coder, unsigned plane)
{
  unsigned kind = (coder->orientation + 1) / 2;

  coder->plane_row = (4 * kind + (plane < 3 ? plane : 3)) * 16;
  find_densities (coder);
  code_waking_stripes (coder, plane);
  if (coder->coding_passes == 1) {
    code_scan (coder, SCAN_ALL, plane);
    code_signs (coder, plane);
    return;
  }
  code_scan (coder,
      coder->coding_passes == 2 ? SCAN_INSIGNIFICANT : SCAN_NEIGHBORS, plane);
  code_signs (coder, plane);
  code_scan (coder, SCAN_REFINEMENT, plane);
  if (coder->coding_passes == 2)
    return;
  code_scan (coder, SCAN_INSIGNIFICANT, plane);
  code_signs (coder, plane);
}

void
paco_reference_code_raw_string (
    Coder *coder, PacoReferenceRawBit raw_bit, void *string)
{
  unsigned lowest = coder->record.dropped_planes;

  for (unsigned plane = lowest + coder->record.raw_planes; plane-- > lowest;)
    for (unsigned x = 0; x < coder->width; x++)
      for (unsigned y = 0; y < coder->height; y++) {
        bool bit = raw_bit (string, coder->magnitude[y][x] >> plane & 1);

        coder->magnitude[y][x] |= (uint32_t) bit << plane;
      }
  for (unsigned x = 0; x < coder->width; x++)
    for (unsigned y = 0; y < coder->height; y++)
      if (coder->magnitude[y][x] >> lowest != 0
          && coder->sign[y + M][x + M] == 0)
        coder->negative[y][x] = raw_bit (string, coder->negative[y][x]);
}

/* --- decoding --- */

/* The bytes of a block, and the arithmetic decoders that take codewords from them. */
typedef struct
{
  Bytes bytes;
  Codeword decoders[LANES];
  /* The raw string: bits in codewords, and how many were taken of all. */
  bool fill[LANES * 32];
  size_t n_fill, taken;
} BlockBytes;

static bool
decode_symbol (void *symbols, unsigned coder, unsigned row, unsigned context,
    unsigned p, bool unknown)
{
  BlockBytes *block = (BlockBytes *) symbols;

  (void) row;
  (void) context;
  (void) unknown;
  return decode_bit (&block->bytes, &block->decoders[coder], p);
}

unsigned
paco_reference_fill_bits (uint32_t s)
{
  unsigned k = 0;

  while ((uint64_t) 1 << (k + 1) <= (uint64_t) s + 1)
    k++;
  return k;
}

/* Finds the bits of open codewords; false if one holds more. */
static bool
take_fill (BlockBytes *block)
{
  for (unsigned j = 0; j < LANES; j++) {
    unsigned k = paco_reference_fill_bits (block->decoders[j].s);

    if ((uint64_t) block->decoders[j].d >= (uint64_t) 1 << k)
      return false;
    for (unsigned i = 0; i < k; i++)
      block->fill[block->n_fill++] = block->decoders[j].d >> i & 1;
  }
  return true;
}

static bool
take_raw_bit (void *string, bool unknown)
{
  BlockBytes *block = (BlockBytes *) string;
  size_t at = block->taken++;

  (void) unknown;
  if (at < block->n_fill)
    return block->fill[at];
  at -= block->n_fill;
  if (at / 8 >= block->bytes.left) {
    block->bytes.broken = true;
    return false;
  }
  return has_bit (block->bytes.p, (uint32_t) at);
}

/* Says whether the raw string was complete and nothing came after it: the rest of
 * the open codewords and of the last byte must be zeros. */
static bool
ends_well (BlockBytes *block)
{
  size_t all = block->n_fill + 8 * block->bytes.left;
  bool well = !block->bytes.broken
      && all - (block->taken > block->n_fill ? block->taken : block->n_fill)
          < 8;

  while (well && block->taken < all)
    well = !take_raw_bit (block, false);
  return well;
}

static bool
decode_planes (Coder *coder, BlockBytes *block)
{
  const Record *record = &coder->record;
  unsigned lowest = record->dropped_planes + record->raw_planes;

  memset (coder->magnitude, 0, sizeof coder->magnitude);
  memset (coder->negative, 0, sizeof coder->negative);
  coder->code = decode_symbol;
  coder->symbols = block;
  paco_reference_begin_block (coder);
  for (unsigned plane = record->planes;
       plane-- > lowest && !block->bytes.broken;)
    paco_reference_code_plane (coder, plane);
  if (block->bytes.broken)
    return false;
  if (record->cut)
    return ends (&block->bytes);
  if (!take_fill (block))
    return false;
  paco_reference_code_raw_string (coder, take_raw_bit, block);
  return ends_well (block);
}

bool
paco_reference_decode_bytes (
    Coder *coder, const uint8_t *bytes, int32_t *indices)
{
  BlockBytes block;
  bool well;

  memset (indices, 0, coder->width * coder->height * sizeof *indices);
  if (coder->record.planes == 0)
    return coder->record.length == 0;
  memset (&block, 0, sizeof block);
  block.bytes = bytes_of (bytes, coder->record.length);
  well = decode_planes (coder, &block);
  for (unsigned y = 0; well && y < coder->height; y++)
    for (unsigned x = 0; x < coder->width; x++) {
      int32_t magnitude = (int32_t) coder->magnitude[y][x];

      *indices++ = coder->negative[y][x] ? -magnitude : magnitude;
    }
  return well;
}
