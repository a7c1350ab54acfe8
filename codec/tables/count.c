/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Counts symbols for train.c and estimate.c (count.h): the reference codes the picture
 * and says what it has coded of each block. */
#include "codec/tables/count.h"
#include "codec/policy_set.h"

static void
add_block (void *data, unsigned subband, const PacoBlockRecord *record,
    const PacoBlockCounts *of_block, const PacoReferenceCounts *counts)
{
  GArray *blocks = data;
  const uint64_t (*n)[2] = counts->symbols[0];
  CountedBlock block = { .subband = subband, .raw_bits = counts->raw_bits };

  if (record->planes == 0)
    return;
  block.cell = paco_policy_set_cell (of_block->orientation, record->planes,
      record->dropped_planes, of_block->top, of_block->pairs,
      of_block->n_coefficients);
  block.counts = g_new (SymbolCount, PACO_N_ROWS * PACO_N_CONTEXTS);
  for (unsigned i = 0; i < PACO_N_ROWS * PACO_N_CONTEXTS; i++)
    if (n[i][0] + n[i][1] > 0)
      block.counts[block.n_counts++] = (SymbolCount){ .place = i,
        .n = { n[i][0], n[i][1] } };
  block.counts = g_renew (SymbolCount, block.counts, block.n_counts);
  g_array_append_val (blocks, block);
}

gboolean
count_blocks (const PacoPictureFormat *format, const PacoPicture *picture,
    const PacoParameters *parameters, GArray *blocks, GError **error)
{
  return paco_reference_count_blocks (
      format, picture, parameters, add_block, blocks, error);
}

void
counted_blocks_free (GArray *blocks)
{
  for (guint i = 0; i < blocks->len; i++)
    g_free (g_array_index (blocks, CountedBlock, i).counts);
  g_array_unref (blocks);
}
