/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Wavelets, one line at a time, also along a stack, and the quantiser's steps (FORMAT.md
 * sections 5, 8, 10 and 12), for the reference decoder and encoder. */
#include "parts.h"
#include <float.h>
#include <math.h>

#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0
#error "float operations must be rounded once: compile for SSE2 or another unit"
#endif

#define KAPPA 1.230174105

/* --- lifting --- */

/* Returns where x[i] is, which may lie outside of 0..n-1. */
static size_t
mirror (ptrdiff_t i, size_t n)
{
  ptrdiff_t last = (ptrdiff_t) n - 1;

  while (i < 0 || i > last)
    i = i < 0 ? -i : 2 * last - i;
  return (size_t) i;
}

/* Returns x[i-d] + x[i+d], modulo 2^32. */
static uint32_t
integer_sum (const Sample *x, size_t i, size_t n, ptrdiff_t d)
{
  return (uint32_t) x[mirror ((ptrdiff_t) i - d, n)].i
      + (uint32_t) x[mirror ((ptrdiff_t) i + d, n)].i;
}

/* Returns what step 0 or 1 of a reversible wavelet adds to x[i]. */
static uint32_t
integer_change (
    const Sample *x, size_t i, size_t n, unsigned wavelet, unsigned step)
{
  uint32_t s = integer_sum (x, i, n, 1), t, sum;

  if (wavelet == CDF53)
    return step == 0 ? (uint32_t) ((int32_t) (1 - s) >> 1)
                     : (uint32_t) ((int32_t) (s + 2) >> 2);
  t = integer_sum (x, i, n, 3);
  sum = step == 0 ? 7 - 9 * s + t : 9 * s - t + 16;
  return (uint32_t) ((int32_t) sum >> (step == 0 ? 4 : 5));
}

static void
lift (Sample *x, size_t n, unsigned wavelet, unsigned step, bool undo)
{
  static const float factors[4] = { -1.586134342f, -0.052980118f, 0.882911075f,
    0.443506852f };

  for (size_t i = step % 2 == 0 ? 1 : 0; i < n; i += 2) {
    if (wavelet == CDF97) {
      float sum = x[mirror ((ptrdiff_t) i - 1, n)].f
          + x[mirror ((ptrdiff_t) i + 1, n)].f;

      x[i].f = fmaf (undo ? -factors[step] : factors[step], sum, x[i].f);
    } else {
      uint32_t change = integer_change (x, i, n, wavelet, step);

      x[i].i = (int32_t) ((uint32_t) x[i].i + (undo ? 0u - change : change));
    }
  }
}

/* Filters a line or a column in place; x has room for it. */
static void
filter_line (Sample *first, size_t n, size_t stride, unsigned wavelet,
    bool undo, Sample *x)
{
  const unsigned n_steps = wavelet == CDF97 ? 4 : 2;
  const size_t n_low = (n + 1) / 2;

  if (n == 1 && wavelet == CDF97)
    first->f *= (float) (undo ? 1.0 / KAPPA : KAPPA);
  if (n < 2)
    return;
  /* Low samples lie before high ones in coefficients. */
  for (size_t i = 0; i < n; i++)
    x[i] = first[(!undo ? i : i % 2 == 0 ? i / 2 : n_low + i / 2) * stride];
  for (unsigned k = 0; k < n_steps; k++)
    lift (x, n, wavelet, undo ? n_steps - 1 - k : k, undo);
  for (size_t i = 0; i < n; i++)
    first[(undo ? i : i % 2 == 0 ? i / 2 : n_low + i / 2) * stride] = x[i];
}

void
paco_reference_transform (
    Plane *plane, unsigned levels, unsigned wavelet, bool undo, Sample *x)
{
  for (unsigned k = 0; k < levels; k++) {
    unsigned level = undo ? levels - 1 - k : k;
    uint32_t width = ceil_shift (plane->width, level);
    uint32_t height = ceil_shift (plane->height, level);

    for (unsigned turn = 0; turn < 2; turn++) {
      bool columns = (turn == 0) != undo;

      for (uint32_t i = 0; columns && i < width; i++)
        filter_line (
            plane->samples + i, height, plane->width, wavelet, undo, x);
      for (uint32_t i = 0; !columns && i < height; i++)
        filter_line (plane->samples + (size_t) i * plane->width, width, 1,
            wavelet, undo, x);
    }
  }
}

float
paco_reference_reduced_gain (unsigned wavelet, unsigned levels)
{
  double gain = 1.0;

  for (unsigned k = 0; wavelet == CDF97 && k < 2 * levels; k++)
    gain /= KAPPA;
  return (float) gain;
}

void
paco_reference_reduce (Plane *plane, unsigned wavelet, unsigned levels)
{
  size_t n = (size_t) plane->width * plane->height;
  float gain = paco_reference_reduced_gain (wavelet, levels);

  for (size_t i = 0; wavelet == CDF97 && i < n; i++)
    plane->samples[i].f *= gain;
}

/* --- quantisation --- */

/* Returns 2^n. */
static float
power_of_two (int n)
{
  return n >= 0 ? (float) (1u << n) : 1.0f / (float) (1u << -n);
}

static float
step_of_entry (unsigned entry)
{
  return (float) (512 + (entry & 511)) / 512.0f
      * power_of_two ((int) (entry >> 9 & 31) - 16);
}

unsigned
paco_reference_point (
    unsigned reconstruction, bool cut, unsigned dropped_planes)
{
  int distance = 116 - (int) reconstruction;

  return cut ? (unsigned) (116 - (distance >> dropped_planes)) : reconstruction;
}

Sample
paco_reference_dequantize (int32_t index, unsigned dropped_planes,
    unsigned reconstruction, unsigned wavelet, float step)
{
  int32_t m = (index < 0 ? -index : index) >> dropped_planes;
  Sample x;

  x.i = 0;
  if (m == 0)
    return x;
  if (wavelet != CDF97) {
    x.i = (m << dropped_planes)
        + (int32_t) ((1u << dropped_planes) * reconstruction / 256);
    x.i = index < 0 ? -x.i : x.i;
  } else {
    x.f = (float) (256 * m + (int32_t) reconstruction)
        * (step * power_of_two ((int) dropped_planes - 8));
    x.f = index < 0 ? -x.f : x.f;
  }
  return x;
}

/* --- along a stack --- */

/* Returns what a step gives, in 16 bits. */
static int
in_16_bits (const Slice *slice, int value)
{
  if (slice->bits == 16)
    return (value + 3 * 32768) % 65536 - 32768;
  return value < -32768 ? -32768 : value > 32767 ? 32767 : value;
}

/* Returns what a step adds to y[i] of n. */
static int
stack_change (const Slice *slice, const int *y, int i, int n)
{
  bool odd = i % 2 == 1;
  int sum;

  if (slice->wavelet == 3) {
    if (odd)
      return -y[i - 1];
    return i + 1 < n ? (y[i + 1] + 1) >> 1 : 0;
  }
  if (n == 1)
    return 0;
  sum = y[i == 0 ? 1 : i - 1] + y[i == n - 1 ? n - 2 : i + 1];
  return odd ? (1 - sum) >> 1 : (sum + 2) >> 2;
}

void
paco_reference_filter_stack (const Slice *slice, bool undo, int *values)
{
  for (int k = 0; k < slice->levels; k++) {
    int y[MAX_STACK], n = 0;
    int level = undo ? slice->levels - 1 - k : k;

    for (int p = 0; p < slice->length; p += 1 << level)
      y[n++] = values[p];
    for (int step = 0; step < 2; step++)
      for (int i = (step == 0) != undo ? 1 : 0; i < n; i += 2) {
        int change = stack_change (slice, y, i, n);

        y[i] = in_16_bits (slice, undo ? y[i] - change : y[i] + change);
      }
    for (int i = 0; i < n; i++)
      values[i << level] = y[i];
  }
}

int
paco_reference_stack_sample (const Slice *slice, int value)
{
  int u = value + (1 << (slice->bits - 1)), most = (1 << slice->bits) - 1;

  u = u < 0 ? 0 : u > most ? most : u;
  if (slice->bits == slice->depth)
    return u;
  return slice->depth == 8 ? (u - (u >> 8) + 16) >> 5 : 8 * u + (u >> 10);
}
