/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Density classes (FORMAT.md section 7.4): how much of a block, or of the surroundings
 * of 16 coefficients, is significant when a plane begins. The block coders in C and in
 * CUDA, the reference and the program that trains sets include it. */
#pragma once
#include <stdint.h>

#ifdef __CUDACC__
#define PACO_DENSITY_FUNCTION static __device__ __forceinline__
#else
#define PACO_DENSITY_FUNCTION static inline
#endif

enum
{
  /* A block whose coefficients are all significant adds this number to the sum of the
   * surroundings, which is PACO_LOCAL_WEIGHT at most. */
  PACO_BLOCK_WEIGHT = 29,
  /* 3 lanes times 1 + 2 + 1 stripes times 16 coefficients. */
  PACO_LOCAL_WEIGHT = 192,
  PACO_MAX_LOCAL_DENSITY = PACO_LOCAL_WEIGHT + PACO_BLOCK_WEIGHT,
};

/* The class, 0..15, of a block of n_coefficients (16384 at most) of which n_significant
 * are significant. Signs and stripes that wake take it. */
PACO_DENSITY_FUNCTION unsigned
paco_density_class (uint32_t n_significant, uint32_t n_coefficients)
{
  uint64_t s2 = (uint64_t) n_significant * n_significant;
  uint64_t n2 = (uint64_t) n_coefficients * n_coefficients;
  unsigned k = 0;

  if (n_significant == 0)
    return 0;
  while (k < 14 && (s2 << (k + 1)) <= n2)
    k++;
  return 1 + k;
}

/* Returns what the block's density adds to the one found around a lane and stripe. */
PACO_DENSITY_FUNCTION uint32_t
paco_density_of_block (uint32_t n_significant, uint32_t n_coefficients)
{
  return PACO_BLOCK_WEIGHT * n_significant / n_coefficients;
}

/* The local class is 1 plus how many of these the sum z (0..221) does not
 * exceed, k = 1..14: the largest z with z^2 2^k <= 221^2. In a block without
 * significant coefficients it is 0. */
#define PACO_LOCAL_DENSITY_BOUNDS                                              \
  156, 110, 78, 55, 39, 27, 19, 13, 9, 6, 4, 3, 2, 1

PACO_DENSITY_FUNCTION unsigned
paco_local_density_class (unsigned z)
{
  const uint8_t bounds[14] = { PACO_LOCAL_DENSITY_BOUNDS };
  unsigned k = 0;

  while (k < 14 && z <= bounds[k])
    k++;
  return 1 + k;
}
