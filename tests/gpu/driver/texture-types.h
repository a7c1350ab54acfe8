/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Declares the CUDA driver's interface of texture objects, for programs that test or
 * measure with it; the project has no textures. It follows gpu/driver_types.h;
 * driver-types.c compares it with the toolkit's cuda.h. */
#pragma once
#include "gpu/driver_types.h"

typedef unsigned long long CUtexObject;

enum
{
  CU_RESOURCE_TYPE_PITCH2D = 3,
  CU_AD_FORMAT_FLOAT = 0x20,
  CU_TR_ADDRESS_MODE_CLAMP = 1,
  CU_TR_FILTER_MODE_POINT = 0,
};

typedef struct
{
  int resType;
  union
  {
    struct
    {
      CUdeviceptr devPtr;
      int format;
      unsigned numChannels;
      size_t width, height; /* elements */
      size_t pitchInBytes;
    } pitch2D;
    int reserved[32];
  } res;
  unsigned flags;
} CUDA_RESOURCE_DESC;

typedef struct
{
  int addressMode[3];
  int filterMode;
  unsigned flags, maxAnisotropy;
  int mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  float borderColor[4];
  int reserved[12];
} CUDA_TEXTURE_DESC;
