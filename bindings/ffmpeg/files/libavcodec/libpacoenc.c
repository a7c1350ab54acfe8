/* SPDX-License-Identifier: LGPL-2.1-or-later
 * FFmpeg's encoder "libpaco", with several frames in flight (libpaco_coder.c). */
#include "libpaco.h"

#include <string.h>
#include "libavutil/common.h"
#include "libavutil/internal.h"

#include "codec_internal.h"
#include "encode.h"
#include "internal.h"

typedef struct Encoder
{
  PacoCoder coder;
  PacoInfo info; /* of the last frame in flight */
  PacoSideChunks side;
  /* The place of the next frame. */
  uint32_t number;
  uint64_t offset;
} Encoder;

/* --- frames --- */

static void
get_interlacing (
    PacoInfo *info, const AVCodecContext *avctx, const AVFrame *frame)
{
#if PACO_FFMPEG_7
  int interlaced = !!(frame->flags & AV_FRAME_FLAG_INTERLACED);
  int top = !!(frame->flags & AV_FRAME_FLAG_TOP_FIELD_FIRST);
#else
  int interlaced = frame->interlaced_frame, top = frame->top_field_first;
#endif

  if (!interlaced && avctx->field_order > AV_FIELD_PROGRESSIVE) {
    interlaced = 1;
    top = avctx->field_order == AV_FIELD_TT
        || avctx->field_order == AV_FIELD_BT;
  }
  if (!interlaced)
    return;
  info->interlace_mode = info->fields = 1;
  info->field_order = top ? 1 : 2;
  info->picture_flags = (top ? 2 : 0) | (frame->repeat_pict ? 4 : 0);
}

static PacoInfo
describe (AVCodecContext *avctx, const AVFrame *frame)
{
  Encoder *self = avctx->priv_data;
  AVRational par = avctx->sample_aspect_ratio;
  PacoInfo info = PACO_INFO_INIT;

  info.width = (uint32_t) avctx->width;
  info.height = (uint32_t) avctx->height;
  ff_libpaco_describe (&info, avctx->pix_fmt);
  ff_libpaco_put_colors (&info, avctx);
  if (par.num > 0 && par.den > 0) {
    info.par_n = (uint32_t) par.num;
    info.par_d = (uint32_t) par.den;
  }
  if (avctx->framerate.num > 0 && avctx->framerate.den > 0) {
    info.fps_n = (uint32_t) avctx->framerate.num;
    info.fps_d = (uint32_t) avctx->framerate.den;
  }
  get_interlacing (&info, avctx, frame);
  info.has_place = 1;
  ff_libpaco_put_side_data (&self->side, &info, frame);
  return info;
}

static size_t
find_areas (PacoFrameArea *areas, const AVFrame *frame)
{
  const AVFrameSideData *side = av_frame_get_side_data (
      frame, AV_FRAME_DATA_REGIONS_OF_INTEREST);
  const AVRegionOfInterest *region = side ? (const void *) side->data : NULL;
  size_t n = 0;

  if (!region || region->self_size == 0)
    return 0;
  for (size_t at = 0;
       at + region->self_size <= side->size && n < PACO_MAX_FRAME_AREAS;
       at += region->self_size) {
    const AVRegionOfInterest *r = (const void *) (side->data + at);

    if (r->qoffset.num < 0 && r->top >= 0 && r->left >= 0 && r->bottom > r->top
        && r->right > r->left)
      areas[n++] = (PacoFrameArea){ (uint32_t) r->left, (uint32_t) r->top,
        (uint32_t) (r->right - r->left), (uint32_t) (r->bottom - r->top) };
  }
  return n;
}

static int
take (AVCodecContext *avctx, PacoFlight *flight)
{
  Encoder *self = avctx->priv_data;
  const AVFrame *frame = flight->frame;
  int ret = ff_encode_get_frame (avctx, flight->frame);

  if (ret < 0)
    return ret;
  if (frame->format != avctx->pix_fmt || frame->width != avctx->width
      || frame->height != avctx->height) {
    av_log (avctx, AV_LOG_ERROR, "a frame has another size or pixel format\n");
    return AVERROR (EINVAL);
  }
  self->info = describe (avctx, frame);
  return ff_libpaco_image (&self->coder.image, &self->info, 0, frame);
}

static PacoStatus
submit (AVCodecContext *avctx, PacoFlight *flight, PacoError *error)
{
  Encoder *self = avctx->priv_data;
  PacoFrameArea areas[PACO_MAX_FRAME_AREAS];
  PacoExtras extras = PACO_EXTRAS_INIT;
  PacoStatus status = paco_frame_encoder_configure (
      self->coder.encoder, &self->info, error);

  extras.chunks = self->side.chunks;
  extras.n_chunks = self->side.n;
  extras.areas = areas;
  extras.n_areas = find_areas (areas, flight->frame);
  return status != PACO_STATUS_OK
      ? status
      : paco_frame_encoder_submit (
          self->coder.encoder, &self->coder.image, &extras, NULL, error);
}

static int
write_packet (AVCodecContext *avctx, AVPacket *packet, const AVFrame *frame,
    PacoFrame *coded)
{
  Encoder *self = avctx->priv_data;
  int ret;

  if (coded->size > INT_MAX - AV_INPUT_BUFFER_PADDING_SIZE)
    return AVERROR (ERANGE);
  paco_frame_set_place (
      coded->data, coded->size, self->number++, self->offset, NULL);
  self->offset += coded->size;
  ret = ff_get_encode_buffer (avctx, packet, (int64_t) coded->size, 0);
  if (ret < 0)
    return ret;
  memcpy (packet->data, coded->data, coded->size);
  packet->pts = packet->dts = frame->pts;
#if PACO_FFMPEG_7
  packet->duration = frame->duration;
#endif
  packet->flags |= AV_PKT_FLAG_KEY;
  return 0;
}

static int
receive_packet (AVCodecContext *avctx, AVPacket *packet)
{
  PacoCoder *self = avctx->priv_data;
  PacoFlight *flight;
  int ret = ff_libpaco_receive (avctx, &flight);

  if (ret < 0)
    return ret;
  ret = write_packet (avctx, packet, flight->frame, &self->coded);
  paco_frame_release (&self->coded);
  av_frame_unref (flight->frame);
  return ret;
}

/* --- settings --- */

#define OPTION(i, name, help) PACO_OPTION (i, ENCODING, name, help)

/* The names are those of paco_frame_encoder_set(). */
static const AVOption options[PACO_MAX_SETTINGS + 1] = {
  OPTION (0, "rate-control", "quality, lossless or bitrate"),
  OPTION (1, "quality", "0 to 100; 90, the default, is visually lossless"),
  OPTION (2, "frame-size", "bytes of a frame, instead of -b:v"),
  OPTION (3, "tune", "visual or psnr"),
  OPTION (4, "wavelet", "auto, cdf53, cdf97 or dd137"),
  OPTION (5, "code-tables", "auto, never or always"),
  OPTION (6, "color-transform", "auto, none, rct, ict, rct2 or matrix"),
  OPTION (7, "levels", "times that pictures are halved, 0 to 8"),
  OPTION (8, "codeblock-height", "0 (automatic), 32, 64, 128 or 256"),
  OPTION (9, "coding-passes", "1 to 3"),
  OPTION (10, "complexity", "0 to 3"),
  OPTION (11, "roi-weight", "how many times finer regions are, 1 to 1024"),
  OPTION (12, "block-checks", "true: damage of blocks is found"),
  OPTION (13, "cut-points", "true: frames can be made smaller later"),
  PACO_DEVICE_OPTIONS (OPTION, 14),
};

static const AVClass class = {
  .class_name = "libpaco encoder",
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
  if (ret < 0 || avctx->bit_rate <= 0)
    return ret;
  if (!self->settings[0])
    ret = ff_libpaco_set (avctx, "rate-control", "bitrate");
  return ret < 0 ? ret
                 : ff_libpaco_set_number (
                     avctx, "bitrate", FFMAX (1, avctx->bit_rate / 1000));
}

static const FFCodecDefault defaults[] = {
  { "b", "0" },
  { NULL },
};

/* All formats, with AV_PIX_FMT_NONE at the end. FFmpeg has them listed before anybody sees
 * the encoder. */
static enum AVPixelFormat formats[512];

static void
list_formats (struct FFCodec *codec)
{
  static unsigned n;

  if (n > 0)
    return;
  for (const AVPixFmtDescriptor *desc = av_pix_fmt_desc_next (NULL); desc;
       desc = av_pix_fmt_desc_next (desc))
    if (ff_libpaco_has_samples (desc) && n + 1 < FF_ARRAY_ELEMS (formats))
      formats[n++] = av_pix_fmt_desc_get_id (desc);
  formats[n] = AV_PIX_FMT_NONE;
}

#if PACO_FFMPEG_7
static int
get_config (const AVCodecContext *avctx, const AVCodec *codec,
    enum AVCodecConfig config, unsigned flags, const void **out, int *n)
{
  list_formats (NULL);
  return ff_default_get_supported_config (avctx, codec, config, flags, out, n);
}
#endif

FFCodec ff_libpaco_encoder = {
  .p.name = "libpaco",
  .p.long_name = NULL_IF_CONFIG_SMALL ("libpaco PaCo"),
  .p.type = AVMEDIA_TYPE_VIDEO,
  .p.id = AV_CODEC_ID_PACO,
  .p.capabilities = AV_CODEC_CAP_DR1 | AV_CODEC_CAP_DELAY
      | AV_CODEC_CAP_OTHER_THREADS,
  .p.pix_fmts = formats,
  .p.priv_class = &class,
  .p.wrapper_name = "libpaco",
  .caps_internal = FF_CODEC_CAP_INIT_CLEANUP | FF_CODEC_CAP_AUTO_THREADS,
#if PACO_FFMPEG_7
  .color_ranges = AVCOL_RANGE_MPEG | AVCOL_RANGE_JPEG,
  .get_supported_config = get_config,
#else
  .init_static_data = list_formats,
#endif
  .defaults = defaults,
  .priv_data_size = sizeof (Encoder),
  .init = init,
  .close = ff_libpaco_close,
  FF_CODEC_RECEIVE_PACKET_CB (receive_packet),
};
