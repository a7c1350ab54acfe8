/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The parameters of the kernel of layout.cu that does a step of the color transform of
 * mosaics (codec/mosaic.h) in planes of samples. C and CUDA include it. */
#pragma once
#include <stdint.h>

#define PACO_MOSAIC_LANES 32 /* samples of a line that a warp takes */
#define PACO_MOSAIC_THREADS 128
/* Lines that a thread block takes. */
#define PACO_MOSAIC_LINES (PACO_MOSAIC_THREADS / PACO_MOSAIC_LANES)

/* The step changes one component by its neighbors (PacoMosaicStep). Addresses are those
 * of planes, in which numbers of 16 bits lie: what is added to each, so that none is
 * negative, is a parameter. */
typedef struct
{
  uint64_t samples, beside, above;
  uint32_t columns, lines; /* of each component */
  uint32_t stride;         /* bytes */
  int32_t before, after;   /* added to the samples that change */
  int32_t neighbors;       /* added to their neighbors */
  int32_t
      half; /* undoing: samples become -half at least, less than half; else 0 */
  int32_t weight;
  uint8_t place_x, place_y, diagonal, reserved;
} PacoMosaicParameters;
