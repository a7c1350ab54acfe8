/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Declares what the headers of libgstcuda-1.0, up to 1.26, use of the toolkit's
 * cuda.h and cudaGL.h, so that cudaheaders.c can be built without the toolkit.
 * Nothing here is looked into or called, so the types only have to differ from each
 * other. */
#pragma once
#include "gpu/driver_types.h"

typedef unsigned long long CUtexObject, CUmemGenericAllocationHandle;
typedef unsigned CUgraphicsRegisterFlags, CUgraphicsMapResourceFlags;
typedef unsigned CUGLDeviceList;
typedef int CUfilter_mode, CUlimit, CUmemAllocationGranularity_flags;
typedef int CUmemAllocationHandleType, CUmemPool_attribute;

typedef struct
{
  char reserved[64];
} CUipcEventHandle, CUipcMemHandle;

#define HANDLE(name) typedef struct name##_st *name
HANDLE (CUexternalMemory);
HANDLE (CUexternalSemaphore);
HANDLE (CUgraphicsResource);
HANDLE (CUmemoryPool);
HANDLE (CUmipmappedArray);
#undef HANDLE

#define STRUCT(name) typedef struct name##_st name
STRUCT (CUmemAccessDesc);
STRUCT (CUmemAllocationProp);
STRUCT (CUmemLocation);
STRUCT (CUmemPoolProps);
STRUCT (CUDA_EXTERNAL_MEMORY_BUFFER_DESC);
STRUCT (CUDA_EXTERNAL_MEMORY_HANDLE_DESC);
STRUCT (CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC);
STRUCT (CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC);
STRUCT (CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS);
STRUCT (CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS);
STRUCT (CUDA_RESOURCE_DESC);
STRUCT (CUDA_RESOURCE_VIEW_DESC);
STRUCT (CUDA_TEXTURE_DESC);
#undef STRUCT
