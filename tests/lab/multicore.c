/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Measures, for paper 003, section II, a level of 9/7 by the threads of a CPU
 * (multicore.h), and beside it one of the CPU backend. Figures 1, 2 and 3, and
 * of figure 5 what the CPU takes. Code is compiled with -O3 for any processor
 * of this kind, as the paper's was; the CPU backend chooses the widest vectors
 * that there are. */
#include "tests/lab/multicore.h"
#include "tests/lab/filters.h"
#include "tests/lab/lab.h"
#include "tests/lab/level.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
job_init (MulticoreJob *job, unsigned width, unsigned height, unsigned threads)
{
  size_t n = (size_t) width * height * sizeof (float);

  *job = (MulticoreJob){ width, height, lab_new (n, 4096), lab_new (n, 4096) };
  job->workers = paco_workers_new (threads);
  if (!job->workers)
    lab_fail ("no %u threads", threads);
  job->n_blocks = threads;
  job->lines = lab_new (
      threads * MULTICORE_LINE_FLOATS (MAX (width, height)) * sizeof (float),
      64);
}

static void
job_clear (MulticoreJob *job)
{
  paco_workers_free (job->workers);
  free (job->image);
  free (job->other);
  free (job->lines);
}

/* --- check --- */

/* Computes the image by the definition, in double precision. */
static float *
expect (const float *image, unsigned width, unsigned height)
{
  float *result = lab_new ((size_t) width * height * sizeof *result, 64);
  const LabFilter *f = &lab_cdf97;

  for (unsigned y = 0; y < height; y++)
    for (unsigned x = 0; x < width; x++) {
      unsigned low_h = (height + 1) / 2, low_w = (width + 1) / 2;
      const float *vertical = y < low_h ? f->low : f->high;
      const float *horizontal = x < low_w ? f->low : f->high;
      int64_t first_y = 2 * (y < low_h ? y : y - low_h) + (int64_t) f->first;
      int64_t first_x = 2 * (x < low_w ? x : x - low_w) + (int64_t) f->first;
      double sum = 0;

      for (int a = 0; a < f->n; a++)
        for (int b = 0; b < f->n; b++)
          sum += (double) vertical[a] * horizontal[b]
              * image[paco_lifting_mirror (first_y + a, height) * width
                  + paco_lifting_mirror (first_x + b, width)];
      result[(size_t) y * width + x] = (float) sum;
    }
  return result;
}

static void
check_reference (
    const float *image, const float *expected, unsigned width, unsigned height)
{
  float *copy = g_memdup2 (image, (size_t) width * height * sizeof *image);

  lab_reference_level (
      PACO_WAVELET_CDF97, width, height, (PacoWord *) copy, width);
  lab_level_scale (width, height, copy, width);
  lab_near_floats (
      "the project's reference", copy, width, expected, width, width, height);
  g_free (copy);
}

static const struct
{
  const char *name;
  LabWork run;
  bool elsewhere, only_ll;
} methods[] = {
  { "convolution", multicore_convolution, false, false },
  { "lifting", multicore_lifting, false, false },
  { "SMDWT", multicore_smdwt, true, false },
  { "SMDWT, LL alone", multicore_smdwt, true, true },
};

static void
check_image (void)
{
  unsigned width = lab_draw (1, 40), height = lab_draw (1, 40);
  size_t n = (size_t) width * height;
  float *image = lab_new (n * sizeof *image, 64), *expected;
  MulticoreJob job;

  lab_draw_floats (image, n, -4096, 4096);
  expected = expect (image, width, height);
  check_reference (image, expected, width, height);
  job_init (&job, width, height, lab_draw (1, 4));
  for (unsigned i = 0; i < G_N_ELEMENTS (methods); i++) {
    memcpy (job.image, image, n * sizeof *image);
    memset (job.other, 0x5a, n * sizeof *image);
    job.only_ll = methods[i].only_ll;
    methods[i].run (&job);
    lab_near_floats_of_range (methods[i].name,
        methods[i].elsewhere ? job.other : job.image, width, expected, width,
        job.only_ll ? (width + 1) / 2 : width,
        job.only_ll ? (height + 1) / 2 : height,
        lab_range (image, width, width, height));
  }
  job_clear (&job);
  free (image);
  free (expected);
}

static void
check (void)
{
  for (unsigned i = 0; i < 60; i++)
    check_image ();
}

/* --- measure --- */

/* These are the paper's, and one whose columns do not fall on the same places
 * of a cache. */
static const unsigned sizes[] = { 512, 2048, 4000, 4096 };
static const unsigned threads[] = { 1, 2, 4 };
#define N_METHODS G_N_ELEMENTS (methods)
#define N_IN_PLACE 2 /* of them, convolution and lifting */
#define BACKEND N_METHODS
#define N_WORKS (N_METHODS + 1)
#define N_SIZES G_N_ELEMENTS (sizes)
#define N_THREADS G_N_ELEMENTS (threads)

/* This is for a method with a number of threads. Convolution and lifting
 * overwrite the image: it is put back before each run. */
typedef struct
{
  MulticoreJob job;
  const float *image;
  LabWork run;
} Work;

static void
put_image_back (void *data)
{
  Work *work = data;

  memcpy (work->job.image, work->image,
      (size_t) work->job.width * work->job.height * sizeof *work->image);
}

static void
do_work (void *data)
{
  Work *work = data;

  work->run (&work->job);
}

static const char *
name_of (unsigned method)
{
  return method == BACKEND ? "CPU backend" : methods[method].name;
}

/* Times the methods; ms is by method. All methods of a number of threads share
 * the images. Those in place are timed apart: their columns leave the caches so
 * that what comes next is slow. */
static void
time_methods (
    const float *image, unsigned size, unsigned n_threads, double ms[N_WORKS])
{
  LabTimed timed[N_WORKS];
  Work works[N_METHODS];
  MulticoreJob job;
  LabLevel level;

  job_init (&job, size, size, n_threads);
  memcpy (job.image, image, (size_t) size * size * sizeof *image);
  for (unsigned i = 0; i < N_METHODS; i++) {
    works[i] = (Work){ job, image, methods[i].run };
    works[i].job.only_ll = methods[i].only_ll;
    timed[i] = (LabTimed){ do_work, &works[i], put_image_back };
  }
  lab_level_init (
      &level, PACO_WAVELET_CDF97, size, size, (PacoWord *) image, n_threads);
  timed[BACKEND] = (LabTimed){ lab_level_run, &level, NULL };
  lab_time (timed, N_IN_PLACE, ms);
  lab_time (timed + N_IN_PLACE, N_WORKS - N_IN_PLACE, ms + N_IN_PLACE);
  lab_level_clear (&level);
  job_clear (&job);
}

static const char *
threads_word (unsigned n)
{
  return n == 1 ? "thread" : "threads";
}

/* Reports figures 1 and 5, which are about times over sizes. */
static void
report_times (unsigned size, unsigned n_threads, const double *ms)
{
  const unsigned shown[] = { 0, 1, BACKEND };
  g_autofree char *x = g_strdup_printf ("%u", size);

  for (unsigned i = 0; i < G_N_ELEMENTS (shown); i++) {
    g_autofree char *series = g_strdup_printf (
        "%s, %u %s", name_of (shown[i]), n_threads, threads_word (n_threads));

    lab_result ("003 figure 1", series, x, ms[shown[i]], "ms");
    if (n_threads == 4) {
      g_autofree char *cpu = g_strdup_printf ("CPU: %s", series);

      lab_result ("003 figure 5", cpu, x, ms[shown[i]], "ms");
    }
  }
}

/* Reports figures 2 and 3, which compare methods with two and with four
 * threads. */
static void
report_methods (unsigned size, unsigned n_threads, const double *ms)
{
  g_autofree char *x = g_strdup_printf (
      "%u, %u %s", size, n_threads, threads_word (n_threads));

  if (n_threads == 1)
    return;
  for (unsigned i = 0; i < N_WORKS; i++) {
    bool is_all = i == BACKEND || !methods[i].only_ll;
    bool is_smdwt = i != BACKEND && methods[i].elsewhere;

    if (is_all)
      lab_result ("003 figure 2", name_of (i), x, ms[i], "ms");
    if (!is_all || !is_smdwt)
      lab_result ("003 figure 3", name_of (i), x, ms[i], "ms");
  }
}

/* Reports what the paper's text says in numbers; ms is by number of threads and
 * method. */
static void
report_speedups (unsigned size, double ms[N_THREADS][N_WORKS])
{
  for (unsigned t = 1; t < N_THREADS; t++) {
    g_autofree char *x = g_strdup_printf ("%u threads", threads[t]);

    for (unsigned i = 0; i < N_WORKS; i++) {
      g_autofree char *series = g_strdup_printf ("%s, %u", name_of (i), size);

      lab_result (
          "003 speed-up", series, x, ms[0][i] / ms[t][i], "times one thread");
    }
  }
}

static void
measure_size (unsigned size)
{
  size_t n = (size_t) size * size;
  float *image = lab_new (n * sizeof *image, 4096);
  double ms[N_THREADS][N_WORKS];
  g_autofree char *x = g_strdup_printf ("%u", size);

  lab_draw_floats (image, n, -128, 127);
  for (unsigned t = 0; t < N_THREADS; t++) {
    time_methods (image, size, threads[t], ms[t]);
    report_times (size, threads[t], ms[t]);
    report_methods (size, threads[t], ms[t]);
  }
  report_speedups (size, ms);
  lab_result ("003 figure 1", "memcpy, 1 thread", x,
      lab_copy_ms (n * sizeof *image), "ms");
  free (image);
}

static void
measure (void)
{
  if (lab_is_short ()) {
    measure_size (64);
    return;
  }
  for (unsigned i = 0; i < N_SIZES; i++)
    measure_size (sizes[i]);
}

int
main (int argc, char **argv)
{
  return lab_main (argc, argv, &(LabProgram){ check, measure });
}
