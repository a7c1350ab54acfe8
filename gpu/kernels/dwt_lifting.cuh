/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The lifting steps of the wavelets (FORMAT.md section 5): down a column, as a
 * window that slides, and along a line that lies across a warp. */
#pragma once
#include "gpu/kernels/samples.cuh"

#define FULL_WARP 0xffffffffu

__device__ __forceinline__ float
from_left (float x)
{
  return __shfl_up_sync (FULL_WARP, x, 1);
}

__device__ __forceinline__ float
from_right (float x)
{
  return __shfl_down_sync (FULL_WARP, x, 1);
}

__device__ __forceinline__ int
from_left (int x)
{
  return __shfl_up_sync (FULL_WARP, x, 1);
}

__device__ __forceinline__ int
from_right (int x)
{
  return __shfl_down_sync (FULL_WARP, x, 1);
}

/* --- The wavelets ---
 *
 * forward_pair() takes the next odd and even line of a column and gives the
 * low and high one LAG pairs before; the first right result comes with the
 * call number 2 * LAG - 1 (counted from 0) after first_even(), which takes the
 * even line 2 * LAG before the first result. inverse_pair() takes a low and a
 * high line, gives the even and odd one LAG pairs before, and is right from
 * call number 2 * LAG on. */

struct Cdf53
{
  typedef int Number;
  static const int LAG = 1;
  static const bool SCALES = false; /* lines of one sample */

  struct State
  {
    int even, high;
  };

  static __device__ __forceinline__ void forward_pair (
      State &state, int odd, int even, int *low, int *high)
  {
    int h = odd - ((state.even + even) >> 1);

    *low = state.even + ((state.high + h + 2) >> 2);
    *high = h;
    state.even = even;
    state.high = h;
  }

  static __device__ __forceinline__ void inverse_pair (
      State &state, int low, int high, int *even, int *odd)
  {
    int e = low - ((state.high + high + 2) >> 2);

    *odd = state.high + ((state.even + e) >> 1);
    *even = state.even;
    state.even = e;
    state.high = high;
  }

  static __device__ __forceinline__ void forward_line (int *x)
  {
    x[3] -= (x[2] + from_right (x[0])) >> 1;
    x[1] -= (x[0] + x[2]) >> 1;
    x[0] += (from_left (x[3]) + x[1] + 2) >> 2;
    x[2] += (x[1] + x[3] + 2) >> 2;
  }

  static __device__ __forceinline__ void inverse_line (int *x)
  {
    x[0] -= (from_left (x[3]) + x[1] + 2) >> 2;
    x[2] -= (x[1] + x[3] + 2) >> 2;
    x[3] += (x[2] + from_right (x[0])) >> 1;
    x[1] += (x[0] + x[2]) >> 1;
  }

  static __device__ __forceinline__ int single (int x)
  {
    return x;
  }

  static __device__ __forceinline__ int undo_single (int x)
  {
    return x;
  }
};

struct Cdf97
{
  typedef float Number;
  static const int LAG = 2;
  static const bool SCALES = true;

  /* The last line of each kind: even samples, odd ones after the first step,
   * even ones after the second, odd ones after the third. */
  struct State
  {
    float even, odd1, even1, odd2;
  };

  static __device__ __forceinline__ float lift (
      float coefficient, float before, float after, float x)
  {
    return __fmaf_rn (coefficient, __fadd_rn (before, after), x);
  }

  static __device__ __forceinline__ float step1 (
      float before, float after, float x, float sign)
  {
    return lift (sign * -1.586134342f, before, after, x);
  }

  static __device__ __forceinline__ float step2 (
      float before, float after, float x, float sign)
  {
    return lift (sign * -0.052980118f, before, after, x);
  }

  static __device__ __forceinline__ float step3 (
      float before, float after, float x, float sign)
  {
    return lift (sign * 0.882911075f, before, after, x);
  }

  static __device__ __forceinline__ float step4 (
      float before, float after, float x, float sign)
  {
    return lift (sign * 0.443506852f, before, after, x);
  }

  static __device__ __forceinline__ void forward_pair (
      State &state, float odd, float even, float *low, float *high)
  {
    float odd1 = step1 (state.even, even, odd, 1.0f);
    float even1 = step2 (state.odd1, odd1, state.even, 1.0f);
    float odd2 = step3 (state.even1, even1, state.odd1, 1.0f);

    *low = step4 (state.odd2, odd2, state.even1, 1.0f);
    *high = odd2;
    state.even = even;
    state.odd1 = odd1;
    state.even1 = even1;
    state.odd2 = odd2;
  }

  static __device__ __forceinline__ void inverse_pair (
      State &state, float low, float high, float *even, float *odd)
  {
    float even1 = step4 (state.odd2, high, low, -1.0f);
    float odd1 = step3 (state.even1, even1, state.odd2, -1.0f);
    float e = step2 (state.odd1, odd1, state.even1, -1.0f);

    *odd = step1 (state.even, e, state.odd1, -1.0f);
    *even = state.even;
    state.even = e;
    state.odd1 = odd1;
    state.even1 = even1;
    state.odd2 = high;
  }

  static __device__ __forceinline__ void forward_line (float *x)
  {
    x[3] = step1 (x[2], from_right (x[0]), x[3], 1.0f);
    x[1] = step1 (x[0], x[2], x[1], 1.0f);
    x[0] = step2 (from_left (x[3]), x[1], x[0], 1.0f);
    x[2] = step2 (x[1], x[3], x[2], 1.0f);
    x[3] = step3 (x[2], from_right (x[0]), x[3], 1.0f);
    x[1] = step3 (x[0], x[2], x[1], 1.0f);
    x[0] = step4 (from_left (x[3]), x[1], x[0], 1.0f);
    x[2] = step4 (x[1], x[3], x[2], 1.0f);
  }

  static __device__ __forceinline__ void inverse_line (float *x)
  {
    x[0] = step4 (from_left (x[3]), x[1], x[0], -1.0f);
    x[2] = step4 (x[1], x[3], x[2], -1.0f);
    x[3] = step3 (x[2], from_right (x[0]), x[3], -1.0f);
    x[1] = step3 (x[0], x[2], x[1], -1.0f);
    x[0] = step2 (from_left (x[3]), x[1], x[0], -1.0f);
    x[2] = step2 (x[1], x[3], x[2], -1.0f);
    x[3] = step1 (x[2], from_right (x[0]), x[3], -1.0f);
    x[1] = step1 (x[0], x[2], x[1], -1.0f);
  }

  static __device__ __forceinline__ float single (float x)
  {
    return __fmul_rn (x, 1.230174105f);
  }

  static __device__ __forceinline__ float undo_single (float x)
  {
    return __fmul_rn (x, 0.812893066f);
  }
};
