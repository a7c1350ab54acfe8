/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Lines of regions and of planes, which all kernels of layout.cu read and write. */
#pragma once
#include "gpu/kernels/layout.h"
#include "gpu/kernels/wait.cuh"

#define LANES PACO_LAYOUT_LANES
#define WARPS (PACO_LAYOUT_THREADS / LANES)

/* Returns the address of a line of a region, and of a plane. */
__device__ __forceinline__ uint8_t *
region_line (const PacoLayoutParameters &p, unsigned line)
{
  return (uint8_t *) p.address + p.stride * (int64_t) line;
}

__device__ __forceinline__ uint8_t *
plane_line (const PacoLayoutComponent &component, unsigned line)
{
  return (uint8_t *) component.plane + (uint64_t) component.plane_stride * line;
}

/* N words that are accessed as one. */
template <int N> struct alignas (4 * N) Vector
{
  uint32_t words[N];
};

/* Makes all but the first n_bits of a vector 0; n_bits may be any number. */
template <int N>
__device__ __forceinline__ void
cut_vector (Vector<N> *vector, int n_bits)
{
  if (n_bits >= 32 * N)
    return;
#pragma unroll
  for (int i = 0; i < N; i++)
    if (n_bits < 32 * (i + 1))
      vector->words[i] &= n_bits > 32 * i ? (1u << (n_bits - 32 * i)) - 1 : 0;
}
