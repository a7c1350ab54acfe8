/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Stands for the CUDA driver where there is no GPU, for tests of what the
 * host's code does with it, above all when it fails: built as libcuda.so.1, it
 * is found like the real one (by LD_LIBRARY_PATH, or because the test has
 * loaded it).
 *
 * Device memory is ordinary memory. What is enqueued is done as late as the
 * driver's interface allows, so that a frame that is used before it was waited
 * for shows. Kernels: fake-kernels.h; what GStreamer's own CUDA library wants
 * besides: fake-neighbor.c. */
#include "tests/gpu/driver/fake-driver.h"
#include "tests/gpu/driver/fake-state.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

PACO_DRIVER_FUNCTIONS (FAKE_DECLARE)
DRIVER_COPIES (FAKE_DECLARE)

/* --- Devices and contexts --- */

static int
number_from_environment (const char *name, int standard)
{
  const char *text = getenv (name);

  return text ? atoi (text) : standard;
}

CUresult
fake_init (unsigned flags)
{
  return fake_end (fake_begin (FUNCTION_init));
}

static const struct
{
  CUresult result;
  const char *name, *string;
} results[] = {
  { CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument" },
  { CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory" },
  { CUDA_ERROR_DEVICE_UNAVAILABLE, "CUDA_ERROR_DEVICE_UNAVAILABLE",
      "CUDA-capable device(s) is/are busy or unavailable" },
  { CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE",
      "no CUDA-capable device is detected" },
  { CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE",
      "invalid device ordinal" },
  { CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT",
      "invalid device context" },
  { CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU",
      "no kernel image is available for execution on the device" },
  { CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE",
      "invalid resource handle" },
  { CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS",
      "an illegal memory access was encountered" },
  { CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED",
      "unspecified launch failure" },
};

CUresult
fake_get_error_name (CUresult error, const char **name)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (results); i++)
    if (results[i].result == error) {
      *name = results[i].name;
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult
fake_get_error_string (CUresult error, const char **string)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (results); i++)
    if (results[i].result == error) {
      *string = results[i].string;
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_INVALID_VALUE;
}

/* Finds which of all devices has this number among those that CUDA_VISIBLE_DEVICES
 * shows; -1: none. As with the real driver, what it names behind a device that is not
 * there is hidden, too. Unlike there an empty one shows all: it is how tests hide the
 * real ones. */
static int
find_visible (int ordinal)
{
  int n_devices = number_from_environment ("FAKE_CUDA_DEVICES", 1);
  const char *at = getenv ("CUDA_VISIBLE_DEVICES");

  if (!at || *at == '\0')
    return ordinal < n_devices ? ordinal : -1;
  for (int i = 0;; i++) {
    char *end;
    long device = strtol (at, &end, 10);

    if (end == at || device < 0 || device >= n_devices)
      return -1;
    if (i == ordinal)
      return (int) device;
    if (*end != ',')
      return -1;
    at = end + 1;
  }
}

CUresult
fake_device_get_count (int *count)
{
  CUresult result = fake_begin (FUNCTION_device_get_count);

  if (result == CUDA_SUCCESS)
    for (*count = 0; find_visible (*count) >= 0;)
      ++*count;
  return fake_end (result);
}

CUresult
fake_device_get (CUdevice *device, int ordinal)
{
  CUresult result = fake_begin (FUNCTION_device_get);

  if (result == CUDA_SUCCESS && find_visible (ordinal) < 0)
    result = CUDA_ERROR_INVALID_DEVICE;
  if (result == CUDA_SUCCESS)
    *device = find_visible (ordinal);
  return fake_end (result);
}

CUresult
fake_device_get_name (char *name, int length, CUdevice device)
{
  CUresult result = fake_begin (FUNCTION_device_get_name);

  if (result == CUDA_SUCCESS)
    snprintf (name, length, "%s %d", fake_device_name, device);
  return fake_end (result);
}

CUresult
fake_device_get_uuid (CUuuid *uuid, CUdevice device)
{
  CUresult result = fake_begin (FUNCTION_device_get_uuid);

  if (result == CUDA_SUCCESS)
    *uuid = (CUuuid){ { '\xfa', '\x6e', [15] = (char) device } };
  return fake_end (result);
}

CUresult
fake_device_get_attribute (
    int *value, CUdevice_attribute attribute, CUdevice device)
{
  CUresult result = fake_begin (FUNCTION_device_get_attribute);
  const char *capability = getenv ("FAKE_CUDA_CAPABILITY");
  int major = 9, minor = 0;

  if (capability)
    sscanf (capability, "%d.%d", &major, &minor);
  if (result != CUDA_SUCCESS)
    return fake_end (result);
  if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
    *value = major;
  else if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
    *value = minor;
  else if (attribute == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
    *value = 8 + device; /* the last device is the largest */
  else if (attribute == CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT)
    *value = 512;
  else
    result = CUDA_ERROR_INVALID_VALUE;
  return fake_end (result);
}

CUresult
fake_ctx_create (CUcontext *handle, unsigned flags, CUdevice device)
{
  CUresult result = fake_begin (FUNCTION_ctx_create);
  FakeContext *context;

  if (result != CUDA_SUCCESS)
    return fake_end (result);
  context = fake_context_new (device);
  if (!fake_push (context)) {
    fake_context_free (context);
    return fake_end (CUDA_ERROR_INVALID_CONTEXT);
  }
  *handle = (CUcontext) context;
  return fake_end (CUDA_SUCCESS);
}

CUresult
fake_ctx_destroy (CUcontext handle)
{
  CUresult result = fake_begin (FUNCTION_ctx_destroy);
  FakeContext *context = (FakeContext *) handle;

  if (result != CUDA_SUCCESS)
    return fake_end (result);
  fake_check_empty (context);
  fake_run_all (context);
  if (fake_current () == context)
    fake_pop ();
  fake_context_free (context);
  return fake_end (CUDA_SUCCESS);
}

CUresult
fake_ctx_push_current (CUcontext context)
{
  CUresult result = fake_begin (FUNCTION_ctx_push_current);

  if (result == CUDA_SUCCESS && !fake_push ((FakeContext *) context))
    result = CUDA_ERROR_INVALID_CONTEXT;
  return fake_end (result);
}

CUresult
fake_ctx_pop_current (CUcontext *context)
{
  CUresult result = fake_begin (FUNCTION_ctx_pop_current);
  FakeContext *popped;

  if (result != CUDA_SUCCESS)
    return fake_end (result);
  popped = fake_pop ();
  if (context)
    *context = (CUcontext) popped;
  if (!popped) {
    fake_misuse ("no context to leave");
    result = CUDA_ERROR_INVALID_CONTEXT;
  }
  return fake_end (result);
}

CUresult
fake_ctx_get_device (CUdevice *device)
{
  CUresult result = fake_begin_in_context (FUNCTION_ctx_get_device);

  if (result == CUDA_SUCCESS)
    *device = fake_current ()->device;
  return fake_end (result);
}

CUresult
fake_ctx_synchronize (void)
{
  CUresult result = fake_begin_in_context (FUNCTION_ctx_synchronize);

  if (result == CUDA_SUCCESS)
    fake_run_all (fake_current ());
  return fake_end (result);
}

/* --- Streams and events --- */

CUresult
fake_stream_create (CUstream *handle, unsigned flags)
{
  CUresult result = fake_begin_in_context (FUNCTION_stream_create);
  FakeStream *stream;

  if (result != CUDA_SUCCESS)
    return fake_end (result);
  stream = g_new0 (FakeStream, 1);
  stream->next = fake_current ()->streams;
  fake_current ()->streams = stream;
  *handle = (CUstream) stream;
  return fake_end (CUDA_SUCCESS);
}

CUresult
fake_destroy_stream (int function, CUstream stream)
{
  CUresult result = fake_begin_in_context (function);

  if (result == CUDA_SUCCESS) {
    fake_run_all (fake_current ());
    fake_remove_stream (fake_current (), (FakeStream *) stream);
  }
  return fake_end (result);
}

CUresult
fake_stream_destroy (CUstream stream)
{
  return fake_destroy_stream (FUNCTION_stream_destroy, stream);
}

CUresult
fake_stream_synchronize (CUstream stream)
{
  CUresult result = fake_begin_in_context (FUNCTION_stream_synchronize);

  if (result == CUDA_SUCCESS)
    fake_run_until (fake_stream (stream), NULL, 0);
  return fake_end (result);
}

CUresult
fake_stream_wait_event (CUstream stream, CUevent handle, unsigned flags)
{
  CUresult result = fake_begin_in_context (FUNCTION_stream_wait_event);
  FakeEvent *event = (FakeEvent *) handle;

  if (result == CUDA_SUCCESS && event->recorded > event->done) {
    FakeOperation *operation = fake_enqueue (stream, FAKE_WAIT);

    operation->event = event;
    operation->number = event->recorded;
  }
  return fake_end (result);
}

CUresult
fake_event_create (CUevent *handle, unsigned flags)
{
  CUresult result = fake_begin_in_context (FUNCTION_event_create);
  FakeEvent *event;

  if (result != CUDA_SUCCESS)
    return fake_end (result);
  event = g_new0 (FakeEvent, 1);
  event->next = fake_current ()->events;
  fake_current ()->events = event;
  *handle = (CUevent) event;
  return fake_end (CUDA_SUCCESS);
}

CUresult
fake_event_destroy (CUevent event)
{
  CUresult result = fake_begin_in_context (FUNCTION_event_destroy);

  if (result == CUDA_SUCCESS) {
    fake_run_all (fake_current ());
    fake_remove_event (fake_current (), (FakeEvent *) event);
  }
  return fake_end (result);
}

CUresult
fake_event_record (CUevent handle, CUstream stream)
{
  CUresult result = fake_begin_in_context (FUNCTION_event_record);
  FakeEvent *event = (FakeEvent *) handle;

  if (result == CUDA_SUCCESS) {
    FakeOperation *operation = fake_enqueue (stream, FAKE_RECORD);

    operation->event = event;
    operation->number = ++event->recorded;
    event->stream = fake_stream (stream);
  }
  return fake_end (result);
}

CUresult
fake_event_synchronize (CUevent handle)
{
  CUresult result = fake_begin_in_context (FUNCTION_event_synchronize);
  FakeEvent *event = (FakeEvent *) handle;

  if (result == CUDA_SUCCESS)
    fake_run_until (event->stream, event, event->recorded);
  return fake_end (result);
}

CUresult
fake_event_elapsed_time (float *milliseconds, CUevent from, CUevent to)
{
  CUresult result = fake_begin_in_context (FUNCTION_event_elapsed_time);

  if (result == CUDA_SUCCESS)
    *milliseconds = 1.0f;
  return fake_end (result);
}

/* --- Memory --- */

/* Returns the item of a list of megabytes that stands for a device. */
CUresult
fake_mem_get_info (size_t *available, size_t *total)
{
  CUresult result = fake_begin_in_context (FUNCTION_mem_get_info);

  if (result == CUDA_SUCCESS) {
    *total = FAKE_DEVICE_MEMORY;
    *available = *total - fake_used (fake_current ()->device)
        - fake_cuda_used_by_others (fake_current ()->device);
  }
  return fake_end (result);
}

CUresult
fake_mem_alloc (CUdeviceptr *memory, size_t size)
{
  CUresult result = fake_begin_in_context (FUNCTION_mem_alloc);

  if (result == CUDA_SUCCESS
      && size > FAKE_DEVICE_MEMORY - fake_used (fake_current ()->device))
    result = CUDA_ERROR_OUT_OF_MEMORY;
  if (result == CUDA_SUCCESS)
    *memory = (uintptr_t) fake_new_block (fake_current (), size, false, false);
  return fake_end (result);
}

CUresult
fake_mem_free (CUdeviceptr memory)
{
  CUresult result = fake_begin_in_context (FUNCTION_mem_free);

  if (result == CUDA_SUCCESS) {
    fake_run_all (fake_current ());
    result = fake_free_block (
        fake_current (), (void *) (uintptr_t) memory, false);
  }
  return fake_end (result);
}

CUresult
fake_mem_host_alloc (void **memory, size_t size, unsigned flags)
{
  CUresult result = fake_begin_in_context (FUNCTION_mem_host_alloc);

  if (result == CUDA_SUCCESS)
    *memory = fake_new_block (
        fake_current (), size, true, flags & CU_MEMHOSTALLOC_PORTABLE);
  return fake_end (result);
}

static CUresult
free_host (void *memory, bool registered)
{
  CUresult result = fake_begin_in_context (FUNCTION_mem_free_host);

  if (result == CUDA_SUCCESS) {
    fake_run_all (fake_current ());
    result = fake_free_block (fake_current (), memory, registered);
  }
  return fake_end (result);
}

CUresult
fake_mem_free_host (void *memory)
{
  return free_host (memory, false);
}

/* Both ways to page-locked memory count, and fail, as cuMemHostAlloc. */
CUresult
fake_mem_host_register (void *memory, size_t size, unsigned flags)
{
  CUresult result = fake_begin_in_context (FUNCTION_mem_host_alloc);

  if (result == CUDA_SUCCESS)
    fake_register_block (
        fake_current (), memory, size, flags & CU_MEMHOSTALLOC_PORTABLE);
  return fake_end (result);
}

CUresult
fake_mem_host_unregister (void *memory)
{
  return free_host (memory, true);
}

/* --- Copies --- */

static CUresult
copy_now (int function, void *to, const void *from, size_t size)
{
  CUresult result = fake_begin_in_context (function);

  if (result == CUDA_SUCCESS) {
    fake_run_all (fake_current ());
    fake_check_memory (fake_current (),
        function == FUNCTION_memcpy_htod ? to : from, size, false);
    memcpy (to, from, size);
  }
  return fake_end (result);
}

CUresult
fake_memcpy_htod (CUdeviceptr to, const void *from, size_t size)
{
  return copy_now (FUNCTION_memcpy_htod, (void *) (uintptr_t) to, from, size);
}

CUresult
fake_memcpy_dtoh (void *to, CUdeviceptr from, size_t size)
{
  return copy_now (FUNCTION_memcpy_dtoh, to, (void *) (uintptr_t) from, size);
}

static void
note_copy (CUstream handle, bool from_host, bool to_host)
{
  FakeStream *stream = fake_stream (handle);

  stream->copies[0] |= from_host;
  stream->copies[1] |= to_host;
}

static CUresult
copy_later (int function, void *to, bool to_host, const void *from,
    bool from_host, size_t size, CUstream stream)
{
  CUresult result = fake_begin_in_context (function);

  if (result == CUDA_SUCCESS) {
    FakeOperation *operation = fake_enqueue (stream, FAKE_COPY);

    note_copy (stream, from_host, to_host);
    fake_check_memory (fake_current (), to, size, to_host);
    fake_check_memory (fake_current (), from, size, from_host);
    operation->to = to;
    operation->from = from;
    operation->bytes = size;
    operation->rows = 1;
  }
  return fake_end (result);
}

CUresult
fake_memcpy_htod_async (
    CUdeviceptr to, const void *from, size_t size, CUstream stream)
{
  return copy_later (FUNCTION_memcpy_htod_async, (void *) (uintptr_t) to, false,
      from, true, size, stream);
}

CUresult
fake_memcpy_dtoh_async (
    void *to, CUdeviceptr from, size_t size, CUstream stream)
{
  return copy_later (FUNCTION_memcpy_dtoh_async, to, true,
      (void *) (uintptr_t) from, false, size, stream);
}

CUresult
fake_memcpy_dtod_async (
    CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream)
{
  return copy_later (FUNCTION_memcpy_dtod_async, (void *) (uintptr_t) to, false,
      (void *) (uintptr_t) from, false, size, stream);
}

CUresult
fake_memcpy_2d_async (const CUDA_MEMCPY2D *copy, CUstream stream)
{
  CUresult result = fake_begin_in_context (FUNCTION_memcpy_2d_async);
  bool to_host = copy->dstMemoryType == CU_MEMORYTYPE_HOST;
  bool from_host = copy->srcMemoryType == CU_MEMORYTYPE_HOST;
  FakeOperation *operation;

  if (result != CUDA_SUCCESS || copy->Height == 0)
    return fake_end (result);
  operation = fake_enqueue (stream, FAKE_COPY);
  note_copy (stream, from_host, to_host);
  operation->to = to_host ? copy->dstHost
                          : (void *) (uintptr_t) copy->dstDevice;
  operation->from = from_host ? copy->srcHost
                              : (void *) (uintptr_t) copy->srcDevice;
  operation->bytes = copy->WidthInBytes;
  operation->rows = copy->Height;
  operation->to_pitch = copy->dstPitch;
  operation->from_pitch = copy->srcPitch;
  fake_check_memory (fake_current (), operation->to,
      (copy->Height - 1) * copy->dstPitch + copy->WidthInBytes, to_host);
  fake_check_memory (fake_current (), operation->from,
      (copy->Height - 1) * copy->srcPitch + copy->WidthInBytes, from_host);
  return fake_end (CUDA_SUCCESS);
}

CUresult
fake_memset_d8_async (
    CUdeviceptr to, unsigned char value, size_t size, CUstream stream)
{
  CUresult result = fake_begin_in_context (FUNCTION_memset_d8_async);

  if (result == CUDA_SUCCESS) {
    FakeOperation *operation = fake_enqueue (stream, FAKE_FILL);

    operation->to = (void *) (uintptr_t) to;
    operation->value = value;
    operation->bytes = size;
    fake_check_memory (fake_current (), operation->to, size, false);
  }
  return fake_end (result);
}

/* --- Kernels --- */

/* A block may have so much of it: in any kernel, and when a kernel asks for
 * more. */
#define STANDARD_SHARED_BYTES (48 << 10)
#define MAX_SHARED_BYTES (227 << 10)
#define MAX_THREADS 1024

CUresult
fake_module_load_data (CUmodule *module, const void *image)
{
  CUresult result = fake_begin_in_context (FUNCTION_module_load_data);

  if (result == CUDA_SUCCESS) {
    fake_current ()->n_modules++;
    *module = (CUmodule) image;
  }
  return fake_end (result);
}

CUresult
fake_module_unload (CUmodule module)
{
  CUresult result = fake_begin_in_context (FUNCTION_module_unload);

  if (result == CUDA_SUCCESS)
    fake_current ()->n_modules--;
  return fake_end (result);
}

CUresult
fake_module_get_function (CUfunction *handle, CUmodule module, const char *name)
{
  CUresult result = fake_begin_in_context (FUNCTION_module_get_function);
  FakeFunction *function;

  if (result == CUDA_SUCCESS && fake_kernel_parameter_bytes (name) == 0)
    result = CUDA_ERROR_NOT_FOUND;
  if (result != CUDA_SUCCESS)
    return fake_end (result);
  function = g_new0 (FakeFunction, 1);
  snprintf (function->name, sizeof function->name, "%s", name);
  function->max_shared_bytes = STANDARD_SHARED_BYTES;
  function->next = fake_current ()->functions;
  fake_current ()->functions = function;
  *handle = (CUfunction) function;
  return fake_end (CUDA_SUCCESS);
}

CUresult
fake_func_set_attribute (
    CUfunction handle, CUfunction_attribute attribute, int value)
{
  CUresult result = fake_begin_in_context (FUNCTION_func_set_attribute);
  FakeFunction *function = (FakeFunction *) handle;

  if (result == CUDA_SUCCESS
      && attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
    if (value < 0 || value > MAX_SHARED_BYTES)
      return fake_end (CUDA_ERROR_INVALID_VALUE);
    function->max_shared_bytes = value;
  }
  return fake_end (result);
}

CUresult
fake_func_get_attribute (
    int *value, CUfunction_attribute attribute, CUfunction function)
{
  CUresult result = fake_begin_in_context (FUNCTION_func_get_attribute);

  if (result == CUDA_SUCCESS)
    *value = 90;
  return fake_end (result);
}

CUresult
fake_occupancy_max_active_blocks (
    int *blocks, CUfunction function, int block_size, size_t shared_bytes)
{
  CUresult result = fake_begin_in_context (
      FUNCTION_occupancy_max_active_blocks);

  if (result == CUDA_SUCCESS)
    *blocks = 4;
  return fake_end (result);
}

const char *
fake_function_name (CUfunction function)
{
  return ((FakeFunction *) function)->name;
}

CUresult
fake_enqueue_launch (
    CUstream stream, CUfunction handle, const FakeLaunch *launch)
{
  const FakeFunction *function = (FakeFunction *) handle;
  FakeOperation *operation;

  if (launch->grid_x == 0 || launch->grid_y == 0 || launch->grid_z == 0
      || launch->threads == 0 || launch->threads > MAX_THREADS
      || launch->shared_bytes > function->max_shared_bytes)
    return CUDA_ERROR_INVALID_VALUE;
  operation = fake_enqueue (stream, FAKE_LAUNCH);
  operation->launch = *launch;
  operation->launch.name = function->name;
  operation->launch.parameters = g_memdup2 (
      launch->parameters, fake_kernel_parameter_bytes (function->name));
  return CUDA_SUCCESS;
}

static CUresult
launch (int number, CUfunction function, FakeLaunch to_launch, CUstream stream,
    void **parameters)
{
  CUresult result = fake_begin_in_context (number);

  to_launch.parameters = parameters[0];
  if (result == CUDA_SUCCESS)
    result = fake_enqueue_launch (stream, function, &to_launch);
  return fake_end (result);
}

CUresult
fake_launch_kernel (CUfunction function, unsigned grid_x, unsigned grid_y,
    unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
    unsigned shared_bytes, CUstream stream, void **parameters, void **extra)
{
  FakeLaunch to_launch = {
    .grid_x = grid_x,
    .grid_y = grid_y,
    .grid_z = grid_z,
    .threads = block_x * block_y * block_z,
    .shared_bytes = shared_bytes,
  };

  return launch (
      FUNCTION_launch_kernel, function, to_launch, stream, parameters);
}

/* Drivers before 11.8 do not have this one. */
#ifndef FAKE_OLD_DRIVER
CUresult
fake_launch_kernel_ex (const CUlaunchConfig *config, CUfunction function,
    void **parameters, void **extra)
{
  FakeLaunch to_launch = {
    .grid_x = config->gridDimX,
    .grid_y = config->gridDimY,
    .grid_z = config->gridDimZ,
    .threads = config->blockDimX * config->blockDimY * config->blockDimZ,
    .shared_bytes = config->sharedMemBytes,
  };

  return launch (FUNCTION_launch_kernel_ex, function, to_launch,
      config->hStream, parameters);
}
#endif
