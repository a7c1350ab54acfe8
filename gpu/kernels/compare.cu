/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compares pictures in device memory (compare.h), to see whether a decoded frame gives
 * back its source. It reads both once, 16 bytes a lane, as fast as memory can. */
#include "gpu/kernels/device.cuh"
#include "gpu/kernels/compare.h"

/* Returns how many bytes of two words are different. */
static DEVICE uint32_t
count_bytes (uint32_t a, uint32_t b)
{
  uint32_t bits = a ^ b;

  bits |= bits >> 4 & 0x0f0f0f0f;
  bits |= bits >> 2 & 0x03030303;
  bits |= bits >> 1;
  return __popc (bits & 0x01010101);
}

static DEVICE uint32_t
count_vectors (uint4 a, uint4 b)
{
  return count_bytes (a.x, b.x) + count_bytes (a.y, b.y)
      + count_bytes (a.z, b.z) + count_bytes (a.w, b.w);
}

/* Any grid of one or two dimensions: blocks of a column take row after row. */
extern "C" __global__ void
__launch_bounds__ (PACO_COMPARE_THREADS) paco_compare (PacoCompareParameters p)
{
  uint64_t first = (uint64_t) blockIdx.x * PACO_COMPARE_THREADS + threadIdx.x;
  uint64_t step = (uint64_t) gridDim.x * PACO_COMPARE_THREADS;
  uint64_t vectors = p.aligned ? p.row_bytes / 16 : 0;
  uint32_t different = 0;

  for (uint64_t row = blockIdx.y; row < p.rows; row += gridDim.y) {
    const uint8_t *a = p.a + row * p.stride, *b = p.b + row * p.stride;

    for (uint64_t i = first; i < vectors; i += step)
      different += count_vectors (
          __ldg ((const uint4 *) a + i), __ldg ((const uint4 *) b + i));
    for (uint64_t i = 16 * vectors + first; i < p.row_bytes; i += step)
      different += a[i] != b[i];
  }
  for (uint32_t distance = 16; distance > 0; distance /= 2)
    different += __shfl_xor_sync (ALL_LANES, different, distance);
  if (threadIdx.x % 32 == 0 && different > 0)
    atomicAdd (
        (unsigned long long *) p.n_different, (unsigned long long) different);
}
