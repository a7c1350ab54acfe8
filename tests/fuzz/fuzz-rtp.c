/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A fuzz target: a frame through rtppacopay, and its packets, lost, repeated, in
 * another order and with other bytes, through rtppacodepay. What is done to them
 * follows from the frame's bytes, so an input always does the same. What rtppacopay
 * refuses goes into packets as it is. The elements live as long as the process. */
#include "plugin/gstpacortpformat.h"
#include "tests/fuzz/fuzz.h"
#include <gst/check/gstharness.h>
#include <gst/rtp/rtp.h>

#define MOST_PACKETS 400

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

/* A packet with headers that are possible, more or less, and bytes of data. */
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

/* All packets of the frame, or some that are made up. */
static GPtrArray *
make_packets (GRand *random, const uint8_t *data, size_t size)
{
  GPtrArray *packets = g_ptr_array_new_with_free_func (
      (GDestroyNotify) gst_buffer_unref);
  GstHarness *payloader = open_payloader ();
  GstBuffer *packet;

  gst_harness_set (payloader, "rtppacopay", "mtu",
      g_rand_int_range (random, 76, 1500), "parity",
      g_rand_int_range (random, 0, 101), NULL);
  gst_harness_push (payloader, gst_buffer_new_memdup (data, size));
  while ((packet = gst_harness_try_pull (payloader))) {
    if (packets->len < MOST_PACKETS)
      g_ptr_array_add (packets, packet);
    else
      gst_buffer_unref (packet);
  }
  forget_events (payloader);
  for (guint n = g_rand_int_range (random, 0, packets->len ? 3 : 40); n > 0;
       n--)
    g_ptr_array_insert (packets, g_rand_int_range (random, 0, packets->len + 1),
        make_packet (random, data, size));
  return packets;
}

/* Changes a byte behind RTP's header, mostly of the payload's header. */
static GstBuffer *
change (GRand *random, const GstBuffer *packet)
{
  GstBuffer *changed = gst_buffer_copy_deep (packet);
  gsize size = gst_buffer_get_size (changed);
  guint8 byte = g_rand_int (random);

  gst_buffer_fill (changed,
      12 + g_rand_int_range (random, 0, MIN (size - 12, 20)), &byte, 1);
  return changed;
}

static void
push_all (GRand *random, GstHarness *harness, GPtrArray *packets)
{
  guint loss = g_rand_int_range (random, 0, 40);

  for (guint i = 0; i < packets->len; i++) {
    guint ahead = g_rand_int_range (random, 0, 6) == 0 ? 2 : 0;
    guint k = MIN (i + ahead, packets->len - 1);
    GstBuffer *packet = packets->pdata[k];

    packets->pdata[k] = packets->pdata[i];
    packets->pdata[i] = packet;
    if ((guint) g_rand_int_range (random, 0, 100) < loss)
      continue;
    gst_harness_push (harness,
        g_rand_int_range (random, 0, 20) == 0 ? change (random, packet)
                                              : gst_buffer_ref (packet));
    if (g_rand_int_range (random, 0, 20) == 0)
      gst_harness_push (harness, gst_buffer_ref (packet));
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  GstHarness *harness = open_depayloader ();
  guint32 seed = 0;
  GPtrArray *packets;
  GstSegment segment;
  GRand *random;

  if (size < 20)
    return 0;
  for (size_t i = 0; i < size; i++)
    seed = seed * 16777619 ^ data[i];
  random = g_rand_new_with_seed (seed);
  packets = make_packets (random, data, size);
  push_all (random, harness, packets);
  gst_harness_push_event (harness, gst_event_new_flush_start ());
  gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (harness, gst_event_new_segment (&segment));
  forget_events (harness);
  g_ptr_array_unref (packets);
  g_rand_free (random);
  return 0;
}
