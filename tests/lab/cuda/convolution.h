/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Declares what convolution.c says to the kernels of convolution.cu: one
 * direction of one level of a plane of floats, whose low half comes first in
 * lines (or columns) and whose high half behind it. */
#pragma once
#include <stdint.h>

#define LAB_CONVOLUTION_THREADS 256
#define LAB_CONVOLUTION_REACH                                                  \
  4 /* columns or lines that a filter reaches to each side */

/* This is a tile of the separable convolution, in samples: along lines, and
 * down columns. */
#define LAB_CONVOLUTION_TILE_COLUMNS 256
#define LAB_CONVOLUTION_TILE_LINES 4
#define LAB_CONVOLUTION_COLUMN_TILE_COLUMNS 32
#define LAB_CONVOLUTION_COLUMN_TILE_LINES 64

/* So many words lie between the even and the odd samples of a line of a tile:
 * lanes with samples side by side write to different banks then. */
#define LAB_CONVOLUTION_PARITY_WORDS 144

typedef struct
{
  uint64_t from, to; /* addresses; both the same for "conv" */
  uint64_t texture;  /* an object over `from`, for "text" */
  uint32_t width, height;
  uint32_t from_stride, to_stride; /* floats */
  uint32_t low_only;               /* "sep": the high half is left out */
  /* The filters are symmetric: these are taps at distances of 0, 1, ... */
  float low[LAB_CONVOLUTION_REACH + 1], high[LAB_CONVOLUTION_REACH];
} LabConvolutionParameters;
