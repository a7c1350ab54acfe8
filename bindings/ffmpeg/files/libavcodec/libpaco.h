/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What FFmpeg's decoder and encoder "libpaco" share: which AVPixelFormat has which
 * samples, what colors are called on both sides, and side data as chunks of frames. */
#ifndef AVCODEC_LIBPACO_H
#define AVCODEC_LIBPACO_H

#include <paco.h>
#include "libavutil/frame.h"
#include "libavutil/pixfmt.h"
#include "libavutil/version.h"

#include "avcodec.h"

/* FFmpeg 7: properties of a frame became flags. */
#define PACO_FFMPEG_7 (LIBAVUTIL_VERSION_MAJOR >= 59)

/* All formats, with AV_PIX_FMT_NONE at the end. */
extern const enum AVPixelFormat ff_libpaco_pix_fmts[];

/* Returns the format for the pictures of a frame: the one that its header names, else
 * the first one with the same samples, else one with more bits, whose highest ones
 * these are, else AV_PIX_FMT_NONE. */
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

/* Logs the error and returns FFmpeg's number for it. */
int ff_libpaco_error (
    AVCodecContext *avctx, PacoStatus status, const PacoError *error);

#endif /* AVCODEC_LIBPACO_H */
