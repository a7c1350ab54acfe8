/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds out how a deflate stream (RFC 1951) was made, so that it can be made again
 * bit by bit. png.c calls it.
 *
 * What zlib's deflate() writes depends on its input and on four settings, but not on
 * how the input is cut up, with two exceptions. If nothing is compressed (level 0), the
 * sizes of the stored blocks are kept, whatever program made them. With Z_HUFFMAN_ONLY
 * and less than memory + 7 bits of window, a block that is best stored may have left the
 * window: only streams of an input in one piece are made again. Streams of other
 * programs than zlib cannot be made again. */
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
 * runs (paco_runs_add()). Returns FALSE if no settings are found. */
gboolean paco_deflate_find (const guint8 *plain, gsize plain_size,
    const guint8 *stream, gsize stream_size, const guint8 header[2],
    gboolean filtered, PacoDeflate *settings, GByteArray *blocks);

/* Returns what the header of a zlib stream (RFC 1950) says of a level, as zlib and
 * libdeflate write it. */
static inline guint
paco_deflate_promise (guint level)
{
  return level < 2 ? 0 : level < 6 ? 1 : level == 6 ? 2 : 3;
}

/* Returns how many bytes n stored blocks take that hold `stored` bytes in all. */
guint64 paco_deflate_stored_size (guint64 n, guint64 stored);

/* Appends the stream, of at most max_size bytes, to `to`. `blocks` are n_blocks
 * runs. Returns FALSE if the settings or the blocks are impossible, or the stream
 * is longer. */
gboolean paco_deflate_make (const PacoDeflate *settings, const guint8 *blocks,
    guint32 n_blocks, const guint8 *plain, gsize plain_size, gsize max_size,
    GByteArray *to);

#define PACO_RUN_SIZE 8 /* bytes of a run */

/* Appends a number; a list begins at byte `start` of `runs`. */
void paco_runs_add (GByteArray *runs, guint start, guint32 number);

/* Counts the numbers of n_runs runs at p, and adds them up. Returns FALSE if a run is
 * empty, which no list has, or the count or the sum is above `most`. */
gboolean paco_runs_sum (const guint8 *p, guint32 n_runs, guint64 most,
    guint64 *n_numbers, guint64 *sum);

/* A list that is being read. */
typedef struct
{
  const guint8 *p;
  guint32 n_runs;
  guint32 left; /* of the run at p */
} PacoRuns;

/* Begins to read n_runs runs at p. */
void paco_runs_begin (PacoRuns *runs, const guint8 *p, guint32 n_runs);
/* Reads the next number. Returns FALSE at the end. */
gboolean paco_runs_next (PacoRuns *runs, guint32 *number);

typedef struct
{
  gboolean last;
  gboolean coded;   /* FALSE: a stored block. */
  gboolean dynamic; /* The block has Huffman codes of its own. */
  guint32 symbols;  /* Literals and matches of a coded block. */
  guint32 distance; /* The largest distance of a match, 0 without a match. */
  guint64 size;     /* Bytes that the block becomes. */
} PacoDeflateBlock;

typedef struct PacoDeflateReader PacoDeflateReader;

/* `stream` must stay valid as long as the reader. It may hold any bytes. */
PacoDeflateReader *paco_deflate_reader_new (const guint8 *stream, gsize size);
void paco_deflate_reader_free (PacoDeflateReader *reader);

/* Reads the next block. It returns FALSE if the stream is broken there, or if the
 * block has more than PACO_DEFLATE_MAX_SYMBOLS symbols. */
gboolean paco_deflate_reader_next (
    PacoDeflateReader *reader, PacoDeflateBlock *block);

/* zlib writes at most 32767 symbols to a block. libdeflate writes about 300,000 bytes
 * to one, and never as many as these. */
#define PACO_DEFLATE_MAX_LIBDEFLATE (1 << 19)
#define PACO_DEFLATE_MAX_SYMBOLS PACO_DEFLATE_MAX_LIBDEFLATE
