/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests files with libpaco that are not whole, or not yet: every whole frame
 * is read, by its number too, and every byte that belongs to none is told of.
 * Full disks and interrupted writers leave whole frames behind. */
#include "tests/fuzz/mutator.h"
#include "tests/lib/runs.h"
#include "tests/lib/status.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/* --- damage --- */

/* Loses frames of the run, and puts garbage in front of others. What is left is
 * given, and numbered as if nothing were missing. */
static void
test_damage (void)
{
  g_autoptr (Run) run = new_run (60, true);
  unsigned n = n_frames_of (run), kept = 0, missing = 0, last = 0;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autofree bool *lost = g_new0 (bool, n);
  uint64_t *skipped = g_new0 (uint64_t, n + 1), count, tail;
  g_autoptr (PacoReader) reader = NULL;
  PacoFrame frame;
  g_autofree char *path = NULL;

  for (unsigned i = 0; i < n; i++) {
    size_t size = size_of (run, i);
    uint8_t *at;

    lost[i] = i > 0 && g_test_rand_int_range (0, 5) == 0;
    if (g_test_rand_int_range (0, 5) == 0) {
      uint8_t garbage[3000];

      for (unsigned k = 0; k < sizeof garbage; k++)
        garbage[k] = (uint8_t) g_test_rand_int_range (0, 'P');
      skipped[i] = (uint64_t) g_test_rand_int_range (1, sizeof garbage);
      g_byte_array_append (bytes, garbage, (guint) skipped[i]);
    }
    if (lost[i] && g_test_rand_int_range (0, 2) == 0)
      continue; /* without a trace */
    g_byte_array_append (
        bytes, run->bytes->data + offset_of (run, i), (guint) size);
    at = bytes->data + bytes->len - size;
    if (lost[i])
      at[g_test_rand_int_range (0, 60)] ^= 0x11;
    if (lost[i])
      skipped[i] += size;
  }
  /* The end of the last frame was not written. */
  tail = 5 + (uint64_t) g_test_rand_int_range (0, 50);
  g_byte_array_append (bytes, run->bytes->data, (guint) tail);
  for (unsigned i = 0; i < n; i++)
    if (!lost[i])
      last = i;
  for (unsigned i = last + 1; i < n; i++)
    tail += skipped[i];

  path = save ("damaged.paco", bytes->data, bytes->len);
  OK (paco_reader_open (path, &reader, &error));
  for (unsigned i = 0; i <= last; i++) {
    if (lost[i]) {
      missing++;
      skipped[i + 1] += skipped[i];
      continue;
    }
    OK (paco_reader_next (reader, &frame, &error));
    check_frame (&frame, run, i);
    g_assert_cmpuint (frame.number, ==, i);
    g_assert_cmpuint (frame.missing, ==, missing);
    g_assert_cmpuint (frame.skipped, ==, skipped[i]);
    paco_frame_release (&frame);
    missing = 0;
    kept++;
  }
  g_assert_cmpuint (kept, >, 10);
  REFUSED (EMPTY, paco_reader_next (reader, &frame, &error));
  g_assert_cmpuint (frame.skipped, ==, tail);
  OK (paco_reader_count (reader, &count, &error));
  g_assert_cmpuint (count, ==, last + 1);
  for (unsigned i = 0; i <= last; i++) {
    unsigned there = i;

    while (lost[there])
      there--;
    OK (paco_reader_seek (reader, i, &error));
    OK (paco_reader_next (reader, &frame, &error));
    check_frame (&frame, run, there);
    g_assert_cmpuint (frame.number, ==, there);
    paco_frame_release (&frame);
  }
  g_free (skipped);
}

/* Reads a frame of another version of the format between two of this one, and alone: the
 * reader says why it is no frame. */
static void
test_reasons (void)
{
  static const char why[] = "the frame is of version 4 of the format";
  g_autoptr (Run) run = new_run (3, true);
  PacoReader *reader;
  PacoFrame frame;
  PacoError failure;
  char *path;

  run->bytes->data[offset_of (run, 1) + 4] = 4;
  path = save ("version.paco", run->bytes->data, run->bytes->len);
  g_assert_cmpstr (paco_reader_reason (NULL), ==, "");
  OK (paco_reader_open (path, &reader, &error));
  OK (paco_reader_next (reader, &frame, &error));
  g_assert_cmpstr (paco_reader_reason (reader), ==, "");
  paco_frame_release (&frame);
  OK (paco_reader_next (reader, &frame, &error));
  g_assert_cmpuint (frame.skipped, ==, size_of (run, 1));
  g_assert_nonnull (strstr (paco_reader_reason (reader), why));
  paco_frame_release (&frame);
  g_assert_cmpint (
      paco_reader_next (reader, &frame, &failure), ==, PACO_STATUS_EMPTY);
  g_assert_null (strstr (failure.message, why));
  g_assert_cmpstr (paco_reader_reason (reader), ==, "");
  paco_reader_close (reader);
  g_free (path);

  path = save (
      "alone.paco", run->bytes->data + offset_of (run, 1), size_of (run, 1));
  OK (paco_reader_open (path, &reader, &error));
  g_assert_cmpint (
      paco_reader_next (reader, &frame, &failure), ==, PACO_STATUS_EMPTY);
  g_assert_nonnull (strstr (failure.message, why));
  g_assert_nonnull (strstr (paco_reader_reason (reader), why));
  g_assert_cmpint (
      paco_reader_seek (reader, 0, &failure), ==, PACO_STATUS_INVALID);
  g_assert_nonnull (strstr (failure.message, why));
  paco_reader_close (reader);
  g_free (path);
}

/* Takes frames out of a run, at its beginning too, and reads what is left, and
 * two such runs one behind the other: there is no damage, and still frames are
 * missing. */
static void
test_missing (void)
{
  Run *runs[2] = { new_run (30, true), new_run (30, true) };
  GByteArray *bytes = g_byte_array_new ();
  GArray *numbers = g_array_new (FALSE, FALSE, sizeof (uint64_t));
  uint64_t before = 0, count;
  PacoReader *reader;
  PacoFrame frame;
  char *path;

  for (unsigned k = 0; k < 2; k++) {
    unsigned first = (unsigned) g_test_rand_int_range (0, 5), last = first;

    if (k == 1) /* Within a file, a stream begins with its first frame. */
      first = last = 0;
    for (unsigned i = first; i < 30; i++) {
      uint64_t number = before + i - first;

      if (i > first && g_test_rand_int_range (0, 4) == 0)
        continue;
      g_byte_array_append (bytes, runs[k]->bytes->data + offset_of (runs[k], i),
          (guint) size_of (runs[k], i));
      g_array_append_val (numbers, number);
      last = i;
    }
    before += last + 1 - first;
  }
  path = save ("missing.paco", bytes->data, bytes->len);
  OK (paco_reader_open (path, &reader, &error));
  OK (paco_reader_count (reader, &count, &error));
  g_assert_cmpuint (count, ==, before);
  for (unsigned i = 0; i < numbers->len; i++) {
    uint64_t number = g_array_index (numbers, uint64_t, i);
    uint64_t next = i + 1 < numbers->len
        ? g_array_index (numbers, uint64_t, i + 1)
        : number + 1;

    OK (paco_reader_next (reader, &frame, &error));
    g_assert_cmpuint (frame.number, ==, number);
    g_assert_cmpuint (frame.skipped, ==, 0);
    paco_frame_release (&frame);
    for (uint64_t n = number; n < next; n++) {
      g_autoptr (PacoReader) other = NULL;

      OK (paco_reader_open (path, &other, &error));
      OK (paco_reader_seek (other, n, &error));
      OK (paco_reader_next (other, &frame, &error));
      g_assert_cmpuint (frame.number, ==, number);
      paco_frame_release (&frame);
    }
  }
  REFUSED (EMPTY, paco_reader_next (reader, &frame, &error));
  paco_reader_close (reader);
  g_free (path);
  g_array_unref (numbers);
  g_byte_array_unref (bytes);
  run_free (runs[0]);
  run_free (runs[1]);
}

/* Checks that each byte, whatever the bytes are, is of a frame or skipped. */
static void
check_all_bytes (const char *path, size_t size)
{
  uint64_t sum = 0, count, number = 0, n = 0;
  g_autoptr (PacoReader) reader = NULL;
  PacoFrame frame;
  PacoError failure;
  PacoStatus last;

  OK (paco_reader_open (path, &reader, &error));
  while (
      (last = paco_reader_next (reader, &frame, &failure)) == PACO_STATUS_OK) {
    g_assert_cmpuint (frame.offset, ==, sum + frame.skipped);
    sum += frame.skipped + frame.size;
    g_assert_true (n == 0 || frame.number > number);
    number = frame.number;
    n++;
    paco_frame_release (&frame);
  }
  g_assert_cmpint (last, ==, PACO_STATUS_EMPTY);
  g_assert_cmpuint (sum + frame.skipped, ==, size);
  OK (paco_reader_count (reader, &count, &error));
  if (count > 0) {
    OK (paco_reader_seek (reader, count - 1, &error));
    OK (paco_reader_next (reader, &frame, &error));
    paco_frame_release (&frame);
  }
}

static void
test_hostile (void)
{
  g_autoptr (Run) run = new_run (12, true);
  size_t size = run->bytes->len, capacity = 2 * size;
  g_autofree uint8_t *changed = g_malloc (capacity);

  for (unsigned i = 0; i < 60; i++) {
    uint64_t seed = (uint64_t) (uint32_t) g_test_rand_int () << 8 | i;
    size_t changed_size = size;
    PacoWriter *writer;
    PacoError failure;
    g_autofree char *path = NULL;

    memcpy (changed, run->bytes->data, size);
    for (unsigned k = 0; k < 1 + i % 4; k++) {
      unsigned frame = (unsigned) g_test_rand_int_range (0, 12);
      size_t at = (size_t) offset_of (run, frame);

      changed_size = at
          + fuzz_mutate_frame (changed + at,
              changed_size - MIN (at, changed_size), capacity - at, 1 << 16,
              seed + k);
      if (changed_size <= (size_t) offset_of (run, 11))
        break;
    }
    path = save ("hostile.paco", changed, changed_size);
    check_all_bytes (path, changed_size);
    /* The file is resumed behind whole frames, or left alone. */
    if (paco_writer_open (path, PACO_WRITER_RESUME, &writer, &failure)
        == PACO_STATUS_OK) {
      uint64_t n_bytes;

      paco_writer_position (writer, NULL, &n_bytes);
      g_assert_cmpuint (n_bytes, <=, changed_size);
      OK (paco_writer_close (writer, &error));
      assert_file (path, changed, (size_t) n_bytes);
    } else {
      assert_file (path, changed, changed_size);
    }
  }
}

/* --- writers that are interrupted --- */

static void
test_resume (void)
{
  g_autoptr (Run) run = new_run (20, true);
  size_t size = run->bytes->len;
  g_autofree uint8_t *broken = NULL;
  char *path = NULL;
  PacoWriter *writer;

  for (unsigned k = 0; k < 60; k++) {
    size_t cut = k == 0 ? size
        : k == 1        ? 0
                        : (size_t) g_test_rand_int_range (0, (gint32) size);
    unsigned whole = 0;
    uint64_t n_frames, n_bytes;

    while (offset_of (run, whole) + size_of (run, whole) <= cut
        && ++whole < n_frames_of (run))
      ;
    g_free (path);
    path = save ("resumed.paco", run->bytes->data, cut);
    OK (paco_writer_open (path, PACO_WRITER_RESUME, &writer, &error));
    paco_writer_position (writer, &n_frames, &n_bytes);
    g_assert_cmpuint (n_frames, ==, whole);
    g_assert_cmpuint (n_bytes, ==, offset_of (run, whole));
    write_frames (writer, run, whole, n_frames_of (run));
    OK (paco_writer_close (writer, &error));
    assert_file (path, run->bytes->data, size);
  }
  /* What is damaged before its end is left alone, and so is what is no PaCo. */
  broken = g_memdup2 (run->bytes->data, size);
  broken[offset_of (run, 7) + 30] ^= 1;
  g_free (path);
  path = save ("broken.paco", broken, size);
  REFUSED (
      CORRUPT, paco_writer_open (path, PACO_WRITER_RESUME, &writer, &error));
  g_assert_null (writer);
  assert_file (path, broken, size);
  g_free (path);
  path = save ("letter.txt", "Dear reader,", 12);
  REFUSED (
      NOT_PACO, paco_writer_open (path, PACO_WRITER_RESUME, &writer, &error));
  assert_file (path, "Dear reader,", 12);
  /* Whoever asks for a new file takes nothing away, either. */
  REFUSED (IO, paco_writer_open (path, PACO_WRITER_NEW, &writer, &error));
  assert_file (path, "Dear reader,", 12);
  OK (paco_writer_open (path, PACO_WRITER_REPLACE, &writer, &error));
  /* Somebody else writes it already. */
  {
    PacoWriter *other;

    REFUSED (IO, paco_writer_open (path, PACO_WRITER_REPLACE, &other, &error));
    REFUSED (IO, paco_writer_open (path, PACO_WRITER_RESUME, &other, &error));
  }
  OK (paco_writer_close (writer, &error));
  assert_file (path, "", 0);
  g_free (path);
}

static void
set_limit (rlim_t bytes)
{
  struct rlimit limit;

  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  limit.rlim_cur = MIN (bytes, limit.rlim_max);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
}

/* Tests that a file that can grow no more ends with a whole frame, and goes on
 * once it can. */
static void
test_full_disk (void)
{
  g_autoptr (Run) run = new_run (20, true);
  g_autofree char *path = path_of ("full.paco");
  PacoWriter *writer;
  unsigned i = 0;
  int full;

  signal (SIGXFSZ, SIG_IGN);
  OK (paco_writer_open (path, PACO_WRITER_NEW, &writer, &error));
  set_limit (offset_of (run, 9) + size_of (run, 9) / 2);
  for (; i < 9; i++)
    write_frames (writer, run, i, i + 1);
  for (unsigned k = 0; k < 2; k++) {
    REFUSED (IO,
        paco_writer_add (writer, run->bytes->data + offset_of (run, 9),
            size_of (run, 9), &error));
    assert_file (path, run->bytes->data, (size_t) offset_of (run, 9));
  }
  set_limit (RLIM_INFINITY);
  write_frames (writer, run, 9, 20);
  OK (paco_writer_close (writer, &error));
  assert_file (path, run->bytes->data, run->bytes->len);

  full = open ("/dev/full", O_WRONLY);
  g_assert_cmpint (full, >=, 0);
  OK (paco_writer_open_fd (full, &writer, &error));
  for (unsigned k = 0; k < 2; k++)
    REFUSED (IO,
        paco_writer_add (writer, run->bytes->data, size_of (run, 0), &error));
  OK (paco_writer_close (writer, &error));
  close (full);
}

/* Tests that a frame of another stream that could not be written changes
 * nothing for those that come instead. */
static void
test_full_disk_between_streams (void)
{
  Run *run = new_run (10, true), *other = new_run (0, true);
  g_autoptr (PacoFrameEncoder) encoder = new_encoder ();
  PacoInfo info = gray_info (0, 0);
  g_autofree char *path = path_of ("streams.paco");
  PacoWriter *writer;

  info.fps_n = 25;
  info.fps_d = 1;
  info.has_place = 1;
  add_frame (other, encoder, &info);
  signal (SIGXFSZ, SIG_IGN);
  OK (paco_writer_open (path, PACO_WRITER_NEW, &writer, &error));
  write_frames (writer, run, 0, 5);
  set_limit (offset_of (run, 5) + 1);
  REFUSED (IO,
      paco_writer_add (writer, other->bytes->data, size_of (other, 0), &error));
  set_limit (RLIM_INFINITY);
  write_frames (writer, run, 5, 10);
  OK (paco_writer_close (writer, &error));
  assert_file (path, run->bytes->data, run->bytes->len);
  run_free (run);
  run_free (other);
}

/* --- files that change while they are read --- */

static void
append (const char *path, const uint8_t *data, size_t size)
{
  FILE *file = fopen (path, "a");

  g_assert_cmpuint (fwrite (data, 1, size, file), ==, size);
  g_assert_cmpint (fclose (file), ==, 0);
}

/* Reads frame `number`, if it is there, as the next one. */
static bool
follow (PacoReader *reader, const Run *run, unsigned number, size_t written)
{
  PacoFrame frame;
  uint64_t count;

  if (number == n_frames_of (run) || offset_of (run, number + 1) > written) {
    for (unsigned k = 0; k < 2; k++) {
      REFUSED (EMPTY, paco_reader_next (reader, &frame, &error));
      g_assert_cmpuint (frame.skipped, ==, written - offset_of (run, number));
      g_assert_cmpuint (frame.offset, ==, written);
    }
    return false;
  }
  OK (paco_reader_next (reader, &frame, &error));
  check_frame (&frame, run, number);
  g_assert_cmpuint (frame.number, ==, number);
  g_assert_cmpuint (frame.skipped, ==, 0);
  g_assert_cmpuint (frame.missing, ==, 0);
  paco_frame_release (&frame);
  if (g_test_rand_int_range (0, 3) == 0) {
    OK (paco_reader_count (reader, &count, &error));
    g_assert_cmpuint (count, >, number);
    g_assert_cmpuint (offset_of (run, (unsigned) count), <=, written);
  }
  return true;
}

/* Tests a file that grows while it is read, by any number of bytes at a time,
 * with frames that are only half there. */
static void
test_growing (void)
{
  for (unsigned places = 0; places < 2; places++) {
    g_autoptr (Run) run = new_run (20, places);
    g_autofree char *path = save ("growing.paco", run->bytes->data, 0);
    size_t written = 0, size = run->bytes->len;
    unsigned number = 0;
    PacoReader *reader, *other;

    OK (paco_reader_open (path, &reader, &error));
    OK (paco_reader_open (path, &other, &error));
    while (written < size) {
      size_t piece = (size_t) g_test_rand_int_range (1, (gint32) size / 30);

      piece = MIN (piece, size - written);
      append (path, run->bytes->data + written, piece);
      written += piece;
      while (follow (reader, run, number, written))
        number++;
      /* This reader has counted before there was more. */
      if (number > 0)
        OK (paco_reader_seek (other, number - 1, &error));
      REFUSED (INVALID, paco_reader_seek (other, number, &error));
    }
    g_assert_cmpuint (number, ==, n_frames_of (run));
    paco_reader_close (reader);
    paco_reader_close (other);
  }
}

/* Tests a file that changes behind the reader's back. */
static void
test_changing (void)
{
  for (unsigned places = 0; places < 2; places++) {
    g_autoptr (Run) run = new_run (10, places);
    g_autofree char *path = save (
        "changing.paco", run->bytes->data, run->bytes->len);
    g_autoptr (PacoReader) reader = NULL;
    PacoFrame frame;
    uint64_t count;
    FILE *file;

    OK (paco_reader_open (path, &reader, &error));
    OK (paco_reader_count (reader, &count, &error));
    file = fopen (path, "r+");
    for (size_t i = 0; i < run->bytes->len; i++)
      fputc (i < 100 ? 'x' : 0, file);
    g_assert_cmpint (fclose (file), ==, 0);
    if (places) /* The frames are numbered again: there is no such. */
      REFUSED (INVALID, paco_reader_seek (reader, 5, &error));
    else
      REFUSED (IO, paco_reader_seek (reader, 5, &error));
    REFUSED (EMPTY, paco_reader_next (reader, &frame, &error));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/files/damage", test_damage);
  g_test_add_func ("/files/reasons", test_reasons);
  g_test_add_func ("/files/missing", test_missing);
  g_test_add_func ("/files/hostile", test_hostile);
  g_test_add_func ("/files/resume", test_resume);
  g_test_add_func ("/files/full-disk", test_full_disk);
  g_test_add_func (
      "/files/full-disk-between-streams", test_full_disk_between_streams);
  g_test_add_func ("/files/growing", test_growing);
  g_test_add_func ("/files/changing", test_changing);
  return run_in_folder ();
}
