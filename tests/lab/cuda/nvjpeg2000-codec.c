/* SPDX-License-Identifier: LGPL-2.1-or-later
 * nvjpeg2000-codec.h says what this is for. */
#include "tests/lab/cuda/nvjpeg2000-codec.h"
#include "lib/paco.h"
#include "tests/lab/lab.h"
#include "tests/lab/cuda/nvjpeg2k.h"
#include <string.h>
#include <dlfcn.h>
#include <glob.h>

/* --- the library --- */

/* Packages put the library here: those of distributions, and those of
 * Python. */
static const char *const places[] = {
  "/usr/lib/x86_64-linux-gnu/libnvjpeg2k/*/libnvjpeg2k.so.0",
  "/usr/local/lib/python3*/*-packages/nvidia/*/lib/libnvjpeg2k.so.0",
  "/usr/lib/python3*/*-packages/nvidia/*/lib/libnvjpeg2k.so.0",
  "~/.local/lib/python3*/site-packages/nvidia/*/lib/libnvjpeg2k.so.0",
};

static void *
open_at (Nvjpeg2k *nv, const char *path)
{
  void *library = dlopen (path, RTLD_NOW | RTLD_LOCAL);

  if (library) {
    g_free (nv->path);
    nv->path = g_strdup (path);
  }
  return library;
}

static void *
open_in_places (Nvjpeg2k *nv)
{
  void *library = open_at (nv, "libnvjpeg2k.so.0");

  for (unsigned i = 0; i < G_N_ELEMENTS (places); i++) {
    glob_t found;

    if (!library && glob (places[i], GLOB_TILDE, NULL, &found) == 0) {
      for (size_t k = 0; !library && k < found.gl_pathc; k++)
        library = open_at (nv, found.gl_pathv[k]);
      globfree (&found);
    }
  }
  return library;
}

#define NAME(name, arguments)                                                  \
  { "nvjpeg2k" #name, G_STRUCT_OFFSET (Nvjpeg2k, name) },
static const struct
{
  const char *name;
  size_t offset;
} functions[] = { NV_FUNCTIONS (NAME) };

gboolean
nvjpeg2k_open (Nvjpeg2k *nv, char **why)
{
  const char *wanted = g_getenv ("LAB_NVJPEG2K");

  *nv = (Nvjpeg2k){ 0 };
  *why = NULL;
  nv->library = wanted ? open_at (nv, wanted) : open_in_places (nv);
  if (!nv->library) {
    *why = wanted
        ? g_strdup_printf ("LAB_NVJPEG2K cannot be opened: %s", dlerror ())
        : g_strdup ("there is no nvJPEG2000, libnvjpeg2k.so.0 (package "
                    "nvidia-nvjpeg2k-cu13; LAB_NVJPEG2K names its file)");
    return FALSE;
  }
  for (unsigned i = 0; i < G_N_ELEMENTS (functions); i++) {
    void *function = dlsym (nv->library, functions[i].name);

    if (!function) {
      *why = g_strdup_printf ("%s has no %s: it is of an older version",
          nv->path, functions[i].name);
      return FALSE;
    }
    memcpy ((char *) nv + functions[i].offset, &function, sizeof function);
  }
  for (int i = 0; i < 3; i++)
    NV (nv, GetProperty, i, &nv->version[i]);
  return TRUE;
}

void
nvjpeg2k_check (NvStatus status, const char *name)
{
  static const char *const reasons[] = { "done", "it is not initialized",
    "a parameter is wrong", "it cannot read the codestream",
    "it does not support that codestream", "memory could not be had",
    "the device failed", "the device is not sufficient", "an error of its own",
    "it has no such function" };

  if (status != 0)
    lab_fail ("%s: %s (%d)", name,
        status > 0 && status < (int) G_N_ELEMENTS (reasons) ? reasons[status]
                                                            : "unknown",
        status);
}

/* --- the rival --- */

enum
{
  LEVELS = 5,
  BLOCK = 64,
};

void
rival_init (Rival *rival, LabDevice *device)
{
  rival->device = device;
  NV (&rival->nv, EncoderCreateSimple, &rival->encoder);
  NV (&rival->nv, CreateSimple, &rival->decoder);
}

void
rival_clear (Rival *rival)
{
  NV (&rival->nv, EncoderDestroy, rival->encoder);
  NV (&rival->nv, Destroy, rival->decoder);
}

/* --- A flight --- */

/* Returns the room for a codestream, which may be larger than the picture, by
 * little. */
static size_t
capacity_for (const RivalPicture *picture)
{
  return picture->bytes + picture->bytes / 4 + (1 << 16);
}

void
rival_flight_init (
    RivalFlight *flight, const Rival *rival, const RivalPicture *picture)
{
  const TestDevice *test = &rival->device->test;
  const PacoDriver *driver = test->context->driver;
  const Nvjpeg2k *nv = &rival->nv;

  *flight = (RivalFlight){ .rival = rival,
    .picture = picture,
    .capacity = capacity_for (picture),
    .decoded = test_device_new (test, NULL, picture->bytes) };
  test_device_check (test,
      driver->stream_create (&flight->stream, CU_STREAM_NON_BLOCKING),
      "stream");
  test_device_check (test,
      driver->mem_host_alloc ((void **) &flight->code, flight->capacity, 0),
      "memory of the host");
  NV (nv, EncodeStateCreate, rival->encoder, &flight->encode_state);
  NV (nv, DecodeStateCreate, rival->decoder, &flight->decode_state);
  NV (nv, StreamCreate, &flight->parsed);
  /* New memory is filled in another stream. */
  test_device_check (test, driver->ctx_synchronize (), "memory");
}

void
rival_flight_clear (RivalFlight *flight)
{
  const TestDevice *test = &flight->rival->device->test;
  const PacoDriver *driver = test->context->driver;
  const Nvjpeg2k *nv = &flight->rival->nv;

  if (flight->parameters)
    NV (nv, EncodeParamsDestroy, flight->parameters);
  NV (nv, StreamDestroy, flight->parsed);
  NV (nv, DecodeStateDestroy, flight->decode_state);
  NV (nv, EncodeStateDestroy, flight->encode_state);
  driver->mem_free_host (flight->code);
  driver->stream_destroy (flight->stream);
  test_device_free (test, flight->decoded);
}

/* Notes the first failure. */
static bool
note (RivalFlight *flight, NvStatus status, const char *name)
{
  if (!flight->failed && status != 0) {
    flight->failed = name;
    flight->status = status;
  }
  return !flight->failed;
}

#define CALL(flight, name, ...)                                                \
  ((flight)->failed == NULL                                                    \
      && note (                                                                \
          flight, (flight)->rival->nv.name (__VA_ARGS__), "nvjpeg2k" #name))

static bool
synchronize (RivalFlight *flight)
{
  const TestDevice *test = &flight->rival->device->test;

  test_device_check (test,
      test->context->driver->stream_synchronize (flight->stream), "nvJPEG2000");
  return true;
}

bool
rival_flight_set (RivalFlight *flight, const RivalSettings *settings)
{
  const RivalPicture *picture = flight->picture;
  NvComponent components[4];
  NvEncodeConfig config = {
    .stream_type = NV_STREAM_J2K,
    .color_space = picture->n_components == 3 ? NV_COLOR_SRGB : NV_COLOR_GRAY,
    .rsiz = settings->high_throughput ? NV_RSIZ_HT : 0,
    .width = picture->width,
    .height = picture->height,
    .n_components = picture->n_components,
    .components = components,
    .progression = NV_RPCL,
    .n_layers = 1,
    .color_transform = picture->n_components == 3,
    .n_resolutions = LEVELS + 1,
    .block_width = BLOCK,
    .block_height = BLOCK,
    .modes = settings->high_throughput ? NV_MODE_HT : 0,
    .irreversible = settings->step > 0,
  };

  for (unsigned c = 0; c < picture->n_components; c++)
    components[c] = (NvComponent){ .width = picture->width,
      .height = picture->height,
      .precision = (uint8_t) picture->depth };
  flight->failed = NULL;
  if (flight->parameters)
    NV (&flight->rival->nv, EncodeParamsDestroy, flight->parameters);
  flight->parameters = NULL;
  return CALL (flight, EncodeParamsCreate, &flight->parameters)
      && CALL (flight, EncodeParamsSetEncodeConfig, flight->parameters, &config)
      && (settings->step <= 0
          || CALL (flight, EncodeParamsSpecifyQuality, flight->parameters,
              NV_QUANTIZATION_STEP, settings->step));
}

/* --- Coding --- */

/* This is an image of the picture's shape, and what it points to. */
typedef struct
{
  void *pixels[4];
  size_t pitches[4];
  NvImage image;
} Planes;

static void
describe (Planes *planes, const RivalPicture *picture, CUdeviceptr memory)
{
  unsigned word = picture->depth > 8 ? 2 : 1;

  for (unsigned c = 0; c < picture->n_components; c++) {
    planes->pixels[c] = (uint8_t *) (uintptr_t) memory
        + c * (picture->bytes / picture->n_components);
    planes->pitches[c] = (size_t) word * picture->width;
  }
  planes->image = (NvImage){ planes->pixels, planes->pitches,
    word == 2 ? NV_UINT16 : NV_UINT8, picture->n_components };
}

bool
rival_flight_encode (RivalFlight *flight)
{
  const Rival *rival = flight->rival;
  size_t needed = 0;
  Planes planes;

  describe (&planes, flight->picture, flight->picture->memory);
  if (!CALL (flight, Encode, rival->encoder, flight->encode_state,
          flight->parameters, &planes.image, flight->stream)
      || !CALL (flight, EncodeRetrieveBitstream, rival->encoder,
          flight->encode_state, NULL, &needed, flight->stream))
    return false;
  if (needed > flight->capacity)
    lab_fail ("a codestream has %zu bytes, its picture %zu", needed,
        flight->picture->bytes);
  flight->length = needed;
  return CALL (flight, EncodeRetrieveBitstream, rival->encoder,
             flight->encode_state, flight->code, &flight->length,
             flight->stream)
      && synchronize (flight);
}

bool
rival_flight_decode (RivalFlight *flight)
{
  const Rival *rival = flight->rival;
  Planes planes;

  describe (&planes, flight->picture, flight->decoded);
  return CALL (flight, StreamParse, rival->decoder, flight->code,
             flight->length, false, false, flight->parsed)
      && CALL (flight, Decode, rival->decoder, flight->decode_state,
          flight->parsed, &planes.image, flight->stream)
      && synchronize (flight);
}

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
describe_video (const RivalPicture *picture)
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
  PacoInfo info = describe_video (picture);
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
  PacoInfo info = describe_video (codec->picture);
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
