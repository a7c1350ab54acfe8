/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Takes samples out of the strips and tiles of a TIFF file and puts them back, with
 * libtiff (tiff.h). */
#include "tool/archive/kinds/tiff.h"
#include "tool/archive/kinds/deflate.h"
#include "tool/archive/source.h"
#include <string.h>
#include <zlib.h>

enum
{
  ZLIB_HEAD = 2,
  ZLIB = 6, /* bytes of a zlib stream around its deflate stream */
  DEFAULT_MEMORY = 8,
};

/* --- segments and samples ---------------------------------------------- */

typedef enum
{
  TO_SAMPLES,
  TO_SEGMENT,
} Direction;

static void
copy (Direction direction, guint8 *samples, guint8 *segment, gsize n)
{
  if (direction == TO_SAMPLES)
    memcpy (samples, segment, n);
  else
    memcpy (segment, samples, n);
}

static guint8 *
samples_of (
    const PacoTiffPicture *picture, const PacoTiffPart *part, guint8 *samples)
{
  return samples
      + ((gsize) part->plane * picture->height + part->y)
      * paco_tiff_line_distance (picture)
      + paco_tiff_line_bytes (picture, part->x);
}

/* Copies between a segment and the samples and the padding that it is made of.
 * *padding is NULL if no segment has any. */
static void
copy_part (const PacoTiffPicture *picture, const PacoTiffPart *part,
    Direction direction, guint8 *segment, guint8 *samples, guint8 **padding)
{
  gsize line = paco_tiff_line_distance (picture);
  gsize inside = paco_tiff_line_bytes (picture, part->width);
  gsize outside = part->line_bytes - inside;
  gsize below = (part->lines - part->height) * part->line_bytes;

  samples = samples_of (picture, part, samples);
  for (guint32 y = 0; y < part->height; y++) {
    copy (direction, samples, segment, inside);
    if (outside > 0) {
      copy (direction, *padding, segment + inside, outside);
      *padding += outside;
    }
    samples += line;
    segment += part->line_bytes;
  }
  if (below > 0) {
    copy (direction, *padding, segment, below);
    *padding += below;
  }
}

static gsize
part_bytes (const PacoTiffPart *part)
{
  return part->line_bytes * part->lines;
}

gsize
paco_tiff_padding_bytes (const PacoTiffPicture *picture)
{
  gsize bytes = 0;

  for (guint32 i = 0; picture->tiled && i < picture->n_segments; i++) {
    PacoTiffPart part = paco_tiff_part (picture, i);

    bytes += part_bytes (&part)
        - paco_tiff_line_bytes (picture, part.width) * part.height;
  }
  return bytes;
}

/* --- out of the file --------------------------------------------------- */

/* Strips are uncompressed to where their samples belong, tiles to a buffer. */
static gboolean
uncompress_all (TIFF *tiff, const PacoTiffPicture *picture, guint8 *samples,
    guint8 *padding)
{
  PacoTiffPart part = paco_tiff_part (picture, 0);
  g_autofree guint8 *tile = picture->tiled ? g_malloc (part_bytes (&part))
                                           : NULL;
  gboolean done = TRUE;

  for (guint32 i = 0; done && i < picture->n_segments; i++) {
    tmsize_t n;

    part = paco_tiff_part (picture, i);
    n = (tmsize_t) part_bytes (&part);
    done = (picture->tiled ? TIFFReadEncodedTile (tiff, i, tile, n)
                           : TIFFReadEncodedStrip (tiff, i,
                               samples_of (picture, &part, samples), n))
        == n;
    if (done && picture->tiled)
      copy_part (picture, &part, TO_SAMPLES, tile, samples, &padding);
  }
  return done;
}

gboolean
paco_tiff_take (const PacoTiffPicture *picture, const guint8 *bytes, gsize size,
    guint8 *samples, guint8 *padding, GError **error)
{
  PacoTiffMemory memory;
  TIFF *tiff;
  gboolean done;

  if (picture->compression == COMPRESSION_NONE) {
    for (guint32 i = 0; i < picture->n_segments; i++) {
      PacoTiffPart part = paco_tiff_part (picture, i);

      copy_part (picture, &part, TO_SAMPLES,
          (guint8 *) bytes + picture->segments[i].offset, samples, &padding);
    }
    return TRUE;
  }
  tiff = paco_tiff_read (&memory, bytes, size);
  done = tiff && paco_tiff_go_to (tiff, picture->directory)
      && uncompress_all (tiff, picture, samples, padding);
  if (!done)
    paco_source_set_error (error, PACO_SOURCE_BROKEN,
        "libtiff cannot uncompress it: %s",
        memory.message[0] ? memory.message : "samples are missing");
  if (tiff)
    TIFFClose (tiff);
  return done;
}

void
paco_tiff_put (const PacoTiffPicture *picture, const guint8 *samples,
    const guint8 *padding, guint8 *file)
{
  guint8 *p = (guint8 *) padding;

  for (guint32 i = 0; i < picture->n_segments; i++) {
    PacoTiffPart part = paco_tiff_part (picture, i);

    copy_part (picture, &part, TO_SEGMENT, file + picture->segments[i].offset,
        (guint8 *) samples, &p);
  }
}

/* --- compressing ------------------------------------------------------- */

static TIFF *
begin_file (const PacoTiffPicture *picture, const PacoTiffSettings *settings,
    PacoTiffMemory *memory, GByteArray *to)
{
  TIFF *tiff = paco_tiff_write (memory, to, picture->big_endian);
  gboolean done;

  if (!tiff)
    return NULL;
  done = TIFFSetField (tiff, TIFFTAG_IMAGEWIDTH, picture->width)
      && TIFFSetField (tiff, TIFFTAG_IMAGELENGTH, picture->height)
      && TIFFSetField (tiff, TIFFTAG_BITSPERSAMPLE, picture->depth)
      && TIFFSetField (tiff, TIFFTAG_SAMPLEFORMAT, picture->format)
      && TIFFSetField (tiff, TIFFTAG_SAMPLESPERPIXEL, picture->n_components)
      && TIFFSetField (tiff, TIFFTAG_PHOTOMETRIC, picture->photometric)
      && TIFFSetField (tiff, TIFFTAG_PLANARCONFIG,
          picture->separate ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG)
      && TIFFSetField (tiff, TIFFTAG_COMPRESSION, picture->compression);
  if (done && picture->predictor != PREDICTOR_NONE)
    done = TIFFSetField (tiff, TIFFTAG_PREDICTOR, picture->predictor);
  if (done && picture->tiled)
    done = TIFFSetField (tiff, TIFFTAG_TILEWIDTH, picture->segment_width)
        && TIFFSetField (tiff, TIFFTAG_TILELENGTH, picture->segment_height);
  else if (done)
    done = TIFFSetField (tiff, TIFFTAG_ROWSPERSTRIP, picture->segment_height);
  if (done && settings->level > 0)
    done = TIFFSetField (tiff, TIFFTAG_DEFLATE_SUBCODEC,
               settings->codec == PACO_TIFF_ZLIB ? DEFLATE_SUBCODEC_ZLIB
                                                 : DEFLATE_SUBCODEC_LIBDEFLATE)
        && TIFFSetField (tiff, TIFFTAG_ZIPQUALITY, settings->level);
  if (done)
    return tiff;
  TIFFClose (tiff);
  return NULL;
}

/* Uses the compressed bytes of a segment. FALSE ends it. */
typedef gboolean (*UseSegment) (gpointer data, const PacoTiffSegment *segment,
    const guint8 *bytes, guint64 size);

/* Says whether libtiff compresses strips as they lie in the samples. Otherwise it
 * changes them first, to differences or to another order of bytes. */
static gboolean
takes_samples (const PacoTiffPicture *picture)
{
  return !picture->tiled && picture->predictor == PREDICTOR_NONE
      && (picture->depth == 8
          || picture->big_endian == (G_BYTE_ORDER == G_BIG_ENDIAN));
}

/* Writes segment i, which libtiff may change (takes_samples()). */
static gboolean
write_segment (TIFF *tiff, const PacoTiffPicture *picture,
    const PacoTiffSettings *settings, guint32 i, guint8 *segment)
{
  PacoTiffPart part = paco_tiff_part (picture, i);
  tmsize_t n = (tmsize_t) part_bytes (&part);

  if (picture->tiled)
    return TIFFWriteEncodedTile (tiff, i, segment, n) == n;
  if (settings->codec != PACO_TIFF_LINES)
    return TIFFWriteEncodedStrip (tiff, i, segment, n) == n;
  for (guint32 y = 0; y < part.lines; y++)
    if (TIFFWriteScanline (tiff, segment + y * part.line_bytes, part.y + y,
            (guint16) part.plane)
        != 1)
      return FALSE;
  return TIFFFlushData (tiff) == 1;
}

static gboolean
compress_segments (TIFF *tiff, const PacoTiffPicture *picture,
    const PacoTiffSettings *settings, const guint8 *samples,
    const guint8 *padding, const GByteArray *written, UseSegment use,
    gpointer data)
{
  PacoTiffPart part = paco_tiff_part (picture, 0);
  g_autofree guint8 *copied = takes_samples (picture)
      ? NULL
      : g_malloc (part_bytes (&part));
  guint8 *p = (guint8 *) padding;
  gboolean done = TRUE;

  for (guint32 i = 0; done && i < picture->n_segments; i++) {
    guint8 *segment = copied;
    guint64 offset, size;

    part = paco_tiff_part (picture, i);
    if (copied)
      copy_part (picture, &part, TO_SEGMENT, segment, (guint8 *) samples, &p);
    else
      segment = samples_of (picture, &part, (guint8 *) samples);
    done = write_segment (tiff, picture, settings, i, segment);
    offset = TIFFGetStrileOffset (tiff, i);
    size = TIFFGetStrileByteCount (tiff, i);
    done = done && offset <= written->len && size <= written->len - offset
        && use (data, &picture->segments[i], written->data + offset, size);
  }
  return done;
}

static gboolean
compress_with (const PacoTiffPicture *picture, const PacoTiffSettings *settings,
    const guint8 *samples, const guint8 *padding, UseSegment use, gpointer data)
{
  g_autoptr (GByteArray) written = g_byte_array_new ();
  PacoTiffMemory memory;
  TIFF *tiff = begin_file (picture, settings, &memory, written);
  gboolean done = FALSE;

  if (tiff) {
    done = compress_segments (
        tiff, picture, settings, samples, padding, written, use, data);
    TIFFClose (tiff);
  }
  return done;
}

/* --- settings ---------------------------------------------------------- */

typedef struct
{
  const guint8 *bytes;
  guint32 crc;
} Comparison;

static gboolean
compare (gpointer data, const PacoTiffSegment *segment, const guint8 *bytes,
    guint64 size)
{
  Comparison *comparison = data;

  if (size != segment->size
      || memcmp (bytes, comparison->bytes + segment->offset, size) != 0)
    return FALSE;
  comparison->crc = (guint32) crc32_z (comparison->crc, bytes, size);
  return TRUE;
}

/* Programs (bits 1 << PACO_TIFF_ZLIB, ...) that the first segment does not exclude.
 * *is_zlib says that its first block ends where zlib ends one. */
static guint
possible_codecs (
    const PacoTiffPicture *picture, const guint8 *bytes, gboolean *is_zlib)
{
  const PacoTiffSegment *first = &picture->segments[0];
  PacoTiffPart last = paco_tiff_part (picture, picture->n_segments - 1);
  PacoDeflateTraces traces;
  guint codecs = 0;

  *is_zlib = FALSE;
  if (first->size < ZLIB)
    return 0;
  if (paco_deflate_look (
          bytes + first->offset + ZLIB_HEAD, first->size - ZLIB, FALSE, &traces)
      && !(traces.impossible >> DEFAULT_MEMORY & 1))
    codecs |= 1 << PACO_TIFF_ZLIB;
  *is_zlib = traces.impossible
      == (PACO_DEFLATE_NO_MEMORY & ~(1u << DEFAULT_MEMORY));
  if (traces.first_size <= PACO_DEFLATE_MAX_LIBDEFLATE)
    codecs |= 1 << PACO_TIFF_LIBDEFLATE;
  /* Other pictures become the same with one of the others. */
  if (codecs & 1 << PACO_TIFF_ZLIB && !picture->tiled && last.lines == 1
      && picture->segment_height > 1)
    codecs |= 1 << PACO_TIFF_LINES;
  return codecs;
}

static gboolean
find_deflate (const PacoTiffPicture *picture, const guint8 *bytes,
    const guint8 *samples, const guint8 *padding, PacoTiffSettings *settings,
    Comparison *comparison)
{
  static const guint8 levels[] = { 6, 9, 1, 5, 4, 3, 2, 7, 8, 12, 11, 10 };
  /* A vain trial takes as long as the one that succeeds. */
  static const guint8 orders[2][3] = {
    { PACO_TIFF_LIBDEFLATE, PACO_TIFF_ZLIB, PACO_TIFF_LINES },
    { PACO_TIFF_ZLIB, PACO_TIFF_LINES, PACO_TIFF_LIBDEFLATE },
  };
  gboolean is_zlib;
  guint codecs = possible_codecs (picture, bytes, &is_zlib);
  const guint8 *order = orders[is_zlib];

  for (guint l = 0; codecs && l < G_N_ELEMENTS (levels); l++)
    for (guint c = 0; c < G_N_ELEMENTS (orders[0]); c++) {
      *settings = (PacoTiffSettings){ order[c], levels[l] };
      comparison->crc = 0;
      if (!(codecs & 1 << order[c])
          || (order[c] == PACO_TIFF_ZLIB && levels[l] > 9))
        continue;
      if (paco_deflate_promise (levels[l])
              == bytes[picture->segments[0].offset + 1] >> 6
          && compress_with (
              picture, settings, samples, padding, compare, comparison))
        return TRUE;
    }
  return FALSE;
}

gboolean
paco_tiff_find (const PacoTiffPicture *picture, const guint8 *bytes,
    const guint8 *samples, const guint8 *padding, PacoTiffSettings *settings,
    guint32 *crc)
{
  Comparison comparison = { bytes, 0 };
  gboolean found;

  *settings = (PacoTiffSettings){ 0 };
  if (picture->compression == COMPRESSION_LZW
      || picture->compression == COMPRESSION_PACKBITS)
    found = compress_with (
        picture, settings, samples, padding, compare, &comparison);
  else
    found = find_deflate (
        picture, bytes, samples, padding, settings, &comparison);
  *crc = comparison.crc;
  return found;
}

/* --- back into the file ------------------------------------------------ */

typedef struct
{
  guint8 *file;
  guint32 crc;
} Target;

static gboolean
put (gpointer data, const PacoTiffSegment *segment, const guint8 *bytes,
    guint64 size)
{
  Target *target = data;

  if (size != segment->size)
    return FALSE;
  memcpy (target->file + segment->offset, bytes, size);
  target->crc = (guint32) crc32_z (target->crc, bytes, size);
  return TRUE;
}

gboolean
paco_tiff_compress (const PacoTiffPicture *picture,
    const PacoTiffSettings *settings, const guint8 *samples,
    const guint8 *padding, guint32 crc, guint8 *file)
{
  Target target = { file, 0 };

  return compress_with (picture, settings, samples, padding, put, &target)
      && target.crc == crc;
}
