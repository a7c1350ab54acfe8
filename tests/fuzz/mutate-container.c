/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Changes the inputs of fuzz-container: mostly a frame, in the room that it has in the
 * container, and sometimes the container's own bytes. */
#include "codec/bytes.h"
#include "tests/fuzz/decoding.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutator.h"
#include <string.h>

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
LLVMFuzzerCustomMutator (
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
