/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copies that go past the processor's caches; copy.c asks which function to use. */
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef void (*PacoUncachedCopy) (
    uint8_t *to, const uint8_t *from, size_t size);

/* Returns the function for the parts of a copy of `size` bytes. It is memcpy() if
 * the copy fits into the caches, where its next reader finds it, and if this
 * processor has nothing better. */
PacoUncachedCopy paco_uncached_copy (size_t size);
