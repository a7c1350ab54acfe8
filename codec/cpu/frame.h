/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The coefficients of a frame in flight, and the transforms between them and
 * the samples, shared out to the workers. Encoder and decoder have one per
 * flight. */
#pragma once
#include "codec/cpu/bpc.h"
#include "codec/cpu/dwt.h"
#include "codec/coder_private.h"
#include "codec/cpu/workers.h"

typedef struct
{
  const PacoRowOps *ops;
  PacoWorkers *workers;
  const PacoCoder *coder; /* the frame is flight number `flight` of it */
  unsigned flight;
  const PacoPictureFormat *format;
  const PacoCoding *coding; /* only what all frames have in common */
  const PacoGeometry *geometry;
  unsigned reduce; /* levels left out */

  PacoCoefficients coefficients[2][PACO_MAX_COMPONENTS]; /* [field] */
  PacoWord *memory;
  /* A part of it that is of use only during the transform. */
  PacoWord *inner;
  size_t inner_size; /* bytes */
} PacoFrame;

/* Allocates the coefficients; all fields before them are set. Error MEMORY. */
gboolean paco_frame_init (PacoFrame *frame, GError **error);
void paco_frame_clear (PacoFrame *frame);

/* All return early when the frame has been abandoned. */
void paco_frame_forward (PacoFrame *frame, const PacoPicture *picture);
void paco_frame_inverse (PacoFrame *frame, const PacoPicture *picture);
/* The same as the inverse when all coefficients are zero, whose memory it does
 * not touch. */
void paco_frame_inverse_of_zero (PacoFrame *frame, const PacoPicture *picture);

bool paco_frame_is_abandoned (const PacoFrame *frame);

/* What the block coder is to know of block number i in the frames of coding;
 * what is for encoders only is left 0. carried_set may be NULL. */
PacoBpcBlock paco_frame_block (const PacoFrame *frame, const PacoCoding *coding,
    const PacoProbabilitySet *carried_set, uint32_t i);
