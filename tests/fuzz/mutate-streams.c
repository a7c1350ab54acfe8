/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Changes the inputs of fuzz targets that take a byte that says how
 * (elements.h) and a stream. */
#include "tests/fuzz/decoding.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutator.h"

size_t
LLVMFuzzerCustomMutator (
    uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
  if (size < 2 || seed % 8 == 0)
    return LLVMFuzzerMutate (data, size, capacity);
  if (seed % 8 == 1) {
    data[0] = (uint8_t) (seed >> 8);
    return size;
  }
  return 1
      + fuzz_mutate_stream (
          data + 1, size - 1, capacity - 1, FUZZ_MAX_SAMPLES, seed);
}
