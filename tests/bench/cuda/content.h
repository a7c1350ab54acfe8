/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What the benchmarks code: a frame of 4096x2160 RGB with 12 bits. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define CONTENT_WIDTH 4096
#define CONTENT_HEIGHT 2160
#define CONTENT_SAMPLES (3 * (size_t) CONTENT_WIDTH * CONTENT_HEIGHT)
#define CONTENT_BYTES (2 * CONTENT_SAMPLES)

/* Planes of 16-bit words: R, G, B. From an 8-bit picture (P6) of at least 2048
 * columns and 2160 lines, times 16 and with Gaussian noise of sigma 4, mirrored
 * where it lacks columns; or computed, if it cannot be read. */
void content_fill (uint16_t *samples, const char *name);
