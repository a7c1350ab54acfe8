/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Changes the inputs of fuzz-reader and fuzz-part, which are a byte and a stream: its
 * frames, their order, the bytes between them, and what frames say of their places,
 * which are true, nearly so, or any number. */
#include "lib/paco.h"
#include "tests/fuzz/decoding.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutator.h"
#include <glib.h>
#include <string.h>

typedef struct
{
  uint32_t number;
  uint64_t offset;
} Place;

/* Draws what a frame says that is at this place of its stream. */
static Place
draw_place (FuzzRandom *random, Place place)
{
  const uint64_t offsets[] = { 0, place.offset + 1, place.offset - 1,
    UINT64_MAX, (uint64_t) 1 << 63, fuzz_random_next (random) };
  const uint32_t numbers[] = { 0, place.number + 1, place.number - 1,
    UINT32_MAX, 2 * place.number, (uint32_t) fuzz_random_next (random) };

  if (fuzz_random_one_in (random, 2))
    place.number = numbers[fuzz_random_below (random, G_N_ELEMENTS (numbers))];
  if (fuzz_random_one_in (random, 2))
    place.offset = offsets[fuzz_random_below (random, G_N_ELEMENTS (offsets))];
  return place;
}

/* Gives all frames places, in one stream or in several. */
static void
change_places (FuzzRandom *random, uint8_t *data, size_t size)
{
  uint32_t rarity = 1u << fuzz_random_below (random, 6);
  Place place = { 0 };
  PacoInfo info = PACO_INFO_INIT;

  for (size_t at = 0, bytes; at < size; at += bytes) {
    bytes = 1;
    if (paco_probe (data + at, size - at, &info, NULL, NULL) != PACO_STATUS_OK)
      continue;
    bytes = CLAMP (info.frame_size, 1, size - at);
    if (fuzz_random_one_in (random, 4 * rarity))
      place = (Place){ 0 };
    if (info.frame_size == bytes) {
      Place said = fuzz_random_one_in (random, rarity)
          ? draw_place (random, place)
          : place;

      paco_frame_set_place (data + at, bytes, said.number, said.offset, NULL);
    }
    place.number++;
    place.offset += bytes;
  }
}

size_t
LLVMFuzzerCustomMutator (
    uint8_t *data, size_t size, size_t capacity, unsigned seed)
{
  FuzzRandom random = fuzz_random_new (seed);

  if (size < 2 || seed % 8 == 0)
    return LLVMFuzzerMutate (data, size, capacity);
  if (seed % 8 == 1) {
    data[0] = (uint8_t) (seed >> 8);
    return size;
  }
  if (seed % 8 < 6)
    size = 1
        + fuzz_mutate_stream (
            data + 1, size - 1, capacity - 1, FUZZ_MAX_SAMPLES, seed);
  if (seed % 2)
    change_places (&random, data + 1, size - 1);
  return size;
}
