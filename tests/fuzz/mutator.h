/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Changes frames as a fuzzer should: it takes a frame apart with the codec's
 * own functions, changes what FORMAT.md lets a frame say (header, index,
 * payload, one or several at a time) and puts it together with true lengths
 * and checks, so that decoders look at what was changed. The fuzz targets,
 * fuzz-replay and tests of damage call it. */
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

/* Makes the lengths and checks that a frame's header holds true again, in
 * place: what is behind the checks is what needs to be reached. */
void fuzz_repair_frame (uint8_t *data, size_t size);

/* Changes the frame of size bytes at data, where there is room for capacity
 * bytes, and returns its new size, which is 1..capacity. What is no frame is
 * changed byte by byte. Pictures grow to at most max_samples samples, those of
 * all components; capacity bounds the payload. */
size_t fuzz_mutate_frame (uint8_t *data, size_t size, size_t capacity,
    uint32_t max_samples, uint64_t seed);

/* Changes a stream of frames and other bytes likewise: a frame of it is
 * changed, left out, repeated, moved or cut, or bytes between frames are. */
size_t fuzz_mutate_stream (uint8_t *data, size_t size, size_t capacity,
    uint32_t max_samples, uint64_t seed);
