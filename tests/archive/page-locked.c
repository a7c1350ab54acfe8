/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests page-locked memory of the archive: if a GPU codes, files are read into
 * memory that it reads by itself, and frames are decoded into such memory
 * (tool/archive/bytes.h), so that the backend takes no staging memory, through which it
 * would have to copy them. The emulated driver of tests/gpu/driver counts what is
 * asked for. */
#include "tool/archive/archive.h"
#include "tool/archive/restore.h"
#include "tool/archive/run.h"
#include "tests/archive/restoring.h"
#include "tests/gpu/driver/fake-driver.h"
#include "tests/lib/status.h"
#include <dlfcn.h>
#include <glib/gstdio.h>

#define WIDTH 80
#define HEIGHT 60
/* So much is behind the picture, which is many times what its frame takes. */
#define BEHIND (4 << 20)
#define N_FILES 3

static struct
{
  unsigned (*calls) (unsigned i, const char **name);
  void (*left) (FakeCudaLeft *left);
} driver;

static gboolean
open_driver (void)
{
  void *library = dlopen ("libcuda.so.1", RTLD_NOW);
  void *calls = library ? dlsym (library, "fake_cuda_calls") : NULL;
  void *left = library ? dlsym (library, "fake_cuda_left") : NULL;

  memcpy (&driver.calls, &calls, sizeof calls);
  memcpy (&driver.left, &left, sizeof left);
  return calls && left;
}

/* Returns how often page-locked memory was asked for. */
static unsigned
allocations (void)
{
  return fake_cuda_calls_of (driver.calls, "cuMemHostAlloc");
}

static gsize
host_bytes (void)
{
  FakeCudaLeft left;

  driver.left (&left);
  return left.host_bytes;
}

/* Makes a PGM file of noise, with zeros or noise behind it, and returns its path. */
static char *
make_file (const char *folder, guint number, gsize behind, gboolean noise)
{
  char *path = g_strdup_printf ("%s/shot.%04u.pgm", folder, number);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  char head[32];
  int n = g_snprintf (head, sizeof head, "P5\n%d %d\n255\n", WIDTH, HEIGHT);

  g_byte_array_append (bytes, (const guint8 *) head, (guint) n);
  g_byte_array_set_size (bytes, (guint) n + WIDTH * HEIGHT + (guint) behind);
  memset (bytes->data + n, 0, bytes->len - (guint) n);
  for (guint i = (guint) n;
       i < (noise ? bytes->len : (guint) n + WIDTH * HEIGHT); i++)
    bytes->data[i] = (guint8) g_test_rand_int ();
  g_assert_true (
      g_file_set_contents (path, (const char *) bytes->data, bytes->len, NULL));
  return path;
}

/* Reads the file into memory of the encoder, or into ordinary one, and encodes it. */
static void
encode (PacoFrameEncoder *encoder, gboolean locked, const char *path,
    PacoFrame *frame)
{
  PacoBytes *bytes = paco_bytes_new ();
  g_auto (PacoSource) source;
  GStatBuf file;

  bytes->encoder = locked ? encoder : NULL;
  paco_source_init (&source);
  g_assert_cmpint (g_stat (path, &file), ==, 0);
  g_assert_true (paco_read_whole_file (
      path, (guint64) file.st_size, bytes, NULL, NULL, NULL));
  g_assert_true (paco_source_parse (paco_source_kind (bytes->data, bytes->len),
      bytes->data, bytes->len, &source, NULL));
  OK (paco_frame_encoder_configure (encoder, &source.info, &error));
  OK (paco_frame_encoder_encode (encoder, &source.image, NULL, frame, &error));
  paco_bytes_free (bytes);
}

static void
decode (PacoFrameDecoder *decoder, gboolean locked, const PacoFrame *frame)
{
  PacoBytes *bytes = paco_bytes_new ();
  PacoInfo info = PACO_INFO_INIT;
  PacoImage image;
  gsize size;

  bytes->decoder = locked ? decoder : NULL;
  OK (paco_probe (frame->data, frame->size, &info, NULL, &error));
  OK (paco_image_init (&image, &info, 0, 0, NULL, &size, &error));
  paco_bytes_set_size (bytes, size);
  OK (paco_image_init (&image, &info, 0, 0, bytes->data, NULL, &error));
  OK (paco_frame_decoder_decode (
      decoder, frame->data, frame->size, &image, NULL, &error));
  paco_bytes_free (bytes);
}

/* Tests how often staging memory is taken when all other memory is there. */
static void
test_no_copies (void)
{
  g_autofree char *folder = g_dir_make_tmp ("paco-page-locked-XXXXXX", NULL);
  g_autofree char *path = make_file (folder, 1, 100, FALSE);
  g_autoptr (PacoFrameEncoder) encoder = paco_frame_encoder_new ();
  g_autoptr (PacoFrameDecoder) decoder = paco_frame_decoder_new ();
  PacoFrame frame;
  unsigned before;

  OK (paco_frame_encoder_set (encoder, "backend", "cuda", &error));
  OK (paco_frame_encoder_set (encoder, "rate-control", "lossless", &error));
  OK (paco_frame_encoder_set (encoder, "pipeline-depth", "1", &error));
  OK (paco_frame_decoder_set (decoder, "backend", "cuda", &error));
  OK (paco_frame_decoder_set (decoder, "pipeline-depth", "1", &error));
  for (unsigned i = 0; i < 3; i++) {
    encode (encoder, TRUE, path, &frame);
    decode (decoder, TRUE, &frame);
    paco_frame_release (&frame);
  }
  before = allocations ();
  encode (encoder, TRUE, path, &frame);
  g_assert_cmpuint (allocations () - before, ==, 1); /* for the file */
  before = allocations ();
  decode (decoder, TRUE, &frame);
  g_assert_cmpuint (allocations () - before, ==, 1);
  /* Ordinary memory needs staging memory, which was not there yet. */
  before = allocations ();
  decode (decoder, FALSE, &frame);
  g_assert_cmpuint (allocations () - before, ==, 1);
  paco_frame_release (&frame);
  before = allocations ();
  encode (encoder, FALSE, path, &frame);
  g_assert_cmpuint (allocations () - before, ==, 1);
  paco_frame_release (&frame);
  remove_folder (folder);
}

static void
note_most (gpointer user, guint64 done, guint64 total)
{
  gsize *most = user;

  *most = MAX (*most, host_bytes ());
}

static const char *const coders[] = { "backend", "cuda", NULL };

typedef struct
{
  PacoReader *reader;
  gsize most;
} Restore;

static gboolean
next_frame (gpointer user, PacoFrame *frame, gpointer *owner, GError **error)
{
  return paco_reader_find (((Restore *) user)->reader, frame, NULL)
      == PACO_STATUS_OK;
}

static gboolean
read_frame (gpointer user, const PacoFrame *frame, guint8 *data, GError **error)
{
  return paco_reader_read (((Restore *) user)->reader, frame, data, NULL)
      == PACO_STATUS_OK;
}

static void
release_frame (gpointer user, PacoFrame *frame, gpointer owner)
{
  paco_frame_release (frame);
}

static void
note_most_restored (gpointer user, guint64 done)
{
  Restore *restore = user;

  restore->most = MAX (restore->most, host_bytes ());
}

/* Makes the files again, which takes at least `least` bytes of page-locked memory. */
static void
restore (const char *path, guint n_files, gsize least)
{
  Restore restore = { NULL, 0 };
  PacoRestoreOptions options = {
    .coders = coders,
    .limits = PACO_RESTORE_LIMITS,
    .next = next_frame,
    .read = read_frame,
    .release = release_frame,
    .progress = note_most_restored,
    .user = &restore,
  };
  PacoReport report;
  GError *failure = NULL;

  OK (paco_reader_open (path, &restore.reader, &error));
  paco_report_init (&report, "restore", path, "");
  paco_restore_run (&options, &report, &failure);
  g_assert_no_error (failure);
  g_assert_cmpuint (report.verified, ==, n_files);
  g_assert_cmpuint (restore.most, >=, least);
  paco_report_clear (&report);
  paco_reader_close (restore.reader);
}

/* Archives files with noise behind their pictures, or zeros, and makes them again.
 * Returns how much page-locked memory archiving took. */
static gsize
archive_and_restore (gboolean noise, gsize least)
{
  g_autofree char *folder = g_dir_make_tmp ("paco-page-locked-XXXXXX", NULL);
  g_autofree char *in = g_build_filename (folder, "in", NULL);
  g_autofree char *out = g_build_filename (folder, "a.paco", NULL);
  PacoArchiveOptions options = {
    .folder = in,
    .out = out,
    .verify = TRUE,
    .readers = 1,
    .coders = coders,
    .progress = note_most,
  };
  PacoReport report;
  GError *error = NULL;
  gsize most = 0;

  g_assert_cmpint (g_mkdir (in, 0700), ==, 0);
  for (guint i = 0; i < N_FILES; i++)
    g_free (make_file (in, i, BEHIND, noise));
  options.user = &most;
  paco_report_init (&report, "archive", in, out);
  paco_archive_run (&options, &report, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (report.verified, ==, N_FILES);
  paco_report_clear (&report);
  restore (out, N_FILES, least);
  remove_folder (folder);
  return most;
}

/* Tests that a run's files are in page-locked memory, that no more of them are than are
 * in use at once, and that frames are compared with them where they are. */
static void
test_runs (void)
{
  gsize most = archive_and_restore (FALSE, N_FILES * (gsize) BEHIND);

  g_assert_cmpuint (most, >=, (gsize) BEHIND);
  g_assert_cmpuint (most, <, (N_FILES + 1) * (gsize) BEHIND);
}

/* Tests that frames that are to be decoded are read to such memory as well, of which
 * one is taken at least. They keep what is behind pictures, for which decoders take no
 * memory. */
static void
test_frames (void)
{
  archive_and_restore (TRUE, (N_FILES + 1) * (gsize) BEHIND);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!open_driver ()) {
    g_print ("1..0 # SKIP there is no emulated driver\n");
    return 0;
  }
  g_test_add_func ("/page-locked/no-copies", test_no_copies);
  g_test_add_func ("/page-locked/runs", test_runs);
  g_test_add_func ("/page-locked/frames", test_frames);
  return g_test_run ();
}
