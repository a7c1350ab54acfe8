/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds where subbands and blocks of a frame lie, and reads its index: code tables,
 * records and step map (FORMAT.md sections 4 and 6), for the reference decoder's
 * decode.c. */
#include "parts.h"

/* --- geometry --- */

static uint32_t
ceil_shift (uint32_t a, unsigned n)
{
  return (uint32_t) (((uint64_t) a + (1u << n) - 1) >> n);
}

/* Finds the size of component c in a field when levels are left out. */
static void
component_size (const Header *header, unsigned c, unsigned field,
    unsigned reduce, uint32_t *width, uint32_t *height)
{
  const Component *component = &header->components[c];
  uint32_t lines = ceil_shift (header->height, component->subsampling_y);

  *width = ceil_shift (
      ceil_shift (header->width, component->subsampling_x), reduce);
  if (header->fields)
    lines = (lines + 1 - field) / 2;
  *height = ceil_shift (lines, reduce);
}

/* Adds the subband of a field, component and level. */
static void
add_subband (
    Frame *frame, unsigned f, unsigned c, unsigned level, unsigned orientation)
{
  Subband *subband = &frame->subbands[frame->n_subbands++];
  unsigned levels = frame->header.levels;
  uint32_t low_width, low_height, width, height;

  component_size (&frame->header, c, f, level, &low_width, &low_height);
  component_size (
      &frame->header, c, f, level > 0 ? level - 1 : 0, &width, &height);
  subband->field = (uint8_t) f;
  subband->component = (uint8_t) c;
  subband->level = (uint8_t) level;
  subband->orientation = (uint8_t) orientation;
  subband->entry =
      frame->header.components[c]
          .entries[orientation == 0 ? 0 : 3 * (levels - level) + orientation];
  subband->left = orientation & 1 ? low_width : 0;
  subband->top = orientation & 2 ? low_height : 0;
  subband->width = orientation & 1 ? width - low_width : low_width;
  subband->height = orientation & 2 ? height - low_height : low_height;
  subband->block_height = 32u << (subband->entry >> 14);
  subband->first_block = frame->n_blocks;
  if (subband->width > 0 && subband->height > 0) {
    subband->blocks_x = (subband->width + BLOCK_WIDTH - 1) / BLOCK_WIDTH;
    subband->blocks_y = (subband->height + subband->block_height - 1)
        / subband->block_height;
  }
  frame->n_blocks += subband->blocks_x * subband->blocks_y;
}

static void
add_subbands (Frame *frame, unsigned level, unsigned first, unsigned last)
{
  for (unsigned f = 0; f < frame->n_fields; f++)
    for (unsigned c = 0; c < frame->header.n_components; c++)
      for (unsigned o = first; o <= last; o++)
        add_subband (frame, f, c, level, o);
}

static void
list_subbands (Frame *frame)
{
  unsigned levels = frame->header.levels;

  add_subbands (frame, levels, 0, 0);
  frame->n_blocks_at[levels] = frame->n_blocks;
  for (unsigned level = levels; level > 0; level--) {
    add_subbands (frame, level, 1, 3);
    frame->n_blocks_at[level - 1] = frame->n_blocks;
  }
}

static uint16_t
smaller (uint32_t a, uint32_t b)
{
  return (uint16_t) (a < b ? a : b);
}

static void
list_blocks (Frame *frame)
{
  Codeblock *block = frame->blocks;

  for (uint32_t s = 0; s < frame->n_subbands; s++) {
    const Subband *subband = &frame->subbands[s];

    for (uint32_t k = 0; k < subband->blocks_x * subband->blocks_y; k++) {
      uint32_t x = k % subband->blocks_x * BLOCK_WIDTH;
      uint32_t y = k / subband->blocks_x * subband->block_height;

      block->subband = (uint16_t) s;
      block->x = x;
      block->y = y;
      block->width = smaller (subband->width - x, BLOCK_WIDTH);
      block->height = smaller (subband->height - y, subband->block_height);
      block++;
    }
  }
}

/* --- code tables (FORMAT.md section 6.3) --- */

static bool
unpack_table (const Table *table, const uint8_t *data, uint8_t *used)
{
  uint16_t contexts[256];
  unsigned before = 1;
  Adaptive coder = adaptive_of (data, table->size);

  for (unsigned i = 0; i < 256; i++)
    contexts[i] = 32768;
  set_bit (used, table->first);
  set_bit (used, table->last);
  for (unsigned code = table->first + 1u;
       code < table->last && !coder.bytes.broken; code++) {
    bool bit = adaptive_bit (&coder, &contexts[before]);

    if (bit)
      set_bit (used, code);
    before = (before << 1 | bit) & 255;
  }
  return ends (&coder.bytes);
}

static bool
read_bits (const Table *table, const uint8_t *data, uint8_t *used)
{
  uint32_t span = table->last - table->first + 1u;

  if (table->size != (span + 7) / 8)
    return false;
  for (uint32_t i = 0; i < 8 * table->size; i++)
    if (has_bit (data, i)) {
      if (i >= span)
        return false;
      set_bit (used, table->first + i);
    }
  return true;
}

/* Says whether the table is well, and marks the codes that are used. */
static bool
read_table_codes (const Table *table, const uint8_t *data, uint8_t *used)
{
  uint32_t n = 0;

  if (!(table->form == 1 ? unpack_table : read_bits) (table, data, used))
    return false;
  for (unsigned code = table->first; code <= table->last; code++)
    n += has_bit (used, code);
  return n == table->n_codes && has_bit (used, table->first)
      && has_bit (used, table->last);
}

/* --- records --- */

static bool
read_extension (unsigned byte, Record *record)
{
  unsigned raw = byte & 15;

  record->dropped_planes = (uint8_t) (byte >> 4);
  if (record->dropped_planes >= record->planes)
    return false;
  record->cut = raw == 14;
  if (raw == 15)
    raw = record->planes - record->dropped_planes;
  record->raw_planes = (uint8_t) (record->cut ? 0 : raw);
  return record->raw_planes + record->dropped_planes <= record->planes;
}

static bool
read_record (Bytes *bytes, bool block_checks, Record *record)
{
  unsigned first = take8 (bytes), word;

  record->planes = first & 31;
  if (record->planes == 0)
    return first == 0 && !bytes->broken;
  if (record->planes > 23)
    return false;
  record->shared_codewords = first >> 5 & 1;
  record->raw_left_signs = first >> 6 & 1;
  word = take16 (bytes);
  record->set = (uint8_t) (word >> 13);
  record->length = word & 8191;
  if (record->length == 8191) {
    record->length = take16 (bytes);
    if (record->length < 8191)
      return false;
  }
  if (first >> 7 && !read_extension (take8 (bytes), record))
    return false;
  if (record->raw_left_signs && (record->raw_planes > 0 || record->cut))
    return false;
  if (block_checks)
    record->check = (uint16_t) take16 (bytes);
  return !bytes->broken;
}

/* Says whether the records take just these bytes, and their blocks the payload. */
static bool
read_records (
    Frame *frame, const uint8_t *data, size_t size, uint32_t payload_size)
{
  Bytes bytes = bytes_of (data, size);
  uint32_t offset = 0;

  for (uint32_t i = 0; i < frame->n_blocks; i++) {
    Record *record = &frame->blocks[i].record;

    if (!read_record (&bytes, frame->header.block_checks, record)
        || record->length > payload_size - offset)
      return false;
    record->offset = offset;
    offset += record->length;
  }
  return ends (&bytes) && offset == payload_size;
}

/* --- the step map (FORMAT.md section 6.2) --- */

typedef struct
{
  Adaptive coder;
  uint16_t differs[4], down[4][2], more[4][3];
} MapReader;

static unsigned
distance_of (unsigned a, unsigned b)
{
  return a > b ? a - b : b - a;
}

/* Reads the exponent of a cell from what a, b and c are. */
static unsigned
read_cell (MapReader *reader, unsigned a, unsigned b, unsigned c)
{
  unsigned p = (a + b + 1) >> 1, i = (a + b) % 2, n = 1, m;
  unsigned k = distance_of (a, c) + distance_of (b, c);
  bool down = p == 15;

  k = k < 3 ? k : 3;
  if (!adaptive_bit (&reader->coder, &reader->differs[k]))
    return p;
  if (p > 0 && p < 15)
    down = adaptive_bit (&reader->coder, &reader->down[k][i]);
  m = down ? p : 15 - p;
  while (n < m
      && adaptive_bit (&reader->coder, &reader->more[k][(n < 3 ? n : 3) - 1]))
    n++;
  return down ? p - n : p + n;
}

static void
read_cells (MapReader *reader, uint8_t *cells, uint32_t columns, uint32_t rows)
{
  for (uint32_t y = 0; y < rows && !reader->coder.bytes.broken; y++)
    for (uint32_t x = 0; x < columns; x++) {
      const uint8_t *above = cells + (size_t) (y - 1) * columns + x;
      unsigned a = x > 0 ? cells[(size_t) y * columns + x - 1]
          : y > 0        ? above[0]
                         : 0;
      unsigned b = y > 0 ? above[0] : a;
      unsigned c = x == 0 || y == 0 ? a : above[-1];

      cells[(size_t) y * columns + x] = (uint8_t) read_cell (reader, a, b, c);
    }
}

static bool
read_map (Frame *frame, const uint8_t *data, size_t size, Reason *reason)
{
  uint32_t width, rows[2] = { 0, 0 };
  MapReader reader;

  for (unsigned f = 0; f < frame->n_fields; f++) {
    component_size (&frame->header, 0, f, 0, &width, &rows[f]);
    rows[f] = (rows[f] + 15) / 16;
    frame->cell_columns = (width + 15) / 16;
  }
  frame->first_cell[1] = rows[0] * frame->cell_columns;
  frame->cells = (uint8_t *) new_zeros (
      (uint64_t) (rows[0] + rows[1]) * frame->cell_columns, 1);
  if (!frame->cells)
    return no_memory (reason);
  reader.coder = adaptive_of (data, size);
  for (unsigned k = 0; k < 4; k++) {
    reader.differs[k] = reader.down[k][0] = reader.down[k][1] = 32768;
    reader.more[k][0] = reader.more[k][1] = reader.more[k][2] = 32768;
  }
  for (unsigned f = 0; f < frame->n_fields; f++)
    read_cells (&reader, frame->cells + frame->first_cell[f],
        frame->cell_columns, rows[f]);
  return ends (&reader.coder.bytes)
      || invalid (reason, "the step map of the frame is damaged");
}

/* --- the whole index --- */

static bool
read_tables (Frame *frame, Reason *reason)
{
  const uint8_t *data = frame->index;

  frame->used = (uint8_t (*)[N_CODES / 8])
      new_zeros (frame->header.n_tables, sizeof *frame->used);
  if (!frame->used)
    return no_memory (reason);
  for (unsigned i = 0; i < frame->header.n_tables; i++) {
    if (!read_table_codes (&frame->header.tables[i], data, frame->used[i]))
      return invalid (reason, "a code table of the frame is damaged");
    data += frame->header.tables[i].size;
  }
  return true;
}

/* Finds subbands and blocks of a frame whose header was read, and reads its index. */
static bool
read_index (Frame *frame, Reason *reason)
{
  const Header *header = &frame->header;
  uint32_t tables = 0, records;

  for (unsigned i = 0; i < header->n_tables; i++)
    tables += header->tables[i].size;
  records = header->index_size - tables - header->step_map_size
      - header->cut_points_size;
  if (crc32_of (frame->index, header->index_size) != header->index_crc)
    return invalid (reason, "the index of the frame is damaged");
  list_subbands (frame);
  /* Each block has a byte of the index at least. */
  if (frame->n_blocks > records)
    return invalid (reason, "the index of the frame is too short");
  frame->blocks = (Codeblock *) new_zeros (
      frame->n_blocks, sizeof *frame->blocks);
  if (!frame->blocks)
    return no_memory (reason);
  list_blocks (frame);
  if (!read_records (frame, frame->index + tables, records,
          header->frame_size - header->header_size - header->index_size
              - header->attachment_size))
    return invalid (reason, "the index of the frame is not as it is to be");
  return read_tables (frame, reason)
      && (!header->has_step_map
          || read_map (frame, frame->index + tables + records,
              header->step_map_size, reason));
}
