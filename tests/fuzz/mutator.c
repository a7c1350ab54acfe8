/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Changes frames and streams (mutator.h): parts.c takes frames apart,
 * change-header.c changes headers; index, payload and streams are changed here. */
#include "codec/bytes.h"
#include "tests/fuzz/parts.h"
#include <string.h>
#include <zlib.h>

/* --- random numbers and bytes --- */

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

/* --- changes of index and payload --- */

/* Makes the bytes of block i n; what is new is noise or zeros. */
static void
resize_block (FuzzParts *parts, uint32_t i, uint32_t n)
{
  PacoBlockRecord *record = &parts->records[i];
  bool zeros = one_in (parts->random, 2);

  n = MIN (n, FUZZ_MAX_BLOCK);
  parts->blocks[i] = g_realloc (parts->blocks[i], n);
  for (uint32_t k = record->length; k < n; k++)
    parts->blocks[i][k] = zeros ? 0
                                : (uint8_t) fuzz_random_next (parts->random);
  record->length = (uint16_t) n;
}

static void
copy_block (FuzzParts *parts, uint32_t from, uint32_t to)
{
  if (from == to)
    return;
  g_free (parts->blocks[to]);
  parts->records[to] = parts->records[from];
  parts->blocks[to] = g_memdup2 (
      parts->blocks[from], parts->records[from].length);
}

/* Stores all planes raw, in the bytes that it takes. */
static void
make_raw (FuzzParts *parts, uint32_t i)
{
  PacoBlockRecord *record = &parts->records[i];
  const PacoCodeblock *block = &parts->geometry->blocks[i];

  record->planes = (uint8_t) MAX (record->planes, 1);
  fuzz_settle_record (record);
  record->raw_planes = record->planes - record->dropped_planes;
  record->raw_left_signs = record->cut = false;
  resize_block (parts, i,
      paco_raw_block_bytes (
          (uint32_t) block->width * block->height, record->raw_planes));
}

static void
change_record (FuzzParts *parts)
{
  uint32_t n = parts->geometry->n_blocks, i = below (parts->random, n);
  PacoBlockRecord *record = &parts->records[i];

  switch (below (parts->random, 11)) {
    case 0:
      record->planes = (uint8_t) below (parts->random, PACO_MAX_PLANES + 1);
      break;
    case 1:
      record->raw_planes = (uint8_t) below (parts->random, PACO_MAX_PLANES + 1);
      break;
    case 2:
      record->dropped_planes = (uint8_t) below (parts->random, 16);
      break;
    case 3:
      record->shared_codewords = !record->shared_codewords;
      break;
    case 4:
      record->raw_left_signs = !record->raw_left_signs;
      break;
    case 5:
      resize_block (parts, i, below (parts->random, 2000));
      break;
    case 6:
      resize_block (parts, i,
          record->length + below (parts->random, 9) - MIN (record->length, 4u));
      break;
    case 7:
      copy_block (parts, below (parts->random, n), i);
      break;
    case 8:
      record->set = (uint8_t) below (parts->random, PACO_N_SETS);
      break;
    case 9:
      record->cut = !record->cut;
      break;
    default:
      make_raw (parts, i);
  }
  fuzz_settle_record (&parts->records[i]);
}

/* Says other places to cut, or none at all; where a record changes, others follow. */
static void
change_cuts (FuzzParts *parts)
{
  uint32_t n = parts->geometry->n_blocks, i = below (parts->random, n);
  PacoRateCuts *cuts = &parts->cuts[i];
  PacoCoding *coding = &parts->header.coding;

  if (!coding->cut_points || one_in (parts->random, 8)) {
    coding->cut_points = !coding->cut_points;
    for (uint32_t k = 0; k < n; k++)
      parts->cuts[k] = fuzz_draw_cuts (parts->random, &parts->records[k]);
    return;
  }
  if (one_in (parts->random, 2))
    *cuts = fuzz_draw_cuts (parts->random, &parts->records[i]);
  else
    fuzz_change_bytes (parts->random, cuts->worth, sizeof cuts->worth);
}

/* Changes the step map's bytes, which components take half of it, or whether there is
 * one. */
static void
change_map (FuzzParts *parts)
{
  PacoCoding *coding = &parts->header.coding;

  if (!coding->step_map || one_in (parts->random, 8))
    coding->step_map = !coding->step_map;
  else if (parts->map->len > 0 && one_in (parts->random, 2))
    fuzz_change_bytes (parts->random, parts->map->data, parts->map->len);
  coding->step_map_halved = coding->step_map ? (uint8_t) below (parts->random,
                                1u << parts->header.picture.n_components)
                                             : 0;
}

static void
change_block (FuzzParts *parts)
{
  uint32_t n = parts->geometry->n_blocks, i = below (parts->random, n);
  uint32_t length;

  /* Large frames have many empty blocks. */
  for (int tries = 0; tries < 8 && parts->records[i].length == 0; tries++)
    i = below (parts->random, n);
  length = parts->records[i].length;
  if (length == 0)
    return;
  switch (below (parts->random, 5)) {
    case 0:
      for (uint32_t k = 0; k < length; k++)
        parts->blocks[i][k] = (uint8_t) fuzz_random_next (parts->random);
      break;
    case 1:
      memset (parts->blocks[i], one_in (parts->random, 2) ? 255 : 0, length);
      break;
    case 2: /* the plain bits at the end, and their padding */
      parts->blocks[i][length - 1] ^= (uint8_t) (1u
          << below (parts->random, 8));
      break;
    default:
      fuzz_change_bytes (parts->random, parts->blocks[i], length);
  }
}

/* --- frames and streams --- */

static void
change_frame (FuzzParts *parts)
{
  unsigned kind = below (parts->random, 8);

  if (kind < 3)
    fuzz_change_header (parts);
  if (one_in (parts->random, 6))
    fuzz_change_ancillary (parts);
  if (one_in (parts->random, 12))
    fuzz_change_attachment (parts);
  if (parts->geometry->n_blocks == 0)
    return;
  if (one_in (parts->random, 6))
    change_cuts (parts);
  if (one_in (parts->random, 6))
    change_map (parts);
  for (unsigned n = 1 + below (parts->random, 4); n > 0; n--) {
    if (kind >= 3 && kind < 6)
      change_record (parts);
    if (kind == 2 || kind >= 5)
      change_block (parts);
  }
}

size_t
fuzz_mutate_frame (uint8_t *data, size_t size, size_t capacity,
    uint32_t max_samples, uint64_t seed)
{
  FuzzRandom random = fuzz_random_new (seed);
  FuzzParts parts = { .max_samples = max_samples, .random = &random };
  size_t made;

  if (one_in (&random, 8) || !fuzz_parts_take (&parts, data, size)) {
    size = fuzz_mutate_bytes (&random, data, size, capacity);
    if (!one_in (&random, 4))
      fuzz_repair_frame (data, size);
    return size;
  }
  change_frame (&parts);
  made = fuzz_parts_put (&parts, data, capacity);
  if (made > 0)
    size = made;
  /* Headers whose fields contradict each other or are out of range. */
  if (one_in (&random, 16) && parts.header.header_size > 0) {
    fuzz_change_bytes (
        &random, data, MIN (size, paco_header_size (&parts.header)));
    fuzz_repair_frame (data, size);
  }
  fuzz_parts_clear (&parts);
  return size;
}

/* This is where a frame lies in a stream; it goes to the next one or to the end
 * if its header has no true size. */
typedef struct
{
  size_t start, size;
} Place;

#define MAX_PLACES 64

static unsigned
find_frames (const uint8_t *data, size_t size, Place *places)
{
  unsigned n = 0;

  for (size_t i = 0; i + PACO_HEADER_PEEK_SIZE <= size && n < MAX_PLACES; i++)
    if (memcmp (data + i, PACO_MAGIC, 4) == 0) {
      if (n > 0)
        places[n - 1].size = MIN (places[n - 1].size, i - places[n - 1].start);
      places[n++] = (Place){ i, MIN (size - i, paco_get32 (data + i + 8)) };
    }
  return n;
}

static size_t
mutate_place (FuzzRandom *random, uint8_t *data, size_t size, size_t capacity,
    uint32_t max_samples, Place place)
{
  size_t room = capacity - size + place.size;
  size_t rest = size - place.start - place.size, made;
  g_autofree uint8_t *frame = g_malloc (room + 1);

  memcpy (frame, data + place.start, place.size);
  made = fuzz_mutate_frame (
      frame, place.size, room, max_samples, fuzz_random_next (random));
  memmove (data + place.start + made, data + place.start + place.size, rest);
  memcpy (data + place.start, frame, made);
  return place.start + made + rest;
}

/* Puts a copy of the frame behind the stream. */
static size_t
repeat_place (uint8_t *data, size_t size, size_t capacity, Place place)
{
  if (place.size > capacity - size)
    return size;
  memcpy (data + size, data + place.start, place.size);
  return size + place.size;
}

/* Removes n bytes of the frame from its own byte `at` on. */
static size_t
cut_place (uint8_t *data, size_t size, Place place, size_t at, size_t n)
{
  uint8_t *start = data + place.start + at;

  n = MIN (n, place.size - MIN (at, place.size));
  if (n >= size)
    return size;
  memmove (start, start + n, data + size - start - n);
  return size - n;
}

size_t
fuzz_mutate_stream (uint8_t *data, size_t size, size_t capacity,
    uint32_t max_samples, uint64_t seed)
{
  FuzzRandom random = fuzz_random_new (seed);
  Place places[MAX_PLACES];
  unsigned n = find_frames (data, size, places);
  Place place;

  if (n == 0 || one_in (&random, 8))
    return fuzz_mutate_bytes (&random, data, size, capacity);
  place = places[below (&random, n)];
  if (place.size == 0)
    return fuzz_mutate_bytes (&random, data, size, capacity);
  switch (below (&random, 8)) {
    case 0:
      return repeat_place (data, size, capacity, place);
    case 1: /* a part is lost, or all of it */
      return cut_place (data, size, place,
          one_in (&random, 2) ? 0 : below (&random, (uint32_t) place.size),
          one_in (&random, 2) ? place.size : 1 + below (&random, 700));
    case 2: /* the length that the header says is not true */
      if (place.size >= PACO_HEADER_PEEK_SIZE + 4) {
        uint32_t length = paco_get32 (data + place.start + 8);
        uint32_t header_size = data[place.start + 6]
            | data[place.start + 7] << 8;

        length = one_in (&random, 2)
            ? length + below (&random, 64) - 32
            : (uint32_t) fuzz_random_next (&random) >> below (&random, 32);
        paco_put32 (data + place.start + 8, length);
        if (header_size >= PACO_HEADER_PEEK_SIZE + 4
            && header_size <= place.size)
          paco_put32 (data + place.start + header_size - 4,
              (uint32_t) crc32 (0, data + place.start, header_size - 4));
      }
      return size;
    default:
      return mutate_place (&random, data, size, capacity, max_samples, place);
  }
}
