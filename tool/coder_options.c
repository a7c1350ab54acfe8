/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads the options of commands that decode or encode (coder_options.h). */
#include "coder_options.h"
#include "tool.h"
#include <string.h>

void
paco_coder_options_entries (
    PacoCoderOptions *options, GOptionEntry entries[PACO_CODER_OPTIONS_N])
{
  const GOptionEntry all[PACO_CODER_OPTIONS_N] = {
    { "backend", 0, 0, G_OPTION_ARG_STRING, &options->backend,
        "where frames are coded: auto (a GPU, if there is one that works), "
        "cpu, cuda",
        "NAME" },
    { "devices", 0, 0, G_OPTION_ARG_STRING, &options->devices,
        "several GPUs, which take turns: 0,1 or all", "LIST" },
    { "threads", 0, 0, G_OPTION_ARG_INT, &options->threads,
        "threads of the CPU; 0, the default: as many as may run", "N" },
    { "in-flight", 0, 0, G_OPTION_ARG_INT, &options->depth,
        "frames that are worked on at the same time on a device, 1 to 8; "
        "default 2",
        "N" },
    { "set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->settings,
        "any other setting, as often as there are some", "NAME=VALUE" },
    { NULL },
  };

  memcpy (entries, all, sizeof all);
}

bool
paco_coder_set (PacoFrameDecoder *decoder, PacoFrameEncoder *encoder,
    const char *option, const char *name, const char *value, GError **error)
{
  PacoError failure;
  PacoStatus status = decoder
      ? paco_frame_decoder_set (decoder, name, value, &failure)
      : paco_frame_encoder_set (encoder, name, value, &failure);

  if (status == PACO_STATUS_OK)
    return true;
  return paco_tool_misused (error, "--%s: %s", option, failure.message);
}

static bool
set_pair (PacoFrameDecoder *decoder, PacoFrameEncoder *encoder,
    const char *pair, GError **error)
{
  const char *equals = strchr (pair, '=');
  g_autofree char *name = NULL;

  if (!equals)
    return paco_tool_misused (
        error, "--set %s has no = between a name and a value", pair);
  name = g_strndup (pair, (gsize) (equals - pair));
  return paco_coder_set (decoder, encoder, "set", name, equals + 1, error);
}

bool
paco_coder_options_apply (const PacoCoderOptions *options,
    PacoFrameDecoder *decoder, PacoFrameEncoder *encoder, GError **error)
{
  char number[16];

  if (options->backend
      && !paco_coder_set (
          decoder, encoder, "backend", "backend", options->backend, error))
    return false;
  if (options->devices
      && !paco_coder_set (
          decoder, encoder, "devices", "cuda-devices", options->devices, error))
    return false;
  g_snprintf (number, sizeof number, "%d", options->threads);
  if (options->threads >= 0
      && !paco_coder_set (
          decoder, encoder, "threads", "threads", number, error))
    return false;
  g_snprintf (number, sizeof number, "%d", options->depth);
  if (options->depth >= 0
      && !paco_coder_set (
          decoder, encoder, "in-flight", "pipeline-depth", number, error))
    return false;
  for (char **pair = options->settings; pair && *pair; pair++)
    if (!set_pair (decoder, encoder, *pair, error))
      return false;
  return true;
}

void
paco_coder_options_clear (PacoCoderOptions *options)
{
  g_free (options->backend);
  g_free (options->devices);
  g_strfreev (options->settings);
}
