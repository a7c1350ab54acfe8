/* SPDX-License-Identifier: LGPL-2.1-or-later
 * lab.h says what this is for. */
#include "tests/lab/lab.h"
#include "codec/reference/reference.h"
#include "codec/wavelet.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum
{
  SKIPPED = 77,
  /* Works are timed until both are reached. */
  ROUNDS = 7,
  ROUNDS_SHORT = 1,
  MILLISECONDS = 150,
};

static GRand *random_numbers;
static guint32 seed;
static gboolean is_short;

int
lab_main (int argc, char **argv, const LabProgram *program)
{
  gboolean check = FALSE, once = FALSE;
  char *seed_text = NULL;
  GOptionEntry entries[] = {
    { "check", 0, 0, G_OPTION_ARG_NONE, &check,
        "Compare the methods with the reference, in place of measuring" },
    { "once", 0, 0, G_OPTION_ARG_NONE, &once,
        "Run once what a profiler is to count", NULL },
    { "short", 0, 0, G_OPTION_ARG_NONE, &is_short,
        "Measure little, to see that it works" },
    { "seed", 0, 0, G_OPTION_ARG_STRING, &seed_text, "Of random numbers", "N" },
    { NULL },
  };
  GOptionContext *context = g_option_context_new (NULL);
  GError *error = NULL;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    fprintf (stderr, "%s\n", error->message);
    return 2;
  }
  g_option_context_free (context);
  seed = seed_text ? (guint32) strtoul (seed_text, NULL, 10) : g_random_int ();
  g_free (seed_text);
  random_numbers = g_rand_new_with_seed (seed);
  if (once && !program->once)
    lab_skip ("there is nothing to count");
  (check ? program->check : once ? program->once : program->measure) ();
  g_rand_free (random_numbers);
  return 0;
}

bool
lab_is_short (void)
{
  return is_short;
}

void
lab_skip (const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  printf ("skipped: ");
  vprintf (format, arguments);
  printf ("\n");
  va_end (arguments);
  exit (SKIPPED);
}

void
lab_fail (const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  vfprintf (stderr, format, arguments);
  fprintf (stderr, " (--seed %u)\n", seed);
  va_end (arguments);
  exit (1);
}

/* --- planes --- */

int
lab_draw (int low, int high)
{
  return low
      + (int) (g_rand_double (random_numbers) * ((double) high - low + 1.0));
}

void *
lab_new (size_t bytes, size_t alignment)
{
  void *memory;

  if (posix_memalign (&memory, alignment, MAX (bytes, 1)) != 0)
    lab_fail ("no memory for %zu bytes", bytes);
  memset (memory, 0, bytes);
  return memory;
}

void
lab_draw_integers (int32_t *data, size_t n, int low, int high)
{
  for (size_t i = 0; i < n; i++)
    data[i] = lab_draw (low, high);
}

void
lab_draw_floats (float *data, size_t n, float low, float high)
{
  for (size_t i = 0; i < n; i++)
    data[i] = (float) g_rand_double_range (random_numbers, low, high);
}

void
lab_same_integers (const char *what, const int32_t *found, size_t found_stride,
    const int32_t *expected, size_t stride, unsigned width, unsigned height)
{
  for (unsigned y = 0; y < height; y++)
    for (unsigned x = 0; x < width; x++)
      if (found[y * found_stride + x] != expected[y * stride + x])
        lab_fail ("%s: %d at column %u, line %u of %ux%u, expected %d", what,
            found[y * found_stride + x], x, y, width, height,
            expected[y * stride + x]);
}

float
lab_range (const float *data, size_t stride, unsigned width, unsigned height)
{
  float range = 0;

  for (unsigned y = 0; y < height; y++)
    for (unsigned x = 0; x < width; x++)
      range = MAX (range, fabsf (data[y * stride + x]));
  return range;
}

void
lab_near_floats_of_range (const char *what, const float *found,
    size_t found_stride, const float *expected, size_t stride, unsigned width,
    unsigned height, float range)
{
  for (unsigned y = 0; y < height; y++)
    for (unsigned x = 0; x < width; x++) {
      float a = found[y * found_stride + x], b = expected[y * stride + x];

      if (!(fabsf (a - b) <= 1e-4f * range))
        lab_fail ("%s: %g at column %u, line %u of %ux%u, expected %g", what,
            (double) a, x, y, width, height, (double) b);
    }
}

void
lab_near_floats (const char *what, const float *found, size_t found_stride,
    const float *expected, size_t stride, unsigned width, unsigned height)
{
  lab_near_floats_of_range (what, found, found_stride, expected, stride, width,
      height, lab_range (expected, stride, width, height));
}

/* --- measuring --- */

static double
now_ms (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return 1e3 * (double) now.tv_sec + 1e-6 * (double) now.tv_nsec;
}

static int
compare_doubles (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

double
lab_median (double *values, unsigned n)
{
  qsort (values, n, sizeof *values, compare_doubles);
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

static double
run_ms (const LabTimed *work)
{
  double before;

  if (work->prepare)
    work->prepare (work->data);
  before = now_ms ();
  work->run (work->data);
  return now_ms () - before;
}

/* Runs once more: the run before leaves caches as this work does, and not as
 * others do. */
static double
run_again_ms (const LabTimed *work)
{
  run_ms (work);
  return run_ms (work);
}

void
lab_time (const LabTimed *works, unsigned n, double *ms)
{
  const unsigned least = is_short ? ROUNDS_SHORT : ROUNDS;
  const double budget = is_short ? 0 : (double) MILLISECONDS * n;
  GArray **times = g_new (GArray *, n);
  double begun = 0;

  for (unsigned i = 0; i < n; i++)
    times[i] = g_array_new (FALSE, FALSE, sizeof (double));
  for (unsigned round = 0; round <= least || now_ms () < begun + budget;
       round++) {
    for (unsigned i = 0; i < n; i++) {
      double took = run_again_ms (&works[i]);

      if (round > 0)
        g_array_append_val (times[i], took);
    }
    if (round == 0)
      begun = now_ms ();
  }
  for (unsigned i = 0; i < n; i++) {
    ms[i] = lab_median ((double *) times[i]->data, times[i]->len);
    g_array_free (times[i], TRUE);
  }
  g_free (times);
}

double
lab_time_one (LabWork run, void *data)
{
  LabTimed work = { run, data, NULL };
  double ms;

  lab_time (&work, 1, &ms);
  return ms;
}

typedef struct
{
  void *to, *from;
  size_t bytes;
} Copy;

static void
copy (void *data)
{
  const Copy *c = data;

  memcpy (c->to, c->from, c->bytes);
}

double
lab_copy_ms (size_t bytes)
{
  /* Both lie at the begin of a page, where copies are fastest. */
  Copy c = { lab_new (bytes, 4096), lab_new (bytes, 4096), bytes };
  double ms = lab_time_one (copy, &c);

  free (c.to);
  free (c.from);
  return ms;
}

/* Prints a result. Names are the programs' own, so that nothing has to be
 * escaped. */
void
lab_result (const char *table, const char *series, const char *x, double value,
    const char *unit)
{
  printf ("{\"table\":\"%s\",\"series\":\"%s\",\"x\":\"%s\",\"value\":%.5g,"
          "\"unit\":\"%s\"}\n",
      table, series, x, value, unit);
  fflush (stdout);
}

void
lab_counted (const char *instructions, const char *accesses, const char *series,
    const char *x, unsigned n)
{
  printf ("{\"instructions\":\"%s\",\"accesses\":\"%s\",\"series\":\"%s\","
          "\"x\":\"%s\",\"launches\":%u}\n",
      instructions, accesses ? accesses : "", series, x, n);
  fflush (stdout);
}

void
lab_counted_activity (const char *table, const char *series)
{
  printf ("{\"activity\":\"%s\",\"series\":\"%s\",\"launches\":0}\n", table,
      series);
  fflush (stdout);
}

/* --- levels of images --- */

void
lab_level_init (LabLevel *level, PacoWaveletId wavelet, uint32_t width,
    uint32_t height, PacoWord *data, unsigned threads)
{
  size_t words = paco_coefficients_place (
      &level->coefficients, width, height, 1, 0, false, NULL);

  memset (level, 0, sizeof *level);
  level->memory = lab_new (words * sizeof *level->memory, 64);
  paco_coefficients_place (
      &level->coefficients, width, height, 1, 0, false, level->memory);
  level->picture = (PacoPlane){ width, height, width, data };
  level->planes = (PacoPlaneSet){ 1, { &level->picture } };
  level->pass = (PacoDwtPass){ paco_row_ops (), &paco_wavelets[wavelet], 1,
    width, height, { level->coefficients.planes[1] }, paco_planes_read,
    &level->planes };
  level->workers = paco_workers_new (threads);
  if (!level->workers)
    lab_fail ("no %u threads", threads);
  /* Bands are as codec/cpu/frame.c has them: few for each thread, all of it for
   * one. */
  level->band_height = threads == 1
      ? (height + 1) & ~1u
      : (MAX (height / (4 * threads), 32) + 1) & ~1u;
}

void
lab_level_clear (LabLevel *level)
{
  paco_workers_free (level->workers);
  free (level->memory);
}

static void
do_band (void *data, uint32_t item, unsigned worker)
{
  LabLevel *level = data;
  uint32_t y = item * level->band_height;

  paco_dwt_forward (&level->pass, y,
      MIN (y + level->band_height, level->pass.height),
      paco_workers_lines (level->workers, worker));
}

void
lab_level_run (void *data)
{
  LabLevel *level = data;
  uint32_t n = (level->pass.height + level->band_height - 1)
      / level->band_height;

  paco_workers_run (level->workers, n, 1, do_band, level);
}

void
lab_level_gather (const LabLevel *level, PacoWord *plane, size_t stride)
{
  const PacoPlane *bands = level->coefficients.planes[1];

  for (unsigned o = 0; o < 4; o++) {
    PacoWord *to = plane + (o & 1 ? bands[PACO_ORIENTATION_LL].width : 0)
        + (o & 2 ? bands[PACO_ORIENTATION_LL].height * stride : 0);

    for (uint32_t y = 0; y < bands[o].height; y++)
      if (bands[o].width > 0)
        memcpy (to + y * stride, bands[o].data + y * bands[o].stride,
            bands[o].width * sizeof *to);
  }
}

void
lab_reference_level (PacoWaveletId id, uint32_t width, uint32_t height,
    PacoWord *data, size_t stride)
{
  PacoReferencePlane plane = { .width = width, .height = height };

  plane.samples = g_new (PacoReferenceSample, (size_t) width * height);
  for (uint32_t y = 0; y < height; y++)
    memcpy (plane.samples + (size_t) y * width, data + y * stride,
        width * sizeof *data);
  paco_reference_forward_dwt (&plane, 1, id);
  for (uint32_t y = 0; y < height; y++)
    memcpy (data + y * stride, plane.samples + (size_t) y * width,
        width * sizeof *data);
  g_free (plane.samples);
}

/* Returns the scale of coefficient i of a line of n, a line of one sample
 * included. */
static double
scale_of (uint32_t i, uint32_t n)
{
  double gain = paco_wavelets[PACO_WAVELET_CDF97].low_gain;

  return i < (n + 1) / 2 ? 1.0 / gain : gain;
}

void
lab_level_scale (uint32_t width, uint32_t height, float *data, size_t stride)
{
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++)
      data[y * stride + x] *= (float) (scale_of (x, width)
          * scale_of (y, height));
}
