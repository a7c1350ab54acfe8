/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The check of a codeblock's bytes (FORMAT.md section 6): 16 bits that tell
 * whether they are what the encoder wrote. C and CUDA compile this arithmetic.
 *
 * The check is a sum over pairs of words, so that any number of lanes, vectors
 * and warps add up their pairs in any order. codec/NOTES.md says why it has
 * this form and what it finds. */
#pragma once
#include <stdint.h>

#ifdef __CUDACC__
#define PACO_CHECK_FUNCTION static __device__ __forceinline__
#else
#define PACO_CHECK_FUNCTION static inline
#endif

/* The words of pair n have the keys (n + 1) times these, modulo 2^32, which
 * paco_check_pair() mixes. */
#define PACO_CHECK_FIRST 0x9e3779b1u
#define PACO_CHECK_SECOND 0x85ebca77u
#define PACO_CHECK_MIX 0x9e3779b97f4a7c15u

/* What a pair of words adds to the sum. */
PACO_CHECK_FUNCTION uint64_t
paco_check_pair (
    uint32_t first, uint32_t second, uint32_t first_key, uint32_t second_key)
{
  first ^= first_key ^ first_key >> 11;
  second ^= second_key ^ second_key >> 11;
  return (uint64_t) first * second;
}

/* The check of a block of `length` bytes whose pairs add up to sum. */
PACO_CHECK_FUNCTION uint16_t
paco_check_finish (uint64_t sum, uint32_t length)
{
  sum += length;
  sum ^= sum >> 32;
  return (uint16_t) (sum * PACO_CHECK_MIX >> 48);
}
