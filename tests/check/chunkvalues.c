/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests frames whose ancillary chunks hold values that no encoder of ours writes
 * (codec/random-ancillary.h): values that GStreamer takes are on the buffers, those
 * that it does not take are left out, and for those that FORMAT.md forbids the frame
 * is refused. GStreamer must not complain, which would end the tests. */
#include "codec/bytes.h"
#include "pacoframes.h"
#include "tests/codec/random-ancillary.h"
#include <gst/video/video.h>

static const PacoFrameSpec spec = PACO_FRAME_SPEC_DEFAULT;

/* Returns a frame with these chunks. */
static GByteArray *
frame_with (const guint8 *chunks, gsize size)
{
  static GByteArray *plain;
  PacoHeader header;

  if (plain == NULL)
    plain = paco_test_frame (&spec, 0);
  fail_unless (
      paco_header_parse (plain->data, plain->len, &header, NULL, NULL));
  header.video.ancillary = (PacoAncillary){ chunks, size };
  return paco_test_with_header (plain, &header);
}

/* Returns what comes out of elements for a frame, or NULL if nothing does. */
static GstBuffer *
push_through (GstHarness *h, const GByteArray *frame)
{
  push (h, gst_buffer_new_memdup (frame->data, frame->len));
  return gst_harness_try_pull (h);
}

static GstBuffer *
push_chunks (GstHarness *h, const guint8 *chunks, gsize size)
{
  g_autoptr (GByteArray) frame = frame_with (chunks, size);
  GstBuffer *buffer = push_through (h, frame);

  return buffer;
}

/* These are both elements that restore metas, and both together. With one frame in
 * flight a picture is there when its frame has been pushed. */
static const gchar *const ways[] = {
  "pacoparse",
  "pacodec pipeline-depth=1",
  "pacoparse ! pacodec pipeline-depth=1 reduce=1",
};

static GstHarness *
open_way (guint i)
{
  GstHarness *h = paco_test_harness (ways[i]);

  gst_harness_set_src_caps_str (h,
      "video/x-paco,parsed=true,alignment=frame,width=48,height=32,"
      "framerate=30/1");
  return h;
}

/* --- one kind after the other --- */

/* Says whether table 1 of ETSI TS 101 154 B.3, ATSC A/53 part 4 and SMPTE ST
 * 2016-1 do not reserve the value. */
static gboolean
is_meaningful (guint standard, guint value)
{
  static const guint8 meaningful[] = { 2, 3, 4, 8, 9, 10, 11, 13, 14, 15 };

  return standard <= 2
      && (memchr (meaningful, (gint) value, sizeof meaningful)
          || (value == 0 && standard > 0));
}

static void
try_active_format (GstHarness *h, const guint8 *content, guint size,
    gboolean refused, guint afds, guint bars)
{
  guint8 chunk[20] = { PACO_ANCILLARY_ACTIVE_FORMAT, 0, (guint8) size, 0 };
  g_autoptr (GstBuffer) buffer = NULL;

  memcpy (chunk + PACO_CHUNK_HEAD, content, size);
  buffer = push_chunks (h, chunk, PACO_CHUNK_HEAD + size);
  fail_unless ((buffer == NULL) == refused, "kind %u, field %u, then %u, %u",
      content[0], content[1], content[2], content[3]);
  if (!buffer)
    return;
  fail_unless_equals_int (
      gst_buffer_get_n_meta (buffer, GST_VIDEO_AFD_META_API_TYPE), afds);
  fail_unless_equals_int (
      gst_buffer_get_n_meta (buffer, GST_VIDEO_BAR_META_API_TYPE), bars);
}

TEST (test_active_formats)
{
  static const guint8 fields[] = { 0, 1, 2, 255 };

  for (guint i = 0; i < G_N_ELEMENTS (ways); i++) {
    g_autoptr (PacoHarness) h = open_way (i);

    for (guint f = 0; f < G_N_ELEMENTS (fields); f++) {
      for (guint standard = 0; standard < 4; standard++)
        for (guint value = 0; value < 18; value++)
          try_active_format (h,
              (guint8[]){ PACO_ACTIVE_FORMAT_AFD, fields[f], (guint8) standard,
                  (guint8) value },
              4, fields[f] > 1 || value > 15, is_meaningful (standard, value),
              0);
      for (guint8 kind = 1; kind < 4; kind++)
        try_active_format (h,
            (guint8[10]){ kind, fields[f], 255, 255, 255, 255 }, 10,
            kind < 3 && fields[f] > 1, 0, kind < 3);
    }
  }
}

TEST (test_captions)
{
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++) {
    g_autoptr (PacoHarness) h = open_way (i);

    for (guint kind = 0; kind < 256; kind += kind < 8 ? 1 : 31) {
      guint8 chunk[] = { PACO_ANCILLARY_CAPTION, 0, 2, 0, (guint8) kind, 7 };
      g_autoptr (GstBuffer) buffer = push_chunks (h, chunk, sizeof chunk);

      fail_unless (buffer);
      fail_unless_equals_int (
          gst_buffer_get_n_meta (buffer, GST_VIDEO_CAPTION_META_API_TYPE),
          kind >= 1 && kind <= 4);
    }
  }
}

/* Tests a fraction that GStreamer cannot hold, and the nearest one that it
 * can. */
TEST (test_fractions)
{
  static const gint32 numerators[] = { G_MININT32, -G_MAXINT32, G_MAXINT32 };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (numerators); i++) {
    g_autoptr (PacoHarness) h = open_way (i % 2);
    guint8 chunks[100];
    PacoAncillaryWriter writer = { .data = chunks, .capacity = sizeof chunks };
    PacoValue value = { .name = "ratio",
      .type = PACO_VALUE_FRACTION,
      .fraction = { numerators[i / 2], 7 } };
    GstReferenceTimestampMeta *meta;
    gint numerator, denominator;
    GstBuffer *buffer;

    paco_ancillary_begin_reference_time (
        &writer, &(PacoReferenceTime){ 1, UINT64_MAX });
    paco_ancillary_add_list (&writer, "timestamp/x-unix");
    paco_ancillary_add_value (&writer, &value);
    fail_unless (paco_ancillary_end (&writer));
    buffer = push_chunks (h, chunks, writer.size);
    fail_unless (!buffer == (numerators[i / 2] == G_MININT32));
    if (buffer) {
      meta = gst_buffer_get_reference_timestamp_meta (buffer, NULL);
      fail_unless (gst_structure_get_fraction (
          gst_caps_get_structure (meta->reference, 0), "ratio", &numerator,
          &denominator));
      fail_unless_equals_int (numerator, numerators[i / 2]);
      gst_buffer_unref (buffer);
    }
  }
}

/* Tests that a daily jam, at the ends of what a calendar has, comes with its
 * timecode. */
TEST (test_daily_jams)
{
  static const struct
  {
    gint64 seconds;
    gint32 offset;
    gboolean good;
  } cases[] = {
    { -62135596800, 0, TRUE },
    { -62135596801, 0, FALSE },
    { -62135596801, 1, FALSE },
    { -62135596800, 86399, TRUE },
    { -62135596800, -1, FALSE },
    { 253402300799, 0, TRUE },
    { 253402300799, 1, FALSE },
    { 253402300799, -86399, TRUE },
    { 0, 86400, FALSE },
    { 0, -86400, FALSE },
  };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (cases); i++) {
    g_autoptr (PacoHarness) h = open_way (i % 2);
    guint8 chunks[100];
    PacoAncillaryWriter writer = { .data = chunks, .capacity = sizeof chunks };
    const PacoTimecode timecode = { .fps_n = 25,
      .fps_d = 1,
      .has_daily_jam = true,
      .daily_jam = cases[i / 2].seconds * G_USEC_PER_SEC,
      .daily_jam_offset = cases[i / 2].offset };
    GstBuffer *buffer;

    fail_unless (paco_ancillary_add_timecode (&writer, &timecode));
    buffer = push_chunks (h, chunks, writer.size);
    fail_unless (!buffer == !cases[i / 2].good, "case %u", i / 2);
    if (buffer) {
      GstVideoTimeCodeMeta *meta = gst_buffer_get_video_time_code_meta (buffer);

      fail_unless (meta && meta->tc.config.latest_daily_jam);
      gst_buffer_unref (buffer);
    }
  }
}

/* --- all kinds --- */

/* Tests random chunks that FORMAT.md allows, and what becomes of them when a
 * byte changes. */
TEST (test_random_chunks)
{
  guint32 seed = g_random_int ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  guint refused = 0;

  g_print ("seed %u\n", seed);
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++) {
    g_autoptr (PacoHarness) h = open_way (i);

    for (guint n = 0; n < 300; n++) {
      g_autoptr (GByteArray) chunks = g_byte_array_new ();
      gboolean changed = g_rand_boolean (rand);
      GstBuffer *buffer;

      do {
        g_byte_array_set_size (chunks, 0);
        test_ancillary_random (rand, chunks, PACO_MAX_ANCILLARY_SIZE);
      } while (chunks->len == 0);
      if (changed)
        chunks->data[g_rand_int_range (rand, 0, (gint) chunks->len)] =
            (guint8) g_rand_int (rand);
      buffer = push_chunks (h, chunks->data, chunks->len);
      fail_unless (changed || buffer);
      refused += !buffer;
      gst_clear_buffer (&buffer);
    }
  }
  fail_unless (refused > 0);
}

TEST_MAIN ("chunkvalues")
