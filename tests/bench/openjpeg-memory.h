/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes OpenJPEG's streams in memory and its pictures, for programs that
 * measure it: openjpeg-speed here and the laboratory (tests/lab). Where the
 * library is not there is nothing. */
#pragma once
#if __has_include(<openjpeg.h>)
#include <glib.h>
#include <openjpeg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct
{
  uint8_t *data;
  size_t capacity, size, position;
} OpenjpegMemory;

static inline OPJ_SIZE_T
read_memory (void *buffer, OPJ_SIZE_T size, void *user_data)
{
  OpenjpegMemory *memory = user_data;
  size_t left = memory->size - memory->position;

  if (!left)
    return (OPJ_SIZE_T) -1;
  size = MIN (size, left);
  memcpy (buffer, memory->data + memory->position, size);
  memory->position += size;
  return size;
}

static inline OPJ_SIZE_T
write_memory (void *buffer, OPJ_SIZE_T size, void *user_data)
{
  OpenjpegMemory *memory = user_data;

  if (size > memory->capacity - memory->position)
    return (OPJ_SIZE_T) -1;
  memcpy (memory->data + memory->position, buffer, size);
  memory->position += size;
  memory->size = MAX (memory->size, memory->position);
  return size;
}

static inline OPJ_BOOL
seek_memory (OPJ_OFF_T position, void *user_data)
{
  OpenjpegMemory *memory = user_data;

  if (position < 0 || (size_t) position > memory->capacity)
    return OPJ_FALSE;
  memory->position = (size_t) position;
  return OPJ_TRUE;
}

static inline OPJ_OFF_T
skip_memory (OPJ_OFF_T n, void *user_data)
{
  OpenjpegMemory *memory = user_data;

  return seek_memory ((OPJ_OFF_T) memory->position + n, memory) ? n : -1;
}

/* Opens a stream that reads the memory's first `size` bytes, or writes to it up
 * to its capacity and counts its size. */
static inline opj_stream_t *
openjpeg_open_memory (OpenjpegMemory *memory, bool input)
{
  opj_stream_t *stream = opj_stream_create (1 << 20, input);

  memory->position = 0;
  opj_stream_set_user_data (stream, memory, NULL);
  opj_stream_set_user_data_length (stream, memory->size);
  opj_stream_set_read_function (stream, read_memory);
  opj_stream_set_write_function (stream, write_memory);
  opj_stream_set_skip_function (stream, skip_memory);
  opj_stream_set_seek_function (stream, seek_memory);
  return stream;
}

/* Makes a gray picture whose samples are yet to be written; returns NULL
 * without memory. */
static inline opj_image_t *
openjpeg_gray_image (uint32_t width, uint32_t height, unsigned depth)
{
  opj_image_cmptparm_t component = {
    .dx = 1, .dy = 1, .w = width, .h = height, .prec = depth
  };
  opj_image_t *image = opj_image_create (1, &component, OPJ_CLRSPC_GRAY);

  if (image) {
    image->x1 = width;
    image->y1 = height;
  }
  return image;
}
#endif
