/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes a folder of source files a .paco file, for `paco archive` and tests. It
 * looks the folder through (folder.h), goes on where OUT.part ends (resume.c), and
 * then lets frames go through a line (line.h): threads read files whole, checksum
 * them and take them apart (archive_read.c); one codes them, and one decodes what
 * was coded, comparing it with the file where that is possible (archive_code.c);
 * others look at the rest, or make the files again and compare them (archive_read.c);
 * the calling thread writes. */
#pragma once
#include "tool/archive/error.h"
#include "tool/archive/folder.h"
#include "tool/archive/report.h"
#include "tool/archive/sound.h"

/* Settings of libpaco's coders are given by name: { "threads", "2", NULL }. */
typedef const char *const *PacoSettingPairs;

typedef struct
{
  const char *folder, *out;
  PacoFolderOptions files;
  gboolean has_range;
  /* With has_range, these are the frames of the folder that are archived; if last
   * is G_MAXUINT64, up to the end. */
  guint64 first, last;
  guint64 split; /* bytes that a file of OUT may have; 0: it is one file */
  guint32 fps_n, fps_d; /* frames a second; 0 and 0: what files say */
  gboolean md5, verify;
  gboolean keep_files; /* whole, whose compressed bytes cannot be made again */
  guint readers;       /* threads that read; 0: as many as do */
  PacoSettingPairs coders;   /* settings of encoder and decoder */
  PacoSettingPairs encoders; /* settings of the encoder alone */
  /* Says whether to end. The calling thread asks ten times a second. Frames that
   * are being coded are finished and written first. It may be NULL. */
  gboolean (*interrupted) (gpointer user);
  /* Is told how many of the range's frames are written. It may be NULL. */
  void (*progress) (gpointer user, guint64 done, guint64 total);
  /* Makes another file, at path `to`, of the n_frames of the .paco file at path
   * `from`, when that is complete; then OUT is that file. If it is NULL, OUT is the .paco file.
   * sounds are the folder's WAV files (PacoSound); NULL: it gets none. */
  gboolean (*convert) (gpointer user, const char *from, guint64 n_frames,
      const GPtrArray *sounds, const char *to, GError **error);
  /* Says whether OUT can have such sound, with pictures that last `seconds`; 0: that is
   * unknown. Errors are what goes after its name. */
  gboolean (*takes_sound) (
      gpointer user, const PacoSound *sound, gdouble seconds, GError **error);
  gboolean any_sound_length; /* sound need not last as long as the pictures */
  gpointer user;
} PacoArchiveOptions;

/* Archives the folder. The report, which was paco_report_init(), says what was
 * done also if this fails. Frames that were written stay in OUT.part, where the
 * next run finds them. */
gboolean paco_archive_run (
    const PacoArchiveOptions *options, PacoReport *report, GError **error);
