/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Chooses the probability set of its family that a block is coded with. policy.c,
 * the CUDA kernels, the reference and the program that trains sets compile it, so
 * that all decide alike.
 *
 * Blocks differ in how many of their coefficients are significant, and in how far
 * these lie together. Both are known before a block is coded. A choice by both saves
 * half of what the best set for each block would: 0.5 of 1.0 % of lossless bits, and
 * 0.7 of 1.1 % at quality 90 (codec/NOTES.md). */
#pragma once
#include "codec/contexts.h"
#include <stdint.h>

#ifdef __CUDACC__
#define PACO_POLICY_SET_FUNCTION static __device__ __forceinline__
#define PACO_POLICY_SET_TABLE static __device__ const
#else
#define PACO_POLICY_SET_FUNCTION static inline
#define PACO_POLICY_SET_TABLE static const
#endif

enum
{
  /* Pairs of neighbors are counted apart in every 32 lines of a block. */
  PACO_SET_LINES = 32,

  PACO_SET_CLUSTERS = 16,
  PACO_SET_DENSITIES = 8,
  PACO_SET_CELLS = PACO_N_KINDS * PACO_SET_DENSITIES * PACO_SET_CLUSTERS,
};

/* The set of each cell, by family; tables/train.c makes this table. */
PACO_POLICY_SET_TABLE uint8_t paco_policy_set_of_cell[2][PACO_SET_CELLS] = {
#include "codec/tables/choice.inc"
};

/* The cell, 0..PACO_SET_CELLS - 1, of a block of n_coefficients in a subband of this
 * orientation (PacoOrientation), whose planes from planes - 1 down to dropped are
 * stored. top[p] coefficients have their highest 1 bit in plane p. pairs[p] is how
 * many pairs of neighbors have it in plane p or above, both of them: pairs one above
 * the other in the same PACO_SET_LINES lines of the block (counted from its top),
 * and pairs of the left and the right column of a lane, both within the block.
 *
 * s is the sum over the planes of the significant coefficients, and by_chance the
 * sum of the pairs that would be significant if these coefficients lay anywhere;
 * there are 3/2 pairs for each coefficient. */
PACO_POLICY_SET_FUNCTION unsigned
paco_policy_set_cell (unsigned orientation, unsigned planes, unsigned dropped,
    const uint32_t *top, const uint32_t *pairs, uint32_t n_coefficients)
{
  uint32_t significant = 0, s = 0, by_chance = 0, together = 0;
  unsigned density, cluster;
  int32_t excess, most;

  for (unsigned p = planes; p-- > dropped;) {
    significant += top[p];
    s += significant;
    by_chance += significant * significant / n_coefficients;
    together += pairs[p];
  }

  /* Coefficients are significant in 1/16, 1/4, 1/2, 1, 3/2, 9/4, 7/2 planes on the
   * mean. */
  density = (16 * s >= n_coefficients) + (4 * s >= n_coefficients)
      + (2 * s >= n_coefficients) + (s >= n_coefficients)
      + (2 * s >= 3 * n_coefficients) + (4 * s >= 9 * n_coefficients)
      + (2 * s >= 7 * n_coefficients);

  /* The share, in 1/32, of significant pairs beyond those by chance. */
  excess = 32 * (2 * (int32_t) together - 3 * (int32_t) by_chance);
  most = 3 * (int32_t) (s - by_chance) + 1;
  cluster = excess < 0 ? 0 : 1 + (unsigned) (excess / most);
  if (cluster >= PACO_SET_CLUSTERS)
    cluster = PACO_SET_CLUSTERS - 1;
  return (PACO_KIND (orientation) * PACO_SET_DENSITIES + density)
      * PACO_SET_CLUSTERS
      + cluster;
}

PACO_POLICY_SET_FUNCTION unsigned
paco_policy_set (unsigned family, unsigned orientation, unsigned planes,
    unsigned dropped, const uint32_t *top, const uint32_t *pairs,
    uint32_t n_coefficients)
{
  return paco_policy_set_of_cell[family][paco_policy_set_cell (
      orientation, planes, dropped, top, pairs, n_coefficients)];
}
