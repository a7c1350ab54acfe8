/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Puts a frame together from packets, in any order (docs/RTP.md sections 3 and 4):
 * it is told which bytes have come, refuses packets that contradict others, and
 * restores lost ones from parity. rtppacodepay has two such frames.
 *
 * Packets are data from the network: whatever they say, a frame takes no more memory
 * than the limit given, and looks at no bytes but its own. */
#pragma once
#include "gstpacortpblocks.h"
#include "gstpacortpformat.h"

G_BEGIN_DECLS

/* Says what has become of a packet. */
typedef enum
{
  GST_PACO_RTP_TAKEN,
  GST_PACO_RTP_DUPLICATE,     /* its bytes were there, or nothing is missing */
  GST_PACO_RTP_LATE,          /* its frame is finished */
  GST_PACO_RTP_MALFORMED,     /* it is none, or its fields lie */
  GST_PACO_RTP_CONTRADICTING, /* to others of the frame, or overlaps them */
  GST_PACO_RTP_OVERSIZED,     /* its frame is larger than is allowed */
  GST_PACO_RTP_N_FATES,
} GstPacoRtpFate;

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

  GstBuffer *buffer;
  GstMapInfo map;
  GArray *holes; /* of GstPacoRtpHole, in order */

  /* These are set once there is parity. */
  guint32 protected_size, symbol_size, n_symbols, n_groups;
  guint n_rows;
  GstBuffer **parity; /* row * n_groups + group: a symbol, or NULL */
} GstPacoRtpFrame;

/* Begins the frame of this header, which is that of any of its packets. Its
 * memory comes from allocator. Returns FALSE if there is none. */
gboolean gst_paco_rtp_frame_begin (GstPacoRtpFrame *frame,
    const GstPacoRtpHeader *header, GstAllocator *allocator);

/* Takes a packet with the frame's number: size bytes at body, behind its header.
 * If the packet has parity that may be needed, the buffer `packet`, whose memory
 * from body_offset on is the body, is kept. */
GstPacoRtpFate gst_paco_rtp_frame_add (GstPacoRtpFrame *frame,
    const GstPacoRtpHeader *header, const guint8 *body, gsize size,
    GstBuffer *packet, gsize body_offset);

/* Says whether all bytes are there. */
static inline gboolean
gst_paco_rtp_frame_is_whole (const GstPacoRtpFrame *frame)
{
  return frame->holes->len == 0;
}

/* Says whether all bytes of the part that has parity are there. */
gboolean gst_paco_rtp_frame_is_safe (const GstPacoRtpFrame *frame);

/* Tries to restore what is missing of that part. A call is needed only if data
 * came after parity. */
void gst_paco_rtp_frame_restore (GstPacoRtpFrame *frame);

/* Returns how many bytes at its beginning are there. */
guint32 gst_paco_rtp_frame_head (const GstPacoRtpFrame *frame);

/* Fills in what is missing, so that a decoder finds all codeblocks with lost bytes
 * broken, and returns how many there are. blocks are those of this frame, which must
 * have checks. */
guint gst_paco_rtp_frame_fill (
    GstPacoRtpFrame *frame, const GstPacoRtpBlocks *blocks);

/* Ends the frame and returns its buffer, which is the caller's. */
GstBuffer *gst_paco_rtp_frame_steal (GstPacoRtpFrame *frame);
/* Ends the frame, if it is active, and drops it. */
void gst_paco_rtp_frame_drop (GstPacoRtpFrame *frame);
/* Frees the memory that an ended frame has kept for the next one. */
void gst_paco_rtp_frame_clear (GstPacoRtpFrame *frame);

G_END_DECLS
