/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Declares what registers.c says to the kernels of registers.cu: one level of
 * a transform of one plane of 16-bit numbers, or of floats. */
#pragma once
#include <stdint.h>

#define LAB_REGISTERS_WIDTH 64   /* columns of a block, two of each lane */
#define LAB_REGISTERS_HEIGHT 20  /* lines of a block, if nothing else is said */
#define LAB_REGISTERS_SEED 12345 /* of what is filtered without being read */
#define LAB_REGISTERS_THREADS                                                  \
  128 /* of a thread block: four warps, four blocks */

/* There are kernels of these block heights; F (height, ...). */
#define LAB_REGISTERS_HEIGHTS(F, ...)                                          \
  F (10, __VA_ARGS__)                                                          \
  F (12, __VA_ARGS__)                                                          \
  F (14, __VA_ARGS__)                                                          \
  F (16, __VA_ARGS__)                                                          \
  F (20, __VA_ARGS__)                                                          \
  F (24, __VA_ARGS__)                                                          \
  F (30, __VA_ARGS__)                                                          \
  F (40, __VA_ARGS__)                                                          \
  F (50, __VA_ARGS__)                                                          \
  F (60, __VA_ARGS__)                                                          \
  F (70, __VA_ARGS__)

/* A warp has so many words of shared memory: of the buffer by which lanes
 * exchange numbers, where there is one, and of a whole block. */
#define LAB_REGISTERS_BUFFER_WORDS 64
#define LAB_REGISTERS_BLOCK_WORDS (LAB_REGISTERS_WIDTH * LAB_REGISTERS_HEIGHT)

/* Fine is the plane that the level splits, subbands are what it is split into; inverse,
 * fine is what is made. Addresses are multiples of 8, and so are fine_stride and the
 * other strides, in elements. What is between a line's last column and the next multiple
 * of two can be read and written, and is ignored. */
typedef struct
{
  uint64_t fine;
  uint64_t subbands[4]; /* PacoOrientation: LL, HL, LH, HH */
  uint32_t width, height, fine_stride;
  uint32_t low_stride, high_stride; /* of LL and LH; of HL and HH */
  uint32_t blocks_x, n_blocks;
  /* These are for kernels that do the arithmetic alone: what they filter, and
   * whether they write what comes out, which they only do where they are not
   * measured. */
  int32_t seed;
  uint32_t writes;
} LabRegistersParameters;
