/* SPDX-License-Identifier: LGPL-2.1-or-later
 * FFmpeg's decoder "libpaco", with several frames in flight (libpaco_coder.c). */
#include "libpaco.h"

#include "libavutil/common.h"
#include "libavutil/internal.h"

#include "codec_internal.h"
#include "decode.h"
#include "internal.h"

/* --- a packet --- */

static void
set_interlacing (AVCodecContext *avctx, AVFrame *frame, const PacoInfo *info)
{
  int interlaced = info->interlace_mode == 1
      || (info->interlace_mode == 2 && info->fields);
  int top = info->field_order ? info->field_order == 1
                              : !!(info->picture_flags & 2);

  avctx->field_order = !interlaced ? AV_FIELD_PROGRESSIVE
      : top                        ? AV_FIELD_TT
                                   : AV_FIELD_BB;
  frame->repeat_pict = interlaced && info->picture_flags & 4;
#if PACO_FFMPEG_7
  if (interlaced)
    frame->flags |= AV_FRAME_FLAG_INTERLACED;
  if (interlaced && top)
    frame->flags |= AV_FRAME_FLAG_TOP_FIELD_FIRST;
#else
  frame->interlaced_frame = interlaced;
  frame->top_field_first = interlaced && top;
#endif
}

/* Sets the size of the picture, and that of the frame to what has room for all of its
 * components. Fields are halved each by itself, so chroma may have a line more than half
 * of luma's. */
static int
set_size (AVCodecContext *avctx, AVFrame *frame, const PacoInfo *info)
{
  int par_d = (int) info->par_d, ret;

  if (avctx->lowres > (int) info->levels) {
    av_log (avctx, AV_LOG_ERROR,
        "lowres is %d, but these pictures can be halved %u times only\n",
        avctx->lowres, info->levels);
    return AVERROR (EINVAL);
  }
  ret = ff_set_dimensions (avctx, (int) info->width, (int) info->height);
  if (ret < 0)
    return ret;
  for (unsigned c = 0; c < info->n_components; c++) {
    uint32_t width, height, x, y;

    if (paco_component_size (
            info, c, (unsigned) avctx->lowres, &width, &height, NULL)
        != PACO_STATUS_OK)
      return AVERROR_BUG;
    /* A cell of a mosaic is all there, of others a column and a line of it. */
    x = info->mosaic ? 0 : (1u << info->subsampling_x[c]) - 1;
    y = info->mosaic ? 0 : (1u << info->subsampling_y[c]) - 1;
    frame->width = FFMAX (
        frame->width, (int) ((width << info->subsampling_x[c]) - x));
    frame->height = FFMAX (
        frame->height, (int) ((height << info->subsampling_y[c]) - y));
    if (c == 0) {
      avctx->width = frame->width;
      avctx->height = frame->height;
    }
  }
  if (info->interlace_mode == 3 && par_d <= INT_MAX / 2)
    par_d *= 2; /* a field's lines are twice as high */
  return ff_set_sar (avctx, av_make_q ((int) info->par_n, par_d));
}

/* Sets what the context says of pictures to what the header says. */
static int
set_format (AVCodecContext *avctx, AVFrame *frame, const PacoInfo *info)
{
  enum AVPixelFormat format = ff_libpaco_find_format (info);

  if (format == AV_PIX_FMT_NONE) {
    av_log (avctx, AV_LOG_ERROR,
        "FFmpeg has no pixel format for these pictures of %u components of %u "
        "bits (%s)\n",
        info->n_components, info->depth[0], info->format);
    return AVERROR_PATCHWELCOME;
  }
  avctx->pix_fmt = format;
  avctx->bits_per_raw_sample = (int) info->depth[0];
  if (info->fps_n > 0)
    avctx->framerate = av_make_q (
        (int) info->fps_n, FFMAX (1, (int) info->fps_d));
  ff_libpaco_get_colors (avctx, info);
  return set_size (avctx, frame, info);
}

static void
set_times (AVFrame *frame, const AVPacket *packet)
{
  frame->pts = packet->pts;
  frame->pkt_dts = packet->dts;
#if PACO_FFMPEG_7
  frame->duration = packet->duration;
  frame->flags |= AV_FRAME_FLAG_KEY;
#else
  frame->pkt_duration = packet->duration;
  frame->pkt_pos = packet->pos;
  frame->pkt_size = packet->size;
  frame->key_frame = 1;
#endif
  frame->pict_type = AV_PICTURE_TYPE_I;
}

/* Makes a frame for the packet of a flight. */
static int
prepare (AVCodecContext *avctx, PacoFlight *flight)
{
  PacoCoder *self = avctx->priv_data;
  const AVPacket *packet = flight->packet;
  AVFrame *frame = flight->frame;
  PacoInfo info = PACO_INFO_INIT;
  PacoError error;
  PacoStatus status = paco_probe (
      packet->data, (size_t) packet->size, &info, NULL, &error);
  int ret;

  if (status != PACO_STATUS_OK)
    return ff_libpaco_error (avctx, status, &error);
  if ((ret = set_format (avctx, frame, &info)) < 0
      || (ret = ff_get_buffer (avctx, frame, 0)) < 0)
    return ret;
  frame->width = avctx->width;
  frame->height = avctx->height;
  set_times (frame, packet);
  set_interlacing (avctx, frame, &info);
  ret = ff_libpaco_get_side_data (
      frame, &info, packet->data, (size_t) packet->size);
  if (ret < 0)
    return ret;
  return ff_libpaco_image (
      &self->image, &info, (unsigned) avctx->lowres, frame);
}

static int
take (AVCodecContext *avctx, PacoFlight *flight)
{
  int ret = ff_decode_get_packet (avctx, flight->packet);

  if (ret < 0)
    return ret;
  ret = prepare (avctx, flight);
  return ret == AVERROR (EAGAIN) ? AVERROR_EXTERNAL : ret;
}

static PacoStatus
submit (AVCodecContext *avctx, PacoFlight *flight, PacoError *error)
{
  PacoCoder *self = avctx->priv_data;

  return paco_frame_decoder_submit (self->decoder, flight->packet->data,
      (size_t) flight->packet->size, &self->image, NULL, error);
}

/* --- frames --- */

static int
mark_damage (AVCodecContext *avctx, AVFrame *frame, const PacoResult *result)
{
  if (result->corrupted_blocks == 0)
    return 0;
  av_log (avctx, AV_LOG_WARNING,
      "%u codeblocks of a frame are broken, %u of them concealed\n",
      result->corrupted_blocks, result->concealed_blocks);
  frame->flags |= AV_FRAME_FLAG_CORRUPT;
  frame->decode_error_flags |= FF_DECODE_ERROR_INVALID_BITSTREAM;
  if (avctx->err_recognition & AV_EF_EXPLODE) {
    av_frame_unref (frame);
    return AVERROR_INVALIDDATA;
  }
  return 0;
}

static int
receive_frame (AVCodecContext *avctx, AVFrame *frame)
{
  PacoCoder *self = avctx->priv_data;
  PacoFlight *flight;
  int ret = ff_libpaco_receive (avctx, &flight);

  if (ret < 0)
    return ret;
  av_packet_unref (flight->packet);
  av_frame_move_ref (frame, flight->frame);
  return mark_damage (avctx, frame, &self->result);
}

/* --- settings --- */

#define OPTION(i, name, help) PACO_OPTION (i, DECODING, name, help)

/* The names are those of paco_frame_decoder_set(). */
static const AVOption options[] = {
  PACO_DEVICE_OPTIONS (OPTION, 0),
  OPTION (4, "conceal", "true: replace broken blocks of the lowest subbands"),
  { NULL },
};

static const AVClass class = {
  .class_name = "libpaco decoder",
  .item_name = av_default_item_name,
  .option = options,
  .version = LIBAVUTIL_VERSION_INT,
};

static av_cold int
init (AVCodecContext *avctx)
{
  PacoCoder *self = avctx->priv_data;
  int ret = ff_libpaco_open (avctx);

  self->take = take;
  self->submit = submit;
  return ret < 0 ? ret : ff_libpaco_set_number (avctx, "reduce", avctx->lowres);
}

const FFCodec ff_libpaco_decoder = {
  .p.name = "libpaco",
  .p.long_name = NULL_IF_CONFIG_SMALL ("libpaco PaCo"),
  .p.type = AVMEDIA_TYPE_VIDEO,
  .p.id = AV_CODEC_ID_PACO,
  .p.capabilities = AV_CODEC_CAP_DR1 | AV_CODEC_CAP_DELAY
      | AV_CODEC_CAP_OTHER_THREADS,
  .p.max_lowres = 8,
  .p.priv_class = &class,
  .p.wrapper_name = "libpaco",
  .caps_internal = FF_CODEC_CAP_INIT_CLEANUP | FF_CODEC_CAP_AUTO_THREADS,
  .priv_data_size = sizeof (PacoCoder),
  .init = init,
  .close = ff_libpaco_close,
  .flush = ff_libpaco_flush,
  FF_CODEC_RECEIVE_FRAME_CB (receive_frame),
};
