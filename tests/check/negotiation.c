/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests the caps of pacoenc and pacodec: those that change, or cannot be settled, while
 * frames are in flight; and which raw format is taken if several are possible: of a
 * source that can do all, of a converter, and by pacodec of downstream's. */
#include "pacotest.h"

#define LOSSLESS "pacoenc rate-control=lossless"
#define GRAY_CAPS "video/x-raw,format=GRAY8,width=64,height=48,framerate=25/1"

static GstVideoFormat
format_of (GstHarness *harness)
{
  GstVideoInfo info = paco_test_output_info (harness);

  return GST_VIDEO_INFO_FORMAT (&info);
}

/* Tests that downstream wants another format while frames of the old one are in
 * flight. They are large, so that they still are when it says so. The old ones
 * come as they were begun, the next one as it is wanted. */
TEST (test_reconfigure_in_flight)
{
  g_autoptr (PacoHarness) harness = paco_test_harness (
      "pacodec backend=cpu pipeline-depth=4 threads=1 ! "
      "capsfilter caps=video/x-raw,format=I420_10LE");
  GstVideoInfo info;
  GstBuffer *coded;

  paco_test_info (&info, GST_VIDEO_FORMAT_I420_10LE, 1024, 1024);
  coded = paco_test_code (LOSSLESS, &info, paco_test_random_buffer (&info, 1));
  gst_harness_set_src_caps_str (harness, PACO_TEST_CODED_CAPS);
  gst_harness_push (harness, gst_buffer_ref (coded));
  pull_and_drop (harness);
  fail_unless_equals_int (format_of (harness), GST_VIDEO_FORMAT_I420_10LE);

  for (guint i = 0; i < 3; i++)
    push (harness, gst_buffer_ref (coded));
  set_property (harness, "capsfilter", "caps", "video/x-raw,format=P010_10LE");
  for (guint i = 0; i < 3; i++)
    pull_and_drop (harness);
  push (harness, coded);
  pull_and_drop (harness);
  fail_unless_equals_int (format_of (harness), GST_VIDEO_FORMAT_P010_10LE);
}

/* Tests that a stream of one frame, which downstream does not take, ends with an error:
 * upstream has pushed it without one. */
TEST (test_last_frame_not_taken)
{
  g_autoptr (PacoHarness) harness = paco_test_harness (
      "pacodec ! capsfilter caps=video/x-raw,width=65");
  GstVideoInfo info;

  paco_test_info (&info, GST_VIDEO_FORMAT_GRAY8, 64, 48);
  gst_harness_set_src_caps_str (harness, PACO_TEST_CODED_CAPS);
  push (harness,
      paco_test_code (LOSSLESS, &info, paco_test_random_buffer (&info, 1)));
  gst_harness_push_event (harness, gst_event_new_eos ());
  expect_error (
      harness, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED, "data stream error");
}

/* Checks that caps that cannot be told to a flushing peer are no error of
 * negotiation, which would end a stream that is only being seeked in. The
 * elements push behind their streaming thread, which hears of it with one of
 * the next frames. */
static void
check_flushing (const char *name, const char *caps, GstBuffer *buffer)
{
  g_autoptr (PacoHarness) harness = paco_test_harness (name);
  g_autoptr (GstElement) element = gst_harness_find_element (harness, name);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "src");
  GstFlowReturn flow = GST_FLOW_OK;

  gst_harness_set_src_caps_str (harness, caps);
  fail_unless (gst_pad_push_event (pad, gst_event_new_flush_start ()));
  for (guint i = 0; i < 100 && flow == GST_FLOW_OK; i++)
    flow = gst_harness_push (harness, gst_buffer_ref (buffer));
  fail_unless_equals_int (flow, GST_FLOW_FLUSHING);

  flush (harness, GST_FORMAT_TIME);
  push (harness, buffer);
  pull_and_drop (harness);
}

TEST (test_flushing)
{
  check_flushing ("pacoenc", GRAY_CAPS, paco_test_gray_buffer (64, 48, 0));
  check_flushing ("pacodec", PACO_TEST_CODED_CAPS,
      paco_test_code_gray (LOSSLESS, 64, 48, 0));
}

/* Tests that what caps promise of the size of frames holds when the quality changes. */
TEST (test_max_frame_size)
{
  static const gdouble qualities[] = { 1.0, 100.0, 1.0 };
  g_autoptr (PacoHarness) harness = NULL;
  GstVideoInfo info;

  paco_test_info (&info, GST_VIDEO_FORMAT_GRAY16_LE, 256, 256);
  harness = paco_test_harness_of ("pacoenc quality=1", &info);
  for (guint i = 0; i < G_N_ELEMENTS (qualities); i++) {
    g_autoptr (GstBuffer) out = NULL;

    gst_harness_set (harness, "pacoenc", "quality", qualities[i], NULL);
    out = gst_harness_push_and_pull (
        harness, paco_test_random_buffer (&info, i));
    fail_unless (gst_buffer_get_size (out)
            <= (gsize) output_int (harness, "max-frame-size"),
        "%zu bytes at quality %g", gst_buffer_get_size (out), qualities[i]);
  }
}

/* --- which format is taken of several ---------------------------------- */

/* Returns the raw format that the encoder of a pipeline has taken. */
static GstVideoFormat
negotiated (const gchar *description)
{
  g_autoptr (Pipeline) pipeline = launch (description);
  g_autoptr (GstElement)
      encoder = gst_bin_get_by_name (GST_BIN (pipeline), "encoder");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (encoder, "sink");
  g_autoptr (GError) error = play_to_end (pipeline);
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  GstVideoInfo info;

  g_assert_no_error (error);
  fail_unless (gst_video_info_from_caps (&info, caps));
  return GST_VIDEO_INFO_FORMAT (&info);
}

TEST (test_gray_is_last)
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

/* Tests that a source that can do everything does 4:2:2 of 10 bits, whatever
 * stands between it and the encoder and behind it. */
TEST (test_source_without_a_wish)
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

/* Tests that a converter has nothing to do for a source that has a format. */
TEST (test_converter_keeps_the_format)
{
  static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_NV12,
    GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_P010_10LE, GST_VIDEO_FORMAT_v210,
    GST_VIDEO_FORMAT_UYVY, GST_VIDEO_FORMAT_YUY2, GST_VIDEO_FORMAT_I422_10LE,
    GST_VIDEO_FORMAT_Y444_12LE, GST_VIDEO_FORMAT_RGB, GST_VIDEO_FORMAT_BGRx,
    GST_VIDEO_FORMAT_BGRA, GST_VIDEO_FORMAT_GBR_12LE, GST_VIDEO_FORMAT_r210,
    GST_VIDEO_FORMAT_ARGB64, GST_VIDEO_FORMAT_GRAY8,
    GST_VIDEO_FORMAT_GRAY16_LE };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    g_autofree char *launch = g_strdup_printf (
        "videotestsrc num-buffers=2 ! video/x-raw,format=%s,width=64,height=48 "
        "! videoconvert ! pacoenc name=encoder ! fakesink",
        gst_video_format_to_string (formats[i]));
    GstVideoFormat format = negotiated (launch);

    fail_unless (format == formats[i], "%s became %s",
        gst_video_format_to_string (formats[i]),
        gst_video_format_to_string (format));
  }
}

/* Tests that pacodec gives what was coded or, where that is not wanted, the
 * preferred layout of the same samples. */
TEST (test_decoder_picks)
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
    g_autofree char *text = g_strdup_printf (
        "video/x-raw,format=%s", cases[i].wanted);
    g_autoptr (GstCaps) caps = gst_caps_from_string (text);
    GstVideoFormat picked = paco_raw_format_pick (
        cases[i].coded, 64, GST_VIDEO_INTERLACE_MODE_PROGRESSIVE, caps);

    fail_unless (picked == cases[i].picked, "%s for %s is %s",
        gst_video_format_to_string (cases[i].coded), cases[i].wanted,
        gst_video_format_to_string (picked));
  }
}

TEST_MAIN ("negotiation")
