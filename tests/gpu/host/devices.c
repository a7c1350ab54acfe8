/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests coders of several devices, over a driver of our own, which this program is
 * linked to: the frames are those of one device and come back in order, each device
 * has its part of them, and its memory is counted. failures.c lets devices fail. */
#include "codec/backend.h"
#include "codec/reference/reference.h"
#include "gpu/device.h"
#include "tests/gpu/driver/fake-driver.h"
#include "tests/codec/must.h"
#include "tests/codec/n-cases.h"
#include <string.h>

#define BACKEND paco_cuda_backend
#define N_DEVICES 5
#define MAX_FRAMES 60
#define WIDTH 96
#define HEIGHT 64

static const PacoVideoInfo video = {
  .raw_format = "TEST", .par_n = 1, .par_d = 1, .fps_n = 25, .fps_d = 1
};
static const PacoPictureFormat format = { WIDTH, HEIGHT, 1, false,
  { { 8, 0, 0 } } };

/* The fake kernels make codestreams of a picture's first sample, and pictures of a
 * payload's first byte. */
typedef struct
{
  uint8_t samples[WIDTH * HEIGHT], decoded[WIDTH * HEIGHT];
  GByteArray *coded;
} Frame;

static PacoPicture
picture_of (uint8_t *samples)
{
  PacoPicture picture = { .data = { samples }, .stride = { WIDTH } };

  picture.layout[0] = (PacoSampleLayout) PACO_LAYOUT_PLANAR (1);
  return picture;
}

/* Draws some devices in any order, or all. */
static PacoBackendOptions
random_options (unsigned *n_devices)
{
  PacoBackendOptions options = { .device = -1,
    .depth = g_test_rand_int_range (1, 5) };
  int devices[N_DEVICES];

  options.all_devices = g_test_rand_int_range (0, 4) == 0;
  *n_devices = N_DEVICES;
  if (options.all_devices)
    return options;
  *n_devices = options.n_devices = g_test_rand_int_range (1, N_DEVICES + 1);
  for (unsigned i = 0; i < N_DEVICES; i++) {
    unsigned at = g_test_rand_int_range (0, (int) i + 1);

    devices[i] = devices[at];
    devices[at] = (int) i;
  }
  memcpy (options.devices, devices, options.n_devices * sizeof *devices);
  return options;
}

/* Checks, after n_frames of them, who has had how many, and how much memory
 * they have. */
static void
check_stats (PacoCoder *coder, unsigned n_devices, unsigned n_frames)
{
  uint64_t bytes = 0, memory = 0;
  FakeCudaLeft left;
  PacoStats stats;

  paco_coder_stats (coder, &stats);
  fake_cuda_left (&left);
  g_assert_cmpuint (stats.n_devices, ==, n_devices);
  g_assert_cmpuint (paco_coder_n_devices (coder), ==, n_devices);
  g_assert_cmpuint (stats.frames, ==, n_frames);
  for (unsigned i = 0; i < n_devices; i++) {
    g_assert_cmpuint (stats.devices[i].frames, ==,
        n_frames / n_devices + (i < n_frames % n_devices));
    bytes += stats.devices[i].bytes;
    memory += stats.devices[i].memory;
  }
  g_assert_cmpuint (stats.bytes, ==, bytes);
  g_assert_cmpuint (
      left.device_bytes, ==, memory + n_devices * PACO_CUDA_SETS_BYTES);
}

static void
check_left (void)
{
  FakeCudaLeft left;

  fake_cuda_left (&left);
  g_assert_cmpuint (left.misuses, ==, 0);
  g_assert_cmpuint (left.contexts, ==, 0);
  g_assert_cmpuint (left.device_memory, ==, 0);
  g_assert_cmpuint (left.host_memory, ==, 0);
}

/* --- Encoding --- */

static PacoEncoder *
open_encoder (const PacoBackendOptions *options)
{
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  PacoPicture picture = picture_of (NULL);
  PacoEncoder *encoder = must_open_encoder (&BACKEND, options);

  parameters.rate_control = PACO_RATE_LOSSLESS;
  must_configure (encoder, &format, picture.layout, &parameters);
  return encoder;
}

static void
submit_source (PacoEncoder *encoder, Frame *frame)
{
  PacoPicture picture = picture_of (frame->samples);

  must_submit (encoder, &picture, &video, frame);
}

/* Expects that the next frame is this one. Its codestream is kept or, if it is
 * known, compared. */
static void
collect_coded (PacoEncoder *encoder, Frame *expected)
{
  PacoEncodedFrame *frame = must_collect (encoder);

  g_assert_true (frame->user_data == expected);
  if (expected->coded)
    g_assert_cmpmem (
        frame->data, frame->size, expected->coded->data, expected->coded->len);
  else
    expected->coded = g_byte_array_append (
        g_byte_array_new (), frame->data, frame->size);
  frame->release (frame);
}

static void
encode (const PacoBackendOptions *options, unsigned n_devices, Frame *frames,
    unsigned n_frames)
{
  PacoEncoder *encoder = open_encoder (options);
  PacoCoder *coder = PACO_CODER (encoder);
  unsigned depth = paco_coder_depth (coder);

  g_assert_cmpuint (depth, ==, n_devices * options->depth);
  for (unsigned n = 0; n < n_frames + depth; n++) {
    if (n >= depth && n - depth < n_frames)
      collect_coded (encoder, &frames[n - depth]);
    if (n < n_frames)
      submit_source (encoder, &frames[n]);
  }
  check_stats (coder, n_devices, n_frames);
  paco_coder_close (coder);
  check_left ();
}

/* --- Decoding --- */

/* Codes a frame by the reference, since these are the frames that decoders
 * take. */
static void
code_by_reference (Frame *frame)
{
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  PacoPicture picture = picture_of (frame->samples);

  parameters.rate_control = PACO_RATE_LOSSLESS;
  g_byte_array_set_size (frame->coded, 0);
  g_assert_true (paco_reference_encode (
      &format, &picture, &video, &parameters, NULL, frame->coded, NULL));
}

static PacoDecoder *
open_decoder (const PacoBackendOptions *options, const Frame *frame)
{
  PacoPicture picture = picture_of (NULL);
  PacoDecoder *decoder = must_open_decoder (&BACKEND, options);
  PacoCodedFrame coded;

  must_parse (&coded, frame->coded->data, frame->coded->len);
  must_configure_decoder (decoder, &coded.header, picture.layout, 0);
  return decoder;
}

static void
submit_coded (PacoDecoder *decoder, Frame *frame)
{
  PacoPicture picture = picture_of (frame->decoded);
  PacoCodedFrame coded;

  must_parse (&coded, frame->coded->data, frame->coded->len);
  must_submit_frame (decoder, &coded, &picture, frame);
}

/* Expects that the next frame is this one. */
static void
collect_decoded (PacoDecoder *decoder, Frame *expected)
{
  PacoDecodedFrame frame = { NULL };
  PacoCodedFrame coded;
  const PacoHeader *header = &coded.header;

  frame = must_collect_picture (decoder);
  g_assert_true (frame.user_data == expected);
  must_parse (&coded, expected->coded->data, expected->coded->len);
  for (size_t i = 0; i < sizeof expected->decoded; i++)
    g_assert_cmpuint (expected->decoded[i], ==,
        coded.data[header->header_size + header->index_size]);
}

static void
decode (const PacoBackendOptions *options, unsigned n_devices, Frame *frames,
    unsigned n_frames)
{
  PacoDecoder *decoder = open_decoder (options, &frames[0]);
  PacoCoder *coder = PACO_CODER (decoder);
  unsigned depth = paco_coder_depth (coder);

  g_assert_cmpuint (depth, ==, n_devices * options->depth);
  for (unsigned n = 0; n < n_frames + depth; n++) {
    if (n >= depth && n - depth < n_frames)
      collect_decoded (decoder, &frames[n - depth]);
    if (n < n_frames)
      submit_coded (decoder, &frames[n]);
  }
  check_stats (coder, n_devices, n_frames);
  paco_coder_close (coder);
  check_left ();
}

/* --- Tests --- */

static unsigned
draw_frames (Frame *frames)
{
  unsigned n_frames = g_test_rand_int_range (1, MAX_FRAMES + 1);

  for (unsigned n = 0; n < n_frames; n++) {
    for (size_t i = 0; i < sizeof frames[n].samples; i++)
      frames[n].samples[i] = g_test_rand_int ();
    memset (frames[n].decoded, 0, sizeof frames[n].decoded);
    frames[n].coded = NULL;
  }
  return n_frames;
}

static void
free_frames (Frame *frames, unsigned n_frames)
{
  for (unsigned n = 0; n < n_frames; n++)
    g_clear_pointer (&frames[n].coded, g_byte_array_unref);
}

static void
test_same (void)
{
  g_autofree Frame *frames = g_new (Frame, MAX_FRAMES);

  fake_cuda_fail (NULL);
  for (unsigned i = 0; i < n_cases (300); i++) {
    const PacoBackendOptions one = { .device = -1, .depth = 2 };
    unsigned n_frames = draw_frames (frames), n_devices;
    PacoBackendOptions options = random_options (&n_devices);

    encode (&one, 1, frames, n_frames);
    encode (&options, n_devices, frames, n_frames);
    for (unsigned n = 0; n < n_frames; n++)
      code_by_reference (&frames[n]);
    options = random_options (&n_devices);
    decode (&options, n_devices, frames, n_frames);
    free_frames (frames, n_frames);
  }
}

static void
count_dropped (void *frame)
{
  ((Frame *) frame)->samples[0] = 1;
}

/* Tests closing with frames in flight on all devices: each is dropped, and
 * nothing is left. */
static void
test_close (void)
{
  g_autofree Frame *frames = g_new (Frame, MAX_FRAMES);

  for (unsigned i = 0; i < n_cases (600); i++) {
    unsigned n_devices, n_frames, n_dropped = 0;
    PacoBackendOptions options = random_options (&n_devices);
    PacoEncoder *encoder;

    draw_frames (frames);
    options.drop = count_dropped;
    encoder = open_encoder (&options);
    n_frames = paco_coder_depth (PACO_CODER (encoder));
    for (unsigned n = 0; n < n_frames; n++) {
      memset (frames[n].samples, 0, sizeof frames[n].samples);
      submit_source (encoder, &frames[n]);
    }
    if (g_test_rand_bit ())
      g_usleep (g_test_rand_int_range (0, 300));
    paco_coder_close (PACO_CODER (encoder));
    for (unsigned n = 0; n < n_frames; n++)
      n_dropped += frames[n].samples[0];
    g_assert_cmpuint (n_dropped, ==, n_frames);
    check_left ();
  }
}

/* Tests that if one of them cannot be opened none stays open, and the error
 * says which it is. */
static void
test_open (void)
{
  static const struct
  {
    const char *plan, *words;
  } cases[] = {
    { "cuCtxCreate_v2:1:46", "Fake GPU 3 (device 3)" },
    { "cuCtxCreate_v2:2:2", "Fake GPU 1 (device 1)" },
    { "cuModuleLoadData:28:209", "Fake GPU 4 (device 4)" },
    { "device4:2:700:lost", "Fake GPU 4 (device 4)" },
    { "cuInit:1000000:2", "there is no CUDA device 9, only 0 to 4" },
  };

  for (unsigned i = 0; i < 2 * G_N_ELEMENTS (cases); i++) {
    const PacoBackendOptions options = {
      .n_devices = 4, .devices = { 3, 1, 4, 9 }, .depth = 2
    };
    GError *error = NULL;

    fake_cuda_fail (cases[i / 2].plan);
    g_assert_null (i % 2 ? (void *) BACKEND.encoder_open (&options, &error)
                         : (void *) BACKEND.decoder_open (&options, &error));
    g_assert_nonnull (error);
    if (!strstr (error->message, cases[i / 2].words))
      g_error ("%s: %s", cases[i / 2].plan, error->message);
    g_clear_error (&error);
    check_left ();
  }
  fake_cuda_fail (NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_setenv ("FAKE_CUDA_DEVICES", G_STRINGIFY (N_DEVICES), TRUE);
  g_test_add_func ("/devices/same", test_same);
  g_test_add_func ("/devices/close", test_close);
  g_test_add_func ("/devices/open", test_open);
  return g_test_run ();
}
