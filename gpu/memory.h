/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Memory of the device and page-locked memory of the host, for the backend itself;
 * users get theirs from pinned.h. Both are expensive to allocate, so buffers only grow,
 * and what frames need is reserved when the format is set. */
#pragma once
#include "gpu/share.h"
#include "gpu/stream.h"

typedef struct
{
  CUdeviceptr address;
  size_t size;
} PacoDeviceMemory;

/* Makes the buffer at least this large. When it grows, its content is lost, and the new
 * memory is zero. what is a name for messages, "coefficients". Nothing that is enqueued
 * may use the buffer. */
gboolean paco_device_memory_reserve (PacoCudaShare *share,
    PacoDeviceMemory *memory, size_t size, const char *what, GError **error);
void paco_device_memory_clear (PacoCudaShare *share, PacoDeviceMemory *memory);

/* Page-locked, with the same address on every device. */
typedef struct
{
  uint8_t *data;
  size_t size;
  bool registered; /* huge pages of our own; else memory of the driver */
} PacoPinnedMemory;

/* Allocates page-locked memory, whose content is undefined. */
CUresult paco_pinned_memory_new (
    const PacoDriver *driver, size_t size, PacoPinnedMemory *memory);
void paco_pinned_memory_free (
    const PacoDriver *driver, PacoPinnedMemory *memory);

gboolean paco_pinned_memory_reserve (PacoCudaDevice *device,
    PacoPinnedMemory *memory, size_t size, const char *what, GError **error);
void paco_pinned_memory_clear (
    PacoCudaDevice *device, PacoPinnedMemory *memory);

/* Enqueue a copy between page-locked memory and the device's. */
gboolean paco_cuda_upload (const PacoCudaDevice *device, CUdeviceptr to,
    const void *from, size_t size, PacoCudaStream *stream, GError **error);
gboolean paco_cuda_download (const PacoCudaDevice *device, void *to,
    CUdeviceptr from, size_t size, PacoCudaStream *stream, GError **error);
