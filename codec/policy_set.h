/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Which probability set of its family a block is coded with. C and CUDA compile
 * it, so that all encoders decide alike. */
#pragma once
#include <stdint.h>

#ifdef __CUDACC__
#define PACO_POLICY_SET_FUNCTION static __device__ __forceinline__
#else
#define PACO_POLICY_SET_FUNCTION static inline
#endif

/* The set of a block of n_coefficients in a subband of that orientation
 * (PacoOrientation), of which the planes planes - 1 down to dropped are stored.
 * top[p] coefficients have their highest 1 bit in plane p, and pairs[p] are the
 * pairs of neighbors that both have it in plane p or above: pairs one above the
 * other in the same PACO_SET_LINES lines of the block (counted from its top),
 * and pairs of the left and the right column of a lane, both pairs within the
 * block. */
enum
{
  PACO_SET_LINES = 32,
};

PACO_POLICY_SET_FUNCTION unsigned
paco_policy_set (unsigned family, unsigned orientation, unsigned planes,
    unsigned dropped, const uint32_t *top, const uint32_t *pairs,
    uint32_t n_coefficients)
{
  (void) family;
  (void) orientation;
  (void) planes;
  (void) dropped;
  (void) top;
  (void) pairs;
  (void) n_coefficients;
  return 0;
}
