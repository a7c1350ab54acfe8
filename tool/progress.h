/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Draws a line on a terminal's standard error that says how far a command is:
 * frames, frames a second, time left. There is no line if standard error is no
 * terminal, or if quiet is asked for. One thread at a time may call it. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct PacoProgress PacoProgress;

/* Begins a line. total is how many frames there will be, or 0 if that is unknown. */
PacoProgress *paco_progress_new (uint64_t total, bool quiet);
/* Stores that `done` frames are done. Draws the line again a few times a second. */
void paco_progress_set (PacoProgress *progress, uint64_t done);
/* Prints a sentence on standard error, as paco_tool_complain() does, above the
 * line. */
void paco_progress_complain (PacoProgress *progress, const char *format, ...)
    G_GNUC_PRINTF (2, 3);
/* Removes the line until it is drawn again, for those who print a line. */
void paco_progress_pause (const PacoProgress *progress);
/* Removes the line. NULL is allowed. */
void paco_progress_free (PacoProgress *progress);
