/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The one table of raw video formats. GstVideoFormatInfo knows where the
 * samples of most formats lie, so a row is little more than a name. It does
 * not know, or says it wrong, for formats of packed words and for most formats
 * of 10 to 16 bits that interleave their components; their rows spell it out.
 * tests/check/formats.c holds every row against GStreamer's own unpack
 * functions.
 *
 * Formats are listed by name, so that one build serves later versions of
 * GStreamer too: names that the running version does not know are passed over,
 * and formats that are not listed are not offered. */
#include "formats.h"
#include <string.h>

typedef enum
{
  ROW_DERIVED,  /* in place, as GstVideoFormatInfo has it */
  ROW_LISTED,   /* in place, as the row has it */
  ROW_PACKED,   /* through unpack and pack functions */
  ROW_EXCLUDED, /* not coded, for the reason given */
} RowKind;

/* bytes, big_endian, offset and shift are those of ROW_LISTED; for ROW_PACKED
 * bytes may say how many two pixels take. */
typedef struct
{
  const char *name;
  RowKind kind;
  guint8 bytes;
  bool big_endian;
  guint8 offset[PACO_MAX_COMPONENTS];
  guint8 shift[PACO_MAX_COMPONENTS];
  const char *reason;
} FormatRow;

#define NATIVE_BE (G_BYTE_ORDER == G_BIG_ENDIAN)
/* clang-format off */
#define DERIVED(name) { name, ROW_DERIVED }
#define PACKED(name) { name, ROW_PACKED }
#define PACKED_PAIRS(name, bytes) { name, ROW_PACKED, bytes }
#define OFFSETS(...) { __VA_ARGS__ }
#define SHIFTS(...) { __VA_ARGS__ }
#define LISTED(name, bytes, big_endian, offsets, shifts)                       \
  { name, ROW_LISTED, bytes, big_endian, offsets, shifts }
#define EXCLUDED(name, reason)                                                 \
  { name, ROW_EXCLUDED, 0, false, { 0 }, { 0 }, reason }

static const FormatRow rows[] = {
  /* Gray. */
  DERIVED ("GRAY8"), DERIVED ("GRAY16_LE"), DERIVED ("GRAY16_BE"),
  PACKED ("GRAY10_LE32"),
  DERIVED ("GRAY10_LE16"), /* 1.26 */

  /* Planar Y, U, V. */
  DERIVED ("I420"), DERIVED ("YV12"), DERIVED ("Y42B"), DERIVED ("Y444"),
  DERIVED ("Y41B"), DERIVED ("YUV9"), DERIVED ("YVU9"),
  DERIVED ("I420_10LE"), DERIVED ("I422_10LE"), DERIVED ("Y444_10LE"),
  DERIVED ("I420_10BE"), DERIVED ("I422_10BE"), DERIVED ("Y444_10BE"),
  DERIVED ("I420_12LE"), DERIVED ("I422_12LE"), DERIVED ("Y444_12LE"),
  DERIVED ("I420_12BE"), DERIVED ("I422_12BE"), DERIVED ("Y444_12BE"),
  DERIVED ("Y444_16LE"), DERIVED ("Y444_16BE"),

  /* Planar Y, U, V, A. */
  DERIVED ("A420"),
  DERIVED ("A420_10LE"), DERIVED ("A422_10LE"), DERIVED ("A444_10LE"),
  DERIVED ("A420_10BE"), DERIVED ("A422_10BE"), DERIVED ("A444_10BE"),
  /* Since 1.24. */
  DERIVED ("A422"), DERIVED ("A444"),
  DERIVED ("A420_12LE"), DERIVED ("A422_12LE"), DERIVED ("A444_12LE"),
  DERIVED ("A420_12BE"), DERIVED ("A422_12BE"), DERIVED ("A444_12BE"),
  DERIVED ("A420_16LE"), DERIVED ("A422_16LE"), DERIVED ("A444_16LE"),
  DERIVED ("A420_16BE"), DERIVED ("A422_16BE"), DERIVED ("A444_16BE"),

  /* Y in a plane, U and V interleaved. The 16-bit ones give the offset of V
   * in samples where it should be in bytes. */
  DERIVED ("NV12"), DERIVED ("NV21"), DERIVED ("NV16"), DERIVED ("NV61"),
  DERIVED ("NV24"), DERIVED ("AV12"),
  LISTED ("P010_10LE", 2, false, OFFSETS (0, 0, 2), SHIFTS (6, 6, 6)),
  LISTED ("P010_10BE", 2, true, OFFSETS (0, 0, 2), SHIFTS (6, 6, 6)),
  LISTED ("P012_LE", 2, false, OFFSETS (0, 0, 2), SHIFTS (4, 4, 4)),
  LISTED ("P012_BE", 2, true, OFFSETS (0, 0, 2), SHIFTS (4, 4, 4)),
  LISTED ("P016_LE", 2, false, OFFSETS (0, 0, 2), SHIFTS (0, 0, 0)),
  LISTED ("P016_BE", 2, true, OFFSETS (0, 0, 2), SHIFTS (0, 0, 0)),

  /* Y, U, V interleaved. */
  DERIVED ("YUY2"), DERIVED ("UYVY"), DERIVED ("YVYU"),
  DERIVED ("v308"), DERIVED ("IYU2"), DERIVED ("AYUV"), DERIVED ("VUYA"),
  DERIVED ("AYUV64"),
  LISTED ("VYUY", 1, false, OFFSETS (1, 2, 0), SHIFTS (0, 0, 0)),
  LISTED ("v216", 2, false, OFFSETS (2, 0, 4), SHIFTS (0, 0, 0)),
  LISTED ("Y210", 2, false, OFFSETS (0, 2, 6), SHIFTS (6, 6, 6)),
  LISTED ("Y212_LE", 2, false, OFFSETS (0, 2, 6), SHIFTS (4, 4, 4)),
  LISTED ("Y212_BE", 2, true, OFFSETS (0, 2, 6), SHIFTS (4, 4, 4)),
  LISTED ("Y412_LE", 2, false, OFFSETS (2, 0, 4, 6), SHIFTS (4, 4, 4, 4)),
  LISTED ("Y412_BE", 2, true, OFFSETS (2, 0, 4, 6), SHIFTS (4, 4, 4, 4)),
  LISTED ("Y410", 4, false, OFFSETS (0, 0, 0, 0), SHIFTS (10, 0, 20, 30)),

  /* Planar R, G, B, A. */
  DERIVED ("GBR"), DERIVED ("RGBP"), DERIVED ("BGRP"), DERIVED ("GBRA"),
  DERIVED ("GBR_10LE"), DERIVED ("GBR_12LE"),
  DERIVED ("GBR_10BE"), DERIVED ("GBR_12BE"),
  DERIVED ("GBRA_10LE"), DERIVED ("GBRA_12LE"),
  DERIVED ("GBRA_10BE"), DERIVED ("GBRA_12BE"),
  DERIVED ("GBR_16LE"), DERIVED ("GBR_16BE"), /* 1.24 */

  /* R, G, B, A interleaved. */
  DERIVED ("RGB"), DERIVED ("BGR"),
  DERIVED ("RGBx"), DERIVED ("BGRx"), DERIVED ("xRGB"), DERIVED ("xBGR"),
  DERIVED ("RGBA"), DERIVED ("BGRA"), DERIVED ("ARGB"), DERIVED ("ABGR"),
  DERIVED ("RBGA"), /* 1.24 */
  DERIVED ("ARGB64"),
  DERIVED ("ARGB64_LE"), DERIVED ("RGBA64_LE"),
  DERIVED ("BGRA64_LE"), DERIVED ("ABGR64_LE"),
  DERIVED ("ARGB64_BE"), DERIVED ("RGBA64_BE"),
  DERIVED ("BGRA64_BE"), DERIVED ("ABGR64_BE"),

  /* R, G, B, A in one word, in the byte order of the machine where the name
   * does not give it. */
  LISTED ("RGB16", 2, NATIVE_BE, OFFSETS (0, 0, 0), SHIFTS (11, 5, 0)),
  LISTED ("BGR16", 2, NATIVE_BE, OFFSETS (0, 0, 0), SHIFTS (0, 5, 11)),
  LISTED ("RGB15", 2, NATIVE_BE, OFFSETS (0, 0, 0), SHIFTS (10, 5, 0)),
  LISTED ("BGR15", 2, NATIVE_BE, OFFSETS (0, 0, 0), SHIFTS (0, 5, 10)),
  LISTED ("r210", 4, true, OFFSETS (0, 0, 0), SHIFTS (20, 10, 0)),
  LISTED ("RGB10A2_LE", 4, false, OFFSETS (0, 0, 0, 0), SHIFTS (0, 10, 20, 30)),
  LISTED ("BGR10A2_LE", 4, false, OFFSETS (0, 0, 0, 0), SHIFTS (20, 10, 0, 30)),

  /* Samples across words and bytes, or in tiles. */
  PACKED ("v210"), PACKED_PAIRS ("UYVP", 5), PACKED ("IYU1"),
  PACKED ("NV12_10LE32"), PACKED ("NV16_10LE32"), PACKED ("NV12_10LE40"),
  PACKED ("NV12_64Z32"), PACKED ("NV12_4L4"), PACKED ("NV12_32L32"),
  PACKED ("NV12_16L32S"), PACKED ("NV12_8L128"),

  EXCLUDED ("RGB8P", "its samples are indices into a palette"),
  EXCLUDED ("NV12_10BE_8L128", "GStreamer can unpack it but not pack it"),
};
/* clang-format on */

static const FormatRow *
find_row (GstVideoFormat format)
{
  const char *name = NULL;

  if (format != GST_VIDEO_FORMAT_UNKNOWN && format != GST_VIDEO_FORMAT_ENCODED)
    name = gst_video_format_to_string (format);
  if (name == NULL)
    return NULL;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (strcmp (rows[i].name, name) == 0)
      return &rows[i];
  return NULL;
}

/* Sets what no sample covers: the bytes that are left of a pixel and the bits
 * that are left of a shared word. */
static void
find_gaps (const GstVideoFormatInfo *finfo, PacoRawFormat *raw)
{
  guint covered = 0, pixel = 0;
  bool one_plane = finfo->n_planes == 1, shared = false;

  for (guint c = 0; c < raw->n_components; c++) {
    /* Samples of a subsampled component count for a share of a pixel. */
    covered += raw->layout[c].shared ? raw->components[c].depth
                                     : 8u * raw->layout[c].bytes;
    pixel = MAX (pixel, raw->layout[c].pixel_stride);
    shared |= raw->layout[c].shared;
    if (raw->components[c].subsampling_x > 0)
      one_plane = false;
  }

  raw->gaps = shared || (one_plane && covered < 8 * pixel);
  raw->gap_value = shared ? 0 : 0xff;
}

gboolean
paco_raw_format (GstVideoFormat format, PacoRawFormat *raw)
{
  const FormatRow *row = find_row (format);
  const GstVideoFormatInfo *finfo;

  if (row == NULL || row->kind == ROW_EXCLUDED)
    return FALSE;

  finfo = gst_video_format_get_info (format);
  memset (raw, 0, sizeof (*raw));
  raw->format = format;
  raw->n_components = GST_VIDEO_FORMAT_INFO_N_COMPONENTS (finfo);
  raw->packed = row->kind == ROW_PACKED;

  for (guint c = 0; c < raw->n_components; c++) {
    PacoSampleLayout *layout = &raw->layout[c];

    raw->components[c].depth = GST_VIDEO_FORMAT_INFO_DEPTH (finfo, c);
    raw->components[c].subsampling_x = GST_VIDEO_FORMAT_INFO_W_SUB (finfo, c);
    raw->components[c].subsampling_y = GST_VIDEO_FORMAT_INFO_H_SUB (finfo, c);
    if (row->kind == ROW_PACKED)
      continue;

    layout->pixel_stride = GST_VIDEO_FORMAT_INFO_PSTRIDE (finfo, c);
    if (row->kind == ROW_LISTED) {
      layout->bytes = row->bytes;
      layout->big_endian = row->big_endian;
      layout->shift = row->shift[c];
      raw->offset[c] = row->offset[c];
      /* Words in which every component has the same place are shared. */
      layout->shared = layout->pixel_stride == row->bytes
          && finfo->n_planes == 1;
    } else {
      layout->shift = GST_VIDEO_FORMAT_INFO_SHIFT (finfo, c);
      layout->bytes = layout->shift + raw->components[c].depth > 8 ? 2 : 1;
      layout->big_endian = layout->bytes > 1
          && !GST_VIDEO_FORMAT_INFO_IS_LE (finfo);
      raw->offset[c] = GST_VIDEO_FORMAT_INFO_POFFSET (finfo, c);
    }
  }

  if (!raw->packed)
    find_gaps (finfo, raw);
  return TRUE;
}

const char *
paco_raw_format_exclusion (GstVideoFormat format)
{
  const FormatRow *row = find_row (format);

  return row != NULL ? row->reason : NULL;
}

gboolean
paco_raw_format_holds (GstVideoFormat format, guint width)
{
  const FormatRow *row = find_row (format);
  GstVideoInfo info;
  PacoRawFormat raw;

  if (!paco_raw_format (format, &raw)
      || !gst_video_info_set_format (&info, format, width, 1))
    return FALSE;

  if (raw.packed)
    return (width + 1) / 2 * row->bytes
        <= (guint) GST_VIDEO_INFO_PLANE_STRIDE (&info, 0);

  for (guint c = 0; c < raw.n_components; c++) {
    guint last = paco_ceil_shift (width, raw.components[c].subsampling_x) - 1;

    if (raw.offset[c] + last * raw.layout[c].pixel_stride + raw.layout[c].bytes
        > (guint) GST_VIDEO_INFO_COMP_STRIDE (&info, c))
      return FALSE;
  }
  return TRUE;
}

guint
paco_raw_formats (GstVideoFormat *formats, guint n)
{
  guint found = 0;

  G_STATIC_ASSERT (G_N_ELEMENTS (rows) <= PACO_MAX_RAW_FORMATS);
  for (guint i = 0; i < G_N_ELEMENTS (rows) && found < n; i++) {
    GstVideoFormat format = gst_video_format_from_string (rows[i].name);

    if (format != GST_VIDEO_FORMAT_UNKNOWN && rows[i].kind != ROW_EXCLUDED)
      formats[found++] = format;
  }
  return found;
}

gboolean
paco_raw_format_same_samples (GstVideoFormat a, GstVideoFormat b)
{
  PacoRawFormat ra, rb;
  const GstVideoFormatFlags kind = GST_VIDEO_FORMAT_FLAG_YUV
      | GST_VIDEO_FORMAT_FLAG_RGB | GST_VIDEO_FORMAT_FLAG_GRAY;

  if (!paco_raw_format (a, &ra) || !paco_raw_format (b, &rb))
    return FALSE;
  if (ra.n_components != rb.n_components)
    return FALSE;
  if ((GST_VIDEO_FORMAT_INFO_FLAGS (gst_video_format_get_info (a)) & kind)
      != (GST_VIDEO_FORMAT_INFO_FLAGS (gst_video_format_get_info (b)) & kind))
    return FALSE;
  return memcmp (ra.components, rb.components,
             ra.n_components * sizeof (PacoComponent))
      == 0;
}

static gboolean
caps_take_format (GstCaps *allowed, GstVideoFormat format)
{
  GstCaps *caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING,
      gst_video_format_to_string (format), NULL);
  gboolean taken = gst_caps_can_intersect (allowed, caps);

  gst_caps_unref (caps);
  return taken;
}

GstVideoFormat
paco_raw_format_pick (GstVideoFormat coded, guint width, GstCaps *allowed)
{
  GstVideoFormat formats[PACO_MAX_RAW_FORMATS + 1];
  guint n = 1 + paco_raw_formats (formats + 1, PACO_MAX_RAW_FORMATS);

  formats[0] = coded;
  for (guint i = 0; i < n; i++) {
    if (!paco_raw_format_same_samples (coded, formats[i])
        || !paco_raw_format_holds (formats[i], width))
      continue;
    if (allowed == NULL || caps_take_format (allowed, formats[i]))
      return formats[i];
  }
  return coded;
}

GstCaps *
paco_raw_caps (void)
{
  GstVideoFormat formats[PACO_MAX_RAW_FORMATS];
  guint n = paco_raw_formats (formats, G_N_ELEMENTS (formats));
  GstCaps *caps = gst_video_make_raw_caps (formats, n);

  gst_caps_set_simple (caps, "width", GST_TYPE_INT_RANGE, 1, PACO_MAX_SIZE,
      "height", GST_TYPE_INT_RANGE, 1, PACO_MAX_SIZE, NULL);
  return caps;
}

gboolean
paco_picture_format_from_info (
    const GstVideoInfo *info, bool fields, PacoPictureFormat *picture)
{
  PacoRawFormat raw;

  if (!paco_raw_format (GST_VIDEO_INFO_FORMAT (info), &raw)
      || !paco_raw_format_holds (
          GST_VIDEO_INFO_FORMAT (info), GST_VIDEO_INFO_WIDTH (info)))
    return FALSE;

  memset (picture, 0, sizeof (*picture));
  picture->width = GST_VIDEO_INFO_WIDTH (info);
  picture->height = GST_VIDEO_INFO_HEIGHT (info);
  picture->n_components = raw.n_components;
  picture->fields = fields;
  memcpy (picture->components, raw.components,
      raw.n_components * sizeof (PacoComponent));
  return TRUE;
}

void
paco_picture_from_frame (
    const PacoRawFormat *raw, const GstVideoFrame *frame, PacoPicture *picture)
{
  const GstVideoFormatInfo *finfo = frame->info.finfo;

  memset (picture, 0, sizeof (*picture));
  for (guint c = 0; c < raw->n_components; c++) {
    guint plane = GST_VIDEO_FORMAT_INFO_PLANE (finfo, c);

    picture->data[c] = (guint8 *) frame->data[plane] + raw->offset[c];
    picture->stride[c] = frame->info.stride[plane];
    picture->layout[c] = raw->layout[c];
  }
}

void
paco_frame_clear_gaps (const PacoRawFormat *raw, GstVideoFrame *frame)
{
  const GstVideoFormatInfo *finfo = frame->info.finfo;
  guint width = GST_VIDEO_FRAME_WIDTH (frame);
  guint height = GST_VIDEO_FRAME_HEIGHT (frame);
  guint8 *line = frame->data[0];
  gsize from, to;

  if (raw->packed || finfo->n_planes != 1)
    return;

  if (raw->gaps) {
    from = 0;
    to = (gsize) width * raw->layout[0].pixel_stride;
  } else if (raw->n_components >= 3 && raw->components[1].subsampling_x > 0
      && width % 2 == 1) {
    /* The last pair of pixels has only one Y. */
    to = (gsize) (width / 2 + 1) * raw->layout[1].pixel_stride;
    from = to - raw->layout[1].pixel_stride;
  } else {
    return;
  }

  for (guint y = 0; y < height; y++) {
    memset (line + from, raw->gaps ? raw->gap_value : 0, to - from);
    line += frame->info.stride[0];
  }
}
