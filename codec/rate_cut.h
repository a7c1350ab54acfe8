/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes a coded frame fit its budget: which cut each of its blocks gets. */
#pragma once
#include "rate_worth.h"

/* The blocks' bytes, index and payload together, before any cut. */
typedef struct
{
  const PacoRateCuts *cuts; /* of each block, in the order of the codestream */
  const uint32_t *bytes;
  uint32_t n_blocks;
  bool checks;
  bool cut_points; /* the frame has them, and bytes[] counts them */
} PacoRateBlocks;

/* Sets lost[i], so many of its cuts block i is to lose, so that all blocks together
 * take at most `budget` bytes, which is n_blocks at least; n + 1: it becomes zero.
 * Returns the bytes that they take then.
 *
 * What is worth least goes first; of equal worth, what comes first in the order of
 * the codestream, as far as it must. Then what still fits comes back, block by
 * block in that order. */
uint64_t paco_rate_cut (
    const PacoRateBlocks *blocks, uint64_t budget, uint8_t *lost);
