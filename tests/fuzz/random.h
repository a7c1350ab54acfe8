/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Draws pseudorandom numbers, and changes bytes that may be anything. The mutator
 * and tests with seeds of their own call it. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* This is a generator: the same seed gives the same numbers. */
typedef struct
{
  uint64_t state;
} FuzzRandom;

FuzzRandom fuzz_random_new (uint64_t seed);
uint64_t fuzz_random_next (FuzzRandom *random);
/* Draws 0..n-1; it is 0 for n = 0. */
uint32_t fuzz_random_below (FuzzRandom *random, uint32_t n);
/* Is true with a probability of 1 / n. */
bool fuzz_random_one_in (FuzzRandom *random, uint32_t n);

/* Changes a bit or up to 64 bytes; their number stays. */
void fuzz_change_bytes (FuzzRandom *random, uint8_t *data, size_t size);

/* Changes, inserts or removes bytes; returns the new size, 1..capacity. */
size_t fuzz_mutate_bytes (
    FuzzRandom *random, uint8_t *data, size_t size, size_t capacity);
