/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests damaged streams through pacoparse and pacodec: no wrong picture comes out
 * without a flag, and the bus reports damage, once when it begins and at the end of
 * the stream. */
#include "pacotest.h"

#define WIDTH 160
#define HEIGHT 120
#define N_FRAMES 3
#define N_CHANGES 300

/* --- streams --- */

static GstBuffer *
code (guint phase)
{
  GstVideoInfo info;

  paco_test_info (&info, GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT);
  return paco_test_code (
      "pacoenc", &info, paco_test_gray_buffer (WIDTH, HEIGHT, phase));
}

/* Codes frames with default settings, one behind the other. */
static GByteArray *
code_stream (void)
{
  GByteArray *stream = g_byte_array_new ();

  for (guint n = 0; n < N_FRAMES; n++) {
    GstBuffer *buffer = code (n);
    GstMapInfo map;

    fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
    g_byte_array_append (stream, map.data, map.size);
    gst_buffer_unmap (buffer, &map);
    gst_buffer_unref (buffer);
  }
  return stream;
}

/* Returns what comes out of pacoparse and pacodec. */
static GPtrArray *
decode_stream (const GByteArray *stream)
{
  GPtrArray *pictures = g_ptr_array_new_with_free_func (
      (GDestroyNotify) gst_buffer_unref);
  GstBus *bus;
  GstHarness *harness = paco_test_harness ("pacoparse ! pacodec", &bus);
  GstBuffer *picture;

  gst_harness_set_src_caps_str (harness, "video/x-paco");
  gst_harness_push (harness, gst_buffer_new_memdup (stream->data, stream->len));
  gst_harness_push_event (harness, gst_event_new_eos ());
  while ((picture = gst_harness_try_pull (harness)) != NULL)
    g_ptr_array_add (pictures, picture);
  paco_test_teardown_failed (harness, bus);
  return pictures;
}

/* Says whether a picture is unlike all of the originals and nothing says so. */
static gboolean
is_wrong (GstBuffer *picture, GPtrArray *originals)
{
  if (GST_BUFFER_FLAG_IS_SET (picture, GST_BUFFER_FLAG_CORRUPTED))
    return FALSE;
  for (guint i = 0; i < originals->len; i++)
    if (paco_test_same_bytes (picture, g_ptr_array_index (originals, i)))
      return FALSE;
  return TRUE;
}

/* Tests that a changed byte is noticed. The checks have 16 bits: of 300 changes
 * one escapes them in less than one of 200 runs of this test, two hardly ever.
 * Without checks some 80 would escape. */
GST_START_TEST (test_one_byte)
{
  GByteArray *stream = code_stream ();
  GPtrArray *originals = decode_stream (stream);
  guint n_wrong = 0;

  fail_unless_equals_int (originals->len, N_FRAMES);
  for (guint k = 0; k < N_CHANGES; k++) {
    guint at = g_random_int_range (0, stream->len);
    guint8 old = stream->data[at];
    GPtrArray *pictures;

    stream->data[at] ^= g_random_int_range (1, 256);
    pictures = decode_stream (stream);
    for (guint i = 0; i < pictures->len; i++)
      if (is_wrong (g_ptr_array_index (pictures, i), originals)) {
        GST_ERROR ("byte %u from %02x to %02x: picture %u is wrong", at, old,
            stream->data[at], i);
        n_wrong++;
      }
    g_ptr_array_unref (pictures);
    stream->data[at] = old;
  }
  fail_unless (n_wrong <= 1, "%u wrong pictures", n_wrong);
  g_ptr_array_unref (originals);
  g_byte_array_unref (stream);
}
GST_END_TEST;

/* --- messages --- */

typedef enum
{
  GOOD,
  DAMAGED, /* a broken codeblock */
  LOST,    /* a broken index */
} Condition;

static GstBuffer *
code_as (Condition condition, guint phase)
{
  GstBuffer *buffer = gst_buffer_make_writable (code (phase));
  gsize size = gst_buffer_get_size (buffer), at;
  PacoHeader header;
  guint8 byte;

  paco_test_header (buffer, &header);
  if (condition == GOOD)
    return buffer;
  at = header.header_size;
  if (condition == DAMAGED)
    at = (at + header.index_size + size) / 2;
  gst_buffer_extract (buffer, at, &byte, 1);
  byte ^= 4;
  gst_buffer_fill (buffer, at, &byte, 1);
  return buffer;
}

static void
push_frames (GstHarness *harness, const Condition *conditions, guint n)
{
  for (guint i = 0; i < n; i++)
    fail_unless_equals_int (
        gst_harness_push (harness, code_as (conditions[i], i)), GST_FLOW_OK);
}

/* Expects the next warning to be about decoding and to say `words`; NULL:
 * expects that there is none. */
static void
expect_warning (GstBus *bus, const char *words)
{
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  GError *error = NULL;

  if (words == NULL) {
    fail_unless (message == NULL);
    return;
  }
  fail_unless (message != NULL, "no warning with \"%s\"", words);
  gst_message_parse_warning (message, &error, NULL);
  fail_unless (
      g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE));
  fail_unless (strstr (error->message, words) != NULL, "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
}

static void
expect_stats (GstHarness *harness, guint64 damaged, guint64 lost)
{
  GstElement *decoder = gst_harness_find_element (harness, "pacodec");
  GstStructure *stats;
  guint64 value;

  g_object_get (decoder, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, "damaged-frames", &value));
  fail_unless_equals_uint64 (value, damaged);
  fail_unless (gst_structure_get_uint64 (stats, "lost-frames", &value));
  fail_unless_equals_uint64 (value, lost);
  gst_structure_free (stats);
  gst_object_unref (decoder);
}

GST_START_TEST (test_warnings)
{
  const Condition conditions[] = { GOOD, DAMAGED, GOOD, LOST, DAMAGED };
  GstBus *bus;
  GstHarness *harness = paco_test_decoder_harness (
      "pacodec max-errors=-1", &bus);

  push_frames (harness, conditions, G_N_ELEMENTS (conditions));
  gst_harness_push_event (harness, gst_event_new_eos ());
  fail_unless_equals_int (gst_harness_buffers_received (harness), 4);
  expect_warning (bus, "Frame 1,");
  expect_warning (bus,
      "Of 5 frames 2 were damaged, with 2 broken codeblocks, "
      "and 1 could not be decoded.");
  expect_warning (bus, NULL);
  expect_stats (harness, 2, 1);
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

GST_START_TEST (test_no_damage)
{
  const Condition conditions[] = { GOOD, GOOD };
  GstBus *bus;
  GstHarness *harness = paco_test_decoder_harness ("pacodec", &bus);

  push_frames (harness, conditions, G_N_ELEMENTS (conditions));
  gst_harness_push_event (harness, gst_event_new_eos ());
  expect_warning (bus, NULL);
  expect_stats (harness, 0, 0);
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

GST_START_TEST (test_discarded)
{
  const Condition conditions[] = { GOOD, DAMAGED };
  GstBus *bus;
  GstHarness *harness = paco_test_decoder_harness (
      "pacodec discard-corrupted-frames=true", &bus);

  push_frames (harness, conditions, G_N_ELEMENTS (conditions));
  gst_harness_push_event (harness, gst_event_new_eos ());
  fail_unless_equals_int (gst_harness_buffers_received (harness), 1);
  expect_warning (bus, "Frame 1,");
  expect_warning (bus, "Of 2 frames 1 were damaged");
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

/* Tests that a stream of which nothing could be decoded ends with one error. */
GST_START_TEST (test_nothing_decoded)
{
  const Condition conditions[] = { LOST, LOST, LOST };
  GstBus *bus;
  GstHarness *harness = paco_test_decoder_harness (
      "pacodec max-errors=-1", &bus);
  GError *error;

  push_frames (harness, conditions, G_N_ELEMENTS (conditions));
  fail_unless (paco_test_pop_error (bus) == NULL);
  gst_harness_push_event (harness, gst_event_new_eos ());
  fail_unless_equals_int (gst_harness_buffers_received (harness), 0);
  error = paco_test_pop_error (bus);
  fail_unless (
      g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE));
  fail_unless (strstr (error->message, "Not one of the 3 frames") != NULL, "%s",
      error->message);
  fail_unless (strstr (error->message, "first one: unknown") == NULL);
  g_error_free (error);
  fail_unless (paco_test_pop_error (bus) == NULL);
  paco_test_teardown_failed (harness, bus);
}
GST_END_TEST;

/* Tests that what is counted at the end is what came since the last flush. */
GST_START_TEST (test_flush)
{
  const Condition before[] = { GOOD, DAMAGED }, after[] = { GOOD, LOST, LOST };
  GstBus *bus;
  GstHarness *harness = paco_test_decoder_harness (
      "pacodec max-errors=-1", &bus);
  GstSegment segment;

  push_frames (harness, before, G_N_ELEMENTS (before));
  for (guint i = 0; i < G_N_ELEMENTS (before); i++)
    gst_buffer_unref (gst_harness_pull (harness));
  gst_harness_push_event (harness, gst_event_new_flush_start ());
  gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (harness, gst_event_new_segment (&segment));
  push_frames (harness, after, G_N_ELEMENTS (after));
  gst_harness_push_event (harness, gst_event_new_eos ());
  expect_warning (bus, "Frame 1,");
  expect_warning (bus,
      "Of 3 frames 0 were damaged, with 0 broken codeblocks, "
      "and 2 could not be decoded.");
  expect_warning (bus, NULL);
  expect_stats (harness, 1, 2);
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

static Suite *
damage_suite (void)
{
  Suite *suite = suite_create ("damage");
  TCase *tests = tcase_create ("general");

  tcase_set_timeout (tests, 300);
  suite_add_tcase (suite, tests);
  tcase_add_test (tests, test_one_byte);
  tcase_add_test (tests, test_warnings);
  tcase_add_test (tests, test_no_damage);
  tcase_add_test (tests, test_discarded);
  tcase_add_test (tests, test_nothing_decoded);
  tcase_add_test (tests, test_flush);
  return suite;
}

GST_CHECK_MAIN (damage);
