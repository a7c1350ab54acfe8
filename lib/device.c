/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Opens a coder on the CPU or on GPUs, for encoder.c and decoder.c, with
 * lib/stream/backends.c. */
#include "lib/private.h"

/* Takes no reference, because the application keeps its context. */
static void *
ref_nothing (void *owner)
{
  return owner;
}

static void
unref_nothing (void *owner)
{
}

PacoStatus
paco_device_use_context (PacoBackendOptions *options, PacoChange now,
    void *context, PacoError *error)
{
  if (now != PACO_CHANGE_CLOSED)
    return paco_error_set (error, PACO_STATUS_BUSY,
        "a CUDA context can only be handed in before the first frame");
  options->context = (PacoForeignContext){
    .handle = context,
    .ref = ref_nothing,
    .unref = unref_nothing,
  };
  return paco_error_ok (error);
}

PacoStatus
paco_device_check_image (
    const PacoBackendOptions *options, const PacoImage *image, PacoError *error)
{
  if (image->where != PACO_IN_CUDA_MEMORY || options->context.handle)
    return PACO_STATUS_OK;
  return paco_error_set (error, PACO_STATUS_INVALID,
      "a picture lies in CUDA memory, and nobody has said in which context: "
      "paco_frame_*_use_context() comes first");
}

PacoCoder *
paco_device_open (const PacoSettings *settings, PacoBackendOptions *options,
    bool encoder, PacoError *error)
{
  GError *failure = NULL;
  PacoCoder *coder = NULL;

  if (paco_settings_to_options (settings, options, &failure))
    coder = paco_backends_open (
        (PacoUse) settings->backend, encoder, options, NULL, NULL, &failure);
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
