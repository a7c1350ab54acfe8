/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds the volumes of a split archive, film.0001.paco, film.0002.paco, ..., by the name of
 * the first one. Commands that read files take them for one. */
#pragma once
#include "lib/volumes.h"
#include <glib.h>
#include <stdbool.h>

/* Opens the volumes of which the first one is at path, and which the caller closes; *size
 * becomes the bytes of all. Files of such names are no volumes if they begin a stream of
 * their own. Returns them, to be freed; NULL and n = 0 if there is only one file; or NULL and
 * an error. */
PacoVolume *paco_volumes_open (
    const char *path, unsigned *n, uint64_t *size, GError **error);

/* Returns the name of the first volume of an archive of which the file at path is another
 * one, to be freed, or NULL if it is none. */
char *paco_volumes_first (const char *path);

/* Removes from the names of n files those that are volumes of one before. Returns how many
 * are left. */
int paco_volumes_drop (char **paths, int n);

/* Reads a size, as 650MB, 25G or 4GiB; text may be NULL, which is 0. Errors are of the
 * command line. */
bool paco_volumes_parse_size (const char *text, uint64_t *size, GError **error);
