/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Every implementation decodes the golden streams to the pixels that they
 * always had, at full size and leaving out levels; slices of stacks, to the pictures
 * of their stack.
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
static gboolean
decode_cpu (const uint8_t *data, size_t size, const PacoHeader *header,
    unsigned reduce, const PacoPicture *destination, uint32_t *corrupted_blocks,
    GError **error)
{
  const PacoBackend *backend = &paco_cpu_backend;
  PacoBackendOptions options = { .device = -1, .threads = 2, .depth = 1 };
  PacoDecoder *decoder = backend->decoder_open (&options, error);
  PacoDecodedFrame frame = { NULL };
  PacoCodedFrame coded;
  gboolean done;

  if (!decoder)
    return FALSE;
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
  paco_coder_close (PACO_CODER (decoder));
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

/* --- frames --- */

static void
check_stream (const Implementation *implementation, const char *name,
    unsigned reduce, uint32_t expected_crc)
{
  g_autofree char *path = g_strdup_printf ("%s/%s.paco", folder, name);
  g_autofree char *data = NULL;
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
  implementation->decode ((uint8_t *) data, size, &header, reduce,
      &picture->picture, &corrupted, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (corrupted, ==, 0);
  if (test_picture_crc (picture) != expected_crc)
    g_test_message ("%s, reduce=%u, decodes to other pixels", name, reduce);
  g_assert_cmphex (test_picture_crc (picture), ==, expected_crc);
}

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

/* Decodes all slices of a stack, and returns the picture of one of them. */
static void
decode_stack (const Implementation *implementation, const uint8_t *data,
    size_t size, unsigned position, TestPicture **picture)
{
  g_autofree uint16_t *samples = NULL;
  PacoSlice slice = { 0 };
  size_t n = 0;

  *picture = NULL;
  for (unsigned i = 0; size > 0; i++) {
    uint32_t corrupted = 0;
    GError *error = NULL;
    PacoHeader header;

    g_assert_true (paco_header_parse (data, size, &header, NULL, NULL));
    if (!*picture)
      *picture = test_picture_new (&header.picture, 0);
    slice = header.video.slice;
    g_assert_cmpuint (slice.position, ==, i);
    g_assert_true (implementation->decode (data, header.frame_size, &header, 0,
        &(*picture)->picture, &corrupted, &error));
    g_assert_no_error (error);
    g_assert_cmpuint (corrupted, ==, 0);
    n = (size_t) header.picture.width * header.picture.height;
    samples = g_renew (uint16_t, samples, (i + 1) * n);
    memcpy (samples + i * n, (*picture)->samples[0], n * sizeof *samples);
    data += header.frame_size;
    size -= header.frame_size;
    g_assert_cmpuint (i, <, slice.length);
    g_assert_true (size > 0 || i + 1 == slice.length);
  }
  implementation->undo (&slice, samples, n);
  memcpy ((*picture)->samples[0], samples + position * n, n * sizeof *samples);
}

static void
check_stack (const Implementation *implementation, const char *name,
    unsigned position, uint32_t expected_crc)
{
  g_autofree char *path = g_strdup_printf ("%s/%s.paco", folder, name);
  g_autofree char *data = NULL;
  gsize size;
  g_autoptr (TestPicture) picture = NULL;
  GError *error = NULL;

  g_file_get_contents (path, &data, &size, &error);
  g_assert_no_error (error);
  decode_stack (implementation, (uint8_t *) data, size, position, &picture);
  if (test_picture_crc (picture) != expected_crc)
    g_test_message ("%s, slice %u, decodes to other pixels", name, position);
  g_assert_cmphex (test_picture_crc (picture), ==, expected_crc);
}

/* --- lists --- */

/* Calls check() for each line of a file of checksums. */
static void
check_list (const Implementation *implementation, const char *list,
    void (*check) (const Implementation *implementation, const char *name,
        unsigned number, uint32_t crc))
{
  g_autofree char *path = g_build_filename (folder, list, NULL);
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  unsigned n = 0;
  GError *error = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line; line++) {
    g_auto (GStrv) words = g_strsplit (*line, " ", 3);

    if ((*line)[0] == '#' || g_strv_length (words) != 3)
      continue;
    check (implementation, words[0], (unsigned) atoi (words[1]),
        (uint32_t) strtoul (words[2], NULL, 16));
    n++;
  }
  g_assert_cmpuint (n, >, 0);
}

static void
test_golden (gconstpointer data)
{
  check_list (data, "checksums.txt", check_stream);
  check_list (data, "stacks.txt", check_stack);
}

int
main (int argc, char **argv)
{
  static const Implementation reference = { decode_reference, undo_reference };
#ifdef HAVE_CPU_BACKEND
  static const Implementation cpu = { decode_cpu, undo_codec };
#endif

  g_test_init (&argc, &argv, NULL);
  if (argc != 2) {
    g_printerr ("usage: golden FOLDER\n");
    return 1;
  }
  folder = argv[1];
  g_test_add_data_func ("/golden/reference", &reference, test_golden);
#ifdef HAVE_CPU_BACKEND
  g_test_add_data_func ("/golden/cpu", &cpu, test_golden);
#endif
  return g_test_run ();
}
