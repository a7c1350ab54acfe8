/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Mosaics as video/x-bayer; mosaics.h says how. Their names are those of the table of raw
 * formats (codec/formats.h). */
#include "mosaics.h"
#include <string.h>

/* Packed ones have names of their own, which GStreamer does not know. */
static gboolean
is_named (const PacoFormat *row)
{
  return row->name != NULL && row->kind == PACO_FORMAT_MOSAIC && !row->bits;
}

GstCaps *
paco_mosaic_caps (void)
{
  GstCaps *caps = gst_caps_new_simple (PACO_MOSAIC_TYPE, "width",
      GST_TYPE_INT_RANGE, 1, PACO_MAX_SIZE, "height", GST_TYPE_INT_RANGE, 1,
      PACO_MAX_SIZE, NULL);
  GValue names = G_VALUE_INIT;

  gst_value_list_init (&names, 64);
  for (guint i = 0; i < paco_n_formats; i++) {
    GValue name = G_VALUE_INIT;

    if (!is_named (&paco_formats[i]))
      continue;
    g_value_init (&name, G_TYPE_STRING);
    g_value_set_static_string (&name, paco_formats[i].name);
    gst_value_list_append_and_take_value (&names, &name);
  }
  gst_caps_set_value (caps, "format", &names);
  g_value_unset (&names);
  return caps;
}

gboolean
paco_mosaic_is_caps (const GstCaps *caps)
{
  return caps != NULL && gst_caps_get_size (caps) > 0
      && gst_structure_has_name (
          gst_caps_get_structure (caps, 0), PACO_MOSAIC_TYPE);
}

gboolean
paco_raw_format_from_caps (
    const GstCaps *caps, GstVideoInfo *info, PacoRawFormat *raw)
{
  const PacoFormat *row;
  const char *name;

  if (!gst_video_info_from_caps (info, caps))
    return FALSE;
  if (!paco_mosaic_is_caps (caps))
    return paco_raw_format (GST_VIDEO_INFO_FORMAT (info), raw);
  name = gst_structure_get_string (gst_caps_get_structure (caps, 0), "format");
  row = name != NULL ? paco_format_by_name (name) : NULL;
  if (row == NULL || !is_named (row))
    return FALSE;
  paco_raw_format_init (raw, row);
  paco_mosaic_lay_out (raw, info);
  return TRUE;
}

void
paco_mosaic_lay_out (const PacoRawFormat *raw, GstVideoInfo *info)
{
  gint word = raw->row->word_bytes;

  info->finfo = gst_video_format_get_info (
      word == 1 ? GST_VIDEO_FORMAT_GRAY8 : GST_VIDEO_FORMAT_GRAY16_LE);
  memset (info->offset, 0, sizeof (info->offset));
  info->stride[0] = GST_ROUND_UP_4 (info->width) * word;
  info->size = (gsize) info->stride[0] * (gsize) info->height;
}

GstCaps *
paco_mosaic_to_caps (const PacoRawFormat *raw, const GstVideoInfo *info)
{
  GstCaps *caps = gst_video_info_to_caps (info);
  GstStructure *structure = gst_caps_get_structure (caps, 0);

  gst_structure_set_name (structure, PACO_MOSAIC_TYPE);
  gst_structure_set (structure, "format", G_TYPE_STRING, raw->row->name, NULL);
  gst_structure_remove_fields (structure, "colorimetry", "chroma-site", NULL);
  return caps;
}

static gboolean
is_taken (const GstCaps *allowed, const char *name)
{
  g_autoptr (GstCaps) caps = NULL;

  if (allowed == NULL)
    return TRUE;
  caps = gst_caps_new_simple (
      PACO_MOSAIC_TYPE, "format", G_TYPE_STRING, name, NULL);
  return gst_caps_can_intersect (allowed, caps);
}

static gboolean
has_samples (const PacoRawFormat *raw, const PacoHeader *header)
{
  return header->picture.mosaic
      && memcmp (raw->components, header->picture.components,
             raw->n_components * sizeof (PacoComponent))
      == 0;
}

gboolean
paco_mosaic_pick (
    const PacoHeader *header, GstCaps *allowed, PacoRawFormat *raw)
{
  gboolean found = FALSE;

  for (guint i = 0; i < paco_n_formats; i++) {
    const PacoFormat *row = &paco_formats[i];
    gboolean own = g_strcmp0 (row->name, header->video.raw_format) == 0;
    PacoRawFormat candidate;

    if (!is_named (row) || (found && !own))
      continue;
    paco_raw_format_init (&candidate, row);
    if (!has_samples (&candidate, header) || !is_taken (allowed, row->name))
      continue;
    *raw = candidate;
    found = TRUE;
  }
  return found;
}

GstVideoFormat
paco_mosaic_preview (const PacoHeader *header)
{
  unsigned depth = header->picture.components[0].depth;

  return depth <= 8 ? GST_VIDEO_FORMAT_RGB
      : depth <= 10 ? GST_VIDEO_FORMAT_GBR_10LE
      : depth <= 12 ? GST_VIDEO_FORMAT_GBR_12LE
                    : GST_VIDEO_FORMAT_RGBA64_LE;
}

gboolean
paco_mosaic_map (GstVideoFrame *frame, const GstVideoInfo *info,
    GstBuffer *buffer, GstMapFlags access)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);
  gint line = info->width * GST_VIDEO_INFO_COMP_PSTRIDE (info, 0);
  gsize offset = 0;

  memset (frame, 0, sizeof (*frame));
  if (!gst_buffer_map (buffer, &frame->map[0], access))
    return FALSE;
  frame->info = *info;
  if (meta != NULL && meta->n_planes == 1) {
    frame->info.stride[0] = meta->stride[0];
    offset = meta->offset[0];
  } else if (frame->map[0].size < info->size && !(access & GST_MAP_WRITE)) {
    frame->info.stride[0] = line;
  }
  frame->buffer = gst_buffer_ref (buffer);
  frame->data[0] = frame->map[0].data + offset;
  return TRUE;
}
