/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A GPU that coders of this process share: a context with the kernels loaded, and a
 * thread that makes the calls which may never return. */
#pragma once
#include "codec/coder_private.h"
#include "codec/index.h"
#include "gpu/caller.h"
#include "gpu/dwt.h"
#include "gpu/layout.h"
#include "gpu/kernels/bpc.h"
#include "gpu/kernels/pack.h"
#include "gpu/module.h"

/* All coders of a process that use the same GPU share one: kernels of two contexts
 * never run at the same time, and each context takes hundreds of megabytes. Referenced
 * by coders and by the memory that they have given away. */
typedef struct
{
  gint references;   /* of the table of devices, under its lock */
  unsigned n_coders; /* that have it open, under the same lock */
  PacoCaller *caller;
  gint64 timeout; /* of its calls, microseconds */
  PacoCudaContext *context;
  const PacoDriver *driver; /* the context's */
  PacoModule dwt_module, layout_module, pack_module, rate_module,
      compare_module, cells_module, codes_module,
      bpc_modules[2][3]; /* [wide][passes - 1] */
  PacoDwtKernels dwt;
  PacoLayoutKernels layout;
  CUfunction bpc_encode[2][3], bpc_decode[2][3]; /* [wide][passes - 1] */
  CUfunction pack_scan, pack_copy;
  CUfunction compare;
  CUfunction map_samples, take_words, find_codes;
  CUfunction find_cells[2]; /* [wide] */
  CUfunction rate_count[2]; /* [wide] */
  CUfunction rate_decide, rate_find, rate_fit, rate_shorten;
  GMutex queues;  /* The thread that holds it may enqueue work (frame.h). */
  gint n_flights; /* Flights created so far, for their numbers; atomic. */
  gint n_frames;  /* Frames being coded by all coders; atomic. */
  /* Streams for the transfers of frames that are not alone (frame.h). */
  CUstream uploads, downloads;
  CUdeviceptr rows; /* the built-in probability sets, paco_cuda_place_sets() */

  /* For measurements, set before any coder is opened: a flight's thread calls it with
   * the PACO_CUDA_N_MOMENTS moments (frame.h) of a finished frame. */
  void (*frame_ended) (void *data, const CUevent *events);
  void *frame_ended_data;
} PacoCudaDevice;

G_STATIC_ASSERT (PACO_GPU_FAMILY_SETS == PACO_N_SETS);
#define PACO_CUDA_SETS_BYTES                                                   \
  (PACO_N_FAMILIES * PACO_N_SETS * PACO_GPU_SET_BYTES)

/* Opening may take this many times the timeout, as the driver may compile kernels. */
#define PACO_CUDA_OPEN_FACTOR 12
/* Opens a device for a coder; timeout, of its calls, is in microseconds. ordinal -1
 * takes the usable GPU that has the fewest coders of this process, of several the one
 * with the most free memory, then the one with the lowest number, and one that has
 * failed only if there is no other. If free_memory.h does not know how much is free,
 * GPUs that tie get a context for the question, and lose it again if they are not
 * chosen. If an application has handed in a context, coders share that one, and the
 * ordinal does not matter. */
PacoCudaDevice *paco_cuda_device_open (int ordinal,
    const PacoForeignContext *context, gint64 timeout, GError **error);
/* Closes a device for a coder, whose reference it takes. device may be NULL. */
void paco_cuda_device_close (PacoCudaDevice *device);
PacoCudaDevice *paco_cuda_device_ref (PacoCudaDevice *device);
void paco_cuda_device_unref (PacoCudaDevice *device);

/* Does paco_caller_call() for the device; error DEVICE. func may drop the last
 * reference. */
gboolean paco_cuda_device_call (PacoCudaDevice *device,
    void (*func) (void *data), void (*late) (void *data), void *data,
    GError **error);
/* Marks a device that does not answer, so that no new coder uses it as it is. */
void paco_cuda_device_lost (PacoCudaDevice *device);

/* These call paco_cuda_context_enter() and paco_cuda_context_leave(). */
gboolean paco_cuda_device_enter (PacoCudaDevice *device, GError **error);
void paco_cuda_device_leave (PacoCudaDevice *device);

/* Writes a probability set as the kernels want it, PACO_GPU_SET_BYTES. */
void paco_cuda_place_set (const PacoProbabilitySet *set, uint8_t *rows);
/* Writes all built-in sets, PACO_CUDA_SETS_BYTES. carried_set, unless it is NULL, takes
 * the place that the coding says. */
void paco_cuda_place_sets (const PacoCoding *coding,
    const PacoProbabilitySet *carried_set, uint8_t *rows);
