/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests pacoenc and pacodec with caps that change, or cannot be settled, while
 * frames are in flight. */
#include "pacotest.h"

#define LOSSLESS "pacoenc rate-control=lossless"
#define GRAY_CAPS "video/x-raw,format=GRAY8,width=64,height=48,framerate=25/1"

static void
push_segment (GstHarness *harness)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (harness, gst_event_new_segment (&segment));
}

static GstVideoFormat
format_of (const GstHarness *harness)
{
  GstCaps *caps = gst_pad_get_current_caps (harness->sinkpad);
  GstVideoInfo info;

  fail_unless (gst_video_info_from_caps (&info, caps));
  gst_caps_unref (caps);
  return GST_VIDEO_INFO_FORMAT (&info);
}

/* Tests that downstream wants another format while frames of the old one are in
 * flight. They are large, so that they still are when it says so. The old ones
 * come as they were begun, the next one as it is wanted. */
GST_START_TEST (test_reconfigure_in_flight)
{
  GstBus *bus;
  GstHarness *harness = paco_test_harness (
      "pacodec backend=cpu pipeline-depth=4 threads=1 ! "
      "capsfilter caps=video/x-raw,format=I420_10LE",
      &bus);
  GstElement *filter = gst_harness_find_element (harness, "capsfilter");
  GstVideoInfo info;
  GstBuffer *coded, *out;

  paco_test_info (&info, GST_VIDEO_FORMAT_I420_10LE, 1024, 1024);
  coded = paco_test_code (LOSSLESS, &info, paco_test_random_buffer (&info, 1));
  gst_harness_set_src_caps_str (harness, PACO_TEST_CODED_CAPS);
  gst_harness_push (harness, gst_buffer_ref (coded));
  gst_buffer_unref (gst_harness_pull (harness));
  fail_unless_equals_int (format_of (harness), GST_VIDEO_FORMAT_I420_10LE);

  for (guint i = 0; i < 3; i++)
    fail_unless_equals_int (
        gst_harness_push (harness, gst_buffer_ref (coded)), GST_FLOW_OK);
  gst_util_set_object_arg (
      G_OBJECT (filter), "caps", "video/x-raw,format=P010_10LE");
  for (guint i = 0; i < 3; i++) {
    out = gst_harness_pull (harness);
    fail_unless (out != NULL);
    gst_buffer_unref (out);
  }

  fail_unless_equals_int (gst_harness_push (harness, coded), GST_FLOW_OK);
  out = gst_harness_pull (harness);
  fail_unless (out != NULL);
  fail_unless_equals_int (format_of (harness), GST_VIDEO_FORMAT_P010_10LE);
  gst_buffer_unref (out);
  gst_object_unref (filter);
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

/* Checks that caps that cannot be told to a flushing peer are no error of
 * negotiation, which would end a stream that is only being seeked in. The
 * elements push behind their streaming thread, which hears of it with one of
 * the next frames. */
static void
check_flushing (const char *name, const char *caps, GstBuffer *buffer)
{
  GstBus *bus;
  GstHarness *harness = paco_test_harness (name, &bus);
  GstElement *element = gst_harness_find_element (harness, name);
  GstPad *pad = gst_element_get_static_pad (element, "src");
  GstFlowReturn flow = GST_FLOW_OK;
  GstBuffer *out;

  gst_harness_set_src_caps_str (harness, caps);
  fail_unless (gst_pad_push_event (pad, gst_event_new_flush_start ()));
  for (guint i = 0; i < 100 && flow == GST_FLOW_OK; i++)
    flow = gst_harness_push (harness, gst_buffer_ref (buffer));
  fail_unless_equals_int (flow, GST_FLOW_FLUSHING);

  gst_harness_push_event (harness, gst_event_new_flush_start ());
  gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
  push_segment (harness);
  fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
  out = gst_harness_pull (harness);
  fail_unless (out != NULL);
  gst_buffer_unref (out);
  gst_object_unref (pad);
  gst_object_unref (element);
  paco_test_teardown (harness, bus);
}

GST_START_TEST (test_flushing)
{
  GstVideoInfo info;

  paco_test_info (&info, GST_VIDEO_FORMAT_GRAY8, 64, 48);
  check_flushing ("pacoenc", GRAY_CAPS, paco_test_gray_buffer (64, 48, 0));
  check_flushing ("pacodec", PACO_TEST_CODED_CAPS,
      paco_test_code (LOSSLESS, &info, paco_test_gray_buffer (64, 48, 0)));
}
GST_END_TEST;

/* Tests that what caps promise of the size of frames holds when the quality changes. */
GST_START_TEST (test_max_frame_size)
{
  GstBus *bus;
  GstHarness *harness = paco_test_harness ("pacoenc quality=1", &bus);
  GstElement *encoder = gst_harness_find_element (harness, "pacoenc");
  static const gdouble qualities[] = { 1.0, 100.0, 1.0 };
  GstVideoInfo info;
  gint bound = 0;

  paco_test_info (&info, GST_VIDEO_FORMAT_GRAY16_LE, 256, 256);
  gst_harness_set_src_caps (harness, gst_video_info_to_caps (&info));
  for (guint i = 0; i < G_N_ELEMENTS (qualities); i++) {
    GstBuffer *out;
    GstCaps *caps;

    g_object_set (encoder, "quality", qualities[i], NULL);
    gst_harness_push (harness, paco_test_random_buffer (&info, i));
    out = gst_harness_pull (harness);
    caps = gst_pad_get_current_caps (harness->sinkpad);
    fail_unless (gst_structure_get_int (
        gst_caps_get_structure (caps, 0), "max-frame-size", &bound));
    fail_unless (gst_buffer_get_size (out) <= (gsize) bound,
        "%zu bytes at quality %g, but %d were promised",
        gst_buffer_get_size (out), qualities[i], bound);
    gst_caps_unref (caps);
    gst_buffer_unref (out);
  }
  gst_object_unref (encoder);
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

static Suite *
negotiation_suite (void)
{
  Suite *suite = suite_create ("negotiation");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 120);
  tcase_add_test (tcase, test_reconfigure_in_flight);
  tcase_add_test (tcase, test_flushing);
  tcase_add_test (tcase, test_max_frame_size);
  return suite;
}

GST_CHECK_MAIN (negotiation);
