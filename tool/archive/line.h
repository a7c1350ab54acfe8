/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Keeps the order in which threads work on the frames of a run: it is a ring of
 * places, through which numbered frames go step by step. archive.c reads, codes,
 * verifies and writes on one; restore.c reads, decodes and writes.
 *
 * A step takes its frames in the order of their numbers. Several threads may share a
 * step; then each takes the next one. If a frame fails, those after it end where
 * they are, and those before it go on to the last step: so what is written is
 * complete up to the frame that failed. */
#pragma once
#include "tool/archive/report.h"
#include <glib.h>

typedef struct PacoLine PacoLine;

typedef enum
{
  PACO_LINE_TAKEN,
  PACO_LINE_WAITS, /* the next frame has not come through the step before */
  PACO_LINE_ENDED, /* there is no further frame for this step */
} PacoLineTake;

/* Makes a line for frames first..end-1 on n_places places, in n_steps steps. */
PacoLine *paco_line_new (
    guint64 first, guint64 end, guint n_places, guint n_steps);
/* Frees the line. No thread may use it any more. */
void paco_line_free (PacoLine *line);

/* Returns the place of a frame: 0..n_places-1. */
guint paco_line_place (const PacoLine *line, guint64 number);

/* Takes the next frame of a step; step 0 also waits for a free place. With microseconds
 * >= 0 it waits no longer than that. */
PacoLineTake paco_line_take (
    PacoLine *line, guint step, gint64 microseconds, guint64 *number);

/* Says that a step has done a frame that it had taken. */
void paco_line_done (PacoLine *line, guint step, guint64 number);

/* Says that a frame has failed. The line takes ownership of the error, and keeps
 * it if no frame before has failed. Then no step takes this frame or a later one. */
void paco_line_fail (PacoLine *line, guint64 number, GError *error);
/* Says that there is no such frame, and none after it. */
void paco_line_end (PacoLine *line, guint64 number);
/* Makes all steps leave frames that `step` has not taken yet. */
void paco_line_stop (PacoLine *line, guint step);

/* Returns the first frame that failed, and why, or FALSE if none did. All threads
 * must have ended. */
gboolean paco_line_failure (PacoLine *line, guint64 *number, GError **error);

/* A step with several frames in flight. */
typedef struct
{
  gpointer run;
  PacoLine *line;
  guint step;
  PacoReport *report;
  PacoSpent spent; /* while at least one frame is in flight */
  /* Is called once for each frame. OK says that it can be submitted, EMPTY that
   * it was passed on already, and is not. Any other status is told to fail(). */
  PacoStatus (*prepare) (gpointer run, guint64 number, PacoError *failure);
  /* Submits a frame. Returns BUSY if as many are in flight as may be. */
  PacoStatus (*submit) (gpointer run, guint64 number, PacoError *failure);
  /* Ends the oldest frame, and passes it on. */
  void (*collect) (gpointer run);
  void (*fail) (gpointer run, guint64 number, const PacoError *failure);
} PacoFlights;

/* Sets a decoder to frames that are compared and not shown, and as `pairs` say: what is
 * broken is not concealed, and pictures may have any size. */
PacoStatus paco_flights_set_decoder (
    PacoFrameDecoder *decoder, const char *const *pairs, PacoError *failure);

/* Works until the line ends. */
void paco_flights_run (const PacoFlights *flights);
