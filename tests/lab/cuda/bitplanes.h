/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Declares what bitplanes.c says to the kernels of bitplanes.cu. */
#pragma once
#include <stdint.h>

#define LAB_BITPLANES_WARPS 4 /* of a thread block: the text's 128 threads */
#define LAB_BITPLANES_CONTEXTS 27
#define LAB_BITPLANES_PLANES 24
#define LAB_BITPLANES_WIDTH 64

typedef struct
{
  uint32_t first; /* coefficient, of the plane */
  uint32_t code;  /* where its codewords begin */
  uint16_t width, height;
  uint16_t subband, planes; /* planes: the decoder's */
} LabBitplanesBlock;

typedef struct
{
  uint64_t indices; /* int32_t, `stride` from line to line */
  uint64_t blocks;  /* LabBitplanesBlock */
  /* These are uint8_t: of each subband and bitplane LAB_BITPLANES_CONTEXTS
   * probabilities. */
  uint64_t tables;
  uint64_t code;    /* uint16_t */
  uint64_t lengths; /* uint32_t: codewords of each block */
  uint64_t
      planes; /* uint32_t: bitplanes of each block, which the encoder finds */
  uint32_t stride, n_blocks;
} LabBitplanesParameters;
