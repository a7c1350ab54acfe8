/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Names the volumes of a split archive: film.0001.paco, film.0002.paco, ... of film.paco.
 * part.c writes them, and the tool's input.c finds them. */
#pragma once
#include <glib.h>

/* Returns the name of a volume of the archive `out`, counted from 1, to be freed. */
char *paco_volume_name (const char *out, guint number);
/* Returns the name of the archive that a file of such a name is a volume of, to be freed,
 * and the volume's number; or NULL. */
char *paco_volume_parse (const char *name, guint *number);
/* Returns the numbers (guint), in order, of the volumes of `out` from 2 on that are there,
 * or, with `ending`, files of their names with that at the end. */
GArray *paco_volume_list (const char *out, const char *ending);
/* Lets this process have as many files open as the system allows it. */
void paco_volume_allow_many (void);
