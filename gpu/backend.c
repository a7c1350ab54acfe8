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
cuda_free (PacoCuda *cuda)
{
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

PacoCuda *
paco_cuda_open (int ordinal, GError **error)
{
  PacoCuda *cuda;

  g_mutex_lock (&devices_lock);
  cuda = find_open (ordinal);
  if (cuda) {
    cuda->references++;
  } else {
    cuda = cuda_new (ordinal, error);
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
  if (!cuda)
    return;
  g_mutex_lock (&devices_lock);
  if (--cuda->references == 0) {
    devices = g_slist_remove (devices, cuda);
    cuda_free (cuda);
  }
  g_mutex_unlock (&devices_lock);
}

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
