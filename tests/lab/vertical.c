/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Measures, for paper 002, ways to filter an image's columns on a CPU
 * (vertical.h), and beside them the CPU backend, which filters rows and
 * columns in one pass. Figures 1, 5, 7, 8, 13 and 15, each with code without
 * vectors, which is what the paper's compiler made, and with vectors. */
#include "tests/lab/vertical.h"
#include "tests/lab/filters.h"
#include "tests/lab/lab.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Both matrices begin at a multiple of it, as the paper's alias by 64 KiB. */
#define ALIGNMENT 65536

#ifdef __x86_64__
#include "codec/cpu/processors.h"
#define HAS_VECTORS paco_cpu_has_avx2 ()
#else
#define HAS_VECTORS true
#endif

static const struct
{
  const char *suffix;
  const VerticalWavelet *wavelets;
  bool vectors;
} builds[] = {
  { "", vertical_scalar, false },
  { ", vectors", vertical_vectors, true },
};

static bool
can_run (unsigned build)
{
  return !builds[build].vectors || HAS_VECTORS;
}

/* --- check --- */

static const struct
{
  const char *name;
  size_t offset; /* of the function in VerticalWavelet */
} methods[] = {
  { "column by column", offsetof (VerticalWavelet, column) },
  { "interchanged", offsetof (VerticalWavelet, interchanged) },
  { "split", offsetof (VerticalWavelet, split) },
  { "ACLS", offsetof (VerticalWavelet, acls) },
  { "lookahead", offsetof (VerticalWavelet, lookahead) },
  { "horizontal", offsetof (VerticalWavelet, horizontal) },
};

static VerticalFunc
method_of (const VerticalWavelet *wavelet, unsigned method)
{
  VerticalFunc function;

  memcpy (&function, (const char *) wavelet + methods[method].offset,
      sizeof function);
  return function;
}

static const LabFilter *
filter_of (unsigned wavelet)
{
  return wavelet == VERTICAL_DAUB4 ? &lab_daub4 : &lab_cdf97;
}

/* Filters a line by the definition, in double precision: low half, then high
 * half. */
static void
filter_plainly (const LabFilter *filter, const float *x, int n, float *out)
{
  for (int i = 0; i < n; i++) {
    bool is_low = i < (n + 1) / 2;
    const float *taps = is_low ? filter->low : filter->high;
    int first = 2 * (is_low ? i : i - (n + 1) / 2) + filter->first;
    double sum = 0;

    for (int k = 0; k < filter->n; k++)
      sum += (double) taps[k] * x[lab_filter_sample (filter, first + k, n)];
    out[i] = (float) sum;
  }
}

static void
lift_plainly (const int32_t *x, int n, int32_t *out)
{
  int32_t *copy = g_memdup2 (x, n * sizeof *x);

  for (int i = 1; i < n; i += 2)
    copy[i] -= (copy[i - 1] + copy[paco_lifting_mirror (i + 1, n)]) >> 1;
  for (int i = 0; i < n && n > 1; i += 2)
    copy[i] += (copy[paco_lifting_mirror (i - 1, n)]
                   + copy[paco_lifting_mirror (i + 1, n)] + 2)
        >> 2;
  for (int i = 0; i < n; i++)
    out[i % 2 == 0 ? i / 2 : (n + 1) / 2 + i / 2] = copy[i];
  g_free (copy);
}

/* Filters each column, or row, of an image by the definition. */
static PacoWord *
expect (const VerticalJob *job, unsigned wavelet, bool rows)
{
  const unsigned w = job->width, h = job->height, n = rows ? w : h;
  PacoWord *result = lab_new ((size_t) w * h * sizeof *result, 64);
  PacoWord *x = g_new (PacoWord, n), *y = g_new (PacoWord, n);

  for (unsigned line = 0; line < (rows ? h : w); line++) {
    for (unsigned i = 0; i < n; i++)
      x[i] = ((const PacoWord *) job->from)[rows ? line * job->stride + i
                                                 : i * job->stride + line];
    if (wavelet == VERTICAL_LIFTING)
      lift_plainly ((const int32_t *) x, n, (int32_t *) y);
    else
      filter_plainly (filter_of (wavelet), (const float *) x, n, (float *) y);
    for (unsigned i = 0; i < n; i++)
      result[rows ? line * w + i : i * w + line] = y[i];
  }
  g_free (x);
  g_free (y);
  return result;
}

/* Compares; range is that of what was filtered, if floats. */
static void
compare (const char *what, unsigned wavelet, const PacoWord *found,
    size_t found_stride, const PacoWord *expected, size_t stride,
    unsigned width, unsigned height, float range)
{
  if (wavelet == VERTICAL_LIFTING)
    lab_same_integers (what, (const int32_t *) found, found_stride,
        (const int32_t *) expected, stride, width, height);
  else
    lab_near_floats_of_range (what, (const float *) found, found_stride,
        (const float *) expected, stride, width, height, range);
}

static float
range_of (const VerticalJob *job, unsigned wavelet)
{
  return wavelet == VERTICAL_LIFTING
      ? 0
      : lab_range (job->from, job->stride, job->width, job->height);
}

/* Compares with the project's reference, which does the same to columns alone,
 * if they are apart. */
static void
compare_reference (
    const VerticalJob *job, unsigned wavelet, bool rows, PacoWord *expected)
{
  const unsigned w = job->width, h = job->height;
  PacoWord *found = lab_new ((size_t) w * h * sizeof *found, 64);

  for (unsigned y = 0; y < h; y++)
    memcpy (found + (size_t) y * w,
        (const PacoWord *) job->from + y * job->stride, w * sizeof *found);
  for (unsigned line = 0; line < (rows ? h : w); line++)
    lab_reference_level (
        wavelet == VERTICAL_LIFTING ? PACO_WAVELET_CDF53 : PACO_WAVELET_CDF97,
        rows ? w : 1, rows ? 1 : h, found + (rows ? (size_t) line * w : line),
        w);
  if (wavelet == VERTICAL_CDF97)
    for (unsigned line = 0; line < (rows ? h : w); line++)
      lab_level_scale (rows ? w : 1, rows ? 1 : h,
          (float *) found + (rows ? (size_t) line * w : line), w);
  compare ("the project's reference", wavelet, found, w, expected, w, w, h,
      range_of (job, wavelet));
  free (found);
}

static void
check_method (
    const VerticalJob *job, unsigned build, unsigned wavelet, unsigned method)
{
  const VerticalWavelet *w = &builds[build].wavelets[wavelet];
  bool rows = method == G_N_ELEMENTS (methods) - 1;
  unsigned n_low = (job->height + 1) / 2;
  const PacoWord *found = job->to;
  g_autofree char *what = g_strdup_printf (
      "%s%s, %s", w->name, builds[build].suffix, methods[method].name);
  PacoWord *expected;

  if (!method_of (w, method) || !can_run (build))
    return;
  expected = expect (job, wavelet, rows);
  if (wavelet != VERTICAL_DAUB4)
    compare_reference (job, wavelet, rows, expected);
  method_of (w, method) (job);
  if (rows)
    n_low = job->height;
  compare (what, wavelet, found, job->stride, expected, job->width, job->width,
      n_low, range_of (job, wavelet));
  compare (what, wavelet, found + (n_low + job->offset) * job->stride,
      job->stride, expected + (size_t) n_low * job->width, job->width,
      job->width, job->height - n_low, range_of (job, wavelet));
  free (expected);
}

/* Draws a size that may be small and odd, or reach over the lookahead. */
static unsigned
draw_size (void)
{
  return lab_draw (0, 2) > 0 ? lab_draw (1, 24) : lab_draw (1, 100);
}

/* Checks the CPU backend's level, which is measured beside the methods. */
static void
check_backend (void)
{
  const PacoWaveletId ids[] = { PACO_WAVELET_CDF53, PACO_WAVELET_CDF97 };
  PacoWaveletId id = ids[lab_draw (0, 1)];
  unsigned w = draw_size (), h = draw_size ();
  size_t n = (size_t) w * h;
  PacoWord *data = lab_new (n * 4, 64), *found = lab_new (n * 4, 64);
  LabLevel level;

  memset (found, 0x5a, n * 4);
  if (id == PACO_WAVELET_CDF53)
    lab_draw_integers ((int32_t *) data, n, -4096, 4095);
  else
    lab_draw_floats ((float *) data, n, -4096, 4096);
  lab_level_init (&level, id, w, h, data, lab_draw (1, 3));
  lab_level_run (&level);
  lab_level_gather (&level, found, w);
  lab_reference_level (id, w, h, data, w);
  lab_same_integers ("CPU backend", (const int32_t *) found, w,
      (const int32_t *) data, w, w, h);
  lab_level_clear (&level);
  free (data);
  free (found);
}

static void
check_image (void)
{
  VerticalJob job = { draw_size (), draw_size () };
  size_t n;

  job.stride = job.width + lab_draw (0, 5);
  n = job.stride * job.height;
  for (unsigned build = 0; build < G_N_ELEMENTS (builds); build++)
    for (unsigned wavelet = 0; wavelet < N_VERTICAL_WAVELETS; wavelet++)
      for (unsigned method = 0; method < G_N_ELEMENTS (methods); method++) {
        bool rows = method == G_N_ELEMENTS (methods) - 1;
        PacoWord *from = lab_new (n * 4, 64);

        job.offset = rows ? 0 : lab_draw (0, 2);
        job.from = from;
        job.to = lab_new ((n + job.offset * job.stride) * 4, 64);
        if (wavelet == VERTICAL_LIFTING)
          lab_draw_integers ((int32_t *) from, n, -65536, 65535);
        else
          lab_draw_floats ((float *) from, n, -1000, 1000);
        memset (job.to, 0x5a, (n + job.offset * job.stride) * 4);
        check_method (&job, build, wavelet, method);
        free (from);
        free (job.to);
      }
}

static void
check (void)
{
  for (unsigned i = 0; i < 60; i++) {
    check_image ();
    check_backend ();
  }
}

/* --- measure --- */

/* These are the sizes of the paper's figures, and some that are a multiple
 * of a page wide, where rows fall on the same places of today's first-level
 * caches. */
static const unsigned sizes[] = { 64, 120, 128, 256, 400, 512, 768, 800, 1024,
  1280, 2048, 2500, 3000, 3072, 3500, 4096 };
#define N_SHORT_SIZES 2

/* This is timed of a wavelet: methods, on matrices with an offset or without,
 * and a level of the CPU backend. */
typedef enum
{
  HORIZONTAL,
  COLUMN,
  INTERCHANGED,
  SPLIT,
  OFFSETTING,
  ACLS,
  LOOKAHEAD,
  N_METHODS,
  BACKEND = N_METHODS,
  N_WORKS
} WorkId;

typedef struct
{
  VerticalJob job;
  VerticalFunc run;
} Work;

static void
do_work (void *data)
{
  const Work *work = data;

  work->run (&work->job);
}

/* Times a wavelet. level is that of the CPU backend, or NULL; ms is by WorkId,
 * 0 of what there is not. Columns one by one are timed apart: they leave the
 * caches so that what comes next is slow, up to twice as slow at 2048 even when
 * it runs for the second time. */
static void
time_wavelet (const VerticalWavelet *wavelet, const VerticalJob *job,
    LabLevel *level, double ms[N_WORKS])
{
  const VerticalFunc functions[N_METHODS] = {
    [HORIZONTAL] = wavelet->horizontal,
    [COLUMN] = wavelet->column,
    [INTERCHANGED] = wavelet->interchanged,
    [SPLIT] = wavelet->split,
    [OFFSETTING] = wavelet->interchanged,
    [ACLS] = wavelet->acls,
    [LOOKAHEAD] = wavelet->lookahead,
  };
  Work works[N_METHODS];
  LabTimed timed[N_WORKS];
  double times[N_WORKS];
  WorkId ids[N_WORKS];
  unsigned n = 0;

  for (unsigned id = 0; id < N_WORKS; id++) {
    ms[id] = 0;
    if (id == COLUMN || (id == BACKEND ? !level : !functions[id]))
      continue;
    if (id != BACKEND) {
      works[id] = (Work){ *job, functions[id] };
      works[id].job.offset = id >= OFFSETTING ? 1 : 0;
    }
    timed[n] = id == BACKEND ? (LabTimed){ lab_level_run, level, NULL }
                             : (LabTimed){ do_work, &works[id], NULL };
    ids[n++] = id;
  }
  lab_time (timed, n, times);
  for (unsigned i = 0; i < n; i++)
    ms[ids[i]] = times[i];
  works[COLUMN] = (Work){ *job, functions[COLUMN] };
  ms[COLUMN] = lab_time_one (do_work, &works[COLUMN]);
}

static void
report_ratios (unsigned wavelet, const char *name, const char *suffix,
    const char *x, const double *ms)
{
  const double best = ms[wavelet == VERTICAL_CDF97 ? LOOKAHEAD : OFFSETTING];
  const struct
  {
    const char *table, *series;
    double slow, fast;
  } ratios[] = {
    { "002 figure 1", name, ms[INTERCHANGED], ms[HORIZONTAL] },
    { "002 figure 5", name, ms[COLUMN], ms[INTERCHANGED] },
    { "002 figure 7", name, ms[INTERCHANGED], ms[SPLIT] },
    { "002 figure 8", name, ms[INTERCHANGED], ms[OFFSETTING] },
    { "002 figure 13", "ACLS", ms[INTERCHANGED], ms[ACLS] },
    { "002 figure 13", "lookahead", ms[INTERCHANGED], ms[LOOKAHEAD] },
    { "002 figure 15", name, best, ms[HORIZONTAL] },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (ratios); i++) {
    g_autofree char *series = g_strdup_printf (
        "%s%s", ratios[i].series, suffix);

    if (ratios[i].fast > 0)
      lab_result (
          ratios[i].table, series, x, ratios[i].slow / ratios[i].fast, "times");
  }
}

static const char *const level_tables[N_VERTICAL_WAVELETS] = {
  "002 one level cdf53",
  "002 one level daub4",
  "002 one level cdf97",
};

/* Reports rows and columns of a level: as the paper takes its time, with its
 * best method, and the CPU backend. */
static void
report_level (
    unsigned wavelet, const char *suffix, const char *x, const double *ms)
{
  const double best = ms[wavelet == VERTICAL_CDF97 ? LOOKAHEAD : OFFSETTING];
  const char *table = level_tables[wavelet];
  g_autofree char *interchanged = g_strdup_printf (
      "loops interchanged%s", suffix);
  g_autofree char *paper = g_strdup_printf ("the paper's best%s", suffix);

  lab_result (table, interchanged, x, ms[HORIZONTAL] + ms[INTERCHANGED], "ms");
  lab_result (table, paper, x, ms[HORIZONTAL] + best, "ms");
  if (ms[BACKEND] > 0)
    lab_result (table, "CPU backend", x, ms[BACKEND], "ms");
}

static void
measure_wavelet (unsigned build, unsigned wavelet, const VerticalJob *job)
{
  const VerticalWavelet *w = &builds[build].wavelets[wavelet];
  g_autofree char *x = g_strdup_printf ("%u", job->width);
  bool has_level = builds[build].vectors && wavelet != VERTICAL_DAUB4;
  LabLevel level;
  double ms[N_WORKS];

  if (has_level)
    lab_level_init (&level,
        wavelet == VERTICAL_LIFTING ? PACO_WAVELET_CDF53 : PACO_WAVELET_CDF97,
        job->width, job->height, (PacoWord *) job->from, 1);
  time_wavelet (w, job, has_level ? &level : NULL, ms);
  report_ratios (wavelet, w->name, builds[build].suffix, x, ms);
  report_level (wavelet, builds[build].suffix, x, ms);
  if (has_level)
    lab_level_clear (&level);
}

static void
measure_size (unsigned size)
{
  VerticalJob job = { size, size, size };
  size_t n = (size_t) size * size;
  PacoWord *from = lab_new (n * sizeof *from, ALIGNMENT);
  g_autofree char *x = g_strdup_printf ("%u", size);
  double copy_ms;

  job.from = from;
  job.to = lab_new ((n + size) * sizeof *from, ALIGNMENT);
  for (unsigned wavelet = 0; wavelet < N_VERTICAL_WAVELETS; wavelet++) {
    if (wavelet == VERTICAL_LIFTING)
      lab_draw_integers ((int32_t *) from, n, -128, 127);
    else
      lab_draw_floats ((float *) from, n, -128, 127);
    for (unsigned build = 0; build < G_N_ELEMENTS (builds); build++)
      if (can_run (build))
        measure_wavelet (build, wavelet, &job);
  }
  copy_ms = lab_copy_ms (n * sizeof *from);
  for (unsigned wavelet = 0; wavelet < N_VERTICAL_WAVELETS; wavelet++)
    lab_result (level_tables[wavelet], "memcpy", x, copy_ms, "ms");
  free (from);
  free (job.to);
}

static void
measure (void)
{
  unsigned n = lab_is_short () ? N_SHORT_SIZES : G_N_ELEMENTS (sizes);

  for (unsigned i = 0; i < n; i++)
    measure_size (sizes[i]);
}

int
main (int argc, char **argv)
{
  return lab_main (argc, argv, &(LabProgram){ check, measure });
}
