/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The lifting steps of the wavelets (FORMAT.md section 5): down a column, as a window
 * that slides, and along a line across a warp. Wavelet<row> is the code of a row of
 * codec/lifting.h, without a loop or a branch that the row does not need. */
#pragma once
#include "codec/lifting.h"
#include "gpu/kernels/samples.cuh"
#include <type_traits>

/* The n-th step of a direction; undone, steps are in the opposite order. */
template <PacoWaveletId ID, int N, bool UNDO> struct Step
{
  static constexpr int INDEX = UNDO ? paco_wavelets[ID].n_steps - 1 - N : N;
  static constexpr int TAPS = paco_wavelets[ID].steps[INDEX].n_taps;
  /* Distance of the farthest sample that is read. */
  static constexpr int REACH = 2 * TAPS - 1;
  /* Parity of the samples that are changed. */
  static constexpr int PARITY = INDEX % 2 == 0 ? 1 : 0;

  /* x after the step. near: samples at distances -REACH, -REACH + 2, ... REACH. Sums
   * are unsigned, because numbers of hostile frames wrap around. */
  static DEVICE int apply (int x, const int *near)
  {
    constexpr PacoLiftingStep step = paco_wavelets[ID].steps[INDEX];
    /* -(s >> n) is (2^n - 1 - s) >> n as long as nothing wraps around, as for sums of
     * two in eight levels: an instruction less. */
    constexpr bool NEGATED = UNDO && TAPS == 1;
    uint32_t sum = NEGATED ? (1 << step.shift) - 1 - step.offset : step.offset;

#pragma unroll
    for (int t = 0; t < TAPS; t++) {
      uint32_t before = near[TAPS - 1 - t];
      uint32_t after = near[TAPS + t];

      sum += (uint32_t) (NEGATED ? -(int) step.taps[t] : (int) step.taps[t])
          * (before + after);
    }

    uint32_t change = (uint32_t) ((int) sum >> step.shift);

    return (int) (UNDO && !NEGATED ? x - change : x + change);
  }

  static DEVICE float apply (float x, const float *near)
  {
    constexpr float tap = paco_wavelets[ID].steps[INDEX].taps[0];

    static_assert (TAPS == 1, "a fused multiply-add takes one sum");
    return __fmaf_rn (UNDO ? -tap : tap, __fadd_rn (near[0], near[1]), x);
  }
};

template <PacoWaveletId ID> struct Wavelet
{
  typedef std::conditional_t<paco_wavelets[ID].reversible, int, float> Number;

  static constexpr int STEPS = paco_wavelets[ID].n_steps;
  static constexpr int REACH = paco_wavelet_reach (&paco_wavelets[ID]);
  static constexpr int LAG = REACH / 2;
  static constexpr int MARGIN = PACO_DWT_MARGIN (REACH); /* columns */
  /* Of all wavelets: with less, the code of 5/3 and 9/7 would be no smaller. */
  static constexpr int MAX_NEAR = 2 * PACO_MAX_LIFTING_TAPS;

  /* --- Down a column ---
   *
   * Forward, filter_pair() takes the next odd and even line of a column and gives the low
   * and high one LAG pairs before; the first right result comes with call number 2 * LAG - 1
   * (counted from 0) after first_even(), which takes the even line 2 * LAG before the first
   * result. Inverse, it takes a low and a high line, gives the odd and even one LAG pairs
   * before, and is right from call number 2 * LAG on.
   *
   * The n-th step reads lines of one parity, sequence n, and makes sequence n + 1
   * of those of the other, sequence n - 1. Sequence 0 is the second of what is
   * taken, sequence -1 the first. past[n + 1][i] is the line of sequence n that
   * came 1 + i calls before. */

  struct State
  {
    Number past[STEPS + 1][MAX_NEAR - 1];
  };

  static DEVICE Number line_of (const Number *past, Number last, int back)
  {
    return back == 0 ? last : past[back - 1];
  }

  /* The steps from the n-th on. last[n + 1] is the last line of sequence n. */
  template <int N, bool UNDO>
  static DEVICE void slide (State &state, Number *last)
  {
    if constexpr (N < STEPS) {
      typedef Step<ID, N, UNDO> Own;
      typedef Step<ID, N == 0 ? 0 : N - 1, UNDO> Before;
      /* Back to the middle of the lines read, which is changed. */
      constexpr int BACK = N == 0 ? (Own::REACH - 1) / 2
                                  : (Own::REACH + Before::REACH) / 2;
      Number near[MAX_NEAR];

#pragma unroll
      for (int i = 0; i <= Own::REACH; i++)
        near[i] = line_of (state.past[N + 1], last[N + 1], Own::REACH - i);
      last[N + 2] = Own::apply (line_of (state.past[N], last[N], BACK), near);
      slide<N + 1, UNDO> (state, last);
    }
  }

  template <bool UNDO>
  static DEVICE void filter_pair (
      State &state, Number first, Number second, Number *result, Number *other)
  {
    constexpr int BACK = (Step<ID, STEPS - 1, UNDO>::REACH + (UNDO ? 1 : -1))
        / 2;
    Number last[STEPS + 2] = { first, second };

    slide<0, UNDO> (state, last);
    *result = last[STEPS + 1];
    *other = line_of (state.past[STEPS], last[STEPS], BACK);
#pragma unroll
    for (int n = 0; n <= STEPS; n++) {
#pragma unroll
      for (int i = MAX_NEAR - 2; i > 0; i--)
        state.past[n][i] = state.past[n][i - 1];
      state.past[n][0] = last[n];
    }
  }

  static DEVICE void first_even (State &state, Number even)
  {
    state.past[1][0] = even;
  }

  /* --- Along a line: a step changes two of a lane's four columns --- */

  template <int N, bool UNDO> static DEVICE void filter_line (Number *x)
  {
    if constexpr (N < STEPS) {
      typedef Step<ID, N, UNDO> Own;
      constexpr int FROM = Own::PARITY - Own::REACH;
      Number near[MAX_NEAR + 1];

#pragma unroll
      for (int i = 0; i <= Own::REACH + 1; i++) {
        const int column = FROM + 2 * i;

        if (column < 0)
          near[i] = __shfl_up_sync (ALL_LANES, x[column & 3],
              (LANE_COLUMNS - 1 - column) / LANE_COLUMNS);
        else if (column < LANE_COLUMNS)
          near[i] = x[column];
        else
          near[i] = __shfl_down_sync (
              ALL_LANES, x[column & 3], column / LANE_COLUMNS);
      }
      x[Own::PARITY] = Own::apply (x[Own::PARITY], near);
      x[Own::PARITY + 2] = Own::apply (x[Own::PARITY + 2], near + 1);
      filter_line<N + 1, UNDO> (x);
    }
  }

  /* --- A column or a line of one sample --- */

  /* Plain kernels get no such sample that has to be multiplied. */
  template <class Ability> static constexpr DEVICE bool scales_singles ()
  {
    return Ability::ANY && !paco_wavelets[ID].reversible;
  }

  static DEVICE float single (float x)
  {
    return __fmul_rn (x, (float) paco_wavelets[ID].low_gain);
  }

  static DEVICE float undo_single (float x)
  {
    return __fmul_rn (x, (float) (1.0 / paco_wavelets[ID].low_gain));
  }

  static DEVICE int single (int x)
  {
    return x;
  }

  static DEVICE int undo_single (int x)
  {
    return x;
  }
};
