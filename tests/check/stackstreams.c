/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests streams in which stacks are late, or of another segment, and those of
 * which only key units are asked for. Nothing is shown as if it were sound, and
 * nothing is lost without a word. */
#include "stackseries.h"

static GstBuffer *
at (GPtrArray *coded, guint n, GstClockTime time)
{
  GstBuffer *buffer = gst_buffer_copy (g_ptr_array_index (coded, n));

  GST_BUFFER_PTS (buffer) = time;
  GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  return buffer;
}

static void
expect_sound (const Series *series, GPtrArray *slices, GPtrArray *pictures,
    guint i, guint n)
{
  GstBuffer *picture = g_ptr_array_index (pictures, i);

  fail_if (GST_BUFFER_FLAG_IS_SET (picture, GST_BUFFER_FLAG_CORRUPTED));
  fail_unless (
      same_samples (&series->info, g_ptr_array_index (slices, n), picture));
}

/* Tests that a stack is left out as a whole, if all of it is late, or not at
 * all; also the first one behind other frames. */
GST_START_TEST (test_late)
{
  for (guint qos = 0; qos < 2; qos++) {
    /* The first stack is late, the second one in a part, the third one is
     * not. */
    static const guint64 times[] = { 1, 2, 3, 4, 5, 1000, 1001, 1002, 1003 };
    g_autoptr (GPtrArray) slices = NULL, coded = NULL, singles = NULL,
                          pictures = new_buffers ();
    Series series;
    GstBus *bus;
    GstHarness *harness = paco_test_decoder_harness (
        qos ? "pacodec qos=true" : "pacodec qos=false", &bus);

    draw_small (&series, 3, 9);
    slices = draw_slices (&series);
    coded = code (&series, slices);
    series.length = 1;
    singles = code (&series, slices);
    gst_harness_push (harness, at (singles, 0, 0));
    gst_buffer_unref (gst_harness_pull (harness));
    gst_harness_push_upstream_event (harness,
        gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 0.5, 10 * GST_SECOND, 0));
    for (guint n = 0; n < 9; n++)
      fail_unless_equals_int (
          gst_harness_push (harness, at (coded, n, times[n] * DURATION)),
          GST_FLOW_OK);
    gst_harness_push_event (harness, gst_event_new_eos ());
    take_all (harness, pictures);
    /* The base class leaves out decoded pictures that are late. */
    fail_unless_equals_int (pictures->len, qos ? 4 : 9);
    for (guint i = 0; i < pictures->len; i++)
      expect_sound (&series, slices, pictures, i, i + (qos ? 5 : 0));
    fail_unless (
        gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR)
        == NULL);
    paco_test_teardown (harness, bus);
  }
}
GST_END_TEST;

/* Tests that a key unit that is asked for, for a picture that comes too late,
 * is the next one. */
GST_START_TEST (test_late_key_unit)
{
  static const guint64 times[] = { 0, 1, 2, 1000, 1001 };
  static const guint lengths[] = { 2, 2, 2, 2 }, positions[] = { 0, 1, 0, 1 };
  g_autoptr (GPtrArray) coded = new_buffers ();
  Series series;
  GstHarness *harness;
  GstElement *encoder_element;
  GstBus *bus;

  draw_small (&series, 4, 5);
  harness = encoder (&series, &bus);
  encoder_element = gst_harness_find_element (harness, "pacoenc");
  g_object_set (encoder_element, "qos", TRUE, NULL);
  gst_object_unref (encoder_element);
  for (guint n = 0; n < 5; n++) {
    GstBuffer *buffer = draw_slice (&series, n);

    GST_BUFFER_PTS (buffer) = times[n] * DURATION;
    if (n == 2) {
      gst_harness_push_upstream_event (harness,
          gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 0.5, 10 * GST_SECOND, 0));
      gst_harness_push_event (harness,
          gst_video_event_new_downstream_force_key_unit (
              2 * DURATION, 2 * DURATION, 2 * DURATION, TRUE, 1));
    }
    fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
  }
  gst_harness_push_event (harness, gst_event_new_eos ());
  take_all (harness, coded);
  fail_unless_equals_int (coded->len, G_N_ELEMENTS (lengths));
  for (guint i = 0; i < coded->len; i++) {
    PacoHeader header;

    paco_test_header (g_ptr_array_index (coded, i), &header);
    fail_unless_equals_int (header.video.slice.length, lengths[i]);
    fail_unless_equals_int (header.video.slice.position, positions[i]);
  }
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

/* Tests that a stack that ends early is of the segment that it came in. */
GST_START_TEST (test_segments)
{
  g_autoptr (GPtrArray) slices = NULL, coded = NULL, pictures = new_buffers ();
  Series series;
  GstSegment segment;
  GstBus *bus;
  GstHarness *harness = paco_test_decoder_harness ("pacodec", &bus);

  draw_series_of_same (&series, 4, 8);
  slices = draw_same_slices (&series);
  coded = code (&series, slices);
  for (guint n = 0; n < 3; n++)
    gst_harness_push (harness, at (coded, n, n * DURATION));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = 1000 * DURATION;
  segment.base = 3 * DURATION;
  gst_harness_push_event (harness, gst_event_new_segment (&segment));
  for (guint n = 4; n < 8; n++)
    gst_harness_push (harness, at (coded, n, (1000 + n) * DURATION));
  gst_harness_push_event (harness, gst_event_new_eos ());
  take_all (harness, pictures);
  fail_unless_equals_int (pictures->len, 7);
  for (guint i = 0; i < 3; i++)
    fail_unless (GST_BUFFER_FLAG_IS_SET (
        g_ptr_array_index (pictures, i), GST_BUFFER_FLAG_CORRUPTED));
  for (guint i = 3; i < 7; i++)
    expect_sound (&series, slices, pictures, i, i + 1);
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

static void
push_segment (GstHarness *harness, GstSegmentFlags flags, gdouble rate)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.flags = flags;
  segment.rate = rate;
  segment.stop = 1000 * DURATION;
  fail_unless (
      gst_harness_push_event (harness, gst_event_new_segment (&segment)));
}

/* Tests streams of which only key units are asked for: a stack whose frames
 * come all the same is shown, also without a wavelet what comes of it; the key
 * unit of a stack alone is left out, which is no damage and told once. */
GST_START_TEST (test_key_units)
{
  const GstSegmentFlags flags = GST_SEGMENT_FLAG_TRICKMODE
      | GST_SEGMENT_FLAG_TRICKMODE_KEY_UNITS;
  gboolean all = __i__ & 1, wavelet = __i__ & 2, reverse = __i__ & 4;
  g_autoptr (GPtrArray) slices = NULL, coded = NULL, pictures = new_buffers ();
  GstBus *bus;
  GstHarness *harness = paco_test_decoder_harness ("pacodec", &bus);
  guint expected = all ? 12 : wavelet ? 0 : 3;
  GstMessage *message;
  Series series;

  (wavelet ? draw_series_of_same : draw_series_of_one_column) (&series, 4, 12);
  slices = wavelet ? draw_same_slices (&series) : draw_slices (&series);
  coded = code (&series, slices);
  /* The base class calls it an error if it never sees a picture. */
  for (guint n = 0; n < 4; n++)
    gst_harness_push (harness, at (coded, n, n * DURATION));
  push_segment (harness, flags, reverse ? -1.0 : 1.0);
  for (guint i = 0; i < 12; i++) {
    guint n = reverse ? 4 * (2 - i / 4) + i % 4 : i;
    GstBuffer *buffer = at (coded, n, n * DURATION);

    if (i % 4 == 0)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    if (all || i % 4 == 0)
      gst_harness_push (harness, gst_buffer_ref (buffer));
    gst_buffer_unref (buffer);
  }
  gst_harness_push_event (harness, gst_event_new_eos ());
  take_all (harness, pictures);
  fail_unless_equals_int (pictures->len, 4 + expected);
  for (guint i = 4; i < pictures->len; i++) {
    guint n = GST_BUFFER_PTS (g_ptr_array_index (pictures, i)) / DURATION;

    expect_sound (&series, slices, pictures, i, n);
  }
  fail_unless_equals_uint64 (paco_test_stat (harness, "lost-frames"), 0);
  fail_unless_equals_uint64 (paco_test_stat (harness, "damaged-frames"), 0);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);
  fail_unless ((message != NULL) == (expected == 0));
  if (message != NULL) {
    GError *error;

    gst_message_parse_warning (message, &error, NULL);
    fail_unless (strstr (error->message, "key units"), "%s", error->message);
    g_error_free (error);
    gst_message_unref (message);
  }
  fail_unless (
      gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR)
      == NULL);
  paco_test_teardown_failed (harness, bus);
}
GST_END_TEST;

static Suite *
stackstreams_suite (void)
{
  Suite *suite = suite_create ("stackstreams");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_set_timeout (chain, 120);
  tcase_add_test (chain, test_late);
  tcase_add_test (chain, test_late_key_unit);
  tcase_add_test (chain, test_segments);
  tcase_add_loop_test (chain, test_key_units, 0, 8);
  return suite;
}

GST_CHECK_MAIN (stackstreams);
