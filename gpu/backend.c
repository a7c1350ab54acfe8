/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The CUDA backend as a table, and the devices that are open. */
#include "gpu/backend.h"
#include "gpu/pinned.h"
#include <stdlib.h>
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

  if (paco_cuda_enter (cuda, NULL)) {
    if (cuda->rows)
      cuda->driver->mem_free (cuda->rows);
    paco_module_unload (&cuda->dwt_module);
    paco_module_unload (&cuda->bpc_module);
    paco_module_unload (&cuda->pack_module);
    paco_cuda_leave (cuda);
  }
  paco_device_close (cuda->device);
  g_free (cuda);
}

/* Takes the device, which is NULL after an error. */
static PacoCuda *
cuda_new (PacoDevice *device, GError **error)
{
  PacoCuda *cuda;
  gboolean loaded = FALSE;

  if (!device)
    return NULL;
  cuda = g_new0 (PacoCuda, 1);

  cuda->references = 1;
  cuda->device = device;
  cuda->driver = device->driver;
  if (paco_cuda_enter (cuda, error)) {
    loaded = load (cuda, error);
    paco_cuda_leave (cuda);
  }
  if (!loaded)
    g_clear_pointer (&cuda, cuda_free);
  return cuda;
}

/* After a failure new coders get a new context, if the driver grants one. With
 * the lock. */
static PacoCuda *
find_open (int ordinal)
{
  for (GSList *at = devices; at; at = at->next) {
    PacoCuda *cuda = at->data;

    if (cuda->device->ordinal == ordinal
        && !paco_driver_has_failed (cuda->driver))
      return cuda;
  }
  return NULL;
}

/* A reference to a device that is open, or NULL. */
static PacoCuda *
ref_open (int ordinal)
{
  PacoCuda *cuda;

  g_mutex_lock (&devices_lock);
  cuda = find_open (ordinal);
  if (cuda)
    cuda->references++;
  g_mutex_unlock (&devices_lock);
  return cuda;
}

/* --- Choosing --- */

/* A device that may be chosen. */
typedef struct
{
  int ordinal;
  bool failed;
  unsigned n_coders;  /* of this process */
  size_t available;   /* bytes of its memory; 0: nobody has asked */
  PacoDevice *device; /* if it had to get a context to be asked, else NULL */
} Candidate;

/* The best comes first. */
static int
compare_candidates (const void *a, const void *b)
{
  const Candidate *x = a, *y = b;

  if (x->failed != y->failed)
    return x->failed ? 1 : -1;
  if (x->n_coders != y->n_coders)
    return x->n_coders < y->n_coders ? -1 : 1;
  if (x->available != y->available)
    return x->available > y->available ? -1 : 1;
  return x->ordinal < y->ordinal ? -1 : x->ordinal > y->ordinal;
}

static Candidate *
list_candidates (unsigned *n, GError **error)
{
  GArray *ordinals = paco_device_list (error);
  Candidate *candidates;

  if (!ordinals)
    return NULL;
  *n = ordinals->len;
  candidates = g_new0 (Candidate, *n);
  g_mutex_lock (&devices_lock);
  for (unsigned i = 0; i < *n; i++) {
    candidates[i].ordinal = g_array_index (ordinals, int, i);
    for (GSList *at = devices; at; at = at->next) {
      const PacoCuda *cuda = at->data;

      if (cuda->device->ordinal == candidates[i].ordinal) {
        candidates[i].n_coders += cuda->n_coders;
        candidates[i].failed |= paco_driver_has_failed (cuda->driver);
      }
    }
  }
  g_mutex_unlock (&devices_lock);
  g_array_unref (ordinals);
  return candidates;
}

/* How much memory is free, in a context that there is, or a new one. */
static void
ask_for_memory (Candidate *candidate)
{
  PacoCuda *cuda = ref_open (candidate->ordinal);
  const PacoDevice *device;
  size_t total;

  if (!cuda)
    candidate->device = paco_device_open (candidate->ordinal, NULL);
  device = cuda ? cuda->device : candidate->device;
  if (device && paco_device_enter (device, NULL)) {
    if (!paco_driver_check (device->driver,
            device->driver->mem_get_info (&candidate->available, &total), NULL,
            "free memory of a device"))
      candidate->available = 0;
    paco_device_leave (device);
  }
  if (candidate->available == 0) /* the context may be of no use */
    g_clear_pointer (&candidate->device, paco_device_close);
  paco_cuda_unref (cuda);
}

/* Asks those that tie for the first place. */
static void
rank_candidates (Candidate *candidates, unsigned n)
{
  unsigned n_first = 1;

  qsort (candidates, n, sizeof *candidates, compare_candidates);
  while (n_first < n && candidates[n_first].failed == candidates[0].failed
      && candidates[n_first].n_coders == candidates[0].n_coders)
    n_first++;
  if (n_first == 1)
    return;
  for (unsigned i = 0; i < n_first; i++)
    ask_for_memory (&candidates[i]);
  qsort (candidates, n_first, sizeof *candidates, compare_candidates);
  for (unsigned i = 1; i < n_first; i++)
    g_clear_pointer (&candidates[i].device, paco_device_close);
}

/* A device that is being opened. */
typedef struct
{
  int ordinal;
  PacoCuda *cuda;
  bool is_shared; /* cuda was open before, and this is a reference to it */
  GError *error;
} Opening;

static void
open_candidate (Opening *opened, Candidate *candidate)
{
  PacoDevice *device;

  opened->cuda = ref_open (candidate->ordinal);
  opened->is_shared = opened->cuda != NULL;
  if (opened->is_shared)
    return;
  g_clear_error (&opened->error);
  device = g_steal_pointer (&candidate->device);
  if (!device)
    device = paco_device_open (candidate->ordinal, &opened->error);
  opened->cuda = cuda_new (device, &opened->error);
}

/* Where the best one cannot be opened the next one is; the error is that of the
 * last one. */
static void
open_best (Opening *opened)
{
  unsigned n = 0;
  Candidate *candidates = list_candidates (&n, &opened->error);

  if (!candidates)
    return;
  rank_candidates (candidates, n);
  for (unsigned i = 0; i < n && !opened->cuda; i++)
    open_candidate (opened, &candidates[i]);
  if (opened->cuda)
    g_clear_error (&opened->error);
  for (unsigned i = 0; i < n; i++)
    paco_device_close (candidates[i].device);
  g_free (candidates);
}

static void
open_device (void *data)
{
  Opening *opened = data;

  if (opened->ordinal < 0)
    open_best (opened);
  else
    open_candidate (opened, &(Candidate){ .ordinal = opened->ordinal });
}

static void
opened_late (void *data)
{
  Opening *opened = data;

  if (opened->is_shared)
    paco_cuda_unref (opened->cuda);
  else
    g_clear_pointer (&opened->cuda, cuda_free);
  g_clear_error (&opened->error);
  g_free (opened);
}

/* Adds the device to those that are open, unless it is one of them. */
static PacoCuda *
open_new (int ordinal, gint64 timeout, GError **error)
{
  PacoCaller *caller = paco_caller_new (error);
  Opening *opened;
  PacoCuda *cuda;

  if (!caller)
    return NULL;
  opened = g_new0 (Opening, 1);
  opened->ordinal = ordinal;
  if (!paco_caller_call (caller, PACO_CUDA_OPEN_FACTOR * timeout, open_device,
          opened_late, opened)) {
    paco_set_lost_error (
        error, "the CUDA driver", PACO_CUDA_OPEN_FACTOR * timeout);
    paco_caller_close (caller);
    return NULL;
  }
  cuda = g_steal_pointer (&opened->cuda);
  if (cuda && !opened->is_shared) {
    cuda->caller = g_steal_pointer (&caller);
    cuda->timeout = timeout;
    g_mutex_lock (&devices_lock);
    devices = g_slist_prepend (devices, cuda);
    g_mutex_unlock (&devices_lock);
  }
  if (!cuda)
    g_propagate_error (error, g_steal_pointer (&opened->error));
  if (caller)
    paco_caller_close (caller);
  opened->is_shared = false;
  opened_late (opened);
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
  }
  if (cuda)
    cuda->n_coders++;
  g_mutex_unlock (&devices_lock);
  return cuda;
}

void
paco_cuda_close (PacoCuda *cuda)
{
  if (!cuda)
    return;
  g_mutex_lock (&devices_lock);
  cuda->n_coders--;
  g_mutex_unlock (&devices_lock);
  paco_cuda_unref (cuda);
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
