/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Has the lifting steps for the kernels of rows.cu: those of
 * gpu/kernels/dwt_lifting.cuh, which are made of the codec's table, and those of the
 * laboratory's own wavelets. */
#pragma once
#include "gpu/kernels/dwt_strips.cuh"
#include "tests/lab/cuda/rows.h"

extern __shared__ uint32_t shared[];

/* Does the n-th step, in a direction, of a wavelet that the codec does not have.
 * gpu/kernels/dwt_lifting.cuh says more of such a struct. */
template <unsigned ID, int N, bool UNDO> struct OwnStep
{
  static constexpr LabWavelet WAVELET = lab_wavelet (ID);
  static constexpr int INDEX = UNDO ? WAVELET.n_steps - 1 - N : N;
  static constexpr LabStepRow ROW = WAVELET.steps[INDEX];
  static constexpr int TAPS = ROW.n_taps;
  static constexpr int REACH = 2 * TAPS - 1;
  static constexpr int PARITY = INDEX % 2 == 0 ? 1 : 0;
  static constexpr bool PAIRED = WAVELET.paired;
  static constexpr bool NEGATED = UNDO && TAPS == 1;

  /* Adds up the taps from T on. */
  template <int T>
  static __device__ __forceinline__ uint32_t sum (const int *near)
  {
    if constexpr (T < TAPS) {
      constexpr int TAP = NEGATED ? -(int) ROW.taps[T] : (int) ROW.taps[T];
      uint32_t before = near[PAIRED ? PARITY ^ 1 : TAPS - 1 - T];
      uint32_t after = near[PAIRED ? PARITY ^ 1 : TAPS + T];

      return (uint32_t) TAP * (before + after) + sum<T + 1> (near);
    }
    return 0;
  }

  static __device__ __forceinline__ int apply (int x, const int *near)
  {
    constexpr int OFFSET = NEGATED ? (1 << ROW.shift) - 1 - ROW.offset
                                   : ROW.offset;
    uint32_t change = (uint32_t) ((int) (sum<0> (near) + OFFSET) >> ROW.shift);

    return (int) (UNDO && !NEGATED ? x - change : x + change);
  }
};

/* The type of a step. */
template <unsigned ID, int N, bool UNDO, bool OWN = (ID >= PACO_N_WAVELETS)>
struct StepOf
{
  typedef OwnStep<ID, N, UNDO> Type;
};

template <unsigned ID, int N, bool UNDO> struct StepOf<ID, N, UNDO, false>
{
  typedef Step<(PacoWaveletId) ID, N, UNDO> Type;
};

/* Returns the place, in a direction, of the wanted step that is not idle, or
 * how many of those there are if it is -1. */
constexpr int
busy_step (const LabWavelet &wavelet, bool undo, int wanted)
{
  int n_busy = 0, n_steps = (int) wavelet.n_steps;

  for (int n = 0; n < n_steps; n++) {
    int row = undo ? n_steps - 1 - n : n;

    if (lab_step_is_idle (&wavelet.steps[row]))
      continue;
    if (n_busy == wanted)
      return n;
    n_busy++;
  }
  return n_busy;
}

/* Returns the row of the table that has it. */
constexpr int
busy_row (const LabWavelet &wavelet, bool undo, int wanted)
{
  int n = busy_step (wavelet, undo, wanted);

  return undo ? (int) wavelet.n_steps - 1 - n : n;
}

/* This is a wavelet in one direction, without idle steps. */
template <unsigned ID, bool UNDO> struct Lifting
{
  static constexpr LabWavelet WAVELET = lab_wavelet (ID);
  static constexpr bool UNDONE = UNDO;
  static constexpr bool PAIRED = WAVELET.paired;
  static constexpr int REACH = lab_reach (&WAVELET);
  static constexpr int STEPS = busy_step (WAVELET, UNDO, -1);

  typedef std::conditional_t<WAVELET.reversible, int, float> Number;
  template <int N>
  using At = typename StepOf<ID, busy_step (WAVELET, UNDO, N), UNDO>::Type;

  /* Does a line of one sample. */
  static __device__ __forceinline__ Number single (Number x)
  {
    if constexpr (WAVELET.low_gain == 1.0)
      return x;
    else if constexpr (WAVELET.reversible)
      return UNDO ? x >> 1 : (int) (2 * (uint32_t) x);
    else
      return __fmul_rn (
          x, (float) (UNDO ? 1.0 / WAVELET.low_gain : WAVELET.low_gain));
  }
};

/* Returns the index of the sample that stands in for sample i of n. */
static __device__ __forceinline__ int
mirror_image (int i, int n)
{
  return mirrored<2 * LAB_MAX_REACH + 2> (i, n);
}
