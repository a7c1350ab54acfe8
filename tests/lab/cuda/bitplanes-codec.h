/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Runs the codec's own block coder (gpu/kernels/bpc.cu), as a series beside
 * text 004's: with the same indices, blocks and sizes. */
#pragma once
#include "tests/lab/cuda/bitplanes.h"
#include <glib.h>

/* Returns the milliseconds that its encoder takes with 1, 2 or 3 coding passes
 * for n blocks of a plane of n_indices, whose subbands are numbered as in
 * tests/lab/gray-picture.h. The first few blocks are compared with the
 * reference. */
double lab_codec_encode_ms (const int32_t *indices, size_t n_indices,
    uint32_t stride, const LabBitplanesBlock *blocks, guint n, unsigned passes);
