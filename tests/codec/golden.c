/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Every implementation decodes the golden streams to the pixels that they
 * always had, at full size and leaving out levels.
 *
 *   golden FOLDER */
#include "codec/backend.h"
#include "codec/reference/reference.h"
#include "tests/codec/test-picture.h"
#include <stdlib.h>

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

static void
check_stream (
    Decode decode, const char *name, unsigned reduce, uint32_t expected_crc)
{
  g_autofree char *path = g_strdup_printf ("%s/%s.paco", folder, name);
  g_autofree char *data = NULL;
  gsize size;
  PacoHeader header;
  PacoProbabilitySet set;
  TestPicture *picture;
  uint32_t corrupted = 0;
  GError *error = NULL;

  g_file_get_contents (path, &data, &size, &error);
  g_assert_no_error (error);
  paco_header_parse ((uint8_t *) data, size, &header, &set, &error);
  g_assert_no_error (error);
  picture = test_picture_new (&header.picture, reduce);
  decode ((uint8_t *) data, size, &header, reduce, &picture->picture,
      &corrupted, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (corrupted, ==, 0);
  if (test_picture_crc (picture) != expected_crc)
    g_test_message ("%s, reduce=%u, decodes to other pixels", name, reduce);
  g_assert_cmphex (test_picture_crc (picture), ==, expected_crc);
  test_picture_free (picture);
}

static void
test_golden (gconstpointer data)
{
  Decode decode = *(const Decode *) data;
  g_autofree char *path = g_build_filename (folder, "checksums.txt", NULL);
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
    check_stream (
        decode, words[0], atoi (words[1]), strtoul (words[2], NULL, 16));
    n++;
  }
  g_assert_cmpuint (n, >, 0);
}

int
main (int argc, char **argv)
{
  static const Decode reference = decode_reference;
#ifdef HAVE_CPU_BACKEND
  static const Decode cpu = decode_cpu;
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
