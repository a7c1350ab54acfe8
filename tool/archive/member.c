/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes and reads pieces of members (member.h). */
#include "tool/archive/member.h"
#include "codec/bytes.h"
#include "lib/paco.h"
#include <string.h>
#include <zlib.h>

enum
{
  PIECE_HEAD = 60, /* before the name */
  FORM_INVERTED = 0,
  FORM_ZLIB = 1,
  FLAG_MD5 = 1,
  SAMPLE = 1 << 16, /* bytes that are compressed to see whether that pays */
};

/* --- writing ------------------------------------------------------------ */

/* Compresses bytes to `to`, which has room for as many. Returns how many they become, or
 * 0 if that is no fewer. */
static gsize
compress_to (const guint8 *plain, gsize size, guint8 *to)
{
  uLongf sample = compressBound (SAMPLE), coded = size;
  guint8 tried[SAMPLE + SAMPLE / 64];

  if (size > 4 * SAMPLE
      && (compress2 (tried, &sample, plain, SAMPLE, 1) != Z_OK
          || sample > SAMPLE - SAMPLE / 16))
    return 0;
  return compress2 (to, &coded, plain, size, 6) == Z_OK && coded < size ? coded
                                                                        : 0;
}

static void
invert (const guint8 *from, gsize size, guint8 *to)
{
  for (gsize i = 0; i < size; i++)
    to[i] = (guint8) ~from[i];
}

void
paco_member_piece_write (
    const PacoMemberPiece *piece, const guint8 *plain, GByteArray *to)
{
  gsize head = PIECE_HEAD + piece->name_length, coded;
  guint before = to->len;
  guint8 *p;

  g_byte_array_set_size (to, before + (guint) (head + piece->plain));
  p = to->data + before;
  coded = compress_to (plain, piece->plain, p + head);
  if (coded == 0)
    invert (plain, piece->plain, p + head);
  memset (p, 0, PIECE_HEAD);
  paco_put64 (paco_put64 (p, piece->size), piece->offset);
  paco_put32 (p + 16, piece->plain);
  paco_put32 (p + 20, coded > 0 ? (guint32) coded : piece->plain);
  p[24] = coded > 0 ? FORM_ZLIB : FORM_INVERTED;
  p[25] = piece->checksums.has_md5 ? FLAG_MD5 : 0;
  paco_put16 (p + 26, (guint16) piece->name_length);
  memcpy (p + 28, piece->checksums.xxh3, PACO_CHECKSUM_SIZE);
  if (piece->checksums.has_md5)
    memcpy (p + 44, piece->checksums.md5, PACO_CHECKSUM_SIZE);
  memcpy (p + PIECE_HEAD, piece->name, piece->name_length);
  if (coded > 0)
    g_byte_array_set_size (to, before + (guint) (head + coded));
}

/* --- reading ------------------------------------------------------------ */

static gboolean
broken (GError **error)
{
  return paco_source_fail (error, PACO_SOURCE_BROKEN,
      "what the frame keeps of files that are no frames (chunk 17, and the "
      "attachment) is broken");
}

gboolean
paco_member_pieces_begin (
    const void *data, gsize size, PacoMemberPieces *pieces, GError **error)
{
  const void *attachment;
  size_t attached;
  PacoError failure;

  *pieces = (PacoMemberPieces){ 0 };
  if (!paco_member_count_read (data, size, &pieces->count)
      || pieces->count.n_pieces == 0)
    return TRUE;
  if (paco_frame_attachment (data, size, &attachment, &attached, &failure)
      != PACO_STATUS_OK)
    return paco_source_fail (error, PACO_SOURCE_BROKEN, "%s", failure.message);
  if (!attachment || pieces->count.bytes > attached)
    return broken (error);
  pieces->end = (const guint8 *) attachment + attached;
  pieces->at = pieces->end - pieces->count.bytes;
  pieces->left = pieces->count.n_pieces;
  return TRUE;
}

gboolean
paco_member_pieces_next (
    PacoMemberPieces *pieces, PacoMemberPiece *piece, GError **error)
{
  const guint8 *p = pieces->at;
  gsize left = (gsize) (pieces->end - p);

  if (pieces->left == 0)
    return left != 0 && broken (error);
  if (left < PIECE_HEAD)
    return broken (error);
  *piece = (PacoMemberPiece){
    .name = (const char *) p + PIECE_HEAD,
    .name_length = paco_get16 (p + 26),
    .size = paco_get64 (p),
    .offset = paco_get64 (p + 8),
    .plain = paco_get32 (p + 16),
    .coded = paco_get32 (p + 20),
    .form = p[24],
    .checksums.has_md5 = (p[25] & FLAG_MD5) != 0,
  };
  memcpy (piece->checksums.xxh3, p + 28, PACO_CHECKSUM_SIZE);
  memcpy (piece->checksums.md5, p + 44, PACO_CHECKSUM_SIZE);
  left -= PIECE_HEAD;
  if (left < piece->name_length || left - piece->name_length < piece->coded
      || !paco_kept_name_is_good (piece->name, piece->name_length)
      || piece->plain > PACO_MEMBER_PIECE || piece->offset > piece->size
      || piece->plain > piece->size - piece->offset
      || (piece->plain == 0 && piece->size > 0) || piece->form > FORM_ZLIB)
    return broken (error);
  piece->data = p + PIECE_HEAD + piece->name_length;
  pieces->at = piece->data + piece->coded;
  pieces->left--;
  return TRUE;
}

gboolean
paco_member_piece_decode (
    const PacoMemberPiece *piece, guint8 *plain, GError **error)
{
  uLongf size = piece->plain;

  if (piece->form == FORM_INVERTED && piece->coded == piece->plain) {
    invert (piece->data, piece->plain, plain);
    return TRUE;
  }
  return (piece->form == FORM_ZLIB
             && uncompress (plain, &size, piece->data, piece->coded) == Z_OK
             && size == piece->plain)
      || broken (error);
}
