/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Estimates how many bytes a frame will take with a step number, before it is coded:
 * from how many coefficients of each block have their highest bit in each plane of c
 * (rate_steps.h). rate_control.c calls it, and so do the CPU backend and the CUDA
 * kernels that count coefficients.
 *
 * Block by block, paco_rate_block_bits() says what the block takes if the planes
 * from j on are coded, for all j. These are added up by subband entry
 * (PacoRateBits), and paco_rate_bits() reads the sums between whole planes. */
#pragma once
#include "codec/policy_block.h"
#include "codec/rate_steps.h"

/* c has at most 24 planes. */
#define PACO_RATE_PLANES 24

/* What the blocks of a subband entry take together: bits[j] if the planes from j on are
 * coded. */
typedef struct
{
  uint64_t bits[PACO_RATE_PLANES + 1];
} PacoRateBits;

/* In a subband of at most this many coefficients all are counted; in a larger one,
 * eight of each 64 lines: 0, 9, 18, ..., so that each remainder modulo 8 comes once. */
#define PACO_RATE_COUNT_ALL 16384

/* The number of the n-th line of a block that is counted. */
PACO_RATE_FUNCTION uint32_t
paco_rate_counted_line (uint32_t n, bool all)
{
  return all ? n : 8 * n + (n & 7);
}

/* Returns how many lines of a block of this height are counted. */
PACO_RATE_FUNCTION uint32_t
paco_rate_counted_lines (uint32_t height, bool all)
{
  uint32_t n = (height + 7) / 8;

  if (all)
    return height;
  return n - (paco_rate_counted_line (n - 1, false) >= height);
}

/* log2 (x) in 1/1024, linear between powers of 2; x >= 1. */
PACO_RATE_FUNCTION uint32_t
paco_rate_log2 (uint64_t x)
{
  unsigned n = 0;

#ifdef __CUDACC__
  n = 63 - __clzll (x);
#else
  n = 63 - (unsigned) __builtin_clzll (x);
#endif
  return 1024 * n
      + (uint32_t) (n >= 10 ? (x >> (n - 10)) - 1024 : (x << (10 - n)) - 1024);
}

/* Estimates the bits, times 1024, of the significance of n coefficients of which n_new
 * become significant: 29/32 of the entropy if they are many. If they are few, contexts
 * save more. */
PACO_RATE_FUNCTION uint64_t
paco_rate_significance (uint32_t n_new, uint32_t n)
{
  uint32_t share;

  if (n_new == 0)
    return 0;
  if (n / 32 < n_new) {
    share = n_new * 128 / n;
    return (uint64_t) n * paco_policy_entropy[share > 64 ? 128 - share : share]
        * 29 / 32;
  }
  return (uint64_t) n_new
      * ((paco_rate_log2 (n) - paco_rate_log2 (n_new)) * 3 / 4 + 2048);
}

/* How many bits the index has for a block that is not zero. */
#define PACO_RATE_RECORD_BITS(checks) ((checks) ? 40 : 24)

/* Returns the bits, times 1024, of a plane in which n_new coefficients become
 * significant after n_significant: refinement, a sign for each new one, and
 * significance. */
PACO_RATE_FUNCTION uint64_t
paco_rate_plane_cost (uint32_t n_significant, uint32_t n_new, uint32_t n)
{
  return (uint64_t) n_significant * 1014 + (uint64_t) n_new * 1004
      + paco_rate_significance (n_new, n - n_significant);
}

/* Returns the bits of a block whose coded planes have this cost; n_new coefficients
 * became significant in the last of them. */
PACO_RATE_FUNCTION uint32_t
paco_rate_bits_of_cost (uint64_t cost, uint32_t n_significant, uint32_t n_new,
    uint32_t n_counted, uint32_t n, bool checks)
{
  if (n_significant == 0)
    return 8;
  return 8 + PACO_RATE_RECORD_BITS (checks)
      + (uint32_t) (cost * n / n_counted / 1024)
      + paco_policy_waste (PACO_POLICY_OPEN_BITS_FOUR_LANES,
          (uint32_t) ((uint64_t) n_new * n / n_counted));
}

/* Sets bits[j] of a block to what it takes when the planes from j on are coded. The
 * block has n coefficients (width * height), of which n_counted were looked at;
 * top[p] of these have their highest bit in plane p of c. */
PACO_RATE_FUNCTION void
paco_rate_block_bits (const uint32_t top[PACO_RATE_PLANES], uint32_t n_counted,
    uint32_t n, bool checks, uint32_t bits[PACO_RATE_PLANES + 1])
{
  uint32_t n_significant = 0;
  uint64_t cost = 0; /* 1/1024 bit of what was counted */
  unsigned j;

  bits[PACO_RATE_PLANES] = 8;
  for (j = PACO_RATE_PLANES; j-- > 0;) {
    cost += paco_rate_plane_cost (n_significant, top[j], n_counted);
    n_significant += top[j];
    bits[j] = paco_rate_bits_of_cost (
        cost, n_significant, top[j], n_counted, n, checks);
  }
}

/* Returns the bits at a threshold (PacoRateStep), interpolated between planes with
 * second differences. */
PACO_RATE_FUNCTION uint64_t
paco_rate_bits (const PacoRateBits *sum, int threshold)
{
  int j, f;
  int64_t b0, b1, b2;

  if (threshold < 0)
    threshold = 0;
  j = threshold / PACO_RATE_OCTAVE;
  f = threshold % PACO_RATE_OCTAVE;
  if (j >= PACO_RATE_PLANES)
    return sum->bits[PACO_RATE_PLANES];
  b0 = (int64_t) sum->bits[j];
  b1 = (int64_t) sum->bits[j + 1];
  b2 = j + 2 <= PACO_RATE_PLANES ? (int64_t) sum->bits[j + 2] : b1;
  return (uint64_t) (b0 + f * (b1 - b0) / PACO_RATE_OCTAVE
      - f * (PACO_RATE_OCTAVE - f) * (b2 - 2 * b1 + b0)
          / (2 * PACO_RATE_OCTAVE * PACO_RATE_OCTAVE));
}

/* Returns the bytes of index and payload of a frame with the steps of a number.
 * n_entries counts those of all components together. */
PACO_RATE_FUNCTION uint64_t
paco_rate_estimate (
    const PacoRateStep *steps, const PacoRateBits *sums, unsigned n_entries)
{
  uint64_t bits = 0;
  unsigned e;

  for (e = 0; e < n_entries; e++)
    bits += paco_rate_bits (&sums[e], steps[e].threshold);
  return bits / 8;
}

/* A correction of 1: real bytes are the estimated ones times the correction. */
#define PACO_RATE_CORRECTION_ONE 65536u
/* The correction of the first frame: the mean of the corpus at 0.5, 1 and 2 bits a
 * sample (0.88, 0.91 and 0.92; it is 0.81 at 0.1 and 0.94 at 3). */
#define PACO_RATE_FIRST_CORRECTION 59000u

PACO_RATE_FUNCTION uint32_t
paco_rate_correction (uint64_t found, uint64_t estimated)
{
  uint64_t ratio = found * PACO_RATE_CORRECTION_ONE
      / (estimated > 0 ? estimated : 1);

  return ratio < PACO_RATE_CORRECTION_ONE / 16 ? PACO_RATE_CORRECTION_ONE / 16
      : ratio > PACO_RATE_CORRECTION_ONE * 16  ? PACO_RATE_CORRECTION_ONE * 16
                                               : (uint32_t) ratio;
}

/* The finest number, from `first` to `last`, whose corrected estimate is within the
 * budget for index and payload, or `last` if none is. steps has those of all
 * numbers. */
PACO_RATE_FUNCTION unsigned
paco_rate_choose (const PacoRateStep *steps, const PacoRateBits *sums,
    unsigned n_entries, unsigned first, unsigned last, uint64_t budget,
    uint32_t correction)
{
  while (first < last) {
    unsigned middle = (first + last) / 2;
    uint64_t bytes = paco_rate_estimate (
        steps + (uint64_t) middle * n_entries, sums, n_entries);

    if (bytes * correction / PACO_RATE_CORRECTION_ONE <= budget)
      last = middle;
    else
      first = middle + 1;
  }
  return first;
}
