/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compares gpu/driver_types.h and texture-types.h with the toolkit's cuda.h: every
 * constant, size and offset is the same. This file is compiled twice, with our headers
 * and, with TOOLKIT, with cuda.h, because the two cannot be included together. */
#ifdef TOOLKIT
#include <cuda.h>
#else
#include "tests/gpu/driver/texture-types.h"
#endif
#include <stddef.h>
#include <stdio.h>

typedef struct
{
  const char *name; /* NULL ends a list */
  long long number;
} DriverNumber;

#define DRIVER_CONSTANTS(F)                                                    \
  F (CUDA_SUCCESS)                                                             \
  F (CUDA_ERROR_INVALID_VALUE)                                                 \
  F (CUDA_ERROR_OUT_OF_MEMORY)                                                 \
  F (CUDA_ERROR_DEVICE_UNAVAILABLE)                                            \
  F (CUDA_ERROR_NO_DEVICE)                                                     \
  F (CUDA_ERROR_INVALID_DEVICE)                                                \
  F (CUDA_ERROR_INVALID_CONTEXT)                                               \
  F (CUDA_ERROR_NO_BINARY_FOR_GPU)                                             \
  F (CUDA_ERROR_ECC_UNCORRECTABLE)                                             \
  F (CUDA_ERROR_NVLINK_UNCORRECTABLE)                                          \
  F (CUDA_ERROR_UNSUPPORTED_PTX_VERSION)                                       \
  F (CUDA_ERROR_INVALID_HANDLE)                                                \
  F (CUDA_ERROR_NOT_FOUND)                                                     \
  F (CUDA_ERROR_ILLEGAL_ADDRESS)                                               \
  F (CUDA_ERROR_LAUNCH_TIMEOUT)                                                \
  F (CUDA_ERROR_ASSERT)                                                        \
  F (CUDA_ERROR_HARDWARE_STACK_ERROR)                                          \
  F (CUDA_ERROR_ILLEGAL_INSTRUCTION)                                           \
  F (CUDA_ERROR_MISALIGNED_ADDRESS)                                            \
  F (CUDA_ERROR_INVALID_ADDRESS_SPACE)                                         \
  F (CUDA_ERROR_INVALID_PC)                                                    \
  F (CUDA_ERROR_LAUNCH_FAILED)                                                 \
  F (CUDA_ERROR_NOT_SUPPORTED)                                                 \
  F (CUDA_ERROR_SYSTEM_NOT_READY)                                              \
  F (CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)                                        \
  F (CUDA_ERROR_EXTERNAL_DEVICE)                                               \
  F (CUDA_ERROR_UNKNOWN)                                                       \
  F (CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT)                                    \
  F (CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)                                 \
  F (CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)                             \
  F (CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)                             \
  F (CU_FUNC_ATTRIBUTE_PTX_VERSION)                                            \
  F (CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)                          \
  F (CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)                       \
  F (CU_MEMORYTYPE_HOST)                                                       \
  F (CU_MEMORYTYPE_DEVICE)                                                     \
  F (CU_CTX_SCHED_BLOCKING_SYNC)                                               \
  F (CU_STREAM_NON_BLOCKING)                                                   \
  F (CU_EVENT_DISABLE_TIMING)                                                  \
  F (CU_EVENT_BLOCKING_SYNC)                                                   \
  F (CU_MEMHOSTALLOC_PORTABLE)                                                 \
  F (CU_MEMHOSTALLOC_DEVICEMAP)                                                \
  F (CU_SHAREDMEM_CARVEOUT_MAX_SHARED)                                         \
  F (CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)                    \
  F (CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC)                                   \
  F (CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC)                                    \
  F (CU_RESOURCE_TYPE_PITCH2D)                                                 \
  F (CU_AD_FORMAT_FLOAT)                                                       \
  F (CU_TR_ADDRESS_MODE_CLAMP)                                                 \
  F (CU_TR_FILTER_MODE_POINT)

#define DRIVER_TYPES(F)                                                        \
  F (CUresult)                                                                 \
  F (CUdevice)                                                                 \
  F (CUdeviceptr)                                                              \
  F (CUcontext)                                                                \
  F (CUuuid)                                                                   \
  F (CUmodule)                                                                 \
  F (CUfunction)                                                               \
  F (CUstream)                                                                 \
  F (CUevent)                                                                  \
  F (CUarray)                                                                  \
  F (CUdevice_attribute)                                                       \
  F (CUfunction_attribute)                                                     \
  F (CUmemorytype)                                                             \
  F (CUDA_MEMCPY2D)                                                            \
  F (CUlaunchAttributeID)                                                      \
  F (CUlaunchAttributeValue)                                                   \
  F (CUlaunchAttribute)                                                        \
  F (CUlaunchConfig)                                                           \
  F (CUgraph)                                                                  \
  F (CUgraphNode)                                                              \
  F (CUgraphExec)                                                              \
  F (CUDA_KERNEL_NODE_PARAMS)                                                  \
  F (CUgraphEdgeData)                                                          \
  F (CUtexObject)                                                              \
  F (CUDA_RESOURCE_DESC)                                                       \
  F (CUDA_TEXTURE_DESC)

#define DRIVER_MEMBERS(F)                                                      \
  F (CUuuid, bytes)                                                            \
  F (CUDA_MEMCPY2D, srcXInBytes)                                               \
  F (CUDA_MEMCPY2D, srcY)                                                      \
  F (CUDA_MEMCPY2D, srcMemoryType)                                             \
  F (CUDA_MEMCPY2D, srcHost)                                                   \
  F (CUDA_MEMCPY2D, srcDevice)                                                 \
  F (CUDA_MEMCPY2D, srcArray)                                                  \
  F (CUDA_MEMCPY2D, srcPitch)                                                  \
  F (CUDA_MEMCPY2D, dstXInBytes)                                               \
  F (CUDA_MEMCPY2D, dstY)                                                      \
  F (CUDA_MEMCPY2D, dstMemoryType)                                             \
  F (CUDA_MEMCPY2D, dstHost)                                                   \
  F (CUDA_MEMCPY2D, dstDevice)                                                 \
  F (CUDA_MEMCPY2D, dstArray)                                                  \
  F (CUDA_MEMCPY2D, dstPitch)                                                  \
  F (CUDA_MEMCPY2D, WidthInBytes)                                              \
  F (CUDA_MEMCPY2D, Height)                                                    \
  F (CUlaunchAttributeValue, programmaticStreamSerializationAllowed)           \
  F (CUlaunchAttribute, id)                                                    \
  F (CUlaunchAttribute, value)                                                 \
  F (CUlaunchConfig, gridDimX)                                                 \
  F (CUlaunchConfig, gridDimY)                                                 \
  F (CUlaunchConfig, gridDimZ)                                                 \
  F (CUlaunchConfig, blockDimX)                                                \
  F (CUlaunchConfig, blockDimY)                                                \
  F (CUlaunchConfig, blockDimZ)                                                \
  F (CUlaunchConfig, sharedMemBytes)                                           \
  F (CUlaunchConfig, hStream)                                                  \
  F (CUlaunchConfig, attrs)                                                    \
  F (CUlaunchConfig, numAttrs)                                                 \
  F (CUDA_KERNEL_NODE_PARAMS, func)                                            \
  F (CUDA_KERNEL_NODE_PARAMS, gridDimX)                                        \
  F (CUDA_KERNEL_NODE_PARAMS, gridDimY)                                        \
  F (CUDA_KERNEL_NODE_PARAMS, gridDimZ)                                        \
  F (CUDA_KERNEL_NODE_PARAMS, blockDimX)                                       \
  F (CUDA_KERNEL_NODE_PARAMS, blockDimY)                                       \
  F (CUDA_KERNEL_NODE_PARAMS, blockDimZ)                                       \
  F (CUDA_KERNEL_NODE_PARAMS, sharedMemBytes)                                  \
  F (CUDA_KERNEL_NODE_PARAMS, kernelParams)                                    \
  F (CUDA_KERNEL_NODE_PARAMS, extra)                                           \
  F (CUDA_KERNEL_NODE_PARAMS, kern)                                            \
  F (CUDA_KERNEL_NODE_PARAMS, ctx)                                             \
  F (CUgraphEdgeData, from_port)                                               \
  F (CUgraphEdgeData, to_port)                                                 \
  F (CUgraphEdgeData, type)                                                    \
  F (CUgraphEdgeData, reserved)                                                \
  F (CUDA_RESOURCE_DESC, resType)                                              \
  F (CUDA_RESOURCE_DESC, res.pitch2D.devPtr)                                   \
  F (CUDA_RESOURCE_DESC, res.pitch2D.format)                                   \
  F (CUDA_RESOURCE_DESC, res.pitch2D.numChannels)                              \
  F (CUDA_RESOURCE_DESC, res.pitch2D.width)                                    \
  F (CUDA_RESOURCE_DESC, res.pitch2D.height)                                   \
  F (CUDA_RESOURCE_DESC, res.pitch2D.pitchInBytes)                             \
  F (CUDA_RESOURCE_DESC, flags)                                                \
  F (CUDA_TEXTURE_DESC, addressMode)                                           \
  F (CUDA_TEXTURE_DESC, filterMode)                                            \
  F (CUDA_TEXTURE_DESC, flags)                                                 \
  F (CUDA_TEXTURE_DESC, maxAnisotropy)                                         \
  F (CUDA_TEXTURE_DESC, mipmapFilterMode)                                      \
  F (CUDA_TEXTURE_DESC, mipmapLevelBias)                                       \
  F (CUDA_TEXTURE_DESC, minMipmapLevelClamp)                                   \
  F (CUDA_TEXTURE_DESC, maxMipmapLevelClamp)                                   \
  F (CUDA_TEXTURE_DESC, borderColor)

#define DRIVER_CONSTANT(name) { #name, name },
#define DRIVER_TYPE(type)                                                      \
  { "size of " #type, sizeof (type) },                                         \
      { "alignment of " #type, _Alignof(type) },
#define DRIVER_MEMBER(type, member)                                            \
  { "offset of " #type "." #member, offsetof (type, member) },                 \
      { "size of " #type "." #member, sizeof (((type *) 0)->member) },

#define DRIVER_NUMBERS                                                         \
  {                                                                            \
    DRIVER_CONSTANTS (DRIVER_CONSTANT)                                         \
    DRIVER_TYPES (DRIVER_TYPE) DRIVER_MEMBERS (DRIVER_MEMBER)                  \
    {                                                                          \
      NULL, 0                                                                  \
    }                                                                          \
  }

extern const DriverNumber numbers_of_toolkit[];

#ifdef TOOLKIT
const DriverNumber numbers_of_toolkit[] = DRIVER_NUMBERS;
#else
static const DriverNumber numbers[] = DRIVER_NUMBERS;

int
main (void)
{
  int n_failed = 0, n = 0;

  for (; numbers[n].name; n++)
    if (numbers[n].number != numbers_of_toolkit[n].number) {
      printf ("%s: %lld, of the toolkit %lld\n", numbers[n].name,
          numbers[n].number, numbers_of_toolkit[n].number);
      n_failed++;
    }
  printf ("%d numbers, %d differ\n", n, n_failed);
  return n_failed > 0;
}
#endif
