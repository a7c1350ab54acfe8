/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Opens the driver, and makes sentences of what goes wrong in a call of it. */
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
  PACO_DRIVER_GRAPH_FUNCTIONS (LOOK_UP)
  driver->has_graphs = missing == NULL;
  missing = NULL;
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

/* Says what can be done about an error. */
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
