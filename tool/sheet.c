/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes sheets of pictures with GStreamer (sheet.h): libgstvideo scales, and rsvgoverlay
 * draws texts, of an SVG document. */
#include "gst_picture.h"
#include "gst_pipeline.h"
#include "sheet.h"
#include "tool.h"
#include <string.h>

#define BACKGROUND 0x20
#define BYTES 4 /* of a pixel */

struct PacoSheet
{
  GstVideoInfo video; /* BGRA */
  GstBuffer *buffer;
  GString *document;
  uint8_t *rgb;
};

PacoSheet *
paco_sheet_new (unsigned width, unsigned height, GError **error)
{
  static const char *const elements[] = { "rsvgoverlay", NULL };
  PacoSheet *sheet;

  if (!paco_gst_has_elements (elements, error))
    return NULL;
  sheet = g_new0 (PacoSheet, 1);
  gst_video_info_set_format (
      &sheet->video, GST_VIDEO_FORMAT_BGRA, width, height);
  sheet->buffer = gst_buffer_new_allocate (
      NULL, GST_VIDEO_INFO_SIZE (&sheet->video), NULL);
  gst_buffer_memset (
      sheet->buffer, 0, BACKGROUND, GST_VIDEO_INFO_SIZE (&sheet->video));
  sheet->document = g_string_new (NULL);
  g_string_append_printf (sheet->document,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
      "viewBox=\"0 0 %u %u\">",
      width, height, width, height);
  return sheet;
}

void
paco_sheet_free (PacoSheet *sheet)
{
  if (!sheet)
    return;
  gst_clear_buffer (&sheet->buffer);
  g_string_free (sheet->document, TRUE);
  g_free (sheet->rgb);
  g_free (sheet);
}

/* Scales a picture to one of its own: a converter that draws into a part of a picture
 * writes over what is beside it. */
static GstBuffer *
scale (const PacoPixels *pixels, const GstVideoInfo *to, GError **error)
{
  GstVideoConverter *converter;
  GstBuffer *buffer = NULL;
  GstVideoInfo video;
  GstVideoFrame from, scaled;

  if (!paco_gst_picture_info (&pixels->info, &video, error))
    return NULL;
  /* Both fields are shown at once. */
  video.interlace_mode = GST_VIDEO_INTERLACE_MODE_PROGRESSIVE;
  converter = gst_video_converter_new (&video, to, NULL);
  if (!converter) {
    paco_tool_failed (error, "GStreamer cannot scale these pictures");
    return NULL;
  }
  buffer = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (to), NULL);
  paco_gst_picture_frame (pixels, &video, &from);
  gst_video_frame_map (&scaled, to, buffer, GST_MAP_WRITE);
  gst_video_converter_frame (converter, &from, &scaled);
  gst_video_frame_unmap (&scaled);
  gst_video_converter_free (converter);
  return buffer;
}

bool
paco_sheet_add (PacoSheet *sheet, const PacoPixels *pixels,
    const PacoSheetArea *area, GError **error)
{
  size_t stride = (size_t) GST_VIDEO_INFO_PLANE_STRIDE (&sheet->video, 0);
  size_t line = (size_t) area->width * BYTES;
  GstVideoInfo video;
  GstBuffer *scaled;
  GstMapInfo map;

  gst_video_info_set_format (
      &video, GST_VIDEO_FORMAT_BGRA, area->width, area->height);
  scaled = scale (pixels, &video, error);
  if (!scaled)
    return false;
  gst_buffer_map (scaled, &map, GST_MAP_READ);
  for (unsigned y = 0; y < area->height; y++)
    gst_buffer_fill (sheet->buffer,
        (area->y + y) * stride + area->x * (size_t) BYTES, map.data + y * line,
        line);
  gst_buffer_unmap (scaled, &map);
  gst_buffer_unref (scaled);
  return true;
}

void
paco_sheet_write (PacoSheet *sheet, const char *text, const PacoSheetArea *area)
{
  unsigned size = MAX (area->height * 7 / 10, 1);

  g_string_append_printf (sheet->document,
      "<text x=\"%u\" y=\"%u\" font-family=\"monospace\" font-size=\"%u\" "
      "fill=\"#e0e0e0\" text-anchor=\"middle\">%s</text>",
      area->x + area->width / 2, area->y + area->height * 3 / 4, size, text);
}

/* --- texts --- */

static void
keep_rgb (PacoSheet *sheet, GstBuffer *buffer)
{
  unsigned width = (unsigned) sheet->video.width;
  unsigned height = (unsigned) sheet->video.height;
  GstVideoFrame frame;
  uint8_t *to;

  sheet->rgb = to = g_malloc (3 * (size_t) width * height);
  gst_video_frame_map (&frame, &sheet->video, buffer, GST_MAP_READ);
  for (unsigned y = 0; y < height; y++) {
    const uint8_t *from = (const uint8_t *) frame.data[0]
        + y * (size_t) frame.info.stride[0];

    for (unsigned x = 0; x < width; x++, from += BYTES, to += 3) {
      to[0] = from[2];
      to[1] = from[1];
      to[2] = from[0];
    }
  }
  gst_video_frame_unmap (&frame);
}

const uint8_t *
paco_sheet_finish (PacoSheet *sheet, GError **error)
{
  g_autofree char *overlay = NULL, *text = NULL;
  GstSample *sample;

  g_string_append (sheet->document, "</svg>");
  /* The document is a value of a description, in quotes. */
  text = g_strescape (sheet->document->str, NULL);
  overlay = g_strdup_printf ("rsvgoverlay data=\"%s\"", text);
  sample = paco_gst_process (overlay, &sheet->video,
      g_steal_pointer (&sheet->buffer), "the sheet", error);
  if (!sample)
    return NULL;
  keep_rgb (sheet, gst_sample_get_buffer (sample));
  gst_sample_unref (sample);
  return sheet->rgb;
}
