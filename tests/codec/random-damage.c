/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Random damage. */
#include "random-damage.h"
#include <string.h>
#include <zlib.h>

static void
put32 (uint8_t *data, uint32_t value)
{
  for (unsigned i = 0; i < 4; i++)
    data[i] = value >> (8 * i);
}

/* Makes the CRCs of header and index right again, so that what lies behind
 * them is reached. */
static void
mend (GByteArray *frame, const PacoHeader *header)
{
  uint8_t *data = frame->data;
  uint32_t index_end = header->header_size + header->index_size;

  if (frame->len >= index_end)
    put32 (
        data + 16, crc32 (0, data + header->header_size, header->index_size));
  if (frame->len >= header->header_size)
    put32 (data + header->header_size - 4,
        crc32 (0, data, header->header_size - 4));
}

void
test_damage (GRand *rand, GByteArray *frame, const PacoHeader *header)
{
  uint32_t index_end = header->header_size + header->index_size;
  uint32_t begin = 0, end = frame->len;

  switch (g_rand_int_range (rand, 0, 8)) {
    case 0: /* cut */
      g_byte_array_set_size (frame, g_rand_int_range (rand, 0, frame->len));
      return;
    case 1: /* anywhere, the CRCs left wrong */
      frame->data[g_rand_int_range (rand, 0, frame->len)] ^= 1
          << g_rand_int_range (rand, 0, 8);
      return;
    case 2:
      end = header->header_size;
      break;
    case 3:
    case 4:
      begin = header->header_size;
      end = index_end;
      break;
    default:
      begin = index_end;
      break;
  }
  for (int n = g_rand_int_range (rand, 1, 6); n > 0 && begin < end; n--) {
    uint8_t *byte = &frame->data[g_rand_int_range (rand, begin, end)];

    if (g_rand_boolean (rand))
      *byte ^= 1 << g_rand_int_range (rand, 0, 8);
    else
      *byte = g_rand_int (rand);
  }
  mend (frame, header);
}

bool
test_same_format (const uint8_t *data, size_t size, const PacoHeader *original)
{
  PacoHeader header;

  return !paco_header_parse (data, size, &header, NULL, NULL)
      || (header.picture.width == original->picture.width
          && header.picture.height == original->picture.height
          && header.picture.fields == original->picture.fields
          && header.picture.n_components == original->picture.n_components
          && memcmp (header.picture.components, original->picture.components,
                 sizeof header.picture.components)
              == 0);
}
