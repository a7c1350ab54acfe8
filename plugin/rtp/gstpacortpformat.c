/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads header and index of a frame for the RTP elements (gstpacortpformat.h). */
#include "gstpacortpformat.h"
#include "codec/error.h"

void
gst_paco_rtp_blocks_clear (GstPacoRtpBlocks *blocks)
{
  g_clear_pointer (&blocks->geometry, paco_geometry_free);
  g_clear_pointer (&blocks->records, g_free);
}

static gboolean
configure (GstPacoRtpBlocks *blocks, const PacoHeader *header, GError **error)
{
  gboolean known = blocks->geometry != NULL
      && paco_header_same_configuration (&blocks->header, header);

  blocks->header = *header;
  if (!known) {
    gst_paco_rtp_blocks_clear (blocks);
    blocks->geometry = paco_geometry_new (&header->picture, &header->coding);
  }
  /* Few bytes may claim a picture of gigabytes, but its index has a byte for each block. */
  if (header->index_size < blocks->geometry->n_blocks) {
    g_set_error (error, PACO_ERROR, PACO_ERROR_CORRUPT,
        "the frame's index of %u bytes is too small for %u codeblocks",
        header->index_size, blocks->geometry->n_blocks);
    return FALSE;
  }
  if (blocks->records == NULL)
    blocks->records = g_new (PacoBlockRecord, blocks->geometry->n_blocks);
  return TRUE;
}

gboolean
gst_paco_rtp_blocks_read (GstPacoRtpBlocks *blocks, const guint8 *data,
    gsize size, guint32 frame_size, GError **error)
{
  PacoHeader header;

  if (!paco_header_parse (data, size, &header, NULL, error))
    return FALSE;
  if (header.frame_size != frame_size
      || (gsize) header.header_size + header.index_size > size) {
    g_set_error (error, PACO_ERROR, PACO_ERROR_CORRUPT,
        "%zu of %u bytes are there of a frame of %u", size, frame_size,
        header.frame_size);
    return FALSE;
  }
  return configure (blocks, &header, error)
      && paco_index_parse_frame (
          data, &blocks->header, blocks->geometry, blocks->records, error);
}
