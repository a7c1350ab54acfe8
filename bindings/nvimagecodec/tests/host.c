/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Calls nvImageCodec. On a GPU, images are written and read by work in a stream of the
 * caller's, which is not waited for, so that the host and the extension must keep its order. */
#include "host.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DELAY_BYTES ((size_t) 64 << 20)

nvimgcodecInstance_t host;

static pthread_mutex_t messages_lock = PTHREAD_MUTEX_INITIALIZER;
static char messages[8192], said[8192];
static void *stream, *delay; /* of the GPU, if there is one */

static void
check (int failed, const char *what)
{
  if (failed) {
    printf ("%s failed: %d\n", what, failed);
    exit (1);
  }
}

/* --- the GPU --- */

#define DRIVER(name, ...)                                                      \
  check (((int (*) ()) dlsym (RTLD_DEFAULT, #name)) (__VA_ARGS__), #name)

static bool
open_gpu (void)
{
  void *library = dlopen ("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  int (*init) (unsigned) = library ? dlsym (library, "cuInit") : NULL;
  int device = 0;
  void *context = NULL;

  if (!init || init (0) != 0)
    return false;
  DRIVER (cuDeviceGet, &device, 0);
  DRIVER (cuDevicePrimaryCtxRetain, &context, device);
  DRIVER (cuCtxPushCurrent_v2, context);
  DRIVER (cuStreamCreate, &stream, 1u);
  DRIVER (cuMemAlloc_v2, &delay, DELAY_BYTES);
  return true;
}

/* Some milliseconds of work, so that what follows in the stream is not done at once. DELAY=N
 * changes how often memory is set. */
static void
occupy_stream (void)
{
  const char *times = getenv ("DELAY");

  for (int i = times ? atoi (times) : 64; i > 0; i--)
    DRIVER (cuMemsetD8Async, delay, (unsigned char) i, DELAY_BYTES, stream);
}

/* --- images --- */

void
host_allocate (const Side *side, Image *image)
{
  nvimgcodecImageInfo_t *info = &image->info;

  image->size = 0;
  for (unsigned p = 0; p < info->num_planes; p++)
    image->size += info->plane_info[p].row_stride * info->plane_info[p].height;
  image->device = NULL;
  if (side->in_gpu_memory) {
    void *pinned = NULL;

    DRIVER (cuMemAlloc_v2, &image->device, image->size);
    DRIVER (cuMemHostAlloc, &pinned, image->size, 0u);
    image->bytes = pinned;
    info->cuda_stream = stream;
  } else
    image->bytes = malloc (image->size);
  memset (image->bytes, PADDING, image->size);
  info->buffer = image->device ? image->device : image->bytes;
  info->buffer_kind = image->device
      ? NVIMGCODEC_IMAGE_BUFFER_KIND_STRIDED_DEVICE
      : NVIMGCODEC_IMAGE_BUFFER_KIND_STRIDED_HOST;
}

void
host_free (Image *image)
{
  if (image->device) {
    DRIVER (cuMemFree_v2, image->device);
    DRIVER (cuMemFreeHost, image->bytes);
  } else
    free (image->bytes);
  *image = (Image){ 0 };
}

static void
upload (const Image *image)
{
  if (!image->device)
    return;
  occupy_stream ();
  DRIVER (
      cuMemcpyHtoDAsync_v2, image->device, image->bytes, image->size, stream);
}

static void
download (const Image *image)
{
  if (!image->device)
    return;
  DRIVER (
      cuMemcpyDtoHAsync_v2, image->bytes, image->device, image->size, stream);
  DRIVER (cuStreamSynchronize, stream);
}

/* --- the host --- */

static int
hear (const nvimgcodecDebugMessageSeverity_t severity,
    const nvimgcodecDebugMessageCategory_t category,
    const nvimgcodecDebugMessageData_t *data, void *user)
{
  (void) category, (void) user;
  if (getenv ("VERBOSE"))
    printf ("[%x %s] %s\n", (unsigned) severity,
        data->codec_id ? data->codec_id : "host", data->message);
  if (data->codec && strcmp (data->codec, "paco") == 0) {
    pthread_mutex_lock (&messages_lock);
    snprintf (messages + strlen (messages), sizeof messages - strlen (messages),
        "%s\n", data->message);
    pthread_mutex_unlock (&messages_lock);
  }
  return 1;
}

const char *
host_messages (void)
{
  pthread_mutex_lock (&messages_lock);
  memcpy (said, messages, sizeof said);
  messages[0] = '\0';
  pthread_mutex_unlock (&messages_lock);
  return said;
}

static nvimgcodecExecutionParams_t
execution (const Side *side, nvimgcodecBackend_t *backend)
{
  *backend = (nvimgcodecBackend_t){
    .struct_type = NVIMGCODEC_STRUCTURE_TYPE_BACKEND,
    .struct_size = sizeof *backend,
    .kind = side->on_gpu ? NVIMGCODEC_BACKEND_KIND_GPU_ONLY
                         : NVIMGCODEC_BACKEND_KIND_CPU_ONLY,
    .params = { NVIMGCODEC_STRUCTURE_TYPE_BACKEND_PARAMS,
        sizeof (nvimgcodecBackendParams_t), NULL, 1.0f,
        NVIMGCODEC_LOAD_HINT_POLICY_IGNORE },
  };
  return (nvimgcodecExecutionParams_t){
    .struct_type = NVIMGCODEC_STRUCTURE_TYPE_EXECUTION_PARAMS,
    .struct_size = sizeof (nvimgcodecExecutionParams_t),
    .max_num_cpu_threads = 4,
    .device_id = stream ? 0 : NVIMGCODEC_DEVICE_CPU_ONLY,
    .num_backends = 1,
    .backends = backend,
  };
}

nvimgcodecDecoder_t
host_decoder (const Side *side, const char *options)
{
  nvimgcodecBackend_t backend;
  nvimgcodecExecutionParams_t parameters = execution (side, &backend);
  nvimgcodecDecoder_t decoder = NULL;

  check (nvimgcodecDecoderCreate (host, &decoder, &parameters, options),
      "nvimgcodecDecoderCreate");
  return decoder;
}

nvimgcodecEncoder_t
host_encoder (const Side *side, const char *options)
{
  nvimgcodecBackend_t backend;
  nvimgcodecExecutionParams_t parameters = execution (side, &backend);
  nvimgcodecEncoder_t encoder = NULL;

  check (nvimgcodecEncoderCreate (host, &encoder, &parameters, options),
      "nvimgcodecEncoderCreate");
  return encoder;
}

unsigned
host_start (Side sides[4])
{
  static const Side all[4] = { { .name = "CPU" },
    { .name = "GPU", .on_gpu = true, .in_gpu_memory = true },
    { .name = "GPU, images of the host's memory", .on_gpu = true },
    { .name = "CPU, images of a GPU's memory", .in_gpu_memory = true } };
  nvimgcodecDebugMessengerDesc_t messenger = {
    .struct_type = NVIMGCODEC_STRUCTURE_TYPE_DEBUG_MESSENGER_DESC,
    .struct_size = sizeof messenger,
    .message_severity = NVIMGCODEC_DEBUG_MESSAGE_SEVERITY_DEFAULT
        | NVIMGCODEC_DEBUG_MESSAGE_SEVERITY_INFO,
    .message_category = NVIMGCODEC_DEBUG_MESSAGE_CATEGORY_ALL,
    .user_callback = hear,
  };
  nvimgcodecInstanceCreateInfo_t create = {
    .struct_type = NVIMGCODEC_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
    .struct_size = sizeof create,
    .load_builtin_modules = 1,
    .load_extension_modules = 1,
    .create_debug_messenger = 1,
    .debug_messenger_desc = &messenger,
  };
  unsigned n = open_gpu () ? 4 : 1;

  check (nvimgcodecInstanceCreate (&host, &create), "nvimgcodecInstanceCreate");
  for (unsigned i = 0; i < n; i++) {
    sides[i] = all[i];
    sides[i].decoder = host_decoder (&sides[i], "");
    sides[i].encoder = host_encoder (&sides[i], "");
  }
  return n;
}

void
host_stop (Side *sides, unsigned n)
{
  for (unsigned i = 0; i < n; i++) {
    nvimgcodecDecoderDestroy (sides[i].decoder);
    nvimgcodecEncoderDestroy (sides[i].encoder);
  }
  check (nvimgcodecInstanceDestroy (host), "nvimgcodecInstanceDestroy");
}

/* --- coding --- */

/* Waits, and sets the jobs' statuses. */
static void
finish (nvimgcodecFuture_t future, Job *jobs, unsigned n)
{
  nvimgcodecProcessingStatus_t *statuses = calloc (n, sizeof *statuses);
  size_t size = n;

  check (nvimgcodecFutureWaitForAll (future), "nvimgcodecFutureWaitForAll");
  check (nvimgcodecFutureGetProcessingStatus (future, statuses, &size),
      "nvimgcodecFutureGetProcessingStatus");
  nvimgcodecFutureDestroy (future);
  for (unsigned i = 0; i < n; i++)
    jobs[i].status = statuses[i];
  free (statuses);
}

/* Returns NULL if the host does not parse the frame. */
static nvimgcodecCodeStream_t
open_stream (const Job *job, nvimgcodecCodeStream_t *whole)
{
  nvimgcodecCodeStreamView_t view = {
    .struct_type = NVIMGCODEC_STRUCTURE_TYPE_CODE_STREAM_VIEW,
    .struct_size = sizeof view,
    .image_idx = job->index,
    .region = { NVIMGCODEC_STRUCTURE_TYPE_REGION, sizeof (nvimgcodecRegion_t) },
  };
  nvimgcodecCodeStream_t part = NULL;

  *whole = NULL;
  if (job->region)
    view.region = *job->region;
  if (nvimgcodecCodeStreamCreateFromHostMem (
          host, whole, job->data, job->size, NULL)
          != NVIMGCODEC_STATUS_SUCCESS
      || nvimgcodecCodeStreamGetSubCodeStream (*whole, &part, &view)
          != NVIMGCODEC_STATUS_SUCCESS)
    return NULL;
  return part;
}

void
host_decode (Side *side, Job *jobs, unsigned n)
{
  nvimgcodecCodeStream_t *wholes = calloc (n, sizeof *wholes),
                         *parts = calloc (n, sizeof *parts);
  nvimgcodecImage_t *images = calloc (n, sizeof *images);
  nvimgcodecDecodeParams_t parameters = {
    NVIMGCODEC_STRUCTURE_TYPE_DECODE_PARAMS, sizeof parameters, NULL, 1
  };
  nvimgcodecFuture_t future = NULL;
  bool opened = true;

  for (unsigned i = 0; i < n; i++) {
    jobs[i].status = NVIMGCODEC_PROCESSING_STATUS_UNKNOWN;
    parts[i] = open_stream (&jobs[i], &wholes[i]);
    opened = opened && parts[i];
    memset (jobs[i].image->bytes, PADDING, jobs[i].image->size);
    upload (jobs[i].image);
    check (nvimgcodecImageCreate (host, &images[i], &jobs[i].image->info),
        "nvimgcodecImageCreate");
  }
  if (opened
      && nvimgcodecDecoderDecode (
             side->decoder, parts, images, (int) n, &parameters, &future)
          == NVIMGCODEC_STATUS_SUCCESS)
    finish (future, jobs, n);
  for (unsigned i = 0; i < n; i++) {
    download (jobs[i].image);
    nvimgcodecImageDestroy (images[i]);
    if (parts[i])
      nvimgcodecCodeStreamDestroy (parts[i]);
    if (wholes[i])
      nvimgcodecCodeStreamDestroy (wholes[i]);
  }
  free (images);
  free (parts);
  free (wholes);
}

/* The last call says how many bytes there are. */
static unsigned char *
resize (void *job, size_t size)
{
  Job *made = job;

  made->data = realloc (made->data, size + 1);
  made->size = size;
  return made->data;
}

void
host_encode (Side *side, Job *jobs, unsigned n,
    const nvimgcodecEncodeParams_t *parameters,
    const nvimgcodecImageInfo_t *wanted)
{
  nvimgcodecCodeStream_t *streams = calloc (n, sizeof *streams);
  nvimgcodecImage_t *images = calloc (n, sizeof *images);
  nvimgcodecFuture_t future = NULL;

  for (unsigned i = 0; i < n; i++) {
    nvimgcodecImageInfo_t info = wanted ? *wanted : jobs[i].image->info;

    jobs[i].data = NULL;
    jobs[i].size = 0;
    jobs[i].status = NVIMGCODEC_PROCESSING_STATUS_UNKNOWN;
    strcpy (info.codec_name, "paco");
    check (nvimgcodecCodeStreamCreateToHostMem (
               host, &streams[i], &jobs[i], resize, &info),
        "nvimgcodecCodeStreamCreateToHostMem");
    upload (jobs[i].image);
    check (nvimgcodecImageCreate (host, &images[i], &jobs[i].image->info),
        "nvimgcodecImageCreate");
  }
  if (nvimgcodecEncoderEncode (
          side->encoder, images, streams, (int) n, parameters, &future)
      == NVIMGCODEC_STATUS_SUCCESS)
    finish (future, jobs, n);
  for (unsigned i = 0; i < n; i++) {
    nvimgcodecImageDestroy (images[i]);
    nvimgcodecCodeStreamDestroy (streams[i]);
  }
  free (images);
  free (streams);
}
