/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Chooses a backend and opens it (backends.h). A further backend is one more row of
 * `backends`; the rows stand in the order in which "auto" tries them. */
#include "backends.h"

/* backend is NULL if it is not part of the build. */
static const struct
{
  PacoUse which;
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
open_one (const PacoBackend *backend, bool encoder,
    const PacoBackendOptions *options, GError **error)
{
  if (!backend) {
    g_set_error_literal (
        error, PACO_ERROR, PACO_ERROR_NO_DEVICE, "this build has no CUDA part");
    return NULL;
  }
  return encoder ? PACO_CODER (backend->encoder_open (options, error))
                 : PACO_CODER (backend->decoder_open (options, error));
}

static bool
is_asked_for (PacoUse which, PacoUse use, const PacoBackendOptions *options)
{
  return (use == PACO_USE_AUTO || use == which)
      && (!options->context.handle || which == PACO_USE_CUDA);
}

static void
append (GError *error, const char *advice)
{
  char *message = g_strconcat (error->message, advice, NULL);

  g_free (error->message);
  error->message = message;
}

PacoCoder *
paco_backends_open (PacoUse use, bool encoder,
    const PacoBackendOptions *options, PacoBackendRefused refused,
    void *user_data, GError **error)
{
  GError *failure = NULL;

  for (unsigned i = 0; i < G_N_ELEMENTS (backends); i++) {
    PacoCoder *coder;

    if (!is_asked_for (backends[i].which, use, options))
      continue;
    g_clear_error (&failure);
    coder = open_one (backends[i].backend, encoder, options, &failure);
    if (coder)
      return coder;
    if (refused)
      refused (user_data, backends[i].which, failure);
  }
  if (!failure)
    g_set_error_literal (&failure, PACO_ERROR, PACO_ERROR_UNSUPPORTED,
        "pictures in a GPU's memory are for backend=cuda");
  else if (use == PACO_USE_CUDA && !options->context.handle)
    append (failure, "; backend=cpu and backend=auto do without a GPU");
  g_propagate_error (error, failure);
  return NULL;
}
