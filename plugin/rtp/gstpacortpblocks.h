/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads what a frame says of itself: its header, and where the bytes of its
 * codeblocks are. rtppacopay cuts frames between blocks, and rtppacodepay marks
 * those blocks as broken of which bytes were lost. */
#pragma once
#include "codec/index.h"
#include <gst/gst.h>

G_BEGIN_DECLS

/* Header and index of a frame. If it is all zeros, no frame has been read. */
typedef struct
{
  PacoHeader header;
  PacoGeometry *geometry;   /* of frames like that of header */
  PacoBlockRecord *records; /* geometry->n_blocks */
} GstPacoRtpBlocks;

void gst_paco_rtp_blocks_clear (GstPacoRtpBlocks *blocks);

/* Reads header and index of a frame of frame_size bytes, of which the first size
 * are at data. Errors: those of paco_header_parse() and paco_index_parse(), and
 * CORRUPT if index is not whole or the frame has another size. */
gboolean gst_paco_rtp_blocks_read (GstPacoRtpBlocks *blocks, const guint8 *data,
    gsize size, guint32 frame_size, GError **error);

/* Returns how many bytes lie before the payload. */
static inline guint32
gst_paco_rtp_blocks_payload (const GstPacoRtpBlocks *blocks)
{
  return blocks->header.header_size + blocks->header.index_size;
}

G_END_DECLS
