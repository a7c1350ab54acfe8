/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds out how a deflate stream (RFC 1951) was made, so that it can be made again
 * bit by bit. png.c calls it.
 *
 * What zlib's deflate() writes depends on its input and on four settings, but not on
 * how the input is cut up, unless nothing is compressed (level 0): then the sizes of
 * the stored blocks are kept, whatever program made them. Streams of other programs
 * than zlib cannot be made again. */
#pragma once
#include <glib.h>

/* The settings of deflateInit2(). */
typedef struct
{
  guint8 level;    /* 1..9; 0: stored blocks only */
  guint8 strategy; /* Z_DEFAULT_STRATEGY .. Z_FIXED */
  guint8 memory;   /* 1..9 */
  guint8 window;   /* 9..15 */
} PacoDeflate;

/* What the blocks of a stream show of the settings, if zlib wrote it. */
typedef struct
{
  guint16 impossible; /* Bit m: memory is not m. */
  gboolean matches,
      dynamic;        /* There are matches; Huffman codes of their own. */
  guint32 distance;   /* The largest distance of a match. */
  guint64 first_size; /* Bytes that the first block becomes. */
} PacoDeflateTraces;

#define PACO_DEFLATE_NO_MEMORY 0x3fe

/* Reads the stream's blocks: all, or those up to the first one with Huffman codes.
 * Returns FALSE if zlib writes no such blocks with any settings. */
gboolean paco_deflate_look (
    const guint8 *stream, gsize size, gboolean all, PacoDeflateTraces *traces);

/* Looks for settings with which `plain` becomes exactly `stream`, which has no
 * header of zlib's, and which the caller has decompressed to `plain`. The
 * settings that the two bytes of the header name and writers of PNG use are tried
 * first, always in the same order, so that equal files have equal settings. Settings
 * that the stream's blocks exclude are not tried, and each of the others is given up
 * at the first byte that differs. All in all at most 16 MiB, or 12 times plain_size
 * bytes if that is more, are compressed. With level 0 the sizes of the blocks are appended to `blocks` as
 * runs (runs.h). Returns FALSE if no settings are found. */
gboolean paco_deflate_find (const guint8 *plain, gsize plain_size,
    const guint8 *stream, gsize stream_size, const guint8 header[2],
    gboolean filtered, PacoDeflate *settings, GByteArray *blocks);

/* Returns how many bytes n stored blocks take that hold `stored` bytes in all. */
guint64 paco_deflate_stored_size (guint64 n, guint64 stored);

/* Appends the stream, of at most max_size bytes, to `to`. `blocks` are n_blocks
 * runs. Returns FALSE if the settings or the blocks are impossible, or the stream
 * is longer. */
gboolean paco_deflate_make (const PacoDeflate *settings, const guint8 *blocks,
    guint32 n_blocks, const guint8 *plain, gsize plain_size, gsize max_size,
    GByteArray *to);
