/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests rtppacopay and rtppacodepay: what is in the packets, and what becomes of
 * them if they come in any order, twice, or not at all. Seeds are drawn again each
 * time; a test that fails prints its seed, for GLib's G_RANDOM_SEED. */
#include "rtppackets.h"

#define CAPS(format, width, height)                                            \
  "format=" format ", width=" G_STRINGIFY (width) ", height=" G_STRINGIFY (    \
      height) ", framerate=25/1"
#define SMALL CAPS ("I422_10LE", 200, 120)
#define LARGE CAPS ("I422_10LE", 640, 360)

static void
swap (GPtrArray *array, guint i, guint k)
{
  gpointer swapped = array->pdata[k];

  array->pdata[k] = array->pdata[i];
  array->pdata[i] = swapped;
}

static void
shuffle (GPtrArray *array, guint begin, guint end)
{
  for (guint i = end; i > begin + 1; i--) {
    swap (array, g_random_int_range (begin, i), i - 1);
  }
}

/* --- the payloader ----------------------------------------------------- */

/* Says whether offset is where a codeblock begins or the last one ends. */
static gboolean
is_block_bound (const GstPacoRtpBlocks *blocks, guint32 offset)
{
  guint32 payload = gst_paco_rtp_blocks_payload (blocks);

  if (offset == blocks->header.frame_size)
    return TRUE;
  for (guint32 i = 0; i < blocks->geometry->n_blocks; i++)
    if (payload + blocks->records[i].offset == offset)
      return TRUE;
  return FALSE;
}

/* Says whether a block that is larger than room begins at, or covers, offset. */
static gboolean
is_in_long_block (const GstPacoRtpBlocks *blocks, guint32 offset, guint32 room)
{
  guint32 payload = gst_paco_rtp_blocks_payload (blocks);

  for (guint32 i = 0; i < blocks->geometry->n_blocks; i++) {
    guint32 begin = payload + blocks->records[i].offset;

    if (begin <= offset && offset < begin + blocks->records[i].length)
      return blocks->records[i].length > room;
  }
  return FALSE;
}

/* Checks the packets of one frame: they are its bytes in order and aligned to
 * blocks, then parity, with the marker on the last. */
static void
check_packets (GPtrArray *packets, guint begin, guint end, GstBuffer *frame,
    guint mtu, guint parity)
{
  GstPacoRtpBlocks blocks = { { { 0 } } };
  guint32 at = 0, protected = 0, room = mtu - 12 - GST_PACO_RTP_DATA_HEADER;
  GError *error = NULL;
  GstMapInfo map;

  fail_unless (gst_buffer_map (frame, &map, GST_MAP_READ));
  fail_unless (
      gst_paco_rtp_blocks_read (&blocks, map.data, map.size, map.size, &error));
  for (guint i = begin; i < end; i++) {
    GstPacoRtpHeader header;
    const guint8 *body;
    GstRTPBuffer rtp;
    gsize size;

    rtp_test_read (packets->pdata[i], &rtp, &header, &body, &size);
    if (header.kind == GST_PACO_RTP_PARITY)
    protected = header.protected_size;
    gst_rtp_buffer_unmap (&rtp);
  }
  fail_unless_equals_int (protected > 0, parity > 0);
  if (parity > 0)
    fail_unless (protected >= gst_paco_rtp_blocks_payload (&blocks));

  for (guint i = begin; i < end; i++) {
    GstPacoRtpHeader header;
    const guint8 *body;
    GstRTPBuffer rtp;
    gsize size;

    fail_unless (gst_buffer_get_size (packets->pdata[i]) <= mtu);
    rtp_test_read (packets->pdata[i], &rtp, &header, &body, &size);
    fail_unless_equals_int (gst_rtp_buffer_get_marker (&rtp), i + 1 == end);
    fail_unless_equals_uint64 (header.frame_size, map.size);
    if (header.kind == GST_PACO_RTP_DATA) {
      fail_unless_equals_uint64 (header.offset, at);
      fail_unless (memcmp (body, map.data + at, size) == 0);
      at += size;
      if (parity > 0 && at > protected)
        fail_unless (is_block_bound (&blocks, at)
                || is_in_long_block (&blocks, at, room),
            "a packet ends within a block, at %u", at);
    } else {
      fail_unless_equals_uint64 (at, map.size);
      fail_unless (size <= mtu - 12 - GST_PACO_RTP_PARITY_HEADER);
    }
    gst_rtp_buffer_unmap (&rtp);
  }
  fail_unless_equals_uint64 (at, map.size);
  gst_buffer_unmap (frame, &map);
  gst_paco_rtp_blocks_clear (&blocks);
}

TEST (test_packets)
{
  static const char *const formats[] = { SMALL, LARGE, CAPS ("GRAY8", 1, 1),
    CAPS ("GBR_12LE", 333, 77), CAPS ("AYUV64", 65, 130) };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    for (guint lossless = 0; lossless < 2; lossless++) {
      g_autoptr (GPtrArray) frames = rtp_test_frames (
          lossless ? "pacoenc rate-control=lossless" : "pacoenc", formats[i],
          3);
      guint mtu = g_random_int_range (100, 2000);
      guint parity = g_random_int_range (0, 101);
      g_autoptr (GPtrArray) packets = rtp_test_packets (frames, mtu, parity);
      g_autoptr (PacoHarness) harness = rtp_test_depayloader ("rtppacodepay");
      guint begin = 0;

      for (guint f = 0; f < frames->len; f++) {
        guint end = rtp_test_end_of_frame (packets, begin);

        check_packets (packets, begin, end, frames->pdata[f], mtu, parity);
        for (guint k = begin; k < end; k++)
          rtp_test_push (harness, packets->pdata[k]);
        rtp_test_expect_frame (harness, frames->pdata[f], f);
        begin = end;
      }
      fail_unless_equals_uint64 (begin, packets->len);
      fail_unless_equals_uint64 (
          rtp_test_stat (harness, "frames"), frames->len);
    }
}

/* Tests that packets refer to the memory of the frame. */
TEST (test_no_copy)
{
  g_autoptr (GPtrArray) frames = rtp_test_frames ("pacoenc", LARGE, 1);
  g_autoptr (GPtrArray) packets = rtp_test_packets (frames, 1400, 20);
  GstMapInfo frame, body;
  gsize at = 0;

  fail_unless (gst_buffer_map (frames->pdata[0], &frame, GST_MAP_READ));
  for (guint i = 0; i < packets->len && at < frame.size; i++) {
    /* Headers of RTP and of the payload come before. */
    GstMemory *memory = gst_buffer_peek_memory (packets->pdata[i], 2);

    fail_unless_equals_int (gst_buffer_n_memory (packets->pdata[i]), 3);
    fail_unless (gst_memory_map (memory, &body, GST_MAP_READ));
    fail_unless (body.data == frame.data + at);
    at += body.size;
    gst_memory_unmap (memory, &body);
  }
  fail_unless_equals_uint64 (at, frame.size);
  gst_buffer_unmap (frames->pdata[0], &frame);
}

static GstFlowReturn
count_lists (GstPad *pad, GstObject *parent, GstBufferList *list)
{
  (*(guint *) pad->chainlistdata)++;
  gst_buffer_list_unref (list);
  return GST_FLOW_OK;
}

/* Tests that a frame is two pushes, not hundreds. */
TEST (test_lists)
{
  g_autoptr (GPtrArray) frames = rtp_test_frames ("pacoenc", LARGE, 2);
  g_autoptr (PacoHarness) harness = gst_harness_new ("rtppacopay");
  guint n = 0;

  gst_pad_set_chain_list_function_full (
      harness->sinkpad, count_lists, &n, NULL);
  gst_harness_set_src_caps_str (harness, PACO_TEST_CODED_CAPS);
  for (guint i = 0; i < frames->len; i++)
    gst_harness_push (harness, gst_buffer_ref (frames->pdata[i]));
  fail_unless_equals_int (n, 2 * frames->len);
  fail_unless_equals_int (gst_harness_buffers_received (harness), 0);
}

/* Tests that what is no frame is left out with a warning, and the next frame is sent. */
TEST (test_refused_frames)
{
  g_autoptr (GPtrArray) frames = rtp_test_frames ("pacoenc", SMALL, 1);
  GstBuffer *frame = frames->pdata[0], *bad;
  g_autoptr (PacoHarness) harness = paco_test_harness ("rtppacopay");
  PacoHeader header;

  paco_test_header (frame, &header);
  gst_harness_set_src_caps_str (harness, PACO_TEST_CODED_CAPS);
  for (guint i = 0; i < 3; i++) {
    bad = gst_buffer_copy_deep (frame);
    if (i == 0)
      gst_buffer_memset (bad, 0, 0, 4);
    else if (i == 1)
      gst_buffer_resize (bad, 0, gst_buffer_get_size (bad) - 1);
    else
      gst_buffer_memset (
          bad, header.header_size, g_random_int (), header.index_size);
    push (harness, bad);
    fail_unless_equals_int (gst_harness_buffers_received (harness), 0);
  }
  expect_warning (harness, "");
  expect_warning (harness, NULL);
  gst_harness_push (harness, gst_buffer_ref (frame));
  fail_unless (gst_harness_buffers_received (harness) > 0);

  gst_harness_set (harness, "rtppacopay", "mtu", 40, NULL);
  fail_unless_equals_int (
      gst_harness_push (harness, gst_buffer_ref (frame)), GST_FLOW_ERROR);
  expect_error (harness, 0, 0, "");
}

/* --- any order --------------------------------------------------------- */

TEST (test_order)
{
  for (guint round = 0; round < 6; round++) {
    g_autoptr (GPtrArray) frames = rtp_test_frames ("pacoenc", LARGE, 4);
    g_autoptr (GPtrArray) packets = rtp_test_packets (
        frames, g_random_int_range (200, 1500), round % 2 ? 0 : 20);
    g_autoptr (PacoHarness) harness = rtp_test_depayloader ("rtppacodepay");
    guint64 twice = 0;
    guint begin = 0;

    for (guint f = 0; f < frames->len; f++) {
      guint end = rtp_test_end_of_frame (packets, begin);

      guint data = MIN (rtp_test_end_of_data (packets, begin), end);

      /* Data comes in any order, parity in any order, and where they meet, some
       * of both change places. The marker says that a frame is at its end. */
      shuffle (packets, begin, MIN (data, end - 1));
      if (data + 2 < end) {
        swap (packets, data - 1, data + 1);
        swap (packets, data - 2, data);
        shuffle (packets, data + 2, end - 1);
      }
      for (guint i = begin; i < end; i++) {
        rtp_test_push (harness, packets->pdata[i]);
        if (g_random_int_range (0, 4) == 0) {
          rtp_test_push (harness, packets->pdata[i]);
          twice++;
        }
      }
      rtp_test_expect_frame (harness, frames->pdata[f], f);
      begin = end;
    }
    fail_unless_equals_uint64 (rtp_test_stat (harness, "packets")
            + rtp_test_stat (harness, "duplicate-packets")
            + rtp_test_stat (harness, "late-packets"),
        packets->len + twice);
    fail_unless_equals_uint64 (rtp_test_stat (harness, "damaged-frames"), 0);
  }
}

/* Tests frames whose packets come mixed with the next one's. */
TEST (test_mixed_frames)
{
  g_autoptr (GPtrArray) frames = rtp_test_frames ("pacoenc", SMALL, 8);
  g_autoptr (GPtrArray) packets = rtp_test_packets (frames, 300, 0);
  g_autoptr (PacoHarness) harness = rtp_test_depayloader ("rtppacodepay");
  guint begin = 0;

  for (guint f = 0; f < frames->len; f += 2) {
    guint middle = rtp_test_end_of_frame (packets, begin);
    guint end = rtp_test_end_of_frame (packets, middle);
    guint i = begin, k = middle;

    while (i < middle - 1 || k < end - 1) {
      gboolean next_is_first = k == end - 1
          || (i < middle - 1 && g_random_boolean ());

      rtp_test_push (harness, packets->pdata[next_is_first ? i++ : k++]);
    }
    rtp_test_push (harness, packets->pdata[middle - 1]);
    rtp_test_expect_frame (harness, frames->pdata[f], f);
    rtp_test_push (harness, packets->pdata[end - 1]);
    rtp_test_expect_frame (harness, frames->pdata[f + 1], f + 1);
    begin = end;
  }
}

/* Tests that numbers of frames begin again behind 65535, and may begin
 * anywhere. */
TEST (test_numbers)
{
  g_autoptr (GPtrArray) frames = rtp_test_frames ("pacoenc", SMALL, 6);
  g_autoptr (GPtrArray) packets = rtp_test_packets (frames, 1400, 20);
  g_autoptr (PacoHarness) harness = rtp_test_depayloader ("rtppacodepay");
  guint16 number = 65536 - g_random_int_range (0, 7);

  for (guint round = 0; round < 2; round++) {
    for (guint i = 0, f = 0; i < packets->len; i++) {
      GstPacoRtpHeader header;
      const guint8 *body;
      GstRTPBuffer rtp;
      GstBuffer *packet, *original = packets->pdata[i];
      gsize size;

      rtp_test_read (original, &rtp, &header, &body, &size);
      header.frame += number;
      packet = rtp_test_new_packet (&header, body, size,
          gst_rtp_buffer_get_seq (&rtp), gst_rtp_buffer_get_ssrc (&rtp),
          gst_rtp_buffer_get_marker (&rtp));
      GST_BUFFER_PTS (packet) = GST_BUFFER_PTS (original);
      if (gst_rtp_buffer_get_marker (&rtp))
        f++;
      gst_rtp_buffer_unmap (&rtp);
      gst_harness_push (harness, packet);
    }
    for (guint f = 0; f < frames->len; f++)
      rtp_test_expect_frame (harness, frames->pdata[f], f);
    fail_unless_equals_uint64 (rtp_test_stat (harness, "lost-frames"), 0);
    /* A sender begins again. */
    number = g_random_int_range (1000, 60000);
  }
}

/* --- life -------------------------------------------------------------- */

TEST (test_flush_and_eos)
{
  g_autoptr (GPtrArray) frames = rtp_test_frames ("pacoenc", LARGE, 2);
  g_autoptr (GPtrArray) packets = rtp_test_packets (frames, 1400, 20);
  g_autoptr (PacoHarness) harness = rtp_test_depayloader ("rtppacodepay");
  guint middle = rtp_test_end_of_frame (packets, 0);
  g_autoptr (GstBuffer) out = NULL;

  for (guint i = 0; i < middle / 2; i++)
    rtp_test_push (harness, packets->pdata[i]);
  flush (harness, GST_FORMAT_TIME);
  for (guint i = middle / 2; i < middle; i++)
    rtp_test_push (harness, packets->pdata[i]);
  fail_unless (gst_harness_try_pull (harness) == NULL);
  fail_unless_equals_uint64 (rtp_test_stat (harness, "lost-frames"), 1);

  /* What is there at the end comes before the end. */
  for (guint i = middle; i < middle + (packets->len - middle) / 2; i++)
    rtp_test_push (harness, packets->pdata[i]);
  fail_unless (gst_harness_try_pull (harness) == NULL);
  gst_harness_push_event (harness, gst_event_new_eos ());
  out = gst_harness_try_pull (harness);
  fail_unless (out != NULL);
  fail_unless (GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_CORRUPTED));
}

/* Tests going up and down, each time with another sender and a frame that is
 * not whole. */
TEST (test_states)
{
  g_autoptr (GPtrArray) frames = rtp_test_frames ("pacoenc", SMALL, 3);
  g_autoptr (GstElement)
      depayloader = gst_element_factory_make ("rtppacodepay", NULL);
  g_autoptr (PacoHarness)
      harness = gst_harness_new_with_element (depayloader, "sink", "src");

  for (guint round = 0; round < 4; round++) {
    g_autoptr (GPtrArray) packets = rtp_test_packets (frames, 300, 30);
    guint last = rtp_test_end_of_frame (
        packets, rtp_test_end_of_frame (packets, 0));

    gst_harness_play (harness);
    gst_harness_set_src_caps_str (harness, RTP_TEST_CAPS);
    for (guint i = 0; i <= last; i++)
      rtp_test_push (harness, packets->pdata[i]);
    rtp_test_expect_frame (harness, frames->pdata[0], 0);
    rtp_test_expect_frame (harness, frames->pdata[1], 1);
    fail_unless_equals_uint64 (rtp_test_stat (harness, "frames"), 2);
    gst_element_set_state (depayloader, GST_STATE_READY);
    if (round % 2)
      gst_element_set_state (depayloader, GST_STATE_NULL);
    gst_element_set_state (depayloader, GST_STATE_PLAYING);
    fail_unless_equals_uint64 (rtp_test_stat (harness, "frames"), 0);
  }
}

/* Tests that another sender takes over in the middle of a frame, with another
 * video. */
TEST (test_sender_changes)
{
  g_autoptr (GPtrArray) ours = rtp_test_frames ("pacoenc", SMALL, 2);
  g_autoptr (GPtrArray)
      theirs = rtp_test_frames ("pacoenc", CAPS ("GBR_12LE", 320, 200), 2);
  g_autoptr (GPtrArray) packets = rtp_test_packets (ours, 300, 0);
  g_autoptr (GPtrArray) others = rtp_test_packets (theirs, 300, 0);
  g_autoptr (PacoHarness) harness = rtp_test_depayloader ("rtppacodepay");
  g_autoptr (GstCaps) caps = NULL;
  gint width;

  for (guint i = 0; i < packets->len - 1; i++)
    rtp_test_push (harness, packets->pdata[i]);
  rtp_test_expect_frame (harness, ours->pdata[0], 0);
  for (guint i = 0; i < others->len; i++)
    rtp_test_push (harness, others->pdata[i]);
  pull_and_drop (harness);
  rtp_test_expect_frame (harness, theirs->pdata[0], 0);
  rtp_test_expect_frame (harness, theirs->pdata[1], 1);
  caps = gst_pad_get_current_caps (harness->sinkpad);
  gst_structure_get_int (gst_caps_get_structure (caps, 0), "width", &width);
  fail_unless_equals_int (width, 320);
}

/* Tests that fields are frames of their own, with times and markers of their
 * own. */
TEST (test_fields)
{
  g_autoptr (GPtrArray) frames = rtp_test_frames ("pacoenc",
      "format=I420, width=160, height=120, framerate=25/1 ! "
      "interlace field-pattern=1:1 ! "
      "video/x-raw(format:Interlaced), interlace-mode=alternate",
      4);
  g_autoptr (GPtrArray) packets = rtp_test_packets (frames, 1400, 20);
  g_autoptr (PacoHarness) harness = rtp_test_depayloader ("rtppacodepay");
  guint markers = 0;

  for (guint i = 0; i < packets->len; i++) {
    gboolean marker;
    gsize size;

    rtp_test_header (packets->pdata[i], &size, &marker);
    markers += marker;
    rtp_test_push (harness, packets->pdata[i]);
  }
  fail_unless_equals_int (markers, frames->len);
  for (guint f = 0; f < frames->len; f++) {
    /* The element interlace says of a field that it lasts as long as two. */
    GST_BUFFER_DURATION (frames->pdata[f]) = 40 * GST_MSECOND;
    rtp_test_expect_frame (harness, frames->pdata[f], f);
  }
}

TEST_MAIN ("rtppaco")
