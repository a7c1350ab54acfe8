/* SPDX-License-Identifier: LGPL-2.1-or-later
 * TIFF files (TIFF 6.0, and BigTIFF) of 8 and 16 bits, and uncompressed ones of 10 and
 * 12, as a kind of source.h; and uncompressed mosaics of DNG and TIFF/EP. Where the samples
 * of a plane follow each other, they are coded from the file as it is. The rest
 * (docs/ARCHIVE-FORMAT.md) is the file without the bytes of strips and tiles, whose places
 * its tags say. */
#include "tool/archive/source.h"
#include "tool/archive/kinds/tiff.h"
#include "codec/bytes.h"
#include <string.h>

enum
{
  FORM = 1,
  FORM_MOSAIC = 2,
  REST_HEAD = 16,
  DIRECTORY = 8, /* bytes that say where it is, in a rest of FORM_MOSAIC */
  HOLE = 16,
  MAX_HOLES = 1 << 20,
};

static gboolean
match (const guint8 *bytes, gsize size)
{
  return size >= 4
      && (memcmp (bytes, "II*\0", 4) == 0 || memcmp (bytes, "MM\0*", 4) == 0
          || memcmp (bytes, "II+\0", 4) == 0
          || memcmp (bytes, "MM\0+", 4) == 0);
}

static gboolean
look (int fd, guint64 file_size, PacoInfo *info, GError **error)
{
  PacoTiffPicture picture;
  gboolean done = paco_tiff_picture_look (
      &picture, PACO_TIFF_CHOOSE, fd, file_size, error);

  if (done)
    paco_tiff_tell_info (&picture, info);
  paco_tiff_picture_clear (&picture);
  return done;
}

/* --- holes ------------------------------------------------------------- */

static int
compare_holes (gconstpointer a, gconstpointer b)
{
  const PacoTiffHole *first = a, *second = b;

  return (first->start > second->start) - (first->start < second->start);
}

/* Joins holes that touch each other, and sorts them in the order of the file.
 * Returns FALSE if segments have bytes in common. */
static gboolean
join_holes (GArray *holes)
{
  guint n = 0;

  g_array_sort (holes, compare_holes);
  for (guint i = 0; i < holes->len; i++) {
    PacoTiffHole hole = g_array_index (holes, PacoTiffHole, i);
    PacoTiffHole *last = n > 0 ? &g_array_index (holes, PacoTiffHole, n - 1)
                               : NULL;

    if (hole.start == hole.end)
      continue;
    if (last && hole.start < last->end)
      return FALSE;
    if (last && hole.start == last->end)
      last->end = hole.end;
    else
      g_array_index (holes, PacoTiffHole, n++) = hole;
  }
  g_array_set_size (holes, n);
  return TRUE;
}

/* Says whether the file says the same of the picture where the samples are missing:
 * header and tags must not be among them, or the file could not be made again. */
static gboolean
is_told_without (const PacoTiffPicture *picture, const guint8 *bytes,
    gsize size, const GArray *holes)
{
  PacoTiffPicture other;
  gboolean same = paco_tiff_picture_read (&other, picture->directory, bytes,
                      size, (const void *) holes->data, holes->len, NULL)
      && paco_tiff_picture_equal (picture, &other);

  paco_tiff_picture_clear (&other);
  return same;
}

static gboolean
find_holes (const PacoTiffPicture *picture, GArray *holes, GError **error)
{
  for (guint32 i = 0; i < picture->n_segments; i++) {
    const PacoTiffSegment *segment = &picture->segments[i];
    const PacoTiffHole hole = { segment->offset,
      segment->offset + segment->size };

    g_array_append_val (holes, hole);
  }
  if (!join_holes (holes))
    return paco_source_fail (
        error, PACO_SOURCE_UNSUPPORTED, "strips or tiles have bytes in common");
  if (holes->len > MAX_HOLES)
    return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
        "there are too many pieces between strips or tiles");
  return TRUE;
}

/* --- taking apart ------------------------------------------------------ */

static void
append_rest (const PacoTiffPicture *picture, const PacoTiffSettings *settings,
    guint32 crc, const GArray *holes, const GByteArray *padding,
    const guint8 *bytes, gsize size, GByteArray *rest)
{
  guint8 head[REST_HEAD] = { picture->mosaic ? FORM_MOSAIC : FORM,
    settings->codec, settings->level };
  guint8 directory[DIRECTORY];
  guint64 at = 0;

  paco_put32 (
      paco_put32 (paco_put32 (head + 4, crc), holes->len), padding->len);
  g_byte_array_append (rest, head, sizeof head);
  paco_put64 (directory, picture->directory);
  if (picture->mosaic)
    g_byte_array_append (rest, directory, sizeof directory);
  for (guint i = 0; i < holes->len; i++) {
    const PacoTiffHole *hole = &g_array_index (holes, PacoTiffHole, i);
    guint8 entry[HOLE];

    paco_put64 (paco_put64 (entry, hole->start - at), hole->end - hole->start);
    g_byte_array_append (rest, entry, sizeof entry);
    at = hole->end;
  }
  g_byte_array_append (rest, padding->data, padding->len);
  at = 0;
  for (guint i = 0; i < holes->len; i++) {
    const PacoTiffHole *hole = &g_array_index (holes, PacoTiffHole, i);

    g_byte_array_append (rest, bytes + at, (guint) (hole->start - at));
    at = hole->end;
  }
  g_byte_array_append (rest, bytes + at, (guint) (size - at));
}

/* Lines of packed samples end with zeros up to a byte, which come back by themselves. */
static gboolean
check_line_ends (
    const PacoTiffPicture *picture, const guint8 *samples, GError **error)
{
  gsize line = paco_tiff_line_bytes (picture, picture->width);
  gsize distance = paco_tiff_line_distance (picture);
  guint columns = picture->width;
  guint used = columns * (picture->separate ? 1 : picture->n_components)
      * picture->depth % 8;
  guint8 beyond = used ? (guint8) (0xff >> used) : 0, all = 0;

  for (gsize y = 0; beyond && y < picture->height; y++)
    all |= samples[y * distance + line - 1];
  if (all & beyond)
    return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
        "bits behind the last sample of a line are not zero, and would not "
        "come back");
  return TRUE;
}

static gboolean
cannot_come_back (const PacoTiffPicture *picture, GError **error)
{
  return paco_source_fail (error, PACO_SOURCE_OTHER_BYTES,
      "libtiff does not compress the samples to the bytes of this file (%s), "
      "so the file could not come back bit by bit; uncompress it (tiffcp -c "
      "none), or have it kept as it is (--keep-files)",
      picture->compression == COMPRESSION_LZW            ? "LZW"
          : picture->compression == COMPRESSION_PACKBITS ? "PackBits"
                                                         : "Deflate");
}

/* Copies the samples, uncompressed, if they are not as PaCo takes them. */
static gboolean
gather (const PacoTiffPicture *picture, const guint8 *bytes, gsize size,
    PacoSource *source, GByteArray *padding, PacoTiffSettings *settings,
    guint32 *crc, GError **error)
{
  GByteArray *samples = source->samples;

  g_byte_array_set_size (samples, (guint) paco_tiff_bytes (picture));
  if (picture->mosaic) /* Lines may be further apart than they are long. */
    memset (samples->data, 0, samples->len);
  g_byte_array_set_size (padding, (guint) paco_tiff_padding_bytes (picture));
  return paco_tiff_take (
             picture, bytes, size, samples->data, padding->data, error)
      && (picture->compression == COMPRESSION_NONE || source->samples_only
          || paco_tiff_find (
              picture, bytes, samples->data, padding->data, settings, crc)
          || cannot_come_back (picture, error));
}

/* Says whether samples are big-endian. Those that libtiff has uncompressed have this
 * machine's order. */
static gboolean
samples_are_big_endian (const PacoTiffPicture *picture)
{
  return picture->compression == COMPRESSION_NONE
      ? picture->big_endian
      : G_BYTE_ORDER == G_BIG_ENDIAN;
}

static void
note (PacoSource *source, const char *sentence)
{
  g_ptr_array_add (source->notes, g_strdup (sentence));
}

static void
add_notes (const PacoTiffPicture *picture, PacoSource *source)
{
  if (picture->photometric == PHOTOMETRIC_MINISWHITE)
    note (source,
        "white is the smallest sample (WhiteIsZero): players show a negative");
  if (picture->extra == EXTRASAMPLE_ASSOCALPHA)
    note (source,
        "colours are multiplied by alpha (associated alpha): players take them "
        "as if they were not");
  if (picture->orientation != ORIENTATION_TOPLEFT)
    note (source,
        "the picture is turned or mirrored (Orientation): players show it as "
        "it is stored");
  if (picture->n_pages > 1 && !source->samples_only)
    g_ptr_array_add (source->notes,
        g_strdup_printf ("the file has %u pages: the first one is coded, the "
                         "others are kept as they are",
            picture->n_pages));
}

static gboolean
take_apart (const PacoTiffPicture *picture, const guint8 *bytes, gsize size,
    GArray *holes, GByteArray *padding, PacoSource *source, GError **error)
{
  PacoTiffSettings settings = { 0 };
  gboolean in_file = paco_tiff_is_contiguous (picture);
  guint8 *memory = (guint8 *) bytes;
  guint32 crc = 0;

  if (!find_holes (picture, holes, error))
    return FALSE;
  if (!is_told_without (picture, bytes, size, holes))
    return paco_source_fail (error, PACO_SOURCE_BROKEN,
        "strips or tiles have bytes of the file's header or tags");
  if (!in_file) {
    if (!gather (picture, bytes, size, source, padding, &settings, &crc, error))
      return FALSE;
    memory = source->samples->data;
  }
  paco_tiff_tell_info (picture, &source->info);
  paco_tiff_place_image (picture, in_file, samples_are_big_endian (picture),
      memory, &source->image);
  for (guint c = 0; c < (picture->separate ? picture->n_components : 1); c++)
    if (!check_line_ends (picture,
            picture->mosaic
                ? memory + (in_file ? picture->segments[0].offset : 0)
                : source->image.data[c],
            error))
      return FALSE;
  append_rest (
      picture, &settings, crc, holes, padding, bytes, size, source->rest);
  source->n_pictures = picture->n_pages;
  source->next = picture->next;
  source->is_thumbnail = picture->is_thumbnail;
  add_notes (picture, source);
  return TRUE;
}

static gboolean
parse (const guint8 *bytes, gsize size, PacoSource *source, GError **error)
{
  guint64 directory = source->at == PACO_SOURCE_BEST ? PACO_TIFF_CHOOSE
      : source->at == PACO_SOURCE_FIRST              ? 0
                                                     : source->at;
  PacoTiffPicture picture = { 0 };
  g_autoptr (GArray) holes = g_array_new (FALSE, FALSE, sizeof (PacoTiffHole));
  g_autoptr (GByteArray) padding = g_byte_array_new ();
  gboolean done = match (bytes, size)
      || paco_source_fail (
          error, PACO_SOURCE_BROKEN, "it does not begin as TIFF files do");

  done = done
      && paco_tiff_picture_read (
          &picture, directory, bytes, size, NULL, 0, error)
      && take_apart (&picture, bytes, size, holes, padding, source, error);
  paco_tiff_picture_clear (&picture);
  return done;
}

/* --- making again ------------------------------------------------------ */

typedef struct
{
  PacoTiffSettings settings;
  gboolean mosaic;
  guint64 directory;
  guint32 crc, n_holes, n_padding;
  const guint8 *holes, *padding, *bytes;
  gsize n_bytes;
} Rest;

static gboolean
read_rest (const guint8 *p, gsize size, Rest *rest, GError **error)
{
  gboolean mosaic = size > 0 && p[0] == FORM_MOSAIC;
  gsize head = REST_HEAD + (mosaic ? DIRECTORY : 0);
  guint64 parts;

  if (size < head || (!mosaic && p[0] != FORM))
    return paco_source_fail (error, PACO_SOURCE_BROKEN,
        "what was kept of the file is of an unknown form");
  rest->mosaic = mosaic;
  rest->directory = mosaic ? paco_get64 (p + REST_HEAD) : 0;
  if (rest->directory == PACO_TIFF_CHOOSE)
    return paco_source_broken_rest (error);
  rest->settings = (PacoTiffSettings){ p[1], p[2] };
  rest->crc = paco_get32 (p + 4);
  rest->n_holes = paco_get32 (p + 8);
  rest->n_padding = paco_get32 (p + 12);
  parts = (guint64) rest->n_holes * HOLE + rest->n_padding;
  if (rest->n_holes > MAX_HOLES || parts > size - head)
    return paco_source_broken_rest (error);
  rest->holes = p + head;
  rest->padding = rest->holes + (gsize) rest->n_holes * HOLE;
  rest->bytes = rest->padding + rest->n_padding;
  rest->n_bytes = size - head - (gsize) parts;
  return TRUE;
}

static gboolean
fill_file (const Rest *rest, guint8 *file, gsize size)
{
  gsize at = 0, left = rest->n_bytes;

  for (guint32 i = 0; i < rest->n_holes; i++) {
    guint64 before = paco_get64 (rest->holes + i * HOLE);
    guint64 hole = paco_get64 (rest->holes + i * HOLE + 8);

    if (before > left || before > size - at || hole > size - at - before)
      return FALSE;
    memcpy (file + at, rest->bytes + rest->n_bytes - left, before);
    memset (file + at + before, 0, hole);
    at += before + hole;
    left -= before;
  }
  if (left != size - at)
    return FALSE;
  memcpy (file + at, rest->bytes + rest->n_bytes - left, left);
  return TRUE;
}

/* Returns more bytes than compressed strips of such a picture can have. */
static guint64
max_holes (const PacoInfo *info, const Rest *rest)
{
  guint64 samples = (guint64) info->width * info->height * info->n_components;

  return 4 * samples + 2 * (guint64) rest->n_padding + MAX_HOLES;
}

static gboolean
has_holes (const Rest *rest, const GArray *holes)
{
  guint64 at = 0;

  if (holes->len != rest->n_holes)
    return FALSE;
  for (guint i = 0; i < holes->len; i++) {
    const PacoTiffHole *hole = &g_array_index (holes, PacoTiffHole, i);

    if (paco_get64 (rest->holes + i * HOLE) != hole->start - at
        || paco_get64 (rest->holes + i * HOLE + 8) != hole->end - hole->start)
      return FALSE;
    at = hole->end;
  }
  return TRUE;
}

/* Says whether file, rest and the frame describe one picture, whose segments are the
 * holes. */
static gboolean
fits (const PacoTiffPicture *picture, const Rest *rest, const PacoInfo *info)
{
  g_autoptr (GArray) holes = g_array_new (FALSE, FALSE, sizeof (PacoTiffHole));

  PacoInfo told = PACO_INFO_INIT;

  paco_tiff_tell_info (picture, &told);
  return picture->mosaic == rest->mosaic
      && paco_source_same_samples (&told, info)
      && rest->n_padding == paco_tiff_padding_bytes (picture)
      && find_holes (picture, holes, NULL) && has_holes (rest, holes);
}

static gboolean
rebuild (const guint8 *bytes, gsize size, const PacoInfo *info, gsize file_size,
    PacoRebuilt *rebuilt, GError **error)
{
  PacoTiffPicture picture;
  PacoBytes *file = rebuilt->file;
  gboolean done, in_file = FALSE;
  Rest rest;

  if (!read_rest (bytes, size, &rest, error))
    return FALSE;
  if (file_size > G_MAXINT32 || rest.n_bytes > file_size
      || file_size - rest.n_bytes > max_holes (info, &rest))
    return paco_source_broken_rest (error);
  paco_bytes_set_size (file, file_size);
  if (!fill_file (&rest, file->data, file_size))
    return paco_source_broken_rest (error);
  done = paco_tiff_picture_read (
             &picture, rest.directory, file->data, file_size, NULL, 0, error)
      && (fits (&picture, &rest, info) || paco_source_broken_rest (error));
  if (done && !(in_file = paco_tiff_is_contiguous (&picture)))
    g_byte_array_set_size (
        rebuilt->samples, (guint) paco_tiff_bytes (&picture));
  if (done)
    paco_tiff_place_image (&picture, in_file, samples_are_big_endian (&picture),
        in_file ? file->data : rebuilt->samples->data, &rebuilt->image);
  paco_tiff_picture_clear (&picture);
  return done;
}

static gboolean
finish (const guint8 *bytes, gsize size, const PacoInfo *info, gsize file_size,
    PacoRebuilt *rebuilt, GError **error)
{
  PacoTiffPicture picture = { 0 };
  guint8 *file = rebuilt->file->data;
  const guint8 *samples = rebuilt->samples->data;
  gboolean done = TRUE;
  Rest rest;

  if (rebuilt->samples->len == 0)
    return TRUE;
  if (!read_rest (bytes, size, &rest, error)
      || !paco_tiff_picture_read (
          &picture, rest.directory, file, file_size, NULL, 0, error)) {
    paco_tiff_picture_clear (&picture);
    return FALSE;
  }
  if (picture.compression == COMPRESSION_NONE)
    paco_tiff_put (&picture, samples, rest.padding, file);
  else
    done = paco_tiff_compress (
               &picture, &rest.settings, samples, rest.padding, rest.crc, file)
        || paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
            "the libtiff of this machine (%.16s) compresses the samples to "
            "other "
            "bytes than the one that the file was checked with, or the samples "
            "are "
            "not those of the file; restore it on a machine with another "
            "version of "
            "libtiff, zlib and libdeflate",
            TIFFGetVersion ());
  paco_tiff_picture_clear (&picture);
  return done;
}

const PacoSourceKind paco_source_tiff = {
  .name = "tiff",
  .id = 2,
  .rest_beyond = (1 << 30) + (1 << 25), /* Padding of tiles, holes. */
  .decodes_aside = TRUE,
  .match = match,
  .look = look,
  .cut = paco_tiff_cut,
  .stand_in = paco_tiff_stand_in,
  .parse = parse,
  .rebuild = rebuild,
  .finish = finish,
};
