/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests broken blocks of slices of stacks, which have no last frame. */
#include "backend-case.h"
#include "codec/reference/reference.h"
#include "random-damage.h"

enum
{
  /* LL of level 4 is three blocks beside one another. */
  WIDTH = 2200,
  HEIGHT = 200,
};

static bool
is_second (const PacoGeometry *geometry, uint32_t i, gpointer data)
{
  (void) geometry;
  (void) data;
  return i == 1;
}

/* Tests that a block of a slice of a stack is like its neighbours, whatever came before,
 * and that the reference shows the same. */
static void
test_slices (void)
{
  static uint8_t samples[2 * WIDTH * HEIGHT], mine[sizeof samples],
      theirs[sizeof samples];
  const PacoBackendOptions options = {
    .device = -1, .depth = 1, .timeout = PATIENCE, .conceal = true
  };
  const PacoPictureFormat format = { .width = WIDTH,
    .height = HEIGHT,
    .n_components = 1,
    .components = { { .depth = 16 } } };
  PacoVideoInfo video = { .par_n = 1, .par_d = 1, .fps_d = 1 };
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  g_autoptr (PacoDecoder) decoder = BACKEND.decoder_open (&options, NULL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  PacoReferenceConcealer *concealer = paco_reference_concealer_new ();
  PacoPicture picture = { .data = { samples },
    .stride = { 2 * WIDTH },
    .layout = { PACO_LAYOUT_PLANAR (2) } };

  parameters.levels = 4;
  parameters.rate_control = PACO_RATE_QUALITY;
  for (unsigned n = 0; n < 3; n++) {
    g_autoptr (GByteArray) frame = g_byte_array_new ();
    uint32_t broken, concealed;
    PacoDecodedFrame result;
    PacoCodedFrame coded;

    for (unsigned i = 0; i < WIDTH * HEIGHT; i++) {
      samples[2 * i] = 0;
      samples[2 * i + 1] = (uint8_t) (i % WIDTH / 9 + i / WIDTH + 3 * n);
    }
    video.slice = (PacoSlice){ .number = n / 2,
      .length = 2,
      .position = n % 2,
      .wavelet = PACO_STACK_HAAR,
      .levels = 1,
      .depth = 8,
      .bits = 13 };
    g_assert_true (paco_reference_encode (
        &format, &picture, &video, &parameters, NULL, frame, NULL));
    if (n > 0)
      test_break_blocks (frame, rand, is_second, NULL);
    picture.data[0] = theirs;
    g_assert_true (paco_reference_decode_next (concealer, frame->data,
        frame->len, 0, &picture, &broken, &concealed, NULL));
    picture.data[0] = mine;
    must_parse (&coded, frame->data, frame->len);
    g_assert_true (n > 0
        || paco_decoder_configure (
            decoder, &coded.header, picture.layout, 0, NULL));
    must_submit_frame (decoder, &coded, &picture, NULL);
    result = must_collect_picture (decoder);
    picture.data[0] = samples;
    g_assert_cmpuint (broken, ==, n > 0);
    g_assert_cmpuint (concealed, ==, broken);
    g_assert_cmpuint (result.concealed_blocks, ==, concealed);
    g_assert_cmpmem (mine, sizeof mine, theirs, sizeof theirs);
  }
  paco_reference_concealer_free (concealer);
}

void
add_slice_tests (void)
{
  g_test_add_func ("/backend/slices", test_slices);
}
