/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The color transform of mosaics on the device, in the planes of samples of gpu/layout.h,
 * between the kernels that fill these, or write pictures from them, and the wavelet. */
#pragma once
#include "codec/header.h"
#include "gpu/layout.h"

/* Enqueues the transform, or its inverse, of planes at the address `memory`, 16 bits a
 * sample. It follows a kernel in the stream, and one follows it. */
gboolean paco_mosaic_enqueue (const PacoLayoutKernels *kernels,
    const PacoSamplePlanes *planes, const PacoCoding *coding,
    CUdeviceptr memory, bool inverse, PacoCudaStream *stream, GError **error);
