/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes and reads lists of numbers most of which are equal to the one before, such
 * as the sizes of the chunks of a PNG file. png.c and deflate.c keep them in the
 * rest of a file (tool/archive/source.h), as runs: a number and how often it comes, four
 * little-endian bytes each. */
#pragma once
#include <glib.h>

#define PACO_RUN_SIZE 8 /* bytes of a run */

/* Appends a number; a list begins at byte `start` of `runs`. */
void paco_runs_add (GByteArray *runs, guint start, guint32 number);

/* Counts the numbers of n_runs runs at p, and adds them up. Returns FALSE if a run is
 * empty, which no list has, or the count or the sum is above `most`. */
gboolean paco_runs_sum (const guint8 *p, guint32 n_runs, guint64 most,
    guint64 *n_numbers, guint64 *sum);

/* A list that is being read. */
typedef struct
{
  const guint8 *p;
  guint32 n_runs;
  guint32 left; /* of the run at p */
} PacoRuns;

/* Begins to read n_runs runs at p. */
void paco_runs_begin (PacoRuns *runs, const guint8 *p, guint32 n_runs);
/* Reads the next number. Returns FALSE at the end. */
gboolean paco_runs_next (PacoRuns *runs, guint32 *number);
