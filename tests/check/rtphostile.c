/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests hostile packets: whatever they say, rtppacodepay counts them by what is
 * wrong with them, takes no more memory than is allowed, and goes on with the next
 * good frame. The sanitizers find wrong accesses. */
#include "rtppackets.h"

#define CAPS "format=I422_10LE, width=320, height=180, framerate=25/1"
#define SSRC 0x1234

/* This is a frame, and a depayloader to which it can be sent packet by
 * packet. */
typedef struct
{
  GPtrArray *frames;
  GstHarness *harness;
  GstMapInfo map;
  guint16 sequence;
} Victim;

static void
victim_begin (Victim *victim, const char *launch)
{
  victim->frames = rtp_test_frames ("pacoenc quality=95", CAPS, 1);
  victim->harness = rtp_test_depayloader (launch);
  victim->sequence = g_random_int ();
  fail_unless (
      gst_buffer_map (victim->frames->pdata[0], &victim->map, GST_MAP_READ));
}

static void
victim_end (Victim *victim)
{
  gst_buffer_unmap (victim->frames->pdata[0], &victim->map);
  gst_harness_teardown (victim->harness);
  g_ptr_array_unref (victim->frames);
}

static void
send (Victim *victim, const GstPacoRtpHeader *header, const guint8 *body,
    gsize size)
{
  fail_unless_equals_int (gst_harness_push (victim->harness,
                              rtp_test_new_packet (header, body, size,
                                  victim->sequence++, SSRC, FALSE)),
      GST_FLOW_OK);
}

/* Sends bytes begin..end-1 of frame number `number`. */
static void
send_part (Victim *victim, guint16 number, guint32 begin, guint32 end)
{
  const GstPacoRtpHeader header = {
    .frame = number,
    .frame_size = victim->map.size,
    .offset = begin,
  };

  send (victim, &header, victim->map.data + begin, end - begin);
}

/* Expects that all of a frame comes through. */
static void
expect_good (Victim *victim, guint16 number)
{
  guint32 half = victim->map.size / 2;
  GstBuffer *out;

  while ((out = gst_harness_try_pull (victim->harness)) != NULL)
    gst_buffer_unref (out);
  send_part (victim, number, half, victim->map.size);
  send_part (victim, number, 0, half);
  out = gst_harness_try_pull (victim->harness);
  fail_unless (out != NULL);
  fail_unless (paco_test_same_bytes (out, victim->frames->pdata[0]));
  gst_buffer_unref (out);
}

GST_START_TEST (test_reasons)
{
  Victim victim;
  guint32 size;
  guint8 body[64] = { 0 };

  victim_begin (&victim, "rtppacodepay max-frame-size=1000000");
  size = victim.map.size;
  send_part (&victim, 7, 100, 200);

#define EXPECT(stat, ...)                                                      \
  G_STMT_START                                                                 \
  {                                                                            \
    guint64 before = rtp_test_stat (victim.harness, stat);                     \
    const GstPacoRtpHeader header = { __VA_ARGS__ };                           \
                                                                               \
    send (&victim, &header, body, sizeof body);                                \
    fail_unless_equals_uint64 (                                                \
        rtp_test_stat (victim.harness, stat), before + 1);                     \
  }                                                                            \
  G_STMT_END

  /* There are no such kinds, versions, sizes and places. */
  EXPECT ("malformed-packets", .kind = 2, .frame = 7, .frame_size = size);
  EXPECT ("malformed-packets", .kind = 16, .frame = 7, .frame_size = size);
  EXPECT ("malformed-packets", .frame = 8, .frame_size = 0);
  EXPECT (
      "malformed-packets", .frame = 7, .frame_size = size, .offset = size - 63);
  EXPECT ("malformed-packets", .frame = 7, .frame_size = size,
      .offset = G_MAXUINT32);
  /* This is more than is allowed. */
  EXPECT ("oversized-packets", .frame = 8, .frame_size = 1000001);
  EXPECT ("oversized-packets", .frame = 8, .frame_size = G_MAXUINT32);
  /* Other packets have said otherwise. */
  EXPECT ("contradicting-packets", .frame = 7, .frame_size = size - 1);
  EXPECT (
      "contradicting-packets", .frame = 7, .frame_size = size, .offset = 70);
  EXPECT (
      "contradicting-packets", .frame = 7, .frame_size = size, .offset = 150);
  EXPECT ("duplicate-packets", .frame = 7, .frame_size = size, .offset = 110);
  /* There is no such parity. */
  EXPECT ("malformed-packets", .kind = 1, .frame = 7, .frame_size = size,
      .protected_size = size + 1, .n_rows = 1);
  EXPECT ("malformed-packets", .kind = 1, .frame = 7, .frame_size = size,
      .protected_size = 63, .n_rows = 1);
  EXPECT ("malformed-packets", .kind = 1, .frame = 7, .frame_size = size,
      .protected_size = 640, .n_rows = 0);
  EXPECT ("malformed-packets", .kind = 1, .frame = 7, .frame_size = size,
      .protected_size = 640, .n_rows = 129);
  EXPECT ("malformed-packets", .kind = 1, .frame = 7, .frame_size = size,
      .protected_size = 640, .n_rows = 2, .row = 2);
  EXPECT ("malformed-packets", .kind = 1, .frame = 7, .frame_size = size,
      .protected_size = 640, .n_rows = 2, .group = 1);
  EXPECT ("packets", .kind = 1, .frame = 7, .frame_size = size,
      .protected_size = 640, .n_rows = 2);
  EXPECT ("duplicate-packets", .kind = 1, .frame = 7, .frame_size = size,
      .protected_size = 640, .n_rows = 2);
  EXPECT ("contradicting-packets", .kind = 1, .frame = 7, .frame_size = size,
      .protected_size = 641, .n_rows = 2, .row = 1);
  EXPECT ("contradicting-packets", .kind = 1, .frame = 7, .frame_size = size,
      .protected_size = 640, .n_rows = 3, .row = 1);

  /* None of them has done any harm to the frame. */
  send_part (&victim, 7, 0, 100);
  send_part (&victim, 7, 200, size);
  expect_good (&victim, 8);
  EXPECT ("late-packets", .frame = 7, .frame_size = size);
  victim_end (&victim);
#undef EXPECT
}

GST_END_TEST

/* Tests symbols of a byte: there are more of them than there may be. */
GST_START_TEST (test_tiny_symbols)
{
  const GstPacoRtpHeader header = {
    .kind = GST_PACO_RTP_PARITY,
    .frame_size = 1 << 20,
    .protected_size = 1 << 20,
    .n_rows = 128,
  };
  guint8 body = 1;
  Victim victim;

  victim_begin (&victim, "rtppacodepay");
  send (&victim, &header, &body, 1);
  fail_unless_equals_uint64 (
      rtp_test_stat (victim.harness, "malformed-packets"), 1);
  expect_good (&victim, 1);
  victim_end (&victim);
}

GST_END_TEST

/* Tests bytes that come one by one, with holes between: they are refused at some
 * point, so that they do not take ever more time. */
GST_START_TEST (test_crumbs)
{
  GstPacoRtpHeader header = { .frame = 1, .frame_size = 1 << 16 };
  guint8 body = 1;
  Victim victim;

  victim_begin (&victim, "rtppacodepay");
  for (; header.offset < header.frame_size; header.offset += 2)
    send (&victim, &header, &body, 1);
  fail_unless (rtp_test_stat (victim.harness, "contradicting-packets") > 20000);
  expect_good (&victim, 2);
  victim_end (&victim);
}

GST_END_TEST

/* Tests packets each of which claims another large frame, whose pages are never
 * touched. */
GST_START_TEST (test_many_large_frames)
{
  GstPacoRtpHeader header = { .frame_size = 128u << 20, .offset = 5 };
  guint8 body = 1;
  Victim victim;

  victim_begin (&victim, "rtppacodepay");
  for (header.frame = 0; header.frame < 2000; header.frame++)
    send (&victim, &header, &body, 1);
  fail_unless (rtp_test_stat (victim.harness, "lost-frames") >= 1990);
  expect_good (&victim, 2001);
  victim_end (&victim);
}

GST_END_TEST

/* Tests good packets whose bytes are changed here and there. */
GST_START_TEST (test_random)
{
  GPtrArray *frames = rtp_test_frames ("pacoenc", CAPS, 3);
  GPtrArray *packets = rtp_test_packets (frames, 400, 40);
  GstHarness *harness = rtp_test_depayloader ("rtppacodepay ! pacodec");
  GstBuffer *out;

  for (guint round = 0; round < 30; round++)
    for (guint i = 0; i < packets->len; i++) {
      GstBuffer *packet = gst_buffer_copy_deep (packets->pdata[i]);
      gsize size = gst_buffer_get_size (packet);

      for (gint n = g_random_int_range (-4, 4); n > 0; n--) {
        guint8 byte = g_random_int ();

        /* RTP's header stays what it is. */
        gst_buffer_fill (packet,
            12 + g_random_int_range (0, g_random_boolean () ? 16 : size - 12),
            &byte, 1);
      }
      if (g_random_int_range (0, 8) == 0)
        gst_buffer_set_size (packet, g_random_int_range (12, size));
      if (g_random_int_range (0, 30) == 0)
        gst_buffer_unref (packet);
      else
        gst_harness_push (harness, packet);
      while ((out = gst_harness_try_pull (harness)) != NULL)
        gst_buffer_unref (out);
    }
  gst_harness_teardown (harness);
  g_ptr_array_unref (packets);
  g_ptr_array_unref (frames);
}

GST_END_TEST

static Suite *
rtphostile_suite (void)
{
  Suite *suite = suite_create ("rtphostile");
  TCase *tests = tcase_create ("all");

  tcase_set_timeout (tests, 120);
  tcase_add_test (tests, test_reasons);
  tcase_add_test (tests, test_tiny_symbols);
  tcase_add_test (tests, test_crumbs);
  tcase_add_test (tests, test_many_large_frames);
  tcase_add_test (tests, test_random);
  suite_add_tcase (suite, tests);
  return suite;
}

GST_CHECK_MAIN (rtphostile)
