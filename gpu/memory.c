/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Memory of the device and page-locked memory of the host. */
#include "gpu/memory.h"

#define PINNED_FLAGS (CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP)

gboolean
paco_device_memory_reserve (PacoCuda *cuda, PacoDeviceMemory *memory,
    size_t size, const char *what, GError **error)
{
  if (memory->size >= size)
    return TRUE;
  paco_device_memory_clear (cuda, memory);
  if (!paco_driver_check (cuda->driver,
          cuda->driver->mem_alloc (&memory->address, size), error,
          "%zu bytes for the %s of a frame cannot be had on %s", size, what,
          cuda->device->name)) {
    memory->address = 0;
    return FALSE;
  }
  /* Damaged frames may show what nobody has written. */
  if (!paco_driver_check (cuda->driver,
          cuda->driver->memset_d8_async (memory->address, 0, size, NULL), error,
          "memory of %s cannot be cleared", cuda->device->name)
      || !paco_driver_check (cuda->driver,
          cuda->driver->stream_synchronize (NULL), error,
          "memory of %s cannot be cleared", cuda->device->name)) {
    paco_device_memory_clear (cuda, memory);
    return FALSE;
  }
  memory->size = size;
  return TRUE;
}

void
paco_device_memory_clear (PacoCuda *cuda, PacoDeviceMemory *memory)
{
  if (memory->address)
    cuda->driver->mem_free (memory->address);
  *memory = (PacoDeviceMemory){ 0 };
}

gboolean
paco_pinned_memory_reserve (PacoCuda *cuda, PacoPinnedMemory *memory,
    size_t size, const char *what, GError **error)
{
  void *data;

  if (memory->size >= size)
    return TRUE;
  paco_pinned_memory_clear (cuda, memory);
  if (!paco_driver_check (cuda->driver,
          cuda->driver->mem_host_alloc (&data, size, PINNED_FLAGS), error,
          "%zu bytes of page-locked memory for the %s of a frame cannot be had",
          size, what))
    return FALSE;
  *memory = (PacoPinnedMemory){ data, size };
  return TRUE;
}

void
paco_pinned_memory_clear (PacoCuda *cuda, PacoPinnedMemory *memory)
{
  if (memory->data)
    cuda->driver->mem_free_host (memory->data);
  *memory = (PacoPinnedMemory){ 0 };
}

/* --- Memory for the user --- */

typedef struct
{
  PacoHostMemory memory; /* first: it is what the user sees */
  PacoCuda *cuda;
  GError *error;
} Handed;

static void
allocate (void *data)
{
  Handed *handed = data;
  PacoCuda *cuda = handed->cuda;

  if (!paco_cuda_enter (cuda, &handed->error))
    return;
  if (!paco_driver_check (cuda->driver,
          cuda->driver->mem_host_alloc (
              &handed->memory.data, MAX (handed->memory.size, 1), PINNED_FLAGS),
          &handed->error, "%zu bytes of page-locked memory cannot be had",
          handed->memory.size))
    handed->memory.data = NULL;
  paco_cuda_leave (cuda);
}

static void
free_handed (void *data)
{
  Handed *handed = data;
  PacoCuda *cuda = handed->cuda;

  if (handed->memory.data && paco_cuda_enter (cuda, NULL)) {
    cuda->driver->mem_free_host (handed->memory.data);
    paco_cuda_leave (cuda);
  }
  g_clear_error (&handed->error);
  g_free (handed);
  paco_cuda_unref (cuda);
}

static void
release (PacoHostMemory *memory)
{
  PacoCuda *cuda = ((Handed *) memory)->cuda;

  g_mutex_lock (&cuda->lock);
  for (guint i = 0; i < cuda->pinned->len; i++) {
    if (g_array_index (cuda->pinned, PacoHostMemory *, i) == memory) {
      g_array_remove_index_fast (cuda->pinned, i);
      break;
    }
  }
  g_mutex_unlock (&cuda->lock);
  paco_cuda_call (cuda, free_handed, NULL, memory, NULL);
}

PacoHostMemory *
paco_cuda_host_memory_new (PacoCuda *cuda, size_t size, GError **error)
{
  Handed *handed = g_new0 (Handed, 1);

  handed->memory.size = size;
  handed->memory.release = release;
  handed->cuda = paco_cuda_ref (cuda);
  if (!paco_cuda_call (cuda, allocate, free_handed, handed, error))
    return NULL;
  if (!handed->memory.data) {
    g_propagate_error (error, g_steal_pointer (&handed->error));
    free_handed (handed);
    return NULL;
  }
  g_mutex_lock (&cuda->lock);
  g_array_append_vals (cuda->pinned, &(PacoHostMemory *){ &handed->memory }, 1);
  g_mutex_unlock (&cuda->lock);
  return &handed->memory;
}

bool
paco_cuda_is_pinned (PacoCuda *cuda, const void *data, size_t size)
{
  uintptr_t begin = (uintptr_t) data;
  bool pinned = false;

  g_mutex_lock (&cuda->lock);
  for (guint i = 0; i < cuda->pinned->len && !pinned; i++) {
    const PacoHostMemory *memory = g_array_index (
        cuda->pinned, PacoHostMemory *, i);
    uintptr_t start = (uintptr_t) memory->data;

    pinned = begin >= start && size <= memory->size
        && begin - start <= memory->size - size;
  }
  g_mutex_unlock (&cuda->lock);
  return pinned;
}
