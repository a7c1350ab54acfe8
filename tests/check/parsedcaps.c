/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests caps and tags of pacoparse, which come from upstream, from downstream and
 * from frames. */
#include "parsing.h"
#include <gst/video/video.h>

static GstStructure *
output_caps (GstHarness *h)
{
  GstCaps *caps = gst_pad_get_current_caps (h->sinkpad);
  GstStructure *s;

  fail_unless (caps);
  s = gst_structure_copy (gst_caps_get_structure (caps, 0));
  gst_caps_unref (caps);
  return s;
}

GST_START_TEST (test_header_overrides_demuxer)
{
  const PacoFrameSpec anamorphic = { 48, 32, 25, 1, 16, 15 };
  GByteArray *frame = paco_test_frame (&anamorphic, 0);
  GstHarness *h = new_harness (
      "video/x-gst-fourcc-PACO, width = (int) 720, height = (int) 1, "
      "framerate = (fraction) 91/3, pixel-aspect-ratio = (fraction) 1/1",
      GST_FORMAT_TIME);
  GstStructure *s, *wanted;

  push_bytes (h, frame->data, frame->len);
  s = output_caps (h);
  wanted = gst_structure_from_string (
      "video/x-paco, width = (int) 48, height = (int) 32, "
      "framerate = (fraction) 25/1, pixel-aspect-ratio = (fraction) 16/15, "
      "parsed = (boolean) true, alignment = (string) frame, "
      "format = (string) GRAY8",
      NULL);
  fail_unless (gst_structure_is_subset (s, wanted), "%" GST_PTR_FORMAT, s);
  gst_structure_free (wanted);
  gst_structure_free (s);
  close_harness (h);
  g_byte_array_unref (frame);
}
GST_END_TEST;

GST_START_TEST (test_frame_rate_of_upstream)
{
  const PacoFrameSpec unknown = { 48, 32, 0, 1, 1, 1 };
  GByteArray *frame = paco_test_frame (&unknown, 0);
  GstHarness *h = new_harness ("video/x-paco, framerate = (fraction) 50/1, "
                               "max-frame-size = (uint) 5000",
      GST_FORMAT_BYTES);
  guint max_frame_size = 0;
  gint n = 0, d = 0;
  GstStructure *s;

  for (gint i = 0; i < 3; i++) {
    GstBuffer *buffer;

    push_bytes (h, frame->data, frame->len);
    buffer = gst_harness_pull (h);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), i * GST_SECOND / 50);
    gst_buffer_unref (buffer);
  }
  s = output_caps (h);
  fail_unless (gst_structure_get_fraction (s, "framerate", &n, &d));
  fail_unless_equals_int (n, 50);
  fail_unless (gst_structure_get_uint (s, "max-frame-size", &max_frame_size));
  fail_unless_equals_int (max_frame_size, 5000);
  gst_structure_free (s);
  close_harness (h);
  g_byte_array_unref (frame);
}
GST_END_TEST;

static gint
count_caps_events (GstHarness *h)
{
  GstEvent *event;
  gint n = 0;

  while ((event = gst_harness_try_pull_event (h))) {
    n += GST_EVENT_TYPE (event) == GST_EVENT_CAPS;
    gst_event_unref (event);
  }
  return n;
}

GST_START_TEST (test_caps_change_with_the_stream)
{
  const PacoFrameSpec wide = { 64, 32, 30, 1, 1, 1 };
  const PacoFrameSpec faster = { 64, 32, 60, 1, 1, 1 };
  const PacoFrameSpec *const specs[] = { &spec, &wide, &faster };
  GstHarness *h = new_harness ("video/x-paco", GST_FORMAT_BYTES);
  GstClockTime expected = 0;

  for (guint i = 0; i < G_N_ELEMENTS (specs); i++) {
    GPtrArray *frames = paco_test_frames (specs[i], 3);

    for (gint k = 0; k < 3; k++) {
      const GByteArray *frame = paco_test_nth (frames, k);
      GstBuffer *buffer;

      push_bytes (h, frame->data, frame->len);
      buffer = gst_harness_pull (h);
      fail_unless (ABS (GST_CLOCK_DIFF (GST_BUFFER_PTS (buffer), expected))
          < GST_USECOND);
      expected += GST_SECOND / specs[i]->fps_n;
      gst_buffer_unref (buffer);
    }
    fail_unless_equals_int (count_caps_events (h), 1);
    g_ptr_array_unref (frames);
  }
  close_harness (h);
}
GST_END_TEST;

GST_START_TEST (test_downstream_chooses)
{
  static const struct
  {
    const gchar *allowed, *expected;
  } cases[] = {
    { "ANY", "video/x-paco, parsed = (boolean) true" },
    { "video/x-qt-part; video/x-paco",
        "video/x-paco, parsed = (boolean) true" },
    { "video/x-h264; video/x-qt-part, width = (int) [ 16, 2147483647 ]",
        "video/x-qt-part, format = (uint) 1329807696" },
    { "video/x-mp4-part", "video/x-mp4-part, format = (uint) 1329807696" },
    { "video/x-wmv, wmvversion = (int) [ 1, 3 ], "
      "width = (int) [ 1, 2147483647 ], height = (int) [ 1, 2147483647 ]",
        "video/x-wmv, wmvversion = (int) 3, format = (string) PACO" },
  };
  GByteArray *frame = paco_test_frame (&spec, 0);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstHarness *h = gst_harness_new ("pacoparse");
    GstStructure *s, *expected;

    gst_harness_set_sink_caps_str (h, cases[i].allowed);
    gst_harness_set_src_caps_str (h, "video/x-paco");
    push_bytes (h, frame->data, frame->len);
    fail_unless_equals_int (gst_harness_buffers_in_queue (h), 1);
    s = output_caps (h);
    expected = gst_structure_from_string (cases[i].expected, NULL);
    gst_structure_set (
        expected, "width", G_TYPE_INT, 48, "height", G_TYPE_INT, 32, NULL);
    fail_unless (gst_structure_is_subset (s, expected),
        "for %s: %" GST_PTR_FORMAT, cases[i].allowed, s);
    gst_structure_free (expected);
    gst_structure_free (s);
    gst_harness_teardown (h);
  }
  g_byte_array_unref (frame);
}
GST_END_TEST;

GST_START_TEST (test_picture_too_small_for_container)
{
  const PacoFrameSpec tiny = { 8, 8, 30, 1, 1, 1 };
  GByteArray *frame = paco_test_frame (&tiny, 0);
  GstHarness *h = gst_harness_new ("pacoparse");
  GstBus *bus = gst_bus_new ();

  gst_element_set_bus (h->element, bus);
  gst_object_unref (bus);
  gst_harness_set_sink_caps_str (
      h, "video/x-qt-part, width = (int) [ 16, 2147483647 ]");
  gst_harness_set_src_caps_str (h, "video/x-paco");
  fail_unless_equals_int (gst_harness_push (h, packet (frame, frame->len)),
      GST_FLOW_NOT_NEGOTIATED);
  expect_messages (h, 0, 1);
  close_harness (h);
  g_byte_array_unref (frame);
}
GST_END_TEST;

GST_START_TEST (test_limits_reach_upstream)
{
  GstHarness *h = gst_harness_new ("pacoparse");
  GstPad *pad = gst_element_get_static_pad (h->element, "sink");
  GstCaps *caps, *outside;

  gst_harness_set_sink_caps_str (
      h, "video/x-paco, width = (int) [ 16, 64 ], framerate = 25/1");
  caps = gst_pad_query_caps (pad, NULL);
  outside = gst_caps_from_string ("video/x-paco, width = (int) 8");
  fail_if (gst_caps_can_intersect (caps, outside));
  gst_caps_unref (outside);
  outside = gst_caps_from_string ("video/x-paco, width = (int) 16");
  fail_unless (gst_caps_can_intersect (caps, outside));
  gst_caps_unref (outside);
  gst_caps_unref (caps);
  gst_object_unref (pad);
  gst_harness_teardown (h);
}
GST_END_TEST;

/* Tests that what a demuxer knows of views is kept, and what it guesses of the
 * picture is not. */
GST_START_TEST (test_demuxers_views)
{
  GByteArray *frame = paco_test_frame (&spec, 0);
  GstHarness *h = new_harness ("video/x-unknown, fourcc = (string) PACO, "
                               "width = (int) 96, multiview-mode = (string) "
                               "top-bottom, multiview-flags = "
                               "(GstVideoMultiviewFlagsSet) 1:ffffffff",
      GST_FORMAT_TIME);
  GstStructure *s;
  guint flags = 0;
  gint width;

  gst_harness_push (h, packet (frame, frame->len));
  gst_buffer_unref (gst_harness_pull (h));
  s = output_caps (h);
  fail_unless_equals_string (
      gst_structure_get_string (s, "multiview-mode"), "top-bottom");
  fail_unless (gst_structure_get_flagset (s, "multiview-flags", &flags, NULL));
  fail_unless_equals_int (flags, 1);
  fail_unless (gst_structure_get_int (s, "width", &width));
  fail_unless_equals_int (width, 48);
  gst_structure_free (s);
  close_harness (h);
  g_byte_array_unref (frame);
}
GST_END_TEST;

/* Tests that views of half the aspect ratio have the pixels' sides doubled, and
 * that sides that are as long as a fraction can say stay as they are. */
GST_START_TEST (test_pixels_that_cannot_be_doubled)
{
  static const struct
  {
    guint mode, par_n, par_d;
    const gchar *par;
  } cases[] = {
    { 3, 1 << 29, 1, "1073741824/1" },
    { 3, 1 << 30, 1, "1073741824/1" },
    { 7, 1, G_MAXINT, "1/2147483647" },
    { 7, 1, 1 << 30, "1/1073741824" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GByteArray *plain = paco_test_frame (&spec, 0), *frame;
    GstHarness *h = new_harness ("video/x-paco", GST_FORMAT_BYTES);
    g_autofree gchar *par = NULL;
    PacoHeader header;
    GstStructure *s;

    fail_unless (
        paco_header_parse (plain->data, plain->len, &header, NULL, NULL));
    header.video.has_views = true;
    header.video.multiview_mode = (uint8_t) cases[i].mode;
    header.video.multiview_flags = GST_VIDEO_MULTIVIEW_FLAGS_HALF_ASPECT;
    header.video.par_n = cases[i].par_n;
    header.video.par_d = cases[i].par_d;
    frame = paco_test_with_header (plain, &header);
    push_bytes (h, frame->data, frame->len);
    s = output_caps (h);
    par = gst_value_serialize (
        gst_structure_get_value (s, "pixel-aspect-ratio"));
    fail_unless_equals_string (par, cases[i].par);
    gst_structure_free (s);
    close_harness (h);
    g_byte_array_unref (frame);
    g_byte_array_unref (plain);
  }
}
GST_END_TEST;

GST_START_TEST (test_codec_tag)
{
  GByteArray *frame = paco_test_frame (&spec, 0);
  GstHarness *h = new_harness ("video/x-paco", GST_FORMAT_BYTES);
  gchar *codec = NULL;
  GstEvent *event;

  push_bytes (h, frame->data, frame->len);
  while ((event = gst_harness_try_pull_event (h))) {
    GstTagList *tags;

    if (GST_EVENT_TYPE (event) == GST_EVENT_TAG) {
      gst_event_parse_tag (event, &tags);
      gst_tag_list_get_string (tags, GST_TAG_VIDEO_CODEC, &codec);
    }
    gst_event_unref (event);
  }
  fail_unless_equals_string (codec, "PaCo");
  g_free (codec);
  close_harness (h);
  g_byte_array_unref (frame);
}
GST_END_TEST;

static Suite *
parsedcaps_suite (void)
{
  Suite *suite = suite_create ("parsedcaps");
  TCase *caps = tcase_create ("caps");

  suite_add_tcase (suite, caps);
  tcase_add_test (caps, test_header_overrides_demuxer);
  tcase_add_test (caps, test_frame_rate_of_upstream);
  tcase_add_test (caps, test_caps_change_with_the_stream);
  tcase_add_test (caps, test_downstream_chooses);
  tcase_add_test (caps, test_picture_too_small_for_container);
  tcase_add_test (caps, test_limits_reach_upstream);
  tcase_add_test (caps, test_demuxers_views);
  tcase_add_test (caps, test_pixels_that_cannot_be_doubled);
  tcase_add_test (caps, test_codec_tag);
  return suite;
}

GST_CHECK_MAIN (parsedcaps);
