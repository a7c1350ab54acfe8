/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Lists the driver's devices, and opens contexts on them or takes those of
 * applications. */
#include "gpu/context.h"

static gboolean
attribute (PacoCudaContext *context, CUdevice_attribute which, int *value,
    GError **error)
{
  return paco_driver_check (context->driver,
      context->driver->device_get_attribute (value, which, context->device),
      error, "%s cannot be asked what it is", context->name);
}

static gboolean
describe (PacoCudaContext *context, int ordinal, GError **error)
{
  char model[96] = "GPU";
  int major, minor, n_multiprocessors;

  if (!paco_driver_check (context->driver,
          context->driver->device_get (&context->device, ordinal), error,
          "CUDA device %d cannot be used", ordinal))
    return FALSE;
  context->ordinal = ordinal;
  context->driver->device_get_name (model, sizeof model, context->device);
  g_snprintf (
      context->name, sizeof context->name, "%s (device %d)", model, ordinal);
  if (!attribute (
          context, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major, error)
      || !attribute (
          context, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor, error)
      || !attribute (context, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
          &n_multiprocessors, error))
    return FALSE;
  context->compute_capability = 10 * major + minor;
  context->n_multiprocessors = n_multiprocessors;
  if (context->compute_capability >= PACO_MIN_COMPUTE_CAPABILITY)
    return TRUE;
  g_set_error (error, PACO_ERROR, PACO_ERROR_DEVICE,
      "%s has compute capability %u.%u, %u.%u or newer is needed",
      context->name, context->compute_capability / 10,
      context->compute_capability % 10, PACO_MIN_COMPUTE_CAPABILITY / 10,
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
paco_cuda_list_devices (GError **error)
{
  PacoCudaContext context = { .driver = paco_driver_open (error) };
  GArray *ordinals = NULL;
  GError *reason = NULL;
  int n_devices;

  if (context.driver && count_devices (context.driver, &n_devices, error)) {
    ordinals = g_array_new (FALSE, FALSE, sizeof (int));
    for (int i = 0; i < n_devices; i++) {
      g_clear_error (&reason);
      if (describe (&context, i, &reason))
        g_array_append_val (ordinals, i);
    }
    if (ordinals->len == 0) {
      g_clear_pointer (&ordinals, g_array_unref);
      g_propagate_error (error, g_steal_pointer (&reason));
    }
  }
  g_clear_error (&reason);
  paco_driver_close (context.driver);
  return ordinals;
}

static gboolean
find_device (PacoCudaContext *context, int ordinal, GError **error)
{
  int n_devices;

  if (!count_devices (context->driver, &n_devices, error))
    return FALSE;
  if (ordinal < n_devices)
    return describe (context, ordinal, error);
  g_set_error (error, PACO_ERROR, PACO_ERROR_NO_DEVICE,
      "there is no CUDA device %d, only 0 to %d", ordinal, n_devices - 1);
  return FALSE;
}

PacoCudaContext *
paco_cuda_context_open (int ordinal, GError **error)
{
  PacoCudaContext *context = g_new0 (PacoCudaContext, 1);

  context->driver = paco_driver_open (error);
  if (context->driver == NULL || !find_device (context, ordinal, error)
      || !paco_driver_check (context->driver,
          context->driver->ctx_create (
              &context->handle, CU_CTX_SCHED_BLOCKING_SYNC, context->device),
          error, "%s gives no context", context->name)) {
    paco_cuda_context_close (context);
    return NULL;
  }
  paco_cuda_context_leave (context); /* creating it made it current */
  return context;
}

/* The device of the context, which is current. */
static gboolean
find_own_device (PacoCudaContext *context, GError **error)
{
  const PacoDriver *driver = context->driver;
  CUdevice device, other;
  int n_devices;

  if (!paco_driver_check (driver, driver->ctx_get_device (&device), error,
          "a CUDA context cannot be asked for its device")
      || !count_devices (driver, &n_devices, error))
    return FALSE;
  for (int i = 0; i < n_devices; i++)
    if (driver->device_get (&other, i) == CUDA_SUCCESS && other == device)
      return describe (context, i, error);
  g_set_error_literal (error, PACO_ERROR, PACO_ERROR_NO_DEVICE,
      "a CUDA context is on a device that the driver does not list");
  return FALSE;
}

PacoCudaContext *
paco_cuda_context_wrap (const PacoForeignContext *foreign, GError **error)
{
  PacoCudaContext *context = g_new0 (PacoCudaContext, 1);
  gboolean found = FALSE;

  context->foreign = *foreign;
  if (foreign->ref)
    foreign->ref (foreign->owner);
  context->driver = paco_driver_open (error);
  context->handle = foreign->handle;
  if (context->driver
      && paco_driver_check (context->driver,
          context->driver->ctx_push_current (context->handle), error,
          "the CUDA context of a neighbor cannot be used")) {
    found = find_own_device (context, error);
    paco_cuda_context_leave (context);
  }
  if (!found)
    g_clear_pointer (&context, paco_cuda_context_close);
  return context;
}

void
paco_cuda_context_close (PacoCudaContext *context)
{
  if (context == NULL)
    return;
  if (context->handle && !context->foreign.handle)
    context->driver->ctx_destroy (context->handle);
  paco_driver_close (context->driver);
  if (context->foreign.unref)
    context->foreign.unref (context->foreign.owner);
  g_free (context);
}

gboolean
paco_cuda_context_enter (const PacoCudaContext *context, GError **error)
{
  return paco_driver_check (context->driver,
      context->driver->ctx_push_current (context->handle), error,
      "the context of %s cannot be used", context->name);
}

void
paco_cuda_context_leave (const PacoCudaContext *context)
{
  CUcontext popped;

  context->driver->ctx_pop_current (&popped);
}
