/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Has the methods of multicore.h.
 *
 * Of the paper's equations, the second of (3) must read h(z) = h_e(z^2) + z^-1 h_o(z^2),
 * and (10), as it factors what puts a signal together, scales the low half by zeta;
 * taking it apart divides by it: with h[n] of the paper, whose sum is 1, the low half is
 * that of the lifting steps divided by zeta, the high half times zeta. */
#include "tests/lab/multicore.h"
#include "codec/cpu/rows_loops.h"
#include "tests/lab/filters.h"
#include <string.h>

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

void
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

void
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

void
multicore_smdwt (void *data)
{
  MulticoreJob *job = data;

  paco_workers_run (job->workers, job->n_blocks, 1, mask_rows, job);
}
