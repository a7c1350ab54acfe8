/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Lets libtiff read and write TIFF files in memory. tiff_picture.c and tiff_mosaic.c read
 * and tiff_segments.c writes through it. Nothing is printed: libtiff's messages are
 * kept. */
#pragma once
#include "tool/archive/source.h"
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
  /* What libtiff reads as the file's first bytes, if they are not its own. */
  guint8 header[16];
  guint header_size;
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
/* Opens the directories of a file that is open, and stays so. libtiff takes the one that
 * begins at that byte for the first one, unless it is 0: going there takes it as long as
 * all before it. */
TIFF *paco_tiff_read_open_file (
    PacoTiffMemory *memory, int fd, guint64 size, guint64 directory);
/* Begins a file in `to`, which is made empty. */
TIFF *paco_tiff_write (
    PacoTiffMemory *memory, GByteArray *to, gboolean big_endian);

/* Goes to the directory that begins at that byte of the file; 0: the first one, at which
 * a file is opened. */
gboolean paco_tiff_go_to (TIFF *tiff, guint64 directory);

/* A strip or a tile, as bytes of the file. */
typedef struct
{
  guint64 offset, size;
} PacoTiffSegment;

/* Column and line of a sample in a cell of a mosaic, 0 or 1. */
typedef struct
{
  guint8 x, y;
} PacoTiffPlace;

typedef struct
{
  guint64 directory; /* where it begins in the file; 0: it is the first one */
  guint64 next;      /* where the next page's begins; 0: none can be read */
  guint32 width, height;
  guint16 n_components,
      depth;      /* of the file's pixels; those of a mosaic have one */
  guint16 format; /* what samples are: SAMPLEFORMAT_UINT, INT or IEEEFP */
  guint16 photometric, compression, predictor;
  guint16 extra;       /* what the last component is, if it is no colour */
  gboolean big_endian; /* the file */
  gboolean separate;   /* each component has segments of its own */
  gboolean tiled;
  guint32 segment_width, segment_height; /* of a tile; lines of a strip */
  guint32 n_segments;
  guint32 n_pages; /* of a mosaic: pictures of sensors that the file has */
  PacoTiffSegment *segments;
  double resolution[2]; /* across and down, 0: unknown */
  guint16 orientation;
  gboolean
      is_thumbnail; /* of another picture, in a directory within this one */
  gboolean mosaic;  /* It is one, of a sensor with color filters. */
  PacoTiffPlace place[4]; /* of red, green beside it, green beside blue, blue */
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

/* Instead of where a directory begins: the first one that has a picture of a sensor at
 * full size, or, if none has, the first one of the file. */
#define PACO_TIFF_CHOOSE G_MAXUINT64

/* Reads what the file says in that directory, with zeros in its holes, and refuses what
 * PaCo cannot code. *picture has to be given to paco_tiff_picture_clear(), also after an
 * error. */
gboolean paco_tiff_picture_read (PacoTiffPicture *picture, guint64 directory,
    const guint8 *bytes, gsize size, const PacoTiffHole *holes, guint n_holes,
    GError **error);
/* Does the same for a file that is open, of which only what is needed is read. */
gboolean paco_tiff_picture_look (PacoTiffPicture *picture, guint64 directory,
    int fd, guint64 size, GError **error);
gboolean paco_tiff_picture_equal (
    const PacoTiffPicture *a, const PacoTiffPicture *b);
void paco_tiff_picture_clear (PacoTiffPicture *picture);

/* Returns segment i, 0..n_segments - 1. */
PacoTiffPart paco_tiff_part (const PacoTiffPicture *picture, guint32 i);
/* Returns how many bytes the first `columns` samples of a line of the picture
 * have, or of a line of one of its components with `separate`. */
gsize paco_tiff_line_bytes (const PacoTiffPicture *picture, guint32 columns);
/* Returns how many bytes are from a line of samples to the next one where they are not in
 * the file. They are more than the line has if it ends within a group of a mosaic's
 * layout. */
gsize paco_tiff_line_distance (const PacoTiffPicture *picture);
/* Returns how many bytes all samples have: line by line, with `separate` component by
 * component. */
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

/* --- pages: tiff_pages.c --- */

/* These are cut() and stand_in() of the kind. */
guint paco_tiff_cut (int fd, guint64 size, GArray *sections);
gboolean paco_tiff_stand_in (int fd, guint64 size, const PacoSection *section,
    GByteArray *head, GError **error);

/* --- mosaics: tiff_mosaic.c --- */

/* Finds the directory that PACO_TIFF_CHOOSE means, goes there, and counts pictures. */
gboolean paco_tiff_choose (
    TIFF *tiff, PacoTiffPicture *picture, GError **error);
/* Reads the places of a mosaic's colors. Returns why they are not supported, or NULL. */
const char *paco_tiff_read_places (TIFF *tiff, PacoTiffPicture *picture);
/* Returns why a mosaic is not supported, or NULL. */
const char *paco_tiff_why_no_mosaic (const PacoTiffPicture *picture);
void paco_tiff_tell_mosaic (const PacoTiffPicture *picture, PacoInfo *info);
/* Says where the samples of a mosaic are, as paco_tiff_place_image() does; lines are so
 * many bytes apart. */
void paco_tiff_place_mosaic (const PacoTiffPicture *picture,
    gboolean big_endian, gsize line, guint8 *memory, PacoImage *image);
/* Returns how many bytes the groups of its layout have. */
guint paco_tiff_mosaic_group (const PacoTiffPicture *picture);

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
