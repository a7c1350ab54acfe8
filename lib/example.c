/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes the first picture of a .paco file as PGM (gray) or PPM (RGB), to show what
 * an application does with libpaco. It is built by: cc example.c $(pkg-config
 * --cflags --libs paco) */
#include <paco.h>
#include <stdio.h>
#include <stdlib.h>

static int
fail (const char *sentence)
{
  fprintf (stderr, "%s.\n", sentence);
  return EXIT_FAILURE;
}

int
main (int argc, char **argv)
{
  const unsigned how = PACO_IMAGE_INTERLEAVED | PACO_IMAGE_BIG_ENDIAN;
  FILE *out = argc == 3 ? fopen (argv[2], "wb") : NULL;
  PacoFrameDecoder *decoder = paco_frame_decoder_new ();
  PacoInfo info = PACO_INFO_INIT;
  PacoReader *reader;
  PacoFrame frame;
  PacoImage image;
  PacoError error;
  void *samples;
  size_t bytes;

  if (!out || !decoder)
    return fail ("Usage: example FILE.paco PICTURE.ppm");
  if (paco_reader_open (argv[1], &reader, &error) != PACO_STATUS_OK
      || paco_reader_next (reader, &frame, &error) != PACO_STATUS_OK
      || paco_probe (frame.data, frame.size, &info, NULL, &error)
          != PACO_STATUS_OK
      || paco_image_init (&image, &info, 0, how, NULL, &bytes, &error)
          != PACO_STATUS_OK)
    return fail (error.message);
  samples = malloc (bytes);
  if (!samples || info.n_components % 2 == 0)
    return fail ("There is no memory, or a picture with alpha");
  paco_image_init (&image, &info, 0, how, samples, &bytes, &error);
  if (paco_frame_decoder_decode (
          decoder, frame.data, frame.size, &image, NULL, &error)
      != PACO_STATUS_OK)
    return fail (error.message);
  fprintf (out, "P%d\n%u %u\n%u\n", info.n_components == 1 ? 5 : 6, info.width,
      info.height, (1u << info.depth[0]) - 1);
  fwrite (samples, 1, bytes, out);
  paco_frame_release (&frame);
  paco_reader_close (reader);
  paco_frame_decoder_free (decoder);
  free (samples);
  return fclose (out) == 0 ? EXIT_SUCCESS : fail ("The disk is full");
}
