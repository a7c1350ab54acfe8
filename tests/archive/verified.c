/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests that archive finds frames that do not give their files back. Calls of the archive
 * to libpaco come here first (the linker's --wrap): one picture is coded with another
 * sample than the file has, which nothing but the verification can find; or a file changes
 * in a way that its size and its time do not show. */
#include "tool/archive/archive.h"
#include "dpx-writer.h"
#include "tests/lib/status.h"
#include <glib/gstdio.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define N_FILES 6
#define HEADER "P5\n8 8\n127\n"
#define PICTURE (sizeof HEADER - 1 + 64) /* bytes */

PacoStatus __real_paco_frame_encoder_submit (PacoFrameEncoder *encoder,
    const PacoImage *image, const PacoExtras *extras, void *user,
    PacoError *error);
PacoStatus __wrap_paco_frame_encoder_submit (PacoFrameEncoder *encoder,
    const PacoImage *image, const PacoExtras *extras, void *user,
    PacoError *error);
PacoStatus __real_paco_frame_decoder_submit_comparison (
    PacoFrameDecoder *decoder, const void *data, size_t size,
    const PacoImage *image, void *user, PacoError *error);
PacoStatus __wrap_paco_frame_decoder_submit_comparison (
    PacoFrameDecoder *decoder, const void *data, size_t size,
    const PacoImage *image, void *user, PacoError *error);

static struct
{
  gint64 wrong;        /* the picture that is coded otherwise; -1: none */
  guint n_pictures;    /* that were submitted */
  guint n_compared;    /* in place */
  guint8 *copy;        /* of the wrong picture */
  const char *changes; /* when the first picture is submitted; NULL: no file */
} hooks;

/* Changes the last byte of the file's first picture, and no time that archive looks at. */
static void
change_file (const char *path)
{
  int fd = open (path, O_RDWR);
  struct stat status;
  guint8 byte;

  g_assert_cmpint (fstat (fd, &status), ==, 0);
  g_assert_cmpint (pread (fd, &byte, 1, PICTURE - 1), ==, 1);
  byte ^= 1;
  g_assert_cmpint (pwrite (fd, &byte, 1, PICTURE - 1), ==, 1);
  g_assert_cmpint (
      futimens (fd, (struct timespec[]){ status.st_atim, status.st_mtim }), ==,
      0);
  close (fd);
}

/* Of the first sample, bit 4 or a higher one is in the first byte of big-endian files
 * of 10 and 16 bits. */
PacoStatus
__wrap_paco_frame_encoder_submit (PacoFrameEncoder *encoder,
    const PacoImage *image, const PacoExtras *extras, void *user,
    PacoError *error)
{
  PacoImage other = *image;
  PacoStatus status;

  if (hooks.changes)
    change_file (hooks.changes);
  hooks.changes = NULL;
  if (hooks.n_pictures == hooks.wrong) {
    g_free (hooks.copy);
    hooks.copy = g_memdup2 (image->data[0], image->size[0]);
    hooks.copy[0] ^= 0x10;
    for (guint c = 0; c < PACO_COMPONENTS && other.data[c]; c++)
      other.data[c] = hooks.copy;
  }
  status = __real_paco_frame_encoder_submit (
      encoder, &other, extras, user, error);
  hooks.n_pictures += status == PACO_STATUS_OK;
  return status;
}

PacoStatus
__wrap_paco_frame_decoder_submit_comparison (PacoFrameDecoder *decoder,
    const void *data, size_t size, const PacoImage *image, void *user,
    PacoError *error)
{
  PacoStatus status = __real_paco_frame_decoder_submit_comparison (
      decoder, data, size, image, user, error);

  hooks.n_compared += status == PACO_STATUS_OK;
  return status;
}

static void
make_folder (const char *folder, guint depth, DpxPadding padding)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_test_rand_int ());
  const DpxCase c = { .big_endian = TRUE,
    .width = 50,
    .height = 40,
    .n_elements = 1,
    .elements = { { 50, depth, 1 } },
    .padding = padding };

  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  for (guint i = 0; i < N_FILES; i++) {
    g_autofree char *path = g_strdup_printf ("%s/scan.%04u.dpx", folder, i);
    g_auto (DpxFile) file;

    dpx_file_write (rand, &c, &file);
    g_assert_true (g_file_set_contents (
        path, (char *) file.bytes->data, file.bytes->len, NULL));
  }
}

static gboolean
archive (const char *folder, const char *out, gboolean verify, gint64 wrong,
    PacoReport *report, GError **error)
{
  static const char *const coders[] = { "backend", "cpu", "threads", "1",
    NULL };
  PacoArchiveOptions options = { .folder = folder,
    .out = out,
    .verify = verify,
    .readers = 2,
    .coders = coders };

  hooks.wrong = wrong;
  hooks.n_pictures = hooks.n_compared = 0;
  paco_report_init (report, "archive", folder, out);
  return paco_archive_run (&options, report, error);
}

/* Checks that what is right is verified, that of a picture which is wrong neither its
 * frame is written nor a later one, and that who does not verify gets them all. */
static void
check (guint depth, DpxPadding padding, gboolean in_place)
{
  g_autofree char *top = g_dir_make_tmp ("paco-verified-XXXXXX", NULL);
  g_autofree char *folder = g_build_filename (top, "scans", NULL);
  g_autofree char *out = g_build_filename (top, "out.paco", NULL);
  guint wrong = (guint) g_test_rand_int_range (0, N_FILES);
  PacoReport report;
  GError *error = NULL;

  make_folder (folder, depth, padding);
  g_assert_false (archive (folder, out, TRUE, wrong, &report, &error));
  g_assert_error (error, PACO_ARCHIVE_ERROR, PACO_ARCHIVE_DAMAGED);
  g_assert_nonnull (strstr (error->message, "does not give it back"));
  g_assert_cmpuint (report.frames->len, ==, wrong);
  g_assert_false (g_file_test (out, G_FILE_TEST_EXISTS));
  g_clear_error (&error);
  paco_report_clear (&report);

  g_assert_true (archive (folder, out, TRUE, -1, &report, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (report.verified, ==, N_FILES - wrong);
  g_assert_cmpuint (hooks.n_compared, ==, in_place ? N_FILES - wrong : 0);
  paco_report_clear (&report);
  g_unlink (out);

  g_assert_true (archive (folder, out, FALSE, wrong, &report, &error));
  paco_report_clear (&report);
  remove_folder (top);
  g_clear_pointer (&hooks.copy, g_free);
}

/* Tests files that are compared where they are. */
static void
test_in_place (void)
{
  check (16, DPX_PADDING_CLEAR, TRUE);
  check (10, DPX_PADDING_CLEAR, TRUE);
}

/* Tests files whose bits of padding are set, and that are made again. */
static void
test_made_again (void)
{
  check (10, DPX_PADDING_SET, FALSE);
}

/* Tests a file of three pictures, of which the last one turns out to be no frame: the
 * member that it becomes has the checksum of the whole file, in which the frames must have
 * the bytes that are in the file then. */
static void
check_changed (gboolean changes)
{
  g_autofree char *top = g_dir_make_tmp ("paco-verified-XXXXXX", NULL);
  g_autofree char *folder = g_build_filename (top, "in", NULL);
  g_autofree char *path = g_build_filename (folder, "a.pgm", NULL);
  g_autofree char *out = g_build_filename (top, "out.paco", NULL);
  char file[3 * PICTURE];
  PacoReport report;
  GError *error = NULL;

  for (guint i = 0; i < 3; i++) {
    memset (file + i * PICTURE, i < 2 ? 1 : 255, PICTURE);
    memcpy (file + i * PICTURE, HEADER, sizeof HEADER - 1);
  }
  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, file, sizeof file, NULL));
  hooks.changes = changes ? path : NULL;
  g_assert_true (archive (folder, out, TRUE, -1, &report, &error) == !changes);
  g_assert_cmpuint (report.n_frames, ==, 2);
  if (changes)
    g_assert_nonnull (strstr (error->message, "has changed while it was read"));
  g_clear_error (&error);
  paco_report_clear (&report);
  remove_folder (top);
}

static void
test_changed (void)
{
  check_changed (FALSE);
  check_changed (TRUE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/verified/in-place", test_in_place);
  g_test_add_func ("/verified/made-again", test_made_again);
  g_test_add_func ("/verified/changed", test_changed);
  return g_test_run ();
}
