/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Has the lifting steps for the kernels of rows.cu: those of
 * gpu/kernels/dwt_lifting.cuh, which are made of the codec's table, and those
 * of the laboratory's own wavelet. */
#pragma once
#include "gpu/kernels/dwt_strips.cuh"
#include "tests/lab/cuda/rows.h"

extern __shared__ uint32_t shared[];

template <PacoWaveletId ID>
constexpr PacoWavelet
lab_row ()
{
  if constexpr (ID == LAB_DAUBECHIES97_INTEGER)
    return lab_daubechies97_integer;
  else
    return paco_wavelets[ID];
}

/* Does the steps of the wavelet that the codec does not have. */
template <int N, bool UNDO> struct Step<LAB_DAUBECHIES97_INTEGER, N, UNDO>
{
  static constexpr int INDEX = UNDO ? lab_daubechies97_integer.n_steps - 1 - N
                                    : N;
  static constexpr int TAPS = 1;
  static constexpr int REACH = 1;
  static constexpr int PARITY = INDEX % 2 == 0 ? 1 : 0;
  static constexpr bool PAIRED = false;

  static __device__ __forceinline__ int apply (int x, const int *near)
  {
    constexpr PacoLiftingStep step = lab_daubechies97_integer.steps[INDEX];
    int change = ((int) step.taps[0] * (near[0] + near[1]) + step.offset)
        >> step.shift;

    return UNDO ? x - change : x + change;
  }
};

/* Returns the place, in a direction, of the wanted step that is not idle, or
 * how many of those there are if it is -1. */
constexpr int
busy_step (const PacoWavelet &wavelet, bool undo, int wanted)
{
  int n_busy = 0, n_steps = (int) wavelet.n_steps;

  for (int n = 0; n < n_steps; n++) {
    int row = undo ? n_steps - 1 - n : n;

    if (paco_lifting_step_is_idle (&wavelet.steps[row]))
      continue;
    if (n_busy == wanted)
      return n;
    n_busy++;
  }
  return n_busy;
}

/* Returns the row of the table that has it. */
constexpr int
busy_row (const PacoWavelet &wavelet, bool undo, int wanted)
{
  int n = busy_step (wavelet, undo, wanted);

  return undo ? (int) wavelet.n_steps - 1 - n : n;
}

/* This is a wavelet in one direction, without idle steps. */
template <PacoWaveletId ID, bool UNDO> struct Lifting
{
  static constexpr PacoWavelet WAVELET = lab_row<ID> ();
  static constexpr bool UNDONE = UNDO;
  static constexpr bool PAIRED = WAVELET.paired;
  static constexpr int REACH = paco_wavelet_reach (&WAVELET);
  static constexpr int STEPS = busy_step (WAVELET, UNDO, -1);

  typedef typename NumberOf<WAVELET.reversible>::Type Number;
  template <int N> using At = Step<ID, busy_step (WAVELET, UNDO, N), UNDO>;

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
  return mirrored<2 * PACO_MAX_LIFTING_REACH + 2> (i, n);
}
