/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes frames of an archive with the pieces of members that they carry
 * (archive_member.c). */
#pragma once
#include "tool/archive/chunks.h"
#include "tool/archive/folder.h"
#include "tool/archive/part.h"
#include "tool/archive/report.h"

typedef struct PacoMembers PacoMembers;

/* Plans where the members of the folder lie, for the frames of its files first..end-1. */
PacoMembers *paco_members_new (const PacoFolder *folder, guint64 first,
    guint64 end, gboolean md5, gboolean verify, GError **error);
void paco_members_free (PacoMembers *members); /* or NULL */

/* Says whether all members are on frames. */
gboolean paco_members_are_done (const PacoMembers *members);
/* Returns how many members end in the archive, as far as is known. */
guint32 paco_members_total (const PacoMembers *members);

/* Writes the frame of file `number` of the folder, with what it carries. *written becomes
 * its size. */
gboolean paco_members_write_frame (PacoMembers *members, PacoPart *part,
    PacoReport *report, guint64 number, void *data, gsize size,
    guint64 *written, GError **error);

/* Adds a file of the folder that turned out to be no frame: the last frame that was written
 * carries it, or the first one. */
void paco_members_add_late (PacoMembers *members, const PacoFolderFile *file);
/* Writes the last frame again if it has to carry such files; after the last frame of the
 * archive also with what later ones would have carried that are none. */
gboolean paco_members_write_late (PacoMembers *members, PacoPart *part,
    PacoReport *report, gboolean is_end, GError **error);
/* Writes into all frames how many files and members there are, if these have become
 * others. */
gboolean paco_members_renumber (
    PacoMembers *members, PacoPart *part, GError **error);

/* Compares what a whole frame, of file `number`, carries with the folder. Files that turned
 * out to be no frames are searched from *file on, which becomes the one after all that it
 * keeps. Error EXISTS if one of them is neither the frame nor carried. */
gboolean paco_members_keep_frame (PacoMembers *members, PacoReport *report,
    const void *data, gsize size, guint64 number, guint64 *file,
    GError **error);
