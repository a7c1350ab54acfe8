/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests layouts of samples (codec/layout.h): where well-known formats have their
 * samples, what is refused, and what the regions of a picture are. */
#include "codec/error.h"
#include "codec/geometry.h"
#include "codec/layout.h"
#include "codec/picture.h"
#include "codec/policy_tiles.h"
#include <glib.h>
#include <string.h>

/* Lays out the components in a group of words like `words`, whose samples
 * follow each other as the digits of `order` say: bit by bit or, if run is not
 * 0, `run` of them to a word of 32 bits. */
static void
lay_out (PacoSampleLayout *layouts, const PacoSampleLayout *words,
    const char *order, unsigned depth, unsigned run)
{
  for (unsigned i = 0; order[i] != '\0'; i++) {
    PacoSampleLayout *layout = &layouts[order[i] - '0'];
    unsigned bit = run ? i / run * 32 + i % run * depth : i * depth;

    if (layout->group_bytes == 0)
      *layout = *words;
    paco_layout_append (layout, bit, depth);
  }
}

static void
check_places (
    const PacoSampleLayout *layout, unsigned n, const PacoSamplePlace *expected)
{
  g_assert_cmpuint (layout->group_samples, ==, n);
  for (unsigned i = 0; i < n; i++) {
    g_assert_cmpuint (layout->places[i].byte, ==, expected[i].byte);
    g_assert_cmpuint (layout->places[i].shift, ==, expected[i].shift);
  }
}

/* Tests v210, as Apple's QuickTime ice floe letter 19 draws it, and UYVP, as
 * RFC 4175 does. */
static void
test_places (void)
{
  static const PacoSampleLayout v210 = { .group_bytes = 16, .word_bytes = 4 };
  static const PacoSampleLayout uyvp = {
    .group_bytes = 5, .word_bytes = 2, .big_endian = true
  };
  PacoSampleLayout layouts[3] = { 0 };

  lay_out (layouts, &v210, "102010201020", 10, 3);
  check_places (&layouts[0], 6,
      (PacoSamplePlace[]){
          { 0, 10 }, { 4, 0 }, { 4, 20 }, { 8, 10 }, { 12, 0 }, { 12, 20 } });
  check_places (
      &layouts[1], 3, (PacoSamplePlace[]){ { 0, 0 }, { 4, 10 }, { 8, 20 } });
  check_places (
      &layouts[2], 3, (PacoSamplePlace[]){ { 0, 20 }, { 8, 0 }, { 12, 10 } });
  g_assert_cmpuint (paco_layout_groups (&layouts[0], 1920), ==, 320);
  g_assert_cmpuint (paco_layout_groups (&layouts[0], 1921), ==, 321);
  g_assert_cmpuint (paco_layout_offset (&layouts[0], 9), ==, 16 + 8);

  memset (layouts, 0, sizeof layouts);
  lay_out (layouts, &uyvp, "1020", 10, 0);
  check_places (&layouts[0], 2, (PacoSamplePlace[]){ { 1, 4 }, { 3, 0 } });
  check_places (&layouts[1], 1, (PacoSamplePlace[]){ { 0, 6 } });
  check_places (&layouts[2], 1, (PacoSamplePlace[]){ { 2, 2 } });
}

/* --- checks --- */

static const PacoPictureFormat pair = { 6, 4, 2, false, { { 8 }, { 8 } } };

/* Returns a picture of two components in the bytes of a group of two. */
static PacoPicture
bytes_in_turn (uint8_t *memory)
{
  PacoPicture picture = { { memory, memory }, { 12, 12 } };

  for (unsigned c = 0; c < 2; c++)
    picture.layout[c] = (PacoSampleLayout){ .group_bytes = 2,
      .group_samples = 1,
      .word_bytes = 1,
      .places = { { .byte = c } } };
  return picture;
}

static void
expect (const PacoPicture *picture, bool layouts_pass, const char *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (
      paco_layouts_check (&pair, picture->layout, NULL) == layouts_pass);
  g_assert_true (
      paco_picture_check (&pair, picture, 0, &error) == (message == NULL));
  if (message == NULL)
    return;
  g_assert_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED);
  if (strstr (error->message, message) == NULL)
    g_error ("\"%s\" does not say \"%s\"", error->message, message);
}

/* Tests what one component alone cannot have. */
static void
test_impossible_layouts (void)
{
  static const struct
  {
    PacoSampleLayout layout;
    const char *message;
  } cases[] = {
    { { 0, 1, 1 }, "groups of 1 samples in 0 bytes" },
    { { PACO_MAX_GROUP_BYTES + 1, 1, 1 }, "in 49 bytes" },
    { { 2, 0, 1 }, "groups of 0 samples" },
    { { 12, PACO_MAX_GROUP_SAMPLES + 1, 1 }, "groups of 9 samples" },
    { { 3, 1, 3 }, "in words of 3 bytes" },
    { { 1, 1, 1, .fill = 1 }, "filled with 0x01" },
    { { 2, 1, 2, .places = { { 1, 0 } } }, "at byte 1" },
    { { 2, 1, 2, .places = { { 0, 9 } } }, "the 8 bits from bit 9" },
    { { 2, 2, 1, .places = { { 0, 0 }, { 0, 0 } } }, "over each other" },
    { { 4, 2, 2, .places = { { 0, 4 }, { 1, 0 } } }, "over each other" },
  };
  uint8_t memory[48];

  for (unsigned i = 0; i < G_N_ELEMENTS (cases); i++) {
    PacoPicture picture = bytes_in_turn (memory);

    picture.layout[1] = cases[i].layout;
    expect (&picture, false, cases[i].message);
  }
}

/* Tests what components that share memory must agree on. */
static void
test_disagreement (void)
{
  uint8_t memory[48];
  PacoPicture good = bytes_in_turn (memory), bad;

  expect (&good, true, NULL);
  good.stride[0] = good.stride[1] = -12;
  expect (&good, true, NULL);

  bad = good;
  bad.stride[1] = 12;
  expect (&bad, true, "12 bytes apart");
  bad = good;
  bad.layout[1].group_bytes = 3;
  expect (&bad, true, "groups of 3 bytes");
  bad = good;
  bad.layout[1].fill = 0xff;
  expect (&bad, true, "filled with 0xff");
  bad = good;
  bad.layout[1].group_samples = 2;
  bad.layout[1].group_bytes = bad.layout[0].group_bytes = 4;
  bad.layout[1].places[1].byte = 3;
  bad.stride[0] = bad.stride[1] = 24;
  expect (&bad, true, "of 3 groups of 4 bytes");
  bad = good;
  bad.layout[1].places[0].byte = 0;
  expect (&bad, true, "over those of another component");
  bad = good;
  bad.stride[0] = bad.stride[1] = -11;
  expect (
      &bad, true, "take 12 bytes of a line, but the next one begins 11 bytes");
  /* A line ends with its samples, but not before. */
  bad.layout[0].group_bytes = bad.layout[1].group_bytes = 3;
  bad.stride[0] = bad.stride[1] = 17;
  expect (&bad, true, NULL);
  bad.stride[0] = bad.stride[1] = -16;
  expect (&bad, true, "take 17 bytes of a line, but the next one begins 16");
  /* Swapped words are swapped for all, and lines are made of them. */
  bad = good;
  bad.layout[1].swap_words = true;
  expect (&bad, true, "with 0x00 in swapped words");
  bad.layout[0].swap_words = true;
  expect (&bad, true, NULL);
  bad.stride[0] = bad.stride[1] = 14;
  expect (&bad, true, "swapped words of 4 bytes are 14 bytes apart");
  /* They have memory of their own, which is what differing addresses mean. */
  bad = good;
  bad.data[1] = memory + 1;
  bad.stride[0] = 12;
  bad.stride[1] = -12;
  bad.layout[1].places[0].byte = 0;
  expect (&bad, true, NULL);
}

/* --- regions --- */

static void
test_regions (void)
{
  static const PacoPictureFormat format = { 7, 5, 4, true,
    { { 8 }, { 8, 1, 1 }, { 8, 1, 1 }, { 8 } } };
  uint8_t luma[64], chroma[64];
  PacoPicture picture = { { luma, chroma, chroma, luma },
    { -24, 16, 16, -24 } };
  PacoRegion regions[PACO_MAX_COMPONENTS];

  for (unsigned c = 0; c < 4; c++)
    picture.layout[c] = (PacoSampleLayout){ .group_bytes = c == 0 || c == 3 ? 3
                                                                            : 2,
      .group_samples = 1,
      .word_bytes = 1,
      .fill = c == 0 || c == 3 ? 0xff : 0,
      .places = { { .byte = c / 2 } } };
  g_assert_true (paco_picture_check (&format, &picture, 0, NULL));
  g_assert_cmpuint (
      paco_picture_regions (&format, &picture, 0, regions), ==, 2);

  g_assert_cmpuint (regions[0].n_components, ==, 2);
  g_assert_cmpuint (regions[0].components[0], ==, 0);
  g_assert_cmpuint (regions[0].components[1], ==, 3);
  g_assert_true (regions[0].data == luma && regions[0].stride == -24);
  g_assert_cmpuint (regions[0].groups, ==, 7);
  g_assert_cmpuint (regions[0].lines, ==, 5);
  g_assert_cmpuint (regions[0].group_bytes, ==, 3);
  g_assert_cmpuint (regions[0].line_bytes, ==, 21);
  g_assert_cmpmem (regions[0].blank, 3, ((uint8_t[]){ 0, 0, 0xff }), 3);

  g_assert_cmpuint (regions[1].components[0], ==, 1);
  g_assert_cmpuint (regions[1].components[1], ==, 2);
  g_assert_cmpuint (regions[1].groups, ==, 4);
  g_assert_cmpuint (regions[1].lines, ==, 3);

  /* These are fields of 3 and 2 lines, each of which is halved. */
  paco_picture_regions (&format, &picture, 1, regions);
  g_assert_cmpuint (regions[0].groups, ==, 4);
  g_assert_cmpuint (regions[0].lines, ==, 3);
}

/* Tests a mosaic: the components of a line share a region, whose lines alternate with
 * those of the other two. */
static void
test_mosaic (void)
{
  static const PacoPictureFormat format = { 6, 4, 4, .mosaic = true,
    .components = { { 12, 1, 1, 0, 0, 0 }, { 12, 1, 1, 0, 1, 0 },
        { 12, 1, 1, 0, 0, 1 }, { 12, 1, 1, 0, 1, 1 } } };
  uint8_t memory[48];
  PacoPicture picture = { .crop = { 0 } };
  PacoRegion regions[PACO_MAX_COMPONENTS];
  uint32_t width, height;

  for (unsigned c = 0; c < 4; c++) {
    picture.data[c] = memory + 12 * format.components[c].place_y;
    picture.stride[c] = 24;
    picture.layout[c] = (PacoSampleLayout){ .group_bytes = 4,
      .group_samples = 1,
      .word_bytes = 2,
      .places = { { .byte = 2 * format.components[c].place_x } } };
  }
  g_assert_true (paco_picture_check (&format, &picture, 0, NULL));
  g_assert_cmpuint (
      paco_picture_regions (&format, &picture, 0, regions), ==, 2);
  for (unsigned i = 0; i < 2; i++) {
    g_assert_true (regions[i].data == memory + 12 * i);
    g_assert_cmpuint (regions[i].n_components, ==, 2);
    g_assert_cmpuint (regions[i].components[1], ==, 2 * i + 1);
    g_assert_cmpuint (regions[i].groups, ==, 3);
    g_assert_cmpuint (regions[i].lines, ==, 2);
    g_assert_cmpuint (regions[i].line_bytes, ==, 12);
  }

  /* A part of it begins with a cell, and its size counts samples of all colours. */
  paco_geometry_reduced_size (&format, 1, &width, &height);
  g_assert_cmpuint (width, ==, 4);
  g_assert_cmpuint (height, ==, 2);
  picture.crop = (PacoCrop){ 2, 2, 4, 2 };
  g_assert_true (paco_picture_check (&format, &picture, 0, NULL));
  paco_picture_regions (&format, &picture, 0, regions);
  g_assert_cmpuint (regions[0].groups, ==, 2);
  g_assert_cmpuint (regions[0].lines, ==, 1);
  picture.crop = (PacoCrop){ 1, 2, 4, 2 };
  g_assert_false (paco_picture_check (&format, &picture, 0, NULL));
  picture.crop = (PacoCrop){ 2, 2, 6, 2 };
  g_assert_false (paco_picture_check (&format, &picture, 0, NULL));
}

/* Tests lines and samples for those who write few of them. */
static void
test_put (void)
{
  uint8_t memory[24];
  const PacoSampleLayout layout = { .group_bytes = 6,
    .group_samples = 2,
    .word_bytes = 2,
    .fill = 0xff,
    .big_endian = true,
    .places = { { 0, 4 }, { 2, 2 } } };
  const PacoPictureFormat format = { 3, 2, 1, false, { { 10 } } };
  const PacoPicture picture = { { memory }, { 12 }, { layout } };
  PacoRegion regions[PACO_MAX_COMPONENTS];

  memset (memory, 0x5a, sizeof memory);
  g_assert_cmpuint (
      paco_picture_regions (&format, &picture, 0, regions), ==, 1);
  paco_region_blank_line (&regions[0], 1);
  g_assert_cmpuint (memory[11], ==, 0x5a);
  g_assert_cmpmem (memory + 12, 12,
      ((uint8_t[]){ 0xc0, 0x0f, 0xf0, 0x03, 0xff, 0xff, 0xc0, 0x0f, 0xf0, 0x03,
          0xff, 0xff }),
      12);
  paco_layout_put (&layout, memory + 12, 1, 0x201);
  paco_layout_put (&layout, memory + 12, 2, 0x3ff);
  g_assert_cmpmem (memory + 12, 12,
      ((uint8_t[]){ 0xc0, 0x0f, 0xf8, 0x07, 0xff, 0xff, 0xff, 0xff, 0xf0, 0x03,
          0xff, 0xff }),
      12);
}

/* Tests samples of 10 bits that are packed into big-endian words: each word is
 * the next 32 bits of a string that begins with the lowest bit of its first
 * word. */
static void
test_swapped_words (void)
{
  static const PacoSampleLayout words = {
    .group_bytes = 15, .word_bytes = 2, .fill = 0xff, .swap_words = true
  };
  const PacoPictureFormat format = { 5, 1, 3, false,
    { { 10 }, { 10 }, { 10 } } };
  uint8_t memory[24], expected[24] = { 0 };
  PacoPicture picture = { { memory, memory, memory }, { 20, 20, 20 } };
  PacoRegion regions[PACO_MAX_COMPONENTS];

  lay_out (picture.layout, &words, "012012012012", 10, 0);
  check_places (&picture.layout[0], 4,
      (PacoSamplePlace[]){ { 0, 0 }, { 3, 6 }, { 7, 4 }, { 11, 2 } });
  g_assert_cmpuint (paco_layout_line_bytes (&picture.layout[0], 5), ==, 32);
  g_assert_cmpuint (paco_layout_line_bytes (&picture.layout[0], 3), ==, 16);
  g_assert_cmpuint (paco_layout_aligned_groups (&picture.layout[0]), ==, 4);
  g_assert_true (paco_picture_check (&format, &picture, 0, NULL));
  g_assert_cmpuint (
      paco_picture_regions (&format, &picture, 0, regions), ==, 1);
  g_assert_cmpuint (regions[0].groups, ==, 3);
  g_assert_cmpuint (regions[0].line_bytes, ==, 20);

  memset (memory, 0x5a, sizeof memory);
  memset (expected + 20, 0x5a, 4);
  paco_region_blank_line (&regions[0], 0);
  for (unsigned i = 0; i < 15; i++) {
    unsigned value = g_test_rand_int_range (0, 1024);

    paco_layout_put (&picture.layout[i % 3], memory, i / 3, value);
    for (unsigned bit = 10 * i; bit < 10 * i + 10; bit++)
      if (value >> (bit - 10 * i) & 1)
        expected[bit / 32 * 4 + 3 - bit % 32 / 8] |= (uint8_t) (1u << bit % 8);
  }
  g_assert_cmpmem (memory, sizeof memory, expected, sizeof expected);
}

/* Tests groups of CSI-2: lines of two groups, and what is none. */
static void
test_csi2 (void)
{
  static const PacoSampleLayout words = {
    .group_bytes = 5, .word_bytes = 2, .csi2 = true
  };
  static const uint8_t expected[10] = { 0xff, 0x00, 0xaa, 0x40, 0x5e, 0x00,
    0x80, 0x00, 0x00, 0x0c };
  static const unsigned samples[6] = { 0x3fe, 0x003, 0x2a9, 0x101, 0, 0x203 };
  const PacoPictureFormat format = { 3, 1, 2, false, { { 10 }, { 10 } } };
  uint8_t memory[10];
  PacoPicture picture = { { memory, memory }, { 10, 10 } }, bad;
  PacoRegion regions[PACO_MAX_COMPONENTS];

  lay_out (picture.layout, &words, "0101", 10, 0);
  g_assert_true (paco_picture_check (&format, &picture, 0, NULL));
  g_assert_cmpuint (
      paco_picture_regions (&format, &picture, 0, regions), ==, 1);
  g_assert_cmpuint (regions[0].line_bytes, ==, 10);
  memset (memory, 0x5a, sizeof memory);
  paco_region_blank_line (&regions[0], 0);
  for (unsigned i = 0; i < 6; i++)
    paco_layout_put (&picture.layout[i % 2], memory, i / 2, samples[i]);
  g_assert_cmpmem (memory, sizeof memory, expected, sizeof expected);

  for (unsigned n = 0; n < 5; n++) {
    PacoPictureFormat other = format;

    bad = picture;
    for (unsigned c = 0; c < 2; c++) {
      bad.stride[c] -= n == 0; /* The last group is cut. */
      bad.layout[c].places[1].shift += n == 1;
      bad.layout[c].fill = n == 2 ? 0xff : 0;
      other.components[c].depth -= n == 3;
      bad.layout[c].csi2 = n != 4 || c > 0;
    }
    g_assert_false (paco_picture_check (&other, &bad, 0, NULL));
  }
}

/* Tests that encoders choose by the samples of CSI-2. */
static void
test_csi2_tiles (void)
{
  for (unsigned n = 2; n <= 4; n += 2) {
    const PacoSampleLayout words = {
      .group_bytes = (uint8_t) (n + 1), .word_bytes = 2, .csi2 = true
    };
    uint8_t depth = PACO_CSI2_DEPTH (words.group_bytes);
    const PacoPictureFormat format = { PACO_TILE_COLUMNS, PACO_TILE_LINES, 2,
      false, { { depth }, { depth } } };
    uint8_t memory[PACO_TILE_LINES][PACO_TILE_COLUMNS * 3] = { { 0 } };
    uint16_t samples[2][PACO_TILE_LINES][PACO_TILE_COLUMNS];
    PacoPicture picture = { { memory[0], memory[0] },
      { sizeof memory[0], sizeof memory[0] } };
    PacoBandSamples band;
    PacoTiles tiles;

    lay_out (picture.layout, &words, n == 4 ? "0101" : "01", depth, 0);
    for (unsigned i = 0; i < 2 * PACO_TILE_LINES * PACO_TILE_COLUMNS; i++) {
      unsigned c = i % 2, x = i / 2 % PACO_TILE_COLUMNS;
      unsigned y = i / 2 / PACO_TILE_COLUMNS;

      samples[c][y][x] = (uint16_t) g_test_rand_int_range (0, 1 << depth);
      paco_layout_put (&picture.layout[c], memory[y], x, samples[c][y][x]);
    }
    band = paco_policy_band_samples (&format, &picture, NULL);
    g_assert_cmpuint (band.bands.n, ==, 1);
    for (unsigned c = 0; c < 2; c++) {
      paco_policy_load_tiles (&format, &band, c, 0, PACO_ALL_LINES, tiles);
      for (unsigned y = 0; y < PACO_TILE_LINES; y++)
        for (unsigned x = 0; x < PACO_TILE_COLUMNS; x++)
          g_assert_cmpuint (tiles[y][x][0], ==, samples[c][y][x]);
    }
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/layout/places", test_places);
  g_test_add_func ("/layout/impossible", test_impossible_layouts);
  g_test_add_func ("/layout/disagreement", test_disagreement);
  g_test_add_func ("/layout/regions", test_regions);
  g_test_add_func ("/layout/mosaic", test_mosaic);
  g_test_add_func ("/layout/csi2", test_csi2);
  g_test_add_func ("/layout/csi2-tiles", test_csi2_tiles);
  g_test_add_func ("/layout/put", test_put);
  g_test_add_func ("/layout/swapped-words", test_swapped_words);
  return g_test_run ();
}
