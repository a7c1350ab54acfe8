/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests the reference encoder and decoder on whole frames. */
#include "tests/codec/draw.h"
#include "tests/codec/test-picture.h"
#include <string.h>
#include <zlib.h>

static PacoParameters
lossless (void)
{
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;

  parameters.rate_control = PACO_RATE_LOSSLESS;
  return parameters;
}

static PacoPictureFormat
format_of (uint32_t width, uint32_t height, unsigned n, unsigned depth)
{
  PacoPictureFormat format = {
    .width = width, .height = height, .n_components = n
  };

  for (unsigned c = 0; c < n; c++)
    format.components[c].depth = depth;
  return format;
}

static void
draw_format (PacoPictureFormat *format, PacoParameters *parameters)
{
  static const unsigned heights[] = { 0, 32, 64, 128, 256 };
  bool alike = draw (0, 1), mosaic = draw (0, 4) == 0;

  *format = format_of (draw (1, 200), draw (1, 150), draw (1, 4), draw (1, 16));
  format->fields = draw (0, 2) == 0;
  if (mosaic)
    *format = (PacoPictureFormat){
      .width = 2 * draw (1, 100),
      .height = 2 * draw (1, 75),
      .n_components = 4,
      .components = { { .depth = draw (1, 16) } },
      .mosaic = true,
    };
  for (unsigned c = 0; !mosaic && !alike && c < format->n_components; c++)
    format->components[c] = (PacoComponent){
      .depth = draw (1, 16),
      .subsampling_x = c > 0 ? draw (0, 2) : 0,
      .subsampling_y = c > 0 ? draw (0, 2) : 0,
    };
  for (unsigned c = 0; c < 4 && mosaic; c++)
    format->components[c] = (PacoComponent){
      .depth = format->components[0].depth,
      .subsampling_x = 1,
      .subsampling_y = 1,
      .place_x = c & 1,
      .place_y = c >> 1,
    };
  parameters->levels = draw (0, 8);
  parameters->coding_passes = draw (1, 3);
  parameters->complexity = draw (0, 3);
  parameters->block_height = heights[draw (0, 4)];
  parameters->rgb = alike && !mosaic && format->n_components >= 3;
  parameters->block_checks = draw (0, 1);
}

static void
test_lossless (void)
{
  for (int i = 0; i < 120; i++) {
    PacoParameters parameters = lossless ();
    PacoPictureFormat format;
    TestPicture *original, *decoded;
    g_autoptr (GByteArray) frame = NULL;

    draw_format (&format, &parameters);
    original = test_picture_new (&format, 0);
    test_picture_draw (
        original, draw (0, TEST_N_SCENES - 1), g_test_rand_int ());
    frame = reference_encode (original, &parameters);
    decoded = reference_decode (frame, &format, 0, 0);
    g_assert_true (test_picture_equal (original, decoded));
    test_picture_free (decoded);
    test_picture_free (original);
  }
}

/* Tests every wavelet and color transform, at any quality: nothing is broken,
 * and at quality 100, half a step of 8-bit samples, little is lost. */
static void
test_lossy (void)
{
  for (int i = 0; i < 120; i++) {
    PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
    PacoPictureFormat format;
    TestPicture *original, *decoded;
    g_autoptr (GByteArray) frame = NULL;

    draw_format (&format, &parameters);
    parameters.quality = draw (0, 1) ? 100 : draw (0, 100);
    parameters.wavelet = draw (-1, PACO_N_WAVELETS - 1);
    if (parameters.rgb && draw (0, 1))
      parameters.color_transform = (int[]){ PACO_COLOR_TRANSFORM_RCT,
        PACO_COLOR_TRANSFORM_RCT2, PACO_COLOR_TRANSFORM_FIT }[draw (0, 2)];
    else
      parameters.tune = draw (0, 1) ? PACO_TUNE_VISUAL : PACO_TUNE_PSNR;
    original = test_picture_new (&format, 0);
    test_picture_draw (
        original, draw (0, TEST_N_SCENES - 1), g_test_rand_int ());
    frame = reference_encode (original, &parameters);
    decoded = reference_decode (frame, &format, 0, 0);
    if (parameters.quality == 100) {
      unsigned depth = 1;

      for (unsigned c = 0; c < format.n_components; c++)
        depth = MAX (depth, format.components[c].depth);
      g_assert_cmpuint (test_picture_difference (original, decoded), <=,
          (8 << depth) / 256 + 2);
    }
    test_picture_free (decoded);
    test_picture_free (original);
  }
}

static uint64_t
square_error (const TestPicture *a, const TestPicture *b)
{
  uint64_t sum = 0;

  for (unsigned c = 0; c < a->format.n_components; c++) {
    for (uint32_t i = 0; i < a->width[c] * a->height[c]; i++) {
      int64_t difference = a->samples[c][i] - b->samples[c][i];

      sum += difference * difference;
    }
  }
  return sum;
}

/* Tests that bytes grow with the quality, and errors shrink. */
static void
test_quality (void)
{
  PacoPictureFormat format = format_of (150, 130, 3, 8);
  g_autoptr (TestPicture) original = test_picture_new (&format, 0);
  unsigned last_size = 0;
  uint64_t last_error = UINT64_MAX;

  test_picture_draw (original, TEST_SCENE_SHAPES, 1);
  for (int quality = 0; quality <= 100; quality += 25) {
    PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
    g_autoptr (GByteArray) frame = NULL;
    g_autoptr (TestPicture) decoded = NULL;
    uint64_t error;

    parameters.quality = quality;
    frame = reference_encode (original, &parameters);
    decoded = reference_decode (frame, &format, 0, 0);
    error = square_error (original, decoded);
    g_assert_cmpuint (frame->len, >, last_size);
    g_assert_cmpuint (error, <, last_error);
    last_size = frame->len;
    last_error = error;
  }
}

/* Tests ten bits in the upper part of big-endian words, with gaps between them,
 * from the last line up: the codestream is the same, and the rest of the words
 * is as the layout says. */
static void
test_layouts (void)
{
  PacoPictureFormat format = format_of (70, 41, 1, 10);
  PacoParameters parameters = lossless ();
  g_autoptr (TestPicture) planar = test_picture_new (&format, 0);
  g_autofree uint8_t *words = g_malloc0 (70 * 41 * 6);
  g_autofree uint8_t *back = g_malloc (70 * 41 * 6);
  PacoPicture packed = { .stride = { -70 * 6 } };
  GByteArray *expected, *frame = g_byte_array_new ();
  GError *error = NULL;

  test_picture_draw (planar, TEST_SCENE_SHAPES, 2);
  packed.layout[0] = (PacoSampleLayout){ .group_bytes = 6,
    .group_samples = 1,
    .word_bytes = 4,
    .big_endian = true,
    .places = { { .byte = 0, .shift = 20 } } };
  packed.data[0] = words + 70 * 6 * 40;
  for (int i = 0; i < 70 * 41; i++) {
    uint8_t *word = words + (40 - i / 70) * 70 * 6 + i % 70 * 6;

    word[0] = planar->samples[0][i] >> 4 | 0xc0;
    word[1] = planar->samples[0][i] << 4 | 0x0f;
    word[2] = word[3] = 0xff;
  }
  expected = reference_encode (planar, &parameters);
  g_assert_true (paco_reference_encode (
      &format, &packed, &test_video_info, &parameters, NULL, frame, &error));
  g_assert_cmpmem (frame->data, frame->len, expected->data, expected->len);

  packed.data[0] = back + 70 * 6 * 40;
  for (int filled = 0; filled < 2; filled++) {
    uint8_t other = filled ? 0xff : 0;

    packed.layout[0].fill = other;
    memset (back, 0x5a, 70 * 41 * 6);
    g_assert_true (paco_reference_decode (
        frame->data, frame->len, 0, &packed, NULL, &error));
    for (int i = 0; i < 70 * 41; i++) {
      const uint8_t *word = back + (40 - i / 70) * 70 * 6 + i % 70 * 6;

      g_assert_cmphex (
          word[0], ==, (planar->samples[0][i] >> 4 | (other & 0xc0)));
      g_assert_cmphex (
          word[1], ==, ((planar->samples[0][i] << 4 & 0xf0) | (other & 0x0f)));
      g_assert_cmphex (word[2], ==, other);
      g_assert_cmphex (word[3], ==, other);
      g_assert_cmphex (word[4], ==, other);
      g_assert_cmphex (word[5], ==, other);
    }
  }
  g_byte_array_unref (expected);
  g_byte_array_unref (frame);
}

/* Tests that when levels of a reversible wavelet are left out the picture is
 * LL. */
static void
test_reduce_reversible (gconstpointer wavelet)
{
  PacoPictureFormat format = format_of (123, 77, 1, 8);
  PacoParameters parameters = lossless ();
  g_autoptr (TestPicture) original = test_picture_new (&format, 0);
  g_autoptr (GByteArray) frame = NULL;

  parameters.wavelet = GPOINTER_TO_INT (wavelet);
  test_picture_draw (original, TEST_SCENE_SHAPES, 3);
  frame = reference_encode (original, &parameters);
  for (unsigned reduce = 0; reduce <= 5; reduce++) {
    g_autoptr (TestPicture)
        reduced = reference_decode (frame, &format, reduce, 0);
    PacoReferencePlane plane;

    g_assert_true (paco_reference_plane_init (&plane, 123, 77));
    paco_reference_load_samples (&format, &original->picture, 0, 0, &plane);
    paco_reference_forward_dwt (&plane, reduce, GPOINTER_TO_INT (wavelet));
    for (uint32_t y = 0; y < reduced->height[0]; y++)
      for (uint32_t x = 0; x < reduced->width[0]; x++)
        g_assert_cmpint (reduced->samples[0][y * reduced->width[0] + x], ==,
            CLAMP (plane.samples[y * 123 + x].i + 128, 0, 255));
    paco_reference_plane_clear (&plane);
  }
}

/* Tests that a flat picture stays flat, and keeps its level, at every
 * reduction, and that fields and subsampled components are reduced each for
 * itself. */
static void
test_reduce_sizes (void)
{
  for (int i = 0; i < 60; i++) {
    PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
    PacoPictureFormat format;
    g_autoptr (TestPicture) original = NULL;
    g_autoptr (GByteArray) frame = NULL;
    PacoHeader header;

    draw_format (&format, &parameters);
    parameters.quality = 100;
    parameters.wavelet = draw (-1, PACO_N_WAVELETS - 1);
    original = test_picture_new (&format, 0);
    test_picture_draw (original, TEST_SCENE_FLAT, 0);
    frame = reference_encode (original, &parameters);
    g_assert_true (
        paco_header_parse (frame->data, frame->len, &header, NULL, NULL));
    for (unsigned reduce = 0; reduce <= header.coding.levels; reduce++) {
      g_autoptr (TestPicture)
          reduced = reference_decode (frame, &format, reduce, 0);

      for (unsigned c = 0; c < format.n_components; c++) {
        int maximum = (1 << format.components[c].depth) - 1;
        uint32_t n = reduced->width[c] * reduced->height[c];

        for (uint32_t k = 0; k < n; k++)
          g_assert_cmpint (
              maximum - reduced->samples[c][k], <=, 1 + maximum / 64);
      }
    }
  }
}

/* Tests that a damaged block costs that block: its check finds it, and the
 * other field and component are as they were. */
static void
test_broken_block (void)
{
  PacoPictureFormat format = format_of (200, 140, 2, 8);
  PacoParameters parameters = lossless ();
  TestPicture *original, *decoded;
  g_autoptr (GByteArray) frame = NULL;
  unsigned n_different = 0;

  format.fields = true;
  parameters.block_checks = true;
  original = test_picture_new (&format, 0);
  test_picture_draw (original, TEST_SCENE_SHAPES, 4);
  frame = reference_encode (original, &parameters);
  frame->data[frame->len - 1] ^= 0x10; /* field 1, component 1 */
  decoded = reference_decode (frame, &format, 0, 1);
  for (uint32_t i = 0; i < 200 * 140; i++) {
    bool differs = decoded->samples[1][i] != original->samples[1][i];

    g_assert_cmpuint (decoded->samples[0][i], ==, original->samples[0][i]);
    g_assert_false (differs && i / 200 % 2 == 0);
    n_different += differs;
  }
  g_assert_cmpuint (n_different, >, 0);
  test_picture_free (decoded);
  test_picture_free (original);
}

static void
expect_decode_error (
    const uint8_t *data, size_t size, unsigned reduce, PacoErrorCode code)
{
  PacoPictureFormat format = format_of (60, 50, 1, 8);
  g_autoptr (TestPicture) picture = test_picture_new (&format, 0);
  g_autoptr (GError) error = NULL;

  g_assert_false (paco_reference_decode (
      data, size, reduce, &picture->picture, NULL, &error));
  g_assert_error (error, PACO_ERROR, (int) code);
  g_assert_cmpuint (strlen (error->message), >, 10);
}

static void
test_errors (void)
{
  PacoPictureFormat format = format_of (60, 50, 1, 8);
  PacoParameters parameters = lossless ();
  g_autoptr (TestPicture) original = test_picture_new (&format, 0);
  GByteArray *frame, *unused = g_byte_array_new ();
  GError *error = NULL;
  PacoHeader header;

  test_picture_draw (original, TEST_SCENE_SHAPES, 5);
  parameters.levels = 2;
  frame = reference_encode (original, &parameters);
  g_assert_true (
      paco_header_parse (frame->data, frame->len, &header, NULL, &error));
  for (unsigned size = 0; size < frame->len; size++)
    expect_decode_error (frame->data, size, 0,
        size < PACO_HEADER_PEEK_SIZE ? PACO_ERROR_NOT_PACO
                                     : PACO_ERROR_CORRUPT);
  expect_decode_error (frame->data, frame->len, 3, PACO_ERROR_UNSUPPORTED);
  frame->data[header.header_size] ^= 1;
  expect_decode_error (frame->data, frame->len, 0, PACO_ERROR_CORRUPT);

  /* There is no budget. */
  parameters.rate_control = PACO_RATE_BITRATE;
  g_assert_false (paco_reference_encode (&format, &original->picture,
      &test_video_info, &parameters, NULL, unused, &error));
  g_assert_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED);
  g_clear_error (&error);
  g_byte_array_unref (unused);
  g_byte_array_unref (frame);
}

/* Tests any bytes for a payload: blocks are broken, the frame decodes. Damaged
 * headers and indexes decode or not; neither may read out of bounds. */
static void
test_hostile (void)
{
  PacoPictureFormat format = format_of (60, 50, 1, 8);

  for (int i = 0; i < 200; i++) {
    PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
    g_autoptr (TestPicture) picture = test_picture_new (&format, 0);
    uint32_t header_and_index, corrupted = 0;
    g_autoptr (GByteArray) frame = NULL;
    PacoHeader header;
    GError *error = NULL;

    parameters.levels = draw (0, 8);
    parameters.wavelet = draw (0, PACO_N_WAVELETS - 1);
    parameters.coding_passes = draw (1, 3);
    test_picture_draw (picture, draw (0, 1), g_test_rand_int ());
    frame = reference_encode (picture, &parameters);
    g_assert_true (
        paco_header_parse (frame->data, frame->len, &header, NULL, &error));
    header_and_index = header.header_size + header.index_size;
    if (frame->len > header_and_index) {
      for (int k = 0; k < 5; k++)
        frame->data[draw (header_and_index, frame->len - 1)] = draw (0, 255);
      g_assert_true (paco_reference_decode (
          frame->data, frame->len, 0, &picture->picture, &corrupted, &error));
    }
    frame->data[header.header_size + draw (0, header.index_size - 1)] = draw (
        0, 255);
    header.index_crc = crc32 (
        0, frame->data + header.header_size, header.index_size);
    paco_header_write (&header, frame->data);
    if (!paco_reference_decode (
            frame->data, frame->len, 0, &picture->picture, &corrupted, &error))
      g_assert_error (error, PACO_ERROR, PACO_ERROR_CORRUPT);
    g_clear_error (&error);
  }
}

static void
test_carried_set (void)
{
  PacoPictureFormat format = format_of (90, 80, 1, 12);
  TestPicture *original = test_picture_new (&format, 0), *decoded;
  PacoParameters parameters = lossless ();
  PacoProbabilitySet set = paco_builtin_sets[0][0];
  g_autoptr (GByteArray) frame = g_byte_array_new ();
  GError *error = NULL;

  for (unsigned row = 0; row < PACO_N_ROWS; row++)
    set.p[row][row % PACO_N_CONTEXTS] = draw (1, 255);
  test_picture_draw (original, TEST_SCENE_SHAPES, 6);
  g_assert_true (paco_reference_encode (&format, &original->picture,
      &test_video_info, &parameters, &set, frame, &error));
  decoded = reference_decode (frame, &format, 0, 0);
  g_assert_true (test_picture_equal (original, decoded));
  test_picture_free (decoded);
  test_picture_free (original);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/reference/lossless", test_lossless);
  g_test_add_func ("/reference/lossy", test_lossy);
  g_test_add_func ("/reference/quality", test_quality);
  g_test_add_func ("/reference/layouts", test_layouts);
  g_test_add_data_func ("/reference/reduce-53",
      GINT_TO_POINTER (PACO_WAVELET_CDF53), test_reduce_reversible);
  g_test_add_data_func ("/reference/reduce-137",
      GINT_TO_POINTER (PACO_WAVELET_DD137), test_reduce_reversible);
  g_test_add_func ("/reference/reduce-sizes", test_reduce_sizes);
  g_test_add_func ("/reference/broken-block", test_broken_block);
  g_test_add_func ("/reference/errors", test_errors);
  g_test_add_func ("/reference/hostile", test_hostile);
  g_test_add_func ("/reference/carried-set", test_carried_set);
  return g_test_run ();
}
