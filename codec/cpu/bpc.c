/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Chooses the block coder by the machine's instruction sets (processors.h), and fills
 * in what a block coder has to know of a block; bpc.h says for whom. */
#include "codec/cpu/bpc_private.h"
#include "codec/cpu/processors.h"
#include "codec/decoder_private.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* What has margins is cleared. All else is written before it is read, so that a small
 * picture touches few pages of it. */
PacoBpcScratch *
paco_bpc_scratch_new (void)
{
  PacoBpcScratch *scratch = NULL;

  if (posix_memalign ((void **) &scratch, 64, sizeof *scratch) != 0)
    return NULL;
  memset ((uint8_t *) scratch + offsetof (PacoBpcScratch, negative), 0,
      offsetof (PacoBpcScratch, sign_values)
          - offsetof (PacoBpcScratch, negative));
  for (unsigned z = 0; z < sizeof scratch->density_classes; z++)
    scratch->density_classes[z] = (uint8_t) paco_local_density_class (z);
  return scratch;
}

void
paco_bpc_scratch_free (PacoBpcScratch *scratch)
{
  free (scratch);
}

PacoBpcBlock
paco_bpc_block (const PacoGeometry *geometry, const PacoCoding *coding,
    const PacoProbabilitySet *carried_set, uint32_t i)
{
  const PacoCodeblock *block = &geometry->blocks[i];
  const PacoSubband *subband = &geometry->subbands[block->subband];
  unsigned c = subband->component, entry = subband->entry;

  return (PacoBpcBlock){
    .width = block->width,
    .height = block->height,
    .orientation = subband->orientation,
    .coding_passes = coding->coding_passes,
    .reconstruction = coding->reconstruction,
    .fraction_bits = coding->subbands[c][entry].fraction_bits,
    .reversible = paco_is_reversible (coding, c),
    .step = paco_step_decode (coding->subbands[c][entry].step),
    .x = block->x,
    .y = block->y,
    .family = coding->components[c].family,
    .sets = paco_coding_family (coding, carried_set, c),
  };
}

gboolean
paco_decode_block_on_host (const PacoGeometry *geometry,
    const PacoCoding *coding, const PacoProbabilitySet *carried_set, uint32_t i,
    const PacoBlockRecord *record, const uint8_t *bytes,
    PacoCoefficient *coefficients)
{
  PacoBpcBlock block = paco_bpc_block (geometry, coding, carried_set, i);
  PacoBpcScratch *scratch = paco_bpc_scratch_new ();
  gboolean well = FALSE;

  if (!scratch)
    return FALSE;
  block.coefficients = coefficients;
  block.stride = block.width;
  well = paco_bpc_ops ()->decode (scratch, &block, record, bytes);
  paco_bpc_scratch_free (scratch);
  return well;
}

const PacoBpcOps *
paco_bpc_ops (void)
{
  return paco_bpc_all_ops ()[0];
}

/* The fastest comes first. */
const PacoBpcOps *const *
paco_bpc_all_ops (void)
{
#if defined(__x86_64__)
  static const PacoBpcOps *const all[] = { &paco_bpc_ops_avx512,
    &paco_bpc_ops_avx2, &paco_bpc_ops_plain, NULL };

  return all + (paco_cpu_has_avx512 () ? 0 : paco_cpu_has_avx2 () ? 1 : 2);
#elif defined(__AARCH64EL__)
  static const PacoBpcOps *const all[] = { &paco_bpc_ops_neon,
    &paco_bpc_ops_plain, NULL };

  return all;
#else
  static const PacoBpcOps *const all[] = { &paco_bpc_ops_plain, NULL };

  return all;
#endif
}
