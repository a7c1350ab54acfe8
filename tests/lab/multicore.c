/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Measures, for paper 003, section II, a level of 9/7 by the threads of a CPU
 * (below), and beside it one of the CPU backend. Figures 1, 2 and 3, and
 * of figure 5 what the CPU takes. Code is compiled with -O3 for any processor
 * of this kind, as the paper's was; the CPU backend chooses the widest vectors
 * that there are. */
#include "tests/lab/filters.h"
#include "tests/lab/lab.h"
#include "codec/cpu/workers.h"
#include "codec/cpu/rows_loops.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Has the methods of multicore.h.
 * 
 * Of the paper's equations, the second of (3) must read h(z) = h_e(z^2) + z^-1 h_o(z^2),
 * and (10), as it factors what puts a signal together, scales the low half by zeta;
 * taking it apart divides by it: with h[n] of the paper, whose sum is 1, the low half is
 * that of the lifting steps divided by zeta, the high half times zeta. */

/* An image of floats, rows without gaps between them. Each thread takes a block of
 * rows, and then one of columns. Convolution and lifting put one level in the place of
 * the image: low halves left and above. SMDWT puts it into another one. */
typedef struct
{
  unsigned width, height;
  float *image;
  float *other; /* of SMDWT */
  bool only_ll; /* SMDWT computes LL alone */
  PacoWorkers *workers;
  unsigned n_blocks; /* as many as threads */
  float *lines; /* of each block, MULTICORE_LINE_FLOATS of the longer side */
} MulticoreJob;

/* A thread has this for the line that it filters, with mirror images at its
 * ends. */
#define MULTICORE_MARGIN 4
#define MULTICORE_LINE_FLOATS(n) ((size_t) (n) + 2 * MULTICORE_MARGIN)

#ifdef __clang__
#define UNROLL _Pragma ("clang loop unroll(full)")
#else
#define UNROLL _Pragma ("GCC unroll 16")
#endif

/* Filters a line of n samples at `line` (a thread's, with a margin) to its
 * halves, which lie `step` apart. */
typedef void (*FilterLine) (float *line, unsigned n, float *out, size_t step);

/* --- the threads' blocks --- */

typedef struct
{
  const MulticoreJob *job;
  FilterLine filter;
} Lines;

static float *
line_of_block (const MulticoreJob *job, uint32_t block)
{
  return job->lines
      + block * MULTICORE_LINE_FLOATS (MAX (job->width, job->height))
      + MULTICORE_MARGIN;
}

static unsigned
block_begin (const MulticoreJob *job, uint32_t block, unsigned n)
{
  return (unsigned) ((uint64_t) n * block / job->n_blocks);
}

static void
filter_rows (void *data, uint32_t block, unsigned worker)
{
  const Lines *lines = data;
  const MulticoreJob *job = lines->job;
  float *line = line_of_block (job, block);
  unsigned end = block_begin (job, block + 1, job->height);

  for (unsigned y = block_begin (job, block, job->height); y < end; y++) {
    float *row = job->image + (size_t) y * job->width;

    memcpy (line, row, job->width * sizeof *line);
    lines->filter (line, job->width, row, 1);
  }
}

static void
filter_columns (void *data, uint32_t block, unsigned worker)
{
  const Lines *lines = data;
  const MulticoreJob *job = lines->job;
  float *line = line_of_block (job, block);
  unsigned end = block_begin (job, block + 1, job->width);

  for (unsigned x = block_begin (job, block, job->width); x < end; x++) {
    for (unsigned y = 0; y < job->height; y++)
      line[y] = job->image[(size_t) y * job->width + x];
    lines->filter (line, job->height, job->image + x, job->width);
  }
}

static void
filter_image (const MulticoreJob *job, FilterLine filter)
{
  Lines lines = { job, filter };

  paco_workers_run (job->workers, job->n_blocks, 1, filter_rows, &lines);
  paco_workers_run (job->workers, job->n_blocks, 1, filter_columns, &lines);
}

/* --- convolution --- */

/* Returns the sum of the taps, of which some at the begin may be 0. */
INLINE float
sum (const float *taps, const float *x)
{
  float result = 0;
  bool first = true;

  UNROLL
  for (int k = 0; k < LAB_MAX_TAPS; k++)
    if (taps[k] != 0) {
      result = first ? taps[k] * x[k] : result + taps[k] * x[k];
      first = false;
    }
  return result;
}

static void
convolve (float *line, unsigned n, float *out, size_t step)
{
  float *high = out + (n + 1) / 2 * step;

  for (int i = 1; i <= MULTICORE_MARGIN; i++) {
    line[-i] = line[paco_lifting_mirror (-i, n)];
    line[n - 1 + i] = line[paco_lifting_mirror (n - 1 + (int64_t) i, n)];
  }
  for (unsigned i = 0; i < n / 2; i++) {
    const float *x = line + 2 * i + lab_cdf97.first;

    out[i * step] = sum (lab_cdf97.low, x);
    high[i * step] = sum (lab_cdf97.high, x);
  }
  if (n % 2)
    out[n / 2 * step] = sum (lab_cdf97.low, line + n - 1 + lab_cdf97.first);
}

static void
multicore_convolution (void *job)
{
  filter_image (job, convolve);
}

/* --- lifting --- */

static void
lift (float *line, unsigned n, float *out, size_t step)
{
  const PacoWavelet *wavelet = &paco_wavelets[PACO_WAVELET_CDF97];
  const float gain = (float) wavelet->low_gain, lost = 1 / gain;
  float *high = out + (n + 1) / 2 * step;

  if (n == 1) {
    out[0] = line[0];
    return;
  }
  for (unsigned k = 0; k < wavelet->n_steps; k++) {
    const float tap = wavelet->steps[k].taps[0];

    line[-1] = line[1];
    line[n] = line[n - 2];
    for (unsigned i = k % 2 == 0 ? 1 : 0; i < n; i += 2)
      line[i] += tap * (line[(int) i - 1] + line[i + 1]);
  }
  for (unsigned i = 0; i < (n + 1) / 2; i++)
    out[i * step] = line[2 * i] * lost;
  for (unsigned i = 0; i < n / 2; i++)
    high[i * step] = line[2 * i + 1] * gain;
}

static void
multicore_lifting (void *job)
{
  filter_image (job, lift);
}

/* --- SMDWT --- */

/* The masks are products of the two filters, which are symmetric: sample (a, b) around
 * the middle counts as much as those at (-a, b), (a, -b) and (-a, -b), and where both
 * filters are the same as (b, a). These are summed first. */
#define MIDDLE_LOW 4  /* of lab_cdf97.low, which has 9 taps */
#define MIDDLE_HIGH 5 /* of lab_cdf97.high, which has 7 */

INLINE float
around (const float *x, size_t stride, int a, int b)
{
  const float *above = x - a * stride, *below = x + a * stride;

  if (a == 0 && b == 0)
    return x[0];
  if (a == 0)
    return x[-b] + x[b];
  if (b == 0)
    return above[0] + below[0];
  return (above[-b] + above[b]) + (below[-b] + below[b]);
}

/* Returns a product of vertical[a] and horizontal[b], taps a and b away from
 * the middles. same says that both are the same filter. */
INLINE float
mask (const float *vertical, int n_vertical, const float *horizontal,
    int n_horizontal, bool same, const float *x, size_t stride)
{
  float result = 0;

  UNROLL
  for (int a = 0; a < n_vertical; a++) {
    UNROLL
    for (int b = same ? a : 0; b < n_horizontal; b++) {
      float samples = around (x, stride, a, b);

      if (same && a != b)
        samples += around (x, stride, b, a);
      result += vertical[a] * horizontal[b] * samples;
    }
  }
  return result;
}

#define LOW (lab_cdf97.low + MIDDLE_LOW)
#define HIGH (lab_cdf97.high + MIDDLE_HIGH)
#define N_LOW 5 /* taps from the middle on */
#define N_HIGH 4

/* These say where the coefficients of row i and place 0 go. */
typedef struct
{
  float *ll, *hl, *lh, *hh;
} Rows;

static Rows
rows_of (const MulticoreJob *job, unsigned i)
{
  size_t w = job->width;
  float *ll = job->other + i * w, *lh = ll + (job->height + 1) / 2 * w;

  return (Rows){ ll, ll + (w + 1) / 2, lh, lh + (w + 1) / 2 };
}

/* Computes coefficients begin..end-1 of a row of a subband, whose samples all
 * are inside. x is the middle of coefficient 0. */
INLINE void
mask_inside (const float *vertical, int n_vertical, const float *horizontal,
    int n_horizontal, bool same, const float *restrict x, size_t stride,
    unsigned begin, unsigned end, float *restrict out)
{
  for (unsigned j = begin; j < end; j++)
    out[j] = mask (vertical, n_vertical, horizontal, n_horizontal, same,
        x + 2 * j, stride);
}

/* Computes one coefficient, wherever its samples are. */
static float
mask_border (const MulticoreJob *job, unsigned i, unsigned j,
    const float *vertical, const float *horizontal)
{
  float result = 0;

  for (int a = 0; a < LAB_MAX_TAPS; a++) {
    int64_t y = paco_lifting_mirror (
        2 * (int64_t) i + lab_cdf97.first + a, job->height);

    for (int b = 0; b < LAB_MAX_TAPS; b++)
      result += vertical[a] * horizontal[b]
          * job->image[y * job->width
              + paco_lifting_mirror (
                  2 * (int64_t) j + lab_cdf97.first + b, job->width)];
  }
  return result;
}

static void
mask_at_border (const MulticoreJob *job, unsigned i, unsigned j)
{
  Rows to = rows_of (job, i);
  bool right = 2 * j + 1 < job->width, below = 2 * i + 1 < job->height;

  to.ll[j] = mask_border (job, i, j, lab_cdf97.low, lab_cdf97.low);
  if (job->only_ll)
    return;
  if (right)
    to.hl[j] = mask_border (job, i, j, lab_cdf97.low, lab_cdf97.high);
  if (below)
    to.lh[j] = mask_border (job, i, j, lab_cdf97.high, lab_cdf97.low);
  if (right && below)
    to.hh[j] = mask_border (job, i, j, lab_cdf97.high, lab_cdf97.high);
}

/* Says whether all samples of output i of n are inside: 2i - 4 .. 2i + 4. */
static bool
is_inside (unsigned i, unsigned n)
{
  return i >= 2 && 2 * i + 4 < n;
}

static void
mask_row (const MulticoreJob *job, unsigned i)
{
  const size_t w = job->width;
  const float *x = job->image + 2 * i * w;
  unsigned n = (job->width + 1) / 2, begin = 0, end;
  Rows to = rows_of (job, i);

  while (begin < n
      && !(is_inside (i, job->height) && is_inside (begin, job->width)))
    mask_at_border (job, i, begin++);
  for (end = begin; end < n && is_inside (end, job->width); end++)
    ;
  mask_inside (LOW, N_LOW, LOW, N_LOW, true, x, w, begin, end, to.ll);
  if (!job->only_ll) {
    mask_inside (LOW, N_LOW, HIGH, N_HIGH, false, x + 1, w, begin, end, to.hl);
    mask_inside (HIGH, N_HIGH, LOW, N_LOW, false, x + w, w, begin, end, to.lh);
    mask_inside (
        HIGH, N_HIGH, HIGH, N_HIGH, true, x + w + 1, w, begin, end, to.hh);
  }
  for (; end < n; end++)
    mask_at_border (job, i, end);
}

static void
mask_rows (void *data, uint32_t block, unsigned worker)
{
  const MulticoreJob *job = data;
  unsigned n = (job->height + 1) / 2;
  unsigned end = block_begin (job, block + 1, n);

  for (unsigned i = block_begin (job, block, n); i < end; i++)
    mask_row (job, i);
}

static void
multicore_smdwt (void *data)
{
  MulticoreJob *job = data;

  paco_workers_run (job->workers, job->n_blocks, 1, mask_rows, job);
}

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
