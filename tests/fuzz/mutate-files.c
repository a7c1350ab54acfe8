/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Changes the inputs of fuzz-source and fuzz-restore: the bytes that say what is done, or
 * the file after them, of which fields are set to numbers that formats give a meaning. */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/random.h"
#include <glib.h>

/* Makes a field of a header, of 1, 2 or 4 bytes in one order or the other,
 * small, one of those that DPX knows, or the largest. */
static void
change_field (FuzzRandom *random, uint8_t *data, size_t size)
{
  static const uint32_t numbers[] = { 0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 50,
    51, 52, 100, 101, 102, 103, 255, 256, 768, 1408, 2047, 2048, 2049, 4096,
    16384, 16385, 65535, 65536, 0x7fffffff, 0x80000000u, 0xfffffffeu,
    0xffffffffu };
  uint32_t number =
      numbers[fuzz_random_below (random, (uint32_t) G_N_ELEMENTS (numbers))];
  unsigned bytes = 1u << fuzz_random_below (random, 3);
  bool big_endian = fuzz_random_one_in (random, 2);
  size_t at;

  if (size < 4)
    return;
  /* It lies where DPX has its fields, or anywhere. */
  at = fuzz_random_one_in (random, 2) && size > 960
      ? 4 * (192 + fuzz_random_below (random, 48))
      : fuzz_random_below (random, (uint32_t) MIN (size - 3, 2048));
  for (unsigned i = 0; i < bytes; i++)
    data[at + (big_endian ? bytes - 1 - i : i)] = (uint8_t) (number >> 8 * i);
}

size_t
LLVMFuzzerCustomMutator (
    uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
  FuzzRandom random = fuzz_random_new (seed);

  if (size <= fuzz_file_prefix || seed % 4 == 0)
    return LLVMFuzzerMutate (data, size, capacity);
  switch (seed % 4) {
    case 1:
      data[fuzz_random_below (&random, (uint32_t) fuzz_file_prefix)] =
          (uint8_t) fuzz_random_next (&random);
      return size;
    case 2:
      return fuzz_file_prefix
          + fuzz_mutate_bytes (&random, data + fuzz_file_prefix,
              size - fuzz_file_prefix, capacity - fuzz_file_prefix);
    default:
      for (unsigned n = 1 + fuzz_random_below (&random, 3); n > 0; n--)
        change_field (
            &random, data + fuzz_file_prefix, size - fuzz_file_prefix);
      return size;
  }
}
