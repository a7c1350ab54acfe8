/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Defines the driver's functions that others need besides those of the backend: the
 * package for Python, and libgstcuda-1.0, the library of elements that have pictures in
 * device memory. The latter opens the same libcuda.so.1 and takes none that lacks a
 * function, even of those that it calls for graphics only: these return an error. */
#include "tests/gpu/driver/fake-driver.h"
#include "tests/gpu/driver/fake-state.h"
#include <string.h>

#define CU_POINTER_ATTRIBUTE_CONTEXT 1
#define PITCH 256 /* the width of lines is a multiple of this */
/* A texture's address and the distance of its lines are multiples of 512
 * bytes. */
#define TEXTURE_ALIGNMENT 512
#define TEXTURE_PITCH_ALIGNMENT 32

FAKE_NEIGHBOR_FUNCTIONS (FAKE_DECLARE)
FAKE_REFUSED_FUNCTIONS (FAKE_DECLARE)

/* --- Devices --- */

CUresult
fake_driver_get_version (int *version)
{
  CUresult result = fake_begin (FUNCTION_driver_get_version);

  *version = 12000;
  return fake_end (result);
}

CUresult
fake_device_can_access_peer (int *can, CUdevice device, CUdevice peer)
{
  CUresult result = fake_begin (FUNCTION_device_can_access_peer);

  *can = 0;
  return fake_end (result);
}

CUresult
fake_device_primary_ctx_retain (CUcontext *handle, CUdevice device)
{
  CUresult result = fake_begin (FUNCTION_device_primary_ctx_retain);

  if (result == CUDA_SUCCESS)
    *handle = (CUcontext) fake_context_primary (device);
  return fake_end (result);
}

CUresult
fake_stream_destroy_old (CUstream stream)
{
  return fake_destroy_stream (FUNCTION_stream_destroy_old, stream);
}

/* --- Memory --- */

CUresult
fake_pointer_get_attribute (void *value, int attribute, CUdeviceptr memory)
{
  CUresult result = fake_begin (FUNCTION_pointer_get_attribute);
  FakeContext *owner = fake_owner ((const void *) (uintptr_t) memory);

  if (result == CUDA_SUCCESS
      && (attribute != CU_POINTER_ATTRIBUTE_CONTEXT || !owner))
    result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *(CUcontext *) value = (CUcontext) owner;
  return fake_end (result);
}

CUresult
fake_mem_alloc_pitch (CUdeviceptr *memory, size_t *pitch, size_t width,
    size_t height, unsigned element)
{
  CUresult result = fake_begin_in_context (FUNCTION_mem_alloc_pitch);
  size_t size;

  *pitch = (width + PITCH - 1) / PITCH * PITCH;
  size = *pitch * height;
  if (result == CUDA_SUCCESS
      && size > FAKE_DEVICE_MEMORY - fake_used (fake_current ()->device))
    result = CUDA_ERROR_OUT_OF_MEMORY;
  if (result == CUDA_SUCCESS)
    *memory = (uintptr_t) fake_new_block (fake_current (), size, false, false);
  return fake_end (result);
}

CUresult
fake_mem_alloc_host (void **memory, size_t size)
{
  CUresult result = fake_begin_in_context (FUNCTION_mem_alloc_host);

  if (result == CUDA_SUCCESS)
    *memory = fake_new_block (fake_current (), size, true, false);
  return fake_end (result);
}

CUresult
fake_memcpy_2d (const CUDA_MEMCPY2D *copy)
{
  CUresult result = fake_begin_in_context (FUNCTION_memcpy_2d);
  bool to_host = copy->dstMemoryType == CU_MEMORYTYPE_HOST;
  bool from_host = copy->srcMemoryType == CU_MEMORYTYPE_HOST;
  uint8_t *to = to_host ? copy->dstHost : (void *) (uintptr_t) copy->dstDevice;
  const uint8_t *from = from_host ? copy->srcHost
                                  : (void *) (uintptr_t) copy->srcDevice;

  if (result != CUDA_SUCCESS || copy->Height == 0)
    return fake_end (result);
  if (!to_host)
    fake_check_memory (fake_current (), to,
        (copy->Height - 1) * copy->dstPitch + copy->WidthInBytes, false);
  if (!from_host)
    fake_check_memory (fake_current (), from,
        (copy->Height - 1) * copy->srcPitch + copy->WidthInBytes, false);
  /* Nobody waits for copies within the device. */
  if (!to_host && !from_host) {
    FakeOperation *operation = fake_enqueue (NULL, FAKE_COPY);

    operation->to = to;
    operation->from = from;
    operation->bytes = copy->WidthInBytes;
    operation->rows = copy->Height;
    operation->to_pitch = copy->dstPitch;
    operation->from_pitch = copy->srcPitch;
    return fake_end (CUDA_SUCCESS);
  }
  fake_run_all (fake_current ());
  for (size_t y = 0; y < copy->Height; y++)
    memcpy (
        to + y * copy->dstPitch, from + y * copy->srcPitch, copy->WidthInBytes);
  return fake_end (CUDA_SUCCESS);
}

/* --- What is not there --- */

CUresult
fake_ctx_enable_peer_access (CUcontext peer, unsigned flags)
{
  fake_begin (FUNCTION_ctx_enable_peer_access);
  return fake_end (CUDA_ERROR_INVALID_VALUE);
}

CUresult
fake_ctx_disable_peer_access (CUcontext peer)
{
  fake_begin (FUNCTION_ctx_disable_peer_access);
  return fake_end (CUDA_ERROR_INVALID_VALUE);
}

/* --- Textures --- */

/* Describes a texture of floats in device memory, for the emulation's
 * tex2D(), which reads the nearest one: an object is the address of what
 * describes it. */
CUresult
fake_tex_object_create (CUtexObject *object, const CUDA_RESOURCE_DESC *resource,
    const CUDA_TEXTURE_DESC *texture, const void *view)
{
  CUresult result = fake_begin_in_context (FUNCTION_tex_object_create);

  if (result == CUDA_SUCCESS
      && (resource->resType != CU_RESOURCE_TYPE_PITCH2D
          || resource->res.pitch2D.format != CU_AD_FORMAT_FLOAT
          || resource->res.pitch2D.numChannels != 1
          || resource->res.pitch2D.devPtr % TEXTURE_ALIGNMENT != 0
          || resource->res.pitch2D.pitchInBytes % TEXTURE_PITCH_ALIGNMENT != 0
          || texture->filterMode != CU_TR_FILTER_MODE_POINT
          || texture->addressMode[0] != CU_TR_ADDRESS_MODE_CLAMP
          || texture->addressMode[1] != CU_TR_ADDRESS_MODE_CLAMP || view))
    result = CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *object = (uintptr_t) g_memdup2 (resource, sizeof *resource);
  return fake_end (result);
}

CUresult
fake_tex_object_destroy (CUtexObject object)
{
  CUresult result = fake_begin_in_context (FUNCTION_tex_object_destroy);

  if (result == CUDA_SUCCESS)
    g_free ((void *) (uintptr_t) object);
  return fake_end (result);
}

#define REFUSE(member, symbol, parameters)                                     \
  CUresult fake_##member parameters                                            \
  {                                                                            \
    fake_begin (FUNCTION_##member);                                            \
    return fake_end (CUDA_ERROR_INVALID_VALUE);                                \
  }

FAKE_REFUSED_FUNCTIONS (REFUSE)
