/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The rounding of coefficients to quantizer indices (FORMAT.md section 9), for
 * bpc_slices.cuh: 32 lines of a lane's two columns at once, with a word for each bit
 * of the coefficients, and logic on words for arithmetic. It needs no more registers
 * than the slicing. */
#pragma once
#include "codec/rounding.h"
#include "gpu/kernels/bpc_contexts.cuh"

/* Returns which coefficients of 32 lines are at least PACO_ROUNDING_SIGNIFICANT; f:
 * the bits behind the point, from the lowest; index: any before it. */
static __device__ __forceinline__ uint32_t
significant_by (const uint32_t (&f)[PACO_FRACTION_BITS], uint32_t index)
{
  return index | (f[3] & f[2] & (f[1] | f[0]));
}

/* The coefficients that are rounded up; c has the bits of their contexts. */
static __device__ __forceinline__ uint32_t
rounded_up (const uint32_t (&c)[6], const uint32_t (&f)[PACO_FRACTION_BITS])
{
  uint32_t from_8 = c[3] | c[4] | c[5], from_4 = from_8 | c[2];
  uint32_t from_6 = from_8 | (c[2] & c[1]);
  uint32_t from_12 = c[5] | c[4] | (c[3] & c[2]);
  uint32_t from_24 = c[5] | (c[4] & c[3]);
  /* The bits of what is added. */
  uint32_t r0 = (from_4 & (from_6 ^ from_12 ^ from_24)) | (~from_4 & c[0]);
  uint32_t r1 = (from_4 & from_12) | (~from_4 & c[1]);
  uint32_t carry = f[0] & r0;

  carry = (f[1] & r1) | (f[1] & carry) | (r1 & carry);
  carry = (f[2] & from_4) | (f[2] & carry) | (from_4 & carry);
  return f[3] & carry;
}

/* The same for both columns, from the bits behind the point and from whether there
 * are any before it. */
template <int PASSES>
static __device__ __forceinline__ void
round_columns (const uint32_t (&f)[2][PACO_FRACTION_BITS],
    const uint32_t (&index)[2], uint32_t lane, uint32_t (&up)[2])
{
  uint32_t words[2] = { significant_by (f[0], index[0]),
    significant_by (f[1], index[1]) };
  Surroundings<true, PASSES, false> around (words, lane);

#pragma unroll
  for (int side = 0; side < 2; side++) {
    uint32_t c[6];

    around.sum (side, ORIENTATION_LL, c);
    up[side] = rounded_up (c, f[side]);
  }
}

/* Adds 1 to the coefficients of `up`, in N planes from `first` on. */
template <int N>
static __device__ __forceinline__ void
add_to_planes (uint32_t (&a)[32], int first, uint32_t up)
{
#pragma unroll
  for (int p = 0; p < N; p++) {
    uint32_t carry = a[first + p] & up;

    a[first + p] ^= up;
    up = carry;
  }
}

/* Takes the N lowest planes away. */
template <int N>
static __device__ __forceinline__ void
shift_planes (uint32_t (&a)[32])
{
#pragma unroll
  for (int p = 0; p < 32; p++)
    a[p] = p + N < 32 ? a[p + N] : 0;
}
