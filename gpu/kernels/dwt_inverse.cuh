/* SPDX-License-Identifier: LGPL-2.1-or-later
 * One level inverse: from subbands to numbers or samples (FORMAT.md sections 5 and
 * 8). */
#pragma once
#include "codec/rounding.h"
#include "codec/step_cells.h"
#include "gpu/kernels/dwt_strips.cuh"

/* --- Coefficients --- */

/* Two neighboring numbers of a row of a subband: indices of 16 bits (both in x) or 32,
 * or integers or floats of an LL between levels. */
DEVICE uint2
fetch_pair (bool wide, uint64_t address, uint32_t at)
{
  if (wide)
    return *(const uint2 *) ((const uint32_t *) address + at);
  return make_uint2 (*(const uint32_t *) ((const uint16_t *) address + at), 0);
}

/* 16-bit indices of blocks without dropped planes. */
struct PlainIndices
{
  static const bool ANY = false;

  static DEVICE bool wide (const PacoDwtParameters &)
  {
    return false;
  }

  static DEVICE void dequantize (const PacoDwtParameters &p,
      const PacoDwtSubband &subband, int line, int column, uint2 pair, int *x0,
      int *x1)
  {
    *x0 = (int16_t) pair.x;
    *x1 = (int) pair.x >> 16;
  }

  /* (256 q +- rho) * scale, rounded once: scale has ten significant bits, so point =
   * rho * scale and step = 256 * scale are exact. If q is not 0, q * point is at least
   * as far from 0 as point. */
  static DEVICE float scaled (float q, float point, float step)
  {
    return __fmaf_rn (
        q, step, fminf (fmaxf (__fmul_rn (q, point), -point), point));
  }

  static DEVICE void dequantize (const PacoDwtParameters &p,
      const PacoDwtSubband &subband, int line, int column, uint2 pair,
      float *x0, float *x1)
  {
    float point = __fmul_rn ((float) p.reconstruction, subband.scale);
    float step = __fmul_rn (256.0f, subband.scale);

    *x0 = scaled (__int2float_rn ((int16_t) pair.x), point, step);
    *x1 = scaled (__int2float_rn ((int16_t) (pair.x >> 16)), point, step);
  }
};

struct AnyIndices
{
  static const bool ANY = true;

  static DEVICE bool wide (const PacoDwtParameters &p)
  {
    return p.wide;
  }

  /* Dropped planes of the coefficient's block, with PACO_DWT_CUT. */
  static DEVICE unsigned dropped_planes (const PacoDwtParameters &p,
      const PacoDwtSubband &subband, int line, int column)
  {
    const uint8_t *dropped = (const uint8_t *) p.dropped_planes;

    if (dropped == NULL || subband.blocks_x == 0)
      return 0;
    return __ldg (dropped + subband.first_block
        + (line >> subband.block_height_log2) * subband.blocks_x
        + min ((unsigned) column / 64, subband.blocks_x - 1));
  }

  static DEVICE void restore (const PacoDwtParameters &p, float step, int index,
      unsigned dropped, float *x)
  {
    unsigned d = dropped & ~PACO_DWT_CUT;
    int m = abs (index) >> d;
    int point = dropped & PACO_DWT_CUT
        ? PACO_CUT_RECONSTRUCTION (p.reconstruction, d)
        : p.reconstruction;
    float scale = __int_as_float (__float_as_int (step) + (d << 23));
    /* Unsigned, because any word may follow the last column. */
    int scaled = (int) (256 * (uint32_t) m + point);
    float magnitude = __fmul_rn (__int2float_rn (scaled), scale);

    *x = m == 0 ? 0.0f : index < 0 ? -magnitude : magnitude;
  }

  /* With a reversible wavelet the block coder has dequantized already. */
  static DEVICE void dequantize (const PacoDwtParameters &p,
      const PacoDwtSubband &subband, int line, int column, uint2 pair, int *x0,
      int *x1)
  {
    *x0 = p.wide ? (int) pair.x : (int16_t) pair.x;
    *x1 = p.wide ? (int) pair.y : (int) pair.x >> 16;
  }

  /* The columns of a pair are in one block. */
  static DEVICE void dequantize (const PacoDwtParameters &p,
      const PacoDwtSubband &subband, int line, int column, uint2 pair,
      float *x0, float *x1)
  {
    unsigned dropped = dropped_planes (p, subband, line, column);
    int index[2];

    dequantize (p, subband, line, column, pair, &index[0], &index[1]);
    restore (p, subband.scale, index[0], dropped, x0);
    restore (p, subband.scale, index[1], dropped, x1);
  }
};

/* Any indices in a level that uses the frame's step map. */
struct MappedIndices : AnyIndices
{
  /* LL has no cells. A column after the last one takes the last cell. */
  static DEVICE float step (const PacoDwtParameters &p,
      const PacoDwtSubband &subband, int line, int column)
  {
    if (subband.cell_columns == 0)
      return subband.scale;

    const uint8_t *cells = (const uint8_t *) p.cells + subband.first_cell;
    uint32_t row = (uint32_t) line << subband.cell_shift_y
        >> PACO_STEP_MAP_CELL_LOG2;
    uint32_t at = (uint32_t) column << subband.cell_shift_x
        >> PACO_STEP_MAP_CELL_LOG2;
    unsigned exponent = __ldg (cells + row * subband.cell_columns
                            + min (at, subband.cell_columns - 1))
        >> subband.cells_halved;
    int scale = (127 + exponent / 4) << 23
        | PACO_STEP_MAP_MANTISSA (exponent) << 14;

    return __fmul_rn (subband.scale, __int_as_float (scale));
  }

  static DEVICE void dequantize (const PacoDwtParameters &p,
      const PacoDwtSubband &subband, int line, int column, uint2 pair,
      float *x0, float *x1)
  {
    unsigned dropped = dropped_planes (p, subband, line, column);
    int index[2];

    AnyIndices::dequantize (
        p, subband, line, column, pair, &index[0], &index[1]);
    restore (p, step (p, subband, line, column), index[0], dropped, x0);
    restore (p, step (p, subband, line, column + 1), index[1], dropped, x1);
  }
};

/* What a lane fetches of a low and a high line, by subband. */
struct LinePair
{
  uint2 subbands[4];
};

/* Lines in their subbands. */
struct PairLines
{
  int low, high;
};

template <Path PATH>
DEVICE PairLines
pair_lines (int pair, int height)
{
  PairLines lines;

  if (PATH == ANY_TILE) {
    lines.low = mirrored<SHORT> (2 * pair, height) / 2;
    lines.high = mirrored<SHORT> (2 * pair + 1, height) / 2;
  } else {
    /* mirrored() of PACO_DWT_MIN_PLAIN_HEIGHT lines or more */
    lines.low = min (abs (pair), height - 1 - pair);
    lines.high = min (max (pair, -1 - pair), height - 2 - pair);
  }
  return lines;
}

template <int G, class Indices, Path PATH>
DEVICE void
fetch_lines (const PacoDwtParameters &p, const PacoDwtPlane *planes, int pair,
    const Place &place, LinePair *raw)
{
  const PairLines lines = pair_lines<PATH> (pair, planes[0].height);
  const uint32_t low_stride = planes[0].low_stride;
  const uint32_t high_stride = planes[0].high_stride;
  const bool wide = Indices::wide (p);
  const bool has_right = PATH != ANY_TILE || planes[0].width > 1;
  const bool has_lower = PATH != ANY_TILE || planes[0].height > 1;
  uint32_t at[4];

  at[0] = lines.low * low_stride + place.fetched / 2;
  at[1] = lines.low * high_stride + place.fetched / 2;
  at[2] = lines.high * low_stride + place.fetched / 2;
  at[3] = lines.high * high_stride + place.fetched / 2;
#pragma unroll
  for (int c = 0; c < G; c++) {
    const PacoDwtPlane &plane = planes[c];

    if (PATH == ANY_TILE && p.coarse_is_subband)
      raw[c].subbands[0] = fetch_pair (wide, plane.subbands[0].address, at[0]);
    else
      raw[c].subbands[0] = fetch_pair (true, plane.coarse, at[0]);
#pragma unroll
    for (int b = 1; b < 4; b++) {
      raw[c].subbands[b] = make_uint2 (0, 0);
      if ((has_right || b == 2) && (has_lower || b == 1))
        raw[c].subbands[b] = fetch_pair (
            wide, plane.subbands[b].address, at[b]);
    }
  }
}

DEVICE void
from_bits (uint32_t word, int *x)
{
  *x = (int) word;
}

DEVICE void
from_bits (uint32_t word, float *x)
{
  *x = __uint_as_float (word);
}

/* Dequantizes a low or high line, and undoes the horizontal filter. */
template <class W, class Indices, Path PATH>
DEVICE void
begin_line (const PacoDwtParameters &p, const PacoDwtPlane &plane,
    const LinePair &raw, bool high, int line, const Place &place,
    typename W::Number *x)
{
  const int column = place.fetched / 2;
  const int b = high ? 2 : 0;

  if (high || (PATH == ANY_TILE && p.coarse_is_subband)) {
    Indices::dequantize (
        p, plane.subbands[b], line, column, raw.subbands[b], &x[0], &x[2]);
  } else {
    from_bits (raw.subbands[0].x, &x[0]);
    from_bits (raw.subbands[0].y, &x[2]);
  }
  Indices::dequantize (p, plane.subbands[b + 1], line, column,
      raw.subbands[b + 1], &x[1], &x[3]);

  if (PATH != INNER_TILE)
    fill_columns<false> (place, x);
  if (!W::template scales_singles<Indices> () || plane.width > 1)
    W::template filter_line<0, true> (x);
  else
    x[0] = W::undo_single (x[0]);
}

/* --- Where lines go --- */

/* The LL of the next finer level. Rows have room for one lane too many. */
struct FineSink
{
  static const int G = 1;
  static const bool SAMPLES = false;

  template <Path PATH = ANY_TILE, class Number>
  static DEVICE void store (const PacoDwtParameters &p,
      const PacoDwtPlane *planes, const Place &place, int line,
      const Number (*x)[LANE_COLUMNS])
  {
    struct alignas (16) Vector
    {
      Number element[LANE_COLUMNS];
    }
    vector;
    Number *first = (Number *) planes[0].fine + place.column;

#pragma unroll
    for (int i = 0; i < LANE_COLUMNS; i++)
      vector.element[i] = x[0][i];
    *(Vector *) (first + (uint32_t) line * planes[0].fine_stride) = vector;
  }
};

/* Stores four samples, the low 16 bits of values; fewer at the end of a line, as what
 * follows is not the picture's. */
template <class Layout, Path PATH>
DEVICE void
store_samples (const PacoDwtSamples &samples, uint8_t *row, int column,
    int width, const uint32_t *value)
{
  const bool whole = PATH == INNER_TILE || column + LANE_COLUMNS <= width;
  uint32_t low = __byte_perm (value[0], value[1], 0x5410);
  uint32_t high = __byte_perm (value[2], value[3], 0x5410);

  if (Layout::BYTES == 1) {
    low = __byte_perm (low, high, 0x6420) << samples.shift;
    if (whole)
      *(uint32_t *) (row + column) = low;
  } else {
    low <<= samples.shift;
    high <<= samples.shift;
    if (whole)
      *(uint2 *) (row + 2 * column) = make_uint2 (low, high);
  }
  if constexpr (PATH != INNER_TILE) {
    if (whole)
      return;
#pragma unroll 1
    for (int i = 0; column + i < width; i++) {
      if (Layout::BYTES == 1)
        row[column + i] = low >> 8 * i;
      else
        ((uint16_t *) row)[column + i] = (i < 2 ? low : high) >> 16 * (i % 2);
    }
  }
}

template <class Layout, int N, class Indices> struct SampleSink
{
  static const int G = N;
  static const bool SAMPLES = true;

  /* For levels that are left out; plain kernels are not used then. */
  static DEVICE float scaled (float x, float gain)
  {
    return Indices::ANY ? __fmul_rn (x, gain) : x;
  }

  static DEVICE int scaled (int x, float gain)
  {
    return x;
  }

  template <Path PATH = ANY_TILE, class Number>
  static DEVICE void store (const PacoDwtParameters &p,
      const PacoDwtPlane *planes, const Place &place, int line,
      const Number (*x)[LANE_COLUMNS])
  {
    uint32_t value[G][LANE_COLUMNS];

#pragma unroll
    for (int i = 0; i < LANE_COLUMNS; i++) {
      Number pixel[G];
      uint32_t out[G];

#pragma unroll
      for (int c = 0; c < G; c++)
        pixel[c] = scaled (x[c][i], p.gain);
      unshift_pixel<G> (
          pixel, p, planes, known_transform<PATH, Number> (p), out);
#pragma unroll
      for (int c = 0; c < G; c++)
        value[c][i] = out[c];
    }
#pragma unroll
    for (int c = 0; c < G; c++) {
      const PacoDwtSamples &samples = planes[c].samples;

      store_samples<Layout, PATH> (samples,
          (uint8_t *) samples.address + samples.stride * (int64_t) line,
          place.column, planes[c].width, value[c]);
    }
  }
};

/* --- A tile --- */

/* Step s takes the pair of lines first + s, fetched AHEAD steps before. */
template <class W, class Indices, class Sink, int AHEAD, Path PATH>
DEVICE void
inverse_tile (
    const PacoDwtParameters &p, const PacoDwtPlane *planes, const Place &place)
{
  typedef typename W::Number Number;
  const int G = Sink::G;
  const int height = planes[0].height;
  const int n_steps = place.n_pairs + 2 * W::LAG;
  const int first = place.first_pair - W::LAG;
  typename W::State state[G][LANE_COLUMNS] = {};
  LinePair ring[AHEAD][G];

#pragma unroll
  for (int s = 0; s < AHEAD; s++)
    fetch_lines<G, Indices, PATH> (p, planes, first + s, place, ring[s]);

  for (int s0 = 0; s0 < n_steps; s0 += AHEAD) {
#pragma unroll
    for (int r = 0; r < AHEAD; r++) {
      const int s = s0 + r;
      const int line = 2 * (place.first_pair + s - 2 * W::LAG);
      PairLines lines = {};
      Number low[G][LANE_COLUMNS], high[G][LANE_COLUMNS];
      Number even[G][LANE_COLUMNS], odd[G][LANE_COLUMNS];

      if (s >= n_steps)
        break;
      if (Indices::ANY)
        lines = pair_lines<PATH> (first + s, height);
#pragma unroll
      for (int c = 0; c < G; c++) {
        begin_line<W, Indices, PATH> (
            p, planes[c], ring[r][c], false, lines.low, place, low[c]);
        begin_line<W, Indices, PATH> (
            p, planes[c], ring[r][c], true, lines.high, place, high[c]);
      }
      if (PATH != ANY_TILE || s + AHEAD < n_steps)
        fetch_lines<G, Indices, PATH> (
            p, planes, first + s + AHEAD, place, ring[r]);
#pragma unroll
      for (int c = 0; c < G; c++) {
#pragma unroll
        for (int i = 0; i < LANE_COLUMNS; i++) {
          W::template filter_pair<true> (
              state[c][i], low[c][i], high[c][i], &odd[c][i], &even[c][i]);
          if (W::template scales_singles<Indices> () && height == 1)
            even[c][i] = W::undo_single (low[c][i]);
        }
      }
      if (s < 2 * W::LAG || !place.writes)
        continue;
      Sink::template store<PATH> (p, planes, place, line, even);
      if (line + 1 < height)
        Sink::template store<PATH> (p, planes, place, line + 1, odd);
    }
  }
}

template <class W, class Indices, class Sink, int AHEAD>
DEVICE void
inverse (const PacoDwtParameters &p)
{
  const PacoDwtPlane *planes = Sink::G == 1 ? &p.planes[blockIdx.y] : p.planes;
  Place place;

  wait_for_kernel_before ();
  if (!warp_place<W> (p, planes[0], &place))
    return;
  if constexpr (Indices::ANY || !Sink::SAMPLES)
    inverse_tile<W, Indices, Sink, AHEAD, ANY_TILE> (p, planes, place);
  else if (place.edge)
    inverse_tile<W, Indices, Sink, AHEAD, BORDER_TILE> (p, planes, place);
  else
    inverse_tile<W, Indices, Sink, AHEAD, INNER_TILE> (p, planes, place);
}
