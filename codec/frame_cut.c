/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes a coded frame smaller; frame_cut.h says for whom. It parses header, index
 * and cut points, lets rate_control.c choose what the blocks lose, and writes the frame
 * again. */
#include "frame_cut.h"
#include "check.h"
#include "cut.h"
#include "index.h"
#include "error.h"
#include "header.h"
#include "rate_control.h"
#include <string.h>
#include <zlib.h>

typedef struct
{
  PacoHeader header;
  PacoProbabilitySet carried_set;
  PacoGeometry *geometry;
  PacoBlockRecord *records;
  PacoRateCuts *cuts;
  const uint8_t *payload;
  /* Of the index, what stays as it is: the code tables, which it begins with, and the step
   * map behind the records. */
  const uint8_t *code_tables, *map;
  PacoAttachment attachment;
} Frame;

static gboolean
corrupt (GError **error)
{
  return paco_fail (
      error, PACO_ERROR_CORRUPT, "the index of the frame is damaged");
}

static gboolean
parse (Frame *frame, const uint8_t *data, size_t size, GError **error)
{
  PacoHeader *header = &frame->header;
  const uint8_t *index;
  size_t records_size;
  uint32_t n;

  if (!paco_header_parse_frame (data, size, header, &frame->carried_set, error))
    return FALSE;
  frame->code_tables = data + header->header_size;
  index = frame->code_tables + paco_header_tables_size (header);
  records_size = paco_header_records_size (header);
  frame->map = index + records_size;
  frame->payload = frame->code_tables + header->index_size;
  frame->attachment = paco_header_attachment (header, data);
  if (!header->coding.cut_points)
    return paco_refuse (error,
        "the frame has no cut points, so it cannot be made smaller without "
        "being"
        " coded again; record with cut-points=true");
  if (header->video.slice.length > 0
      && header->video.slice.bits == PACO_SLICE_DEPTH) {
    return paco_refuse (error,
        "it is of a stack of 16-bit pictures that were coded without loss, "
        "which "
        "cannot be made smaller without being coded again: black could become "
        "white");
  }
  frame->geometry = paco_geometry_new (&header->picture, &header->coding);
  n = frame->geometry->n_blocks;
  frame->records = g_new0 (PacoBlockRecord, n);
  frame->cuts = g_new0 (PacoRateCuts, n);
  return paco_index_parse_frame (
             data, header, frame->geometry, frame->records, error)
      && (paco_cut_points_parse (frame->map + header->step_map_size,
              header->cut_points_size, frame->records, n, frame->cuts)
          || corrupt (error));
}

/* Cuts a block, and takes the cuts that it has lost from its list. */
static void
cut_block (Frame *frame, uint32_t i, unsigned lost)
{
  PacoBlockRecord *record = &frame->records[i];
  PacoRateCuts *cuts = &frame->cuts[i];

  if (lost == 0)
    return;
  if (lost > cuts->n) {
    *record = (PacoBlockRecord){ 0 };
    return;
  }
  paco_record_cut (record, cuts->plane[lost - 1], cuts->codewords[lost - 1]);
  record->check = paco_block_check (
      frame->payload + record->offset, record->length);
  paco_rate_forget_cuts (cuts, lost);
}

/* Chooses the cuts and makes them. FALSE if not even a frame of zeros is so small. */
static gboolean
cut (Frame *frame, size_t budget, GError **error)
{
  uint32_t n = frame->geometry->n_blocks;
  bool checks = frame->header.coding.block_checks;
  size_t besides = frame->header.header_size
      + paco_header_tables_size (&frame->header) + frame->header.step_map_size
      + frame->attachment.size;
  size_t least = besides + n;
  uint32_t *bytes;
  uint8_t *lost;
  PacoRateBlocks blocks;

  if (budget < least)
    return paco_refuse (error,
        "the frame cannot be cut to %zu bytes: %zu is the least for it", budget,
        least);
  bytes = g_new (uint32_t, n);
  lost = g_new (uint8_t, n);
  blocks = (PacoRateBlocks){ frame->cuts, bytes, n, checks, true };
  for (uint32_t i = 0; i < n; i++)
    bytes[i] = paco_record_bytes (&frame->records[i], checks)
        + frame->records[i].length
        + (frame->cuts[i].zero ? 0 : PACO_RATE_POINTS_BYTES (frame->cuts[i].n));
  paco_rate_cut (&blocks, budget - besides, lost);
  for (uint32_t i = 0; i < n; i++)
    cut_block (frame, i, lost[i]);
  g_free (bytes);
  g_free (lost);
  return TRUE;
}

static size_t
assemble (Frame *frame, uint8_t *out)
{
  PacoHeader *header = &frame->header;
  uint32_t n = frame->geometry->n_blocks;
  uint8_t *index = out + header->header_size, *at;
  size_t tables_size = paco_header_tables_size (header);

  memcpy (index, frame->code_tables, tables_size);
  at = index + tables_size;
  at += paco_index_write (frame->records, n, header->coding.block_checks, at);
  memcpy (at, frame->map, header->step_map_size);
  at += header->step_map_size;
  header->cut_points_size = (uint32_t) paco_cut_points_write (
      frame->records, frame->cuts, n, at);
  header->index_size = (uint32_t) (at - index) + header->cut_points_size;
  header->index_crc = (uint32_t) crc32 (0, index, header->index_size);
  at = index + header->index_size;
  for (uint32_t i = 0; i < n; i++) {
    memcpy (at, frame->payload + frame->records[i].offset,
        frame->records[i].length);
    at += frame->records[i].length;
  }
  at = paco_attachment_copy (&frame->attachment, at);
  header->frame_size = (uint32_t) (at - out);
  paco_header_write (header, out);
  return header->frame_size;
}

gboolean
paco_frame_cut (const uint8_t *data, size_t size, size_t budget, uint8_t *out,
    size_t *out_size, GError **error)
{
  Frame *frame;
  gboolean done = TRUE;

  if (size <= budget) {
    memcpy (out, data, size);
    *out_size = size;
    return TRUE;
  }
  frame = g_new0 (Frame, 1);
  done = parse (frame, data, size, error) && cut (frame, budget, error);
  if (done)
    *out_size = assemble (frame, out);
  paco_geometry_free (frame->geometry);
  g_free (frame->records);
  g_free (frame->cuts);
  g_free (frame);
  return done;
}
