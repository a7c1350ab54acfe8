/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Asks NVIDIA's management library (NVML, libnvidia-ml.so.1) how much memory GPUs have
 * free. device.c calls it to choose one. On H200s it takes 12 ms and 6 a GPU; a context,
 * in which the CUDA driver says the same, takes 100 to 130 ms. */
#pragma once
#include <glib.h>

/* Writes the bytes that are free on each of n devices. Returns FALSE if one is not
 * known: the library is missing, as in some containers, or it is another driver's. */
gboolean paco_cuda_free_memory (
    const int *ordinals, unsigned n, size_t *available);
