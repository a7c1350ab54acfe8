/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Concealment (FORMAT.md section 11): broken codeblocks of the lowest subbands are
 * replaced on the host before the backend sees the frame. decoder.c calls it for all
 * backends, frame by frame in the order of the stream.
 *
 * The block that stands for a broken one has what the block was in the last frame, or
 * what lies between its neighbours. All its planes are raw, so backends decode it like
 * any other block and need not know the last frame. */
#pragma once
#include "index.h"

G_BEGIN_DECLS

/* A stream needs this number of levels. Then at most a 64th of a frame's samples is kept,
 * which costs next to nothing. */
#define PACO_CONCEALED_LEVELS 4

/* Returns how many blocks, the first ones of a frame, may be concealed: those of LL
 * and of the coarsest level, as far as a decoder that leaves out `reduce` levels
 * needs them. */
static inline uint32_t
paco_n_concealed_blocks (const PacoGeometry *geometry, unsigned reduce)
{
  if (geometry->levels < PACO_CONCEALED_LEVELS)
    return 0;
  return geometry->n_blocks_at[MAX (geometry->levels - 1, reduce)];
}

/* A dequantised coefficient. It is i in a component of a reversible wavelet, else f. */
typedef union
{
  int32_t i;
  float f;
} PacoCoefficient;

/* Decodes block i of a frame on the host, line by line without gaps. Returns FALSE if
 * the block is broken; its check is not looked at. carried_set may be NULL. */
typedef gboolean (*PacoDecodeBlockFunc) (const PacoGeometry *geometry,
    const PacoCoding *coding, const PacoProbabilitySet *carried_set, uint32_t i,
    const PacoBlockRecord *record, const uint8_t *bytes,
    PacoCoefficient *coefficients);

/* The bytes of blocks that stand for broken ones of a frame. The memory is used again
 * for the next frame, and freed by paco_repairs_clear(). */
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
/* Forgets the last frame. */
void paco_concealer_forget (PacoConcealer *concealer);

/* Marks the records of blocks whose check differs as broken. */
void paco_conceal_find_broken (const PacoConcealFrame *frame);

/* Replaces broken blocks, as far as there is something to put in their place. The
 * record of such a block is no longer broken but replaced, and its offset is in
 * repairs. Afterwards the frame is the last one. Returns how many blocks were
 * replaced. */
uint32_t paco_conceal (PacoConcealer *concealer, const PacoConcealFrame *frame,
    PacoRepairs *repairs);

G_END_DECLS
