/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Takes files apart, codes them with libpaco without loss, and makes them again, for
 * the tests png.c and tiff.c. */
#pragma once
#include "tool/archive/source.h"

/* Draws a number below another one. Each run has others, unless PACO_SEED says
 * which. */
guint32 draw (guint32 below);

/* Draws a random picture, which is smooth, noisy or flat: samples of 8 or 16
 * bits, component by component within a pixel. It is for g_free(). */
guint16 *draw_samples (
    guint32 width, guint32 height, guint n_components, guint depth);

/* Takes a file apart, codes the picture, makes the file again, and compares. *source
 * is what parse() has said; *samples, for g_free(), are those it has found, as above
 * (without the struct's image, whose memory may be the file's). */
void check_comes_back (const PacoSourceKind *kind, const guint8 *bytes,
    gsize size, PacoSource *source, guint16 **samples);

/* Fails unless a file is refused, with words that hold `word`. */
void check_refused (const PacoSourceKind *kind, const guint8 *bytes, gsize size,
    const char *word);

/* Damages the file `n` times: each time it is refused or comes back; and the rest of
 * the sound file: rebuild() and finish() refuse it or make something, but never read
 * what is not theirs. */
void check_hostile (
    const PacoSourceKind *kind, const guint8 *bytes, gsize size, guint n);
