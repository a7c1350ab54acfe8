/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes the file of an archive: frames go to OUT.part, which becomes OUT when all
 * are there. A split archive has several, its volumes (volume.h), whose bytes one after the
 * other are those of the file that it would be otherwise. archive.c writes it; a run that
 * goes on finds in it what one before has left. paco_part_give_name() also gives other files
 * their names when they are whole: restore_write.c, sound.c and the tool's output.c call
 * it. */
#pragma once
#include "lib/stream/volumes.h"
#include <glib.h>

typedef struct
{
  char *path, *part_path; /* of the only file, or of the first volume */
  char *out;              /* of which volumes have their names */
  guint64 split;   /* bytes that a volume may have; 0: there is one file */
  GArray *files;   /* their names (part.c) */
  GArray *volumes; /* PacoVolume: the files; the last one is written */
  /* Where the next frame begins. That is the end of the file, except while it is
   * resumed. */
  guint64 offset;
  guint64 last; /* where the last frame begins */
  guint64 n_frames;
  guint64 reserved; /* the disk has space up to there; 0: unknown */
  /* The file system cannot do that, or has no space left. */
  gboolean reserves_none;
  gboolean is_whole; /* It is read only. */
} PacoPart;

/* Opens path.part, or makes it, and locks it. Nothing may be at path. What is at path.part
 * must be a file of this user's without another name, or is an error: PACO_ARCHIVE_EXISTS.
 * With `split` these are volumes of at most that many bytes, unless one frame has more. */
PacoPart *paco_part_open (const char *path, guint64 split, GError **error);
/* Opens the archive at path to read it, in the place of path.part. NULL: there is none. */
PacoPart *paco_part_open_whole (const char *path, guint64 split);
/* Frees the struct; frames that were written stay, and space that was taken ahead is
 * given back. NULL is allowed. */
void paco_part_free (PacoPart *part);

/* Returns how many bytes there are, or 0 if that cannot be found out. */
guint64 paco_part_size (const PacoPart *part);
/* Reads bytes, as paco_io_read_at() does. */
gsize paco_part_read (
    const PacoPart *part, guint64 at, void *bytes, gsize size);

/* Says that the next frame takes at most `size` bytes: if the volume has no room for them,
 * another one begins. paco_part_append() does so by itself. */
gboolean paco_part_begin (PacoPart *part, guint64 size, GError **error);
/* Asks the disk for space up to `end` and for some more, that the file may lie there in
 * fewer pieces and is written faster. Where that fails, it is written as it comes. */
void paco_part_reserve (PacoPart *part, guint64 end);
/* Writes `size` bytes at that place of the file. */
gboolean paco_part_write (
    PacoPart *part, guint64 at, const void *bytes, gsize size, GError **error);
/* Keeps what follows: a whole frame of `size` bytes, found at `offset`. */
void paco_part_keep (PacoPart *part, gsize size);
/* Cuts off the bytes behind the last frame, and gives back the space behind it. */
gboolean paco_part_truncate (PacoPart *part, GError **error);
/* Writes a frame, and changes its place to the one that it has in the file. After
 * an error the file ends with the frame before. Disks are asked for space ahead of the
 * frames, which the file does not count as its own: it ends with the last frame. */
gboolean paco_part_append (
    PacoPart *part, void *frame, gsize size, GError **error);

/* Renames path.part to path, once the disk has it. */
gboolean paco_part_finish (PacoPart *part, GError **error);

/* The name of a file ends so while it is restored. Files that are archived, or
 * restored, have no such names, or one might be overwritten by what another one
 * is made in. */
#define PACO_RESTORING_SUFFIX ".paco-part"

/* Opens an empty file in a folder (a descriptor, or AT_FDCWD), to be restored
 * there and given the name `to`. *name, to be freed, is what it is called until
 * then; nobody else opens that so before it is closed. What an interrupted run
 * of the same user has left of the file is used again. Returns -1 and errno: EBUSY if too many
 * restore it. */
int paco_part_open_restoring (int folder, const char *to, char **name);

/* Says whether an error of the system is one of a file's name, which no other file need
 * have: too long, not one of this file system, or below what is no folder. */
gboolean paco_part_is_of_name (int why);

/* Gives a file in a folder (a descriptor, or AT_FDCWD) its name if nothing has
 * that name. Returns FALSE and errno: EEXIST if something has. */
gboolean paco_part_give_name (int folder, const char *from, const char *to);
/* The same with paths, once the disk has the file's bytes; then it has the name, too. */
gboolean paco_part_rename (const char *from, const char *to, GError **error);
/* Writes a new file whole. */
gboolean paco_part_write_file (
    const char *path, const void *bytes, gsize size, GError **error);
