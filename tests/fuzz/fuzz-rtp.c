/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Fuzzes RTP: a frame goes through rtppacopay, and its packets, lost,
 * repeated, in another order, with other bytes and with headers that
 * contradict one another, through rtppacodepay. The first bytes say what is
 * done to them, so that they and the frame can be changed each for itself.
 * What rtppacopay refuses goes into packets as it is. The elements live as
 * long as the process. */
#include "plugin/rtp/gstpacortpformat.h"
#include "tests/fuzz/fuzz.h"
#include <gst/check/gstharness.h>
#include <gst/rtp/rtp.h>

#define MOST_PACKETS 400

/* These are the bytes in front of the frame. */
enum
{
  SEED = 0,     /* 4 bytes, of the generator */
  MTU = 4,      /* 2 bytes */
  PARITY = 6,   /* packets for 100 */
  LOSS = 7,     /* packets of 256 */
  CHANGED = 8,  /* packets of 256 */
  MOVED = 9,    /* packets of 256 */
  MADE_UP = 10, /* packets that are no part of the frame */
};

static GstHarness *
open_payloader (void)
{
  static GstHarness *harness;

  if (!harness) {
    harness = gst_harness_new ("rtppacopay");
    gst_harness_set_src_caps_str (
        harness, "video/x-paco, parsed=true, alignment=frame");
  }
  return harness;
}

static GstHarness *
open_depayloader (void)
{
  static GstHarness *harness;

  if (!harness) {
    harness = gst_harness_new_parse ("rtppacodepay max-frame-size=100000");
    gst_harness_set_drop_buffers (harness, TRUE);
    gst_harness_set_src_caps_str (harness,
        "application/x-rtp, media=video, clock-rate=90000, payload=96, "
        "encoding-name=X-PACO");
  }
  return harness;
}

static void
forget_events (GstHarness *harness)
{
  GstEvent *event;

  while ((event = gst_harness_try_pull_event (harness)))
    gst_event_unref (event);
}

/* Makes a packet with headers that are possible, more or less, and bytes of
 * data. */
static GstBuffer *
make_packet (GRand *random, const uint8_t *data, size_t size)
{
  size_t at = g_rand_int_range (random, 0, size);
  size_t length = g_rand_int_range (random, 1, MIN (size - at, 1000) + 1);
  GstPacoRtpHeader header = {
    .kind = g_rand_int_range (random, 0, 2),
    .frame = g_rand_int_range (random, 0, 3),
    .frame_size = g_rand_boolean (random) ? size : g_rand_int (random) % 99999,
    .offset = g_rand_boolean (random) ? at : g_rand_int (random) % 99999,
    .protected_size = g_rand_int (random) % (2 * size),
    .row = g_rand_int_range (random, 0, 4),
    .n_rows = g_rand_int_range (random, 0, 5),
    .group = g_rand_int_range (random, 0, 3),
  };
  size_t header_size = gst_paco_rtp_header_size (header.kind);
  GstBuffer *packet = gst_rtp_buffer_new_allocate (header_size + length, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  uint8_t *payload;

  gst_rtp_buffer_map (packet, GST_MAP_WRITE, &rtp);
  payload = gst_rtp_buffer_get_payload (&rtp);
  gst_paco_rtp_header_write (&header, payload);
  memcpy (payload + header_size, data + at, length);
  gst_rtp_buffer_set_marker (&rtp, g_rand_int_range (random, 0, 8) == 0);
  gst_rtp_buffer_unmap (&rtp);
  return packet;
}

/* Makes all packets of the frame, and some that are made up. */
static GPtrArray *
make_packets (
    GRand *random, const uint8_t *how, const uint8_t *data, size_t size)
{
  GPtrArray *packets = g_ptr_array_new_with_free_func (
      (GDestroyNotify) gst_buffer_unref);
  GstHarness *payloader = open_payloader ();
  GstBuffer *packet;

  gst_harness_set (payloader, "rtppacopay", "mtu",
      76 + (how[MTU] | how[MTU + 1] << 8) % 1424, "parity", how[PARITY] % 101,
      NULL);
  gst_harness_push (payloader, gst_buffer_new_memdup (data, size));
  while ((packet = gst_harness_try_pull (payloader))) {
    if (packets->len < MOST_PACKETS)
      g_ptr_array_add (packets, packet);
    else
      gst_buffer_unref (packet);
  }
  forget_events (payloader);
  for (guint n = how[MADE_UP] % 40; n > 0; n--)
    g_ptr_array_insert (packets, g_rand_int_range (random, 0, packets->len + 1),
        make_packet (random, data, size));
  return packets;
}

/* Returns a number like this one, or one at the end of what there are. */
static guint32
change_number (GRand *random, guint32 number)
{
  static const guint32 numbers[] = { 0, 1, 127, 128, 255, 256, 65535,
    0x7fffffff, 0x80000000u, 0xffffffffu };

  switch (g_rand_int_range (random, 0, 6)) {
    case 0:
      return number - 1;
    case 1:
      return number + 1;
    case 2:
      return number * 2;
    case 3:
      return g_rand_int (random) % 99999;
    default:
      return numbers[g_rand_int_range (random, 0, G_N_ELEMENTS (numbers))];
  }
}

/* Changes a field of a header. */
static void
change_field (GRand *random, guint8 *payload, gsize size)
{
  GstPacoRtpHeader header;

  if (!gst_paco_rtp_header_read (&header, payload, size))
    return;
  switch (
      g_rand_int_range (random, 0, header.kind == GST_PACO_RTP_DATA ? 3 : 7)) {
    case 0:
      header.frame = change_number (random, header.frame);
      break;
    case 1:
      header.frame_size = change_number (random, header.frame_size);
      break;
    case 2:
      header.offset = change_number (random, header.offset);
      break;
    case 3:
      header.protected_size = change_number (random, header.protected_size);
      break;
    case 4:
      header.row = change_number (random, header.row);
      break;
    case 5:
      header.n_rows = change_number (random, header.n_rows);
      break;
    default:
      header.group = change_number (random, header.group);
  }
  gst_paco_rtp_header_write (&header, payload);
}

/* Copies a packet of which a field of the payload's header, a byte, or the size
 * is another. */
static GstBuffer *
change (GRand *random, const GstBuffer *packet)
{
  GstBuffer *changed = gst_buffer_copy_deep (packet);
  gsize size = gst_buffer_get_size (changed);
  guint8 byte = g_rand_int (random);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  switch (g_rand_int_range (random, 0, 6)) {
    case 0:
      gst_buffer_fill (changed,
          12 + g_rand_int_range (random, 0, MIN (size - 12, 20)), &byte, 1);
      break;
    case 1:
      gst_buffer_set_size (changed, g_rand_int_range (random, 12, size + 1));
      break;
    default:
      gst_rtp_buffer_map (changed, GST_MAP_READWRITE, &rtp);
      change_field (random, gst_rtp_buffer_get_payload (&rtp),
          gst_rtp_buffer_get_payload_len (&rtp));
      gst_rtp_buffer_unmap (&rtp);
  }
  return changed;
}

static void
push_all (
    GRand *random, const uint8_t *how, GstHarness *harness, GPtrArray *packets)
{
  for (guint i = 0; i < packets->len; i++) {
    guint ahead = g_rand_int_range (random, 0, 256) < how[MOVED]
        ? g_rand_int_range (random, 0, 5)
        : 0;
    guint k = MIN (i + ahead, packets->len - 1);
    GstBuffer *packet = packets->pdata[k];

    packets->pdata[k] = packets->pdata[i];
    packets->pdata[i] = packet;
    if (g_rand_int_range (random, 0, 256) < how[LOSS])
      continue;
    gst_harness_push (harness,
        g_rand_int_range (random, 0, 256) < how[CHANGED]
            ? change (random, packet)
            : gst_buffer_ref (packet));
    if (g_rand_int_range (random, 0, 256) < how[MOVED])
      gst_harness_push (harness, gst_buffer_ref (packet));
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  GstHarness *harness = open_depayloader ();
  g_autoptr (GPtrArray) packets = NULL;
  GstSegment segment;
  g_autoptr (GRand) random = NULL;

  if (size < FUZZ_PREFIX + 1)
    return 0;
  random = g_rand_new_with_seed (GST_READ_UINT32_LE (data + SEED));
  packets = make_packets (random, data, data + FUZZ_PREFIX, size - FUZZ_PREFIX);
  push_all (random, data, harness, packets);
  gst_harness_push_event (harness, gst_event_new_flush_start ());
  gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (harness, gst_event_new_segment (&segment));
  forget_events (harness);
  return 0;
}

FUZZ_MUTATOR (prefixed)
