/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Lets libtiff read and write TIFF files in memory. tiff_picture.c reads and
 * tiff_segments.c writes through it. Nothing is printed: libtiff's messages are
 * kept. */
#pragma once
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
