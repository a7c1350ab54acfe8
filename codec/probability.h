/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Probability sets (FORMAT.md sections 3 and 7.4): the stationary models of
 * the coder, indexed by what both sides know of a block. */
#pragma once
#include <glib.h>
#include <stddef.h>
#include <stdint.h>

#define PACO_N_SIGNIFICANCE 32
#define PACO_N_REFINEMENT 4
#define PACO_N_SIGN 5
#define PACO_REFINEMENT_CONTEXT PACO_N_SIGNIFICANCE
#define PACO_SIGN_CONTEXT (PACO_N_SIGNIFICANCE + PACO_N_REFINEMENT)
#define PACO_N_CONTEXTS (PACO_SIGN_CONTEXT + PACO_N_SIGN) /* 41 */
#define PACO_N_DENSITIES 16
#define PACO_N_LOW_PLANES 4
#define PACO_N_ROWS (3 * PACO_N_LOW_PLANES * PACO_N_DENSITIES) /* 192 */

/* P(0) in 1/256, 1..255. */
typedef struct
{
  uint8_t p[PACO_N_ROWS][PACO_N_CONTEXTS];
} PacoProbabilitySet;

/* The built-in sets by id: 0 is made for the reversible wavelet, whose lowest
 * planes are noise, 1 for 9/7, whose quantizer has left the noise out. */
#define PACO_N_BUILTIN_SETS 2
extern const PacoProbabilitySet paco_builtin_sets[PACO_N_BUILTIN_SETS];

/* Density class of a block of n_coefficients of which n_significant are
 * significant: 0..15. */
static inline unsigned
paco_density_class (uint32_t n_significant, uint32_t n_coefficients)
{
  uint64_t s2 = (uint64_t) n_significant * n_significant;
  uint64_t n2 = (uint64_t) n_coefficients * n_coefficients;
  unsigned k = 0;

  if (n_significant == 0)
    return 0;
  while (k < 14 && (s2 << (k + 1)) <= n2)
    k++;
  return 1 + k;
}

/* Row of the set for a plane; orientation is a PacoOrientation. */
static inline unsigned
paco_probability_row (unsigned orientation, unsigned plane, unsigned density)
{
  unsigned kind = orientation == 0 ? 0 : orientation == 3 ? 2 : 1;

  return (kind * PACO_N_LOW_PLANES + (plane < 3 ? plane : 3)) * PACO_N_DENSITIES
      + density;
}

/* The payload of chunk 3: set as differences to a built-in set, base. Writes at
 * most PACO_MAX_CARRIED_SET bytes, returns how many. */
#define PACO_MAX_CARRIED_SET (2 * PACO_N_ROWS * PACO_N_CONTEXTS)
size_t paco_probability_set_write (const PacoProbabilitySet *set,
    const PacoProbabilitySet *base, uint8_t *data);

/* The inverse; FALSE if the bytes are not a set. */
gboolean paco_probability_set_parse (const uint8_t *data, size_t size,
    const PacoProbabilitySet *base, PacoProbabilitySet *set);
