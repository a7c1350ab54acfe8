/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finding frames in bytes that may be anything.
 *
 * A frame is believed once its header is there and the header's CRC is right:
 * before that not a single size is trusted, but that the header has at most
 * PACO_MAX_HEADER_SIZE, 54 KB. So a magic in the middle of garbage costs no
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

enum
{
  MAGIC_SIZE = 4,
  /* Headers are checked as long as all of them together have at most so many
   * bytes, and so many times the bytes of the stream before. Those of good
   * frames are smaller than the frames; only bytes made for that have more. */
  PAID_AT_FIRST = 32 * PACO_MAX_HEADER_SIZE,
  PAID_PER_BYTE = 8,
};

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

/* `needed` bytes are not there yet. */
static GstPacoSyncResult
wait_for (gsize needed, gboolean last, gsize *size, GError **reason)
{
  if (last)
    return garbage (reason, "the frame is cut");
  *size = needed;
  return GST_PACO_SYNC_MORE;
}

static gboolean
is_known (const GstPacoSync *sync, guint64 offset)
{
  return sync->known && sync->known_at == offset;
}

/* Whether a good header stands at data: then FRAME, and sync->header is it. */
static GstPacoSyncResult
find_header (GstPacoSync *sync, guint64 offset, const guint8 *data,
    gsize available, gboolean last, gsize *size, GError **reason)
{
  PacoHeader *header = &sync->header;

  if (is_known (sync, offset))
    return GST_PACO_SYNC_FRAME;
  if (memcmp (data, PACO_MAGIC, MIN (available, MAGIC_SIZE)) != 0)
    return garbage (reason, "these bytes are no PaCo frame");
  if (available < PACO_HEADER_PEEK_SIZE)
    return wait_for (PACO_HEADER_PEEK_SIZE, last, size, reason);
  sync->known = FALSE;
  if (!paco_header_peek (data, available, header, reason))
    return GST_PACO_SYNC_GARBAGE;
  if (available < header->header_size)
    return wait_for (header->header_size, last, size, reason);
  if (offset >= sync->paid_to) {
    if (sync->paid + header->header_size
        > PAID_AT_FIRST + PAID_PER_BYTE * (offset - sync->origin))
      return garbage (reason, "there are more headers than frames");
    sync->paid += header->header_size;
    sync->paid_to = offset + 1;
  }
  sync->checked += header->header_size;
  if (!paco_header_parse (data, available, header, NULL, reason))
    return GST_PACO_SYNC_GARBAGE;
  sync->known = TRUE;
  sync->known_at = offset;
  return GST_PACO_SYNC_FRAME;
}

/* What stands at data, and nowhere else; *size is not set for GARBAGE. */
static GstPacoSyncResult
examine (GstPacoSync *sync, guint64 offset, const guint8 *data, gsize available,
    gboolean last, gboolean framed, gsize *size, GError **reason)
{
  GstPacoSyncResult result = find_header (
      sync, offset, data, available, last, size, reason);
  const PacoHeader *header = &sync->header;

  if (result != GST_PACO_SYNC_FRAME)
    return result;
  if (header->frame_size
      > MIN (max_frame_size (header), GST_PACO_MAX_FRAME_SIZE))
    return garbage (
        reason, "the frame claims to be larger than its picture can be");
  if (!framed && header->frame_size > sync->max_wait_size) {
    g_set_error (reason, PACO_ERROR, PACO_ERROR_CORRUPT,
        "a frame claims to have %u bytes and is not waited for; if it is a "
        "real one, set max-wait-size of pacoparse to as much",
        header->frame_size);
    return GST_PACO_SYNC_GARBAGE;
  }
  if (available < header->frame_size)
    return wait_for (header->frame_size, last, size, reason);
  *size = header->frame_size;
  return GST_PACO_SYNC_FRAME;
}

/* Where the next magic, or the beginning of one, is before `end`; `end` if
 * nowhere. It may reach beyond the end. */
static gsize
next_magic (GstPacoSync *sync, const guint8 *data, gsize available, gsize from,
    gsize end)
{
  gsize start = from;

  while (from < end) {
    const guint8 *p = memchr (data + from, PACO_MAGIC[0], end - from);

    from = p ? (gsize) (p - data) : end;
    if (!p || memcmp (p, PACO_MAGIC, MIN (available - from, MAGIC_SIZE)) == 0)
      break;
    from++;
  }
  sync->searched += from - MIN (start, from);
  return from;
}

/* How many bytes come before the next frame, or what may become one. */
static gsize
skip_garbage (GstPacoSync *sync, guint64 offset, const guint8 *data,
    gsize available, gboolean last, gboolean framed)
{
  gsize at = 0, size;

  do
    at = next_magic (sync, data, available, at + 1, available);
  while (at < available
      && examine (sync, offset + at, data + at, available - at, last, framed,
             &size, NULL)
          == GST_PACO_SYNC_GARBAGE);
  return at;
}

/* A frame that no frame follows: whether another one begins in it. If so, that
 * is how far the bytes are garbage. One that begins with the frame's last byte
 * does not count: whether it does would be known only once more bytes are
 * there, and a frame that happens to end with the first byte of the magic must
 * not wait for them. One in 65536, which ends with two bytes of it, may. */
static GstPacoSyncResult
look_for_covered_frame (GstPacoSync *sync, guint64 offset, const guint8 *data,
    gsize available, gboolean last, gsize *size)
{
  PacoHeader doubted = sync->header;
  GstPacoSyncResult result = GST_PACO_SYNC_FRAME;
  gsize at = MAGIC_SIZE, end = doubted.frame_size - 1, needed;

  if (sync->doubted_at == offset)
    at = MAX (at, sync->doubted_to);
  for (; (at = next_magic (sync, data, available, at, end)) < end; at++) {
    result = examine (sync, offset + at, data + at, available - at, FALSE,
        FALSE, &needed, NULL);
    if (result != GST_PACO_SYNC_GARBAGE && is_known (sync, offset + at)) {
      *size = at;
      result = GST_PACO_SYNC_GARBAGE;
      break;
    }
    /* The beginning of a header. */
    if (result == GST_PACO_SYNC_MORE && !last) {
      *size = at + needed;
      break;
    }
    result = GST_PACO_SYNC_FRAME;
  }
  sync->doubted_at = offset;
  sync->doubted_to = at;
  sync->header = doubted;
  sync->known = TRUE;
  sync->known_at = offset;
  return result;
}

void
gst_paco_sync_reset (GstPacoSync *sync, guint64 offset)
{
  sync->checked = sync->searched = sync->paid = 0;
  sync->origin = sync->asked_at = sync->paid_to = offset;
  sync->known = FALSE;
  sync->doubted_at = G_MAXUINT64;
}

GstPacoSyncResult
gst_paco_sync_next (GstPacoSync *sync, guint64 offset, const guint8 *data,
    gsize available, gboolean last, gboolean framed, gsize *size,
    GError **reason)
{
  GstPacoSyncResult result;
  gsize follow;

  if (offset < sync->asked_at)
    gst_paco_sync_reset (sync, offset);
  sync->asked_at = offset;
  result = examine (sync, offset, data, available, last, framed, size, reason);
  if (result == GST_PACO_SYNC_GARBAGE)
    *size = skip_garbage (sync, offset, data, available, last, framed);
  if (result != GST_PACO_SYNC_FRAME || framed)
    return result;

  follow = MIN (available - *size, MAGIC_SIZE);
  if (memcmp (data + *size, PACO_MAGIC, follow) == 0) {
    if (follow == MAGIC_SIZE)
      return GST_PACO_SYNC_FRAME;
    /* Only a frame with another in it waits for what follows. */
    result = look_for_covered_frame (sync, offset, data, available, last, size);
    if (result == GST_PACO_SYNC_GARBAGE && !last) {
      *size = sync->header.frame_size + MAGIC_SIZE;
      return GST_PACO_SYNC_MORE;
    }
  } else {
    result = look_for_covered_frame (sync, offset, data, available, last, size);
  }
  return result == GST_PACO_SYNC_GARBAGE ? garbage (reason, "the frame is cut")
                                         : result;
}
