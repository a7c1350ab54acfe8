/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests buffers whose GstVideoMeta has strides and offsets of its own: pictures with
 * lines of any distance, also upside down, are coded like others, and buffers that
 * are too small are refused with a sentence. */
#include "pacotest.h"

#define WIDTH 70
#define HEIGHT 10

/* Puts the lines of `in` at other places into a buffer that is `missing` bytes
 * too short. */
static GstBuffer *
rearrange (const GstVideoInfo *info, GstBuffer *in, guint padding,
    gboolean upside_down, gsize missing)
{
  gsize offset[GST_VIDEO_MAX_PLANES], size = 5;
  gint stride[GST_VIDEO_MAX_PLANES];
  GstVideoFrame from;
  GstBuffer *out;
  GstMapInfo map;

  fail_unless (gst_video_frame_map (&from, info, in, GST_MAP_READ));
  for (guint p = 0; p < GST_VIDEO_FRAME_N_PLANES (&from); p++) {
    guint lines = GST_VIDEO_FRAME_COMP_HEIGHT (&from, p);

    stride[p] = from.info.stride[p] + padding;
    offset[p] = size;
    size += (gsize) stride[p] * lines;
    if (upside_down) {
      offset[p] = size - stride[p];
      stride[p] = -stride[p];
    }
  }
  out = gst_buffer_new_allocate (NULL, size, NULL);
  gst_buffer_memset (out, 0, 0xaa, size);
  fail_unless (gst_buffer_map (out, &map, GST_MAP_WRITE));
  for (guint p = 0; p < GST_VIDEO_FRAME_N_PLANES (&from); p++)
    for (guint y = 0; y < (guint) GST_VIDEO_FRAME_COMP_HEIGHT (&from, p); y++)
      memcpy (map.data + offset[p] + (gssize) y * stride[p],
          (guint8 *) from.data[p] + y * from.info.stride[p],
          from.info.stride[p]);
  gst_buffer_unmap (out, &map);
  gst_video_frame_unmap (&from);
  gst_buffer_resize (out, 0, size - missing);
  gst_buffer_add_video_meta_full (out, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (info), info->width, info->height,
      GST_VIDEO_INFO_N_PLANES (info), offset, stride);
  GST_BUFFER_PTS (out) = 0;
  return out;
}

static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_v210,
  GST_VIDEO_FORMAT_UYVY, GST_VIDEO_FORMAT_I420_10LE, GST_VIDEO_FORMAT_NV12,
  GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_UYVP };

TEST (test_any_stride)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    for (guint k = 0; k < 6; k++) {
      GstVideoInfo info;
      g_autoptr (GstBuffer) in = NULL, out = NULL;

      paco_test_info (&info, formats[i], WIDTH, HEIGHT);
      in = paco_test_random_buffer (&info, i + k);
      out = paco_test_code ("pacoenc rate-control=lossless ! pacodec", &info,
          rearrange (&info, in, k / 2 * 13, k % 2, 0));
      paco_test_same_samples (
          &info, in, &info, out, gst_video_format_to_string (formats[i]));
    }
}

static void
expect_refusal (const GstVideoInfo *info, GstBuffer *in, const char *message)
{
  g_autoptr (PacoHarness) harness = paco_test_harness ("pacoenc");
  GError *error;

  gst_harness_set_src_caps (harness, gst_video_info_to_caps (info));
  fail_unless_equals_int (gst_harness_push (harness, in), GST_FLOW_ERROR);
  error = paco_test_pop_error (harness);
  fail_unless (error != NULL);
  fail_unless (strstr (error->message, message) != NULL, "%s does not say %s",
      error->message, message);
  g_error_free (error);
  ignore_errors (harness);
}

/* Tests a last line that is not all there, of any plane. */
TEST (test_lines_beyond_the_buffer)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    GstVideoInfo info;
    g_autoptr (GstBuffer) in = NULL;

    paco_test_info (&info, formats[i], 96, HEIGHT); /* without padding */
    in = paco_test_random_buffer (&info, i);
    expect_refusal (&info, rearrange (&info, in, 0, FALSE, 20), "is not a");
    expect_refusal (&info, rearrange (&info, in, 200, TRUE, 220), "is not a");
  }
}

/* Tests lines that overlap. */
TEST (test_short_stride)
{
  GstVideoInfo info;
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0 };
  gint stride[GST_VIDEO_MAX_PLANES] = { 176 };
  GstBuffer *in;

  paco_test_info (&info, GST_VIDEO_FORMAT_v210, WIDTH, HEIGHT);
  in = paco_test_random_buffer (&info, 1);
  gst_buffer_add_video_meta_full (in, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_v210, WIDTH, HEIGHT, 1, offset, stride);
  expect_refusal (&info, in, "the next one begins 176 bytes further");
}

/* Tests a picture that is the upper left part of what the meta says. */
TEST (test_larger_meta)
{
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    GstVideoInfo large, info;
    g_autoptr (GstBuffer) in = NULL, out = NULL;

    paco_test_info (&large, formats[i], 96, 2 * HEIGHT);
    paco_test_info (&info, formats[i], WIDTH, HEIGHT);
    in = paco_test_random_buffer (&large, i);
    gst_buffer_add_video_meta_full (in, GST_VIDEO_FRAME_FLAG_NONE, formats[i],
        large.width, large.height, GST_VIDEO_INFO_N_PLANES (&large),
        large.offset, large.stride);
    out = paco_test_code (
        "pacoenc rate-control=lossless ! pacodec", &info, gst_buffer_ref (in));
    paco_test_same_samples (
        &info, in, &info, out, gst_video_format_to_string (formats[i]));
  }
}

TEST_MAIN ("strides")
