/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finding frames in bytes that may be anything. gstpacosplitter.c asks it about
 * bytes that are pushed, gstpacoparse.c about those of packets and files.
 *
 * The work is linear whatever the bytes are: what has been looked at is
 * remembered from one call to the next, and headers are checked only as long as
 * all of them together stay below some times the bytes that were passed. */
#pragma once
#include "codec/header.h"

G_BEGIN_DECLS

/* No frame is larger: GstBaseParse counts in int, and some more bytes are asked
 * for at times. */
#define GST_PACO_MAX_FRAME_SIZE (G_MAXINT - 4096)
#define GST_PACO_DEFAULT_MAX_WAIT_SIZE (256 << 20)

typedef enum
{
  GST_PACO_SYNC_FRAME,   /* the bytes begin with a frame of *size bytes */
  GST_PACO_SYNC_GARBAGE, /* the first *size bytes belong to no whole frame */
  GST_PACO_SYNC_MORE,    /* a frame may begin here: *size bytes would tell */
} GstPacoSyncResult;

typedef struct
{
  /* Bytes of the largest frame that is waited for in a stream of bytes; it may
   * change at any time. */
  gsize max_wait_size;

  /* The work so far, in bytes: of headers checked and of what was searched for
   * the beginning of one. */
  guint64 checked, searched;

  /* Where the stream began, and what was asked about last. */
  guint64 origin, asked_at;
  /* Bytes of the headers checked, each counted once, and up to where they are
   * counted. */
  guint64 paid, paid_to;
  /* A header that was found good, and where. */
  gboolean known;
  guint64 known_at;
  PacoHeader header;
  /* The frame being doubted, and up to where no other begins in it. */
  guint64 doubted_at;
  gsize doubted_to;
} GstPacoSync;

/* For a stream that begins at offset. Keeps max_wait_size. */
void gst_paco_sync_reset (GstPacoSync *sync, guint64 offset);

/* What `available` bytes at data, which stand at offset in the stream, begin
 * with. A stream is asked about in order, byte after byte; where the offset
 * jumps back it is another stream. last: no more bytes will follow. framed: the
 * bytes are a packet, so that a frame need not be doubted because none follows,
 * and is there already, however large. FRAME: sync->header is the frame's;
 * GARBAGE sets *reason (may be NULL). */
GstPacoSyncResult gst_paco_sync_next (GstPacoSync *sync, guint64 offset,
    const guint8 *data, gsize available, gboolean last, gboolean framed,
    gsize *size, GError **reason);

G_END_DECLS
