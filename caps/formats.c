/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The one table of raw video formats. GstVideoFormatInfo knows where the
 * samples of most formats lie, so a row is little more than a name. It does
 * not know, or says it wrong, for formats of packed words and for most formats
 * of 10 to 16 bits that interleave their components; their rows spell it out.
 * tests/check/formats.c holds every row against GStreamer's own unpack
 * functions.
 *
 * The order of the rows is the order of preference, in the caps of all pads and
 * in the decoder's choice between layouts of the same samples: what capture
 * cards and cameras deliver comes first, and gray last, so that a source which
 * is free to choose keeps its color. In caps, each NEXT begins another structure.
 * The order within a structure is lost where elements stand between source and
 * encoder, as they put the source's first; the order of structures is not.
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
  ROW_NEXT,     /* no format: those behind it are less preferred */
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
#define NEXT { "", ROW_NEXT }
#define EXCLUDED(name, reason)                                                 \
  { name, ROW_EXCLUDED, 0, false, { 0 }, { 0 }, reason }

static const FormatRow rows[] = {
  /* 4:2:2 of 10 bits. */
  DERIVED ("I422_10LE"),
  NEXT,
  PACKED ("v210"),
  LISTED ("Y210", 2, false, OFFSETS (0, 2, 6), SHIFTS (6, 6, 6)),
  DERIVED ("I422_10BE"),
  NEXT,

  /* 4:2:2 of 8 bits. */
  DERIVED ("UYVY"), DERIVED ("YUY2"), DERIVED ("Y42B"), DERIVED ("NV16"),
  DERIVED ("NV61"), DERIVED ("YVYU"),
  LISTED ("VYUY", 1, false, OFFSETS (1, 2, 0), SHIFTS (0, 0, 0)),
  NEXT,

  /* 4:2:0 of 10 bits. P010 to P016 give the offset of V in samples where it
   * should be in bytes. */
  LISTED ("P010_10LE", 2, false, OFFSETS (0, 0, 2), SHIFTS (6, 6, 6)),
  DERIVED ("I420_10LE"),
  LISTED ("P010_10BE", 2, true, OFFSETS (0, 0, 2), SHIFTS (6, 6, 6)),
  DERIVED ("I420_10BE"),
  NEXT,

  /* 4:2:0 of 8 bits. */
  DERIVED ("NV12"), DERIVED ("I420"), DERIVED ("YV12"), DERIVED ("NV21"),
  NEXT,

  /* 4:4:4 of 10 and 8 bits. */
  DERIVED ("Y444_10LE"), DERIVED ("Y444_10BE"),
  DERIVED ("Y444"), DERIVED ("NV24"), DERIVED ("v308"), DERIVED ("IYU2"),
  NEXT,

  /* Y, U, V of 12 bits. */
  DERIVED ("I422_12LE"),
  LISTED ("Y212_LE", 2, false, OFFSETS (0, 2, 6), SHIFTS (4, 4, 4)),
  DERIVED ("I422_12BE"),
  LISTED ("Y212_BE", 2, true, OFFSETS (0, 2, 6), SHIFTS (4, 4, 4)),
  LISTED ("P012_LE", 2, false, OFFSETS (0, 0, 2), SHIFTS (4, 4, 4)),
  DERIVED ("I420_12LE"),
  LISTED ("P012_BE", 2, true, OFFSETS (0, 0, 2), SHIFTS (4, 4, 4)),
  DERIVED ("I420_12BE"),
  DERIVED ("Y444_12LE"), DERIVED ("Y444_12BE"),

  /* Y, U, V of 16 bits. */
  LISTED ("v216", 2, false, OFFSETS (2, 0, 4), SHIFTS (0, 0, 0)),
  LISTED ("P016_LE", 2, false, OFFSETS (0, 0, 2), SHIFTS (0, 0, 0)),
  LISTED ("P016_BE", 2, true, OFFSETS (0, 0, 2), SHIFTS (0, 0, 0)),
  DERIVED ("Y444_16LE"), DERIVED ("Y444_16BE"),
  NEXT,

  /* R, G, B of 10 bits. */
  DERIVED ("GBR_10LE"),
  LISTED ("r210", 4, true, OFFSETS (0, 0, 0), SHIFTS (20, 10, 0)),
  DERIVED ("GBR_10BE"),

  /* R, G, B of 8 bits. */
  DERIVED ("RGB"), DERIVED ("BGR"),
  DERIVED ("BGRx"), DERIVED ("RGBx"), DERIVED ("xRGB"), DERIVED ("xBGR"),
  DERIVED ("GBR"), DERIVED ("RGBP"), DERIVED ("BGRP"),

  /* R, G, B of 12 and 16 bits. */
  DERIVED ("GBR_12LE"), DERIVED ("GBR_12BE"),
  DERIVED ("GBR_16LE"), DERIVED ("GBR_16BE"), /* 1.24 */
  NEXT,

  /* Y, U, V and alpha. */
  DERIVED ("A422_10LE"), DERIVED ("A422_10BE"),
  DERIVED ("A422"), /* 1.24 */
  DERIVED ("A420_10LE"), DERIVED ("A420_10BE"),
  DERIVED ("A420"), DERIVED ("AV12"),
  DERIVED ("A444_10LE"), DERIVED ("A444_10BE"),
  LISTED ("Y410", 4, false, OFFSETS (0, 0, 0, 0), SHIFTS (10, 0, 20, 30)),
  DERIVED ("AYUV"), DERIVED ("VUYA"),
  DERIVED ("A444"), /* 1.24 */
  LISTED ("Y412_LE", 2, false, OFFSETS (2, 0, 4, 6), SHIFTS (4, 4, 4, 4)),
  LISTED ("Y412_BE", 2, true, OFFSETS (2, 0, 4, 6), SHIFTS (4, 4, 4, 4)),
  DERIVED ("AYUV64"),
  /* Since 1.24. */
  DERIVED ("A422_12LE"), DERIVED ("A420_12LE"), DERIVED ("A444_12LE"),
  DERIVED ("A422_12BE"), DERIVED ("A420_12BE"), DERIVED ("A444_12BE"),
  DERIVED ("A422_16LE"), DERIVED ("A420_16LE"), DERIVED ("A444_16LE"),
  DERIVED ("A422_16BE"), DERIVED ("A420_16BE"), DERIVED ("A444_16BE"),

  /* R, G, B and alpha. Words are in the byte order of the machine where the
   * name does not give it. */
  DERIVED ("RGBA"), DERIVED ("BGRA"), DERIVED ("ARGB"), DERIVED ("ABGR"),
  DERIVED ("GBRA"), DERIVED ("RBGA"), /* RBGA: 1.24 */
  DERIVED ("GBRA_10LE"), DERIVED ("GBRA_10BE"),
  LISTED ("RGB10A2_LE", 4, false, OFFSETS (0, 0, 0, 0), SHIFTS (0, 10, 20, 30)),
  LISTED ("BGR10A2_LE", 4, false, OFFSETS (0, 0, 0, 0), SHIFTS (20, 10, 0, 30)),
  DERIVED ("GBRA_12LE"), DERIVED ("GBRA_12BE"),
  DERIVED ("RGBA64_LE"), DERIVED ("BGRA64_LE"), DERIVED ("ARGB64_LE"),
  DERIVED ("ABGR64_LE"), DERIVED ("ARGB64"),
  DERIVED ("RGBA64_BE"), DERIVED ("BGRA64_BE"), DERIVED ("ARGB64_BE"),
  DERIVED ("ABGR64_BE"),
  NEXT,

  /* Samples across words and bytes, or in tiles. */
  PACKED_PAIRS ("UYVP", 5), PACKED ("NV16_10LE32"),
  PACKED ("NV12_10LE32"), PACKED ("NV12_10LE40"),
  PACKED ("NV12_4L4"), PACKED ("NV12_32L32"), PACKED ("NV12_16L32S"),
  PACKED ("NV12_64Z32"), PACKED ("NV12_8L128"),

  /* 4:1:1, 4:1:0, and R, G, B of 5 and 6 bits. */
  DERIVED ("Y41B"), PACKED ("IYU1"), DERIVED ("YUV9"), DERIVED ("YVU9"),
  LISTED ("RGB16", 2, NATIVE_BE, OFFSETS (0, 0, 0), SHIFTS (11, 5, 0)),
  LISTED ("BGR16", 2, NATIVE_BE, OFFSETS (0, 0, 0), SHIFTS (0, 5, 11)),
  LISTED ("RGB15", 2, NATIVE_BE, OFFSETS (0, 0, 0), SHIFTS (10, 5, 0)),
  LISTED ("BGR15", 2, NATIVE_BE, OFFSETS (0, 0, 0), SHIFTS (0, 5, 10)),
  NEXT,

  /* Gray. */
  DERIVED ("GRAY8"), DERIVED ("GRAY16_LE"), DERIVED ("GRAY16_BE"),
  DERIVED ("GRAY10_LE16"), /* 1.26 */
  PACKED ("GRAY10_LE32"),

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

/* The running GStreamer may not know the name. */
static gboolean
is_coded (const FormatRow *row)
{
  return row->kind != ROW_NEXT && row->kind != ROW_EXCLUDED
      && gst_video_format_from_string (row->name) != GST_VIDEO_FORMAT_UNKNOWN;
}

guint
paco_raw_formats (GstVideoFormat *formats, guint n)
{
  guint found = 0;

  G_STATIC_ASSERT (G_N_ELEMENTS (rows) <= PACO_MAX_RAW_FORMATS);
  for (guint i = 0; i < G_N_ELEMENTS (rows) && found < n; i++)
    if (is_coded (&rows[i]))
      formats[found++] = gst_video_format_from_string (rows[i].name);
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
caps_take_format (
    GstCaps *allowed, GstVideoFormat format, GstVideoInterlaceMode mode)
{
  GstCaps *caps = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING,
      gst_video_format_to_string (format), NULL);
  gboolean taken;

  if (mode == GST_VIDEO_INTERLACE_MODE_ALTERNATE)
    gst_caps_set_features_simple (
        caps, gst_caps_features_new (GST_CAPS_FEATURE_FORMAT_INTERLACED, NULL));
  taken = gst_caps_can_intersect (allowed, caps);
  gst_caps_unref (caps);
  return taken;
}

GstVideoFormat
paco_raw_format_pick (GstVideoFormat coded, guint width,
    GstVideoInterlaceMode mode, GstCaps *allowed)
{
  GstVideoFormat formats[PACO_MAX_RAW_FORMATS + 1];
  guint n = 1 + paco_raw_formats (formats + 1, PACO_MAX_RAW_FORMATS);

  formats[0] = coded;
  for (guint i = 0; i < n; i++) {
    if (!paco_raw_format_same_samples (coded, formats[i])
        || !paco_raw_format_holds (formats[i], width))
      continue;
    if (allowed == NULL || caps_take_format (allowed, formats[i], mode))
      return formats[i];
  }
  return coded;
}

GstCaps *
paco_raw_caps (void)
{
  GstCaps *caps = gst_caps_new_empty (), *fields;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    GstVideoFormat formats[PACO_MAX_RAW_FORMATS];
    guint n = 0;

    for (; i < G_N_ELEMENTS (rows) && rows[i].kind != ROW_NEXT; i++)
      if (is_coded (&rows[i]))
        formats[n++] = gst_video_format_from_string (rows[i].name);
    gst_caps_append (caps, gst_video_make_raw_caps (formats, n));
  }

  gst_caps_set_simple (caps, "width", GST_TYPE_INT_RANGE, 1, PACO_MAX_SIZE,
      "height", GST_TYPE_INT_RANGE, 1, PACO_MAX_SIZE, NULL);
  fields = gst_caps_copy (caps);
  gst_caps_set_features_simple (
      fields, gst_caps_features_new (GST_CAPS_FEATURE_FORMAT_INTERLACED, NULL));
  gst_caps_set_simple (
      fields, "interlace-mode", G_TYPE_STRING, "alternate", NULL);
  gst_caps_append (caps, fields);
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
  picture->height = GST_VIDEO_INFO_FIELD_HEIGHT (info);
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
  guint height = GST_VIDEO_INFO_FIELD_HEIGHT (&frame->info);
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
