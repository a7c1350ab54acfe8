/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writing and parsing the records of the index (FORMAT.md section 6). */
#include "index.h"
#include "error.h"

enum
{
  RECORD_PLANES = 0x1f,
  RECORD_SHARED_CODEWORDS = 1 << 5,
  RECORD_RAW_LEFT_SIGNS = 1 << 6,
  RECORD_EXTENSION = 1 << 7,
};

size_t
paco_index_write (const PacoBlockRecord *records, uint32_t n, bool block_checks,
    uint8_t *data)
{
  uint8_t *out = data;

  for (const PacoBlockRecord *r = records; r < records + n; r++) {
    bool extension = r->raw_planes > 0 || r->dropped_planes > 0 || r->cut;
    unsigned raw = r->cut ? PACO_CUT_RECORD : r->raw_planes;

    if (r->planes == 0) {
      *out++ = 0;
      continue;
    }
    if (r->raw_planes + r->dropped_planes == r->planes)
      raw = PACO_ALL_PLANES_RAW;
    *out++ = r->planes | (r->shared_codewords ? RECORD_SHARED_CODEWORDS : 0)
        | (r->raw_left_signs ? RECORD_RAW_LEFT_SIGNS : 0)
        | (extension ? RECORD_EXTENSION : 0);
    *out++ = r->length & 0xff;
    *out++ = r->length >> 8;
    if (extension)
      *out++ = raw | r->dropped_planes << 4;
    if (block_checks) {
      *out++ = r->check & 0xff;
      *out++ = r->check >> 8;
    }
  }
  return out - data;
}

/* Parses the record at data, of which `size` bytes are there; returns its
 * bytes, 0 if it is cut or contradicts itself. */
static size_t
parse_record (const uint8_t *data, size_t size, bool block_checks,
    PacoBlockRecord *record)
{
  uint8_t first = data[0];
  size_t bytes = 1;

  *record = (PacoBlockRecord){ .planes = first & RECORD_PLANES };
  if (record->planes == 0)
    return first == 0 ? 1 : 0;
  if (record->planes > PACO_MAX_PLANES)
    return 0;
  bytes += 2 + (first & RECORD_EXTENSION ? 1 : 0) + (block_checks ? 2 : 0);
  if (bytes > size)
    return 0;
  record->shared_codewords = first & RECORD_SHARED_CODEWORDS;
  record->raw_left_signs = first & RECORD_RAW_LEFT_SIGNS;
  record->length = data[1] | data[2] << 8;
  if (first & RECORD_EXTENSION) {
    record->raw_planes = data[3] & 15;
    record->dropped_planes = data[3] >> 4;
    if (record->dropped_planes >= record->planes)
      return 0;
    record->cut = record->raw_planes == PACO_CUT_RECORD;
    if (record->cut)
      record->raw_planes = 0;
    else if (record->raw_planes == PACO_ALL_PLANES_RAW)
      record->raw_planes = record->planes - record->dropped_planes;
    if (record->raw_planes + record->dropped_planes > record->planes)
      return 0;
  }
  if (record->raw_left_signs && (record->raw_planes > 0 || record->cut))
    return 0;
  if (block_checks)
    record->check = data[bytes - 2] | data[bytes - 1] << 8;
  return bytes;
}

gboolean
paco_index_parse (const uint8_t *data, size_t size,
    const PacoGeometry *geometry, bool block_checks, size_t payload_size,
    PacoBlockRecord *records, GError **error)
{
  size_t at = 0, offset = 0;

  for (uint32_t i = 0; i < geometry->n_blocks; i++) {
    size_t bytes = 0;

    if (at < size)
      bytes = parse_record (data + at, size - at, block_checks, &records[i]);
    if (bytes == 0 || records[i].length > payload_size - offset) {
      g_set_error (error, PACO_ERROR, PACO_ERROR_CORRUPT,
          "the index of the frame is damaged at block %u of %u", i,
          geometry->n_blocks);
      return FALSE;
    }
    records[i].offset = offset;
    offset += records[i].length;
    at += bytes;
  }
  if (at != size || offset != payload_size) {
    g_set_error_literal (error, PACO_ERROR, PACO_ERROR_CORRUPT,
        "the index of the frame does not match its payload");
    return FALSE;
  }
  return TRUE;
}
