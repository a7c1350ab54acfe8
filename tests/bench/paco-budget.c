/* SPDX-License-Identifier: LGPL-2.1-or-later
 * paco-budget [--tune...] FILE...: codes pictures with budgets of 0.05 to 6 bits a
 * sample, and beyond what they take without loss. Prints for each how full it is
 * and how its PSNR compares with that of `quality` at the same bytes, which is
 * interpolated between the two nearest of many qualities; at the end frames over
 * their budget, the mean fill of those that are not lossless, and the mean and the
 * worst difference of PSNR. Ends with 1 if any frame is over its budget. */
#include "tests/bench/codec.h"
#include <math.h>
#include <stdio.h>

enum
{
  N_QUALITIES = 51,
  N_BUDGETS = 12,
};

static const double budgets[N_BUDGETS] = { 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0,
  1.5, 2.0, 3.0, 4.0, 6.0 };

typedef struct
{
  double bytes, psnr, seconds;
} Point;

typedef struct
{
  unsigned n_frames, n_over, n_filled, n_compared;
  double fill, difference, worst, seconds, quality_seconds;
} Totals;

static Point
code (const TrainingPicture *file, const PacoParameters *parameters)
{
  TrainingPicture decoded;
  Seconds encode[2], decode[2];
  GBytes *stream = codec_encode (file, parameters, 1, 1, encode);
  Point point = { .bytes = (double) g_bytes_get_size (stream),
    .seconds = encode[0].cpu };

  picture_blank (&decoded, file);
  codec_decode (stream, &decoded, 1, 1, decode);
  point.psnr = picture_psnr (file, &decoded);
  g_bytes_unref (stream);
  training_picture_clear (&decoded);
  return point;
}

/* Finds the PSNR and time at so many bytes, between points in the order of
 * their bytes; returns FALSE outside of them. */
static gboolean
interpolate (const Point *points, double bytes, Point *result)
{
  for (unsigned i = 0; i + 1 < N_QUALITIES; i++) {
    const Point *a = &points[i], *b = &points[i + 1];
    double part;

    if (bytes < a->bytes || bytes > b->bytes || a->bytes == b->bytes)
      continue;
    part = log (bytes / a->bytes) / log (b->bytes / a->bytes);
    result->psnr = a->psnr + part * (b->psnr - a->psnr);
    result->seconds = a->seconds + part * (b->seconds - a->seconds);
    return TRUE;
  }
  return FALSE;
}

static void
try_budget (const TrainingPicture *file, PacoParameters parameters,
    uint32_t budget, const Point *points, Totals *totals)
{
  Point found, expected = { 0 };
  gboolean compared;

  parameters.rate_control = PACO_RATE_BITRATE;
  parameters.frame_size = budget;
  found = code (file, &parameters);
  compared = interpolate (points, found.bytes, &expected);
  totals->n_frames++;
  totals->n_over += found.bytes > budget;
  if (isfinite (found.psnr)) {
    totals->n_filled++;
    totals->fill += found.bytes / budget;
  }
  if (compared && isfinite (found.psnr)) {
    totals->n_compared++;
    totals->difference += found.psnr - expected.psnr;
    totals->worst = MIN (totals->worst, found.psnr - expected.psnr);
    totals->seconds += found.seconds;
    totals->quality_seconds += expected.seconds;
  }
  printf ("{\"file\": \"%s\", \"budget\": %u, \"bits_per_sample\": %.3f, "
          "\"fill\": %.5f, \"psnr\": %.3f, \"against_quality\": %.3f, "
          "\"time_against_quality\": %.3f}\n",
      file->name, budget, budget * 8.0 / (double) file->n_samples,
      found.bytes / budget, isfinite (found.psnr) ? found.psnr : 999.0,
      compared && isfinite (found.psnr) ? found.psnr - expected.psnr : 0.0,
      compared ? found.seconds / expected.seconds : 0.0);
  fflush (stdout);
}

static void
try_file (
    const TrainingPicture *file, PacoParameters parameters, Totals *totals)
{
  Point points[N_QUALITIES];
  double lossless;

  parameters.rgb = file->rgb;
  for (unsigned i = 0; i < N_QUALITIES; i++) {
    double part = 1.0 - (double) i / (N_QUALITIES - 1);

    /* Steps are in a geometric progression. */
    parameters.quality = 100.0 * (1.0 - part * part);
    points[i] = code (file, &parameters);
  }
  for (unsigned i = 0; i < N_BUDGETS; i++)
    try_budget (file, parameters,
        (uint32_t) (budgets[i] * (double) file->n_samples / 8.0), points,
        totals);
  parameters.rate_control = PACO_RATE_LOSSLESS;
  lossless = code (file, &parameters).bytes;
  for (int percent = 90; percent <= 110; percent += 4)
    try_budget (file, parameters, (uint32_t) (lossless * percent / 100.0),
        points, totals);
}

int
main (int argc, char **argv)
{
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  Totals totals = { 0 };
  GError *error = NULL;

  for (int i = 1; i < argc; i++) {
    TrainingPicture file;

    if (!training_picture_read (argv[i], &file, &error)) {
      fprintf (stderr, "%s\n", error->message);
      return 1;
    }
    try_file (&file, parameters, &totals);
    training_picture_clear (&file);
  }
  printf ("{\"frames\": %u, \"over\": %u, \"mean_fill\": %.5f, "
          "\"psnr_against_quality\": %.3f, \"worst\": %.3f, "
          "\"time_against_quality\": %.3f}\n",
      totals.n_frames, totals.n_over, totals.fill / MAX (totals.n_filled, 1),
      totals.difference / MAX (totals.n_compared, 1), totals.worst,
      totals.seconds / totals.quality_seconds);
  return totals.n_over > 0;
}
