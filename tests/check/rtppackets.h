/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes coded frames, and the RTP packets of them, for tests of rtppacopay and
 * rtppacodepay. */
#pragma once
#include "pacotest.h"
#include "codec/check.h"
#include "plugin/rtp/gstpacortpformat.h"
#include <gst/rtp/rtp.h>

#define RTP_TEST_CAPS                                                          \
  "application/x-rtp, media=video, clock-rate=90000, encoding-name=X-PACO, "   \
  "payload=96"

/* Codes n pictures of a pattern of videotestsrc as `encoder` says. */
static inline GPtrArray *
rtp_test_frames_of (
    const char *pattern, const char *encoder, const char *caps, guint n)
{
  g_autoptr (PacoHarness) harness = paco_test_harness (
      "videotestsrc pattern=%s num-buffers=%u ! video/x-raw, %s ! %s", pattern,
      n, caps, encoder);
  GPtrArray *frames = new_buffers ();

  gst_harness_play (harness);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (frames, gst_harness_pull (harness));
  return frames;
}

/* Codes pictures likewise, of one pattern or another. */
static inline GPtrArray *
rtp_test_frames (const char *encoder, const char *caps, guint n)
{
  return rtp_test_frames_of (
      g_random_boolean () ? "snow" : "smpte", encoder, caps, n);
}

/* Returns all packets of frames, in order. */
static inline GPtrArray *
rtp_test_packets (GPtrArray *frames, guint mtu, guint parity)
{
  g_autoptr (PacoHarness)
      harness = paco_test_harness ("rtppacopay mtu=%u parity=%u", mtu, parity);

  gst_harness_set_src_caps_str (harness, PACO_TEST_CODED_CAPS);
  for (guint i = 0; i < frames->len; i++)
    push (harness, gst_buffer_ref (frames->pdata[i]));
  return take_all (harness);
}

/* Reads what a packet says, and where its body is in rtp, which is mapped. */
static inline void
rtp_test_read (GstBuffer *packet, GstRTPBuffer *rtp, GstPacoRtpHeader *header,
    const guint8 **body, gsize *size)
{
  gsize header_size;

  *rtp = (GstRTPBuffer) GST_RTP_BUFFER_INIT;
  fail_unless (gst_rtp_buffer_map (packet, GST_MAP_READ, rtp));
  fail_unless (gst_paco_rtp_header_read (header,
      gst_rtp_buffer_get_payload (rtp), gst_rtp_buffer_get_payload_len (rtp)));
  header_size = gst_paco_rtp_header_size (header->kind);
  *body = (const guint8 *) gst_rtp_buffer_get_payload (rtp) + header_size;
  *size = gst_rtp_buffer_get_payload_len (rtp) - header_size;
}

/* Reads its header alone, and whether it has the marker. */
static inline GstPacoRtpHeader
rtp_test_header (GstBuffer *packet, gsize *size, gboolean *marker)
{
  GstPacoRtpHeader header;
  const guint8 *body;
  GstRTPBuffer rtp;

  rtp_test_read (packet, &rtp, &header, &body, size);
  *marker = gst_rtp_buffer_get_marker (&rtp);
  gst_rtp_buffer_unmap (&rtp);
  return header;
}

/* Makes a packet with any payload. */
static inline GstBuffer *
rtp_test_new_packet (const GstPacoRtpHeader *header, const guint8 *body,
    gsize size, guint16 sequence, guint32 ssrc, gboolean marker)
{
  gsize header_size = gst_paco_rtp_header_size (header->kind);
  GstBuffer *packet = gst_rtp_buffer_new_allocate (header_size + size, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  guint8 *payload;

  gst_rtp_buffer_map (packet, GST_MAP_WRITE, &rtp);
  gst_rtp_buffer_set_seq (&rtp, sequence);
  gst_rtp_buffer_set_ssrc (&rtp, ssrc);
  gst_rtp_buffer_set_payload_type (&rtp, 96);
  gst_rtp_buffer_set_marker (&rtp, marker);
  payload = gst_rtp_buffer_get_payload (&rtp);
  gst_paco_rtp_header_write (header, payload);
  if (size > 0)
    memcpy (payload + header_size, body, size);
  gst_rtp_buffer_unmap (&rtp);
  return packet;
}

static inline GstHarness *
rtp_test_depayloader (const char *launch)
{
  GstHarness *harness = paco_test_harness (launch);

  gst_harness_set_src_caps_str (harness, RTP_TEST_CAPS);
  return harness;
}

/* Returns a number of rtppacodepay's stats. */
static inline guint64
rtp_test_stat (GstHarness *harness, const char *name)
{
  return stat_of (harness, "rtppacodepay", name);
}

static inline void
rtp_test_push (GstHarness *harness, GstBuffer *packet)
{
  push (harness, gst_buffer_ref (packet));
}

/* Returns the number of the first packet that is of another frame than packet
 * i. */
static inline guint
rtp_test_end_of_frame (GPtrArray *packets, guint i)
{
  gboolean marker;
  gsize size;
  guint16 number = rtp_test_header (packets->pdata[i], &size, &marker).frame;

  while (i < packets->len
      && rtp_test_header (packets->pdata[i], &size, &marker).frame == number)
    i++;
  return i;
}

/* Returns the number of the first packet from i on that has parity. */
static inline guint
rtp_test_end_of_data (GPtrArray *packets, guint i)
{
  gboolean marker;
  gsize size;

  while (i < packets->len
      && rtp_test_header (packets->pdata[i], &size, &marker).kind
          == GST_PACO_RTP_DATA)
    i++;
  return i;
}

static inline void
rtp_test_expect_frame (GstHarness *harness, GstBuffer *frame, guint i)
{
  g_autoptr (GstBuffer) out = gst_harness_try_pull (harness);

  fail_unless (out != NULL, "frame %u has not come", i);
  fail_unless (paco_test_same_bytes (out, frame), "frame %u differs", i);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (out), GST_BUFFER_PTS (frame));
  fail_unless_equals_uint64 (
      GST_BUFFER_DURATION (out), GST_BUFFER_DURATION (frame));
  fail_if (GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_CORRUPTED));
}
