/* SPDX-License-Identifier: LGPL-2.1-or-later
 * paco-rate [--complexity=N] [--quality=Q] [--wavelet=NAME]
 * [--color-transform=NAME] FILE...: how many bits a sample of each picture takes, lossless unless a quality is given. All is decoded again
 * and compared. One JSON line per file, with a PSNR of 999 for no difference. */
#include "tests/bench/codec.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
wavelet_by_name (const char *name)
{
  for (int i = 0; i < PACO_N_WAVELETS; i++)
    if (strcmp (paco_wavelets[i].name, name) == 0)
      return i;
  fprintf (stderr, "There is no wavelet %s.\n", name);
  exit (1);
}

static int
color_transform_by_name (const char *name)
{
  for (int i = 0; i < PACO_N_COLOR_TRANSFORMS; i++)
    if (strcmp (paco_color_transforms[i].name, name) == 0)
      return i;
  fprintf (stderr, "There is no color transform %s.\n", name);
  exit (1);
}

int
main (int argc, char **argv)
{
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  double quality = -1;
  int complexity = (int) parameters.complexity;
  char *wavelet = NULL, *color_transform = NULL;
  GOptionEntry entries[] = {
    { "quality", 'q', 0, G_OPTION_ARG_DOUBLE, &quality, "Quality", "0..100" },
    { "complexity", 'c', 0, G_OPTION_ARG_INT, &complexity, "As pacoenc's",
        "0..3" },
    { "wavelet", 'w', 0, G_OPTION_ARG_STRING, &wavelet, "As pacoenc's",
        "NAME" },
    { "color-transform", 't', 0, G_OPTION_ARG_STRING, &color_transform,
        "As pacoenc's, of RGB only", "NAME" },
    { NULL },
  };
  GOptionContext *context = g_option_context_new ("FILE...");
  GError *error = NULL;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    fprintf (stderr, "%s\n", error->message);
    return 1;
  }
  g_option_context_free (context);
  parameters.rate_control = quality < 0 ? PACO_RATE_LOSSLESS
                                        : PACO_RATE_QUALITY;
  parameters.quality = quality < 0 ? parameters.quality : quality;
  parameters.complexity = (unsigned) complexity;
  if (wavelet)
    parameters.wavelet = wavelet_by_name (wavelet);
  for (int i = 1; i < argc; i++) {
    TrainingPicture file, decoded;
    Seconds encode, decode;
    GBytes *stream;
    double psnr;

    if (!training_picture_read (argv[i], &file, &error)) {
      fprintf (stderr, "%s\n", error->message);
      return 1;
    }
    parameters.rgb = file.rgb;
    if (color_transform && file.rgb)
      parameters.color_transform = color_transform_by_name (color_transform);
    stream = codec_encode (&file, &parameters, 1, 1, &encode);
    picture_blank (&decoded, &file);
    codec_decode (stream, &decoded, 1, 1, &decode);
    psnr = picture_psnr (&file, &decoded);
    if (quality < 0 && isfinite (psnr)) {
      fprintf (stderr, "%s did not come back as it was.\n", argv[i]);
      return 1;
    }
    printf (
        "{\"file\": \"%s\", \"samples\": %" G_GSIZE_FORMAT
        ", \"bytes\": %" G_GSIZE_FORMAT ", \"bits_per_sample\": %.5f, "
        "\"psnr\": %.3f, \"encode_seconds\": %.6f, \"decode_seconds\": %.6f}\n",
        argv[i], file.n_samples, g_bytes_get_size (stream),
        g_bytes_get_size (stream) * 8.0 / (double) file.n_samples,
        isfinite (psnr) ? psnr : 999.0, encode.cpu, decode.cpu);
    fflush (stdout);
    g_bytes_unref (stream);
    training_picture_clear (&file);
    training_picture_clear (&decoded);
  }
  g_free (wavelet);
  g_free (color_transform);
  return 0;
}
