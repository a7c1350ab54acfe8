/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Puts a frame together from packets, in any order (docs/RTP.md sections 3 and 4):
 * it is told which bytes have come, refuses packets that contradict others, and
 * restores lost ones from parity. rtppacodepay has two such frames.
 *
 * Packets are data from the network. Whatever they say, a frame takes memory and work in
 * proportion to the bytes that have come, and looks at no bytes but its own. */
#pragma once
#include "gstpacortpformat.h"

typedef enum
{
  GST_PACO_RTP_TAKEN,
  GST_PACO_RTP_DUPLICATE,     /* its bytes were there, or nothing is missing */
  GST_PACO_RTP_LATE,          /* its frame is finished */
  GST_PACO_RTP_MALFORMED,     /* it is none, or its fields lie */
  GST_PACO_RTP_CONTRADICTING, /* to others of the frame, or overlaps them */
  GST_PACO_RTP_OVERSIZED,     /* its frame is larger than is allowed */
  GST_PACO_RTP_EARLY,         /* far beyond what has come of its frame */
  GST_PACO_RTP_N_FATES,
} GstPacoRtpFate;

/* A packet of parity. */
typedef struct
{
  GstBuffer *symbol;
  guint8 row;
  guint16
      before; /* the row of the group that came before: its number + 1, or 0 */
} GstPacoRtpRow;

/* Bytes that have not come: begin <= at < end. */
typedef struct
{
  guint32 begin, end;
} GstPacoRtpHole;

/* A frame that is being put together. If it is all zeros, it is not in use. */
typedef struct
{
  gboolean active;
  guint16 number;
  guint32 size; /* bytes */
  GstClockTime pts, dts;
  guint recovered; /* symbols that parity has given back */
  gboolean ended;  /* nothing more of it is expected */

  guint32 trusted;  /* bytes that it may have before any of them have come */
  guint64 received; /* bytes of packets that were taken, parity among them */
  GstAllocator *allocator; /* a reference */
  GstBuffer *buffer;
  GstMapInfo map; /* the frame's first bytes: all, unless it is large */
  GArray *holes;  /* of GstPacoRtpHole, in order */

  /* These are set once there is parity; n_groups is 0 before. */
  guint32 protected_size, symbol_size, n_symbols, n_groups;
  guint n_rows;
  GArray *parity; /* of GstPacoRtpRow */
  guint16
      last_row[GST_PACO_RTP_MAX_GROUPS]; /* of a group: its number + 1, or 0 */
} GstPacoRtpFrame;

/* Begins the frame of this packet's header. One of up to `trusted` bytes, or of a few
 * megabytes, gets all of its memory from allocator at once; that of a larger one grows
 * with what comes. FALSE if there is no memory. */
gboolean gst_paco_rtp_frame_begin (GstPacoRtpFrame *frame,
    const GstPacoRtpHeader *header, guint32 trusted, GstAllocator *allocator);

/* Takes a packet with size bytes at body after its header. If its parity may be needed,
 * `packet`, whose memory from body_offset on is the body, is kept. */
GstPacoRtpFate gst_paco_rtp_frame_add (GstPacoRtpFrame *frame,
    const GstPacoRtpHeader *header, const guint8 *body, gsize size,
    GstBuffer *packet, gsize body_offset);

static inline gboolean
gst_paco_rtp_frame_is_whole (const GstPacoRtpFrame *frame)
{
  return frame->holes->len == 0;
}

/* Says whether all bytes of the part that has parity are there. */
gboolean gst_paco_rtp_frame_is_safe (const GstPacoRtpFrame *frame);

/* Needed only if data came after parity. */
void gst_paco_rtp_frame_restore (GstPacoRtpFrame *frame);

/* Returns how many bytes at its beginning are there. */
guint32 gst_paco_rtp_frame_head (const GstPacoRtpFrame *frame);

/* Makes room for all bytes of a frame that has holes. Returns FALSE if so few bytes have
 * come that the rest is not worth the work, or if there is no memory. */
gboolean gst_paco_rtp_frame_extend (GstPacoRtpFrame *frame);

/* Fills the holes of a frame that was extended so that decoders find all blocks with
 * lost bytes broken, and returns their number. blocks must have checks. */
guint gst_paco_rtp_frame_fill (
    GstPacoRtpFrame *frame, const GstPacoRtpBlocks *blocks);

GstBuffer *gst_paco_rtp_frame_steal (GstPacoRtpFrame *frame);
void gst_paco_rtp_frame_drop (GstPacoRtpFrame *frame);
void gst_paco_rtp_frame_clear (GstPacoRtpFrame *frame);
