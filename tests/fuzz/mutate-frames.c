/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Changes the inputs of fuzz targets that take a frame: mostly by the mutator
 * that knows the format, sometimes by libFuzzer's. */
#include "tests/fuzz/decoding.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutator.h"

size_t
LLVMFuzzerCustomMutator (
    uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
  if (seed % 8 == 0) {
    size = LLVMFuzzerMutate (data, size, capacity);
    fuzz_repair_frame (data, size);
    return size;
  }
  return fuzz_mutate_frame (data, size, capacity, FUZZ_MAX_SAMPLES, seed);
}
