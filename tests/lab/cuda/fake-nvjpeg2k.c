/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Stands in the place of nvJPEG2000, for check-nvjpeg2000.py: it codes by
 * copying, in the memory of an emulated device, which is the host's. Calls in a
 * wrong order and arguments that the documentation forbids are refused as they
 * are there. The environment governs it:
 *
 *   FAKE_NVJPEG2K_FAIL   "NAME:NUMBER:STATUS": that call (from 1) of the function fails
 *   FAKE_NVJPEG2K_NO_HT  HTJ2K is refused
 *   FAKE_NVJPEG2K_WRONG  the first sample of decoded pictures is another one
 *   FAKE_NVJPEG2K_LOG    a file: at the end, calls of each function, and what is left */
#include "tests/lab/cuda/nvjpeg2k.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
  INVALID = 2,
  BAD_STREAM = 3,
  UNSUPPORTED = 4,
  INTERNAL = 8,
  MAGIC = 0x4b324a46,
};

/* --- Calls --- */

#define NAME(name, arguments) NAME_##name,
enum
{
  NV_FUNCTIONS (NAME) N_FUNCTIONS
};
#undef NAME
#define NAME(name, arguments) #name,
static const char *const names[] = { NV_FUNCTIONS (NAME) };
#undef NAME

static gint n_calls[N_FUNCTIONS], n_left;

static NvStatus
called (unsigned function)
{
  gint number = g_atomic_int_add (&n_calls[function], 1) + 1;
  const char *plan = g_getenv ("FAKE_NVJPEG2K_FAIL");
  g_auto (GStrv) parts = g_strsplit (plan ? plan : "", ":", 3);

  if (g_strv_length (parts) == 3 && strcmp (parts[0], names[function]) == 0
      && atoi (parts[1]) == number)
    return atoi (parts[2]);
  return 0;
}

#define BEGIN(name)                                                            \
  do {                                                                         \
    NvStatus status_ = called (NAME_##name);                                   \
                                                                               \
    if (status_ != 0)                                                          \
      return status_;                                                          \
  } while (0)

static void __attribute__ ((destructor)) write_log (void)
{
  const char *path = g_getenv ("FAKE_NVJPEG2K_LOG");
  FILE *log = path ? fopen (path, "w") : NULL;

  if (!log)
    return;
  for (unsigned i = 0; i < N_FUNCTIONS; i++)
    fprintf (log, "%s %d\n", names[i], n_calls[i]);
  fprintf (log, "left %d\n", n_left);
  fclose (log);
}

static void *
make (size_t size)
{
  g_atomic_int_inc (&n_left);
  return g_malloc0 (size);
}

static NvStatus
destroy (void *object)
{
  if (!object)
    return INVALID;
  g_atomic_int_add (&n_left, -1);
  g_free (object);
  return 0;
}

/* --- Objects --- */

struct NvHandle
{
  int dummy;
};

struct NvEncoder
{
  int dummy;
};

struct NvEncodeParams
{
  gboolean has_config;
  NvEncodeConfig config;
  NvComponent component;
  double step;
};

/* A codestream of this library begins with this; samples follow. */
typedef struct
{
  uint32_t magic, width, height, n_components, type;
} Header;

/* busy: a thread is in a call with it. */
struct NvEncodeState
{
  gint busy;
  GByteArray *code;
};

struct NvDecodeState
{
  gint busy;
};

struct NvStream
{
  Header header;
  const unsigned char *samples;
};

static size_t
plane_bytes (const Header *header)
{
  return (size_t) header->width * header->height
      * (header->type == NV_UINT16 ? 2 : 1);
}

static uint16_t
coarse (unsigned sample, double step)
{
  return (uint16_t) (step > 0 ? rint (rint (sample / step) * step) : sample);
}

/* --- The library --- */

#define DECLARE(name, arguments)                                               \
  __attribute__ ((visibility ("default"))) NvStatus nvjpeg2k##name arguments;
G_BEGIN_DECLS
NV_FUNCTIONS (DECLARE)
G_END_DECLS

NvStatus
nvjpeg2kGetProperty (int type, int *value)
{
  BEGIN (GetProperty);
  *value = type;
  return 0;
}

/* Defines the functions that make an object of a type, and destroy it. */
#define OBJECT(type, create, delete)                                           \
  NvStatus nvjpeg2k##create (type **object)                                    \
  {                                                                            \
    BEGIN (create);                                                            \
    *object = make (sizeof **object);                                          \
    return 0;                                                                  \
  }                                                                            \
                                                                               \
  NvStatus nvjpeg2k##delete (type * object)                                    \
  {                                                                            \
    BEGIN (delete);                                                            \
    return destroy (object);                                                   \
  }

OBJECT (NvHandle, CreateSimple, Destroy)
OBJECT (NvStream, StreamCreate, StreamDestroy)
OBJECT (NvEncoder, EncoderCreateSimple, EncoderDestroy)
OBJECT (NvEncodeParams, EncodeParamsCreate, EncodeParamsDestroy)

NvStatus
nvjpeg2kDecodeStateCreate (NvHandle *handle, NvDecodeState **state)
{
  BEGIN (DecodeStateCreate);
  *state = make (sizeof **state);
  return handle ? 0 : INVALID;
}

NvStatus
nvjpeg2kDecodeStateDestroy (NvDecodeState *state)
{
  BEGIN (DecodeStateDestroy);
  return destroy (state);
}

NvStatus
nvjpeg2kStreamParse (NvHandle *handle, const unsigned char *data, size_t length,
    int save_metadata, int save_stream, NvStream *stream)
{
  BEGIN (StreamParse);
  if (!handle || save_metadata || save_stream || length < sizeof (Header))
    return INVALID;
  memcpy (&stream->header, data, sizeof stream->header);
  stream->samples = data + sizeof stream->header;
  return stream->header.magic != MAGIC
          || length
              != sizeof (Header)
                  + stream->header.n_components * plane_bytes (&stream->header)
      ? BAD_STREAM
      : 0;
}

NvStatus
nvjpeg2kDecode (NvHandle *handle, NvDecodeState *state, NvStream *stream,
    NvImage *image, CUstream cuda_stream)
{
  BEGIN (Decode);
  if (!handle || !cuda_stream || !stream->samples
      || image->n_components != stream->header.n_components
      || image->type != (int) stream->header.type)
    return INVALID;
  if (!g_atomic_int_compare_and_exchange (&state->busy, 0, 1))
    return INTERNAL;
  for (unsigned c = 0; c < image->n_components; c++)
    memcpy (image->pixels[c],
        stream->samples + c * plane_bytes (&stream->header),
        plane_bytes (&stream->header));
  if (g_getenv ("FAKE_NVJPEG2K_WRONG"))
    *(uint8_t *) image->pixels[0] ^= 1;
  g_atomic_int_set (&state->busy, 0);
  return 0;
}

NvStatus
nvjpeg2kEncodeStateCreate (NvEncoder *encoder, NvEncodeState **state)
{
  BEGIN (EncodeStateCreate);
  *state = make (sizeof **state);
  return encoder ? 0 : INVALID;
}

NvStatus
nvjpeg2kEncodeStateDestroy (NvEncodeState *state)
{
  BEGIN (EncodeStateDestroy);
  if (state && state->code)
    g_byte_array_unref (state->code);
  return destroy (state);
}

NvStatus
nvjpeg2kEncodeParamsSetEncodeConfig (
    NvEncodeParams *params, NvEncodeConfig *config)
{
  BEGIN (EncodeParamsSetEncodeConfig);
  if (config->modes == NV_MODE_HT && g_getenv ("FAKE_NVJPEG2K_NO_HT"))
    return UNSUPPORTED;
  if ((config->rsiz == NV_RSIZ_HT) != (config->modes == NV_MODE_HT)
      || config->n_layers != 1 || config->block_width != 64
      || config->block_height != 64 || config->n_resolutions == 0
      || (config->color_transform && config->n_components != 3)
      || (MIN (config->width, config->height) >> config->n_resolutions) == 0)
    return INVALID;
  for (unsigned c = 0; c < config->n_components; c++)
    if (config->components[c].width != config->width
        || config->components[c].height != config->height
        || config->components[c].precision == 0)
      return INVALID;
  params->config = *config;
  params->component = config->components[0];
  params->has_config = TRUE;
  return 0;
}

NvStatus
nvjpeg2kEncodeParamsSpecifyQuality (
    NvEncodeParams *params, int type, double value)
{
  BEGIN (EncodeParamsSpecifyQuality);
  if (!params->has_config || value < 0 || !params->config.irreversible
      || type != NV_QUANTIZATION_STEP)
    return INVALID;
  params->step = value;
  return 0;
}

static void
copy_plane (NvEncodeState *state, const Header *header, const uint8_t *plane,
    size_t pitch, double step)
{
  for (unsigned y = 0; y < header->height; y++)
    for (unsigned x = 0; x < header->width; x++) {
      const uint8_t *line = plane + pitch * y;

      if (header->type == NV_UINT16) {
        uint16_t sample = coarse (((const uint16_t *) line)[x], step);

        g_byte_array_append (state->code, (const uint8_t *) &sample, 2);
      } else {
        uint8_t sample = (uint8_t) MIN (coarse (line[x], step), 255);

        g_byte_array_append (state->code, &sample, 1);
      }
    }
}

NvStatus
nvjpeg2kEncode (NvEncoder *encoder, NvEncodeState *state,
    const NvEncodeParams *params, const NvImage *image, CUstream cuda_stream)
{
  Header header = { MAGIC, params->config.width, params->config.height,
    image->n_components, (uint32_t) image->type };

  BEGIN (Encode);
  if (!encoder || !cuda_stream || !params->has_config
      || image->n_components != params->config.n_components
      || (image->type == NV_UINT16) != (params->component.precision > 8)
      || (params->config.irreversible && params->step <= 0))
    return INVALID;
  if (!g_atomic_int_compare_and_exchange (&state->busy, 0, 1))
    return INTERNAL;
  if (state->code)
    g_byte_array_unref (state->code);
  state->code = g_byte_array_new ();
  g_byte_array_append (state->code, (const uint8_t *) &header, sizeof header);
  for (unsigned c = 0; c < image->n_components; c++)
    copy_plane (
        state, &header, image->pixels[c], image->pitches[c], params->step);
  g_atomic_int_set (&state->busy, 0);
  return 0;
}

NvStatus
nvjpeg2kEncodeRetrieveBitstream (NvEncoder *encoder, NvEncodeState *state,
    unsigned char *data, size_t *length, CUstream cuda_stream)
{
  BEGIN (EncodeRetrieveBitstream);
  if (!encoder || !cuda_stream || !state->code
      || (data && *length < state->code->len))
    return INVALID;
  *length = state->code->len;
  if (data)
    memcpy (data, state->code->data, state->code->len);
  return 0;
}
