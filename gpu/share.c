/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Opens and closes a coder's shares of its devices. */
#include "gpu/share.h"
#include "gpu/pinned.h"
#include <string.h>

/* --- Which devices --- */

typedef struct
{
  GArray *ordinals; /* of int */
  GError *error;
} Listing;

static void
list_devices (void *data)
{
  Listing *listing = data;

  listing->ordinals = paco_cuda_list_devices (&listing->error);
}

static void
listing_free (void *data)
{
  Listing *listing = data;

  g_clear_pointer (&listing->ordinals, g_array_unref);
  g_clear_error (&listing->error);
  g_free (listing);
}

/* Lists usable devices in a thread of its own, as no device has one yet. */
static GArray *
list_all (gint64 timeout, GError **error)
{
  PacoCaller *caller = paco_caller_new (error);
  GArray *ordinals = NULL;
  Listing *listing;

  if (!caller)
    return NULL;
  listing = g_new0 (Listing, 1);
  if (paco_caller_call (caller, timeout, list_devices, listing_free, listing)) {
    ordinals = g_steal_pointer (&listing->ordinals);
    if (!ordinals)
      g_propagate_error (error, g_steal_pointer (&listing->error));
    listing_free (listing);
  } else {
    paco_set_lost_error (error, "the CUDA driver", timeout);
  }
  paco_caller_close (caller);
  return ordinals;
}

unsigned
paco_cuda_find_ordinals (
    const PacoBackendOptions *options, int *ordinals, GError **error)
{
  unsigned n = options->context.handle ? 0 : options->n_devices;
  GArray *all;

  if (!options->all_devices || options->context.handle) {
    ordinals[0] = options->device;
    memcpy (ordinals, options->devices, n * sizeof *ordinals);
    return MAX (n, 1);
  }
  all = list_all (PACO_CUDA_OPEN_FACTOR * paco_timeout (options), error);
  if (!all)
    return 0;
  n = MIN (all->len, PACO_MAX_DEVICES);
  memcpy (ordinals, all->data, n * sizeof *ordinals);
  g_array_unref (all);
  return n;
}

/* --- Open and close --- */

gboolean
paco_cuda_share_open (PacoCudaShare *share, PacoCoder *coder,
    const PacoBackendOptions *options, int ordinal, GError **error)
{
  gint64 timeout = paco_timeout (options);

  share->device = paco_cuda_device_open (
      ordinal, &options->context, timeout, error);
  if (!share->device)
    return FALSE;
  share->copiers = paco_helpers_new ();
  paco_coder_add_device (coder, share, share->device->context->name);
  return TRUE;
}

void
paco_cuda_share_close (PacoCudaShare *share)
{
  g_clear_pointer (&share->copiers, paco_helpers_free);
  g_clear_pointer (&share->device, paco_cuda_device_close);
}

/* --- For the coder --- */

static bool
call (void *handle, void (*func) (void *data), void (*late) (void *data),
    void *data)
{
  const PacoCudaShare *share = handle;

  return paco_cuda_device_call (share->device, func, late, data, NULL);
}

static void
lost (void *handle)
{
  const PacoCudaShare *share = handle;

  paco_cuda_device_lost (share->device);
}

static PacoHostMemory *
host_memory (void *handle, size_t size, GError **error)
{
  const PacoCudaShare *share = handle;

  return paco_cuda_host_memory_new (share->device, size, error);
}

static size_t
memory (void *handle)
{
  PacoCudaShare *share = handle;

  return (size_t) g_atomic_pointer_get (&share->memory);
}

const PacoDeviceClass paco_cuda_device_class = {
  .call = call,
  .lost = lost,
  .host_memory = host_memory,
  .memory = memory,
};
