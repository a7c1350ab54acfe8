/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compares the reference's wavelet transform with what is published: 5/3 computed by
 * hand, 13/7 by its formulas, 9/7 as a convolution with the filters of the literature,
 * perfect reconstruction at every small size, and how large coefficients become. */
#include "codec/policy.h"
#include "codec/quantizer.h"
#include "codec/reference/reference.h"
#include "codec/wavelet.h"
#include "tests/codec/must.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static PacoReferencePlane
plane_of (uint32_t width, uint32_t height)
{
  PacoReferencePlane plane;

  g_assert_true (paco_reference_plane_init (&plane, width, height));
  return plane;
}

/* 1 2 3 10 5: odd samples less the mean of their neighbors, 2 - 2 = 0 and
 * 10 - 4 = 6; even ones plus a quarter of those, rounded: 1 + 0, 3 + 2, 5 + 3. */
static void
test_53_by_hand (void)
{
  static const int32_t line[5] = { 1, 2, 3, 10, 5 };
  static const int32_t expected[5] = { 1, 5, 8, 0, 6 };

  for (int vertical = 0; vertical < 2; vertical++) {
    PacoReferencePlane plane = vertical ? plane_of (1, 5) : plane_of (5, 1);

    for (int i = 0; i < 5; i++)
      plane.samples[i].i = line[i];
    paco_reference_forward_dwt (&plane, 1, PACO_WAVELET_CDF53);
    for (int i = 0; i < 5; i++)
      g_assert_cmpint (plane.samples[i].i, ==, expected[i]);
    paco_reference_plane_clear (&plane);
  }
}

/* 2x2: columns first. (7, -3 / 4, 8): columns give LL row 7 + ((4-7)*2+2>>2)
 * = 6 and -3 + ((11)*2+2>>2) = 3, high row -3 and 11. Rows: 3 - 6 = -3 and
 * 6 + (-6+2>>2) = 5; 11 - (-3) = 14 and -3 + (28+2>>2) = 4. */
static void
test_53_columns_first (void)
{
  static const int32_t square[4] = { 7, -3, 4, 8 };
  static const int32_t expected[4] = { 5, -3, 4, 14 };
  PacoReferencePlane plane = plane_of (2, 2);

  for (int i = 0; i < 4; i++)
    plane.samples[i].i = square[i];
  paco_reference_forward_dwt (&plane, 1, PACO_WAVELET_CDF53);
  for (int i = 0; i < 4; i++)
    g_assert_cmpint (plane.samples[i].i, ==, expected[i]);
  paco_reference_plane_clear (&plane);
}

/* Computes the formulas of 13/7-T as they are published, floor (... + 1/2), for
 * a line of any length, mirrored as often as it takes. */
static int32_t
four_of (const int32_t *x, int i, int n)
{
  int32_t at[4];

  for (int k = 0; k < 4; k++) {
    int j = i - 3 + 2 * k;

    while (n > 1 && (j < 0 || j >= n))
      j = j < 0 ? -j : 2 * (n - 1) - j;
    at[k] = x[j];
  }
  return 9 * (at[1] + at[2]) - (at[0] + at[3]);
}

static void
test_137_published (void)
{
  for (int n = 2; n <= 40; n++) {
    PacoReferencePlane plane = plane_of (n, 1);
    g_autofree int32_t *x = g_new (int32_t, n);

    for (int i = 0; i < n; i++)
      x[i] = plane.samples[i].i = g_test_rand_int_range (-2048, 2048);
    for (int i = 1; i < n; i += 2)
      x[i] -= (int32_t) floor (four_of (x, i, n) / 16.0 + 0.5);
    for (int i = 0; i < n; i += 2)
      x[i] += (int32_t) floor (four_of (x, i, n) / 32.0 + 0.5);
    paco_reference_forward_dwt (&plane, 1, PACO_WAVELET_DD137);
    for (int i = 0; i < n; i++)
      g_assert_cmpint (
          plane.samples[i % 2 == 0 ? i / 2 : (n + 1) / 2 + i / 2].i, ==, x[i]);
    paco_reference_plane_clear (&plane);
  }
}

/* Tests that a cubic is predicted without error but for rounding; its samples
 * here are multiples of 16, so there is none. At the borders mirroring breaks
 * it. */
static void
test_137_cubic (void)
{
  PacoReferencePlane plane = plane_of (64, 1);

  for (int i = 0; i < 64; i++)
    plane.samples[i].i = 16 * ((i - 3) * (i - 20) * (i - 50));
  paco_reference_forward_dwt (&plane, 1, PACO_WAVELET_DD137);
  for (int i = 2; i < 30; i++)
    g_assert_cmpint (plane.samples[32 + i].i, ==, 0);
  paco_reference_plane_clear (&plane);
}

/* Tests that no sample further away than the reach changes a coefficient, and
 * one at that distance does. */
static void
test_reach (gconstpointer wavelet)
{
  enum
  {
    N = 128
  };
  PacoWaveletId id = GPOINTER_TO_UINT (wavelet);
  const bool reversible = paco_wavelets[id].reversible;
  const int reach = paco_wavelet_reach (&paco_wavelets[id]), middle = N / 2;
  int furthest = 0;

  g_assert_cmpint (reach, <=, PACO_MAX_LIFTING_REACH);
  for (int at = 0; at < N; at++) {
    PacoReferencePlane plane = plane_of (N, 1);

    if (reversible)
      plane.samples[at].i = 1 << 20;
    else
      plane.samples[at].f = 1.0f;
    paco_reference_forward_dwt (&plane, 1, id);
    if (plane.samples[middle / 2].i != 0) /* 0.0f has no bits either */
      furthest = MAX (furthest, ABS (at - middle));
    if (plane.samples[N / 2 + middle / 2].i != 0)
      furthest = MAX (furthest, ABS (at - middle - 1));
    paco_reference_plane_clear (&plane);
  }
  g_assert_cmpint (furthest, ==, reach);
}

static void
check_reconstruction (
    uint32_t width, uint32_t height, unsigned levels, PacoWaveletId wavelet)
{
  PacoReferencePlane plane = plane_of (width, height);
  bool reversible = paco_wavelets[wavelet].reversible;
  uint32_t n = width * height;
  g_autofree int32_t *original = g_new (int32_t, n);

  for (uint32_t i = 0; i < n; i++) {
    original[i] = g_test_rand_int_range (-2048, 2048);
    if (reversible)
      plane.samples[i].i = original[i];
    else
      plane.samples[i].f = original[i];
  }
  paco_reference_forward_dwt (&plane, levels, wavelet);
  paco_reference_inverse_dwt (&plane, levels, wavelet);
  for (uint32_t i = 0; i < n; i++) {
    if (reversible)
      g_assert_cmpint (plane.samples[i].i, ==, original[i]);
    else
      g_assert_cmpfloat_with_epsilon (plane.samples[i].f, original[i], 0.05);
  }
  paco_reference_plane_clear (&plane);
}

static void
test_reconstruction (gconstpointer wavelet)
{
  for (uint32_t width = 1; width <= 20; width++)
    for (uint32_t height = 1; height <= 20; height++)
      for (unsigned levels = 0; levels <= PACO_MAX_LEVELS; levels++)
        check_reconstruction (
            width, height, levels, GPOINTER_TO_UINT (wavelet));
  check_reconstruction (301, 77, 8, GPOINTER_TO_UINT (wavelet));
}

/* These are the CDF 9/7 analysis filters as JPEG 2000 normalizes them: low-pass
 * gain 1 at DC, high-pass gain 2 at Nyquist. Ours lack the scaling step: the
 * low half is larger by kappa, the high half smaller. */
static const double low_pass[5] = { 0.6029490182363579, 0.2668641184428723,
  -0.07822326652898785, -0.01686411844287495, 0.02674875741080976 };
static const double high_pass[4] = { 1.115087052456994, -0.5912717631142470,
  -0.05754352622849957, 0.09127176311424948 };
static const double kappa = 1.230174104914001;

static double
mirrored (const double *x, int i, int n)
{
  int period = 2 * (n - 1);

  i = ((i % period) + period) % period;
  return x[i < n ? i : period - i];
}

static double
convolve (const double *x, int at, int n, const double *filter, int n_taps)
{
  double sum = filter[0] * x[at];

  for (int k = 1; k < n_taps; k++)
    sum += filter[k] * (mirrored (x, at - k, n) + mirrored (x, at + k, n));
  return sum;
}

static void
test_97_convolution (void)
{
  for (int n = 2; n <= 40; n++) {
    PacoReferencePlane plane = plane_of (n, 1);
    g_autofree double *x = g_new (double, n);

    for (int i = 0; i < n; i++) {
      x[i] = g_test_rand_int_range (-1000, 1000);
      plane.samples[i].f = x[i];
    }
    /* A column of one line is multiplied by kappa. */
    paco_reference_forward_dwt (&plane, 1, PACO_WAVELET_CDF97);
    for (int i = 0; i < n; i++) {
      double expected = i % 2 == 0 ? convolve (x, i, n, low_pass, 5) * kappa
                                   : convolve (x, i, n, high_pass, 4) / kappa;
      int at = i % 2 == 0 ? i / 2 : (n + 1) / 2 + i / 2;

      g_assert_cmpfloat_with_epsilon (
          plane.samples[at].f, expected * kappa, 1e-3 * 1000.0);
    }
    paco_reference_plane_clear (&plane);
  }
}

/* Tests that a flat picture has only LL, kappa squared times as large per
 * level, and that leaving out levels gives the picture's value back. */
static void
test_97_gain (void)
{
  for (unsigned levels = 1; levels <= PACO_MAX_LEVELS; levels++) {
    PacoReferencePlane plane = plane_of (300, 270);
    double gain = pow (kappa, 2.0 * levels);

    for (int i = 0; i < 300 * 270; i++)
      plane.samples[i].f = 100.0f;
    paco_reference_forward_dwt (&plane, levels, PACO_WAVELET_CDF97);
    g_assert_cmpfloat_with_epsilon (
        plane.samples[0].f, 100.0 * gain, 1e-3 * gain);
    g_assert_cmpfloat_with_epsilon (plane.samples[0].f
            * paco_reference_reduced_gain (PACO_WAVELET_CDF97, levels),
        100.0, 1e-3);
    for (uint32_t x = paco_ceil_shift (300, levels); x < 300; x++)
      g_assert_cmpfloat_with_epsilon (plane.samples[x].f, 0.0, 1e-3 * gain);
    paco_reference_plane_clear (&plane);
  }
}

/* Returns a sample that makes coefficients large: all are of one extreme, or
 * both extremes stand in squares of 2^n or without order. */
static int32_t
extreme_sample (unsigned kind, uint32_t x, uint32_t y)
{
  bool high = kind == 0 ? false
      : kind < 6        ? (x >> (kind - 1) ^ y >> (kind - 1)) & 1
                        : g_test_rand_int () & 1;

  return high ? 127 : -128;
}

/* Tests that the bounds hold, and that of LL is no larger than four times what
 * a flat picture reaches. */
static void
test_bounds (gconstpointer wavelet)
{
  enum
  {
    LEVELS = 5,
    SIZE = 128
  };
  PacoPictureFormat format = { SIZE, SIZE, 1, .components = { { 8 } } };
  PacoCoding coding = { .levels = LEVELS };
  PacoWaveletId id = GPOINTER_TO_UINT (wavelet);
  double bounds[PACO_MAX_COMPONENTS][PACO_MAX_SUBBANDS], largest = 0.0;
  g_autoptr (PacoGeometry) geometry = NULL;

  coding.components[0].wavelet = id;
  for (unsigned k = 0; k < 3 * LEVELS + 1; k++)
    coding.subbands[0][k].step = 16 << 9; /* 1 */
  paco_coefficient_bounds (&format, &coding, bounds);
  geometry = paco_geometry_new (&format, &coding);
  for (unsigned kind = 0; kind < 10; kind++) {
    PacoReferencePlane plane = plane_of (SIZE, SIZE);

    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
      plane.samples[i].i = extreme_sample (kind, i % SIZE, i / SIZE);
      if (!paco_wavelets[id].reversible)
        plane.samples[i].f = (float) plane.samples[i].i;
    }
    paco_reference_forward_dwt (&plane, LEVELS, id);
    for (uint32_t s = 0; s < geometry->n_subbands; s++) {
      const PacoSubband *subband = &geometry->subbands[s];
      uint32_t left, top;

      paco_reference_subband_origin (geometry, subband, &left, &top);
      for (uint32_t i = 0; i < subband->width * subband->height; i++) {
        PacoReferenceSample x = plane.samples[(top + i / subband->width) * SIZE
            + left + i % subband->width];
        double magnitude = paco_wavelets[id].reversible ? abs (x.i)
                                                        : fabs (x.f);

        g_assert_cmpfloat (magnitude, <=, bounds[0][subband->entry]);
        if (subband->orientation == PACO_ORIENTATION_LL)
          largest = MAX (largest, magnitude);
      }
    }
    paco_reference_plane_clear (&plane);
  }
  g_assert_cmpfloat (4.0 * largest, >=, bounds[0][0]);
}

/* Finds what a sample adds to number `at` of a line that is transformed in real
 * numbers: to the low or high half of level `level`. */
static void
line_weights (const PacoWavelet *wavelet, unsigned level, bool high, int n,
    double *weight)
{
  g_autofree double *x = g_new (double, n);

  for (int i = 0; i < n; i++) {
    int length = n;

    memset (x, 0, n * sizeof *x);
    x[i] = 1.0;
    for (unsigned l = 1; l <= level && length > 1; l++) {
      for (unsigned k = 0; k < wavelet->n_steps; k++)
        paco_wavelet_lift (wavelet, k, false, x, length);
      if (l == level)
        break;
      for (int j = 0; 2 * j < length; j++)
        x[j] = x[2 * j];
      length = (length + 1) / 2;
    }
    /* This number is in the middle, or the last one where there are but two. */
    weight[i] = x[length / 4 * 2 + high];
  }
}

/* Draws 16-bit samples that make one coefficient of a subband as large as it
 * becomes, either way: no coefficient exceeds its bound, that one comes near
 * it, and magnitudes are below 2^23. */
static double
check_largest (PacoWaveletId id, unsigned level, unsigned orientation)
{
  enum
  {
    SIZE = 256
  };
  const PacoWavelet *wavelet = &paco_wavelets[id];
  PacoPictureFormat format = { SIZE, SIZE, 1, .components = { { 16 } } };
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  PacoCoding coding;
  double bounds[PACO_MAX_COMPONENTS][PACO_MAX_SUBBANDS], share = 0.0;
  double weights[2][SIZE];
  g_autoptr (PacoGeometry) geometry = NULL;

  parameters.wavelet = id;
  parameters.levels = level;
  g_assert_true (paco_policy_coding (&format, &parameters, &coding, NULL));
  paco_coefficient_bounds (&format, &coding, bounds);
  geometry = paco_geometry_new (&format, &coding);
  line_weights (wavelet, level, orientation & 1, SIZE, weights[0]);
  line_weights (wavelet, level, orientation >> 1, SIZE, weights[1]);
  for (unsigned negative = 0; negative < 2; negative++) {
    PacoReferencePlane plane = plane_of (SIZE, SIZE);

    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
      bool below = weights[0][i % SIZE] * weights[1][i / SIZE] < 0.0;

      plane.samples[i].i = below != negative ? -32768 : 32767;
    }
    paco_reference_forward_dwt (&plane, level, id);
    for (uint32_t s = 0; s < geometry->n_subbands; s++) {
      const PacoSubband *subband = &geometry->subbands[s];
      double bound = bounds[0][subband->entry];
      uint32_t left, top;

      g_assert_cmpfloat (bound, <=, PACO_MAX_MAGNITUDE);
      paco_reference_subband_origin (geometry, subband, &left, &top);
      for (uint32_t i = 0; i < subband->width * subband->height; i++) {
        double x = abs (plane
                            .samples[(top + i / subband->width) * SIZE + left
                                + i % subband->width]
                            .i);

        g_assert_cmpfloat (x, <=, bound);
        if (subband->level == level && subband->orientation == orientation)
          share = MAX (share, x / bound);
      }
    }
    paco_reference_plane_clear (&plane);
  }
  return share;
}

static void
test_largest (gconstpointer wavelet)
{
  for (unsigned level = 1; level <= PACO_MAX_LEVELS; level++)
    for (unsigned orientation = 0; orientation < 4; orientation++) {
      double share = check_largest (
          GPOINTER_TO_UINT (wavelet), level, orientation);

      if (level <= 3) /* later there is not room for all that is summed */
        g_assert_cmpfloat (share, >=, 0.9);
    }
}

static void
add_of_each (const char *name, GTestDataFunc function, bool all)
{
  for (unsigned id = 0; id < PACO_N_WAVELETS; id++) {
    g_autofree char *path = g_strdup_printf (
        "/reference/dwt/%s-%s", paco_wavelets[id].name, name);

    if (all || paco_wavelets[id].reversible)
      g_test_add_data_func (path, GUINT_TO_POINTER (id), function);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/reference/dwt/53-by-hand", test_53_by_hand);
  g_test_add_func ("/reference/dwt/53-columns-first", test_53_columns_first);
  g_test_add_func ("/reference/dwt/137-published", test_137_published);
  g_test_add_func ("/reference/dwt/137-cubic", test_137_cubic);
  g_test_add_func ("/reference/dwt/97-convolution", test_97_convolution);
  g_test_add_func ("/reference/dwt/97-gain", test_97_gain);
  add_of_each ("reconstruction", test_reconstruction, true);
  add_of_each ("reach", test_reach, true);
  add_of_each ("bounds", test_bounds, true);
  add_of_each ("largest", test_largest, false);
  return g_test_run ();
}
