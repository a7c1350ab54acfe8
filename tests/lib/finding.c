/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests frames that libpaco finds without their bytes, which several threads read
 * later: they are those that paco_reader_next() gives, whatever the file is. */
#include "tests/fuzz/mutator.h"
#include "tests/lib/runs.h"
#include "tests/lib/status.h"
#include <stdio.h>
#include <unistd.h>

enum
{
  N_THREADS = 3,
};

/* Reads the bytes of a frame that was found, which the caller frees. */
static uint8_t *
bytes_of (const PacoReader *reader, const PacoFrame *frame)
{
  uint8_t *bytes = g_malloc (frame->size);

  OK (paco_reader_read (reader, frame, bytes, &error));
  return bytes;
}

/* Gives the next frame in one of both ways. */
static PacoStatus
next_or_find (PacoReader *reader, PacoFrame *frame)
{
  PacoError failure;

  return g_test_rand_int_range (0, 4) == 0
      ? paco_reader_next (reader, frame, &failure)
      : paco_reader_find (reader, frame, &failure);
}

/* Checks that both readers, of the same file, give the same frames up to the end.
 * Returns how many came without their bytes. */
static unsigned
compare (PacoReader *reader, PacoReader *finder)
{
  PacoFrame frame, found;
  PacoError failure;
  PacoStatus status;
  unsigned without = 0;

  do {
    status = paco_reader_next (reader, &frame, &failure);
    g_assert_cmpint (next_or_find (finder, &found), ==, status);
    g_assert_cmpuint (found.number, ==, frame.number);
    g_assert_cmpuint (found.offset, ==, frame.offset);
    g_assert_cmpuint (found.skipped, ==, frame.skipped);
    g_assert_cmpuint (found.missing, ==, frame.missing);
    if (status == PACO_STATUS_OK) {
      uint8_t *bytes = bytes_of (finder, &found);

      g_assert_cmpmem (bytes, found.size, frame.data, frame.size);
      g_free (bytes);
      without += !found.data;
    }
    paco_frame_release (&frame);
    paco_frame_release (&found);
  } while (status == PACO_STATUS_OK);
  g_assert_cmpint (status, ==, PACO_STATUS_EMPTY);
  return without;
}

/* --- whole files --- */

typedef struct
{
  const PacoReader *reader;
  const Run *run;
  PacoFrame *frames; /* that were found */
  gint n_found, n_read;
} Readers;

/* Reads frames while others are still found. */
static gpointer
read_frames (gpointer data)
{
  Readers *readers = data;
  gint n = (gint) n_frames_of (readers->run), i;

  while ((i = g_atomic_int_add (&readers->n_read, 1)) < n) {
    g_autofree uint8_t *bytes = NULL;

    while (g_atomic_int_get (&readers->n_found) <= i)
      g_thread_yield ();
    bytes = bytes_of (readers->reader, &readers->frames[i]);
    g_assert_cmpmem (bytes, readers->frames[i].size,
        readers->run->bytes->data + offset_of (readers->run, (unsigned) i),
        size_of (readers->run, (unsigned) i));
  }
  return NULL;
}

static void
test_threads (void)
{
  for (unsigned places = 0; places < 2; places++) {
    g_autoptr (Run) run = new_run (40, places);
    unsigned n = n_frames_of (run);
    g_autofree char *path = save (
        "found.paco", run->bytes->data, run->bytes->len);
    Readers readers = { .run = run, .frames = g_new0 (PacoFrame, n) };
    GThread *threads[N_THREADS];
    PacoReader *reader;
    PacoFrame none;

    OK (paco_reader_open (path, &reader, &error));
    readers.reader = reader;
    for (unsigned i = 0; i < N_THREADS; i++)
      threads[i] = g_thread_new ("read", read_frames, &readers);
    for (unsigned i = 0; i < n; i++) {
      OK (paco_reader_find (reader, &readers.frames[i], &error));
      g_assert_cmpuint (readers.frames[i].number, ==, i);
      g_assert_cmpuint (readers.frames[i].offset, ==, offset_of (run, i));
      /* Nothing behind the last one says that it is whole. */
      g_assert_true (!readers.frames[i].data == (i + 1 < n));
      g_atomic_int_inc (&readers.n_found);
    }
    for (unsigned i = 0; i < N_THREADS; i++)
      g_thread_join (threads[i]);
    REFUSED (EMPTY, paco_reader_find (reader, &none, &error));
    for (unsigned i = 0; i < n; i++)
      paco_frame_release (&readers.frames[i]);
    paco_reader_close (reader);
    g_free (readers.frames);
  }
}

static void
test_seek (void)
{
  g_autoptr (Run) run = new_run (30, true);
  g_autofree char *path = save (
      "sought.paco", run->bytes->data, run->bytes->len);
  PacoReader *reader, *finder;

  OK (paco_reader_open (path, &reader, &error));
  OK (paco_reader_open (path, &finder, &error));
  for (unsigned k = 0; k < 20; k++) {
    unsigned from = (unsigned) g_test_rand_int_range (0, 30);

    OK (paco_reader_seek (reader, from, &error));
    OK (paco_reader_seek (finder, from, &error));
    compare (reader, finder);
  }
  paco_reader_close (reader);
  paco_reader_close (finder);
}

/* --- other files --- */

/* Tests files that are damaged, cut, and put together of pieces. */
static void
test_any_bytes (void)
{
  g_autoptr (Run) run = new_run (12, true);
  size_t size = run->bytes->len, capacity = 2 * size;
  g_autofree uint8_t *changed = g_malloc (capacity);
  unsigned without = 0;

  for (unsigned i = 0; i < 60; i++) {
    size_t changed_size = size;
    PacoReader *reader, *finder;
    g_autofree char *path = NULL;

    memcpy (changed, run->bytes->data, size);
    for (unsigned k = 0; k < i % 4; k++) {
      unsigned frame = (unsigned) g_test_rand_int_range (0, 12);
      size_t at = (size_t) offset_of (run, frame);

      changed_size = at
          + fuzz_mutate_frame (changed + at,
              changed_size - MIN (at, changed_size), capacity - at, 1 << 16,
              (uint64_t) (uint32_t) g_test_rand_int () << 8 | i);
      if (changed_size <= (size_t) offset_of (run, 11))
        break;
    }
    if (i % 3 == 0)
      changed_size -= (size_t) g_test_rand_int_range (0, 60);
    path = save ("any.paco", changed, changed_size);
    OK (paco_reader_open (path, &reader, &error));
    OK (paco_reader_open (path, &finder, &error));
    without += compare (reader, finder);
    paco_reader_close (reader);
    paco_reader_close (finder);
  }
  g_assert_cmpuint (without, >, 0);
}

static void
test_growing (void)
{
  g_autoptr (Run) run = new_run (20, true);
  g_autofree char *path = save ("growing.paco", run->bytes->data, 0);
  size_t written = 0, size = run->bytes->len;
  PacoReader *reader, *finder;

  OK (paco_reader_open (path, &reader, &error));
  OK (paco_reader_open (path, &finder, &error));
  while (written < size) {
    size_t piece = (size_t) g_test_rand_int_range (1, (gint32) size / 30);
    FILE *file = fopen (path, "a");

    piece = MIN (piece, size - written);
    g_assert_cmpuint (
        fwrite (run->bytes->data + written, 1, piece, file), ==, piece);
    g_assert_cmpint (fclose (file), ==, 0);
    written += piece;
    compare (reader, finder);
  }
  paco_reader_close (reader);
  paco_reader_close (finder);
}

/* Tests a file that becomes shorter before a frame is read. */
static void
test_shorter (void)
{
  g_autoptr (Run) run = new_run (5, true);
  g_autofree char *path = save (
      "shorter.paco", run->bytes->data, run->bytes->len);
  g_autofree uint8_t *bytes = g_malloc (run->bytes->len);
  g_autoptr (PacoReader) reader = NULL;
  PacoFrame frame;

  OK (paco_reader_open (path, &reader, &error));
  OK (paco_reader_find (reader, &frame, &error));
  g_assert_null (frame.data);
  REFUSED (INVALID, paco_reader_find (NULL, &frame, &error));
  REFUSED (INVALID, paco_reader_find (reader, NULL, &error));
  REFUSED (INVALID, paco_reader_read (NULL, &frame, bytes, &error));
  REFUSED (INVALID, paco_reader_read (reader, NULL, bytes, &error));
  REFUSED (INVALID, paco_reader_read (reader, &frame, NULL, &error));
  OK (paco_reader_read (reader, &frame, bytes, &error));
  g_assert_cmpint (truncate (path, (off_t) frame.size - 1), ==, 0);
  REFUSED (IO, paco_reader_read (reader, &frame, bytes, &error));
  paco_frame_release (&frame);
}

/* Tests a pipe, of which every frame has its bytes at once. */
static void
test_pipe (void)
{
  g_autoptr (Run) run = new_run (4, true);
  PacoReader *reader;
  PacoFrame frame;
  int fds[2];

  g_assert_cmpint (pipe (fds), ==, 0);
  g_assert_cmpuint (
      run->bytes->len, <, 65536); /* The bytes that a pipe takes. */
  g_assert_cmpint (
      write (fds[1], run->bytes->data, run->bytes->len), ==, run->bytes->len);
  close (fds[1]);
  OK (paco_reader_open_fd (fds[0], &reader, &error));
  for (unsigned i = 0; i < n_frames_of (run); i++) {
    g_autofree uint8_t *bytes = NULL;

    OK (paco_reader_find (reader, &frame, &error));
    check_frame (&frame, run, i);
    bytes = bytes_of (reader, &frame);
    g_assert_cmpmem (bytes, frame.size, frame.data, frame.size);
    paco_frame_release (&frame);
  }
  REFUSED (EMPTY, paco_reader_find (reader, &frame, &error));
  paco_reader_close (reader);
  close (fds[0]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/finding/threads", test_threads);
  g_test_add_func ("/finding/seek", test_seek);
  g_test_add_func ("/finding/any-bytes", test_any_bytes);
  g_test_add_func ("/finding/growing", test_growing);
  g_test_add_func ("/finding/shorter", test_shorter);
  g_test_add_func ("/finding/pipe", test_pipe);
  return run_in_folder ();
}
