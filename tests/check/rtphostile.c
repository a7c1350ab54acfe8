/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests hostile packets: whatever they say, rtppacodepay counts them by what is
 * wrong with them, takes no more memory than is allowed, and goes on with the next
 * good frame. The sanitizers find wrong accesses. The code that restores lost packets
 * (plugin/rtp/gstpacortpparity.c) is tested by itself. */
#include "rtppackets.h"
#include "plugin/rtp/gstpacortpparity.h"
#include <sys/resource.h>

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
  paco_test_teardown (victim->harness);
  g_ptr_array_unref (victim->frames);
}

static void
send (Victim *victim, const GstPacoRtpHeader *header, const guint8 *body,
    gsize size)
{
  push (victim->harness,
      rtp_test_new_packet (
          header, body, size, victim->sequence++, SSRC, FALSE));
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
  g_autoptr (GstBuffer) out = NULL;

  drop_all (victim->harness);
  send_part (victim, number, half, victim->map.size);
  send_part (victim, number, 0, half);
  out = gst_harness_try_pull (victim->harness);
  fail_unless (out != NULL);
  fail_unless (paco_test_same_bytes (out, victim->frames->pdata[0]));
}

TEST (test_reasons)
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

/* Tests symbols of a byte: there are more of them than there may be. */
TEST (test_tiny_symbols)
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

/* Tests bytes that come one by one, with holes between: they are refused at some
 * point, so that they do not take ever more time. */
TEST (test_crumbs)
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

/* Tests packets each of which claims another large frame, whose pages are never
 * touched. */
TEST (test_many_large_frames)
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

/* Returns the first bytes of the victim's frame, up to its payload, as if it had an
 * attachment of that size. */
static guint8 *
forge_attachment (const Victim *victim, guint32 attachment, guint32 *begin,
    guint32 *frame_size)
{
  guint32 index;
  PacoHeader header;
  guint8 *bytes;

  fail_unless (paco_header_parse (
      victim->map.data, victim->map.size, &header, NULL, NULL));
  index = header.header_size;
  header.video.attachment = (PacoAttachment){ NULL, attachment, 1 };
  header.frame_size = victim->map.size - index + paco_header_size (&header)
      + attachment;
  bytes = g_malloc (paco_header_size (&header) + header.index_size);
  header.header_size = paco_header_write (&header, bytes);
  memcpy (
      bytes + header.header_size, victim->map.data + index, header.index_size);
  *begin = header.header_size + header.index_size;
  *frame_size = header.frame_size;
  return bytes;
}

/* Returns the most KiB that the program has had resident. */
static glong
most_resident (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

/* Tests one packet that has the header and the index of a frame, and says that an
 * attachment of 100 MB follows. */
static void
check_attachment (guint32 attachment)
{
  GstPacoRtpHeader header = { .frame = 1 };
  guint32 size;
  Victim victim;
  guint8 *bytes;
  glong before;

  victim_begin (&victim, "rtppacodepay");
  bytes = forge_attachment (&victim, attachment, &size, &header.frame_size);
  before = most_resident ();
  for (guint i = 0; i < 20; i++, header.frame++)
    push (victim.harness,
        rtp_test_new_packet (
            &header, bytes, size, victim.sequence++, SSRC, TRUE));
  fail_unless (most_resident () - before < 16 << 10, "%ld KiB",
      most_resident () - before);
  fail_unless_equals_uint64 (rtp_test_stat (victim.harness, "lost-frames"), 20);
  expect_good (&victim, 30);
  g_free (bytes);
  victim_end (&victim);
}

TEST (test_attachments)
{
  check_attachment (100000000);
  check_attachment (5000000);
}

/* Sends n pieces of a frame, whose bytes are at data. */
static void
send_frame (Victim *victim, guint16 number, const guint8 *data, guint32 size,
    guint n, gboolean in_reverse)
{
  const guint32 piece = (size + n - 1) / n;

  for (guint i = 0; i < n; i++) {
    GstPacoRtpHeader header = { .frame = number, .frame_size = size };

    header.offset = (in_reverse ? n - 1 - i : i) * piece;
    send (victim, &header, data + header.offset,
        MIN (piece, size - header.offset));
  }
}

/* Tests that the memory of large frames grows with what comes, that bytes which are far
 * beyond that are left out, and that a frame may be as large as the one before. */
TEST (test_large_frames)
{
  GstPacoRtpHeader far = { .frame = 2, .offset = 20 << 20 };
  Victim victim;
  guint8 *bytes, byte = 1;
  guint32 size, begin;
  GstBuffer *out;

  victim_begin (&victim, "rtppacodepay");
  bytes = forge_attachment (&victim, 30 << 20, &begin, &size);
  bytes = g_realloc (bytes, size);
  memcpy (bytes + begin, victim.map.data + victim.map.size - 1000, 1000);
  for (guint32 i = begin + 1000; i < size; i++)
    bytes[i] = i * 2654435761u >> 24;
  far.frame_size = size;
  send (&victim, &far, &byte, 1);
  fail_unless_equals_uint64 (
      rtp_test_stat (victim.harness, "early-packets"), 1);
  for (guint16 number = 3; number < 5; number++) {
    send_frame (&victim, number, bytes, size, 1000, number == 4);
    out = gst_harness_try_pull (victim.harness);
    fail_unless (out != NULL);
    fail_unless_equals_uint64 (gst_buffer_get_size (out), size);
    fail_unless (gst_buffer_memcmp (out, 0, bytes, size) == 0);
    gst_buffer_unref (out);
  }
  fail_unless_equals_uint64 (
      rtp_test_stat (victim.harness, "early-packets"), 1);
  g_free (bytes);
  victim_end (&victim);
}

/* Sends nothing of a frame but its parity, from which all of it follows. Returns how many
 * symbols it has. */
static guint
send_parity (Victim *victim, guint16 number, guint32 symbol_size)
{
  const guint32 size = victim->map.size;
  const guint n = gst_paco_rtp_n_symbols (size, symbol_size);
  const guint n_groups = gst_paco_rtp_n_groups (n);
  g_autofree guint8 *padded = g_malloc0 (n * symbol_size);
  g_autofree guint8 *rows = g_malloc (GST_PACO_RTP_GROUP * symbol_size);

  memcpy (padded, victim->map.data, size);
  for (guint group = 0; group < n_groups; group++) {
    memset (rows, 0, GST_PACO_RTP_GROUP * symbol_size);
    for (guint i = group; i < n; i += n_groups) {
      guint8 factors[GST_PACO_RTP_GROUP];

      for (guint row = 0; row < GST_PACO_RTP_GROUP; row++)
        factors[row] = gst_paco_rtp_parity_factor (row, i / n_groups);
      gst_paco_rtp_parity_add (rows, symbol_size, factors, GST_PACO_RTP_GROUP,
          padded + i * symbol_size, symbol_size);
    }
    for (guint row = 0; row < GST_PACO_RTP_GROUP; row++) {
      const GstPacoRtpHeader header = {
        .kind = GST_PACO_RTP_PARITY,
        .frame = number,
        .frame_size = size,
        .protected_size = size,
        .row = row,
        .n_rows = GST_PACO_RTP_GROUP,
        .group = group,
      };

      send (victim, &header, rows + row * symbol_size, symbol_size);
    }
  }
  return n;
}

/* Tests that parity restores a thousand symbols of a frame and no more, because each
 * costs work. */
TEST (test_much_parity)
{
  GstBuffer *out;
  Victim victim;
  guint n;

  victim_begin (&victim, "rtppacodepay");
  n = send_parity (&victim, 1, victim.map.size / 900);
  fail_unless (n >= 900 && n <= 1024);
  out = gst_harness_try_pull (victim.harness);
  fail_unless (out != NULL);
  fail_unless (paco_test_same_bytes (out, victim.frames->pdata[0]));
  gst_buffer_unref (out);
  fail_unless_equals_uint64 (
      rtp_test_stat (victim.harness, "recovered-packets"), n);

  n = send_parity (&victim, 2, victim.map.size / 1500);
  fail_unless (n >= 1500);
  gst_harness_push_event (victim.harness, gst_event_new_eos ());
  fail_unless (gst_harness_try_pull (victim.harness) == NULL);
  fail_unless_equals_uint64 (rtp_test_stat (victim.harness, "frames"), 1);
  fail_unless_equals_uint64 (rtp_test_stat (victim.harness, "lost-frames"), 1);
  victim_end (&victim);
}

/* Tests good packets whose bytes are changed here and there. */
TEST (test_random)
{
  g_autoptr (GPtrArray) frames = rtp_test_frames ("pacoenc", CAPS, 3);
  g_autoptr (GPtrArray) packets = rtp_test_packets (frames, 400, 40);
  g_autoptr (PacoHarness)
      harness = rtp_test_depayloader ("rtppacodepay ! pacodec");

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
      drop_all (harness);
    }
}

/* --- the code behind parity ---------------------------------------------- */

#define ROUNDS 60

/* Shuffles 0..n-1 and returns its bytes. */
static void
permute (GRand *random, guint8 *numbers, guint n)
{
  for (guint i = 0; i < n; i++)
    numbers[i] = i;
  for (guint i = n; i > 1; i--) {
    guint k = g_rand_int_range (random, 0, i);
    guint8 swapped = numbers[k];

    numbers[k] = numbers[i - 1];
    numbers[i - 1] = swapped;
  }
}

/* Loses n_lost of n symbols of size bytes, and restores them by n_rows rows. */
static void
lose_and_restore (
    GRand *random, guint n, guint n_rows, guint n_lost, gsize size)
{
  g_autofree guint8 *symbols = g_malloc (n * size);
  g_autofree guint8 *sums = g_malloc0 (n_rows * size);
  g_autofree guint8 *lost = g_malloc (n_lost * size);
  g_autofree guint8 *scratch = g_malloc (n_lost * size);
  guint8 columns[GST_PACO_RTP_GROUP], rows[GST_PACO_RTP_GROUP],
      factors[GST_PACO_RTP_GROUP];

  for (gsize i = 0; i < n * size; i++)
    symbols[i] = g_rand_int (random);
  for (guint i = 0; i < n; i++) {
    for (guint row = 0; row < n_rows; row++)
      factors[row] = gst_paco_rtp_parity_factor (row, i);
    gst_paco_rtp_parity_add (
        sums, size, factors, n_rows, symbols + i * size, size);
  }

  permute (random, columns, n);
  permute (random, rows, n_rows);
  for (guint k = 0; k < n_lost; k++)
    memcpy (lost + k * size, sums + rows[k] * size, size);
  for (guint i = n_lost; i < n; i++)
    for (guint k = 0; k < n_lost; k++) {
      guint8 factor = gst_paco_rtp_parity_factor (rows[k], columns[i]);

      gst_paco_rtp_parity_add (
          lost + k * size, 0, &factor, 1, symbols + columns[i] * size, size);
    }
  gst_paco_rtp_parity_solve (lost, size, size, rows, columns, n_lost, scratch);
  for (guint k = 0; k < n_lost; k++)
    fail_unless (
        memcmp (lost + k * size, symbols + columns[k] * size, size) == 0,
        "symbol %u of %u is not what it was (%u lost, %u rows, %zu bytes)",
        columns[k], n, n_lost, n_rows, size);
}

TEST (test_restore)
{
  g_autoptr (GRand) random = g_rand_new ();

  lose_and_restore (random, 1, 1, 1, 1);
  lose_and_restore (
      random, GST_PACO_RTP_GROUP, GST_PACO_RTP_GROUP, GST_PACO_RTP_GROUP, 37);
  for (guint round = 0; round < ROUNDS; round++) {
    guint n = g_rand_int_range (random, 1, GST_PACO_RTP_GROUP + 1);
    guint n_rows = g_rand_int_range (random, 1, GST_PACO_RTP_GROUP + 1);
    guint n_lost = g_rand_int_range (random, 1, MIN (n, n_rows) + 1);

    lose_and_restore (
        random, n, n_rows, n_lost, g_rand_int_range (random, 1, 200));
  }
}

/* Tests the values of docs/RTP.md, section 4. */
TEST (test_factors)
{
  static const struct
  {
    guint row, column;
    guint8 factor;
  } known[] = { { 0, 0, 0x1b }, { 0, 1, 0x54 }, { 1, 0, 0x54 },
    { 127, 127, 0x1b }, { 127, 0, 0xfd } };
  gboolean seen[256];

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    fail_unless_equals_int_hex (
        gst_paco_rtp_parity_factor (known[i].row, known[i].column),
        known[i].factor);
  for (guint row = 0; row < GST_PACO_RTP_GROUP; row++) {
    memset (seen, 0, sizeof seen);
    for (guint column = 0; column < GST_PACO_RTP_GROUP; column++) {
      guint8 factor = gst_paco_rtp_parity_factor (row, column);

      fail_unless (factor != 0 && !seen[factor]);
      seen[factor] = TRUE;
    }
  }
}

TEST_MAIN ("rtphostile")
