/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What the reference decoder needs of <stdlib.h>; wasm.c has it. */
#pragma once
#include <stddef.h>

void *malloc (size_t size);
void *calloc (size_t n, size_t size);
void free (void *memory);
