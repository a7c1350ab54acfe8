/* SPDX-License-Identifier: LGPL-2.1-or-later
 * paco-speed FILE THREADS RUNS [CHECKS]: prints the seconds of encoding and
 * decoding the picture losslessly with the CPU backend, one JSON line per run;
 * and those of copying the picture in memory, which is the ceiling of any
 * codec here. With CHECKS = 0 codeblocks have no checks. */
#include "tests/bench/codec.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double
copy_seconds (const TrainingPicture *file, char *destination, size_t size)
{
  Seconds start = seconds_now ();

  memcpy (destination, file->contents, size);
  /* The copy is wanted for its own sake. */
  __asm__ volatile("" : : "r"(destination) : "memory");
  return seconds_since (start).wall;
}

int
main (int argc, char **argv)
{
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  TrainingPicture file, decoded;
  GError *error = NULL;
  unsigned threads = argc > 2 ? (unsigned) atoi (argv[2]) : 1;
  unsigned runs = argc > 3 ? (unsigned) atoi (argv[3]) : 1;
  Seconds *encode = g_new0 (Seconds, runs + 1);
  Seconds *decode = g_new0 (Seconds, runs + 1);
  size_t size;
  GBytes *stream;

  if (argc < 2 || !training_picture_read (argv[1], &file, &error)) {
    fprintf (stderr, "%s\n",
        error ? error->message : "paco-speed FILE [THREADS [RUNS [CHECKS]]]");
    return 1;
  }
  parameters.rate_control = PACO_RATE_LOSSLESS;
  parameters.rgb = file.rgb;
  parameters.block_checks = argc <= 4 || atoi (argv[4]) != 0;
  stream = codec_encode (&file, &parameters, threads, runs, encode);
  picture_blank (&decoded, &file);
  codec_decode (stream, &decoded, threads, runs, decode);
  if (isfinite (picture_psnr (&file, &decoded))) {
    fprintf (stderr, "The picture did not come back as it was.\n");
    return 1;
  }
  size = file.n_samples * file.picture.layout[0].word_bytes;
  for (unsigned run = 0; run < runs; run++) {
    /* The first copy of a run brings the pages in. */
    copy_seconds (&file, decoded.contents, size);
    printf ("{\"threads\": %u, \"samples\": %" G_GSIZE_FORMAT
            ", \"bytes\": %" G_GSIZE_FORMAT
            ", \"encode_cpu\": %.6f, \"encode_wall\": %.6f, "
            "\"decode_cpu\": %.6f, \"decode_wall\": %.6f, "
            "\"copy_bytes\": %" G_GSIZE_FORMAT ", \"copy_wall\": %.6f}\n",
        threads, file.n_samples, g_bytes_get_size (stream), encode[run].cpu,
        encode[run].wall, decode[run].cpu, decode[run].wall, size,
        copy_seconds (&file, decoded.contents, size));
  }
  g_bytes_unref (stream);
  training_picture_clear (&file);
  training_picture_clear (&decoded);
  g_free (encode);
  g_free (decode);
  return 0;
}
