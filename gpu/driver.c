/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Opening the driver and a device, and what to say when that fails. */
#include "gpu/driver.h"
#include <dlfcn.h>
#include <stdio.h>

#define LIBRARY "libcuda.so.1"

static gboolean
look_up_functions (PacoDriver *driver, GError **error)
{
  const char *missing = NULL;

#define LOOK_UP(member, symbol, parameters)                                    \
  *(void **) &driver->member = dlsym (driver->library, symbol);                \
  if (driver->member == NULL)                                                  \
    missing = symbol;
  PACO_DRIVER_FUNCTIONS (LOOK_UP)
#undef LOOK_UP

  if (missing == NULL)
    return TRUE;
  g_set_error (error, PACO_ERROR, PACO_ERROR_DEVICE,
      "the CUDA driver is too old: " LIBRARY " has no function %s", missing);
  return FALSE;
}

PacoDriver *
paco_driver_open (GError **error)
{
  PacoDriver *driver = g_new0 (PacoDriver, 1);
  CUresult result;

  driver->failed = g_new0 (gint, 1);
  driver->library = dlopen (LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (driver->library == NULL) {
    g_set_error (error, PACO_ERROR, PACO_ERROR_NO_DEVICE,
        "no CUDA device: " LIBRARY
        ", a part of NVIDIA's driver, cannot be opened (%s)",
        dlerror ());
    goto failed;
  }
  if (!look_up_functions (driver, error))
    goto failed;

  result = driver->init (0);
  if (result == CUDA_ERROR_NO_DEVICE) {
    g_set_error_literal (error, PACO_ERROR, PACO_ERROR_NO_DEVICE,
        "no CUDA device: the driver is installed but finds no GPU");
    goto failed;
  }
  if (!paco_driver_check (
          driver, result, error, "the CUDA driver cannot be initialized"))
    goto failed;
  return driver;

failed:
  paco_driver_close (driver);
  return NULL;
}

void
paco_driver_close (PacoDriver *driver)
{
  if (driver == NULL)
    return;
  if (driver->library)
    dlclose (driver->library);
  g_free (driver->failed);
  g_free (driver);
}

/* What can be done about an error. */
static const char *
advice (CUresult result)
{
  switch (result) {
    case CUDA_ERROR_OUT_OF_MEMORY:
      return "; fewer frames in flight, smaller pictures or fewer programs "
             "that "
             "use the GPU leave more memory";
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
      return "; another program has the GPU for itself, or its compute mode "
             "forbids more than one (nvidia-smi says)";
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
      return "; kernels for it have to be built (meson's option cuda-archs), "
             "or "
             "a newer driver installed";
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
      return "; after an update of the driver the machine has to be restarted";
    case CUDA_ERROR_SYSTEM_NOT_READY:
      return "; a service that the GPU needs is not running (nvidia-smi says)";
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
      return "; the program has to be started again before it can use a GPU, "
             "until then only the CPU can code";
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_EXTERNAL_DEVICE:
    case CUDA_ERROR_UNKNOWN:
      return "; the kernel's log (dmesg) may say more, the GPU may have to be "
             "reset";
    default:
      return "";
  }
}

gboolean
paco_driver_check (const PacoDriver *driver, CUresult result, GError **error,
    const char *task, ...)
{
  const char *name = NULL, *string = NULL;
  char *what;
  va_list arguments;

  if (result == CUDA_SUCCESS)
    return TRUE;

  va_start (arguments, task);
  what = g_strdup_vprintf (task, arguments);
  va_end (arguments);
  driver->get_error_name (result, &name);
  driver->get_error_string (result, &string);
  g_set_error (error, PACO_ERROR,
      result == CUDA_ERROR_OUT_OF_MEMORY ? PACO_ERROR_MEMORY
                                         : PACO_ERROR_DEVICE,
      "%s: %s (%s)%s", what, string ? string : "unknown CUDA error",
      name ? name : "unnamed", advice (result));
  g_free (what);
  if (result != CUDA_ERROR_OUT_OF_MEMORY)
    g_atomic_int_set (driver->failed, TRUE);
  return FALSE;
}

gboolean
paco_driver_has_failed (const PacoDriver *driver)
{
  return g_atomic_int_get (driver->failed);
}

void
paco_driver_set_failed (const PacoDriver *driver)
{
  g_atomic_int_set (driver->failed, TRUE);
}

static gboolean
attribute (
    PacoDevice *device, CUdevice_attribute which, int *value, GError **error)
{
  return paco_driver_check (device->driver,
      device->driver->device_get_attribute (value, which, device->device),
      error, "CUDA device %d (%s) cannot be asked what it is", device->ordinal,
      device->name);
}

/* Fills in what is known of a device without a context. */
static gboolean
describe (PacoDevice *device, int ordinal, GError **error)
{
  int major, minor, n_multiprocessors;

  if (!paco_driver_check (device->driver,
          device->driver->device_get (&device->device, ordinal), error,
          "CUDA device %d cannot be used", ordinal))
    return FALSE;
  device->ordinal = ordinal;
  device->driver->device_get_name (
      device->name, sizeof device->name, device->device);
  if (!attribute (
          device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major, error)
      || !attribute (
          device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor, error)
      || !attribute (device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
          &n_multiprocessors, error))
    return FALSE;
  device->compute_capability = 10 * major + minor;
  device->n_multiprocessors = n_multiprocessors;
  if (device->compute_capability >= PACO_MIN_COMPUTE_CAPABILITY)
    return TRUE;
  g_set_error (error, PACO_ERROR, PACO_ERROR_DEVICE,
      "CUDA device %d (%s) has compute capability %u.%u, %u.%u or newer is "
      "needed",
      ordinal, device->name, device->compute_capability / 10,
      device->compute_capability % 10, PACO_MIN_COMPUTE_CAPABILITY / 10,
      PACO_MIN_COMPUTE_CAPABILITY % 10);
  return FALSE;
}

static gboolean
count_devices (const PacoDriver *driver, int *n_devices, GError **error)
{
  *n_devices = 0;
  if (!paco_driver_check (driver, driver->device_get_count (n_devices), error,
          "CUDA devices cannot be counted"))
    return FALSE;
  if (*n_devices > 0)
    return TRUE;
  g_set_error_literal (
      error, PACO_ERROR, PACO_ERROR_NO_DEVICE, "no CUDA device");
  return FALSE;
}

GArray *
paco_device_list (GError **error)
{
  PacoDevice device = { .driver = paco_driver_open (error) };
  GArray *ordinals = NULL;
  GError *reason = NULL;
  int n_devices;

  if (device.driver && count_devices (device.driver, &n_devices, error)) {
    ordinals = g_array_new (FALSE, FALSE, sizeof (int));
    for (int i = 0; i < n_devices; i++) {
      g_clear_error (&reason);
      if (describe (&device, i, &reason))
        g_array_append_val (ordinals, i);
    }
    if (ordinals->len == 0) {
      g_clear_pointer (&ordinals, g_array_unref);
      g_propagate_error (error, g_steal_pointer (&reason));
    }
  }
  g_clear_error (&reason);
  paco_driver_close (device.driver);
  return ordinals;
}

static gboolean
find_device (PacoDevice *device, int ordinal, GError **error)
{
  int n_devices;

  if (!count_devices (device->driver, &n_devices, error))
    return FALSE;
  if (ordinal < n_devices)
    return describe (device, ordinal, error);
  g_set_error (error, PACO_ERROR, PACO_ERROR_NO_DEVICE,
      "there is no CUDA device %d, only 0 to %d", ordinal, n_devices - 1);
  return FALSE;
}

PacoDevice *
paco_device_open (int ordinal, GError **error)
{
  PacoDevice *device = g_new0 (PacoDevice, 1);

  device->driver = paco_driver_open (error);
  if (device->driver == NULL || !find_device (device, ordinal, error)
      || !paco_driver_check (device->driver,
          device->driver->ctx_create (
              &device->context, CU_CTX_SCHED_BLOCKING_SYNC, device->device),
          error, "CUDA device %d (%s) gives no context", device->ordinal,
          device->name)) {
    paco_device_close (device);
    return NULL;
  }
  paco_device_leave (device); /* creating it made it current */
  return device;
}

void
paco_device_close (PacoDevice *device)
{
  if (device == NULL)
    return;
  if (device->context)
    device->driver->ctx_destroy (device->context);
  paco_driver_close (device->driver);
  g_free (device);
}

gboolean
paco_device_enter (const PacoDevice *device, GError **error)
{
  return paco_driver_check (device->driver,
      device->driver->ctx_push_current (device->context), error,
      "the context of CUDA device %d cannot be used", device->ordinal);
}

void
paco_device_leave (const PacoDevice *device)
{
  CUcontext context;

  device->driver->ctx_pop_current (&context);
}
