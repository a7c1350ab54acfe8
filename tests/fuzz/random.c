/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Draws random numbers and makes random changes, as random.h says. */
#include "tests/fuzz/random.h"
#include <glib.h>
#include <string.h>

FuzzRandom
fuzz_random_new (uint64_t seed)
{
  FuzzRandom random = { seed * 0x9e3779b97f4a7c15u + 0x7f4a7c15u };

  if (random.state == 0)
    random.state = 1;
  fuzz_random_next (&random);
  return random;
}

uint64_t
fuzz_random_next (FuzzRandom *random)
{
  /* This is xorshift64*. */
  random->state ^= random->state >> 12;
  random->state ^= random->state << 25;
  random->state ^= random->state >> 27;
  return random->state * 2685821657736338717u;
}

uint32_t
fuzz_random_below (FuzzRandom *random, uint32_t n)
{
  return (uint32_t) ((fuzz_random_next (random) >> 32) * n >> 32);
}

bool
fuzz_random_one_in (FuzzRandom *random, uint32_t n)
{
  return fuzz_random_below (random, n) == 0;
}

#define below fuzz_random_below
#define one_in fuzz_random_one_in
#define COUNT(array) (sizeof (array) / sizeof *(array))

void
fuzz_change_bytes (FuzzRandom *random, uint8_t *data, size_t size)
{
  static const uint8_t extremes[] = { 0, 1, 0x7f, 0x80, 0xfe, 0xff };
  size_t at = below (random, (uint32_t) size), n;

  if (size == 0)
    return;
  n = 1 + below (random, (uint32_t) MIN (size - at, 64));
  switch (below (random, 6)) {
    case 0:
      data[at] = (uint8_t) fuzz_random_next (random);
      break;
    case 1:
      data[at] = extremes[below (random, COUNT (extremes))];
      break;
    case 2:
      memset (data + at, one_in (random, 2) ? 0xff : 0, n);
      break;
    case 3:
      while (n-- > 0)
        data[at + n] = (uint8_t) fuzz_random_next (random);
      break;
    case 4: /* a part again, elsewhere */
      memmove (data + at, data + below (random, (uint32_t) (size - n + 1)), n);
      break;
    default:
      data[at] ^= (uint8_t) (1u << below (random, 8));
  }
}

static size_t
insert_bytes (FuzzRandom *random, uint8_t *data, size_t size, size_t capacity)
{
  size_t at = below (random, (uint32_t) size + 1), n;

  if (size >= capacity)
    return size;
  n = 1 + below (random, (uint32_t) MIN (capacity - size, 64));
  memmove (data + at + n, data + at, size - at);
  for (size_t i = at; i < at + n; i++)
    data[i] = (uint8_t) fuzz_random_next (random);
  return size + n;
}

static size_t
remove_bytes (FuzzRandom *random, uint8_t *data, size_t size)
{
  size_t at = below (random, (uint32_t) size), n;

  if (size < 2)
    return size;
  n = 1 + below (random, (uint32_t) MIN (MIN (size - at, size - 1), 64));
  memmove (data + at, data + at + n, size - at - n);
  return size - n;
}

size_t
fuzz_mutate_bytes (
    FuzzRandom *random, uint8_t *data, size_t size, size_t capacity)
{
  if (size == 0) {
    data[0] = (uint8_t) fuzz_random_next (random);
    return 1;
  }
  switch (below (random, 4)) {
    case 0:
      return insert_bytes (random, data, size, capacity);
    case 1:
      return remove_bytes (random, data, size);
    default:
      fuzz_change_bytes (random, data, size);
      return size;
  }
}
