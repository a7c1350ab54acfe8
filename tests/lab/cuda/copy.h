/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Declares what copy.c says to the kernels of copy.cu. */
#pragma once
#include <stdint.h>

#define LAB_COPY_THREADS 256

typedef struct
{
  uint64_t from, to; /* addresses on the device, multiples of 16 */
  uint32_t n;        /* words of 32 bits, a multiple of 4 */
} LabCopyParameters;
