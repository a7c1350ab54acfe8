/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes and reads names of numbered files: "scan_%06d.dpx", with exactly one %d, %5d
 * or %05d. readers.c and decode.c call it. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Says whether the path has a % that stands for a number; "%%" stands for itself. */
bool paco_sequence_is_pattern (const char *path);
/* Checks that it is such a pattern. The error is of the command line. */
bool paco_sequence_check (const char *pattern, GError **error);
/* Returns the name of a file, to be freed. */
char *paco_sequence_name (const char *pattern, uint64_t number);
/* Gets a file of a pattern. Returns whether the search ends. */
typedef bool (*PacoSequenceFunction) (
    void *user, const char *path, uint64_t number);
/* Calls the function for each file of the pattern that is in its folder, in any order,
 * until it returns true. Returns whether it has. */
bool paco_sequence_find (
    const char *pattern, PacoSequenceFunction function, void *user);
/* Finds the lowest number from *number on of which there is a file. */
bool paco_sequence_next (const char *pattern, uint64_t *number);
