/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Bitplanes, scans, contexts and signs (FORMAT.md section 7). */
#include "codec/reference/model.h"
#include <string.h>

typedef PacoReferenceCoefficient Coefficient;
typedef PacoReferenceLaneVisit LaneVisit;
typedef PacoReferenceCoder Coder;

static Coefficient *
at (Coder *coder, unsigned x, unsigned y)
{
  return paco_reference_coefficient (coder, x, y);
}

/* --- Contexts --- */

static const int8_t near_offsets[8][2] = { { -1, -1 }, { 0, -1 }, { 1, -1 },
  { -1, 0 }, { 1, 0 }, { -1, 1 }, { 0, 1 }, { 1, 1 } };
static const int8_t ring_offsets[12][2] = { { 0, -2 }, { 0, 2 }, { -2, 0 },
  { 2, 0 }, { -1, -2 }, { -1, 2 }, { 1, -2 }, { 1, 2 }, { -2, -1 }, { -2, 1 },
  { 2, -1 }, { 2, 1 } };

static unsigned
count_significant (Coder *coder, unsigned x, unsigned y,
    const int8_t (*offsets)[2], unsigned n)
{
  unsigned count = 0;

  for (unsigned i = 0; i < n; i++)
    count += at (coder, x + offsets[i][0], y + offsets[i][1])->significant;
  return count;
}

static unsigned
count_near (Coder *coder, unsigned x, unsigned y)
{
  return count_significant (coder, x, y, near_offsets, 8);
}

static unsigned
significance_context (Coder *coder, unsigned x, unsigned y)
{
  unsigned ring = count_significant (coder, x, y, ring_offsets, 12);

  return MIN (3 * count_near (coder, x, y) + ring, 31);
}

static int
sign_of (int value)
{
  return (value > 0) - (value < 0);
}

/* Returns the context of a sign and whether its symbol is inverted. */
static unsigned
sign_context (Coder *coder, unsigned x, unsigned y, bool *inverted)
{
  int h = sign_of (at (coder, x - 1, y)->sign + at (coder, x + 1, y)->sign);
  int v = sign_of (at (coder, x, y - 1)->sign + at (coder, x, y + 1)->sign);

  if (coder->block->orientation == PACO_ORIENTATION_HL) {
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
    return PACO_SIGN_CONTEXT + (v > 0 ? 0 : v == 0 ? 1 : 2);
  return PACO_SIGN_CONTEXT + (v > 0 ? 3 : 4);
}

/* --- Visits --- */

/* Codes the visit's symbols in the order of (step, arithmetic coder). */
static void
code_visit (Coder *coder)
{
  const PacoReferenceBlock *block = coder->block;
  unsigned n_coders = coder->arithmetic.n_coders;

  for (unsigned step = 0; step < coder->lanes_per_coder; step++) {
    for (unsigned number = 0; number < n_coders; number++) {
      LaneVisit *lane = &coder->visit[number * coder->lanes_per_coder + step];
      bool symbol;

      if (!lane->active)
        continue;
      symbol = paco_reference_code_symbol (&coder->arithmetic, number,
          block->set->p[coder->row][lane->context],
          lane->bit != lane->inverted);
      lane->bit = symbol != lane->inverted;
      if (block->counts)
        block->counts->symbols[coder->row][lane->context][symbol]++;
    }
  }
}

typedef enum
{
  SCAN_ALL,           /* the merged scan */
  SCAN_NEIGHBORS,     /* not significant, with significant neighbors */
  SCAN_INSIGNIFICANT, /* not significant and not coded yet */
  SCAN_REFINEMENT,    /* significant when the plane began */
} Scan;

static bool
takes_part (Coder *coder, Scan scan, unsigned x, unsigned y)
{
  const Coefficient *c = at (coder, x, y);

  switch (scan) {
    case SCAN_ALL:
      return true;
    case SCAN_NEIGHBORS:
      return !c->old && count_near (coder, x, y) > 0;
    case SCAN_INSIGNIFICANT:
      return !c->old && !c->coded;
    case SCAN_REFINEMENT:
      return c->old;
  }
  return false;
}

/* What a lane codes in a visit to the coefficient at (x, y). */
static LaneVisit
visit_bit (Coder *coder, Scan scan, unsigned x, unsigned y, unsigned plane)
{
  Coefficient *c = at (coder, x, y);
  LaneVisit lane = { .coefficient = c };

  lane.active = takes_part (coder, scan, x, y);
  lane.context = significance_context (coder, x, y);
  if (c->old)
    lane.context = PACO_REFINEMENT_CONTEXT + lane.context / 8;
  lane.bit = (c->magnitude >> plane) & 1;
  return lane;
}

static void
take_effect (LaneVisit *lane, unsigned plane)
{
  Coefficient *c = lane->coefficient;

  c->coded = true;
  c->magnitude |= (uint32_t) lane->bit << plane;
  if (lane->bit && !c->significant) {
    c->significant = true;
    c->awaits_sign = true;
  }
}

static void
code_scan (Coder *coder, Scan scan, unsigned plane)
{
  for (unsigned y = 0; y < coder->block->height; y++) {
    for (unsigned side = 0; side < 2; side++) {
      memset (coder->visit, 0, sizeof coder->visit);
      for (unsigned x = side; x < coder->block->width; x += 2)
        coder->visit[x / 2] = visit_bit (coder, scan, x, y, plane);
      code_visit (coder);
      for (unsigned t = 0; t < PACO_LANES; t++)
        if (coder->visit[t].active)
          take_effect (&coder->visit[t], plane);
    }
  }
}

/* --- Signs --- */

/* The lane that owns column x visits its next coefficient from line *y on that
 * awaits its sign. */
static LaneVisit
visit_sign (Coder *coder, unsigned x, unsigned *y)
{
  LaneVisit lane = { .active = false };

  while (*y < coder->block->height && !at (coder, x, *y)->awaits_sign)
    (*y)++;
  if (*y < coder->block->height) {
    lane.active = true;
    lane.coefficient = at (coder, x, *y);
    lane.context = sign_context (coder, x, *y, &lane.inverted);
    lane.bit = lane.coefficient->negative;
  }
  return lane;
}

static void
code_signs_of_side (Coder *coder, unsigned side)
{
  unsigned next_line[PACO_LANES] = { 0 };
  bool any;

  do {
    any = false;
    memset (coder->visit, 0, sizeof coder->visit);
    for (unsigned x = side; x < coder->block->width; x += 2) {
      coder->visit[x / 2] = visit_sign (coder, x, &next_line[x / 2]);
      any = any || coder->visit[x / 2].active;
    }
    code_visit (coder);
    for (unsigned t = 0; t < PACO_LANES; t++) {
      Coefficient *c = coder->visit[t].coefficient;

      if (coder->visit[t].active) {
        c->negative = coder->visit[t].bit;
        c->sign = c->negative ? -1 : 1;
        c->awaits_sign = false;
      }
    }
  } while (any);
}

/* The signs of what became significant in the scan before. Those that are raw
 * go without: their coefficients keep sign 0. */
static void
code_signs (Coder *coder, unsigned plane)
{
  const PacoBlockRecord *record = coder->record;
  bool last = plane == record->dropped_planes && record->raw_planes == 0
      && !record->cut;

  if (!(last && record->raw_left_signs))
    code_signs_of_side (coder, 0);
  if (!last)
    code_signs_of_side (coder, 1);
}

/* --- Planes --- */

static void
begin_plane (Coder *coder, unsigned plane)
{
  const PacoReferenceBlock *block = coder->block;
  uint32_t n_significant = 0;

  for (unsigned y = 0; y < block->height; y++) {
    for (unsigned x = 0; x < block->width; x++) {
      Coefficient *c = at (coder, x, y);

      c->old = c->significant;
      c->coded = false;
      n_significant += c->significant;
    }
  }
  coder->row = paco_probability_row (block->orientation, plane,
      paco_density_class (n_significant, block->width * block->height));
}

static void
code_plane (Coder *coder, unsigned plane)
{
  begin_plane (coder, plane);
  switch (coder->block->coding_passes) {
    case 1:
      code_scan (coder, SCAN_ALL, plane);
      code_signs (coder, plane);
      break;
    case 2:
      code_scan (coder, SCAN_INSIGNIFICANT, plane);
      code_signs (coder, plane);
      code_scan (coder, SCAN_REFINEMENT, plane);
      break;
    default:
      code_scan (coder, SCAN_NEIGHBORS, plane);
      code_signs (coder, plane);
      code_scan (coder, SCAN_REFINEMENT, plane);
      code_scan (coder, SCAN_INSIGNIFICANT, plane);
      code_signs (coder, plane);
      break;
  }
}

void
paco_reference_code_planes (Coder *coder)
{
  const PacoBlockRecord *record = coder->record;
  unsigned lowest = record->dropped_planes + record->raw_planes;

  for (unsigned plane = record->planes; plane-- > lowest;) {
    code_plane (coder, plane);
    if (coder->block->cut_points && !coder->arithmetic.decoding
        && (plane > lowest || record->raw_planes > 0))
      coder->block->cut_points->codewords[plane] =
          coder->arithmetic.codewords->len;
  }
}
