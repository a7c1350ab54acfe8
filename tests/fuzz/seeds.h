/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Gives the frames that fuzzing begins with: those of files, and one of each kind
 * that takes its own way through the decoder. fuzz-replay, the program that writes
 * the corpus, and the mutator's test call it. */
#pragma once
#include "tests/fuzz/mutator.h"
#include <glib.h>

/* Makes an array of GByteArray. */
GPtrArray *fuzz_seeds_new (void);

/* Adds the frames of a file; what is none is a seed as it is. It ends the
 * program when the file cannot be read. */
void fuzz_seeds_add_file (GPtrArray *seeds, const char *path);

/* Adds frames that are coded here with every kind of option. */
void fuzz_seeds_add_kinds (GPtrArray *seeds, FuzzRandom *random);
