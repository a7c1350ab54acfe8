/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes R, G, B of pictures of Y, Cb, Cr, for files that have no others. */
#pragma once
#include "writers.h"

/* Keeps what conversions have in common. */
typedef struct PacoToRgb PacoToRgb;

/* Converts a picture, of which paco_writer_needs_rgb() says that it is needed, by its
 * matrix, its range and where its chroma samples lie. What the stream does not say of
 * these, GStreamer takes by the size. Samples of up to 8 bits
 * become samples of 8 bits, others of 16, of full range; transfer and primaries stay.
 * Returns the picture, laid out by `kind`, which is valid until the next call; *state,
 * NULL at first, is to be freed. */
const PacoPixels *paco_to_rgb (PacoToRgb **state, const PacoPixels *pixels,
    const PacoWriterKind *kind, GError **error);
void paco_to_rgb_free (PacoToRgb *state); /* or NULL */
