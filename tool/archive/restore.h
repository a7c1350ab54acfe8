/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes the source files again that frames keep, for `paco restore`, and for `paco
 * verify` of an archive. One thread finds frames, some read them, one has them decoded
 * (restore_read.c), and others make the files, write them and compare their checksums
 * (restore_write.c). */
#pragma once
#include "tool/archive/archive.h"
#include "tool/archive/memory.h"

/* What an archive may cost, whoever made it. */
typedef struct
{
  guint64 max_pixels; /* of a picture */
  guint64 max_file;   /* bytes of a file */
  /* All files together have at most max_ratio times the bytes of the archive, beyond those
   * that any archive may have: PACO_RESTORE_FREE. */
  guint64 max_ratio;
  guint64 memory; /* bytes (memory.h) */
} PacoRestoreLimits;
#define PACO_RESTORE_LIMITS                                                    \
  {                                                                            \
    .max_pixels = 8192 * 8192, .max_file = 512000000, .max_ratio = 1000,       \
    .memory = PACO_MEMORY_DEFAULT                                              \
  }
#define PACO_RESTORE_FREE G_GUINT64_CONSTANT (16000000000)

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
  PacoRestoreLimits limits;
  guint64
      size; /* bytes of the archive; 0: unknown, and those of the frames count */
  /* Gives the next frame, with size, number, skipped and missing, and what release()
   * will be given with it. Returns FALSE at the end, where frame->skipped counts
   * too, or with an error. One thread calls next(), another one release(). */
  gboolean (*next) (
      gpointer user, PacoFrame *frame, gpointer *owner, GError **error);
  /* Reads the bytes of a frame for which next() has given NULL as its data. Several
   * threads call it while others call next() and release(), which is not called for
   * such a frame. It may be NULL if there are none. */
  gboolean (*read) (
      gpointer user, const PacoFrame *frame, guint8 *data, GError **error);
  void (*release) (gpointer user, PacoFrame *frame, gpointer owner);
  /* Gives the samples of the tracks of sound to their makers. It is NULL if there are
   * none. */
  gboolean (*sound) (
      gpointer user, PacoSoundMaker *const *makers, guint n, GError **error);
  /* Says whether to end. The calling thread asks ten times a second, and if
   * next() fails: then that is no error. It may be NULL. */
  gboolean (*interrupted) (gpointer user);
  void (*progress) (gpointer user, guint64 done);
  gpointer user;
} PacoRestoreOptions;

/* Restores all frames. Files that are there already and are what they should be
 * count as restored. Other files are never changed: they are an error. Damage is
 * no error, nor is a name or a kind of file that is not possible here: the report counts it, and names frames and files in its notes, and
 * all others are restored. Errors are of PACO_ARCHIVE_ERROR, or of the system. */
gboolean paco_restore_run (
    const PacoRestoreOptions *options, PacoReport *report, GError **error);
