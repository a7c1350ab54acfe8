/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Changes the inputs of fuzz targets that take a frame behind bytes that say
 * what is done to it: both are changed, each for itself. */
#include "tests/fuzz/decoding.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutator.h"

size_t
LLVMFuzzerCustomMutator (
    uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
  FuzzRandom random = fuzz_random_new (seed);

  if (size <= FUZZ_PREFIX || seed % 8 == 0)
    return LLVMFuzzerMutate (data, size, capacity);
  if (seed % 8 < 3) {
    data[fuzz_random_below (&random, FUZZ_PREFIX)] =
        (uint8_t) fuzz_random_next (&random);
    return size;
  }
  return FUZZ_PREFIX
      + fuzz_mutate_frame (data + FUZZ_PREFIX, size - FUZZ_PREFIX,
          capacity - FUZZ_PREFIX, FUZZ_MAX_SAMPLES, fuzz_random_next (&random));
}
