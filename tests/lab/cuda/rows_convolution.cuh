/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Does convolution and downsampling, or upsampling and convolution, in shared
 * memory (van der Laan et al., section V-B6), in float. The filters are those
 * of the lifting steps' table: what the steps, without their rounding, make of
 * impulses. Only what is kept is computed, and no product with the zeros of
 * the upsampling. It does not work in place. */
#pragma once
#include "tests/lab/cuda/rows_lifting.cuh"

/* These weigh a sample at a distance of -LAB_MAX_FILTER_REACH to
 * LAB_MAX_FILTER_REACH in a low and a high coefficient, or (synthesis) a
 * coefficient, where it stands among the samples, in an even and an odd one. */
struct Filters
{
  double taps[2][2 * LAB_MAX_FILTER_REACH + 1];
};

constexpr Filters
make_filters (const LabWavelet &wavelet, bool undo)
{
  constexpr int MIDDLE = 2 * LAB_MAX_FILTER_REACH, N = 2 * MIDDLE + 2;
  Filters filters = {};

  /* This is the response at MIDDLE and MIDDLE + 1 to an impulse at each
   * place. */
  for (int place = 0; place < N; place++) {
    double x[N] = {};

    x[place] = 1.0;
    for (int k = 0; k < (int) wavelet.n_steps; k++) {
      int row = undo ? (int) wavelet.n_steps - 1 - k : k;
      const LabStepRow &step = wavelet.steps[row];
      double unit = (undo ? -1.0 : 1.0) / (1 << step.shift);

      for (int i = row % 2 == 0 ? 1 : 0; i < N; i += 2)
        for (int t = 0; t < (int) step.n_taps; t++) {
          int before = wavelet.paired ? (i ^ 1) : i - 1 - 2 * t;
          int after = wavelet.paired ? (i ^ 1) : i + 1 + 2 * t;

          if (before >= 0)
            x[i] += unit * (double) step.taps[t] * x[before];
          if (after < N)
            x[i] += unit * (double) step.taps[t] * x[after];
        }
    }
    for (int odd = 0; odd < 2; odd++) {
      int distance = place - MIDDLE - odd + LAB_MAX_FILTER_REACH;

      if (distance >= 0 && distance <= 2 * LAB_MAX_FILTER_REACH)
        filters.taps[odd][distance] = x[MIDDLE + odd];
    }
  }
  return filters;
}

/* Returns what weighs sample i of those around a pair, 0 being its even one. */
constexpr float
filter_tap (const Filters &filters, int odd, int i)
{
  return i - odd < -LAB_MAX_FILTER_REACH || i - odd > LAB_MAX_FILTER_REACH
      ? 0.0f
      : (float) filters.taps[odd][i - odd + LAB_MAX_FILTER_REACH];
}

template <unsigned ID, bool UNDO> struct Convolution
{
  static constexpr LabWavelet WAVELET = lab_wavelet (ID);
  static constexpr Filters FILTERS = make_filters (WAVELET, UNDO);
  /* The results of a pair read so many samples at either side of it, which is
   * an even number. */
  static constexpr int MARGIN = (lab_reach (&WAVELET) + 1) / 2 * 2;

  template <int ODD, int I>
  static constexpr float TAP = filter_tap (FILTERS, ODD, I);

  /* Adds up a pair over samples I and following ones, which are `distance`
   * elements apart; sample 0 is the pair's even one. */
  template <int I>
  static __device__ __forceinline__ void sum (
      const float *pair, int distance, float *low, float *high)
  {
    if constexpr (I <= MARGIN + 1) {
      constexpr float TO_LOW = TAP<0, I>, TO_HIGH = TAP<1, I>;

      if constexpr (TO_LOW != 0.0f || TO_HIGH != 0.0f) {
        float x = pair[I * distance];

        if constexpr (TO_LOW != 0.0f)
          *low = __fmaf_rn (TO_LOW, x, *low);
        if constexpr (TO_HIGH != 0.0f)
          *high = __fmaf_rn (TO_HIGH, x, *high);
      }
      sum<I + 1> (pair, distance, low, high);
    }
  }

  /* Does a line of one sample. */
  static __device__ __forceinline__ float single (float x)
  {
    return x * (float) (UNDO ? 1.0 / WAVELET.low_gain : WAVELET.low_gain);
  }
};

/* Says where sample i is in memory: in the halves of a line that is to be put
 * together again, or as it is. */
template <bool UNDO>
__device__ __forceinline__ int
place_of (int i, int n)
{
  return !UNDO ? i : i % 2 == 0 ? i / 2 : (n + 1) / 2 + i / 2;
}

/* Says whether the sample stays, as at the end of a line of an odd number of a
 * paired wavelet. */
template <class C>
__device__ __forceinline__ bool
stays (int pair, int n)
{
  return C::WAVELET.paired && 2 * pair + 1 >= n;
}

/* Does a block: row blockIdx.x of plane blockIdx.y. Shared memory: n + 2 *
 * LAB_MAX_FILTER_REACH + 2 numbers. */
template <unsigned ID, bool UNDO>
__device__ __forceinline__ void
convolve_row (const LabLines &p)
{
  typedef Convolution<ID, UNDO> C;
  int n = p.n, n_low = (n + 1) / 2;
  size_t first = (size_t) blockIdx.y * p.plane + (size_t) blockIdx.x * p.line;
  const float *from = (const float *) p.from + first;
  float *to = (float *) p.to + first;
  float *samples = (float *) shared + C::MARGIN;

  if (n == 1) {
    if (threadIdx.x == 0)
      *to = C::single (*from);
    return;
  }
  for (int i = (int) threadIdx.x - C::MARGIN; i < 2 * n_low + C::MARGIN;
       i += blockDim.x)
    samples[i] = from[place_of<UNDO> (mirror_image (i, n), n)];
  __syncthreads ();
  for (int pair = threadIdx.x; pair < n_low; pair += blockDim.x) {
    float low = 0.0f, high = 0.0f;

    if (stays<C> (pair, n))
      low = samples[2 * pair];
    else
      C::template sum<-C::MARGIN> (samples + 2 * pair, 1, &low, &high);
    to[UNDO ? 2 * pair : pair] = low;
    if (2 * pair + 1 < n)
      to[UNDO ? 2 * pair + 1 : n_low + pair] = high;
  }
}

/* Does a block: columns of tile blockIdx.x, pairs of lines of tile
 * blockIdx.y. Lines are columns, `sample` is the distance between lines.
 * Shared memory: LAB_TILE_COLUMNS * (2 * LAB_TILE_PAIRS + 2 *
 * LAB_MAX_FILTER_REACH) numbers. */
template <unsigned ID, bool UNDO>
__device__ __forceinline__ void
convolve_columns (const LabLines &p)
{
  typedef Convolution<ID, UNDO> C;
  const int n_rows = LAB_TILE_THREADS / LAB_TILE_COLUMNS;
  int n = p.n, n_low = (n + 1) / 2;
  int column = blockIdx.x * LAB_TILE_COLUMNS + threadIdx.x % LAB_TILE_COLUMNS;
  int row = threadIdx.x / LAB_TILE_COLUMNS, begin = blockIdx.y * LAB_TILE_PAIRS;
  const float *from = (const float *) p.from + column;
  float *to = (float *) p.to + column;
  float *samples = (float *) shared + threadIdx.x % LAB_TILE_COLUMNS;
  bool inside = column < (int) p.n_lines;

  if (n == 1) {
    if (inside && row == 0)
      *to = C::single (*from);
    return;
  }
  for (int i = row; inside && i < 2 * LAB_TILE_PAIRS + 2 * C::MARGIN;
       i += n_rows) {
    int line = mirror_image (
        min (2 * begin - C::MARGIN + i, 2 * n_low + C::MARGIN), n);

    samples[i * LAB_TILE_COLUMNS] =
        from[(size_t) place_of<UNDO> (line, n) * p.sample];
  }
  __syncthreads ();
  for (int i = row; inside && i < LAB_TILE_PAIRS && begin + i < n_low;
       i += n_rows) {
    const float *pair = samples + (2 * i + C::MARGIN) * LAB_TILE_COLUMNS;
    int at = begin + i;
    float low = 0.0f, high = 0.0f;

    if (stays<C> (at, n))
      low = *pair;
    else
      C::template sum<-C::MARGIN> (pair, LAB_TILE_COLUMNS, &low, &high);
    to[(size_t) (UNDO ? 2 * at : at) * p.sample] = low;
    if (2 * at + 1 < n)
      to[(size_t) (UNDO ? 2 * at + 1 : n_low + at) * p.sample] = high;
  }
}
