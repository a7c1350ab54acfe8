/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The parameters of the kernels of codes.cu. C and CUDA include it. */
#pragma once
#include "gpu/kernels/bpc.h"

#define PACO_CODES_THREADS 256 /* of a block */
#define PACO_CODES_WORDS 2048  /* of 32 bits, in which each code has a bit */

/* Samples of a plane whose lines have room for whole words of 32 bits. */
typedef struct
{
  PACO_DEVICE_POINTER (uint8_t) plane;
  PACO_DEVICE_POINTER (const uint16_t) map; /* of 2^depth samples */
  uint64_t stride;                          /* bytes from a line to the next */
  uint32_t columns, lines;
  uint32_t sample_bytes; /* 1 or 2 */
  uint32_t mask;         /* 2^depth - 1 */
} PacoMapParameters;

/* Samples of lines 0, step, 2 step, ..., each in a word of its own. */
typedef struct
{
  PACO_DEVICE_POINTER (const uint8_t) data;
  /* PACO_CODES_WORDS words: bit x % 32 of word x / 32 is set for code x. */
  PACO_DEVICE_POINTER (uint32_t) used;
  int64_t stride;
  uint32_t columns, lines, step;
  uint32_t sample_bytes; /* of a word: 1 or 2 */
  uint32_t shift, mask;  /* of a sample in it */
  /* The code of a sample x is x ^ flip, or x ^ flip_negative if its highest bit is
   * set (codec/sample_map.h). */
  uint32_t high, flip, flip_negative;
} PacoFindParameters;
