/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The parameters of the kernels of codes.cu. C and CUDA include it. */
#pragma once
#include "gpu/kernels/bpc.h"
#include "gpu/kernels/layout.h"

#define PACO_CODES_THREADS 256 /* of a block */
#define PACO_CODES_WORDS 2048  /* of 32 bits, in which each code has a bit */

/* Samples of a plane whose lines have room for whole words of 32 bits. */
/* Words of 128 bits that the device takes from page-locked memory. */
typedef struct
{
  PACO_DEVICE_POINTER (uint32_t) to;
  PACO_DEVICE_POINTER (const uint32_t) from;
  uint32_t n;
} PacoTakeParameters;

typedef struct
{
  PACO_DEVICE_POINTER (uint8_t) plane;
  PACO_DEVICE_POINTER (const uint16_t) map; /* of 2^depth samples */
  uint64_t stride;                          /* bytes from a line to the next */
  uint32_t columns, lines;
  uint32_t sample_bytes; /* 1 or 2 */
  uint32_t mask;         /* 2^depth - 1 */
} PacoMapParameters;

/* A component's samples, each in a word of its own. */
typedef struct
{
  PACO_DEVICE_POINTER (const uint8_t) data;
  /* PACO_CODES_WORDS words of PacoFindParameters.used. */
  PACO_DEVICE_POINTER (uint32_t) used;
  int64_t stride;
  uint32_t columns, lines;
  uint32_t sample_bytes; /* of a word: 1 or 2 */
  uint32_t shift, mask;  /* of a sample in it */
  /* The code of a sample x is x ^ flip, or x ^ flip_negative if its highest bit is
   * set (codec/sample_map.h). */
  uint32_t high, flip, flip_negative;
} PacoFindComponent;

/* Samples of lines 0, step, 2 step, ... of components, and of those between. */
typedef struct
{
  PacoFindComponent components[PACO_MAX_COMPONENTS];
  uint32_t step;
  uint32_t n_classes; /* step; or 1: without the lines between */
  uint32_t n_words;   /* PACO_CODES_WORDS for each group of components */
  /* Bit x % 32 of word x / 32 is set for code x; in n_words more for a code of the lines
   * between; behind them is a counter of thread blocks. All are 0 before the launch and
   * after it. */
  PACO_DEVICE_POINTER (uint32_t) used;
  PACO_DEVICE_POINTER (uint32_t) host_used; /* where the host finds the words */
} PacoFindParameters;
