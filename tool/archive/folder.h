/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds which files of a folder are archived, and in which order. archive.c calls it
 * before anything is written.
 *
 * All files of the folder and of those in it are a sequence of pictures of one kind,
 * in the order of their names, where digits count as numbers and a folder's name
 * goes before what is behind it. All other files must be named to be left out,
 * because an archive must not forget files silently. */
#pragma once
#include "tool/archive/source.h"

typedef struct
{
  const char *const *skip; /* patterns of names to leave out; NULL: none */
  gboolean allow_gaps;     /* numbers may be missing */
  gboolean want_sound;     /* one WAV file may be there: PacoFolder.sound */
} PacoFolderOptions;

typedef struct
{
  char *name; /* relative to the folder */
  guint64 size;
} PacoFolderFile;

typedef struct
{
  char *path;
  GArray *files; /* PacoFolderFile, in order */
  char *sound;   /* name of the WAV file, or NULL */
  guint n_skipped;
} PacoFolder;

/* Reads the folder's names and sizes. Errors are sentences that begin with the file's
 * name. */
PacoFolder *paco_folder_read (
    const char *path, const PacoFolderOptions *options, GError **error);
void paco_folder_free (PacoFolder *folder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PacoFolder, paco_folder_free)

/* Returns the n-th file. */
const PacoFolderFile *paco_folder_file (const PacoFolder *folder, guint64 n);
/* Returns its path, to be freed. */
char *paco_folder_path (const PacoFolder *folder, guint64 n);

/* Looks into the heads of files first..end-1: all must be of one kind and show
 * pictures of one size, depth and frame rate, as far as heads can tell. *kind and
 * *info are those of the first one. With fps_given, the frame rate of files does
 * not matter. */
gboolean paco_folder_look (const PacoFolder *folder, guint64 first, guint64 end,
    gboolean fps_given, const PacoSourceKind **kind, PacoInfo *info,
    GError **error);

/* Says whether two pictures can be of one sequence. If not, *difference says how the
 * second one differs, as "it has 720 x 576 samples, and the first file 2048 x 1556",
 * to be freed. */
gboolean paco_folder_same_picture (const PacoInfo *first, const PacoInfo *other,
    gboolean fps_given, char **difference);

/* Compares names for the order of files. */
int paco_folder_compare_names (const char *a, const char *b);
