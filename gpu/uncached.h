/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copies that go past the processor's caches. */
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef void (*PacoUncachedCopy) (
    uint8_t *to, const uint8_t *from, size_t size);

/* For the parts of a copy of `size` bytes: memcpy() for what fits into the
 * caches, since who reads it next finds it there, and where this processor has
 * nothing better. */
PacoUncachedCopy paco_uncached_copy (size_t size);
