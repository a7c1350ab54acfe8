/* SPDX-License-Identifier: LGPL-2.1-or-later
 * OpenJPEG's streams in memory, for programs that measure it: openjpeg-speed here and
 * the laboratory (tests/lab). Where the library is not there is nothing. */
#pragma once
#if __has_include(<openjpeg.h>)
#include <openjpeg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct
{
  uint8_t *data;
  size_t capacity, size, position;
} OpenjpegMemory;

/* A stream that reads the memory's first `size` bytes, or writes to it up to its
 * capacity and counts its size. */
opj_stream_t *openjpeg_open_memory (OpenjpegMemory *memory, bool input);
#endif
