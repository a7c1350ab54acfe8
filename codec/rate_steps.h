/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The steps of frames with a budget. rate_table.c makes tables of them; the block coders
 * in C and in CUDA quantize with them.
 *
 * Which step a frame takes is known only after its transform. So the transform scales
 * coefficients to integers c = |x| * scale, cut off, with scales that are fixed for a
 * configuration; and the block coder makes indices for any step number from c with a
 * multiplication of integers. Number 0 is the finest step; 256 numbers are an octave. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define PACO_RATE_FUNCTION static __device__ __forceinline__
#else
#define PACO_RATE_FUNCTION static inline
#endif

#define PACO_RATE_OCTAVE 256

/* What a step number means for a subband entry (PacoCoding.subbands). */
typedef struct
{
  uint16_t step;          /* for the header; 0 with a reversible wavelet */
  uint16_t multiplier;    /* of paco_rate_scale(), 2^15 .. 2^16 - 1 */
  uint8_t shift;          /* the same, 15 .. 63 */
  uint8_t fraction_bits;  /* that it leaves behind the point */
  uint8_t dropped_planes; /* reversible wavelet only */
  uint8_t reserved;
  /* For the estimate (rate_estimate.h): 256 log2 of the step (2^dropped_planes) in
   * units of c, less what rounding saves. */
  int16_t threshold;
  /* 8 log2 of the squared error that an error of one index (with a reversible wavelet,
   * of 1) makes in the picture, relative to that of the number's base step. */
  int16_t weight;
} PacoRateStep;

/* A coefficient in steps, with bits behind the point: floor (c * multiplier / 2^shift).
 * c is below 2^23. */
PACO_RATE_FUNCTION uint32_t
paco_rate_scale (uint32_t c, uint32_t multiplier, unsigned shift)
{
  return (uint32_t) ((uint64_t) c * multiplier >> shift);
}
