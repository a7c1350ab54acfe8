/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes and reads what a frame keeps of the file that its picture came from
 * (FORMAT.md 3.1, chunks 12 to 16, and 3.2). The archive's readers (archive.c) write
 * it; restore.c and verify read it. */
#pragma once
#include "tool/archive/checksum.h"
#include "tool/archive/source.h"

/* Types of the chunks. */
enum
{
  PACO_CHUNK_SOURCE_FILE = 12,
  PACO_CHUNK_SOURCE_REST = 13,
  PACO_CHUNK_SOURCE_MD5 = 14,
  PACO_CHUNK_N_FILES = 16, /* count.h reads it */
};

/* A file that a frame keeps. */
typedef struct
{
  const PacoSourceKind *kind;
  char *name; /* relative, with '/' between folders; bytes of any encoding */
  guint64 size;
  PacoChecksums checksums;
  GByteArray *rest;  /* PacoSource.rest */
  GByteArray *sound; /* chunk 15 (sound.h); empty without one */
  guint32 n_files;   /* chunk 16, as it is written; 0: there is none */
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
  PacoFrameChunk chunks[8];
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
