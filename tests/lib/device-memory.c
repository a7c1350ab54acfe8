/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests pictures in the memory of a GPU with libpaco, as an application has
 * them: with a CUDA context and a stream of its own, by way of the driver.
 * What is coded and decoded there is what the CPU does in the host's memory.
 * It runs on a GPU, or an emulated one. */
#include "lib/paco.h"
#include "tests/lib/cuda.h"
#include "tests/lib/status.h"
#include <glib.h>
#include <stdbool.h>
#include <string.h>

/* --- pictures --- */

/* This is a picture of random samples, and the same on the GPU. */
typedef struct
{
  PacoInfo info;
  size_t bytes;
  uint16_t *samples; /* page-locked */
  PacoImage host, device;
  CUdeviceptr memory;
} Picture;

static void
picture_init (Picture *picture)
{
  unsigned how = g_test_rand_int () & PACO_IMAGE_INTERLEAVED;

  picture->info = (PacoInfo) PACO_INFO_INIT;
  picture->info.width = (uint32_t) g_test_rand_int_range (30, 300);
  picture->info.height = (uint32_t) g_test_rand_int_range (30, 200);
  picture->info.n_components = 3;
  for (unsigned c = 0; c < 3; c++)
    picture->info.depth[c] = 12;
  OK (paco_image_init (
      &picture->host, &picture->info, 0, how, NULL, &picture->bytes, &error));
  must (cuda.mem_host_alloc ((void **) &picture->samples, picture->bytes, 0));
  for (size_t i = 0; i < picture->bytes / 2; i++)
    picture->samples[i] = g_test_rand_int () & 0xfff;
  OK (paco_image_init (
      &picture->host, &picture->info, 0, how, picture->samples, NULL, &error));
  must (cuda.mem_alloc (&picture->memory, picture->bytes));
  OK (paco_image_init (&picture->device, &picture->info, 0, how,
      (void *) (uintptr_t) picture->memory, NULL, &error));
  picture->device.where = PACO_IN_CUDA_MEMORY;
}

static void
picture_clear (Picture *picture)
{
  must (cuda.mem_free (picture->memory));
  must (cuda.mem_free_host (picture->samples));
}

static PacoFrameEncoder *
new_encoder (const char *backend)
{
  PacoFrameEncoder *encoder = paco_frame_encoder_new ();

  OK (paco_frame_encoder_set (encoder, "backend", backend, &error));
  OK (paco_frame_encoder_set (encoder, "rate-control", "lossless", &error));
  OK (paco_frame_encoder_set (encoder, "threads", "2", &error));
  return encoder;
}

static void
encode (const char *backend, const Picture *picture, PacoFrame *frame)
{
  g_autoptr (PacoFrameEncoder) encoder = new_encoder (backend);

  OK (paco_frame_encoder_configure (encoder, &picture->info, &error));
  OK (paco_frame_encoder_encode (encoder, &picture->host, NULL, frame, &error));
}

/* --- tests --- */

/* Tests that pictures that come to the GPU when the stream is there, and
 * pictures of the host's memory, are in flight together. */
static void
test_encode (void)
{
  enum
  {
    N = 6
  };
  g_autoptr (PacoFrameEncoder) encoder = new_encoder ("auto");

  OK (paco_frame_encoder_use_context (encoder, context, &error));
  for (unsigned k = 0; k < 3; k++) {
    Picture picture;
    PacoFrame wanted, frame;

    picture_init (&picture);
    encode ("cpu", &picture, &wanted);
    OK (paco_frame_encoder_configure (encoder, &picture.info, &error));
    for (unsigned i = 0; i < N; i++) {
      bool on_device = i % 3 != 2;

      if (i == 0) {
        must (cuda.memcpy_htod_async (
            picture.memory, picture.samples, picture.bytes, stream));
        picture.device.stream = stream;
      }
      OK (paco_frame_encoder_submit (encoder,
          on_device ? &picture.device : &picture.host, NULL, NULL, &error));
      if (i > 0) {
        OK (paco_frame_encoder_collect (encoder, &frame, &error));
        g_assert_cmpmem (frame.data, frame.size, wanted.data, wanted.size);
        paco_frame_release (&frame);
      }
    }
    OK (paco_frame_encoder_collect (encoder, &frame, &error));
    g_assert_cmpmem (frame.data, frame.size, wanted.data, wanted.size);
    g_assert_true (
        g_str_has_prefix (paco_frame_encoder_device (encoder), "cuda: "));
    paco_frame_release (&frame);
    paco_frame_release (&wanted);
    picture_clear (&picture);
  }
}

static void
test_decode (void)
{
  g_autoptr (PacoFrameDecoder) decoder = paco_frame_decoder_new ();

  OK (paco_frame_decoder_use_context (decoder, context, &error));
  for (unsigned k = 0; k < 3; k++) {
    Picture picture;
    PacoFrame frame;
    void *decoded, *other;

    picture_init (&picture);
    encode ("cpu", &picture, &frame);
    decoded = g_malloc (picture.bytes);
    /* What the stream does before that is over then. */
    must (cuda.mem_host_alloc (&other, picture.bytes, 0));
    memset (other, 0x55, picture.bytes);
    must (
        cuda.memcpy_htod_async (picture.memory, other, picture.bytes, stream));
    picture.device.stream = stream;
    OK (paco_frame_decoder_decode (
        decoder, frame.data, frame.size, &picture.device, NULL, &error));
    must (cuda.memcpy_dtoh (decoded, picture.memory, picture.bytes));
    g_assert_cmpmem (decoded, picture.bytes, picture.samples, picture.bytes);
    memset (picture.samples, 0, picture.bytes);
    OK (paco_frame_decoder_decode (
        decoder, frame.data, frame.size, &picture.host, NULL, &error));
    g_assert_cmpmem (decoded, picture.bytes, picture.samples, picture.bytes);
    paco_frame_release (&frame);
    g_free (decoded);
    must (cuda.mem_free_host (other));
    picture_clear (&picture);
  }
}

/* Tests the coders' page-locked memory: the GPU reads frames and writes
 * pictures there, which the emulation would not do with other memory. */
static void
test_page_locked (void)
{
  g_autoptr (PacoFrameEncoder) encoder = new_encoder ("cuda");
  g_autoptr (PacoFrameDecoder) decoder = paco_frame_decoder_new ();
  PacoBuffer samples, decoded;
  CUdeviceptr memory;
  Picture picture;
  PacoImage image;
  PacoFrame frame;

  picture_init (&picture);
  OK (paco_frame_decoder_set (decoder, "backend", "cuda", &error));
  OK (paco_frame_encoder_allocate (encoder, picture.bytes, &samples, &error));
  OK (paco_frame_decoder_allocate (decoder, picture.bytes, &decoded, &error));
  memcpy (samples.data, picture.samples, picture.bytes);
  must (cuda.mem_alloc (&memory, picture.bytes));
  must (cuda.memcpy_htod_async (memory, samples.data, picture.bytes, stream));
  must (cuda.stream_synchronize (stream));
  must (cuda.mem_free (memory));
  OK (paco_image_init (
      &image, &picture.info, 0, 0, samples.data, NULL, &error));
  OK (paco_frame_encoder_configure (encoder, &picture.info, &error));
  OK (paco_frame_encoder_encode (encoder, &image, NULL, &frame, &error));
  OK (paco_image_init (
      &image, &picture.info, 0, 0, decoded.data, NULL, &error));
  OK (paco_frame_decoder_decode (
      decoder, frame.data, frame.size, &image, NULL, &error));
  g_assert_cmpmem (decoded.data, picture.bytes, picture.samples, picture.bytes);
  paco_frame_release (&frame);
  paco_buffer_release (&samples);
  paco_buffer_release (&decoded);
  picture_clear (&picture);
}

static void
test_refused (void)
{
  g_autoptr (PacoFrameEncoder) encoder = new_encoder ("cuda");
  g_autoptr (PacoFrameDecoder) decoder = paco_frame_decoder_new ();
  Picture picture;
  PacoFrame frame;

  picture_init (&picture);
  must (cuda.memcpy_htod_async (
      picture.memory, picture.samples, picture.bytes, stream));
  must (cuda.stream_synchronize (stream));
  encode ("cpu", &picture, &frame);
  /* There is no context. */
  OK (paco_frame_encoder_configure (encoder, &picture.info, &error));
  REFUSED (INVALID,
      paco_frame_encoder_submit (encoder, &picture.device, NULL, NULL, &error));
  REFUSED (INVALID,
      paco_frame_decoder_submit (
          decoder, frame.data, frame.size, &picture.device, NULL, &error));
  /* This context comes too late. */
  {
    PacoFrame other;

    OK (paco_frame_encoder_encode (
        encoder, &picture.host, NULL, &other, &error));
    paco_frame_release (&other);
  }
  REFUSED (BUSY, paco_frame_encoder_use_context (encoder, context, &error));
  REFUSED (INVALID, paco_frame_encoder_use_context (NULL, context, &error));
  REFUSED (INVALID, paco_frame_decoder_use_context (NULL, context, &error));
  /* The CPU has no such memory. */
  OK (paco_frame_decoder_use_context (decoder, context, &error));
  OK (paco_frame_decoder_set (decoder, "backend", "cpu", &error));
  REFUSED (UNSUPPORTED,
      paco_frame_decoder_submit (
          decoder, frame.data, frame.size, &picture.device, NULL, &error));
  paco_frame_release (&frame);
  picture_clear (&picture);
}

/* Tests that a decoder without a context takes the GPU that has the least to do:
 * another one than the decoder before it, if there is another one. */
static void
test_least_loaded (void)
{
  PacoFrameDecoder *decoders[2];
  Picture picture;
  PacoFrame frame;
  int n_devices;

  must (cuda.device_get_count (&n_devices));
  picture_init (&picture);
  encode ("cpu", &picture, &frame);
  for (unsigned i = 0; i < 2; i++) {
    g_autofree void *decoded = g_malloc (picture.bytes);

    decoders[i] = paco_frame_decoder_new ();
    OK (paco_frame_decoder_set (decoders[i], "backend", "cuda", &error));
    OK (paco_frame_decoder_set (decoders[i], "cuda-device-id", "-1", &error));
    memcpy (decoded, picture.samples, picture.bytes);
    memset (picture.samples, 0, picture.bytes);
    OK (paco_frame_decoder_decode (
        decoders[i], frame.data, frame.size, &picture.host, NULL, &error));
    g_assert_cmpmem (picture.samples, picture.bytes, decoded, picture.bytes);
    g_assert_true (
        g_str_has_prefix (paco_frame_decoder_device (decoders[i]), "cuda: "));
  }
  g_assert_true (g_str_equal (paco_frame_decoder_device (decoders[0]),
                     paco_frame_decoder_device (decoders[1]))
      == (n_devices == 1));
  for (unsigned i = 0; i < 2; i++)
    paco_frame_decoder_free (decoders[i]);
  paco_frame_release (&frame);
  picture_clear (&picture);
}

int
main (int argc, char **argv)
{
  int failed;

  g_test_init (&argc, &argv, NULL);
  if (!open_cuda ()) {
    g_print ("1..0 # SKIP no GPU\n");
    return 0;
  }
  g_test_add_func ("/device-memory/encode", test_encode);
  g_test_add_func ("/device-memory/decode", test_decode);
  g_test_add_func ("/device-memory/page-locked", test_page_locked);
  g_test_add_func ("/device-memory/refused", test_refused);
  g_test_add_func ("/device-memory/least-loaded", test_least_loaded);
  failed = g_test_run ();
  close_cuda ();
  return failed;
}
