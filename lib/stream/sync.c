/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds frames in bytes that may be anything (sync.h).
 *
 * A frame is believed once its header is there and the header's CRC is right. Before
 * that no size is trusted, except that the header has at most PACO_MAX_HEADER_SIZE,
 * 54 KB. So a magic in the middle of garbage costs no more than that in waiting, and
 * a false size is never waited for. After it, a frame is still only as large as its
 * picture can make it.
 *
 * A header does not show that a frame was cut in a byte stream. Such a frame reaches
 * into the next ones, and is found out because no frame follows it. Then its bytes
 * are searched for the header of the frame that it covers. */
#include "sync.h"
#include "codec/error.h"
#include "codec/geometry.h"
#include "codec/index.h"
#include <string.h>

enum
{
  MAGIC_SIZE = 4,
  /* Headers are checked as long as all of them together have at most PAID_AT_FIRST
   * bytes, and PAID_PER_BYTE times the bytes of the stream before. The headers of good
   * frames are smaller than the frames; only bytes made to slow a reader down
   * have more. */
  PAID_AT_FIRST = 32 * PACO_MAX_HEADER_SIZE,
  PAID_PER_BYTE = 8,
};

static uint64_t
n_blocks_at_most (unsigned width, unsigned height)
{
  return ((uint64_t) width / PACO_BLOCK_WIDTH + 1) * (height / PACO_LANES + 1);
}

/* Returns how many bytes a frame with this header can have at most: every sample
 * of every block takes all planes and a sign, every block a full record, and
 * rounding a byte. */
static uint64_t
max_frame_size (const PacoHeader *header)
{
  const PacoPictureFormat *picture = &header->picture;
  uint64_t samples = 0, blocks = 0;

  for (unsigned c = 0; c < picture->n_components; c++) {
    unsigned width = paco_component_width (picture, c);
    unsigned height = paco_component_height (picture, c);

    samples += (uint64_t) width * height;
    blocks += n_blocks_at_most (width, height);
    for (unsigned level = 1; level <= header->coding.levels; level++)
      blocks += 3
          * n_blocks_at_most (
              paco_ceil_shift (width, level), paco_ceil_shift (height, level));
  }
  blocks *= 2; /* fields do not share blocks */
  return header->header_size + header->video.attachment.size
      + samples * (PACO_MAX_PLANES + 1) / 8 + blocks * (PACO_MAX_RECORD + 1);
}

bool
paco_sync_is_possible (const PacoHeader *header)
{
  return header->frame_size
      <= MIN (max_frame_size (header), PACO_MAX_FRAME_SIZE);
}

static PacoSyncResult
garbage (GError **reason, const char *sentence)
{
  g_set_error_literal (reason, PACO_ERROR, PACO_ERROR_CORRUPT, sentence);
  return PACO_SYNC_GARBAGE;
}

/* Returns MORE, as `needed` bytes are not there yet, or GARBAGE, if no more will
 * come. */
static PacoSyncResult
wait_for (size_t needed, bool last, size_t *size, GError **reason)
{
  if (last)
    return garbage (reason, "the frame is cut");
  *size = needed;
  return PACO_SYNC_MORE;
}

static bool
is_known (const PacoSync *sync, uint64_t offset)
{
  return sync->known && sync->known_at == offset;
}

/* Finds out whether a good header stands at data: then it returns FRAME, and
 * sync->header is it. */
static PacoSyncResult
find_header (PacoSync *sync, uint64_t offset, const uint8_t *data,
    size_t available, bool last, size_t *size, GError **reason)
{
  PacoHeader *header = &sync->header;

  if (is_known (sync, offset))
    return PACO_SYNC_FRAME;
  if (memcmp (data, PACO_MAGIC, MIN (available, MAGIC_SIZE)) != 0)
    return garbage (reason, "these bytes are no PaCo frame");
  if (available < PACO_HEADER_PEEK_SIZE)
    return wait_for (PACO_HEADER_PEEK_SIZE, last, size, reason);
  sync->known = false;
  if (!paco_header_peek (data, available, header, reason))
    return PACO_SYNC_GARBAGE;
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
    return PACO_SYNC_GARBAGE;
  /* The header is kept for longer than the bytes that its chunks are. */
  header->video.ancillary = (PacoAncillary){ 0 };
  sync->known = true;
  sync->known_at = offset;
  return PACO_SYNC_FRAME;
}

/* Finds out what stands at data, and nowhere else. *size is not set for GARBAGE. */
static PacoSyncResult
examine (PacoSync *sync, uint64_t offset, const uint8_t *data, size_t available,
    bool last, bool framed, size_t *size, GError **reason)
{
  PacoSyncResult result = find_header (
      sync, offset, data, available, last, size, reason);
  const PacoHeader *header = &sync->header;

  if (result != PACO_SYNC_FRAME)
    return result;
  if (!paco_sync_is_possible (header))
    return garbage (
        reason, "the frame claims to be larger than its picture can be");
  if (!framed && header->frame_size > sync->max_wait_size) {
    g_set_error (reason, PACO_ERROR, PACO_ERROR_CORRUPT,
        "a frame claims to have %u bytes and is not waited for; if it is a "
        "real one, set max-wait-size to as much",
        header->frame_size);
    return PACO_SYNC_GARBAGE;
  }
  if (available < header->frame_size)
    return wait_for (header->frame_size, last, size, reason);
  *size = header->frame_size;
  return PACO_SYNC_FRAME;
}

/* Returns where the next magic, or the beginning of one, is before `end`, or
 * `end` if there is none. It may reach beyond the end. */
static size_t
next_magic (PacoSync *sync, const uint8_t *data, size_t available, size_t from,
    size_t end)
{
  size_t start = from;

  while (from < end) {
    const uint8_t *p = memchr (data + from, PACO_MAGIC[0], end - from);

    from = p ? (size_t) (p - data) : end;
    if (!p || memcmp (p, PACO_MAGIC, MIN (available - from, MAGIC_SIZE)) == 0)
      break;
    from++;
  }
  sync->searched += from - MIN (start, from);
  return from;
}

/* Returns how many bytes come before the next frame, or before what may become
 * one. */
static size_t
skip_garbage (PacoSync *sync, uint64_t offset, const uint8_t *data,
    size_t available, bool last, bool framed)
{
  size_t at = 0, size;

  do
    at = next_magic (sync, data, available, at + 1, available);
  while (at < available
      && examine (sync, offset + at, data + at, available - at, last, framed,
             &size, NULL)
          == PACO_SYNC_GARBAGE);
  return at;
}

/* Finds out whether another frame begins in a frame that no frame follows. If so,
 * the bytes are garbage up to there. One that begins with the frame's last byte
 * does not count: whether it does would be known only once more bytes are there,
 * and a frame that happens to end with the first byte of the magic must not wait
 * for them. One in 65536, which ends with two bytes of it, may. */
static PacoSyncResult
look_for_covered_frame (PacoSync *sync, uint64_t offset, const uint8_t *data,
    size_t available, bool last, size_t *size)
{
  PacoHeader doubted = sync->header;
  PacoSyncResult result = PACO_SYNC_FRAME;
  size_t at = MAGIC_SIZE, end = doubted.frame_size - 1, needed;

  if (sync->doubted_at == offset)
    at = MAX (at, sync->doubted_to);
  for (; (at = next_magic (sync, data, available, at, end)) < end; at++) {
    result = examine (sync, offset + at, data + at, available - at, false,
        false, &needed, NULL);
    if (result != PACO_SYNC_GARBAGE && is_known (sync, offset + at)) {
      *size = at;
      result = PACO_SYNC_GARBAGE;
      break;
    }
    /* The bytes are the beginning of a header. */
    if (result == PACO_SYNC_MORE && !last) {
      *size = at + needed;
      break;
    }
    result = PACO_SYNC_FRAME;
  }
  sync->doubted_at = offset;
  sync->doubted_to = at;
  sync->header = doubted;
  sync->known = true;
  sync->known_at = offset;
  return result;
}

void
paco_sync_reset (PacoSync *sync, uint64_t offset)
{
  sync->checked = sync->searched = sync->paid = 0;
  sync->origin = sync->asked_at = sync->paid_to = offset;
  sync->known = false;
  sync->doubted_at = G_MAXUINT64;
}

/* Begins another stream if the offset goes back. */
static void
ask_about (PacoSync *sync, uint64_t offset)
{
  if (offset < sync->asked_at)
    paco_sync_reset (sync, offset);
  sync->asked_at = offset;
}

PacoSyncResult
paco_sync_header (PacoSync *sync, uint64_t offset, const uint8_t *data,
    size_t available, size_t *size)
{
  PacoSyncResult result;

  ask_about (sync, offset);
  result = examine (sync, offset, data, available, false, false, size, NULL);
  /* With a header that is good, more bytes are those of the frame behind it. */
  return result == PACO_SYNC_MORE && is_known (sync, offset) ? PACO_SYNC_FRAME
                                                             : result;
}

PacoSyncResult
paco_sync_next (PacoSync *sync, uint64_t offset, const uint8_t *data,
    size_t available, bool last, bool framed, size_t *size, GError **reason)
{
  PacoSyncResult result;
  size_t follow;

  ask_about (sync, offset);
  result = examine (sync, offset, data, available, last, framed, size, reason);
  if (result == PACO_SYNC_GARBAGE)
    *size = skip_garbage (sync, offset, data, available, last, framed);
  if (result != PACO_SYNC_FRAME || framed)
    return result;

  follow = MIN (available - *size, MAGIC_SIZE);
  if (memcmp (data + *size, PACO_MAGIC, follow) == 0) {
    if (follow == MAGIC_SIZE)
      return PACO_SYNC_FRAME;
    /* Only a frame with another in it waits for what follows. */
    result = look_for_covered_frame (sync, offset, data, available, last, size);
    if (result == PACO_SYNC_GARBAGE && !last) {
      *size = sync->header.frame_size + MAGIC_SIZE;
      return PACO_SYNC_MORE;
    }
  } else {
    result = look_for_covered_frame (sync, offset, data, available, last, size);
  }
  return result == PACO_SYNC_GARBAGE ? garbage (reason, "the frame is cut")
                                     : result;
}
