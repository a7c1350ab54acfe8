/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Concealment: what stands for broken codeblocks of the lowest subbands, on the host
 * and before the backend sees the frame (FORMAT.md section 11). decoder.c calls it
 * for all backends, frame by frame in the order of the stream.
 *
 * A block that is broken is replaced by another one, all of whose planes are raw:
 * what the block was in the last frame, or what lies between its neighbours. So
 * backends decode it like any other, and none has to know of the last frame. */
#pragma once
#include "index.h"

G_BEGIN_DECLS

/* Levels that a stream must have: what is kept of a frame is then a 64th of its
 * samples or less, and costs next to nothing. */
#define PACO_CONCEALED_LEVELS 4

/* Blocks of a frame, the first ones, that may be concealed if they are broken: those
 * of LL and of the coarsest level, as far as a decoder that leaves out `reduce`
 * levels needs them. */
static inline uint32_t
paco_n_concealed_blocks (const PacoGeometry *geometry, unsigned reduce)
{
  if (geometry->levels < PACO_CONCEALED_LEVELS)
    return 0;
  return geometry->n_blocks_at[MAX (geometry->levels - 1, reduce)];
}

/* A dequantised coefficient: i in a component of a reversible wavelet, else f. */
typedef union
{
  int32_t i;
  float f;
} PacoCoefficient;

/* Decodes block i of a frame on the host, row by row without gaps between them.
 * FALSE if it is broken, its check aside. carried_set may be NULL. */
typedef gboolean (*PacoDecodeBlockFunc) (const PacoGeometry *geometry,
    const PacoCoding *coding, const PacoProbabilitySet *carried_set, uint32_t i,
    const PacoBlockRecord *record, const uint8_t *bytes,
    PacoCoefficient *coefficients);

/* The bytes of blocks that stand for broken ones of a frame. Cleared by
 * paco_repairs_clear() only, and used again. */
typedef struct
{
  uint8_t *bytes;
  size_t size, capacity;
} PacoRepairs;

void paco_repairs_clear (PacoRepairs *repairs);

/* A frame whose index has been parsed. */
typedef struct
{
  const PacoGeometry *geometry;
  const PacoCoding *coding;
  const PacoProbabilitySet *carried_set; /* or NULL */
  const uint8_t *payload;
  PacoBlockRecord *records;
  unsigned form;   /* 0 or 1: geometry is another one */
  unsigned reduce; /* levels left out */
} PacoConcealFrame;

/* What a decoder keeps of the last frame of each form. */
typedef struct _PacoConcealer PacoConcealer;

PacoConcealer *paco_concealer_new (PacoDecodeBlockFunc decode);
void paco_concealer_free (PacoConcealer *concealer);
/* No frame is the last one any more. */
void paco_concealer_forget (PacoConcealer *concealer);

/* Marks the records of blocks whose check differs as broken. */
void paco_conceal_find_broken (const PacoConcealFrame *frame);

/* Replaces broken blocks, as far as there is something to put in their place: such
 * a record is not broken any more but replaced, and its offset is one in repairs.
 * The frame is the last one afterwards. Returns how many were replaced. */
uint32_t paco_conceal (PacoConcealer *concealer, const PacoConcealFrame *frame,
    PacoRepairs *repairs);

G_END_DECLS
