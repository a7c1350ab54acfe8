/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests the mutator: its results keep to what the caller asks for, the same seed
 * gives the same bytes, and most of what it makes gets past header and index, which
 * it is made for; so do cut points, views and ancillary chunks with values that no
 * encoder writes. */
#include "codec/frame_cut.h"
#include "codec/step_map.h"
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

/* Puts the seed into memory of capacity bytes. */
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
  g_autofree PacoBlockRecord *records = g_new (
      PacoBlockRecord, geometry->n_blocks);
  bool good = paco_index_parse (
      data + header->header_size + paco_header_tables_size (header),
      paco_header_records_size (header), geometry, header->coding.block_checks,
      paco_header_payload_size (header), records, NULL);

  paco_geometry_free (geometry);
  return good;
}

/* This says, of mutations that have a header and an index, how many have such
 * parts. */
typedef struct
{
  unsigned frames, cut_points, maps, views, chunks, odd_chunks, attached;
} Counts;

static bool
has_map (const uint8_t *data, const PacoHeader *header)
{
  PacoGeometry *geometry = paco_geometry_new (
      &header->picture, &header->coding);
  g_autofree uint8_t *cells = g_malloc (paco_step_map_n_cells (geometry));
  bool good = header->coding.step_map
      && paco_step_map_parse_frame (data, header, geometry, cells, NULL);

  paco_geometry_free (geometry);
  return good;
}

static bool
has_cut_points (const uint8_t *data, size_t size, const PacoHeader *header)
{
  g_autofree uint8_t *cut = g_malloc (size);
  size_t cut_size;
  /* It can be cut to a byte less than it is. */
  bool good = header->coding.cut_points && size == header->frame_size
      && paco_frame_cut (data, size, size - 1, cut, &cut_size, NULL);

  return good;
}

/* Says whether a caption or bars are of a kind, or at a place, that random ones are
 * not. */
static bool
is_odd (const PacoChunk *chunk)
{
  PacoActiveFormat active;

  if (chunk->type == PACO_ANCILLARY_CAPTION)
    return chunk->data[0] == 0 || chunk->data[0] > 5;
  if (chunk->type != PACO_ANCILLARY_ACTIVE_FORMAT)
    return false;
  paco_chunk_active_format (chunk, &active);
  return active.kind > PACO_ACTIVE_FORMAT_PILLARBOX;
}

static void
count_parts (
    const uint8_t *data, size_t size, const PacoHeader *header, Counts *counts)
{
  PacoAncillary rest = header->video.ancillary;
  PacoChunk chunk;

  counts->frames++;
  counts->cut_points += has_cut_points (data, size, header);
  counts->maps += has_map (data, header);
  counts->views += header->video.has_views;
  counts->attached += header->video.attachment.size > 0;
  while (paco_ancillary_next (&rest, &chunk)) {
    counts->chunks++;
    counts->odd_chunks += is_odd (&chunk);
  }
}

/* Changes random seeds, and counts what becomes of them. */
static Counts
mutate_all (Mutate mutate)
{
  Counts counts = { 0 };

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
        && paco_picture_samples (&header.picture) <= MAX_SAMPLES
        && index_is_good (data, &header))
      count_parts (data, size, &header, &counts);
    g_free (data);
    g_free (again);
  }
  g_test_message (
      "%u of %u are frames, %u with cut points, %u with step maps, "
      "%u with views, %u chunks, %u of them odd, %u with an attachment",
      counts.frames, N_MUTATIONS, counts.cut_points, counts.maps, counts.views,
      counts.chunks, counts.odd_chunks, counts.attached);
  return counts;
}

static void
test_frames (void)
{
  Counts counts = mutate_all (fuzz_mutate_frame);

  g_assert_cmpuint (counts.frames, >, N_MUTATIONS / 2);
  g_assert_cmpuint (counts.cut_points, >, N_MUTATIONS / 20);
  g_assert_cmpuint (counts.maps, >, N_MUTATIONS / 40);
  g_assert_cmpuint (counts.views, >, 0);
  g_assert_cmpuint (counts.chunks, >, N_MUTATIONS / 20);
  g_assert_cmpuint (counts.odd_chunks, >, 0);
  g_assert_cmpuint (counts.attached, >, 0);
}

static void
test_streams (void)
{
  g_assert_cmpuint (mutate_all (fuzz_mutate_stream).frames, >, N_MUTATIONS / 4);
}

/* Tests that lengths and checks of a frame that lost its tail are made true. */
static void
test_repair (void)
{
  const GByteArray *seed = seeds->pdata[seeds->len - 1];
  g_autofree uint8_t *data = copy_of (seed, seed->len);
  PacoHeader header;

  g_assert_false (
      paco_header_parse_frame (data, seed->len - 1, &header, NULL, NULL));
  data[40] ^= 2; /* 3:1, not 1:1 */
  fuzz_repair_frame (data, seed->len - 1);
  g_assert_true (
      paco_header_parse_frame (data, seed->len - 1, &header, NULL, NULL));
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
