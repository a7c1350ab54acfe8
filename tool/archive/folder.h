/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds which files of a folder are frames of its archive, and in which order, and which
 * are kept as they are (members). archive.c calls it before anything is written.
 *
 * The files of the folder and of those in it are put in the order of their names, where
 * digits count as numbers and a folder's name goes before what is behind it. The pictures
 * of the kind and size that most have are the sequence; all others are members. */
#pragma once
#include "tool/archive/source.h"

typedef struct
{
  const char *const *skip; /* patterns of names to leave out; NULL: none */
  gboolean allow_gaps;     /* numbers may be missing */
  gboolean only_pictures;  /* what is no picture of the sequence is refused */
  gboolean want_sound;     /* WAV files become PacoFolder.sounds */
  gboolean with_decoder; /* the reference decoder becomes members (decoder.h) */
} PacoFolderOptions;

typedef struct
{
  char *name; /* relative to the folder */
  guint64 size;
  GBytes *bytes;       /* of what is not in the folder, else NULL */
  PacoSection section; /* which section of the file it is, if there are some */
} PacoFolderFile;

typedef struct
{
  char *path;
  /* PacoFolderFile, in order: all; once they are sorted out those of the sequence, and
   * the others, without those WAV files of its own folder that may be tracks of sound. */
  GArray *files, *members, *sounds;
  guint n_skipped;
  GPtrArray *links; /* char *: names of files that are links */
  GPtrArray
      *left_out;    /* char *: what is neither a file nor a folder with files */
  GPtrArray *notes; /* char *: sentences of what is no frame */
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

/* Looks into the heads of all files, and sorts them by what these can tell. *kind and
 * *info are those of the sequence. With fps_given, the frame rate of files does not
 * matter. In the place of a file of several pictures like its first one come its
 * sections. */
gboolean paco_folder_sort_out (PacoFolder *folder,
    const PacoFolderOptions *options, gboolean fps_given,
    const PacoSourceKind **kind, PacoInfo *info, GError **error);

/* Says whether a file has more bytes than can be taken apart, as one or in sections. */
gboolean paco_folder_is_too_large (
    const PacoSourceKind *kind, const char *path, guint64 size);
/* Puts sections in the place of files that have some, and notes that (folder_cut.c). */
gboolean paco_folder_cut (
    PacoFolder *folder, const PacoSourceKind *kind, GError **error);
/* Says whether the n-th file goes on with the one before it. */
gboolean paco_folder_goes_on (const PacoFolder *folder, guint64 n);
/* Returns how many bytes the n-th file has, or its section. */
guint64 paco_folder_bytes (const PacoFolder *folder, guint64 n);

/* Makes sound i a member. */
void paco_folder_keep_sound (PacoFolder *folder, guint i);

/* Says whether two pictures can be of one sequence. If not, *difference says how the
 * second one differs, as "it has 720 x 576 samples, and the first file 2048 x 1556",
 * to be freed. */
gboolean paco_folder_same_picture (const PacoInfo *first, const PacoInfo *other,
    gboolean fps_given, char **difference);

/* Puts members in order. */
void paco_folder_sort_members (PacoFolder *folder);
/* Compares names for the order of files. */
int paco_folder_compare_names (const char *a, const char *b);
