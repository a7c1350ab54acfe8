/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests that training (codec/tables/count.c) counts in a picture's blocks what the
 * reference codes of them. */
#include "codec/tables/count.h"
#include "tests/codec/draw.h"
#include "tests/codec/test-picture.h"
#include <string.h>

static void
draw_parameters (PacoParameters *parameters)
{
  *parameters = (PacoParameters) PACO_PARAMETERS_DEFAULT;
  parameters->wavelet = (int) draw (0, PACO_N_WAVELETS - 1);
  parameters->quality = draw (0, 100);
  parameters->complexity = draw (0, 3);
  parameters->levels = draw (0, 6);
  parameters->block_height = 32 << draw (0, 3);
  if (draw (0, 1)) {
    parameters->rate_control = PACO_RATE_LOSSLESS;
    parameters->wavelet = PACO_WAVELET_AUTO;
  }
}

/* Asks for one large block with many planes, which has more than 65,535 symbols in one place
 * of a set. */
static void
many_symbols (PacoPictureFormat *format, PacoParameters *parameters)
{
  format->width = 64;
  format->height = PACO_MAX_BLOCK_HEIGHT;
  format->components[0].depth = 16;
  format->fields = false;
  parameters->rate_control = PACO_RATE_LOSSLESS;
  parameters->wavelet = PACO_WAVELET_AUTO;
  parameters->complexity = 0;
  parameters->levels = 0;
  parameters->block_height = PACO_MAX_BLOCK_HEIGHT;
}

static void
add (PacoReferenceCounts *counts, const CountedBlock *block)
{
  counts->raw_bits += block->raw_bits;
  for (uint32_t i = 0; i < block->n_counts; i++) {
    const SymbolCount *count = &block->counts[i];
    uint64_t *symbols = counts->symbols[count->place / PACO_N_CONTEXTS]
                                       [count->place % PACO_N_CONTEXTS];

    symbols[0] += count->n[0];
    symbols[1] += count->n[1];
  }
}

static void
test_counts (void)
{
  g_autofree PacoReferenceCounts *expected = g_new (PacoReferenceCounts, 1);
  g_autofree PacoReferenceCounts *sum = g_new (PacoReferenceCounts, 1);

  for (unsigned n = 0; n < 30; n++) {
    PacoPictureFormat format = {
      .width = draw (1, 300), .height = draw (1, 300), .n_components = 1
    };
    GArray *blocks = g_array_new (FALSE, FALSE, sizeof (CountedBlock));
    g_autoptr (GByteArray) frame = g_byte_array_new ();
    PacoParameters parameters;
    TestScene scene = draw (0, 1) ? TEST_SCENE_SHAPES : TEST_SCENE_NOISE;
    g_autoptr (TestPicture) picture = NULL;
    GError *error = NULL;

    format.components[0].depth = draw (1, 16);
    format.fields = draw (0, 3) == 0;
    draw_parameters (&parameters);
    if (n == 0) {
      many_symbols (&format, &parameters);
      scene = TEST_SCENE_NOISE;
    }
    picture = test_picture_new (&format, 0);
    test_picture_draw (picture, scene, n);
    memset (expected, 0, sizeof *expected);
    memset (sum, 0, sizeof *sum);
    paco_reference_encode_counting (&format, &picture->picture,
        &test_video_info, &parameters, NULL, expected, frame, &error);
    g_assert_no_error (error);
    count_blocks (&format, &picture->picture, &parameters, blocks, &error);
    g_assert_no_error (error);
    for (guint i = 0; i < blocks->len; i++)
      add (sum, &g_array_index (blocks, CountedBlock, i));
    g_assert_cmpuint (sum->raw_bits, ==, expected->raw_bits);
    for (unsigned row = 0; row < PACO_N_ROWS; row++)
      for (unsigned c = 0; c < PACO_N_CONTEXTS; c++)
        for (unsigned bit = 0; bit < 2; bit++)
          g_assert_cmpuint (
              sum->symbols[row][c][bit], ==, expected->symbols[row][c][bit]);
    counted_blocks_free (blocks);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tables/counts", test_counts);
  return g_test_run ();
}
