/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Codes quantizer steps as 14-bit floating point numbers (FORMAT.md section 2);
 * policy.c and rate_table.c call it. Finds the bounds of coefficients by sums of absolute
 * taps, level by level. */
#include "quantizer.h"
#include "geometry.h"
#include "sample_map.h"
#include <math.h>
#include <string.h>

uint16_t
paco_step_encode (double step)
{
  int exponent;
  double mantissa = frexp (step, &exponent); /* 0.5 <= mantissa < 1 */
  long m = lrint ((mantissa * 2.0 - 1.0) * 512.0);

  exponent += 15;
  if (m == 512) {
    m = 0;
    exponent++;
  }
  if (!(step > 0.0) || exponent < 0)
    return 0;
  if (exponent > 31)
    return 31 << 9 | 511;
  return exponent << 9 | m;
}

/* --- bounds of coefficients --- */

#define MAX_TAPS (2 * PACO_MAX_LIFTING_REACH + 2) /* of one filtering */
#define MAX_CASCADE (MAX_TAPS << PACO_MAX_LEVELS)

/* Finds the taps of the low or high half of one filtering; returns how many. */
static unsigned
analysis_filter (const PacoWavelet *wavelet, bool high, double *taps)
{
  enum
  {
    MIDDLE = 2 * PACO_MAX_LIFTING_REACH,
    N = 2 * MIDDLE + 2
  };
  const int reach = paco_wavelet_reach (wavelet);
  unsigned n = 0;

  for (int at = MIDDLE - reach; at <= MIDDLE + reach + 1; at++) {
    double x[N] = { 0.0 };

    x[at] = 1.0;
    for (unsigned k = 0; k < wavelet->n_steps; k++)
      paco_wavelet_lift (wavelet, k, false, x, N);
    taps[n++] = x[MIDDLE + high];
  }
  return n;
}

/* Sums of absolute taps: how much larger than a sample a number of level 1, 2, ... can
 * become when one direction is filtered. Encoders ask for each frame, so that no more
 * levels are looked at than there are: each takes twice as long as the one before. */
static void
line_gains (const PacoWavelet *wavelet, unsigned levels, double gain[][2])
{
  double low[MAX_CASCADE] = { 1.0 }, next[MAX_CASCADE];
  double taps[2][MAX_TAPS];
  unsigned n_low = 1, n = 0;

  for (int high = 0; high < 2; high++)
    n = analysis_filter (wavelet, high, taps[high]);
  for (unsigned level = 1; level <= levels; level++) {
    for (int high = 1; high >= 0; high--) {
      unsigned spacing = 1u << (level - 1);
      unsigned length = n_low + (n - 1) * spacing;

      memset (next, 0, length * sizeof *next);
      for (unsigned k = 0; k < n; k++)
        for (unsigned i = 0; i < n_low; i++)
          next[i + k * spacing] += taps[high][k] * low[i];
      gain[level][high] = 0.0;
      for (unsigned i = 0; i < length; i++)
        gain[level][high] += fabs (next[i]);
      if (!high) {
        memcpy (low, next, length * sizeof *low);
        n_low = length;
      }
    }
  }
}

/* The bound of the numbers that the wavelet gets: samples after the color transform. */
static double
sample_range (const PacoPictureFormat *format, const PacoCoding *coding,
    unsigned component)
{
  /* The transform of a mosaic takes weights of numbers, which lie in the middle of the
   * samples' range, and not of their differences to it. */
  unsigned depth = coding->color_transform == PACO_COLOR_TRANSFORM_MOSAIC
      ? format->components[component].depth
      : paco_coded_depth (format, coding, component);

  return paco_color_transforms[coding->color_transform].range[component]
      * (1u << (depth - 1));
}

/* The bound of what rounding adds to the low and the high half in one filtering. */
static void
rounding_of_line (const PacoWavelet *wavelet, double error[2])
{
  error[0] = error[1] = 0.0;
  for (unsigned k = 0; k < wavelet->n_steps; k++) {
    const PacoLiftingStep *step = &wavelet->steps[k];
    const int high = k % 2 == 0, below = (1 << step->shift) - 1 - step->offset;

    error[high] += ldexp (MAX (step->offset, below), -step->shift);
    for (unsigned t = 0; t < step->n_taps; t++)
      error[high] += 2.0 * ldexp (fabs (step->taps[t]), -step->shift)
          * error[!high];
  }
}

/* The bound of what rounding adds in a reversible wavelet, if `error` is what it adds
 * in one filtering. In one level that is what the first filtering adds times the gain of
 * the second one, and what the second one adds. What was added to LL grows with the gain
 * of later levels. */
static double
rounding_bound (const double error[2], double gain[][2], unsigned level)
{
  double one = 0.0, bound;

  for (unsigned first = 0; first < 2; first++)
    for (unsigned second = 0; second < 2; second++)
      one = MAX (one, error[first] * gain[1][second] + error[second]);
  bound = one;
  for (unsigned later = 1; later < level; later++) {
    double larger = MAX (gain[later][0], gain[later][1]);

    bound += one * larger * larger;
  }
  return bound;
}

void
paco_coefficient_bounds (const PacoPictureFormat *format,
    const PacoCoding *coding,
    double bounds[PACO_MAX_COMPONENTS][PACO_MAX_SUBBANDS])
{
  const PacoWavelet *wavelet = NULL;
  double gain[PACO_MAX_LEVELS + 1][2] = { { 1.0, 1.0 } }, error[2];

  for (unsigned c = 0; c < format->n_components; c++) {
    if (wavelet != &paco_wavelets[coding->components[c].wavelet]) {
      wavelet = &paco_wavelets[coding->components[c].wavelet];
      line_gains (wavelet, coding->levels, gain);
      rounding_of_line (wavelet, error);
    }
    for (unsigned k = 0; k < 3u * coding->levels + 1; k++) {
      unsigned level, orientation;
      double bound;

      paco_entry_subband (coding->levels, k, &level, &orientation);
      /* A line of one sample has gain kappa, which is less. */
      bound = sample_range (format, coding, c) * gain[level][orientation & 1]
          * gain[level][orientation >> 1];
      if (wavelet->reversible)
        bound += level > 0 ? rounding_bound (error, gain, level) : 0.0;
      else
        bound = bound * 1.001 / paco_step_decode (coding->subbands[c][k].step);
      bounds[c][k] = bound;
    }
  }
}
