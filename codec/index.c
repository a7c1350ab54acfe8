/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes and parses the records of the index and cut points (FORMAT.md section 6);
 * index.h says for whom. record.h has the fields of a record. */
#include "index.h"
#include "check.h"
#include "error.h"
#include <zlib.h>

/* Returns the value of a record's field of raw planes. */
static unsigned
raw_planes_field (const PacoBlockRecord *record)
{
  if (record->cut)
    return PACO_CUT_RECORD;
  if (record->raw_planes + record->dropped_planes == record->planes)
    return PACO_ALL_PLANES_RAW;
  return record->raw_planes;
}

static uint8_t *
put16 (uint8_t *out, unsigned value)
{
  *out++ = value & 0xff;
  *out++ = value >> 8;
  return out;
}

static uint8_t *
write_record (const PacoBlockRecord *record, bool block_checks, uint8_t *out)
{
  unsigned raw = raw_planes_field (record);
  bool extension = raw > 0 || record->dropped_planes > 0;
  bool escape = record->length >= PACO_LENGTH_ESCAPE;

  if (record->planes == 0) {
    *out++ = 0;
    return out;
  }
  *out++ = record->planes
      | (record->shared_codewords ? PACO_RECORD_SHARED_CODEWORDS : 0)
      | (record->raw_left_signs ? PACO_RECORD_RAW_LEFT_SIGNS : 0)
      | (extension ? PACO_RECORD_EXTENSION : 0);
  out = put16 (out,
      (escape ? PACO_LENGTH_ESCAPE : record->length)
          | record->set << PACO_LENGTH_BITS);
  if (escape)
    out = put16 (out, record->length);
  if (extension)
    *out++ = raw | record->dropped_planes << 4;
  if (block_checks)
    out = put16 (out, record->check);
  return out;
}

size_t
paco_index_write (const PacoBlockRecord *records, uint32_t n, bool block_checks,
    uint8_t *data)
{
  uint8_t *out = data;

  for (uint32_t i = 0; i < n; i++)
    out = write_record (&records[i], block_checks, out);
  return out - data;
}

/* What is left of the index. */
typedef struct
{
  const uint8_t *data;
  size_t size;
  bool cut; /* more was taken than was there */
} Reader;

static unsigned
take8 (Reader *reader)
{
  if (reader->size == 0) {
    reader->cut = true;
    return 0;
  }
  reader->size--;
  return *reader->data++;
}

static unsigned
take16 (Reader *reader)
{
  unsigned low = take8 (reader);

  return low | take8 (reader) << 8;
}

static bool
parse_length_and_set (Reader *reader, PacoBlockRecord *record)
{
  unsigned word = take16 (reader);

  record->set = word >> PACO_LENGTH_BITS;
  record->length = word & PACO_LENGTH_ESCAPE;
  if (record->length == PACO_LENGTH_ESCAPE) {
    record->length = take16 (reader);
    if (record->length < PACO_LENGTH_ESCAPE)
      return false;
  }
  return record->set < PACO_N_SETS;
}

static bool
parse_extension (Reader *reader, PacoBlockRecord *record)
{
  unsigned byte = take8 (reader), raw = byte & 15;

  record->dropped_planes = byte >> 4;
  if (record->dropped_planes >= record->planes)
    return false;
  record->cut = raw == PACO_CUT_RECORD;
  if (raw == PACO_ALL_PLANES_RAW)
    raw = record->planes - record->dropped_planes;
  record->raw_planes = record->cut ? 0 : raw;
  return record->raw_planes + record->dropped_planes <= record->planes;
}

/* Takes a record; false if it is cut off or contradicts itself. */
static bool
parse_record (Reader *reader, bool block_checks, PacoBlockRecord *record)
{
  unsigned first = take8 (reader);

  *record = (PacoBlockRecord){ .planes = first & PACO_RECORD_PLANES };
  if (record->planes == 0)
    return first == 0 && !reader->cut;
  record->shared_codewords = first & PACO_RECORD_SHARED_CODEWORDS;
  record->raw_left_signs = first & PACO_RECORD_RAW_LEFT_SIGNS;
  if (record->planes > PACO_MAX_PLANES
      || !parse_length_and_set (reader, record))
    return false;
  if (first & PACO_RECORD_EXTENSION && !parse_extension (reader, record))
    return false;
  if (record->raw_left_signs && (record->raw_planes > 0 || record->cut))
    return false;
  if (block_checks)
    record->check = take16 (reader);
  return !reader->cut;
}

gboolean
paco_index_parse (const uint8_t *data, size_t size,
    const PacoGeometry *geometry, bool block_checks, size_t payload_size,
    PacoBlockRecord *records, GError **error)
{
  Reader reader = { data, size, false };
  size_t offset = 0;

  for (uint32_t i = 0; i < geometry->n_blocks; i++) {
    if (!parse_record (&reader, block_checks, &records[i])
        || records[i].length > payload_size - offset)
      return records[i].planes > PACO_MAX_PLANES
          ? paco_fail (error, PACO_ERROR_CORRUPT,
              "block %u of %u of the frame is coded in a way (%u) that this "
              "decoder does not know",
              i, geometry->n_blocks, records[i].planes)
          : paco_fail (error, PACO_ERROR_CORRUPT,
              "the index of the frame is damaged at block %u of %u", i,
              geometry->n_blocks);
    records[i].offset = offset;
    offset += records[i].length;
  }
  if (reader.size != 0 || offset != payload_size)
    return paco_fail (error, PACO_ERROR_CORRUPT,
        "the index of the frame does not match its payload");
  return TRUE;
}

gboolean
paco_index_parse_frame (const uint8_t *data, const PacoHeader *header,
    const PacoGeometry *geometry, PacoBlockRecord *records, GError **error)
{
  const uint8_t *index = data + header->header_size;
  size_t tables = paco_header_tables_size (header);

  if (crc32 (0, index, header->index_size) != header->index_crc)
    return paco_fail (
        error, PACO_ERROR_CORRUPT, "the index of the frame is damaged");
  return paco_index_parse (index + tables, paco_header_records_size (header),
      geometry, header->coding.block_checks, paco_header_payload_size (header),
      records, error);
}

/* --- cut points --- */

size_t
paco_cut_points_write (const PacoBlockRecord *records, const PacoRateCuts *cuts,
    uint32_t n, uint8_t *data)
{
  uint8_t *out = data;

  for (uint32_t i = 0; i < n; i++)
    if (records[i].planes > 0)
      out = paco_rate_write_points (&cuts[i], out);
  return out - data;
}

/* Says whether the block can have these cuts: each leaves less than the one before. */
static bool
are_of_block (const PacoRateCuts *cuts, const PacoBlockRecord *record)
{
  unsigned left = record->length;

  for (unsigned k = 0; k < cuts->n; k++) {
    unsigned bytes = 4u * cuts->codewords[k];

    if (bytes == 0 || bytes >= left || cuts->plane[k] >= record->planes
        || cuts->plane[k] < record->dropped_planes
        || cuts->plane[k] > PACO_MAX_DROPPED_PLANES
        || cuts->worth[k + 1] < cuts->worth[k])
      return false;
    left = bytes;
  }
  return true;
}

gboolean
paco_cut_points_parse (const uint8_t *data, size_t size,
    const PacoBlockRecord *records, uint32_t n, PacoRateCuts *cuts)
{
  for (uint32_t i = 0; i < n; i++) {
    PacoRateCuts *c = &cuts[i];
    unsigned plane;

    *c = (PacoRateCuts){ .zero = records[i].planes == 0 };
    if (c->zero)
      continue;
    if (size == 0)
      return FALSE;
    c->n = *data & PACO_RATE_POINTS_NUMBER;
    plane = *data >> PACO_RATE_POINTS_PLANE_SHIFT;
    if (*data & PACO_RATE_POINTS_UNUSED || size < PACO_RATE_POINTS_BYTES (c->n))
      return FALSE;
    size -= PACO_RATE_POINTS_BYTES (c->n);
    data++;
    for (unsigned k = 0; k < c->n; k++, data += 3) {
      c->plane[k] = (uint8_t) (plane + k);
      c->codewords[k] = (uint16_t) (data[0] | data[1] << 8);
      c->worth[k] = data[2];
    }
    c->worth[c->n] = *data++;
    if (!are_of_block (c, &records[i]))
      return FALSE;
  }
  return size == 0;
}

uint16_t
paco_block_check (const uint8_t *bytes, size_t length)
{
  return paco_check_bytes (bytes, length);
}
