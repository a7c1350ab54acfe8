/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Runs the transforms of van der Laan, Jalba and Roerdink on a GPU (text 001),
 * and those that they are compared with. --check compares each of them, on
 * random small volumes, with a plain transform (below), and that
 * with the codec's reference and with what is published; rows_measure.c measures. */
#include "codec/reference/reference.h"
#include "codec/wavelet.h"
#include "tests/lab/cuda/rows_methods.h"
#include "tests/lab/lab.h"
#include "tests/lab/cuda/rows.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stddef.h>
#include <glib.h>

/* Judges the transforms of rows_methods.h by a plain one, for any row of
 * lifting steps, in two and three dimensions. rows.c compares it with the
 * codec's reference (codec/reference), which knows the codec's wavelets in
 * two. */

/* These are samples of a volume in double, which holds the integers of
 * reversible wavelets exactly; x comes first. */
typedef struct
{
  uint32_t size[3];
  double *samples;
} LabVolume;

/* These are larger than anything that was stored, or added up before a shift,
 * since they were set to 0: 16 or 32 bits have to hold that. */
typedef struct
{
  double stored, added;
} LabRange;

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

static void
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

static void
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

extern const unsigned char lab_fatbin_rows[];

enum
{
  CASES = 2,           /* of each method, wavelet, element, direction */
  REFERENCE_CASES = 4, /* of each wavelet of the codec */
};

/* --- The plain transform against the codec's reference --- */

static void
compare_references (unsigned wavelet, bool inverse)
{
  uint32_t width = lab_draw (1, 70), height = lab_draw (1, 70);
  unsigned levels = lab_draw (0, 3);
  bool reversible = paco_wavelets[wavelet].reversible;
  LabVolume volume = { { width, height, 1 },
    g_new (double, (size_t) width *height) };
  const LabWavelet row = lab_wavelet (wavelet);
  PacoReferencePlane plane;

  paco_reference_plane_init (&plane, width, height);
  for (size_t i = 0; i < (size_t) width * height; i++) {
    int x = lab_draw (-5000, 5000);

    volume.samples[i] = x;
    if (reversible)
      plane.samples[i].i = x;
    else
      plane.samples[i].f = (float) x;
  }
  (inverse ? paco_reference_inverse_dwt : paco_reference_forward_dwt) (
      &plane, levels, wavelet);
  (inverse ? lab_reference_inverse : lab_reference_forward) (
      &volume, 2, levels, &row, reversible, NULL);
  for (size_t i = 0; i < (size_t) width * height; i++)
    if (reversible ? plane.samples[i].i != volume.samples[i]
                   : !(fabs (plane.samples[i].f - volume.samples[i]) < 1))
      lab_fail ("the plain transform of %s differs from the codec's: %ux%u, "
                "%u levels, inverse %d",
          paco_wavelets[wavelet].name, width, height, levels, inverse);
  paco_reference_plane_clear (&plane);
  g_free (volume.samples);
}

/* --- The plain transform against what is published --- */

/* This is the inverse of Haar's and Dirac's filters as the specification has it (SMPTE
 * ST 2042-1, 15.4.4): steps that change samples of one parity by a sum of those of
 * the other, at distances 1 - n, 3 - n, ... n - 1, where n is how many there are. */
typedef struct
{
  bool odd, subtract;
  int n, taps[8], shift;
} DiracStep;

typedef struct
{
  unsigned wavelet, n_steps;
  DiracStep steps[4];
} DiracFilter;

static const DiracFilter dirac_filters[] = {
  { LAB_DD97, 2,
      { { false, true, 2, { 1, 1 }, 2 },
          { true, false, 4, { -1, 9, 9, -1 }, 4 } } },
  { LAB_FIDELITY, 2,
      { { true, false, 8, { -2, 10, -25, 81, 81, -25, 10, -2 }, 8 },
          { false, true, 8, { -8, 21, -46, 161, 161, -46, 21, -8 }, 8 } } },
  { LAB_DAUBECHIES97_INTEGER, 4,
      { { false, true, 2, { 1817, 1817 }, 12 },
          { true, true, 2, { 3616, 3616 }, 12 },
          { false, false, 2, { 217, 217 }, 12 },
          { true, false, 2, { 6497, 6497 }, 12 } } },
};

static void
dirac_step (const DiracStep *step, double *x, int n)
{
  for (int i = step->odd; i < n; i += 2) {
    double sum = 1 << (step->shift - 1), change;

    for (int k = 0; k < step->n; k++)
      sum += step->taps[k]
          * x[paco_lifting_mirror (i + 2 * k - step->n + 1, n)];
    change = floor (ldexp (sum, -step->shift));
    x[i] += step->subtract ? -change : change;
  }
}

static void
compare_with_dirac (const DiracFilter *filter, uint32_t n)
{
  const LabWavelet row = lab_wavelet (filter->wavelet);
  LabVolume volume = { { n, 1, 1 }, g_new (double, n) };
  double *x = g_new (double, n);

  for (uint32_t i = 0; i < n; i++)
    volume.samples[i % 2 == 0 ? i / 2 : (n + 1) / 2 + i / 2] = x[i] = lab_draw (
        -2048, 2048);
  for (unsigned k = 0; k < filter->n_steps; k++)
    dirac_step (&filter->steps[k], x, (int) n);
  lab_reference_inverse (&volume, 1, 1, &row, true, NULL);
  for (uint32_t i = 0; i < n; i++)
    if (volume.samples[i] != x[i])
      lab_fail ("sample %u of %u of %s is %g, and Dirac's %g", i, n, row.name,
          volume.samples[i], x[i]);
  g_free (volume.samples);
  g_free (x);
}

/* 1 2 3 10 5 by pairs: differences 2 - 1 = 1 and 10 - 3 = 7, half of which is
 * added, rounded: 1 + 1, 3 + 4. The last sample is alone. */
static void
compare_haar (void)
{
  static const double expected[5] = { 2, 7, 5, 1, 7 };
  const LabWavelet row = lab_wavelet (LAB_HAAR);
  double line[5] = { 1, 2, 3, 10, 5 };
  LabVolume volume = { { 5, 1, 1 }, line };

  lab_reference_forward (&volume, 1, 1, &row, true, NULL);
  for (unsigned i = 0; i < 5; i++)
    if (line[i] != expected[i])
      lab_fail (
          "coefficient %u of Haar is %g, not %g", i, line[i], expected[i]);
}

/* The integer Daubechies 9/7 has the taps of the codec's, in 12 bits behind the point. */
static void
compare_taps (void)
{
  const PacoWavelet *real = &paco_wavelets[PACO_WAVELET_CDF97];
  const LabWavelet integer = lab_wavelet (LAB_DAUBECHIES97_INTEGER);

  for (unsigned k = 0; k < real->n_steps; k++) {
    const LabStepRow *step = &integer.steps[k];

    if (step->taps[0] != roundf (ldexpf (real->steps[k].taps[0], step->shift)))
      lab_fail ("tap %u of the integer Daubechies 9/7 is %g", k,
          (double) step->taps[0]);
  }
}

static void
compare_with_published (void)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (dirac_filters); i++)
    for (uint32_t n = 2; n <= 60; n++)
      compare_with_dirac (&dirac_filters[i], n);
  compare_haar ();
  compare_taps ();
}

/* --- The methods against the plain transform --- */

static bool
is_real (const LabTransform *t)
{
  return t->method == LAB_CONVOLUTION || !lab_wavelet (t->wavelet).reversible;
}

static size_t
n_samples (const LabTransform *t)
{
  return (size_t) t->size[0] * t->size[1] * t->size[2];
}

/* Draws random input and what becomes of it, which 16 or 32 bits hold. */
static void
draw_case (const LabTransform *t, LabVolume *before, LabVolume *after)
{
  double limit = t->element == LAB_16 ? INT16_MAX : INT32_MAX;
  const LabWavelet row = lab_wavelet (t->wavelet);
  LabRange range;

  *before = *after = (LabVolume){ { t->size[0], t->size[1], t->size[2] } };
  before->samples = g_new (double, n_samples (t));
  after->samples = g_new (double, n_samples (t));
  for (int amplitude = 1 << lab_draw (0, 14);; amplitude /= 2) {
    for (size_t i = 0; i < n_samples (t); i++)
      before->samples[i] = lab_draw (-amplitude, amplitude);
    memcpy (after->samples, before->samples, n_samples (t) * sizeof (double));
    range = (LabRange){ 0 };
    (t->inverse ? lab_reference_inverse : lab_reference_forward) (
        after, t->dimensions, t->levels, &row, !is_real (t), &range);
    if (is_real (t) || (range.stored <= limit && range.added <= INT32_MAX))
      return;
  }
}

/* Finds where a coefficient is, along all dimensions but the first, if low and
 * high ones are interleaved; place is where it is if halves are apart. Those
 * that a level makes lie as far apart as 2^level samples. */
static void
interleave (const LabTransform *t, uint32_t *place)
{
  uint32_t n_low[3];

  for (unsigned level = 1; level <= t->levels; level++) {
    bool goes_on = level < t->levels;

    for (unsigned d = 0; d < t->dimensions; d++) {
      n_low[d] = (t->size[d] + (1u << level) - 1) >> level;
      goes_on &= place[d] < n_low[d];
    }
    if (goes_on)
      continue;
    for (unsigned d = 1; d < t->dimensions; d++)
      place[d] =
          (place[d] < n_low[d] ? 2 * place[d] : 2 * (place[d] - n_low[d]) + 1)
          << (level - 1);
    return;
  }
}

/* Finds the element of sample i of a volume. */
static size_t
element_of (const LabTransform *t, size_t i, bool coefficients)
{
  uint32_t place[3] = { i % t->size[0], i / t->size[0] % t->size[1],
    (uint32_t) (i / t->size[0] / t->size[1]) };

  if (coefficients && lab_is_interleaved (t->method))
    interleave (t, place);
  return ((size_t) place[2] * t->size[1] + place[1]) * lab_row_stride (t)
      + place[0];
}

static void
put_element (const LabTransform *t, void *memory, size_t at, double x)
{
  if (is_real (t))
    ((float *) memory)[at] = (float) x;
  else if (t->element == LAB_16)
    ((int16_t *) memory)[at] = (int16_t) x;
  else
    ((int32_t *) memory)[at] = (int32_t) x;
}

static double
get_element (const LabTransform *t, const void *memory, size_t at)
{
  return is_real (t)         ? (double) ((const float *) memory)[at]
      : t->element == LAB_16 ? ((const int16_t *) memory)[at]
                             : ((const int32_t *) memory)[at];
}

static void
compare (const LabTransform *t, const LabVolume *expected, const void *found)
{
  double range = 0, most;

  for (size_t i = 0; i < n_samples (t); i++)
    range = MAX (range, fabs (expected->samples[i]));
  most = is_real (t) ? 1e-4 * range : 0;
  for (size_t i = 0; i < n_samples (t); i++) {
    double x = get_element (t, found, element_of (t, i, !t->inverse));

    if (!(fabs (x - expected->samples[i]) <= most))
      lab_fail ("%s, %s, %zu bits, %s, %ux%ux%u, %u dimensions, %u levels, "
                "threads %ux%u: %g in place of %g at %zu",
          lab_method_name (t->method), lab_wavelet (t->wavelet).name,
          8 * lab_element_bytes (t->element),
          t->inverse ? "inverse" : "forward", t->size[0], t->size[1],
          t->size[2], t->dimensions, t->levels, t->threads_x, t->threads_y, x,
          expected->samples[i], i);
  }
}

static void
check_transform (const LabDevice *device, const LabTransform *t)
{
  LabLaunch launches[LAB_MAX_LAUNCHES];
  LabLines lines[LAB_MAX_LAUNCHES];
  size_t bytes = lab_home_elements (t) * lab_element_bytes (t->element);
  void *memory = g_malloc (bytes);
  LabVolume before, after;
  CUdeviceptr home, scratch;
  unsigned n;

  draw_case (t, &before, &after);
  memset (memory, TEST_DEVICE_RUBBISH, bytes);
  for (size_t i = 0; i < n_samples (t); i++)
    put_element (t, memory, element_of (t, i, t->inverse), before.samples[i]);
  home = test_device_new (&device->test, memory, bytes);
  scratch = test_device_new (&device->test, NULL,
      lab_scratch_elements (t) * lab_element_bytes (t->element));
  n = lab_transform_launches (device, t, -1, home, scratch, launches, lines);
  lab_device_run (device, launches, n);
  test_device_read (&device->test, memory, home, bytes);
  compare (t, &after, memory);
  test_device_free (&device->test, home);
  test_device_free (&device->test, scratch);
  g_free (before.samples);
  g_free (after.samples);
  g_free (memory);
}

/* Draws sizes, of which one is long, so that windows slide and blocks have
 * several turns. */
static void
draw_sizes (LabTransform *t)
{
  unsigned longest = lab_draw (0, t->dimensions - 1);

  for (unsigned d = 0; d < 3; d++)
    t->size[d] = d >= t->dimensions ? 1
        : d == longest              ? lab_draw (1, d == 0 ? 700 : 150)
                                    : lab_draw (1, t->dimensions == 2 ? 24 : 7);
  t->levels = lab_draw (1, 3);
  t->threads_x = 2u << lab_draw (1, 4);
  t->threads_y = t->threads_x < 16 && lab_draw (0, 1) ? 32 : 8;
  while (t->threads_x * t->threads_y > LAB_SLIDING_THREADS)
    t->threads_y /= 2;
}

static bool
exists (const LabTransform *t)
{
  bool reversible = lab_wavelet (t->wavelet).reversible;

  if (t->method == LAB_CONVOLUTION)
    return t->dimensions == 2 && t->element == LAB_32
        && t->wavelet != LAB_DAUBECHIES97_INTEGER;
  return (reversible || t->element == LAB_32)
      && (t->dimensions == 2 || lab_scratch_elements (t) == 0);
}

static void
check (void)
{
  LabDevice device;
  LabTransform t;

  for (unsigned w = 0; w < PACO_N_WAVELETS; w++)
    for (unsigned i = 0; i < 2 * REFERENCE_CASES; i++)
      compare_references (w, i % 2);
  compare_with_published ();

  lab_device_open (&device, lab_fatbin_rows, "rows");
  for (t.method = 0; t.method < LAB_N_METHODS; t.method++)
    for (t.wavelet = 0; t.wavelet < LAB_N_WAVELETS; t.wavelet++)
      for (t.element = LAB_16; t.element <= LAB_32; t.element++)
        for (t.dimensions = 2; t.dimensions <= 3; t.dimensions++)
          for (unsigned i = 0; i < 2 * CASES && exists (&t); i++) {
            t.inverse = i % 2;
            draw_sizes (&t);
            check_transform (&device, &t);
          }
  lab_device_close (&device);
}

static void
measure (void)
{
  LabDevice device;

  lab_device_open (&device, lab_fatbin_rows, "rows");
  lab_rows_measure (&device);
  lab_device_close (&device);
}

static void
once (void)
{
  LabDevice device;

  lab_device_open (&device, lab_fatbin_rows, "rows");
  lab_rows_once (&device);
  lab_device_close (&device);
}

int
main (int argc, char **argv)
{
  return lab_main (argc, argv, &(LabProgram){ check, measure, once });
}
