/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes and reads, as chunks, what a frame keeps of the file that its picture came
 * from (chunks.h). */
#include "tool/archive/chunks.h"
#include "tool/archive/sound.h"
#include "codec/bytes.h"
#include <string.h>
#include <zlib.h>

enum
{
  FILE_HEAD = 30, /* of chunk 12, before the name */
  MAX_NAME = 4096,
  CHUNK_HEAD = 4,   /* of each chunk in the frame */
  MAX_PART = 32764, /* of the rest in one chunk */
  MAX_REST = 1 << 30,
  /* No zlib stream is this many times smaller than its plain bytes. */
  MAX_RATIO = 1033,
  FEW_CHUNKS = 16,
  SECTION_KIND = 64, /* A section of a file of kind k is of kind 64 + k. */
  SECTION_FORM = 1,
  SECTION_HEAD = 48, /* of its rest, before that of the stand-in */
};

void
paco_kept_file_init (PacoKeptFile *kept)
{
  *kept = (PacoKeptFile){
    .rest = g_byte_array_new (),
    .sound = g_byte_array_new (),
    .further = g_byte_array_new (),
  };
}

void
paco_kept_file_clear (PacoKeptFile *kept)
{
  g_clear_pointer (&kept->name, g_free);
  g_clear_pointer (&kept->rest, g_byte_array_unref);
  g_clear_pointer (&kept->sound, g_byte_array_unref);
  g_clear_pointer (&kept->further, g_byte_array_unref);
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

/* Writes what the rest of a section has before that of its stand-in. Returns its size, 0
 * for a file. */
static guint
write_section (const PacoKeptFile *kept, guint8 head[SECTION_HEAD])
{
  const PacoSection *section = &kept->section;
  guint8 *p = head;

  if (!kept->is_section)
    return 0;
  p = paco_put32 (p, SECTION_FORM);
  p = paco_put32 (paco_put32 (p, section->number), section->n);
  p = paco_put32 (p, kept->section_head);
  p = paco_put64 (paco_put64 (p, section->offset), kept->file_size);
  memcpy (p, kept->so_far.xxh3, PACO_CHECKSUM_SIZE);
  return SECTION_HEAD;
}

/* Appends the rest, compressed. Returns how many bytes that takes. A rest that is
 * a whole file is compressed already. */
static gsize
append_rest (GByteArray *memory, const PacoKeptFile *kept)
{
  const GByteArray *rest = kept->rest;
  gboolean whole = rest->len > 0 && rest->data[0] == PACO_SOURCE_WHOLE;
  guint8 head[SECTION_HEAD];
  guint before = memory->len, head_size = write_section (kept, head);
  uLong size = compressBound (head_size + rest->len);
  z_stream stream = { .next_in = head, .avail_in = head_size };
  int status = deflateInit (
      &stream, whole ? Z_NO_COMPRESSION : Z_BEST_COMPRESSION);

  g_byte_array_set_size (memory, before + (guint) size);
  stream.next_out = memory->data + before;
  stream.avail_out = (uInt) size;
  if (status == Z_OK && head_size > 0)
    status = deflate (&stream, Z_NO_FLUSH);
  stream.next_in = rest->data;
  stream.avail_in = rest->len;
  if (status == Z_OK)
    status = deflate (&stream, Z_FINISH);
  if (status != Z_STREAM_END)
    g_error ("zlib has no memory for %u bytes", rest->len);
  size = stream.total_out;
  deflateEnd (&stream);
  g_byte_array_set_size (memory, before + (guint) size);
  return size;
}

static void
append_file (GByteArray *memory, const PacoKeptFile *kept)
{
  gsize length = strlen (kept->name);
  guint8 head[FILE_HEAD] = { kept->kind->id
    + (kept->is_section ? SECTION_KIND : 0) };

  paco_put64 (head + 2, kept->size);
  paco_put32 (
      head + 10, kept->rest->len + (kept->is_section ? SECTION_HEAD : 0));
  memcpy (head + 14, kept->checksums.xxh3, PACO_CHECKSUM_SIZE);
  g_byte_array_append (memory, head, sizeof head);
  g_byte_array_append (memory, (const guint8 *) kept->name, (guint) length);
}

/* Notes the chunk at `offset` of the memory. Its address is known when the memory
 * is complete. */
static void
add_chunk (PacoKeptChunks *chunks, guint type, gsize offset, gsize size)
{
  chunks->chunks[chunks->n++] = (PacoFrameChunk){
    .type = type,
    .data = GSIZE_TO_POINTER (offset),
    .size = size,
  };
}

/* Adds the rest, which is `rest` bytes at the offset of the memory: in chunks if
 * they fit beside the others, else attached. */
static gboolean
add_rest (PacoKeptChunks *chunks, gsize offset, gsize rest, GError **error)
{
  gsize n = (rest + MAX_PART - 1) / MAX_PART;
  gsize needed = rest + (n + chunks->n) * CHUNK_HEAD;

  for (gsize i = 0; i < chunks->n; i++)
    needed += chunks->chunks[i].size;
  if (needed > PACO_MAX_CHUNK_BYTES) {
    chunks->attachment_size = rest;
    if (rest <= PACO_MAX_ATTACHMENT_BYTES)
      return TRUE;
    return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
        "what the file has besides its picture takes %" G_GSIZE_FORMAT
        " bytes compressed, and a frame keeps %d at most",
        rest, PACO_MAX_ATTACHMENT_BYTES);
  }
  for (gsize part; rest > 0; rest -= part, offset += part) {
    part = MIN (rest, MAX_PART);
    add_chunk (chunks, PACO_CHUNK_SOURCE_REST, offset, part);
  }
  return TRUE;
}

static void
add_sound (PacoKeptChunks *chunks, guint type, const GByteArray *sound)
{
  if (sound->len == 0)
    return;
  add_chunk (chunks, type, chunks->memory->len, sound->len);
  g_byte_array_append (chunks->memory, sound->data, sound->len);
}

gboolean
paco_kept_chunks_write (
    const PacoKeptFile *kept, PacoKeptChunks *chunks, GError **error)
{
  GByteArray *memory = chunks->memory;
  const PacoChecksums *md5 = kept->is_section ? &kept->so_far
                                              : &kept->checksums;
  gsize offset, rest;

  if (!paco_kept_name_is_good (kept->name, strlen (kept->name)))
    return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
        "its name is longer than 4096 bytes, or none of a file below a folder");
  if (kept->rest->len > MAX_REST - SECTION_HEAD)
    return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
        "what the file has besides its picture is more than 1 GiB");
  chunks->n = 0;
  chunks->attachment_size = 0;
  g_byte_array_set_size (memory, 0);
  append_file (memory, kept);
  add_chunk (chunks, PACO_CHUNK_SOURCE_FILE, 0, memory->len);
  if (md5->has_md5) {
    add_chunk (chunks, PACO_CHUNK_SOURCE_MD5, memory->len, PACO_CHECKSUM_SIZE);
    g_byte_array_append (memory, md5->md5, PACO_CHECKSUM_SIZE);
  }
  add_sound (chunks, PACO_CHUNK_SOUND_FILE, kept->sound);
  add_sound (chunks, PACO_CHUNK_FURTHER_SOUND, kept->further);
  if (kept->n_files > 0) {
    add_chunk (chunks, PACO_CHUNK_N_FILES, memory->len, 4);
    g_byte_array_set_size (memory, memory->len + 4);
    paco_put32 (memory->data + memory->len - 4, kept->n_files);
    add_chunk (chunks, PACO_CHUNK_MEMBERS, memory->len, PACO_MEMBER_CHUNK_SIZE);
    g_byte_array_set_size (memory, memory->len + PACO_MEMBER_CHUNK_SIZE);
    paco_member_count_write (&(PacoMemberCount){ .total = kept->n_members },
        memory->data + memory->len - PACO_MEMBER_CHUNK_SIZE);
  }
  offset = memory->len;
  rest = append_rest (memory, kept);
  if (!add_rest (chunks, offset, rest, error))
    return FALSE;
  for (gsize i = 0; i < chunks->n; i++)
    chunks->chunks[i].data = memory->data
        + GPOINTER_TO_SIZE (chunks->chunks[i].data);
  chunks->attachment = chunks->attachment_size > 0 ? memory->data + offset
                                                   : NULL;
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
    return paco_source_fail (error, PACO_SOURCE_BROKEN,
        "the frame's chunk 12, its source file, is broken");
  g_free (kept->name);
  kept->name = g_strndup (name, chunk->size - FILE_HEAD);
  kept->kind = data[0] < 2 * SECTION_KIND
      ? paco_source_kind_by_id (data[0] % SECTION_KIND)
      : NULL;
  kept->is_section = kept->kind && data[0] >= SECTION_KIND;
  kept->so_far.has_md5 = FALSE;
  if (!kept->kind)
    return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
        "the frame's source file is of kind %u, which this version does not "
        "know",
        data[0]);
  kept->size = paco_get64 (data + 2);
  memcpy (kept->checksums.xxh3, data + 14, PACO_CHECKSUM_SIZE);
  kept->checksums.has_md5 = FALSE;
  return TRUE;
}

/* What a frame has kept, as it was found. */
typedef struct
{
  const PacoFrameChunk *chunks;
  gsize n;
  PacoFrameChunk attachment; /* data is NULL if there is none */
} Kept;

/* Returns the piece of the rest behind piece *i, which moves on, or NULL at the
 * end. */
static const PacoFrameChunk *
next_piece (const Kept *found, gsize *i)
{
  for (; *i < found->n; ++*i)
    if (found->chunks[*i].type == PACO_CHUNK_SOURCE_REST)
      return &found->chunks[(*i)++];
  return (*i)++ == found->n && found->attachment.data ? &found->attachment
                                                      : NULL;
}

/* Decompresses all chunks 13, one behind the other, or the attachment, to exactly
 * `size` bytes. */
static gboolean
read_rest (const Kept *found, guint32 size, GByteArray *rest)
{
  const PacoFrameChunk *piece;
  z_stream stream = { 0 };
  gsize compressed = 0;
  int status = Z_OK;

  for (gsize i = 0; (piece = next_piece (found, &i));)
    compressed += piece->size;
  if (compressed > 0 && found->attachment.data
      && compressed != found->attachment.size)
    return FALSE; /* chunks and an attachment */
  if (size > MAX_REST || size > compressed * MAX_RATIO
      || inflateInit (&stream) != Z_OK)
    return FALSE;
  g_byte_array_set_size (rest, size);
  stream.next_out = rest->data;
  stream.avail_out = size;
  for (gsize i = 0; status == Z_OK && (piece = next_piece (found, &i));) {
    stream.next_in = (Bytef *) piece->data;
    stream.avail_in = (uInt) piece->size;
    compressed -= piece->size;
    while (status == Z_OK && stream.avail_in > 0)
      status = inflate (&stream, Z_NO_FLUSH);
  }
  inflateEnd (&stream);
  return status == Z_STREAM_END && stream.avail_out == 0 && stream.avail_in == 0
      && compressed == 0;
}

static gboolean
no_file (GError **error)
{
  return paco_source_fail (error, PACO_SOURCE_NO_FILE,
      "the frame has not been archived from a file: it keeps none");
}

/* Puts the chunk of a type, of which a frame has one at most, into *to. */
static gboolean
find_one (const Kept *found, guint type, const PacoFrameChunk **to)
{
  *to = NULL;
  for (gsize i = 0; i < found->n; i++) {
    if (found->chunks[i].type != type)
      continue;
    if (*to)
      return FALSE;
    *to = &found->chunks[i];
  }
  return TRUE;
}

static void
copy_sound (const PacoFrameChunk *chunk, GByteArray *to)
{
  g_byte_array_set_size (to, 0);
  if (chunk)
    g_byte_array_append (to, chunk->data, (guint) chunk->size);
}

/* Takes what the rest of a section has before that of its stand-in. */
static gboolean
read_section (PacoKeptFile *kept)
{
  PacoSection *section = &kept->section;
  const guint8 *p = kept->rest->data;
  gboolean good;

  *section = (PacoSection){ 0 };
  if (kept->rest->len < SECTION_HEAD || paco_get32 (p) != SECTION_FORM)
    return FALSE;
  *section = (PacoSection){ .number = paco_get32 (p + 4),
    .n = paco_get32 (p + 8),
    .offset = paco_get64 (p + 16) };
  kept->section_head = paco_get32 (p + 12);
  kept->file_size = paco_get64 (p + 24);
  memcpy (kept->so_far.xxh3, p + 32, PACO_CHECKSUM_SIZE);
  g_byte_array_remove_range (kept->rest, 0, SECTION_HEAD);
  section->size = kept->size - MIN (kept->section_head, kept->size);
  good = section->number < section->n && section->size > 0
      && section->offset < kept->file_size
      && section->size <= kept->file_size - section->offset
      && (section->number == 0) == (section->offset == 0)
      && paco_section_is_last (section)
          == (section->size == kept->file_size - section->offset);
  if (!good)
    *section = (PacoSection){ 0 };
  return good;
}

static gboolean
read_chunks (const Kept *found, PacoKeptFile *kept, GError **error)
{
  const PacoFrameChunk *file, *md5, *sound, *further;
  PacoChecksums *md5_of;
  guint32 rest;

  if (!find_one (found, PACO_CHUNK_SOURCE_FILE, &file)
      || !find_one (found, PACO_CHUNK_SOURCE_MD5, &md5)
      || !find_one (found, PACO_CHUNK_SOUND_FILE, &sound)
      || !find_one (found, PACO_CHUNK_FURTHER_SOUND, &further))
    return paco_source_fail (error, PACO_SOURCE_BROKEN,
        "the frame has more than one source file, MD5 of it, or file of "
        "sound");
  if (!file)
    return no_file (error);
  if (!read_file (file, kept, error))
    return FALSE;
  rest = paco_get32 ((const guint8 *) file->data + 10);
  if (rest > paco_source_max_rest (kept->kind, kept->size) + SECTION_HEAD
      || !read_rest (found, rest, kept->rest)
      || (kept->is_section && !read_section (kept)))
    return paco_source_fail (error, PACO_SOURCE_BROKEN,
        "what the frame keeps of its source file (chunks 13, or the "
        "attachment) is broken");
  if (md5 && md5->size != PACO_CHECKSUM_SIZE)
    return paco_source_fail (error, PACO_SOURCE_BROKEN,
        "the frame's chunk 14, the MD5 of its source file, is broken");
  copy_sound (sound, kept->sound);
  copy_sound (further, kept->further);
  md5_of = kept->is_section ? &kept->so_far : &kept->checksums;
  md5_of->has_md5 = md5 != NULL;
  if (md5)
    memcpy (md5_of->md5, md5->data, PACO_CHECKSUM_SIZE);
  return TRUE;
}

/* Returns the chunks of the frame that begins at data, in `few` if they fit there and else
 * in memory to be freed, or NULL and an error. */
static PacoFrameChunk *
find_chunks (const void *data, gsize size, PacoFrameChunk few[FEW_CHUNKS],
    gsize *n, GError **error)
{
  PacoFrameChunk *chunks = few;
  PacoError failure;

  *n = FEW_CHUNKS;
  if (paco_frame_chunks (data, size, few, n, &failure) != PACO_STATUS_OK) {
    paco_source_set_error (error, PACO_SOURCE_BROKEN, "%s", failure.message);
    return NULL;
  }
  if (*n > FEW_CHUNKS) {
    chunks = g_new (PacoFrameChunk, *n);
    paco_frame_chunks (data, size, chunks, n, NULL);
  }
  return chunks;
}

gboolean
paco_kept_file_read (
    const void *data, gsize size, PacoKeptFile *kept, GError **error)
{
  PacoFrameChunk few[FEW_CHUNKS], *chunks;
  PacoError failure;
  Kept found = { 0 };
  PacoMemberCount members;
  gboolean good;

  if (paco_frame_attachment (
          data, size, &found.attachment.data, &found.attachment.size, &failure)
      != PACO_STATUS_OK)
    return paco_source_fail (error, PACO_SOURCE_BROKEN, "%s", failure.message);
  /* The attachment ends with the pieces of members. */
  paco_member_count_read (data, size, &members);
  if (members.bytes > found.attachment.size)
    return paco_source_fail (error, PACO_SOURCE_BROKEN,
        "the frame's chunk 17, its members, is broken");
  found.attachment.size -= members.bytes;
  if (found.attachment.size == 0)
    found.attachment.data = NULL;
  chunks = find_chunks (data, size, few, &found.n, error);
  if (!chunks)
    return FALSE;
  found.chunks = chunks;
  good = read_chunks (&found, kept, error);
  if (chunks != few)
    g_free (chunks);
  return good;
}

gboolean
paco_kept_file_peek (const void *data, gsize size, PacoKeptFile *kept,
    guint32 *rest_size, GError **error)
{
  PacoFrameChunk few[FEW_CHUNKS], *chunks;
  const PacoFrameChunk *file = NULL;
  gboolean good;
  gsize n;

  *rest_size = 0;
  chunks = find_chunks (data, size, few, &n, error);
  for (gsize i = 0; chunks && i < n && !file; i++)
    if (chunks[i].type == PACO_CHUNK_SOURCE_FILE)
      file = &chunks[i];
  good = file ? read_file (file, kept, error) : chunks && no_file (error);
  if (good)
    *rest_size = paco_get32 ((const guint8 *) file->data + 10);
  if (chunks != few)
    g_free (chunks);
  return good;
}

/* --- members ---------------------------------------------------------- */

gboolean
paco_member_count_read (const void *data, gsize size, PacoMemberCount *count)
{
  PacoFrameChunk chunks[16];
  gsize n = G_N_ELEMENTS (chunks);

  *count = (PacoMemberCount){ 0 };
  if (paco_frame_chunks (data, size, chunks, &n, NULL) != PACO_STATUS_OK)
    return FALSE;
  for (gsize i = 0; i < MIN (n, G_N_ELEMENTS (chunks)); i++) {
    const guint8 *chunk = chunks[i].data;

    if (chunks[i].type != PACO_CHUNK_MEMBERS
        || chunks[i].size != PACO_MEMBER_CHUNK_SIZE)
      continue;
    *count = (PacoMemberCount){ paco_get32 (chunk), paco_get32 (chunk + 4),
      paco_get32 (chunk + 8), paco_get32 (chunk + 12) };
    return TRUE;
  }
  return FALSE;
}

void
paco_member_count_write (const PacoMemberCount *count, guint8 *chunk)
{
  chunk = paco_put32 (paco_put32 (chunk, count->total), count->n_pieces);
  paco_put32 (paco_put32 (chunk, count->n_ends), count->bytes);
}

/* --- the number of files ---------------------------------------------- */

enum
{
  HEADER_SIZE = 6, /* of a frame, and 16 bits (FORMAT.md section 2) */
  CRC = 4,         /* at the end of the header, 32 bits */
};

static const guint8 *
find_number (const void *data, gsize size, guint type, gsize chunk_size)
{
  PacoFrameChunk chunks[16];
  gsize n = G_N_ELEMENTS (chunks);

  if (paco_frame_chunks (data, size, chunks, &n, NULL) != PACO_STATUS_OK)
    return NULL;
  for (gsize i = 0; i < MIN (n, G_N_ELEMENTS (chunks)); i++)
    if (chunks[i].type == type && chunks[i].size == chunk_size)
      return chunks[i].data;
  return NULL;
}

guint32
paco_file_count_of (const void *data, gsize size)
{
  const guint8 *number = find_number (data, size, PACO_CHUNK_N_FILES, 4);

  return number ? paco_get32 (number) : 0;
}

/* Changes the number at the beginning of a chunk. Returns whether it was another. */
static gboolean
renew (guint8 *data, const guint8 *number, guint32 n)
{
  if (!number || paco_get32 (number) == n)
    return FALSE;
  paco_put32 (data + (number - data), n);
  return TRUE;
}

gsize
paco_file_count_renew (
    guint8 *data, gsize size, guint32 n_files, guint32 n_members)
{
  const guint8 *files = find_number (data, size, PACO_CHUNK_N_FILES, 4);
  const guint8 *members = find_number (
      data, size, PACO_CHUNK_MEMBERS, PACO_MEMBER_CHUNK_SIZE);
  gsize end = paco_get16 (data + HEADER_SIZE) - CRC;
  gboolean renewed = renew (data, files, n_files);

  renewed |= renew (data, members, n_members);
  if (!renewed)
    return 0;
  paco_put32 (data + end, (guint32) crc32 (0, data, (uInt) end));
  return end + CRC;
}

guint64
paco_file_count_add (PacoFileCount *count, const PacoInfo *info,
    guint32 n_files, const PacoMemberCount *members)
{
  guint64 missing = 0;

  if (info->has_place && info->place_number < count->next)
    missing = paco_file_count_end (count);
  count->found++;
  count->n_files = MAX (count->n_files, n_files);
  count->next = info->has_place ? info->place_number + 1 : 0;
  count->n_members = MAX (count->n_members, members->total);
  count->ended += members->n_ends;
  return missing;
}

guint64
paco_file_count_frame (PacoFileCount *count, const PacoFrame *frame)
{
  PacoInfo info = PACO_INFO_INIT;
  PacoMemberCount members;

  paco_member_count_read (frame->data, frame->size, &members);
  return paco_probe (frame->data, frame->size, &info, NULL, NULL)
          == PACO_STATUS_OK
      ? paco_file_count_add (
          count, &info, paco_file_count_of (frame->data, frame->size), &members)
      : 0;
}

void
paco_file_count_report (PacoFileCount *count, guint64 n)
{
  count->reported += n;
}

void
paco_file_count_report_members (PacoFileCount *count, guint64 n)
{
  count->reported_members += n;
}

gboolean
paco_file_count_is_whole (const PacoFileCount *count)
{
  return count->found >= count->n_files;
}

guint64
paco_file_count_end (PacoFileCount *count)
{
  guint64 known = count->found + count->reported;
  guint64 members = count->ended + count->reported_members;
  guint64 missing = count->n_files - MIN (known, count->n_files)
      + count->n_members - MIN (members, count->n_members);

  *count = (PacoFileCount){ 0 };
  return missing;
}
