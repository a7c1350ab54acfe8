/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The source files that frames keep, made again: what `paco restore` does, and
 * `paco verify` of an archive. One thread reads frames, one decodes them, others make
 * the files, compare their checksums and write them (restore_write.c). */
#pragma once
#include "archive/archive.h"

typedef struct
{
  const char
      *folder;  /* where to; NULL: nothing is written, files are only checked */
  gboolean md5; /* compare MD5s too, where frames have them */
  guint
      writers; /* threads that make and write files; 0: by the number of cores */
  PacoSettingPairs coders; /* settings of the decoder */
  gboolean has_range;
  guint64 first, last; /* numbers of frames, with has_range */
  /* Gives the next frame, with number, skipped and missing, and what release() will be
   * given with it. FALSE at the end, where frame->skipped counts too, or with an error.
   * next() is called by one thread, release() by another one. */
  gboolean (*next) (
      gpointer user, PacoFrame *frame, gpointer *owner, GError **error);
  void (*release) (gpointer user, PacoFrame *frame, gpointer owner);
  /* Gives the samples of the sound to the maker; or NULL, where there is none. */
  gboolean (*sound) (gpointer user, PacoSoundMaker *maker, GError **error);
  /* Whether to end, asked by the calling thread ten times a second, and where next()
   * fails: then that is no error. Or NULL. */
  gboolean (*interrupted) (gpointer user);
  void (*progress) (gpointer user, guint64 done);
  gpointer user;
} PacoRestoreOptions;

/* Restores all frames. Files that are there already and are what they should be count as
 * restored; others are never touched: that is an error. Damage is none: the report counts
 * it, and names frames and files in its notes, all others being restored. Errors of
 * PACO_ARCHIVE_ERROR, or what the system says. */
gboolean paco_restore_run (
    const PacoRestoreOptions *options, PacoReport *report, GError **error);
