/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copies between ordinary and page-locked memory, for transfer.c. A few threads share
 * them, because one thread is slower than the bus to the device. */
#pragma once
#include "codec/helpers.h"
#include <stdint.h>

/* Copies `rows` rows of `bytes` bytes, `stride` bytes apart on both sides; returns when
 * it is done. Any number of threads may call it at once. */
void paco_copy (PacoHelpers *helpers, uint8_t *to, const uint8_t *from,
    size_t bytes, size_t rows, size_t stride);

typedef void (*PacoUncachedCopy) (
    uint8_t *to, const uint8_t *from, size_t size);

/* Returns the function for the parts of a copy of `size` bytes. It is memcpy() if the
 * copy fits into the caches, where its next reader finds it, or if this processor has
 * nothing better. */
PacoUncachedCopy paco_uncached_copy (size_t size);
