/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Bitplanes, stripes, scans, contexts and signs of the block coder (FORMAT.md
 * section 7); model.h says how encoder and decoder use it. */
#include "codec/reference/model.h"
#include "codec/density.h"
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

/* Significant coefficients at these places around one. */
typedef struct
{
  unsigned horizontal, vertical, diagonal; /* their sum is near */
  unsigned horizontal_2, vertical_2, knight;
} Neighbors;

static unsigned
count_at (Coder *coder, unsigned x, unsigned y, unsigned dx, unsigned dy)
{
  unsigned count = at (coder, x + dx, y + dy)->significant
      + at (coder, x - dx, y - dy)->significant;

  if (dx > 0 && dy > 0)
    count += at (coder, x + dx, y - dy)->significant
        + at (coder, x - dx, y + dy)->significant;
  return count;
}

static Neighbors
count_neighbors (Coder *coder, unsigned x, unsigned y)
{
  return (Neighbors){
    .horizontal = count_at (coder, x, y, 1, 0),
    .vertical = count_at (coder, x, y, 0, 1),
    .diagonal = count_at (coder, x, y, 1, 1),
    .horizontal_2 = count_at (coder, x, y, 2, 0),
    .vertical_2 = count_at (coder, x, y, 0, 2),
    .knight = count_at (coder, x, y, 1, 2) + count_at (coder, x, y, 2, 1),
  };
}

static unsigned
significance_context (Coder *coder, unsigned x, unsigned y)
{
  static const uint8_t weights[4][6] = PACO_NEIGHBOR_WEIGHTS;
  const uint8_t *weight = weights[coder->block->orientation];
  Neighbors n = count_neighbors (coder, x, y);

  return weight[0] * n.horizontal + weight[1] * n.vertical
      + weight[2] * n.diagonal + weight[3] * n.horizontal_2
      + weight[4] * n.vertical_2 + weight[5] * n.knight;
}

static bool
is_near (Coder *coder, unsigned x, unsigned y)
{
  Neighbors n = count_neighbors (coder, x, y);

  return n.horizontal + n.vertical + n.diagonal > 0;
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
          coder->set->p[lane->row][lane->context], lane->bit != lane->inverted);
      lane->bit = symbol != lane->inverted;
      if (block->counts)
        block->counts->symbols[lane->row][lane->context][symbol]++;
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
      return !c->old && is_near (coder, x, y);
    case SCAN_INSIGNIFICANT:
      return !c->old && !c->coded;
    case SCAN_REFINEMENT:
      return c->old;
  }
  return false;
}

/* Returns what a lane codes in a visit to the coefficient at (x, y). */
static LaneVisit
visit_bit (Coder *coder, Scan scan, unsigned x, unsigned y, unsigned plane)
{
  Coefficient *c = at (coder, x, y);
  LaneVisit lane = { .coefficient = c };

  lane.active = takes_part (coder, scan, x, y);
  lane.row = coder->plane_row
      + coder->local_density[y / PACO_STRIPE_LINES][x / 2];
  lane.context = significance_context (coder, x, y);
  if (c->old)
    lane.context = PACO_REFINEMENT_CONTEXT
        + (lane.context >> PACO_REFINEMENT_SHIFT);
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
      if (!coder->awake[y / PACO_STRIPE_LINES])
        continue;
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

/* Returns the visit of the lane of column x to its next coefficient, from line *y
 * on, that awaits its sign. */
static LaneVisit
visit_sign (Coder *coder, unsigned x, unsigned *y)
{
  LaneVisit lane = { .active = false };

  while (*y < coder->block->height && !at (coder, x, *y)->awaits_sign)
    (*y)++;
  if (*y < coder->block->height) {
    lane.active = true;
    lane.coefficient = at (coder, x, *y);
    lane.row = coder->plane_row + coder->block_density;
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

/* Codes the signs of what became significant in the scan before. Signs that are raw
 * are left out; their coefficients keep sign 0. */
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

/* --- Stripes --- */

static unsigned
n_stripes (const Coder *coder)
{
  return (coder->block->height + PACO_STRIPE_LINES - 1) / PACO_STRIPE_LINES;
}

/* Says whether a coefficient of the stripe has a 1 in the plane. */
static bool
has_ones (Coder *coder, unsigned stripe, unsigned plane)
{
  unsigned end = (stripe + 1) * PACO_STRIPE_LINES;

  for (unsigned y = stripe * PACO_STRIPE_LINES;
       y < end && y < coder->block->height; y++)
    for (unsigned x = 0; x < coder->block->width; x++)
      if ((at (coder, x, y)->magnitude >> plane) & 1)
        return true;
  return false;
}

static void
code_waking_stripes (Coder *coder, unsigned plane)
{
  unsigned n = n_stripes (coder);

  memset (coder->visit, 0, sizeof coder->visit);
  for (unsigned g = 0; g < n; g++) {
    LaneVisit *lane = &coder->visit[g];

    lane->active = !coder->awake[g];
    lane->row = coder->plane_row + coder->block_density;
    lane->context = PACO_WAKE_CONTEXT + (g > 0 && coder->awake[g - 1])
        + (g + 1 < n && coder->awake[g + 1]);
    lane->bit = has_ones (coder, g, plane);
  }
  code_visit (coder);
  for (unsigned g = 0; g < n; g++)
    if (coder->visit[g].active)
      coder->awake[g] = coder->visit[g].bit;
}

/* --- Density --- */

/* u(t, g): how many coefficients of a lane's two columns are significant in a
 * stripe. The first or the last stripe takes the place of those outside of the
 * block. */
static unsigned
count_in_stripe (Coder *coder, unsigned lane, int stripe)
{
  int inside = CLAMP (stripe, 0, (int) n_stripes (coder) - 1);
  unsigned top = (unsigned) inside * PACO_STRIPE_LINES, count = 0;

  for (unsigned y = top; y < top + PACO_STRIPE_LINES; y++)
    for (unsigned x = 2 * lane; x < 2 * lane + 2; x++)
      count += y < coder->block->height && at (coder, x, y)->significant;
  return count;
}

/* w(t, g) */
static unsigned
count_around_stripe (Coder *coder, unsigned lane, int stripe)
{
  return count_in_stripe (coder, lane, stripe - 1)
      + 2 * count_in_stripe (coder, lane, stripe)
      + count_in_stripe (coder, lane, stripe + 1);
}

static void
find_densities (Coder *coder, uint32_t n_significant)
{
  uint32_t n = coder->block->width * coder->block->height;
  unsigned n_lanes = (coder->block->width + 1) / 2;
  unsigned of_block = paco_density_of_block (n_significant, n);

  coder->block_density = paco_density_class (n_significant, n);
  for (unsigned g = 0; g < n_stripes (coder); g++) {
    unsigned w[PACO_LANES];

    for (unsigned t = 0; t < n_lanes; t++)
      w[t] = count_around_stripe (coder, t, (int) g);
    for (unsigned t = 0; t < n_lanes; t++) {
      unsigned before = w[t > 0 ? t - 1 : t];
      unsigned after = w[t + 1 < n_lanes ? t + 1 : t];

      coder->local_density[g][t] = n_significant == 0
          ? 0
          : paco_local_density_class (before + w[t] + after + of_block);
    }
  }
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
  coder->plane_row = PACO_PLANE_ROW (block->orientation, plane);
  find_densities (coder, n_significant);
}

static void
code_plane (Coder *coder, unsigned plane)
{
  begin_plane (coder, plane);
  code_waking_stripes (coder, plane);
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

/* --- arithmetic coders and their codewords (FORMAT.md sections 7.2 and 7.6) --- */

#define CODEWORD_BYTES 4

void
paco_reference_arithmetic_init_encoder (
    PacoReferenceArithmeticCoders *coders, unsigned n_coders)
{
  memset (coders, 0, sizeof *coders);
  coders->n_coders = n_coders;
  coders->codewords = g_array_new (FALSE, FALSE, sizeof (uint32_t));
}

void
paco_reference_arithmetic_init_decoder (PacoReferenceArithmeticCoders *coders,
    unsigned n_coders, const uint8_t *bytes, size_t size)
{
  memset (coders, 0, sizeof *coders);
  coders->decoding = true;
  coders->n_coders = n_coders;
  coders->bytes = bytes;
  coders->size = size;
}

void
paco_reference_arithmetic_clear (PacoReferenceArithmeticCoders *coders)
{
  if (coders->codewords)
    g_array_unref (coders->codewords);
  coders->codewords = NULL;
}

/* Reserves the next codeword for a coder that has none. */
static void
reserve_codeword (
    PacoReferenceArithmeticCoders *coders, PacoReferenceArithmeticCoder *coder)
{
  coder->s = UINT32_MAX;
  coder->value = 0;
  if (!coders->decoding) {
    uint32_t unknown_yet = 0;

    coder->codeword = coders->codewords->len;
    g_array_append_val (coders->codewords, unknown_yet);
  } else if (coders->size - coders->used < CODEWORD_BYTES) {
    coders->broken = true;
  } else {
    for (unsigned i = 0; i < CODEWORD_BYTES; i++)
      coder->value |= (uint32_t) coders->bytes[coders->used++] << (8 * i);
  }
}

bool
paco_reference_code_symbol (PacoReferenceArithmeticCoders *coders,
    unsigned number, unsigned p, bool bit)
{
  PacoReferenceArithmeticCoder *coder = &coders->coders[number];
  uint32_t t;

  if (coder->s == 0)
    reserve_codeword (coders, coder);

  t = (uint32_t) (((uint64_t) coder->s * p) >> 8);
  if (coders->decoding)
    bit = coder->value > t;
  if (!bit) {
    coder->s = t;
  } else {
    coder->s -= t + 1;
    coder->value += coders->decoding ? -(t + 1) : t + 1;
  }

  if (!coders->decoding && coder->s == 0)
    g_array_index (coders->codewords, uint32_t, coder->codeword) = coder->value;
  return bit;
}

/* Returns how many bits of the raw string an open codeword takes: the integer part of
 * log2 (S + 1). */
static unsigned
fill_bits (const PacoReferenceArithmeticCoder *coder)
{
  unsigned k = 0;

  while ((uint64_t) 1 << (k + 1) <= (uint64_t) coder->s + 1)
    k++;
  return k;
}

void
paco_reference_finish_encoder (PacoReferenceArithmeticCoders *coders,
    const PacoReferenceBits *bits, GByteArray *out)
{
  guint taken = 0;

  for (unsigned j = 0; j < coders->n_coders; j++) {
    PacoReferenceArithmeticCoder *coder = &coders->coders[j];
    uint32_t x = 0;

    if (coder->s == 0)
      continue;
    for (unsigned i = 0; i < fill_bits (coder) && taken < bits->len; i++)
      x |= (uint32_t) bits->data[taken++] << i;
    g_array_index (coders->codewords, uint32_t, coder->codeword) = coder->value
        + x;
  }

  for (guint i = 0; i < coders->codewords->len; i++) {
    uint32_t codeword = GUINT32_TO_LE (
        g_array_index (coders->codewords, uint32_t, i));

    g_byte_array_append (out, (const guint8 *) &codeword, CODEWORD_BYTES);
  }

  while (taken < bits->len) {
    uint8_t byte = 0;

    for (unsigned i = 0; i < 8 && taken < bits->len; i++)
      byte |= bits->data[taken++] << i;
    g_byte_array_append (out, &byte, 1);
  }
}

static void
append_bit (PacoReferenceBits *bits, uint8_t bit)
{
  bit &= 1;
  g_byte_array_append (bits, &bit, 1);
}

PacoReferenceBits *
paco_reference_finish_decoder (
    PacoReferenceArithmeticCoders *coders, size_t *n_fill)
{
  PacoReferenceBits *bits = g_byte_array_new ();

  for (unsigned j = 0; j < coders->n_coders; j++) {
    const PacoReferenceArithmeticCoder *coder = &coders->coders[j];
    unsigned k = fill_bits (coder);

    if ((uint64_t) coder->value >= (uint64_t) 1 << k) {
      g_byte_array_unref (bits);
      return NULL;
    }
    for (unsigned i = 0; i < k; i++)
      append_bit (bits, coder->value >> i);
  }
  *n_fill = bits->len;

  for (size_t at = coders->used; at < coders->size; at++)
    for (unsigned i = 0; i < 8; i++)
      append_bit (bits, coders->bytes[at] >> i);
  return bits;
}
