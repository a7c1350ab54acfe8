/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Measures Tables III to VI and Figure 9 of text 001. All sizes are the paper's, and those of the
 * pictures of today; samples of 16 bits unless a series says 32. */
#include "tests/lab/cuda/rows_methods.h"
#include "tests/lab/cuda/own.h"
#include "tests/lab/lab.h"
#include "codec/lifting.h"
#include "codec/cpu/dwt.h"
#include "codec/wavelet.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Measures the transform of the codec's CPU backend by one thread: what the
 * text's "optimized implementation on the CPU" is to its transforms on a GPU. */

typedef struct
{
  const PacoWavelet *wavelet;
  bool inverse;
  unsigned levels;
  PacoPlane picture;
  PacoCoefficients coefficients;
  PacoDwtLines *lines;
} Transform;

static void
run_level (const Transform *transform, unsigned level)
{
  const PacoPlane *fine = level == 1
      ? &transform->picture
      : &transform->coefficients.planes[level - 1][PACO_ORIENTATION_LL];
  PacoPlaneSet set = { 1, { fine } };
  PacoDwtPass pass = {
    .ops = paco_row_ops (),
    .wavelet = transform->wavelet,
    .n_planes = 1,
    .width = fine->width,
    .height = fine->height,
    .subbands = { transform->coefficients.planes[level] },
    .access = transform->inverse ? paco_planes_write : paco_planes_read,
    .access_data = &set,
  };

  (transform->inverse ? paco_dwt_inverse : paco_dwt_forward) (
      &pass, 0, fine->height, transform->lines);
}

static void
run (void *data)
{
  const Transform *transform = data;
  unsigned n = transform->levels;

  for (unsigned i = 1; i <= n; i++)
    run_level (transform, transform->inverse ? n + 1 - i : i);
}

static double
lab_host_ms (PacoWaveletId wavelet, bool inverse, uint32_t width,
    uint32_t height, unsigned levels)
{
  Transform transform = { .wavelet = &paco_wavelets[wavelet],
    .inverse = inverse,
    .levels = levels,
    .picture = { width, height, width, NULL },
    .lines = paco_dwt_lines_new () };
  PacoCoefficients *coefficients = &transform.coefficients;
  size_t picture = (size_t) width * height;
  size_t n = paco_coefficients_place (
      coefficients, width, height, levels, 0, false, NULL);
  size_t n_inner = paco_coefficients_place (
      coefficients, width, height, levels, 0, true, NULL);
  PacoWord *memory = lab_new ((picture + n + n_inner) * sizeof *memory, 64);
  double ms;

  transform.picture.data = memory;
  paco_coefficients_place (
      coefficients, width, height, levels, 0, false, memory + picture);
  paco_coefficients_place (
      coefficients, width, height, levels, 0, true, memory + picture + n);
  for (size_t i = 0; i < picture + n; i++) {
    int sample = lab_draw (-128, 127);
    float number = (float) sample;

    memory[i] = (PacoWord) sample;
    if (!transform.wavelet->reversible)
      memcpy (&memory[i], &number, sizeof number);
  }
  ms = lab_time_one (run, &transform);
  free (memory);
  paco_dwt_lines_free (transform.lines);
  return ms;
}

/* --- One number --- */

/* These are threads of a window. */
typedef struct
{
  unsigned x, y;
} Shape;

typedef struct
{
  LabDevice *device;
  LabOwn own;
  /* These are the best ones of 1920x1080, and of the cube by its elements. */
  Shape shape, cube_shapes[2];
  double copy_ms; /* of the samples of the table that is being filled */
} Bench;

/* Returns the milliseconds of a transform, or of one of its dimensions (else
 * -1). */
static double
transform_ms (Bench *bench, const LabTransform *t, int only)
{
  size_t element = lab_element_bytes (t->element);
  size_t home = lab_home_elements (t) * element;
  size_t bytes = home + lab_scratch_elements (t) * element;
  unsigned n_sets = lab_device_sets (bytes), n = 0;
  CUdeviceptr memory = lab_device_random (bench->device, n_sets * bytes);
  LabLaunch *launches = g_new (LabLaunch, n_sets * LAB_MAX_LAUNCHES);
  LabLines *lines = g_new (LabLines, n_sets * LAB_MAX_LAUNCHES);
  double us;

  for (unsigned i = 0; i < n_sets; i++) {
    CUdeviceptr set = memory + i * bytes;

    n = lab_transform_launches (bench->device, t, only, set, set + home,
        launches + i * n, lines + i * LAB_MAX_LAUNCHES);
  }
  us = lab_device_time_us (bench->device, launches, n, n_sets);
  test_device_free (&bench->device->test, memory);
  g_free (launches);
  g_free (lines);
  return us / 1e3;
}

/* Returns the ceiling: each element of the array is read and written once. */
static double
copy_ms (Bench *bench, const LabTransform *t)
{
  size_t n = (size_t) t->size[0] * t->size[1] * t->size[2];

  return lab_device_copy_us (bench->device, n * lab_element_bytes (t->element))
      / 1e3;
}

/* --- Shapes of the window --- */

/* This is the paper's: slabs of 32 columns of 16 bits, two to a thread (section
 * V-C2). */
static const Shape paper_shape = { 16, 8 };

static const Shape shapes[] = { { 16, 8 }, { 8, 8 }, { 8, 16 }, { 8, 32 },
  { 16, 16 }, { 16, 32 }, { 32, 8 }, { 32, 16 } };

static void
set_shape (LabTransform *t, Shape shape)
{
  t->threads_x = shape.x;
  t->threads_y = shape.y;
}

/* Returns the one that is fastest in 5/3. Prints the times of all under a name
 * of the size, if that is not NULL. */
static Shape
best_shape (Bench *bench, const LabTransform *wanted, const char *name)
{
  LabTransform t = *wanted;
  unsigned best = 0, n = lab_is_short () ? 2 : G_N_ELEMENTS (shapes);
  double least = INFINITY;

  t.method = LAB_SLIDING;
  t.wavelet = PACO_WAVELET_CDF53;
  for (unsigned i = 0; i < n; i++) {
    char x[32];
    double ms;

    set_shape (&t, shapes[i]);
    ms = transform_ms (bench, &t, -1);
    g_snprintf (x, sizeof x, "%ux%u", shapes[i].x, shapes[i].y);
    if (name)
      lab_result ("001 shapes of the window", name, x, ms, "ms");
    if (ms < least) {
      least = ms;
      best = i;
    }
  }
  return shapes[best];
}

/* --- What the tables have in common --- */

/* They stand in the paper's order. */
static const struct
{
  unsigned wavelet;
  const char *name;
  /* The wavelet that is measured in floats. The codec is measured as well if it has
   * that wavelet. */
  unsigned real;
} wavelets[] = {
  { LAB_HAAR, "Haar", LAB_HAAR },
  { LAB_DD97, "Deslauriers-Dubuc 9/7", LAB_DD97 },
  { PACO_WAVELET_CDF53, "Le Gall 5/3", PACO_WAVELET_CDF53 },
  { PACO_WAVELET_DD137, "Deslauriers-Dubuc 13/7", PACO_WAVELET_DD137 },
  { LAB_DAUBECHIES97_INTEGER, "Daubechies 9/7", PACO_WAVELET_CDF97 },
  { LAB_FIDELITY, "Fidelity", LAB_FIDELITY },
};

static LabTransform
picture (uint32_t width, uint32_t height, unsigned levels, LabElement element)
{
  if (lab_is_short ()) {
    width = 64;
    height = 40;
  }
  return (LabTransform){ .element = element,
    .dimensions = 2,
    .levels = levels,
    .size = { width, height, 1 },
    .threads_x = paper_shape.x,
    .threads_y = paper_shape.y };
}

/* Fills the row x of a table, of a wavelet and a direction. */
typedef void (*Row) (
    Bench *bench, LabTransform *t, unsigned wavelet, const char *x);

static void
all_rows (Bench *bench, const LabTransform *transform, Row row)
{
  for (int inverse = 0; inverse < 2; inverse++)
    for (unsigned w = 0; w < G_N_ELEMENTS (wavelets); w++) {
      LabTransform t = *transform;
      char x[64];

      g_snprintf (x, sizeof x, "%s, %s", wavelets[w].name,
          inverse ? "synthesis" : "analysis");
      t.inverse = inverse;
      t.wavelet = wavelets[w].wavelet;
      row (bench, &t, w, x);
    }
}

static double
method_ms (Bench *bench, const LabTransform *t, LabMethod method)
{
  LabTransform other = *t;

  other.method = method;
  return transform_ms (bench, &other, -1);
}

/* Measures convolution, and lifting in the same numbers. */
static double
float_ms (Bench *bench, const LabTransform *t, LabMethod method, unsigned w)
{
  LabTransform other = *t;

  other.wavelet = wavelets[w].real;
  other.element = LAB_32;
  return method_ms (bench, &other, method);
}

/* --- Tables --- */

/* Measures what the codec does, if it has the wavelet. */
static void
codec_in_row_iii (
    Bench *bench, const LabTransform *t, PacoWaveletId wavelet, const char *x)
{
  const char *table = "001 table III";

  lab_result (table, "CPU, one thread", x,
      lab_host_ms (wavelet, t->inverse, t->size[0], t->size[1], t->levels),
      "ms");
  lab_result (table, "the project's own", x,
      lab_own_time_us (
          &bench->own, wavelet, t->inverse, t->size[0], t->size[1], t->levels)
          / 1e3,
      "ms");
}

static void
row_iii (Bench *bench, LabTransform *t, unsigned w, const char *x)
{
  const char *table = "001 table III";
  LabTransform best = *t;

  set_shape (&best, bench->shape);
  lab_result (table, "transpose", x, method_ms (bench, t, LAB_TRANSPOSE), "ms");
  lab_result (
      table, "sliding window", x, method_ms (bench, t, LAB_SLIDING), "ms");
  lab_result (table, "sliding window, best shape", x,
      method_ms (bench, &best, LAB_SLIDING), "ms");
  lab_result (table, "trivial", x, method_ms (bench, t, LAB_COLUMNS), "ms");
  lab_result (
      table, "a thread a pair", x, method_ms (bench, t, LAB_PAIRS), "ms");
  lab_result (table, "convolution, float", x,
      float_ms (bench, t, LAB_CONVOLUTION, w), "ms");
  if (wavelets[w].real == PACO_WAVELET_CDF97)
    lab_result (table, "sliding window, best shape, float", x,
        float_ms (bench, &best, LAB_SLIDING, w), "ms");
  if (wavelets[w].real < PACO_N_WAVELETS)
    codec_in_row_iii (bench, t, wavelets[w].real, x);
}

static void
table_iii (Bench *bench)
{
  LabTransform t = picture (1920, 1080, 3, LAB_16);

  bench->shape = best_shape (bench, &t, "1920x1080");
  bench->copy_ms = copy_ms (bench, &t);
  all_rows (bench, &t, row_iii);
}

static void
row_iv (Bench *bench, LabTransform *t, unsigned w, const char *x)
{
  const char *table = "001 table IV";

  t->method = LAB_SLIDING;
  lab_result (table, "horizontal", x, transform_ms (bench, t, 0), "ms");
  lab_result (table, "vertical", x, transform_ms (bench, t, 1), "ms");
  set_shape (t, bench->shape);
  lab_result (
      table, "vertical, best shape", x, transform_ms (bench, t, 1), "ms");
  lab_result (table, "copy", x, bench->copy_ms, "ms");
}

static void
table_iv (Bench *bench)
{
  LabTransform t = picture (1920, 1080, 1, LAB_16);

  bench->copy_ms = copy_ms (bench, &t);
  all_rows (bench, &t, row_iv);
}

static void
row_v (Bench *bench, LabTransform *t, unsigned w, const char *x)
{
  static const char *const series[2][2] = {
    { "16 bits", "32 bits" },
    { "16 bits, best shape", "32 bits, best shape" },
  };

  for (unsigned best = 0; best < 2; best++)
    for (t->element = LAB_16; t->element <= LAB_32; t->element++) {
      set_shape (t, best ? bench->shape : paper_shape);
      lab_result ("001 table V", series[best][t->element], x,
          method_ms (bench, t, LAB_SLIDING), "ms");
    }
}

static void
table_v (Bench *bench)
{
  LabTransform t = picture (1920, 1080, 3, LAB_16);

  all_rows (bench, &t, row_v);
  lab_result ("001 table V", "16 bits", "copy", copy_ms (bench, &t), "ms");
  t.element = LAB_32;
  lab_result ("001 table V", "32 bits", "copy", copy_ms (bench, &t), "ms");
}

static LabTransform
cube (LabElement element)
{
  unsigned n = lab_is_short () ? 20 : 512;
  LabTransform t = picture (0, 0, 3, element);

  t.dimensions = 3;
  t.size[0] = t.size[1] = t.size[2] = n;
  return t;
}

static void
row_vi (Bench *bench, LabTransform *t, unsigned w, const char *x)
{
  static const char *const sliding[] = { "sliding window, 16 bits",
    "sliding window, 32 bits" };
  static const char *const trivial[] = { "trivial, 16 bits",
    "trivial, 32 bits" };

  for (t->element = LAB_16; t->element <= LAB_32; t->element++) {
    set_shape (t, bench->cube_shapes[t->element]);
    lab_result ("001 table VI", sliding[t->element], x,
        method_ms (bench, t, LAB_SLIDING), "ms");
    /* It is slow, and the paper has times of Haar alone. */
    if (wavelets[w].wavelet == LAB_HAAR)
      lab_result ("001 table VI", trivial[t->element], x,
          method_ms (bench, t, LAB_COLUMNS), "ms");
  }
}

static void
table_vi (Bench *bench)
{
  static const char *const copies[] = { "sliding window, 16 bits",
    "sliding window, 32 bits" };
  LabTransform t = cube (LAB_16);

  for (t.element = LAB_16; t.element <= LAB_32; t.element++) {
    bench->cube_shapes[t.element] = best_shape (bench, &t,
        t.element == LAB_16 ? "512x512x512" : "512x512x512, 32 bits");
    lab_result (
        "001 table VI", copies[t.element], "copy", copy_ms (bench, &t), "ms");
  }
  all_rows (bench, &t, row_vi);
}

/* Measures Daubechies 9/7, three levels, squares. */
static void
figure_9 (Bench *bench)
{
  const char *table = "001 figure 9";

  for (unsigned side = 256; side <= 8192; side *= 2) {
    LabTransform t = picture (side, side, 3, LAB_16);
    char x[16];

    t.wavelet = LAB_DAUBECHIES97_INTEGER;
    g_snprintf (x, sizeof x, "%u", side);
    lab_result (
        table, "sliding window", x, method_ms (bench, &t, LAB_SLIDING), "ms");
    set_shape (&t, best_shape (bench, &t, NULL));
    lab_result (table, "sliding window, best shape", x,
        method_ms (bench, &t, LAB_SLIDING), "ms");
    lab_result (table, "the project's own", x,
        lab_own_time_us (
            &bench->own, PACO_WAVELET_CDF97, false, t.size[0], t.size[1], 3)
            / 1e3,
        "ms");
    lab_result (table, "copy", x, copy_ms (bench, &t), "ms");
    lab_result (table, "CPU, one thread", x,
        lab_host_ms (PACO_WAVELET_CDF97, false, t.size[0], t.size[1], 3), "ms");
  }
}

/* --- The same transforms where other texts look at them --- */

/* These are the wavelets of text 000 and their names there. */
static const struct
{
  unsigned wavelet;
  const char *name;
} registers_wavelets[] = { { PACO_WAVELET_CDF53, "cdf53" },
  { LAB_DAUBECHIES97_INTEGER, "cdf97" } };

/* Measures Figure 7 of text 000: samples per time over the size, five
 * levels. */
static void
figure_7_of_registers (Bench *bench)
{
  for (unsigned side = 1024; side <= 10240; side += 1024) {
    LabTransform t = picture (side, side, 5, LAB_16);
    char x[16];

    g_snprintf (x, sizeof x, "%ux%u", side, side);
    t.method = LAB_SLIDING;
    set_shape (&t, best_shape (bench, &t, NULL));
    for (unsigned k = 0; k < G_N_ELEMENTS (registers_wavelets); k++) {
      char table[32];

      g_snprintf (
          table, sizeof table, "000 figure 7 %s", registers_wavelets[k].name);
      t.wavelet = registers_wavelets[k].wavelet;
      for (int inverse = 0; inverse < 2; inverse++) {
        t.inverse = inverse;
        lab_result (table,
            inverse ? "row-block [24] inverse" : "row-block [24]", x,
            1e-6 * t.size[0] * t.size[1] / transform_ms (bench, &t, -1),
            "Gsample/s");
      }
    }
  }
}

static void
every_method (Bench *bench, const LabTransform *t, const char *wavelet,
    const char *suffix, const char *x)
{
  char table[48], series[48];

  g_snprintf (table, sizeof table, "000 transforms %s %s", wavelet,
      t->inverse ? "inverse" : "forward");
  for (unsigned m = 0; m < LAB_N_METHODS; m++) {
    /* There is no convolution of integers. */
    if (m == LAB_CONVOLUTION && t->element == LAB_16)
      continue;
    g_snprintf (series, sizeof series, "%s%s", lab_method_name (m), suffix);
    lab_result (table, series, x, 1e3 * method_ms (bench, t, m), "us");
  }
}

/* Measures every method, five levels, at the sizes of pictures. */
static void
transforms (Bench *bench)
{
  static const struct
  {
    uint32_t width, height;
  } sizes[] = { { 1920, 1080 }, { 3840, 2160 }, { 7680, 4320 },
    { 10240, 10240 } };
  static const struct
  {
    unsigned wavelet;
    LabElement element;
    const char *name, *suffix;
  } kinds[] = { { PACO_WAVELET_CDF53, LAB_16, "cdf53", "" },
    { LAB_DAUBECHIES97_INTEGER, LAB_16, "cdf97", ", integer" },
    { PACO_WAVELET_CDF97, LAB_32, "cdf97", ", float" } };

  for (unsigned i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (unsigned k = 0; k < G_N_ELEMENTS (kinds); k++) {
      LabTransform t = picture (
          sizes[i].width, sizes[i].height, 5, kinds[k].element);
      char x[32];

      g_snprintf (x, sizeof x, "%ux%u", sizes[i].width, sizes[i].height);
      set_shape (&t, best_shape (bench, &t, NULL));
      t.wavelet = kinds[k].wavelet;
      for (int inverse = 0; inverse < 2; inverse++) {
        t.inverse = inverse;
        every_method (bench, &t, kinds[k].name, kinds[k].suffix, x);
      }
    }
}

/* --- Once, for what a profiler counts --- */

/* Runs a transform forward; returns the number of launches. */
static unsigned
run_once (LabDevice *device, const LabTransform *t)
{
  size_t bytes = lab_home_elements (t) * lab_element_bytes (t->element);
  CUdeviceptr memory = lab_device_random (device, bytes);
  LabLaunch launches[LAB_MAX_LAUNCHES];
  LabLines lines[LAB_MAX_LAUNCHES];
  unsigned n = lab_transform_launches (
      device, t, -1, memory, 0, launches, lines);

  lab_device_run (device, launches, n);
  test_device_free (&device->test, memory);
  return n;
}

/* Runs what Table IV of text 000 counts: the paper's shape of the window, five
 * levels. */
void
lab_rows_once (LabDevice *device)
{
  for (unsigned side = 1024; side <= 8192; side *= 2)
    for (unsigned k = 0; k < G_N_ELEMENTS (registers_wavelets); k++) {
      LabTransform t = picture (side, side, 5, LAB_16);
      char x[16], instructions[64], accesses[64];

      t.method = LAB_SLIDING;
      t.wavelet = registers_wavelets[k].wavelet;
      g_snprintf (x, sizeof x, "%ux%u", side, side);
      g_snprintf (instructions, sizeof instructions,
          "000 table IV %s instructions", registers_wavelets[k].name);
      g_snprintf (accesses, sizeof accesses, "000 table IV %s accesses",
          registers_wavelets[k].name);
      lab_counted (
          instructions, accesses, "row-block [24]", x, run_once (device, &t));
    }
}

void
lab_rows_measure (LabDevice *device)
{
  Bench bench = { .device = device };

  lab_own_open (&bench.own, device);
  table_iii (&bench);
  table_iv (&bench);
  table_v (&bench);
  table_vi (&bench);
  figure_9 (&bench);
  figure_7_of_registers (&bench);
  transforms (&bench);
  lab_own_close (&bench.own);
}
