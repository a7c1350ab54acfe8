/* SPDX-License-Identifier: LGPL-2.1-or-later
 * One level forward: from samples or numbers to subbands (FORMAT.md sections 5 and
 * 8). */
#pragma once
#include "gpu/kernels/dwt_strips.cuh"

/* --- Where lines come from --- */

/* Numbers between the levels. */
template <class E> struct FineSource
{
  static const bool SAMPLES = false;

  struct alignas (LANE_COLUMNS * sizeof (E)) Raw
  {
    E element[LANE_COLUMNS];
  };

  static DEVICE Raw fetch (const PacoDwtParameters &p,
      const PacoDwtPlane &plane, int line, const Place &place)
  {
    const E *first = (const E *) plane.fine + place.fetched;

    return *(const Raw *) (first + (uint32_t) line * plane.fine_stride);
  }

  template <Path PATH, class Number>
  static DEVICE void unpack (const PacoDwtParameters &p,
      const PacoDwtPlane *planes, const Raw *raw, Number (*x)[LANE_COLUMNS])
  {
#pragma unroll
    for (int i = 0; i < LANE_COLUMNS; i++)
      x[0][i] = raw[0].element[i];
  }
};

/* Integers between the levels, which have 32 bits where coefficients have. */
struct AnyFineSource : FineSource<int32_t>
{
  static DEVICE Raw fetch (const PacoDwtParameters &p,
      const PacoDwtPlane &plane, int line, const Place &place)
  {
    if (p.wide)
      return FineSource<int32_t>::fetch (p, plane, line, place);

    FineSource<int16_t>::Raw narrow = FineSource<int16_t>::fetch (
        p, plane, line, place);
    Raw raw;

#pragma unroll
    for (int i = 0; i < LANE_COLUMNS; i++)
      raw.element[i] = narrow.element[i];
    return raw;
  }
};

/* Raw samples of G components that lie alike, color transformed when unpacked. */
template <class Layout, int G> struct SampleSource
{
  typedef typename Layout::Raw Raw;

  static const bool SAMPLES = true;

  static DEVICE Raw fetch (const PacoDwtParameters &p,
      const PacoDwtPlane &plane, int line, const Place &place)
  {
    return Layout::fetch ((const uint8_t *) plane.samples.address,
        plane.samples.stride * (int64_t) line, place.fetched);
  }

  template <Path PATH, class Number>
  static DEVICE void unpack (const PacoDwtParameters &p,
      const PacoDwtPlane *planes, const Raw *raw, Number (*x)[LANE_COLUMNS])
  {
    uint32_t pairs[2][G];

#pragma unroll
    for (int c = 0; c < G; c++) {
      uint32_t own[2];

      Layout::unpack (planes[0].samples, raw[c], own);
      pairs[0][c] = own[0];
      pairs[1][c] = own[1];
    }
#pragma unroll
    for (int i = 0; i < LANE_COLUMNS; i++) {
      Number out[G];

      shift_pixel<G> (pairs[i / 2], i % 2, p, planes,
          known_transform<PATH, Number> (p), out);
#pragma unroll
      for (int c = 0; c < G; c++)
        x[c][i] = out[c];
    }
  }
};

/* --- Where coefficients go --- */

/* Plain kernels store 16-bit indices that need no limit. */
struct Plain
{
  static const bool ANY = false;

  static DEVICE bool wide (const PacoDwtParameters &)
  {
    return false;
  }

  /* Rounding towards zero is the floor of the magnitude. */
  static DEVICE int quantize (float x, float inverse_step)
  {
    return __float2int_rz (__fmul_rn (x, inverse_step));
  }
};

struct Any
{
  static const bool ANY = true;

  static DEVICE bool wide (const PacoDwtParameters &p)
  {
    return p.wide;
  }

  static DEVICE int quantize (float x, float inverse_step)
  {
    float scaled = __fmul_rn (x, inverse_step);

    return __float2int_rz (fminf (fmaxf (scaled, -8388607.0f), 8388607.0f));
  }
};

template <class Ability>
DEVICE void
store_pair (
    const PacoDwtParameters &p, uint64_t address, uint32_t at, int a, int b)
{
  if (Ability::wide (p))
    *(int2 *) ((int32_t *) address + at) = make_int2 (a, b);
  else
    *(uint32_t *) ((int16_t *) address + at) = __byte_perm (a, b, 0x5410);
}

template <class Ability>
DEVICE void
store_subband (const PacoDwtParameters &p, const PacoDwtSubband &subband,
    uint32_t at, int a, int b)
{
  store_pair<Ability> (p, subband.address, at, a, b);
}

template <class Ability>
DEVICE void
store_subband (const PacoDwtParameters &p, const PacoDwtSubband &subband,
    uint32_t at, float a, float b)
{
  store_pair<Ability> (p, subband.address, at,
      Ability::quantize (a, subband.scale),
      Ability::quantize (b, subband.scale));
}

/* Stores LL: integers as coefficients, floats as they are for the next level or
 * quantized after the last one. SAMPLES: the fine side is. */
template <class Ability, Path PATH, bool SAMPLES>
DEVICE void
store_coarse (const PacoDwtParameters &p, const PacoDwtPlane &plane,
    uint32_t at, int a, int b)
{
  store_pair<Ability> (p, plane.coarse, at, a, b);
}

template <class Ability, Path PATH, bool SAMPLES>
DEVICE void
store_coarse (const PacoDwtParameters &p, const PacoDwtPlane &plane,
    uint32_t at, float a, float b)
{
  if ((PATH == ANY_TILE || !SAMPLES) && p.coarse_is_subband)
    store_subband<Ability> (p, plane.subbands[0], at, a, b);
  else
    *(float2 *) ((float *) plane.coarse + at) = make_float2 (a, b);
}

/* Filters a low or high line and stores its two subbands, whose rows have room for one
 * number too many. */
template <class W, class Ability, Path PATH, bool SAMPLES>
DEVICE void
finish_line (const PacoDwtParameters &p, const PacoDwtPlane &plane,
    const Place &place, bool high, uint32_t at_low, uint32_t at_high,
    typename W::Number *x)
{
  const bool writes = PATH == INNER_TILE ? place.own : place.writes;
  const bool writes_high = PATH == INNER_TILE ? place.own : place.writes_high;

  if (PATH != INNER_TILE)
    fill_columns<true> (place, x);
  if (!W::template scales_singles<Ability> () || plane.width > 1)
    W::template filter_line<0, false> (x);
  else
    x[0] = W::single (x[0]);

  if (writes) {
    if (high)
      store_subband<Ability> (p, plane.subbands[2], at_low, x[0], x[2]);
    else
      store_coarse<Ability, PATH, SAMPLES> (p, plane, at_low, x[0], x[2]);
  }
  if (writes_high)
    store_subband<Ability> (
        p, plane.subbands[high ? 3 : 1], at_high, x[1], x[3]);
}

/* --- A tile --- */

template <int G, class Source, Path PATH>
DEVICE void
fetch_line (const PacoDwtParameters &p, const PacoDwtPlane *planes,
    const Place &place, int line, typename Source::Raw *raw)
{
  constexpr int LEAST = PATH == ANY_TILE ? SHORT : 0;

  line = mirrored<LEAST> (line, planes[0].height);
#pragma unroll
  for (int c = 0; c < G; c++)
    raw[c] = Source::fetch (p, planes[c], line, place);
}

/* A tile of G planes of the same size. Step s takes lines first + 2 s + 1 and first + 2
 * s + 2, fetched AHEAD steps before. */
template <class W, int G, class Source, class Ability, int AHEAD, Path PATH>
DEVICE void
forward_tile (
    const PacoDwtParameters &p, const PacoDwtPlane *planes, const Place &place)
{
  typedef typename W::Number Number;
  typedef typename Source::Raw Raw;
  const int height = planes[0].height;
  const int n_steps = place.n_pairs + 2 * W::LAG - 1;
  const int first = 2 * (place.first_pair - W::LAG);
  const uint32_t low_stride = planes[0].low_stride;
  const uint32_t high_stride = planes[0].high_stride;
  uint32_t at_low = place.first_pair * low_stride + place.column / 2;
  uint32_t at_high = place.first_pair * high_stride + place.column / 2;
  typename W::State state[G][LANE_COLUMNS] = {};
  Raw ring[AHEAD][2][G];

  {
    Raw raw[G];
    Number even[G][LANE_COLUMNS];

    fetch_line<G, Source, PATH> (p, planes, place, first, raw);
#pragma unroll
    for (int s = 0; s < AHEAD; s++)
#pragma unroll
      for (int l = 0; l < 2; l++)
        fetch_line<G, Source, PATH> (
            p, planes, place, first + 2 * s + 1 + l, ring[s][l]);
    Source::template unpack<PATH> (p, planes, raw, even);
#pragma unroll
    for (int c = 0; c < G; c++)
#pragma unroll
      for (int i = 0; i < LANE_COLUMNS; i++)
        W::first_even (state[c][i], even[c][i]);
  }

  for (int s0 = 0; s0 < n_steps; s0 += AHEAD) {
#pragma unroll
    for (int r = 0; r < AHEAD; r++) {
      const int s = s0 + r;
      const int pair = place.first_pair + s - (2 * W::LAG - 1);
      Number line[2][G][LANE_COLUMNS];

      if (s >= n_steps)
        break;
#pragma unroll
      for (int l = 0; l < 2; l++)
        Source::template unpack<PATH> (p, planes, ring[r][l], line[l]);
      if (s + AHEAD < n_steps) {
#pragma unroll
        for (int l = 0; l < 2; l++)
          fetch_line<G, Source, PATH> (
              p, planes, place, first + 2 * (s + AHEAD) + 1 + l, ring[r][l]);
      }
#pragma unroll
      for (int c = 0; c < G; c++) {
        Number low[LANE_COLUMNS], high[LANE_COLUMNS];

#pragma unroll
        for (int i = 0; i < LANE_COLUMNS; i++) {
          W::template filter_pair<false> (
              state[c][i], line[0][c][i], line[1][c][i], &low[i], &high[i]);
          if (W::template scales_singles<Ability> () && height == 1)
            low[i] = W::single (line[1][c][i]);
        }
        if (s < 2 * W::LAG - 1)
          continue;
        finish_line<W, Ability, PATH, Source::SAMPLES> (
            p, planes[c], place, false, at_low, at_high, low);
        if (2 * pair + 1 < height)
          finish_line<W, Ability, PATH, Source::SAMPLES> (
              p, planes[c], place, true, at_low, at_high, high);
      }
      if (s >= 2 * W::LAG - 1) {
        at_low += low_stride;
        at_high += high_stride;
      }
    }
  }
}

template <class W, int G, class Source, class Ability, int AHEAD>
DEVICE void
forward (const PacoDwtParameters &p)
{
  /* A launch has one group of three: the compiler knows its parameters' addresses. */
  const PacoDwtPlane *planes = G == 1 ? &p.planes[blockIdx.y] : p.planes;
  Place place;

  wait_for_kernel_before ();
  if (!warp_place<W> (p, planes[0], &place))
    return;
  if constexpr (Ability::ANY)
    forward_tile<W, G, Source, Ability, AHEAD, ANY_TILE> (p, planes, place);
  else if (place.edge)
    forward_tile<W, G, Source, Ability, AHEAD, BORDER_TILE> (p, planes, place);
  else
    forward_tile<W, G, Source, Ability, AHEAD, INNER_TILE> (p, planes, place);
}
