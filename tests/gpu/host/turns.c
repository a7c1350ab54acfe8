/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests which streams of the driver move frames (gpu/frame.h). Frames that are not alone on
 * the device use its two streams, whichever coder they belong to; a lone frame uses that of
 * its flight. The fake driver (fake-driver.h) counts the streams with copies. */
#include "codec/backend.h"
#include "tests/codec/must.h"
#include "tests/gpu/driver/fake-driver.h"
#include <glib.h>

#define N_CODERS 3
#define DEPTH 2
#define N_FRAMES (N_CODERS * DEPTH)
#define SIZE 256

static const PacoBackendOptions options = { .device = -1, .depth = DEPTH };
static const PacoPictureFormat format = {
  .width = SIZE,
  .height = SIZE,
  .n_components = 1,
  .components = { { 8, 0, 0 } },
};
static const PacoVideoInfo video = { .par_n = 1, .par_d = 1, .fps_d = 1 };
static uint8_t samples[SIZE * SIZE], decoded[N_FRAMES][SIZE * SIZE];
static const char wait_function[] = "cuEventSynchronize";

static PacoPicture
picture_of (uint8_t *of)
{
  return (PacoPicture){
    .data = { of },
    .stride = { SIZE },
    .layout = { PACO_LAYOUT_PLANAR (1) },
  };
}

static PacoEncoder *
open_encoder (const PacoBackend *backend)
{
  PacoEncoder *encoder = must_open_encoder (backend, &options);
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  const PacoSampleLayout layout = PACO_LAYOUT_PLANAR (1);

  /* No frame waits for its step map then. */
  parameters.tune = PACO_TUNE_PSNR;
  must_configure (encoder, &format, &layout, &parameters);
  return encoder;
}

static void
collect_encoded (PacoEncoder *encoder)
{
  PacoEncodedFrame *frame = must_collect (encoder);

  frame->release (frame);
}

/* Codes a frame in each flight, one after the other, so that each flight has its tables
 * on the device. */
static void
encode_in_turn (PacoEncoder *encoder)
{
  PacoPicture picture = picture_of (samples);

  for (unsigned i = 0; i < DEPTH; i++) {
    must_submit (encoder, &picture, &video, NULL);
    collect_encoded (encoder);
  }
}

static void
decode_in_turn (PacoDecoder *decoder, const PacoCodedFrame *coded)
{
  PacoPicture picture = picture_of (decoded[0]);

  for (unsigned i = 0; i < DEPTH; i++) {
    must_submit_frame (decoder, coded, &picture, NULL);
    must_collect_picture (decoder);
  }
}

/* Lets no frame end until release_frames(). A flight waits when its frame is enqueued. */
static void
hold_frames (void)
{
  g_autofree char *plan = g_strdup_printf ("%s:1:0:hang", wait_function);

  fake_cuda_fail (plan);
}

/* Waits until all frames are enqueued, and lets them end. */
static void
release_frames (void)
{
  while (fake_cuda_calls_of (fake_cuda_calls, wait_function) < N_FRAMES)
    g_usleep (1000);
  fake_cuda_release ();
}

/* The first frame may have been alone. */
static void
check_streams (unsigned direction)
{
  unsigned n[2];

  fake_cuda_copying_streams (n);
  g_assert_cmpuint (n[direction], >=, 1);
  g_assert_cmpuint (n[direction], <=, 2);
}

static void
test_encoders (void)
{
  PacoEncoder *encoders[N_CODERS];
  PacoPicture picture = picture_of (samples);

  for (unsigned i = 0; i < N_CODERS; i++) {
    encoders[i] = open_encoder (&paco_cuda_backend);
    encode_in_turn (encoders[i]);
  }
  hold_frames ();
  for (unsigned i = 0; i < N_FRAMES; i++)
    must_submit (encoders[i % N_CODERS], &picture, &video, NULL);
  release_frames ();
  check_streams (0);
  check_streams (1);
  for (unsigned i = 0; i < N_FRAMES; i++)
    collect_encoded (encoders[i % N_CODERS]);
  for (unsigned i = 0; i < N_CODERS; i++)
    must_close_encoder (encoders[i]);
}

/* Only downloads are looked at: the host copies the payload piece by piece, so each frame's
 * own stream uploads it. */
static void
test_decoders (void)
{
  g_autoptr (PacoEncoder) encoder = open_encoder (&paco_cpu_backend);
  PacoDecoder *decoders[N_CODERS];
  PacoPicture picture = picture_of (samples);
  PacoEncodedFrame *frame;
  PacoCodedFrame coded;

  must_submit (encoder, &picture, &video, NULL);
  frame = must_collect (encoder);
  must_parse (&coded, frame->data, frame->size);
  for (unsigned i = 0; i < N_CODERS; i++) {
    decoders[i] = must_open_decoder (&paco_cuda_backend, &options);
    must_configure_decoder (decoders[i], &coded.header, picture.layout, 0);
    decode_in_turn (decoders[i], &coded);
  }
  hold_frames ();
  for (unsigned i = 0; i < N_FRAMES; i++) {
    PacoPicture destination = picture_of (decoded[i]);

    must_submit_frame (decoders[i % N_CODERS], &coded, &destination, NULL);
  }
  release_frames ();
  check_streams (1);
  for (unsigned i = 0; i < N_FRAMES; i++)
    must_collect_picture (decoders[i % N_CODERS]);
  for (unsigned i = 0; i < N_CODERS; i++)
    must_close_decoder (decoders[i]);
  frame->release (frame);
}

static void
test_alone (void)
{
  g_autoptr (PacoEncoder) encoder = open_encoder (&paco_cuda_backend);
  unsigned n[2];

  fake_cuda_fail (NULL);
  encode_in_turn (encoder);
  fake_cuda_copying_streams (n);
  g_assert_cmpuint (n[0], ==, DEPTH);
  g_assert_cmpuint (n[1], ==, DEPTH);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (unsigned i = 0; i < sizeof samples; i++)
    samples[i] = (uint8_t) g_test_rand_int ();
  g_test_add_func ("/cuda-turns/encoders", test_encoders);
  g_test_add_func ("/cuda-turns/decoders", test_decoders);
  g_test_add_func ("/cuda-turns/alone", test_alone);
  return g_test_run ();
}
