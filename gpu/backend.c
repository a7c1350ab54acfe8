/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The CUDA backend as a table, and the devices that are open. */
#include "gpu/backend.h"
#include "gpu/memory.h"
#include <string.h>

const PacoBackend paco_cuda_backend = {
  .name = "cuda",
  .encoder_open = paco_cuda_encoder_open,
  .decoder_open = paco_cuda_decoder_open,
};

/* The devices in use, so that coders can share them: the one thing in this
 * library that belongs to the process, as a GPU's context does. */
static GMutex devices_lock;
static GSList *devices; /* of PacoCuda */
static bool opening;    /* by a thread, which does not hold the lock */
static GCond opening_changed;

/* --- Opening --- */

static void
pad_set (const PacoProbabilitySet *set, uint8_t *rows)
{
  for (unsigned i = 0; i < PACO_N_ROWS; i++) {
    memcpy (rows + i * PACO_GPU_ROW_BYTES, set->p[i], PACO_N_CONTEXTS);
    memset (rows + i * PACO_GPU_ROW_BYTES + PACO_N_CONTEXTS, 0,
        PACO_GPU_ROW_BYTES - PACO_N_CONTEXTS);
  }
}

void
paco_cuda_pad_sets (
    const PacoProbabilitySet *carried_set, unsigned id, uint8_t *rows)
{
  for (unsigned i = 0; i < PACO_N_BUILTIN_SETS; i++)
    pad_set (carried_set && i == id ? carried_set : &paco_builtin_sets[i],
        rows + (size_t) i * PACO_GPU_SET_ROWS * PACO_GPU_ROW_BYTES);
}

/* A wish; the driver may not grant it. */
static void
prefer_shared_memory (PacoCuda *cuda, CUfunction function)
{
  cuda->driver->func_set_attribute (function,
      CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
      CU_SHAREDMEM_CARVEOUT_MAX_SHARED);
}

static gboolean
find_block_coders (PacoCuda *cuda, GError **error)
{
  for (unsigned wide = 0; wide < 2; wide++) {
    for (unsigned passes = 1; passes <= 3; passes++) {
      char name[40];

      g_snprintf (
          name, sizeof name, "paco_bpc_encode_%u_%u", wide ? 32 : 16, passes);
      if (!paco_module_function (&cuda->bpc_module, name,
              &cuda->bpc_encode[wide][passes - 1], error))
        return FALSE;
      g_snprintf (
          name, sizeof name, "paco_bpc_decode_%u_%u", wide ? 32 : 16, passes);
      if (!paco_module_function (&cuda->bpc_module, name,
              &cuda->bpc_decode[wide][passes - 1], error))
        return FALSE;
      /* Shared memory bounds how many blocks a multiprocessor codes at a time,
       * and its cache is of little use to them. */
      prefer_shared_memory (cuda, cuda->bpc_encode[wide][passes - 1]);
      prefer_shared_memory (cuda, cuda->bpc_decode[wide][passes - 1]);
    }
  }
  return TRUE;
}

static gboolean
upload_sets (PacoCuda *cuda, GError **error)
{
  uint8_t *rows = g_malloc (PACO_CUDA_SETS_BYTES);
  gboolean done;

  paco_cuda_pad_sets (NULL, 0, rows);
  done = paco_driver_check (cuda->driver,
             cuda->driver->mem_alloc (&cuda->rows, PACO_CUDA_SETS_BYTES), error,
             "memory for the probability sets cannot be had")
      && paco_driver_check (cuda->driver,
          cuda->driver->memcpy_htod (cuda->rows, rows, PACO_CUDA_SETS_BYTES),
          error, "the probability sets cannot be uploaded")
      /* From pageable memory they may still be on their way. */
      && paco_driver_check (cuda->driver, cuda->driver->ctx_synchronize (),
          error, "the probability sets cannot be uploaded");
  g_free (rows);
  return done;
}

static gboolean
load (PacoCuda *cuda, GError **error)
{
  const PacoDevice *device = cuda->device;

  return paco_module_load (
             &cuda->dwt_module, device, paco_fatbin_dwt, "dwt", error)
      && paco_module_load (
          &cuda->bpc_module, device, paco_fatbin_bpc, "bpc", error)
      && paco_module_load (
          &cuda->pack_module, device, paco_fatbin_pack, "pack", error)
      && paco_dwt_find_kernels (&cuda->dwt, &cuda->dwt_module, error)
      && find_block_coders (cuda, error)
      && paco_module_function (
          &cuda->pack_module, "paco_pack_scan", &cuda->pack_scan, error)
      && paco_module_function (
          &cuda->pack_module, "paco_pack_copy", &cuda->pack_copy, error)
      && upload_sets (cuda, error);
}

static void
cuda_free (void *data)
{
  PacoCuda *cuda = data;

  if (cuda->device && paco_cuda_enter (cuda, NULL)) {
    if (cuda->rows)
      cuda->driver->mem_free (cuda->rows);
    paco_module_unload (&cuda->dwt_module);
    paco_module_unload (&cuda->bpc_module);
    paco_module_unload (&cuda->pack_module);
    paco_cuda_leave (cuda);
  }
  paco_device_close (cuda->device);
  g_array_free (cuda->pinned, TRUE);
  g_mutex_clear (&cuda->lock);
  g_free (cuda);
}

static PacoCuda *
cuda_new (int ordinal, GError **error)
{
  PacoCuda *cuda = g_new0 (PacoCuda, 1);
  gboolean loaded = FALSE;

  cuda->references = 1;
  g_mutex_init (&cuda->lock);
  cuda->pinned = g_array_new (FALSE, FALSE, sizeof (PacoHostMemory *));
  cuda->device = paco_device_open (ordinal, error);
  if (cuda->device) {
    cuda->driver = cuda->device->driver;
    if (paco_cuda_enter (cuda, error)) {
      loaded = load (cuda, error);
      paco_cuda_leave (cuda);
    }
  }
  if (!loaded)
    g_clear_pointer (&cuda, cuda_free);
  return cuda;
}

/* ordinal -1: any that is in use already. After a failure new coders get a new
 * context, if the driver grants one. */
static PacoCuda *
find_open (int ordinal)
{
  for (GSList *at = devices; at; at = at->next) {
    PacoCuda *cuda = at->data;

    if ((ordinal < 0 || cuda->device->ordinal == ordinal)
        && !paco_driver_has_failed (cuda->driver))
      return cuda;
  }
  return NULL;
}

/* A device that is being opened. */
typedef struct
{
  int ordinal;
  PacoCuda *cuda;
  GError *error;
} Opening;

static void
open_device (void *data)
{
  Opening *device = data;

  device->cuda = cuda_new (device->ordinal, &device->error);
}

static void
opened_late (void *data)
{
  Opening *device = data;

  g_clear_pointer (&device->cuda, cuda_free);
  g_clear_error (&device->error);
  g_free (device);
}

static PacoCuda *
open_new (int ordinal, gint64 timeout, GError **error)
{
  PacoCaller *caller = paco_caller_new (error);
  Opening *device;
  PacoCuda *cuda;

  if (!caller)
    return NULL;
  device = g_new0 (Opening, 1);
  device->ordinal = ordinal;
  if (!paco_caller_call (caller, PACO_CUDA_OPEN_FACTOR * timeout, open_device,
          opened_late, device)) {
    paco_set_lost_error (
        error, "the CUDA driver", PACO_CUDA_OPEN_FACTOR * timeout);
    paco_caller_close (caller);
    return NULL;
  }
  cuda = g_steal_pointer (&device->cuda);
  if (cuda) {
    cuda->caller = caller;
    cuda->timeout = timeout;
  } else {
    g_propagate_error (error, g_steal_pointer (&device->error));
    paco_caller_close (caller);
  }
  opened_late (device);
  return cuda;
}

/* One thread opens at a time, so that devices are shared. */
PacoCuda *
paco_cuda_open (int ordinal, gint64 timeout, GError **error)
{
  PacoCuda *cuda;

  g_mutex_lock (&devices_lock);
  while (opening)
    g_cond_wait (&opening_changed, &devices_lock);
  cuda = find_open (ordinal);
  if (cuda) {
    cuda->references++;
  } else {
    opening = true;
    g_mutex_unlock (&devices_lock);
    cuda = open_new (ordinal, timeout, error);
    g_mutex_lock (&devices_lock);
    opening = false;
    g_cond_broadcast (&opening_changed);
    if (cuda)
      devices = g_slist_prepend (devices, cuda);
  }
  g_mutex_unlock (&devices_lock);
  return cuda;
}

PacoCuda *
paco_cuda_ref (PacoCuda *cuda)
{
  g_mutex_lock (&devices_lock);
  cuda->references++;
  g_mutex_unlock (&devices_lock);
  return cuda;
}

void
paco_cuda_unref (PacoCuda *cuda)
{
  PacoCaller *caller;
  bool last;

  if (!cuda)
    return;
  g_mutex_lock (&devices_lock);
  last = --cuda->references == 0;
  if (last)
    devices = g_slist_remove (devices, cuda);
  g_mutex_unlock (&devices_lock);
  if (!last)
    return;
  caller = cuda->caller;
  paco_caller_call (caller, cuda->timeout, cuda_free, NULL, cuda);
  paco_caller_close (caller);
}

/* --- Calls --- */

static bool
call (void *device, void (*func) (void *data), void (*late) (void *data),
    void *data)
{
  /* What is called may give the last reference away. */
  PacoCuda *cuda = paco_cuda_ref (device);
  bool done = paco_caller_call (cuda->caller, cuda->timeout, func, late, data);

  if (!done)
    paco_driver_set_failed (cuda->driver);
  paco_cuda_unref (cuda);
  return done;
}

gboolean
paco_cuda_call (PacoCuda *cuda, void (*func) (void *data),
    void (*late) (void *data), void *data, GError **error)
{
  bool done;

  paco_cuda_ref (cuda);
  done = call (cuda, func, late, data);
  if (!done)
    paco_set_lost_error (error, cuda->device->name, cuda->timeout);
  paco_cuda_unref (cuda);
  return done;
}

static void
lost (void *device)
{
  PacoCuda *cuda = device;

  paco_driver_set_failed (cuda->driver);
}

static PacoHostMemory *
host_memory (void *device, size_t size, GError **error)
{
  return paco_cuda_host_memory_new (device, size, error);
}

const PacoDeviceClass paco_cuda_device_class = {
  .call = call,
  .lost = lost,
  .host_memory = host_memory,
};

gboolean
paco_cuda_enter (PacoCuda *cuda, GError **error)
{
  return paco_device_enter (cuda->device, error);
}

void
paco_cuda_leave (PacoCuda *cuda)
{
  paco_device_leave (cuda->device);
}

void
paco_cuda_describe (PacoStats *stats, const PacoCuda *cuda)
{
  g_snprintf (stats->device, sizeof stats->device, "%s (device %d)",
      cuda->device->name, cuda->device->ordinal);
}
