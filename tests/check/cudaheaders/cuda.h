/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What the headers of libgstcuda-1.0 name of the toolkit's cuda.h and cudaGL.h, so
 * that cudaheaders.c can be built without it. */
#pragma once
#include "gpu/driver_types.h"

typedef struct CUgraphicsResource_st *CUgraphicsResource;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef unsigned long long CUtexObject;
typedef unsigned CUgraphicsRegisterFlags, CUgraphicsMapResourceFlags;
typedef unsigned CUGLDeviceList;
typedef struct CUDA_RESOURCE_DESC_st CUDA_RESOURCE_DESC;
typedef struct CUDA_TEXTURE_DESC_st CUDA_TEXTURE_DESC;
typedef struct CUDA_RESOURCE_VIEW_DESC_st CUDA_RESOURCE_VIEW_DESC;
