/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What is done for a block's stripes, 8 lines each, when a plane begins: the
 * visit that says which of them wake (FORMAT.md section 7.5), and the density
 * class of each lane in each of them (section 7.4), for bpc.cu's scans.
 *
 * A word of a column is four stripes, so classes are found for four at once,
 * with arithmetic on bytes. */
#pragma once
#include "codec/density.h"
#include "gpu/kernels/bpc_block.cuh"

/* Local density classes by z. */
struct DensityClasses
{
  uint8_t of[PACO_MAX_LOCAL_DENSITY + 1];
};

static constexpr DensityClasses
density_classes ()
{
  constexpr uint8_t bounds[] = { PACO_LOCAL_DENSITY_BOUNDS };
  DensityClasses classes = {};

  for (int z = 0; z <= PACO_MAX_LOCAL_DENSITY; z++) {
    classes.of[z] = 1;
    for (uint8_t bound : bounds)
      classes.of[z] += z <= bound;
  }
  return classes;
}

static __device__ const DensityClasses density_class_table = density_classes ();

/* Counts the bits that are set in each byte of a and of b, and adds both, byte by
 * byte. */
static __device__ __forceinline__ uint32_t
count_in_bytes (uint32_t a, uint32_t b)
{
  a -= a >> 1 & 0x55555555;
  b -= b >> 1 & 0x55555555;
  a = (a & 0x33333333) + (a >> 2 & 0x33333333);
  b = (b & 0x33333333) + (b >> 2 & 0x33333333);
  a += b; /* 8 at most in four bits */
  return (a & 0x0f0f0f0f) + (a >> 4 & 0x0f0f0f0f);
}

/* Before a plane, sets DENSITY of the stripes that are awake. */
template <bool ENCODE, int PASSES>
__device__ __forceinline__ void
find_densities (Block<ENCODE, PASSES> &block)
{
  using L = Layout<PASSES>;
  uint32_t n_lanes = (block.width + 1) / 2, lane = block.lane;
  uint32_t lane_before = lane > 0 ? lane - 1 : lane;
  uint32_t lane_after = lane + 1 < n_lanes ? lane + 1 : lane;
  uint32_t of_block = 0x01010101
      * paco_density_of_block (block.n_significant, block.width * block.height);
  uint32_t n_left = block.n_stripes ();
  uint32_t before,
      own = count_in_bytes (block.at (L::SIGNIFICANT, LEFT, 0),
          block.at (L::SIGNIFICANT, RIGHT, 0));

  before = own << 24; /* the first stripe's counts above it, too */
#pragma unroll 1
  for (uint32_t w = 0; w < block.words; w++) {
    uint32_t after = 0, z, classes = 0;

    if (n_left <= 4) /* and the last one's below it */
      own |= (uint64_t) (own >> 8 * (n_left - 1)) << 8 * n_left;
    if (n_left == 4)
      after = own >> 24;
    else if (n_left > 4)
      after = count_in_bytes (block.at (L::SIGNIFICANT, LEFT, w + 1),
          block.at (L::SIGNIFICANT, RIGHT, w + 1));
    z = __funnelshift_l (before, own, 8) + 2 * own
        + __funnelshift_r (own, after, 8);
    z += __shfl_sync (ALL_LANES, z, lane_before)
        + __shfl_sync (ALL_LANES, z, lane_after) + of_block;
    if (block.n_significant > 0 && block.any_awake (w)) {
#pragma unroll
      for (int k = 0; k < 4; k++)
        classes |= (uint32_t) __ldg (&density_class_table.of[z >> 8 * k & 255])
            << 4 * k;
    }
    block.densities (w) = classes;
    before = own;
    own = after;
    n_left -= 4;
  }
}

/* Codes which stripes wake in a plane, and marks them as awake. */
template <bool ENCODE, int PASSES, bool SHARED>
__device__ __forceinline__ void
code_waking (Block<ENCODE, PASSES> &block,
    ArithmeticCoder<ENCODE, SHARED> &coder, uint32_t plane)
{
  uint32_t lane = block.lane, awake = block.awake;
  bool asleep = lane < block.n_stripes () && !(awake >> lane & 1);

  if (!__any_sync (ALL_LANES, asleep))
    return;

  uint32_t beside = (awake >> lane >> 1 & 1) + (awake << 1 >> lane & 1);
  bool wakes = ENCODE && shared[STRIPE_PLANES + lane] > plane;

  wakes = coder.visit (asleep, wakes, shared[WAKE_TABLE + beside]) && asleep;
  coder.refill ();
  block.awake |= __ballot_sync (ALL_LANES, wakes);
}
