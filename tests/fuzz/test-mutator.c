/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The mutator: its results keep to what the caller asks for, the same seed gives
 * the same bytes, and most of what it makes gets past header and index, which
 * is what it is for. */
#include "codec/geometry.h"
#include "codec/index.h"
#include "tests/fuzz/decoding.h"
#include "tests/fuzz/seeds.h"
#include <string.h>

#define N_MUTATIONS 4000
#define MAX_SAMPLES 40000

typedef size_t (*Mutate) (uint8_t *data, size_t size, size_t capacity,
    uint32_t max_samples, uint64_t seed);

static GPtrArray *seeds;

/* The seed in memory of capacity bytes. */
static uint8_t *
copy_of (const GByteArray *seed, size_t capacity)
{
  uint8_t *copy = g_malloc0 (capacity);

  memcpy (copy, seed->data, seed->len);
  return copy;
}

static bool
index_is_good (const uint8_t *data, const PacoHeader *header)
{
  PacoGeometry *geometry = paco_geometry_new (
      &header->picture, &header->coding);
  PacoBlockRecord *records = g_new (PacoBlockRecord, geometry->n_blocks);
  bool good = paco_index_parse (data + header->header_size, header->index_size,
      geometry, header->coding.block_checks,
      header->frame_size - header->header_size - header->index_size, records,
      NULL);

  g_free (records);
  paco_geometry_free (geometry);
  return good;
}

/* Changes random seeds; counts what has a header and an index. */
static unsigned
mutate_all (Mutate mutate)
{
  unsigned n_good = 0;

  for (unsigned i = 0; i < N_MUTATIONS; i++) {
    const GByteArray *seed =
        seeds->pdata[g_test_rand_int_range (0, (gint32) seeds->len)];
    size_t capacity = seed->len + (size_t) g_test_rand_int_range (0, 3000);
    uint64_t number = (uint64_t) g_test_rand_int ();
    uint8_t *data = copy_of (seed, capacity), *again = copy_of (seed, capacity);
    size_t size = mutate (data, seed->len, capacity, MAX_SAMPLES, number);
    PacoHeader header;

    g_assert_cmpuint (size, >=, 1);
    g_assert_cmpuint (size, <=, capacity);
    g_assert_cmpuint (
        mutate (again, seed->len, capacity, MAX_SAMPLES, number), ==, size);
    g_assert_cmpmem (data, size, again, size);
    if (paco_header_parse_frame (data, size, &header, NULL, NULL)
        && paco_picture_samples (&header.picture) <= MAX_SAMPLES)
      n_good += index_is_good (data, &header);
    g_free (data);
    g_free (again);
  }
  g_test_message ("%u of %u are frames", n_good, N_MUTATIONS);
  return n_good;
}

static void
test_frames (void)
{
  g_assert_cmpuint (mutate_all (fuzz_mutate_frame), >, N_MUTATIONS / 2);
}

static void
test_streams (void)
{
  g_assert_cmpuint (mutate_all (fuzz_mutate_stream), >, N_MUTATIONS / 4);
}

/* Lengths and checks of a frame that lost its tail are made true. */
static void
test_repair (void)
{
  const GByteArray *seed = seeds->pdata[seeds->len - 1];
  uint8_t *data = copy_of (seed, seed->len);
  PacoHeader header;

  g_assert_false (
      paco_header_parse_frame (data, seed->len - 1, &header, NULL, NULL));
  data[40] ^= 2; /* 3:1, not 1:1 */
  fuzz_repair_frame (data, seed->len - 1);
  g_assert_true (
      paco_header_parse_frame (data, seed->len - 1, &header, NULL, NULL));
  g_free (data);
}

int
main (int argc, char **argv)
{
  FuzzRandom random;
  int status;

  g_test_init (&argc, &argv, NULL);
  random = fuzz_random_new ((uint64_t) g_test_rand_int ());
  seeds = fuzz_seeds_new ();
  fuzz_seeds_add_kinds (seeds, &random);
  g_test_add_func ("/mutator/frames", test_frames);
  g_test_add_func ("/mutator/streams", test_streams);
  g_test_add_func ("/mutator/repair", test_repair);
  status = g_test_run ();
  g_ptr_array_unref (seeds);
  return status;
}
