/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes a coded frame fit its budget: it says which cut each block gets. The
 * encoders of the CPU and the reference call it, and frame_cut.c. */
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

/* Sets lost[i] to how many of its n cuts block i is to lose; with n + 1 the block
 * becomes zero. All blocks together then take at most `budget` bytes, which must be
 * n_blocks at least. Returns how many they take.
 *
 * What is worth least goes first. Of what is worth the same, blocks that come first
 * in the codestream lose theirs first, until enough is gone. Then what still fits
 * comes back, block by block in the same order. */
uint64_t paco_rate_cut (
    const PacoRateBlocks *blocks, uint64_t budget, uint8_t *lost);
