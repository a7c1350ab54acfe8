/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What a frame with a budget needs besides its blocks: counts of its coefficients,
 * and the cuts that make it fit (codec/rate_control.h). The encoder has one in each
 * flight. */
#pragma once
#include "codec/cpu/frame.h"
#include "codec/encoder_private.h"
#include "codec/rate_cut.h"
#include "codec/rate_table.h"

/* Sums of all components' entries. */
typedef PacoRateBits PacoCpuSums[PACO_MAX_COMPONENTS * PACO_MAX_SUBBANDS];

typedef struct
{
  unsigned n_workers;
  PacoCpuSums
      *sums; /* one for each worker; the first ends up as the sum of all */
  PacoRateCuts *cuts;
  uint32_t *bytes; /* of each block, in index and payload */
  uint8_t *lost;
} PacoCpuBudget;

/* Returns FALSE if there is no memory. It has to be cleared in any case. */
bool paco_cpu_budget_init (
    PacoCpuBudget *budget, unsigned n_workers, uint32_t n_blocks);
void paco_cpu_budget_clear (PacoCpuBudget *budget);

/* Counts a transformed frame; returns the sums of all blocks. */
const PacoRateBits *paco_cpu_budget_count (PacoCpuBudget *budget,
    const PacoFrame *frame, const PacoRateTable *table,
    const PacoEncoderJob *job, bool checks);

/* Cuts the blocks to so many bytes of index and payload. Checks are not made anew; the
 * caller does that for blocks whose lost[] is not 0. */
void paco_cpu_budget_cut (PacoCpuBudget *budget, PacoBlockRecord *records,
    uint32_t n_blocks, const PacoCoding *coding, uint64_t bytes);
