/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Chooses what blocks lose so that a frame fits its budget; rate_cut.h says for whom.
 * gpu/kernels/rate.cu does the same on a device. */
#include "rate_cut.h"
#include <string.h>

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
