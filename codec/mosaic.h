/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The color transform of mosaics (FORMAT.md section 5.1): steps that predict samples of
 * one component from their neighbors in the mosaic. The CPU and CUDA backends do them, in
 * planes of 16 bits. */
#pragma once
#include "header.h"

#define PACO_MOSAIC_STEPS 4
#define PACO_MOSAIC_DEPTH 16 /* bits of the planes that are coded */
#define PACO_MOSAIC_HALF (1 << (PACO_MOSAIC_DEPTH - 1))
#define PACO_MAX_MOSAIC_WEIGHT 8 /* of green, in eighths */

/* A step changes the samples of a component by the sum of four neighbors. If it is
 * diagonal, they are those at the corners, all of component beside, which is above as
 * well. Otherwise two of them are those on the left and on the right, of component
 * beside, and two those above and below, of component above. */
typedef struct
{
  uint8_t component, beside, above;
  bool diagonal;
  int8_t weight; /* of the sum, in 1/32 */
} PacoMosaicStep;

/* Returns step k, 0..PACO_MOSAIC_STEPS - 1, of a mosaic that can be transformed. The
 * inverse undoes them from the last one to the first. */
PacoMosaicStep paco_mosaic_step (
    const PacoPictureFormat *format, const PacoCoding *coding, unsigned k);

/* Says whether components 0 and 3, red and blue, lie diagonally in the cells of a
 * mosaic, as the transform wants them. */
bool paco_mosaic_is_usual (const PacoPictureFormat *format);

/* Returns the format of the planes that are coded: samples of PACO_MOSAIC_DEPTH bits. */
PacoPictureFormat paco_mosaic_planes (const PacoPictureFormat *format);
