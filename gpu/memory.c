/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Allocates memory of the device and page-locked memory of the host. */
#include "gpu/memory.h"
#include <sys/mman.h>

/* Every device may use it, at the same address. */
#define PINNED_FLAGS (CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP)
#define HUGE_PAGE ((size_t) 2 << 20)

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

/* Returns the bytes of the huge pages that hold `size` bytes. */
static size_t
in_huge_pages (size_t size)
{
  return (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
}

/* Maps pages that the kernel makes huge ones if it may. They are not in a forked process:
 * if they were, the parent's next write would go to a copy of the page that is locked. */
static uint8_t *
map_huge_pages (size_t size)
{
  size_t length = in_huge_pages (size);
  uint8_t *map = mmap (NULL, length + HUGE_PAGE, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  size_t before;

  if (map == MAP_FAILED)
    return NULL;
  before = (HUGE_PAGE - (uintptr_t) map % HUGE_PAGE) % HUGE_PAGE;
  if (before > 0)
    munmap (map, before);
  munmap (map + before + length, HUGE_PAGE - before);
  madvise (map + before, length, MADV_HUGEPAGE);
  madvise (map + before, length, MADV_DONTFORK);
  return map + before;
}

/* Large memory is made of huge pages: to lock 53 MB takes 10 to 21 ms then, and 22 to 39 ms
 * in the driver's own way; to unlock them 1.4 instead of 6 to 9 ms. */
static bool
register_pages (const PacoDriver *driver, size_t size, PacoPinnedMemory *memory)
{
  uint8_t *data = size < HUGE_PAGE ? NULL : map_huge_pages (size);

  if (!data)
    return false;
  if (driver->mem_host_register (data, size, PINNED_FLAGS) != CUDA_SUCCESS) {
    munmap (data, in_huge_pages (size));
    return false;
  }
  *memory = (PacoPinnedMemory){ data, size, .registered = true };
  return true;
}

CUresult
paco_pinned_memory_new (
    const PacoDriver *driver, size_t size, PacoPinnedMemory *memory)
{
  void *data;
  CUresult result;

  *memory = (PacoPinnedMemory){ 0 };
  if (register_pages (driver, size, memory))
    return CUDA_SUCCESS;
  result = driver->mem_host_alloc (&data, size, PINNED_FLAGS);
  if (result == CUDA_SUCCESS)
    *memory = (PacoPinnedMemory){ data, size };
  return result;
}

void
paco_pinned_memory_free (const PacoDriver *driver, PacoPinnedMemory *memory)
{
  if (memory->registered) {
    driver->mem_host_unregister (memory->data);
    munmap (memory->data, in_huge_pages (memory->size));
  } else {
    driver->mem_free_host (memory->data);
  }
  *memory = (PacoPinnedMemory){ 0 };
}

gboolean
paco_pinned_memory_reserve (PacoCudaDevice *device, PacoPinnedMemory *memory,
    size_t size, const char *what, GError **error)
{
  if (memory->size >= size)
    return TRUE;
  paco_pinned_memory_clear (device, memory);
  return paco_driver_check (device->driver,
      paco_pinned_memory_new (device->driver, size, memory), error,
      "%zu bytes of page-locked memory for the %s of a frame cannot be had "
      "on %s",
      size, what, device->context->name);
}

void
paco_pinned_memory_clear (PacoCudaDevice *device, PacoPinnedMemory *memory)
{
  if (memory->data)
    paco_pinned_memory_free (device->driver, memory);
}

gboolean
paco_cuda_upload (const PacoCudaDevice *device, CUdeviceptr to,
    const void *from, size_t size, PacoCudaStream *stream, GError **error)
{
  return paco_cuda_stream_send (stream, error)
      && paco_driver_check (device->driver,
          device->driver->memcpy_htod_async (to, from, size, stream->handle),
          error, "%zu bytes cannot be uploaded to %s", size,
          device->context->name);
}

gboolean
paco_cuda_download (const PacoCudaDevice *device, void *to, CUdeviceptr from,
    size_t size, PacoCudaStream *stream, GError **error)
{
  return paco_cuda_stream_send (stream, error)
      && paco_driver_check (device->driver,
          device->driver->memcpy_dtoh_async (to, from, size, stream->handle),
          error, "%zu bytes cannot be downloaded from %s", size,
          device->context->name);
}
