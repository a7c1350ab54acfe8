/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Probability sets (FORMAT.md sections 3 and 7.4): the stationary models of the block
 * coder, indexed by what encoder and decoder both know of a block. header.c parses
 * carried sets with it; the block coders read the probabilities. */
#pragma once
#include "contexts.h"
#include <glib.h>
#include <stddef.h>
#include <stdint.h>

/* P(0) in 1/256, 1..255. */
typedef struct
{
  uint8_t p[PACO_N_ROWS][PACO_N_CONTEXTS];
} PacoProbabilitySet;

/* How many built-in sets there are: a family for each kind of wavelet, and in each as
 * many sets, of which every block names one. Family 0 was trained for reversible
 * wavelets, whose lowest planes are noise, family 1 for the others, whose quantizer has
 * removed the noise. */
#define PACO_N_FAMILIES 2
#define PACO_N_SETS 8
extern const PacoProbabilitySet paco_builtin_sets[PACO_N_FAMILIES][PACO_N_SETS];

/* The sets that the blocks of a component choose from, by number: those of its
 * family, where one that the frame carries may have taken the place of set 0. */
typedef struct
{
  const PacoProbabilitySet *sets[PACO_N_SETS];
} PacoFamily;

/* A family that has the same set at every number. */
static inline PacoFamily
paco_family_of_one (const PacoProbabilitySet *set)
{
  PacoFamily family;

  for (unsigned i = 0; i < PACO_N_SETS; i++)
    family.sets[i] = set;
  return family;
}

/* Writes the content of chunk 3: a set as differences to a built-in one, base. It takes
 * at most PACO_MAX_CARRIED_SET bytes. Returns how many. */
#define PACO_MAX_CARRIED_SET (2 * PACO_N_ROWS * PACO_N_CONTEXTS)
size_t paco_probability_set_write (const PacoProbabilitySet *set,
    const PacoProbabilitySet *base, uint8_t *data);

/* Parses such content. FALSE if the bytes are not a set. */
gboolean paco_probability_set_parse (const uint8_t *data, size_t size,
    const PacoProbabilitySet *base, PacoProbabilitySet *set);
