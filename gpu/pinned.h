/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Page-locked memory handed to users, for pictures and encoded frames. It comes from
 * one device, and devices of all coders of the process access it: it is never staged,
 * whichever coder gets it. */
#pragma once
#include "gpu/device.h"
#include <stdbool.h>

/* Allocates memory, which is not cleared, keeps the device open, may outlive all coders
 * and be released by any thread. The device's context must not be current. Errors
 * MEMORY and DEVICE. */
PacoHostMemory *paco_cuda_host_memory_new (
    PacoCudaDevice *device, size_t size, GError **error);

/* True if these bytes lie in such memory of any device. It looks through the list under
 * a lock, once for each frame and region. */
bool paco_is_pinned (const void *data, size_t size);
