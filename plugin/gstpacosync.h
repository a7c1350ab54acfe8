/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finding frames in bytes that may be anything. */
#pragma once
#include "codec/header.h"

G_BEGIN_DECLS

typedef enum
{
  GST_PACO_SYNC_FRAME,   /* the bytes begin with a frame of *size bytes */
  GST_PACO_SYNC_GARBAGE, /* the first *size bytes belong to no whole frame */
  GST_PACO_SYNC_MORE,    /* a frame may begin here: *size bytes would tell */
} GstPacoSyncResult;

/* What `available` bytes at data begin with. last: no more bytes will follow.
 * framed: the bytes are a packet, so that a frame need not be doubted because
 * none follows. FRAME fills *header; GARBAGE sets *reason (may be NULL). */
GstPacoSyncResult gst_paco_sync (const guint8 *data, gsize available,
    gboolean last, gboolean framed, PacoHeader *header, gsize *size,
    GError **reason);

G_END_DECLS
