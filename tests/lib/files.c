/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests files of frames with libpaco: what is written is what one run writes,
 * wherever its frames come from; what is read is every frame, by its number
 * too. */
#include "tests/lib/runs.h"
#include "tests/lib/status.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- what is written, and read --- */

/* Copies frames [from, to) of a file behind what the writer has. */
static void
copy_frames (PacoWriter *writer, const char *path, uint64_t from, uint64_t to)
{
  g_autoptr (PacoReader) reader = NULL;

  OK (paco_reader_open (path, &reader, &error));
  if (from > 0)
    OK (paco_reader_seek (reader, from, &error));
  for (uint64_t n = from; n < to; n++) {
    PacoFrame frame;

    OK (paco_reader_next (reader, &frame, &error));
    g_assert_cmpuint (frame.number, ==, n);
    OK (paco_writer_add (writer, frame.data, frame.size, &error));
    paco_frame_release (&frame);
  }
}

/* Checks a file of the whole run, read in order and by number. */
static void
check_reader (PacoReader *reader, const Run *run)
{
  unsigned n = n_frames_of (run);
  uint64_t count;
  PacoFrame frame;

  for (unsigned i = 0; i < n; i++) {
    OK (paco_reader_next (reader, &frame, &error));
    check_frame (&frame, run, i);
    g_assert_cmpuint (frame.number, ==, i);
    g_assert_cmpuint (frame.offset, ==, offset_of (run, i));
    g_assert_cmpuint (frame.skipped, ==, 0);
    g_assert_cmpuint (frame.missing, ==, 0);
    paco_frame_release (&frame);
    g_assert_null (frame.data);
  }
  REFUSED (EMPTY, paco_reader_next (reader, &frame, &error));
  g_assert_cmpuint (frame.skipped, ==, 0);
  g_assert_null (frame.data);
  OK (paco_reader_count (reader, &count, &error));
  g_assert_cmpuint (count, ==, n);
  for (unsigned k = 0; k < 2 * n; k++) {
    unsigned i = (unsigned) g_test_rand_int_range (0, (gint32) n);

    OK (paco_reader_seek (reader, i, &error));
    for (unsigned j = i; j < MIN (i + 3, n); j++) {
      OK (paco_reader_next (reader, &frame, &error));
      check_frame (&frame, run, j);
      g_assert_cmpuint (frame.number, ==, j);
      paco_frame_release (&frame);
    }
  }
  REFUSED (INVALID, paco_reader_seek (reader, n, &error));
  REFUSED (INVALID, paco_reader_seek (reader, UINT64_MAX, &error));
}

static void
test_write_and_read (void)
{
  for (unsigned places = 0; places < 2; places++) {
    g_autoptr (Run) run = new_run (40, places);
    g_autofree char *path = path_of ("all.paco");
    uint64_t n_frames, n_bytes;
    PacoWriter *writer;
    g_autoptr (PacoReader) reader = NULL;

    OK (paco_writer_open (path, PACO_WRITER_REPLACE, &writer, &error));
    /* Frames bring other places with them. */
    for (unsigned i = 0; i < n_frames_of (run); i++) {
      g_autofree uint8_t *frame = g_memdup2 (
          run->bytes->data + offset_of (run, i), size_of (run, i));

      if (places)
        OK (paco_frame_set_place (frame, size_of (run, i),
            (uint32_t) g_test_rand_int (), (uint32_t) g_test_rand_int (),
            &error));
      OK (paco_writer_add (writer, frame, size_of (run, i), &error));
    }
    paco_writer_position (writer, &n_frames, &n_bytes);
    g_assert_cmpuint (n_frames, ==, n_frames_of (run));
    g_assert_cmpuint (n_bytes, ==, run->bytes->len);
    paco_writer_position (writer, NULL, NULL);
    OK (paco_writer_sync (writer, &error));
    OK (paco_writer_close (writer, &error));
    assert_file (path, run->bytes->data, run->bytes->len);
    OK (paco_reader_open (path, &reader, &error));
    check_reader (reader, run);
  }
}

/* Tests files that are cut, also where parts come from a part, and joined
 * again. */
static void
test_cut_and_join (void)
{
  g_autoptr (Run) run = new_run (60, true);
  g_autofree char *path = save ("run.paco", run->bytes->data, run->bytes->len);
  char *first = path_of ("first.paco"), *second = path_of ("second.paco");
  char *third = path_of ("third.paco"), *joined = path_of ("joined.paco");
  unsigned a = (unsigned) g_test_rand_int_range (1, 30);
  unsigned b = (unsigned) g_test_rand_int_range (30, 59);
  const struct
  {
    const char *to, *from;
    uint64_t begin, end;
  } copies[] = {
    { first, path, 0, a },
    { second, path, a, 60 },
    { third, second, b - a, 60 - a },
    { joined, first, 0, a },
    { joined, second, 0, b - a },
    { joined, third, 0, 60 - b },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (copies); i++) {
    PacoWriter *writer;

    OK (paco_writer_open (copies[i].to, PACO_WRITER_RESUME, &writer, &error));
    copy_frames (writer, copies[i].from, copies[i].begin, copies[i].end);
    OK (paco_writer_close (writer, &error));
  }
  assert_file (joined, run->bytes->data, run->bytes->len);
  /* A part stands for itself: it is what a run of its frames writes. */
  {
    g_autoptr (PacoReader) reader = NULL;
    PacoFrame frame;
    PacoInfo info = PACO_INFO_INIT;

    OK (paco_reader_open (second, &reader, &error));
    OK (paco_reader_next (reader, &frame, &error));
    OK (paco_probe (frame.data, frame.size, &info, NULL, &error));
    g_assert_cmpuint (info.place_number + info.place_offset, ==, 0);
    paco_frame_release (&frame);
  }
  g_free (first);
  g_free (second);
  g_free (third);
  g_free (joined);
}

/* Tests that another frame rate is another stream, whose places begin again. */
static void
test_frame_rates (void)
{
  g_autoptr (Run) run = new_run (0, true);
  g_autoptr (PacoFrameEncoder) encoder = new_encoder ();
  PacoInfo info = gray_info (0, 0);
  g_autofree char *path = path_of ("rates.paco");
  PacoWriter *writer;
  g_autoptr (PacoReader) reader = NULL;

  info.fps_d = 1;
  info.has_place = 1;
  for (unsigned i = 0; i < 30; i++) {
    if (i % 10 == 0) {
      info.fps_n = i == 10 ? 25 : 24;
      info.place_number = 0;
      info.place_offset = 0;
    }
    add_frame (run, encoder, &info);
  }
  OK (paco_writer_open (path, PACO_WRITER_REPLACE, &writer, &error));
  write_frames (writer, run, 0, 15);
  OK (paco_writer_close (writer, &error));
  OK (paco_writer_open (path, PACO_WRITER_RESUME, &writer, &error));
  write_frames (writer, run, 15, 30);
  OK (paco_writer_close (writer, &error));
  assert_file (path, run->bytes->data, run->bytes->len);
  OK (paco_reader_open (path, &reader, &error));
  check_reader (reader, run);
}

/* Tests a file that becomes shorter while it is read: that is no end like others. */
static void
test_shortened (void)
{
  g_autoptr (Run) run = new_run (20, true);
  g_autofree char *path = path_of ("shortened.paco");
  PacoWriter *writer;
  g_autoptr (PacoReader) reader = NULL;
  PacoError failure;
  PacoStatus said;
  PacoFrame frame;

  OK (paco_writer_open (path, PACO_WRITER_REPLACE, &writer, &error));
  write_frames (writer, run, 0, 20);
  OK (paco_writer_close (writer, &error));
  OK (paco_reader_open (path, &reader, &error));
  for (unsigned i = 0; i < 3; i++) {
    OK (paco_reader_next (reader, &frame, &error));
    paco_frame_release (&frame);
  }
  g_assert_cmpint (truncate (path, (off_t) offset_of (run, 12)), ==, 0);
  while ((said = paco_reader_next (reader, &frame, &failure)) == PACO_STATUS_OK)
    paco_frame_release (&frame);
  g_assert_cmpuint (frame.number, ==, 12);
  g_assert_cmpint (said, ==, PACO_STATUS_IO);
  g_assert_nonnull (strstr (failure.message, "was cut while it was read"));
  REFUSED (EMPTY, paco_reader_next (reader, &frame, &error));
  g_assert_cmpint (truncate (path, 0), ==, 0);
  REFUSED (IO, paco_reader_next (reader, &frame, &error));
  REFUSED (EMPTY, paco_reader_next (reader, &frame, &error));
}

/* --- what is no file --- */

typedef struct
{
  const Run *run;
  int fd;
} Pipe;

static gpointer
write_to_pipe (gpointer data)
{
  const Pipe *pipe = data;
  PacoWriter *writer;

  OK (paco_writer_open_fd (pipe->fd, &writer, &error));
  write_frames (writer, pipe->run, 0, n_frames_of (pipe->run));
  OK (paco_writer_sync (writer, &error));
  OK (paco_writer_close (writer, &error));
  close (pipe->fd);
  return NULL;
}

static void
test_pipe (void)
{
  g_autoptr (Run) run = new_run (30, true);
  uint64_t count;
  PacoReader *reader;
  PacoFrame frame;
  GThread *thread;
  int fds[2];
  Pipe from;

  g_assert_cmpint (pipe (fds), ==, 0);
  from = (Pipe){ run, fds[1] };
  thread = g_thread_new ("writer", write_to_pipe, &from);
  OK (paco_reader_open_fd (fds[0], &reader, &error));
  REFUSED (UNSUPPORTED, paco_reader_count (reader, &count, &error));
  REFUSED (UNSUPPORTED, paco_reader_seek (reader, 0, &error));
  for (unsigned i = 0; i < n_frames_of (run); i++) {
    OK (paco_reader_next (reader, &frame, &error));
    check_frame (&frame, run, i);
    g_assert_cmpuint (frame.offset, ==, offset_of (run, i));
    paco_frame_release (&frame);
  }
  REFUSED (EMPTY, paco_reader_next (reader, &frame, &error));
  g_thread_join (thread);
  paco_reader_close (reader);
  g_assert_cmpint (close (fds[0]), ==, 0); /* The file was left open. */
}

static void
test_misuse (void)
{
  g_autoptr (PacoReader) reader = NULL;
  PacoWriter *writer;
  PacoFrame frame;
  char *path = path_of ("nothing.paco"), *folder = path_of ("");
  uint64_t count;

  REFUSED (INVALID, paco_reader_open (NULL, &reader, &error));
  REFUSED (INVALID, paco_reader_open (path, NULL, &error));
  REFUSED (IO, paco_reader_open (path, &reader, &error));
  g_assert_null (reader);
  REFUSED (IO, paco_reader_open_fd (-1, &reader, &error));
  REFUSED (IO, paco_writer_open_fd (-1, &writer, &error));
  REFUSED (INVALID, paco_writer_open (NULL, 0, &writer, &error));
  REFUSED (INVALID, paco_writer_open (path, 0, NULL, &error));
  REFUSED (INVALID, paco_writer_open (path, 3, &writer, &error));
  REFUSED (IO, paco_writer_open (folder, PACO_WRITER_REPLACE, &writer, &error));
  REFUSED (INVALID, paco_writer_add (NULL, path, 1, &error));
  REFUSED (INVALID, paco_writer_sync (NULL, &error));
  REFUSED (INVALID, paco_reader_next (NULL, &frame, &error));
  REFUSED (INVALID, paco_reader_seek (NULL, 0, &error));
  REFUSED (INVALID, paco_reader_count (NULL, &count, &error));
  paco_reader_close (NULL);
  OK (paco_writer_close (NULL, &error));
  OK (paco_writer_open (path, PACO_WRITER_NEW, &writer, &error));
  REFUSED (INVALID, paco_writer_add (writer, NULL, 1, &error));
  REFUSED (NOT_PACO,
      paco_writer_add (writer, "This is no frame, alas.", 23, &error));
  OK (paco_writer_close (writer, &error));
  /* A file may have no frames. */
  OK (paco_reader_open (path, &reader, &error));
  REFUSED (INVALID, paco_reader_next (reader, NULL, &error));
  REFUSED (EMPTY, paco_reader_next (reader, &frame, &error));
  OK (paco_reader_count (reader, &count, &error));
  g_assert_cmpuint (count, ==, 0);
  REFUSED (INVALID, paco_reader_seek (reader, 0, &error));
  g_free (path);
  g_free (folder);
}

/* Expects that the path is refused for this reason. */
static void
check_no_input (const char *path, const char *reason)
{
  PacoReader *reader;
  PacoError failure;

  check_refused (
      paco_reader_open (path, &reader, &failure), &failure, PACO_STATUS_IO);
  g_assert_null (reader);
  g_assert_nonnull (strstr (failure.message, path));
  g_assert_nonnull (strstr (failure.message, reason));
}

/* What is no file is refused when it is opened, and a pipe is not waited for. */
static void
test_no_files (void)
{
  char *folder = path_of (""), *pipe = path_of ("pipe"),
       *link = path_of ("link");
  PacoReader *reader;
  int fd;

  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  g_assert_cmpint (symlink ("pipe", link), ==, 0);
  check_no_input (folder, "it is a folder");
  check_no_input (pipe, "it is a pipe");
  check_no_input (link, "it is a pipe");
  check_no_input ("/dev/zero", "it is a device");
  fd = open (folder, O_RDONLY | O_CLOEXEC);
  g_assert_cmpint (fd, >=, 0);
  REFUSED (IO, paco_reader_open_fd (fd, &reader, &error));
  close (fd);
  unlink (link);
  unlink (pipe);
  g_free (link);
  g_free (pipe);
  g_free (folder);
}

/* --- memory --- */

static gpointer
release_all (gpointer data)
{
  PacoFrame *frames = data;

  for (unsigned i = 0; i < 40; i++)
    paco_frame_release (&frames[i]);
  return NULL;
}

/* Tests that frames outlive their reader, and are released by other threads
 * while it reads. */
static void
test_release (void)
{
  g_autoptr (Run) run = new_run (40, true);
  g_autofree char *path = save (
      "released.paco", run->bytes->data, run->bytes->len);
  PacoFrame frames[2][40];
  GThread *thread;

  for (unsigned k = 0; k < 10; k++) {
    PacoReader *reader;

    OK (paco_reader_open (path, &reader, &error));
    for (unsigned i = 0; i < 40; i++)
      OK (paco_reader_next (reader, &frames[0][i], &error));
    for (unsigned i = 0; i < 40; i++)
      check_frame (&frames[0][i], run, i);
    OK (paco_reader_seek (reader, 0, &error));
    thread = g_thread_new ("release", release_all, frames[0]);
    for (unsigned i = 0; i < 40; i++)
      OK (paco_reader_next (reader, &frames[1][i], &error));
    paco_reader_close (reader);
    g_thread_join (thread);
    for (unsigned i = 0; i < 40; i++)
      check_frame (&frames[1][i], run, i);
    release_all (frames[1]);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/files/write-and-read", test_write_and_read);
  g_test_add_func ("/files/cut-and-join", test_cut_and_join);
  g_test_add_func ("/files/frame-rates", test_frame_rates);
  g_test_add_func ("/files/shortened", test_shortened);
  g_test_add_func ("/files/pipe", test_pipe);
  g_test_add_func ("/files/no-files", test_no_files);
  g_test_add_func ("/files/misuse", test_misuse);
  g_test_add_func ("/files/release", test_release);
  return run_in_folder ();
}
