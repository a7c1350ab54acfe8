/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The CUDA driver, found at run time. Nothing links to libcuda: the library is opened
 * when a device is asked for. So the plugin loads on any machine, and one without a GPU
 * gets a sentence instead of a failure of the dynamic linker. */
#pragma once
#include "codec/error.h"
#include "gpu/driver_types.h"
#include <stdbool.h>

/* F (member, symbol, parameters) for each function; all return CUresult. Symbols have
 * their version in their names, as older drivers lack the newest one. */
#define PACO_DRIVER_FUNCTIONS(F)                                               \
  F (init, "cuInit", (unsigned flags))                                         \
  F (get_error_name, "cuGetErrorName", (CUresult error, const char **name))    \
  F (get_error_string, "cuGetErrorString",                                     \
      (CUresult error, const char **string))                                   \
  F (device_get_count, "cuDeviceGetCount", (int *count))                       \
  F (device_get, "cuDeviceGet", (CUdevice * device, int ordinal))              \
  F (device_get_name, "cuDeviceGetName",                                       \
      (char *name, int length, CUdevice device))                               \
  F (device_get_uuid, "cuDeviceGetUuid_v2", (CUuuid * uuid, CUdevice device))  \
  F (device_get_attribute, "cuDeviceGetAttribute",                             \
      (int *value, CUdevice_attribute attribute, CUdevice device))             \
  F (ctx_create, "cuCtxCreate_v2",                                             \
      (CUcontext * context, unsigned flags, CUdevice device))                  \
  F (ctx_destroy, "cuCtxDestroy_v2", (CUcontext context))                      \
  F (ctx_push_current, "cuCtxPushCurrent_v2", (CUcontext context))             \
  F (ctx_pop_current, "cuCtxPopCurrent_v2", (CUcontext * context))             \
  F (ctx_get_device, "cuCtxGetDevice", (CUdevice * device))                    \
  F (ctx_synchronize, "cuCtxSynchronize", (void) )                             \
  F (stream_create, "cuStreamCreate", (CUstream * stream, unsigned flags))     \
  F (stream_destroy, "cuStreamDestroy_v2", (CUstream stream))                  \
  F (stream_synchronize, "cuStreamSynchronize", (CUstream stream))             \
  F (stream_wait_event, "cuStreamWaitEvent",                                   \
      (CUstream stream, CUevent event, unsigned flags))                        \
  F (event_create, "cuEventCreate", (CUevent * event, unsigned flags))         \
  F (event_destroy, "cuEventDestroy_v2", (CUevent event))                      \
  F (event_record, "cuEventRecord", (CUevent event, CUstream stream))          \
  F (event_synchronize, "cuEventSynchronize", (CUevent event))                 \
  F (event_elapsed_time, "cuEventElapsedTime",                                 \
      (float *milliseconds, CUevent start, CUevent end))                       \
  F (mem_get_info, "cuMemGetInfo_v2", (size_t * available, size_t * total))    \
  F (mem_alloc, "cuMemAlloc_v2", (CUdeviceptr * memory, size_t size))          \
  F (mem_free, "cuMemFree_v2", (CUdeviceptr memory))                           \
  F (mem_host_alloc, "cuMemHostAlloc",                                         \
      (void **memory, size_t size, unsigned flags))                            \
  F (mem_free_host, "cuMemFreeHost", (void *memory))                           \
  F (mem_host_register, "cuMemHostRegister_v2",                                \
      (void *memory, size_t size, unsigned flags))                             \
  F (mem_host_unregister, "cuMemHostUnregister", (void *memory))               \
  F (memcpy_htod, "cuMemcpyHtoD_v2",                                           \
      (CUdeviceptr to, const void *from, size_t size))                         \
  F (memcpy_htod_async, "cuMemcpyHtoDAsync_v2",                                \
      (CUdeviceptr to, const void *from, size_t size, CUstream stream))        \
  F (memcpy_dtoh_async, "cuMemcpyDtoHAsync_v2",                                \
      (void *to, CUdeviceptr from, size_t size, CUstream stream))              \
  F (memcpy_2d_async, "cuMemcpy2DAsync_v2",                                    \
      (const CUDA_MEMCPY2D *copy, CUstream stream))                            \
  F (memset_d8_async, "cuMemsetD8Async",                                       \
      (CUdeviceptr to, unsigned char value, size_t size, CUstream stream))     \
  F (module_load_data, "cuModuleLoadData",                                     \
      (CUmodule * module, const void *image))                                  \
  F (module_unload, "cuModuleUnload", (CUmodule module))                       \
  F (module_get_function, "cuModuleGetFunction",                               \
      (CUfunction * function, CUmodule module, const char *name))              \
  F (func_set_attribute, "cuFuncSetAttribute",                                 \
      (CUfunction function, CUfunction_attribute attribute, int value))        \
  F (func_get_attribute, "cuFuncGetAttribute",                                 \
      (int *value, CUfunction_attribute attribute, CUfunction function))       \
  F (occupancy_max_active_blocks,                                              \
      "cuOccupancyMaxActiveBlocksPerMultiprocessor",                           \
      (int *blocks, CUfunction function, int block_size, size_t shared_bytes)) \
  F (launch_kernel, "cuLaunchKernel",                                          \
      (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, \
          unsigned block_x, unsigned block_y, unsigned block_z,                \
          unsigned shared_bytes, CUstream stream, void **parameters,           \
          void **extra))                                                       \
  F (launch_kernel_ex, "cuLaunchKernelEx",                                     \
      (const CUlaunchConfig *launch, CUfunction function, void **parameters,   \
          void **extra))

/* The same for those that a driver may lack: graphs whose kernels may begin early came
 * with 12.3. */
#define PACO_DRIVER_GRAPH_FUNCTIONS(F)                                         \
  F (graph_create, "cuGraphCreate", (CUgraph * graph, unsigned flags))         \
  F (graph_destroy, "cuGraphDestroy", (CUgraph graph))                         \
  F (graph_add_kernel_node, "cuGraphAddKernelNode_v2",                         \
      (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies,     \
          size_t n, const CUDA_KERNEL_NODE_PARAMS *parameters))                \
  F (graph_add_dependencies, "cuGraphAddDependencies_v2",                      \
      (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,          \
          const CUgraphEdgeData *edges, size_t n))                             \
  F (graph_instantiate, "cuGraphInstantiateWithFlags",                         \
      (CUgraphExec * executable, CUgraph graph, unsigned long long flags))     \
  F (graph_exec_destroy, "cuGraphExecDestroy", (CUgraphExec executable))       \
  F (graph_exec_set_params, "cuGraphExecKernelNodeSetParams_v2",               \
      (CUgraphExec executable, CUgraphNode node,                               \
          const CUDA_KERNEL_NODE_PARAMS *parameters))                          \
  F (graph_launch, "cuGraphLaunch", (CUgraphExec executable, CUstream stream))

typedef struct
{
  void *library; /* of dlopen() */
  gint *failed;  /* atomic; see paco_driver_has_failed() */
#define PACO_DRIVER_MEMBER(member, symbol, parameters)                         \
  CUresult (CUDAAPI *member) parameters;
  PACO_DRIVER_FUNCTIONS (PACO_DRIVER_MEMBER)
  PACO_DRIVER_GRAPH_FUNCTIONS (PACO_DRIVER_MEMBER)
  bool has_graphs; /* all of the latter */
#undef PACO_DRIVER_MEMBER
} PacoDriver;

/* Opens libcuda.so.1 and initializes it. Error NO_DEVICE: "no CUDA device: ...". Tables
 * are independent of one another; the driver counts how often it was opened. */
PacoDriver *paco_driver_open (GError **error);
void paco_driver_close (PacoDriver *driver);

/* TRUE for CUDA_SUCCESS. Else sets the error "<task>: <what the driver says>", with
 * advice where there is any; task is printf-like, as in "cannot allocate 12 bytes". The
 * code is MEMORY when memory ran out, else DEVICE. */
gboolean paco_driver_check (const PacoDriver *driver, CUresult result,
    GError **error, const char *task, ...) G_GNUC_PRINTF (4, 5);

/* True if a check has ever ended with an error DEVICE, after most of which a context
 * cannot be used any more. */
gboolean paco_driver_has_failed (const PacoDriver *driver);
/* Marks the driver as failed, because a call does not return. */
void paco_driver_set_failed (const PacoDriver *driver);
