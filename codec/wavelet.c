/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The wavelets and the norms of their subbands. A norm follows from the
 * lifting steps alone, so a new wavelet needs no table but its steps. */
#include "wavelet.h"
#include <math.h>
#include <string.h>

const PacoWavelet paco_wavelets[PACO_N_WAVELETS] = {
  [PACO_WAVELET_CDF53] = {
    .name = "cdf53",
    .reversible = true,
    .n_steps = 2,
    .steps = {
      { .multiplier = -1, .offset = 1, .shift = 1, .coefficient = -0.5f },
      { .multiplier = 1, .offset = 2, .shift = 2, .coefficient = 0.25f },
    },
    .low_gain = 1.0f,
    .low_gain_inverse = 1.0f,
  },
  [PACO_WAVELET_CDF97] = {
    .name = "cdf97",
    .reversible = false,
    .n_steps = 4,
    .steps = {
      { .coefficient = -1.586134342f },
      { .coefficient = -0.052980118f },
      { .coefficient = 0.882911075f },
      { .coefficient = 0.443506852f },
    },
    .low_gain = 1.230174105f,
    .low_gain_inverse = 0.812893066f,
  },
};

/* The decimal number, of which low_gain is the nearest binary32. */
static const double decimal_low_gain[PACO_N_WAVELETS] = {
  [PACO_WAVELET_CDF53] = 1.0,
  [PACO_WAVELET_CDF97] = 1.230174105,
};

float
paco_wavelet_reduced_gain (PacoWaveletId wavelet, unsigned levels)
{
  return (float) pow (decimal_low_gain[wavelet], -2.0 * levels);
}

/* Long enough that an impulse in the middle of a line of the deepest level
 * does not reach its ends. */
#define LINE_SAMPLES 32

static void
undo_step (double *x, int n, int parity, double coefficient)
{
  for (int i = parity; i < n; i += 2) {
    double before = x[i > 0 ? i - 1 : 1];
    double after = x[i + 1 < n ? i + 1 : n - 2];

    x[i] -= coefficient * (before + after);
  }
}

/* Norm of the synthesis filter of one dimension: the energy of what an
 * impulse in the low or high half of `level` becomes. */
static double
line_norm (const PacoWavelet *wavelet, unsigned level, bool high)
{
  double x[LINE_SAMPLES << PACO_MAX_LEVELS],
      low[LINE_SAMPLES << PACO_MAX_LEVELS];
  int n = LINE_SAMPLES;
  double energy = 0.0;

  memset (x, 0, sizeof x);
  x[n / 2 + (high ? 1 : 0)] = 1.0;
  while (level-- > 0) {
    for (unsigned step = wavelet->n_steps; step-- > 0;)
      undo_step (x, n, step % 2 == 0, wavelet->steps[step].coefficient);
    if (level > 0) {
      memcpy (low, x, n * sizeof *x);
      for (int i = 0; i < n; i++) {
        x[2 * i] = low[i];
        x[2 * i + 1] = 0.0;
      }
      n *= 2;
    }
  }
  for (int i = 0; i < n; i++)
    energy += x[i] * x[i];
  return sqrt (energy);
}

double
paco_wavelet_norm (
    PacoWaveletId wavelet, unsigned level, PacoOrientation orientation)
{
  const PacoWavelet *w = &paco_wavelets[wavelet];
  bool high_x = orientation == PACO_ORIENTATION_HL
      || orientation == PACO_ORIENTATION_HH;
  bool high_y = orientation == PACO_ORIENTATION_LH
      || orientation == PACO_ORIENTATION_HH;

  if (level == 0)
    return 1.0;
  return line_norm (w, level, high_x) * line_norm (w, level, high_y);
}
