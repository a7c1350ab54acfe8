/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Memory of the device and page-locked memory of the host. Both are expensive
 * to get, so buffers only ever grow, and what frames need is reserved when
 * the format is set. */
#pragma once
#include "gpu/backend.h"

G_BEGIN_DECLS

typedef struct
{
  CUdeviceptr address;
  size_t size;
} PacoDeviceMemory;

/* Makes the buffer at least this large; what was in it is lost when it grows,
 * and the new memory is zero. what: for messages, "coefficients". Nothing that
 * is enqueued may use it. */
gboolean paco_device_memory_reserve (PacoCuda *cuda, PacoDeviceMemory *memory,
    size_t size, const char *what, GError **error);
void paco_device_memory_clear (PacoCuda *cuda, PacoDeviceMemory *memory);

/* Page-locked, with the same address on the device. */
typedef struct
{
  uint8_t *data;
  size_t size;
} PacoPinnedMemory;

gboolean paco_pinned_memory_reserve (PacoCuda *cuda, PacoPinnedMemory *memory,
    size_t size, const char *what, GError **error);
void paco_pinned_memory_clear (PacoCuda *cuda, PacoPinnedMemory *memory);

/* Memory for the user. Unlike the above, both functions enter the context
 * themselves. */
PacoHostMemory *paco_cuda_host_memory_new (
    PacoCuda *cuda, size_t size, GError **error);

/* Whether these bytes lie in memory that was handed out and not released. */
bool paco_cuda_is_pinned (PacoCuda *cuda, const void *data, size_t size);

G_END_DECLS
