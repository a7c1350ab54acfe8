/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Allocates memory of the device and page-locked memory of the host. */
#include "gpu/memory.h"

gboolean
paco_device_memory_reserve (PacoCudaShare *share, PacoDeviceMemory *memory,
    size_t size, const char *what, GError **error)
{
  const PacoCudaDevice *device = share->device;

  if (memory->size >= size)
    return TRUE;
  paco_device_memory_clear (share, memory);
  if (!paco_driver_check (device->driver,
          device->driver->mem_alloc (&memory->address, size), error,
          "%zu bytes for the %s of a frame cannot be had on %s", size, what,
          device->context->name)) {
    memory->address = 0;
    return FALSE;
  }
  memory->size = size;
  g_atomic_pointer_add (&share->memory, size);
  /* The memory is cleared, because damaged frames may show bytes that no kernel has
   * written. */
  if (!paco_driver_check (device->driver,
          device->driver->memset_d8_async (memory->address, 0, size, NULL),
          error, "memory of %s cannot be cleared", device->context->name)
      || !paco_driver_check (device->driver,
          device->driver->stream_synchronize (NULL), error,
          "memory of %s cannot be cleared", device->context->name)) {
    paco_device_memory_clear (share, memory);
    return FALSE;
  }
  return TRUE;
}

void
paco_device_memory_clear (PacoCudaShare *share, PacoDeviceMemory *memory)
{
  if (memory->address) {
    share->device->driver->mem_free (memory->address);
    g_atomic_pointer_add (&share->memory, -(gssize) memory->size);
  }
  *memory = (PacoDeviceMemory){ 0 };
}

gboolean
paco_pinned_memory_reserve (PacoCudaDevice *device, PacoPinnedMemory *memory,
    size_t size, const char *what, GError **error)
{
  void *data;

  if (memory->size >= size)
    return TRUE;
  paco_pinned_memory_clear (device, memory);
  if (!paco_driver_check (device->driver,
          device->driver->mem_host_alloc (&data, size, PACO_PINNED_FLAGS),
          error,
          "%zu bytes of page-locked memory for the %s of a frame cannot be had "
          "on %s",
          size, what, device->context->name))
    return FALSE;
  *memory = (PacoPinnedMemory){ data, size };
  return TRUE;
}

void
paco_pinned_memory_clear (PacoCudaDevice *device, PacoPinnedMemory *memory)
{
  if (memory->data)
    device->driver->mem_free_host (memory->data);
  *memory = (PacoPinnedMemory){ 0 };
}

gboolean
paco_cuda_upload (const PacoCudaDevice *device, CUdeviceptr to,
    const void *from, size_t size, CUstream stream, GError **error)
{
  return paco_driver_check (device->driver,
      device->driver->memcpy_htod_async (to, from, size, stream), error,
      "%zu bytes cannot be uploaded to %s", size, device->context->name);
}

gboolean
paco_cuda_download (const PacoCudaDevice *device, void *to, CUdeviceptr from,
    size_t size, CUstream stream, GError **error)
{
  return paco_driver_check (device->driver,
      device->driver->memcpy_dtoh_async (to, from, size, stream), error,
      "%zu bytes cannot be downloaded from %s", size, device->context->name);
}
