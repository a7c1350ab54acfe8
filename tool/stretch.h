/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Stretches samples of any depth to 8 or 16 bits, for PNG and TIFF files. */
#pragma once
#include "writers.h"

/* Stretches a sample of `depth` bits to 8 or 16, by repeating its highest bits. */
unsigned paco_stretch (unsigned sample, unsigned depth, unsigned bits);
/* Does so with all samples, bytes or big-endian words, if their depth is another one. */
void paco_pixels_stretch (const PacoPixels *pixels);
