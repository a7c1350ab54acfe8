/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Declares the entry points that libFuzzer looks for (AFL++ takes them too), and how
 * inputs begin. Each target defines the first one; what is wrong with an input ends the
 * process. */
#pragma once
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* Is called before the first input. Targets of elements have elements.c define it. */
int LLVMFuzzerInitialize (int *argc, char ***argv);

/* Changes the input in place, in capacity bytes, and returns its new size. */
size_t LLVMFuzzerCustomMutator (
    uint8_t *data, size_t size, size_t capacity, unsigned seed);

/* libFuzzer's own mutator, which knows what comparisons wanted. fuzz-replay has none. */
__attribute__ ((weak)) size_t LLVMFuzzerMutate (
    uint8_t *data, size_t size, size_t capacity);

/* The number of bytes before a frame that say what is done to it. */
#define FUZZ_PREFIX 11
/* The same of a file, in inputs of fuzz-source. */
#define FUZZ_SOURCE_PREFIX 5
/* The decoder of streams: max-pixels keeps an input from taking seconds. */
#define FUZZ_DECODER                                                           \
  "pacodec name=decoder backend=cpu threads=1 max-pixels=40000 "

/* Change an input that is a frame; FUZZ_PREFIX bytes and a frame; a byte that says how,
 * and a stream; such a byte, and a container; `prefix` bytes that say what is done, and
 * a file. */
size_t fuzz_mutate_as_frame (
    uint8_t *data, size_t size, size_t capacity, unsigned seed);
size_t fuzz_mutate_as_prefixed (
    uint8_t *data, size_t size, size_t capacity, unsigned seed);
size_t fuzz_mutate_as_stream (
    uint8_t *data, size_t size, size_t capacity, unsigned seed);
size_t fuzz_mutate_as_container (
    uint8_t *data, size_t size, size_t capacity, unsigned seed);
size_t fuzz_mutate_as_file (
    size_t prefix, uint8_t *data, size_t size, size_t capacity, unsigned seed);

/* Defines the mutator of a target: the name of one of these, and `prefix`, if it has
 * one, with a comma. */
#define FUZZ_MUTATOR(name, ...)                                                \
  size_t LLVMFuzzerCustomMutator (                                             \
      uint8_t *data, size_t size, size_t capacity, unsigned seed)              \
  {                                                                            \
    return fuzz_mutate_as_##name (__VA_ARGS__ data, size, capacity, seed);     \
  }
