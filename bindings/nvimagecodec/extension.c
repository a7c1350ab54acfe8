/* SPDX-License-Identifier: LGPL-2.1-or-later
 * An extension of nvImageCodec that reads and writes PaCo frames, on the CPU and on a GPU.
 * The host finds it in a folder of NVIMGCODEC_EXTENSIONS_PATH, by its one symbol. */
#include "plugin.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum
{
  CPU,
  CUDA,
  N_BACKENDS
};

struct nvimgcodecExtension
{
  Plugin parser, decoders[N_BACKENDS], encoders[N_BACKENDS];
  nvimgcodecParserDesc_t parser_desc;
  nvimgcodecDecoderDesc_t decoder_desc[N_BACKENDS];
  nvimgcodecEncoderDesc_t encoder_desc[N_BACKENDS];
};

/* --- messages --- */

/* libpaco's version, as the host counts it. */
static uint32_t
version (void)
{
  unsigned major = 0, minor = 0, patch = 0;

  sscanf (paco_version (), "%u.%u.%u", &major, &minor, &patch);
  return MAKE_SEMANTIC_VERSION (major, minor, patch);
}

Status
refuse (const Log *log, Status status, const char *format, ...)
{
  const nvimgcodecFrameworkDesc_t *framework = log->plugin->framework;
  char message[700];
  nvimgcodecDebugMessageData_t data = {
    HOST_STRUCT (DEBUG_MESSAGE_DATA, nvimgcodecDebugMessageData_t),
    .message = message,
    .codec = CODEC,
    .codec_id = log->plugin->id,
    .codec_version = version (),
  };
  va_list arguments;

  va_start (arguments, format);
  vsnprintf (message, sizeof message, format, arguments);
  va_end (arguments);
  framework->log (framework->instance,
      log->is_error ? NVIMGCODEC_DEBUG_MESSAGE_SEVERITY_ERROR
                    : NVIMGCODEC_DEBUG_MESSAGE_SEVERITY_WARNING,
      NVIMGCODEC_DEBUG_MESSAGE_CATEGORY_GENERAL, &data);
  return status;
}

Status
refuse_error (const Log *log, const PacoError *error)
{
  Status status = STATUS (FAIL);

  if (error->status == PACO_STATUS_NOT_PACO || error->status == PACO_STATUS_MORE
      || error->status == PACO_STATUS_CORRUPT)
    status = STATUS (IMAGE_CORRUPTED);
  else if (error->status == PACO_STATUS_VERSION
      || error->status == PACO_STATUS_UNSUPPORTED)
    status = STATUS (CODESTREAM_UNSUPPORTED);
  return refuse (log, status, "%s", error->message);
}

/* --- the extension --- */

static nvimgcodecStatus_t
destroy (nvimgcodecExtension_t extension)
{
  const nvimgcodecFrameworkDesc_t *framework = extension->parser.framework;
  void *instance = framework->instance;

  for (unsigned i = 0; i < N_BACKENDS; i++) {
    framework->unregisterEncoder (instance, &extension->encoder_desc[i]);
    framework->unregisterDecoder (instance, &extension->decoder_desc[i]);
  }
  framework->unregisterParser (instance, &extension->parser_desc);
  free (extension);
  return NVIMGCODEC_STATUS_SUCCESS;
}

/* A GPU comes first. Where it can do nothing the host goes on with the CPU. */
static nvimgcodecStatus_t
create (void *unused, nvimgcodecExtension_t *created,
    const nvimgcodecFrameworkDesc_t *framework)
{
  static const struct
  {
    const char *decoder, *encoder;
    float priority;
    nvimgcodecBackendKind_t kind;
  } backends[N_BACKENDS] = {
    { "paco_cpu_decoder", "paco_cpu_encoder", NVIMGCODEC_PRIORITY_NORMAL,
        NVIMGCODEC_BACKEND_KIND_CPU_ONLY },
    { "paco_cuda_decoder", "paco_cuda_encoder", NVIMGCODEC_PRIORITY_HIGH,
        NVIMGCODEC_BACKEND_KIND_GPU_ONLY },
  };
  nvimgcodecExtension_t extension = calloc (1, sizeof *extension);
  void *instance = framework->instance;

  (void) unused;
  if (!extension)
    return NVIMGCODEC_STATUS_EXTENSION_ALLOCATOR_FAILURE;
  extension->parser = (Plugin){ framework, "paco_parser", false };
  extension->parser_desc = frames_parser;
  extension->parser_desc.instance = &extension->parser;
  extension->parser_desc.id = extension->parser.id;
  framework->registerParser (
      instance, &extension->parser_desc, NVIMGCODEC_PRIORITY_NORMAL);
  for (unsigned i = 0; i < N_BACKENDS; i++) {
    nvimgcodecDecoderDesc_t *decoder = &extension->decoder_desc[i];
    nvimgcodecEncoderDesc_t *encoder = &extension->encoder_desc[i];

    *decoder = decoder_functions;
    *encoder = encoder_functions;
    decoder->id = backends[i].decoder;
    encoder->id = backends[i].encoder;
    decoder->backend_kind = encoder->backend_kind = backends[i].kind;
    extension->decoders[i] = (Plugin){ framework, decoder->id, i == CUDA };
    extension->encoders[i] = (Plugin){ framework, encoder->id, i == CUDA };
    decoder->instance = &extension->decoders[i];
    encoder->instance = &extension->encoders[i];
    framework->registerDecoder (instance, decoder, backends[i].priority);
    framework->registerEncoder (instance, encoder, backends[i].priority);
  }
  *created = extension;
  return NVIMGCODEC_STATUS_SUCCESS;
}

NVIMGCODECAPI nvimgcodecStatus_t
nvimgcodecExtensionModuleEntry (nvimgcodecExtensionDesc_t *desc)
{
  *desc = (nvimgcodecExtensionDesc_t){
    HOST_STRUCT (EXTENSION_DESC, nvimgcodecExtensionDesc_t),
    .id = "paco_ext",
    .version = version (),
    .ext_api_version = NVIMGCODEC_VER,
    .create = create,
    .destroy = destroy,
  };
  return NVIMGCODEC_STATUS_SUCCESS;
}
