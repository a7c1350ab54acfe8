/* SPDX-License-Identifier: LGPL-2.1-or-later
 * OpenEXR files for exr.c: what their headers say (exr_header.c), and their chunks, which
 * are made again by the bytes of their samples (exr_chunk.c, exr_piz.c). */
#pragma once
#include "tool/archive/source.h"

enum
{
  PACO_EXR_CHANNELS = 128, /* of a file, at most */
  PACO_EXR_CHUNK_HEAD = 8,
  PACO_EXR_PART_HEAD = 4,      /* before it, if there are parts: which one */
  PACO_EXR_MULTIPART = 0x1000, /* a flag of the file's version */
};

/* Instead of which part of a file: the first one whose picture can be taken. */
#define PACO_EXR_FIRST G_MAXUINT32

typedef enum
{
  PACO_EXR_NONE,
  PACO_EXR_RLE,
  PACO_EXR_ZIPS,
  PACO_EXR_ZIP,
  PACO_EXR_PIZ,
} PacoExrCompression;

typedef struct
{
  const char *name;
  guint bytes; /* of a sample */
  gboolean half;
  guint xs, ys;  /* subsampling, 1 or 2 */
  int component; /* of the picture; -1: none */
  guint32 width, height;
} PacoExrChannel;

/* A file of one part, or a part of a file, whose lines are in chunks. */
typedef struct
{
  gboolean multipart;
  guint32 part, n_parts;
  gsize part_at, part_size; /* With multipart: where its header is. */
  gint32 y;                 /* of the first line */
  guint32 width, height;
  PacoExrCompression compression;
  guint chunk_lines;
  gboolean falling; /* Chunks are in falling order. */
  guint n_channels;
  PacoExrChannel channels[PACO_EXR_CHANNELS]; /* in the order of the file */
  guint n_components;
  gboolean rgb;
  guint fps_n, fps_d, par_n, par_d; /* 0: unknown */
  gsize header_size;  /* bytes of all headers, before the tables of chunks */
  gsize table;        /* where its table is */
  guint64 tables_end; /* and where all of them end */
  guint chunk_head;
  guint32 n_chunks;
} PacoExrPicture;

/* Reads the header of that part. Names point into the bytes. Returns FALSE and an error of
 * PACO_SOURCE_ERROR if it is broken, or has something else than such a picture. */
gboolean paco_exr_read_header (const guint8 *bytes, gsize size, guint32 part,
    PacoExrPicture *picture, GError **error);
void paco_exr_tell_info (const PacoExrPicture *picture, PacoInfo *info);

/* Returns the lines of a chunk: *first is the first one, counted from 0. */
guint32 paco_exr_chunk_lines (
    const PacoExrPicture *picture, guint32 chunk, guint32 *first);
/* Returns whether the channel has samples in that line. */
gboolean paco_exr_has_line (
    const PacoExrPicture *picture, const PacoExrChannel *channel, guint32 line);
/* Returns the bytes of a chunk before compression, and of the largest one. */
gsize paco_exr_chunk_bytes (const PacoExrPicture *picture, guint32 chunk);

/* These are cut() and stand_in() of the kind (exr_parts.c). */
guint paco_exr_cut (int fd, guint64 file_size, GArray *sections);
gboolean paco_exr_stand_in (int fd, guint64 file_size,
    const PacoSection *section, GByteArray *head, GError **error);
/* Reads the header from a file, as much of it as headers have. */
gboolean paco_exr_look (int fd, guint64 file_size, guint32 part,
    PacoExrPicture *picture, GByteArray *bytes, GError **error);
/* Returns which chunk is the n-th one of the file. */
guint32 paco_exr_chunk_at (const PacoExrPicture *picture, guint32 n);

/* Uncompresses a chunk to `raw`, of `raw_size` bytes. PIZ appends the table of codes to
 * `tables`. Returns FALSE if it is broken. */
gboolean paco_exr_uncompress (const PacoExrPicture *picture, guint32 chunk,
    const guint8 *bytes, gsize size, guint8 *raw, gsize raw_size,
    GByteArray *tables);
/* Compresses a chunk to `to`, which is emptied; a chunk that does not become smaller is
 * copied. `level` is zlib's; for PIZ it is 1 if repeats are counted as older programs do it. PIZ takes its table from *tables, up to `end`, which moves
 * on. Returns FALSE if the table is not one of these samples. */
gboolean paco_exr_compress (const PacoExrPicture *picture, guint32 chunk,
    const guint8 *raw, gsize raw_size, guint level, const guint8 **tables,
    const guint8 *end, GByteArray *to);

gboolean paco_exr_piz_uncompress (const PacoExrPicture *picture, guint32 chunk,
    const guint8 *bytes, gsize size, guint8 *raw, gsize raw_size,
    GByteArray *tables);
gboolean paco_exr_piz_compress (const PacoExrPicture *picture, guint32 chunk,
    const guint8 *raw, gsize raw_size, gboolean fixed_runs,
    const guint8 **tables, const guint8 *end, GByteArray *to);
