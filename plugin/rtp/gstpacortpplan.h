/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Plans how a frame is cut into packets, and how much of it parity protects, which
 * docs/RTP.md leaves to the sender. rtppacopay follows the plan. */
#pragma once
#include "gstpacortpblocks.h"
#include "gstpacortpformat.h"

G_BEGIN_DECLS

/* The bytes of a frame that a packet has. */
typedef struct
{
  guint32 offset, size;
} GstPacoRtpPiece;

typedef struct
{
  GArray *pieces; /* of GstPacoRtpPiece, the whole frame in order */

  /* The part that parity protects is the first protected_size bytes. The first
   * n_symbols pieces are its symbols. */
  guint32 protected_size, symbol_size;
  guint32 n_symbols, n_groups;
  guint n_rows; /* of parity, for each group; 0: there is none */
} GstPacoRtpPlan;

void gst_paco_rtp_plan_init (GstPacoRtpPlan *plan);
void gst_paco_rtp_plan_clear (GstPacoRtpPlan *plan);

/* A frame cannot be cut for less `room`. */
#define GST_PACO_RTP_LEAST_ROOM 64

/* Plans the packets of the frame of `blocks`, whose index has been read. room is how
 * many bytes a packet has for the payload with its header, at least
 * GST_PACO_RTP_LEAST_ROOM. parity is how many packets of parity there are for 100
 * that it protects, 0..100. */
void gst_paco_rtp_plan_make (GstPacoRtpPlan *plan,
    const GstPacoRtpBlocks *blocks, guint room, guint parity);

G_END_DECLS
