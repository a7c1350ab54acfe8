/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Numbers from samples in memory and back, and the color transforms (FORMAT.md section
 * 5).
 *
 * A lane has four neighboring columns. Planar samples are fetched four at a time and
 * stay packed (Raw) until they are used, so that lines can be fetched well ahead at one
 * or two registers each. */
#pragma once
#include "codec/color.h"
#include "gpu/kernels/device.cuh"
#include "gpu/kernels/dwt.h"

#define LANE_COLUMNS PACO_DWT_LANE_COLUMNS

/* --- How the four samples of a lane are fetched, and made into two pairs of 16
 * bits ---
 *
 * Layouts that the transform knows: a little-endian word of one or two bytes for
 * each sample. column is a multiple of four; what lies behind the last column may
 * be read (at most 6 bytes) but does not matter. */

struct Planar8
{
  static const int BYTES = 1;

  struct Raw
  {
    uint32_t word;
  };

  static DEVICE Raw fetch (const uint8_t *first, int64_t offset, int column)
  {
    return Raw{ __ldg ((const uint32_t *) (first + column + offset)) };
  }

  static DEVICE void unpack (
      const PacoDwtSamples &samples, Raw raw, uint32_t *pair)
  {
    uint32_t word = raw.word >> samples.shift & samples.mask;

    pair[0] = __byte_perm (word, 0, 0x4140);
    pair[1] = __byte_perm (word, 0, 0x4342);
  }
};

struct Planar16
{
  static const int BYTES = 2;

  struct Raw
  {
    uint2 words;
  };

  static DEVICE Raw fetch (const uint8_t *first, int64_t offset, int column)
  {
    return Raw{ __ldg ((const uint2 *) (first + 2 * column + offset)) };
  }

  static DEVICE void unpack (
      const PacoDwtSamples &samples, Raw raw, uint32_t *pair)
  {
    pair[0] = raw.words.x >> samples.shift & samples.mask;
    pair[1] = raw.words.y >> samples.shift & samples.mask;
  }
};

/* --- The color transforms of integers ---
 *
 * One formula does all of them (PacoDwtMixing): a multiplication a pixel costs less than a
 * branch. Sums are unsigned: what hostile frames hold wraps around. */
DEVICE uint32_t
shifted (uint32_t x, int n)
{
  return (uint32_t) ((int) x >> n);
}

/* A, B, C before the level shift become Y, U, V. */
DEVICE void
mix (const PacoDwtMixing &m, int half, int *pixel)
{
  uint32_t b = pixel[1], v = pixel[0] - b, part = m.mean * v;
  uint32_t u = pixel[2] - b - shifted (m.x * v - m.y * b + m.offset, m.shift);

  pixel[0] = b + shifted (part, 1) + shifted ((u + v - part) & m.luma, 2)
      - half;
  pixel[1] = u;
  pixel[2] = v;
}

DEVICE void
unmix (const PacoDwtMixing &m, int *pixel)
{
  uint32_t u = pixel[1], v = pixel[2], part = m.mean * v;
  uint32_t b = pixel[0] - shifted ((u + v - part) & m.luma, 2)
      - shifted (part, 1);

  pixel[0] = v + b;
  pixel[1] = b;
  pixel[2] = u + b + shifted (m.x * v - m.y * b, m.shift);
}

/* --- Level shift and color transform, forward ---
 *
 * Of one pixel of G components: column i (0 or 1) of a pair of columns. All G
 * components have the depth of planes[0]. */

template <int G>
DEVICE void
shift_pixel (const uint32_t *pairs, int i, const PacoDwtParameters &p,
    const PacoDwtPlane *planes, unsigned color_transform, int *out)
{
#pragma unroll
  for (int c = 0; c < G; c++)
    out[c] = i ? pairs[c] >> 16 : pairs[c] & 0xffff;
  if constexpr (G == 3)
    mix (p.mixing, planes[0].samples.half, out);
  else
    out[0] -= planes[0].samples.half;
}

template <int G>
DEVICE void
shift_pixel (const uint32_t *pairs, int i, const PacoDwtParameters &p,
    const PacoDwtPlane *planes, unsigned color_transform, float *out)
{
  if (G == 3 && color_transform != PACO_COLOR_TRANSFORM_MATRIX) {
    int pixel[G];

    shift_pixel<G> (pairs, i, p, planes, color_transform, pixel);
#pragma unroll
    for (int c = 0; c < G; c++)
      out[c] = (float) pixel[c];
    return;
  }

  /* 2^23 + value has the value in its mantissa. 2^23 is computed: of a constant the compiler
   * makes a move for each sample. */
  float half = (float) planes[0].samples.half;
  float offset = __fadd_rn (8388608.0f, half);
  uint32_t exponent = __float_as_uint (__fsub_rn (offset, half));

#pragma unroll
  for (int c = 0; c < G; c++)
    out[c] = __fsub_rn (
        __uint_as_float (__byte_perm (pairs[c], exponent, i ? 0x7632 : 0x7610)),
        offset);
  if (G == 3) {
    const float *m = p.matrix;
    float r = out[0], g = out[1], b = out[2];

    out[0] = __fmaf_rn (m[0], r, __fmaf_rn (m[1], g, __fmul_rn (m[2], b)));
    out[1] = __fmaf_rn (m[5], b, __fmaf_rn (m[4], g, __fmul_rn (m[3], r)));
    out[2] = __fmaf_rn (m[6], r, __fmaf_rn (m[7], g, __fmul_rn (m[8], b)));
  }
}

/* --- and inverse: samples are the low 16 bits of the values --- */

template <int G>
DEVICE void
unshift_pixel (const int *in, const PacoDwtParameters &p,
    const PacoDwtPlane *planes, unsigned color_transform, uint32_t *value)
{
  int half = planes[0].samples.half;
  int pixel[G];

#pragma unroll
  for (int c = 0; c < G; c++)
    pixel[c] = in[c];
  if constexpr (G == 3)
    unmix (p.mixing, pixel);
#pragma unroll
  for (int c = 0; c < G; c++)
    value[c] = min (max (pixel[c], -half), half - 1) + half;
}

/* Rounds to nearest even. What an int32_t cannot hold, as in hostile frames, becomes
 * the nearest binary32 value that it can. */
DEVICE int
round_sample (float x)
{
  return __float2int_rn (fminf (fmaxf (x, -2147483648.0f), 2147483520.0f));
}

template <int G>
DEVICE void
unshift_pixel (const float *in, const PacoDwtParameters &p,
    const PacoDwtPlane *planes, unsigned color_transform, uint32_t *value)
{
  if (G == 3 && color_transform != PACO_COLOR_TRANSFORM_MATRIX) {
    int rounded[G];

#pragma unroll
    for (int c = 0; c < G; c++)
      rounded[c] = round_sample (in[c]);
    unshift_pixel<G> (rounded, p, planes, color_transform, value);
  } else {
    float pixel[G];

#pragma unroll
    for (int c = 0; c < G; c++)
      pixel[c] = in[c];
    if (G == 3) {
      const float *m = p.matrix;
      float y = in[0], u = in[1], v = in[2];

      pixel[0] = __fmaf_rn (m[2], v, __fmaf_rn (m[1], u, __fmul_rn (m[0], y)));
      pixel[1] = __fmaf_rn (m[4], u, __fmaf_rn (m[5], v, __fmul_rn (m[3], y)));
      pixel[2] = __fmaf_rn (m[7], u, __fmaf_rn (m[8], v, __fmul_rn (m[6], y)));
    }

    /* Clamping before rounding is the same, as the limits are integers. In 1.5 * 2^23 + x
     * the last bit of the mantissa is 1: it rounds x to nearest even, with the sample in
     * its low bits. */
    float half = (float) planes[0].samples.half;

#pragma unroll
    for (int c = 0; c < G; c++)
      value[c] = __float_as_uint (__fadd_rn (
          fminf (fmaxf (pixel[c], -half), half - 1.0f), 12582912.0f + half));
  }
}
