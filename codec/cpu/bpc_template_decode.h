/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The decoder of the block coder, which bpc_template.h includes. The bytes may be
 * anything: codewords are read from a copy with zeros behind it, and after every stripe
 * it is checked that none of these zeros was read. */
#pragma once

/* It cannot go on before it knows which coefficients have just become significant. So
 * it first computes the contexts that the next column needs, and no others: those that
 * fresh columns of a side (0, 32) change in the other columns of their row and of the
 * next one, and in the same columns of the next row. */
BPC_INLINE void
decode_stripe (const Coding *coding, LanesDecoder *d, unsigned plane,
    unsigned g, Scan scan, bool full, unsigned sharing)
{
  PacoBpcScratch *s = coding->scratch;
  const LanesWeights *weights = &coding->weights;
  uint64_t *bits = s->plane[plane] + PACO_STRIPE_LINES * g;
  unsigned i = stripe_row (g), end = i + stripe_lines (coding, g);
  LanesRow counts = lanes_row_load (s->counts[g]);
  LanesTables tables;
  Window w = window_begin (s->contexts + i);
  LanesBytes left = lanes_side (window_at (&w), 0);

  lanes_tables (&tables, s->tables, s->densities[g], s->present[g]);
  for (; i < end; i++) {
    uint64_t significant = s->significant[i], fresh, active, row;
    uint64_t refined = refined_columns (scan, significant);
    /* Columns that are significant already, or cannot become so. */
    uint64_t closed = scan == SCAN_REFINEMENT ? UINT64_MAX : significant;
    LanesBytes right = lanes_side (window_at (&w), 32);
    LanesMask ones_left, ones_right, fresh_left, fresh_right;

    active = active_left (coding, scan, i);
    left = lanes_side_contexts (left, lanes_mask ((uint32_t) refined));
    ones_left = lanes_decode (d, lanes_side_probabilities (&tables, left), 0,
        lanes_mask ((uint32_t) active), full, sharing);
    fresh_left = lanes_without (ones_left, lanes_mask ((uint32_t) closed));
    right = lanes_add_columns (right, weights->horizontal, fresh_left, 0);
    left = lanes_add_below (
        weights, lanes_side (window_below (&w), 0), fresh_left);

    active |= (uint64_t) active_right (coding, scan, i, lanes_bits (fresh_left))
        << 32;
    right = lanes_side_contexts (right, lanes_mask (refined >> 32));
    ones_right = lanes_decode (d, lanes_side_probabilities (&tables, right), 0,
        lanes_mask (active >> 32), full, sharing);
    fresh_right = lanes_without (ones_right, lanes_mask (closed >> 32));
    left = lanes_add_columns (left, weights->diagonal, fresh_right, 32);
    row = lanes_bits (ones_left) | (uint64_t) lanes_bits (ones_right) << 32;
    fresh = row & ~closed;

    /* Most lines of a whole row have new columns, and no processor foresees which. */
    if (full || fresh) {
      LanesSpread spread = lanes_spread (weights, fresh_left, fresh_right);

      window_add (&w, &spread);
      counts = lanes_count (counts, fresh_left, fresh_right);
      s->significant[i] = significant | fresh;
    }
    window_move (&w);
    s->fresh[i] = fresh;
    if (scan == SCAN_NEIGHBORS)
      s->coded[i] = active;
    if (scan == SCAN_MERGED)
      *bits++ = row;
    else
      *bits++ |= row;
  }
  window_end (&w);
  lanes_row_store (s->counts[g], counts);
}

BPC_INLINE bool
decode_scan (const Coding *coding, LanesDecoder *state, unsigned plane,
    Scan scan, bool full, unsigned sharing)
{
  LanesDecoder d = *state;

  for (uint32_t stripes = coding->awake; stripes;) {
    decode_stripe (
        coding, &d, plane, next_stripe (&stripes), scan, full, sharing);
    if (d.next > coding->limit)
      return false;
  }
  *state = d;
  return true;
}

#define DECODE_SCAN(name, scan_, full, sharing)                                \
  static __attribute__ ((noinline)) bool name (                                \
      const Coding *coding, LanesDecoder *state, unsigned plane, Scan scan)    \
  {                                                                            \
    return decode_scan (coding, state, plane, scan_, full, sharing);           \
  }

DECODE_SCAN (decode_scan_full_1, SCAN_MERGED, true, 1)
DECODE_SCAN (decode_scan_full_4, SCAN_MERGED, true, 4)
DECODE_SCAN (decode_scan_any_1, scan, false, 1)
DECODE_SCAN (decode_scan_any_4, scan, false, 4)
DECODE_SCAN (decode_scan_any_8, scan, false, 8)

#define DECODE_SIGNS(sharing)                                                  \
  static __attribute__ ((noinline)) bool decode_signs_##sharing (              \
      const Coding *coding, LanesDecoder *state, unsigned side)                \
  {                                                                            \
    return decode_signs (coding, state, side, sharing);                        \
  }

DECODE_SIGNS (1)
DECODE_SIGNS (4)
DECODE_SIGNS (8)

static bool
decode_scan_of (
    const Coding *coding, LanesDecoder *d, unsigned plane, Scan scan)
{
  bool full = scan == SCAN_MERGED && coding->block->width == PACO_BLOCK_WIDTH;

  if (coding->sharing == 8)
    return decode_scan_any_8 (coding, d, plane, scan);
  if (coding->sharing == 4)
    return (full ? decode_scan_full_4 : decode_scan_any_4) (
        coding, d, plane, scan);
  return (full ? decode_scan_full_1 : decode_scan_any_1) (
      coding, d, plane, scan);
}

static bool
decode_signs_of (const Coding *coding, LanesDecoder *d, unsigned plane)
{
  unsigned raw = raw_sides (coding->record, plane);

  for (unsigned k = 0; k < 2; k++) {
    if (raw & 1u << k)
      continue;
    if (!(coding->sharing == 8         ? decode_signs_8 (coding, d, 32 * k)
                : coding->sharing == 4 ? decode_signs_4 (coding, d, 32 * k)
                                       : decode_signs_1 (coding, d, 32 * k)))
      return false;
  }
  return true;
}

/* Does the visit to the stripes. */
static bool
decode_waking (Coding *coding, LanesDecoder *d)
{
  uint32_t sleeping = coding->stripes & ~coding->awake;
  LanesMask active = lanes_mask (sleeping), ones;
  LanesRow p = wake_probabilities (coding);

  if (!sleeping)
    return true;
  ones = coding->sharing == 8 ? lanes_decode (d, p, 0, active, false, 8)
      : coding->sharing == 4  ? lanes_decode (d, p, 0, active, false, 4)
                              : lanes_decode (d, p, 0, active, false, 1);
  coding->awake |= lanes_bits (ones);
  return d->next <= coding->limit;
}

/* Sets the lines that scans leave out to zeros. */
static void
clear_sleeping (const Coding *coding, uint64_t *plane)
{
  uint32_t stripes = coding->block->coding_passes > 1
      ? coding->stripes
      : coding->stripes & ~coding->awake;

  while (stripes)
    memset (plane + PACO_STRIPE_LINES * next_stripe (&stripes), 0,
        PACO_STRIPE_LINES * sizeof *plane);
}

static bool
decode_plane (Coding *coding, LanesDecoder *d, unsigned plane)
{
  uint32_t n_significant = count_significant (coding);

  begin_plane (coding, plane, n_significant);
  if (!decode_waking (coding, d))
    return false;
  find_densities (coding, n_significant);
  clear_sleeping (coding, coding->scratch->plane[plane]);
  switch (coding->block->coding_passes) {
    case 1:
      return decode_scan_of (coding, d, plane, SCAN_MERGED)
          && decode_signs_of (coding, d, plane);
    case 2:
      return decode_scan_of (coding, d, plane, SCAN_REST)
          && decode_signs_of (coding, d, plane)
          && decode_scan_of (coding, d, plane, SCAN_REFINEMENT);
    default:
      return decode_scan_of (coding, d, plane, SCAN_NEIGHBORS)
          && decode_signs_of (coding, d, plane)
          && decode_scan_of (coding, d, plane, SCAN_REFINEMENT)
          && decode_scan_of (coding, d, plane, SCAN_REST)
          && decode_signs_of (coding, d, plane);
  }
}

static bool
decode_planes (Coding *coding, LanesDecoder *d)
{
  const PacoBlockRecord *record = coding->record;
  unsigned lowest = record->dropped_planes + record->raw_planes;

  for (unsigned plane = record->planes; plane-- > lowest;)
    if (!decode_plane (coding, d, plane))
      return false;
  return true;
}

/* --- The raw string --- */

/* Gathers the raw string from the open codewords and the plain bits behind them, and
 * says how many bits it has; *n_fill of these were in codewords. FALSE if a codeword
 * holds too much. */
static bool
gather_string (const Coding *coding, const LanesDecoder *d,
    const uint8_t *plain, size_t n_plain, size_t *n_fill)
{
  unsigned sharing = coding->sharing;
  BitWriter writer = { .at = coding->scratch->string };
  uint32_t size[32], value[32];

  lanes_decoder_end (d, sharing, size, value);
  for (unsigned j = 0; j < PACO_LANES / sharing; j++) {
    unsigned k = 63u - (unsigned) __builtin_clzll (size[j] + UINT64_C (1));

    if (value[j] & ~low_bits (k))
      return false;
    put_bits (&writer, value[j], k);
  }
  *n_fill = writer.bits;
  for (; n_plain >= 8; n_plain -= 8, plain += 8)
    put_bits (&writer, load_le64 (plain), 64);
  for (; n_plain > 0; n_plain--)
    put_bits (&writer, *plain++, 8);
  put_end (&writer);
  return true;
}

static void
get_raw_planes (const Coding *coding, BitReader *reader)
{
  const PacoBlockRecord *record = coding->record;
  PacoBpcScratch *s = coding->scratch;
  unsigned height = coding->block->height;

  for (unsigned n = record->raw_planes; n-- > 0;) {
    memset (s->columns, 0, sizeof s->columns);
    for (unsigned x = 0; x < coding->block->width; x++)
      for (unsigned y = 0; y < height; y += 64)
        s->columns[x][y / 64] = get_bits (reader, MIN (height - y, 64));
    columns_to_rows (s->columns, height, s->plane[record->dropped_planes + n]);
  }
}

/* Reads the signs that were not coded; FALSE if there are fewer than needed. */
static bool
get_raw_signs (const Coding *coding, BitReader *reader, size_t end)
{
  const PacoBlockRecord *record = coding->record;
  PacoBpcScratch *s = coding->scratch;
  unsigned height = coding->block->height;
  uint64_t rows[PACO_MAX_BLOCK_HEIGHT];
  size_t n_signs = 0;

  for (unsigned y = 0; y < height; y++) {
    uint64_t nonzero = s->significant[BPC_MARGIN + y];

    for (unsigned n = 0; n < record->raw_planes; n++)
      nonzero |= s->plane[record->dropped_planes + n][y];
    rows[y] = nonzero & ~s->known[BPC_MARGIN + y];
    n_signs += (size_t) __builtin_popcountll (rows[y]);
  }
  if (n_signs > end - reader->at)
    return false;
  if (n_signs == 0)
    return true;
  rows_to_columns (rows, height, s->columns);
  memset (s->column_signs, 0, sizeof s->column_signs);
  for (unsigned x = 0; x < coding->block->width; x++)
    for (unsigned k = 0; k < (height + 63) / 64; k++) {
      uint64_t mask = s->columns[x][k];

      s->column_signs[x][k] = deposit_bits (
          get_bits (reader, (unsigned) __builtin_popcountll (mask)), mask);
    }
  columns_to_rows (s->column_signs, height, rows);
  for (unsigned y = 0; y < height; y++)
    s->negative[BPC_MARGIN + y] |= rows[y];
  return true;
}

/* Says whether only zeros are left of the string, and no whole byte. */
static bool
ends_well (const BitReader *reader, size_t n_fill, size_t end)
{
  BitReader rest = *reader;

  if (end - MAX (rest.at, n_fill) >= 8)
    return false;
  while (rest.at < end)
    if (get_bits (&rest, (unsigned) MIN (end - rest.at, 64)) != 0)
      return false;
  return true;
}

static bool
decode_string (const Coding *coding, const LanesDecoder *d)
{
  const PacoBlockRecord *record = coding->record;
  const PacoBpcScratch *s = coding->scratch;
  size_t used = (size_t) (d->next - s->input), n_fill, end;
  size_t n = (size_t) coding->block->width * coding->block->height;
  BitReader reader = { .data = s->string };

  if (!gather_string (
          coding, d, s->input + used, record->length - used, &n_fill))
    return false;
  end = n_fill + 8 * (record->length - used);
  if (n * record->raw_planes > end)
    return false;
  get_raw_planes (coding, &reader);
  return get_raw_signs (coding, &reader, end)
      && ends_well (&reader, n_fill, end);
}

/* Says whether a block that was cut has no more bytes than its codewords. */
static bool
ends_with_codewords (const Coding *coding, const LanesDecoder *d)
{
  return d->next == coding->limit;
}

/* --- Planes to coefficients --- */

static void
write_zeros (const PacoBpcBlock *block)
{
  unsigned size = block->narrow ? 2 : 4;
  uint8_t *line = block->coefficients;

  for (unsigned y = 0; y < block->height; y++) {
    memset (line, 0, block->width * size);
    line += block->stride * size;
  }
}

static void
write_coefficients (const Coding *coding)
{
  const PacoBpcBlock *block = coding->block;
  const PacoBlockRecord *record = coding->record;
  const PacoBpcScratch *s = coding->scratch;
  unsigned dropped = record->dropped_planes;
  unsigned planes = record->planes - dropped, n_bytes = (planes + 7) / 8;
  BpcQuantizer q = { .reversible = block->reversible,
    .dropped = dropped,
    .past_caches = LANES_PAST_CACHES && block->past_caches };
  unsigned size = block->narrow ? 2 : 4;
  unsigned point = record->cut
      ? PACO_CUT_RECONSTRUCTION (block->reconstruction, dropped)
      : block->reconstruction;
  uint8_t *line = block->coefficients;
  float scale = block->reversible ? 0.0f
                                  : ldexpf (block->step, (int) dropped - 8);
  float scales[PACO_BLOCK_WIDTH] BPC_ALIGNED;
  float values[PACO_STEP_MAP_EXPONENTS];

  q.middle = (int32_t) (q.reversible ? (1u << dropped) * point / 256 : point);
  q.scales = scales;
  for (unsigned x = 0; x < PACO_BLOCK_WIDTH; x++)
    scales[x] = scale;
  for (unsigned e = 0; e < PACO_STEP_MAP_EXPONENTS; e++)
    values[e] = scale * paco_step_map_scales[e];
  for (unsigned y = 0; y < block->height; y++) {
    LanesRow bytes[3];

    if (!q.past_caches)
      fetch_line_ahead (line, block->stride * size, 64 * size, true);
    if (block->cells && begins_cells (block, y))
      fill_scales (block, y, values, scales);
    for (unsigned k = 0; k < n_bytes; k++) {
      LanesRow row = lanes_row_zero ();

      for (unsigned p = MIN (8 * k + 8, planes); p-- > 8 * k;)
        row = lanes_row_push (row, s->plane[dropped + p][y]);
      bytes[k] = row;
    }
    if (block->narrow)
      lanes_dequantize_narrow (&q, bytes, n_bytes, s->negative[BPC_MARGIN + y],
          (int16_t *) line, block->width);
    else
      lanes_dequantize_row (
          &q, bytes, n_bytes, s->negative[BPC_MARGIN + y], line, block->width);
    line += block->stride * size;
  }
}

static gboolean
decode_block (PacoBpcScratch *scratch, const PacoBpcBlock *block,
    const PacoBlockRecord *record, const uint8_t *bytes)
{
  Coding coding;
  LanesDecoder d = { .next = scratch->input };

  if (record->planes == 0) {
    write_zeros (block);
    return record->length == 0;
  }
  if (record->length > 0)
    memcpy (scratch->input, bytes, record->length);
  memset (scratch->input + record->length, 0, 4 * BPC_STRIPE_CODEWORDS + 128);
  coding_begin (&coding, scratch, block, record);
  memset (scratch->negative, 0,
      (block->height + 2 * BPC_MARGIN) * sizeof (uint64_t));
  coding.limit = scratch->input + record->length;
  if (!decode_planes (&coding, &d)
      || !(record->cut ? ends_with_codewords (&coding, &d)
                       : decode_string (&coding, &d))) {
    write_zeros (block);
    return FALSE;
  }
  write_coefficients (&coding);
  return TRUE;
}
