/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads what applications say of one picture, for encoder.c: it makes ancillary
 * chunks as the codec wants them, one behind the other (FORMAT.md section 3.1). */
#include "codec/bytes.h"
#include "lib/private.h"
#include <string.h>

G_STATIC_ASSERT (PACO_FIRST_CHUNK == PACO_ANCILLARY_FIRST);
G_STATIC_ASSERT (PACO_LAST_CHUNK == PACO_ANCILLARY_LAST);
G_STATIC_ASSERT (PACO_MAX_CHUNK_BYTES == PACO_MAX_ANCILLARY_SIZE);
G_STATIC_ASSERT (PACO_MAX_ATTACHMENT_BYTES == PACO_MAX_ATTACHMENT_SIZE);
G_STATIC_ASSERT (PACO_MAX_FRAME_AREAS == PACO_MAX_AREAS);

/* Checks the chunks; *bytes is how many they take together. */
static PacoStatus
check_chunks (const PacoExtras *extras, size_t *bytes, PacoError *error)
{
  *bytes = 0;
  if (extras->n_chunks > 0 && !extras->chunks)
    return paco_error_set (error, PACO_STATUS_INVALID,
        "there shall be %zu chunks, and the list of them is NULL",
        extras->n_chunks);
  for (size_t i = 0; i < extras->n_chunks; i++) {
    const PacoFrameChunk *chunk = &extras->chunks[i];

    if (chunk->type < PACO_FIRST_CHUNK || chunk->type > PACO_LAST_CHUNK)
      return paco_error_set (error, PACO_STATUS_INVALID,
          "chunk %zu has the type %u, and ancillary ones have %d to %d", i,
          chunk->type, PACO_FIRST_CHUNK, PACO_LAST_CHUNK);
    if (chunk->reserved != 0)
      return paco_error_set (error, PACO_STATUS_INVALID,
          "chunk %zu: its field reserved is %u, and has to be 0", i,
          chunk->reserved);
    if (chunk->size > 0 && !chunk->data)
      return paco_error_set (error, PACO_STATUS_INVALID,
          "chunk %zu has %zu bytes, and they are NULL", i, chunk->size);
    if (chunk->size > PACO_MAX_CHUNK_BYTES
        || *bytes + PACO_CHUNK_HEAD + chunk->size > PACO_MAX_CHUNK_BYTES)
      return paco_error_set (error, PACO_STATUS_UNSUPPORTED,
          "with chunk %zu, of %zu bytes, those of the frame take more than %d "
          "bytes, 4 for each counted",
          i, chunk->size, PACO_MAX_CHUNK_BYTES);
    *bytes += PACO_CHUNK_HEAD + chunk->size;
  }
  return PACO_STATUS_OK;
}

static PacoStatus
reserve (PacoChunkBytes *bytes, size_t needed, PacoError *error)
{
  uint8_t *more;

  if (bytes->capacity >= needed)
    return PACO_STATUS_OK;
  more = g_try_realloc (bytes->data, needed);
  if (!more)
    return paco_error_set (error, PACO_STATUS_MEMORY,
        "there is no memory for the chunks of a frame");
  bytes->data = more;
  bytes->capacity = needed;
  return PACO_STATUS_OK;
}

static PacoStatus
read_areas (const PacoExtras *extras, PacoAreas *areas, PacoError *error)
{
  if (extras->n_areas > PACO_MAX_FRAME_AREAS)
    return paco_error_set (error, PACO_STATUS_UNSUPPORTED,
        "a picture has %zu areas, and may have %d", extras->n_areas,
        PACO_MAX_FRAME_AREAS);
  if (extras->n_areas > 0 && !extras->areas)
    return paco_error_set (error, PACO_STATUS_INVALID,
        "there shall be %zu areas, and the list of them is NULL",
        extras->n_areas);
  for (size_t i = 0; i < extras->n_areas; i++) {
    const PacoFrameArea *area = &extras->areas[i];

    areas->areas[i] = (PacoArea){ area->x, area->y, area->width, area->height };
  }
  areas->n = (unsigned) extras->n_areas;
  return PACO_STATUS_OK;
}

static PacoStatus
read_attachment (
    const PacoExtras *extras, PacoAttachment *attachment, PacoError *error)
{
  if (extras->attachment_size > PACO_MAX_ATTACHMENT_BYTES)
    return paco_error_set (error, PACO_STATUS_UNSUPPORTED,
        "an attachment has %zu bytes, and may have %d", extras->attachment_size,
        PACO_MAX_ATTACHMENT_BYTES);
  if (extras->attachment_size > 0 && !extras->attachment)
    return paco_error_set (error, PACO_STATUS_INVALID,
        "there shall be an attachment of %zu bytes, and it is NULL",
        extras->attachment_size);
  if (extras->attachment_size > 0)
    *attachment = paco_attachment_of (
        extras->attachment, extras->attachment_size);
  return PACO_STATUS_OK;
}

PacoStatus
paco_extras_read (const PacoExtras *extras, PacoChunkBytes *bytes,
    PacoAttachment *attachment, PacoAreas *areas, PacoError *error)
{
  PacoStatus status;
  size_t needed;
  uint8_t *p;

  bytes->size = 0;
  *attachment = (PacoAttachment){ NULL };
  areas->n = 0;
  if (!extras)
    return PACO_STATUS_OK;
  status = paco_struct_check (
      extras, sizeof *extras, "PacoExtras", "PACO_EXTRAS_INIT", error);
  if (status == PACO_STATUS_OK)
    status = check_chunks (extras, &needed, error);
  if (status == PACO_STATUS_OK)
    status = read_areas (extras, areas, error);
  if (status == PACO_STATUS_OK)
    status = read_attachment (extras, attachment, error);
  if (status == PACO_STATUS_OK)
    status = reserve (bytes, needed, error);
  if (status != PACO_STATUS_OK)
    return status;
  p = bytes->data;
  for (size_t i = 0; i < extras->n_chunks; i++) {
    const PacoFrameChunk *chunk = &extras->chunks[i];

    p = paco_put16 (paco_put16 (p, chunk->type), chunk->size);
    if (chunk->size > 0)
      memcpy (p, chunk->data, chunk->size);
    p += chunk->size;
  }
  bytes->size = needed;
  return PACO_STATUS_OK;
}
