/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes and reads what a frame keeps of the file that its picture came from
 * (FORMAT.md 3.1, chunks 12 to 18, and 3.2). The archive's readers (archive.c) write
 * it; restore.c and verify read it. */
#pragma once
#include "tool/archive/checksum.h"
#include "tool/archive/source.h"
#include "lib/paco.h"
#include <glib.h>

/* Types of the chunks. */
enum
{
  PACO_CHUNK_SOURCE_FILE = 12,
  PACO_CHUNK_SOURCE_REST = 13,
  PACO_CHUNK_SOURCE_MD5 = 14,
  PACO_CHUNK_N_FILES = 16,
  PACO_CHUNK_MEMBERS = 17,
  PACO_MEMBER_CHUNK_SIZE = 16,
};

/* A file that a frame keeps, or a section of one (source.h): then kind, size, checksums and
 * rest are those of its stand-in. */
typedef struct
{
  const PacoSourceKind *kind;
  char *name; /* relative, with '/' between folders; bytes of any encoding */
  guint64 size;
  PacoChecksums checksums;
  gboolean is_section;
  PacoSection section;  /* With is_section, once the rest is read. */
  guint32 section_head; /* Bytes of the stand-in before those of the section. */
  guint64 file_size;
  /* XXH3 of the file from its first byte to the end of the section, and in the last one the
   * file's MD5, if it is kept. */
  PacoChecksums so_far;
  GByteArray *rest;            /* PacoSource.rest */
  GByteArray *sound, *further; /* chunks 15 and 18 (sound.h), or empty */
  /* As they are written: chunk 16, and how many members there are. If n_files is 0 there
   * are no such chunks. */
  guint32 n_files, n_members;
} PacoKeptFile;

void paco_kept_file_init (PacoKeptFile *kept);
void paco_kept_file_clear (PacoKeptFile *kept);

/* Says whether the name is one that a file can be restored to below a folder: not
 * empty, at most 4096 bytes, no zero, no empty part, "." or "..". */
gboolean paco_kept_name_is_good (const char *name, gsize length);

/* The chunks of a frame, in memory that is used for one frame after the other. */
typedef struct
{
  GByteArray *memory; /* the chunks' bytes, and those of the attachment */
  PacoFrameChunk chunks[9];
  gsize n;
  /* The bytes that do not fit into chunks, or NULL and 0 if all fit. */
  const void *attachment;
  gsize attachment_size;
} PacoKeptChunks;

void paco_kept_chunks_init (PacoKeptChunks *chunks);
void paco_kept_chunks_clear (PacoKeptChunks *chunks);

/* Makes the chunks of a file, and the attachment if there is more than these may have.
 * Error PACO_SOURCE_ERROR: UNSUPPORTED if it is more than a frame may have at all, or if
 * the name cannot be restored. */
gboolean paco_kept_chunks_write (
    const PacoKeptFile *kept, PacoKeptChunks *chunks, GError **error);

/* Reads what the frame that begins at data, of which at least the header is there, says of
 * its file: kind, name, size and XXH3. *rest_size is that of the rest. The rest itself is
 * not read. Errors are those of the next function. */
gboolean paco_kept_file_peek (const void *data, gsize size, PacoKeptFile *kept,
    guint32 *rest_size, GError **error);

/* Reads what the whole frame that begins at data has kept. Returns FALSE and an
 * error: BROKEN if it is not what FORMAT.md says, NO_FILE if there is none, UNSUPPORTED
 * if its kind is not known. *kept is used again from frame to frame. */
gboolean paco_kept_file_read (
    const void *data, gsize size, PacoKeptFile *kept, GError **error);

/* What a frame's chunk 17 says. */
typedef struct
{
  guint32 total;    /* members that end in the archive; 0: unknown */
  guint32 n_pieces; /* in the frame's attachment */
  guint32 n_ends;   /* of these, the last ones of their members */
  guint32 bytes;    /* that the pieces take at the end of the attachment */
} PacoMemberCount;

static inline gboolean
paco_section_is_last (const PacoSection *section)
{
  return section->number + 1 == section->n;
}

/* Reads that from the frame that begins at data, of which at least the header is there.
 * Returns FALSE, and zeros, if it has no such chunk or a broken one. */
gboolean paco_member_count_read (
    const void *data, gsize size, PacoMemberCount *count);
/* Writes the PACO_MEMBER_CHUNK_SIZE bytes of the chunk. */
void paco_member_count_write (const PacoMemberCount *count, guint8 *chunk);

/* All 0 before the first frame. */
typedef struct
{
  guint64 found;    /* frames of the archive */
  guint64 reported; /* files that are known to be missing */
  guint32 n_files;  /* that the archive has; 0: unknown */
  guint32 next;     /* the place after that of the last frame */
  /* The same of members: those that end in frames that were found. */
  guint64 n_members, ended, reported_members;
} PacoFileCount;

/* Returns how many files the archive has that the frame at data is of, or 0 if it does
 * not say that. */
guint32 paco_file_count_of (const void *data, gsize size);

/* Changes that number, and that of members, in a frame that has them. Returns how many bytes
 * the header has if it is another now, else 0. */
gsize paco_file_count_renew (
    guint8 *data, gsize size, guint32 n_files, guint32 n_members);

/* Counts a frame with that paco_file_count_of(). Where its place begins another archive,
 * as in archives that were put one after the other, returns how many files of the one
 * before are missing and were not reported. */
guint64 paco_file_count_add (PacoFileCount *count, const PacoInfo *info,
    guint32 n_files, const PacoMemberCount *members);
/* The same of a frame whose header is read for that. */
guint64 paco_file_count_frame (PacoFileCount *count, const PacoFrame *frame);
/* Counts files that are missing and have been reported. */
void paco_file_count_report (PacoFileCount *count, guint64 n);
void paco_file_count_report_members (PacoFileCount *count, guint64 n);
/* Says whether no frame of the archive is missing. */
gboolean paco_file_count_is_whole (const PacoFileCount *count);
/* Ends an archive: returns how many of its files are missing and were not reported. */
guint64 paco_file_count_end (PacoFileCount *count);
