/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What a frame keeps of the file that its picture came from, as chunks. */
#include "archive/chunks.h"
#include "archive/sound.h"
#include "codec/bytes.h"
#include <string.h>
#include <zlib.h>

enum
{
  FILE_HEAD = 30, /* of chunk 12, before the name */
  MAX_NAME = 4096,
  CHUNK_HEAD = 4,   /* of each chunk in the frame */
  MAX_PART = 32764, /* of the rest in one chunk */
  /* No zlib stream is this many times smaller than what it makes. */
  MAX_RATIO = 1033,
};

static gboolean
fail (GError **error, PacoSourceError code, const char *sentence)
{
  g_set_error_literal (error, PACO_SOURCE_ERROR, code, sentence);
  return FALSE;
}

void
paco_kept_file_init (PacoKeptFile *kept)
{
  *kept = (PacoKeptFile){
    .rest = g_byte_array_new (),
    .sound = g_byte_array_new (),
  };
}

void
paco_kept_file_clear (PacoKeptFile *kept)
{
  g_clear_pointer (&kept->name, g_free);
  g_clear_pointer (&kept->rest, g_byte_array_unref);
  g_clear_pointer (&kept->sound, g_byte_array_unref);
}

void
paco_kept_chunks_init (PacoKeptChunks *chunks)
{
  *chunks = (PacoKeptChunks){ .memory = g_byte_array_new () };
}

void
paco_kept_chunks_clear (PacoKeptChunks *chunks)
{
  g_clear_pointer (&chunks->memory, g_byte_array_unref);
}

gboolean
paco_kept_name_is_good (const char *name, gsize length)
{
  gsize from = 0;

  if (length == 0 || length > MAX_NAME || memchr (name, 0, length))
    return FALSE;
  for (gsize i = 0; i <= length; i++) {
    gsize part = i - from;

    if (i < length && name[i] != '/')
      continue;
    if (part == 0 || (part == 1 && name[from] == '.')
        || (part == 2 && name[from] == '.' && name[from + 1] == '.'))
      return FALSE;
    from = i + 1;
  }
  return TRUE;
}

/* --- writing ----------------------------------------------------------- */

/* Appends the rest, compressed; returns its bytes. */
static gsize
append_rest (GByteArray *memory, const GByteArray *rest)
{
  uLongf size = compressBound (rest->len);
  guint before = memory->len;

  g_byte_array_set_size (memory, before + (guint) size);
  if (compress2 (memory->data + before, &size, rest->data, rest->len, 9)
      != Z_OK)
    g_error ("zlib has no memory for %u bytes", rest->len);
  g_byte_array_set_size (memory, before + (guint) size);
  return size;
}

static void
append_file (GByteArray *memory, const PacoKeptFile *kept)
{
  gsize length = strlen (kept->name);
  guint8 head[FILE_HEAD] = { kept->kind->id };

  paco_put64 (head + 2, kept->size);
  paco_put32 (head + 10, kept->rest->len);
  memcpy (head + 14, kept->checksums.xxh3, PACO_CHECKSUM_SIZE);
  g_byte_array_append (memory, head, sizeof head);
  g_byte_array_append (memory, (const guint8 *) kept->name, (guint) length);
}

/* The chunk at `offset` of the memory; its place is known when that is complete. */
static void
add_chunk (PacoKeptChunks *chunks, guint type, gsize offset, gsize size)
{
  chunks->chunks[chunks->n++] = (PacoFrameChunk){
    .type = type,
    .data = GSIZE_TO_POINTER (offset),
    .size = size,
  };
}

static gsize
bytes_in_frame (const PacoKeptChunks *chunks)
{
  gsize size = 0;

  for (gsize i = 0; i < chunks->n; i++)
    size += CHUNK_HEAD + chunks->chunks[i].size;
  return size;
}

gboolean
paco_kept_chunks_write (
    const PacoKeptFile *kept, PacoKeptChunks *chunks, GError **error)
{
  GByteArray *memory = chunks->memory;
  gsize offset, rest;

  if (!paco_kept_name_is_good (kept->name, strlen (kept->name)))
    return fail (error, PACO_SOURCE_UNSUPPORTED,
        "its name is longer than 4096 bytes, or none of a file below a folder");
  chunks->n = 0;
  g_byte_array_set_size (memory, 0);
  append_file (memory, kept);
  add_chunk (chunks, PACO_CHUNK_SOURCE_FILE, 0, memory->len);
  offset = memory->len;
  rest = append_rest (memory, kept->rest);
  if (memory->len > PACO_MAX_CHUNK_BYTES) {
    g_set_error (error, PACO_SOURCE_ERROR, PACO_SOURCE_UNSUPPORTED,
        "what the file has besides its picture takes %" G_GSIZE_FORMAT
        " bytes compressed, and a frame keeps %d at most, with the name",
        rest, PACO_MAX_CHUNK_BYTES);
    return FALSE;
  }
  for (gsize part; rest > 0; rest -= part, offset += part) {
    part = MIN (rest, MAX_PART);
    add_chunk (chunks, PACO_CHUNK_SOURCE_REST, offset, part);
  }
  if (kept->checksums.has_md5) {
    add_chunk (chunks, PACO_CHUNK_SOURCE_MD5, memory->len, PACO_CHECKSUM_SIZE);
    g_byte_array_append (memory, kept->checksums.md5, PACO_CHECKSUM_SIZE);
  }
  if (kept->sound->len > 0) {
    add_chunk (chunks, PACO_CHUNK_SOUND_FILE, memory->len, kept->sound->len);
    g_byte_array_append (memory, kept->sound->data, kept->sound->len);
  }
  if (bytes_in_frame (chunks) > PACO_MAX_CHUNK_BYTES)
    return fail (error, PACO_SOURCE_UNSUPPORTED,
        "what the file has besides its picture, its name and checksums take "
        "more than a frame keeps");
  for (gsize i = 0; i < chunks->n; i++)
    chunks->chunks[i].data = memory->data
        + GPOINTER_TO_SIZE (chunks->chunks[i].data);
  return TRUE;
}

/* --- reading ----------------------------------------------------------- */

static gboolean
read_file (const PacoFrameChunk *chunk, PacoKeptFile *kept, GError **error)
{
  const guint8 *data = chunk->data;
  const char *name = (const char *) data + FILE_HEAD;

  if (chunk->size < FILE_HEAD || data[1] != 0
      || !paco_kept_name_is_good (name, chunk->size - FILE_HEAD))
    return fail (error, PACO_SOURCE_BROKEN,
        "the frame's chunk 12, its source file, is broken");
  kept->kind = paco_source_kind_by_id (data[0]);
  if (!kept->kind) {
    g_set_error (error, PACO_SOURCE_ERROR, PACO_SOURCE_UNSUPPORTED,
        "the frame's source file is of kind %u, which this version does not "
        "know",
        data[0]);
    return FALSE;
  }
  kept->size = paco_get64 (data + 2);
  g_byte_array_set_size (kept->rest, 0);
  memcpy (kept->checksums.xxh3, data + 14, PACO_CHECKSUM_SIZE);
  kept->checksums.has_md5 = FALSE;
  g_free (kept->name);
  kept->name = g_strndup (name, chunk->size - FILE_HEAD);
  return TRUE;
}

/* Decompresses all chunks 13, one behind the other, to exactly `size` bytes. */
static gboolean
read_rest (
    const PacoFrameChunk *chunks, gsize n, guint32 size, GByteArray *rest)
{
  z_stream stream = { 0 };
  gsize compressed = 0;
  int status = Z_OK;

  for (gsize i = 0; i < n; i++)
    if (chunks[i].type == PACO_CHUNK_SOURCE_REST)
      compressed += chunks[i].size;
  if (size > compressed * MAX_RATIO || inflateInit (&stream) != Z_OK)
    return FALSE;
  g_byte_array_set_size (rest, size);
  stream.next_out = rest->data;
  stream.avail_out = size;
  for (gsize i = 0; i < n && status == Z_OK; i++) {
    if (chunks[i].type != PACO_CHUNK_SOURCE_REST)
      continue;
    stream.next_in = (Bytef *) chunks[i].data;
    stream.avail_in = (uInt) chunks[i].size;
    compressed -= chunks[i].size;
    while (status == Z_OK && stream.avail_in > 0)
      status = inflate (&stream, Z_NO_FLUSH);
  }
  inflateEnd (&stream);
  return status == Z_STREAM_END && stream.avail_out == 0 && stream.avail_in == 0
      && compressed == 0;
}

static gboolean
read_chunks (
    const PacoFrameChunk *chunks, gsize n, PacoKeptFile *kept, GError **error)
{
  const PacoFrameChunk *file = NULL, *md5 = NULL, *sound = NULL;

  for (gsize i = 0; i < n; i++) {
    if (chunks[i].type == PACO_CHUNK_SOURCE_FILE && !file)
      file = &chunks[i];
    else if (chunks[i].type == PACO_CHUNK_SOURCE_MD5 && !md5)
      md5 = &chunks[i];
    else if (chunks[i].type == PACO_CHUNK_SOUND_FILE && !sound)
      sound = &chunks[i];
    else if (chunks[i].type == PACO_CHUNK_SOURCE_FILE
        || chunks[i].type == PACO_CHUNK_SOURCE_MD5
        || chunks[i].type == PACO_CHUNK_SOUND_FILE)
      return fail (error, PACO_SOURCE_BROKEN,
          "the frame has more than one source file, MD5 of it, or file of "
          "sound");
  }
  if (!file)
    return fail (error, PACO_SOURCE_UNSUPPORTED,
        "the frame has not been archived from a file: it keeps none");
  if (!read_file (file, kept, error))
    return FALSE;
  if (!read_rest (
          chunks, n, paco_get32 ((const guint8 *) file->data + 10), kept->rest))
    return fail (error, PACO_SOURCE_BROKEN,
        "the frame's chunk 13, the rest of its source file, is broken");
  if (md5 && md5->size != PACO_CHECKSUM_SIZE)
    return fail (error, PACO_SOURCE_BROKEN,
        "the frame's chunk 14, the MD5 of its source file, is broken");
  g_byte_array_set_size (kept->sound, 0);
  if (sound)
    g_byte_array_append (kept->sound, sound->data, (guint) sound->size);
  kept->checksums.has_md5 = md5 != NULL;
  if (md5)
    memcpy (kept->checksums.md5, md5->data, PACO_CHECKSUM_SIZE);
  return TRUE;
}

gboolean
paco_kept_file_read (
    const void *data, gsize size, PacoKeptFile *kept, GError **error)
{
  PacoFrameChunk few[16], *chunks = few;
  gsize n = G_N_ELEMENTS (few), room = n;
  PacoError failure;
  gboolean good;

  if (paco_frame_chunks (data, size, few, &n, &failure) != PACO_STATUS_OK)
    return fail (error, PACO_SOURCE_BROKEN, failure.message);
  if (n > room) {
    room = n;
    chunks = g_new (PacoFrameChunk, n);
    paco_frame_chunks (data, size, chunks, &n, NULL);
  }
  good = read_chunks (chunks, MIN (n, room), kept, error);
  if (chunks != few)
    g_free (chunks);
  return good;
}
