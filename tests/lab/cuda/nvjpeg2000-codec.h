/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Codes the same pictures by the project's codec, for nvjpeg2000.c: by
 * libpaco, from and to the GPU's memory, with as many frames in flight as
 * there are flights. */
#pragma once
#include "tests/lab/cuda/nvjpeg2000-rival.h"

G_BEGIN_DECLS

enum
{
  CODEC_MAX_FLIGHTS = 4,
};

typedef struct
{
  LabDevice *device;
  CUcontext context;
  const RivalPicture *picture;
  const char *rate_control; /* "lossless", or "quality" for the default one */
  void *frame;              /* the last one, of `length` bytes */
  size_t length;
  CUdeviceptr decoded[CODEC_MAX_FLIGHTS];
} Codec;

/* Sets up a codec; a failure ends the program. */
void codec_init (Codec *codec, LabDevice *device, CUcontext context,
    const RivalPicture *picture, const char *rate_control);
void codec_clear (Codec *codec);

/* Encodes (decodes) the picture for so many microseconds at least, and each flight once
 * before that; returns frames per second. Decoded is what was encoded last. */
double codec_encode (Codec *codec, unsigned n_flights, int64_t microseconds);
double codec_decode (Codec *codec, unsigned n_flights, int64_t microseconds);

G_END_DECLS
