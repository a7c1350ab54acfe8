/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Page-locked memory that users have, for pictures and encoded frames. It comes
 * from one device, and the devices of all coders of the process read and write
 * it: what lies in it is copied nowhere else on the host, whichever coder it is
 * given to. device.c and output.c hand it out, encoder, decoder and transfer.c
 * find it by address. */
#pragma once
#include "gpu/device.h"
#include <stdbool.h>

/* Allocates memory of this many bytes, which is not cleared. It may outlive all
 * coders, keeps the device open, and may be released by any thread. The device's
 * context must not be current. Errors MEMORY and DEVICE. */
PacoHostMemory *paco_cuda_host_memory_new (
    PacoCudaDevice *device, size_t size, GError **error);

/* Says whether these bytes lie in such memory of any device that is not yet released.
 * It takes a lock and looks through the whole list, so it is called once for each
 * frame and region. */
bool paco_is_pinned (const void *data, size_t size);
