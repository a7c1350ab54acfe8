/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finding frames in bytes that may be anything.
 *
 * A frame is believed once its header is there and the header's CRC is right:
 * before that not a single size is trusted, but that the header has at most
 * PACO_MAX_HEADER_SIZE, 16 KB. So a magic in the middle of garbage costs no
 * more than that in waiting, and a size that lies is never waited for. After
 * it, a frame is still only as large as its picture can make it.
 *
 * A frame that was cut in a byte stream is not seen by its header. It reaches
 * into the next ones, and gives itself away by what follows it: no frame. Then
 * its bytes are searched for the header of the frame that it covers. */
#include "gstpacosync.h"
#include "codec/error.h"
#include "codec/geometry.h"
#include "codec/index.h"
#include <string.h>

#define MAGIC_SIZE 4
/* GstBaseParse counts in int, and some more bytes are asked for at times. */
#define MAX_FRAME_SIZE (G_MAXINT - 4096)

static guint64
n_blocks_at_most (guint width, guint height)
{
  return ((guint64) width / PACO_BLOCK_WIDTH + 1) * (height / PACO_LANES + 1);
}

/* Most bytes of any frame with this header: every sample of every block takes
 * all planes and a sign, every block a full record, and rounding a byte. */
static guint64
max_frame_size (const PacoHeader *header)
{
  const PacoPictureFormat *picture = &header->picture;
  guint64 samples = 0, blocks = 0;

  for (guint c = 0; c < picture->n_components; c++) {
    guint width = paco_component_width (picture, c);
    guint height = paco_component_height (picture, c);

    samples += (guint64) width * height;
    blocks += n_blocks_at_most (width, height);
    for (guint level = 1; level <= header->coding.levels; level++)
      blocks += 3
          * n_blocks_at_most (
              paco_ceil_shift (width, level), paco_ceil_shift (height, level));
  }
  blocks *= 2; /* fields do not share blocks */
  return header->header_size + samples * (PACO_MAX_PLANES + 1) / 8
      + blocks * (PACO_MAX_RECORD + 1);
}

static GstPacoSyncResult
garbage (GError **reason, const char *sentence)
{
  g_set_error_literal (reason, PACO_ERROR, PACO_ERROR_CORRUPT, sentence);
  return GST_PACO_SYNC_GARBAGE;
}

/* `needed` bytes are not there. */
static GstPacoSyncResult
wait_for (gsize needed, gboolean last, gsize *size, GError **reason)
{
  if (last)
    return garbage (reason, "the frame is cut");
  *size = needed;
  return GST_PACO_SYNC_MORE;
}

/* What stands at data, and nowhere else; *size is not set for GARBAGE. */
static GstPacoSyncResult
examine (const guint8 *data, gsize available, gboolean last, PacoHeader *header,
    gsize *size, GError **reason)
{
  if (memcmp (data, PACO_MAGIC, MIN (available, MAGIC_SIZE)) != 0)
    return garbage (reason, "these bytes are no PaCo frame");
  if (available < PACO_HEADER_PEEK_SIZE)
    return wait_for (PACO_HEADER_PEEK_SIZE, last, size, reason);
  if (!paco_header_peek (data, available, header, reason))
    return GST_PACO_SYNC_GARBAGE;
  if (available < header->header_size)
    return wait_for (header->header_size, last, size, reason);
  if (!paco_header_parse (data, available, header, NULL, reason))
    return GST_PACO_SYNC_GARBAGE;
  if (header->frame_size > MIN (max_frame_size (header), MAX_FRAME_SIZE))
    return garbage (
        reason, "the frame claims to be larger than its picture can be");
  if (available < header->frame_size)
    return wait_for (header->frame_size, last, size, reason);
  *size = header->frame_size;
  return GST_PACO_SYNC_FRAME;
}

/* Where the next magic, or the beginning of one, is; `available` if nowhere. */
static gsize
next_magic (const guint8 *data, gsize available, gsize from)
{
  while (from < available) {
    const guint8 *p = memchr (data + from, PACO_MAGIC[0], available - from);

    if (!p)
      break;
    from = p - data;
    if (memcmp (p, PACO_MAGIC, MIN (available - from, MAGIC_SIZE)) == 0)
      return from;
    from++;
  }
  return available;
}

/* How many bytes come before the next frame, or what may become one. */
static gsize
skip_garbage (const guint8 *data, gsize available, gboolean last)
{
  gsize offset = 0, size;
  PacoHeader header;

  do
    offset = next_magic (data, available, offset + 1);
  while (offset < available
      && examine (data + offset, available - offset, last, &header, &size, NULL)
          == GST_PACO_SYNC_GARBAGE);
  return offset;
}

/* A frame of *size bytes that no frame follows: whether another one begins in
 * it. If so, that is how far the bytes are garbage. */
static GstPacoSyncResult
look_for_covered_frame (
    const guint8 *data, gsize available, gboolean last, gsize *size)
{
  gsize offset = MAGIC_SIZE;

  for (; (offset = next_magic (data, *size, offset)) < *size; offset++) {
    gsize there = available - offset, needed;
    PacoHeader header;
    GstPacoSyncResult result = examine (
        data + offset, there, FALSE, &header, &needed, NULL);

    if (result == GST_PACO_SYNC_GARBAGE)
      continue;
    if (result == GST_PACO_SYNC_FRAME
        || (there >= PACO_HEADER_PEEK_SIZE && there >= header.header_size)) {
      *size = offset;
      return GST_PACO_SYNC_GARBAGE;
    }
    /* The beginning of a header. A frame that happens to end with the first
     * byte of the magic must not wait for that, one in 65536 may. */
    if (!last && there >= 2) {
      *size = offset + needed;
      return GST_PACO_SYNC_MORE;
    }
  }
  return GST_PACO_SYNC_FRAME;
}

GstPacoSyncResult
gst_paco_sync (const guint8 *data, gsize available, gboolean last,
    gboolean framed, PacoHeader *header, gsize *size, GError **reason)
{
  GstPacoSyncResult result = examine (
      data, available, last, header, size, reason);

  if (result == GST_PACO_SYNC_GARBAGE) {
    *size = skip_garbage (data, available, last);
  } else if (result == GST_PACO_SYNC_FRAME && !framed
      && (available < *size + MAGIC_SIZE
          || memcmp (data + *size, PACO_MAGIC, MAGIC_SIZE) != 0)) {
    result = look_for_covered_frame (data, available, last, size);
    if (result == GST_PACO_SYNC_GARBAGE)
      return garbage (reason, "the frame is cut");
  }
  return result;
}
