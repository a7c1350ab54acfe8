/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Cuts (FORMAT.md section 7.7): a block loses its last bitplanes without being coded
 * again, as all that was coded up to the end of a plane lies in the codewords reserved
 * by then. The block coders of the CPU and the reference note where a block can be cut;
 * encoders with a budget and frame_cut.c cut. */
#pragma once
#include "index.h"

/* Where a coded block can be cut: at the end of plane p cut[p] codewords are reserved.
 * It is 0 where the block cannot be cut: above the highest plane, in raw planes, and
 * at the end of a plane whose signs are raw. */
typedef struct
{
  uint16_t codewords[PACO_MAX_PLANES];
} PacoCutPoints;

/* Changes the record of a block to one that keeps the planes from `plane` on, with so
 * many codewords. The caller sets offset and check again. */
static inline void
paco_record_cut (PacoBlockRecord *record, unsigned plane, unsigned n_codewords)
{
  record->cut = true;
  record->dropped_planes = (uint8_t) plane;
  record->raw_planes = 0;
  record->raw_left_signs = false;
  record->length = (uint16_t) (4 * n_codewords);
}
