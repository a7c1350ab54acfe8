/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Takes samples out of the strips and tiles of a TIFF file and puts them back, with
 * libtiff if they are compressed. tiff.c calls it, for files whose samples PaCo
 * cannot take where they are.
 *
 * `samples` are in the order that paco_tiff_bytes() has; those of 16 bits that were
 * compressed are in this machine's order of bytes, others in the file's. `padding`
 * is what tiles have beyond the edges of the picture, tile by tile. */
#pragma once
#include "tool/archive/kinds/tiff_picture.h"

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
