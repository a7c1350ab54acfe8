/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Damages frames at random (random-damage.h): as tests/fuzz/mutator.h does, which makes
 * CRCs right again, and as storage and networks do, which do not. */
#include "random-damage.h"
#include "codec/index.h"
#include "must.h"
#include "tests/fuzz/mutator.h"
#include <string.h>

#define ROOM 3000 /* bytes that a frame may grow by */

void
test_damage (GRand *rand, GByteArray *frame, uint32_t max_samples)
{
  size_t size = frame->len;

  switch (g_rand_int_range (rand, 0, 8)) {
    case 0: /* cut */
      size = g_rand_int_range (rand, 0, frame->len);
      break;
    case 1:
      frame->data[g_rand_int_range (rand, 0, frame->len)] ^= 1
          << g_rand_int_range (rand, 0, 8);
      break;
    default:
      g_byte_array_set_size (frame, size + ROOM);
      size = fuzz_mutate_frame (
          frame->data, size, frame->len, max_samples, g_rand_int (rand));
      break;
  }
  g_byte_array_set_size (frame, size);
}

void
test_break_blocks (
    GByteArray *frame, GRand *rand, TestChooser choose, gpointer data)
{
  g_autoptr (PacoGeometry) geometry = NULL;
  g_autofree PacoBlockRecord *records = NULL;
  PacoHeader header;
  size_t payload;

  g_assert_true (
      paco_header_parse (frame->data, frame->len, &header, NULL, NULL));
  payload = header.header_size + header.index_size;
  geometry = paco_geometry_new (&header.picture, &header.coding);
  records = g_new (PacoBlockRecord, geometry->n_blocks);
  g_assert_true (
      paco_index_parse_frame (frame->data, &header, geometry, records, NULL));
  for (uint32_t i = 0; i < geometry->n_blocks; i++) {
    if (records[i].length > 0 && choose (geometry, i, data))
      frame->data[payload + records[i].offset
          + g_rand_int_range (rand, 0, records[i].length)] ^= 1
          << g_rand_int_range (rand, 0, 8);
  }
}

bool
test_same_format (const uint8_t *data, size_t size, const PacoHeader *original)
{
  PacoHeader header;

  return !paco_header_parse (data, size, &header, NULL, NULL)
      || paco_picture_format_equal (&header.picture, &original->picture);
}
