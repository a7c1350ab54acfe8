/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A logarithm in integers, with which encoders estimate bits alike (FORMAT.md section
 * 9). */
#pragma once
#include <stdint.h>

/* Returns about 2^16 log2 (n), by a parabola between powers of 2. n is not 0. */
static inline uint64_t
paco_logarithm (uint64_t n)
{
  unsigned top = 63 - (unsigned) __builtin_clzll (n);
  uint64_t part = (n << (63 - top) >> 47) - 65536;

  return 65536 * top + part + (11 * part * (65536 - part) >> 21);
}
