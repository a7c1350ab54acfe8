/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Counts the coefficients of a frame with a budget, and cuts its blocks; budget.h says
 * for whom. Workers count in parallel, by count_tops() of rows.h; codec/rate_cut.c
 * chooses the cuts. */
#include "codec/cpu/budget.h"
#include "codec/cpu/memory.h"
#include "codec/cut.h"
#include <string.h>

#define COUNT_CHUNK 8 /* blocks counted at a time */

bool
paco_cpu_budget_init (
    PacoCpuBudget *budget, unsigned n_workers, uint32_t n_blocks)
{
  budget->n_workers = n_workers;
  budget->sums = paco_memory_new (n_workers, sizeof *budget->sums);
  budget->cuts = paco_memory_new (n_blocks, sizeof *budget->cuts);
  budget->bytes = paco_memory_new (n_blocks, sizeof *budget->bytes);
  budget->lost = paco_memory_new (n_blocks, sizeof *budget->lost);
  return budget->sums && budget->cuts && budget->bytes && budget->lost;
}

void
paco_cpu_budget_clear (PacoCpuBudget *budget)
{
  g_clear_pointer (&budget->sums, paco_memory_free);
  g_clear_pointer (&budget->cuts, paco_memory_free);
  g_clear_pointer (&budget->bytes, paco_memory_free);
  g_clear_pointer (&budget->lost, paco_memory_free);
}

typedef struct
{
  PacoCpuBudget *budget;
  const PacoFrame *frame;
  const PacoRateTable *table;
  const PacoEncoderJob *job;
  bool checks;
} Count;

static void
count_block (void *data, uint32_t i, unsigned worker)
{
  const Count *count = data;
  const PacoGeometry *geometry = count->frame->geometry;
  const PacoSubband *subband = &geometry->subbands[geometry->blocks[i].subband];
  PacoBpcBlock block = paco_frame_block (
      count->frame, count->frame->coding, NULL, i);
  float scale = block.reversible
      ? 0.0f
      : count->table->scale[subband->component][subband->entry];
  bool all = (uint64_t) subband->width * subband->height <= PACO_RATE_COUNT_ALL;
  PacoRateBits *sum =
      &count->budget->sums[worker][subband->component * count->table->n_entries
          + subband->entry];
  uint32_t top[PACO_RATE_PLANES] = { 0 }, bits[PACO_RATE_PLANES + 1];
  unsigned lost = paco_areas_planes (&count->job->areas, count->frame->format,
      count->frame->coding, geometry, i, count->job->area_planes);
  uint32_t n_lines;

  n_lines = count->frame->ops->count_tops (block.coefficients, block.stride,
      block.width, block.height, all, scale, top);
  paco_rate_block_bits (top, n_lines * block.width,
      (uint32_t) block.height * block.width, count->checks, bits);
  for (unsigned j = 0; j <= PACO_RATE_PLANES; j++)
    sum->bits[j] += bits[MIN (j + lost, PACO_RATE_PLANES)];
}

const PacoRateBits *
paco_cpu_budget_count (PacoCpuBudget *budget, const PacoFrame *frame,
    const PacoRateTable *table, const PacoEncoderJob *job, bool checks)
{
  Count count = { budget, frame, table, job, checks };

  memset (budget->sums, 0, budget->n_workers * sizeof *budget->sums);
  paco_workers_run (frame->workers, frame->geometry->n_blocks, COUNT_CHUNK,
      count_block, &count);
  for (unsigned w = 1; w < budget->n_workers; w++)
    for (unsigned e = 0; e < table->n_entries * frame->format->n_components;
         e++)
      for (unsigned j = 0; j <= PACO_RATE_PLANES; j++)
        budget->sums[0][e].bits[j] += budget->sums[w][e].bits[j];
  return budget->sums[0];
}

void
paco_cpu_budget_cut (PacoCpuBudget *budget, PacoBlockRecord *records,
    uint32_t n_blocks, const PacoCoding *coding, uint64_t bytes)
{
  PacoRateBlocks blocks = { budget->cuts, budget->bytes, n_blocks,
    coding->block_checks, coding->cut_points };

  paco_rate_cut (&blocks, bytes, budget->lost);
  for (uint32_t i = 0; i < n_blocks; i++) {
    PacoRateCuts *cuts = &budget->cuts[i];
    unsigned cut = budget->lost[i] - 1u;

    if (budget->lost[i] == 0)
      continue;
    if (cut == cuts->n) {
      records[i] = (PacoBlockRecord){ 0 };
    } else {
      paco_record_cut (&records[i], cuts->plane[cut], cuts->codewords[cut]);
      paco_rate_forget_cuts (cuts, cut + 1);
    }
  }
}
