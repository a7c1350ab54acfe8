/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The line operations of rows.h, to be included once per instruction set.
 *
 * Integers are unsigned so that they wrap. Every fused multiply-add is spelled
 * out; the compiler contracts nothing. */
#include "codec/cpu/layout_kernels.h"
#include "codec/cpu/rows.h"
#include "codec/cpu/rows_loops.h"
#include <math.h>
#include <string.h>

/* --- lifting --- */

INLINE void
lift_by (PacoWord *out, const PacoWord *x, const PacoWord *a, const PacoWord *b,
    size_t n, uint32_t multiplier, uint32_t offset, int shift, bool undo)
{
  INDEPENDENT
  for (size_t i = 0; i < n; i++) {
    uint32_t sum = multiplier * (a[i] + b[i]) + offset;
    uint32_t change = (uint32_t) ((int32_t) sum >> shift);

    out[i] = undo ? x[i] - change : x[i] + change;
  }
}

/* The steps of the 5/3 wavelet with their constants, any others without. */
static void
lift_int (PacoWord *out, const PacoWord *x, const PacoWord *a,
    const PacoWord *b, size_t n, const PacoLiftingStep *step, bool undo)
{
  int m = step->multiplier, o = step->offset, s = step->shift;

  if (m == -1 && o == 1 && s == 1) {
    if (undo)
      lift_by (out, x, a, b, n, -1u, 1, 1, true);
    else
      lift_by (out, x, a, b, n, -1u, 1, 1, false);
  } else if (m == 1 && o == 2 && s == 2) {
    if (undo)
      lift_by (out, x, a, b, n, 1, 2, 2, true);
    else
      lift_by (out, x, a, b, n, 1, 2, 2, false);
  } else {
    lift_by (out, x, a, b, n, (uint32_t) m, (uint32_t) o, s, undo);
  }
}

static void
lift_float (PacoWord *out_words, const PacoWord *x_words,
    const PacoWord *a_words, const PacoWord *b_words, size_t n,
    float coefficient)
{
  Float *out = (Float *) out_words;
  const Float *x = (const Float *) x_words;
  const Float *a = (const Float *) a_words;
  const Float *b = (const Float *) b_words;

  INDEPENDENT
  for (size_t i = 0; i < n; i++)
    out[i] = fmaf (coefficient, a[i] + b[i], x[i]);
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

/* Adding 1.5 * 2^23 leaves no bits behind the point, so the addition itself
 * rounds, to nearest even; it holds for values below 2^22. */
static void
to_sample (PacoWord *line, size_t n)
{
  const float magic = 12582912.0f;
  const Float *in = (const Float *) line;
  Int *out = (Int *) line;

  INDEPENDENT
  for (size_t i = 0; i < n; i++) {
    float x = in[i] < 32768.0f ? in[i] : 32768.0f;

    x = x > -32768.0f ? x : -32768.0f;
    out[i] = (int32_t) ((x + magic) - magic);
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
forward_ict (PacoWord *r, PacoWord *g, PacoWord *b, size_t n)
{
  Float *x = (Float *) r, *y = (Float *) g, *z = (Float *) b;

  INDEPENDENT
  for (size_t i = 0; i < n; i++) {
    float red = x[i], green = y[i], blue = z[i];

    x[i] = fmaf (0.299f, red, fmaf (0.587f, green, 0.114f * blue));
    y[i] = fmaf (0.5f, blue, fmaf (-0.331264f, green, -0.168736f * red));
    z[i] = fmaf (0.5f, red, fmaf (-0.418688f, green, -0.081312f * blue));
  }
}

static void
inverse_ict (PacoWord *y_words, PacoWord *u_words, PacoWord *v_words, size_t n)
{
  Float *y = (Float *) y_words, *u = (Float *) u_words, *v = (Float *) v_words;

  INDEPENDENT
  for (size_t i = 0; i < n; i++) {
    float luma = y[i], blue = u[i], red = v[i];

    y[i] = fmaf (1.402f, red, luma);
    u[i] = fmaf (-0.344136f, blue, fmaf (-0.714136f, red, luma));
    v[i] = fmaf (1.772f, blue, luma);
  }
}

#define PACO_ROW_OPS(isa)                                                      \
  {                                                                            \
    .name = isa, .lift_int = lift_int, .lift_float = lift_float,               \
    .split = split, .merge = merge, .scale = scale, .load = load,              \
    .store = store, .to_float = to_float, .to_sample = to_sample,              \
    .to_int = to_int, .forward_rct = forward_rct, .inverse_rct = inverse_rct,  \
    .forward_ict = forward_ict, .inverse_ict = inverse_ict                     \
  }
