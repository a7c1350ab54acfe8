/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests TIFF files of libtiff, with all kinds of strips, tiles, planes and
 * compression drawn: they come back bit by bit, and libtiff reads the same samples.
 * Other files are refused with a sentence, and damaged ones do no harm. */
#include "tool/archive/source.h"
#include "tool/archive/kinds/tiff.h"
#include "tests/archive/restoring.h"
#include "codec/bytes.h"
#include <string.h>
#include <zlib.h>

/* The linker takes it in place of archive/'s TIFFWriteEncodedStrip(). */
tmsize_t __real_TIFFWriteEncodedStrip (
    TIFF *tiff, uint32_t strip, void *data, tmsize_t size);
__attribute__ ((visibility ("default"))) tmsize_t __wrap_TIFFWriteEncodedStrip (
    TIFF *tiff, uint32_t strip, void *data, tmsize_t size);

static gsize n_compressed; /* Bytes of strips that archive/ has compressed. */

tmsize_t
__wrap_TIFFWriteEncodedStrip (
    TIFF *tiff, uint32_t strip, void *data, tmsize_t size)
{
  n_compressed += (gsize) size;
  return __real_TIFFWriteEncodedStrip (tiff, strip, data, size);
}

typedef struct
{
  guint32 width, height;
  guint n_components, depth;
  guint16 compression, predictor, codec, level;
  guint16 photometric, extra;
  gboolean big_endian, separate, tiled;
  guint32 segment_width, segment_height;
} Picture;

/* Returns a mosaic in the first directory; tiffs.py has those in others. */
static Picture
draw_mosaic (void)
{
  static const guint depths[] = { 8, 10, 12, 14, 16 };
  Picture picture = {
    .width = 2 * (1 + draw (60)),
    .height = 2 * (1 + draw (60)),
    .n_components = 1,
    .depth = depths[draw (5)],
    .compression = COMPRESSION_NONE,
    .photometric = PHOTOMETRIC_CFA,
    .big_endian = draw (2),
    .tiled = draw (3) == 0,
  };

  picture.segment_width = picture.tiled ? 16 * (1 + draw (4)) : picture.width;
  picture.segment_height = picture.tiled ? 16 * (1 + draw (4))
                                         : 1 + draw (picture.height);
  return picture;
}

static Picture
draw_picture (void)
{
  static const guint16 compressions[] = { COMPRESSION_NONE, COMPRESSION_NONE,
    COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE, COMPRESSION_DEFLATE,
    COMPRESSION_PACKBITS };
  static const guint depths[] = { 8, 16, 8, 16, 10, 12 };
  guint largest = draw (4) ? 60 : 300;
  Picture picture = {
    .width = 1 + draw (largest),
    .height = 1 + draw (largest),
    .n_components = 1 + draw (4),
    .depth = depths[draw (6)],
    .predictor = draw (2) ? PREDICTOR_HORIZONTAL : PREDICTOR_NONE,
    .codec = draw (2) ? DEFLATE_SUBCODEC_ZLIB : DEFLATE_SUBCODEC_LIBDEFLATE,
    .extra = (guint16) draw (3),
    .big_endian = draw (2),
    .separate = draw (3) == 0,
  };

  picture.level = (guint16) (1
      + draw (picture.codec == DEFLATE_SUBCODEC_ZLIB ? 9 : 12));
  picture.photometric = picture.n_components >= 3 ? PHOTOMETRIC_RGB
      : draw (3)                                  ? PHOTOMETRIC_MINISBLACK
                                                  : PHOTOMETRIC_MINISWHITE;
  if (picture.depth % 8 == 0) {
    picture.compression = compressions[draw (6)];
    picture.tiled = draw (4) == 0;
  } else {
    picture.compression = COMPRESSION_NONE;
  }
  picture.segment_width = picture.tiled ? 16 * (1 + draw (4)) : picture.width;
  picture.segment_height = picture.tiled ? 16 * (1 + draw (4))
                                         : 1 + draw (picture.height);
  return picture;
}

/* --- libtiff ----------------------------------------------------------- */

static void
set_tags (TIFF *tiff, const Picture *picture)
{
  TIFFSetField (tiff, TIFFTAG_IMAGEWIDTH, picture->width);
  TIFFSetField (tiff, TIFFTAG_IMAGELENGTH, picture->height);
  TIFFSetField (tiff, TIFFTAG_BITSPERSAMPLE, picture->depth);
  TIFFSetField (tiff, TIFFTAG_SAMPLESPERPIXEL, picture->n_components);
  TIFFSetField (tiff, TIFFTAG_PHOTOMETRIC, picture->photometric);
  TIFFSetField (tiff, TIFFTAG_PLANARCONFIG,
      picture->separate ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
  TIFFSetField (tiff, TIFFTAG_COMPRESSION, picture->compression);
  if (picture->compression != COMPRESSION_NONE
      && picture->compression != COMPRESSION_PACKBITS)
    TIFFSetField (tiff, TIFFTAG_PREDICTOR, picture->predictor);
  if (picture->compression == COMPRESSION_DEFLATE
      || picture->compression == COMPRESSION_ADOBE_DEFLATE) {
    TIFFSetField (tiff, TIFFTAG_DEFLATE_SUBCODEC, picture->codec);
    TIFFSetField (tiff, TIFFTAG_ZIPQUALITY, picture->level);
  }
  if (picture->photometric == PHOTOMETRIC_CFA) {
    static const guint16 cell[] = { 2, 2 };
    static const guint8 filters[] = { 1, 0, 2, 1 };

    TIFFSetField (tiff, TIFFTAG_CFAREPEATPATTERNDIM, cell);
    TIFFSetField (tiff, TIFFTAG_CFAPATTERN, 4, filters);
  }
  if (picture->n_components % 2 == 0)
    TIFFSetField (tiff, TIFFTAG_EXTRASAMPLES, 1, &picture->extra);
  if (picture->tiled) {
    TIFFSetField (tiff, TIFFTAG_TILEWIDTH, picture->segment_width);
    TIFFSetField (tiff, TIFFTAG_TILELENGTH, picture->segment_height);
  } else {
    TIFFSetField (tiff, TIFFTAG_ROWSPERSTRIP, picture->segment_height);
  }
  TIFFSetField (tiff, TIFFTAG_SOFTWARE, "a scanner");
  if (draw (2))
    TIFFSetField (tiff, TIFFTAG_ICCPROFILE, 9, "a profile");
}

/* Packs `n` samples in the order of libtiff, which is this machine's, or goes
 * from the highest bit of a byte on. */
static void
pack (guint8 *to, const guint16 *samples, gsize stride, gsize n, guint depth)
{
  guint32 word = 0;
  guint bits = 0;

  for (gsize i = 0; i < n; i++) {
    guint16 sample = samples[i * stride];

    if (depth == 8) {
      *to++ = (guint8) sample;
    } else if (depth == 16) {
      memcpy (to, &sample, 2);
      to += 2;
    } else {
      word = word << depth | sample;
      for (bits += depth; bits >= 8; bits -= 8)
        *to++ = (guint8) (word >> (bits - 8));
    }
  }
  if (bits > 0)
    *to = (guint8) (word << (8 - bits));
}

static void
write_lines (TIFF *tiff, const Picture *picture, const guint16 *samples)
{
  guint n = picture->n_components, planes = picture->separate ? n : 1;
  gsize line = (gsize) picture->width * n;
  g_autofree guint8 *bytes = g_malloc (line * 2 + 2);

  for (guint p = 0; p < planes; p++)
    for (guint32 y = 0; y < picture->height; y++) {
      pack (bytes, samples + y * line + p, picture->separate ? n : 1,
          line / planes, picture->depth);
      g_assert_cmpint (TIFFWriteScanline (tiff, bytes, y, (guint16) p), ==, 1);
    }
}

/* Writes tiles. Those beyond the edges have what was in the memory before,
 * which is noise. */
static void
write_tiles (TIFF *tiff, const Picture *picture, const guint16 *samples)
{
  guint n = picture->n_components, planes = picture->separate ? n : 1;
  gsize line = (gsize) picture->width * n, size = (gsize) TIFFTileSize (tiff);
  gsize tile_line = size / picture->segment_height;
  g_autofree guint8 *tile = g_malloc (size);

  for (guint p = 0; p < planes; p++)
    for (guint32 y = 0; y < picture->height; y += picture->segment_height)
      for (guint32 x = 0; x < picture->width; x += picture->segment_width) {
        guint32 w = MIN (picture->segment_width, picture->width - x);
        guint32 h = MIN (picture->segment_height, picture->height - y);

        for (gsize i = 0; i < size; i++)
          tile[i] = (guint8) draw (4);
        for (guint32 i = 0; i < h; i++)
          pack (tile + i * tile_line, samples + (y + i) * line + x * n + p,
              picture->separate ? n : 1, (gsize) w * n / planes,
              picture->depth);
        g_assert_cmpint (
            TIFFWriteTile (tiff, tile, x, y, 0, (guint16) p), >, 0);
      }
}

static GByteArray *
write_tiff (const Picture *picture, const guint16 *samples)
{
  GByteArray *file = g_byte_array_new ();
  PacoTiffMemory memory;
  TIFF *tiff = paco_tiff_write (&memory, file, picture->big_endian);

  g_assert_nonnull (tiff);
  set_tags (tiff, picture);
  if (picture->tiled)
    write_tiles (tiff, picture, samples);
  else
    write_lines (tiff, picture, samples);
  TIFFClose (tiff);
  g_assert_cmpstr (memory.message, ==, "");
  return file;
}

/* --- tests ------------------------------------------------------------- */

static void
check (const Picture *picture, Restoring *restoring)
{
  const PacoSource *source = &restoring->source;
  gsize n = (gsize) picture->width * picture->height * picture->n_components;
  g_autofree guint16 *samples = draw_samples (
      picture->width, picture->height, picture->n_components, picture->depth);
  g_autoptr (GByteArray) file = write_tiff (picture, samples);
  g_autofree guint16 *found = NULL;

  g_test_message ("%ux%u, %u of %u bits, compression %u, codec %u, level %u, "
                  "predictor %u, %s, %s, %s of %ux%u",
      picture->width, picture->height, picture->n_components, picture->depth,
      picture->compression, picture->codec, picture->level, picture->predictor,
      picture->big_endian ? "MM" : "II",
      picture->separate ? "separate" : "contiguous",
      picture->tiled ? "tiles" : "strips", picture->segment_width,
      picture->segment_height);
  restoring_comes_back (restoring, file->data, file->len);
  found = restoring_samples (restoring);
  g_assert_cmpuint (source->info.width, ==, picture->width);
  g_assert_cmpuint (source->info.height, ==, picture->height);
  g_assert_cmpuint (source->info.depth[0], ==, picture->depth);
  g_assert_cmpuint (source->info.n_components, ==, picture->n_components);
  g_assert_cmpmem (found, n * sizeof *found, samples, n * sizeof *samples);
  /* Without compression nothing is copied, where strips are. */
  if (!picture->tiled && picture->compression == COMPRESSION_NONE
      && !(picture->separate && picture->segment_height < picture->height))
    g_assert_cmpuint (source->samples->len, ==, 0);
  g_assert_cmpuint (source->notes->len, ==,
      (picture->photometric == PHOTOMETRIC_MINISWHITE)
          + (picture->n_components % 2 == 0
              && picture->extra == EXTRASAMPLE_ASSOCALPHA));
}

static void
test_comes_back (void)
{
  guint cases = g_getenv ("PACO_SANITIZE") ? 60 : 400;
  g_auto (Restoring) restoring;

  restoring_init (&restoring, &paco_source_tiff);
  for (guint i = 0; i < cases; i++) {
    const Picture picture = draw_picture ();

    check (&picture, &restoring);
  }
}

static void
test_mosaics (void)
{
  guint cases = g_getenv ("PACO_SANITIZE") ? 30 : 200;
  g_auto (Restoring) restoring;

  restoring_init (&restoring, &paco_source_tiff);
  for (guint i = 0; i < cases; i++) {
    const Picture picture = draw_mosaic ();
    g_autofree guint16 *samples = draw_samples (
        picture.width, picture.height, 1, picture.depth);
    g_autoptr (GByteArray) file = write_tiff (&picture, samples);
    g_autofree guint16 *found = NULL;

    g_test_message ("%ux%u of %u bits, %s, %s of %ux%u", picture.width,
        picture.height, picture.depth, picture.big_endian ? "MM" : "II",
        picture.tiled ? "tiles" : "strips", picture.segment_width,
        picture.segment_height);
    restoring_comes_back (&restoring, file->data, file->len);
    found = restoring_samples (&restoring);
    g_assert_cmpuint (restoring.source.info.mosaic, ==, 1);
    for (guint32 n = 0; n < picture.width * picture.height; n++) {
      /* Lines are of green and red, or of blue and green. */
      static const guint8 components[2][2] = { { 1, 0 }, { 3, 2 } };
      guint32 x = n % picture.width, y = n / picture.width;

      g_assert_cmpuint (
          found[4 * n + components[y % 2][x % 2]], ==, samples[n]);
    }
  }
}

/* Makes a sound file, whose tags a test changes. */
static GByteArray *
new_file (void (*change) (TIFF *tiff))
{
  GByteArray *file = g_byte_array_new ();
  guint8 line[256] = { 0 };
  PacoTiffMemory memory;
  TIFF *tiff = paco_tiff_write (&memory, file, FALSE);
  const Picture picture = { .width = 8,
    .height = 4,
    .n_components = 1,
    .depth = 8,
    .compression = COMPRESSION_NONE,
    .photometric = PHOTOMETRIC_MINISBLACK,
    .segment_height = 2 };

  set_tags (tiff, &picture);
  if (change)
    change (tiff);
  for (guint32 y = 0; y < 4; y++)
    TIFFWriteScanline (tiff, line, y, 0);
  TIFFClose (tiff);
  return file;
}

static void
make_palette (TIFF *tiff)
{
  static guint16 colours[256];

  TIFFSetField (tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_PALETTE);
  TIFFSetField (tiff, TIFFTAG_COLORMAP, colours, colours, colours);
}

static void
make_floats (TIFF *tiff)
{
  TIFFSetField (tiff, TIFFTAG_BITSPERSAMPLE, 32);
  TIFFSetField (tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_IEEEFP);
}

static void
make_bilevel (TIFF *tiff)
{
  TIFFSetField (tiff, TIFFTAG_BITSPERSAMPLE, 1);
}

static void
make_reverse (TIFF *tiff)
{
  TIFFSetField (tiff, TIFFTAG_FILLORDER, FILLORDER_LSB2MSB);
}

static void
make_cmyk (TIFF *tiff)
{
  TIFFSetField (tiff, TIFFTAG_SAMPLESPERPIXEL, 4);
  TIFFSetField (tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_SEPARATED);
}

static void
make_five (TIFF *tiff)
{
  static const guint16 extra[2];

  TIFFSetField (tiff, TIFFTAG_SAMPLESPERPIXEL, 5);
  TIFFSetField (tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB);
  TIFFSetField (tiff, TIFFTAG_EXTRASAMPLES, 2, extra);
}

static void
test_refused (void)
{
  static const struct
  {
    void (*change) (TIFF *tiff);
    const char *word;
  } cases[] = {
    { make_palette, "palette" },
    { make_floats, "floating-point" },
    { make_bilevel, "neither 8, 10, 12 nor 16" },
    { make_reverse, "FillOrder" },
    { make_cmyk, "CMYK" },
    { make_five, "RGB has not" },
  };
  GByteArray *file;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    file = new_file (cases[i].change);
    check_source_refused (
        &paco_source_tiff, file->data, file->len, cases[i].word);
    g_byte_array_unref (file);
  }
  file = new_file (NULL);
  check_source_refused (
      &paco_source_tiff, file->data, 30, "libtiff cannot read");
  g_byte_array_unref (file);
}

/* Returns the value of a tag of a small little-endian file, as a pointer. */
static guint8 *
find_tag (GByteArray *file, guint16 tag)
{
  guint32 at = file->data[4] | (guint32) file->data[5] << 8;
  guint n = file->data[at];

  for (guint i = 0; i < n; i++) {
    guint8 *entry = file->data + at + 2 + 12 * i;

    if ((entry[0] | entry[1] << 8) == tag)
      return entry + 8;
  }
  g_assert_not_reached ();
}

/* Tests files whose offsets lie. */
static void
test_offsets (void)
{
  g_autoptr (GByteArray) file = new_file (NULL);
  /* There are two strips, so their offsets are elsewhere. */
  guint8 *offsets = file->data + find_tag (file, TIFFTAG_STRIPOFFSETS)[0]
      + 256 * find_tag (file, TIFFTAG_STRIPOFFSETS)[1];
  /* Two sizes of 16 bits are in the directory itself. */
  guint8 *sizes = find_tag (file, TIFFTAG_STRIPBYTECOUNTS);
  guint8 *width = find_tag (file, TIFFTAG_IMAGEWIDTH);
  guint8 first = offsets[0];

  offsets[0] = 0;
  check_source_refused (
      &paco_source_tiff, file->data, file->len, "header or tags");
  offsets[0] = first + 8;
  check_source_refused (&paco_source_tiff, file->data, file->len, "in common");
  offsets[0] = first;
  offsets[2] = 1;
  check_source_refused (
      &paco_source_tiff, file->data, file->len, "ends within");
  offsets[2] = 0;
  sizes[0] = 15;
  check_source_refused (&paco_source_tiff, file->data, file->len, "shorter");
  sizes[0] = 16;
  width[1] = 0x41;
  check_source_refused (&paco_source_tiff, file->data, file->len, "16384");
}

typedef struct
{
  guint16 tag;
  guint32 value;
} Tag;

/* Makes a little-endian file of gray samples of 8 bits, which one strip or tile holds
 * as the bytes say. Tags come in their order, and end with 0. */
static GByteArray *
new_gray_file (const Tag *tags, const guint8 *bytes, gsize size)
{
  static const guint8 head[] = { 'I', 'I', 42, 0, 8, 0, 0, 0 };
  GByteArray *file = g_byte_array_new ();
  guint8 entry[12] = { 0 };
  guint n = 0;

  while (tags[n].tag)
    n++;
  g_byte_array_append (file, head, sizeof head);
  paco_put16 (entry, (guint16) n);
  g_byte_array_append (file, entry, 2);
  for (guint i = 0; i < n; i++) {
    gboolean offsets = tags[i].tag == TIFFTAG_STRIPOFFSETS
        || tags[i].tag == TIFFTAG_TILEOFFSETS;

    paco_put16 (paco_put16 (entry, tags[i].tag), TIFF_LONG);
    paco_put32 (entry + 4, 1);
    paco_put32 (entry + 8, offsets ? 8 + 2 + 12 * n + 4 : tags[i].value);
    g_byte_array_append (file, entry, sizeof entry);
  }
  memset (entry, 0, sizeof entry);
  g_byte_array_append (file, entry, 4);
  g_byte_array_append (file, bytes, (guint) size);
  return file;
}

/* A search that finds nothing compresses the picture a few times, whoever wrote the
 * file; and padding has a limit. */
static void
test_bounded (void)
{
  gsize size = 2000 * 2000, n;
  guint8 *zeros = g_malloc0 (size), *bytes = g_malloc0 (600000);
  z_stream zlib = { .next_in = zeros, .avail_in = (guint) size - 1 };
  GByteArray *file;

  g_assert_cmpint (deflateInit (&zlib, 9), ==, Z_OK);
  zlib.next_out = bytes;
  zlib.avail_out = 600000;
  g_assert_cmpint (deflate (&zlib, Z_FULL_FLUSH), ==, Z_OK);
  zlib.avail_in = 1;
  g_assert_cmpint (deflate (&zlib, Z_FINISH), ==, Z_STREAM_END);
  n = zlib.total_out;
  deflateEnd (&zlib);
  {
    const Tag tags[] = { { TIFFTAG_IMAGEWIDTH, 2000 },
      { TIFFTAG_IMAGELENGTH, 2000 }, { TIFFTAG_BITSPERSAMPLE, 8 },
      { TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE },
      { TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK },
      { TIFFTAG_STRIPOFFSETS, 0 }, { TIFFTAG_ROWSPERSTRIP, 2000 },
      { TIFFTAG_STRIPBYTECOUNTS, (guint32) n }, { 0, 0 } };

    file = new_gray_file (tags, bytes, n);
  }
  n_compressed = 0;
  check_source_refused (&paco_source_tiff, file->data, file->len, "bit by bit");
  g_assert_cmpuint (n_compressed, <=, 4 * size);
  g_byte_array_unref (file);
  {
    static const Tag tags[] = { { TIFFTAG_IMAGEWIDTH, 16 },
      { TIFFTAG_IMAGELENGTH, 16 }, { TIFFTAG_BITSPERSAMPLE, 8 },
      { TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE },
      { TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK },
      { TIFFTAG_TILEWIDTH, 32768 }, { TIFFTAG_TILELENGTH, 16384 },
      { TIFFTAG_TILEOFFSETS, 0 }, { TIFFTAG_TILEBYTECOUNTS, 600000 },
      { 0, 0 } };

    file = new_gray_file (tags, bytes, 600000);
  }
  check_source_refused (
      &paco_source_tiff, file->data, file->len, "256 MiB beyond");
  g_byte_array_unref (file);
  g_free (bytes);
  g_free (zeros);
}

static void
test_hostile (void)
{
  guint files = 12, n = g_getenv ("PACO_SANITIZE") ? 50 : 300;

  for (guint i = 0; i < files; i++) {
    Picture picture = i % 3 ? draw_picture () : draw_mosaic ();
    g_autofree guint16 *samples = NULL;
    g_autoptr (GByteArray) file = NULL;

    if (i % 3) {
      picture.width = 1 + picture.width % 40;
      picture.height = 1 + picture.height % 40;
    }
    samples = draw_samples (
        picture.width, picture.height, picture.n_components, picture.depth);
    file = write_tiff (&picture, samples);
    check_hostile (&paco_source_tiff, file->data, file->len, n);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/archive/tiff/comes-back", test_comes_back);
  g_test_add_func ("/archive/tiff/mosaics", test_mosaics);
  g_test_add_func ("/archive/tiff/refused", test_refused);
  g_test_add_func ("/archive/tiff/offsets", test_offsets);
  g_test_add_func ("/archive/tiff/bounded", test_bounded);
  g_test_add_func ("/archive/tiff/hostile", test_hostile);
  return g_test_run ();
}
