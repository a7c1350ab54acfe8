/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes what the benchmarks code: RGB with 12 bits, of any size. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* Most figures are for this size; of larger ones the content repeats. */
#define CONTENT_WIDTH 4096
#define CONTENT_HEIGHT 2160

/* Fills three planes of width x height 16-bit words, without gaps: R, G, B.
 * They come from an 8-bit picture (P6), times 16 and with Gaussian noise of
 * sigma 4; or are computed, if name is NULL or cannot be read. What lacks
 * columns or lines, the picture or these 4096x2160 samples, is mirrored at its
 * edges; what has too many is cut. */
void content_fill (
    uint16_t *samples, unsigned width, unsigned height, const char *name);
