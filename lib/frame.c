/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Implements what applications do with encoded frames without decoding them
 * (paco.h): give them back, read their chunks, change their place, compare their
 * bytes with the checks in them. */
#include "codec/check.h"
#include "codec/index.h"
#include "lib/private.h"

void
paco_frame_release (PacoFrame *frame)
{
  if (!frame)
    return;
  if (frame->owner) {
    PacoEncodedFrame *encoded = frame->owner;

    encoded->release (encoded);
  }
  *frame = (PacoFrame){ NULL };
}

PacoStatus
paco_frame_chunks (const void *data, size_t size, PacoFrameChunk *chunks,
    size_t *n, PacoError *error)
{
  PacoHeader header;
  PacoChunk chunk;
  PacoStatus status;
  size_t found = 0;

  if (!n || (*n > 0 && !chunks))
    return paco_error_set (error, PACO_STATUS_INVALID,
        "the argument n is NULL, or chunks is, and n is not 0");
  status = paco_info_header (data, size, &header, NULL, error);
  if (status != PACO_STATUS_OK)
    return status;
  while (paco_ancillary_next (&header.video.ancillary, &chunk)) {
    if (found < *n)
      chunks[found] = (PacoFrameChunk){
        .type = chunk.type,
        .data = chunk.data,
        .size = chunk.size,
      };
    found++;
  }
  *n = found;
  return PACO_STATUS_OK;
}

/* Reads the header of a frame of which all bytes are there, and finds its
 * attachment. */
static PacoStatus
read_whole (const void *data, size_t size, PacoHeader *header,
    PacoAttachment *attachment, PacoError *error)
{
  PacoStatus status = paco_info_header (data, size, header, NULL, error);

  if (status != PACO_STATUS_OK)
    return status;
  if (header->frame_size > size)
    return paco_error_set (error, PACO_STATUS_CORRUPT,
        "the frame is cut: %zu bytes of %u", size, header->frame_size);
  *attachment = paco_header_attachment (header, data);
  if (!paco_attachment_is_whole (attachment))
    return paco_error_set (error, PACO_STATUS_CORRUPT,
        "the frame's attachment, %u bytes, is damaged", attachment->size);
  return PACO_STATUS_OK;
}

PacoStatus
paco_frame_attachment (const void *data, size_t size, const void **attachment,
    size_t *attachment_size, PacoError *error)
{
  PacoAttachment found;
  PacoHeader header;
  PacoStatus status;

  if (!attachment || !attachment_size)
    return paco_error_set (error, PACO_STATUS_INVALID,
        "the argument attachment is NULL, or attachment_size is");
  status = read_whole (data, size, &header, &found, error);
  if (status != PACO_STATUS_OK)
    return status;
  *attachment = found.size > 0 ? found.data : NULL;
  *attachment_size = found.size;
  return paco_error_ok (error);
}

PacoStatus
paco_frame_set_place (
    void *data, size_t size, uint32_t number, uint64_t offset, PacoError *error)
{
  PacoPlace place = { number, offset };
  PacoHeader header;
  PacoStatus status = paco_info_header (data, size, &header, NULL, error);

  if (status != PACO_STATUS_OK)
    return status;
  if (!paco_header_set_place (data, size, &place))
    return paco_error_set (error, PACO_STATUS_UNSUPPORTED,
        "the frame has no place to be changed; encode with has_place=1");
  return PACO_STATUS_OK;
}

/* --- checks --- */

static uint32_t
count_broken (
    const uint8_t *payload, const PacoBlockRecord *records, uint32_t n)
{
  uint32_t broken = 0;

  for (uint32_t i = 0; i < n; i++)
    broken += records[i].planes > 0
        && paco_block_check (payload + records[i].offset, records[i].length)
            != records[i].check;
  return broken;
}

static PacoStatus
check_blocks (const uint8_t *data, const PacoHeader *header, uint32_t *broken,
    uint32_t *blocks, PacoError *error)
{
  PacoGeometry *geometry = paco_geometry_new (
      &header->picture, &header->coding);
  uint32_t n = geometry->n_blocks;
  PacoBlockRecord *records = g_try_new (PacoBlockRecord, n);
  GError *failure = NULL;
  PacoStatus status = PACO_STATUS_OK;

  if (!records)
    status = paco_error_set (error, PACO_STATUS_MEMORY,
        "there is no memory for the index of the frame");
  else if (!paco_index_parse_frame (data, header, geometry, records, &failure))
    status = paco_error_take (error, failure);
  else {
    *broken = count_broken (
        data + header->header_size + header->index_size, records, n);
    *blocks = n;
  }
  g_free (records);
  paco_geometry_free (geometry);
  return status;
}

PacoStatus
paco_frame_check (const void *data, size_t size, uint32_t *broken,
    uint32_t *blocks, PacoError *error)
{
  uint32_t n_broken = 0, n_blocks = 0;
  PacoAttachment attachment;
  PacoHeader header;
  PacoStatus status = read_whole (data, size, &header, &attachment, error);

  if (status != PACO_STATUS_OK)
    return status;
  if (!header.coding.block_checks)
    return paco_error_set (error, PACO_STATUS_UNSUPPORTED,
        "the frame has no checks of its blocks: it was coded with "
        "block-checks=false");
  status = check_blocks (data, &header, &n_broken, &n_blocks, error);
  if (status != PACO_STATUS_OK)
    return status;
  if (broken)
    *broken = n_broken;
  if (blocks)
    *blocks = n_blocks;
  return paco_error_ok (error);
}
