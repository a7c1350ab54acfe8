/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A context on a device, without which the driver does nothing there. device.c opens
 * one for all coders of a device; tests of kernels have their own. */
#pragma once
#include "codec/coder.h"
#include "gpu/driver.h"

/* The oldest devices that the kernels are built for. */
#define PACO_MIN_COMPUTE_CAPABILITY 75

#define PACO_CUDA_NAME_SIZE 128

/* A device with a context: one of the backend's own, not the primary one, so that
 * nothing in the application can reset it, or one that the application has handed in. */
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

/* Lists the numbers (int) of devices that are new enough, in order, without a context.
 * NULL with error NO_DEVICE if there is no driver or device, or DEVICE, which says why
 * the last one cannot be used. */
GArray *paco_cuda_list_devices (GError **error);

/* Opens a context, which is not current afterwards. Error NO_DEVICE if there is no
 * driver or no such device, DEVICE if the device is too old or gives no context. */
PacoCudaContext *paco_cuda_context_open (int ordinal, GError **error);
/* Takes a context that exists, and stays. Errors NO_DEVICE, and DEVICE also if it does
 * not exist any more. */
PacoCudaContext *paco_cuda_context_wrap (
    const PacoForeignContext *foreign, GError **error);
void paco_cuda_context_close (PacoCudaContext *context);

/* Make the context current in this thread, and undo that. Other functions that take a
 * PacoCudaContext, or something made with it, expect it to be current. */
gboolean paco_cuda_context_enter (
    const PacoCudaContext *context, GError **error);
void paco_cuda_context_leave (const PacoCudaContext *context);
