/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A coder's share of a device: what its flights on that device have in common. Frames,
 * memory and transfers refer to it. */
#pragma once
#include "codec/backend.h"
#include "gpu/copy.h"
#include "gpu/device.h"

typedef struct
{
  PacoCudaDevice *device; /* NULL until it is open */
  PacoHelpers *copiers;
  gsize memory; /* of the device, bytes that the coder has; atomic */
} PacoCudaShare;

/* Finds the numbers of a coder's devices, PACO_MAX_DEVICES at most; with a context that
 * was handed in one, which does not matter. Returns 0 with an error if the options ask
 * for all usable devices and there is none. */
unsigned paco_cuda_find_ordinals (
    const PacoBackendOptions *options, int *ordinals, GError **error);

/* Opens the device of this number, or of the context that the options hand in, and adds
 * it to the coder's. Errors: see paco_cuda_device_open(). */
gboolean paco_cuda_share_open (PacoCudaShare *share, PacoCoder *coder,
    const PacoBackendOptions *options, int ordinal, GError **error);
/* Closes a share. The coder must have nothing left on the device. */
void paco_cuda_share_close (PacoCudaShare *share);

/* The functions of paco_cuda_backend, in encoder.c and decoder.c. */
PacoEncoder *paco_cuda_encoder_open (
    const PacoBackendOptions *options, GError **error);
PacoDecoder *paco_cuda_decoder_open (
    const PacoBackendOptions *options, GError **error);

/* The handle is a PacoCudaShare. */
extern const PacoDeviceClass paco_cuda_device_class;
