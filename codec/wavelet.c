/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Computes the norms of subbands and the gains of reduced pictures; wavelet.h says
 * for whom. Both follow from the lifting steps alone, so a new wavelet needs no
 * table but its steps. */
#include "wavelet.h"
#include <math.h>
#include <string.h>

void
paco_wavelet_lift (
    const PacoWavelet *wavelet, unsigned k, bool undo, double *x, unsigned n)
{
  const PacoLiftingStep *step = &wavelet->steps[k];
  double scale = ldexp (undo ? -1.0 : 1.0, -step->shift);

  for (unsigned i = k % 2 == 0; i < n; i += 2)
    for (unsigned t = 0; t < step->n_taps; t++)
      x[i] += step->taps[t] * scale
          * (x[paco_lifting_mirror (i - 2 * (int64_t) t - 1, n)]
              + x[paco_lifting_mirror (i + 2 * (int64_t) t + 1, n)]);
}

float
paco_wavelet_reduced_gain (PacoWaveletId wavelet, unsigned levels)
{
  return (float) pow (paco_wavelets[wavelet].low_gain, -2.0 * levels);
}

/* How many samples a line of the deepest level has: enough that an impulse in its
 * middle does not reach its ends, nor those of the lines that are made from it. */
#define LINE_SAMPLES(reach) (4 * ((reach) + 2))
#define MAX_SAMPLES (LINE_SAMPLES (PACO_MAX_LIFTING_REACH) << PACO_MAX_LEVELS)

/* Returns the norm of the synthesis filter in one dimension: the root of the energy
 * that an impulse in the low or high half of `level` has in the picture. */
static double
line_norm (const PacoWavelet *wavelet, unsigned level, bool high)
{
  double x[MAX_SAMPLES], low[MAX_SAMPLES];
  int n = LINE_SAMPLES ((int) paco_wavelet_reach (wavelet));
  double energy = 0.0;

  memset (x, 0, n * sizeof *x);
  x[n / 2 + (high ? 1 : 0)] = 1.0;
  while (level-- > 0) {
    for (unsigned step = wavelet->n_steps; step-- > 0;)
      paco_wavelet_lift (wavelet, step, true, x, n);
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
  double norm;

  if (level == 0)
    return 1.0;
  norm = line_norm (w, level, high_x);
  return norm * (high_x == high_y ? norm : line_norm (w, level, high_y));
}
