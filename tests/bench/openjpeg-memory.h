/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes OpenJPEG's streams in memory and its pictures, for programs that
 * measure it: openjpeg-speed here and the laboratory (tests/lab). Where the
 * library is not there is nothing. */
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

/* Opens a stream that reads the memory's first `size` bytes, or writes to it up
 * to its capacity and counts its size. */
opj_stream_t *openjpeg_open_memory (OpenjpegMemory *memory, bool input);

/* Makes a gray picture whose samples are yet to be written; returns NULL
 * without memory. */
opj_image_t *openjpeg_gray_image (
    uint32_t width, uint32_t height, unsigned depth);
#endif
