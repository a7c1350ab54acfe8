/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests which raw format is taken if several are possible: of a source that can do
 * all, of a converter, and by pacodec of downstream's. */
#include "pacotest.h"

/* Returns the raw format that the encoder of a pipeline has taken. */
static GstVideoFormat
negotiated (const char *launch)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (launch, &error);
  GstElement *encoder;
  GstMessage *message;
  GstBus *bus;
  GstPad *pad;
  GstCaps *caps;
  GstVideoInfo info;

  g_assert_no_error (error);
  encoder = gst_bin_get_by_name (GST_BIN (pipeline), "encoder");
  pad = gst_element_get_static_pad (encoder, "sink");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  bus = gst_element_get_bus (pipeline);
  message = gst_bus_timed_pop_filtered (
      bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message != NULL, "%s does not end", launch);
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_EOS);
  caps = gst_pad_get_current_caps (pad);
  fail_unless (gst_video_info_from_caps (&info, caps));

  gst_caps_unref (caps);
  gst_message_unref (message);
  gst_object_unref (bus);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pad);
  gst_object_unref (encoder);
  gst_object_unref (pipeline);
  return GST_VIDEO_INFO_FORMAT (&info);
}

GST_START_TEST (test_gray_is_last)
{
  GstVideoFormat formats[PACO_MAX_RAW_FORMATS];
  guint n = paco_raw_formats (formats, G_N_ELEMENTS (formats));
  gboolean gray = FALSE;

  for (guint i = 0; i < n; i++) {
    const GstVideoFormatInfo *info = gst_video_format_get_info (formats[i]);

    fail_unless (!gray || GST_VIDEO_FORMAT_INFO_IS_GRAY (info),
        "%s comes after a gray format", GST_VIDEO_FORMAT_INFO_NAME (info));
    gray = GST_VIDEO_FORMAT_INFO_IS_GRAY (info);
  }
  fail_unless (gray);
}
GST_END_TEST;

/* Tests that a source that can do everything does 4:2:2 of 10 bits, whatever
 * stands between it and the encoder and behind it. */
GST_START_TEST (test_source_without_a_wish)
{
  static const char *const pipelines[] = {
    "videotestsrc num-buffers=2 ! pacoenc name=encoder ! fakesink",
    "videotestsrc num-buffers=2 ! pacoenc name=encoder ! pacoparse ! qtmux ! "
    "fakesink",
    "videotestsrc num-buffers=2 ! videoconvert ! pacoenc name=encoder ! "
    "fakesink",
    "videotestsrc num-buffers=2 ! video/x-raw,width=66,height=50 ! "
    "pacoenc name=encoder ! fakesink",
    "videotestsrc num-buffers=2 ! queue ! videorate ! pacoenc name=encoder ! "
    "fakesink",
    "videotestsrc num-buffers=2 ! video/x-raw,width=66 ! videoconvert ! "
    "queue ! pacoenc name=encoder ! fakesink",
  };

  for (guint i = 0; i < G_N_ELEMENTS (pipelines); i++)
    fail_unless_equals_int (
        negotiated (pipelines[i]), GST_VIDEO_FORMAT_I422_10LE);
}
GST_END_TEST;

/* Tests that a converter has nothing to do for a source that has a format. */
GST_START_TEST (test_converter_keeps_the_format)
{
  static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_NV12,
    GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_v210,
    GST_VIDEO_FORMAT_UYVY, GST_VIDEO_FORMAT_YUY2, GST_VIDEO_FORMAT_I422_10LE,
    GST_VIDEO_FORMAT_Y444_12LE, GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_BGRx,
    GST_VIDEO_FORMAT_BGRA, GST_VIDEO_FORMAT_GBR_12LE, GST_VIDEO_FORMAT_r210,
    GST_VIDEO_FORMAT_ARGB64, GST_VIDEO_FORMAT_GRAY8,
    GST_VIDEO_FORMAT_GRAY16_LE };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    char *launch = g_strdup_printf (
        "videotestsrc num-buffers=2 ! video/x-raw,format=%s,width=64,height=48 "
        "! videoconvert ! pacoenc name=encoder ! fakesink",
        gst_video_format_to_string (formats[i]));
    GstVideoFormat format = negotiated (launch);

    fail_unless (format == formats[i], "%s became %s",
        gst_video_format_to_string (formats[i]),
        gst_video_format_to_string (format));
    g_free (launch);
  }
}
GST_END_TEST;

/* Tests that pacodec gives what was coded or, where that is not wanted, the
 * preferred layout of the same samples. */
GST_START_TEST (test_decoder_picks)
{
  static const struct
  {
    GstVideoFormat coded;
    const char *wanted;
    GstVideoFormat picked;
  } cases[] = {
    { GST_VIDEO_FORMAT_Y210, "{ I422_10BE, v210, Y210, I422_10LE }",
        GST_VIDEO_FORMAT_Y210 },
    { GST_VIDEO_FORMAT_Y210, "{ I422_10BE, UYVP, v210, I422_10LE }",
        GST_VIDEO_FORMAT_I422_10LE },
    { GST_VIDEO_FORMAT_I422_10LE, "{ I422_10BE, UYVP, v210, I420, GRAY8 }",
        GST_VIDEO_FORMAT_v210 },
    { GST_VIDEO_FORMAT_I420, "{ NV12_4L4, NV21, YV12, NV12, Y42B }",
        GST_VIDEO_FORMAT_NV12 },
    { GST_VIDEO_FORMAT_GBR, "{ xBGR, RGBP, BGRx, Y444, RGBA }",
        GST_VIDEO_FORMAT_BGRx },
    { GST_VIDEO_FORMAT_GRAY16_BE, "{ GRAY8, GRAY16_LE, I420 }",
        GST_VIDEO_FORMAT_GRAY16_LE },
    { GST_VIDEO_FORMAT_NV12, "{ RGB, GRAY8 }", GST_VIDEO_FORMAT_NV12 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    char *text = g_strdup_printf ("video/x-raw,format=%s", cases[i].wanted);
    GstCaps *caps = gst_caps_from_string (text);
    GstVideoFormat picked = paco_raw_format_pick (
        cases[i].coded, 64, GST_VIDEO_INTERLACE_MODE_PROGRESSIVE, caps);

    fail_unless (picked == cases[i].picked, "%s for %s is %s",
        gst_video_format_to_string (cases[i].coded), cases[i].wanted,
        gst_video_format_to_string (picked));
    gst_caps_unref (caps);
    g_free (text);
  }
}
GST_END_TEST;

static Suite *
preferences_suite (void)
{
  Suite *suite = suite_create ("preferences");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 120);
  tcase_add_test (tcase, test_gray_is_last);
  tcase_add_test (tcase, test_source_without_a_wish);
  tcase_add_test (tcase, test_converter_keeps_the_format);
  tcase_add_test (tcase, test_decoder_picks);
  return suite;
}

GST_CHECK_MAIN (preferences);
