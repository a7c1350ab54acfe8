/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copies that go past the processor's caches. */
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef void (*PacoStreamCopy) (uint8_t *to, const uint8_t *from, size_t size);

/* The fastest that this processor has; memcpy() where it has none. */
PacoStreamCopy paco_stream_copy (void);
