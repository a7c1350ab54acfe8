/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Decides how a frame with a budget is coded: with which step number, whether without
 * loss, and whether once more; and which cut each of its blocks gets then. The encoders of
 * all backends and the reference call it, so that they do the same.
 *
 *   PacoRateAttempt attempt;
 *   paco_rate_begin (&attempt, ...);
 *   do {
 *     transform, if attempt.lossless has changed; if not lossless, count
 *     if not lossless: paco_rate_step (&attempt, sums);   (this may change lossless:
 *                                                          then begin the loop again)
 *     code all blocks
 *   } while (paco_rate_again (&attempt, bytes));
 *   cut what is too much (paco_rate_cut())
 */
#pragma once
#include "rate_estimate.h"
#include "rate_table.h"
#include "rate_worth.h"

/* Frame n learns from frame n - 16, or from the first frame of its stream if there is
 * none. No more than 16 frames can be in flight. */
#define PACO_RATE_DISTANCE 16

/* What later frames learn from a frame. */
typedef struct
{
  uint32_t correction; /* paco_rate_correction() */
  /* The bytes of the frame without loss, divided by those estimated for step number 0,
   * times PACO_RATE_CORRECTION_ONE. */
  uint32_t lossless_ratio;
  bool lossless; /* it was coded without loss, and had little to be cut */
} PacoRateHistory;

/* What the first frame of a stream takes: means of the corpus. */
#define PACO_RATE_NO_HISTORY                                                   \
  {                                                                            \
    .correction = PACO_RATE_FIRST_CORRECTION,                                  \
    .lossless_ratio = PACO_RATE_CORRECTION_ONE * 4 / 5                         \
  }

typedef struct
{
  const PacoRateTable *table;
  unsigned n_components;
  bool can_be_lossless;
  uint64_t budget; /* of index and payload */

  bool lossless;    /* how the frame is to be coded now */
  unsigned number;  /* its step number, if not */
  unsigned attempt; /* 0, 1, ... */
  unsigned finest, coarsest;
  bool has_counts; /* for the encoder: its sums are made */
  bool fits;       /* coded without loss it had little to be cut */
  uint64_t estimated, estimated_finest;
  PacoRateHistory history; /* learned before, and updated by this frame */
} PacoRateAttempt;

/* can_be_lossless: whether the frame may be coded without loss where the budget has
 * room for it. budget: bytes of the frame less those of its header. */
void paco_rate_begin (PacoRateAttempt *attempt, const PacoRateTable *table,
    unsigned n_components, bool can_be_lossless, uint64_t budget,
    const PacoRateHistory *history);

/* Chooses the step number from what the blocks' coefficients say, one sum for each
 * subband entry of each component. FALSE: the frame is to be coded without loss
 * instead. */
bool paco_rate_step (PacoRateAttempt *attempt, const PacoRateBits *sums);

/* Says whether the frame, which takes `bytes` bytes of index and payload, is to be
 * coded once more; then the attempt says how. If not, only cuts are left to be made. */
bool paco_rate_again (PacoRateAttempt *attempt, uint64_t bytes);

/* Returns what later frames learn from this one. */
PacoRateHistory paco_rate_end (const PacoRateAttempt *attempt);

/* --- cuts --- */

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

/* Returns how many of a frame's bytes of index and payload are left for its blocks, when
 * they are cut, and its step map takes *map_size. A frame that has no room for both loses
 * all blocks, and so its map. */
static inline uint64_t
paco_rate_bytes_without_map (
    uint64_t bytes, uint32_t n_blocks, PacoCoding *coding, uint32_t *map_size)
{
  if (*map_size + (uint64_t) n_blocks <= bytes)
    return bytes - *map_size;
  coding->step_map = false;
  *map_size = 0;
  return n_blocks;
}
