/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests what rtppacodepay makes of frames whose packets are lost: what parity
 * restores, which codeblocks are broken then, and when a frame is left out. Which
 * packets are lost is drawn again each time. */
#include "rtppackets.h"
#include <malloc.h>

#define CAPS(format, width, height)                                            \
  "format=" format ", width=" G_STRINGIFY (width) ", height=" G_STRINGIFY (    \
      height) ", framerate=25/1"
#define LARGE CAPS ("I422_10LE", 640, 360)

/* This says which bytes of a frame have come, one by one. */
typedef struct
{
  guint8 *there;
  GstPacoRtpBlocks blocks;
  GstMapInfo map;
  gboolean all;
} Arrivals;

static void
arrivals_begin (Arrivals *arrivals, GstBuffer *frame)
{
  *arrivals = (Arrivals){ NULL };
  fail_unless (gst_buffer_map (frame, &arrivals->map, GST_MAP_READ));
  arrivals->there = g_malloc0 (arrivals->map.size);
  fail_unless (gst_paco_rtp_blocks_read (&arrivals->blocks, arrivals->map.data,
      arrivals->map.size, arrivals->map.size, NULL));
}

static void
arrivals_end (Arrivals *arrivals, GstBuffer *frame)
{
  gst_buffer_unmap (frame, &arrivals->map);
  gst_paco_rtp_blocks_clear (&arrivals->blocks);
  g_free (arrivals->there);
}

/* Checks what came out: header, index and all blocks that came whole are as
 * they were, and every decoder sees of all others that they are broken. Returns
 * the number of these. */
static guint
check_damaged (const Arrivals *arrivals, GstBuffer *out)
{
  const GstPacoRtpBlocks *blocks = &arrivals->blocks;
  guint32 payload = gst_paco_rtp_blocks_payload (blocks);
  guint n = 0;
  GstMapInfo map;

  fail_unless (gst_buffer_map (out, &map, GST_MAP_READ));
  fail_unless_equals_uint64 (map.size, arrivals->map.size);
  fail_unless (memcmp (map.data, arrivals->map.data, payload) == 0);
  for (guint32 b = 0; b < blocks->geometry->n_blocks; b++) {
    const PacoBlockRecord *record = &blocks->records[b];
    const guint8 *bytes = map.data + payload + record->offset;

    if (memchr (arrivals->there + payload + record->offset, 0, record->length)
        == NULL) {
      fail_unless (memcmp (bytes, arrivals->map.data + payload + record->offset,
                       record->length)
              == 0,
          "block %u came, and is another one", b);
    } else {
      fail_if (paco_block_check (bytes, record->length) == record->check);
      for (guint i = 1; i < record->length; i++)
        fail_unless_equals_int (bytes[i], 0);
      n++;
    }
  }
  gst_buffer_unmap (out, &map);
  return n;
}

/* Pushes packets begin..end-1 of a frame but for those in lost[], the last one
 * always, and says what came. */
static void
push_some (GstHarness *harness, GPtrArray *packets, guint begin, guint end,
    const gboolean *lost, Arrivals *arrivals)
{
  guint32 missing = 0, groups = 1;

  for (guint i = begin; i < end; i++) {
    gboolean marker;
    gsize size;
    GstPacoRtpHeader header = rtp_test_header (
        packets->pdata[i], &size, &marker);

    if (lost[i - begin])
      continue;
    if (header.kind == GST_PACO_RTP_DATA)
      memset (arrivals->there + header.offset, 1, size);
  }
  /* This is what parity gives back. With one group it is all that is lost of
   * the part, if enough rows came. */
  for (guint i = begin; i < end; i++) {
    gboolean marker;
    gsize size;
    GstPacoRtpHeader header = rtp_test_header (
        packets->pdata[i], &size, &marker);

    if (header.kind != GST_PACO_RTP_PARITY || lost[i - begin])
      continue;
    if (missing == 0)
      for (guint32 at = 0; at < header.protected_size; at += size)
        missing += memchr (arrivals->there + at, 0,
                       MIN (size, header.protected_size - at))
            != NULL;
    groups = gst_paco_rtp_n_groups (
        gst_paco_rtp_n_symbols (header.protected_size, size));
    fail_unless_equals_int (groups, 1);
    if (missing > 0 && --missing == 0)
      memset (arrivals->there, 1, header.protected_size);
  }
  arrivals->all = memchr (arrivals->there, 0, arrivals->map.size) == NULL;
  for (guint i = begin; i < end; i++)
    if (!lost[i - begin])
      rtp_test_push (harness, packets->pdata[i]);
}

TEST (test_loss)
{
  g_autoptr (GPtrArray) frames = rtp_test_frames (
      "pacoenc pipeline-depth=1 quality=95", LARGE, 4);
  g_autoptr (GPtrArray) packets = rtp_test_packets (frames, 700, 20);
  guint64 damaged = 0, lost_frames = 0, blocks = 0, recovered = 0;

  for (guint round = 0; round < 8; round++) {
    g_autoptr (PacoHarness) harness = rtp_test_depayloader ("rtppacodepay");
    gdouble share = round < 3 ? 0.01 : g_random_double_range (0.0, 0.6);
    guint begin = 0;

    damaged = lost_frames = blocks = 0;
    for (guint f = 0; f < frames->len; f++) {
      guint end = rtp_test_end_of_frame (packets, begin);
      gboolean *lost = g_new0 (gboolean, end - begin);
      GstBuffer *out;
      Arrivals arrivals;

      /* The last packet only ends the frame. */
      for (guint i = begin; i < end - 1; i++)
        lost[i - begin] = g_random_double () < share;
      arrivals_begin (&arrivals, frames->pdata[f]);
      push_some (harness, packets, begin, end, lost, &arrivals);
      out = gst_harness_try_pull (harness);
      if (memchr (arrivals.there, 0,
              gst_paco_rtp_blocks_payload (&arrivals.blocks))) {
        fail_unless (out == NULL);
        lost_frames++;
      } else {
        fail_unless (out != NULL);
        fail_unless_equals_int (
            GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_CORRUPTED),
            !arrivals.all);
        blocks += check_damaged (&arrivals, out);
        damaged += !arrivals.all;
        gst_buffer_unref (out);
      }
      arrivals_end (&arrivals, frames->pdata[f]);
      g_free (lost);
      begin = end;
    }
    fail_unless_equals_uint64 (
        rtp_test_stat (harness, "damaged-frames"), damaged);
    fail_unless_equals_uint64 (rtp_test_stat (harness, "lost-blocks"), blocks);
    fail_unless_equals_uint64 (
        rtp_test_stat (harness, "lost-frames"), lost_frames);
    fail_unless_equals_uint64 (
        rtp_test_stat (harness, "frames"), frames->len - lost_frames);
    recovered += rtp_test_stat (harness, "recovered-packets");
  }
  fail_unless (recovered > 0);
}

/* Returns the frame with n more bytes behind its payload. */
static GstBuffer *
attach (GstBuffer *frame, gsize n)
{
  g_autofree guint8 *bytes = g_malloc (n);
  guint8 *out;
  PacoProbabilitySet carried;
  PacoHeader header;
  GstMapInfo map;
  gsize payload;

  for (gsize i = 0; i < n; i++)
    bytes[i] = (guint8) g_random_int ();
  fail_unless (gst_buffer_map (frame, &map, GST_MAP_READ));
  fail_unless (paco_header_parse (map.data, map.size, &header, &carried, NULL));
  payload = map.size - header.header_size;
  header.video.attachment = paco_attachment_of (bytes, n);
  header.frame_size = paco_header_size (&header) + payload + n;
  out = g_malloc (header.frame_size);
  header.header_size = paco_header_write (&header, out);
  memcpy (out + header.header_size, map.data + map.size - payload, payload);
  memcpy (out + header.header_size + payload, bytes, n);
  gst_buffer_unmap (frame, &map);
  return gst_buffer_new_wrapped (out, header.frame_size);
}

/* Tests that what is lost of an attachment is zero, and not what the memory had
 * before. No block is broken for it. */
TEST (test_attachment)
{
  g_autoptr (GPtrArray) frames = rtp_test_frames (
      "pacoenc pipeline-depth=1", CAPS ("I422_10LE", 200, 120), 1),
                        packets = NULL;
  GstBuffer *whole;
  guint32 begin;

  whole = attach (frames->pdata[0], 20000);
  gst_buffer_unref (frames->pdata[0]);
  frames->pdata[0] = whole;
  begin = gst_buffer_get_size (whole) - 20000;
  packets = rtp_test_packets (frames, 700, 20);
  mallopt (M_PERTURB, 0xa5);
  for (guint round = 0; round < 2; round++) {
    g_autoptr (PacoHarness) harness = rtp_test_depayloader ("rtppacodepay");
    g_autofree gboolean *lost = g_new0 (gboolean, packets->len);
    Arrivals arrivals;
    GstMapInfo map;
    GstBuffer *out;

    for (guint i = 0; i < packets->len - 1; i++) {
      gboolean marker;
      gsize size;
      GstPacoRtpHeader header = rtp_test_header (
          packets->pdata[i], &size, &marker);

      lost[i] = header.kind == GST_PACO_RTP_DATA && header.offset >= begin
          && i % 2 == round;
    }
    arrivals_begin (&arrivals, whole);
    push_some (harness, packets, 0, packets->len, lost, &arrivals);
    fail_if (arrivals.all);
    out = gst_harness_try_pull (harness);
    fail_unless (out != NULL);
    fail_unless (GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_CORRUPTED));
    fail_unless_equals_int (check_damaged (&arrivals, out), 0);
    fail_unless_equals_uint64 (rtp_test_stat (harness, "lost-blocks"), 0);
    fail_unless (gst_buffer_map (out, &map, GST_MAP_READ));
    for (gsize i = begin; i < map.size; i++)
      fail_unless_equals_int (
          map.data[i], arrivals.there[i] ? arrivals.map.data[i] : 0);
    gst_buffer_unmap (out, &map);
    gst_buffer_unref (out);
    arrivals_end (&arrivals, whole);
  }
  mallopt (M_PERTURB, 0);
}

/* Tests a picture of two lines a block, whose index needs several groups of
 * parity. Without parity a lost packet of the index loses the frame. */
TEST (test_groups)
{
  g_autoptr (GPtrArray) frames = rtp_test_frames_of ("snow",
      "pacoenc levels=1 color-transform=none", CAPS ("GBR_12LE", 16384, 4), 1);
  GPtrArray *packets = rtp_test_packets (frames, 76, 30);
  GstHarness *harness = rtp_test_depayloader ("rtppacodepay");
  guint n_groups = 0, n_lost = 0;

  for (guint i = packets->len; i-- > 0;) {
    gboolean marker;
    gsize size;
    GstPacoRtpHeader header = rtp_test_header (
        packets->pdata[i], &size, &marker);

    if (header.kind == GST_PACO_RTP_PARITY)
      n_groups = MAX (n_groups, header.group + 1u);
  }
  fail_unless (n_groups > 1, "%u", n_groups);
  for (guint i = 0; i < packets->len; i++)
    if (i % 7 == 3 && i < 40 * n_groups)
      n_lost++;
    else
      rtp_test_push (harness, packets->pdata[i]);
  rtp_test_expect_frame (harness, frames->pdata[0], 0);
  fail_unless_equals_uint64 (
      rtp_test_stat (harness, "recovered-packets"), n_lost);
  paco_test_teardown (harness);

  harness = rtp_test_depayloader ("rtppacodepay");
  g_ptr_array_unref (packets);
  packets = rtp_test_packets (frames, 1400, 0);
  for (guint i = 1; i < packets->len; i++)
    rtp_test_push (harness, packets->pdata[i]);
  fail_unless (gst_harness_try_pull (harness) == NULL);
  fail_unless_equals_uint64 (rtp_test_stat (harness, "lost-frames"), 1);
  paco_test_teardown (harness);
  g_ptr_array_unref (packets);
}

/* Tests that, as the last packets of a frame have parity, a frame does not wait
 * for the marker once it is safe, and one whose end is lost comes with the
 * next. */
TEST (test_lost_marker)
{
  g_autoptr (GPtrArray)
      frames = rtp_test_frames ("pacoenc quality=95", LARGE, 3);
  g_autoptr (GPtrArray) packets = rtp_test_packets (frames, 500, 50);
  g_autoptr (PacoHarness) harness = rtp_test_depayloader ("rtppacodepay");
  guint begin = 0;
  GstBuffer *out;

  for (guint f = 0; f < frames->len; f++) {
    guint end = rtp_test_end_of_frame (packets, begin);
    guint data = rtp_test_end_of_data (packets, begin);

    fail_unless (end - data > 5);
    for (guint i = begin; i < end; i++) {
      /* The last packet of data is lost, and with it all parity of the second
       * frame, and all but four packets of that of the first. */
      if (i == data - 1 || (f == 0 && i > data + 3) || (f == 1 && i >= data))
        continue;
      rtp_test_push (harness, packets->pdata[i]);
    }
    if (f != 1) {
      while (f == 2 && gst_harness_buffers_in_queue (harness) > 1)
        pull_and_drop (harness);
      out = gst_harness_try_pull (harness);
      fail_unless (out != NULL);
      fail_unless (GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_CORRUPTED));
      fail_unless_equals_uint64 (GST_BUFFER_PTS (out),
          GST_BUFFER_PTS ((GstBuffer *) frames->pdata[f]));
      gst_buffer_unref (out);
    } else {
      fail_unless (gst_harness_try_pull (harness) == NULL);
    }
    begin = end;
  }
  fail_unless_equals_uint64 (rtp_test_stat (harness, "frames"), 3);
}

/* Tests that a lost frame leaves a gap of its time, and no lost packet does. */
TEST (test_gap)
{
  g_autoptr (GPtrArray) frames = rtp_test_frames ("pacoenc", LARGE, 3);
  g_autoptr (GPtrArray) packets = rtp_test_packets (frames, 1400, 0);
  g_autoptr (PacoHarness) harness = rtp_test_depayloader ("rtppacodepay");
  guint middle = rtp_test_end_of_frame (packets, 0), n = 0;
  GstEvent *event;

  for (guint i = 0; i < packets->len; i++) {
    if (i == middle)
      gst_harness_push_event (harness,
          gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
              gst_structure_new ("GstRTPPacketLost", "seqnum", G_TYPE_UINT, 1,
                  "timestamp", G_TYPE_UINT64, (guint64) 0, "duration",
                  G_TYPE_UINT64, (guint64) 1, NULL)));
    else
      rtp_test_push (harness, packets->pdata[i]);
  }
  fail_unless_equals_int (gst_harness_buffers_received (harness), 2);
  while ((event = gst_harness_try_pull_event (harness)) != NULL) {
    if (GST_EVENT_TYPE (event) == GST_EVENT_GAP) {
      GstClockTime time, duration;

      gst_event_parse_gap (event, &time, &duration);
      fail_unless_equals_uint64 (time, 40 * GST_MSECOND);
      fail_unless_equals_uint64 (duration, 40 * GST_MSECOND);
      n++;
    }
    gst_event_unref (event);
  }
  fail_unless_equals_int (n, 1);
}

/* Tests that nobody sees that blocks without checks are broken. */
TEST (test_without_checks)
{
  g_autoptr (GPtrArray)
      frames = rtp_test_frames ("pacoenc block-checks=false", LARGE, 3);
  g_autoptr (GPtrArray) packets = rtp_test_packets (frames, 1400, 20);
  g_autoptr (PacoHarness) harness = rtp_test_depayloader ("rtppacodepay");
  guint middle = rtp_test_end_of_frame (packets, 0);
  guint last = rtp_test_end_of_data (packets, middle) - 1;

  for (guint i = 0; i < packets->len; i++)
    if (i != last)
      rtp_test_push (harness, packets->pdata[i]);
  rtp_test_expect_frame (harness, frames->pdata[0], 0);
  rtp_test_expect_frame (harness, frames->pdata[2], 2);
  fail_unless (gst_harness_try_pull (harness) == NULL);
  fail_unless_equals_uint64 (rtp_test_stat (harness, "lost-frames"), 1);
}

/* Tests the way from pictures to pictures: at 2 % loss no frame is missing. */
TEST (test_decoded)
{
  g_autoptr (GPtrArray)
      frames = rtp_test_frames ("pacoenc quality=95", LARGE, 20);
  g_autoptr (GPtrArray) packets = rtp_test_packets (frames, 500, 20);
  g_autoptr (PacoHarness)
      harness = rtp_test_depayloader ("rtppacodepay ! pacodec");
  guint lost = 0;

  for (guint i = 0; i < packets->len; i++)
    if (g_random_int_range (0, 50) > 0)
      rtp_test_push (harness, packets->pdata[i]);
    else
      lost++;
  gst_harness_push_event (harness, gst_event_new_eos ());
  fail_unless_equals_int (gst_harness_buffers_received (harness), frames->len);
  fail_unless (lost > 0);
  fail_unless_equals_uint64 (rtp_test_stat (harness, "frames"), frames->len);
}

TEST_MAIN ("rtploss")
