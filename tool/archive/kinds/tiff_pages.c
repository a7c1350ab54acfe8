/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds the sections of TIFF files of several pages, and writes the header and the directory
 * that stand before a section in its stand-in (source.h): those of a file with the page
 * alone. */
#include "tool/archive/folder.h"
#include "tool/archive/kinds/tiff.h"
#include "tool/archive/source.h"

enum
{
  MAX_PAGES = 65535,
  ALIGNMENT = 16, /* Samples lie in a stand-in as they do in the file. */
  ENTRY = 12,
  SHORT = 3, /* types of values */
  LONG = 4,
  RATIONAL = 5,
};

/* --- sections ---------------------------------------------------------- */

/* Returns where the directories of all pages begin, with 0 for those that cannot be
 * read. */
static GArray *
find_directories (int fd, guint64 size)
{
  const guint64 none = 0;
  GArray *directories = g_array_new (FALSE, FALSE, sizeof (guint64));
  PacoTiffMemory memory;
  TIFF *tiff = paco_tiff_read_open_file (&memory, fd, size, 0);

  if (!tiff)
    return directories;
  do {
    guint64 at = TIFFCurrentDirOffset (tiff);

    g_array_append_val (directories, at);
  } while (directories->len < MAX_PAGES && !TIFFLastDirectory (tiff)
      && TIFFReadDirectory (tiff) == 1);
  if (!TIFFLastDirectory (tiff))
    g_array_append_val (directories, none);
  TIFFClose (tiff);
  return directories;
}

/* Finds the bytes of the file that have the page's strips or tiles. */
static gboolean
find_bytes (const PacoTiffPicture *picture, PacoTiffHole *bytes)
{
  *bytes = (PacoTiffHole){ G_MAXUINT64, 0 };
  for (guint32 i = 0; i < picture->n_segments; i++) {
    const PacoTiffSegment *segment = &picture->segments[i];

    if (segment->size == 0)
      continue;
    bytes->start = MIN (bytes->start, segment->offset);
    bytes->end = MAX (bytes->end, segment->offset + segment->size);
  }
  return bytes->start < bytes->end;
}

/* Says whether a page becomes a frame like the first one: it begins after `end`, where the
 * one before it ends. */
static gboolean
is_frame (int fd, guint64 size, guint64 directory, const PacoInfo *first,
    guint64 end, PacoTiffHole *bytes)
{
  PacoTiffPicture picture;
  PacoInfo info = PACO_INFO_INIT;
  g_autofree char *difference = NULL;
  gboolean is = paco_tiff_picture_look (&picture, directory, fd, size, NULL);

  if (is) {
    paco_tiff_tell_info (&picture, &info);
    is = !picture.mosaic
        && paco_folder_same_picture (first, &info, TRUE, &difference)
        && find_bytes (&picture, bytes) && bytes->start >= end;
  }
  paco_tiff_picture_clear (&picture);
  return is;
}

/* Reads what the page is that is archived. Returns FALSE if it is not the first one. */
static gboolean
read_first (int fd, guint64 size, PacoInfo *info)
{
  PacoTiffPicture picture;
  gboolean is = paco_tiff_picture_look (
                    &picture, PACO_TIFF_CHOOSE, fd, size, NULL)
      && !picture.mosaic && picture.directory == 0 && picture.next > 0;

  if (is)
    paco_tiff_tell_info (&picture, info);
  paco_tiff_picture_clear (&picture);
  return is;
}

guint
paco_tiff_cut (int fd, guint64 size, GArray *sections)
{
  g_autoptr (GArray) directories = NULL;
  PacoInfo first = PACO_INFO_INIT;
  guint64 end = 0;
  guint others = 0;

  if (!read_first (fd, size, &first))
    return 0;
  directories = find_directories (fd, size);
  for (guint i = 0; i < directories->len; i++) {
    guint64 directory = g_array_index (directories, guint64, i);
    PacoTiffHole bytes;

    if (directory > 0 && is_frame (fd, size, directory, &first, end, &bytes)) {
      paco_section_add (sections, bytes.start, directory, size);
      end = bytes.end;
    } else
      others++;
  }
  return others;
}

/* --- stand-ins --------------------------------------------------------- */

/* A directory that is written; values that do not fit into entries follow it. */
typedef struct
{
  GByteArray *entries, *values;
  guint n, values_at;
  gboolean big_endian;
} Directory;

static void
put (GByteArray *to, gboolean big_endian, guint bytes, guint32 value)
{
  for (guint i = 0; i < bytes; i++) {
    guint8 byte = (guint8) (value >> 8 * (big_endian ? bytes - 1 - i : i));

    g_byte_array_append (to, &byte, 1);
  }
}

/* Adds a tag with `n` equal values. Those of a rational number have two parts. */
static void
add (Directory *directory, guint tag, guint type, guint n, guint32 value)
{
  guint bytes = type == SHORT ? 2 : 4;
  gboolean inside = type != RATIONAL && n * bytes <= 4;
  GByteArray *to = inside ? directory->entries : directory->values;
  guint end = directory->entries->len + ENTRY;

  put (directory->entries, directory->big_endian, 2, tag);
  put (directory->entries, directory->big_endian, 2, type);
  put (directory->entries, directory->big_endian, 4, n);
  if (!inside)
    put (directory->entries, directory->big_endian, 4,
        directory->values_at + directory->values->len);
  for (guint i = 0; i < n; i++)
    put (to, directory->big_endian, bytes, value);
  if (type == RATIONAL)
    put (to, directory->big_endian, bytes, 1000);
  while (directory->entries->len < end)
    put (directory->entries, directory->big_endian, 1, 0);
  directory->n++;
}

/* Adds where segments are, or how many bytes they have. */
static void
add_segments (Directory *directory, guint tag, const PacoTiffPicture *picture,
    gboolean sizes, guint64 from, guint32 to)
{
  guint n = picture->n_segments, at = directory->values->len;

  for (guint32 i = 0; n > 1 && i < n; i++) {
    const PacoTiffSegment *segment = &picture->segments[i];

    put (directory->values, directory->big_endian, 4,
        sizes                    ? (guint32) segment->size
            : segment->size == 0 ? to
                                 : (guint32) (segment->offset - from + to));
  }
  put (directory->entries, directory->big_endian, 2, tag);
  put (directory->entries, directory->big_endian, 2, LONG);
  put (directory->entries, directory->big_endian, 4, n);
  put (directory->entries, directory->big_endian, 4,
      n > 1       ? directory->values_at + at
          : sizes ? (guint32) picture->segments[0].size
                  : (guint32) (picture->segments[0].offset - from + to));
  directory->n++;
}

static void
add_tags (Directory *directory, const PacoTiffPicture *picture, guint64 from,
    guint32 to)
{
  guint n = picture->n_components;
  guint extra = n - (picture->photometric == PHOTOMETRIC_RGB ? 3 : 1);

  add (directory, TIFFTAG_IMAGEWIDTH, LONG, 1, picture->width);
  add (directory, TIFFTAG_IMAGELENGTH, LONG, 1, picture->height);
  add (directory, TIFFTAG_BITSPERSAMPLE, SHORT, n, picture->depth);
  add (directory, TIFFTAG_COMPRESSION, SHORT, 1, picture->compression);
  add (directory, TIFFTAG_PHOTOMETRIC, SHORT, 1, picture->photometric);
  if (!picture->tiled)
    add_segments (directory, TIFFTAG_STRIPOFFSETS, picture, FALSE, from, to);
  add (directory, TIFFTAG_ORIENTATION, SHORT, 1, picture->orientation);
  add (directory, TIFFTAG_SAMPLESPERPIXEL, SHORT, 1, n);
  if (!picture->tiled) {
    add (directory, TIFFTAG_ROWSPERSTRIP, LONG, 1, picture->segment_height);
    add_segments (directory, TIFFTAG_STRIPBYTECOUNTS, picture, TRUE, from, to);
  }
  for (guint i = 0; i < 2; i++)
    if (picture->resolution[i] > 0 && picture->resolution[i] <= 1e6)
      add (directory, TIFFTAG_XRESOLUTION + i, RATIONAL, 1,
          (guint32) (picture->resolution[i] * 1000 + 0.5));
  add (directory, TIFFTAG_PLANARCONFIG, SHORT, 1,
      picture->separate ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
  if (picture->predictor != PREDICTOR_NONE)
    add (directory, TIFFTAG_PREDICTOR, SHORT, 1, picture->predictor);
  if (picture->tiled) {
    add (directory, TIFFTAG_TILEWIDTH, LONG, 1, picture->segment_width);
    add (directory, TIFFTAG_TILELENGTH, LONG, 1, picture->segment_height);
    add_segments (directory, TIFFTAG_TILEOFFSETS, picture, FALSE, from, to);
    add_segments (directory, TIFFTAG_TILEBYTECOUNTS, picture, TRUE, from, to);
  }
  if (extra > 0)
    add (directory, TIFFTAG_EXTRASAMPLES, SHORT, extra, picture->extra);
  add (directory, TIFFTAG_SAMPLEFORMAT, SHORT, n, picture->format);
}

/* Writes a file of the page alone up to the section, which begins at byte `to` of it and at
 * `from` of the file of pages. */
static void
write_head (const PacoTiffPicture *picture, guint64 from, guint32 to,
    guint n_tags, GByteArray *head)
{
  const gboolean big_endian = picture->big_endian;
  Directory directory = { g_byte_array_new (), g_byte_array_new (), 0,
    8 + 2 + n_tags * ENTRY + 4, big_endian };

  add_tags (&directory, picture, from, to);
  g_byte_array_set_size (head, 0);
  g_byte_array_append (head, (const guint8 *) (big_endian ? "MM" : "II"), 2);
  put (head, big_endian, 2, 42);
  put (head, big_endian, 4, 8);
  put (head, big_endian, 2, directory.n);
  g_byte_array_append (head, directory.entries->data, directory.entries->len);
  put (head, big_endian, 4, 0);
  g_byte_array_append (head, directory.values->data, directory.values->len);
  while (head->len % ALIGNMENT != from % ALIGNMENT)
    put (head, big_endian, 1, 0);
  g_byte_array_unref (directory.entries);
  g_byte_array_unref (directory.values);
}

gboolean
paco_tiff_stand_in (int fd, guint64 size, const PacoSection *section,
    GByteArray *head, GError **error)
{
  PacoTiffPicture picture;
  gboolean done = paco_tiff_picture_look (
      &picture, section->place, fd, size, error);
  PacoTiffHole bytes;

  if (done
      && (picture.mosaic || !find_bytes (&picture, &bytes)
          || bytes.start < section->offset
          || bytes.end > section->offset + section->size))
    done = paco_source_fail (error, PACO_SOURCE_BROKEN,
        "it has changed since the folder was looked through");
  /* The second time it is known how many tags there are, and how long it is. */
  for (guint i = 0, n_tags = 0, to = 0; done && i < 2; i++) {
    write_head (&picture, section->offset, to, n_tags, head);
    n_tags = picture.big_endian ? head->data[9] : head->data[8];
    to = head->len;
  }
  paco_tiff_picture_clear (&picture);
  return done;
}
