/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Opens devices: loads the kernels, chooses a device, and shares open ones among
 * coders. */
#include "gpu/device.h"
#include "gpu/free_memory.h"
#include <stdlib.h>
#include <string.h>

/* The devices in use. They belong to the process, as a GPU's contexts do. */
static GMutex devices_lock;
static GSList *devices; /* of PacoCudaDevice */
static bool opening;    /* by a thread, which does not hold the lock */
static GCond opening_changed;

/* --- Opening --- */

/* The place of a context's probability in a row (kernels/bpc.h). */
static unsigned
place_of_context (unsigned context)
{
  if (context < PACO_REFINEMENT_CONTEXT)
    return context;
  if (context < PACO_SIGN_CONTEXT)
    return PACO_GPU_REFINEMENT_PLACE + context - PACO_REFINEMENT_CONTEXT;
  if (context < PACO_WAKE_CONTEXT)
    return PACO_GPU_SIGN_PLACE + context - PACO_SIGN_CONTEXT;
  return PACO_GPU_WAKE_PLACE + context - PACO_WAKE_CONTEXT;
}

void
paco_cuda_place_set (const PacoProbabilitySet *set, uint8_t *rows)
{
  memset (rows, 0, PACO_GPU_SET_BYTES);
  for (unsigned i = 0; i < PACO_N_ROWS; i++)
    for (unsigned k = 0; k < PACO_N_CONTEXTS; k++)
      rows[i * PACO_GPU_ROW_BYTES + place_of_context (k)] = set->p[i][k];
}

void
paco_cuda_place_sets (const PacoCoding *coding,
    const PacoProbabilitySet *carried_set, uint8_t *rows)
{
  for (unsigned f = 0; f < PACO_N_FAMILIES; f++)
    for (unsigned k = 0; k < PACO_N_SETS; k++, rows += PACO_GPU_SET_BYTES)
      paco_cuda_place_set (carried_set && f == coding->carried_family
                  && k == coding->carried_number
              ? carried_set
              : &paco_builtin_sets[f][k],
          rows);
}

/* Asks for more shared memory; a driver may ignore that. */
static void
prefer_shared_memory (PacoCudaDevice *device, CUfunction function)
{
  device->driver->func_set_attribute (function,
      CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
      CU_SHAREDMEM_CARVEOUT_MAX_SHARED);
}

static gboolean
load_block_coder (
    PacoCudaDevice *device, unsigned wide, unsigned passes, GError **error)
{
  PacoModule *module = &device->bpc_modules[wide][passes - 1];
  CUfunction *encode = &device->bpc_encode[wide][passes - 1];
  CUfunction *decode = &device->bpc_decode[wide][passes - 1];
  unsigned bits = wide ? 32 : 16;
  char encoder[40], decoder[40];

  g_snprintf (encoder, sizeof encoder, "paco_bpc_encode_%u_%u", bits, passes);
  g_snprintf (decoder, sizeof decoder, "paco_bpc_decode_%u_%u", bits, passes);
  if (!paco_module_load (module, device->context,
          paco_fatbins_bpc[wide][passes - 1], "bpc", error)
      || !paco_module_function (module, encoder, encode, error)
      || !paco_module_function (module, decoder, decode, error))
    return FALSE;
  /* Shared memory bounds how many blocks a multiprocessor codes at a time, and its cache
   * is of little use to them. */
  prefer_shared_memory (device, *encode);
  prefer_shared_memory (device, *decode);
  return TRUE;
}

static gboolean
find_kernels (PacoCudaDevice *device, GError **error)
{
  const struct
  {
    const PacoModule *module;
    const char *name;
    CUfunction *function;
  } kernels[] = {
    { &device->pack_module, "paco_pack_scan", &device->pack_scan },
    { &device->pack_module, "paco_pack_copy", &device->pack_copy },
    { &device->compare_module, "paco_compare", &device->compare },
    { &device->codes_module, "paco_map_samples", &device->map_samples },
    { &device->codes_module, "paco_take_words", &device->take_words },
    { &device->codes_module, "paco_find_codes", &device->find_codes },
    { &device->cells_module, "paco_find_cells_16", &device->find_cells[0] },
    { &device->cells_module, "paco_find_cells_32", &device->find_cells[1] },
    { &device->rate_module, "paco_rate_count_16", &device->rate_count[0] },
    { &device->rate_module, "paco_rate_count_32", &device->rate_count[1] },
    { &device->rate_module, "paco_rate_decide", &device->rate_decide },
    { &device->rate_module, "paco_rate_find", &device->rate_find },
    { &device->rate_module, "paco_rate_fit", &device->rate_fit },
    { &device->rate_module, "paco_rate_shorten", &device->rate_shorten },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (kernels); i++)
    if (!paco_module_function (
            kernels[i].module, kernels[i].name, kernels[i].function, error))
      return FALSE;
  return paco_dwt_find_kernels (&device->dwt, &device->dwt_module, error)
      && paco_layout_find_kernels (
          &device->layout, &device->layout_module, error);
}

static gboolean
upload_sets (PacoCudaDevice *device, GError **error)
{
  uint8_t *rows = g_malloc (PACO_CUDA_SETS_BYTES);
  gboolean done;

  paco_cuda_place_sets (NULL, NULL, rows);
  done = paco_driver_check (device->driver,
             device->driver->mem_alloc (&device->rows, PACO_CUDA_SETS_BYTES),
             error, "memory for the probability sets cannot be had on %s",
             device->context->name)
      && paco_driver_check (device->driver,
          device->driver->memcpy_htod (
              device->rows, rows, PACO_CUDA_SETS_BYTES),
          error, "the probability sets cannot be uploaded to %s",
          device->context->name)
      /* A copy from pageable memory may return before it has ended. */
      && paco_driver_check (device->driver, device->driver->ctx_synchronize (),
          error, "the probability sets cannot be uploaded to %s",
          device->context->name);
  g_free (rows);
  return done;
}

static gboolean
load (PacoCudaDevice *device, GError **error)
{
  const struct
  {
    PacoModule *module;
    const unsigned char *image;
    const char *name;
  } modules[] = {
    { &device->dwt_module, paco_fatbin_dwt, "dwt" },
    { &device->layout_module, paco_fatbin_layout, "layout" },
    { &device->pack_module, paco_fatbin_pack, "pack" },
    { &device->rate_module, paco_fatbin_rate, "rate" },
    { &device->compare_module, paco_fatbin_compare, "compare" },
    { &device->cells_module, paco_fatbin_cells, "cells" },
    { &device->codes_module, paco_fatbin_codes, "codes" },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (modules); i++)
    if (!paco_module_load (modules[i].module, device->context, modules[i].image,
            modules[i].name, error))
      return FALSE;
  for (unsigned i = 0; i < 6; i++)
    if (!load_block_coder (device, i / 3, i % 3 + 1, error))
      return FALSE;
  return find_kernels (device, error) && upload_sets (device, error)
      && paco_cuda_stream_create (device->context, &device->uploads, error)
      && paco_cuda_stream_create (device->context, &device->downloads, error);
}

static void
device_free (void *data)
{
  PacoCudaDevice *device = data;

  if (paco_cuda_device_enter (device, NULL)) {
    if (device->rows)
      device->driver->mem_free (device->rows);
    if (device->uploads)
      device->driver->stream_destroy (device->uploads);
    if (device->downloads)
      device->driver->stream_destroy (device->downloads);
    paco_module_unload (&device->dwt_module);
    paco_module_unload (&device->layout_module);
    for (unsigned i = 0; i < 6; i++)
      paco_module_unload (&device->bpc_modules[i / 3][i % 3]);
    paco_module_unload (&device->pack_module);
    paco_module_unload (&device->rate_module);
    paco_module_unload (&device->compare_module);
    paco_module_unload (&device->cells_module);
    paco_module_unload (&device->codes_module);
    paco_cuda_device_leave (device);
  }
  paco_cuda_context_close (device->context);
  g_mutex_clear (&device->queues);
  g_free (device);
}

/* Makes a device, to which the context then belongs. context is NULL after an error. */
static PacoCudaDevice *
device_new (PacoCudaContext *context, GError **error)
{
  PacoCudaDevice *device;
  gboolean loaded = FALSE;

  if (!context)
    return NULL;
  device = g_new0 (PacoCudaDevice, 1);
  g_mutex_init (&device->queues);
  device->references = 1;
  device->context = context;
  device->driver = context->driver;
  if (paco_cuda_device_enter (device, error)) {
    loaded = load (device, error);
    paco_cuda_device_leave (device);
  }
  if (!loaded)
    g_clear_pointer (&device, device_free);
  return device;
}

/* Where a coder is to work. */
typedef struct
{
  int ordinal;                /* -1: on the least loaded device */
  PacoForeignContext foreign; /* the context, unless it is to be ours */
} Place;

static bool
is_at (const PacoCudaDevice *device, const Place *place)
{
  if (place->foreign.handle)
    return device->context->handle == place->foreign.handle;
  return !device->context->foreign.handle
      && device->context->ordinal == place->ordinal;
}

/* Finds an open device, or NULL: a device that has failed is not taken, so that new
 * coders get a new context. The lock is held. */
static PacoCudaDevice *
find_open (const Place *place)
{
  for (GSList *at = devices; at; at = at->next)
    if (is_at (at->data, place)
        && !paco_driver_has_failed (((PacoCudaDevice *) at->data)->driver))
      return at->data;
  return NULL;
}

/* Returns a reference to a device that is open, or NULL. */
static PacoCudaDevice *
ref_open (const Place *place)
{
  PacoCudaDevice *device;

  g_mutex_lock (&devices_lock);
  device = find_open (place);
  if (device)
    device->references++;
  g_mutex_unlock (&devices_lock);
  return device;
}

/* --- Choosing --- */

/* A device that may be chosen. */
typedef struct
{
  int ordinal;
  bool failed;
  unsigned n_coders;        /* of this process */
  size_t available;         /* bytes of its memory; 0: nobody has asked */
  PacoCudaContext *context; /* a new one, if it needed one to be asked */
} Candidate;

/* Compares candidates; the best comes first. */
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
  GArray *ordinals = paco_cuda_list_devices (error);
  Candidate *candidates;

  if (!ordinals)
    return NULL;
  *n = ordinals->len;
  candidates = g_new0 (Candidate, *n);
  g_mutex_lock (&devices_lock);
  for (unsigned i = 0; i < *n; i++) {
    candidates[i].ordinal = g_array_index (ordinals, int, i);
    for (GSList *at = devices; at; at = at->next) {
      const PacoCudaDevice *device = at->data;

      if (device->context->ordinal == candidates[i].ordinal) {
        candidates[i].n_coders += device->n_coders;
        /* A failure in a context of an application does not count: the application may
         * have caused it. */
        candidates[i].failed |= !device->context->foreign.handle
            && paco_driver_has_failed (device->driver);
      }
    }
  }
  g_mutex_unlock (&devices_lock);
  g_array_unref (ordinals);
  return candidates;
}

/* Asks for the memory of all n candidates. Returns FALSE if it takes contexts. */
static gboolean
ask_without_contexts (Candidate *candidates, unsigned n)
{
  g_autofree int *ordinals = g_new (int, n);
  g_autofree size_t *available = g_new (size_t, n);

  for (unsigned i = 0; i < n; i++)
    ordinals[i] = candidates[i].ordinal;
  if (!paco_cuda_free_memory (ordinals, n, available))
    return FALSE;
  for (unsigned i = 0; i < n; i++)
    candidates[i].available = available[i];
  return TRUE;
}

/* Asks for free memory, in a context that exists or in a new one. */
static void
ask_in_context (Candidate *candidate)
{
  PacoCudaDevice *device = ref_open (&(Place){ candidate->ordinal });
  const PacoCudaContext *context;
  size_t total;

  if (!device)
    candidate->context = paco_cuda_context_open (candidate->ordinal, NULL);
  context = device ? device->context : candidate->context;
  if (context && paco_cuda_context_enter (context, NULL)) {
    if (!paco_driver_check (context->driver,
            context->driver->mem_get_info (&candidate->available, &total), NULL,
            "free memory of a device"))
      candidate->available = 0;
    paco_cuda_context_leave (context);
  }
  if (candidate->available == 0) /* the context may be broken */
    g_clear_pointer (&candidate->context, paco_cuda_context_close);
  paco_cuda_device_unref (device);
}

/* Candidates that tie for the first place are asked for free memory. */
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
  if (!ask_without_contexts (candidates, n_first))
    for (unsigned i = 0; i < n_first; i++)
      ask_in_context (&candidates[i]);
  qsort (candidates, n_first, sizeof *candidates, compare_candidates);
  for (unsigned i = 1; i < n_first; i++)
    g_clear_pointer (&candidates[i].context, paco_cuda_context_close);
}

/* A device that is being opened. */
typedef struct
{
  Place place;
  PacoCudaDevice *device;
  bool is_shared; /* it was open before, and this is a reference to it */
  GError *error;
} Opening;

static void
open_candidate (Opening *opened, Candidate *candidate)
{
  PacoCudaContext *context;

  opened->device = ref_open (&(Place){ candidate->ordinal });
  opened->is_shared = opened->device != NULL;
  if (opened->is_shared)
    return;
  g_clear_error (&opened->error);
  context = g_steal_pointer (&candidate->context);
  if (!context)
    context = paco_cuda_context_open (candidate->ordinal, &opened->error);
  opened->device = device_new (context, &opened->error);
}

/* Opens the best candidate that can be opened. The error is that of the last one. */
static void
open_best (Opening *opened)
{
  unsigned n = 0;
  Candidate *candidates = list_candidates (&n, &opened->error);

  if (!candidates)
    return;
  rank_candidates (candidates, n);
  for (unsigned i = 0; i < n && !opened->device; i++)
    open_candidate (opened, &candidates[i]);
  if (opened->device)
    g_clear_error (&opened->error);
  for (unsigned i = 0; i < n; i++)
    paco_cuda_context_close (candidates[i].context);
  g_free (candidates);
}

static void
open_device (void *data)
{
  Opening *opened = data;
  const Place *place = &opened->place;

  if (place->foreign.handle)
    opened->device = device_new (
        paco_cuda_context_wrap (&place->foreign, &opened->error),
        &opened->error);
  else if (place->ordinal < 0)
    open_best (opened);
  else
    open_candidate (opened, &(Candidate){ .ordinal = place->ordinal });
}

static void
opened_late (void *data)
{
  Opening *opened = data;

  if (opened->is_shared)
    paco_cuda_device_unref (opened->device);
  else
    g_clear_pointer (&opened->device, device_free);
  g_clear_error (&opened->error);
  if (opened->place.foreign.unref)
    opened->place.foreign.unref (opened->place.foreign.owner);
  g_free (opened);
}

static PacoCudaDevice *
open_new (const Place *place, gint64 timeout, GError **error)
{
  PacoCaller *caller = paco_caller_new (error);
  Opening *opened;
  PacoCudaDevice *device;

  if (!caller)
    return NULL;
  opened = g_new0 (Opening, 1);
  opened->place = *place;
  if (place->foreign.ref)
    place->foreign.ref (place->foreign.owner);
  if (!paco_caller_call (caller, PACO_CUDA_OPEN_FACTOR * timeout, open_device,
          opened_late, opened)) {
    paco_set_lost_error (
        error, "the CUDA driver", PACO_CUDA_OPEN_FACTOR * timeout);
    paco_caller_close (caller);
    return NULL;
  }
  device = g_steal_pointer (&opened->device);
  if (device && !opened->is_shared) {
    device->caller = g_steal_pointer (&caller);
    device->timeout = timeout;
    g_mutex_lock (&devices_lock);
    devices = g_slist_prepend (devices, device);
    g_mutex_unlock (&devices_lock);
  }
  if (!device)
    g_propagate_error (error, g_steal_pointer (&opened->error));
  if (caller)
    paco_caller_close (caller);
  opened->is_shared = false;
  opened_late (opened);
  return device;
}

/* One thread opens at a time, so that devices are shared. */
PacoCudaDevice *
paco_cuda_device_open (int ordinal, const PacoForeignContext *context,
    gint64 timeout, GError **error)
{
  const Place place = { ordinal, *context };
  PacoCudaDevice *device;

  g_mutex_lock (&devices_lock);
  while (opening)
    g_cond_wait (&opening_changed, &devices_lock);
  device = find_open (&place);
  if (device) {
    device->references++;
  } else {
    opening = true;
    g_mutex_unlock (&devices_lock);
    device = open_new (&place, timeout, error);
    g_mutex_lock (&devices_lock);
    opening = false;
    g_cond_broadcast (&opening_changed);
  }
  if (device)
    device->n_coders++;
  g_mutex_unlock (&devices_lock);
  return device;
}

void
paco_cuda_device_close (PacoCudaDevice *device)
{
  if (!device)
    return;
  g_mutex_lock (&devices_lock);
  device->n_coders--;
  g_mutex_unlock (&devices_lock);
  paco_cuda_device_unref (device);
}

PacoCudaDevice *
paco_cuda_device_ref (PacoCudaDevice *device)
{
  g_mutex_lock (&devices_lock);
  device->references++;
  g_mutex_unlock (&devices_lock);
  return device;
}

void
paco_cuda_device_unref (PacoCudaDevice *device)
{
  PacoCaller *caller;
  bool last;

  if (!device)
    return;
  g_mutex_lock (&devices_lock);
  last = --device->references == 0;
  if (last)
    devices = g_slist_remove (devices, device);
  g_mutex_unlock (&devices_lock);
  if (!last)
    return;
  caller = device->caller;
  paco_caller_call (caller, device->timeout, device_free, NULL, device);
  paco_caller_close (caller);
}

/* --- Calls --- */

gboolean
paco_cuda_device_call (PacoCudaDevice *device, void (*func) (void *data),
    void (*late) (void *data), void *data, GError **error)
{
  bool done;

  paco_cuda_device_ref (device);
  done = paco_caller_call (device->caller, device->timeout, func, late, data);
  if (!done) {
    paco_cuda_device_lost (device);
    paco_set_lost_error (error, device->context->name, device->timeout);
  }
  paco_cuda_device_unref (device);
  return done;
}

void
paco_cuda_device_lost (PacoCudaDevice *device)
{
  paco_driver_set_failed (device->driver);
}

gboolean
paco_cuda_device_enter (PacoCudaDevice *device, GError **error)
{
  return paco_cuda_context_enter (device->context, error);
}

void
paco_cuda_device_leave (PacoCudaDevice *device)
{
  paco_cuda_context_leave (device->context);
}
