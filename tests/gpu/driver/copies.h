/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copies that tests and measurements ask the driver for, and the backend does without. */
#pragma once
#include "gpu/driver.h"
#include <dlfcn.h>

/* As in PACO_DRIVER_FUNCTIONS. */
#define DRIVER_COPIES(F)                                                       \
  F (memcpy_dtoh, "cuMemcpyDtoH_v2",                                           \
      (void *to, CUdeviceptr from, size_t size))                               \
  F (memcpy_dtod_async, "cuMemcpyDtoDAsync_v2",                                \
      (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream))

static inline CUresult
driver_memcpy_dtoh (
    const PacoDriver *driver, void *to, CUdeviceptr from, size_t size)
{
  CUresult (*copy) (void *to, CUdeviceptr from, size_t size);

  *(void **) &copy = dlsym (driver->library, "cuMemcpyDtoH_v2");
  return copy ? copy (to, from, size) : CUDA_ERROR_NOT_FOUND;
}

static inline CUresult
driver_memcpy_dtod_async (const PacoDriver *driver, CUdeviceptr to,
    CUdeviceptr from, size_t size, CUstream stream)
{
  CUresult (*copy) (
      CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream);

  *(void **) &copy = dlsym (driver->library, "cuMemcpyDtoDAsync_v2");
  return copy ? copy (to, from, size, stream) : CUDA_ERROR_NOT_FOUND;
}
