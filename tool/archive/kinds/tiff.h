/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Lets libtiff read and write TIFF files in memory. tiff_picture.c reads and
 * tiff_segments.c writes through it. Nothing is printed: libtiff's messages are
 * kept. */
#pragma once
#include "lib/paco.h"
#include <glib.h>
#include <tiffio.h>

/* Bytes of a file, from start up to end. */
typedef struct
{
  guint64 start, end;
} PacoTiffHole;

typedef struct
{
  const guint8 *data; /* of a file that is read; NULL: it is open as fd */
  int fd;
  gboolean mapped; /* libtiff reads them where they are */
  const PacoTiffHole *holes;
  guint n_holes;
  GByteArray *to; /* of one that is written; NULL otherwise */
  guint64 size, at;
  char message[256]; /* libtiff's first error; "" without one */
} PacoTiffMemory;

/* Opens the file, which libtiff does not change. Returns NULL if libtiff refuses
 * it. */
TIFF *paco_tiff_read (PacoTiffMemory *memory, const guint8 *data, gsize size);
/* Opens the file for its directories only. libtiff sees zeros in the holes, which
 * are in the order of the file. */
TIFF *paco_tiff_read_directories (PacoTiffMemory *memory, const guint8 *data,
    gsize size, const PacoTiffHole *holes, guint n_holes);
/* Opens the directories of a file that is open, and stays so. */
TIFF *paco_tiff_read_open_file (PacoTiffMemory *memory, int fd, guint64 size);
/* Begins a file in `to`, which is made empty. */
TIFF *paco_tiff_write (
    PacoTiffMemory *memory, GByteArray *to, gboolean big_endian);

/* A strip or a tile, as bytes of the file. */
typedef struct
{
  guint64 offset, size;
} PacoTiffSegment;

typedef struct
{
  guint32 width, height;
  guint16 n_components, depth;
  guint16 format; /* what samples are: SAMPLEFORMAT_UINT, INT or IEEEFP */
  guint16 photometric, compression, predictor;
  guint16 extra;       /* what the last component is, if it is no colour */
  gboolean big_endian; /* the file */
  gboolean separate;   /* each component has segments of its own */
  gboolean tiled;
  guint32 segment_width, segment_height; /* of a tile; lines of a strip */
  guint32 n_segments, n_pages;
  PacoTiffSegment *segments;
  double resolution[2]; /* across and down, 0: unknown */
  guint16 orientation;
} PacoTiffPicture;

/* A part of the picture that a segment holds. */
typedef struct
{
  guint plane; /* 0, or with `separate` the component */
  guint32 x, y, width, height;
  /* These are of the uncompressed segment. A tile goes beyond the picture's
   * edges. */
  gsize line_bytes;
  guint32 lines;
} PacoTiffPart;

/* Reads what the file says, with zeros in its holes, and refuses what PaCo cannot
 * code. *picture has to be given to paco_tiff_picture_clear(), also after an
 * error. */
gboolean paco_tiff_picture_read (PacoTiffPicture *picture, const guint8 *bytes,
    gsize size, const PacoTiffHole *holes, guint n_holes, GError **error);
/* Does the same for a file that is open, of which only what is needed is read. */
gboolean paco_tiff_picture_look (
    PacoTiffPicture *picture, int fd, guint64 size, GError **error);
gboolean paco_tiff_picture_equal (
    const PacoTiffPicture *a, const PacoTiffPicture *b);
void paco_tiff_picture_clear (PacoTiffPicture *picture);

/* Returns segment i, 0..n_segments - 1. */
PacoTiffPart paco_tiff_part (const PacoTiffPicture *picture, guint32 i);
/* Returns how many bytes the first `columns` samples of a line of the picture
 * have, or of a line of one of its components with `separate`. */
gsize paco_tiff_line_bytes (const PacoTiffPicture *picture, guint32 columns);
/* Returns how many bytes all samples have, without gaps: line by line, with
 * `separate` component by component. */
gsize paco_tiff_bytes (const PacoTiffPicture *picture);
/* Says whether the uncompressed samples of each plane are one behind the other in the
 * file, without gaps. */
gboolean paco_tiff_is_contiguous (const PacoTiffPicture *picture);

void paco_tiff_tell_info (const PacoTiffPicture *picture, PacoInfo *info);
/* Says where samples are, in the order that paco_tiff_bytes() has, or for a
 * contiguous picture in the file. Those of 16 bits have the order of the file's
 * bytes (big_endian). */
void paco_tiff_place_image (const PacoTiffPicture *picture, gboolean in_file,
    gboolean big_endian, guint8 *memory, PacoImage *image);

/* The programs that compress the segments of a file by Deflate. */
enum
{
  PACO_TIFF_ZLIB = 0,
  PACO_TIFF_LIBDEFLATE = 1,
  /* A program that gives lines to a libtiff with libdeflate, which can have whole
   * strips only: a strip of one line is of libdeflate, others are of zlib. */
  PACO_TIFF_LINES = 2,
};

/* Says how segments are compressed, beyond what the file's tags say. */
typedef struct
{
  guint8 codec;
  guint8 level; /* 1..9 of zlib, 1..12 of the others; 0: it is not Deflate */
} PacoTiffSettings;

gsize paco_tiff_padding_bytes (const PacoTiffPicture *picture);

/* Takes samples and padding of all segments out of the file. */
gboolean paco_tiff_take (const PacoTiffPicture *picture, const guint8 *bytes,
    gsize size, guint8 *samples, guint8 *padding, GError **error);
/* Puts samples and padding that are not compressed into the file. */
void paco_tiff_put (const PacoTiffPicture *picture, const guint8 *samples,
    const guint8 *padding, guint8 *file);

/* Finds settings with which libtiff makes exactly the compressed segments of the
 * file; they are the same for equal files. *crc is the CRC-32 of all of them.
 * Returns FALSE if there are none. */
gboolean paco_tiff_find (const PacoTiffPicture *picture, const guint8 *bytes,
    const guint8 *samples, const guint8 *padding, PacoTiffSettings *settings,
    guint32 *crc);
/* Compresses the segments into the file. Returns FALSE if they have not the sizes
 * that it says, or another CRC. */
gboolean paco_tiff_compress (const PacoTiffPicture *picture,
    const PacoTiffSettings *settings, const guint8 *samples,
    const guint8 *padding, guint32 crc, guint8 *file);
