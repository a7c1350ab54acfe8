/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads several files as one, whose bytes are those of the first one, then those of the
 * second, and so on: the volumes of a split archive. Any other file is one volume.
 * libpaco's reader.c reads through this, and archives are written by it. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct
{
  int fd;
  uint64_t begin; /* of its bytes in those of all; 0 for the first one */
} PacoVolume;

/* Reads `size` bytes, beginning at byte `offset` of all; as paco_io_read_at() otherwise. A
 * volume that has become shorter ends them. */
size_t paco_volumes_read_at (const PacoVolume *volumes, unsigned n,
    uint64_t offset, void *data, size_t size);
/* Returns the volume that has that byte, or the last one if none has. */
unsigned paco_volumes_find (
    const PacoVolume *volumes, unsigned n, uint64_t offset);
/* Finds out how many bytes all have now: up to the end of the last one, if no other has
 * become shorter. Returns false and errno if that fails. */
bool paco_volumes_size (const PacoVolume *volumes, unsigned n, uint64_t *size);
