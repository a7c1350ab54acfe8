/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The first picture of a .paco file as PGM (gray) or PPM (RGB): what an application
 * does with libpaco.   cc example.c $(pkg-config --cflags --libs paco) */
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
  FILE *in = argc == 3 ? fopen (argv[1], "rb") : NULL;
  FILE *out = in ? fopen (argv[2], "wb") : NULL;
  unsigned char head[65536]; /* no header is longer */
  PacoInfo info = PACO_INFO_INIT;
  PacoFrameDecoder *decoder = paco_frame_decoder_new ();
  PacoImage image;
  PacoError error;
  void *frame, *samples;
  size_t bytes, n;

  if (!out)
    return fail ("Usage: example FRAME.paco PICTURE.ppm");
  n = fread (head, 1, sizeof head, in);
  if (paco_probe (head, n, &info, NULL, &error) != PACO_STATUS_OK
      || paco_image_init (&image, &info, 0,
             PACO_IMAGE_INTERLEAVED | PACO_IMAGE_BIG_ENDIAN, NULL, &bytes,
             &error)
          != PACO_STATUS_OK)
    return fail (error.message);
  frame = malloc (info.frame_size);
  samples = malloc (bytes);
  rewind (in);
  if (!decoder || !frame || !samples || info.n_components % 2 == 0
      || fread (frame, 1, info.frame_size, in) != info.frame_size)
    return fail ("No memory, no whole frame, or a picture with alpha");
  paco_image_init (&image, &info, 0,
      PACO_IMAGE_INTERLEAVED | PACO_IMAGE_BIG_ENDIAN, samples, &bytes, &error);
  if (paco_frame_decoder_decode (
          decoder, frame, info.frame_size, &image, NULL, &error)
      != PACO_STATUS_OK)
    return fail (error.message);
  fprintf (out, "P%d\n%u %u\n%u\n", info.n_components == 1 ? 5 : 6, info.width,
      info.height, (1u << info.depth[0]) - 1);
  fwrite (samples, 1, bytes, out);
  paco_frame_decoder_free (decoder);
  free (samples);
  free (frame);
  fclose (in);
  return fclose (out) == 0 ? EXIT_SUCCESS : fail ("The disk is full");
}
