/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads what a TIFF file says of its first picture, and where the samples are.
 * tiff.c and tiff_segments.c call it. */
#pragma once
#include "tool/archive/kinds/tiff_memory.h"
#include "lib/paco.h"

/* A strip or a tile, as bytes of the file. */
typedef struct
{
  guint64 offset, size;
} PacoTiffSegment;

typedef struct
{
  guint32 width, height;
  guint16 n_components, depth;
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
