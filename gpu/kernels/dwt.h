/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The parameters of the kernels of dwt.cu, which gpu/dwt.c fills in. C and CUDA
 * include it.
 *
 * A launch transforms one level of all planes of a frame: a plane is one component
 * of one field. "Fine" is the picture that the level splits, of width * height
 * samples, "coarse" its LL subband. */
#pragma once
#include <stdint.h>

/* --- How the coefficients of a frame lie in device memory, between the wavelet and the
 * block coder: gpu/dwt.c plans it ---
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
#define PACO_COEFFICIENT_ALIGNMENT 32 /* elements */

typedef struct
{
  uint32_t offset, stride; /* elements */
} PacoCoefficientPlace;

/* --- The transform --- */

#define PACO_DWT_LANE_COLUMNS 4 /* columns of a lane */
/* Columns that a warp filters beside its strip, whole lanes that cover a wavelet's
 * reach (codec/lifting.h); and those of the strip. */
#define PACO_DWT_MARGIN(reach)                                                 \
  (((reach) + PACO_DWT_LANE_COLUMNS - 1) / PACO_DWT_LANE_COLUMNS               \
      * PACO_DWT_LANE_COLUMNS)
#define PACO_DWT_STRIP(reach)                                                  \
  (32 * PACO_DWT_LANE_COLUMNS - 2 * PACO_DWT_MARGIN (reach))
#define PACO_DWT_THREADS 128 /* of a block: four warps */
#define PACO_DWT_MAX_PLANES 8
/* The least height of planes for plain kernels, which mirror only once; those of the inverse
 * fetch a few lines more than they use. */
#define PACO_DWT_MIN_PLAIN_HEIGHT 16

/* Samples of one field of a component in device memory, each a little-endian word of 8
 * or 16 bits as the kernel's name says. address and stride are multiples of four
 * words. */
typedef struct
{
  uint64_t address; /* 0: fine is no samples */
  int32_t stride;   /* bytes between lines of the field */
  uint32_t mask;    /* of four samples of 8, or two of 16 bits, at bit 0 */
  int32_t half;     /* 2^(depth - 1) */
  uint32_t shift;   /* of a sample in its word */
} PacoDwtSamples;

/* LL and LH have rows of low_stride elements, HL and HH of high_stride. */
typedef struct
{
  uint64_t address;
  /* Forward 2^fraction_bits / step, inverse step / 256. */
  float scale;
  /* For the dropped planes of its blocks. */
  uint32_t first_block, blocks_x;
  uint32_t block_height_log2;
  /* Inverse: PacoStepMapPlace of a subband that uses a step map, else 0. */
  uint32_t first_cell, cell_columns;
  uint8_t cell_shift_x, cell_shift_y, cells_halved;
  uint8_t reserved[5];
} PacoDwtSubband;

typedef struct
{
  uint32_t width, height; /* fine */
  uint32_t n_strips;      /* strips of the wavelet */
  uint32_t n_warps;       /* strips * tiles; 0: nothing to do */
  uint64_t fine;          /* address, when fine is no samples */
  uint64_t coarse;        /* of LL, when that is no subband, or of integers */
  uint32_t fine_stride, low_stride, high_stride; /* elements */
  uint32_t reserved;
  PacoDwtSamples samples;
  PacoDwtSubband subbands[4]; /* PacoOrientation */
} PacoDwtPlane;

/* How integers of three components A, B and C are mixed, which are samples of planes 0, 1
 * and 2:
 *
 *   V = A - B, T = B + ((mean V) >> 1), U = C - B - ((x V - y B) >> shift),
 *   Y = T + (((U + V - mean V) & luma) >> 2)
 *
 * This is RCT, RCT2 and rct-fit. */
typedef struct
{
  uint32_t mean; /* 0 or 1 */
  uint32_t luma; /* 0 or all bits */
  uint32_t x, y, shift;
  uint32_t offset; /* y 2^(depth - 1), where the level shift was not yet */
} PacoDwtMixing;

#define PACO_DWT_CUT 0x80

typedef struct
{
  uint32_t tile_pairs;       /* pairs of lines of a tile */
  uint8_t wide;              /* coefficients are int32_t, else int16_t */
  uint8_t coarse_is_subband; /* coarse is subbands[0] */
  /* PacoColorTransform of planes 3n..3n+2; MATRIX stands for ICT, too. */
  uint8_t color_transform;
  uint8_t reconstruction; /* inverse: rho */
  PacoDwtMixing mixing;   /* of the color transform, if it mixes integers */
  float gain;             /* inverse: of the last level, kappa^(-2 * reduce) */
  float matrix[9];        /* of MATRIX: rows of what the kernel multiplies by */
  /* For the inverse 9/7: the address of a byte for each block, its dropped planes and
   * PACO_DWT_CUT if it is cut; 0 if no block has any. */
  uint64_t dropped_planes;
  uint64_t cells; /* For kernels of a step map: the address of its exponents. */
  PacoDwtPlane planes[PACO_DWT_MAX_PLANES];
} PacoDwtParameters;
