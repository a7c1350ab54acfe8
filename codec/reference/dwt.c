/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The wavelet transform, one line at a time (FORMAT.md section 5). The lifting
 * steps are those of the table paco_wavelets. */
#include "codec/reference/reference.h"
#include <math.h>

/* A row or a column of a plane: n samples, `stride` samples apart. */
typedef struct
{
  PacoReferenceSample *first;
  size_t n, stride;
} Line;

/* x[i], mirrored at both ends. The line has two samples at least, and i is one
 * outside at most. */
static PacoReferenceSample
mirrored (const PacoReferenceSample *x, ptrdiff_t i, ptrdiff_t n)
{
  if (i < 0)
    return x[-i];
  if (i >= n)
    return x[2 * (n - 1) - i];
  return x[i];
}

/* x[i] after one lifting step, or after undoing it. */
static PacoReferenceSample
lift (const PacoWavelet *wavelet, const PacoLiftingStep *step, bool undo,
    PacoReferenceSample x, PacoReferenceSample before,
    PacoReferenceSample after)
{
  PacoReferenceSample result;

  if (wavelet->reversible) {
    uint32_t sum = (uint32_t) before.i + (uint32_t) after.i;
    uint32_t scaled = (uint32_t) step->multiplier * sum
        + (uint32_t) step->offset;
    uint32_t change = (uint32_t) ((int32_t) scaled >> step->shift);

    result.i = (int32_t) ((uint32_t) x.i + (undo ? -change : change));
  } else {
    float sum = before.f + after.f;

    result.f = fmaf (undo ? -step->coefficient : step->coefficient, sum, x.f);
  }
  return result;
}

/* Step k changes the odd samples if k is even, else the even ones. */
static void
lift_line (PacoReferenceSample *x, size_t n, const PacoWavelet *wavelet,
    unsigned k, bool undo)
{
  for (size_t i = k % 2 == 0 ? 1 : 0; i < n; i += 2)
    x[i] = lift (wavelet, &wavelet->steps[k], undo, x[i],
        mirrored (x, (ptrdiff_t) i - 1, n), mirrored (x, (ptrdiff_t) i + 1, n));
}

static void
forward_line (Line line, const PacoWavelet *wavelet, PacoReferenceSample *x)
{
  size_t n_low = (line.n + 1) / 2;

  if (line.n == 1) {
    if (!wavelet->reversible)
      line.first->f *= wavelet->low_gain;
    return;
  }
  for (size_t i = 0; i < line.n; i++)
    x[i] = line.first[i * line.stride];
  for (unsigned k = 0; k < wavelet->n_steps; k++)
    lift_line (x, line.n, wavelet, k, false);
  for (size_t i = 0; i < line.n; i++)
    line.first[(i % 2 == 0 ? i / 2 : n_low + i / 2) * line.stride] = x[i];
}

static void
inverse_line (Line line, const PacoWavelet *wavelet, PacoReferenceSample *x)
{
  size_t n_low = (line.n + 1) / 2;

  if (line.n == 1) {
    if (!wavelet->reversible)
      line.first->f *= wavelet->low_gain_inverse;
    return;
  }
  for (size_t i = 0; i < line.n; i++)
    x[i] = line.first[(i % 2 == 0 ? i / 2 : n_low + i / 2) * line.stride];
  for (unsigned k = wavelet->n_steps; k-- > 0;)
    lift_line (x, line.n, wavelet, k, true);
  for (size_t i = 0; i < line.n; i++)
    line.first[i * line.stride] = x[i];
}

typedef void (*LineFilter) (
    Line line, const PacoWavelet *wavelet, PacoReferenceSample *x);

/* Filters all columns of the upper left width * height samples. */
static void
filter_columns (PacoReferencePlane *plane, uint32_t width, uint32_t height,
    LineFilter filter, const PacoWavelet *wavelet, PacoReferenceSample *x)
{
  for (uint32_t column = 0; height > 0 && column < width; column++)
    filter (
        (Line){ plane->samples + column, height, plane->width }, wavelet, x);
}

static void
filter_rows (PacoReferencePlane *plane, uint32_t width, uint32_t height,
    LineFilter filter, const PacoWavelet *wavelet, PacoReferenceSample *x)
{
  for (uint32_t row = 0; width > 0 && row < height; row++)
    filter ((Line){ plane->samples + (size_t) row * plane->width, width, 1 },
        wavelet, x);
}

void
paco_reference_forward_dwt (
    PacoReferencePlane *plane, unsigned levels, PacoWaveletId wavelet)
{
  const PacoWavelet *w = &paco_wavelets[wavelet];
  size_t longest = MAX (MAX (plane->width, plane->height), 1);
  PacoReferenceSample *x = g_new (PacoReferenceSample, longest);

  for (unsigned level = 0; level < levels; level++) {
    uint32_t width = paco_ceil_shift (plane->width, level);
    uint32_t height = paco_ceil_shift (plane->height, level);

    filter_columns (plane, width, height, forward_line, w, x);
    filter_rows (plane, width, height, forward_line, w, x);
  }
  g_free (x);
}

void
paco_reference_inverse_dwt (
    PacoReferencePlane *plane, unsigned levels, PacoWaveletId wavelet)
{
  const PacoWavelet *w = &paco_wavelets[wavelet];
  size_t longest = MAX (MAX (plane->width, plane->height), 1);
  PacoReferenceSample *x = g_new (PacoReferenceSample, longest);

  for (unsigned level = levels; level-- > 0;) {
    uint32_t width = paco_ceil_shift (plane->width, level);
    uint32_t height = paco_ceil_shift (plane->height, level);

    filter_rows (plane, width, height, inverse_line, w, x);
    filter_columns (plane, width, height, inverse_line, w, x);
  }
  g_free (x);
}

void
paco_reference_subband_origin (const PacoGeometry *geometry,
    const PacoSubband *subband, uint32_t *left, uint32_t *top)
{
  unsigned f = subband->field, c = subband->component, l = subband->level;
  bool right = subband->orientation & 1, lower = subband->orientation & 2;

  *left = right ? geometry->resolution[f][c][l].width : 0;
  *top = lower ? geometry->resolution[f][c][l].height : 0;
}

float
paco_reference_reduced_gain (PacoWaveletId wavelet, unsigned levels)
{
  const double kappa = 1.230174105;

  if (paco_wavelets[wavelet].reversible)
    return 1.0f;
  return (float) pow (kappa, -2.0 * levels);
}
