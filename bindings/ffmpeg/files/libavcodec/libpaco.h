/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What FFmpeg's decoder and encoder "libpaco" share: which AVPixelFormat has which
 * samples, what colors are called on both sides, side data as chunks of frames, and
 * coders with several frames in flight. */
#ifndef AVCODEC_LIBPACO_H
#define AVCODEC_LIBPACO_H

#include <paco.h>
#include "libavutil/frame.h"
#include "libavutil/opt.h"
#include "libavutil/pixdesc.h"
#include "libavutil/version.h"

#include "avcodec.h"

/* FFmpeg 7: properties of a frame became flags. */
#define PACO_FFMPEG_7 (LIBAVUTIL_VERSION_MAJOR >= 59)

/* Says whether the samples of a format are those of a picture, in words whose places its
 * descriptor says. */
int ff_libpaco_has_samples (const AVPixFmtDescriptor *desc);

/* Returns the format for the pictures of a frame: the one that its header names, else
 * one with the same samples, else one with more bits, whose highest ones these are, else AV_PIX_FMT_NONE. */
enum AVPixelFormat ff_libpaco_find_format (const PacoInfo *info);

/* Sets the fields of *info that say what samples pictures of the format have. */
void ff_libpaco_describe (PacoInfo *info, enum AVPixelFormat format);

/* Sets *image to where the samples are in a frame of such pictures. */
int ff_libpaco_image (PacoImage *image, const PacoInfo *info, unsigned reduce,
    const AVFrame *frame);

/* Is the picture R, G, B? */
int ff_libpaco_is_rgb (const PacoInfo *info);

/* Copies what the header says of colors to the context, and back. */
void ff_libpaco_get_colors (AVCodecContext *avctx, const PacoInfo *info);
void ff_libpaco_put_colors (PacoInfo *info, const AVCodecContext *avctx);

/* Attaches what accompanies a picture (size bytes at data are its frame) as side data. */
int ff_libpaco_get_side_data (
    AVFrame *frame, const PacoInfo *info, const void *data, size_t size);

#define PACO_MAX_SIDE_CHUNKS 8

/* Chunks that are made of side data. */
typedef struct PacoSideChunks
{
  PacoFrameChunk chunks[PACO_MAX_SIDE_CHUNKS];
  uint8_t bytes[2048];
  size_t n, used;
} PacoSideChunks;

/* Makes chunks of the side data of a frame, and sets fields of *info. */
void ff_libpaco_put_side_data (
    PacoSideChunks *side, PacoInfo *info, const AVFrame *frame);

/* --- coders --- */

#define PACO_MAX_FLIGHTS 64
#define PACO_MAX_SETTINGS 18

/* A frame that is coded, and with the decoder the packet that it is of. */
typedef struct PacoFlight
{
  AVPacket *packet;
  AVFrame *frame;
} PacoFlight;

/* What the private data of the decoder and of the encoder begin with. */
typedef struct PacoCoder
{
  const AVClass *class;
  PacoFrameDecoder *decoder; /* one of them is NULL */
  PacoFrameEncoder *encoder;
  /* Fills an empty flight with what is to be submitted, and passes it to libpaco. */
  int (*take) (AVCodecContext *, PacoFlight *);
  PacoStatus (*submit) (AVCodecContext *, PacoFlight *, PacoError *);
  PacoFlight ring[PACO_MAX_FLIGHTS]; /* frames in flight */
  unsigned first, n;
  int waiting;     /* whether the last one is not submitted yet */
  PacoImage image; /* of that one */
  /* What became of the frame that was received last. */
  PacoResult result;
  PacoFrame coded;
  char *settings[PACO_MAX_SETTINGS];
} PacoCoder;

/* An option that is passed to libpaco as text. */
#define PACO_OPTION(i, direction, name, help)                                  \
  {                                                                            \
    name, help, offsetof (PacoCoder, settings[i]), AV_OPT_TYPE_STRING,         \
        { .str = NULL }, 0, 0,                                                 \
        AV_OPT_FLAG_VIDEO_PARAM | AV_OPT_FLAG_##direction##_PARAM              \
  }

/* Those that say where frames are coded, from number i on. */
#define PACO_DEVICE_OPTIONS(OPTION, i)                                         \
  OPTION (i, "backend", "cpu, cuda, or auto: a GPU if one works"),             \
      OPTION (i + 1, "cuda-device-id", "number of the GPU, or -1"),            \
      OPTION (i + 2, "cuda-devices", "several GPUs, as 0,1 or all"),           \
      OPTION (i + 3, "pipeline-depth", "frames in flight on a device, 1 to 8")

/* Makes the decoder or the encoder, and sets its threads and what the options say. */
int ff_libpaco_open (AVCodecContext *avctx);
int ff_libpaco_close (AVCodecContext *avctx);

/* Sets a setting of libpaco. */
int ff_libpaco_set (AVCodecContext *avctx, const char *name, const char *value);
int ff_libpaco_set_number (
    AVCodecContext *avctx, const char *name, int64_t value);

/* Logs the error and returns FFmpeg's number for it. */
int ff_libpaco_error (
    AVCodecContext *avctx, PacoStatus status, const PacoError *error);

/* Takes and submits frames until libpaco takes no more, waits for the oldest one, and
 * sets *flight to it, which the caller empties. */
int ff_libpaco_receive (AVCodecContext *avctx, PacoFlight **flight);
/* Drops all frames in flight. */
void ff_libpaco_flush (AVCodecContext *avctx);

#endif /* AVCODEC_LIBPACO_H */
