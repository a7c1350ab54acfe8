/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The decoders or encoders of libpaco that work for one of the host. On the CPU each thread
 * of the host has one of one thread for small pictures, and large ones share one that uses
 * all threads. On a GPU there are a few, whose work overlaps. */
#include "plugin.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGE_PICTURE (1 << 20) /* pixels */
#define MOST_ON_GPU 4

/* Calls a function that decoders and encoders have. */
#define CALL(coder, function, ...)                                             \
  ((coder)->decoder                                                            \
          ? paco_frame_decoder_##function ((coder)->decoder, __VA_ARGS__)      \
          : paco_frame_encoder_##function ((coder)->encoder, __VA_ARGS__))

/* Calls a function of CUDA's driver, if it is there, and says whether it succeeds. */
#define DRIVER(library, name, types, ...)                                      \
  (dlsym (library, name)                                                       \
      && ((int (*) types) dlsym (library, name)) (__VA_ARGS__) == 0)

/* Retains or releases the primary context of the device, in which the host works as all users
 * of the runtime. The library stays open, as the host and libpaco have it, too. */
static void
use_context (Coders *coders, bool retains)
{
  void *cuda = dlopen ("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  int handle;

  if (!cuda || !DRIVER (cuda, "cuInit", (unsigned), 0)
      || !DRIVER (cuda, "cuDeviceGet", (int *, int), &handle, coders->device))
    return;
  if (!retains)
    (void) DRIVER (cuda, "cuDevicePrimaryCtxRelease_v2", (int), handle);
  else if (!DRIVER (cuda, "cuDevicePrimaryCtxRetain", (void **, int),
               &coders->context, handle))
    coders->context = NULL;
}

/* Applies the options that begin with the plugin's id or with "paco". */
static bool
set_options (Coders *coders, Coder *coder, PacoError *error)
{
  /* The host decides about these. */
  static const char reserved[] =
      " backend cuda-device-id cuda-devices threads pipeline-depth reduce "
      "region slices rate-control quality bitrate frame-size ";
  char word[64], *rest = NULL, *copy = strdup (coders->options);
  bool good = copy;

  for (char *option = copy ? strtok_r (copy, " ", &rest) : NULL; option && good;
       option = strtok_r (NULL, " ", &rest)) {
    char *name = strchr (option, ':'), *value = strchr (option, '=');

    if (!name || !value || value < name)
      continue;
    *name++ = *value++ = '\0';
    if (strcmp (option, CODEC) != 0 && strcmp (option, coders->plugin->id) != 0)
      continue;
    snprintf (word, sizeof word, " %s ", name);
    if (coders->decodes && strcmp (name, "damaged") == 0) {
      /* Only the first coder finds it otherwise. */
      if (strcmp (value, "1") == 0 && !coders->shows_damage)
        coders->shows_damage = true;
    } else if (strstr (reserved, word)) {
      snprintf (error->message, sizeof error->message,
          "the option %s cannot be set here", name);
      good = false;
    } else
      good = CALL (coder, set, name, value, error) == PACO_STATUS_OK;
  }
  free (copy);
  return good;
}

/* Makes a coder, and opens its device. */
static bool
open_coder (Coders *coders, Coder *coder, bool wide, PacoError *error)
{
  PacoBuffer buffer = { 0 };
  char threads[16];
  bool good;

  *error = (PacoError){ PACO_STATUS_MEMORY, "there is no memory" };
  snprintf (threads, sizeof threads, "%u", wide ? coders->n_threads : 1);
  coder->decoder = coders->decodes ? paco_frame_decoder_new () : NULL;
  coder->encoder = coders->decodes ? NULL : paco_frame_encoder_new ();
  good = (coder->decoder || coder->encoder)
      && CALL (coder, set, "backend", coders->context ? "cuda" : "cpu", error)
          == PACO_STATUS_OK
      && CALL (coder, set, "threads", threads, error) == PACO_STATUS_OK
      && CALL (coder, set, "pipeline-depth", "1", error) == PACO_STATUS_OK
      && set_options (coders, coder, error)
      && CALL (coder, use_context, coders->context, error) == PACO_STATUS_OK
      && CALL (coder, allocate, 1, &buffer, error) == PACO_STATUS_OK;
  paco_buffer_release (&buffer);
  return good;
}

static void
close_coder (Coder *coder)
{
  paco_frame_decoder_free (coder->decoder);
  paco_frame_encoder_free (coder->encoder);
  coder->decoder = NULL;
  coder->encoder = NULL;
}

Coders *
coders_new (const Plugin *plugin, bool decodes,
    const nvimgcodecExecutionParams_t *parameters, const char *options)
{
  nvimgcodecExecutorDesc_t *executor = parameters->executor;
  int threads = executor ? executor->getNumThreads (executor->instance) : 1;
  unsigned n_threads = threads < 1 ? 1 : (unsigned) threads;
  unsigned n = plugin->is_cuda ? MOST_ON_GPU : n_threads + 1;
  Coders *coders = calloc (1, sizeof *coders + n * sizeof *coders->coders);
  PacoError error;

  if (!coders)
    return NULL;
  coders->plugin = plugin;
  coders->decodes = decodes;
  coders->options = strdup (options ? options : "");
  coders->device = parameters->device_id;
  coders->n_threads = n_threads;
  coders->n = n;
  pthread_mutex_init (&coders->place.lock, NULL);
  for (unsigned i = 0; i < n; i++)
    pthread_mutex_init (&coders->coders[i].lock, NULL);
  if (plugin->is_cuda)
    use_context (coders, true);
  if (coders->options && (!plugin->is_cuda || coders->context)) {
    if (open_coder (coders, &coders->coders[0], false, &error))
      return coders;
    refuse_error (&(Log){ plugin, true }, &error);
  }
  coders_free (coders);
  return NULL;
}

void
coders_free (Coders *coders)
{
  for (unsigned i = 0; i < coders->n; i++) {
    close_coder (&coders->coders[i]);
    pthread_mutex_destroy (&coders->coders[i].lock);
  }
  pthread_mutex_destroy (&coders->place.lock);
  if (coders->context)
    use_context (coders, false);
  free (coders->options);
  free (coders);
}

Coder *
coders_take (Coders *coders, int thread, const PacoInfo *info, PacoError *error)
{
  bool wide = !coders->context
      && (uint64_t) info->width * info->height >= LARGE_PICTURE;
  unsigned i = thread < 0 ? 0 : (unsigned) thread,
           n = coders->context ? coders->n : coders->n_threads;
  Coder *coder = &coders->coders[wide ? n : i % n];

  pthread_mutex_lock (&coder->lock);
  if (coder->decoder || coder->encoder
      || open_coder (coders, coder, wide, error))
    return coder;
  close_coder (coder);
  coders_give (coder);
  return NULL;
}

void
coders_give (Coder *coder)
{
  pthread_mutex_unlock (&coder->lock);
}

nvimgcodecStatus_t
coders_end (const nvimgcodecImageDesc_t *image, Status status)
{
  image->imageReady (image->instance, status);
  return status == STATUS (SUCCESS)
      ? NVIMGCODEC_STATUS_SUCCESS
      : NVIMGCODEC_STATUS_EXTENSION_EXECUTION_FAILED;
}
