/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What the reference's decoder.c needs to put something in the place of broken
 * blocks (FORMAT.md section 11). */
#pragma once
#include "codec/reference/reference.h"

/* The frame has these n coefficients in block i of the n_blocks that may be
 * concealed; samples is NULL if it does not have the block. */
void paco_reference_keep (PacoReferenceConcealer *concealer, uint32_t n_blocks,
    uint32_t i, const PacoReferenceSample *samples, size_t n);
/* It is decoded, and the last one of its form from now on. */
void paco_reference_next_frame (
    PacoReferenceConcealer *concealer, unsigned form);
/* What the last one had, or NULL. */
const PacoReferenceSample *paco_reference_last (
    const PacoReferenceConcealer *concealer, unsigned form, uint32_t i);

/* A coefficient of a component of a reversible wavelet, or of another one. */
double paco_reference_number (PacoReferenceSample sample, bool reversible);

/* The blocks beside one; samples is NULL where there is none that is sound. */
typedef struct
{
  unsigned width, height;
  PacoReferenceSample *samples; /* row by row */
} PacoReferenceNeighbor;

enum
{
  PACO_REFERENCE_LEFT,
  PACO_REFERENCE_RIGHT,
  PACO_REFERENCE_ABOVE,
  PACO_REFERENCE_BELOW,
};

/* What a coefficient at x, y of a block is, going by its neighbours, of which there
 * is one at least. */
double paco_reference_between (const PacoCodeblock *block,
    const PacoReferenceNeighbor neighbors[4], bool reversible, unsigned x,
    unsigned y);

/* The quantiser index that stands for x, with no planes dropped. */
int32_t paco_reference_quantize_again (
    double x, bool reversible, float step, unsigned reconstruction);
