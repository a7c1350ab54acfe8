/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The check of a codeblock's bytes (FORMAT.md section 6). The warp that codes the block
 * adds it up when it has written or read the bytes and they are still in the caches;
 * during the scans it has no registers left. */
#pragma once
#include "codec/check.h"
#include "gpu/kernels/lanes.cuh"

/* Returns the check of `length` bytes, which begin `shift` bits after the first of the
 * words, to all lanes. Only words with some of these bytes are read. Not inlined, as
 * the encoder would keep more in local memory then. */
static __device__ __attribute__ ((noinline)) uint32_t
check_of_block (
    const uint32_t *words, uint32_t shift, uint32_t length, uint32_t lane)
{
  uint32_t n_whole = length / 8, rest = length % 8 * 8;
  uint32_t behind = shift > 0 ? 2 : 1; /* where a pair's bytes end */
  uint32_t first_key = (lane + 1) * PACO_CHECK_FIRST;
  uint32_t second_key = (lane + 1) * PACO_CHECK_SECOND;
  uint64_t sum = 0;
  uint32_t n = lane;

#pragma unroll 4
  for (; n < n_whole; n += 32) {
    const uint32_t *at = words + 2 * n;
    uint32_t first = __funnelshift_r (at[0], at[1], shift);
    uint32_t second = __funnelshift_r (at[1], at[behind], shift);

    sum += paco_check_pair (first, second, first_key, second_key);
    first_key += 32 * PACO_CHECK_FIRST;
    second_key += 32 * PACO_CHECK_SECOND;
  }
  if (n == n_whole && rest > 0) {
    uint32_t last = (shift + 8 * length - 1) / 32;
    uint32_t middle = words[min (2 * n + 1, last)];
    uint32_t first = __funnelshift_r (words[2 * n], middle, shift);
    uint32_t second = __funnelshift_r (
        middle, words[min (2 * n + 2, last)], shift);

    first &= rest < 32 ? (1u << rest) - 1 : ~0u;
    second &= rest > 32 ? (1u << (rest - 32)) - 1 : 0;
    sum += paco_check_pair (first, second, first_key, second_key);
  }
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_xor_sync (ALL_LANES, sum, distance);
  return paco_check_finish (sum, length);
}
