/* SPDX-License-Identifier: LGPL-2.1-or-later
 * paco-rate [OPTION...] FILE...: prints how many bits a sample of each picture
 * takes, lossless unless a quality is given. All is decoded again and
 * compared; with --generations what was decoded is coded again, so many times
 * in all. There is one JSON line per file, with a PSNR of 999 for no
 * difference; first_psnr is that of the first generation. */
#include "tests/bench/codec.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct
{
  PacoParameters parameters;
  int generations;
  int color_transform; /* of RGB */
  const char *planes;  /* prefix of files, or NULL */
} Options;

static double
or_999 (double psnr)
{
  return isfinite (psnr) ? psnr : 999.0;
}

static gboolean
write_planes (const Options *options, const char *which,
    const TrainingPicture *picture, GError **error)
{
  g_autofree char *path = g_strconcat (options->planes, which, NULL);

  return picture_write (picture, path, error);
}

static gboolean
measure (const Options *options, const char *path, GError **error)
{
  PacoParameters parameters = options->parameters;
  TrainingPicture file, decoded[2];
  const TrainingPicture *source = &file, *last = NULL;
  size_t size = 0;
  double first_psnr = 0;
  Seconds encode, decode;
  gboolean done = TRUE;

  if (!training_picture_read (path, &file, error))
    return FALSE;
  parameters.rgb = file.rgb;
  if (file.rgb)
    parameters.color_transform = options->color_transform;
  picture_blank (&decoded[0], &file);
  picture_blank (&decoded[1], &file);
  for (int n = 0; n < options->generations; n++) {
    GBytes *stream = codec_encode (source, &parameters, 1, 1, &encode);

    last = source = &decoded[n % 2];
    codec_decode (stream, &decoded[n % 2], 1, 1, &decode);
    if (n == 0) {
      size = g_bytes_get_size (stream);
      first_psnr = picture_psnr (&file, last);
    }
    g_bytes_unref (stream);
  }
  if (parameters.rate_control == PACO_RATE_LOSSLESS && isfinite (first_psnr)) {
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
        "%s did not come back as it was.", path);
    done = FALSE;
  }
  if (done && options->planes)
    done = write_planes (options, "original", &file, error)
        && write_planes (options, "decoded", last, error);
  if (done)
    printf ("{\"file\": \"%s\", \"samples\": %" G_GSIZE_FORMAT
            ", \"bytes\": %" G_GSIZE_FORMAT
            ", \"bits_per_sample\": %.5f, \"psnr\": %.3f, "
            "\"first_psnr\": %.3f, \"depth\": %u, \"encode_seconds\": %.6f, "
            "\"decode_seconds\": %.6f}\n",
        path, file.n_samples, size, size * 8.0 / (double) file.n_samples,
        or_999 (picture_psnr (&file, last)), or_999 (first_psnr),
        file.format.components[0].depth, encode.cpu, decode.cpu);
  fflush (stdout);
  training_picture_clear (&file);
  training_picture_clear (&decoded[0]);
  training_picture_clear (&decoded[1]);
  return done;
}

/* Returns the place of a name that an option has; NULL is the first. */
static int
place_of (const char *option, const char *name, const char *const *names)
{
  for (int i = 0; names[i]; i++)
    if (!name || strcmp (names[i], name) == 0)
      return i;
  fprintf (stderr, "There is no %s %s.\n", option, name);
  exit (1);
}

static int
wavelet_by_name (const char *name)
{
  const char *names[PACO_N_WAVELETS + 1] = { NULL };

  for (int i = 0; i < PACO_N_WAVELETS; i++)
    names[i] = paco_wavelets[i].name;
  return place_of ("wavelet", name, names);
}

static int
color_transform_by_name (const char *name)
{
  const char *names[PACO_N_COLOR_TRANSFORMS + 1] = { NULL };

  for (int i = 0; i < PACO_N_COLOR_TRANSFORMS; i++)
    names[i] = paco_color_transforms[i].name;
  return place_of ("color transform", name, names);
}

int
main (int argc, char **argv)
{
  Options options = { .parameters = PACO_PARAMETERS_DEFAULT,
    .color_transform = PACO_COLOR_TRANSFORM_AUTO,
    .generations = 1 };
  double quality = -1;
  int complexity = (int) options.parameters.complexity;
  static const char *const tunes[] = { "visual", "psnr", NULL };
  char *wavelet = NULL, *color_transform = NULL, *tune = NULL;
  GOptionEntry entries[] = {
    { "quality", 'q', 0, G_OPTION_ARG_DOUBLE, &quality, "Quality", "0..100" },
    { "tune", 0, 0, G_OPTION_ARG_STRING, &tune, "As pacoenc's", "visual|psnr" },
    { "complexity", 'c', 0, G_OPTION_ARG_INT, &complexity, "As pacoenc's",
        "0..3" },
    { "wavelet", 'w', 0, G_OPTION_ARG_STRING, &wavelet, "As pacoenc's",
        "NAME" },
    { "color-transform", 't', 0, G_OPTION_ARG_STRING, &color_transform,
        "As pacoenc's, of RGB only", "NAME" },
    { "generations", 'g', 0, G_OPTION_ARG_INT, &options.generations,
        "How often it is coded", "1..1000" },
    { "planes", 'p', 0, G_OPTION_ARG_FILENAME, &options.planes,
        "Writes the samples, two bytes each, to PREFIXoriginal and "
        "PREFIXdecoded",
        "PREFIX" },
    { NULL },
  };
  GOptionContext *context = g_option_context_new ("FILE...");
  GError *error = NULL;
  gboolean done;

  g_option_context_add_main_entries (context, entries, NULL);
  done = g_option_context_parse (context, &argc, &argv, &error);
  g_option_context_free (context);
  options.generations = CLAMP (options.generations, 1, 1000);
  options.parameters.rate_control = quality < 0 ? PACO_RATE_LOSSLESS
                                                : PACO_RATE_QUALITY;
  if (quality >= 0)
    options.parameters.quality = quality;
  options.parameters.complexity = (unsigned) complexity;
  options.parameters.tune = (PacoTune) place_of ("tune", tune, tunes);
  if (wavelet)
    options.parameters.wavelet = wavelet_by_name (wavelet);
  if (color_transform)
    options.color_transform = color_transform_by_name (color_transform);
  for (int i = 1; done && i < argc; i++)
    done = measure (&options, argv[i], &error);
  if (!done)
    fprintf (stderr, "%s\n", error->message);
  return done ? 0 : 1;
}
