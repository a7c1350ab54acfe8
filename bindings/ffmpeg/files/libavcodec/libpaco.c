/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Pixel formats and colors of FFmpeg, and those of PaCo (libpaco.h). Where samples lie
 * follows from FFmpeg's descriptors; the table only says which formats there are, and
 * what GStreamer calls them. */
#include "libpaco.h"

#include <stdbool.h>
#include <string.h>
#include "libavutil/common.h"
#include "libavutil/pixdesc.h"

/* clang-format off */
#define LE_BE(F, format, name, le, be) F (format ## LE, name le) F (format ## BE, name be)

/* The format to be preferred of several with the same samples comes first. */
#define PLANAR_FORMATS(F)                                                      \
  F (YUV420P, "I420") F (YUV422P, "Y42B") F (YUV444P, "Y444")                  \
  F (YUV411P, "Y41B") F (YUV410P, "YUV9") F (YUV440P, "")                      \
  LE_BE (F, YUV420P9, "", "", "") LE_BE (F, YUV422P9, "", "", "")              \
  LE_BE (F, YUV444P9, "", "", "")                                              \
  LE_BE (F, YUV420P10, "I420_10", "LE", "BE")                                  \
  LE_BE (F, YUV422P10, "I422_10", "LE", "BE")                                  \
  LE_BE (F, YUV444P10, "Y444_10", "LE", "BE") LE_BE (F, YUV440P10, "", "", "") \
  LE_BE (F, YUV420P12, "I420_12", "LE", "BE")                                  \
  LE_BE (F, YUV422P12, "I422_12", "LE", "BE")                                  \
  LE_BE (F, YUV444P12, "Y444_12", "LE", "BE") LE_BE (F, YUV440P12, "", "", "") \
  LE_BE (F, YUV420P14, "", "", "") LE_BE (F, YUV422P14, "", "", "")            \
  LE_BE (F, YUV444P14, "", "", "") LE_BE (F, YUV420P16, "", "", "")            \
  LE_BE (F, YUV422P16, "", "", "")                                             \
  LE_BE (F, YUV444P16, "Y444_16", "LE", "BE")                                  \
  F (YUVA420P, "A420") F (YUVA422P, "A422") F (YUVA444P, "A444")               \
  LE_BE (F, YUVA420P9, "", "", "") LE_BE (F, YUVA422P9, "", "", "")            \
  LE_BE (F, YUVA444P9, "", "", "")                                             \
  LE_BE (F, YUVA420P10, "A420_10", "LE", "BE")                                 \
  LE_BE (F, YUVA422P10, "A422_10", "LE", "BE")                                 \
  LE_BE (F, YUVA444P10, "A444_10", "LE", "BE")                                 \
  LE_BE (F, YUVA422P12, "A422_12", "LE", "BE")                                 \
  LE_BE (F, YUVA444P12, "A444_12", "LE", "BE")                                 \
  LE_BE (F, YUVA420P16, "A420_16", "LE", "BE")                                 \
  LE_BE (F, YUVA422P16, "A422_16", "LE", "BE")                                 \
  LE_BE (F, YUVA444P16, "A444_16", "LE", "BE")                                 \
  F (GBRP, "GBR") LE_BE (F, GBRP9, "", "", "")                                 \
  LE_BE (F, GBRP10, "GBR_10", "LE", "BE")                                      \
  LE_BE (F, GBRP12, "GBR_12", "LE", "BE") LE_BE (F, GBRP14, "", "", "")        \
  LE_BE (F, GBRP16, "GBR_16", "LE", "BE")                                      \
  F (GBRAP, "GBRA") LE_BE (F, GBRAP10, "GBRA_10", "LE", "BE")                  \
  LE_BE (F, GBRAP12, "GBRA_12", "LE", "BE")                                    \
  LE_BE (F, GBRAP16, "", "", "")                                               \
  F (GRAY8, "GRAY8") LE_BE (F, GRAY9, "", "", "")                              \
  LE_BE (F, GRAY10, "GRAY10_", "LE16", "BE16") LE_BE (F, GRAY12, "", "", "")   \
  LE_BE (F, GRAY14, "", "", "") LE_BE (F, GRAY16, "GRAY16_", "LE", "BE")       \
  F (YA8, "") LE_BE (F, YA16, "", "", "") F (MONOBLACK, "")
#define PACKED_FORMATS(F)                                                      \
  F (NV12, "NV12") F (NV21, "NV21") F (NV16, "NV16") F (NV24, "NV24")          \
  F (NV42, "") LE_BE (F, NV20, "", "", "")                                     \
  LE_BE (F, P010, "P010_10", "LE", "BE") LE_BE (F, P016, "P016_", "LE", "BE")  \
  LE_BE (F, P210, "", "", "") LE_BE (F, P216, "", "", "")                      \
  LE_BE (F, P410, "", "", "") LE_BE (F, P416, "", "", "")                      \
  F (UYVY422, "UYVY") F (YUYV422, "YUY2") F (YVYU422, "YVYU")                  \
  F (UYYVYY411, "IYU1") F (Y210LE, "Y210")                                     \
  F (AYUV64LE, "AYUV64")                                                       \
  F (RGB24, "RGB") F (BGR24, "BGR") F (RGB0, "RGBx") F (BGR0, "BGRx")          \
  F (0RGB, "xRGB") F (0BGR, "xBGR") F (RGBA, "RGBA") F (BGRA, "BGRA")          \
  F (ARGB, "ARGB") F (ABGR, "ABGR")                                            \
  LE_BE (F, X2RGB10, "", "", "") LE_BE (F, X2BGR10, "", "", "")                \
  LE_BE (F, RGB48, "", "", "") LE_BE (F, BGR48, "", "", "")                    \
  LE_BE (F, RGBA64, "RGBA64_", "LE", "BE")                                     \
  LE_BE (F, BGRA64, "BGRA64_", "LE", "BE")                                     \
  F (RGB565LE, "RGB16") F (RGB565BE, "") F (BGR565LE, "BGR16")                 \
  F (BGR565BE, "") F (RGB555LE, "RGB15") F (RGB555BE, "")                      \
  F (BGR555LE, "BGR15") F (BGR555BE, "")                                       \
  F (BAYER_RGGB8, "rggb") F (BAYER_GRBG8, "grbg") F (BAYER_GBRG8, "gbrg")      \
  F (BAYER_BGGR8, "bggr") LE_BE (F, BAYER_RGGB16, "rggb16", "le", "be")        \
  LE_BE (F, BAYER_GRBG16, "grbg16", "le", "be")                                \
  LE_BE (F, BAYER_GBRG16, "gbrg16", "le", "be")                                \
  LE_BE (F, BAYER_BGGR16, "bggr16", "le", "be")                                \
  /* These say by themselves that the range is full. */                        \
  F (YUVJ420P, "I420") F (YUVJ422P, "Y42B") F (YUVJ444P, "Y444")               \
  F (YUVJ411P, "Y41B") F (YUVJ440P, "")
#if PACO_FFMPEG_7
#define NEW_FORMATS(F)                                                         \
  LE_BE (F, GBRAP14, "", "", "") LE_BE (F, P012, "P012_", "LE", "BE")          \
  LE_BE (F, P212, "", "", "") LE_BE (F, P412, "", "", "")                      \
  F (VUYA, "VUYA") F (VUYX, "") LE_BE (F, Y212, "Y212_", "LE", "BE")           \
  F (XV30LE, "") LE_BE (F, XV36, "", "", "") LE_BE (F, RGBAF16, "", "", "")
#else
#define NEW_FORMATS(F)
#endif
#define FORMATS(F) PLANAR_FORMATS (F) PACKED_FORMATS (F) NEW_FORMATS (F)

#define PIX_FMT(format, name) AV_PIX_FMT_##format,
#define NAME(format, name) name,
const enum AVPixelFormat ff_libpaco_pix_fmts[] = { FORMATS (PIX_FMT)
  AV_PIX_FMT_NONE };
static const char names[][16] = { FORMATS (NAME) };
/* clang-format on */

/* --- samples --- */

/* Components of a mosaic are red, green beside red, green beside blue, and blue. */
static void
describe_mosaic (PacoInfo *info, const AVPixFmtDescriptor *desc)
{
  const char *cell = strchr (desc->name, '_') + 1;
  unsigned red = (unsigned) strcspn (cell, "r");

  info->mosaic = 1;
  info->n_components = 4;
  for (unsigned c = 0; c < 4; c++) {
    info->depth[c] = strchr (desc->name, '8') ? 8 : 16;
    info->subsampling_x[c] = info->subsampling_y[c] = 1;
    info->place_x[c] = (red & 1) ^ (c & 1);
    info->place_y[c] = (red >> 1) ^ (c >> 1);
  }
}

void
ff_libpaco_describe (PacoInfo *info, enum AVPixelFormat format)
{
  const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get (format);

  for (unsigned i = 0; ff_libpaco_pix_fmts[i] != AV_PIX_FMT_NONE; i++)
    if (ff_libpaco_pix_fmts[i] == format)
      memcpy (info->format, names[i], sizeof info->format);
  if (desc->flags & AV_PIX_FMT_FLAG_BAYER) {
    describe_mosaic (info, desc);
    return;
  }
  info->n_components = desc->nb_components;
  for (unsigned c = 0; c < desc->nb_components; c++) {
    bool chroma = desc->nb_components >= 3 && (c == 1 || c == 2);

    info->depth[c] = (uint32_t) desc->comp[c].depth;
    info->subsampling_x[c] = chroma ? desc->log2_chroma_w : 0;
    info->subsampling_y[c] = chroma ? desc->log2_chroma_h : 0;
    info->sample_kind[c] = desc->flags & AV_PIX_FMT_FLAG_FLOAT
        ? PACO_SAMPLES_FLOAT
        : PACO_SAMPLES_UNSIGNED;
  }
}

int
ff_libpaco_is_rgb (const PacoInfo *info)
{
  return info->mosaic
      || (info->n_components >= 3
          && (info->matrix == 1 || info->color_transform != 0));
}

/* Returns how many bits samples of the format have more than those of *info, which is
 * -1 if the pictures differ otherwise. Depths that differ within a picture must be the
 * same: alpha that is shifted would not be opaque. */
static int
missing_bits (const PacoInfo *info, enum AVPixelFormat format)
{
  const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get (format);
  PacoInfo other = PACO_INFO_INIT;
  int more;

  ff_libpaco_describe (&other, format);
  more = (int) other.depth[0] - (int) info->depth[0];
  if (other.n_components != info->n_components || other.mosaic != info->mosaic
      || !!(desc->flags & AV_PIX_FMT_FLAG_RGB) != ff_libpaco_is_rgb (info))
    return -1;
  for (unsigned c = 0; c < info->n_components; c++)
    if (other.subsampling_x[c] != info->subsampling_x[c]
        || other.subsampling_y[c] != info->subsampling_y[c]
        || other.sample_kind[c] != info->sample_kind[c]
        || (info->mosaic && other.place_x[c] != info->place_x[c])
        || (info->mosaic && other.place_y[c] != info->place_y[c])
        || (int) other.depth[c] - (int) info->depth[c] != more
        || (more && info->depth[c] != info->depth[0]))
      return -1;
  return more;
}

enum AVPixelFormat
ff_libpaco_find_format (const PacoInfo *info)
{
  enum AVPixelFormat found = AV_PIX_FMT_NONE;
  int least = 17;

  for (unsigned i = 0; ff_libpaco_pix_fmts[i] != AV_PIX_FMT_NONE; i++) {
    int more = missing_bits (info, ff_libpaco_pix_fmts[i]);

    if (more == 0 && names[i][0] && strcmp (names[i], info->format) == 0)
      return ff_libpaco_pix_fmts[i];
    if (more >= 0 && more < least) {
      least = more;
      found = ff_libpaco_pix_fmts[i];
    }
  }
  return found;
}

static void
add_place (PacoLayout *layout, int byte, int shift)
{
  layout->places[layout->group_samples].byte = (uint8_t) byte;
  layout->places[layout->group_samples++].shift = (uint8_t) shift;
}

/* Bytes without samples, as in RGB0, are written as if they were opaque alpha. */
static void
find_fill (PacoLayout *layout, const AVPixFmtDescriptor *desc, int plane)
{
  uint32_t covered = 0;

  for (int c = 0; c < desc->nb_components; c++) {
    const AVComponentDescriptor *comp = &desc->comp[c];
    int bytes = comp->shift + comp->depth > 8 ? 2 : 1;
    int first = comp->offset + (bytes == 1 && desc->flags & AV_PIX_FMT_FLAG_BE);

    for (int i = first; comp->plane == plane && i < layout->group_bytes;
         i += comp->step)
      covered |= ((1u << bytes) - 1) << i;
  }
  if (covered != (1u << layout->group_bytes) - 1)
    layout->fill = 0xff;
}

static void
lay_out (PacoLayout *layout, const AVPixFmtDescriptor *desc,
    enum AVPixelFormat format, unsigned c, int depth)
{
  const AVComponentDescriptor *comp = &desc->comp[c];
  int be = !!(desc->flags & AV_PIX_FMT_FLAG_BE), group = 0, first;

  layout->word_bytes = comp->shift + comp->depth > 8 ? 2 : 1;
  layout->big_endian = (uint8_t) be;
  if (format == AV_PIX_FMT_MONOBLACK) {
    layout->group_bytes = 1;
    for (int i = 7; i >= 0; i--)
      add_place (layout, 0, i);
    return;
  }
  if (format == AV_PIX_FMT_UYYVYY411) { /* which descriptors cannot describe */
    layout->group_bytes = 6;
    for (int i = 0; i < 6; i++)
      if ("100200"[i] == '0' + (char) c)
        add_place (layout, i, 0);
    return;
  }
  for (int i = 0; i < desc->nb_components; i++)
    if (desc->comp[i].plane == comp->plane)
      group = FFMAX (group, desc->comp[i].step);
  layout->group_bytes = (uint8_t) group;
  first = comp->offset + (be && layout->word_bytes == 1);
  for (int i = 0; i < group; i += comp->step)
    add_place (layout, first + i, comp->shift + comp->depth - depth);
  find_fill (layout, desc, comp->plane);
}

int
ff_libpaco_image (PacoImage *image, const PacoInfo *info, unsigned reduce,
    const AVFrame *frame)
{
  const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get (frame->format);
  PacoInfo full = PACO_INFO_INIT;

  ff_libpaco_describe (&full, frame->format);
  memset (image, 0, sizeof *image);
  for (unsigned c = 0; c < info->n_components; c++) {
    PacoLayout *layout = &image->layout[c];
    int plane = info->mosaic ? 0 : desc->comp[c].plane;
    ptrdiff_t stride = frame->linesize[plane];
    uint8_t *data = frame->data[plane];
    uint32_t width, height;

    if (paco_component_size (info, c, reduce, &width, &height, NULL)
        != PACO_STATUS_OK)
      return AVERROR (EINVAL);
    if (info->mosaic) {
      layout->word_bytes = (uint8_t) (full.depth[0] / 8);
      layout->group_bytes = 2 * layout->word_bytes;
      layout->big_endian = !!(desc->flags & AV_PIX_FMT_FLAG_BE);
      add_place (layout, (int) info->place_x[c] * layout->word_bytes,
          (int) (full.depth[0] - info->depth[c]));
      data += info->place_y[c] * stride;
      stride *= 2;
    } else {
      lay_out (layout, desc, frame->format, c, (int) info->depth[c]);
    }
    image->data[c] = data;
    image->stride[c] = stride;
    image->size[c] = (size_t) FFABS (stride) * (height - 1)
        + (size_t) layout->group_bytes
            * ((width + layout->group_samples - 1) / layout->group_samples);
  }
  return 0;
}

/* --- colors --- */

/* FFmpeg's numbers, which are those of ITU-T H.273, by PaCo's; 2 is unknown. */
static const uint8_t matrices[] = { 2, 0, 4, 1, 6, 7, 9 };
static const uint8_t transfers[] = { 2, 8, 2, 2, 4, 1, 7, 13, 5, 9, 10, 15, 2,
  14, 16, 18, 6 };
static const uint8_t primaries[] = { 2, 1, 4, 5, 6, 7, 8, 9, 2, 10, 11, 12,
  22 };
/* Chroma sites by FFmpeg's numbers: unspecified, left, center, top left, top. */
static const uint8_t sites[] = { 0, 2, 1, 6, 4 };

static int
get (const uint8_t *numbers, size_t n, uint32_t number)
{
  return numbers[number < n ? number : 0];
}

static uint32_t
put (const uint8_t *numbers, size_t n, int number)
{
  for (uint32_t i = 1; i < n; i++)
    if (numbers[i] == number && number != 2)
      return i;
  return 0;
}

void
ff_libpaco_get_colors (AVCodecContext *avctx, const PacoInfo *info)
{
  avctx->colorspace = get (matrices, sizeof matrices, info->matrix);
  if (ff_libpaco_is_rgb (info))
    avctx->colorspace = AVCOL_SPC_RGB;
  avctx->color_trc = get (transfers, sizeof transfers, info->transfer);
  avctx->color_primaries = get (primaries, sizeof primaries, info->primaries);
  avctx->color_range = info->range == 1 ? AVCOL_RANGE_JPEG
      : info->range == 2                ? AVCOL_RANGE_MPEG
                                        : AVCOL_RANGE_UNSPECIFIED;
  avctx->chroma_sample_location = AVCHROMA_LOC_UNSPECIFIED;
  for (int i = 1; i < (int) sizeof sites; i++)
    if (info->chroma_site == sites[i])
      avctx->chroma_sample_location = i;
}

void
ff_libpaco_put_colors (PacoInfo *info, const AVCodecContext *avctx)
{
  const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get (avctx->pix_fmt);
  int matrix = avctx->colorspace;

  if (matrix == AVCOL_SPC_BT470BG) /* the same numbers */
    matrix = AVCOL_SPC_SMPTE170M;
  if (matrix == AVCOL_SPC_RGB) /* of pictures that are none */
    matrix = AVCOL_SPC_UNSPECIFIED;
  info->matrix = put (matrices, sizeof matrices, matrix);
  if (desc->flags & AV_PIX_FMT_FLAG_RGB)
    info->matrix = desc->flags & AV_PIX_FMT_FLAG_BAYER ? 0 : 1;
  info->transfer = put (transfers, sizeof transfers, avctx->color_trc);
  info->primaries = put (primaries, sizeof primaries, avctx->color_primaries);
  info->range = avctx->color_range == AVCOL_RANGE_JPEG ? 1
      : avctx->color_range == AVCOL_RANGE_MPEG         ? 2
                                                       : 0;
  if (strncmp (desc->name, "yuvj", 4) == 0)
    info->range = 1;
  if (avctx->chroma_sample_location < (int) sizeof sites)
    info->chroma_site = sites[avctx->chroma_sample_location];
}
