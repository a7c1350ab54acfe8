/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests what pacodec shows for broken blocks of LL: they look like the picture
 * before, frames stay flagged, and nothing from before a gap of the stream is shown. */
#include "pacotest.h"

#define WIDTH 160
#define HEIGHT 120

/* --- frames --- */

/* Codes a frame of a gray picture. Its LL, which is the first block of the
 * payload, is broken or not. */
static GstBuffer *
code (guint width, guint height, guint phase, gboolean broken)
{
  GstVideoInfo info;
  GstBuffer *buffer;
  PacoHeader header;
  guint8 byte;

  paco_test_info (&info, GST_VIDEO_FORMAT_GRAY8, width, height);
  buffer = paco_test_code (
      "pacoenc", &info, paco_test_gray_buffer (width, height, phase));
  buffer = gst_buffer_make_writable (buffer);
  if (!broken)
    return buffer;
  paco_test_header (buffer, &header);
  gst_buffer_extract (buffer, header.header_size + header.index_size, &byte, 1);
  byte ^= 1;
  gst_buffer_fill (buffer, header.header_size + header.index_size, &byte, 1);
  return buffer;
}

/* Pushes a frame and pulls its picture. */
static GstBuffer *
decode_frame (GstHarness *harness, GstBuffer *frame)
{
  fail_unless_equals_int (gst_harness_push (harness, frame), GST_FLOW_OK);
  return gst_harness_pull (harness);
}

static void
skip_frame (GstHarness *harness, GstBuffer *frame)
{
  gst_buffer_unref (decode_frame (harness, frame));
}

/* Returns the mean difference of a picture's samples from those of the scene,
 * and frees the picture. */
static double
difference (GstBuffer *picture, guint phase)
{
  GstBuffer *original = paco_test_gray_buffer (WIDTH, HEIGHT, phase);
  GstMapInfo a, b;
  double sum = 0.0;

  fail_unless (gst_buffer_map (picture, &a, GST_MAP_READ));
  fail_unless (gst_buffer_map (original, &b, GST_MAP_READ));
  fail_unless_equals_int (a.size, b.size);
  for (gsize i = 0; i < a.size; i++)
    sum += ABS ((int) a.data[i] - (int) b.data[i]);
  sum /= (double) a.size;
  gst_buffer_unmap (original, &b);
  gst_buffer_unmap (picture, &a);
  gst_buffer_unref (original);
  gst_buffer_unref (picture);
  return sum;
}

/* --- what is shown --- */

/* Tests what is shown of a scene that moves by a pixel in a frame. */
GST_START_TEST (test_shown)
{
  for (guint conceal = 0; conceal < 2; conceal++) {
    char *launch = g_strdup_printf (
        "pacodec conceal=%s", conceal ? "true" : "false");
    GstBus *bus;
    GstHarness *harness = paco_test_decoder_harness (launch, &bus);
    GstBuffer *picture;
    double differs;

    skip_frame (harness, code (WIDTH, HEIGHT, 0, FALSE));
    for (guint phase = 1; phase <= 2; phase++) {
      picture = decode_frame (harness, code (WIDTH, HEIGHT, phase, TRUE));
      fail_unless (GST_BUFFER_FLAG_IS_SET (picture, GST_BUFFER_FLAG_CORRUPTED));
      differs = difference (picture, phase);
      if (conceal)
        fail_unless (differs < 4.0, "concealed: %.1f", differs);
      else
        fail_unless (differs > 10.0, "not concealed: %.1f", differs);
    }
    picture = decode_frame (harness, code (WIDTH, HEIGHT, 3, FALSE));
    fail_if (GST_BUFFER_FLAG_IS_SET (picture, GST_BUFFER_FLAG_CORRUPTED));
    fail_unless (difference (picture, 3) < 2.0);
    fail_unless_equals_uint64 (paco_test_stat (harness, "corrupted-blocks"), 2);
    fail_unless_equals_uint64 (
        paco_test_stat (harness, "concealed-blocks"), conceal ? 2 : 0);
    fail_unless_equals_uint64 (paco_test_stat (harness, "damaged-frames"), 2);
    paco_test_teardown (harness, bus);
    g_free (launch);
  }
}
GST_END_TEST;

/* Tests that what upstream calls corrupted stays so, though all blocks are sound. */
GST_START_TEST (test_flag_of_upstream)
{
  GstBus *bus;
  GstHarness *harness = paco_test_decoder_harness ("pacodec", &bus);
  GstBuffer *frame = code (WIDTH, HEIGHT, 0, FALSE), *picture;

  GST_BUFFER_FLAG_SET (frame, GST_BUFFER_FLAG_CORRUPTED);
  picture = decode_frame (harness, frame);
  fail_unless (GST_BUFFER_FLAG_IS_SET (picture, GST_BUFFER_FLAG_CORRUPTED));
  fail_unless (difference (picture, 0) < 2.0);
  picture = decode_frame (harness, code (WIDTH, HEIGHT, 1, FALSE));
  fail_if (GST_BUFFER_FLAG_IS_SET (picture, GST_BUFFER_FLAG_CORRUPTED));
  gst_buffer_unref (picture);
  fail_unless_equals_uint64 (paco_test_stat (harness, "corrupted-blocks"), 0);
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

GST_START_TEST (test_discarded)
{
  GstBus *bus;
  GstHarness *harness = paco_test_decoder_harness (
      "pacodec discard-corrupted-frames=true", &bus);

  skip_frame (harness, code (WIDTH, HEIGHT, 0, FALSE));
  fail_unless_equals_int (
      gst_harness_push (harness, code (WIDTH, HEIGHT, 1, TRUE)), GST_FLOW_OK);
  fail_unless (
      difference (decode_frame (harness, code (WIDTH, HEIGHT, 2, FALSE)), 2)
      < 2.0);
  fail_unless_equals_int (gst_harness_buffers_received (harness), 2);
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

/* --- gaps --- */

static void
flush (GstHarness *harness)
{
  GstSegment segment;

  gst_harness_push_event (harness, gst_event_new_flush_start ());
  gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (harness, gst_event_new_segment (&segment));
}

/* Begins a new segment, as a seek without a flush does. */
static void
begin_segment (GstHarness *harness)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.base = GST_SECOND;
  gst_harness_push_event (harness, gst_event_new_segment (&segment));
}

/* Pushes a frame of another size. */
static void
change_size (GstHarness *harness)
{
  skip_frame (harness, code (WIDTH / 2, HEIGHT, 0, FALSE));
}

GST_START_TEST (test_gaps)
{
  void (*const gaps[]) (
      GstHarness * harness) = { flush, begin_segment, change_size };

  for (guint i = 0; i < G_N_ELEMENTS (gaps); i++) {
    GstBus *bus;
    GstHarness *harness = paco_test_decoder_harness (
        "pacodec pipeline-depth=1", &bus);

    skip_frame (harness, code (WIDTH, HEIGHT, 0, FALSE));
    gaps[i](harness);
    fail_unless (
        difference (decode_frame (harness, code (WIDTH, HEIGHT, 0, TRUE)), 0)
            > 10.0,
        "gap %u: a picture from before it is shown", i);
    fail_unless_equals_uint64 (paco_test_stat (harness, "concealed-blocks"), 0);

    /* The stream behind the gap is one like any other. */
    skip_frame (harness, code (WIDTH, HEIGHT, 1, FALSE));
    fail_unless (
        difference (decode_frame (harness, code (WIDTH, HEIGHT, 2, TRUE)), 2)
        < 4.0);
    fail_unless_equals_uint64 (paco_test_stat (harness, "concealed-blocks"), 1);
    paco_test_teardown (harness, bus);
  }
}
GST_END_TEST;

static Suite *
conceal_suite (void)
{
  Suite *suite = suite_create ("conceal");
  TCase *tests = tcase_create ("general");

  tcase_set_timeout (tests, 120);
  suite_add_tcase (suite, tests);
  tcase_add_test (tests, test_shown);
  tcase_add_test (tests, test_flag_of_upstream);
  tcase_add_test (tests, test_discarded);
  tcase_add_test (tests, test_gaps);
  return suite;
}

GST_CHECK_MAIN (conceal);
