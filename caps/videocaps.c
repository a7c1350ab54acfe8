/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Converts GstVideoInfo, caps and buffer flags to the numbers of a frame header and
 * back; videocaps.h says for whom. The header's numbers are GStreamer's of version
 * 1.22 (FORMAT.md section 2); values of either side beyond those become "unknown". */
#include "videocaps.h"
#include "formats.h"
#include "mosaics.h"
#include <string.h>

/* The numbers of the file format are GStreamer's. */
G_STATIC_ASSERT (GST_VIDEO_COLOR_RANGE_16_235 == 2);
G_STATIC_ASSERT (GST_VIDEO_COLOR_MATRIX_BT2020 == 6);
G_STATIC_ASSERT (GST_VIDEO_TRANSFER_BT601 == 16);
G_STATIC_ASSERT (GST_VIDEO_COLOR_PRIMARIES_EBU3213 == 12);
G_STATIC_ASSERT (GST_VIDEO_FIELD_ORDER_BOTTOM_FIELD_FIRST == 2);
G_STATIC_ASSERT (GST_VIDEO_CHROMA_SITE_ALT_LINE == 8);

G_STATIC_ASSERT (GST_VIDEO_MULTIVIEW_MODE_CHECKERBOARD == 8);
G_STATIC_ASSERT (GST_VIDEO_MULTIVIEW_MODE_SEPARATED == 34);
G_STATIC_ASSERT (GST_VIDEO_MULTIVIEW_FLAGS_MIXED_MONO == 1 << 15);

#define MAX_CHROMA_SITE 15
#define ALL_MULTIVIEW_FLAGS 0xc01f

enum
{
  SLOWEST_SECONDS_PER_FRAME = 3600,
  FASTEST_FRAMES_PER_SECOND = 1000000,
};

static guint8
known (guint value, guint max)
{
  return value <= max ? value : 0;
}

/* Indexed by the header's numbers: GStreamer has another mode before alternate. */
static const GstVideoInterlaceMode interlace_modes[] = {
  [PACO_INTERLACE_PROGRESSIVE] = GST_VIDEO_INTERLACE_MODE_PROGRESSIVE,
  [PACO_INTERLACE_INTERLEAVED] = GST_VIDEO_INTERLACE_MODE_INTERLEAVED,
  [PACO_INTERLACE_MIXED] = GST_VIDEO_INTERLACE_MODE_MIXED,
  [PACO_INTERLACE_ALTERNATE] = GST_VIDEO_INTERLACE_MODE_ALTERNATE,
};

static guint8
interlace_mode_to_header (GstVideoInterlaceMode mode)
{
  for (guint8 i = 0; i < G_N_ELEMENTS (interlace_modes); i++)
    if (interlace_modes[i] == mode)
      return i;
  return PACO_INTERLACE_PROGRESSIVE;
}

static guint
frame_height (const PacoHeader *header)
{
  return header->picture.height
      * (header->video.interlace_mode == PACO_INTERLACE_ALTERNATE ? 2 : 1);
}

static void
read_hdr (const GstCaps *caps, PacoVideoInfo *video)
{
  GstVideoMasteringDisplayInfo display;
  GstVideoContentLightLevel light;

  if (gst_video_mastering_display_info_from_caps (&display, caps)) {
    PacoMasteringDisplay *out = &video->mastering_display;

    video->has_mastering_display = true;
    for (guint i = 0; i < 3; i++) {
      out->primaries[i][0] = display.display_primaries[i].x;
      out->primaries[i][1] = display.display_primaries[i].y;
    }
    out->white_point[0] = display.white_point.x;
    out->white_point[1] = display.white_point.y;
    out->max_luminance = display.max_display_mastering_luminance;
    out->min_luminance = display.min_display_mastering_luminance;
  }

  if (gst_video_content_light_level_from_caps (&light, caps)) {
    video->has_content_light = true;
    video->max_content_light = light.max_content_light_level;
    video->max_frame_average_light = light.max_frame_average_light_level;
  }
}

void
paco_video_from_info (
    const GstVideoInfo *info, const GstCaps *caps, PacoVideoInfo *video)
{
  memset (video, 0, sizeof (*video));
  g_strlcpy (video->raw_format,
      gst_video_format_to_string (GST_VIDEO_INFO_FORMAT (info)),
      sizeof (video->raw_format));

  video->par_n = MAX (1, GST_VIDEO_INFO_PAR_N (info));
  video->par_d = MAX (1, GST_VIDEO_INFO_PAR_D (info));
  video->fps_n = MAX (0, GST_VIDEO_INFO_FPS_N (info));
  video->fps_d = MAX (1, GST_VIDEO_INFO_FPS_D (info));

  video->interlace_mode = interlace_mode_to_header (
      GST_VIDEO_INFO_INTERLACE_MODE (info));
  video->field_order = known (GST_VIDEO_INFO_FIELD_ORDER (info),
      GST_VIDEO_FIELD_ORDER_BOTTOM_FIELD_FIRST);
  video->chroma_site = known (
      GST_VIDEO_INFO_CHROMA_SITE (info), MAX_CHROMA_SITE);
  video->range = known (info->colorimetry.range, GST_VIDEO_COLOR_RANGE_16_235);
  video->matrix = known (
      info->colorimetry.matrix, GST_VIDEO_COLOR_MATRIX_BT2020);
  video->transfer = known (
      info->colorimetry.transfer, GST_VIDEO_TRANSFER_BT601);
  video->primaries = known (
      info->colorimetry.primaries, GST_VIDEO_COLOR_PRIMARIES_EBU3213);

  if (GST_VIDEO_INFO_MULTIVIEW_MODE (info) > GST_VIDEO_MULTIVIEW_MODE_MONO
      && GST_VIDEO_INFO_MULTIVIEW_MODE (info) <= G_MAXUINT8) {
    video->has_views = true;
    video->multiview_mode = GST_VIDEO_INFO_MULTIVIEW_MODE (info);
    video->multiview_flags = GST_VIDEO_INFO_MULTIVIEW_FLAGS (info);
  }

  if (caps != NULL)
    read_hdr (caps, video);
}

static bool
is_rgb (const PacoHeader *header)
{
  return header->video.matrix == GST_VIDEO_COLOR_MATRIX_RGB
      || header->coding.color_transform != PACO_COLOR_TRANSFORM_NONE;
}

static bool
has_components (const PacoRawFormat *raw, const PacoPictureFormat *picture)
{
  return raw->n_components == picture->n_components
      && memcmp (raw->components, picture->components,
             raw->n_components * sizeof (PacoComponent))
      == 0;
}

/* Returns the format that the header names, if it is what the header describes;
 * else the first one that is; else the first one that is it with opaque alpha. */
static GstVideoFormat
find_format (const PacoHeader *header)
{
  GstVideoFormat formats[PACO_MAX_RAW_FORMATS];
  guint n = paco_raw_formats (formats, G_N_ELEMENTS (formats));
  GstVideoFormat named = gst_video_format_from_string (
      header->video.raw_format);
  GstVideoFormat found = GST_VIDEO_FORMAT_UNKNOWN;
  GstVideoFormat opaque = GST_VIDEO_FORMAT_UNKNOWN;
  PacoPictureFormat picture = header->picture;

  /* A slice's depth says nothing of the samples before the wavelet. */
  if (header->video.slice.length > 0)
    picture.components[0].depth = header->video.slice.depth;
  for (guint i = 0; i < n; i++) {
    PacoRawFormat raw;
    const GstVideoFormatInfo *finfo = gst_video_format_get_info (formats[i]);
    bool fits = picture.n_components < 3
        || is_rgb (header) == !!GST_VIDEO_FORMAT_INFO_IS_RGB (finfo);

    if (!paco_raw_format_holds (formats[i], picture.width)
        || !paco_raw_format (formats[i], &raw))
      continue;
    if (has_components (&raw, &picture)) {
      if (formats[i] == named)
        return named;
      if (found == GST_VIDEO_FORMAT_UNKNOWN && fits)
        found = formats[i];
    } else if (opaque == GST_VIDEO_FORMAT_UNKNOWN && fits
        && paco_raw_format_opaque (formats[i], &raw)
        && has_components (&raw, &picture)) {
      opaque = formats[i];
    }
  }
  return found != GST_VIDEO_FORMAT_UNKNOWN ? found : opaque;
}

/* Sets the colorimetry, unless GStreamer would refuse it for the format: then the
 * default stays which gst_video_info_set_format() has set. */
static void
set_colorimetry (const PacoVideoInfo *video, GstVideoInfo *info)
{
  guint matrix = known (video->matrix, GST_VIDEO_COLOR_MATRIX_BT2020);

  if (matrix == GST_VIDEO_COLOR_MATRIX_RGB && !GST_VIDEO_INFO_IS_RGB (info))
    return;
  if (matrix == GST_VIDEO_COLOR_MATRIX_UNKNOWN && GST_VIDEO_INFO_IS_YUV (info))
    return;

  info->colorimetry.range = known (video->range, GST_VIDEO_COLOR_RANGE_16_235);
  info->colorimetry.matrix = matrix;
  info->colorimetry.transfer = known (
      video->transfer, GST_VIDEO_TRANSFER_BT601);
  info->colorimetry.primaries = known (
      video->primaries, GST_VIDEO_COLOR_PRIMARIES_EBU3213);
}

gboolean
paco_frame_rate_is_usable (gint fps_n, gint fps_d)
{
  return fps_n > 0 && fps_d > 0
      && (gint64) fps_n * SLOWEST_SECONDS_PER_FRAME >= fps_d
      && fps_n <= (gint64) fps_d * FASTEST_FRAMES_PER_SECOND;
}

void
paco_caps_picture_rate (const GstStructure *caps, gint *pictures, gint *seconds)
{
  gint n = 0, d = 1;
  gboolean fields =
      g_strcmp0 (gst_structure_get_string (caps, "interlace-mode"), "alternate")
      == 0;

  *pictures = 0;
  *seconds = 1;
  if (!gst_structure_get_fraction (caps, "framerate", &n, &d)
      || !paco_frame_rate_is_usable (n, d)
      || (fields && !gst_util_fraction_multiply (n, d, 2, 1, &n, &d)))
    return;
  *pictures = n;
  *seconds = d;
}

/* gst_video_info_to_caps() doubles a side of the pixels for half-aspect. Leaves that
 * flag out if the fraction cannot hold it. */
static GstVideoMultiviewFlags
multiview_flags (const PacoVideoInfo *video)
{
  guint flags = video->multiview_flags & ALL_MULTIVIEW_FLAGS;

  if (video->par_n > G_MAXINT / 2 || video->par_d > G_MAXINT / 2)
    flags &= ~(guint) GST_VIDEO_MULTIVIEW_FLAGS_HALF_ASPECT;
  return (GstVideoMultiviewFlags) flags;
}

static gboolean
describe (const PacoHeader *header, GstVideoFormat format, GstVideoInfo *info)
{
  const PacoVideoInfo *video = &header->video;
  guint mode = known (video->interlace_mode, PACO_INTERLACE_ALTERNATE);

  if (!gst_video_info_set_interlaced_format (info, format,
          interlace_modes[mode], header->picture.width, frame_height (header)))
    return FALSE;

  GST_VIDEO_INFO_PAR_N (info) = video->par_n;
  GST_VIDEO_INFO_PAR_D (info) = video->par_d;
  GST_VIDEO_INFO_FPS_N (info) = 0;
  GST_VIDEO_INFO_FPS_D (info) = 1;
  if (paco_frame_rate_is_usable (video->fps_n, video->fps_d)) {
    GST_VIDEO_INFO_FPS_N (info) = video->fps_n;
    GST_VIDEO_INFO_FPS_D (info) = video->fps_d;
  }
  if (mode == PACO_INTERLACE_INTERLEAVED || mode == PACO_INTERLACE_ALTERNATE)
    GST_VIDEO_INFO_FIELD_ORDER (info) = (GstVideoFieldOrder) known (
        video->field_order, GST_VIDEO_FIELD_ORDER_BOTTOM_FIELD_FIRST);
  if (known (video->chroma_site, MAX_CHROMA_SITE) != 0)
    GST_VIDEO_INFO_CHROMA_SITE (info) = (GstVideoChromaSite) video->chroma_site;
  set_colorimetry (video, info);
  if (video->has_views
      && gst_video_multiview_mode_to_caps_string (video->multiview_mode)) {
    GST_VIDEO_INFO_MULTIVIEW_MODE (info) = video->multiview_mode;
    GST_VIDEO_INFO_MULTIVIEW_FLAGS (info) = multiview_flags (video);
  }
  return TRUE;
}

gboolean
paco_video_info_from_header (const PacoHeader *header, GstVideoInfo *info)
{
  PacoRawFormat raw;
  GstVideoFormat format;

  if (header->picture.mosaic) {
    if (!paco_mosaic_pick (header, NULL, &raw)
        || !describe (header, GST_VIDEO_FORMAT_GRAY8, info))
      return FALSE;
    paco_mosaic_lay_out (&raw, info);
    return TRUE;
  }
  format = find_format (header);
  return format != GST_VIDEO_FORMAT_UNKNOWN && describe (header, format, info);
}

/* Returns a format for the fields of caps that do not depend on the samples, such as
 * the frame rate. They are known of pictures that no format of GStreamer holds, too. */
static GstVideoFormat
stand_in (const PacoHeader *header)
{
  if (header->picture.n_components < 3 || header->picture.mosaic)
    return GST_VIDEO_FORMAT_GRAY8;
  return is_rgb (header) ? GST_VIDEO_FORMAT_GBR : GST_VIDEO_FORMAT_Y444;
}

void
paco_caps_set_hdr (GstCaps *caps, const PacoVideoInfo *video)
{
  if (video->has_mastering_display) {
    const PacoMasteringDisplay *in = &video->mastering_display;
    GstVideoMasteringDisplayInfo display;

    gst_video_mastering_display_info_init (&display);
    for (guint i = 0; i < 3; i++) {
      display.display_primaries[i].x = in->primaries[i][0];
      display.display_primaries[i].y = in->primaries[i][1];
    }
    display.white_point.x = in->white_point[0];
    display.white_point.y = in->white_point[1];
    display.max_display_mastering_luminance = in->max_luminance;
    display.min_display_mastering_luminance = in->min_luminance;
    gst_video_mastering_display_info_add_to_caps (&display, caps);
  }

  if (video->has_content_light) {
    GstVideoContentLightLevel light;

    gst_video_content_light_level_init (&light);
    light.max_content_light_level = video->max_content_light;
    light.max_frame_average_light_level = video->max_frame_average_light;
    gst_video_content_light_level_add_to_caps (&light, caps);
  }
}

/* gst_video_info_to_caps() knows how fields are written, and which say nothing. */
static void
set_video_fields (GstCaps *caps, const PacoHeader *header)
{
  static const char *const fields[] = { "framerate", "interlace-mode",
    "field-order", "pixel-aspect-ratio", "colorimetry", "chroma-site",
    "multiview-mode", "multiview-flags" };
  g_autoptr (GstCaps) raw = NULL;
  GstStructure *structure;
  GstVideoInfo info;

  if (!paco_video_info_from_header (header, &info)
      && !describe (header, stand_in (header), &info))
    return;

  raw = gst_video_info_to_caps (&info);
  structure = gst_caps_get_structure (raw, 0);
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    const GValue *value = gst_structure_get_value (structure, fields[i]);

    if (value != NULL)
      gst_caps_set_value (caps, fields[i], value);
  }
}

GstCaps *
paco_caps_from_header (const PacoHeader *header)
{
  GstCaps *caps = gst_caps_new_simple (PACO_MEDIA_TYPE, "width", G_TYPE_INT,
      (gint) header->picture.width, "height", G_TYPE_INT,
      (gint) frame_height (header), "parsed", G_TYPE_BOOLEAN, TRUE, "alignment",
      G_TYPE_STRING, "frame", NULL);

  /* The header may have any bytes there, but caps hold text. */
  if (header->video.raw_format[0] != '\0'
      && g_str_is_ascii (header->video.raw_format))
    gst_caps_set_simple (
        caps, "format", G_TYPE_STRING, header->video.raw_format, NULL);

  set_video_fields (caps, header);
  paco_caps_set_hdr (caps, &header->video);
  return caps;
}

static gboolean
same_hdr (const PacoVideoInfo *a, const PacoVideoInfo *b)
{
  return a->has_mastering_display == b->has_mastering_display
      && a->has_content_light == b->has_content_light
      && (!a->has_mastering_display
          || memcmp (&a->mastering_display, &b->mastering_display,
                 sizeof (a->mastering_display))
              == 0)
      && (!a->has_content_light
          || (a->max_content_light == b->max_content_light
              && a->max_frame_average_light == b->max_frame_average_light));
}

static gboolean
same_views (const PacoVideoInfo *a, const PacoVideoInfo *b)
{
  return a->has_views == b->has_views
      && (!a->has_views
          || (a->multiview_mode == b->multiview_mode
              && a->multiview_flags == b->multiview_flags));
}

gboolean
paco_video_equal (const PacoVideoInfo *a, const PacoVideoInfo *b)
{
  return strcmp (a->raw_format, b->raw_format) == 0 && a->par_n == b->par_n
      && a->par_d == b->par_d && a->fps_n == b->fps_n && a->fps_d == b->fps_d
      && a->interlace_mode == b->interlace_mode
      && a->field_order == b->field_order && a->chroma_site == b->chroma_site
      && a->range == b->range && a->matrix == b->matrix
      && a->transfer == b->transfer && a->primaries == b->primaries
      && same_views (a, b) && same_hdr (a, b);
}

gboolean
paco_buffer_has_fields (const GstVideoInfo *info, GstBuffer *buffer)
{
  GstVideoInterlaceMode mode = GST_VIDEO_INFO_INTERLACE_MODE (info);

  return mode == GST_VIDEO_INTERLACE_MODE_INTERLEAVED
      || (mode == GST_VIDEO_INTERLACE_MODE_MIXED
          && GST_BUFFER_FLAG_IS_SET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED));
}

static const struct
{
  guint8 picture;
  guint buffer;
} flags[] = {
  { PACO_PICTURE_TOP_FIELD_FIRST, GST_VIDEO_BUFFER_FLAG_TFF },
  { PACO_PICTURE_REPEAT_FIRST_FIELD, GST_VIDEO_BUFFER_FLAG_RFF },
  { PACO_PICTURE_ONE_FIELD, GST_VIDEO_BUFFER_FLAG_ONEFIELD },
};

guint8
paco_picture_flags_from_buffer (const GstVideoInfo *info, GstBuffer *buffer)
{
  guint8 result = 0;

  if (!GST_VIDEO_INFO_IS_INTERLACED (info))
    return 0;
  for (guint i = 0; i < G_N_ELEMENTS (flags); i++)
    if (GST_BUFFER_FLAG_IS_SET (buffer, flags[i].buffer))
      result |= flags[i].picture;
  if (GST_VIDEO_INFO_INTERLACE_MODE (info)
      == GST_VIDEO_INTERLACE_MODE_ALTERNATE)
    result |= PACO_PICTURE_ONE_FIELD;
  return result;
}

void
paco_picture_flags_to_buffer (const PacoHeader *header, GstBuffer *buffer)
{
  guint mode = header->video.interlace_mode;
  guint8 set = header->video.picture_flags;

  if (mode == PACO_INTERLACE_PROGRESSIVE)
    return;
  if (mode == PACO_INTERLACE_ALTERNATE)
    set |= PACO_PICTURE_ONE_FIELD;
  GST_BUFFER_FLAG_UNSET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED);
  if (header->picture.fields || mode == PACO_INTERLACE_ALTERNATE)
    GST_BUFFER_FLAG_SET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED);

  for (guint i = 0; i < G_N_ELEMENTS (flags); i++) {
    GST_BUFFER_FLAG_UNSET (buffer, flags[i].buffer);
    if (set & flags[i].picture)
      GST_BUFFER_FLAG_SET (buffer, flags[i].buffer);
  }
}
