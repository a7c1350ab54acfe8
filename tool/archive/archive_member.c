/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes frames of an archive with the pieces of members that they carry (member.h). The
 * members of a folder lie on its frames one after the other, each frame having as many
 * bytes of them as the next one; what turns out to be no frame only when it is read is
 * carried by the frame before it. archive.c calls this to write, resume.c to compare. */
#include "tool/archive/archive_member.h"
#include "tool/archive/error.h"
#include "tool/archive/member.h"
#include "codec/bytes.h"
#include "codec/text.h"
#include "lib/stream/io.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum
{
  SMALL = 1 << 20,   /* Members of no more bytes are in one piece. */
  RESERVE = 8 << 20, /* bytes of an attachment that are not planned for */
  CHUNK_HEAD = 4,
  ATTACHMENT_CHUNK = 256,
  ATTACHMENT_CHUNK_SIZE = 8,
  PLACE_CHUNK_SIZE = 12,
  FIXED_SIZE =
      72, /* of a header, before its components (FORMAT.md section 2) */
  CRC = 4,
  MAGIC = 4,
  MAX_HEADER = 65535,
};

/* A member that is read piece by piece. */
typedef struct
{
  char *path;
  int fd;
  struct stat status;
  PacoRunningChecksum *checksum;
  guint64 offset;
  guint64 coded; /* bytes of its pieces */
} Reader;

struct PacoMembers
{
  const PacoFolder *folder;
  gboolean md5, verify;
  guint64 share; /* bytes that a frame carries */
  guint64 end;   /* of all members, one after the other */
  guint64 last;  /* up to where they are due with the last frame */
  guint64 at;    /* bytes of them that frames carry already */
  guint next;    /* the member at `at` */
  guint32 total; /* that end in this archive */
  GArray *late;  /* PacoFolderFile: not carried yet; names are the folder's */
  guint n_late;  /* of all */
  Reader reader; /* of folder->members[next], if some of it was read */
  GByteArray *plain, *coded, *proof, *header;
};

/* --- the plan -------------------------------------------------------------- */

static const PacoFolderFile *
member_at (const PacoMembers *members, guint i)
{
  return &g_array_index (members->folder->members, PacoFolderFile, i);
}

/* Returns up to which byte of all members frames up to that one carry. */
static guint64
target (const PacoMembers *members, guint64 frame)
{
  return frame + 1 >= members->end / members->share + 1
      ? members->end
      : (frame + 1) * members->share;
}

static gboolean
is_due (const PacoMembers *members, guint64 to)
{
  return members->next < members->folder->members->len
      && (members->at < to || to == members->end);
}

/* Returns how many bytes the next piece has, of a member of which frames carry `done`. */
static guint32
next_piece (const PacoMembers *members, guint64 size, guint64 done, guint64 to)
{
  guint64 left = size - done;

  if (size > SMALL)
    left = MIN (left, to - members->at);
  return (guint32) MIN (left, PACO_MEMBER_PIECE);
}

/* Moves on as if the frames before that one had been written. Returns how many bytes of
 * the next member they carry. */
static guint64
skip_to (PacoMembers *members, guint64 frame)
{
  guint64 done = 0, to = frame > 0 ? target (members, frame - 1) : 0;

  while (frame > 0 && is_due (members, to)) {
    guint64 size = member_at (members, members->next)->size;
    guint32 piece = next_piece (members, size, done, to);

    members->at += piece;
    done += piece;
    if (done == size) {
      members->next++;
      done = 0;
    }
  }
  return done;
}

/* --- reading members --------------------------------------------------------- */

static gboolean
fail (GError **error, const char *path, const char *what)
{
  return paco_archive_fail_file (error, PACO_ARCHIVE_FAILED, path,
      "cannot be kept: it %s%s%s", what, errno ? ": " : "",
      errno ? g_strerror (errno) : "");
}

static void
close_reader (Reader *reader)
{
  if (reader->checksum)
    paco_running_checksum_end (reader->checksum, NULL);
  if (reader->path && reader->fd >= 0)
    close (reader->fd);
  g_free (reader->path);
  *reader = (Reader){ NULL };
}

/* Returns a descriptor of a file that is in memory alone, or -1. */
static int
open_bytes (const char *name, GBytes *bytes)
{
  int fd = memfd_create (name, MFD_CLOEXEC);
  gsize size;
  const void *data = g_bytes_get_data (bytes, &size);

  if (fd < 0 || paco_io_write_at (fd, 0, data, size))
    return fd;
  close (fd);
  return -1;
}

static gboolean
open_reader (const PacoMembers *members, const PacoFolderFile *file,
    Reader *reader, GError **error)
{
  reader->path = g_strconcat (members->folder->path, "/", file->name, NULL);
  reader->fd = file->bytes ? open_bytes (file->name, file->bytes)
                           : paco_open_input (reader->path, NULL);
  reader->checksum = paco_running_checksum_new (members->md5);
  if (reader->fd < 0 || fstat (reader->fd, &reader->status) != 0)
    return fail (error, reader->path, "cannot be read");
  errno = 0;
  return (guint64) reader->status.st_size == file->size
      || fail (error, reader->path,
          "has changed since the folder was looked through");
}

/* Reads the next bytes of a member to members->plain. */
static gboolean
read_plain (PacoMembers *members, Reader *reader, guint32 size, GError **error)
{
  errno = 0;
  g_byte_array_set_size (members->plain, MAX (size, 1));
  if (paco_io_read_at (reader->fd, reader->offset, members->plain->data, size)
      < size)
    return fail (error, reader->path,
        errno ? "cannot be read" : "became shorter while it was read");
  paco_running_checksum_add (reader->checksum, members->plain->data, size);
  reader->offset += size;
  return TRUE;
}

/* Passes over what frames have of a file: the sections before the one that is none. The
 * report has their checksum. */
static gboolean
skip_sections (PacoMembers *members, const PacoReport *report,
    const PacoFolderFile *file, Reader *reader, GError **error)
{
  guint64 end = file->section.offset;
  guint8 xxh3[PACO_CHECKSUM_SIZE];

  if (end == 0)
    return TRUE;
  if (!open_reader (members, file, reader, error))
    return FALSE;
  while (reader->offset < end)
    if (!read_plain (members, reader,
            (guint32) MIN (end - reader->offset, PACO_MEMBER_PIECE), error))
      return FALSE;
  paco_running_checksum_now (reader->checksum, xxh3);
  errno = 0;
  return paco_report_ends_with (report, file->name, xxh3)
      || fail (error, reader->path, "has changed while it was read");
}

static gboolean
is_unchanged (const Reader *reader, GError **error)
{
  struct stat now;

  if (fstat (reader->fd, &now) != 0)
    return fail (error, reader->path, "cannot be read");
  errno = 0;
  return (now.st_size == reader->status.st_size
             && now.st_mtim.tv_sec == reader->status.st_mtim.tv_sec
             && now.st_mtim.tv_nsec == reader->status.st_mtim.tv_nsec)
      || fail (error, reader->path, "has changed while it was read");
}

/* Reads the next piece, with its checksums. */
static gboolean
read_piece (PacoMembers *members, const PacoFolderFile *file, Reader *reader,
    guint32 plain, PacoMemberPiece *piece, GError **error)
{
  if (!reader->path && !open_reader (members, file, reader, error))
    return FALSE;
  *piece = (PacoMemberPiece){
    .name = file->name,
    .name_length = strlen (file->name),
    .size = file->size,
    .offset = reader->offset,
    .plain = plain,
  };
  if (!read_plain (members, reader, plain, error))
    return FALSE;
  if (!paco_member_piece_is_last (piece)) {
    paco_running_checksum_now (reader->checksum, piece->checksums.xxh3);
    return TRUE;
  }
  paco_running_checksum_end (
      g_steal_pointer (&reader->checksum), &piece->checksums);
  return is_unchanged (reader, error);
}

/* --- headers ----------------------------------------------------------------- */

/* Returns the content of the chunk in the header, or NULL. */
static guint8 *
find_chunk (GByteArray *header, guint type, guint size)
{
  guint8 *data = header->data, *end = data + header->len - CRC;
  guint8 *p = data + FIXED_SIZE + 4 * data[64]
      + 2 * data[64] * (3 * data[66] + 1);

  for (; p + CHUNK_HEAD <= end; p += CHUNK_HEAD + paco_get16 (p + 2))
    if (paco_get16 (p) == type && paco_get16 (p + 2) == size)
      return p + CHUNK_HEAD;
  return NULL;
}

/* Makes sure that the header has the chunk; a new one comes before the place, which is the
 * last one. */
static void
add_chunk (GByteArray *header, guint type, guint size)
{
  const guint tail = CHUNK_HEAD + PLACE_CHUNK_SIZE + CRC;
  guint at = header->len - tail;
  guint8 *p;

  if (find_chunk (header, type, size))
    return;
  g_byte_array_set_size (header, header->len + CHUNK_HEAD + size);
  p = header->data + at;
  memmove (p + CHUNK_HEAD + size, p, tail);
  memset (p, 0, CHUNK_HEAD + size);
  paco_put16 (paco_put16 (p, type), size);
}

/* --- writing ------------------------------------------------------------------- */

/* A frame that is being written. */
typedef struct
{
  PacoMembers *members;
  PacoPart *part;
  PacoReport *report;
  GByteArray *header;
  guint64 at;       /* in the file */
  guint64 attached; /* bytes of the attachment so far, */
  guint32 crc;      /* and their CRC */
  PacoMemberCount count;
} Frame;

/* Writes bytes of the attachment. */
static gboolean
attach (Frame *frame, const guint8 *bytes, gsize size, GError **error)
{
  if (frame->attached + size > PACO_MAX_ATTACHMENT_BYTES)
    return paco_archive_fail (error, PACO_ARCHIVE_FAILED,
        "frame %" G_GUINT64_FORMAT
        " would carry more than %d MiB of files that are no frames; leave some "
        "out with --skip=PATTERN",
        frame->part->n_frames, PACO_MAX_ATTACHMENT_BYTES >> 20);
  paco_part_reserve (frame->part, frame->at + size);
  if (!paco_part_write (frame->part, frame->at, bytes, size, error))
    return FALSE;
  frame->crc = (guint32) crc32 (frame->crc, bytes, (uInt) size);
  frame->at += size;
  frame->attached += size;
  return TRUE;
}

/* Says whether the piece that was written last gives its bytes. */
static gboolean
gives_back (
    PacoMembers *members, const Reader *reader, guint32 plain, GError **error)
{
  GByteArray *coded = members->coded;
  PacoMemberPieces pieces = {
    .at = coded->data, .end = coded->data + coded->len, .left = 1
  };
  PacoMemberPiece piece;
  gboolean good;

  if (!members->verify)
    return TRUE;
  g_byte_array_set_size (members->proof, MAX (plain, 1));
  good = paco_member_pieces_next (&pieces, &piece, NULL) && piece.plain == plain
      && paco_member_piece_decode (&piece, members->proof->data, NULL)
      && memcmp (members->proof->data, members->plain->data, plain) == 0;
  return good
      || paco_archive_fail_file (error, PACO_ARCHIVE_DAMAGED, reader->path,
          "cannot be kept: its frame does not give it back");
}

static gboolean
write_piece (Frame *frame, const PacoFolderFile *file, Reader *reader,
    guint32 plain, GError **error)
{
  PacoMembers *members = frame->members;
  GByteArray *coded = members->coded;
  PacoMemberPiece piece;

  if (!read_piece (members, file, reader, plain, &piece, error))
    return FALSE;
  g_byte_array_set_size (coded, 0);
  paco_member_piece_write (&piece, members->plain->data, coded);
  if (!gives_back (members, reader, plain, error)
      || !attach (frame, coded->data, coded->len, error))
    return FALSE;
  frame->count.n_pieces++;
  frame->count.bytes += coded->len;
  reader->coded += coded->len;
  if (!paco_member_piece_is_last (&piece))
    return TRUE;
  frame->count.n_ends++;
  paco_report_add_member (
      frame->report, file->name, file->size, reader->coded, &piece.checksums);
  close_reader (reader);
  return TRUE;
}

/* Writes files that turned out to be no frames, whole. */
static gboolean
write_late (Frame *frame, GError **error)
{
  PacoMembers *members = frame->members;

  for (guint i = 0; i < members->late->len; i++) {
    const PacoFolderFile *file = &g_array_index (
        members->late, PacoFolderFile, i);
    Reader reader = { NULL };
    guint64 done = file->section.offset;
    gboolean good = skip_sections (
        members, frame->report, file, &reader, error);

    while (good) {
      guint32 plain = (guint32) MIN (file->size - done, PACO_MEMBER_PIECE);

      good = write_piece (frame, file, &reader, plain, error);
      done += plain;
      if (done >= file->size)
        break;
    }
    close_reader (&reader);
    if (!good)
      return FALSE;
  }
  g_array_set_size (members->late, 0);
  return TRUE;
}

static gboolean
write_planned (Frame *frame, guint64 to, GError **error)
{
  PacoMembers *members = frame->members;

  while (is_due (members, to)) {
    const PacoFolderFile *file = member_at (members, members->next);
    guint32 plain = next_piece (
        members, file->size, members->reader.offset, to);

    if (!write_piece (frame, file, &members->reader, plain, error))
      return FALSE;
    members->at += plain;
    members->next += members->reader.path == NULL;
  }
  return TRUE;
}

/* Completes the header, and writes it: only with it the frame is there. */
static gboolean
write_header (Frame *frame, GError **error)
{
  GByteArray *header = frame->header;
  guint8 *chunk = find_chunk (
      header, PACO_CHUNK_MEMBERS, PACO_MEMBER_CHUNK_SIZE);
  guint64 size = frame->at - frame->part->offset;

  if (header->len > MAX_HEADER || size > G_MAXUINT32)
    return paco_archive_fail (error, PACO_ARCHIVE_FAILED,
        "frame %" G_GUINT64_FORMAT " becomes too large", frame->part->n_frames);
  paco_put16 (header->data + 6, (guint16) header->len);
  paco_put32 (header->data + 8, (guint32) size);
  if (chunk)
    paco_member_count_write (&frame->count, chunk);
  chunk = find_chunk (header, ATTACHMENT_CHUNK, ATTACHMENT_CHUNK_SIZE);
  if (chunk)
    paco_put32 (paco_put32 (chunk, (guint32) frame->attached), frame->crc);
  paco_put32 (header->data + header->len - CRC,
      (guint32) crc32 (0, header->data, header->len - CRC));
  return paco_part_write (
      frame->part, frame->part->offset, header->data, header->len, error);
}

/* Returns how many bytes a frame has at most with what it carries. */
static guint64
most_bytes (const PacoMembers *members, gsize size, guint64 to)
{
  guint64 bytes = size + MAX_HEADER + (to > members->at ? to - members->at : 0);

  for (guint i = 0; i < members->late->len; i++)
    bytes += g_array_index (members->late, PacoFolderFile, i).size;
  return bytes;
}

/* Writes a frame that carries something, or may. `to` is up to where members are due. */
static gboolean
write_frame (PacoMembers *members, PacoPart *part, PacoReport *report,
    const guint8 *data, gsize size, guint64 to, guint64 *written,
    GError **error)
{
  gsize head = paco_get16 (data + 6), attached = 0, old;
  Frame frame = { members, part, report, members->header, .crc = 0 };
  const guint8 *chunk;
  gboolean carries;

  if (!paco_part_begin (part, most_bytes (members, size, to), error))
    return FALSE;
  paco_member_count_read (data, size, &frame.count);
  old = frame.count.bytes;
  frame.count.total = members->total;
  g_byte_array_set_size (frame.header, 0);
  g_byte_array_append (frame.header, data, (guint) head);
  carries = members->late->len > 0 || is_due (members, to);
  add_chunk (frame.header, PACO_CHUNK_MEMBERS, PACO_MEMBER_CHUNK_SIZE);
  chunk = find_chunk (frame.header, ATTACHMENT_CHUNK, ATTACHMENT_CHUNK_SIZE);
  if (chunk)
    attached = paco_get32 (chunk);
  else if (carries)
    add_chunk (frame.header, ATTACHMENT_CHUNK, ATTACHMENT_CHUNK_SIZE);
  frame.at = part->offset + frame.header->len;
  paco_part_reserve (part, frame.at + size);
  /* A file that has only a part of its first frame says already what it is. */
  if (!paco_part_write (part, part->offset, data, MAGIC, error)
      || !paco_part_write (
          part, frame.at, data + head, size - head - attached, error))
    return FALSE;
  frame.at += size - head - attached;
  if (!attach (&frame, data + size - attached, attached - old, error)
      || !write_late (&frame, error)
      || !attach (&frame, data + size - old, old, error)
      || !write_planned (&frame, to, error) || !write_header (&frame, error))
    return FALSE;
  *written = frame.at - part->offset;
  paco_part_keep (part, *written);
  return TRUE;
}

gboolean
paco_members_write_frame (PacoMembers *members, PacoPart *part,
    PacoReport *report, guint64 number, void *data, gsize size,
    guint64 *written, GError **error)
{
  PacoError failure;
  guint64 to = target (members, number);

  *written = size;
  if (!is_due (members, to) && members->late->len == 0)
    return paco_part_append (part, data, size, error);
  if (paco_frame_set_place (
          data, size, (guint32) part->n_frames, part->offset, &failure)
      != PACO_STATUS_OK)
    return paco_archive_fail (
        error, PACO_ARCHIVE_FAILED, "%s", failure.message);
  if (write_frame (members, part, report, data, size, to, written, error))
    return TRUE;
  paco_part_truncate (part, NULL);
  return FALSE;
}

/* --- files that are no frames after all ------------------------------------------ */

void
paco_members_add_late (PacoMembers *members, const PacoFolderFile *file)
{
  g_array_append_val (members->late, *file);
  members->n_late++;
  members->total++;
}

gboolean
paco_members_write_late (PacoMembers *members, PacoPart *part,
    PacoReport *report, gboolean is_end, GError **error)
{
  gsize size = part->offset - part->last;
  guint64 written, to = is_end ? members->last : 0;
  g_autofree guint8 *frame = NULL;

  if (part->n_frames == 0 || (members->late->len == 0 && !is_due (members, to)))
    return TRUE;
  frame = g_malloc (size);
  if (paco_part_read (part, part->last, frame, size) < size)
    return paco_archive_fail_file (error, PACO_ARCHIVE_FAILED, part->part_path,
        "cannot be read: %s", g_strerror (errno));
  part->offset = part->last;
  part->n_frames--;
  if (!write_frame (members, part, report, frame, size, to, &written, error))
    return FALSE;
  paco_report_enlarge (report, written - size);
  return TRUE;
}

gboolean
paco_members_renumber (PacoMembers *members, PacoPart *part, GError **error)
{
  g_autofree guint8 *head = g_malloc (MAX_HEADER);
  guint64 at = 0;

  if (members->n_late == 0)
    return TRUE;
  for (guint64 n = 0; n < part->n_frames; n++) {
    gsize size = paco_part_read (part, at, head, MAX_HEADER);
    gsize renewed;

    if (size < FIXED_SIZE)
      return paco_archive_fail_file (error, PACO_ARCHIVE_FAILED,
          part->part_path, "cannot be read: %s", g_strerror (errno));
    renewed = paco_file_count_renew (
        head, size, (guint32) part->n_frames, members->total);
    if (renewed > 0 && !paco_part_write (part, at, head, renewed, error))
      return FALSE;
    at += paco_get32 (head + 8);
  }
  return TRUE;
}

/* --- what is there already -------------------------------------------------------- */

/* Compares the piece with the next one that is planned. */
static gboolean
keep_planned (PacoMembers *members, PacoReport *report,
    const PacoMemberPiece *piece, guint64 to, GError **error)
{
  const PacoFolderFile *file = member_at (members, members->next);
  PacoMemberPiece own;

  if (piece->offset != members->reader.offset || piece->size != file->size
      || piece->plain
          != next_piece (members, file->size, members->reader.offset, to)
      || !read_piece (
          members, file, &members->reader, piece->plain, &own, error))
    return FALSE;
  members->reader.coded += piece->coded + piece->name_length;
  members->at += piece->plain;
  if (memcmp (own.checksums.xxh3, piece->checksums.xxh3, PACO_CHECKSUM_SIZE)
      != 0)
    return paco_archive_fail_file (error, PACO_ARCHIVE_EXISTS,
        members->reader.path, "has changed since it was kept");
  if (!paco_member_piece_is_last (piece))
    return TRUE;
  paco_report_add_member (
      report, file->name, file->size, members->reader.coded, &own.checksums);
  close_reader (&members->reader);
  members->next++;
  return TRUE;
}

static gboolean
is_named (const PacoMemberPiece *piece, const char *name)
{
  return strlen (name) == piece->name_length
      && memcmp (name, piece->name, piece->name_length) == 0;
}

/* Compares a piece of a file that turned out to be no frame, or of one that has been frames
 * up to a section: one of those from *file to `end`. *file becomes the one after it, and the
 * numbers of the file's sections are added to `kept`. */
static gboolean
keep_late (PacoMembers *members, PacoReport *report,
    const PacoMemberPiece *piece, Reader *reader, guint64 *file, guint64 end,
    GHashTable *kept, GError **error)
{
  const PacoFolderFile *found = NULL;
  PacoMemberPiece own;

  while (*file < end && !found) {
    found = paco_folder_file (members->folder, *file);
    if (!is_named (piece, found->name)
        || (!reader->path && found->section.offset != piece->offset)) {
      found = NULL;
      ++*file;
    }
  }
  if (found && !reader->path
      && !skip_sections (members, report, found, reader, error))
    return FALSE;
  if (!found || piece->offset != reader->offset || piece->size != found->size
      || !read_piece (members, found, reader, piece->plain, &own, error))
    return FALSE;
  reader->coded += piece->coded + piece->name_length;
  if (memcmp (own.checksums.xxh3, piece->checksums.xxh3, PACO_CHECKSUM_SIZE)
      != 0)
    return paco_archive_fail_file (error, PACO_ARCHIVE_EXISTS, reader->path,
        "has changed since it was kept");
  if (!paco_member_piece_is_last (piece))
    return TRUE;
  paco_report_add_member (
      report, found->name, found->size, reader->coded, &own.checksums);
  members->n_late++;
  members->total++;
  close_reader (reader);
  do
    g_hash_table_add (kept, GSIZE_TO_POINTER ((*file)++));
  while (*file < end && paco_folder_goes_on (members->folder, *file));
  return TRUE;
}

/* Checks that no file from `first` to `end` is left out: the frame is made of the one of
 * this number, and carries the others, which were no frames. */
static gboolean
check_kept (const PacoMembers *members, GHashTable *kept, guint64 number,
    guint64 first, guint64 end, GError **error)
{
  for (guint64 n = first; n < end; n++) {
    g_autofree char *path = NULL;

    if (n == number || g_hash_table_contains (kept, GSIZE_TO_POINTER (n)))
      continue;
    path = paco_folder_path (members->folder, n);
    return paco_archive_fail_file (error, PACO_ARCHIVE_EXISTS, path,
        "is not kept in it, but files after that one are");
  }
  return TRUE;
}

gboolean
paco_members_keep_frame (PacoMembers *members, PacoReport *report,
    const void *data, gsize size, guint64 number, guint64 *file, GError **error)
{
  guint64 to = target (members, number);
  guint64 end = members->folder->files->len, first = *file, at = first;
  g_autoptr (GHashTable) kept = g_hash_table_new (NULL, NULL);
  Reader reader = { NULL };
  PacoMemberPieces pieces;
  PacoMemberPiece piece;
  gboolean good = paco_member_pieces_begin (data, size, &pieces, error);

  while (good && pieces.left > 0) {
    good = paco_member_pieces_next (&pieces, &piece, error);
    if (good && is_due (members, members->last)
        && is_named (&piece, member_at (members, members->next)->name))
      good = keep_planned (members, report, &piece,
          is_due (members, to) ? to : members->last, error);
    else if (good) {
      /* Those that were found last come first. */
      at = reader.path ? at : first;
      good = keep_late (
          members, report, &piece, &reader, &at, end, kept, error);
      *file = MAX (*file, at);
    }
  }
  close_reader (&reader);
  *file = MAX (*file, number + 1);
  good = good && !is_due (members, to)
      && check_kept (members, kept, number, first, *file, error);
  if (!good && error && !*error)
    paco_archive_fail (error, PACO_ARCHIVE_EXISTS,
        "other files are kept in it than the folder has");
  return good;
}

/* --- the struct --------------------------------------------------------------------- */

/* Counts the members that end in the frames from `first` to the one before `end`. */
static guint32
count_ends (const PacoMembers *members, guint64 first, guint64 end)
{
  PacoMembers begin = *members, after = *members;

  skip_to (&begin, first);
  skip_to (&after, end);
  return after.next - begin.next;
}

PacoMembers *
paco_members_new (const PacoFolder *folder, guint64 first, guint64 end,
    gboolean md5, gboolean verify, GError **error)
{
  PacoMembers *members = g_new0 (PacoMembers, 1);
  guint64 n = MAX (folder->files->len, 1), done;

  members->folder = folder;
  members->md5 = md5;
  members->verify = verify;
  members->late = g_array_new (FALSE, FALSE, sizeof (PacoFolderFile));
  members->plain = g_byte_array_new ();
  members->coded = g_byte_array_new ();
  members->proof = g_byte_array_new ();
  members->header = g_byte_array_new ();
  for (guint i = 0; i < folder->members->len; i++)
    members->end += member_at (members, i)->size;
  members->share = MAX ((members->end + n - 1) / n, SMALL);
  if (members->share > PACO_MAX_ATTACHMENT_BYTES - RESERVE) {
    paco_archive_fail_file (error, PACO_ARCHIVE_FAILED, folder->path,
        "has %" G_GUINT64_FORMAT
        " MB in files that are no frames, and %" G_GUINT64_FORMAT
        " %s at most %d MiB each; leave some out with --skip=PATTERN",
        members->end / 1000000, n,
        paco_text_plural (n, "frame carries", "frames carry"),
        (PACO_MAX_ATTACHMENT_BYTES - RESERVE) >> 20);
    paco_members_free (members);
    return NULL;
  }
  members->last = target (members, end - 1);
  members->total = count_ends (members, first, end);
  done = skip_to (members, first);
  if (done > 0
      && !open_reader (members, member_at (members, members->next),
          &members->reader, error)) {
    paco_members_free (members);
    return NULL;
  }
  for (guint32 piece; done > 0; done -= piece) {
    piece = (guint32) MIN (done, PACO_MEMBER_PIECE);
    if (!read_plain (members, &members->reader, piece, error)) {
      paco_members_free (members);
      return NULL;
    }
  }
  return members;
}

gboolean
paco_members_are_done (const PacoMembers *members)
{
  return !is_due (members, members->last);
}

guint32
paco_members_total (const PacoMembers *members)
{
  return members->total;
}

void
paco_members_free (PacoMembers *members)
{
  if (!members)
    return;
  close_reader (&members->reader);
  g_array_unref (members->late);
  g_byte_array_unref (members->plain);
  g_byte_array_unref (members->coded);
  g_byte_array_unref (members->proof);
  g_byte_array_unref (members->header);
  g_free (members);
}
