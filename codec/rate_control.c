/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Decides how a frame with a budget is coded; rate_control.h says for whom and when. It
 * calls rate_estimate.h. */
#include "rate_control.h"

/* A frame is coded at most so many times. */
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
