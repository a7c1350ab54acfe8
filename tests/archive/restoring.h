/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Codes a file's picture with libpaco, and makes the file of the frame again, for
 * tests of kinds of source files (tool/archive/source.h). */
#pragma once
#include "tool/archive/source.h"

typedef struct
{
  const PacoSourceKind *kind;
  PacoFrameEncoder *encoder;
  PacoFrameDecoder *decoder;
  PacoSource source;
  PacoSource watched; /* the same, of a file that was watched while it came */
  PacoRebuilt rebuilt;
  PacoFrame frame; /* of the file last restored */
  /* That file could be compared with the frame where it is. */
  gboolean in_place;
} Restoring;

void restoring_init (Restoring *restoring, const PacoSourceKind *kind);
void restoring_clear (Restoring *restoring);

/* Has the kind watch a file that comes in random pieces: what has not come is still
 * zero. Returns the file as it came, which g_free() frees. */
guint8 *restoring_watch (const PacoSourceKind *kind, const guint8 *bytes,
    gsize size, PacoSource *source);

/* Takes a file apart; FALSE and an error if it is refused. Of others the picture is
 * coded without loss, and the file that is made again is compared with it. Either way
 * it has to be the same when the file was watched before. If a file can be compared in
 * place, that finds no difference, and finds each bit that is changed. */
gboolean restoring_check (
    Restoring *restoring, const guint8 *bytes, gsize size, GError **error);

/* Returns the picture of the file last restored, decoded to words of 16 bits,
 * component by component without gaps. */
guint16 *restoring_picture (Restoring *restoring);
