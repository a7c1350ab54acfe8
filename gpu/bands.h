/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The lines of a picture in device memory by which its color transform and
 * wavelet are chosen (codec/policy_tiles.h), brought to the host. */
#pragma once
#include "codec/policy_tiles.h"
#include "gpu/frame.h"

/* Of a frame in flight. All is 0 before the first one. The stream is the bands' own: other
 * frames' downloads delay the copies, which must not delay the frame. */
typedef struct
{
  CUstream stream;
  PacoPinnedMemory memory;
  PacoBandSamples samples;
} PacoCudaBands;

void paco_cuda_bands_clear (PacoCudaBands *bands, PacoCudaDevice *device);

/* Enqueues the copies of the lines and describes them in bands->samples. They are there
 * after the frame's moment PACO_CUDA_SAMPLED. The frame's stream must already wait for the
 * picture. */
gboolean paco_cuda_bands_fetch (PacoCudaBands *bands, PacoCudaFrame *frame,
    const PacoPictureFormat *format, const PacoPicture *picture,
    const PacoSampleMaps *maps, GError **error);

/* Waits for all copies that were enqueued, after a failure. */
void paco_cuda_bands_give_up (PacoCudaBands *bands, PacoCudaDevice *device);
