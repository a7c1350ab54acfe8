/* SPDX-License-Identifier: LGPL-2.1-or-later
 * nvjpeg2000-rival.h says what this is for. */
#include "tests/lab/cuda/nvjpeg2000-rival.h"
#include "tests/lab/lab.h"

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
