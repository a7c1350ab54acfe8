/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compares a backend's decoder with the reference on frames with step maps, which only
 * the reference writes. */
#include "backend-case.h"
#include "codec/frame_cut.h"
#include "codec/reference/reference.h"
#include "codec/step_map.h"
#include <string.h>
#include <zlib.h>

/* Draws a map of n cells: noise, extremes, or something smooth. */
static uint8_t *
draw_cells (GRand *rand, uint32_t n)
{
  uint8_t *cells = g_malloc (n);
  unsigned kind = g_rand_int_range (rand, 0, 3);
  int level = 7;

  for (uint32_t i = 0; i < n; i++) {
    level += g_rand_int_range (rand, level > 1 ? -2 : 0, level < 14 ? 3 : 1);
    cells[i] = kind == 0 ? g_rand_int_range (rand, 0, 16)
        : kind == 1      ? 15 * g_rand_boolean (rand)
                         : level;
  }
  return cells;
}

static void
parse_header (const Case *c, PacoHeader *header)
{
  GError *error = NULL;

  paco_header_parse_frame (c->frame->data, c->frame->len, header, NULL, &error);
  g_assert_no_error (error);
}

/* Draws a case of an irreversible wavelet, without a budget, and gives its frame a step
 * map. */
static void
case_init_mapped (Case *c, PacoHeader *header)
{
  GError *error = NULL;
  g_autofree uint8_t *cells = NULL;
  g_autoptr (PacoGeometry) geometry = NULL;

  for (;;) {
    case_init_possible (c, g_test_rand_int_range (0, 8) ? 3000 : 40000);
    parse_header (c, header);
    if (!paco_is_reversible (&header->coding, 0)
        && c->parameters.rate_control != PACO_RATE_BITRATE)
      break;
    case_clear (c);
  }
  geometry = paco_geometry_new (&header->picture, &header->coding);
  cells = draw_cells (c->rand, paco_step_map_n_cells (geometry));
  c->parameters.cut_points = g_rand_boolean (c->rand);
  g_byte_array_set_size (c->frame, 0);
  paco_reference_encode_mapped (&c->source.format, &c->source.picture,
      &c->video, &c->parameters, cells,
      g_rand_int_range (c->rand, 0, 1 << header->picture.n_components),
      c->frame, &error);
  g_assert_no_error (error);
  parse_header (c, header);
  g_assert_true (header->coding.step_map);
}

static void
check_whole (
    const Case *c, PacoDecoder *decoder, const uint8_t *data, size_t size)
{
  Verdict verdict = decode_and_check (c, decoder, data, size, 0);

  g_assert_true (verdict.decoded);
  g_assert_cmpuint (verdict.corrupted_blocks, ==, 0);
}

/* Checks that a frame that was cut keeps its map. */
static void
check_cut (const Case *c, PacoDecoder *decoder, const PacoHeader *header)
{
  g_autofree uint8_t *out = g_malloc (c->frame->len);
  size_t least = paco_header_overhead (header) + header->index_size, size;
  PacoHeader cut;

  g_assert_true (paco_frame_cut (c->frame->data, c->frame->len,
      g_rand_int_range (c->rand, least, c->frame->len + 1), out, &size, NULL));
  g_assert_true (paco_header_parse_frame (out, size, &cut, NULL, NULL));
  g_assert_cmpmem (out + cut.header_size + paco_header_records_size (&cut),
      cut.step_map_size,
      c->frame->data + header->header_size + paco_header_records_size (header),
      header->step_map_size);
  check_whole (c, decoder, out, size);
}

/* Checks frames whose map has any bytes. */
static void
check_damaged (const Case *c, PacoDecoder *decoder, PacoHeader *header)
{
  uint8_t *index = c->frame->data + header->header_size;
  uint8_t *map = index + paco_header_records_size (header);

  for (unsigned k = g_rand_int_range (c->rand, 1, 5); k > 0; k--)
    map[g_rand_int_range (c->rand, 0, header->step_map_size)] = g_rand_int (
        c->rand);
  header->index_crc = crc32 (0, index, header->index_size);
  paco_header_write (header, c->frame->data);
  decode_and_check (c, decoder, c->frame->data, c->frame->len, 0);
}

/* Tests that frames with maps are decoded as the reference decodes them. */
static void
test_random (void)
{
  g_auto (Coders) coders;

  coders_open (&coders);
  for (unsigned n = 0; n < n_cases (400); n++) {
    PacoDecoder *decoder = coders.decoders[n % N_CODERS];
    PacoHeader header;
    g_auto (Case) c;

    case_init_mapped (&c, &header);
    set_random_ops (c.rand, NULL, decoder);
    check_whole (&c, decoder, c.frame->data, c.frame->len);
    decode_and_check (&c, decoder, c.frame->data, c.frame->len,
        g_rand_int_range (c.rand, 0, c.levels + 1));
    if (c.parameters.cut_points)
      check_cut (&c, decoder, &header);
    check_damaged (&c, decoder, &header);
  }
}

/* Tests that a decoder that was configured for frames without a map is configured again
 * for one that has one. */
static void
test_configuration (void)
{
  g_auto (Coders) coders;
  g_auto (TestPicture) picture;
  g_auto (Case) c;
  PacoHeader mapped, plain;

  coders_open (&coders);
  case_init_mapped (&c, &mapped);
  plain = mapped;
  plain.coding.step_map = false;
  destination_init (&c, &picture, 0);
  for (unsigned n = 0; n < 2; n++) {
    const PacoHeader *header = n == 0 ? &plain : &mapped;

    g_assert_true (paco_decoder_configure (
        coders.decoders[0], header, picture.picture.layout, 0, NULL));
    g_assert_true (paco_decoder_takes (coders.decoders[0], header));
    g_assert_false (
        paco_decoder_takes (coders.decoders[0], n == 0 ? &mapped : &plain));
  }
}

void
add_map_tests (void)
{
  g_test_add_func ("/backend/step-map", test_random);
  g_test_add_func ("/backend/step-map-configuration", test_configuration);
}
