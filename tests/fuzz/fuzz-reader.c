/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Fuzzes the readers of libpaco and what finds frames for them (sync.c, places.c and
 * frame_index.c of lib/stream) with a file of any bytes. Read in order, each byte of the file
 * is in a frame or counted as skipped, and the numbers of frames and of missing ones add
 * up. Frames that are found without their bytes, by number, through a pipe or by the
 * index are those of this list. The first byte draws the numbers that are sought. */
#include "lib/stream/frame_index.h"
#include "lib/paco.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/sandbox.h"
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum
{
  MOST_SEEKS = 6,
  MOST_FINDS = 64,
  INDEX_US = 1000000,
};

typedef struct
{
  const uint8_t *data;
  size_t size;
  GArray *frames; /* PacoFrame in order; their data is gone */
} File;

typedef PacoStatus (*Next) (PacoReader *, PacoFrame *, PacoError *);

static PacoReader *
open_reader (int fd)
{
  PacoReader *reader;
  PacoError error;

  if (lseek (fd, 0, SEEK_SET) > 0
      || paco_reader_open_fd (fd, &reader, &error) != PACO_STATUS_OK)
    fuzz_give_up ("open", error.message);
  return reader;
}

/* Checks that the frame is in the file where it says, with bytes that are the file's. */
static void
check_bytes (const File *file, const PacoReader *reader, const PacoFrame *frame)
{
  g_autofree uint8_t *bytes = NULL;
  PacoError error;

  if (frame->offset > file->size || frame->size > file->size - frame->offset)
    fuzz_give_up ("frame", "it is not in the file");
  bytes = g_malloc (frame->size);
  if (paco_reader_read (reader, frame, bytes, &error) != PACO_STATUS_OK)
    fuzz_give_up ("read", error.message);
  if (memcmp (bytes, file->data + frame->offset, frame->size) != 0)
    fuzz_give_up ("frame", "its bytes are others");
}

/* Reads all frames in order, and checks that they add up to the file. */
static GArray *
read_all (const File *file, PacoReader *reader, Next next)
{
  GArray *frames = g_array_new (FALSE, FALSE, sizeof (PacoFrame));
  uint64_t number = 0, end = 0;
  PacoStatus status;
  PacoFrame frame;
  PacoError error;

  while ((status = next (reader, &frame, &error)) == PACO_STATUS_OK) {
    if (frame.offset < end || frame.offset - end != frame.skipped)
      fuzz_give_up ("frame", "skipped bytes do not add up");
    if (frame.number != number + frame.missing)
      fuzz_give_up ("frame", "missing frames do not add up");
    check_bytes (file, reader, &frame);
    end = frame.offset + frame.size;
    number = frame.number + 1;
    g_array_append_val (frames, frame);
    paco_frame_release (&frame);
  }
  if (status != PACO_STATUS_EMPTY)
    fuzz_give_up ("next", error.message);
  if (frame.skipped != file->size - end)
    fuzz_give_up ("end", "skipped bytes do not add up");
  return frames;
}

static void
check_same (const File *file, GArray *frames, const char *what)
{
  if (frames->len != file->frames->len)
    fuzz_give_up (what, "there are more or fewer frames");
  for (guint i = 0; i < frames->len; i++) {
    const PacoFrame *a = &g_array_index (file->frames, PacoFrame, i);
    const PacoFrame *b = &g_array_index (frames, PacoFrame, i);

    if (a->offset != b->offset || a->size != b->size || a->number != b->number)
      fuzz_give_up (what, "a frame is another one");
  }
  g_array_unref (frames);
}

/* --- in order ------------------------------------------------------------------ */

static void
try_find (const File *file, int fd)
{
  PacoReader *reader = open_reader (fd);

  check_same (file, read_all (file, reader, paco_reader_find), "find");
  paco_reader_close (reader);
}

/* The pipe takes the file at once: run.sh says how long inputs are. */
static void
try_pipe (const File *file)
{
  int ends[2];
  PacoReader *reader;
  PacoError error;

  if (pipe2 (ends, O_CLOEXEC) != 0 || fcntl (ends[1], F_SETPIPE_SZ, 1 << 20) < 0
      || write (ends[1], file->data, file->size) != (ssize_t) file->size)
    fuzz_give_up ("pipe", "it does not take the file");
  close (ends[1]);
  if (paco_reader_open_fd (ends[0], &reader, &error) != PACO_STATUS_OK)
    fuzz_give_up ("pipe", error.message);
  check_same (file, read_all (file, reader, paco_reader_next), "pipe");
  paco_reader_close (reader);
  close (ends[0]);
}

/* --- by number ----------------------------------------------------------------- */

/* Returns the frame of the list that begins at this offset. */
static const PacoFrame *
find_frame (const File *file, uint64_t offset)
{
  for (guint i = 0; i < file->frames->len; i++)
    if (g_array_index (file->frames, PacoFrame, i).offset == offset)
      return &g_array_index (file->frames, PacoFrame, i);
  return NULL;
}

/* Goes to a frame. The next one is that, or the last good one before, or the first. */
static void
try_seek (const File *file, PacoReader *reader, uint64_t number)
{
  PacoError error;
  PacoFrame frame;
  const PacoFrame *known;

  if (paco_reader_seek (reader, number, &error) != PACO_STATUS_OK
      || paco_reader_next (reader, &frame, &error) != PACO_STATUS_OK)
    fuzz_give_up ("seek", error.message);
  known = find_frame (file, frame.offset);
  if (!known || known->size != frame.size)
    fuzz_give_up ("seek", "it finds a frame that is none");
  if (frame.number > number
      && known != &g_array_index (file->frames, PacoFrame, 0))
    fuzz_give_up ("seek", "it finds a later frame");
  check_bytes (file, reader, &frame);
  paco_frame_release (&frame);
}

static void
try_seeks (const File *file, int fd, uint8_t seed)
{
  FuzzRandom random = fuzz_random_new (seed);
  PacoReader *reader = open_reader (fd);
  uint64_t n = 0;
  PacoError error;

  if (paco_reader_count (reader, &n, &error) != PACO_STATUS_OK)
    fuzz_give_up ("count", error.message);
  if ((n == 0) != (file->frames->len == 0))
    fuzz_give_up ("count", "there are frames, or none");
  for (unsigned i = 0; i < MOST_SEEKS && n > 0; i++)
    try_seek (file, reader,
        fuzz_random_below (&random, (uint32_t) MIN (n, 1u << 31)));
  if (paco_reader_seek (reader, G_MAXUINT64, &error) != PACO_STATUS_INVALID)
    fuzz_give_up ("seek", "there is a frame of the largest number");
  paco_reader_close (reader);
}

/* --- the index ------------------------------------------------------------------ */

static size_t
read_memory (void *source, uint64_t offset, uint8_t *data, size_t size)
{
  const File *file = source;
  size_t n = offset < file->size ? MIN (size, file->size - offset) : 0;

  memcpy (data, file->data + MIN (offset, file->size), n);
  return n;
}

/* Finds frames by number, and numbers the frames that were found. */
static void
look_up (PacoFile *bytes, PacoFrameIndex *index)
{
  uint64_t n = paco_frame_index_n_frames (index), step = n / MOST_FINDS + 1;

  for (uint64_t i = 0; i < n; i += step) {
    uint64_t number = i, again, offset;
    PacoFileFrame frame;

    if (!paco_frame_index_find (index, bytes, &number, &offset))
      continue;
    if (number > i)
      fuzz_give_up ("index", "it finds a later frame");
    /* Hops do not read whole headers. */
    if (!paco_file_frame_at (bytes, offset, &frame)) {
      if (paco_frame_index_has_places (index))
        fuzz_give_up ("index", "it finds a frame without a header");
      continue;
    }
    if (!paco_frame_index_number (index, &frame, &again) || again != number)
      fuzz_give_up ("index", "a frame that it found has another number");
  }
}

static void
try_index (const File *file, bool patient)
{
  PacoFile bytes = { 0 };
  PacoFileFrame first;
  PacoFrameIndex *index;

  paco_file_init (&bytes, read_memory, (void *) file, file->size);
  if (paco_file_next_frame (&bytes, 0, bytes.size, &first)) {
    index = paco_frame_index_new (&first, patient);
    while (paco_frame_index_extend (index, &bytes, 1, INDEX_US))
      ;
    look_up (&bytes, index);
    paco_frame_index_unref (index);
  }
  paco_file_clear (&bytes);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  int fd = memfd_create ("stream", MFD_CLOEXEC);
  PacoReader *reader;
  File file;

  if (size < 1) {
    close (fd);
    return 0;
  }
  /* This memory has exactly this size, so that a read beyond it is seen. */
  file = (File){ g_memdup2 (data + 1, size - 1), size - 1, NULL };
  if (fd < 0 || write (fd, file.data, file.size) != (ssize_t) file.size)
    fuzz_give_up ("memfd", "it does not take the file");
  reader = open_reader (fd);
  file.frames = read_all (&file, reader, paco_reader_next);
  paco_reader_close (reader);
  try_find (&file, fd);
  try_pipe (&file);
  try_seeks (&file, fd, data[0]);
  try_index (&file, data[0] % 2);
  g_array_unref (file.frames);
  g_free ((uint8_t *) file.data);
  close (fd);
  return 0;
}
