/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The line operations of rows.h, which rows_plain.c, rows_avx2.c, rows_avx512.c and
 * rows_neon.c include, each for its instruction set.
 *
 * Integers are unsigned so that they wrap. Every fused multiply-add is spelled out; the
 * compiler may not contract others. */
#include "codec/cpu/count_kernels.h"
#include "codec/cpu/layout_kernels.h"
#include "codec/cpu/rows.h"
#include "codec/cpu/rows_loops.h"
#include "codec/mosaic.h"
#include <math.h>
#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

/* --- lifting --- */

/* It is inlined into calls in which step is a row of the table, so that its taps are
 * constants. near has as many pairs as there are taps. */
INLINE void
lift_by (PacoWord *out, const PacoWord *x, PacoNeighbors near, size_t n,
    const PacoLiftingStep *step, bool undo)
{
  const unsigned m = step->n_taps;
  const PacoWord *a = near[0][0], *b = near[0][1];
  const PacoWord *c = m > 1 ? near[1][0] : a, *d = m > 1 ? near[1][1] : b;
  const uint32_t first = (uint32_t) (int32_t) step->taps[0];
  const uint32_t second = (uint32_t) (int32_t) step->taps[1];

  INDEPENDENT
  for (size_t i = 0; i < n; i++) {
    uint32_t sum = first * (a[i] + b[i]) + (uint32_t) step->offset;
    uint32_t change;

    if (m > 1)
      sum += second * (c[i] + d[i]);
    change = (uint32_t) ((int32_t) sum >> step->shift);
    out[i] = undo ? x[i] - change : x[i] + change;
  }
}
G_STATIC_ASSERT (PACO_MAX_LIFTING_TAPS == 2);

INLINE bool
are_alike (const PacoLiftingStep *a, const PacoLiftingStep *b)
{
  bool alike = a->n_taps == b->n_taps && a->offset == b->offset
      && a->shift == b->shift;

  for (unsigned k = 0; k < PACO_MAX_LIFTING_TAPS; k++)
    alike &= a->taps[k] == b->taps[k];
  return alike;
}

/* Steps that are listed here are done with their constants, any others without. */
static void
lift_int (PacoWord *out, const PacoWord *x, PacoNeighbors near, size_t n,
    const PacoLiftingStep *step, bool undo)
{
#define LIFT_WITH_CONSTANTS(wavelet, k)                                        \
  if (are_alike (step, &paco_wavelets[wavelet].steps[k])) {                    \
    if (undo)                                                                  \
      lift_by (out, x, near, n, &paco_wavelets[wavelet].steps[k], true);       \
    else                                                                       \
      lift_by (out, x, near, n, &paco_wavelets[wavelet].steps[k], false);      \
    return;                                                                    \
  }
  LIFT_WITH_CONSTANTS (PACO_WAVELET_CDF53, 0)
  LIFT_WITH_CONSTANTS (PACO_WAVELET_CDF53, 1)
  LIFT_WITH_CONSTANTS (PACO_WAVELET_DD137, 0)
  LIFT_WITH_CONSTANTS (PACO_WAVELET_DD137, 1)
#undef LIFT_WITH_CONSTANTS
  lift_by (out, x, near, n, step, undo);
}

static void
lift_float (PacoWord *out_words, const PacoWord *x_words, PacoNeighbors near,
    size_t n, const PacoLiftingStep *step, bool undo)
{
  Float *out = (Float *) out_words;
  const Float *x = (const Float *) x_words;
  const Float *a = (const Float *) near[0][0];
  const Float *b = (const Float *) near[0][1];
  const float tap = undo ? -step->taps[0] : step->taps[0];

  INDEPENDENT
  for (size_t i = 0; i < n; i++)
    out[i] = fmaf (tap, a[i] + b[i], x[i]);
}

static void
split (const PacoWord *line, size_t n, PacoWord *even, PacoWord *odd)
{
  INDEPENDENT
  for (size_t i = 0; i < n / 2; i++) {
    even[i] = line[2 * i];
    odd[i] = line[2 * i + 1];
  }
  if (n % 2)
    even[n / 2] = line[n - 1];
}

static void
merge (const PacoWord *even, const PacoWord *odd, size_t n, PacoWord *line)
{
  INDEPENDENT
  for (size_t i = 0; i < n / 2; i++) {
    line[2 * i] = even[i];
    line[2 * i + 1] = odd[i];
  }
  if (n % 2)
    line[n - 1] = even[n / 2];
}

#if defined __AVX512F__
#define VECTOR_WORDS 16
#define STORE_PAST_CACHES(out, words)                                          \
  _mm512_stream_si512 ((__m512i *) (out), _mm512_loadu_si512 (words))
#elif defined __AVX2__
#define VECTOR_WORDS 8
#define STORE_PAST_CACHES(out, words)                                          \
  _mm256_stream_si256 (                                                        \
      (__m256i *) (out), _mm256_loadu_si256 ((const __m256i *) (words)))
#elif defined __SSE2__
#define VECTOR_WORDS 4
#define STORE_PAST_CACHES(out, words)                                          \
  _mm_stream_si128 (                                                           \
      (__m128i *) (out), _mm_loadu_si128 ((const __m128i *) (words)))
#else
#define VECTOR_WORDS 1
#define STORE_PAST_CACHES(out, words) (*(out) = *(words))
#endif

static void
copy_past_caches (PacoWord *out, const PacoWord *words, size_t n)
{
  size_t i = (0 - (uintptr_t) out / sizeof *out) % VECTOR_WORDS;

  i = i < n ? i : n;
  memcpy (out, words, i * sizeof *out);
  for (; i + VECTOR_WORDS <= n; i += VECTOR_WORDS)
    STORE_PAST_CACHES (out + i, words + i);
  memcpy (out + i, words + i, (n - i) * sizeof *out);
}

static void
widen (const int16_t *words, size_t n, PacoWord *line)
{
  INDEPENDENT
  for (size_t i = 0; i < n; i++)
    line[i] = (PacoWord) words[i];
}

static void
scale (PacoWord *line, size_t n, float factor)
{
  Float *x = (Float *) line;

  for (size_t i = 0; i < n; i++)
    x[i] *= factor;
}

/* --- conversions --- */

static void
to_float (PacoWord *line, size_t n)
{
  const Int *in = (const Int *) line;
  Float *out = (Float *) line;

  INDEPENDENT
  for (size_t i = 0; i < n; i++)
    out[i] = (float) in[i];
}

/* Adding 1.5 * 2^23 leaves no bits after the point, so the addition itself
 * rounds, to nearest even; it holds for values below 2^22, and others stay out of the
 * range of samples. A clamp before it would become branches that GCC 12 does not
 * vectorise. */
static void
to_sample (PacoWord *line, size_t n)
{
  const float magic = 12582912.0f;
  const Float *in = (const Float *) line;
  Int *out = (Int *) line;

  INDEPENDENT
  for (size_t i = 0; i < n; i++) {
    float x = (in[i] + magic) - magic;

    x = x < 32768.0f ? x : 32768.0f;
    x = x > -32768.0f ? x : -32768.0f;
    out[i] = (int32_t) x;
  }
}

static void
to_int (PacoWord *line, size_t n)
{
  const Float *in = (const Float *) line;
  Int *out = (Int *) line;

  INDEPENDENT
  for (size_t i = 0; i < n; i++) {
    float x = rintf (in[i]);

    x = x < 2147483520.0f ? x : 2147483520.0f;
    x = x > -2147483648.0f ? x : -2147483648.0f;
    out[i] = (int32_t) x;
  }
}

/* --- color transforms --- */

static void
forward_rct (PacoWord *r, PacoWord *g, PacoWord *b, size_t n)
{
  INDEPENDENT
  for (size_t i = 0; i < n; i++) {
    uint32_t red = r[i], green = g[i], blue = b[i];

    r[i] = (uint32_t) ((int32_t) (red + 2 * green + blue) >> 2);
    g[i] = blue - green;
    b[i] = red - green;
  }
}

static void
inverse_rct (PacoWord *y, PacoWord *u, PacoWord *v, size_t n)
{
  INDEPENDENT
  for (size_t i = 0; i < n; i++) {
    uint32_t luma = y[i], blue = u[i], red = v[i];
    uint32_t green = luma - (uint32_t) ((int32_t) (blue + red) >> 2);

    y[i] = red + green;
    u[i] = green;
    v[i] = blue + green;
  }
}

static void
forward_rct2 (PacoWord *r, PacoWord *g, PacoWord *b, size_t n)
{
  INDEPENDENT
  for (size_t i = 0; i < n; i++) {
    uint32_t green = g[i], red = r[i] - green;
    uint32_t mean = green + (uint32_t) ((int32_t) red >> 1);
    uint32_t blue = b[i] - mean;

    r[i] = mean + (uint32_t) ((int32_t) blue >> 2);
    g[i] = blue;
    b[i] = red;
  }
}

static void
inverse_rct2 (PacoWord *y, PacoWord *u, PacoWord *v, size_t n)
{
  INDEPENDENT
  for (size_t i = 0; i < n; i++) {
    uint32_t blue = u[i], red = v[i];
    uint32_t mean = y[i] - (uint32_t) ((int32_t) blue >> 2);
    uint32_t green = mean - (uint32_t) ((int32_t) red >> 1);

    y[i] = red + green;
    u[i] = green;
    v[i] = blue + mean;
  }
}

static void
forward_fit (PacoWord *const rgb[3], size_t n, const PacoFit *fit)
{
  const PacoWord *a = rgb[fit->a], *b = rgb[fit->b], *c = rgb[fit->c];
  PacoWord *t = rgb[0], *u = rgb[1], *v = rgb[2];
  const uint32_t x = fit->x, y = fit->y;
  const int32_t mask = fit->mean ? -1 : 0;

  INDEPENDENT
  for (size_t i = 0; i < n; i++) {
    uint32_t base = b[i], last = c[i], difference = a[i] - base;
    uint32_t part = x * difference - y * base;

    t[i] = base + (uint32_t) ((int32_t) difference >> 1 & mask);
    u[i] = last - base - (uint32_t) ((int32_t) part >> 3);
    v[i] = difference;
  }
}

static void
inverse_fit (PacoWord *const tuv[3], size_t n, const PacoFit *fit)
{
  const PacoWord *t = tuv[0], *u = tuv[1], *v = tuv[2];
  PacoWord *a = tuv[fit->a], *b = tuv[fit->b], *c = tuv[fit->c];
  const uint32_t x = fit->x, y = fit->y;
  const int32_t mask = fit->mean ? -1 : 0;

  INDEPENDENT
  for (size_t i = 0; i < n; i++) {
    uint32_t difference = v[i], rest = u[i];
    uint32_t base = t[i] - (uint32_t) ((int32_t) difference >> 1 & mask);
    uint32_t part = x * difference - y * base;

    a[i] = difference + base;
    b[i] = base;
    c[i] = rest + base + (uint32_t) ((int32_t) part >> 3);
  }
}

static void
forward_matrix (PacoWord *const rgb[3], size_t n, const float *m)
{
  Float *x = (Float *) rgb[0], *y = (Float *) rgb[1], *z = (Float *) rgb[2];
  const float y0 = m[0], y1 = m[1], y2 = m[2], u0 = m[3], u1 = m[4], u2 = m[5];
  const float v0 = m[6], v1 = m[7], v2 = m[8];

  INDEPENDENT
  for (size_t i = 0; i < n; i++) {
    float red = x[i], green = y[i], blue = z[i];

    x[i] = fmaf (y0, red, fmaf (y1, green, y2 * blue));
    y[i] = fmaf (u2, blue, fmaf (u1, green, u0 * red));
    z[i] = fmaf (v0, red, fmaf (v1, green, v2 * blue));
  }
}

static void
inverse_matrix (PacoWord *const yuv[3], size_t n, const float *m)
{
  Float *x = (Float *) yuv[0], *y = (Float *) yuv[1], *z = (Float *) yuv[2];
  const float r0 = m[0], r1 = m[1], r2 = m[2], g0 = m[3], g1 = m[4], g2 = m[5];
  const float b0 = m[6], b1 = m[7], b2 = m[8];

  INDEPENDENT
  for (size_t i = 0; i < n; i++) {
    float luma = x[i], u = y[i], v = z[i];

    x[i] = fmaf (r2, v, fmaf (r1, u, r0 * luma));
    y[i] = fmaf (g1, u, fmaf (g2, v, g0 * luma));
    z[i] = fmaf (b1, u, fmaf (b2, v, b0 * luma));
  }
}

/* --- mosaics --- */

INLINE void
lift_mosaic_by (uint16_t *samples, const uint16_t *const near[4], size_t n,
    int weight, int32_t low, int32_t high, bool undo)
{
  const uint16_t *a = near[0], *b = near[1], *c = near[2], *d = near[3];

  INDEPENDENT
  for (size_t i = 0; i < n; i++) {
    int32_t sum = a[i] + b[i] + c[i] + d[i] - 4 * PACO_MOSAIC_HALF;
    int32_t change = (weight * sum + 16) >> 5;
    int32_t sample = (uint16_t) (undo ? samples[i] + change
                                      : samples[i] - change);

    sample = sample < low ? low : sample;
    samples[i] = (uint16_t) (sample > high ? high : sample);
  }
}

static void
lift_mosaic (uint16_t *samples, const uint16_t *const near[4], size_t n,
    int weight, unsigned depth, bool undo)
{
  int32_t half = 1 << (depth - 1);

  if (undo)
    lift_mosaic_by (samples, near, n, weight, PACO_MOSAIC_HALF - half,
        PACO_MOSAIC_HALF + half - 1, true);
  else
    lift_mosaic_by (samples, near, n, weight, 0, UINT16_MAX, false);
}

#define PACO_ROW_OPS(isa)                                                      \
  {                                                                            \
    .name = isa, .lift_int = lift_int, .lift_float = lift_float,               \
    .split = split, .merge = merge, .copy_past_caches = copy_past_caches,      \
    .widen = widen, .scale = scale, .count_tops = count_tops,                  \
    .sum_cells = sum_cells, .load = load, .store = store,                      \
    .to_float = to_float, .to_sample = to_sample, .to_int = to_int,            \
    .forward_rct = forward_rct, .inverse_rct = inverse_rct,                    \
    .forward_rct2 = forward_rct2, .inverse_rct2 = inverse_rct2,                \
    .forward_fit = forward_fit, .inverse_fit = inverse_fit,                    \
    .forward_matrix = forward_matrix, .inverse_matrix = inverse_matrix,        \
    .lift_mosaic = lift_mosaic                                                 \
  }
