/* SPDX-License-Identifier: LGPL-2.1-or-later
 * rows_reference.h says what this is for. */
#include "tests/lab/cuda/rows_reference.h"
#include "codec/wavelet.h"
#include <glib.h>
#include <math.h>

/* This is done to each line. */
typedef struct
{
  const LabWavelet *wavelet;
  bool rounds, undo;
  LabRange *range;
} Filter;

static void
note (const Filter *filter, double added, double stored)
{
  if (filter->range) {
    filter->range->added = MAX (filter->range->added, fabs (added));
    filter->range->stored = MAX (filter->range->stored, fabs (stored));
  }
}

/* Does a step (FORMAT.md section 5). */
static void
lift_line (const Filter *filter, unsigned k, double *x, int n)
{
  const LabStepRow *step = &filter->wavelet->steps[k];

  for (int i = k % 2 == 0 ? 1 : 0; i < n; i += 2) {
    double sum = filter->rounds ? step->offset : 0, change;

    if (filter->wavelet->paired && (i ^ 1) >= n)
      continue;
    for (int t = 0; t < (int) step->n_taps; t++) {
      int distance = 2 * t + 1;

      sum += step->taps[t]
          * (filter->wavelet->paired ? 2 * x[i ^ 1]
                                     : x[paco_lifting_mirror (i - distance, n)]
                      + x[paco_lifting_mirror (i + distance, n)]);
    }
    change = ldexp (sum, -step->shift);
    if (filter->rounds)
      change = floor (change);
    x[i] += filter->undo ? -change : change;
    note (filter, sum, x[i]);
  }
}

static void
lift (const Filter *filter, double *x, int n)
{
  int n_steps = (int) filter->wavelet->n_steps;

  for (int k = 0; k < n_steps; k++)
    lift_line (filter, filter->undo ? n_steps - 1 - k : k, x, n);
}

static void
scale_single (const Filter *filter, double *x)
{
  double gain = filter->wavelet->low_gain;

  *x = filter->undo ? *x / gain : *x * gain;
  if (filter->rounds)
    *x = floor (*x);
  note (filter, 0, *x);
}

/* Filters a line of n samples, `distance` apart; x is room for as many. */
static void
filter_line (
    const Filter *filter, double *line, int n, size_t distance, double *x)
{
  int n_low = (n + 1) / 2;

  if (n == 1) {
    scale_single (filter, line);
    return;
  }
  for (int i = 0; i < n; i++)
    x[i] = line[distance
        * (!filter->undo     ? i
                : i % 2 == 0 ? i / 2
                             : n_low + i / 2)];
  lift (filter, x, n);
  for (int i = 0; i < n; i++)
    line[distance
        * (filter->undo      ? i
                : i % 2 == 0 ? i / 2
                             : n_low + i / 2)] = x[i];
}

static uint32_t
size_at (const LabVolume *volume, unsigned dimension, unsigned level)
{
  return (volume->size[dimension] + (1u << level) - 1) >> level;
}

/* Filters all lines along a dimension of what a level begins with. */
static void
filter_dimension (const LabVolume *volume, unsigned dimensions,
    unsigned dimension, unsigned level, const Filter *filter, double *x)
{
  size_t stride[3] = { 1, volume->size[0],
    (size_t) volume->size[0] * volume->size[1] };
  uint32_t n[3] = { 1, 1, 1 };

  for (unsigned d = 0; d < 3; d++)
    n[d] = d == dimension ? 1
        : d < dimensions  ? size_at (volume, d, level)
                          : volume->size[d];
  for (uint32_t a = 0; a < n[2]; a++)
    for (uint32_t b = 0; b < n[1]; b++)
      for (uint32_t c = 0; c < n[0]; c++)
        filter_line (filter,
            volume->samples + a * stride[2] + b * stride[1] + c,
            (int) size_at (volume, dimension, level), stride[dimension], x);
}

static double *
new_line (const LabVolume *volume)
{
  return g_new (
      double, MAX (MAX (volume->size[0], volume->size[1]), volume->size[2]));
}

void
lab_reference_forward (LabVolume *volume, unsigned dimensions, unsigned levels,
    const LabWavelet *wavelet, bool rounds, LabRange *range)
{
  double *x = new_line (volume);
  Filter filter = { wavelet, rounds, false, range };

  for (unsigned level = 0; level < levels; level++)
    for (unsigned d = dimensions; d-- > 0;)
      filter_dimension (volume, dimensions, d, level, &filter, x);
  g_free (x);
}

void
lab_reference_inverse (LabVolume *volume, unsigned dimensions, unsigned levels,
    const LabWavelet *wavelet, bool rounds, LabRange *range)
{
  double *x = new_line (volume);
  Filter filter = { wavelet, rounds, true, range };

  for (unsigned level = levels; level-- > 0;)
    for (unsigned d = 0; d < dimensions; d++)
      filter_dimension (volume, dimensions, d, level, &filter, x);
  g_free (x);
}
