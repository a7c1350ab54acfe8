/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Decides how a frame with a budget is coded; rate_control.h says for whom and when. It
 * calls rate_estimate.h. */
#include "rate_control.h"
#include <string.h>

/* A frame is coded at most four times. */
#define MAX_ATTEMPTS 4

/* A frame below LEAST is coded once more with a finer step, and one above MOST with a
 * coarser step, since a step that fits is better than cuts. */
#define LEAST(budget) ((budget) - (budget) / 100)
#define MOST(budget) ((budget) + (budget) / 32)
/* A frame that is coded without loss and not larger than this is better, even after it
 * has been cut, than one with a step that fits. */
#define MOST_LOSSLESS(budget) ((budget) + (budget) / 24)

void
paco_rate_begin (PacoRateAttempt *attempt, const PacoRateTable *table,
    unsigned n_components, bool can_be_lossless, uint64_t budget,
    const PacoRateHistory *history)
{
  *attempt = (PacoRateAttempt){
    .table = table,
    .n_components = n_components,
    .can_be_lossless = can_be_lossless,
    .budget = budget,
    .lossless = can_be_lossless && history->lossless,
    .coarsest = table->n_numbers - 1,
    .history = *history,
  };
}

bool
paco_rate_step (PacoRateAttempt *attempt, const PacoRateBits *sums)
{
  const PacoRateTable *table = attempt->table;
  unsigned n_entries = table->n_entries * attempt->n_components;
  uint64_t lossless;

  attempt->estimated_finest = paco_rate_estimate (
      table->steps, sums, n_entries);
  lossless = attempt->estimated_finest * attempt->history.lossless_ratio
      / PACO_RATE_CORRECTION_ONE;
  if (attempt->can_be_lossless && lossless <= MOST_LOSSLESS (attempt->budget)) {
    attempt->lossless = true;
    return false;
  }
  attempt->number = paco_rate_choose (table->steps, sums, n_entries,
      attempt->finest, attempt->coarsest, attempt->budget,
      attempt->history.correction);
  attempt->estimated = paco_rate_estimate (
      table->steps + (size_t) attempt->number * n_entries, sums, n_entries);
  return true;
}

static bool
again_with_loss (PacoRateAttempt *attempt, uint64_t bytes)
{
  if (attempt->estimated_finest > 0)
    attempt->history.lossless_ratio = paco_rate_correction (
        bytes, attempt->estimated_finest);
  attempt->fits = bytes <= MOST_LOSSLESS (attempt->budget);
  if (attempt->fits)
    return false;
  attempt->lossless = attempt->can_be_lossless = false;
  return true;
}

bool
paco_rate_again (PacoRateAttempt *attempt, uint64_t bytes)
{
  bool too_few = bytes < LEAST (attempt->budget);
  bool too_many = bytes > MOST (attempt->budget);

  if (attempt->lossless)
    return again_with_loss (attempt, bytes);
  attempt->history.correction = paco_rate_correction (
      bytes, attempt->estimated);
  if (too_few && attempt->number > attempt->finest)
    attempt->coarsest = attempt->number - 1;
  else if (too_many && attempt->number < attempt->coarsest)
    attempt->finest = attempt->number + 1;
  else
    return false;
  return ++attempt->attempt < MAX_ATTEMPTS;
}

PacoRateHistory
paco_rate_end (const PacoRateAttempt *attempt)
{
  PacoRateHistory history = attempt->history;

  history.lossless = attempt->lossless && attempt->fits;
  return history;
}

/* --- cuts --- */

/* Returns how many cuts a block has, with the one that leaves nothing. */
static unsigned
n_cuts (const PacoRateCuts *cuts)
{
  return cuts->zero ? 0 : cuts->n + 1u;
}

static uint32_t
bytes_after (const PacoRateBlocks *blocks, uint32_t i, unsigned lost)
{
  const PacoRateCuts *cuts = &blocks->cuts[i];
  uint32_t bytes;

  if (lost == 0)
    return blocks->bytes[i];
  bytes = (uint32_t) paco_rate_cut_bytes (cuts, lost - 1, blocks->checks);
  if (blocks->cut_points && lost <= cuts->n)
    bytes += PACO_RATE_POINTS_BYTES (cuts->n - lost);
  return bytes;
}

/* Returns how many bytes the block loses with one cut more than `lost`. */
static uint32_t
piece (const PacoRateBlocks *blocks, uint32_t i, unsigned lost)
{
  return bytes_after (blocks, i, lost) - bytes_after (blocks, i, lost + 1);
}

uint64_t
paco_rate_cut (const PacoRateBlocks *blocks, uint64_t budget, uint8_t *lost)
{
  uint64_t saved[PACO_RATE_WORTHS] = { 0 }, total = 0, left;
  unsigned worth = 0;

  memset (lost, 0, blocks->n_blocks);
  for (uint32_t i = 0; i < blocks->n_blocks; i++) {
    total += blocks->bytes[i];
    for (unsigned k = 0; k < n_cuts (&blocks->cuts[i]); k++)
      saved[blocks->cuts[i].worth[k]] += piece (blocks, i, k);
  }
  if (total <= budget)
    return total;

  /* All that is worth less than `worth` goes, and a part of what is worth just that. */
  left = total;
  while (worth < PACO_RATE_WORTHS - 1 && left - saved[worth] > budget)
    left -= saved[worth++];
  total = left;
  for (uint32_t i = 0; i < blocks->n_blocks; i++) {
    const PacoRateCuts *cuts = &blocks->cuts[i];

    while (lost[i] < n_cuts (cuts) && cuts->worth[lost[i]] < worth)
      lost[i]++;
    while (lost[i] < n_cuts (cuts) && cuts->worth[lost[i]] == worth
        && total > budget)
      total -= piece (blocks, i, lost[i]++);
  }

  for (uint32_t i = 0; i < blocks->n_blocks; i++)
    while (lost[i] > 0 && piece (blocks, i, lost[i] - 1u) <= budget - total)
      total += piece (blocks, i, --lost[i]);
  return total;
}
