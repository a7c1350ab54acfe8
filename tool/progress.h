/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A line on a terminal's standard error that says how far a command is: frames,
 * frames a second, time left. Where standard error is no terminal, or quiet is asked
 * for, there is no line. One thread at a time. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct PacoProgress PacoProgress;

/* total: frames there will be, 0 if nobody knows. */
PacoProgress *paco_progress_new (uint64_t total, bool quiet);
/* So many frames are done; draws the line anew a few times a second. */
void paco_progress_set (PacoProgress *progress, uint64_t done);
/* A sentence on standard error, as paco_tool_complain() has it, above the line. */
void paco_progress_complain (PacoProgress *progress, const char *format, ...)
    G_GNUC_PRINTF (2, 3);
/* Takes the line away until it is drawn again, for those who print a line. */
void paco_progress_pause (const PacoProgress *progress);
/* Takes the line away. NULL is allowed. */
void paco_progress_free (PacoProgress *progress);
