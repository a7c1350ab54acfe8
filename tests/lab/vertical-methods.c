/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Has the methods of vertical.h, compiled once for each name that METHODS has.
 *
 * Where the figures and the text of the paper differ: figure 6 advances i with each row of
 * outputs (it says ii++ there), and the first loop of figure 10 stores its sums, as the
 * text has it, instead of adding them to zeros.
 *
 * Rows of the paper's output_img are job->from, of its input_img job->to. The paper
 * leaves the borders out; here rows outside of the image are mirror images, or with
 * Daub-4, which is not symmetric, those of the other end (filters.h). They are
 * computed apart, so that the loops are the paper's. */
#include "tests/lab/vertical.h"
#include "codec/cpu/rows_loops.h"
#include "tests/lab/filters.h"

/* Full unrolling makes taps constants, as if they were written out. */
#ifdef __clang__
#define UNROLL _Pragma ("clang loop unroll(full)")
#else
#define UNROLL _Pragma ("GCC unroll 16")
#endif

/* A cache line has so many numbers: so far the lookahead method looks. */
#define AHEAD (64 / sizeof (float))
#define CHUNKS ((LAB_MAX_TAPS + VERTICAL_WAYS - 1) / VERTICAL_WAYS)

static size_t
low_rows (const VerticalJob *job)
{
  return (job->height + 1) / 2;
}

static float *
low_row (const VerticalJob *job, int i)
{
  return (float *) job->to + (size_t) i * job->stride;
}

static float *
high_row (const VerticalJob *job, int i)
{
  return low_row (job, i) + (low_rows (job) + job->offset) * job->stride;
}

/* --- filters --- */

/* Returns the sum of taps begin..end-1 of samples that lie `step` apart. */
INLINE float
sum (const float *taps, const float *x, size_t step, int begin, int end)
{
  float result = 0;
  bool first = true;

  UNROLL
  for (int k = begin; k < end; k++)
    if (taps[k] != 0) {
      float product = taps[k] * x[k * step];

      result = first ? product : result + product;
      first = false;
    }
  return result;
}

/* Outputs begin..end-1 of a line of n samples have all their samples inside. */
typedef struct
{
  int begin, end;
} Inside;

INLINE Inside
inside (const LabFilter *filter, int n)
{
  int begin = (1 - filter->first) / 2;
  int end = (n - filter->n - filter->first + 2) / 2;

  return (Inside){ begin, end > begin ? end : begin };
}

/* Computes output i of a line, wherever its samples are. There is no high one
 * where a line of odd length ends. */
static void
filter_border (const LabFilter *filter, const float *line, size_t step, int n,
    int i, float *low, float *high)
{
  float l = 0, h = 0;

  for (int k = 0; k < filter->n; k++) {
    float x =
        line[lab_filter_sample (filter, 2 * i + filter->first + k, n) * step];

    l += filter->low[k] * x;
    h += filter->high[k] * x;
  }
  *low = l;
  if (2 * i + 1 < n)
    *high = h;
}

/* Computes outputs of columns begin..end-1 for the rows that are not inside. */
INLINE void
filter_border_rows (const VerticalJob *job, const LabFilter *filter,
    unsigned begin, unsigned end)
{
  Inside rows = inside (filter, job->height);

  for (int i = 0; i < (int) low_rows (job); i++) {
    if (i >= rows.begin && i < rows.end)
      continue;
    for (unsigned j = begin; j < end; j++)
      filter_border (filter, (const float *) job->from + j, job->stride,
          job->height, i, low_row (job, i) + j, high_row (job, i) + j);
  }
}

/* Returns the first sample that output row i takes, in column 0. */
INLINE const float *
first_row (const VerticalJob *job, const LabFilter *filter, int i)
{
  return (const float *) job->from
      + (size_t) (2 * i + filter->first) * job->stride;
}

INLINE void
filter_column (const VerticalJob *job, const LabFilter *filter)
{
  Inside rows = inside (filter, job->height);
  const size_t stride = job->stride;

  for (unsigned j = 0; j < job->width; j++) {
    float *low = low_row (job, 0) + j, *high = high_row (job, 0) + j;

    filter_border_rows (job, filter, j, j + 1);
    for (int i = rows.begin; i < rows.end; i++) {
      const float *x = first_row (job, filter, i) + j;
      float l = sum (filter->low, x, stride, 0, filter->n);
      float h = sum (filter->high, x, stride, 0, filter->n);

      low[i * stride] = l;
      high[i * stride] = h;
    }
  }
}

/* Computes two rows of outputs from rows of samples. None of them overlap (restrict). */
INLINE void
filter_both (const LabFilter *filter, const float *restrict x, size_t stride,
    unsigned width, float *restrict low, float *restrict high)
{
  for (unsigned j = 0; j < width; j++) {
    low[j] = sum (filter->low, x + j, stride, 0, filter->n);
    high[j] = sum (filter->high, x + j, stride, 0, filter->n);
  }
}

INLINE void
filter_one (const float *taps, int n, const float *restrict x, size_t stride,
    unsigned width, float *restrict out)
{
  for (unsigned j = 0; j < width; j++)
    out[j] = sum (taps, x + j, stride, 0, n);
}

/* Adds taps begin..end-1 of both rows to what is there, or puts them in place
 * of it. */
INLINE void
filter_part (const LabFilter *filter, const float *x, size_t stride, int begin,
    int end, bool add, float *low, float *high)
{
  float l = sum (filter->low, x, stride, begin, end);
  float h = sum (filter->high, x, stride, begin, end);

  *low = add ? *low + l : l;
  *high = add ? *high + h : h;
}

/* Applies chunk k of the taps to one column. A chunk has VERTICAL_WAYS taps, and the
 * last one what is left: the paper assumes that the number of ways divides that of
 * taps. */
INLINE void
filter_chunk (const LabFilter *filter, const float *x, size_t stride, int k,
    bool add, float *low, float *high)
{
  int begin = k * VERTICAL_WAYS, end = begin + VERTICAL_WAYS;

  filter_part (filter, x, stride, begin, end < filter->n ? end : filter->n, add,
      low, high);
}

/* The functions below name their chunks one by one, so that taps are constants. */
_Static_assert(CHUNKS == 3, "there are chunks 0, 1 and 2");

INLINE void
filter_row_chunk (const LabFilter *filter, const float *restrict x,
    size_t stride, unsigned width, int k, float *restrict low,
    float *restrict high)
{
  for (unsigned j = 0; j < width; j++)
    filter_chunk (filter, x + j, stride, k, k > 0, low + j, high + j);
}

INLINE void
filter_by_ways (const LabFilter *filter, const float *restrict x, size_t stride,
    unsigned width, float *restrict low, float *restrict high)
{
  filter_row_chunk (filter, x, stride, width, 0, low, high);
  filter_row_chunk (filter, x, stride, width, 1, low, high);
  filter_row_chunk (filter, x, stride, width, 2, low, high);
}

/* Applies chunk k of the column that is k cache lines ahead of column j. The
 * last chunk is the first that comes to a column. */
INLINE void
filter_ahead (const LabFilter *filter, const float *restrict x, size_t stride,
    unsigned j, int k, float *restrict low, float *restrict high)
{
  j += k * AHEAD;
  filter_chunk (filter, x + j, stride, k, k < 2, low + j, high + j);
}

/* Figure 12 has the last chunk at column j + L_max/n * B/c, and its taps begin with
 * L_max - 1 - n. Chunk k = 0 .. L_max/n - 1 has to be at column j + k * B/c and to begin
 * with tap k * n: so the last one is at j + (L_max/n - 1) * B/c and begins with
 * L_max - n. The start-up and clean-up that the figure leaves out are the loops before
 * and behind the main one. */
INLINE void
filter_with_lookahead (const LabFilter *filter, const float *restrict x,
    size_t stride, unsigned width, float *restrict low, float *restrict high)
{
  unsigned j = 0;

  for (unsigned i = 0; i < 2 * AHEAD && i < width; i++)
    filter_chunk (filter, x + i, stride, 2, false, low + i, high + i);
  for (unsigned i = 0; i < AHEAD && i < width; i++)
    filter_chunk (filter, x + i, stride, 1, true, low + i, high + i);
  for (; j + 2 * AHEAD < width; j++) {
    filter_ahead (filter, x, stride, j, 2, low, high);
    filter_ahead (filter, x, stride, j, 1, low, high);
    filter_ahead (filter, x, stride, j, 0, low, high);
  }
  for (; j + AHEAD < width; j++) {
    filter_ahead (filter, x, stride, j, 1, low, high);
    filter_ahead (filter, x, stride, j, 0, low, high);
  }
  for (; j < width; j++)
    filter_ahead (filter, x, stride, j, 0, low, high);
}

typedef enum
{
  INTERCHANGED,
  SPLIT,
  ACLS,
  LOOKAHEAD,
} Method;

INLINE void
filter_rows (const VerticalJob *job, const LabFilter *filter, Method method)
{
  Inside rows = inside (filter, job->height);
  const size_t stride = job->stride;
  const unsigned width = job->width;

  filter_border_rows (job, filter, 0, width);
  for (int i = rows.begin; i < rows.end; i++) {
    const float *x = first_row (job, filter, i);
    float *low = low_row (job, i), *high = high_row (job, i);

    switch (method) {
      case INTERCHANGED:
        filter_both (filter, x, stride, width, low, high);
        break;
      case SPLIT:
        filter_one (filter->low, filter->n, x, stride, width, low);
        filter_one (filter->high, filter->n, x, stride, width, high);
        break;
      case ACLS:
        filter_by_ways (filter, x, stride, width, low, high);
        break;
      case LOOKAHEAD:
        filter_with_lookahead (filter, x, stride, width, low, high);
        break;
    }
  }
}

INLINE void
filter_line (const LabFilter *filter, const float *restrict x, int n,
    float *restrict low, float *restrict high)
{
  Inside columns = inside (filter, n);

  for (int i = 0; i < (n + 1) / 2; i++)
    if (i < columns.begin || i >= columns.end)
      filter_border (filter, x, 1, n, i, low + i, high + i);
  for (int i = columns.begin; i < columns.end; i++) {
    low[i] = sum (filter->low, x + 2 * i + filter->first, 1, 0, filter->n);
    high[i] = sum (filter->high, x + 2 * i + filter->first, 1, 0, filter->n);
  }
}

INLINE void
filter_horizontally (const VerticalJob *job, const LabFilter *filter)
{
  for (unsigned y = 0; y < job->height; y++) {
    float *to = (float *) job->to + y * job->stride;

    filter_line (filter, (const float *) job->from + y * job->stride,
        job->width, to, to + (job->width + 1) / 2);
  }
}

/* --- lifting 5/3, on integers --- */

INLINE int32_t
predict (int32_t odd, int32_t before, int32_t after)
{
  return odd - ((before + after) >> 1);
}

INLINE int32_t
update (int32_t even, int32_t before, int32_t after)
{
  return even + ((before + after + 2) >> 2);
}

/* Computes outputs i of a line, of which the high ones before are there; `step`
 * is between samples, `high_step` between outputs of the high half. */
static void
lift_border (const int32_t *line, size_t step, int n, int i, int32_t *low,
    int32_t *high, size_t high_step)
{
  int32_t even = line[2 * i * step];

  if (n == 1) {
    *low = even;
    return;
  }
  if (2 * i + 1 < n)
    *high = predict (line[(2 * i + 1) * step], even,
        line[paco_lifting_mirror (2 * i + 2, n) * step]);
  *low = update (even, i > 0 ? high[-(ptrdiff_t) high_step] : *high,
      2 * i + 1 < n ? *high : high[-(ptrdiff_t) high_step]);
}

static int32_t *
low_integers (const VerticalJob *job, int i)
{
  return (int32_t *) job->to + (size_t) i * job->stride;
}

static int32_t *
high_integers (const VerticalJob *job, int i)
{
  return low_integers (job, i) + (low_rows (job) + job->offset) * job->stride;
}

/* Outputs 1..n-1 of a line have all their samples inside. */
static int
lifting_inside (int n)
{
  return (n - 1) / 2 > 1 ? (n - 1) / 2 : 1;
}

static void
lift_border_row (const VerticalJob *job, int i, unsigned begin, unsigned end)
{
  for (unsigned j = begin; j < end; j++)
    lift_border ((const int32_t *) job->from + j, job->stride, job->height, i,
        low_integers (job, i) + j, high_integers (job, i) + j, job->stride);
}

static void
lift_column (const VerticalJob *job)
{
  const size_t stride = job->stride;
  const int end = lifting_inside (job->height);

  for (unsigned j = 0; j < job->width; j++) {
    const int32_t *x = (const int32_t *) job->from + j;
    int32_t *low = low_integers (job, 0) + j,
            *high = high_integers (job, 0) + j;

    lift_border_row (job, 0, j, j + 1);
    for (int i = 1; i < end; i++) {
      const int32_t *at = x + 2 * i * stride;

      high[i * stride] = predict (at[stride], at[0], at[2 * stride]);
      low[i * stride] = update (
          at[0], high[(i - 1) * stride], high[i * stride]);
    }
    for (int i = end; i < (int) low_rows (job); i++)
      lift_border_row (job, i, j, j + 1);
  }
}

INLINE void
lift_both (const int32_t *restrict x, size_t stride, unsigned width,
    const int32_t *before, int32_t *restrict low, int32_t *restrict high)
{
  for (unsigned j = 0; j < width; j++) {
    int32_t h = predict (x[j + stride], x[j], x[j + 2 * stride]);

    high[j] = h;
    low[j] = update (x[j], before[j], h);
  }
}

INLINE void
lift_high (const int32_t *restrict x, size_t stride, unsigned width,
    int32_t *restrict high)
{
  for (unsigned j = 0; j < width; j++)
    high[j] = predict (x[j + stride], x[j], x[j + 2 * stride]);
}

INLINE void
lift_low (const int32_t *restrict x, unsigned width, const int32_t *before,
    const int32_t *high, int32_t *restrict low)
{
  for (unsigned j = 0; j < width; j++)
    low[j] = update (x[j], before[j], high[j]);
}

INLINE void
lift_rows (const VerticalJob *job, Method method)
{
  const int end = lifting_inside (job->height);

  lift_border_row (job, 0, 0, job->width);
  for (int i = 1; i < end; i++) {
    const int32_t *x = (const int32_t *) job->from + 2 * i * job->stride;
    const int32_t *before = high_integers (job, i - 1);
    int32_t *low = low_integers (job, i), *high = high_integers (job, i);

    if (method == SPLIT) {
      lift_high (x, job->stride, job->width, high);
      lift_low (x, job->width, before, high, low);
    } else {
      lift_both (x, job->stride, job->width, before, low, high);
    }
  }
  for (int i = end; i < (int) low_rows (job); i++)
    lift_border_row (job, i, 0, job->width);
}

static void
lift_horizontally (const VerticalJob *job)
{
  const int n = job->width, end = lifting_inside (n);

  for (unsigned y = 0; y < job->height; y++) {
    const int32_t *restrict x = (const int32_t *) job->from + y * job->stride;
    int32_t *restrict low = (int32_t *) job->to + y * job->stride;
    int32_t *restrict high = low + (n + 1) / 2;

    lift_border (x, 1, n, 0, low, high, 1);
    for (int i = 1; i < end; i++)
      high[i] = predict (x[2 * i + 1], x[2 * i], x[2 * i + 2]);
    for (int i = 1; i < end; i++)
      low[i] = update (x[2 * i], high[i - 1], high[i]);
    for (int i = end; i < (n + 1) / 2; i++)
      lift_border (x, 1, n, i, low + i, high + i, 1);
  }
}

/* --- the table --- */

static void
lift_interchanged (const VerticalJob *job)
{
  lift_rows (job, INTERCHANGED);
}

static void
lift_split (const VerticalJob *job)
{
  lift_rows (job, SPLIT);
}

#define METHODS_OF(filter)                                                     \
  static void filter##_horizontal (const VerticalJob *job)                     \
  {                                                                            \
    filter_horizontally (job, &lab_##filter);                                  \
  }                                                                            \
  static void filter##_column (const VerticalJob *job)                         \
  {                                                                            \
    filter_column (job, &lab_##filter);                                        \
  }                                                                            \
  static void filter##_interchanged (const VerticalJob *job)                   \
  {                                                                            \
    filter_rows (job, &lab_##filter, INTERCHANGED);                            \
  }                                                                            \
  static void filter##_split (const VerticalJob *job)                          \
  {                                                                            \
    filter_rows (job, &lab_##filter, SPLIT);                                   \
  }

METHODS_OF (daub4)
METHODS_OF (cdf97)

static void
cdf97_acls (const VerticalJob *job)
{
  filter_rows (job, &lab_cdf97, ACLS);
}

static void
cdf97_lookahead (const VerticalJob *job)
{
  filter_rows (job, &lab_cdf97, LOOKAHEAD);
}

const VerticalWavelet METHODS[N_VERTICAL_WAVELETS] = {
  { "lifting 5/3", lift_horizontally, lift_column, lift_interchanged,
      lift_split, NULL, NULL },
  { "Daub-4", daub4_horizontal, daub4_column, daub4_interchanged, daub4_split,
      NULL, NULL },
  { "CDF 9/7", cdf97_horizontal, cdf97_column, cdf97_interchanged, cdf97_split,
      cdf97_acls, cdf97_lookahead },
};
