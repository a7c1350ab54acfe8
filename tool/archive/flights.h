/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Runs a thread that keeps a coder of libpaco busy with frames of a line (line.h):
 * archive_code.c and restore_read.c code and decode so. */
#pragma once
#include "tool/archive/line.h"
#include "tool/archive/report.h"

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

/* Sets a decoder to frames that are compared and not shown: what is
 * broken is not concealed, and pictures may have any size. */
PacoStatus paco_flights_set_decoder (
    PacoFrameDecoder *decoder, PacoError *failure);

/* Works until the line ends. */
void paco_flights_run (const PacoFlights *flights);
