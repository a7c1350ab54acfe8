/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads what a TIFF file says of a picture, with libtiff (tiff.h). */
#include "tool/archive/kinds/tiff.h"
#include "tool/archive/source.h"
#include <math.h>
#include <string.h>

enum
{
  MAX_PADDING = 1 << 28, /* bytes */
};

/* --- what is refused --------------------------------------------------- */

static const char *
why_not_photometric (const PacoTiffPicture *picture)
{
  switch (picture->photometric) {
    case PHOTOMETRIC_MINISWHITE:
    case PHOTOMETRIC_MINISBLACK:
      return picture->n_components <= 2
          ? NULL
          : "gray has more than one component beside it";
    case PHOTOMETRIC_RGB:
      return picture->n_components == 3 || picture->n_components == 4
          ? NULL
          : "RGB has not three components, or more than one beside them";
    case PHOTOMETRIC_PALETTE:
      return "the picture has a palette, and PaCo codes samples only; make a "
             "TIFF of RGB of it, or keep the file as it is";
    case PHOTOMETRIC_SEPARATED:
      return "the picture is of CMYK, which PaCo does not have; keep the file "
             "as it is";
    case PHOTOMETRIC_YCBCR:
      return "the picture is of YCbCr, which is not supported in TIFF files; "
             "keep the file as it is";
    default:
      return "the picture is neither gray nor RGB, nor a mosaic; keep the file "
             "as it is";
  }
}

static const char *
why_not_compression (const PacoTiffPicture *picture)
{
  switch (picture->compression) {
    case COMPRESSION_NONE:
      return NULL;
    case COMPRESSION_LZW:
    case COMPRESSION_ADOBE_DEFLATE:
    case COMPRESSION_DEFLATE:
    case COMPRESSION_PACKBITS:
      return picture->depth == 8 || picture->depth == 16
          ? NULL
          : "compressed samples of other depths than 8 and 16 bits are not "
            "supported; uncompress the file (tiffcp -c none)";
    case COMPRESSION_JPEG:
    case COMPRESSION_OJPEG:
      return "the picture is compressed with loss (JPEG), and would be larger "
             "in PaCo; keep the file as it is";
    default:
      return "it is compressed in another way than LZW, Deflate and PackBits; "
             "uncompress the file (tiffcp -c none)";
  }
}

static const char *
why_not (TIFF *tiff, PacoTiffPicture *picture, guint16 fill_order)
{
  guint depth = picture->depth;
  const char *reason = picture->mosaic ? paco_tiff_read_places (tiff, picture)
                                       : why_not_photometric (picture);

  if (picture->mosaic && !reason && fill_order == FILLORDER_MSB2LSB)
    return paco_tiff_why_no_mosaic (picture);
  if (reason)
    return reason;
  if (picture->format != SAMPLEFORMAT_UINT
      && picture->format != SAMPLEFORMAT_INT
      && (picture->format != SAMPLEFORMAT_IEEEFP || depth != 16))
    return "samples are neither integers nor floating-point numbers of 16 "
           "bits; "
           "keep the file as it is";
  if (depth != 8 && depth != 10 && depth != 12 && depth != 16)
    return "samples have neither 8, 10, 12 nor 16 bits; keep the file as it is";
  if (depth % 8 != 0 && picture->tiled)
    return "tiles of samples of 10 or 12 bits are not supported; make strips "
           "of them (tiffcp -s)";
  if (fill_order != FILLORDER_MSB2LSB)
    return "the bits of its bytes are in reverse order (FillOrder 2); rewrite "
           "the file (tiffcp -f msb2lsb)";
  return why_not_compression (picture);
}

/* --- reading ----------------------------------------------------------- */

static void
read_tags (TIFF *tiff, PacoTiffPicture *picture, guint16 *fill_order)
{
  guint16 planar = PLANARCONFIG_CONTIG, n_extra = 0, *extra = NULL;
  float resolution;

  TIFFGetField (tiff, TIFFTAG_IMAGEWIDTH, &picture->width);
  TIFFGetField (tiff, TIFFTAG_IMAGELENGTH, &picture->height);
  TIFFGetFieldDefaulted (tiff, TIFFTAG_SAMPLESPERPIXEL, &picture->n_components);
  TIFFGetFieldDefaulted (tiff, TIFFTAG_BITSPERSAMPLE, &picture->depth);
  TIFFGetFieldDefaulted (tiff, TIFFTAG_COMPRESSION, &picture->compression);
  TIFFGetFieldDefaulted (tiff, TIFFTAG_SAMPLEFORMAT, &picture->format);
  if (picture->format == SAMPLEFORMAT_VOID)
    picture->format = SAMPLEFORMAT_UINT;
  TIFFGetFieldDefaulted (tiff, TIFFTAG_FILLORDER, fill_order);
  TIFFGetFieldDefaulted (tiff, TIFFTAG_PLANARCONFIG, &planar);
  TIFFGetFieldDefaulted (tiff, TIFFTAG_ORIENTATION, &picture->orientation);
  if (!TIFFGetField (tiff, TIFFTAG_PHOTOMETRIC, &picture->photometric))
    picture->photometric = G_MAXUINT16;
  picture->mosaic = picture->photometric == PHOTOMETRIC_CFA;
  picture->predictor = PREDICTOR_NONE;
  if (picture->compression == COMPRESSION_LZW
      || picture->compression == COMPRESSION_ADOBE_DEFLATE
      || picture->compression == COMPRESSION_DEFLATE)
    TIFFGetFieldDefaulted (tiff, TIFFTAG_PREDICTOR, &picture->predictor);
  if (TIFFGetField (tiff, TIFFTAG_EXTRASAMPLES, &n_extra, &extra)
      && n_extra > 0)
    picture->extra = extra[n_extra - 1];
  if (TIFFGetField (tiff, TIFFTAG_XRESOLUTION, &resolution))
    picture->resolution[0] = resolution;
  if (TIFFGetField (tiff, TIFFTAG_YRESOLUTION, &resolution))
    picture->resolution[1] = resolution;
  picture->separate = planar == PLANARCONFIG_SEPARATE
      && picture->n_components > 1;
  picture->big_endian = TIFFIsBigEndian (tiff) != 0;
  picture->tiled = TIFFIsTiled (tiff) != 0;
  if (picture->tiled) {
    TIFFGetField (tiff, TIFFTAG_TILEWIDTH, &picture->segment_width);
    TIFFGetField (tiff, TIFFTAG_TILELENGTH, &picture->segment_height);
  } else {
    TIFFGetFieldDefaulted (
        tiff, TIFFTAG_ROWSPERSTRIP, &picture->segment_height);
    picture->segment_height = MIN (picture->segment_height, picture->height);
    picture->segment_width = picture->width;
  }
}

static guint32
parts_of_plane (const PacoTiffPicture *picture)
{
  guint32 across = (picture->width - 1) / picture->segment_width + 1;

  return across * ((picture->height - 1) / picture->segment_height + 1);
}

/* Returns how many bytes deflate, LZW and PackBits make of one at most. */
static guint
max_ratio (const PacoTiffPicture *picture)
{
  switch (picture->compression) {
    case COMPRESSION_NONE:
      return 1;
    case COMPRESSION_PACKBITS:
      return 64;
    case COMPRESSION_LZW:
      return 1400;
    default:
      return 1040;
  }
}

static gboolean
read_segments (TIFF *tiff, PacoTiffPicture *picture, gsize size, GError **error)
{
  guint32 n = parts_of_plane (picture)
      * (picture->separate ? picture->n_components : 1);
  guint64 total = 0;

  if ((picture->tiled ? TIFFNumberOfTiles (tiff) : TIFFNumberOfStrips (tiff))
      != n)
    return paco_source_fail (error, PACO_SOURCE_BROKEN,
        "it has not as many strips or tiles as the picture needs");
  picture->n_segments = n;
  picture->segments = g_new (PacoTiffSegment, n);
  for (guint32 i = 0; i < n; i++) {
    PacoTiffSegment *segment = &picture->segments[i];
    PacoTiffPart part = paco_tiff_part (picture, i);
    guint64 bytes = (guint64) part.line_bytes * part.lines;

    segment->offset = TIFFGetStrileOffset (tiff, i);
    segment->size = TIFFGetStrileByteCount (tiff, i);
    if (picture->compression == COMPRESSION_NONE) {
      if (segment->size < bytes)
        return paco_source_fail (error, PACO_SOURCE_BROKEN,
            "a strip or a tile is shorter than its samples");
      /* Bytes that a strip has beyond these belong to the rest. */
      segment->size = bytes;
    }
    if (segment->offset > size || segment->size > size - segment->offset)
      return paco_source_fail (error, PACO_SOURCE_BROKEN,
          "the file ends within the samples, or says that they are behind its "
          "end");
    total += bytes;
  }
  if (total
          - paco_tiff_line_bytes (picture, picture->width) * picture->height
              * (picture->separate ? picture->n_components : 1)
      > MAX_PADDING)
    return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
        "tiles have more than 256 MiB beyond the edges of the picture");
  if (total / max_ratio (picture) > size)
    return paco_source_fail (error, PACO_SOURCE_BROKEN,
        "the file is too short for the picture that it promises");
  return TRUE;
}

static gboolean
read_picture (TIFF *tiff, PacoTiffPicture *picture, gsize size, GError **error)
{
  guint16 fill_order = FILLORDER_MSB2LSB;
  const char *reason;

  read_tags (tiff, picture, &fill_order);
  if (picture->width == 0 || picture->height == 0 || picture->segment_width == 0
      || picture->segment_height == 0)
    return paco_source_fail (
        error, PACO_SOURCE_BROKEN, "the picture has no samples");
  if (picture->width > PACO_MAX_SIZE || picture->height > PACO_MAX_SIZE)
    return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
        "the picture has more than 16384 columns or lines");
  reason = why_not (tiff, picture, fill_order);
  if (reason)
    return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED, "%s", reason);
  /* A tile may be larger than the picture, but not by any amount. */
  if (picture->segment_width > 2 * PACO_MAX_SIZE
      || picture->segment_height > 2 * PACO_MAX_SIZE)
    return paco_source_fail (
        error, PACO_SOURCE_UNSUPPORTED, "a tile is larger than 32768 samples");
  return read_segments (tiff, picture, size, error);
}

static gboolean
check_size (guint64 size, GError **error)
{
  return size <= G_MAXINT32
      || paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
          "the file has more than 2147483647 bytes");
}

/* Reads and closes tiff, which is NULL if libtiff has refused the file. */
static gboolean
read_opened (TIFF *tiff, const PacoTiffMemory *memory, PacoTiffPicture *picture,
    guint64 directory, gsize size, GError **error)
{
  gboolean done;

  *picture = (PacoTiffPicture){ .directory = directory, .n_pages = 1 };
  if (!tiff
      || (directory != PACO_TIFF_CHOOSE
          && !paco_tiff_go_to (tiff, directory))) {
    if (tiff)
      TIFFClose (tiff);
    return paco_source_fail (error, PACO_SOURCE_BROKEN,
        "libtiff cannot read its %s: %s", tiff ? "directory" : "header",
        memory->message[0] ? memory->message : "it is no TIFF file");
  }
  done = (directory != PACO_TIFF_CHOOSE
             || paco_tiff_choose (tiff, picture, error))
      && read_picture (tiff, picture, size, error);
  if (done && !TIFFLastDirectory (tiff)) {
    if (TIFFReadDirectory (tiff) == 1)
      picture->next = TIFFCurrentDirOffset (tiff);
    else if (directory != PACO_TIFF_CHOOSE || picture->directory == 0)
      picture->n_pages = MAX (
          picture->n_pages, 2); /* libtiff does not count it. */
  }
  TIFFClose (tiff);
  return done;
}

gboolean
paco_tiff_picture_read (PacoTiffPicture *picture, guint64 directory,
    const guint8 *bytes, gsize size, const PacoTiffHole *holes, guint n_holes,
    GError **error)
{
  PacoTiffMemory memory;

  *picture = (PacoTiffPicture){ 0 };
  return check_size (size, error)
      && read_opened (
          paco_tiff_read_directories (&memory, bytes, size, holes, n_holes),
          &memory, picture, directory, size, error);
}

gboolean
paco_tiff_picture_look (PacoTiffPicture *picture, guint64 directory, int fd,
    guint64 size, GError **error)
{
  gboolean choose = directory == PACO_TIFF_CHOOSE;
  PacoTiffMemory memory;

  return read_opened (
      paco_tiff_read_open_file (&memory, fd, size, choose ? 0 : directory),
      &memory, picture, choose ? directory : 0, (gsize) size, error);
}

void
paco_tiff_picture_clear (PacoTiffPicture *picture)
{
  g_clear_pointer (&picture->segments, g_free);
}

gboolean
paco_tiff_picture_equal (const PacoTiffPicture *a, const PacoTiffPicture *b)
{
  return a->width == b->width && a->height == b->height
      && a->n_components == b->n_components && a->depth == b->depth
      && a->format == b->format && a->photometric == b->photometric
      && a->compression == b->compression && a->predictor == b->predictor
      && a->big_endian == b->big_endian && a->separate == b->separate
      && a->tiled == b->tiled && a->segment_width == b->segment_width
      && a->segment_height == b->segment_height
      && a->n_segments == b->n_segments && a->mosaic == b->mosaic
      && memcmp (a->place, b->place, sizeof a->place) == 0
      && memcmp (
             a->segments, b->segments, a->n_segments * sizeof a->segments[0])
      == 0;
}

/* --- where samples are ------------------------------------------------- */

static guint
components_of_plane (const PacoTiffPicture *picture)
{
  return picture->separate ? 1 : picture->n_components;
}

gsize
paco_tiff_line_bytes (const PacoTiffPicture *picture, guint32 columns)
{
  return ((gsize) columns * components_of_plane (picture) * picture->depth + 7)
      / 8;
}

gsize
paco_tiff_line_distance (const PacoTiffPicture *picture)
{
  gsize line = paco_tiff_line_bytes (picture, picture->width);
  guint group = picture->mosaic ? paco_tiff_mosaic_group (picture) : 1;

  return (line + group - 1) / group * group;
}

gsize
paco_tiff_bytes (const PacoTiffPicture *picture)
{
  return paco_tiff_line_distance (picture) * picture->height
      * (picture->separate ? picture->n_components : 1);
}

PacoTiffPart
paco_tiff_part (const PacoTiffPicture *picture, guint32 i)
{
  guint32 across = (picture->width - 1) / picture->segment_width + 1;
  guint32 of_plane = parts_of_plane (picture), j = i % of_plane;
  PacoTiffPart part = {
    .plane = i / of_plane,
    .x = j % across * picture->segment_width,
    .y = j / across * picture->segment_height,
    .line_bytes = paco_tiff_line_bytes (picture, picture->segment_width),
  };

  part.width = MIN (picture->segment_width, picture->width - part.x);
  part.height = MIN (picture->segment_height, picture->height - part.y);
  part.lines = picture->tiled ? picture->segment_height : part.height;
  return part;
}

gboolean
paco_tiff_is_contiguous (const PacoTiffPicture *picture)
{
  guint32 of_plane = parts_of_plane (picture);

  if (picture->compression != COMPRESSION_NONE || picture->tiled
      || paco_tiff_line_distance (picture)
          != paco_tiff_line_bytes (picture, picture->width))
    return FALSE;
  for (guint32 i = 0; i < picture->n_segments; i++)
    if (i % of_plane != 0
        && picture->segments[i].offset
            != picture->segments[i - 1].offset + picture->segments[i - 1].size)
      return FALSE;
  return TRUE;
}

/* Returns the layout of component c among n of a pixel. */
static PacoLayout
layout_of (guint c, guint n, guint depth, gboolean big_endian)
{
  guint bits = n * depth;
  PacoLayout layout = {
    .group_samples = 1,
    .word_bytes = depth == 8 ? 1 : 2,
    .big_endian = depth % 8 != 0 || (depth == 16 && big_endian),
  };

  /* Samples of 10 and 12 bits follow each other from the highest bit of a byte on;
   * each is in two bytes. */
  while (layout.group_samples * bits % 8 != 0)
    layout.group_samples *= 2;
  layout.group_bytes = (guint8) (layout.group_samples * bits / 8);
  for (guint i = 0; i < layout.group_samples; i++) {
    guint bit = i * bits + c * depth;

    layout.places[i].byte = (guint8) (bit / 8);
    layout.places[i].shift = (guint8) (8 * layout.word_bytes - bit % 8 - depth);
  }
  return layout;
}

void
paco_tiff_place_image (const PacoTiffPicture *picture, gboolean in_file,
    gboolean big_endian, guint8 *memory, PacoImage *image)
{
  gsize line = paco_tiff_line_bytes (picture, picture->width);
  gsize plane = line * picture->height;
  guint32 of_plane = parts_of_plane (picture);

  *image = (PacoImage){ 0 };
  if (picture->mosaic) {
    paco_tiff_place_mosaic (picture, big_endian,
        paco_tiff_line_distance (picture),
        memory + (in_file ? picture->segments[0].offset : 0), image);
    return;
  }
  for (guint c = 0; c < picture->n_components; c++) {
    guint p = picture->separate ? c : 0;

    image->data[c] = memory
        + (in_file ? picture->segments[p * of_plane].offset : p * plane);
    image->stride[c] = (ptrdiff_t) line;
    image->size[c] = plane;
    image->layout[c] = layout_of (picture->separate ? 0 : c,
        components_of_plane (picture), picture->depth, big_endian);
  }
}

static guint32
sample_kind (const PacoTiffPicture *picture)
{
  switch (picture->format) {
    case SAMPLEFORMAT_INT:
      return PACO_SAMPLES_SIGNED;
    case SAMPLEFORMAT_IEEEFP:
      return PACO_SAMPLES_FLOAT;
    default:
      return PACO_SAMPLES_UNSIGNED;
  }
}

void
paco_tiff_tell_info (const PacoTiffPicture *picture, PacoInfo *info)
{
  const double *resolution = picture->resolution;

  if (picture->mosaic) {
    paco_tiff_tell_mosaic (picture, info);
    return;
  }
  paco_source_tell (info, picture->width, picture->height,
      picture->n_components, picture->depth,
      picture->photometric == PHOTOMETRIC_RGB);
  for (guint c = 0; c < picture->n_components; c++)
    info->sample_kind[c] = sample_kind (picture);
  if (resolution[0] >= 0.01 && resolution[0] <= 1e6 && resolution[1] >= 0.01
      && resolution[1] <= 1e6
      && fabs (resolution[0] - resolution[1]) > 1e-3 * resolution[0]) {
    info->par_n = (guint32) lround (resolution[1] * 100);
    info->par_d = (guint32) lround (resolution[0] * 100);
  }
}
