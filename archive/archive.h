/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A folder of source files to a .paco file: what `paco archive` does, and tests. It
 * looks the folder through (folder.h), goes on where OUT.part ends (resume.c), and then
 * lets frames go through a line (line.h): threads read files whole, checksum them and
 * take them apart (archive_read.c); one codes them, and one decodes what was coded
 * (archive_code.c); others make the files again and compare them (archive_read.c); the
 * calling one writes. */
#pragma once
#include "archive/folder.h"
#include "archive/report.h"
#include "archive/sound.h"

#define PACO_ARCHIVE_ERROR (paco_archive_error_quark ())
GQuark paco_archive_error_quark (void);
typedef enum
{
  PACO_ARCHIVE_INTERRUPTED, /* by the caller */
  PACO_ARCHIVE_DAMAGED,     /* what was read is not what was written */
  PACO_ARCHIVE_FAILED,      /* a frame, or the coder; the sentence says why */
} PacoArchiveError;

/* Settings of libpaco's coders, by name: { "threads", "2", NULL }. */
typedef const char *const *PacoSettingPairs;

typedef struct
{
  const char *folder, *out;
  PacoFolderOptions files;
  gboolean has_range;
  /* Frames of the folder, with has_range; last: G_MAXUINT64: to the end. */
  guint64 first, last;
  guint32 fps_n, fps_d; /* frames a second; 0 and 0: what files say */
  gboolean md5, verify;
  gboolean keep_files; /* whole, whose compressed bytes cannot be made again */
  guint readers;       /* threads that read; 0: as many as do */
  PacoSettingPairs coders;   /* settings of encoder and decoder */
  PacoSettingPairs encoders; /* settings of the encoder alone */
  /* Whether to end, asked by the calling thread ten times a second; or NULL. Frames
   * that are being coded are finished and written first. */
  gboolean (*interrupted) (gpointer user);
  /* So many of the range's frames are written; or NULL. */
  void (*progress) (gpointer user, guint64 done, guint64 total);
  /* Makes another file, at path `to`, of the .paco file at path `from`, when that is
   * complete; OUT is that one then. NULL: OUT is the .paco file. sound: the folder's WAV
   * file, or NULL. */
  gboolean (*convert) (gpointer user, const char *from, const PacoSound *sound,
      const char *to, GError **error);
  gboolean any_sound_length; /* sound need not last as long as the pictures */
  gpointer user;
} PacoArchiveOptions;

/* Archives the folder. The report, which was paco_report_init(), says what was done also
 * where this fails. Frames that were written stay in OUT.part, where the next run finds
 * them. */
gboolean paco_archive_run (
    const PacoArchiveOptions *options, PacoReport *report, GError **error);
