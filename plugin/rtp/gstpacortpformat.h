/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The header that each RTP payload begins with (docs/RTP.md section 3), for
 * rtppacopay, which writes it, and rtppacodepay, which reads it; and what both read
 * of a frame: its header, and where the bytes of its codeblocks are. rtppacopay cuts
 * frames between blocks, and rtppacodepay marks those blocks as broken of which bytes
 * were lost. */
#pragma once
#include "codec/index.h"
#include <gst/gst.h>

enum
{
  GST_PACO_RTP_VERSION = 0,
  GST_PACO_RTP_CLOCK_RATE = 90000,

  /* Bytes of each kind of header. */
  GST_PACO_RTP_DATA_HEADER = 12,
  GST_PACO_RTP_PARITY_HEADER = 16,

  /* This is about the part of a frame that parity protects. A group has at most
   * as many symbols, and as many rows of parity. */
  GST_PACO_RTP_GROUP = 128,
  GST_PACO_RTP_MAX_GROUPS = 256,
  GST_PACO_RTP_MAX_SYMBOLS = GST_PACO_RTP_GROUP * GST_PACO_RTP_MAX_GROUPS,
};

#define GST_PACO_RTP_ENCODING_NAME "X-PACO"

typedef enum
{
  GST_PACO_RTP_DATA,
  GST_PACO_RTP_PARITY,
} GstPacoRtpKind;

typedef struct
{
  GstPacoRtpKind kind;
  guint16 frame;      /* its number */
  guint32 frame_size; /* bytes */
  guint32 offset;     /* data: of its bytes in the frame */

  /* The header of a packet of parity has these. */
  guint32 protected_size; /* bytes at the frame's begin */
  guint8 row, n_rows;
  guint8 group;
} GstPacoRtpHeader;

static inline gsize
gst_paco_rtp_header_size (GstPacoRtpKind kind)
{
  return kind == GST_PACO_RTP_PARITY ? GST_PACO_RTP_PARITY_HEADER
                                     : GST_PACO_RTP_DATA_HEADER;
}

static inline void
gst_paco_rtp_header_write (const GstPacoRtpHeader *header, guint8 *data)
{
  data[0] = GST_PACO_RTP_VERSION << 4 | header->kind;
  data[1] = 0;
  GST_WRITE_UINT16_BE (data + 2, header->frame);
  GST_WRITE_UINT32_BE (data + 4, header->frame_size);
  if (header->kind == GST_PACO_RTP_DATA) {
    GST_WRITE_UINT32_BE (data + 8, header->offset);
    return;
  }
  GST_WRITE_UINT32_BE (data + 8, header->protected_size);
  data[12] = header->row;
  data[13] = header->n_rows;
  data[14] = header->group;
  data[15] = 0;
}

/* Returns FALSE if the payload has no byte of body, or another version or kind. Does
 * not check the values of the fields. */
static inline gboolean
gst_paco_rtp_header_read (
    GstPacoRtpHeader *header, const guint8 *data, gsize size)
{
  if (size <= GST_PACO_RTP_DATA_HEADER || data[0] >> 4 != GST_PACO_RTP_VERSION)
    return FALSE;
  *header = (GstPacoRtpHeader){
    .kind = data[0] & 15,
    .frame = GST_READ_UINT16_BE (data + 2),
    .frame_size = GST_READ_UINT32_BE (data + 4),
  };
  if (header->kind == GST_PACO_RTP_DATA) {
    header->offset = GST_READ_UINT32_BE (data + 8);
    return TRUE;
  }
  if (header->kind != GST_PACO_RTP_PARITY || size <= GST_PACO_RTP_PARITY_HEADER)
    return FALSE;
  header->protected_size = GST_READ_UINT32_BE (data + 8);
  header->row = data[12];
  header->n_rows = data[13];
  header->group = data[14];
  return TRUE;
}

/* The last symbol is filled up. */
static inline guint32
gst_paco_rtp_n_symbols (guint32 size, guint32 symbol_size)
{
  return (size + (guint64) symbol_size - 1) / symbol_size;
}

static inline guint32
gst_paco_rtp_n_groups (guint32 n_symbols)
{
  return (n_symbols + GST_PACO_RTP_GROUP - 1) / GST_PACO_RTP_GROUP;
}

/* --- frames --- */

/* Header and index of a frame. If it is all zeros, no frame has been read. */
typedef struct
{
  PacoHeader header;
  PacoGeometry *geometry;   /* of frames like that of header */
  PacoBlockRecord *records; /* geometry->n_blocks */
} GstPacoRtpBlocks;

void gst_paco_rtp_blocks_clear (GstPacoRtpBlocks *blocks);

/* Reads header and index of a frame of which the first size bytes are at data. Error
 * CORRUPT if the index is not whole or the frame has another size. */
gboolean gst_paco_rtp_blocks_read (GstPacoRtpBlocks *blocks, const guint8 *data,
    gsize size, guint32 frame_size, GError **error);

static inline guint32
gst_paco_rtp_blocks_payload (const GstPacoRtpBlocks *blocks)
{
  return blocks->header.header_size + blocks->header.index_size;
}
