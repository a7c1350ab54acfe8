/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Measures the transform of the codec's CPU backend by one thread: what the
 * text's "optimized implementation on the CPU" is to its transforms on a GPU.
 */
#pragma once
#include "codec/lifting.h"

/* Returns the median time of all levels in milliseconds: integers of a
 * reversible wavelet, else floats, 32 bits each. */
double lab_host_ms (PacoWaveletId wavelet, bool inverse, uint32_t width,
    uint32_t height, unsigned levels);
