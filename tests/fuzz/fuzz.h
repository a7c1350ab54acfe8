/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Declares the entry points that libFuzzer looks for (AFL++ takes them too).
 * Each target defines the first one; what is wrong with an input ends the
 * process. */
#pragma once
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* Is called before the first input. */
int LLVMFuzzerInitialize (int *argc, char ***argv);

/* Changes the input in place, in capacity bytes, and returns its new size. */
size_t LLVMFuzzerCustomMutator (
    uint8_t *data, size_t size, size_t capacity, unsigned seed);

/* The number of bytes before a frame that say what is done to it (mutate-prefixed.c). */
#define FUZZ_PREFIX 11
/* The number of bytes before a file, or what is kept of one, that say what is done to it:
 * targets that mutate-files.c changes define it. In inputs of fuzz-source it is 5. */
extern const size_t fuzz_file_prefix;
#define FUZZ_SOURCE_PREFIX 5

/* Is libFuzzer's own mutator, which knows what comparisons wanted. */
size_t LLVMFuzzerMutate (uint8_t *data, size_t size, size_t capacity);
