/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The table of raw formats (codec/formats.h) for GStreamer: formats are found by name,
 * so that one build serves later versions of GStreamer too. Names that the running
 * version does not know are passed over. */
#include "formats.h"
#include <string.h>

static const PacoFormat *
find_row (GstVideoFormat format)
{
  const char *name = NULL;

  if (format != GST_VIDEO_FORMAT_UNKNOWN && format != GST_VIDEO_FORMAT_ENCODED)
    name = gst_video_format_to_string (format);
  return name != NULL ? paco_format_by_name (name) : NULL;
}

gboolean
paco_raw_format (GstVideoFormat format, PacoRawFormat *raw)
{
  const PacoFormat *row = find_row (format);

  if (row == NULL || row->excluded != NULL)
    return FALSE;
  paco_raw_format_init (raw, row);
  return TRUE;
}

gboolean
paco_raw_format_opaque (GstVideoFormat format, PacoRawFormat *raw)
{
  return paco_raw_format (format, raw) && paco_raw_format_drop_alpha (raw);
}

const char *
paco_raw_format_exclusion (GstVideoFormat format)
{
  const PacoFormat *row = find_row (format);

  return row != NULL ? row->excluded : NULL;
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

static gboolean
is_coded (const PacoFormat *row)
{
  return row->name != NULL && row->excluded == NULL
      && gst_video_format_from_string (row->name) != GST_VIDEO_FORMAT_UNKNOWN;
}

guint
paco_raw_formats (GstVideoFormat *formats, guint n)
{
  guint found = 0;

  for (guint i = 0; i < paco_n_formats && found < n; i++)
    if (is_coded (&paco_formats[i]))
      formats[found++] = gst_video_format_from_string (paco_formats[i].name);
  return found;
}

gboolean
paco_raw_format_same_samples (GstVideoFormat a, GstVideoFormat b)
{
  PacoRawFormat ra, rb;

  return paco_raw_format (a, &ra) && paco_raw_format (b, &rb)
      && ra.n_components == rb.n_components && ra.row->kind == rb.row->kind
      && memcmp (ra.components, rb.components,
             ra.n_components * sizeof (PacoComponent))
      == 0;
}

static gboolean
caps_take_format (
    GstCaps *allowed, GstVideoFormat format, GstVideoInterlaceMode mode)
{
  g_autoptr (GstCaps) caps = gst_caps_new_simple ("video/x-raw", "format",
      G_TYPE_STRING, gst_video_format_to_string (format), NULL);

  if (mode == GST_VIDEO_INTERLACE_MODE_ALTERNATE)
    gst_caps_set_features_simple (
        caps, gst_caps_features_new (GST_CAPS_FEATURE_FORMAT_INTERLACED, NULL));
  return gst_caps_can_intersect (allowed, caps);
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

  for (guint i = 0; i < paco_n_formats; i++) {
    GstVideoFormat formats[PACO_MAX_RAW_FORMATS];
    guint n = 0;

    for (; i < paco_n_formats && paco_formats[i].name != NULL; i++)
      if (is_coded (&paco_formats[i]) && n < G_N_ELEMENTS (formats))
        formats[n++] = gst_video_format_from_string (paco_formats[i].name);
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
  paco_picture_format_from_raw (&raw, info, fields, picture);
  return TRUE;
}

void
paco_picture_format_from_raw (const PacoRawFormat *raw,
    const GstVideoInfo *info, bool fields, PacoPictureFormat *picture)
{
  memset (picture, 0, sizeof (*picture));
  picture->width = GST_VIDEO_INFO_WIDTH (info);
  picture->height = GST_VIDEO_INFO_FIELD_HEIGHT (info);
  picture->n_components = raw->n_components;
  picture->fields = fields;
  picture->mosaic = raw->mosaic;
  memcpy (picture->components, raw->components,
      raw->n_components * sizeof (PacoComponent));
}

/* The planes of a mosaic are its even and its odd lines, in one plane of the frame. */
static guint8 *
first_line (const PacoRawFormat *raw, const GstVideoFrame *frame,
    guint component, gssize *stride)
{
  guint plane = raw->plane[component];

  if (!raw->mosaic) {
    *stride = frame->info.stride[plane];
    return frame->data[plane];
  }
  *stride = 2 * (gssize) frame->info.stride[0];
  return (guint8 *) frame->data[0] + plane * (gssize) frame->info.stride[0];
}

static gboolean
lines_are_mapped (const PacoRawFormat *raw, guint component,
    const GstVideoInfo *info, const GstVideoFrame *frame)
{
  const PacoComponent *c = &raw->components[component];
  const PacoSampleLayout *layout = &raw->layout[component];
  const GstMapInfo *map =
      &frame->map[frame->meta != NULL ? raw->plane[component] : 0];
  guint columns = paco_ceil_shift (
      GST_VIDEO_INFO_WIDTH (info), c->subsampling_x);
  guint lines = paco_ceil_shift (
      GST_VIDEO_INFO_FIELD_HEIGHT (info), c->subsampling_y);
  gssize bytes = (gssize) paco_layout_groups (layout, columns)
      * layout->group_bytes;
  gssize stride;
  gssize first = first_line (raw, frame, component, &stride) - map->data;
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
    gssize stride;

    picture->data[c] = first_line (raw, frame, c, &stride);
    picture->stride[c] = stride;
    picture->layout[c] = raw->layout[c];
  }
}
