/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The one table of raw video formats. GstVideoFormatInfo knows where the
 * samples of most formats lie, so a row is little more than a name. It does
 * not know, or says it wrong, for formats of packed words and for most formats
 * of 10 to 16 bits that interleave their components; their rows spell it out.
 * tests/check/layouts.c holds every row against GStreamer's own unpack and pack
 * functions.
 *
 * RGB of 12 bits as DeckLink packs it (R12L) is not in the table. The codec takes
 * it (PacoSampleLayout), but GstVideoInfo, from which base classes, pools and
 * neighbors know how large a picture is, has no such format, and no element
 * makes it.
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
  ROW_DERIVED, /* as GstVideoFormatInfo has it */
  ROW_LISTED,  /* a word per sample, at the offset and shift that the row has */
  ROW_STRING,  /* strings of bits, cut into samples as the row has it */
  ROW_TILED,   /* through unpack and pack functions */
  ROW_EXCLUDED, /* not coded, for the reason given */
  ROW_NEXT,     /* no format: those behind it are less preferred */
} RowKind;

/* A row that is not derived says here what its words are, and where each
 * component (ROW_LISTED) or the samples of each plane (ROW_STRING) lie. A group
 * is a string of the digits of components, which follow each other bit by bit or,
 * if run is not 0, begin at a new word after each `run` of them. */
typedef struct
{
  const char *name;
  RowKind kind;
  guint8 word_bytes;
  bool big_endian;
  guint8 offset[PACO_MAX_COMPONENTS];
  guint8 shift[PACO_MAX_COMPONENTS];
  guint8 run;
  const char *planes[2];
  const char *reason;
} FormatRow;

#define NATIVE_BE (G_BYTE_ORDER == G_BIG_ENDIAN)
/* clang-format off */
#define DERIVED(name) { name, ROW_DERIVED }
#define TILED(name) { name, ROW_TILED }
#define OFFSETS(...) { __VA_ARGS__ }
#define SHIFTS(...) { __VA_ARGS__ }
#define LISTED(name, bytes, big_endian, offsets, shifts)                       \
  { name, ROW_LISTED, bytes, big_endian, offsets, shifts }
#define STRING(name, bytes, big_endian, run, ...)                              \
  { name, ROW_STRING, bytes, big_endian, { 0 }, { 0 }, run, { __VA_ARGS__ } }
#define NEXT { "", ROW_NEXT }
#define EXCLUDED(name, reason_given)                                           \
  { name, ROW_EXCLUDED, .reason = reason_given }

static const FormatRow rows[] = {
  /* 4:2:2 of 10 bits. */
  DERIVED ("I422_10LE"),
  NEXT,
  STRING ("v210", 4, false, 3, "102010201020"),
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
  STRING ("UYVP", 2, true, 0, "1020"),
  STRING ("NV16_10LE32", 4, false, 3, "000", "121212"),
  STRING ("NV12_10LE32", 4, false, 3, "000", "121212"),
  STRING ("NV12_10LE40", 2, false, 0, "0000", "1212"),
  TILED ("NV12_4L4"), TILED ("NV12_32L32"), TILED ("NV12_16L32S"),
  TILED ("NV12_64Z32"), TILED ("NV12_8L128"),

  /* 4:1:1, 4:1:0, and R, G, B of 5 and 6 bits. */
  DERIVED ("Y41B"), STRING ("IYU1", 1, false, 0, "100200"), DERIVED ("YUV9"), DERIVED ("YVU9"),
  LISTED ("RGB16", 2, NATIVE_BE, OFFSETS (0, 0, 0), SHIFTS (11, 5, 0)),
  LISTED ("BGR16", 2, NATIVE_BE, OFFSETS (0, 0, 0), SHIFTS (0, 5, 11)),
  LISTED ("RGB15", 2, NATIVE_BE, OFFSETS (0, 0, 0), SHIFTS (10, 5, 0)),
  LISTED ("BGR15", 2, NATIVE_BE, OFFSETS (0, 0, 0), SHIFTS (0, 5, 10)),
  NEXT,

  /* Gray. */
  DERIVED ("GRAY8"), DERIVED ("GRAY16_LE"), DERIVED ("GRAY16_BE"),
  DERIVED ("GRAY10_LE16"), /* 1.26 */
  STRING ("GRAY10_LE32", 4, false, 3, "000"),

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

/* Returns the bytes of a plane's group: those of the component whose samples are
 * the farthest apart. */
static guint
plane_group_bytes (const GstVideoFormatInfo *finfo, guint plane)
{
  guint bytes = 0;

  for (guint c = 0; c < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (finfo); c++)
    if (GST_VIDEO_FORMAT_INFO_PLANE (finfo, c) == plane)
      bytes = MAX (bytes, (guint) GST_VIDEO_FORMAT_INFO_PSTRIDE (finfo, c));
  return bytes;
}

/* Lays out a component that has a word for each sample. */
static void
lay_out_words (const FormatRow *row, const GstVideoFormatInfo *finfo, guint c,
    PacoSampleLayout *layout)
{
  guint shift = GST_VIDEO_FORMAT_INFO_SHIFT (finfo, c);
  guint offset = GST_VIDEO_FORMAT_INFO_POFFSET (finfo, c);
  guint apart = GST_VIDEO_FORMAT_INFO_PSTRIDE (finfo, c);

  if (row->kind == ROW_LISTED) {
    shift = row->shift[c];
    offset = row->offset[c];
    layout->word_bytes = row->word_bytes;
    layout->big_endian = row->big_endian;
  } else {
    layout->word_bytes = shift + GST_VIDEO_FORMAT_INFO_DEPTH (finfo, c) > 8 ? 2
                                                                            : 1;
    layout->big_endian = layout->word_bytes > 1
        && !GST_VIDEO_FORMAT_INFO_IS_LE (finfo);
  }
  layout->group_bytes = plane_group_bytes (
      finfo, GST_VIDEO_FORMAT_INFO_PLANE (finfo, c));
  layout->group_samples = layout->group_bytes / apart;
  for (guint i = 0; i < layout->group_samples; i++)
    layout->places[i] = (PacoSamplePlace){ offset + i * apart, shift };
}

/* Lays out the components of a plane whose samples are the bits of a string. They
 * have one depth. */
static void
lay_out_string (const FormatRow *row, const char *samples, PacoRawFormat *raw)
{
  guint depth = raw->components[samples[0] - '0'].depth;
  guint n = strlen (samples), word_bits = 8 * row->word_bytes;
  guint bits = row->run > 0 ? n / row->run * word_bits : n * depth;

  for (guint i = 0; i < n; i++) {
    PacoSampleLayout *layout = &raw->layout[samples[i] - '0'];
    guint bit = i * depth;

    if (row->run > 0)
      bit = i / row->run * word_bits + i % row->run * depth;
    layout->group_bytes = bits / 8;
    layout->word_bytes = row->word_bytes;
    layout->big_endian = row->big_endian;
    paco_layout_append (layout, bit, depth);
  }
}

/* Finds what is written where there are no samples: bytes of a pixel that no
 * sample has are written as if they were opaque alpha, and bits that are left of
 * words that have samples as 0. */
static void
find_fill (const GstVideoFormatInfo *finfo, PacoRawFormat *raw)
{
  for (guint plane = 0; plane < GST_VIDEO_FORMAT_INFO_N_PLANES (finfo);
       plane++) {
    guint64 bytes = 0, covered = 0;

    for (guint c = 0; c < raw->n_components; c++) {
      const PacoSampleLayout *layout = &raw->layout[c];

      if (raw->plane[c] != plane)
        continue;
      bytes = (G_GUINT64_CONSTANT (1) << layout->group_bytes) - 1;
      for (guint i = 0; i < layout->group_samples; i++)
        covered |= ((G_GUINT64_CONSTANT (1) << layout->word_bytes) - 1)
            << layout->places[i].byte;
    }
    for (guint c = 0; c < raw->n_components; c++)
      if (raw->plane[c] == plane && covered != bytes)
        raw->layout[c].fill = 0xff;
  }
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
  raw->tiled = row->kind == ROW_TILED;

  for (guint c = 0; c < raw->n_components; c++) {
    raw->components[c].depth = GST_VIDEO_FORMAT_INFO_DEPTH (finfo, c);
    raw->components[c].subsampling_x = GST_VIDEO_FORMAT_INFO_W_SUB (finfo, c);
    raw->components[c].subsampling_y = GST_VIDEO_FORMAT_INFO_H_SUB (finfo, c);
    raw->plane[c] = GST_VIDEO_FORMAT_INFO_PLANE (finfo, c);
    if (row->kind == ROW_DERIVED || row->kind == ROW_LISTED)
      lay_out_words (row, finfo, c, &raw->layout[c]);
  }
  for (guint p = 0; p < G_N_ELEMENTS (row->planes); p++)
    if (row->planes[p] != NULL)
      lay_out_string (row, row->planes[p], raw);
  if (!raw->tiled)
    find_fill (finfo, raw);
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
  GstVideoInfo info;
  PacoRawFormat raw;

  if (!paco_raw_format (format, &raw)
      || !gst_video_info_set_format (&info, format, width, 1))
    return FALSE;

  for (guint c = 0; c < raw.n_components && !raw.tiled; c++) {
    guint columns = paco_ceil_shift (width, raw.components[c].subsampling_x);

    if (paco_layout_end (&raw.layout[c], columns)
        > (gsize) GST_VIDEO_INFO_PLANE_STRIDE (&info, raw.plane[c]))
      return FALSE;
  }
  return TRUE;
}

/* Says whether the row's format is coded, and known to the running GStreamer. */
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

/* Says whether all lines of a component are in the memory that has been mapped. */
static gboolean
lines_are_mapped (const PacoRawFormat *raw, guint component,
    const GstVideoInfo *info, const GstVideoFrame *frame)
{
  const PacoComponent *c = &raw->components[component];
  const PacoSampleLayout *layout = &raw->layout[component];
  guint plane = raw->plane[component];
  const GstMapInfo *map = &frame->map[frame->meta != NULL ? plane : 0];
  guint columns = paco_ceil_shift (
      GST_VIDEO_INFO_WIDTH (info), c->subsampling_x);
  guint lines = paco_ceil_shift (
      GST_VIDEO_INFO_FIELD_HEIGHT (info), c->subsampling_y);
  gssize stride = frame->info.stride[plane];
  gssize bytes = (gssize) paco_layout_groups (layout, columns)
      * layout->group_bytes;
  gssize first = (const guint8 *) frame->data[plane] - map->data;
  gssize last = first + (gssize) (lines - 1) * stride;

  return MIN (first, last) >= 0
      && MAX (first, last) + MIN (bytes, ABS (stride)) <= (gssize) map->size;
}

gboolean
paco_frame_fits (const PacoRawFormat *raw, const GstVideoInfo *info,
    const GstVideoFrame *frame)
{
  for (guint c = 0; c < raw->n_components && !raw->tiled; c++)
    if (!lines_are_mapped (raw, c, info, frame))
      return FALSE;
  return TRUE;
}

void
paco_picture_from_frame (
    const PacoRawFormat *raw, const GstVideoFrame *frame, PacoPicture *picture)
{
  memset (picture, 0, sizeof (*picture));
  for (guint c = 0; c < raw->n_components; c++) {
    picture->data[c] = frame->data[raw->plane[c]];
    picture->stride[c] = frame->info.stride[raw->plane[c]];
    picture->layout[c] = raw->layout[c];
  }
}
