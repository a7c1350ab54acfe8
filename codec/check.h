/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The check of a codeblock's bytes (FORMAT.md section 6): 16 bits that tell
 * whether they are what the encoder wrote. C and CUDA compile this arithmetic;
 * whoever needs the check of a block now and then calls paco_block_check().
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

/* Turns 64 bits that were copied from memory into the little-endian number. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define PACO_CHECK_FROM_LE(value) (value)
#else
#define PACO_CHECK_FROM_LE(value) __builtin_bswap64 (value)
#endif

/* Returns what a pair of words adds to the sum. */
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

#ifndef __CUDACC__
#include <stddef.h>
#include <string.h>

/* Returns the check of bytes[0..length). The loop over whole pairs has the form that
 * compilers turn into vectors: the keys are added up, as a product with the pair's
 * number would cost more than all the rest. */
static inline uint16_t
paco_check_bytes (const uint8_t *bytes, size_t length)
{
  size_t n_whole = length / 8, rest = length % 8;
  uint32_t first_key = 0, second_key = 0;
  uint64_t sum = 0, pair;

  for (size_t n = 0; n < n_whole; n++) {
    memcpy (&pair, bytes + 8 * n, 8);
    pair = PACO_CHECK_FROM_LE (pair);
    first_key += PACO_CHECK_FIRST;
    second_key += PACO_CHECK_SECOND;
    sum += paco_check_pair (
        (uint32_t) pair, (uint32_t) (pair >> 32), first_key, second_key);
  }
  if (rest > 0) {
    pair = 0;
    memcpy (&pair, bytes + 8 * n_whole, rest);
    pair = PACO_CHECK_FROM_LE (pair);
    sum += paco_check_pair ((uint32_t) pair, (uint32_t) (pair >> 32),
        first_key + PACO_CHECK_FIRST, second_key + PACO_CHECK_SECOND);
  }
  return paco_check_finish (sum, (uint32_t) length);
}

/* The same as a function, for callers that are not worth inlining it. */
uint16_t paco_block_check (const uint8_t *bytes, size_t length);
#endif
