/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests streams in which slices of stacks are missing, damaged, late, of another
 * recording or segment, or lie, and those of which only key units are asked for. Nothing is shown as if it were sound, and nothing is lost
 * without a word. */
#include "codec/check.h"
#include "codec/geometry.h"
#include "codec/index.h"
#include "stackseries.h"
#include "tests/codec/n-cases.h"
#include <string.h>

/* --- damage --- */

/* Says whether the check of any block whose bytes have changed says that they have
 * not. */
static gboolean
hides_damage (
    const PacoHeader *header, const guint8 *before, const guint8 *after)
{
  gsize payload = header->header_size + header->index_size;
  PacoGeometry *geometry = paco_geometry_new (
      &header->picture, &header->coding);
  PacoBlockRecord *records = g_new (PacoBlockRecord, geometry->n_blocks);
  gboolean hides = FALSE;

  fail_unless (
      paco_index_parse_frame (before, header, geometry, records, NULL));
  for (guint i = 0; i < geometry->n_blocks; i++) {
    gsize at = payload + records[i].offset;

    hides |= memcmp (before + at, after + at, records[i].length) != 0
        && paco_block_check (after + at, records[i].length) == records[i].check;
  }
  g_free (records);
  paco_geometry_free (geometry);
  return hides;
}

/* Puts other bytes into all blocks, which their checks find: of 65536 such
 * damages they miss one. */
static GstBuffer *
damaged (GstBuffer *buffer)
{
  GstBuffer *copy = gst_buffer_copy_deep (buffer);
  GstMapInfo before, after;
  PacoHeader header;

  paco_test_header (buffer, &header);
  gst_buffer_map (buffer, &before, GST_MAP_READ);
  gst_buffer_map (copy, &after, GST_MAP_WRITE);
  do {
    for (gsize i = header.header_size + header.index_size; i < after.size; i++)
      after.data[i] = before.data[i] ^ (guint8) draw (1, 255);
  } while (hides_damage (&header, before.data, after.data));
  gst_buffer_unmap (copy, &after);
  gst_buffer_unmap (buffer, &before);
  return copy;
}

/* Tests that some slices are lost, others damaged: pictures of their stacks are
 * corrupted or left out, and all others are what they were. */
TEST (test_damage)
{
  for (guint c = 0; c < n_cases (12); c++) {
    gboolean hit[64] = { FALSE };
    g_autoptr (GPtrArray) slices = NULL, coded = NULL, left = new_buffers (),
                          pictures = NULL;
    g_autoptr (PacoHarness)
        harness = paco_test_decoder_harness ("pacodec conceal=true");
    guint n_hits = 0, n_shown = 0;
    Series series;

    draw_series (&series, 60);
    series.lossless = TRUE;
    series.n_frames = draw (12, 40);
    slices = draw_slices (&series);
    coded = code (&series, slices);
    for (guint n = 0; n < coded->len; n++) {
      GstBuffer *buffer = coded->pdata[n];
      guint what = draw (0, 15);

      if (what <= 1)
        hit[n / series.length] = TRUE;
      if (what > 0)
        g_ptr_array_add (
            left, what == 1 ? damaged (buffer) : gst_buffer_ref (buffer));
      n_hits += what <= 1;
    }
    pictures = decode (harness, left);
    for (guint i = 0; i < pictures->len; i++) {
      guint n = number_at (pictures, i);

      fail_unless (is_corrupted (pictures, i)
          || is_slice (&series, pictures, i, slices, n));
      if (!hit[n / series.length])
        fail_if (is_corrupted (pictures, i));
      n_shown += !hit[n / series.length];
    }
    for (guint n = 0; n < slices->len; n++)
      n_shown -= !hit[n / series.length];
    fail_unless_equals_int (n_shown, 0);
    /* A stack that is lost to its end, or as a whole, is nobody's business
     * here: pacoparse counts frames. */
    if (left->len > 0 && n_hits > 0 && pictures->len < left->len) {
      g_autoptr (GError) said = pop_said (GST_ELEMENT_BUS (harness->element),
          GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);

      fail_unless (said != NULL);
    }
    ignore_errors (harness);
  }
}

/* Tests that without a wavelet along the stack what is lost of it is no
 * business of the others. */
TEST (test_no_wavelet)
{
  g_autoptr (GPtrArray) slices = NULL, coded = NULL, left = new_buffers (),
                        pictures = NULL;
  g_autoptr (PacoHarness) harness = paco_test_decoder_harness ("pacodec");
  guint lost = draw (1, 2), broken = draw (3, 4);
  PacoHeader header;
  Series series;

  draw_series_of_one_column (&series, 5, 5);
  slices = draw_slices (&series);
  coded = code (&series, slices);
  paco_test_header (coded->pdata[0], &header);
  fail_unless_equals_int (header.video.slice.levels, 0);
  for (guint n = 0; n < coded->len; n++)
    if (n != lost)
      g_ptr_array_add (left,
          n == broken ? damaged (coded->pdata[n])
                      : gst_buffer_ref (coded->pdata[n]));
  pictures = decode (harness, left);
  fail_unless_equals_int (pictures->len, 4);
  fail_unless_equals_int (count_corrupted (pictures), 1);
  for (guint i = 0; i < pictures->len; i++) {
    guint n = number_at (pictures, i);

    fail_unless (is_corrupted (pictures, i)
            ? n == broken
            : is_slice (&series, pictures, i, slices, n));
  }
}

static void
replace (GPtrArray *coded, guint n, GstBuffer *buffer)
{
  gst_buffer_unref (coded->pdata[n]);
  coded->pdata[n] = buffer;
}

/* Tests that what upstream calls corrupted counts as damaged although no check tells. */
TEST (test_corrupted_upstream)
{
  g_autoptr (GPtrArray) slices = NULL, coded = NULL, pictures = NULL;
  g_autoptr (PacoHarness) harness = paco_test_decoder_harness ("pacodec");
  GstBuffer *corrupted;
  Series series;

  draw_series_of_same (&series, 4, 8);
  slices = draw_same_slices (&series);
  coded = code (&series, slices);
  corrupted = gst_buffer_copy (coded->pdata[6]);
  GST_BUFFER_FLAG_SET (corrupted, GST_BUFFER_FLAG_CORRUPTED);
  replace (coded, 6, corrupted);
  pictures = decode (harness, coded);
  fail_unless_equals_int (pictures->len, 8);
  for (guint i = 0; i < 8; i++)
    fail_unless_equals_int (is_corrupted (pictures, i), i >= 4);
}

static GPtrArray *
packets_of (GPtrArray *coded)
{
  g_autoptr (PacoHarness)
      harness = paco_test_decoder_harness ("rtppacopay mtu=300");

  for (guint n = 0; n < coded->len; n++)
    push (harness, gst_buffer_ref (coded->pdata[n]));
  return take_all (harness);
}

/* Tests lost packets of frames with checks of their blocks and without: what is
 * not called corrupted is as it was, and each frame is shown or told of. */
LOOP_TEST (test_packet_loss, 2)
{
  g_autoptr (GPtrArray) slices = NULL, coded = NULL, packets = NULL,
                        pictures = NULL;
  g_autoptr (PacoHarness)
      harness = paco_test_harness ("rtppacodepay ! pacodec max-errors=-1");
  gdouble share = g_random_double_range (0.0, 0.1);
  Series series;

  draw_series (&series, 60);
  series.lossless = TRUE;
  series.unchecked = __i__;
  slices = draw_slices (&series);
  coded = code (&series, slices);
  packets = packets_of (coded);
  gst_harness_set_src_caps_str (harness,
      "application/x-rtp, media=video, clock-rate=90000, "
      "encoding-name=X-PACO, payload=96");
  /* Nobody knows of what is lost at either end. */
  for (guint i = 0; i < packets->len; i++)
    if (i == 0 || i == packets->len - 1 || g_random_double () >= share)
      push (harness, gst_buffer_ref (packets->pdata[i]));
  gst_harness_push_event (harness, gst_event_new_eos ());
  pictures = take_all (harness);
  for (guint i = 0; i < pictures->len; i++)
    fail_unless (is_corrupted (pictures, i)
        || is_slice (&series, pictures, i, slices, number_at (pictures, i)));
  fail_unless_equals_uint64 (pictures->len
          + stat_of (harness, "rtppacodepay", "lost-frames")
          + paco_test_stat (harness, "lost-frames"),
      slices->len);
  ignore_errors (harness);
}

/* --- streams that lie --- */

/* Finds the chunk of a slice, in a frame that is mapped. */
static guint8 *
slice_chunk (const GstMapInfo *map, const PacoHeader *header)
{
  static const guint8 begin[] = { 1, 1, 10, 0 }; /* of chunk 257 */
  guint8 *chunk = memmem (map->data, header->header_size, begin, sizeof begin);

  fail_unless (chunk != NULL);
  return chunk + sizeof begin;
}

/* Puts another number, length, position, wavelet, depth or the like into a frame
 * whose header is sound otherwise. */
static GstBuffer *
lying (GstBuffer *buffer)
{
  GstBuffer *copy = gst_buffer_copy_deep (buffer);
  PacoHeader header;
  GstMapInfo map;
  guint8 *chunk;

  paco_test_header (buffer, &header);
  gst_buffer_map (copy, &map, GST_MAP_WRITE);
  chunk = slice_chunk (&map, &header);
  switch (draw (0, 4)) {
    case 0:
      chunk[draw (4, 9)] = (guint8) draw (0, 20);
      break;
    case 1:
      chunk[5] = (guint8) draw (0, header.video.slice.length - 1);
      break;
    case 2:
      chunk[4] = (guint8) draw (header.video.slice.position + 1, 64);
      break;
    case 3:
      chunk[8] = (guint8) (24 - chunk[8]);
      break;
    default:
      chunk[draw (0, 9)] ^= (guint8) (1u << draw (0, 7));
  }
  fail_unless (paco_header_set_place (map.data, map.size, &header.video.place));
  gst_buffer_unmap (copy, &map);
  return copy;
}

/* Draws frames of two series, that differ in what a series can differ in, with
 * the slices' chunks changed, frames left out, twice and elsewhere. */
static GPtrArray *
draw_liars (void)
{
  GPtrArray *frames = new_buffers ();

  for (guint i = 0; i < 2; i++) {
    g_autoptr (GPtrArray) slices = NULL, coded = NULL;
    Series series;

    draw_series (&series, 40);
    if (draw (0, 3) == 0)
      series.length = 1;
    slices = draw_slices (&series);
    coded = code (&series, slices);
    for (guint n = 0; n < coded->len; n++) {
      GstBuffer *buffer = g_ptr_array_index (coded, n);
      guint what = draw (0, 9);

      if (what == 0)
        continue;
      g_ptr_array_insert (frames, what == 1 ? (gint) draw (0, frames->len) : -1,
          what <= 3 && series.length > 1 ? lying (buffer)
                                         : gst_buffer_ref (buffer));
      if (what == 4)
        g_ptr_array_add (frames, gst_buffer_ref (buffer));
    }
  }
  return frames;
}

/* Tests that whatever comes, each frame becomes a picture or is told of as
 * lost. */
TEST (test_liars)
{
  for (guint c = 0; c < n_cases (12); c++) {
    g_autoptr (GPtrArray) frames = draw_liars (), pictures = NULL;
    g_autoptr (PacoHarness) harness = paco_test_decoder_harness (
        "pacodec backend=cpu threads=2 max-errors=-1");

    for (guint n = 0; n < frames->len; n++)
      push (harness, gst_buffer_ref (frames->pdata[n]));
    if (frames->len > 0)
      gst_harness_push_event (harness, gst_event_new_eos ());
    pictures = take_all (harness);
    fail_unless_equals_uint64 (
        pictures->len + paco_test_stat (harness, "lost-frames"), frames->len);
    ignore_errors (harness);
  }
}

/* Tests stacks that are alike but for the depth of their pictures, and so have
 * different sizes. */
TEST (test_other_depth)
{
  g_autoptr (GPtrArray) slices = NULL, coded = NULL, pictures = NULL;
  g_autoptr (PacoHarness) harness = paco_test_decoder_harness ("pacodec");
  GstVideoInfo info[2];
  Series series;

  draw_series_of_same (&series, 3, 9);
  series.lossless = FALSE;
  slices = draw_same_slices (&series);
  coded = code (&series, slices);
  for (guint n = 3; n < 6; n++) {
    GstBuffer *copy = gst_buffer_copy_deep (coded->pdata[n]);
    PacoHeader header;
    GstMapInfo map;

    paco_test_header (copy, &header);
    gst_buffer_map (copy, &map, GST_MAP_WRITE);
    slice_chunk (&map, &header)[8] = is_wide (&series) ? 8 : 16;
    paco_header_set_place (map.data, map.size, &header.video.place);
    gst_buffer_unmap (copy, &map);
    replace (coded, n, copy);
  }
  info[0] = series.info;
  paco_test_info (&info[1],
      is_wide (&series) ? GST_VIDEO_FORMAT_GRAY8 : GST_VIDEO_FORMAT_GRAY16_LE,
      series.info.width, series.info.height);
  pictures = decode (harness, coded);
  fail_unless_equals_int (pictures->len, 9);
  for (guint n = 0; n < 9; n++)
    fail_unless_equals_int (gst_buffer_get_size (pictures->pdata[n]),
        GST_VIDEO_INFO_SIZE (&info[n / 3 % 2]));
}

/* --- streams that are late, of another segment, or of key units --- */

static GstBuffer *
at (GPtrArray *coded, guint n, guint64 time)
{
  GstBuffer *buffer = gst_buffer_copy (coded->pdata[n]);

  GST_BUFFER_PTS (buffer) = time * DURATION;
  GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  return buffer;
}

/* Tests that a stack is left out as a whole, if all of it is late, or not at
 * all; also the first one after other frames. */
LOOP_TEST (test_late, 2)
{
  /* The first stack is late, the second one in a part, the third one is
   * not. */
  static const guint64 times[] = { 1, 2, 3, 4, 5, 1000, 1001, 1002, 1003 };
  const gboolean qos = __i__;
  g_autoptr (GPtrArray) slices = NULL, coded = NULL, singles = NULL,
                        pictures = NULL;
  g_autoptr (PacoHarness)
      harness = paco_test_decoder_harness ("pacodec qos=%d", qos);
  Series series;

  draw_small (&series, 3, 9);
  slices = draw_slices (&series);
  coded = code (&series, slices);
  series.length = 1;
  singles = code (&series, slices);
  push (harness, at (singles, 0, 0));
  pull_and_drop (harness);
  push_qos (harness);
  for (guint n = 0; n < 9; n++)
    push (harness, at (coded, n, times[n]));
  gst_harness_push_event (harness, gst_event_new_eos ());
  pictures = take_all (harness);
  /* The base class leaves out decoded pictures that are late. */
  fail_unless_equals_int (pictures->len, qos ? 4 : 9);
  fail_unless_equals_int (count_corrupted (pictures), 0);
  for (guint i = 0; i < pictures->len; i++)
    fail_unless (is_slice (&series, pictures, i, slices, i + (qos ? 5 : 0)));
  expect_warning (harness, NULL);
}

/* Tests that a key unit that is asked for, for a picture that comes too late,
 * is the next one. */
TEST (test_late_key_unit)
{
  static const guint64 times[] = { 0, 1, 2, 1000, 1001 };
  g_autoptr (PacoHarness) harness = NULL;
  g_autoptr (GPtrArray) coded = NULL;
  Series series;

  draw_small (&series, 4, 5);
  harness = encoder (&series);
  gst_harness_set (harness, "pacoenc", "qos", TRUE, NULL);
  for (guint n = 0; n < 5; n++) {
    GstBuffer *buffer = draw_slice (&series, n);

    GST_BUFFER_PTS (buffer) = times[n] * DURATION;
    if (n == 2) {
      push_qos (harness);
      gst_harness_push_event (harness,
          gst_video_event_new_downstream_force_key_unit (
              2 * DURATION, 2 * DURATION, 2 * DURATION, TRUE, 1));
    }
    push (harness, buffer);
  }
  gst_harness_push_event (harness, gst_event_new_eos ());
  coded = take_all (harness);
  fail_unless_equals_int (coded->len, 4);
  for (guint i = 0; i < coded->len; i++) {
    PacoHeader header;

    paco_test_header (coded->pdata[i], &header);
    fail_unless_equals_int (header.video.slice.length, 2);
    fail_unless_equals_int (header.video.slice.position, i % 2);
  }
}

/* Tests that a stack that ends early is of the segment that it came in. */
TEST (test_segments)
{
  g_autoptr (GPtrArray) slices = NULL, coded = NULL, pictures = NULL;
  g_autoptr (PacoHarness) harness = paco_test_decoder_harness ("pacodec");
  GstSegment segment;
  Series series;

  draw_series_of_same (&series, 4, 8);
  slices = draw_same_slices (&series);
  coded = code (&series, slices);
  for (guint n = 0; n < 3; n++)
    push (harness, at (coded, n, n));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = 1000 * DURATION;
  segment.base = 3 * DURATION;
  gst_harness_push_event (harness, gst_event_new_segment (&segment));
  for (guint n = 4; n < 8; n++)
    push (harness, at (coded, n, 1000 + n));
  gst_harness_push_event (harness, gst_event_new_eos ());
  pictures = take_all (harness);
  fail_unless_equals_int (pictures->len, 7);
  for (guint i = 0; i < 7; i++) {
    fail_unless_equals_int (is_corrupted (pictures, i), i < 3);
    fail_unless (i < 3 || is_slice (&series, pictures, i, slices, i + 1));
  }
}

/* Tests streams of which only key units are asked for: a stack whose frames
 * come all the same is shown, also without a wavelet what comes of it; the key
 * unit of a stack alone is left out, which is no damage and told once. */
LOOP_TEST (test_key_units, 8)
{
  gboolean all = __i__ & 1, wavelet = __i__ & 2, reverse = __i__ & 4;
  g_autoptr (GPtrArray) slices = NULL, coded = NULL, pictures = NULL;
  g_autoptr (PacoHarness) harness = paco_test_decoder_harness ("pacodec");
  guint expected = all ? 12 : wavelet ? 0 : 3;
  GstSegment segment;
  Series series;

  (wavelet ? draw_series_of_same : draw_series_of_one_column) (&series, 4, 12);
  slices = wavelet ? draw_same_slices (&series) : draw_slices (&series);
  coded = code (&series, slices);
  /* The base class calls it an error if it never sees a picture. */
  for (guint n = 0; n < 4; n++)
    gst_harness_push (harness, at (coded, n, n));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.flags = GST_SEGMENT_FLAG_TRICKMODE
      | GST_SEGMENT_FLAG_TRICKMODE_KEY_UNITS;
  segment.rate = reverse ? -1.0 : 1.0;
  segment.stop = 1000 * DURATION;
  gst_harness_push_event (harness, gst_event_new_segment (&segment));
  for (guint i = 0; i < 12; i += all ? 1 : 4) {
    guint n = reverse ? 4 * (2 - i / 4) + i % 4 : i;
    GstBuffer *buffer = at (coded, n, n);

    if (i % 4 == 0)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    gst_harness_push (harness, buffer);
  }
  gst_harness_push_event (harness, gst_event_new_eos ());
  pictures = take_all (harness);
  fail_unless_equals_int (pictures->len, 4 + expected);
  fail_unless_equals_int (count_corrupted (pictures), 0);
  for (guint i = 4; i < pictures->len; i++)
    fail_unless (
        is_slice (&series, pictures, i, slices, number_at (pictures, i)));
  fail_unless_equals_uint64 (paco_test_stat (harness, "lost-frames"), 0);
  fail_unless_equals_uint64 (paco_test_stat (harness, "damaged-frames"), 0);
  expect_warning (harness, expected == 0 ? "key units" : NULL);
  expect_warning (harness, NULL);
}

TEST_MAIN ("stackdamage")
