/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Cuts (FORMAT.md section 7.6): a block that loses its last bitplanes without
 * being coded again. What was coded up to the end of a plane lies in the codewords
 * reserved by then. */
#pragma once
#include "index.h"

/* Where a coded block can be cut: codewords[p] of them are reserved at the end of
 * plane p. 0 where there is no cut: above the highest plane, in raw planes, and
 * at the end of a plane whose signs fill the codewords. */
typedef struct
{
  uint16_t codewords[PACO_MAX_PLANES];
} PacoCutPoints;

/* The record of a block that keeps the planes from `plane` on, with so many
 * codewords; offset and check are to be made anew. */
static inline void
paco_record_cut (PacoBlockRecord *record, unsigned plane, unsigned n_codewords)
{
  record->cut = true;
  record->dropped_planes = (uint8_t) plane;
  record->raw_planes = 0;
  record->raw_left_signs = false;
  record->length = (uint16_t) (4 * n_codewords);
}
