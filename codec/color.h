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
  PACO_N_COLOR_TRANSFORMS,
  PACO_COLOR_TRANSFORM_MATRIX = PACO_N_COLOR_TRANSFORMS,
} PacoColorTransform;

/* FORMAT.md keeps the transforms up to this one for later. */
#define PACO_LAST_RESERVED_COLOR_TRANSFORM 7

typedef struct
{
  const char *name;
  bool mixes_integers; /* with an irreversible wavelet, rounded numbers */
  /* How large a component's numbers can become, if samples are at most 1. */
  double range[3];
  /* How much an error of 1 in a component changes the picture, relative to luma: the
   * norm of its column of the inverse transform. */
  double norm[3];
} PacoColorTransformRow;

/* Rows stand in the order of PacoColorTransform; C++ knows no designators. */
PACO_CONSTANT PacoColorTransformRow
    paco_color_transforms[PACO_N_COLOR_TRANSFORMS] = {
      { "none", false, { 1, 1, 1 }, { 1, 1, 1 } },
      { "rct", true, { 1, 2, 2 }, { 1, 0.47871355, 0.47871355 } },
      { "ict", false, { 1, 1, 1 }, { 1, 1.04218, 0.90841 } },
      { "rct2", true, { 1, 2, 2 }, { 1, 0.47871355, 0.40824829 } },
    };
