/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads the blocks of a deflate stream (RFC 1951) without decompressing it: how many
 * symbols each block has, and how far back its matches reach. These numbers show which
 * programs and settings cannot have written the stream. deflate.c and tiff_segments.c
 * call it. */
#pragma once
#include <glib.h>

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
