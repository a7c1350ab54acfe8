/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Opens a coder on the CPU or on GPUs. */
#include "lib/private.h"

PacoCoder *
paco_device_open (const PacoSettings *settings, bool encoder, PacoError *error)
{
  GError *failure = NULL;
  PacoCoder *coder = paco_backends_open (
      settings->use, encoder, &settings->options, NULL, NULL, &failure);

  if (!coder)
    paco_error_take (error, failure);
  return coder;
}

void
paco_device_describe (PacoCoder *coder, char text[PACO_DEVICE_TEXT])
{
  PacoStats stats;

  paco_coder_stats (coder, &stats);
  g_snprintf (text, PACO_DEVICE_TEXT, "%s: %s", stats.backend, stats.device);
}
