/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds the members of archives (tool/archive/member.h) for commands that do not restore
 * them: info, verify, cut and join. */
#pragma once
#include "input.h"

/* Counts the members that end in the frames of a range of the file. Returns 0 if it has
 * none, or cannot be read twice. */
uint32_t paco_members_count (const char *path, const PacoFrameRange *range);

/* Is given each member of a file with its size, and 0 frames; and each file of several
 * pictures, with the number of its frames that are there, and size 0. */
typedef void (*PacoMemberFunc) (
    void *user, const char *name, uint64_t size, uint64_t n_frames);
/* Lists the members that end in the file, and files of several pictures, or in what can be
 * read of it. */
void paco_members_list (const char *path, PacoMemberFunc tell, void *user);

/* Names on standard error the members of the frame whose beginning the frames before it
 * have (is_first), or whose end those after it have. */
void paco_members_tell_cut (
    const PacoFrame *frame, bool is_first, PacoProgress *progress);
