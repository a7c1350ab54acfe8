/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Changes the inputs of targets for libFuzzer (fuzz.h): mostly in a way that knows the
 * format, sometimes by libFuzzer's own mutator. */
#include "codec/bytes.h"
#include "tests/fuzz/decoding.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutator.h"
#include <string.h>

size_t
fuzz_mutate_as_frame (
    uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
  if (seed % 8 == 0) {
    size = LLVMFuzzerMutate (data, size, capacity);
    fuzz_repair_frame (data, size);
    return size;
  }
  return fuzz_mutate_frame (data, size, capacity, FUZZ_MAX_SAMPLES, seed);
}

size_t
fuzz_mutate_as_prefixed (
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

size_t
fuzz_mutate_as_stream (
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

/* --- files --- */

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
fuzz_mutate_as_file (
    size_t prefix, uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
  FuzzRandom random = fuzz_random_new (seed);

  if (size <= prefix || seed % 4 == 0)
    return LLVMFuzzerMutate (data, size, capacity);
  switch (seed % 4) {
    case 1:
      data[fuzz_random_below (&random, (uint32_t) prefix)] =
          (uint8_t) fuzz_random_next (&random);
      return size;
    case 2:
      return prefix
          + fuzz_mutate_bytes (
              &random, data + prefix, size - prefix, capacity - prefix);
    default:
      for (unsigned n = 1 + fuzz_random_below (&random, 3); n > 0; n--)
        change_field (&random, data + prefix, size - prefix);
      return size;
  }
}

/* --- containers --- */

enum
{
  FRAME_SIZE = 8, /* its place in a frame */
  MOST_FRAMES = 64,
};

/* Finds the frames, and returns how many there are. */
static unsigned
find_frames (const uint8_t *data, size_t size, size_t at[MOST_FRAMES])
{
  unsigned n = 0;

  for (size_t i = 1; i + 12 <= size && n < MOST_FRAMES; i++)
    if (memcmp (data + i, "PACO", 4) == 0)
      at[n++] = i;
  return n;
}

/* Bytes that a frame no longer needs stay after it. */
static void
change_frame (FuzzRandom *random, uint8_t *data, size_t size)
{
  size_t room = paco_get32 (data + FRAME_SIZE);

  room = CLAMP (room, 1, size);
  fuzz_mutate_frame (
      data, room, room, FUZZ_MAX_SAMPLES, fuzz_random_next (random));
}

size_t
fuzz_mutate_as_container (
    uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
  FuzzRandom random = fuzz_random_new (seed);
  size_t at[MOST_FRAMES], i;
  unsigned n = find_frames (data, size, at);

  switch (seed % 8) {
    case 0:
    case 1:
      return LLVMFuzzerMutate (data, size, capacity);
    case 2:
      if (size > 0)
        data[0] = (uint8_t) fuzz_random_next (&random);
      return size;
    case 3:
      return fuzz_mutate_bytes (&random, data, size, capacity);
    default:
      if (n == 0)
        return LLVMFuzzerMutate (data, size, capacity);
      i = at[fuzz_random_below (&random, n)];
      change_frame (&random, data + i, size - i);
      return size;
  }
}
