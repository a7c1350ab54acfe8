/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compares pictures and draws the result, as compare.h says. */
#include "pipelines/compare.h"
#include <gst/app/app.h>
#include <math.h>

#define PANEL_WIDTH 640
#define PANEL_HEIGHT 720
#define GAP 8
#define GAIN 16

/* Says whether samples have bytes or 16-bit words of their own. */
gboolean
compare_supports (const GstVideoFormatInfo *format)
{
  if (GST_VIDEO_FORMAT_INFO_FLAGS (format)
      & (GST_VIDEO_FORMAT_FLAG_COMPLEX | GST_VIDEO_FORMAT_FLAG_PALETTE
          | GST_VIDEO_FORMAT_FLAG_TILED))
    return FALSE;
  for (guint c = 0; c < format->n_components; c++) {
    guint depth = format->depth[c], shift = format->shift[c];

    if (depth < 8 || depth + shift > 16 || (depth == 8 && shift)
        || format->pixel_stride[c] < (depth > 8 ? 2 : 1))
      return FALSE;
  }
  return format->n_components > 0;
}

guint64
compare_samples (const GstVideoInfo *info)
{
  guint64 samples = 0;

  for (guint c = 0; c < info->finfo->n_components; c++)
    samples += (guint64) GST_VIDEO_INFO_COMP_WIDTH (info, c)
        * GST_VIDEO_INFO_COMP_HEIGHT (info, c);
  return samples;
}

guint64
compare_bits (const GstVideoInfo *info)
{
  guint64 bits = 0;

  for (guint c = 0; c < info->finfo->n_components; c++)
    bits += (guint64) GST_VIDEO_INFO_COMP_WIDTH (info, c)
        * GST_VIDEO_INFO_COMP_HEIGHT (info, c) * info->finfo->depth[c];
  return bits;
}

static guint
read_sample (const GstVideoFormatInfo *format, guint c, const guint8 *p)
{
  guint word;

  if (format->depth[c] == 8)
    return *p;
  word = GST_VIDEO_FORMAT_INFO_IS_LE (format) ? GST_READ_UINT16_LE (p)
                                              : GST_READ_UINT16_BE (p);
  return word >> format->shift[c] & ((1u << format->depth[c]) - 1);
}

/* Returns the sum of the squared differences of two frames, samples as 0..1. */
static double
squared_error (const GstVideoFrame *a, const GstVideoFrame *b)
{
  const GstVideoFormatInfo *format = a->info.finfo;
  double sum = 0;

  for (guint c = 0; c < format->n_components; c++) {
    double scale = 1.0 / ((1u << format->depth[c]) - 1);
    guint64 component = 0;

    for (gint y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT (a, c); y++) {
      const guint8 *p = (guint8 *) GST_VIDEO_FRAME_COMP_DATA (a, c)
          + (gssize) y * GST_VIDEO_FRAME_COMP_STRIDE (a, c);
      const guint8 *q = (guint8 *) GST_VIDEO_FRAME_COMP_DATA (b, c)
          + (gssize) y * GST_VIDEO_FRAME_COMP_STRIDE (b, c);

      for (gint x = 0; x < GST_VIDEO_FRAME_COMP_WIDTH (a, c); x++) {
        gint64 difference = (gint64) read_sample (format, c, p)
            - read_sample (format, c, q);

        component += (guint64) (difference * difference);
        p += GST_VIDEO_FRAME_COMP_PSTRIDE (a, c);
        q += GST_VIDEO_FRAME_COMP_PSTRIDE (b, c);
      }
    }
    sum += (double) component * scale * scale;
  }
  return sum;
}

double
compare_psnr (const Clip *a, const Clip *b)
{
  double sum = 0;

  for (guint i = 0; i < a->buffers->len; i++) {
    GstVideoFrame from, to;

    gst_video_frame_map (&from, &a->info, a->buffers->pdata[i], GST_MAP_READ);
    gst_video_frame_map (&to, &b->info, b->buffers->pdata[i], GST_MAP_READ);
    sum += squared_error (&from, &to);
    gst_video_frame_unmap (&from);
    gst_video_frame_unmap (&to);
  }
  if (sum == 0)
    return G_MAXDOUBLE;
  return -10
      * log10 (sum / (double) compare_samples (&a->info) / a->buffers->len);
}

/* Returns a picture as RGB with 16 bits, so that small differences survive. */
static GstBuffer *
to_rgb (const Clip *clip, guint index, GstVideoInfo *info)
{
  GstVideoConverter *converter;
  GstVideoFrame from, to;
  GstBuffer *buffer;

  gst_video_info_set_format (info, GST_VIDEO_FORMAT_ARGB64,
      (guint) clip->info.width, (guint) clip->info.height);
  /* The converter changes neither rate nor fields. */
  info->fps_n = clip->info.fps_n;
  info->fps_d = clip->info.fps_d;
  info->interlace_mode = clip->info.interlace_mode;
  buffer = gst_buffer_new_allocate (NULL, info->size, NULL);
  converter = gst_video_converter_new (&clip->info, info, NULL);
  gst_video_frame_map (
      &from, &clip->info, clip->buffers->pdata[index], GST_MAP_READ);
  gst_video_frame_map (&to, info, buffer, GST_MAP_WRITE);
  gst_video_converter_frame (converter, &from, &to);
  gst_video_frame_unmap (&from);
  gst_video_frame_unmap (&to);
  gst_video_converter_free (converter);
  return buffer;
}

static void
draw_line (const guint16 *a, const guint16 *b, guint8 *out, gint width)
{
  gint panel = 3 * (width + GAP);

  for (gint x = 0; x < width; x++)
    for (gint c = 0; c < 3; c++) {
      gint p = a[4 * x + 1 + c], q = b[4 * x + 1 + c];
      gint difference = 128 + (q - p) * GAIN / 256;

      out[3 * x + c] = (guint8) (p >> 8);
      out[3 * x + c + panel] = (guint8) (q >> 8);
      out[3 * x + c + 2 * panel] = (guint8) CLAMP (difference, 0, 255);
    }
}

static GstBuffer *
draw_panels (const Clip *a, const Clip *b, guint index, GstVideoInfo *info)
{
  gint width = MIN (a->info.width, PANEL_WIDTH);
  gint height = MIN (a->info.height, PANEL_HEIGHT);
  gint left = (a->info.width - width) / 2;
  gint top = (a->info.height - height) / 2;
  GstVideoInfo wide;
  GstBuffer *from = to_rgb (a, index, &wide), *to = to_rgb (b, index, &wide);
  GstBuffer *buffer;
  GstMapInfo p, q, out;

  gst_video_info_set_format (info, GST_VIDEO_FORMAT_RGB,
      (guint) (3 * width + 2 * GAP), (guint) height);
  buffer = gst_buffer_new_allocate (NULL, info->size, NULL);
  gst_buffer_map (from, &p, GST_MAP_READ);
  gst_buffer_map (to, &q, GST_MAP_READ);
  gst_buffer_map (buffer, &out, GST_MAP_WRITE);
  memset (out.data, 255, out.size);
  for (gint y = 0; y < height; y++) {
    gsize offset = (gsize) (top + y) * (gsize) wide.stride[0]
        + (gsize) left * 8;

    draw_line ((guint16 *) (p.data + offset), (guint16 *) (q.data + offset),
        out.data + (gsize) y * (gsize) info->stride[0], width);
  }
  gst_buffer_unmap (from, &p);
  gst_buffer_unmap (to, &q);
  gst_buffer_unmap (buffer, &out);
  gst_buffer_unref (from);
  gst_buffer_unref (to);
  return buffer;
}

gboolean
compare_write_png (
    const Clip *a, const Clip *b, guint index, const char *path, GError **error)
{
  GstVideoInfo info;
  GstBuffer *buffer = draw_panels (a, b, index, &info);
  GstCaps *from = gst_video_info_to_caps (&info);
  GstCaps *to = gst_caps_new_empty_simple ("image/png");
  GstSample *panels = gst_sample_new (buffer, from, NULL, NULL);
  GstSample *png = gst_video_convert_sample (
      panels, to, 10 * GST_SECOND, error);
  gboolean good = FALSE;

  if (png) {
    GstMapInfo map;

    gst_buffer_map (gst_sample_get_buffer (png), &map, GST_MAP_READ);
    good = g_file_set_contents (
        path, (char *) map.data, (gssize) map.size, error);
    gst_buffer_unmap (gst_sample_get_buffer (png), &map);
    gst_sample_unref (png);
  }
  gst_sample_unref (panels);
  gst_buffer_unref (buffer);
  gst_caps_unref (from);
  gst_caps_unref (to);
  return good;
}
