/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copies between ordinary and page-locked memory, for transfer.c. They are shared
 * out to a few threads, because one thread is slower than the bus to the device. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct _PacoCopier PacoCopier;

/* If no threads can be created, the caller of a copy does it alone. */
PacoCopier *paco_copier_new (void);
void paco_copier_free (PacoCopier *copier);

/* Copies `rows` rows of `bytes` bytes, `stride` bytes apart on both sides;
 * returns when it is done. Any number of threads may call it at once. */
void paco_copier_run (PacoCopier *copier, uint8_t *to, const uint8_t *from,
    size_t bytes, size_t rows, size_t stride);
