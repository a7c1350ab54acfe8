/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds the picture of a sensor in DNG and TIFF/EP files, and says how its mosaic lies in
 * them (tiff.h). Cameras put it into a directory within the first one (SubIFDs), which
 * itself has a thumbnail. */
#include "tool/archive/kinds/tiff.h"
#include "tool/archive/source.h"
#include <string.h>

enum
{
  PHOTOMETRIC_LINEAR_RAW = 34892,
  MAX_SUBDIRECTORIES = 256,
  CELL = 2,
  FILTERS = CELL * CELL,
};

/* --- finding it -------------------------------------------------------- */

static guint32
read_subfile_type (TIFF *tiff)
{
  guint32 type = 0;

  TIFFGetField (tiff, TIFFTAG_SUBFILETYPE, &type);
  return type;
}

static gboolean
is_of_sensor (TIFF *tiff)
{
  guint16 photometric = 0;

  return TIFFGetField (tiff, TIFFTAG_PHOTOMETRIC, &photometric)
      && read_subfile_type (tiff) == 0
      && (photometric == PHOTOMETRIC_CFA
          || photometric == PHOTOMETRIC_LINEAR_RAW);
}

/* Counts pictures of sensors in n directories, and in those that these go on with. *found
 * becomes where the first one is. */
static gboolean
count_sensors (TIFF *tiff, const guint64 *directories, guint n, guint *n_found,
    guint64 *found, GError **error)
{
  for (guint i = 0; i < n; i++) {
    if (directories[i] == 0 || !paco_tiff_go_to (tiff, directories[i]))
      return paco_source_fail (error, PACO_SOURCE_BROKEN,
          "libtiff cannot read a directory within the first one");
    do
      if (is_of_sensor (tiff) && (*n_found)++ == 0)
        *found = TIFFCurrentDirOffset (tiff);
    while (TIFFReadDirectory (tiff) == 1);
  }
  return TRUE;
}

gboolean
paco_tiff_choose (TIFF *tiff, PacoTiffPicture *picture, GError **error)
{
  gboolean first = is_of_sensor (tiff);
  gboolean reduced = read_subfile_type (tiff) & FILETYPE_REDUCEDIMAGE;
  guint64 start = TIFFCurrentDirOffset (tiff);
  guint64 *there, directories[MAX_SUBDIRECTORIES];
  guint16 n = 0;
  guint n_found = 0;

  picture->directory = 0;
  picture->n_pages = TIFFNumberOfDirectories (tiff);
  if (!TIFFGetField (tiff, TIFFTAG_SUBIFD, &n, &there) || n == 0)
    return TRUE;
  if (n > MAX_SUBDIRECTORIES)
    return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
        "it has more than %d directories within the first one",
        MAX_SUBDIRECTORIES);
  memcpy (directories, there, n * sizeof *there);
  if (!count_sensors (
          tiff, directories, n, &n_found, &picture->directory, error))
    return FALSE;
  if (first)
    picture->directory = 0;
  if (first)
    picture->n_pages += n_found;
  else if (n_found > 0)
    picture->n_pages = n_found;
  picture->is_thumbnail = reduced && n_found == 0;
  return paco_tiff_go_to (tiff, picture->directory ? picture->directory : start)
      || paco_source_fail (
          error, PACO_SOURCE_BROKEN, "libtiff cannot read its directory again");
}

/* --- what it is -------------------------------------------------------- */

/* Puts the four filters where their components are: red, the green in its line, the other
 * one, blue. Returns FALSE if these do not lie so. */
static gboolean
place_colors (const guint8 *filters, PacoTiffPlace *place)
{
  static const guint8 component_of[] = { 0, 1, 3 };
  guint seen = 0, red = 0;

  while (red < FILTERS && filters[red] != 0)
    red++;
  for (guint i = 0; i < FILTERS; i++) {
    guint c;

    if (filters[i] > 2)
      return FALSE;
    c = component_of[filters[i]];
    if (c == 1 && i / CELL != red / CELL)
      c = 2;
    place[c] = (PacoTiffPlace){ (guint8) (i % CELL), (guint8) (i / CELL) };
    seen |= 1u << c;
  }
  return seen == (1 << FILTERS) - 1;
}

/* Returns the filters of a cell, or NULL. Older versions of libtiff always have four. */
static const guint8 *
read_filters (TIFF *tiff)
{
  const TIFFField *field = TIFFFieldWithTag (tiff, TIFFTAG_CFAPATTERN);
  int count = field ? TIFFFieldReadCount (field) : 0;
  const guint8 *filters = NULL;
  guint16 n = FILTERS;

  if (count == FILTERS)
    TIFFGetField (tiff, TIFFTAG_CFAPATTERN, &filters);
  else if (count == TIFF_VARIABLE)
    TIFFGetField (tiff, TIFFTAG_CFAPATTERN, &n, &filters);
  return n == FILTERS ? filters : NULL;
}

const char *
paco_tiff_read_places (TIFF *tiff, PacoTiffPicture *picture)
{
  static const char odd[] = "the color filters of the mosaic are no cells of "
                            "red, two greens and blue; keep the file as it is";
  const guint8 *filters = read_filters (tiff), *planes;
  const guint16 *size;
  guint16 layout = 1, n = 0;

  if (!TIFFGetField (tiff, TIFFTAG_CFAREPEATPATTERNDIM, &size)
      || size[0] != CELL || size[1] != CELL || !filters
      || !place_colors (filters, picture->place))
    return odd;
  if (TIFFGetField (tiff, TIFFTAG_CFAPLANECOLOR, &n, &planes)
      && (n != 3 || memcmp (planes, "\0\1\2", 3) != 0))
    return odd;
  if (TIFFGetField (tiff, TIFFTAG_CFALAYOUT, &layout) && layout != 1)
    return "lines or columns of the mosaic are staggered; keep the file as it "
           "is";
  return NULL;
}

const char *
paco_tiff_why_no_mosaic (const PacoTiffPicture *picture)
{
  guint depth = picture->depth;

  if (picture->compression != COMPRESSION_NONE)
    return "the mosaic is compressed, and only uncompressed ones are "
           "supported; keep the file as it is";
  if (picture->n_components != 1 || picture->format != SAMPLEFORMAT_UINT
      || (depth != 8 && depth != 10 && depth != 12 && depth != 14
          && depth != 16))
    return "samples of the mosaic are no integers of 8, 10, 12, 14 or 16 bits; "
           "keep the file as it is";
  if (picture->width % CELL || picture->height % CELL)
    return "the mosaic has an odd number of columns or lines, and PaCo codes "
           "cells of two; keep the file as it is";
  if (picture->tiled && picture->segment_width * depth % 8 != 0)
    return "lines of the tiles are no whole bytes; keep the file as it is";
  return NULL;
}

void
paco_tiff_tell_mosaic (const PacoTiffPicture *picture, PacoInfo *info)
{
  paco_source_tell (
      info, picture->width, picture->height, FILTERS, picture->depth, FALSE);
  info->mosaic = 1;
  for (guint c = 0; c < FILTERS; c++) {
    info->subsampling_x[c] = info->subsampling_y[c] = 1;
    info->place_x[c] = picture->place[c].x;
    info->place_y[c] = picture->place[c].y;
  }
}

/* --- where its samples are --------------------------------------------- */

/* Returns how many cells begin and end with a whole byte. */
static guint
cells_of_group (const PacoTiffPicture *picture)
{
  return CELL * picture->depth % 8 == 0 ? 1 : 2;
}

guint
paco_tiff_mosaic_group (const PacoTiffPicture *picture)
{
  return cells_of_group (picture) * CELL * picture->depth / 8;
}

/* Returns the layout of the samples of column x of cells. Those that are packed follow each
 * other from the highest bit of a byte on. */
static PacoLayout
layout_of (const PacoTiffPicture *picture, guint x, gboolean big_endian)
{
  guint depth = picture->depth;
  PacoLayout layout = {
    .group_bytes = (guint8) paco_tiff_mosaic_group (picture),
    .group_samples = (guint8) cells_of_group (picture),
    .word_bytes = depth == 8 ? 1
        : depth == 14        ? 4
                             : 2,
    .big_endian = depth % 8 != 0 || (depth == 16 && big_endian),
  };
  guint last_byte = (guint) layout.group_bytes - layout.word_bytes;

  for (guint i = 0; i < layout.group_samples; i++) {
    guint bit = (i * CELL + x) * depth, byte = MIN (bit / 8, last_byte);

    layout.places[i].byte = (guint8) byte;
    layout.places[i].shift = (guint8) (8 * (layout.word_bytes + byte) - bit
        - depth);
  }
  return layout;
}

void
paco_tiff_place_mosaic (const PacoTiffPicture *picture, gboolean big_endian,
    gsize line, guint8 *memory, PacoImage *image)
{
  for (guint c = 0; c < FILTERS; c++) {
    gsize first = picture->place[c].y * line;

    image->data[c] = memory + first;
    image->stride[c] = (ptrdiff_t) (CELL * line);
    image->size[c] = picture->height * line - first;
    image->layout[c] = layout_of (picture, picture->place[c].x, big_endian);
  }
}
