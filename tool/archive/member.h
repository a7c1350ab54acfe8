/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes and reads the pieces of members: files of an archive that are no frames, and are
 * kept whole in the attachments of frames (FORMAT.md 3.1, chunk 17). archive_member.c
 * writes them; restore_member.c, info, verify and cut read them. */
#pragma once
#include "tool/archive/chunks.h"

enum
{
  PACO_MEMBER_PIECE = 1 << 22, /* bytes of a member in one piece, at most */
};

/* A piece of a member. */
typedef struct
{
  const char
      *name; /* relative, as that of a frame's file; not ended by a zero */
  gsize name_length;
  guint64 size;   /* of the member */
  guint64 offset; /* of the piece in it */
  guint32 plain;  /* bytes of the piece, */
  guint32 coded;  /* and of `data` */
  guint8 form;
  const guint8 *data;
  /* Of the member up to the end of the piece; the MD5 of the whole member, in its last
   * piece. */
  PacoChecksums checksums;
} PacoMemberPiece;

static inline gboolean
paco_member_piece_is_last (const PacoMemberPiece *piece)
{
  return piece->offset + piece->plain == piece->size;
}

/* Codes `plain` bytes, compressed if that makes them smaller, and appends the piece to
 * `to`. Fields of *piece but coded, form and data say what it is. */
void paco_member_piece_write (
    const PacoMemberPiece *piece, const guint8 *plain, GByteArray *to);

/* The pieces of a frame, one after the other. */
typedef struct
{
  PacoMemberCount count;
  const guint8 *at, *end;
  guint32 left;
} PacoMemberPieces;

/* Begins to read the pieces of a whole frame. Returns FALSE and an error if its attachment
 * is damaged. */
gboolean paco_member_pieces_begin (
    const void *data, gsize size, PacoMemberPieces *pieces, GError **error);
/* Reads the next piece. Returns FALSE at the end, or with an error: PACO_SOURCE_ERROR,
 * BROKEN. */
gboolean paco_member_pieces_next (
    PacoMemberPieces *pieces, PacoMemberPiece *piece, GError **error);
/* Decodes the piece to piece->plain bytes. */
gboolean paco_member_piece_decode (
    const PacoMemberPiece *piece, guint8 *plain, GError **error);
