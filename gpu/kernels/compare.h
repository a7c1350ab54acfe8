/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The parameters of the kernel of compare.cu. C and CUDA include it. */
#pragma once
#include "gpu/kernels/bpc.h"

#define PACO_COMPARE_THREADS 256 /* of a block */

/* Rows of bytes in two places, equally far apart in both. */
typedef struct
{
  PACO_DEVICE_POINTER (const uint8_t) a;
  PACO_DEVICE_POINTER (const uint8_t) b;
  uint64_t row_bytes, rows, stride; /* stride: bytes from a row to the next */
  /* 1: all rows begin at multiples of 16 bytes in both places. */
  uint32_t aligned, reserved;
  /* The kernel adds the number of different bytes. */
  PACO_DEVICE_POINTER (uint64_t) n_different;
} PacoCompareParameters;
