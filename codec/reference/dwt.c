/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The wavelet transform, one line at a time (FORMAT.md section 5), for the
 * reference's encoder.c and decoder.c and for tables/count.c. The lifting steps are
 * those of the table paco_wavelets. */
#include "codec/reference/reference.h"
#include <math.h>

/* Where the sum of a step's tap k is taken around x[i]: x[i-d] and x[i+d]. */
typedef struct
{
  PacoReferenceSample before, after;
} Pair;

static Pair
pair_around (const PacoReferenceSample *x, size_t i, size_t n, unsigned k)
{
  ptrdiff_t distance = 2 * k + 1;

  return (Pair){ x[paco_lifting_mirror ((ptrdiff_t) i - distance, n)],
    x[paco_lifting_mirror ((ptrdiff_t) i + distance, n)] };
}

/* Returns what a step of a reversible wavelet adds to x[i]. */
static uint32_t
integer_change (const PacoReferenceSample *x, size_t i, size_t n,
    const PacoLiftingStep *step)
{
  uint32_t sum = (uint32_t) step->offset;

  for (unsigned k = 0; k < step->n_taps; k++) {
    Pair pair = pair_around (x, i, n, k);

    sum += (uint32_t) (int32_t) step->taps[k]
        * ((uint32_t) pair.before.i + (uint32_t) pair.after.i);
  }
  return (uint32_t) ((int32_t) sum >> step->shift);
}

/* Changes x[i] by one lifting step, or undoes that. */
static void
lift (PacoReferenceSample *x, size_t i, size_t n, const PacoWavelet *wavelet,
    const PacoLiftingStep *step, bool undo)
{
  if (wavelet->reversible) {
    uint32_t change = integer_change (x, i, n, step);

    x[i].i = (int32_t) ((uint32_t) x[i].i + (undo ? -change : change));
  } else {
    Pair pair = pair_around (x, i, n, 0);
    float sum = pair.before.f + pair.after.f;

    x[i].f = fmaf (undo ? -step->taps[0] : step->taps[0], sum, x[i].f);
  }
}

/* Step k changes the odd samples if k is even, else the even ones. */
static void
lift_line (PacoReferenceSample *x, size_t n, const PacoWavelet *wavelet,
    unsigned k, bool undo)
{
  for (size_t i = k % 2 == 0 ? 1 : 0; i < n; i += 2)
    lift (x, i, n, wavelet, &wavelet->steps[k], undo);
}

/* A line of one sample is not lifted, but grows as other lines of wavelet 1 do. */
static void
scale_single (PacoReferenceSample *x, const PacoWavelet *wavelet, bool undo)
{
  double gain = wavelet->low_gain;

  if (!wavelet->reversible)
    x->f *= (float) (undo ? 1.0 / gain : gain);
}

static void
filter_line (PacoReferenceSample *first, size_t n, size_t stride,
    const PacoWavelet *wavelet, bool undo, PacoReferenceSample *x)
{
  size_t n_low = (n + 1) / 2;

  if (n == 1)
    scale_single (first, wavelet, undo);
  if (n < 2)
    return;
  /* Low samples lie before high ones in coefficients. */
  for (size_t i = 0; i < n; i++)
    x[i] = first[(!undo ? i : i % 2 == 0 ? i / 2 : n_low + i / 2) * stride];
  for (unsigned k = 0; k < wavelet->n_steps; k++)
    lift_line (x, n, wavelet, undo ? wavelet->n_steps - 1 - k : k, undo);
  for (size_t i = 0; i < n; i++)
    first[(undo ? i : i % 2 == 0 ? i / 2 : n_low + i / 2) * stride] = x[i];
}

/* Filters the LL of a level: forward first all columns, then all rows. */
static void
filter_level (PacoReferencePlane *plane, unsigned level,
    const PacoWavelet *wavelet, bool undo, PacoReferenceSample *x)
{
  uint32_t width = paco_ceil_shift (plane->width, level);
  uint32_t height = paco_ceil_shift (plane->height, level);

  for (unsigned turn = 0; turn < 2; turn++) {
    if ((turn == 0) != undo)
      for (uint32_t column = 0; column < width; column++)
        filter_line (
            plane->samples + column, height, plane->width, wavelet, undo, x);
    else
      for (uint32_t row = 0; row < height; row++)
        filter_line (plane->samples + (size_t) row * plane->width, width, 1,
            wavelet, undo, x);
  }
}

static void
filter_levels (PacoReferencePlane *plane, unsigned levels,
    PacoWaveletId wavelet, bool undo)
{
  size_t longest = MAX (MAX (plane->width, plane->height), 1);
  g_autofree PacoReferenceSample *x = g_new (PacoReferenceSample, longest);

  for (unsigned i = 0; i < levels; i++)
    filter_level (
        plane, undo ? levels - 1 - i : i, &paco_wavelets[wavelet], undo, x);
}

void
paco_reference_forward_dwt (
    PacoReferencePlane *plane, unsigned levels, PacoWaveletId wavelet)
{
  filter_levels (plane, levels, wavelet, false);
}

void
paco_reference_inverse_dwt (
    PacoReferencePlane *plane, unsigned levels, PacoWaveletId wavelet)
{
  filter_levels (plane, levels, wavelet, true);
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
  const double kappa = wavelet == PACO_WAVELET_CDF97 ? 1.230174105 : 1.0;

  return (float) pow (kappa, -2.0 * levels);
}

void
paco_reference_reduce (
    PacoReferencePlane *plane, PacoWaveletId wavelet, unsigned levels)
{
  size_t n = (size_t) plane->width * plane->height;
  float gain = paco_reference_reduced_gain (wavelet, levels);

  if (wavelet != PACO_WAVELET_CDF97)
    return;
  for (size_t i = 0; i < n; i++)
    plane->samples[i].f *= gain;
}

/* --- the wavelet along a stack (FORMAT.md section 12), for the samples at one place of its slices --- */

enum
{
  MIDDLE = 1 << 15
};

static int
floor_shift (int value, unsigned shift)
{
  int divisor = 1 << shift;

  return value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor);
}

/* Returns what a step gives, in 16 bits. */
static int
result (const PacoSlice *slice, int value)
{
  if (slice->bits < 16)
    return value < -MIDDLE ? -MIDDLE : value > MIDDLE - 1 ? MIDDLE - 1 : value;
  while (value < -MIDDLE)
    value += 2 * MIDDLE;
  while (value > MIDDLE - 1)
    value -= 2 * MIDDLE;
  return value;
}

/* Returns what a step adds to y[i] of n. */
static int
change (const PacoSlice *slice, const int *y, int i, int n)
{
  bool odd = i % 2 == 1;

  if (slice->wavelet == PACO_STACK_HAAR) {
    int other = odd ? i - 1 : i + 1;

    if (other >= n)
      return 0;
    return odd ? -y[other] : floor_shift (y[other] + 1, 1);
  } else {
    int before = i == 0 ? 1 : i - 1, after = i == n - 1 ? n - 2 : i + 1;
    int sum;

    if (n == 1)
      return 0;
    sum = y[before] + y[after];
    return odd ? -floor_shift (sum, 1) : floor_shift (sum + 2, 2);
  }
}

static void
filter (const PacoSlice *slice, bool undo, int *y, int n)
{
  for (int step = 0; step < 2; step++) {
    /* Forward first the odd ones. */
    bool odd = (step == 0) != undo;

    for (int i = odd ? 1 : 0; i < n; i += 2) {
      int add = change (slice, y, i, n);

      y[i] = result (slice, undo ? y[i] - add : y[i] + add);
    }
  }
}

void
paco_reference_stack (const PacoSlice *slice, bool undo, int *values)
{
  for (int k = 0; k < slice->levels; k++) {
    int level = undo ? slice->levels - 1 - k : k, n = 0;
    int y[PACO_MAX_STACK];

    for (int p = 0; p < slice->length; p += 1 << level)
      y[n++] = values[p];
    filter (slice, undo, y, n);
    for (int i = 0; i < n; i++)
      values[i << level] = y[i];
  }
}

int
paco_reference_load_sample (const PacoSlice *slice, int sample)
{
  int u = sample;

  if (slice->depth == 8 && slice->bits == 13)
    u = 32 * sample + sample / 8;
  else if (slice->depth == 16 && slice->bits == 13)
    u = (sample - sample / 8192 + 4) / 8;
  return u - (1 << (slice->bits - 1));
}

int
paco_reference_store_sample (const PacoSlice *slice, int value)
{
  int u = value + (1 << (slice->bits - 1)), most = (1 << slice->bits) - 1;

  u = u < 0 ? 0 : u > most ? most : u;
  if (slice->depth == 8 && slice->bits == 13)
    return (u - u / 256 + 16) / 32;
  if (slice->depth == 16 && slice->bits == 13)
    return 8 * u + u / 1024;
  return u;
}
