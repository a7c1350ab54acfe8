/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The color transforms (FORMAT.md section 5) as rows of a table, which C and CUDA
 * include: what policy.c, quantizer.c and the backends need to know of a transform besides
 * its formulas. */
#pragma once
#include "lifting.h"

typedef enum
{
  PACO_COLOR_TRANSFORM_NONE,
  PACO_COLOR_TRANSFORM_RCT,
  PACO_COLOR_TRANSFORM_ICT,
  PACO_COLOR_TRANSFORM_RCT2,
  PACO_COLOR_TRANSFORM_MATRIX,     /* irreversible, its inverse in the header */
  PACO_COLOR_TRANSFORM_FIT,        /* reversible, with parameters (fit.h) */
  PACO_COLOR_TRANSFORM_MOSAIC = 7, /* of neighbors in a mosaic (mosaic.h) */
  PACO_N_COLOR_TRANSFORMS,
} PacoColorTransform;

typedef struct
{
  const char *name;    /* NULL: FORMAT.md keeps the number for later */
  bool mixes_integers; /* with an irreversible wavelet, rounded numbers */
  /* How large a component's numbers can become, if samples are at most 1. */
  double range[4];
  /* How much an error of 1 in a component changes the picture, relative to luma: the
   * norm of its column of the inverse transform. */
  double norm[4];
} PacoColorTransformRow;

#define PACO_SQRT_3 1.7320508

/* Rows stand in the order of PacoColorTransform; C++ knows no designators. */
PACO_CONSTANT PacoColorTransformRow
    paco_color_transforms[PACO_N_COLOR_TRANSFORMS] = {
      { "none", false, { 1, 1, 1, 1 }, { 1, 1, 1, 1 } },
      { "rct", true, { 1, 2, 2, 1 }, { 1, 0.47871355, 0.47871355, 1 } },
      { "ict", false, { 1, 1, 1, 1 }, { 1, 1.04218, 0.90841, 1 } },
      { "rct2", true, { 1, 2, 2, 1 }, { 1, 0.47871355, 0.40824829, 1 } },
      /* Encoders take orthonormal ones (matrix.h). */
      { "matrix", false, { PACO_SQRT_3, PACO_SQRT_3, PACO_SQRT_3, 1 },
          { 1 / PACO_SQRT_3, 1 / PACO_SQRT_3, 1 / PACO_SQRT_3, 1 } },
      /* As encoders take it with loss (PACO_FIT_USUAL). */
      { "rct-fit", true, { 1, 2, 2, 1 }, { 1, 0.57735027, 0.40824829, 1 } },
      {},
      { "mosaic", true, { 2, 2, 2, 2 }, { 1, 1.18, 0.93, 1 } },
    };

/* Returns how many components a transform mixes: the first 3, or the 4 of a mosaic. */
static inline unsigned
paco_color_transform_components (unsigned transform)
{
  return transform == PACO_COLOR_TRANSFORM_NONE  ? 0
      : transform == PACO_COLOR_TRANSFORM_MOSAIC ? 4
                                                 : 3;
}

/* Says whether a transform mixes the first three components of each pixel. */
static inline bool
paco_color_transform_is_of_pixels (unsigned transform)
{
  return transform != PACO_COLOR_TRANSFORM_NONE
      && transform != PACO_COLOR_TRANSFORM_MOSAIC;
}
