/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads the options of commands that decode or encode (coder_options.h). */
#include "coder_options.h"
#include "tool.h"
#include <string.h>

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
  g_autofree char *threads = g_strdup_printf ("%d", options->threads);
  g_autofree char *depth = g_strdup_printf ("%d", options->depth);
  const struct
  {
    const char *option, *name, *value;
  } settings[] = {
    { "backend", "backend", options->backend },
    { "devices", "cuda-devices", options->devices },
    { "threads", "threads", options->threads >= 0 ? threads : NULL },
    { "in-flight", "pipeline-depth", options->depth >= 0 ? depth : NULL },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (settings); i++)
    if (settings[i].value
        && !paco_coder_set (decoder, encoder, settings[i].option,
            settings[i].name, settings[i].value, error))
      return false;
  for (char **pair = options->settings; pair && *pair; pair++)
    if (!set_pair (decoder, encoder, *pair, error))
      return false;
  return true;
}
