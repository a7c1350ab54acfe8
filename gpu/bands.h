/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The lines of a picture in device memory by which its color transform and
 * wavelet are chosen (codec/policy_tiles.h), brought to the host. */
#pragma once
#include "codec/policy_tiles.h"
#include "gpu/frame.h"

/* Copies the lines to `memory`, and waits. The frame's stream must already wait for the
 * picture. */
gboolean paco_cuda_fetch_bands (PacoCudaFrame *frame,
    const PacoPictureFormat *format, const PacoPicture *picture,
    const PacoSampleMaps *maps, PacoPinnedMemory *memory,
    PacoBandSamples *samples, GError **error);
