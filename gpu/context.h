/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A context on a device: what the driver wants before it does anything there.
 * device.c opens one for all coders of a device; tests of kernels have their
 * own. */
#pragma once
#include "codec/coder.h"
#include "gpu/driver.h"

G_BEGIN_DECLS

/* The oldest devices that the kernels are built for. */
#define PACO_MIN_COMPUTE_CAPABILITY 75

#define PACO_CUDA_NAME_SIZE 128

/* A device with a context: our own one, not the primary one, so that nothing in
 * the application can reset it; or one that was handed in. */
typedef struct
{
  PacoDriver *driver;
  PacoForeignContext foreign; /* that was handed in; its handle is NULL else */
  CUdevice device;
  CUcontext handle;            /* the driver's */
  int ordinal;                 /* as CUDA counts devices, from 0 */
  unsigned compute_capability; /* 90 for 9.0 */
  unsigned n_multiprocessors;
  char
      name[PACO_CUDA_NAME_SIZE]; /* with its number, "NVIDIA H200 (device 1)" */
} PacoCudaContext;

/* The numbers (int) of the devices that are new enough, in order, without a
 * context on any. NULL and an error: NO_DEVICE without a driver or a device, else
 * DEVICE and why the last one cannot be used. */
GArray *paco_cuda_list_devices (GError **error);

/* ordinal: from 0. Errors NO_DEVICE: no driver, no device, no such device;
 * DEVICE: it is too old, or gives no context. The context is not current
 * afterwards. */
PacoCudaContext *paco_cuda_context_open (int ordinal, GError **error);
/* The same in a context that is there, and stays when this is closed. Errors
 * NO_DEVICE, and DEVICE also if it is a context no more. */
PacoCudaContext *paco_cuda_context_wrap (
    const PacoForeignContext *foreign, GError **error);
void paco_cuda_context_close (PacoCudaContext *context);

/* Makes the context current in this thread, and undoes that. Every function that
 * takes a PacoCudaContext or what was made with it, but for these, expects the
 * context to be current. */
gboolean paco_cuda_context_enter (
    const PacoCudaContext *context, GError **error);
void paco_cuda_context_leave (const PacoCudaContext *context);

G_END_DECLS
