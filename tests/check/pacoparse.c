/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests pacoparse: it finds frames in good and in damaged streams, and gives them
 * timestamps. parsedcaps.c tests caps and tags, pacoseek.c seeking in files, and
 * containers.c real containers. */
#include "parsing.h"

#define FRAME_TIME(n) gst_util_uint64_scale (n, GST_SECOND, 30)
#define N_FRAMES 6

/* Runs a stream of bytes through a parser, in chunks of several sizes. */
static void
check_stream (GPtrArray *frames, const GByteArray *stream, const gint *numbers,
    gint n, gint warnings)
{
  static const gsize chunks[] = { 1, 13, 4096, G_MAXUINT32 };

  for (guint i = 0; i < G_N_ELEMENTS (chunks); i++) {
    GstHarness *h = new_harness ("video/x-paco", GST_FORMAT_BYTES);

    push_in_chunks (h, stream, chunks[i]);
    gst_harness_push_event (h, gst_event_new_eos ());
    expect_frames (h, frames, numbers, n);
    expect_messages (h, warnings, n > 0 ? 0 : 1);
    close_harness (h);
  }
}

/* --- whole streams ---------------------------------------------------- */

GST_START_TEST (test_split)
{
  GPtrArray *frames = paco_test_frames (&spec, N_FRAMES);
  GByteArray *stream = g_byte_array_new ();
  const gint all[] = { 0, 1, 2, 3, 4, 5 };

  for (gint i = 0; i < N_FRAMES; i++)
    paco_test_append (stream, paco_test_nth (frames, i));
  check_stream (frames, stream, all, N_FRAMES, 0);
  g_byte_array_unref (stream);
  g_ptr_array_unref (frames);
}
GST_END_TEST;

GST_START_TEST (test_frame_leaves_without_the_next)
{
  GPtrArray *frames = paco_test_frames (&spec, 1);
  GstHarness *h = new_harness ("video/x-paco", GST_FORMAT_BYTES);

  push_in_chunks (h, paco_test_nth (frames, 0), 100);
  fail_unless_equals_int (gst_harness_buffers_in_queue (h), 1);
  close_harness (h);
  g_ptr_array_unref (frames);
}
GST_END_TEST;

GST_START_TEST (test_timestamps_of_bytes)
{
  const PacoFrameSpec ntsc = { 48, 32, 30000, 1001, 1, 1 };
  GByteArray *frame = paco_test_frame (&ntsc, 0);
  GstHarness *h = new_harness ("video/x-paco", GST_FORMAT_BYTES);

  for (gint i = 0; i < 1000; i++) {
    GstClockTime begin = gst_util_uint64_scale (i, GST_SECOND * 1001, 30000);
    GstClockTime end = gst_util_uint64_scale (i + 1, GST_SECOND * 1001, 30000);
    GstBuffer *buffer;

    push_bytes (h, frame->data, frame->len);
    buffer = gst_harness_pull (h);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), begin);
    fail_unless_equals_uint64 (GST_BUFFER_DTS (buffer), begin);
    fail_unless_equals_uint64 (GST_BUFFER_DURATION (buffer), end - begin);
    gst_buffer_unref (buffer);
  }
  close_harness (h);
  g_byte_array_unref (frame);
}
GST_END_TEST;

/* --- damaged streams -------------------------------------------------- */

static void
append_garbage (GByteArray *stream, guint seed, gsize size)
{
  GRand *random = g_rand_new_with_seed (seed);

  for (gsize i = 0; i < size; i++) {
    guint8 byte = g_rand_int (random);

    g_byte_array_append (stream, &byte, 1);
  }
  g_rand_free (random);
}

GST_START_TEST (test_garbage)
{
  GPtrArray *frames = paco_test_frames (&spec, 4);
  GByteArray *stream = g_byte_array_new ();
  const gint all[] = { 0, 1, 2, 3 };

  append_garbage (stream, 1, 1000);
  paco_test_append (stream, paco_test_nth (frames, 0));
  append_garbage (stream, 2, 1);
  paco_test_append (stream, paco_test_nth (frames, 1));
  paco_test_append (stream, paco_test_nth (frames, 2));
  append_garbage (stream, 3, 70000);
  paco_test_append (stream, paco_test_nth (frames, 3));
  append_garbage (stream, 4, 50);
  check_stream (frames, stream, all, 4, 4);
  g_byte_array_unref (stream);
  g_ptr_array_unref (frames);
}
GST_END_TEST;

/* Tests more garbage than the base class would forgive. */
GST_START_TEST (test_much_garbage)
{
  GPtrArray *frames = paco_test_frames (&spec, 2);
  GByteArray *garbage = g_byte_array_new ();
  GstHarness *h = new_harness ("video/x-paco", GST_FORMAT_BYTES);
  const gint both[] = { 0, 1 };

  g_byte_array_set_size (garbage, 5 << 20);
  memset (garbage->data, 'P', garbage->len);
  push_in_chunks (h, paco_test_nth (frames, 0), 65536);
  push_in_chunks (h, garbage, 65536);
  push_in_chunks (h, paco_test_nth (frames, 1), 65536);
  push_bytes (h, garbage->data, garbage->len);
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  expect_frames (h, frames, both, 2);
  expect_messages (h, 2, 0);
  close_harness (h);
  g_byte_array_unref (garbage);
  g_ptr_array_unref (frames);
}
GST_END_TEST;

GST_START_TEST (test_false_magics)
{
  static const struct
  {
    const gchar *bytes;
    gsize size;
  } false_magics[] = {
    { "P", 1 },
    { "PACPACO", 7 },
    { "PACOPACO", 8 },
    { "PACO\1\0", 6 },
    /* The sizes of header, frame and index are plausible. */
    { "PACO\1\0\xff\xff\xff\xff\xff\xff\0\0\0\0\0\0\0\0", 20 },
    { "PACO\1\0\x80\0\xff\xff\xff\x7f\0\0\0\0\0\0\0\0", 20 },
    { "PACO\2\0\x80\0\0\1\0\0\0\0\0\0\0\0\0\0", 20 },
  };
  GPtrArray *frames = paco_test_frames (&spec, 2);
  const gint both[] = { 0, 1 };

  for (guint i = 0; i < G_N_ELEMENTS (false_magics); i++) {
    GByteArray *stream = g_byte_array_new ();

    for (gint k = 0; k < 2; k++) {
      g_byte_array_append (
          stream, (const guint8 *) false_magics[i].bytes, false_magics[i].size);
      paco_test_append (stream, paco_test_nth (frames, k));
    }
    g_byte_array_append (
        stream, (const guint8 *) false_magics[i].bytes, false_magics[i].size);
    check_stream (frames, stream, both, 2, 3);
    g_byte_array_unref (stream);
  }
  g_ptr_array_unref (frames);
}
GST_END_TEST;

/* Tests a frame that is cut anywhere: those behind it are whole. One of which a
 * single byte is missing is left out here: it passes for whole, see
 * pacosplitter.c. */
GST_START_TEST (test_cut_frame)
{
  GPtrArray *frames = paco_test_frames (&spec, 4);
  const GByteArray *victim = paco_test_nth (frames, 1);
  const gint others[] = { 0, 2, 3 };

  for (guint keep = 1; keep + 2 < victim->len; keep += keep < 100 ? 9 : 31) {
    GByteArray *stream = g_byte_array_new ();

    paco_test_append (stream, paco_test_nth (frames, 0));
    g_byte_array_append (stream, victim->data, keep);
    paco_test_append (stream, paco_test_nth (frames, 2));
    paco_test_append (stream, paco_test_nth (frames, 3));
    check_stream (frames, stream, others, 3, 1);
    g_byte_array_unref (stream);
  }
  g_ptr_array_unref (frames);
}
GST_END_TEST;

GST_START_TEST (test_cut_at_the_end)
{
  GPtrArray *frames = paco_test_frames (&spec, 2);
  const GByteArray *victim = paco_test_nth (frames, 1);
  const gint first[] = { 0 };

  for (guint keep = 1; keep < victim->len; keep += keep < 30 ? 1 : 113) {
    GByteArray *stream = g_byte_array_new ();

    paco_test_append (stream, paco_test_nth (frames, 0));
    g_byte_array_append (stream, victim->data, keep);
    check_stream (frames, stream, first, 1, 1);
    g_byte_array_unref (stream);
  }
  g_ptr_array_unref (frames);
}
GST_END_TEST;

GST_START_TEST (test_damaged_header)
{
  GPtrArray *frames = paco_test_frames (&spec, 3);
  const GByteArray *victim = paco_test_nth (frames, 1);
  const gint others[] = { 0, 2 };
  PacoHeader header;

  fail_unless (
      paco_header_parse (victim->data, victim->len, &header, NULL, NULL));
  for (guint i = 0; i < header.header_size; i++) {
    GByteArray *stream = g_byte_array_new ();

    paco_test_append (stream, paco_test_nth (frames, 0));
    paco_test_append (stream, victim);
    paco_test_append (stream, paco_test_nth (frames, 2));
    stream->data[paco_test_nth (frames, 0)->len + i] ^= 0x10;
    check_stream (frames, stream, others, 2, 1);
    g_byte_array_unref (stream);
  }
  g_ptr_array_unref (frames);
}
GST_END_TEST;

/* Tests sizes that lie, with a right CRC: no frame may be waited for that its
 * picture cannot fill. */
GST_START_TEST (test_lying_size)
{
  GPtrArray *frames = paco_test_frames (&spec, 2);
  static const guint32 lies[] = { 0xffffffff, 0x7fffffff, 1000000 };
  const gint only_second[] = { 1 };

  for (guint i = 0; i < G_N_ELEMENTS (lies); i++) {
    GByteArray *stream = g_byte_array_new ();
    GstHarness *h = new_harness ("video/x-paco", GST_FORMAT_BYTES);
    PacoHeader header;

    paco_test_append (stream, paco_test_nth (frames, 0));
    fail_unless (
        paco_header_parse (stream->data, stream->len, &header, NULL, NULL));
    header.frame_size = lies[i];
    paco_header_write (&header, stream->data);
    paco_test_append (stream, paco_test_nth (frames, 1));
    push_in_chunks (h, stream, 100);
    expect_frames (h, frames, only_second, 1);
    close_harness (h);
    check_stream (frames, stream, only_second, 1, 1);
    g_byte_array_unref (stream);
  }
  g_ptr_array_unref (frames);
}
GST_END_TEST;

GST_START_TEST (test_no_frame_at_all)
{
  GPtrArray *frames = paco_test_frames (&spec, 1);
  GByteArray *stream = g_byte_array_new ();

  append_garbage (stream, 5, 10000);
  check_stream (frames, stream, NULL, 0, 1);
  /* This is a later version of the format. */
  g_byte_array_set_size (stream, 0);
  paco_test_append (stream, paco_test_nth (frames, 0));
  stream->data[4] = 3;
  check_stream (frames, stream, NULL, 0, 1);
  g_byte_array_unref (stream);
  g_ptr_array_unref (frames);
}
GST_END_TEST;

GST_START_TEST (test_version_is_told)
{
  GByteArray *frame = paco_test_frame (&spec, 0);
  GstHarness *h = new_harness ("video/x-paco", GST_FORMAT_BYTES);
  GstBus *bus = gst_element_get_bus (h->element);
  GError *error = NULL;
  GstMessage *message;

  frame->data[4] = 3;
  push_bytes (h, frame->data, frame->len);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  fail_unless (message);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (strstr (error->message, "version 3"), "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  gst_object_unref (bus);
  close_harness (h);
  g_byte_array_unref (frame);
}
GST_END_TEST;

GST_START_TEST (test_flush_in_a_frame)
{
  GPtrArray *frames = paco_test_frames (&spec, 2);
  GstHarness *h = new_harness ("video/x-paco", GST_FORMAT_BYTES);
  const gint only_second[] = { 1 };

  push_bytes (h, paco_test_nth (frames, 0)->data, 300);
  gst_harness_push_event (h, gst_event_new_flush_start ());
  gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
  push_segment (h, GST_FORMAT_BYTES);
  push_in_chunks (h, paco_test_nth (frames, 1), 50);
  expect_frames (h, frames, only_second, 1);
  expect_messages (h, 0, 0);
  close_harness (h);
  g_ptr_array_unref (frames);
}
GST_END_TEST;

/* --- packets of demuxers ---------------------------------------------- */

GST_START_TEST (test_decoding_time_only)
{
  GPtrArray *frames = paco_test_frames (&spec, N_FRAMES);
  GstHarness *h = new_harness (
      "video/x-unknown, codec-id = (string) V_MS/VFW/FOURCC, "
      "fourcc = (string) PACO",
      GST_FORMAT_TIME);

  /* There is a hole, and stamps are rounded to milliseconds. */
  for (gint i = 0; i < N_FRAMES; i++) {
    GstClockTime dts = (i < 3 ? i * 33 : i * 33 + 5000) * GST_MSECOND;
    GstBuffer *buffer = packet (
        paco_test_nth (frames, i), paco_test_nth (frames, i)->len);

    GST_BUFFER_DTS (buffer) = dts;
    GST_BUFFER_DURATION (buffer) = 34 * GST_MSECOND;
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT);
    buffer = gst_harness_push_and_pull (h, buffer);
    fail_unless (paco_test_buffer_is (buffer, paco_test_nth (frames, i)));
    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), dts);
    fail_unless_equals_uint64 (GST_BUFFER_DTS (buffer), dts);
    fail_unless_equals_uint64 (GST_BUFFER_DURATION (buffer), 34 * GST_MSECOND);
    fail_if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT));
    gst_buffer_unref (buffer);
  }
  close_harness (h);
  g_ptr_array_unref (frames);
}
GST_END_TEST;

GST_START_TEST (test_presentation_times_stay)
{
  GPtrArray *frames = paco_test_frames (&spec, N_FRAMES);
  GstHarness *h = new_harness (
      "video/x-paco, parsed = (boolean) true, alignment = (string) frame",
      GST_FORMAT_TIME);

  for (gint i = 0; i < N_FRAMES; i++) {
    GstClockTime pts = GST_SECOND + (i * i) * 7;
    GstBuffer *buffer = packet (
        paco_test_nth (frames, i), paco_test_nth (frames, i)->len);

    GST_BUFFER_PTS (buffer) = pts;
    buffer = gst_harness_push_and_pull (h, buffer);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), pts);
    fail_unless_equals_uint64 (GST_BUFFER_DTS (buffer), pts);
    fail_unless_equals_uint64 (GST_BUFFER_DURATION (buffer), FRAME_TIME (1));
    gst_buffer_unref (buffer);
  }
  close_harness (h);
  g_ptr_array_unref (frames);
}
GST_END_TEST;

/* Tests that a broken packet costs itself, at once, and nothing of the next. */
GST_START_TEST (test_broken_packets)
{
  GPtrArray *frames = paco_test_frames (&spec, 4);
  GByteArray *padded = g_byte_array_new ();
  GstHarness *h = new_harness ("video/x-gst-fourcc-PACO", GST_FORMAT_TIME);
  const gint last[] = { 3 };

  for (gsize size = 1; size < paco_test_nth (frames, 0)->len; size += 101)
    fail_unless_equals_int (
        gst_harness_push (h, packet (paco_test_nth (frames, 0), size)),
        GST_FLOW_OK);
  append_garbage (padded, 6, 500);
  push_bytes (h, padded->data, padded->len);
  fail_unless_equals_int (gst_harness_buffers_in_queue (h), 0);

  /* Padding behind the frame is no part of it. */
  g_byte_array_set_size (padded, 0);
  paco_test_append (padded, paco_test_nth (frames, 3));
  append_garbage (padded, 7, 11);
  push_bytes (h, padded->data, padded->len);
  expect_frames (h, frames, last, 1);
  push_bytes (
      h, paco_test_nth (frames, 3)->data, paco_test_nth (frames, 3)->len);
  expect_frames (h, frames, last, 1);
  expect_messages (h, 2, 0);
  close_harness (h);
  g_byte_array_unref (padded);
  g_ptr_array_unref (frames);
}
GST_END_TEST;

GST_START_TEST (test_reuse)
{
  GPtrArray *frames = paco_test_frames (&spec, 2);
  GstHarness *h = new_harness ("video/x-paco", GST_FORMAT_BYTES);
  const gint first[] = { 0 };

  for (gint i = 0; i < 3; i++) {
    push_bytes (
        h, paco_test_nth (frames, 0)->data, paco_test_nth (frames, 0)->len);
    push_bytes (h, paco_test_nth (frames, 1)->data, 100);
    expect_frames (h, frames, first, 1);
    gst_element_set_state (h->element, GST_STATE_NULL);
    gst_harness_play (h);
    gst_harness_set_src_caps_str (h, "video/x-paco");
    push_segment (h, GST_FORMAT_BYTES);
  }
  close_harness (h);
  g_ptr_array_unref (frames);
}
GST_END_TEST;

static Suite *
pacoparse_suite (void)
{
  Suite *suite = suite_create ("pacoparse");
  TCase *streams = tcase_create ("streams");
  TCase *packets = tcase_create ("packets");

  suite_add_tcase (suite, streams);
  tcase_set_timeout (streams, 120);
  tcase_add_test (streams, test_split);
  tcase_add_test (streams, test_frame_leaves_without_the_next);
  tcase_add_test (streams, test_timestamps_of_bytes);
  tcase_add_test (streams, test_garbage);
  tcase_add_test (streams, test_much_garbage);
  tcase_add_test (streams, test_false_magics);
  tcase_add_test (streams, test_cut_frame);
  tcase_add_test (streams, test_cut_at_the_end);
  tcase_add_test (streams, test_damaged_header);
  tcase_add_test (streams, test_lying_size);
  tcase_add_test (streams, test_no_frame_at_all);
  tcase_add_test (streams, test_version_is_told);
  tcase_add_test (streams, test_flush_in_a_frame);
  tcase_add_test (streams, test_reuse);

  suite_add_tcase (suite, packets);
  tcase_add_test (packets, test_decoding_time_only);
  tcase_add_test (packets, test_presentation_times_stay);
  tcase_add_test (packets, test_broken_packets);
  return suite;
}

GST_CHECK_MAIN (pacoparse);
