/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Draws codeblocks and damages them, for tests of block coders of the CPU and of a GPU. */
#pragma once
#include "codec/index.h"
#include "codec/probability.h"
#include <glib.h>

/* Draws coefficients of some kind, rows without gaps, of magnitudes up to `most`. */
void random_block_values (GRand *rand, int32_t *values, unsigned width,
    unsigned height, int32_t most);

/* Replaces a set's probabilities by random or extreme ones, or leaves them. */
void random_block_set (GRand *rand, PacoProbabilitySet *set);

/* Changes a block's bytes or what its record says, or leaves it. The length is that of
 * the bytes, and there are at most max_planes. */
void random_block_damage (GRand *rand, PacoBlockRecord *record,
    GByteArray *bytes, unsigned max_planes);
