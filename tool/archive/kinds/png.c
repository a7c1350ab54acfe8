/* SPDX-License-Identifier: LGPL-2.1-or-later
 * PNG files of 8 and 16 bits without a palette as a kind of source.h. The compressed
 * bytes of their IDAT chunks are made again by zlib, with the settings that deflate.c
 * finds. docs/ARCHIVE-FORMAT.md says what the rest is. */
#include "tool/archive/kinds/deflate.h"
#include "tool/archive/source.h"
#include "tool/archive/kinds/png.h"
#include "codec/bytes.h"
#include <string.h>
#include <zlib.h>

enum
{
  FORM = 1,
  REST_HEAD = 28,
  SIGNATURE = 8,
  CHUNK_HEAD = 8, /* size and type */
  CHUNK = 12,     /* with the CRC */
  HEADER = 13,    /* of IHDR */
  ZLIB_HEAD = 2,
  ZLIB = 6,          /* with the check at the end */
  MAX_RATIO = 1040,  /* that deflate can reach, and a bit */
  MAX_PART = 1 << 30 /* bytes before the samples, or behind them */
};

static const guint8 signature[SIGNATURE] = { 0x89, 'P', 'N', 'G', '\r', '\n',
  0x1a, '\n' };

static gboolean
match (const guint8 *bytes, gsize size)
{
  return size >= SIGNATURE && memcmp (bytes, signature, SIGNATURE) == 0;
}

static guint32
get32 (const guint8 *p)
{
  return GUINT32_SWAP_LE_BE (paco_get32 (p));
}

static void
put32 (guint8 *to, guint32 value)
{
  paco_put32 (to, GUINT32_SWAP_LE_BE (value));
}

/* --- what the file says of the picture --------------------------------- */

typedef struct
{
  PacoPngPicture picture;
  guint depth;
  PacoPngColor color;
  gsize before; /* bytes up to the first IDAT chunk, 0 if it is not reached */
} Header;

static const char *
why_not (
    guint depth, guint type, guint compression, guint filter, guint interlace)
{
  if (compression != 0 || filter != 0 || interlace > 1)
    return "the file is compressed, filtered or interlaced in a way that PNG "
           "does not know";
  if (type == 3)
    return "the picture has a palette, and PaCo codes samples only; make a PNG "
           "of RGB of it, or keep the file as it is";
  if (type != 0 && type != 2 && type != 4 && type != 6)
    return "the type of colour is none that PNG knows";
  if (depth == 1 || depth == 2 || depth == 4)
    return "samples have less than 8 bits; make a PNG of 8 bits of it, or keep "
           "the file as it is";
  if (depth != 8 && depth != 16)
    return "the samples have a depth that PNG does not know";
  return NULL;
}

static gboolean
read_ihdr (const guint8 *data, Header *header, GError **error)
{
  static const guint8 components[] = { [0] = 1, [2] = 3, [4] = 2, [6] = 4 };
  guint depth = data[8], type = data[9];
  guint32 width = get32 (data), height = get32 (data + 4);
  const char *reason = why_not (depth, type, data[10], data[11], data[12]);

  if (reason)
    return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED, "%s", reason);
  if (width == 0 || height == 0)
    return paco_source_fail (
        error, PACO_SOURCE_BROKEN, "the picture has no samples");
  if (width > PACO_MAX_SIZE || height > PACO_MAX_SIZE)
    return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
        "the picture has more than 16384 columns or lines");
  header->depth = depth;
  header->picture = (PacoPngPicture){
    .width = width,
    .height = height,
    .n_components = components[type],
    .pixel_bytes = (guint8) (components[type] * depth / 8),
    .interlaced = data[12] == 1,
  };
  return TRUE;
}

static gboolean
read_header (const guint8 *bytes, gsize size, Header *header, GError **error)
{
  *header = (Header){ 0 };
  if (!match (bytes, size) || size < SIGNATURE + CHUNK + HEADER
      || get32 (bytes + SIGNATURE) != HEADER
      || memcmp (bytes + SIGNATURE + 4, "IHDR", 4) != 0)
    return paco_source_fail (
        error, PACO_SOURCE_BROKEN, "it does not begin as PNG files do");
  if (crc32 (0, bytes + SIGNATURE + 4, 4 + HEADER)
      != get32 (bytes + SIGNATURE + CHUNK_HEAD + HEADER))
    return paco_source_fail (error, PACO_SOURCE_BROKEN,
        "its header is damaged: the checksum of the IHDR chunk differs");
  if (!read_ihdr (bytes + SIGNATURE + CHUNK_HEAD, header, error))
    return FALSE;
  header->before = paco_png_color_read (&header->color, bytes, size);
  return TRUE;
}

static void
tell_info (const Header *header, PacoInfo *info)
{
  const PacoPngPicture *picture = &header->picture;

  paco_source_tell (info, picture->width, picture->height,
      picture->n_components, header->depth, picture->n_components >= 3);
  paco_png_color_tell (&header->color, info);
}

static gboolean
peek (const guint8 *bytes, gsize size, guint64 file_size, PacoInfo *info,
    GError **error)
{
  Header header;

  if (!read_header (bytes, size, &header, error))
    return FALSE;
  if (header.color.animated)
    return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
        "the file is an animation; PaCo has a frame for each file");
  if (paco_png_bytes (&header.picture) / MAX_RATIO > file_size)
    return paco_source_fail (error, PACO_SOURCE_BROKEN,
        "the file is too short for the picture that its header promises");
  tell_info (&header, info);
  return TRUE;
}

/* Places lines and samples, which are the same bytes if the picture is not
 * interlaced. */
static void
place_image (const Header *header, const PacoInfo *info, guint8 *samples,
    PacoImage *image)
{
  guint filter = header->picture.interlaced ? 0 : 1;

  paco_source_place (info, header->depth / 8, filter, samples + filter, image);
}

/* --- the stream -------------------------------------------------------- */

/* Collects the data of all IDAT chunks, which must be one behind the other, and their
 * sizes; *at is behind them then. */
static gboolean
collect_data (const guint8 *bytes, gsize size, gsize *at, GByteArray *data,
    GByteArray *sizes, GError **error)
{
  while (size - *at >= CHUNK && memcmp (bytes + *at + 4, "IDAT", 4) == 0) {
    guint32 length = get32 (bytes + *at);
    const guint8 *chunk = bytes + *at + CHUNK_HEAD;

    if (length > size - *at - CHUNK)
      return paco_source_fail (
          error, PACO_SOURCE_BROKEN, "the file ends within the samples");
    if (crc32 (crc32 (0, bytes + *at + 4, 4), chunk, length)
        != get32 (chunk + length))
      return paco_source_fail (error, PACO_SOURCE_BROKEN,
          "it is damaged: the checksum of an IDAT chunk differs");
    paco_runs_add (sizes, 0, length);
    g_byte_array_append (data, chunk, length);
    *at += CHUNK + length;
  }
  return TRUE;
}

static gboolean
decompress (GByteArray *data, guint8 *lines, gsize size, gboolean samples_only,
    GError **error)
{
  z_stream zlib = { .next_in = data->data, .avail_in = data->len };
  gsize left = size;
  int status = Z_OK;

  if (inflateInit (&zlib) != Z_OK)
    return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED, "memory is short");
  zlib.next_out = lines;
  while (status == Z_OK) {
    gsize before;

    if (zlib.avail_out == 0 && left > 0) {
      zlib.avail_out = (guint) MIN (left, G_MAXINT32);
      left -= zlib.avail_out;
    }
    before = zlib.avail_in + (gsize) zlib.avail_out;
    status = inflate (&zlib, Z_NO_FLUSH);
    if (status == Z_OK && before == zlib.avail_in + (gsize) zlib.avail_out)
      status = Z_BUF_ERROR;
  }
  inflateEnd (&zlib);
  if (status != Z_STREAM_END || left > 0 || zlib.avail_out > 0)
    return paco_source_fail (error, PACO_SOURCE_BROKEN,
        status == Z_BUF_ERROR || status == Z_STREAM_END
            ? "there are more or fewer samples than the picture has"
            : "the compressed samples are damaged");
  if (zlib.avail_in > 0 && !samples_only)
    return paco_source_fail (error, PACO_SOURCE_OTHER_BYTES,
        "there are bytes behind the compressed samples in the IDAT chunks, "
        "which could not come back; --keep-files keeps the file as it is");
  return TRUE;
}

/* --- taking apart ------------------------------------------------------ */

typedef struct
{
  GByteArray *data, *sizes, *blocks;
  guint8 *filters;
  PacoDeflate settings;
} Stream;

static void
append_rest (const guint8 *bytes, gsize size, gsize before, gsize end,
    const Stream *stream, gsize n_lines, GByteArray *rest)
{
  const PacoDeflate *settings = &stream->settings;
  guint8 head[REST_HEAD] = { FORM, settings->level, settings->strategy,
    settings->memory, settings->window, 0, stream->data->data[0],
    stream->data->data[1] };
  guint8 *p = paco_put32 (
      head + 8, (guint32) crc32 (0, stream->data->data, stream->data->len));

  p = paco_put32 (p, stream->sizes->len / PACO_RUN_SIZE);
  p = paco_put32 (p, stream->blocks->len / PACO_RUN_SIZE);
  p = paco_put32 (p, (guint32) before);
  paco_put32 (p, (guint32) (size - end));
  g_byte_array_append (rest, head, sizeof head);
  g_byte_array_append (rest, stream->sizes->data, stream->sizes->len);
  g_byte_array_append (rest, stream->blocks->data, stream->blocks->len);
  g_byte_array_append (rest, bytes, (guint) before);
  g_byte_array_append (rest, bytes + end, (guint) (size - end));
  g_byte_array_append (rest, stream->filters, (guint) n_lines);
}

static gboolean
take_apart (const guint8 *bytes, gsize size, const Header *header,
    GByteArray *lines, Stream *stream, PacoSource *source, GError **error)
{
  const PacoPngPicture *picture = &header->picture;
  gboolean samples_only = source->samples_only;
  gsize end = header->before, n_lines = paco_png_lines (picture);
  gboolean filtered;

  if (!collect_data (bytes, size, &end, stream->data, stream->sizes, error))
    return FALSE;
  if (stream->data->len < ZLIB
      || paco_png_bytes (picture) / MAX_RATIO > stream->data->len)
    return paco_source_fail (error, PACO_SOURCE_BROKEN,
        "the file is too short for the picture that its header promises");
  g_byte_array_set_size (lines, (guint) paco_png_bytes (picture));
  stream->filters = g_malloc (n_lines);
  if (!decompress (stream->data, lines->data, lines->len, samples_only, error))
    return FALSE;
  if (!paco_png_get_filters (picture, lines->data, stream->filters, &filtered))
    return paco_source_fail (error, PACO_SOURCE_BROKEN,
        "a line is filtered in a way that PNG does not know");
  if (!samples_only
      && !paco_deflate_find (lines->data, lines->len,
          stream->data->data + ZLIB_HEAD, stream->data->len - ZLIB,
          stream->data->data, filtered, &stream->settings, stream->blocks))
    return paco_source_fail (error, PACO_SOURCE_OTHER_BYTES,
        "zlib does not compress the samples to the bytes of this file with any "
        "settings, so the file could not come back bit by bit; save it again "
        "with "
        "a program that uses zlib, as libpng, ImageMagick and FFmpeg do, or "
        "have "
        "it kept as it is (--keep-files)");
  if (!samples_only)
    append_rest (
        bytes, size, header->before, end, stream, n_lines, source->rest);
  paco_png_unfilter (picture, lines->data);
  /* Filters are cleared so that equal samples of two files have equal bytes. */
  paco_png_set_filters (picture, lines->data, NULL);
  return TRUE;
}

static void
free_stream (Stream *stream)
{
  g_byte_array_unref (stream->data);
  g_byte_array_unref (stream->sizes);
  g_byte_array_unref (stream->blocks);
  g_free (stream->filters);
}

static gboolean
check_ends (
    const guint8 *bytes, gsize size, const Header *header, GError **error)
{
  if (header->before == 0)
    return paco_source_fail (
        error, PACO_SOURCE_BROKEN, "the file has no samples");
  if (size > G_MAXUINT32 / 2 || header->before > MAX_PART)
    return paco_source_fail (
        error, PACO_SOURCE_UNSUPPORTED, "the file is too large");
  return TRUE;
}

static gboolean
parse (const guint8 *bytes, gsize size, PacoSource *source, GError **error)
{
  Header header;
  Stream stream = { NULL };
  g_autoptr (GByteArray) lines = NULL;
  gboolean done;

  if (!peek (bytes, size, size, &source->info, error)
      || !read_header (bytes, size, &header, error)
      || !check_ends (bytes, size, &header, error))
    return FALSE;
  lines = header.picture.interlaced ? g_byte_array_new ()
                                    : g_byte_array_ref (source->samples);
  stream.data = g_byte_array_new ();
  stream.sizes = g_byte_array_new ();
  stream.blocks = g_byte_array_new ();
  done = take_apart (bytes, size, &header, lines, &stream, source, error);
  free_stream (&stream);
  if (done && header.picture.interlaced) {
    g_byte_array_set_size (source->samples,
        header.picture.width * header.picture.height
            * header.picture.pixel_bytes);
    paco_png_interlace (
        &header.picture, TRUE, source->samples->data, lines->data);
  }
  if (done)
    place_image (&header, &source->info, source->samples->data, &source->image);
  return done;
}

/* --- making again ------------------------------------------------------ */

/* The fields of the rest. */
typedef struct
{
  Header header;
  PacoDeflate settings;
  const guint8 *zlib_head, *sizes, *blocks, *before, *behind, *filters;
  guint32 crc, n_sizes, n_blocks, n_before, n_behind;
  gsize n_data; /* Bytes of the compressed stream, in all IDAT chunks. */
} Rest;

/* Says whether chunks and stored blocks give a file of exactly file_size bytes, before
 * one of them is made: a few bytes of runs can stand for billions of empty ones. */
static gboolean
has_size (Rest *rest, gsize file_size)
{
  guint64 n, stored, chunks, data;

  if (!paco_runs_sum (rest->sizes, rest->n_sizes, file_size, &chunks, &data)
      || rest->n_before + CHUNK * chunks + data + rest->n_behind != file_size
      || data < ZLIB)
    return FALSE;
  rest->n_data = data;
  if (rest->settings.level > 0)
    return rest->n_blocks == 0;
  return paco_runs_sum (rest->blocks, rest->n_blocks, data, &n, &stored)
      && paco_deflate_stored_size (n, stored) == data - ZLIB
      && stored == paco_png_bytes (&rest->header.picture);
}

static gboolean
read_rest (
    const guint8 *p, gsize size, gsize file_size, Rest *rest, GError **error)
{
  guint64 parts;

  if (size < REST_HEAD || p[0] != FORM)
    return paco_source_fail (error, PACO_SOURCE_BROKEN,
        "what was kept of the file is of an unknown form");
  rest->settings = (PacoDeflate){ p[1], p[2], p[3], p[4] };
  rest->zlib_head = p + 6;
  rest->crc = paco_get32 (p + 8);
  rest->n_sizes = paco_get32 (p + 12);
  rest->n_blocks = paco_get32 (p + 16);
  rest->n_before = paco_get32 (p + 20);
  rest->n_behind = paco_get32 (p + 24);
  parts = ((guint64) rest->n_sizes + rest->n_blocks) * PACO_RUN_SIZE
      + rest->n_before + rest->n_behind;
  if (parts > size - REST_HEAD)
    return paco_source_broken_rest (error);
  rest->sizes = p + REST_HEAD;
  rest->blocks = rest->sizes + (gsize) rest->n_sizes * PACO_RUN_SIZE;
  rest->before = rest->blocks + (gsize) rest->n_blocks * PACO_RUN_SIZE;
  rest->behind = rest->before + rest->n_before;
  rest->filters = rest->behind + rest->n_behind;
  if (!read_header (rest->before, rest->n_before, &rest->header, error))
    return FALSE;
  if (size - REST_HEAD - parts != paco_png_lines (&rest->header.picture))
    return paco_source_broken_rest (error);
  if (!has_size (rest, file_size))
    return paco_source_broken_rest (error);
  for (gsize i = 0; i < size - REST_HEAD - parts; i++)
    if (rest->filters[i] >= PACO_PNG_FILTERS)
      return paco_source_broken_rest (error);
  return TRUE;
}

static gboolean
rebuild (const guint8 *bytes, gsize size, const PacoInfo *info, gsize file_size,
    PacoRebuilt *rebuilt, GError **error)
{
  Rest rest;
  const PacoPngPicture *picture = &rest.header.picture;

  if (!read_rest (bytes, size, file_size, &rest, error))
    return FALSE;
  if (!paco_source_has (info, picture->width, picture->height,
          picture->n_components, rest.header.depth, rest.header.depth)
      || paco_png_bytes (picture) / MAX_RATIO > file_size)
    return paco_source_broken_rest (error);
  g_byte_array_set_size (rebuilt->samples,
      picture->interlaced
          ? picture->width * picture->height * picture->pixel_bytes
          : (guint) paco_png_bytes (picture));
  if (!picture->interlaced)
    paco_png_set_filters (picture, rebuilt->samples->data, NULL);
  place_image (&rest.header, info, rebuilt->samples->data, &rebuilt->image);
  return TRUE;
}

static gboolean
compress_lines (
    const Rest *rest, const GByteArray *lines, GByteArray *data, GError **error)
{
  guint8 check[4];

  g_byte_array_append (data, rest->zlib_head, ZLIB_HEAD);
  if (paco_deflate_make (&rest->settings, rest->blocks, rest->n_blocks,
          lines->data, lines->len, rest->n_data - ZLIB, data)) {
    put32 (check, (guint32) adler32_z (1, lines->data, lines->len));
    g_byte_array_append (data, check, sizeof check);
    if (data->len == rest->n_data
        && crc32 (0, data->data, data->len) == rest->crc)
      return TRUE;
  }
  return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
      "the zlib of this machine (%s) compresses the samples to other bytes "
      "than the one that the file was checked with, or the samples are not "
      "those of the file; restore it on a machine with the zlib of zlib.net",
      zlibVersion ());
}

/* Writes the IDAT chunks, which hold n_data bytes in all. Returns their end. */
static guint8 *
put_chunks (const Rest *rest, const guint8 *data, guint8 *to)
{
  PacoRuns runs;
  guint32 length;

  paco_runs_begin (&runs, rest->sizes, rest->n_sizes);
  while (paco_runs_next (&runs, &length)) {
    put32 (to, length);
    memcpy (to + 4, "IDAT", 4);
    memcpy (to + CHUNK_HEAD, data, length);
    put32 (to + CHUNK_HEAD + length,
        (guint32) crc32 (0, to + 4, 4 + (uInt) length));
    data += length;
    to += CHUNK + length;
  }
  return to;
}

/* Makes the lines of an interlaced picture, in whose place the samples were. */
static void
interlace (const PacoPngPicture *picture, PacoRebuilt *rebuilt)
{
  GByteArray *lines = g_byte_array_new ();

  g_byte_array_set_size (lines, (guint) paco_png_bytes (picture));
  paco_png_interlace (picture, FALSE, rebuilt->samples->data, lines->data);
  g_byte_array_unref (rebuilt->samples);
  rebuilt->samples = lines;
}

static gboolean
finish (const guint8 *bytes, gsize size, const PacoInfo *info, gsize file_size,
    PacoRebuilt *rebuilt, GError **error)
{
  Rest rest;
  const PacoPngPicture *picture = &rest.header.picture;
  g_autoptr (GByteArray) data = NULL;
  gboolean done;

  if (!read_rest (bytes, size, file_size, &rest, error))
    return FALSE;
  if (picture->interlaced)
    interlace (picture, rebuilt);
  paco_png_set_filters (picture, rebuilt->samples->data, rest.filters);
  paco_png_filter (picture, rebuilt->samples->data);
  data = g_byte_array_new ();
  done = compress_lines (&rest, rebuilt->samples, data, error);
  if (done) {
    guint8 *to;

    paco_bytes_set_size (rebuilt->file, file_size);
    to = rebuilt->file->data;
    memcpy (to, rest.before, rest.n_before);
    to = put_chunks (&rest, data->data, to + rest.n_before);
    memcpy (to, rest.behind, rest.n_behind);
  }
  return done;
}

const PacoSourceKind paco_source_png = {
  .name = "png",
  .id = 3,
  .rest_beyond = 1 << 20, /* Filters of lines. */
  .decodes_aside = TRUE,
  .match = match,
  .peek = peek,
  .parse = parse,
  .rebuild = rebuild,
  .finish = finish,
};
