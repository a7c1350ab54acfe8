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

struct Coders
{
  const Plugin *plugin;
  bool decodes, shows_damage;
  char *options;
  int device;
  void *context; /* the primary one of the device, or NULL */
  unsigned n_threads, n;
  Coder coders[];
};

/* --- CUDA --- */

/* Returns a function of the driver, which is there if there is a GPU. */
static void *
driver (const char *name)
{
  static const char *const library = "libcuda.so.1";
  void *handle = dlopen (library, RTLD_NOW | RTLD_LOCAL);

  /* The handle stays open: the host and libpaco have the library, too. */
  return handle ? dlsym (handle, name) : NULL;
}

/* The host works in the primary context of a device, as all users of the runtime. */
static void *
retain_context (int device)
{
  int (*init) (unsigned) = (int (*) (unsigned)) driver ("cuInit");
  int (*get) (int *, int) = (int (*) (int *, int)) driver ("cuDeviceGet");
  int (*retain) (void **, int) = (int (*) (void **, int)) driver (
      "cuDevicePrimaryCtxRetain");
  void *context = NULL;
  int handle;

  if (!init || !get || !retain || device < 0 || init (0) != 0
      || get (&handle, device) != 0 || retain (&context, handle) != 0)
    return NULL;
  return context;
}

static void
release_context (int device)
{
  int (*get) (int *, int) = (int (*) (int *, int)) driver ("cuDeviceGet");
  int (*release) (int) = (int (*) (int)) driver (
      "cuDevicePrimaryCtxRelease_v2");
  int handle;

  if (get && release && get (&handle, device) == 0)
    release (handle);
}

/* --- settings --- */

static PacoStatus
set (Coder *coder, const char *name, const char *value, PacoError *error)
{
  return coder->decoder
      ? paco_frame_decoder_set (coder->decoder, name, value, error)
      : paco_frame_encoder_set (coder->encoder, name, value, error);
}

/* The host decides about these. */
static bool
is_reserved (const char *name)
{
  static const char *const names[] = { "backend", "cuda-device-id",
    "cuda-devices", "threads", "pipeline-depth", "reduce", "region", "slices",
    "rate-control", "quality", "bitrate", "frame-size" };

  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp (names[i], name) == 0)
      return true;
  return false;
}

/* Applies the options that begin with the plugin's id or with "paco". */
static PacoStatus
set_options (Coders *coders, Coder *coder, PacoError *error)
{
  char *rest = NULL, *copy = strdup (coders->options);
  PacoStatus status = PACO_STATUS_OK;

  for (char *option = copy ? strtok_r (copy, " ", &rest) : NULL;
       option && status == PACO_STATUS_OK;
       option = strtok_r (NULL, " ", &rest)) {
    char *name = strchr (option, ':'), *value = strchr (option, '=');

    if (!name || !value || value < name)
      continue;
    *name++ = *value++ = '\0';
    if (strcmp (option, CODEC) != 0 && strcmp (option, coders->plugin->id) != 0)
      continue;
    if (coders->decodes && strcmp (name, "damaged") == 0)
      coders->shows_damage = strcmp (value, "1") == 0;
    else if (is_reserved (name)) {
      snprintf (error->message, sizeof error->message,
          "the option %s cannot be set here", name);
      status = error->status = PACO_STATUS_INVALID;
    } else
      status = set (coder, name, value, error);
  }
  free (copy);
  return status;
}

static PacoStatus
open_coder (Coders *coders, Coder *coder, bool wide, PacoError *error)
{
  PacoBuffer buffer = { 0 };
  PacoStatus status;
  char threads[16];

  coder->decoder = coders->decodes ? paco_frame_decoder_new () : NULL;
  coder->encoder = coders->decodes ? NULL : paco_frame_encoder_new ();
  if (!coder->decoder && !coder->encoder) {
    *error = (PacoError){ PACO_STATUS_MEMORY, "there is no memory" };
    return PACO_STATUS_MEMORY;
  }
  snprintf (threads, sizeof threads, "%u", wide ? coders->n_threads : 1);
  status = set (coder, "backend", coders->context ? "cuda" : "cpu", error);
  if (status == PACO_STATUS_OK)
    status = set (coder, "threads", threads, error);
  if (status == PACO_STATUS_OK)
    status = set (coder, "pipeline-depth", "1", error);
  if (status == PACO_STATUS_OK)
    status = set_options (coders, coder, error);
  if (status == PACO_STATUS_OK && coders->context)
    status = coder->decoder ? paco_frame_decoder_use_context (
                 coder->decoder, coders->context, error)
                            : paco_frame_encoder_use_context (
                                coder->encoder, coders->context, error);
  /* This opens the device. */
  if (status == PACO_STATUS_OK)
    status = coder->decoder
        ? paco_frame_decoder_allocate (coder->decoder, 1, &buffer, error)
        : paco_frame_encoder_allocate (coder->encoder, 1, &buffer, error);
  paco_buffer_release (&buffer);
  return status;
}

static void
close_coder (Coder *coder)
{
  paco_frame_decoder_free (coder->decoder);
  paco_frame_encoder_free (coder->encoder);
  coder->decoder = NULL;
  coder->encoder = NULL;
}

/* --- all of them --- */

Coders *
coders_new (const Plugin *plugin, bool decodes,
    const nvimgcodecExecutionParams_t *parameters, const char *options)
{
  const nvimgcodecExecutorDesc_t *executor = parameters->executor;
  int threads = executor ? executor->getNumThreads (executor->instance) : 1;
  unsigned n_threads = threads < 1 ? 1 : (unsigned) threads;
  unsigned n = !plugin->is_cuda ? n_threads + 1
      : n_threads < MOST_ON_GPU ? n_threads
                                : MOST_ON_GPU;
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
  for (unsigned i = 0; i < n; i++)
    pthread_mutex_init (&coders->coders[i].lock, NULL);
  if (plugin->is_cuda)
    coders->context = retain_context (coders->device);
  if (plugin->is_cuda && !coders->context)
    plugin_log (plugin, NVIMGCODEC_DEBUG_MESSAGE_SEVERITY_INFO,
        "there is no GPU with the number %d", coders->device);
  else if (open_coder (coders, &coders->coders[0], false, &error)
      != PACO_STATUS_OK)
    plugin_log (
        plugin, NVIMGCODEC_DEBUG_MESSAGE_SEVERITY_ERROR, "%s", error.message);
  else
    return coders;
  coders_free (coders);
  return NULL;
}

void
coders_free (Coders *coders)
{
  if (!coders)
    return;
  for (unsigned i = 0; i < coders->n; i++) {
    close_coder (&coders->coders[i]);
    pthread_mutex_destroy (&coders->coders[i].lock);
  }
  if (coders->context)
    release_context (coders->device);
  free (coders->options);
  free (coders);
}

Coder *
coders_take (Coders *coders, int thread, const PacoInfo *info, PacoError *error)
{
  bool is_large = (uint64_t) info->width * info->height >= LARGE_PICTURE;
  bool wide = !coders->context && is_large;
  unsigned i = thread < 0 ? 0 : (unsigned) thread;
  Coder *coder = &coders->coders[wide ? coders->n - 1
          : coders->context           ? i % coders->n
                                      : i % coders->n_threads];

  pthread_mutex_lock (&coder->lock);
  if (coder->decoder || coder->encoder
      || open_coder (coders, coder, wide, error) == PACO_STATUS_OK)
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

bool
coders_show_damage (const Coders *coders)
{
  return coders->shows_damage;
}
