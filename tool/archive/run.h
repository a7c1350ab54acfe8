/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Declares what the threads of a run of archive share: archive.c makes and ends it,
 * and each of the other files that archive.h names does a step. */
#pragma once
#include "tool/archive/archive.h"
#include "tool/archive/archive_member.h"
#include "tool/archive/chunks.h"
#include "tool/archive/line.h"
#include "tool/archive/part.h"

/* Is told of bytes of a file: the first `size` are there, of which those from `from`
 * on have just been read. */
typedef void (*PacoPieceFunc) (
    gpointer user, const guint8 *bytes, gsize from, gsize size);

typedef struct PacoSectionSums PacoSectionSums;

/* Steps of the line. */
enum
{
  STEP_READ,
  STEP_CODE,
  STEP_DECODE,
  STEP_COMPARE,
  STEP_WRITE,
  N_STEPS,
};

/* A place of the line has this of its frame. Arrays are used for one frame after
 * the other. */
typedef struct
{
  guint64 number;  /* of the file in the folder */
  char *late;      /* why the file is no frame; or NULL */
  PacoBytes *file; /* of run->files, until nothing reads it any more; or NULL */
  PacoSource source; /* its image may point into file */
  PacoKeptFile kept; /* kept.section is that of the folder */
  PacoKeptChunks chunks;
  PacoFrame frame;
  /* What the frame gives back, once it is decoded. */
  PacoInfo info;
  PacoKeptFile found;
  /* Its picture is compared with that of the file where it is; else it is decoded,
   * into a file that is compared. */
  gboolean in_place;
  PacoImage image;         /* in_place: of the file */
  guint64 different_bytes; /* in_place */
  PacoRebuilt rebuilt;
} PacoRunItem;

typedef struct
{
  const PacoArchiveOptions *options;
  PacoReport *report;
  PacoFolder *folder;
  guint64 first, end; /* of the range */
  guint64 next;       /* the file that is read next, after those of OUT.part */
  /* The first picture of the range; all others must be like it. */
  const PacoSourceKind *kind;
  PacoInfo picture;
  PacoPart *part;
  PacoMembers *members;
  guint32 n_members; /* that are known before files are read */
  GPtrArray *sounds; /* PacoSound: tracks */
  GByteArray
      *sound_chunk; /* of the first one, that each frame keeps, or NULL */
  GByteArray *further_chunk; /* of the others, or NULL */
  PacoFrameEncoder *encoder;
  PacoFrameDecoder *decoder; /* NULL: nothing is verified */
  PacoLine *line;
  PacoRunItem *items;
  guint n_items;
  PacoBytesPool *files; /* memory for them */
  PacoSectionSums *sums;
  gboolean drops; /* The sections that come are kept with one before them. */
  /* Is set if a GPU was lost: memory that it may still use is not freed. */
  gint lost;
} PacoRun;

static inline PacoRunItem *
paco_run_item (const PacoRun *run, guint64 number)
{
  return &run->items[paco_line_place (run->line, number)];
}

/* Gives the memory of the item's file back, for the next one. */
static inline void
paco_run_release_file (PacoRunItem *item)
{
  paco_bytes_pool_give (g_steal_pointer (&item->file));
}

/* Says that a frame has failed, in a sentence without the file's name, which is
 * put before it. */
void paco_run_fail (PacoRun *run, guint64 number, PacoArchiveError code,
    const char *format, ...) G_GNUC_PRINTF (4, 5);

/* Reads a file of the folder, or the stand-in of its section, which has *head bytes
 * before it; with checksums. The run's kind watches if it will be taken apart to `source`,
 * which may be NULL. What that has spent is reported (archive_read.c). The error is a
 * sentence without the file's name. */
gboolean paco_run_read_file (PacoRun *run, guint64 number, PacoBytes *bytes,
    guint32 *head, PacoSource *source, gboolean with_md5,
    PacoChecksums *checksums, GError **error);

/* Reads the sounds of the folder (archive_sound.c). */
gboolean paco_run_read_sounds (PacoRun *run, GError **error);

/* Checks what is in OUT.part and keeps it (resume.c). */
gboolean paco_run_resume (PacoRun *run, GError **error);

/* These are the functions of the threads; data is the PacoRun. They end when the
 * line does. */
gpointer paco_run_read (gpointer data);    /* archive_read.c */
gpointer paco_run_code (gpointer data);    /* archive_code.c */
gpointer paco_run_decode (gpointer data);  /* archive_code.c */
gpointer paco_run_compare (gpointer data); /* archive_read.c */

/* Computes the checksums of files whose sections are read, in the order of these: each
 * thread waits for its turn (archive_sections.c). NULL if the folder has none, from file
 * `first` on. */
PacoSectionSums *paco_section_sums_new (
    const PacoFolder *folder, guint64 first, gboolean md5);
void paco_section_sums_free (PacoSectionSums *sums);
/* Takes the turn of section `number`, whose bytes these are. *checksums becomes what
 * PacoKeptFile.so_far says. */
gboolean paco_section_sums_add (PacoSectionSums *sums, guint64 number,
    const guint8 *bytes, PacoChecksums *checksums, GError **error);
/* Ends the waiting: a section will not come. */
void paco_section_sums_fail (PacoSectionSums *sums);
/* Reads the stand-in of a section, as paco_read_whole_file() does a file. *head becomes
 * how many bytes are before the section. */
gboolean paco_read_stand_in (const char *path, const PacoSourceKind *kind,
    const PacoFolderFile *file, PacoBytes *bytes, guint32 *head,
    PacoPieceFunc look, gpointer user, GError **error);

/* Reads a whole file of `size` bytes (archive_read.c) in pieces, of each of which `look`
 * is told, if it is not NULL. The error is a sentence without the file's name. */
gboolean paco_read_whole_file (const char *path, guint64 size, PacoBytes *bytes,
    PacoPieceFunc look, gpointer user, GError **error);
