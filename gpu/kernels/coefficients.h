/* SPDX-License-Identifier: LGPL-2.1-or-later
 * How the coefficients of a frame lie in device memory, between the wavelet and the block
 * coder. gpu/dwt.c plans it; C and CUDA include it.
 *
 * One buffer holds the quantizer indices (q or -q, two's complement) of all
 * subbands of a frame; those of an encoder have the bits behind the point still
 * that they are rounded by (PacoGpuBlock.fraction_bits). Elements are int16_t
 * or, when they may not fit, int32_t ("wide"); offsets count elements and are the
 * same for both, so a buffer of 4 bytes an element serves either. Subband s of
 * PacoGeometry.subbands begins at element places[s].offset, its rows are
 * places[s].stride elements apart. Both are multiples of 32, so that rows begin
 * on 64 bytes at least. A codeblock is
 *
 *   places[block->subband].offset + block->y * stride + block->x
 *
 * What lies between the width of a subband and its stride is undefined. */
#pragma once
#include <stdint.h>

#define PACO_COEFFICIENT_ALIGNMENT 32 /* elements */

typedef struct
{
  uint32_t offset, stride; /* elements */
} PacoCoefficientPlace;
