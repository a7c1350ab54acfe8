/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The lines of a picture in the device's memory by which its wavelet is chosen
 * (codec/policy_wavelet.h), brought to the host. The encoder calls this before it
 * enqueues a frame's kernels, and waits for the copies. */
#pragma once
#include "codec/policy_wavelet.h"
#include "gpu/frame.h"

/* Copies the lines, and waits. The frame's stream must already wait for the picture.
 * The samples are in `memory`, and stay there as long as it does. */
gboolean paco_cuda_fetch_bands (PacoCudaFrame *frame,
    const PacoPictureFormat *format, const PacoPicture *picture,
    PacoPinnedMemory *memory, PacoBandSamples *samples, GError **error);
