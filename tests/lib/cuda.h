/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Calls the CUDA driver as an application does, with a context and a stream of its own,
 * for device-memory.c and regions.c. There is a GPU, or an emulated one. */
#pragma once
#include "gpu/driver_types.h"
#include <glib.h>
#include <stdbool.h>

typedef struct
{
  CUresult (*init) (unsigned flags);
  CUresult (*device_get_count) (int *count);
  CUresult (*device_get) (CUdevice *device, int ordinal);
  CUresult (*ctx_create) (CUcontext *context, unsigned flags, CUdevice device);
  CUresult (*ctx_destroy) (CUcontext context);
  CUresult (*stream_create) (CUstream *stream, unsigned flags);
  CUresult (*stream_synchronize) (CUstream stream);
  CUresult (*stream_destroy) (CUstream stream);
  CUresult (*mem_alloc) (CUdeviceptr *memory, size_t size);
  CUresult (*mem_free) (CUdeviceptr memory);
  CUresult (*mem_host_alloc) (void **memory, size_t size, unsigned flags);
  CUresult (*mem_free_host) (void *memory);
  CUresult (*memcpy_htod_async) (
      CUdeviceptr to, const void *from, size_t size, CUstream stream);
  CUresult (*memcpy_dtoh) (void *to, CUdeviceptr from, size_t size);
} Cuda;

extern Cuda cuda;
extern CUcontext context;
extern CUstream stream;

/* Makes context and stream. Returns false if there is no GPU. */
bool open_cuda (void);
void close_cuda (void);

/* Asserts that a call of the driver has succeeded. */
void must (CUresult result);
