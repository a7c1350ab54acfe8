/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The golden streams are what they always were, and every implementation decodes them to
 * the pixels that they always had, at full size and leaving out levels; slices of stacks,
 * to the pictures of their stack.
 *
 *   golden FOLDER */
#include "codec/backend.h"
#include "codec/reference/reference.h"
#include "tests/codec/test-picture.h"
#include <stdlib.h>
#include <string.h>

static const char *folder;

/* Decodes a whole frame; the header is that of the frame. */
typedef gboolean (*Decode) (const uint8_t *data, size_t size,
    const PacoHeader *header, unsigned reduce, const PacoPicture *destination,
    uint32_t *corrupted_blocks, GError **error);

static gboolean
decode_reference (const uint8_t *data, size_t size, const PacoHeader *header,
    unsigned reduce, const PacoPicture *destination, uint32_t *corrupted_blocks,
    GError **error)
{
  return paco_reference_decode (
      data, size, reduce, destination, corrupted_blocks, error);
}

#ifdef HAVE_CPU_BACKEND
/* Meson names the backend that is tested besides the reference. */
#ifndef BACKEND
#define BACKEND paco_cpu_backend
#endif
/* One decoder takes all streams: opening one on a GPU takes longer than they do. */
static PacoDecoder *decoder;

static gboolean
decode_backend (const uint8_t *data, size_t size, const PacoHeader *header,
    unsigned reduce, const PacoPicture *destination, uint32_t *corrupted_blocks,
    GError **error)
{
  PacoDecodedFrame frame = { NULL };
  PacoCodedFrame coded;
  gboolean done;

  done = paco_decoder_configure (
             decoder, header, destination->layout, reduce, error)
      && paco_coded_frame_parse (&coded, data, size, error)
      && paco_decoder_submit (decoder, &coded, destination, NULL, error)
      && paco_decoder_collect (decoder, &frame, NULL);
  *corrupted_blocks = frame.corrupted_blocks;
  if (frame.error) {
    g_propagate_error (error, frame.error);
    done = FALSE;
  }
  return done;
}

#endif

/* Makes pictures, of samples of 16 bits, of the slices of a stack, which lie in
 * one memory at n samples each. */
typedef void (*Undo) (const PacoSlice *slice, uint16_t *samples, size_t n);

/* This is an implementation. */
typedef struct
{
  Decode decode;
  Undo undo;
} Implementation;

/* --- stacks --- */

static void
undo_reference (const PacoSlice *slice, uint16_t *samples, size_t n)
{
  for (size_t k = 0; k < n; k++) {
    int values[PACO_MAX_STACK];

    for (unsigned i = 0; i < slice->length; i++)
      values[i] = samples[i * n + k] - 0x8000;
    paco_reference_stack (slice, true, values);
    for (unsigned i = 0; i < slice->length; i++)
      samples[i * n + k] = (uint16_t) paco_reference_store_sample (
          slice, values[i]);
  }
}

static void
undo_codec (const PacoSlice *slice, uint16_t *samples, size_t n)
{
  uint16_t *slices[PACO_MAX_STACK];

  for (unsigned i = 0; i < slice->length; i++)
    slices[i] = samples + i * n;
  paco_stack_inverse (slice, slices, n);
  for (unsigned i = 0; i < slice->length; i++) {
    g_autofree uint8_t *narrow = g_malloc (n);

    if (slice->depth == 16) {
      paco_slice_store (slice, slices[i], slices[i], n);
      for (size_t k = 0; k < n; k++)
        slices[i][k] = GUINT16_FROM_LE (slices[i][k]);
    } else {
      paco_slice_store (slice, slices[i], narrow, n);
      for (size_t k = 0; k < n; k++)
        slices[i][k] = narrow[k];
    }
  }
}

/* Decodes all slices of a stack into `samples`, and makes its pictures of them.
 * *picture becomes that of one slice. */
static void
decode_stack (const Implementation *implementation, const uint8_t *data,
    size_t size, unsigned position, unsigned reduce, TestPicture *picture)
{
  const size_t n = (size_t) picture->width[0] * picture->height[0];
  g_autofree uint16_t *samples = g_new (uint16_t, n * PACO_MAX_STACK);
  PacoSlice slice = { 0 };

  for (unsigned i = 0; size > 0; i++) {
    uint32_t corrupted = 0;
    GError *error = NULL;
    PacoHeader header;

    g_assert_true (paco_header_parse (data, size, &header, NULL, NULL));
    slice = header.video.slice;
    g_assert_cmpuint (i, <, slice.length);
    g_assert_cmpuint (slice.position, ==, i);
    g_assert_true (implementation->decode (data, header.frame_size, &header,
        reduce, &picture->picture, &corrupted, &error));
    g_assert_no_error (error);
    g_assert_cmpuint (corrupted, ==, 0);
    memcpy (samples + i * n, picture->samples[0], n * sizeof *samples);
    data += header.frame_size;
    size -= header.frame_size;
    g_assert_true (size > 0 || i + 1 == slice.length);
  }
  implementation->undo (&slice, samples, n);
  memcpy (picture->samples[0], samples + position * n, n * sizeof *samples);
  picture->format.components[0].depth = slice.depth;
}

/* --- both --- */

/* Checks a picture of a stream: that of its frame, or of a slice of its stack. */
static void
check_picture (const Implementation *implementation, const char *name,
    unsigned number, unsigned reduce, const char *expected)
{
  g_autofree char *path = g_strdup_printf ("%s/%s.paco", folder, name);
  g_autofree char *data = NULL, *md5 = NULL;
  gsize size;
  PacoHeader header;
  PacoProbabilitySet set;
  g_autoptr (TestPicture) picture = NULL;
  uint32_t corrupted = 0;
  GError *error = NULL;

  g_file_get_contents (path, &data, &size, &error);
  g_assert_no_error (error);
  paco_header_parse ((uint8_t *) data, size, &header, &set, &error);
  g_assert_no_error (error);
  picture = test_picture_new (&header.picture, reduce);
  if (header.video.slice.length > 0) {
    decode_stack (
        implementation, (uint8_t *) data, size, number, reduce, picture);
  } else {
    const bool broken = strstr (name, "-broken-") != NULL;

    g_assert_cmpuint (number, ==, 0);
    implementation->decode ((uint8_t *) data, size, &header, reduce,
        &picture->picture, &corrupted, &error);
    g_assert_no_error (error);
    g_assert_true (broken == (corrupted > 0) || reduce > 0);
  }
  md5 = test_picture_md5 (picture);
  if (strcmp (md5 + 1, expected) != 0)
    g_test_message (
        "%s %u, reduce=%u, decodes to other pixels", name, number, reduce);
  g_assert_cmpstr (md5 + 1, ==, expected);
}

/* Compares the streams with streams.md5, which has a line of md5sum for each. */
static void
test_streams (void)
{
  g_autofree char *path = g_build_filename (folder, "streams.md5", NULL);
  g_autofree char *text = NULL;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  unsigned n = 0;
  GError *error = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  for (const char *name; (name = g_dir_read_name (dir));) {
    g_autofree char *file = g_build_filename (folder, name, NULL);
    g_autofree char *data = NULL, *md5 = NULL, *line = NULL;
    gsize size;

    if (!g_str_has_suffix (name, ".paco"))
      continue;
    g_file_get_contents (file, &data, &size, &error);
    g_assert_no_error (error);
    md5 = g_compute_checksum_for_data (
        G_CHECKSUM_MD5, (const guchar *) data, size);
    line = g_strdup_printf ("%s  %s\n", md5, name);
    if (!strstr (text, line))
      g_test_message ("%s is another stream than it was", name);
    g_assert_nonnull (strstr (text, line));
    n += (unsigned) strlen (line);
  }
  g_assert_cmpuint (n, ==, strlen (text));
}

static void
test_golden (gconstpointer data)
{
  g_autofree char *path = g_build_filename (folder, "components.md5", NULL);
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  unsigned n = 0;
  GError *error = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line; line++) {
    g_auto (GStrv) words = g_strsplit (*line, " ", 4);

    if ((*line)[0] == '#' || (*line)[0] == 0)
      continue;
    g_assert_cmpuint (g_strv_length (words), ==, 4);
    check_picture (data, words[0], (unsigned) atoi (words[1]),
        (unsigned) atoi (words[2]), words[3]);
    n++;
  }
  g_assert_cmpuint (n, >, 0);
}

#ifdef HAVE_CPU_BACKEND
static void
test_backend (gconstpointer data)
{
  const PacoBackend *backend = &BACKEND;
  PacoBackendOptions options = { .device = -1, .threads = 2, .depth = 1 };
  GError *error = NULL;

  decoder = backend->decoder_open (&options, &error);
  g_assert_no_error (error);
  test_golden (data);
  paco_coder_close (PACO_CODER (decoder));
}
#endif

int
main (int argc, char **argv)
{
  static const Implementation reference = { decode_reference, undo_reference };
#ifdef HAVE_CPU_BACKEND
  static const Implementation backend = { decode_backend, undo_codec };
#endif

  g_test_init (&argc, &argv, NULL);
  if (argc != 2) {
    g_printerr ("usage: golden FOLDER\n");
    return 1;
  }
  folder = argv[1];
  g_test_add_func ("/golden/streams", test_streams);
  g_test_add_data_func ("/golden/reference", &reference, test_golden);
#ifdef HAVE_CPU_BACKEND
  g_test_add_data_func ("/golden/backend", &backend, test_backend);
#endif
  return g_test_run ();
}
