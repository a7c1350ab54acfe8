/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What the reference decoder needs of <string.h>; wasm.c has it. */
#pragma once
#include <stddef.h>

void *memcpy (void *to, const void *from, size_t n);
void *memset (void *to, int value, size_t n);
int memcmp (const void *a, const void *b, size_t n);
void *memchr (const void *in, int value, size_t n);
