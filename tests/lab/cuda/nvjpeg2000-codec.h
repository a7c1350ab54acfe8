/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Codes pictures in a GPU's memory by nvJPEG2000, for nvjpeg2000.c: it has
 * flights, each of which has all that one thread codes a picture with at a
 * time. */
#pragma once
#include "tests/lab/cuda/device.h"
#include "tests/lab/cuda/nvjpeg2k.h"

G_BEGIN_DECLS

typedef struct
{
  Nvjpeg2k nv;
  LabDevice *device;
  NvEncoder *encoder;
  NvHandle *decoder;
} Rival;

/* Planes lie one behind the other, without gaps, of words of one byte, or of
 * two if samples have more than 8 bits. */
typedef struct
{
  unsigned width, height, n_components, depth;
  size_t bytes;
  void *samples;
  CUdeviceptr memory; /* the same */
} RivalPicture;

typedef struct
{
  bool high_throughput; /* HTJ2K, else what all JPEG 2000 decoders read */
  double step;          /* 0: lossless */
} RivalSettings;

typedef struct
{
  const Rival *rival;
  const RivalPicture *picture;
  CUstream stream;
  NvEncodeParams *parameters;
  NvEncodeState *encode_state;
  NvDecodeState *decode_state;
  NvStream *parsed;
  unsigned char *code; /* page-locked, of `capacity` bytes */
  size_t capacity, length;
  CUdeviceptr decoded;
  /* These are the first call that failed, and what it returned. */
  const char *failed;
  NvStatus status;
} RivalFlight;

/* These end the program if a call fails. The library has been opened. */
void rival_init (Rival *rival, LabDevice *device);
void rival_clear (Rival *rival);
void rival_flight_init (
    RivalFlight *flight, const Rival *rival, const RivalPicture *picture);
void rival_flight_clear (RivalFlight *flight);

/* These return false if a call fails, and when one has failed before, until there are
 * other settings. encode() and decode() return when the codestream, or the picture, is
 * there. */
bool rival_flight_set (RivalFlight *flight, const RivalSettings *settings);
bool rival_flight_encode (RivalFlight *flight);
bool rival_flight_decode (RivalFlight *flight);

G_END_DECLS

/* Codes the same pictures by the project's codec, for nvjpeg2000.c: by
 * libpaco, from and to the GPU's memory, with as many frames in flight as
 * there are flights. */

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
