/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Opens NVIDIA's management library for one question (free_memory.h). It knows GPUs by
 * their identifiers only, whatever CUDA_VISIBLE_DEVICES makes of their numbers. */
#include "gpu/free_memory.h"
#include "gpu/driver.h"
#include <dlfcn.h>

#define LIBRARY "libnvidia-ml.so.1"

/* nvmlMemory_t */
typedef struct
{
  unsigned long long total, available, used;
} Memory;

/* The library's functions; all return 0 if they succeed. */
typedef struct
{
  void *library;
  int (*init) (void);
  int (*shutdown) (void);
  int (*get_handle) (const char *identifier, void **handle);
  int (*get_memory) (void *handle, Memory *memory);
} Management;

static gboolean
management_open (Management *management)
{
  management->library = dlopen (LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!management->library)
    return FALSE;
  *(void **) &management->init = dlsym (management->library, "nvmlInit_v2");
  *(void **) &management->shutdown = dlsym (
      management->library, "nvmlShutdown");
  *(void **) &management->get_handle = dlsym (
      management->library, "nvmlDeviceGetHandleByUUID");
  *(void **) &management->get_memory = dlsym (
      management->library, "nvmlDeviceGetMemoryInfo");
  if (management->init && management->shutdown && management->get_handle
      && management->get_memory && management->init () == 0)
    return TRUE;
  dlclose (management->library);
  return FALSE;
}

static void
management_close (Management *management)
{
  management->shutdown ();
  dlclose (management->library);
}

/* Finds a GPU, or a part of one (MIG). */
static gboolean
find_handle (const Management *management, const CUuuid *uuid, void **handle)
{
  static const char *const prefixes[] = { "GPU", "MIG" };
  const guint8 *u = (const guint8 *) uuid->bytes;
  char identifier[48];

  for (unsigned i = 0; i < G_N_ELEMENTS (prefixes); i++) {
    g_snprintf (identifier, sizeof identifier,
        "%s-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%"
        "02x",
        prefixes[i], u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9],
        u[10], u[11], u[12], u[13], u[14], u[15]);
    if (management->get_handle (identifier, handle) == 0)
      return TRUE;
  }
  return FALSE;
}

static gboolean
ask (const Management *management, const PacoDriver *driver, int ordinal,
    size_t *available)
{
  CUdevice device;
  CUuuid uuid;
  void *handle;
  Memory memory;

  if (driver->device_get (&device, ordinal) != CUDA_SUCCESS
      || driver->device_get_uuid (&uuid, device) != CUDA_SUCCESS
      || !find_handle (management, &uuid, &handle)
      || management->get_memory (handle, &memory) != 0)
    return FALSE;
  *available = memory.available;
  return TRUE;
}

gboolean
paco_cuda_free_memory (const int *ordinals, unsigned n, size_t *available)
{
  PacoDriver *driver = paco_driver_open (NULL);
  Management management;
  gboolean known = driver != NULL && management_open (&management);

  if (known) {
    for (unsigned i = 0; i < n && known; i++)
      known = ask (&management, driver, ordinals[i], &available[i]);
    management_close (&management);
  }
  paco_driver_close (driver);
  return known;
}
