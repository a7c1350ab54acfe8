/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The coefficients of a frame in flight, and the transforms between them and
 * the samples, shared out to the workers. Encoder and decoder have one per flight
 * and form. */
#pragma once
#include "codec/cpu/bpc.h"
#include "codec/cpu/dwt.h"
#include "codec/cpu/mosaic.h"
#include "codec/coder_private.h"
#include "codec/sample_map.h"
#include "codec/cpu/workers.h"

typedef struct
{
  const PacoRowOps *ops;
  PacoWorkers *workers;
  const PacoCoder *coder; /* the frame is flight number `flight` of it */
  unsigned flight;
  const PacoPictureFormat *format;
  /* What frames have in common, and the wavelets of the one that is coded. */
  const PacoCoding *coding;
  const PacoGeometry *geometry;
  unsigned reduce;            /* levels left out */
  const PacoSampleMaps *maps; /* of the frame that is coded */

  PacoCoefficients coefficients[2][PACO_MAX_COMPONENTS]; /* [field] */
  PacoWord *memory; /* also that of the flight's frame of the other form */
  bool past_caches; /* where the decoder writes coefficients */
  /* The part of the memory that only the transform needs. */
  PacoWord *inner;
  size_t inner_size; /* bytes */
  PacoMosaic mosaic; /* of a mosaic, for its color transform */
} PacoFrame;

/* Allocates the coefficients of a flight's frames, one for each form, of which only one
 * is coded at a time. The caller has set all fields before `coefficients` in those that
 * have a geometry. Error MEMORY. */
gboolean paco_frames_init (PacoFrame frames[PACO_N_FORMS], GError **error);
void paco_frames_clear (PacoFrame frames[PACO_N_FORMS]);

/* Makes the decoder's coefficients of a component int16_t if they are narrow, else words.
 * Returns whether they were not so before: then those in memory are of no use. */
bool paco_frame_set_narrow (PacoFrame *frame, unsigned component, bool narrow);

/* These transform a frame. They return early when it has been abandoned. */
void paco_frame_forward (PacoFrame *frame, const PacoPicture *picture);
void paco_frame_inverse (PacoFrame *frame, const PacoPicture *picture);
/* Does the inverse when all coefficients are zero. It does not touch their memory. */
void paco_frame_inverse_of_zero (PacoFrame *frame, const PacoPicture *picture);

bool paco_frame_is_abandoned (const PacoFrame *frame);

/* Returns how many codeblocks are coded: those of levels that are left out are not. */
static inline uint32_t
paco_frame_n_blocks (const PacoFrame *frame)
{
  return frame->geometry->n_blocks_at[frame->reduce];
}

/* Describes block number i to the block coder, in frames that are coded like this. What
 * only encoders need is left 0. carried_set may be NULL. */
PacoBpcBlock paco_frame_block (const PacoFrame *frame, const PacoCoding *coding,
    const PacoProbabilitySet *carried_set, uint32_t i);
/* Sets cells, map, x and y of block number i, if its subband uses the step map; cells:
 * of the frame's map, or NULL. */
void paco_frame_use_map (const PacoFrame *frame, const PacoCoding *coding,
    const uint8_t *cells, uint32_t i, PacoBpcBlock *block);
