/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reports what a run of archive or restore has done: archive.c and restore.c fill it
 * in, and the tool writes it as JSON, as text and as the list of MD5s that FFmpeg
 * writes. */
#pragma once
#include "tool/archive/chunks.h"
#include "lib/paco.h"
#include <glib.h>

/* Kinds of work that take time. Threads work at the same time, so the seconds of
 * all may be more than the run took. */
typedef enum
{
  PACO_SPENT_READING,   /* files, or frames */
  PACO_SPENT_CHECKSUMS, /* of files */
  PACO_SPENT_PARSING,   /* files taken apart or made again, and compared */
  PACO_SPENT_CODING,    /* at least one frame was being coded */
  PACO_SPENT_DECODING,  /* at least one frame was being decoded */
  PACO_SPENT_WRITING,
  PACO_N_SPENT,
} PacoSpent;

typedef struct
{
  char *name;          /* of the source file */
  guint64 size, coded; /* bytes of the file and of its frames, so far */
  guint n_frames;
  PacoChecksums checksums;
} PacoReportFrame;

typedef struct
{
  const char *command; /* "archive" or "restore" */
  char *from, *to;     /* paths */
  char *kind;          /* of source files, or NULL if there was none */
  char *device;        /* that coded, as libpaco says; or NULL */
  PacoInfo info;       /* the first picture */
  guint64 first;       /* number of frames[0] in the folder */
  GArray
      *frames; /* PacoReportFrame, done or found done: files that are frames */
  guint64 n_frames;       /* of these */
  guint64 resumed_frames; /* that a run before had done */
  GArray *members;        /* PacoReportFrame: files that are no frames */
  guint64 resumed;        /* files that a run before had done, or begun */
  guint64 damaged;        /* frames that could not be restored */
  gboolean complete;      /* the archive was there already */
  GPtrArray *notes;       /* char *: sentences */
  guint64 n_notes;        /* with those that were not kept */
  /* Counts frames that were decoded in this run, and gave the bytes of their
   * files. */
  guint64 verified;
  char *failure;              /* why the run ended early, or NULL */
  gdouble seconds;            /* that the run took */
  GMutex lock;                /* of what follows, and of notes */
  gint64 spent[PACO_N_SPENT]; /* microseconds */
} PacoReport;

void paco_report_init (
    PacoReport *report, const char *command, const char *from, const char *to);
void paco_report_clear (PacoReport *report);

/* Adds the time of work that began at `begin` (g_get_monotonic_time()) and is
 * done now. Any thread may call it. */
void paco_report_spend (PacoReport *report, PacoSpent what, gint64 begin);
/* Keeps a sentence; after the first hundred they are only counted. Any thread may
 * call it. */
void paco_report_note (PacoReport *report, const char *format, ...)
    G_GNUC_PRINTF (2, 3);
/* Adds a file of n_frames frames, and copies its name. */
void paco_report_add (PacoReport *report, const char *name, guint64 size,
    guint64 coded, guint n_frames, const PacoChecksums *checksums);

/* Adds a frame that was written, or was there: the next section of the last file goes
 * to that file. */
void paco_report_add_kept (
    PacoReport *report, const PacoKeptFile *kept, guint64 coded);

/* Says whether the last frame is of this file, whose bytes up to there have this checksum. */
gboolean paco_report_ends_with (const PacoReport *report, const char *name,
    const guint8 xxh3[PACO_CHECKSUM_SIZE]);

/* Adds a file that is no frame, and takes `coded` bytes of frames; or all that the last
 * file has after its sections. */
void paco_report_add_member (PacoReport *report, const char *name, guint64 size,
    guint64 coded, const PacoChecksums *checksums);

/* Says how many bytes more the last frame has now. */
void paco_report_enlarge (PacoReport *report, guint64 more);

/* Sums up the bytes of all files and of all frames. */
void paco_report_sums (
    const PacoReport *report, guint64 *files, guint64 *coded);

/* Returns the report as JSON, to be freed. Names that are no UTF-8 have their
 * other bytes as lone surrogates U+DC80..DCFF, as Python's surrogateescape makes
 * them. */
char *paco_report_json (const PacoReport *report);
/* Returns, in a few lines, what a person wants to know. To be freed. */
char *paco_report_text (const PacoReport *report);
/* Returns the MD5s of the files as `ffmpeg -i ... -c copy -f framemd5` lists
 * them, to be freed, or NULL without MD5s. fps is 25 if it is unknown, which
 * FFmpeg takes for files without a rate. */
char *paco_report_framemd5 (const PacoReport *report);
