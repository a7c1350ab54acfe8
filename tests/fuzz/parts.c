/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Takes frames apart and puts them together (parts.h), and sets the lengths and
 * checks of frames, which mutator.h declares. */
#include "tests/fuzz/parts.h"
#include "codec/bytes.h"
#include "codec/step_map.h"
#include <string.h>
#include <zlib.h>

#define below fuzz_random_below
#define one_in fuzz_random_one_in

/* --- lengths and checks --- */

void
fuzz_repair_frame (uint8_t *data, size_t size)
{
  size_t header_size, index_size;

  if (size < PACO_HEADER_PEEK_SIZE)
    return;
  memcpy (data, PACO_MAGIC, 4);
  data[4] = PACO_VERSION;
  header_size = data[6] | data[7] << 8;
  index_size = paco_get32 (data + 12);
  paco_put32 (data + 8, (uint32_t) size);
  if (header_size < PACO_HEADER_PEEK_SIZE + 4 || header_size > size)
    return;
  if (index_size <= size - header_size)
    paco_put32 (
        data + 16, (uint32_t) crc32 (0, data + header_size, index_size));
  paco_put32 (
      data + header_size - 4, (uint32_t) crc32 (0, data, header_size - 4));
}

/* --- taking apart --- */

void
fuzz_settle_record (PacoBlockRecord *record)
{
  if (record->planes == 0) {
    *record = (PacoBlockRecord){ 0 };
    return;
  }
  record->planes = MIN (record->planes, PACO_MAX_PLANES);
  record->dropped_planes = MIN (
      record->dropped_planes, MIN (record->planes - 1, 15));
  record->raw_planes = MIN (
      record->raw_planes, record->planes - record->dropped_planes);
  if (record->cut)
    record->raw_planes = 0;
  /* 15 in a record says that all planes are raw. */
  if (record->raw_planes > PACO_MAX_RAW_PLANES
      && record->raw_planes + record->dropped_planes != record->planes)
    record->raw_planes = PACO_MAX_RAW_PLANES;
  if (record->raw_planes > 0 || record->cut)
    record->raw_left_signs = false;
  record->set %= PACO_N_SETS;
}

static void
free_blocks (FuzzParts *parts)
{
  for (uint32_t i = 0; parts->blocks && i < parts->geometry->n_blocks; i++)
    g_free (parts->blocks[i]);
  g_free (parts->blocks);
  g_free (parts->records);
  g_free (parts->cuts);
  paco_geometry_free (parts->geometry);
}

void
fuzz_parts_point_to_ancillary (FuzzParts *parts)
{
  parts->header.video.ancillary = (PacoAncillary){ parts->ancillary->data,
    parts->ancillary->len };
}

/* The header will be written where its chunks are now. */
static void
take_ancillary (FuzzParts *parts)
{
  const PacoAncillary *chunks = &parts->header.video.ancillary;

  parts->ancillary = g_byte_array_new ();
  g_byte_array_set_size (
      parts->ancillary, (guint) paco_ancillary_size (chunks));
  if (parts->ancillary->len > 0)
    paco_ancillary_copy (chunks, parts->ancillary->data);
  fuzz_parts_point_to_ancillary (parts);
}

void
fuzz_parts_point_to_attachment (FuzzParts *parts)
{
  parts->header.video.attachment = paco_attachment_of (
      parts->attachment->data, parts->attachment->len);
}

/* Takes the bytes at the end, and returns how many there are. */
static size_t
take_attachment (FuzzParts *parts, const uint8_t *data, size_t size)
{
  const PacoHeader *header = &parts->header;
  size_t most = size - MIN (size, header->header_size);

  most = MIN (header->video.attachment.size, most);
  parts->attachment = g_byte_array_new ();
  g_byte_array_append (parts->attachment, data + size - most, (guint) most);
  fuzz_parts_point_to_attachment (parts);
  return most;
}

/* Takes from the payload what the index says, as far as it goes. */
static void
take_blocks (FuzzParts *parts, const uint8_t *data, size_t size)
{
  PacoHeader *header = &parts->header;
  uint32_t n = parts->geometry->n_blocks;
  size_t start = MIN ((size_t) header->header_size + header->index_size, size);
  size_t payload = size - start, offset = 0, records_size, cuts_at, map_size;
  size_t tables = paco_header_tables_size (header), at = header->header_size;

  parts->records = g_new0 (PacoBlockRecord, n);
  parts->cuts = g_new0 (PacoRateCuts, n);
  parts->blocks = g_new0 (uint8_t *, n);
  records_size = start - header->header_size;
  parts->tables = g_malloc0 (tables + 1);
  memcpy (parts->tables, data + at, MIN (tables, records_size));
  at += MIN (tables, records_size);
  records_size -= MIN (tables, records_size);
  records_size -= MIN (header->cut_points_size, records_size);
  cuts_at = at + records_size;
  map_size = MIN (header->step_map_size, records_size);
  records_size -= map_size;
  parts->map = g_byte_array_new ();
  g_byte_array_append (parts->map, data + at + records_size, (guint) map_size);
  paco_index_parse (data + at, records_size, parts->geometry,
      header->coding.block_checks, payload, parts->records, NULL);
  /* Where that fails, others are drawn when the frame is put together. */
  if (header->coding.cut_points)
    paco_cut_points_parse (
        data + cuts_at, start - cuts_at, parts->records, n, parts->cuts);
  for (uint32_t i = 0; i < n; i++) {
    PacoBlockRecord *record = &parts->records[i];
    size_t there;

    fuzz_settle_record (record);
    if (record->length == 0)
      continue;
    parts->blocks[i] = g_malloc0 (record->length);
    there = MIN (record->length, payload - MIN (offset, payload));
    memcpy (parts->blocks[i], data + start + offset, there);
    offset = MIN (offset + record->length, payload);
  }
}

bool
fuzz_parts_take (FuzzParts *parts, const uint8_t *data, size_t size)
{
  if (!paco_header_parse (data, size, &parts->header, &parts->set, NULL)
      || paco_picture_samples (&parts->header.picture) > parts->max_samples)
    return false;
  parts->geometry = paco_geometry_new (
      &parts->header.picture, &parts->header.coding);
  take_ancillary (parts);
  size -= take_attachment (parts, data, size);
  take_blocks (parts, data, size);
  return true;
}

void
fuzz_parts_clear (FuzzParts *parts)
{
  g_free (parts->tables);
  free_blocks (parts);
  g_byte_array_unref (parts->map);
  g_byte_array_unref (parts->ancillary);
  g_byte_array_unref (parts->attachment);
}

void
fuzz_parts_regroup (FuzzParts *parts)
{
  FuzzParts old = *parts;
  uint32_t n;

  parts->geometry = paco_geometry_new (
      &parts->header.picture, &parts->header.coding);
  n = parts->geometry->n_blocks;
  parts->records = g_new0 (PacoBlockRecord, n);
  parts->cuts = g_new0 (PacoRateCuts, n);
  parts->blocks = g_new0 (uint8_t *, n);
  for (uint32_t i = 0; i < n && old.geometry->n_blocks > 0; i++) {
    uint32_t from = i % old.geometry->n_blocks;

    parts->records[i] = old.records[from];
    parts->cuts[i] = old.cuts[from];
    parts->blocks[i] = g_memdup2 (old.blocks[from], old.records[from].length);
  }
  free_blocks (&old);
}

/* --- putting together --- */

PacoRateCuts
fuzz_draw_cuts (FuzzRandom *random, const PacoBlockRecord *record)
{
  PacoRateCuts cuts = { .zero = record->planes == 0 };
  unsigned first = record->dropped_planes, left = record->length / 4u;
  unsigned last = MIN (record->planes - 1, PACO_MAX_DROPPED_PLANES), worth;

  if (cuts.zero)
    return cuts;
  first += below (random, last - first + 1);
  cuts.worth[0] = (uint8_t) below (random, PACO_RATE_WORTHS);
  for (unsigned n = below (random, PACO_RATE_MAX_CUTS + 1);
       cuts.n < n && first + cuts.n <= last && left > 0;) {
    left = one_in (random, 8) ? left : 1 + below (random, left);
    cuts.plane[cuts.n] = (uint8_t) (first + cuts.n);
    cuts.codewords[cuts.n] = (uint16_t) left;
    worth = cuts.worth[cuts.n] + below (random, 40);
    cuts.worth[cuts.n + 1] = (uint8_t) MIN (worth, PACO_RATE_WORTHS - 1);
    cuts.n++;
  }
  return cuts;
}

/* Draws the cut points of blocks that have none, or have become others; of some it
 * leaves those that cannot be. */
static void
settle_cuts (FuzzParts *parts)
{
  bool strict = !one_in (parts->random, 16);

  for (uint32_t i = 0; i < parts->geometry->n_blocks; i++) {
    const PacoBlockRecord *record = &parts->records[i];
    PacoRateCuts *cuts = &parts->cuts[i], parsed;
    uint8_t bytes[PACO_RATE_POINTS_BYTES (PACO_RATE_MAX_CUTS)];
    size_t size = paco_cut_points_write (record, cuts, 1, bytes);

    if (strict && !paco_cut_points_parse (bytes, size, record, 1, &parsed))
      *cuts = fuzz_draw_cuts (parts->random, record);
  }
}

/* Says whether it is a map of this geometry. */
static bool
is_map (const GByteArray *map, const PacoGeometry *geometry)
{
  g_autofree uint8_t *cells = g_malloc (paco_step_map_n_cells (geometry));
  const PacoHeader header = { .index_size = map->len,
    .step_map_size = map->len };

  return map->len > 0
      && paco_step_map_parse_frame (map->data, &header, geometry, cells, NULL);
}

/* Draws a step map if there is none, or the picture has become another one; of some
 * frames it leaves bytes that are none. */
static void
settle_map (FuzzParts *parts)
{
  PacoHeader *header = &parts->header;
  uint32_t n = paco_step_map_n_cells (parts->geometry);
  g_autofree uint8_t *cells = g_malloc (n);

  if (!header->coding.step_map) {
    g_byte_array_set_size (parts->map, 0);
  } else if (!one_in (parts->random, 16)
      && !is_map (parts->map, parts->geometry)) {
    header->coding.step_map_halved &= (1u << header->picture.n_components) - 1;
    for (uint32_t i = 0; i < n; i++)
      cells[i] = (uint8_t) below (parts->random, PACO_STEP_MAP_EXPONENTS);
    g_byte_array_set_size (
        parts->map, (guint) paco_step_map_max_size (parts->geometry));
    g_byte_array_set_size (parts->map,
        (guint) paco_step_map_write (cells, parts->geometry, parts->map->data));
  }
}

/* Empties blocks from the end until the frame fits into capacity. */
static void
fit (FuzzParts *parts, size_t capacity)
{
  uint32_t n = parts->geometry->n_blocks;
  size_t size = paco_header_overhead (&parts->header)
      + PACO_MAX_INDEX_SIZE ((size_t) n) + parts->map->len
      + (parts->header.coding.cut_points ? PACO_MAX_CUT_POINTS_SIZE (n) : 0);

  for (uint32_t i = 0; i < n; i++)
    size += parts->records[i].length;
  for (uint32_t i = n; i-- > 0 && size > capacity;) {
    size -= parts->records[i].length;
    parts->records[i] = (PacoBlockRecord){ 0 };
  }
}

size_t
fuzz_parts_put (FuzzParts *parts, uint8_t *data, size_t capacity)
{
  PacoHeader *header = &parts->header;
  uint32_t n = parts->geometry->n_blocks;
  size_t tables = paco_header_tables_size (header);
  g_autofree uint8_t *index = NULL;
  size_t size;

  settle_map (parts);
  index = g_malloc (tables + PACO_MAX_INDEX_SIZE ((size_t) n) + parts->map->len
      + PACO_MAX_CUT_POINTS_SIZE (n) + 1);
  fit (parts, capacity);
  for (uint32_t i = 0; i < n; i++)
    parts->records[i].check = (uint16_t) crc32 (
        0, parts->blocks[i], parts->records[i].length);
  if (header->coding.block_checks && n > 0 && one_in (parts->random, 8))
    parts->records[below (parts->random, n)].check ^= 1;
  memcpy (index, parts->tables, tables);
  if (tables > 0 && one_in (parts->random, 8))
    index[below (parts->random, (uint32_t) tables)] ^= 1;
  header->index_size = (uint32_t) (tables
      + paco_index_write (
          parts->records, n, header->coding.block_checks, index + tables));
  if (parts->map->len > 0)
    memcpy (index + header->index_size, parts->map->data, parts->map->len);
  header->step_map_size = parts->map->len;
  header->index_size += header->step_map_size;
  header->cut_points_size = 0;
  if (header->coding.cut_points) {
    settle_cuts (parts);
    header->cut_points_size = (uint32_t) paco_cut_points_write (
        parts->records, parts->cuts, n, index + header->index_size);
    header->index_size += header->cut_points_size;
  }
  size = paco_header_overhead (header) + header->index_size;
  for (uint32_t i = 0; i < n; i++)
    size += parts->records[i].length;
  if (size <= capacity && paco_header_size (header) <= UINT16_MAX) {
    uint8_t *at = data + paco_header_write (header, data);

    memcpy (at, index, header->index_size);
    at += header->index_size;
    for (uint32_t i = 0; i < n; i++) {
      if (parts->records[i].length > 0)
        memcpy (at, parts->blocks[i], parts->records[i].length);
      at += parts->records[i].length;
    }
    paco_attachment_copy (&header->video.attachment, at);
    fuzz_repair_frame (data, size);
  } else {
    size = 0;
  }
  return size;
}
