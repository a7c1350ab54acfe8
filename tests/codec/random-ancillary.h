/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Draws random ancillary chunks, of all types and of some that have no meaning yet. The
 * tests ancillary.c and check/chunkvalues.c call it. */
#pragma once
#include "codec/ancillary.h"
#include <glib.h>

/* Draws up to max_size bytes of chunks, which are good, and appends them to
 * *memory. */
void test_ancillary_random (GRand *rand, GByteArray *memory, size_t max_size);

/* Draws a chunk of that type, with random content, and appends it to
 * *memory. */
void test_ancillary_random_chunk (
    GRand *rand, GByteArray *memory, unsigned type);

/* Writes what a chunk of a known type says once more. */
bool test_ancillary_write_again (
    PacoAncillaryWriter *writer, const PacoChunk *chunk);
