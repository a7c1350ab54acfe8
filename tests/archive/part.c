/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests the space that a file of frames takes ahead while an archive is written
 * (tool/archive/part.h): the file never counts it as its own, it is given back, and a
 * system that refuses it changes nothing. */
#include "tool/archive/part.h"
#include "tests/lib/status.h"
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

enum
{
  FEWEST_FRAMES = 20,
  WIDTH = 160,
  HEIGHT = 100,
  /* What a file may take beside its bytes. */
  SLACK = 64 << 10,
};

/* What the function below was asked for, and does. */
static struct
{
  guint n_calls;
  guint64 end;   /* of the space that was given last */
  guint n_given; /* How many are not refused; G_MAXUINT: all. */
  int refusal;   /* errno */
} space;

/* This takes the place of the system's function in this program. */
int
fallocate (int fd, int mode, off_t offset, off_t length)
{
  g_assert_cmpint (mode, ==, FALLOC_FL_KEEP_SIZE);
  if (space.n_calls++ >= space.n_given) {
    errno = space.refusal;
    return -1;
  }
  if (syscall (SYS_fallocate, fd, mode, offset, length) != 0) {
    space.n_given = 0;
    return -1;
  }
  space.end = (guint64) (offset + length);
  return 0;
}

/* A frame, and a file with an open part. */
typedef struct
{
  PacoFrameEncoder *encoder;
  PacoFrame frame;
  char *folder, *path, *part_path;
  PacoPart *part;
  GByteArray *written;
} Fixture;

static void
open_part (Fixture *f)
{
  GError *error = NULL;

  f->part = paco_part_open (f->path, 0, &error);
  g_assert_no_error (error);
}

static void
set_up (Fixture *f, gconstpointer data)
{
  PacoInfo info = PACO_INFO_INIT;
  guint8 samples[WIDTH * HEIGHT];
  PacoImage image;

  space.n_calls = 0;
  space.end = 0;
  space.n_given = G_MAXUINT;
  f->encoder = paco_frame_encoder_new ();
  OK (paco_frame_encoder_set (f->encoder, "backend", "cpu", &error));
  OK (paco_frame_encoder_set (f->encoder, "threads", "1", &error));
  info.width = WIDTH;
  info.height = HEIGHT;
  info.n_components = 1;
  info.depth[0] = 8;
  info.has_place = 1;
  for (guint i = 0; i < sizeof samples; i++)
    samples[i] = (guint8) g_test_rand_int ();
  OK (paco_image_init (&image, &info, 0, 0, samples, NULL, &error));
  OK (paco_frame_encoder_configure (f->encoder, &info, &error));
  OK (paco_frame_encoder_encode (f->encoder, &image, NULL, &f->frame, &error));
  f->folder = g_dir_make_tmp ("paco-part-XXXXXX", NULL);
  f->path = g_build_filename (f->folder, "a.paco", NULL);
  f->part_path = g_strconcat (f->path, ".part", NULL);
  f->written = g_byte_array_new ();
  open_part (f);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  paco_part_free (f->part);
  paco_frame_release (&f->frame);
  paco_frame_encoder_free (f->encoder);
  g_unlink (f->path);
  g_unlink (f->part_path);
  g_assert_cmpint (g_rmdir (f->folder), ==, 0);
  g_byte_array_unref (f->written);
  g_free (f->path);
  g_free (f->part_path);
  g_free (f->folder);
}

static struct stat
look_at (const char *path)
{
  struct stat status;

  g_assert_cmpint (stat (path, &status), ==, 0);
  return status;
}

static guint64
space_of (const char *path)
{
  return (guint64) look_at (path).st_blocks * 512;
}

static void
append (Fixture *f)
{
  GError *error = NULL;

  g_assert_true (
      paco_part_append (f->part, f->frame.data, f->frame.size, &error));
  g_assert_no_error (error);
  g_byte_array_append (f->written, f->frame.data, (guint) f->frame.size);
  g_assert_cmpuint (
      (guint64) look_at (f->part_path).st_size, ==, f->written->len);
}

static void
assert_written (const Fixture *f, const char *path)
{
  g_autofree char *contents = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (path, &contents, &size, NULL));
  g_assert_cmpmem (contents, size, f->written->data, f->written->len);
}

static gboolean
is_in_memory (const char *path)
{
  struct statfs status;

  g_assert_cmpint (statfs (path, &status), ==, 0);
  return status.f_type == TMPFS_MAGIC || status.f_type == RAMFS_MAGIC;
}

/* Appends frames up to one for which much space was taken. Returns FALSE if the file
 * system gives none. */
static gboolean
take_space (Fixture *f)
{
  guint calls;

  do {
    calls = space.n_calls;
    append (f);
  } while (f->written->len < FEWEST_FRAMES * f->frame.size
      || (space.n_given > 0 && calls > 0 && space.n_calls == calls));
  if (is_in_memory (f->folder))
    g_assert_cmpuint (space.n_calls, ==, 0);
  else
    g_assert_cmpuint (space.n_calls, >, 0);
  if (space.n_given == 0 || space.n_calls == 0) {
    g_test_skip ("the file system takes no space ahead");
    return FALSE;
  }
  /* Each time as much as the file has already. */
  g_assert_cmpuint (space.n_calls, <, 10);
  g_assert_cmpuint (space.end, >=, f->written->len + FEWEST_FRAMES * 10000);
  g_assert_cmpuint (space_of (f->part_path), >=, space.end - SLACK);
  return TRUE;
}

/* Tests that a run that ends by itself gives the space back. */
static void
test_free (Fixture *f, gconstpointer data)
{
  gboolean taken = take_space (f);

  g_clear_pointer (&f->part, paco_part_free);
  assert_written (f, f->part_path);
  if (taken)
    g_assert_cmpuint (space_of (f->part_path), <=, f->written->len + SLACK);
}

static void
test_finish (Fixture *f, gconstpointer data)
{
  gboolean taken = take_space (f);
  GError *error = NULL;

  g_assert_true (paco_part_finish (f->part, &error));
  g_assert_no_error (error);
  assert_written (f, f->path);
  if (taken)
    g_assert_cmpuint (space_of (f->path), <=, f->written->len + SLACK);
}

/* Tests that the next run gives back what a killed one has taken. */
static void
test_killed (Fixture *f, gconstpointer data)
{
  gsize behind = 1 << 20;
  gboolean taken;
  int fd;

  take_space (f);
  g_clear_pointer (&f->part, paco_part_free);
  fd = open (f->part_path, O_WRONLY);
  taken = syscall (SYS_fallocate, fd, FALLOC_FL_KEEP_SIZE,
              (off_t) f->written->len, (off_t) behind)
      == 0;
  close (fd);
  if (taken)
    g_assert_cmpuint (
        space_of (f->part_path), >=, f->written->len + behind / 2);
  open_part (f);
  while (f->part->offset < f->written->len)
    paco_part_keep (f->part, f->frame.size);
  g_assert_true (paco_part_truncate (f->part, NULL));
  assert_written (f, f->part_path);
  g_assert_cmpuint (space_of (f->part_path), <=, f->written->len + SLACK);
}

/* Tests that what is of somebody else keeps its bytes and its space. */
static void
test_untouched (Fixture *f, gconstpointer data)
{
  take_space (f);
  g_clear_pointer (&f->part, paco_part_free);
  open_part (f);
  g_clear_pointer (&f->part, paco_part_free);
  assert_written (f, f->part_path);
}

/* Tests systems that refuse, from the beginning or later: they are asked once. */
static void
test_refused (Fixture *f, gconstpointer data)
{
  space.refusal = GPOINTER_TO_INT (data);
  space.n_given = (guint) g_test_rand_int_range (0, 3);
  for (guint i = 0; i < FEWEST_FRAMES; i++)
    append (f);
  g_assert_cmpuint (space.n_calls, <=, space.n_given + 1);
  if (!is_in_memory (f->folder))
    g_assert_cmpuint (space.n_calls, >, 0);
  g_clear_pointer (&f->part, paco_part_free);
  assert_written (f, f->part_path);
  g_assert_cmpuint (space_of (f->part_path), <=, f->written->len + SLACK);
}

int
main (int argc, char **argv)
{
  static const int refusals[] = { ENOSPC, EDQUOT, EFBIG, EOPNOTSUPP, ENOSYS,
    EINVAL, EPERM, EINTR };
  static const struct
  {
    const char *name;
    void (*test) (Fixture *f, gconstpointer data);
  } tests[] = { { "free", test_free }, { "finish", test_finish },
    { "killed", test_killed }, { "untouched", test_untouched } };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++) {
    g_autofree char *name = g_strconcat ("/part/", tests[i].name, NULL);

    g_test_add (name, Fixture, NULL, set_up, tests[i].test, tear_down);
  }
  for (guint i = 0; i < G_N_ELEMENTS (refusals); i++) {
    g_autofree char *name = g_strdup_printf (
        "/part/refused/%s", g_strerror (refusals[i]));

    g_test_add (name, Fixture, GINT_TO_POINTER (refusals[i]), set_up,
        test_refused, tear_down);
  }
  return g_test_run ();
}
