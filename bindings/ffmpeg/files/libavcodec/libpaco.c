/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Pixel formats and colors of FFmpeg, and those of PaCo (libpaco.h). Which formats there
 * are, and where samples lie, FFmpeg's descriptors say. */
#include "libpaco.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "libavutil/common.h"
#include "libavutil/pixdesc.h"

/* --- formats --- */

/* What GStreamer calls formats, behind what FFmpeg calls them. Of names of both without the
 * byte order it is appended to both: yuv420p10be, I420_10BE. */
static const char *const names[] = { "yuv420p", "I420", "yuv422p", "Y42B",
  "yuv444p", "Y444", "yuv411p", "Y41B", "yuv410p", "YUV9", "yuv420p10",
  "I420_10", "yuv422p10", "I422_10", "yuv444p10", "Y444_10", "yuv420p12",
  "I420_12", "yuv422p12", "I422_12", "yuv444p12", "Y444_12", "yuv444p16",
  "Y444_16", "yuva420p", "A420", "yuva422p", "A422", "yuva444p", "A444",
  "yuva420p10", "A420_10", "yuva422p10", "A422_10", "yuva444p10", "A444_10",
  "yuva422p12", "A422_12", "yuva444p12", "A444_12", "yuva420p16", "A420_16",
  "yuva422p16", "A422_16", "yuva444p16", "A444_16", "gbrp", "GBR", "gbrp10",
  "GBR_10", "gbrp12", "GBR_12", "gbrp16", "GBR_16", "gbrap", "GBRA", "gbrap10",
  "GBRA_10", "gbrap12", "GBRA_12", "gray", "GRAY8", "gray10le", "GRAY10_LE16",
  "gray10be", "GRAY10_BE16", "gray16", "GRAY16_", "nv12", "NV12", "nv21",
  "NV21", "nv16", "NV16", "nv24", "NV24", "p010", "P010_10", "p012", "P012_",
  "p016", "P016_", "uyvy422", "UYVY", "yuyv422", "YUY2", "yvyu422", "YVYU",
  "uyyvyy411", "IYU1", "y210le", "Y210", "y212", "Y212_", "ayuv64le", "AYUV64",
  "vuya", "VUYA", "rgb24", "RGB", "bgr24", "BGR", "rgb0", "RGBx", "bgr0",
  "BGRx", "0rgb", "xRGB", "0bgr", "xBGR", "rgba", "RGBA", "bgra", "BGRA",
  "argb", "ARGB", "abgr", "ABGR", "rgba64", "RGBA64_", "bgra64", "BGRA64_",
  "rgb565le", "RGB16", "bgr565le", "BGR16", "rgb555le", "RGB15", "bgr555le",
  "BGR15", "yuvj420p", "I420", "yuvj422p", "Y42B", "yuvj444p", "Y444",
  "yuvj411p", "Y41B" };

/* Writes what GStreamer calls the format, or "". */
static void
name_format (char name[16], const AVPixFmtDescriptor *desc)
{
  size_t length = strlen (desc->name) - 2;
  const char *order = desc->name + length;

  name[0] = '\0';
  if (desc->flags & AV_PIX_FMT_FLAG_BAYER)
    snprintf (name, 16, "%s", strchr (desc->name, '_') + 1);
  for (size_t i = 0; i < FF_ARRAY_ELEMS (names); i += 2)
    if (strcmp (names[i], desc->name) == 0)
      snprintf (name, 16, "%s", names[i + 1]);
    else if (strlen (names[i]) == length
        && strncmp (names[i], desc->name, length) == 0
        && (strcmp (order, "le") == 0 || strcmp (order, "be") == 0))
      snprintf (name, 16, "%s%s", names[i + 1], order[0] == 'l' ? "LE" : "BE");
}

int
ff_libpaco_has_samples (const AVPixFmtDescriptor *desc)
{
  int other = AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_PAL;
  /* Into colors of fewer bits FFmpeg dithers. Those of mosaics are of a cell. */
  int least = desc->nb_components > 1 && !(desc->flags & AV_PIX_FMT_FLAG_BAYER)
      ? 4
      : 1;

  if (strcmp (desc->name, "monob") != 0)
    other |= AV_PIX_FMT_FLAG_BITSTREAM;
  for (int c = 0; c < desc->nb_components; c++)
    if (desc->comp[c].depth < least || desc->comp[c].depth > 16)
      return 0;
  return !(desc->flags & other) && desc->nb_components > 0
      && strncmp (desc->name, "xyz", 3) != 0;
}

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

static void
describe_samples (PacoInfo *info, const AVPixFmtDescriptor *desc)
{
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

void
ff_libpaco_describe (PacoInfo *info, enum AVPixelFormat format)
{
  const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get (format);

  name_format (info->format, desc);
  describe_samples (info, desc);
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
missing_bits (const PacoInfo *info, const AVPixFmtDescriptor *desc)
{
  PacoInfo other = PACO_INFO_INIT;
  int more;

  describe_samples (&other, desc);
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
  const AVPixFmtDescriptor *desc = NULL, *found = NULL;
  int least = INT_MAX;

  while ((desc = av_pix_fmt_desc_next (desc))) {
    int more = ff_libpaco_has_samples (desc) ? missing_bits (info, desc) : -1;
    /* Planes come first, then words of this machine. */
    int cost = 4 * more + (desc->flags & AV_PIX_FMT_FLAG_PLANAR ? 0 : 2)
        + (!!(desc->flags & AV_PIX_FMT_FLAG_BE) != AV_HAVE_BIGENDIAN);
    char name[16] = "";

    if (more == 0)
      name_format (name, desc);
    if (name[0] && strcmp (name, info->format) == 0)
      cost = -1;
    if (more >= 0 && cost < least) {
      least = cost;
      found = desc;
    }
  }
  return found ? av_pix_fmt_desc_get_id (found) : AV_PIX_FMT_NONE;
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

  describe_samples (&full, desc);
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
