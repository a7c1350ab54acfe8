/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds the CUDA driver's functions; cuda.h says for whom. */
#include "tests/lib/cuda.h"
#include <dlfcn.h>
#include <string.h>

Cuda cuda;
CUcontext context;
CUstream stream;

void
must (CUresult result)
{
  g_assert_cmpint (result, ==, CUDA_SUCCESS);
}

bool
open_cuda (void)
{
  static const struct
  {
    const char *name;
    void *function;
  } functions[] = {
    { "cuInit", &cuda.init },
    { "cuDeviceGetCount", &cuda.device_get_count },
    { "cuDeviceGet", &cuda.device_get },
    { "cuCtxCreate_v2", &cuda.ctx_create },
    { "cuCtxDestroy_v2", &cuda.ctx_destroy },
    { "cuStreamCreate", &cuda.stream_create },
    { "cuStreamSynchronize", &cuda.stream_synchronize },
    { "cuStreamDestroy_v2", &cuda.stream_destroy },
    { "cuMemAlloc_v2", &cuda.mem_alloc },
    { "cuMemFree_v2", &cuda.mem_free },
    { "cuMemHostAlloc", &cuda.mem_host_alloc },
    { "cuMemFreeHost", &cuda.mem_free_host },
    { "cuMemcpyHtoDAsync_v2", &cuda.memcpy_htod_async },
    { "cuMemcpyDtoH_v2", &cuda.memcpy_dtoh },
  };
  void *library = dlopen ("libcuda.so.1", RTLD_NOW);
  CUdevice device;

  for (unsigned i = 0; library && i < G_N_ELEMENTS (functions); i++) {
    void *function = dlsym (library, functions[i].name);

    g_assert_nonnull (function);
    memcpy (functions[i].function, &function, sizeof function);
  }
  if (!library || cuda.init (0) != CUDA_SUCCESS
      || cuda.device_get (&device, 0) != CUDA_SUCCESS)
    return false;
  must (cuda.ctx_create (&context, 0, device));
  must (cuda.stream_create (&stream, CU_STREAM_NON_BLOCKING));
  return true;
}

void
close_cuda (void)
{
  must (cuda.stream_destroy (stream));
  must (cuda.ctx_destroy (context));
}
