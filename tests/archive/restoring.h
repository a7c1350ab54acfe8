/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Codes a file's picture with libpaco, and makes the file of the frame again, for
 * tests of kinds of source files (tool/archive/source.h). */
#pragma once
#include "tool/archive/source.h"

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PacoSource, paco_source_clear)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PacoRebuilt, paco_rebuilt_clear)

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
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Restoring, restoring_clear)

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

/* Does that with a file that is not refused, and compares what a folder's look sees of
 * it. */
void restoring_comes_back (
    Restoring *restoring, const guint8 *bytes, gsize size);

/* Returns the samples of the file last taken apart, pixel by pixel, read without the
 * codec; those of components with fewer columns several times. It is for g_free(). */
guint16 *restoring_samples (const Restoring *restoring);

/* Fails unless a file is refused, with words that hold `word`. */
void check_source_refused (const PacoSourceKind *kind, const guint8 *bytes,
    gsize size, const char *word);

/* Damages the file `n` times: each time it is refused or comes back; and the rest of
 * the sound file: rebuild() and finish() refuse it or make something, but never read
 * what is not theirs. */
void check_hostile (
    const PacoSourceKind *kind, const guint8 *bytes, gsize size, guint n);

/* Draws a number below another one. Each run has others, unless PACO_SEED says
 * which. */
guint32 draw (guint32 below);

/* Draws a random picture, which is smooth, noisy or flat: samples of 8 or 16
 * bits, component by component within a pixel. It is for g_free(). */
guint16 *draw_samples (
    guint32 width, guint32 height, guint n_components, guint depth);
