/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Opens a coder on the CPU or on GPUs. */
#include "lib/private.h"

/* In the order in which "auto" tries them. backend is NULL where the build has no
 * such part. */
static const struct
{
  PacoUse use;
  const PacoBackend *backend;
} backends[] = {
#ifdef HAVE_CUDA
  { PACO_USE_CUDA, &paco_cuda_backend },
#else
  { PACO_USE_CUDA, NULL },
#endif
  { PACO_USE_CPU, &paco_cpu_backend },
};

static PacoCoder *
open_backend (const PacoBackend *backend, const PacoSettings *settings,
    bool encoder, GError **failure)
{
  if (!backend) {
    g_set_error_literal (failure, PACO_ERROR, PACO_ERROR_NO_DEVICE,
        "this build has no CUDA part; backend=cpu and backend=auto do without "
        "a GPU");
    return NULL;
  }
  return encoder
      ? PACO_CODER (backend->encoder_open (&settings->options, failure))
      : PACO_CODER (backend->decoder_open (&settings->options, failure));
}

PacoCoder *
paco_device_open (const PacoSettings *settings, bool encoder, PacoError *error)
{
  GError *failure = NULL;

  for (unsigned i = 0; i < G_N_ELEMENTS (backends); i++) {
    PacoCoder *coder;

    if (settings->use != PACO_USE_AUTO && settings->use != backends[i].use)
      continue;
    g_clear_error (&failure);
    coder = open_backend (backends[i].backend, settings, encoder, &failure);
    if (coder)
      return coder;
  }
  paco_error_take (error, failure);
  return NULL;
}

void
paco_device_describe (PacoCoder *coder, char text[PACO_DEVICE_TEXT])
{
  PacoStats stats;

  paco_coder_stats (coder, &stats);
  g_snprintf (text, PACO_DEVICE_TEXT, "%s: %s", stats.backend, stats.device);
}
