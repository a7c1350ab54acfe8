/* SPDX-License-Identifier: LGPL-2.1-or-later
 * nvjpeg2000-codec.h says what this is for. */
#include "tests/lab/cuda/nvjpeg2000-codec.h"
#include "lib/paco.h"
#include "tests/lab/lab.h"
#include <string.h>

static void
must (PacoStatus status, const PacoError *error)
{
  if (status != PACO_STATUS_OK)
    lab_fail ("libpaco: %s", error->message);
}

void
codec_init (Codec *codec, LabDevice *device, CUcontext context,
    const RivalPicture *picture, const char *rate_control)
{
  *codec = (Codec){ device, context, picture, rate_control };
  for (unsigned i = 0; i < CODEC_MAX_FLIGHTS; i++)
    codec->decoded[i] = test_device_new (&device->test, NULL, picture->bytes);
  /* New memory is filled in another stream than pictures. */
  test_device_check (&device->test,
      device->test.context->driver->ctx_synchronize (), "memory");
}

void
codec_clear (Codec *codec)
{
  for (unsigned i = 0; i < CODEC_MAX_FLIGHTS; i++)
    test_device_free (&codec->device->test, codec->decoded[i]);
  g_free (codec->frame);
}

static PacoInfo
describe (const RivalPicture *picture)
{
  PacoInfo info = PACO_INFO_INIT;

  info.width = picture->width;
  info.height = picture->height;
  info.n_components = picture->n_components;
  for (unsigned c = 0; c < picture->n_components; c++)
    info.depth[c] = picture->depth;
  info.matrix = picture->n_components == 3;
  return info;
}

static PacoImage
image_at (const RivalPicture *picture, CUdeviceptr memory)
{
  PacoInfo info = describe (picture);
  size_t bytes = picture->bytes;
  PacoImage image;
  PacoError error;

  must (paco_image_init (&image, &info, 0, PACO_IMAGE_PLANES,
            (void *) (uintptr_t) memory, &bytes, &error),
      &error);
  if (bytes != picture->bytes)
    lab_fail (
        "libpaco's planes have %zu bytes, not %zu", bytes, picture->bytes);
  image.where = PACO_IN_CUDA_MEMORY;
  return image;
}

/* --- Frames in flight --- */

/* This is done again and again: the n-th submission, and the collection of the
 * oldest. */
typedef struct
{
  void (*submit) (void *data, unsigned n);
  void (*collect) (void *data);
  void *data;
} Work;

static double
frames_per_second (const Work *work, unsigned n_flights, int64_t microseconds)
{
  unsigned n_submitted = 0, n_collected = 0;
  int64_t begin = 0;

  while (n_submitted < n_flights)
    work->submit (work->data, n_submitted++);
  for (unsigned i = 0; i < n_flights; i++)
    work->collect (work->data);
  begin = g_get_monotonic_time ();
  n_submitted = 0;
  do {
    while (n_submitted - n_collected < n_flights)
      work->submit (work->data, n_submitted++);
    work->collect (work->data);
    n_collected++;
  } while (g_get_monotonic_time () - begin < microseconds);
  while (n_collected < n_submitted) {
    work->collect (work->data);
    n_collected++;
  }
  return 1e6 * n_collected / (double) (g_get_monotonic_time () - begin);
}

typedef struct
{
  Codec *codec;
  PacoFrameEncoder *encoder;
  PacoFrameDecoder *decoder;
  PacoImage image;
  unsigned n_flights;
} Coder;

static void
submit_picture (void *data, unsigned n)
{
  Coder *coder = data;
  PacoError error;

  must (paco_frame_encoder_submit (
            coder->encoder, &coder->image, NULL, NULL, &error),
      &error);
}

static void
collect_frame (void *data)
{
  Coder *coder = data;
  Codec *codec = coder->codec;
  PacoFrame frame;
  PacoError error;

  must (paco_frame_encoder_collect (coder->encoder, &frame, &error), &error);
  if (!codec->frame) {
    codec->frame = g_memdup2 (frame.data, frame.size);
    codec->length = frame.size;
  }
  paco_frame_release (&frame);
}

double
codec_encode (Codec *codec, unsigned n_flights, int64_t microseconds)
{
  g_autofree char *depth = g_strdup_printf ("%u", n_flights);
  const char *const settings[][2] = { { "backend", "cuda" },
    { "pipeline-depth", depth }, { "rate-control", codec->rate_control } };
  Coder coder = { .codec = codec,
    .encoder = paco_frame_encoder_new (),
    .image = image_at (codec->picture, codec->picture->memory) };
  PacoInfo info = describe (codec->picture);
  PacoError error;
  double speed;

  for (unsigned i = 0; i < G_N_ELEMENTS (settings); i++)
    must (paco_frame_encoder_set (
              coder.encoder, settings[i][0], settings[i][1], &error),
        &error);
  must (paco_frame_encoder_use_context (coder.encoder, codec->context, &error),
      &error);
  must (paco_frame_encoder_configure (coder.encoder, &info, &error), &error);
  g_clear_pointer (&codec->frame, g_free);
  speed = frames_per_second (&(Work){ submit_picture, collect_frame, &coder },
      n_flights, microseconds);
  paco_frame_encoder_free (coder.encoder);
  return speed;
}

static void
submit_frame (void *data, unsigned n)
{
  Coder *coder = data;
  Codec *codec = coder->codec;
  PacoImage image = image_at (
      codec->picture, codec->decoded[n % coder->n_flights]);
  PacoError error;

  must (paco_frame_decoder_submit (
            coder->decoder, codec->frame, codec->length, &image, NULL, &error),
      &error);
}

static void
collect_picture (void *data)
{
  Coder *coder = data;
  PacoResult result;
  PacoError error;

  must (paco_frame_decoder_collect (coder->decoder, &result, &error), &error);
  if (result.corrupted_blocks > 0)
    lab_fail ("libpaco found blocks broken that it had made");
}

double
codec_decode (Codec *codec, unsigned n_flights, int64_t microseconds)
{
  g_autofree char *depth = g_strdup_printf ("%u", n_flights);
  Coder coder = {
    .codec = codec, .decoder = paco_frame_decoder_new (), .n_flights = n_flights
  };
  PacoBuffer frame;
  void *ordinary = codec->frame;
  PacoError error;
  double speed;

  must (paco_frame_decoder_set (coder.decoder, "backend", "cuda", &error),
      &error);
  must (paco_frame_decoder_set (coder.decoder, "pipeline-depth", depth, &error),
      &error);
  must (paco_frame_decoder_use_context (coder.decoder, codec->context, &error),
      &error);
  must (paco_frame_decoder_allocate (
            coder.decoder, codec->length, &frame, &error),
      &error);
  memcpy (frame.data, ordinary, codec->length);
  codec->frame = frame.data;
  speed = frames_per_second (&(Work){ submit_frame, collect_picture, &coder },
      n_flights, microseconds);
  codec->frame = ordinary;
  paco_frame_decoder_free (coder.decoder);
  paco_buffer_release (&frame);
  return speed;
}
