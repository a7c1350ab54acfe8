/* SPDX-License-Identifier: LGPL-2.1-or-later
 * paco-cut [--quality=Q] FILE...: codes pictures once, with cut points, cuts
 * them to 0.5, 1 and 2 bits a sample without decoding, and codes them at these
 * sizes directly. It prints one JSON line per picture and size, with the PSNR
 * of both. Without a quality the recording is lossless. */
#include "codec/frame_cut.h"
#include "tests/bench/codec.h"
#include <math.h>
#include <stdio.h>

static const double sizes[] = { 0.5, 1.0, 2.0 };

static double
psnr_of (const TrainingPicture *file, GBytes *stream)
{
  TrainingPicture decoded;
  Seconds seconds;
  double psnr;

  picture_blank (&decoded, file);
  codec_decode (stream, &decoded, 1, 1, &seconds);
  psnr = picture_psnr (file, &decoded);
  training_picture_clear (&decoded);
  return isfinite (psnr) ? psnr : 999.0;
}

static GBytes *
cut (GBytes *recording, size_t budget, GError **error)
{
  size_t size, out_size;
  const uint8_t *data = g_bytes_get_data (recording, &size);
  uint8_t *out = g_malloc (size);

  if (paco_frame_cut (data, size, budget, out, &out_size, error))
    return g_bytes_new_take (out, out_size);
  g_free (out);
  return NULL;
}

static gboolean
compare (const TrainingPicture *file, PacoParameters parameters, GError **error)
{
  GBytes *recording;
  Seconds seconds;

  parameters.rgb = file->rgb;
  parameters.cut_points = true;
  recording = codec_encode (file, &parameters, 1, 1, &seconds);
  parameters.cut_points = false;
  parameters.rate_control = PACO_RATE_BITRATE;
  for (unsigned i = 0; i < G_N_ELEMENTS (sizes); i++) {
    uint32_t budget = (uint32_t) (sizes[i] * (double) file->n_samples / 8.0);
    GBytes *smaller = cut (recording, budget, error), *direct;

    if (!smaller)
      break;
    parameters.frame_size = budget;
    direct = codec_encode (file, &parameters, 1, 1, &seconds);
    printf ("{\"file\": \"%s\", \"recorded_bits\": %.4f, \"size_bits\": %.2f, "
            "\"cut_bits\": %.4f, \"cut_psnr\": %.3f, \"direct_bits\": %.4f, "
            "\"direct_psnr\": %.3f}\n",
        file->name,
        (double) g_bytes_get_size (recording) * 8 / (double) file->n_samples,
        sizes[i],
        (double) g_bytes_get_size (smaller) * 8 / (double) file->n_samples,
        psnr_of (file, smaller),
        (double) g_bytes_get_size (direct) * 8 / (double) file->n_samples,
        psnr_of (file, direct));
    fflush (stdout);
    g_bytes_unref (smaller);
    g_bytes_unref (direct);
  }
  g_bytes_unref (recording);
  return *error == NULL;
}

int
main (int argc, char **argv)
{
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  double quality = -1;
  GOptionEntry entries[] = {
    { "quality", 'q', 0, G_OPTION_ARG_DOUBLE, &quality,
        "Quality of the recording", "0..100" },
    { NULL },
  };
  GOptionContext *context = g_option_context_new ("FILE...");
  GError *error = NULL;
  gboolean done;

  g_option_context_add_main_entries (context, entries, NULL);
  done = g_option_context_parse (context, &argc, &argv, &error);
  g_option_context_free (context);
  parameters.rate_control = quality < 0 ? PACO_RATE_LOSSLESS
                                        : PACO_RATE_QUALITY;
  if (quality >= 0)
    parameters.quality = quality;
  for (int i = 1; done && i < argc; i++) {
    TrainingPicture file;

    done = training_picture_read (argv[i], &file, &error);
    if (!done)
      break;
    done = compare (&file, parameters, &error);
    training_picture_clear (&file);
  }
  if (!done)
    fprintf (stderr, "%s\n", error->message);
  return done ? 0 : 1;
}
