/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compares the frames of an archive with the number of files that it has, which each
 * frame keeps (FORMAT.md 3.1, chunk 16): restore.c and `paco verify` find so that the
 * end of a recording is missing, or that a container has lost frames. */
#pragma once
#include "lib/paco.h"
#include <glib.h>

/* All 0 before the first frame. */
typedef struct
{
  guint64 found;    /* frames of the archive */
  guint64 reported; /* files that are known to be missing */
  guint32 n_files;  /* that the archive has; 0: unknown */
  guint32 next;     /* the place after that of the last frame */
} PacoFileCount;

/* Returns how many files the archive has that the frame at data is of, or 0 if it does
 * not say that. */
guint32 paco_file_count_of (const void *data, gsize size);

/* Changes that number in a whole frame that has one. Returns how many bytes the header has
 * if it is another now, else 0. */
gsize paco_file_count_renew (guint8 *data, gsize size, guint32 n_files);

/* Counts a frame with that paco_file_count_of(). Where its place begins another archive,
 * as in archives that were put one after the other, returns how many files of the one
 * before are missing and were not reported. */
guint64 paco_file_count_add (
    PacoFileCount *count, const PacoInfo *info, guint32 n_files);
/* Counts files that are missing and have been reported. */
void paco_file_count_report (PacoFileCount *count, guint64 n);
/* Ends an archive: returns how many of its files are missing and were not reported. */
guint64 paco_file_count_end (PacoFileCount *count);
