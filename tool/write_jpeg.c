/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes JPEG files (writers.h), by GStreamer's jpegenc. They have 8 bits, no alpha, and
 * Y, Cb, Cr as JFIF has them, of which none is left out (4:4:4). */
#include "gst_pipeline.h"
#include "tool.h"
#include "writers.h"
#include <gst/video/video.h>

#define QUALITY "95"
#define BLOCK 8 /* libjpeg reads whole blocks of samples. */

static bool
place (
    PacoPixels *pixels, const PacoFormat *format, size_t *bytes, GError **error)
{
  if (pixels->info.n_components % 2 == 0)
    return paco_tool_failed (error,
        "the picture has alpha, which JPEG files do not have; PNG and "
        "PAM files do");
  return paco_writer_pam.place (pixels, format, bytes, error);
}

/* Reads the samples of a pixel, as numbers up to 255. */
static void
read_pixel (const PacoInfo *info, const uint8_t *at, double *samples)
{
  double factor = 255.0 / (double) ((1u << info->depth[0]) - 1);

  for (unsigned c = 0; c < info->n_components; c++) {
    unsigned sample = *at++;

    if (info->depth[0] > 8)
      sample = sample << 8 | *at++;
    samples[c] = sample * factor;
  }
}

static guint8
to_byte (double value)
{
  return (guint8) CLAMP (value + 0.5, 0, 255);
}

/* Makes the components of JFIF of a line. Its last pixel is repeated up to `columns`. */
static void
convert_line (
    const PacoPixels *pixels, uint32_t y, guint8 *const *to, uint32_t columns)
{
  const PacoInfo *info = &pixels->info;
  const uint8_t *line = pixels->samples + y * (size_t) pixels->image.stride[0];
  size_t bytes = info->n_components * (info->depth[0] > 8 ? 2u : 1u);
  double rgb[3];

  for (uint32_t x = 0; x < columns; x++) {
    read_pixel (info, line + MIN (x, info->width - 1) * bytes, rgb);
    if (info->n_components == 1) {
      to[0][x] = to_byte (rgb[0]);
    } else {
      double luma = 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2];

      to[0][x] = to_byte (luma);
      to[1][x] = to_byte (128 + (rgb[2] - luma) / 1.772);
      to[2][x] = to_byte (128 + (rgb[0] - luma) / 1.402);
    }
  }
}

/* Returns a picture for jpegenc, or NULL if there is no memory. */
static GstBuffer *
make_picture (const PacoPixels *pixels, const GstVideoInfo *video)
{
  const PacoInfo *info = &pixels->info;
  guint planes = info->n_components;
  uint32_t columns = (info->width + BLOCK - 1) / BLOCK * BLOCK;
  uint32_t lines = (info->height + BLOCK - 1) / BLOCK * BLOCK;
  gsize size = (gsize) columns * lines, offset[GST_VIDEO_MAX_PLANES] = { 0 };
  gint stride[GST_VIDEO_MAX_PLANES] = { 0 };
  guint8 *memory = g_try_malloc (size * planes);
  GstBuffer *buffer;

  if (!memory)
    return NULL;
  for (guint p = 0; p < planes; p++) {
    offset[p] = p * size;
    stride[p] = (gint) columns;
  }
  for (uint32_t y = 0; y < lines; y++) {
    guint8 *line = memory + (gsize) y * columns;
    guint8 *to[] = { line, line + size, line + 2 * size };

    convert_line (pixels, MIN (y, info->height - 1), to, columns);
  }
  buffer = gst_buffer_new_wrapped (memory, size * planes);
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (video), info->width, info->height, planes, offset,
      stride);
  return buffer;
}

/* Says what shape pixels have, where a JFIF header says that it is unknown. */
static void
set_shape (const PacoInfo *info, guint8 *jpeg)
{
  static const guint8 jfif[] = { 'J', 'F', 'I', 'F', 0 };

  if (memcmp (jpeg + 6, jfif, sizeof jfif) != 0 || info->par_n == 0
      || info->par_d == 0 || info->par_n > G_MAXUINT16
      || info->par_d > G_MAXUINT16)
    return;
  /* These are pixels in a length: few across if they are wide. */
  jpeg[13] = 0;
  GST_WRITE_UINT16_BE (jpeg + 14, info->par_d);
  GST_WRITE_UINT16_BE (jpeg + 16, info->par_n);
}

static bool
head_jpeg (const PacoPixels *pixels, GByteArray *bytes, GError **error)
{
  static const char *const elements[] = { "appsrc", "jpegenc", NULL };
  const PacoInfo *info = &pixels->info;
  guint begin = bytes->len;
  GstVideoInfo video;
  GstBuffer *picture;
  GstSample *sample;
  gsize size;

  if (!paco_gst_has_elements (elements, error))
    return false;
  gst_video_info_set_format (&video,
      info->n_components == 1 ? GST_VIDEO_FORMAT_GRAY8 : GST_VIDEO_FORMAT_Y444,
      info->width, info->height);
  picture = make_picture (pixels, &video);
  if (!picture)
    return paco_tool_failed (error, "there is no memory for a picture");
  sample = paco_gst_process (
      "jpegenc quality=" QUALITY, &video, picture, "the JPEG file", error);
  if (!sample)
    return false;
  size = gst_buffer_get_size (gst_sample_get_buffer (sample));
  g_byte_array_set_size (bytes, begin + (guint) size);
  gst_buffer_extract (
      gst_sample_get_buffer (sample), 0, bytes->data + begin, size);
  gst_sample_unref (sample);
  if (size > 20)
    set_shape (info, bytes->data + begin);
  return true;
}

const PacoWriterKind paco_writer_jpeg = {
  .name = "jpeg",
  .extensions = { "jpg", "jpeg" },
  .place = place,
  .head = head_jpeg,
  .whole = true,
  .rgb = true,
};
