/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests damaged streams through pacoparse and pacodec: no wrong picture comes out
 * without a flag, and the bus reports damage, once when it begins and at the end of
 * the stream. What is shown for broken blocks of LL looks like the picture before, and
 * nothing from before a gap of the stream is shown. */
#include "pacotest.h"

#define WIDTH 160
#define HEIGHT 120
#define N_FRAMES 3
#define N_CHANGES 300

/* --- streams --- */

static GstBuffer *
code (guint phase)
{
  return paco_test_code_gray ("pacoenc", WIDTH, HEIGHT, phase);
}

/* Codes frames with default settings, one behind the other. */
static GByteArray *
code_stream (void)
{
  GByteArray *stream = g_byte_array_new ();

  for (guint n = 0; n < N_FRAMES; n++) {
    g_autoptr (GstBuffer) buffer = code (n);
    GstMapInfo map;

    fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
    g_byte_array_append (stream, map.data, map.size);
    gst_buffer_unmap (buffer, &map);
  }
  return stream;
}

/* Returns what comes out of pacoparse and pacodec. */
static GPtrArray *
decode_stream (const GByteArray *stream)
{
  g_autoptr (PacoHarness) harness = paco_test_harness ("pacoparse ! pacodec");

  gst_harness_set_src_caps_str (harness, "video/x-paco");
  gst_harness_push (harness, gst_buffer_new_memdup (stream->data, stream->len));
  gst_harness_push_event (harness, gst_event_new_eos ());
  ignore_errors (harness);
  return take_all (harness);
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
TEST (test_one_byte)
{
  g_autoptr (GByteArray) stream = code_stream ();
  g_autoptr (GPtrArray) originals = decode_stream (stream);
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
}

/* --- messages --- */

typedef enum
{
  GOOD,
  DAMAGED, /* a broken codeblock */
  LOST,    /* a broken index */
} Condition;

/* Changes bits of a byte. */
static void
flip (GstBuffer *buffer, gsize at, guint8 bits)
{
  guint8 byte;

  gst_buffer_extract (buffer, at, &byte, 1);
  byte ^= bits;
  gst_buffer_fill (buffer, at, &byte, 1);
}

static GstBuffer *
code_as (Condition condition, guint phase)
{
  GstBuffer *buffer = gst_buffer_make_writable (code (phase));
  PacoHeader header;

  paco_test_header (buffer, &header);
  if (condition == LOST)
    flip (buffer, header.header_size, 4);
  else if (condition == DAMAGED)
    flip (buffer,
        (header.header_size + header.index_size + header.frame_size) / 2, 4);
  return buffer;
}

static void
push_frames (GstHarness *harness, const Condition *conditions, guint n)
{
  for (guint i = 0; i < n; i++)
    push (harness, code_as (conditions[i], i));
}

static void
expect_stats (GstHarness *harness, guint64 damaged, guint64 lost)
{
  fail_unless_equals_uint64 (
      paco_test_stat (harness, "damaged-frames"), damaged);
  fail_unless_equals_uint64 (paco_test_stat (harness, "lost-frames"), lost);
}

static const struct
{
  const gchar *launch;
  Condition frames[5];
  guint n_frames, n_shown, damaged, lost;
  const gchar *warnings[3]; /* All there are. */
} streams[] = {
  { "pacodec max-errors=-1", { GOOD, DAMAGED, GOOD, LOST, DAMAGED }, 5, 4, 2, 1,
      { "Frame 1,",
          "Of 5 frames 2 were damaged, with 2 broken codeblocks, "
          "and 1 could not be decoded." } },
  { "pacodec", { GOOD, GOOD }, 2, 2, 0, 0 },
  { "pacodec discard-corrupted-frames=true", { GOOD, DAMAGED }, 2, 1, 1, 0,
      { "Frame 1,", "Of 2 frames 1 were damaged" } },
};

LOOP_TEST (test_warnings, G_N_ELEMENTS (streams))
{
  g_autoptr (PacoHarness)
      harness = paco_test_decoder_harness (streams[__i__].launch);

  push_frames (harness, streams[__i__].frames, streams[__i__].n_frames);
  gst_harness_push_event (harness, gst_event_new_eos ());
  fail_unless_equals_int (
      gst_harness_buffers_received (harness), streams[__i__].n_shown);
  for (guint i = 0; i < G_N_ELEMENTS (streams[__i__].warnings); i++)
    expect_warning (harness, streams[__i__].warnings[i]);
  expect_stats (harness, streams[__i__].damaged, streams[__i__].lost);
}

/* Tests that a stream of which nothing could be decoded ends with one error. */
TEST (test_nothing_decoded)
{
  const Condition conditions[] = { LOST, LOST, LOST };
  g_autoptr (PacoHarness)
      harness = paco_test_decoder_harness ("pacodec max-errors=-1");
  g_autoptr (GError) error = NULL;

  push_frames (harness, conditions, G_N_ELEMENTS (conditions));
  fail_unless (paco_test_pop_error (harness) == NULL);
  gst_harness_push_event (harness, gst_event_new_eos ());
  fail_unless_equals_int (gst_harness_buffers_received (harness), 0);
  error = paco_test_pop_error (harness);
  g_assert_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE);
  fail_unless (strstr (error->message, "Not one of the 3 frames") != NULL, "%s",
      error->message);
  fail_unless (strstr (error->message, "first one: unknown") == NULL);
}

/* Tests that what is counted at the end is what came since the last flush. */
TEST (test_flush)
{
  const Condition before[] = { GOOD, DAMAGED }, after[] = { GOOD, LOST, LOST };
  g_autoptr (PacoHarness)
      harness = paco_test_decoder_harness ("pacodec max-errors=-1");

  push_frames (harness, before, G_N_ELEMENTS (before));
  for (guint i = 0; i < G_N_ELEMENTS (before); i++)
    pull_and_drop (harness);
  flush (harness, GST_FORMAT_TIME);
  push_frames (harness, after, G_N_ELEMENTS (after));
  gst_harness_push_event (harness, gst_event_new_eos ());
  expect_warning (harness, "Frame 1,");
  expect_warning (harness,
      "Of 3 frames 0 were damaged, with 0 broken codeblocks, "
      "and 2 could not be decoded.");
  expect_warning (harness, NULL);
  expect_stats (harness, 1, 2);
}

/* --- what is shown for broken blocks of LL --- */

/* Codes a frame of a gray picture. Its LL, which is the first block of the
 * payload, is broken or not. */
static GstBuffer *
code_ll (guint width, guint height, guint phase, gboolean broken)
{
  GstBuffer *buffer = paco_test_code_gray ("pacoenc", width, height, phase);
  PacoHeader header;

  buffer = gst_buffer_make_writable (buffer);
  if (broken) {
    paco_test_header (buffer, &header);
    flip (buffer, header.header_size + header.index_size, 1);
  }
  return buffer;
}

/* Pushes a frame and pulls its picture. */
static GstBuffer *
decode_frame (GstHarness *harness, GstBuffer *frame)
{
  push (harness, frame);
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
  g_autoptr (GstBuffer) original = paco_test_gray_buffer (WIDTH, HEIGHT, phase);
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
  gst_buffer_unref (picture);
  return sum;
}

/* Tests what is shown of a scene that moves by a pixel in a frame. */
TEST (test_shown)
{
  for (guint conceal = 0; conceal < 2; conceal++) {
    g_autoptr (PacoHarness) harness = paco_test_decoder_harness (
        "pacodec conceal=%s", conceal ? "true" : "false");
    GstBuffer *picture;
    double differs;

    skip_frame (harness, code_ll (WIDTH, HEIGHT, 0, FALSE));
    for (guint phase = 1; phase <= 2; phase++) {
      picture = decode_frame (harness, code_ll (WIDTH, HEIGHT, phase, TRUE));
      fail_unless (GST_BUFFER_FLAG_IS_SET (picture, GST_BUFFER_FLAG_CORRUPTED));
      differs = difference (picture, phase);
      if (conceal)
        fail_unless (differs < 4.0, "concealed: %.1f", differs);
      else
        fail_unless (differs > 10.0, "not concealed: %.1f", differs);
    }
    picture = decode_frame (harness, code_ll (WIDTH, HEIGHT, 3, FALSE));
    fail_if (GST_BUFFER_FLAG_IS_SET (picture, GST_BUFFER_FLAG_CORRUPTED));
    fail_unless (difference (picture, 3) < 2.0);
    fail_unless_equals_uint64 (paco_test_stat (harness, "corrupted-blocks"), 2);
    fail_unless_equals_uint64 (
        paco_test_stat (harness, "concealed-blocks"), conceal ? 2 : 0);
    fail_unless_equals_uint64 (paco_test_stat (harness, "damaged-frames"), 2);
  }
}

/* Tests that what upstream calls corrupted stays so, though all blocks are sound. */
TEST (test_flag_of_upstream)
{
  g_autoptr (PacoHarness) harness = paco_test_decoder_harness ("pacodec");
  GstBuffer *frame = code_ll (WIDTH, HEIGHT, 0, FALSE), *picture;

  GST_BUFFER_FLAG_SET (frame, GST_BUFFER_FLAG_CORRUPTED);
  picture = decode_frame (harness, frame);
  fail_unless (GST_BUFFER_FLAG_IS_SET (picture, GST_BUFFER_FLAG_CORRUPTED));
  fail_unless (difference (picture, 0) < 2.0);
  picture = decode_frame (harness, code_ll (WIDTH, HEIGHT, 1, FALSE));
  fail_if (GST_BUFFER_FLAG_IS_SET (picture, GST_BUFFER_FLAG_CORRUPTED));
  gst_buffer_unref (picture);
  fail_unless_equals_uint64 (paco_test_stat (harness, "corrupted-blocks"), 0);
}

TEST (test_concealed_discarded)
{
  g_autoptr (PacoHarness) harness = paco_test_decoder_harness (
      "pacodec discard-corrupted-frames=true");

  skip_frame (harness, code_ll (WIDTH, HEIGHT, 0, FALSE));
  push (harness, code_ll (WIDTH, HEIGHT, 1, TRUE));
  fail_unless (
      difference (decode_frame (harness, code_ll (WIDTH, HEIGHT, 2, FALSE)), 2)
      < 2.0);
  fail_unless_equals_int (gst_harness_buffers_received (harness), 2);
}

/* --- gaps --- */

static void
flush_time (GstHarness *harness)
{
  flush (harness, GST_FORMAT_TIME);
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
  skip_frame (harness, code_ll (WIDTH / 2, HEIGHT, 0, FALSE));
}

TEST (test_gaps)
{
  void (*const gaps[]) (
      GstHarness * harness) = { flush_time, begin_segment, change_size };

  for (guint i = 0; i < G_N_ELEMENTS (gaps); i++) {
    g_autoptr (PacoHarness)
        harness = paco_test_decoder_harness ("pacodec pipeline-depth=1");

    skip_frame (harness, code_ll (WIDTH, HEIGHT, 0, FALSE));
    gaps[i](harness);
    fail_unless (
        difference (decode_frame (harness, code_ll (WIDTH, HEIGHT, 0, TRUE)), 0)
            > 10.0,
        "gap %u: a picture from before it is shown", i);
    fail_unless_equals_uint64 (paco_test_stat (harness, "concealed-blocks"), 0);

    /* The stream behind the gap is one like any other. */
    skip_frame (harness, code_ll (WIDTH, HEIGHT, 1, FALSE));
    fail_unless (
        difference (decode_frame (harness, code_ll (WIDTH, HEIGHT, 2, TRUE)), 2)
        < 4.0);
    fail_unless_equals_uint64 (paco_test_stat (harness, "concealed-blocks"), 1);
  }
}

TEST_MAIN ("damage")
