/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What the reference's decoder.c needs to put something in the place of broken
 * blocks (FORMAT.md section 11). */
#pragma once
#include "codec/reference/reference.h"

/* Keeps the n coefficients that the frame has in block i of the n_blocks that may be
 * concealed; samples is NULL if the frame does not have the block. */
void paco_reference_keep (PacoReferenceConcealer *concealer, uint32_t n_blocks,
    uint32_t i, const PacoReferenceSample *samples, size_t n);
/* Says that the frame is decoded, so that it is the last one of its form now. */
void paco_reference_next_frame (
    PacoReferenceConcealer *concealer, unsigned form);
/* Returns what the last frame had in block i, or NULL. */
const PacoReferenceSample *paco_reference_last (
    const PacoReferenceConcealer *concealer, unsigned form, uint32_t i);

/* A coefficient as a number; reversible says which member of the union it is. */
double paco_reference_number (PacoReferenceSample sample, bool reversible);

/* A block beside another one; samples is NULL if there is none or it is not sound. */
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

/* The coefficient at x, y of a block as it follows from its neighbours, of which
 * there must be one. */
double paco_reference_between (const PacoCodeblock *block,
    const PacoReferenceNeighbor neighbors[4], bool reversible, unsigned x,
    unsigned y);

/* The quantiser index that stands for x, with no planes dropped. */
int32_t paco_reference_quantize_again (
    double x, bool reversible, float step, unsigned reconstruction);
