/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads files for applications (the readers of paco.h): frames in order, found by
 * lib/stream/sync.c whatever is between them, and by number, found by lib/stream/frame_index.c.
 * Bytes are read straight to where the application gets them. */
#include "codec/recycler.h"
#include "codec/text.h"
#include "lib/stream/frame_index.h"
#include "lib/stream/gaps.h"
#include "lib/stream/io.h"
#include "lib/stream/sync.h"
#include "lib/volumes.h"
#include "lib/private.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
  /* Bytes that are read beyond a frame: the header of the next one is among
   * them. */
  READ_AHEAD = 4096,
  /* Bytes that are read at a time while frames are searched for. */
  MOST_AHEAD = 1 << 20,
  /* The index works one second at a time. */
  INDEX_US = 1000000,
};

/* A frame of a file of which all frames, or their headers, have been read to
 * number them. */
typedef struct
{
  uint64_t number, offset;
} Walked;

struct PacoReader
{
  PacoVolume *volumes;
  unsigned n_volumes; /* There is one, but of a split archive. */
  bool owned;         /* They are to be closed. */
  bool seekable;      /* bytes are read from where one wants */
  uint64_t size; /* bytes that the file had when it was last looked at, or 0 */
  char *name;

  /* The bytes that are read and not given away yet: `held` bytes of the window,
   * from `start` on, which stand at `position` in the file. */
  PacoRecycler *memory;
  PacoRecycledFrame *window; /* NULL: nothing is held */
  size_t start, held, ahead;
  uint64_t position;
  bool ended;
  /* More bytes behind the end of the file might make a frame from here on. */
  bool has_tail;
  uint64_t tail;

  PacoSync sync;
  PacoGaps gaps;
  uint64_t number;   /* of the next frame, if none is missing */
  uint64_t skipped;  /* bytes since the last frame */
  GError *refusal;   /* says why the first of them are no frame, or NULL */
  GError *reason;    /* the same of the bytes before the frame given last */
  PacoFrame pending; /* that a seek has read */

  /* These say where frames are, once the application has asked. */
  PacoFile file;
  PacoFrameIndex *index; /* complete, or NULL */
  GArray *walked;        /* of Walked, where there is no index */
  /* This many frames an index has counted that did not hold, or 0. What the application
   * was told stays true: the last good frame stands for those that are not whole. */
  uint64_t n_counted;
};

static PacoStatus
no_memory (const PacoReader *reader, size_t size, PacoError *error)
{
  return paco_error_set (error, PACO_STATUS_MEMORY,
      "there are no %zu bytes of memory for a frame of %s", size, reader->name);
}

/* --- life --- */

/* Begins the window again at a byte of the file. */
static void
move_to (PacoReader *reader, uint64_t position, uint64_t number)
{
  reader->start = reader->held = 0;
  reader->ahead = READ_AHEAD;
  reader->position = position;
  reader->ended = reader->has_tail = false;
  reader->number = number;
  reader->skipped = 0;
  g_clear_error (&reader->refusal);
  g_clear_error (&reader->reason);
  paco_sync_reset (&reader->sync, position);
  paco_gaps_forget (&reader->gaps);
}

static bool
is_seekable (const PacoVolume *volumes, unsigned n)
{
  struct stat status;

  for (unsigned i = 0; i < n; i++)
    if (fstat (volumes[i].fd, &status) != 0 || !S_ISREG (status.st_mode)
        || lseek (volumes[i].fd, 0, SEEK_CUR) != 0)
      return false;
  return true;
}

static void
close_volumes (const PacoVolume *volumes, unsigned n, bool owned)
{
  for (unsigned i = 0; owned && i < n; i++)
    close (volumes[i].fd);
}

static PacoStatus
open_reader (const PacoVolume *volumes, unsigned n, bool owned,
    const char *name, PacoReader **reader, PacoError *error)
{
  const PacoRecyclerLimits limits = {
    .least = 1, .most = 16, .most_bytes = 1 << 26, .alive = G_MAXUINT
  };
  PacoReader *opened = g_try_new0 (PacoReader, 1);

  if (!opened) {
    close_volumes (volumes, n, owned);
    return paco_error_set (
        error, PACO_STATUS_MEMORY, "there is no memory to read %s", name);
  }
  opened->volumes = g_memdup2 (volumes, n * sizeof *volumes);
  opened->n_volumes = n;
  opened->owned = owned;
  opened->seekable = is_seekable (volumes, n)
      && paco_volumes_size (volumes, n, &opened->size);
  opened->name = g_strdup (name);
  opened->memory = paco_recycler_new (&paco_plain_frames, &limits, NULL);
  opened->sync.max_wait_size = PACO_MAX_FRAME_SIZE;
  move_to (opened, 0, 0);
  *reader = opened;
  return paco_error_ok (error);
}

PacoStatus
paco_reader_open (const char *path, PacoReader **reader, PacoError *error)
{
  const char *why;
  int fd;

  if (!path || !reader)
    return paco_error_null (path ? "reader" : "path", error);
  *reader = NULL;
  fd = paco_open_input (path, &why);
  if (fd < 0)
    return paco_error_set (
        error, PACO_STATUS_IO, "%s cannot be opened: %s", path, why);
  return open_reader (&(PacoVolume){ fd, 0 }, 1, true, path, reader, error);
}

PacoStatus
paco_reader_open_volumes (const PacoVolume *volumes, unsigned n,
    const char *name, PacoReader **reader, PacoError *error)
{
  return open_reader (volumes, n, true, name, reader, error);
}

PacoStatus
paco_reader_open_fd (int fd, PacoReader **reader, PacoError *error)
{
  struct stat status;
  char name[32];

  if (!reader)
    return paco_error_null ("reader", error);
  *reader = NULL;
  if (fstat (fd, &status) != 0)
    return paco_error_set (error, PACO_STATUS_IO, "%d is no open file: %s", fd,
        g_strerror (errno));
  g_snprintf (name, sizeof name, fd == 0 ? "standard input" : "file %d", fd);
  if (S_ISDIR (status.st_mode))
    return paco_error_set (
        error, PACO_STATUS_IO, "%s cannot be read: it is a folder", name);
  return open_reader (&(PacoVolume){ fd, 0 }, 1, false, name, reader, error);
}

/* Opens the volumes once more. They stay this reader's. */
static PacoStatus
open_again (const PacoReader *reader, PacoReader **other, PacoError *error)
{
  PacoStatus status = open_reader (
      reader->volumes, reader->n_volumes, false, reader->name, other, error);

  if (status == PACO_STATUS_OK)
    (*other)->seekable = true;
  return status;
}

static size_t
read_at (void *reader, uint64_t offset, uint8_t *data, size_t size)
{
  const PacoReader *of = reader;

  return paco_volumes_read_at (of->volumes, of->n_volumes, offset, data, size);
}

static void
give_window_back (PacoReader *reader)
{
  if (reader->window)
    reader->window->frame.release (&reader->window->frame);
  reader->window = NULL;
}

void
paco_reader_close (PacoReader *reader)
{
  if (!reader)
    return;
  paco_frame_release (&reader->pending);
  give_window_back (reader);
  paco_recycler_free (reader->memory);
  paco_frame_index_unref (reader->index);
  if (reader->walked)
    g_array_unref (reader->walked);
  paco_file_clear (&reader->file);
  g_clear_error (&reader->refusal);
  g_clear_error (&reader->reason);
  close_volumes (reader->volumes, reader->n_volumes, reader->owned);
  g_free (reader->volumes);
  g_free (reader->name);
  g_free (reader);
}

/* --- frames in order --- */

static const uint8_t *
held_bytes (const PacoReader *reader)
{
  return reader->window ? reader->window->memory.data + reader->start : NULL;
}

/* Makes another window, which has room for `size` bytes and begins with those
 * held from `from` on. The old one is the caller's. */
static PacoStatus
change_window (PacoReader *reader, size_t from, size_t size, PacoError *error)
{
  PacoRecycledFrame *window = paco_recycler_take_frame (
      reader->memory, size, NULL);

  if (!window)
    return no_memory (reader, size, error);
  if (reader->held > from)
    memcpy (
        window->memory.data, held_bytes (reader) + from, reader->held - from);
  reader->window = window;
  reader->start = 0;
  reader->held -= from;
  return PACO_STATUS_OK;
}

/* Holds `needed` bytes, and some more, or all that there are. */
static PacoStatus
fill (PacoReader *reader, size_t needed, PacoError *error)
{
  size_t wanted = needed + reader->ahead;
  uint8_t *end;

  if (reader->held >= needed || reader->ended)
    return PACO_STATUS_OK;
  if (!reader->window || reader->window->memory.size - reader->start < wanted) {
    PacoRecycledFrame *old = reader->window;
    PacoStatus status = change_window (reader, 0, wanted, error);

    if (status != PACO_STATUS_OK)
      return status;
    if (old)
      old->frame.release (&old->frame);
  }
  end = reader->window->memory.data + reader->start + reader->held;
  reader->held += reader->seekable
      ? read_at (
          reader, reader->position + reader->held, end, wanted - reader->held)
      : paco_io_read_next (reader->volumes[0].fd, end, needed - reader->held,
          wanted - reader->held, NULL);
  reader->ended = reader->held < needed && errno == 0;
  if (reader->held >= needed || reader->ended)
    return PACO_STATUS_OK;
  return paco_error_set (error, PACO_STATUS_IO,
      "%s cannot be read at byte %" G_GUINT64_FORMAT ": %s", reader->name,
      reader->position + reader->held, g_strerror (errno));
}

static void
take (PacoReader *reader, size_t size)
{
  reader->start += size;
  reader->held -= size;
  reader->position += size;
}

static void
skip (PacoReader *reader, size_t size)
{
  size = MIN (size, reader->held);
  paco_gaps_damage (&reader->gaps, reader->position, size);
  reader->skipped += size;
  take (reader, size);
  reader->ahead = MIN (2 * reader->ahead, MOST_AHEAD);
}

/* Makes memory of its own of the frame that is held first: the window, if there
 * is little else in it, or else a copy. */
static PacoStatus
cut_off (
    PacoReader *reader, size_t size, PacoRecycledFrame **cut, PacoError *error)
{
  size_t rest = reader->held - size;
  PacoStatus status;

  if (rest > size) {
    *cut = paco_recycler_take_frame (reader->memory, size, NULL);
    if (!*cut)
      return no_memory (reader, size, error);
    memcpy ((*cut)->memory.data, held_bytes (reader), size);
    take (reader, size);
    return PACO_STATUS_OK;
  }
  *cut = reader->window;
  (*cut)->frame.data = (*cut)->memory.data + reader->start;
  status = change_window (
      reader, size, MAX (size, rest) + reader->ahead, error);
  if (status == PACO_STATUS_OK)
    reader->position += size;
  return status;
}

/* What was skipped until now comes before what is given now. */
static void
end_skipping (PacoReader *reader)
{
  g_clear_error (&reader->reason);
  reader->reason = g_steal_pointer (&reader->refusal);
  reader->skipped = 0;
}

const char *
paco_reader_reason (const PacoReader *reader)
{
  return reader && reader->reason ? reader->reason->message : "";
}

/* Describes the frame that was found at offset, and counts it. */
static void
describe (PacoReader *reader, uint64_t offset, size_t size, PacoFrame *frame)
{
  PacoGap gap = { 0 };

  if (paco_gaps_frame (&reader->gaps, &reader->sync.header, offset, &gap)
      != PACO_GAPS_MISSING)
    gap.n = 0;
  *frame = (PacoFrame){
    .size = size,
    .number = reader->number + gap.n,
    .offset = offset,
    .skipped = reader->skipped,
    .missing = gap.n,
  };
  reader->number = frame->number + 1;
  end_skipping (reader);
  reader->ahead = READ_AHEAD;
  reader->has_tail = false;
}

static PacoStatus
give (PacoReader *reader, size_t size, PacoFrame *frame, PacoError *error)
{
  uint64_t offset = reader->position;
  PacoRecycledFrame *cut;
  PacoStatus status = cut_off (reader, size, &cut, error);

  if (status != PACO_STATUS_OK)
    return status;
  describe (reader, offset, size, frame);
  frame->data = cut->frame.data;
  frame->owner = &cut->frame;
  return paco_error_ok (error);
}

/* Has the next call read the bytes from the tail on again: whoever writes the
 * file may have gone on by then. */
static void
go_back_to_tail (PacoReader *reader)
{
  reader->start = reader->held = 0;
  reader->position = reader->tail;
  reader->has_tail = false;
  paco_gaps_damage (&reader->gaps, reader->tail, 0);
}

/* Finds out whether the file has become shorter, once for each time: that looks like an
 * end, and frames are missing. */
static bool
check_size (PacoReader *reader, PacoError *error)
{
  uint64_t had = reader->size;

  if (!reader->seekable
      || !paco_volumes_size (reader->volumes, reader->n_volumes, &reader->size))
    return true;
  if (reader->size >= had)
    return true;
  paco_error_set (error, PACO_STATUS_IO,
      "%s was cut while it was read: it had %" G_GUINT64_FORMAT
      " bytes and has %" G_GUINT64_FORMAT " now",
      reader->name, had, reader->size);
  return false;
}

static PacoStatus
end (PacoReader *reader, PacoFrame *frame, PacoError *error)
{
  frame->number = reader->number;
  frame->offset = reader->position;
  frame->skipped = reader->skipped;
  reader->ended = false;
  end_skipping (reader);
  if (reader->has_tail)
    go_back_to_tail (reader);
  if (!check_size (reader, error))
    return PACO_STATUS_IO;
  return paco_error_set (error, PACO_STATUS_EMPTY,
      "%s has no further frame behind byte %" G_GUINT64_FORMAT "%s%s",
      reader->name, frame->offset - frame->skipped, reader->reason ? ": " : "",
      paco_reader_reason (reader));
}

/* Finds out what stands at the reader's position. */
static PacoSyncResult
examine (PacoReader *reader, size_t *size)
{
  bool last = reader->ended;
  GError **refusal = reader->refusal ? NULL : &reader->refusal;
  PacoSyncResult result;

  /* At the end of a file, what would be found with more bytes counts, too. */
  if (last && reader->seekable && !reader->has_tail) {
    result = paco_sync_next (&reader->sync, reader->position,
        held_bytes (reader), reader->held, false, false, size, refusal);
    if (result != PACO_SYNC_MORE)
      return result;
    reader->has_tail = true;
    reader->tail = reader->position;
  }
  return paco_sync_next (&reader->sync, reader->position, held_bytes (reader),
      reader->held, last, false, size, refusal);
}

PacoStatus
paco_reader_next (PacoReader *reader, PacoFrame *frame, PacoError *error)
{
  PacoStatus status = PACO_STATUS_OK;
  size_t needed = 1;

  if (!reader || !frame)
    return paco_error_null (reader ? "frame" : "reader", error);
  *frame = reader->pending;
  reader->pending = (PacoFrame){ NULL };
  if (frame->owner)
    return paco_error_ok (error);
  while ((status = fill (reader, needed, error)) == PACO_STATUS_OK) {
    size_t size = 1;
    PacoSyncResult result;

    if (reader->held == 0)
      return end (reader, frame, error);
    result = examine (reader, &size);
    if (result == PACO_SYNC_FRAME)
      return give (reader, size, frame, error);
    needed = result == PACO_SYNC_MORE ? size : 1;
    if (result == PACO_SYNC_GARBAGE)
      skip (reader, size);
  }
  return status;
}

/* --- frames without their bytes --- */

/* Sets *size to that of the frame at the reader's position if another one follows it:
 * then it is whole (lib/stream/sync.h), and only its header is read. Otherwise *size is 0. */
static PacoStatus
find_followed (PacoReader *reader, size_t *size, PacoError *error)
{
  PacoSyncResult result = PACO_SYNC_MORE;
  size_t needed = PACO_HEADER_PEEK_SIZE;
  uint8_t next[sizeof PACO_MAGIC - 1];

  *size = 0;
  while (result == PACO_SYNC_MORE) {
    PacoStatus status = fill (reader, needed, error);

    if (status != PACO_STATUS_OK || reader->held < needed)
      return status;
    result = paco_sync_header (&reader->sync, reader->position,
        held_bytes (reader), reader->held, &needed);
  }
  if (result == PACO_SYNC_FRAME
      && read_at (reader, reader->position + needed, next, sizeof next)
          == sizeof next
      && memcmp (next, PACO_MAGIC, sizeof next) == 0)
    *size = needed;
  return PACO_STATUS_OK;
}

/* Goes on behind the frame, of which the window has the beginning. */
static void
pass (PacoReader *reader, size_t size)
{
  if (size <= reader->held) {
    take (reader, size);
    return;
  }
  reader->position += size;
  reader->start = reader->held = 0;
  reader->ended = false; /* bytes have come since */
}

PacoStatus
paco_reader_find (PacoReader *reader, PacoFrame *frame, PacoError *error)
{
  size_t size = 0;

  if (!reader || !frame)
    return paco_error_null (reader ? "frame" : "reader", error);
  if (reader->seekable && !reader->pending.owner) {
    PacoStatus status = find_followed (reader, &size, error);

    if (status != PACO_STATUS_OK)
      return status;
  }
  if (size == 0)
    return paco_reader_next (reader, frame, error);
  describe (reader, reader->position, size, frame);
  pass (reader, size);
  return paco_error_ok (error);
}

PacoStatus
paco_reader_read (const PacoReader *reader, const PacoFrame *frame, void *data,
    PacoError *error)
{
  size_t got;

  if (!reader || !frame || !data)
    return paco_error_null (!reader ? "reader"
            : !frame                ? "frame"
                                    : "data",
        error);
  if (frame->data) {
    memcpy (data, frame->data, frame->size);
    return paco_error_ok (error);
  }
  got = read_at ((void *) reader, frame->offset, data, frame->size);
  if (got == frame->size)
    return paco_error_ok (error);
  return paco_error_set (error, PACO_STATUS_IO,
      "%s cannot be read at byte %" G_GUINT64_FORMAT ": %s", reader->name,
      frame->offset + got,
      errno ? g_strerror (errno) : "it has become shorter");
}

/* --- frames by number --- */

/* Numbers the frames by reading all of them. */
static PacoStatus
walk (PacoReader *reader, PacoError *error)
{
  PacoReader *other;
  PacoFrame frame;
  PacoStatus status = open_again (reader, &other, error);

  if (status != PACO_STATUS_OK)
    return status;
  reader->walked = g_array_new (FALSE, FALSE, sizeof (Walked));
  while ((status = paco_reader_next (other, &frame, error)) == PACO_STATUS_OK) {
    Walked walked = { frame.number, frame.offset };

    g_array_append_val (reader->walked, walked);
    paco_frame_release (&frame);
  }
  if (reader->walked->len == 0) {
    g_clear_error (&reader->reason);
    reader->reason = g_steal_pointer (&other->reason);
  }
  paco_reader_close (other);
  if (status == PACO_STATUS_EMPTY)
    return paco_error_ok (error);
  g_clear_pointer (&reader->walked, g_array_unref);
  return status;
}

/* Numbers the frame that begins there, which the index has found by hopping. */
static bool
number_frame (
    PacoReader *reader, uint64_t offset, PacoGaps *gaps, uint64_t *number)
{
  Walked walked = { *number, offset };
  PacoGap gap;
  PacoHeader header;

  if (!paco_file_header_at (&reader->file, offset, &header)
      || !paco_sync_is_possible (&header))
    return false;
  if (paco_gaps_frame (gaps, &header, offset, &gap) == PACO_GAPS_MISSING)
    walked.number += gap.n;
  g_array_append_val (reader->walked, walked);
  *number = walked.number + 1;
  return true;
}

/* Numbers the frames by their headers, as an index of hops does not know which
 * frames are missing. Returns FALSE if a header is damaged. */
static bool
number_hops (PacoReader *reader)
{
  uint64_t n = paco_frame_index_n_frames (reader->index), number = 0;
  PacoGaps gaps = { 0 };
  bool good = true;

  reader->walked = g_array_new (FALSE, FALSE, sizeof (Walked));
  for (uint64_t i = 0; i < n && good; i++) {
    uint64_t found = i, offset;

    good = paco_frame_index_find (reader->index, &reader->file, &found, &offset)
        && number_frame (reader, offset, &gaps, &number);
  }
  if (!good)
    g_clear_pointer (&reader->walked, g_array_unref);
  g_clear_pointer (&reader->index, paco_frame_index_unref);
  return good;
}

/* Makes the index. Returns FALSE if it cannot be complete. */
static bool
make_index (PacoReader *reader)
{
  PacoFileFrame first;
  uint64_t size;

  paco_file_clear (&reader->file);
  if (!paco_volumes_size (reader->volumes, reader->n_volumes, &size))
    return false;
  paco_file_init (&reader->file, read_at, reader, size);
  if (!paco_file_next_frame (&reader->file, 0, reader->file.size, &first))
    return false;
  reader->index = paco_frame_index_new (&first, true);
  while (paco_frame_index_extend (reader->index, &reader->file, 1, INDEX_US))
    ;
  return paco_frame_index_is_complete (reader->index);
}

/* Reads the frame that should be there, to know that it is one. Returns EMPTY if
 * it is not. */
static PacoStatus
go_to (PacoReader *reader, Walked frame, PacoError *error)
{
  PacoStatus status;

  paco_frame_release (&reader->pending);
  move_to (reader, frame.offset, frame.number);
  status = paco_reader_next (reader, &reader->pending, error);
  if (status != PACO_STATUS_OK || reader->pending.offset == frame.offset)
    return status;
  paco_frame_release (&reader->pending);
  return PACO_STATUS_EMPTY;
}

/* Says whether the last frame of the index is whole: the index does not look at what
 * is behind headers. */
static bool
check_last (PacoReader *reader)
{
  Walked last = { paco_frame_index_n_frames (reader->index), 0 };
  PacoReader *other;
  bool good;

  if (last.number == 0)
    return true;
  last.number--;
  if (!paco_frame_index_find (
          reader->index, &reader->file, &last.number, &last.offset)
      || open_again (reader, &other, NULL) != PACO_STATUS_OK)
    return false;
  good = go_to (other, last, NULL) == PACO_STATUS_OK;
  paco_reader_close (other);
  return good;
}

static PacoStatus
number_frames (PacoReader *reader, PacoError *error)
{
  if (reader->index || reader->walked)
    return PACO_STATUS_OK;
  if (!reader->seekable)
    return paco_error_set (error, PACO_STATUS_UNSUPPORTED,
        "%s is no file that can be read anywhere: its frames come in order "
        "only",
        reader->name);
  if (make_index (reader) && check_last (reader)
      && (paco_frame_index_has_places (reader->index) || number_hops (reader)))
    return PACO_STATUS_OK;
  g_clear_pointer (&reader->index, paco_frame_index_unref);
  return walk (reader, error);
}

/* Numbers the frames again if the file has grown, or shrunk, since they were. */
static PacoStatus
number_frames_again (PacoReader *reader, PacoError *error)
{
  uint64_t size;

  if ((reader->index || reader->walked)
      && paco_volumes_size (reader->volumes, reader->n_volumes, &size)
      && size != reader->file.size) {
    g_clear_pointer (&reader->index, paco_frame_index_unref);
    g_clear_pointer (&reader->walked, g_array_unref);
    reader->n_counted = 0;
  }
  return number_frames (reader, error);
}

static uint64_t
n_frames_of (const PacoReader *reader)
{
  if (reader->index)
    return paco_frame_index_n_frames (reader->index);
  return reader->walked->len == 0
      ? 0
      : MAX (reader->n_counted,
          g_array_index (reader->walked, Walked, reader->walked->len - 1).number
              + 1);
}

PacoStatus
paco_reader_count (PacoReader *reader, uint64_t *n_frames, PacoError *error)
{
  PacoStatus status;

  if (!reader || !n_frames)
    return paco_error_null (reader ? "n_frames" : "reader", error);
  status = number_frames_again (reader, error);
  if (status != PACO_STATUS_OK)
    return status;
  *n_frames = n_frames_of (reader);
  return paco_error_ok (error);
}

/* Returns the last frame of at most that number, or the first one. */
static Walked
find_walked (const GArray *walked, uint64_t number)
{
  guint low = 0, high = walked->len;

  while (high - low > 1) {
    guint middle = low + (high - low) / 2;

    if (g_array_index (walked, Walked, middle).number <= number)
      low = middle;
    else
      high = middle;
  }
  return g_array_index (walked, Walked, low);
}

PacoStatus
paco_reader_seek (PacoReader *reader, uint64_t number, PacoError *error)
{
  Walked found = { number, 0 };
  PacoStatus status;

  if (!reader)
    return paco_error_null ("reader", error);
  status = number_frames (reader, error);
  if (status == PACO_STATUS_OK && number >= n_frames_of (reader))
    status = number_frames_again (reader, error);
  if (status != PACO_STATUS_OK)
    return status;
  if (number >= n_frames_of (reader))
    return paco_error_set (error, PACO_STATUS_INVALID,
        "%s has %" G_GUINT64_FORMAT " %s, counted from 0, and none with the "
        "number %" G_GUINT64_FORMAT "%s%s",
        reader->name, n_frames_of (reader),
        paco_text_plural (n_frames_of (reader), "frame", "frames"), number,
        n_frames_of (reader) == 0 && reader->reason ? ": " : "",
        n_frames_of (reader) == 0 ? paco_reader_reason (reader) : "");
  if (reader->walked) {
    status = go_to (reader, find_walked (reader->walked, number), error);
    return status != PACO_STATUS_EMPTY
        ? status
        : paco_error_set (error, PACO_STATUS_IO,
            "%s has changed since its frames were counted", reader->name);
  }
  if (paco_frame_index_find (
          reader->index, &reader->file, &found.number, &found.offset)) {
    status = go_to (reader, found, error);
    if (status != PACO_STATUS_EMPTY)
      return status;
  }
  /* The file is damaged there, or it has changed. */
  reader->n_counted = paco_frame_index_n_frames (reader->index);
  g_clear_pointer (&reader->index, paco_frame_index_unref);
  status = walk (reader, error);
  return status == PACO_STATUS_OK ? paco_reader_seek (reader, number, error)
                                  : status;
}
