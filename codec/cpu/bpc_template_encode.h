/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The encoder of the block coder, which bpc_template.h includes. */
#pragma once

/* Codewords are written at the end, in no order. This prefetches the memory of those
 * that were reserved, from number n to end. */
BPC_INLINE void
fetch_codewords (const Coding *coding, size_t n, size_t end)
{
  for (; n < end; n += 64 / 4)
    __builtin_prefetch ((const void *) ((uintptr_t) coding->out + 4 * n), 1);
}

/* Scans a stripe: finds all contexts first, then all probabilities, and then codes the
 * symbols. */
BPC_INLINE void
encode_stripe (const Coding *coding, LanesEncoder *e, unsigned plane,
    unsigned g, Scan scan, bool full, unsigned sharing)
{
  PacoBpcScratch *s = coding->scratch;
  const uint64_t *bits = s->plane[plane] + PACO_STRIPE_LINES * g;
  unsigned n = stripe_lines (coding, g), first = stripe_row (g);
  LanesRow rows[PACO_STRIPE_LINES], counts = lanes_row_load (s->counts[g]);
  uint64_t symbols[PACO_STRIPE_LINES], lanes[PACO_STRIPE_LINES];
  Window w = window_begin (s->contexts + first);

  for (unsigned k = 0; k < n; k++) {
    unsigned i = first + k;
    uint64_t significant = s->significant[i], row = bits[k], fresh, active;
    LanesRow contexts;

    active = active_left (coding, scan, i);
    fresh = row & active & ~significant;
    active |= (uint64_t) active_right (coding, scan, i, (uint32_t) fresh) << 32;
    row &= active;
    fresh = scan == SCAN_REFINEMENT ? 0 : row & ~significant;
    symbols[k] = row;
    lanes[k] = active;

    contexts = window_at (&w);
    if (fresh) {
      LanesMask left = lanes_mask ((uint32_t) fresh);
      LanesMask right = lanes_mask (fresh >> 32);
      LanesSpread spread = lanes_spread (&coding->weights, left, right);

      contexts = lanes_row_add (contexts, spread.right);
      window_add (&w, &spread);
      counts = lanes_count (counts, left, right);
      s->significant[i] = significant | fresh;
    }
    rows[k] = lanes_contexts (contexts, refined_columns (scan, significant));
    window_move (&w);
    s->fresh[i] = fresh;
    if (scan == SCAN_NEIGHBORS)
      s->coded[i] = active;
  }
  window_end (&w);
  lanes_row_store (s->counts[g], counts);
  for (unsigned k = n; k < PACO_STRIPE_LINES; k++)
    rows[k] = lanes_row_zero ();
  lanes_probabilities (s->tables, s->densities[g], s->present[g], rows);
  for (unsigned k = 0; k < n; k++) {
    lanes_encode (e, rows[k], 0, lanes_mask ((uint32_t) symbols[k]),
        lanes_mask ((uint32_t) lanes[k]), full, sharing);
    lanes_encode (e, rows[k], 32, lanes_mask (symbols[k] >> 32),
        lanes_mask (lanes[k] >> 32), full, sharing);
  }
}

BPC_INLINE void
encode_scan (const Coding *coding, LanesEncoder *state, unsigned plane,
    Scan scan, bool full, unsigned sharing)
{
  LanesEncoder e = *state;

  for (uint32_t stripes = coding->awake; stripes;) {
    size_t n = e.n;

    encode_stripe (
        coding, &e, plane, next_stripe (&stripes), scan, full, sharing);
    fetch_codewords (coding, n, e.n);
  }
  *state = e;
}

/* There is an instance for the merged scan of wide blocks, and one for all else. */
#define ENCODE_SCAN(name, scan_, full, sharing)                                \
  static __attribute__ ((noinline)) void name (                                \
      const Coding *coding, LanesEncoder *state, unsigned plane, Scan scan)    \
  {                                                                            \
    encode_scan (coding, state, plane, scan_, full, sharing);                  \
  }

ENCODE_SCAN (encode_scan_full_1, SCAN_MERGED, true, 1)
ENCODE_SCAN (encode_scan_full_4, SCAN_MERGED, true, 4)
ENCODE_SCAN (encode_scan_any_1, scan, false, 1)
ENCODE_SCAN (encode_scan_any_4, scan, false, 4)
ENCODE_SCAN (encode_scan_any_8, scan, false, 8)

#define ENCODE_SIGNS(sharing)                                                  \
  static __attribute__ ((noinline)) void encode_signs_##sharing (              \
      const Coding *coding, LanesEncoder *state, unsigned side)                \
  {                                                                            \
    encode_signs (coding, state, side, sharing);                               \
  }

ENCODE_SIGNS (1)
ENCODE_SIGNS (4)
ENCODE_SIGNS (8)

static void
encode_scan_of (
    const Coding *coding, LanesEncoder *e, unsigned plane, Scan scan)
{
  bool full = scan == SCAN_MERGED && coding->block->width == PACO_BLOCK_WIDTH;

  if (coding->sharing == 8)
    encode_scan_any_8 (coding, e, plane, scan);
  else if (coding->sharing == 4)
    (full ? encode_scan_full_4 : encode_scan_any_4) (coding, e, plane, scan);
  else
    (full ? encode_scan_full_1 : encode_scan_any_1) (coding, e, plane, scan);
}

static void
encode_signs_of (const Coding *coding, LanesEncoder *e, unsigned plane)
{
  unsigned raw = raw_sides (coding->record, plane);

  for (unsigned k = 0; k < 2; k++) {
    if (raw & 1u << k)
      continue;
    if (coding->sharing == 8)
      encode_signs_8 (coding, e, 32 * k);
    else if (coding->sharing == 4)
      encode_signs_4 (coding, e, 32 * k);
    else
      encode_signs_1 (coding, e, 32 * k);
  }
}

/* Does the visit to the stripes. */
static void
encode_waking (Coding *coding, LanesEncoder *e, unsigned plane)
{
  uint32_t awake = coding->scratch->awake[plane];
  uint32_t sleeping = coding->stripes & ~coding->awake;
  LanesMask active = lanes_mask (sleeping);
  LanesMask ones = lanes_mask (awake & sleeping);
  LanesRow p = wake_probabilities (coding);

  coding->awake = awake;
  if (!sleeping)
    return;
  if (coding->sharing == 8)
    lanes_encode (e, p, 0, ones, active, false, 8);
  else if (coding->sharing == 4)
    lanes_encode (e, p, 0, ones, active, false, 4);
  else
    lanes_encode (e, p, 0, ones, active, false, 1);
}

static void
encode_plane (
    Coding *coding, LanesEncoder *e, unsigned plane, uint32_t n_significant)
{
  begin_plane (coding, plane, n_significant);
  encode_waking (coding, e, plane);
  find_densities (coding, n_significant);
  switch (coding->block->coding_passes) {
    case 1:
      encode_scan_of (coding, e, plane, SCAN_MERGED);
      break;
    case 2:
      encode_scan_of (coding, e, plane, SCAN_REST);
      encode_signs_of (coding, e, plane);
      encode_scan_of (coding, e, plane, SCAN_REFINEMENT);
      return;
    default:
      encode_scan_of (coding, e, plane, SCAN_NEIGHBORS);
      encode_signs_of (coding, e, plane);
      encode_scan_of (coding, e, plane, SCAN_REFINEMENT);
      encode_scan_of (coding, e, plane, SCAN_REST);
      break;
  }
  encode_signs_of (coding, e, plane);
}

/* --- Coefficients to planes --- */

/* Makes magnitudes with the bits behind the point from coefficients. Returns all of
 * them or-ed. */
static uint32_t
scale_block (PacoBpcScratch *s, const PacoBpcBlock *block)
{
  BpcQuantizer q = { .reversible = block->reversible,
    .scale = block->reversible  ? 0.0f
        : block->multiplier > 0 ? block->scale
                                : ldexpf (1.0f / block->step,
                                    block->fraction_bits - block->lost_planes),
    .multiplier = block->reversible ? 0 : block->multiplier,
    .shift = block->shift + block->lost_planes,
    .narrow = block->multiplier > 0
        ? block->narrow
        : block->fraction_bits == PACO_FRACTION_BITS };
  uint32_t multipliers[PACO_BLOCK_WIDTH] BPC_ALIGNED = { 0 };
  const uint8_t *line = block->coefficients;
  uint32_t all = 0;

  if (block->cells)
    q.multipliers = multipliers;
  for (unsigned y = 0; y < block->height; y++) {
    fetch_line_ahead (line, block->stride * 4, 64 * 4, false);
    if (block->cells && begins_cells (block, y))
      fill_multipliers (block, y, paco_step_map_multipliers, multipliers);
    all |= lanes_quantize_row (
        &q, line, block->width, s->magnitude[y], &s->negative[BPC_MARGIN + y]);
    line += block->stride * 4;
  }
  return all;
}

/* Slices byte k of the magnitudes into planes, as many as there are, without the bits
 * behind the point. */
static void
slice_byte (
    PacoBpcScratch *s, const PacoBpcBlock *block, unsigned k, unsigned bits)
{
  unsigned fraction_bits = block->fraction_bits;
  unsigned end = MIN (8 * k + 8, bits), begin = MAX (8 * k, fraction_bits);

  for (unsigned y = 0; y < block->height; y++) {
    LanesRow row = lanes_row_load (s->magnitude[y][k]);

    for (unsigned p = end; p < 8 * k + 8; p++)
      row = lanes_row_add (row, row);
    for (unsigned p = end; p-- > begin;) {
      s->plane[p - fraction_bits][y] = lanes_row_top_bits (row);
      row = lanes_row_add (row, row);
    }
  }
}

/* Finds which coefficients are rounded up in the lines from `first` to end. */
static void
round_tile (PacoBpcScratch *s, unsigned first, unsigned end)
{
  LanesWeights weights = lanes_weights (&neighbor_weights[PACO_ORIENTATION_LL]);
  Window w;
  unsigned n = end - first;

  memset (s->contexts, 0, (n + 2 * BPC_MARGIN) * sizeof *s->contexts);
  w = window_begin (s->contexts + BPC_MARGIN);
  for (unsigned k = 0; k < n; k++) {
    uint64_t significant = lanes_at_least (
        s->magnitude[first + k], PACO_ROUNDING_SIGNIFICANT);

    if (significant) {
      LanesSpread spread = lanes_spread (&weights,
          lanes_mask ((uint32_t) significant), lanes_mask (significant >> 32));

      window_add (&w, &spread);
    }
    window_move (&w);
  }
  window_end (&w);
  for (unsigned k = 0; k < n; k++)
    s->up[first + k] = lanes_round (
        lanes_row_load (s->contexts[BPC_MARGIN + k]),
        s->magnitude[first + k][0]);
}

/* Rounds the planes by the bits behind the point; there is one plane more
 * afterwards. */
static void
round_planes (PacoBpcScratch *s, const PacoBpcBlock *block, unsigned n_planes)
{
  unsigned height = block->height;

  if (block->fraction_bits == 1)
    for (unsigned y = 0; y < height; y++)
      s->up[y] = lanes_odd (s->magnitude[y][0]);
  else
    for (unsigned y = 0; y < height; y += PACO_ROUNDING_LINES)
      round_tile (s, y, MIN (y + PACO_ROUNDING_LINES, height));
  memset (s->plane[n_planes], 0, height * sizeof (uint64_t));
  for (unsigned p = 0; p <= n_planes; p++) {
    for (unsigned y = 0; y < height; y++) {
      uint64_t plane = s->plane[p][y], up = s->up[y];

      s->plane[p][y] = plane ^ up;
      s->up[y] = plane & up;
    }
  }
}

/* Returns how many coefficients of right columns have their highest bit in a plane.
 * Those that have it in planes above are marked as significant. */
static uint32_t
count_right (const PacoBpcScratch *s, unsigned plane, unsigned height)
{
  uint32_t n = 0;

  for (unsigned y = 0; y < height; y++)
    n += (uint32_t) __builtin_popcount (
        (uint32_t) ((s->plane[plane][y] & ~s->significant[BPC_MARGIN + y])
            >> 32));
  return n;
}

/* Moves planes up that were sliced without the planes that the block loses. */
static void
raise_planes (PacoBpcScratch *s, unsigned n_planes, unsigned lost)
{
  memmove (s->plane[lost], s->plane[0], n_planes * sizeof s->plane[0]);
  memset (s->plane[0], 0, lost * sizeof s->plane[0]);
}

/* Finds which stripes are awake in each plane, and the counts that the policy wants to
 * know. */
static void
count_planes (PacoBpcScratch *s, const PacoBpcBlock *block, unsigned n_planes,
    PacoBlockCounts *counts)
{
  unsigned n_rows = (block->height + PACO_STRIPE_LINES - 1u)
      & ~(PACO_STRIPE_LINES - 1u);
  uint32_t awake = 0, n_above = 0, n_significant;

  memset (counts, 0, sizeof *counts);
  counts->n_coefficients = (uint32_t) block->width * block->height;
  counts->family = block->family;
  counts->orientation = block->orientation;
  memset (s->significant, 0, sizeof s->significant);
  s->awake[n_planes] = 0;
  for (unsigned p = n_planes; p-- > 0;) {
    LanesCount count = { 0 };

    memset (s->plane[p] + block->height, 0,
        (n_rows - block->height) * sizeof (uint64_t));
    if (p == block->dropped_planes)
      counts->n_right = count_right (s, p, block->height);
    for (unsigned y = 0; y < n_rows; y += PACO_STRIPE_LINES)
      if (lanes_count_stripe (&count, s->significant + BPC_MARGIN + y,
              s->plane[p] + y, y % PACO_SET_LINES == 0))
        awake |= 1u << y / PACO_STRIPE_LINES;
    lanes_count_end (&count, &n_significant, &counts->pairs[p]);
    s->awake[p] = awake;
    counts->top[p] = n_significant - n_above;
    n_above = n_significant;
  }
}

/* Quantizes the block and slices its planes. */
static void
slice_block (
    PacoBpcScratch *s, const PacoBpcBlock *block, PacoBlockCounts *counts)
{
  uint32_t all = scale_block (s, block);
  unsigned bits = all ? 32 - (unsigned) __builtin_clz (all) : 0;
  unsigned n_planes = bits - MIN (bits, block->fraction_bits);

  for (unsigned k = 0; 8 * k < bits; k++)
    slice_byte (s, block, k, bits);
  if (block->fraction_bits > 0 && bits > 0)
    round_planes (s, block, n_planes++);
  if (block->lost_planes > 0) {
    raise_planes (s, n_planes, block->lost_planes);
    n_planes += block->lost_planes;
  }
  count_planes (s, block, n_planes, counts);
}

/* --- The raw string --- */

static void
put_raw_planes (const Coding *coding, BitWriter *writer)
{
  const PacoBlockRecord *record = coding->record;
  PacoBpcScratch *s = coding->scratch;
  unsigned height = coding->block->height;

  for (unsigned n = record->raw_planes; n-- > 0;) {
    rows_to_columns (s->plane[record->dropped_planes + n], height, s->columns);
    for (unsigned x = 0; x < coding->block->width; x++)
      for (unsigned y = 0; y < height; y += 64)
        put_bits (writer, s->columns[x][y / 64], MIN (height - y, 64));
  }
}

static void
put_raw_signs (const Coding *coding, BitWriter *writer)
{
  const PacoBlockRecord *record = coding->record;
  PacoBpcScratch *s = coding->scratch;
  unsigned height = coding->block->height;
  uint64_t uncoded[PACO_MAX_BLOCK_HEIGHT], any = 0;

  for (unsigned y = 0; y < height; y++) {
    uint64_t nonzero = s->significant[BPC_MARGIN + y];

    for (unsigned n = 0; n < record->raw_planes; n++)
      nonzero |= s->plane[record->dropped_planes + n][y];
    uncoded[y] = nonzero & ~s->known[BPC_MARGIN + y];
    any |= uncoded[y];
  }
  if (!any)
    return;
  rows_to_columns (uncoded, height, s->columns);
  rows_to_columns (s->negative + BPC_MARGIN, height, s->column_signs);
  for (unsigned x = 0; x < coding->block->width; x++)
    for (unsigned k = 0; k < (height + 63) / 64; k++) {
      uint64_t mask = s->columns[x][k];

      put_bits (writer, extract_bits (s->column_signs[x][k], mask),
          (unsigned) __builtin_popcountll (mask));
    }
}

/* --- Blocks --- */

/* Puts each finished codeword where its coder had reserved it, and fills the
 * open ones from the string. */
static void
write_codewords (const Coding *coding, const LanesEncoder *e, BitReader *string,
    uint8_t *out)
{
  const PacoBpcScratch *s = coding->scratch;
  unsigned sharing = coding->sharing;
  uint32_t size[32], low[32], place[32];

  for (unsigned j = 0; j < 32; j++)
    place[j] = (uint32_t) e->n; /* none yet: written behind the last */
  for (uint32_t i = 0; i < e->n; i++) {
    unsigned j = lanes_coder (s->reserved_by[i], sharing);

    store_le32 (out + 4 * (size_t) place[j], s->finished[i]);
    place[j] = i;
  }
  lanes_encoder_end (e, sharing, size, low);
  for (unsigned j = 0; j < PACO_LANES / sharing; j++) {
    if (size[j] > 0)
      low[j] += (uint32_t) get_bits (
          string, 63u - (unsigned) __builtin_clzll (size[j] + UINT64_C (1)));
    store_le32 (out + 4 * (size_t) place[j], low[j]);
  }
}

/* Codes the planes that are not raw, writes the raw string, and puts the bytes
 * together. FALSE if there would be more bytes than limit. */
static bool
encode_coded (Coding *coding, const PacoBlockCounts *counts, uint8_t *out,
    size_t limit, size_t *size)
{
  const PacoBlockRecord *record = coding->record;
  unsigned lowest = record->dropped_planes + record->raw_planes;
  PacoCutPoints *points = coding->block->cut_points;
  PacoBpcScratch *s = coding->scratch;
  uint32_t n_significant = 0;
  LanesEncoder e = { .finished = s->finished, .reserved_by = s->reserved_by };
  BitWriter writer = { .at = s->string };
  BitReader reader = { .data = s->string };
  size_t plain;

  if (points)
    memset (points, 0, sizeof *points);
  coding->out = out;
  for (unsigned plane = record->planes; plane-- > lowest;) {
    encode_plane (coding, &e, plane, n_significant);
    n_significant += counts->top[plane];
    if (points && !raw_sides (record, plane))
      points->codewords[plane] = (uint16_t) e.n;
    if (4 * e.n > limit)
      return false;
  }
  put_raw_planes (coding, &writer);
  put_raw_signs (coding, &writer);
  put_end (&writer);
  write_codewords (coding, &e, &reader, out);
  plain = writer.bits > reader.at ? (writer.bits - reader.at + 7) / 8 : 0;
  if (4 * e.n + plain > limit)
    return false;
  out += 4 * e.n;
  for (size_t n = 0; n < plain; n += 8)
    store_le64 (out + n, get_bits (&reader, 64));
  *size = 4 * e.n + plain;
  return true;
}

static void
encode_block (PacoBpcScratch *scratch, const PacoBpcBlock *block, uint8_t *out,
    PacoBlockRecord *record)
{
  PacoBlockCounts counts;
  unsigned planes;
  size_t bits, raw_bytes, size;
  Coding coding;

  slice_block (scratch, block, &counts);
  if (block->counts)
    *block->counts = counts;
  paco_policy_block (&counts, block->dropped_planes, block->complexity, record);
  record->length = 0;
  if (record->planes == 0) {
    if (block->cut_points)
      memset (block->cut_points, 0, sizeof *block->cut_points);
    return;
  }

  planes = record->planes - record->dropped_planes;
  bits = (size_t) counts.n_coefficients * planes;
  for (unsigned p = record->dropped_planes; p < record->planes; p++)
    bits += counts.top[p];
  raw_bytes = (bits + 7) / 8;

  coding_begin (&coding, scratch, block, record);
  if (record->raw_planes == planes
      || !encode_coded (&coding, &counts, out, raw_bytes, &size)) {
    record->raw_planes = planes;
    record->raw_left_signs = false;
    coding_begin (&coding, scratch, block, record);
    encode_coded (&coding, &counts, out, raw_bytes, &size);
  }
  record->length = size;
}
