/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Page-locked memory that users have. The thread of its device allocates and frees it,
 * and its address finds it again. */
#include "gpu/pinned.h"
#include "gpu/memory.h"

typedef struct _Handed Handed;

struct _Handed
{
  PacoHostMemory memory; /* first: it is what the user sees */
  PacoPinnedMemory pinned;
  PacoCudaDevice *device;
  GError *error;
  Handed *next; /* in the list, under its lock */
};

/* All such memory, of all devices. The list belongs to the process, as addresses do. */
static GMutex list_lock;
static Handed *list;

static void
list_add (Handed *handed)
{
  g_mutex_lock (&list_lock);
  handed->next = list;
  list = handed;
  g_mutex_unlock (&list_lock);
}

static void
list_remove (Handed *handed)
{
  Handed **at = &list;

  g_mutex_lock (&list_lock);
  while (*at != handed)
    at = &(*at)->next;
  *at = handed->next;
  g_mutex_unlock (&list_lock);
}

bool
paco_is_pinned (const void *data, size_t size)
{
  uintptr_t begin = (uintptr_t) data;
  bool pinned = false;

  g_mutex_lock (&list_lock);
  for (const Handed *at = list; at && !pinned; at = at->next) {
    uintptr_t start = (uintptr_t) at->memory.data;

    pinned = begin >= start && size <= at->memory.size
        && begin - start <= at->memory.size - size;
  }
  g_mutex_unlock (&list_lock);
  return pinned;
}

static void
allocate (void *data)
{
  Handed *handed = data;
  PacoCudaDevice *device = handed->device;

  if (!paco_cuda_device_enter (device, &handed->error))
    return;
  paco_driver_check (device->driver,
      paco_pinned_memory_new (
          device->driver, MAX (handed->memory.size, 1), &handed->pinned),
      &handed->error, "%zu bytes of page-locked memory cannot be had on %s",
      handed->memory.size, device->context->name);
  handed->memory.data = handed->pinned.data;
  paco_cuda_device_leave (device);
}

static void
free_handed (void *data)
{
  Handed *handed = data;
  PacoCudaDevice *device = handed->device;

  if (handed->memory.data && paco_cuda_device_enter (device, NULL)) {
    paco_pinned_memory_free (device->driver, &handed->pinned);
    paco_cuda_device_leave (device);
  }
  g_clear_error (&handed->error);
  g_free (handed);
  paco_cuda_device_unref (device);
}

static void
release (PacoHostMemory *memory)
{
  Handed *handed = (Handed *) memory;

  list_remove (handed);
  paco_cuda_device_call (handed->device, free_handed, NULL, handed, NULL);
}

PacoHostMemory *
paco_cuda_host_memory_new (PacoCudaDevice *device, size_t size, GError **error)
{
  Handed *handed = g_new0 (Handed, 1);

  handed->memory.size = size;
  handed->memory.release = release;
  handed->device = paco_cuda_device_ref (device);
  if (!paco_cuda_device_call (device, allocate, free_handed, handed, error))
    return NULL;
  if (!handed->memory.data) {
    g_propagate_error (error, g_steal_pointer (&handed->error));
    free_handed (handed);
    return NULL;
  }
  list_add (handed);
  return &handed->memory;
}
