/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Does what text 004 says of its block coder, word for word: lanes one for
 * one, and the significance of neighbors by its definition in place of a state
 * that is kept. It is the judge of bitplanes.c, and too slow for pictures. */
#pragma once
#include "tests/lab/bitplanes.h"

/* Appends the code of a block of that many bitplanes. */
void bitplanes_plain_encode (const BitplanesForm *form,
    const BitplanesTable *table, const int32_t *indices, unsigned width,
    unsigned height, unsigned planes, GByteArray *bytes);
