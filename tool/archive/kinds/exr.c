/* SPDX-License-Identifier: LGPL-2.1-or-later
 * OpenEXR files, and parts of them, in lines, as a kind of source.h: half floats of R, G, B and
 * A, of Y, or of Y, BY and RY are the picture; all other channels, and all other parts, are in
 * the rest. Chunks
 * are uncompressed, and compressed again before the file is taken. The rest is described in
 * docs/ARCHIVE-FORMAT.md.
 */
#include "tool/archive/kinds/exr.h"
#include "tool/archive/source.h"
#include "codec/bytes.h"
#include <string.h>

enum
{
  FORM = 1,
  FORM_PART = 2, /* of a file that may have several */
  REST_HEAD = 6,
  PART_HEAD = 8, /* more, of FORM_PART */
  MAGIC = 20000630,
};

/* zlib's levels, the likeliest first. */
static const guint8 levels[] = { 6, 4, 9, 1, 2, 3, 5, 7, 8 };

static gboolean
match (const guint8 *bytes, gsize size)
{
  return size >= 8 && paco_get32 (bytes) == MAGIC;
}

static gboolean
look (int fd, guint64 file_size, PacoInfo *info, GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  PacoExrPicture picture;

  if (!paco_exr_look (fd, file_size, PACO_EXR_FIRST, &picture, bytes, error))
    return FALSE;
  paco_exr_tell_info (&picture, info);
  return TRUE;
}

static gboolean
cut (GError **error)
{
  return paco_source_fail (error, PACO_SOURCE_BROKEN,
      "the OpenEXR file ends within its chunks, or they are not where its "
      "table says");
}

/* --- samples ----------------------------------------------------------------- */

/* Returns where the samples of a component begin. */
static gsize
component_at (const PacoExrPicture *picture, int component)
{
  gsize at = 0;

  for (int c = 0; c < component; c++)
    for (guint i = 0; i < picture->n_channels; i++)
      if (picture->channels[i].component == c)
        at += (gsize) picture->channels[i].width * picture->channels[i].height
            * 2;
  return at;
}

static gsize
samples_size (const PacoExrPicture *picture)
{
  return component_at (picture, (int) picture->n_components);
}

/* Returns how many bytes the channels have that are no components. */
static guint64
others_size (const PacoExrPicture *picture)
{
  guint64 size = 0;

  for (guint i = 0; i < picture->n_channels; i++) {
    const PacoExrChannel *channel = &picture->channels[i];

    if (channel->component < 0)
      size += (guint64) channel->width * channel->height * channel->bytes;
  }
  return size;
}

static void
place_image (const PacoExrPicture *picture, guint8 *samples, PacoImage *image)
{
  *image = (PacoImage){ 0 };
  for (guint i = 0; i < picture->n_channels; i++) {
    const PacoExrChannel *channel = &picture->channels[i];
    int c = channel->component;

    if (c < 0)
      continue;
    image->data[c] = samples + component_at (picture, c);
    image->stride[c] = (ptrdiff_t) channel->width * 2;
    image->size[c] = (gsize) channel->width * channel->height * 2;
    image->layout[c] =
        (PacoLayout){ .group_bytes = 2, .group_samples = 1, .word_bytes = 2 };
  }
}

/* Copies a line of a channel that is in the rest, or back. */
static void
move_line (const PacoExrChannel *channel, guint32 line, guint8 *raw,
    guint8 *others, gboolean to_raw)
{
  gsize plane = (gsize) channel->width * channel->height;

  others += (gsize) line * channel->width;
  for (guint b = 0; b < channel->bytes; b++) {
    guint8 *there = others + b * plane, last = 0;

    for (guint32 x = 0; x < channel->width; x++) {
      guint8 *sample = raw + (gsize) x * channel->bytes + b;

      if (to_raw)
        *sample = (guint8) (there[x] + last);
      else
        there[x] = (guint8) (*sample - last);
      last = *sample;
    }
  }
}

/* Copies a chunk to the samples and the others, or back. */
static void
move_chunk (const PacoExrPicture *picture, guint32 chunk, guint8 *raw,
    guint8 *samples, guint8 *others, gboolean to_raw)
{
  guint32 first, n = paco_exr_chunk_lines (picture, chunk, &first);

  for (guint32 y = first; y < first + n; y++) {
    guint8 *other = others;

    for (guint i = 0; i < picture->n_channels; i++) {
      const PacoExrChannel *channel = &picture->channels[i];
      gsize size = (gsize) channel->width * channel->bytes;
      guint32 line = y / channel->ys;

      if (paco_exr_has_line (picture, channel, y)) {
        if (channel->component < 0)
          move_line (channel, line, raw, other, to_raw);
        else {
          guint8 *there = samples + component_at (picture, channel->component)
              + line * size;

          memcpy (to_raw ? raw : there, to_raw ? there : raw, size);
        }
        raw += size;
      }
      if (channel->component < 0)
        other += size * channel->height;
    }
  }
}

/* --- chunks ------------------------------------------------------------------- */

/* Where the chunks of a part lie. */
typedef struct
{
  gsize begin, end;
  guint32 number; /* of the part, in each of them */
} Span;

/* Finds where chunks are, in rising order. They must follow each other, and the table must
 * say where they are. */
static gboolean
find_chunks (const PacoExrPicture *picture, const guint8 *bytes, gsize size,
    gsize *at, Span *span, GError **error)
{
  const guint8 *table = bytes + picture->table;
  gsize head_size = picture->chunk_head;

  if (size < picture->tables_end)
    return cut (error);
  span->begin = picture->multipart
      ? paco_get64 (table + (gsize) paco_exr_chunk_at (picture, 0) * 8)
      : picture->tables_end;
  if (span->begin < picture->tables_end || span->begin > size
      || size - span->begin < head_size)
    return cut (error);
  span->number = paco_get32 (bytes + span->begin);
  span->end = span->begin;
  for (guint32 n = 0; n < picture->n_chunks; n++) {
    guint32 chunk = paco_exr_chunk_at (picture, n);
    const guint8 *head = bytes + span->end + head_size - PACO_EXR_CHUNK_HEAD;

    if (size - span->end < head_size
        || (picture->multipart
            && paco_get32 (bytes + span->end) != span->number)
        || (gint32) paco_get32 (head)
            != picture->y + (gint32) (chunk * picture->chunk_lines)
        || paco_get32 (head + 4) > size - span->end - head_size
        || paco_get64 (table + (gsize) chunk * 8) != span->end)
      return cut (error);
    at[chunk] = span->end + head_size;
    span->end += head_size + paco_get32 (head + 4);
  }
  return TRUE;
}

/* What is known of a file while it is taken apart. */
typedef struct
{
  PacoExrPicture picture;
  const guint8 *bytes;
  gsize *at;   /* of each chunk */
  guint8 *raw; /* of one chunk */
  GByteArray *tables, *coded;
  guint8 *samples, *others;
} Taking;

static guint32
coded_size (const Taking *taking, guint32 chunk)
{
  return paco_get32 (taking->bytes + taking->at[chunk] - 4);
}

static gboolean
uncompress_all (Taking *taking, GError **error)
{
  const PacoExrPicture *picture = &taking->picture;

  for (guint32 chunk = 0; chunk < picture->n_chunks; chunk++) {
    gsize size = paco_exr_chunk_bytes (picture, chunk);

    if (!paco_exr_uncompress (picture, chunk, taking->bytes + taking->at[chunk],
            coded_size (taking, chunk), taking->raw, size, taking->tables))
      return paco_source_fail (error, PACO_SOURCE_BROKEN,
          "chunk %u of the OpenEXR file is broken", chunk);
    move_chunk (
        picture, chunk, taking->raw, taking->samples, taking->others, FALSE);
  }
  return TRUE;
}

/* Says whether the samples give all chunks. */
static gboolean
gives_chunks (Taking *taking, guint level)
{
  const PacoExrPicture *picture = &taking->picture;
  const guint8 *tables = taking->tables->data;
  const guint8 *end = tables ? tables + taking->tables->len : NULL;
  gboolean same = TRUE;

  for (guint32 chunk = 0; same && chunk < picture->n_chunks; chunk++) {
    gsize size = paco_exr_chunk_bytes (picture, chunk);

    move_chunk (
        picture, chunk, taking->raw, taking->samples, taking->others, TRUE);
    same = paco_exr_compress (picture, chunk, taking->raw, size, level, &tables,
               end, taking->coded)
        && taking->coded->len == coded_size (taking, chunk)
        && memcmp (taking->coded->data, taking->bytes + taking->at[chunk],
               taking->coded->len)
            == 0;
  }
  return same;
}

static gboolean
find_level (Taking *taking, guint8 *level, GError **error)
{
  PacoExrCompression compression = taking->picture.compression;
  gboolean zip = compression == PACO_EXR_ZIP || compression == PACO_EXR_ZIPS;
  guint n = zip ? G_N_ELEMENTS (levels) : compression == PACO_EXR_PIZ ? 2 : 1;

  for (guint i = 0; i < n; i++) {
    *level = zip ? levels[i] : (guint8) i;
    if (gives_chunks (taking, *level))
      return TRUE;
  }
  return paco_source_fail (error, PACO_SOURCE_OTHER_BYTES,
      "the samples are not compressed to the bytes of this OpenEXR file with "
      "any settings, so the file could not come back bit by bit; save it again "
      "with OpenEXR's library and zlib, or have it kept as it is "
      "(--keep-files)");
}

/* --- taking apart ---------------------------------------------------------------- */

static void
append_sized (GByteArray *to, const guint8 *bytes, gsize size)
{
  guint8 head[4];

  paco_put32 (head, (guint32) size);
  g_byte_array_append (to, head, sizeof head);
  g_byte_array_append (to, bytes, (guint) size);
}

static gboolean
take (Taking *taking, gsize size, PacoSource *source, GError **error)
{
  const PacoExrPicture *picture = &taking->picture;
  guint64 others = others_size (picture);
  guint8 head[2 + PART_HEAD] = { picture->multipart ? FORM_PART : FORM };
  Span span;

  if (others + samples_size (picture) > G_MAXINT32 / 2)
    return paco_source_fail (
        error, PACO_SOURCE_UNSUPPORTED, "all channels are more than 1 GiB");
  if (!find_chunks (picture, taking->bytes, size, taking->at, &span, error))
    return FALSE;
  paco_put32 (paco_put32 (head + 2, picture->part), span.number);
  taking->raw = g_malloc (MAX (paco_exr_chunk_bytes (picture, 0), 1));
  taking->others = g_malloc (others + 1);
  g_byte_array_set_size (source->samples, (guint) samples_size (picture));
  taking->samples = source->samples->data;
  if (!uncompress_all (taking, error)
      || (!source->samples_only && !find_level (taking, &head[1], error)))
    return FALSE;
  place_image (picture, taking->samples, &source->image);
  paco_exr_tell_info (picture, &source->info);
  source->n_pictures = picture->n_parts > 1 ? 2 : 1;
  g_byte_array_append (
      source->rest, head, picture->multipart ? sizeof head : 2);
  append_sized (source->rest, taking->bytes,
      picture->multipart ? span.begin : picture->header_size);
  append_sized (source->rest, taking->bytes + span.end, size - span.end);
  append_sized (source->rest, taking->tables->data, taking->tables->len);
  g_byte_array_append (source->rest, taking->others, (guint) others);
  if (picture->n_parts > 1 && !source->samples_only)
    g_ptr_array_add (source->notes,
        g_strdup_printf ("the file has %u parts: one is coded, the others are "
                         "kept as they are",
            picture->n_parts));
  return TRUE;
}

static gboolean
parse (const guint8 *bytes, gsize size, PacoSource *source, GError **error)
{
  Taking taking = { .bytes = bytes };
  gboolean good;

  if (!paco_exr_read_header (
          bytes, size, PACO_EXR_FIRST, &taking.picture, error))
    return FALSE;
  taking.at = g_new0 (gsize, taking.picture.n_chunks);
  taking.tables = g_byte_array_new ();
  taking.coded = g_byte_array_new ();
  good = take (&taking, size, source, error);
  g_byte_array_unref (taking.tables);
  g_byte_array_unref (taking.coded);
  g_free (taking.at);
  g_free (taking.raw);
  g_free (taking.others);
  return good;
}

/* --- making again ------------------------------------------------------------------ */

typedef struct
{
  PacoExrPicture picture;
  guint level;
  const guint8 *header, *tail, *tables, *others;
  guint32 tail_size, tables_size;
  guint32
      header_size; /* bytes before the table, or before the chunks of a part */
  guint32 number;  /* of the part, in each chunk */
} Rest;

/* Reads a size and that many bytes. */
static const guint8 *
read_sized (const guint8 **at, const guint8 *end, guint32 *size)
{
  const guint8 *bytes = *at + 4;

  if (end - *at < 4)
    return NULL;
  *size = paco_get32 (*at);
  if (*size > (gsize) (end - bytes))
    return NULL;
  *at = bytes + *size;
  return bytes;
}

static gboolean
read_rest (const guint8 *rest, gsize rest_size, const PacoInfo *info,
    gsize file_size, Rest *read, GError **error)
{
  const guint8 *at = rest + 2, *end = rest + rest_size;
  PacoInfo told = PACO_INFO_INIT;
  const PacoExrPicture *picture = &read->picture;
  guint32 part = 0;

  if (rest_size < REST_HEAD + PART_HEAD
      || (rest[0] != FORM && rest[0] != FORM_PART) || rest[1] > 9)
    return paco_source_broken_rest (error);
  read->level = rest[1];
  if (rest[0] == FORM_PART) {
    part = paco_get32 (at);
    read->number = paco_get32 (at + 4);
    at += PART_HEAD;
  }
  read->header = read_sized (&at, end, &read->header_size);
  read->tail = read->header ? read_sized (&at, end, &read->tail_size) : NULL;
  read->tables = read->tail ? read_sized (&at, end, &read->tables_size) : NULL;
  read->others = at;
  if (!read->tables || part == PACO_EXR_FIRST
      || !paco_exr_read_header (
          read->header, read->header_size, part, &read->picture, NULL)
      || picture->multipart != (rest[0] == FORM_PART)
      || (picture->multipart ? picture->tables_end > read->header_size
                             : picture->header_size != read->header_size)
      || others_size (picture) != (guint64) (end - at))
    return paco_source_broken_rest (error);
  paco_exr_tell_info (picture, &told);
  return (paco_source_same_samples (&told, info)
             && file_size / 8 >= picture->n_chunks
             && file_size >= (guint64) read->header_size + read->tail_size
                     + picture->n_chunks
                         * (picture->chunk_head
                             + (guint64) (picture->multipart ? 0 : 8)))
      || paco_source_broken_rest (error);
}

static gboolean
rebuild (const guint8 *rest, gsize rest_size, const PacoInfo *info,
    gsize file_size, PacoRebuilt *rebuilt, GError **error)
{
  Rest read;

  if (!read_rest (rest, rest_size, info, file_size, &read, error))
    return FALSE;
  g_byte_array_set_size (
      rebuilt->samples, (guint) samples_size (&read.picture));
  place_image (&read.picture, rebuilt->samples->data, &rebuilt->image);
  return TRUE;
}

static gboolean
put_chunks (const Rest *rest, guint8 *samples, GByteArray *coded, guint8 *raw,
    gsize *sizes, GByteArray *all)
{
  const PacoExrPicture *picture = &rest->picture;
  const guint8 *tables = rest->tables, *end = tables + rest->tables_size;

  for (guint32 chunk = 0; chunk < picture->n_chunks; chunk++) {
    gsize size = paco_exr_chunk_bytes (picture, chunk);

    move_chunk (picture, chunk, raw, samples, (guint8 *) rest->others, TRUE);
    if (!paco_exr_compress (
            picture, chunk, raw, size, rest->level, &tables, end, coded))
      return FALSE;
    sizes[chunk] = coded->len;
    g_byte_array_append (all, coded->data, coded->len);
  }
  return TRUE;
}

/* Puts header, table, chunks and tail in their places. */
static gboolean
put_file (const Rest *rest, const gsize *sizes, const GByteArray *all,
    guint8 *file, gsize file_size)
{
  const PacoExrPicture *picture = &rest->picture;
  gsize n = picture->n_chunks, table = picture->table;
  gsize at = picture->multipart ? rest->header_size : table + n * 8;
  gsize from = picture->falling ? all->len : 0;

  if (file_size != at + n * picture->chunk_head + all->len + rest->tail_size)
    return FALSE;
  memcpy (file, rest->header, rest->header_size);
  for (guint32 i = 0; i < n; i++) {
    guint32 chunk = paco_exr_chunk_at (picture, i);

    from -= picture->falling ? sizes[chunk] : 0;
    /* Parts have tables in the header. */
    if (!picture->multipart)
      paco_put64 (file + table + (gsize) chunk * 8, at);
    else
      paco_put32 (file + at, rest->number);
    at += picture->chunk_head;
    paco_put32 (file + at - 8,
        (guint32) (picture->y + (gint32) (chunk * picture->chunk_lines)));
    paco_put32 (file + at - 4, (guint32) sizes[chunk]);
    memcpy (file + at, all->data + from, sizes[chunk]);
    from += picture->falling ? 0 : sizes[chunk];
    at += sizes[chunk];
  }
  memcpy (file + at, rest->tail, rest->tail_size);
  return TRUE;
}

static gboolean
finish (const guint8 *rest, gsize rest_size, const PacoInfo *info,
    gsize file_size, PacoRebuilt *rebuilt, GError **error)
{
  GByteArray *coded, *all;
  g_autofree guint8 *raw = NULL;
  g_autofree gsize *sizes = NULL;
  gboolean good;
  Rest read;

  if (!read_rest (rest, rest_size, info, file_size, &read, error))
    return FALSE;
  coded = g_byte_array_new ();
  all = g_byte_array_new ();
  raw = g_malloc (MAX (paco_exr_chunk_bytes (&read.picture, 0), 1));
  sizes = g_new (gsize, read.picture.n_chunks);
  paco_bytes_set_size (rebuilt->file, file_size);
  good = put_chunks (&read, rebuilt->samples->data, coded, raw, sizes, all)
      && put_file (&read, sizes, all, rebuilt->file->data, file_size);
  g_byte_array_unref (coded);
  g_byte_array_unref (all);
  return good
      || paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
          "zlib of this machine compresses the samples to other bytes than the "
          "one that the file was checked with, or the samples are not those of "
          "the file");
}

const PacoSourceKind paco_source_exr = {
  .name = "exr",
  .id = 5,
  .rest_beyond = 1 << 30, /* Other channels. */
  .decodes_aside = TRUE,
  .match = match,
  .look = look,
  .cut = paco_exr_cut,
  .stand_in = paco_exr_stand_in,
  .parse = parse,
  .rebuild = rebuild,
  .finish = finish,
};
