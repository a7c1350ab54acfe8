/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests streams in which slices of stacks are missing, damaged, of another
 * recording, or lie. Nothing is shown as if it were sound, and nothing is lost
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
GST_START_TEST (test_damage)
{
  for (guint c = 0; c < n_cases (12); c++) {
    gboolean hit[64] = { FALSE };
    g_autoptr (GPtrArray) slices = NULL, coded = NULL, left = new_buffers (),
                          pictures = NULL;
    guint n_hits = 0, n_shown = 0;
    Series series;
    GstBus *bus;

    draw_series (&series, 60);
    series.lossless = TRUE;
    series.n_frames = draw (12, 40);
    slices = draw_slices (&series);
    coded = code (&series, slices);
    for (guint n = 0; n < coded->len; n++) {
      GstBuffer *buffer = g_ptr_array_index (coded, n);
      guint what = draw (0, 15);

      if (what == 0) {
        hit[n / series.length] = TRUE;
      } else if (what == 1) {
        hit[n / series.length] = TRUE;
        g_ptr_array_add (left, damaged (buffer));
      } else {
        g_ptr_array_add (left, gst_buffer_ref (buffer));
      }
      n_hits += what <= 1;
    }
    pictures = decode (left, "pacodec conceal=true", &bus);
    for (guint i = 0; i < pictures->len; i++) {
      GstBuffer *picture = g_ptr_array_index (pictures, i);
      guint n = GST_BUFFER_PTS (picture) / DURATION;

      if (!GST_BUFFER_FLAG_IS_SET (picture, GST_BUFFER_FLAG_CORRUPTED))
        fail_unless (same_samples (
            &series.info, g_ptr_array_index (slices, n), picture));
      if (hit[n / series.length])
        continue;
      fail_if (GST_BUFFER_FLAG_IS_SET (picture, GST_BUFFER_FLAG_CORRUPTED));
      n_shown++;
    }
    for (guint n = 0; n < slices->len; n++)
      n_shown -= !hit[n / series.length];
    fail_unless_equals_int (n_shown, 0);
    /* A stack that is lost to its end, or as a whole, is nobody's business
     * here: pacoparse counts frames. */
    if (left->len > 0 && n_hits > 0 && pictures->len < left->len) {
      GstMessage *message = gst_bus_pop_filtered (
          bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR);

      fail_unless (message != NULL);
      gst_message_unref (message);
    }
    free_bus (bus);
  }
}
GST_END_TEST;

/* Tests that without a wavelet along the stack what is lost of it is no
 * business of the others. */
GST_START_TEST (test_no_wavelet)
{
  g_autoptr (GPtrArray) slices = NULL, coded = NULL, left = new_buffers (),
                        pictures = NULL;
  guint lost = draw (1, 2), broken = draw (3, 4);
  PacoHeader header;
  Series series;
  GstBus *bus;

  draw_series_of_one_column (&series, 5, 5);
  slices = draw_slices (&series);
  coded = code (&series, slices);
  paco_test_header (g_ptr_array_index (coded, 0), &header);
  fail_unless_equals_int (header.video.slice.levels, 0);
  for (guint n = 0; n < coded->len; n++) {
    GstBuffer *buffer = g_ptr_array_index (coded, n);

    if (n != lost)
      g_ptr_array_add (
          left, n == broken ? damaged (buffer) : gst_buffer_ref (buffer));
  }
  pictures = decode (left, "pacodec", &bus);
  fail_unless_equals_int (pictures->len, 4);
  fail_unless_equals_int (count_corrupted (pictures), 1);
  for (guint i = 0; i < pictures->len; i++) {
    GstBuffer *picture = g_ptr_array_index (pictures, i);
    guint n = GST_BUFFER_PTS (picture) / DURATION;

    fail_unless (GST_BUFFER_FLAG_IS_SET (picture, GST_BUFFER_FLAG_CORRUPTED)
            ? n == broken
            : same_samples (
                &series.info, g_ptr_array_index (slices, n), picture));
  }
  free_bus (bus);
}
GST_END_TEST;

/* Tests that what upstream calls corrupted counts as damaged although no check tells. */
GST_START_TEST (test_corrupted_upstream)
{
  g_autoptr (GPtrArray) slices = NULL, coded = NULL, pictures = NULL;
  GstBuffer *corrupted;
  Series series;
  GstBus *bus;

  draw_series_of_same (&series, 4, 8);
  slices = draw_same_slices (&series);
  coded = code (&series, slices);
  corrupted = gst_buffer_copy (g_ptr_array_index (coded, 6));
  GST_BUFFER_FLAG_SET (corrupted, GST_BUFFER_FLAG_CORRUPTED);
  gst_buffer_unref (g_ptr_array_index (coded, 6));
  g_ptr_array_index (coded, 6) = corrupted;
  pictures = decode (coded, "pacodec", &bus);
  fail_unless_equals_int (pictures->len, 8);
  fail_unless_equals_int (count_corrupted (pictures), 4);
  for (guint i = 0; i < 4; i++)
    fail_if (GST_BUFFER_FLAG_IS_SET (
        g_ptr_array_index (pictures, i), GST_BUFFER_FLAG_CORRUPTED));
  free_bus (bus);
}
GST_END_TEST;

static GPtrArray *
packets_of (GPtrArray *coded)
{
  GPtrArray *packets = new_buffers ();
  GstHarness *harness = gst_harness_new_parse ("rtppacopay mtu=300");

  gst_harness_set_src_caps_str (harness, PACO_TEST_CODED_CAPS);
  for (guint n = 0; n < coded->len; n++)
    gst_harness_push (harness, gst_buffer_ref (g_ptr_array_index (coded, n)));
  take_all (harness, packets);
  gst_harness_teardown (harness);
  return packets;
}

/* Tests lost packets of frames with checks of their blocks and without: what is
 * not called corrupted is as it was, and each frame is shown or told of. */
GST_START_TEST (test_packet_loss)
{
  g_autoptr (GPtrArray) slices = NULL, coded = NULL, packets = NULL,
                        pictures = new_buffers ();
  gdouble share = g_random_double_range (0.0, 0.1);
  GstHarness *harness;
  Series series;
  GstBus *bus;

  draw_series (&series, 60);
  series.lossless = TRUE;
  series.unchecked = __i__;
  slices = draw_slices (&series);
  coded = code (&series, slices);
  packets = packets_of (coded);
  harness = paco_test_harness ("rtppacodepay ! pacodec max-errors=-1", &bus);
  gst_harness_set_src_caps_str (harness,
      "application/x-rtp, media=video, clock-rate=90000, "
      "encoding-name=X-PACO, payload=96");
  /* Nobody knows of what is lost at either end. */
  for (guint i = 0; i < packets->len; i++)
    if (i == 0 || i == packets->len - 1 || g_random_double () >= share)
      fail_unless_equals_int (
          gst_harness_push (
              harness, gst_buffer_ref (g_ptr_array_index (packets, i))),
          GST_FLOW_OK);
  gst_harness_push_event (harness, gst_event_new_eos ());
  take_all (harness, pictures);
  for (guint i = 0; i < pictures->len; i++) {
    GstBuffer *picture = g_ptr_array_index (pictures, i);
    guint n = (GST_BUFFER_PTS (picture) + DURATION / 2) / DURATION;

    fail_unless (GST_BUFFER_FLAG_IS_SET (picture, GST_BUFFER_FLAG_CORRUPTED)
        || same_samples (&series.info, g_ptr_array_index (slices, n), picture));
  }
  fail_unless_equals_uint64 (pictures->len
          + paco_test_stat_of (harness, "rtppacodepay", "lost-frames")
          + paco_test_stat (harness, "lost-frames"),
      slices->len);
  paco_test_teardown_failed (harness, bus);
}
GST_END_TEST;

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
GST_START_TEST (test_liars)
{
  for (guint c = 0; c < n_cases (12); c++) {
    g_autoptr (GPtrArray) frames = draw_liars (), pictures = new_buffers ();
    GstBus *bus;
    GstHarness *harness = paco_test_decoder_harness (
        "pacodec backend=cpu threads=2 max-errors=-1", &bus);

    for (guint n = 0; n < frames->len; n++)
      fail_unless_equals_int (
          gst_harness_push (
              harness, gst_buffer_ref (g_ptr_array_index (frames, n))),
          GST_FLOW_OK);
    if (frames->len > 0)
      gst_harness_push_event (harness, gst_event_new_eos ());
    take_all (harness, pictures);
    fail_unless_equals_uint64 (
        pictures->len + paco_test_stat (harness, "lost-frames"), frames->len);
    paco_test_teardown_failed (harness, bus);
  }
}
GST_END_TEST;

/* Tests stacks that are alike but for the depth of their pictures, and so have
 * different sizes. */
GST_START_TEST (test_other_depth)
{
  g_autoptr (GPtrArray) slices = NULL, coded = NULL, pictures = NULL;
  GstVideoInfo info[2];
  Series series;
  GstBus *bus;

  draw_series_of_same (&series, 3, 9);
  series.lossless = FALSE;
  slices = draw_same_slices (&series);
  coded = code (&series, slices);
  for (guint n = 3; n < 6; n++) {
    GstBuffer *copy = gst_buffer_copy_deep (g_ptr_array_index (coded, n));
    PacoHeader header;
    GstMapInfo map;

    paco_test_header (copy, &header);
    gst_buffer_map (copy, &map, GST_MAP_WRITE);
    slice_chunk (&map, &header)[8] = is_wide (&series) ? 8 : 16;
    paco_header_set_place (map.data, map.size, &header.video.place);
    gst_buffer_unmap (copy, &map);
    gst_buffer_unref (g_ptr_array_index (coded, n));
    g_ptr_array_index (coded, n) = copy;
  }
  info[0] = series.info;
  paco_test_info (&info[1],
      is_wide (&series) ? GST_VIDEO_FORMAT_GRAY8 : GST_VIDEO_FORMAT_GRAY16_LE,
      series.info.width, series.info.height);
  pictures = decode (coded, "pacodec", &bus);
  fail_unless_equals_int (pictures->len, 9);
  for (guint n = 0; n < 9; n++)
    fail_unless_equals_int (
        gst_buffer_get_size (g_ptr_array_index (pictures, n)),
        GST_VIDEO_INFO_SIZE (&info[n / 3 % 2]));
  free_bus (bus);
}
GST_END_TEST;

static Suite *
stackdamage_suite (void)
{
  Suite *suite = suite_create ("stackdamage");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_set_timeout (chain, 120);
  tcase_add_test (chain, test_damage);
  tcase_add_test (chain, test_no_wavelet);
  tcase_add_test (chain, test_corrupted_upstream);
  tcase_add_loop_test (chain, test_packet_loss, 0, 2);
  tcase_add_test (chain, test_liars);
  tcase_add_test (chain, test_other_depth);
  return suite;
}

GST_CHECK_MAIN (stackdamage);
