/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Probabilities from counts, also where little or nothing was counted.
 *
 * A set has 7872 probabilities, and many rows are rare: dense blocks at high
 * planes, contexts of many neighbors in sparse blocks. Each estimate is
 * therefore drawn towards a coarser one that has more to go by, as if a few
 * symbols of the coarser kind had been counted with it:
 *
 *   density and context < orientation too < lowest planes too
 *
 * and the coarsest towards its neighbors among densities and contexts, so that
 * even what no picture shows gets a sensible value. */
#include "codec/tables/estimate.h"
#include <math.h>
#include <string.h>

#define N_KINDS 3
#define PSEUDO_COUNT 300.0
/* Rounds in which the coarsest estimates spread to their neighbors. */
#define N_SPREADS 32

typedef double Table[PACO_N_DENSITIES][PACO_N_CONTEXTS][2];

void
symbol_weights_add (
    SymbolWeights *weights, const PacoReferenceCounts *counts, double weight)
{
  for (unsigned row = 0; row < PACO_N_ROWS; row++)
    for (unsigned context = 0; context < PACO_N_CONTEXTS; context++)
      for (unsigned bit = 0; bit < 2; bit++)
        weights->n[row][context][bit] += weight
            * counts->symbols[row][context][bit];
}

/* Probability of a 0: counted, with a prior that weighs PSEUDO_COUNT. */
static double
shrink (const double n[2], double prior)
{
  return (n[0] + PSEUDO_COUNT * prior) / (n[0] + n[1] + PSEUDO_COUNT);
}

static bool
same_group (unsigned a, unsigned b)
{
  return (a < PACO_REFINEMENT_CONTEXT) == (b < PACO_REFINEMENT_CONTEXT)
      && (a < PACO_SIGN_CONTEXT) == (b < PACO_SIGN_CONTEXT);
}

/* Mean of the estimates next to (density, context): the densities before and
 * after, and, but for signs, whose contexts have no order, the contexts. */
static double
neighbor_mean (double p[PACO_N_DENSITIES][PACO_N_CONTEXTS], unsigned density,
    unsigned context)
{
  double sum = 0.0;
  unsigned n = 0;

  /* Density 0, no significant coefficient, belongs behind 15, the sparsest. */
  unsigned place = (density + PACO_N_DENSITIES - 1) % PACO_N_DENSITIES;

  for (int d = -1; d <= 1; d += 2) {
    int other = (int) place + d;

    if (other >= 0 && other < PACO_N_DENSITIES) {
      sum += p[(other + 1) % PACO_N_DENSITIES][context];
      n++;
    }
  }
  for (int d = -1; d <= 1 && context < PACO_SIGN_CONTEXT; d += 2) {
    int other = (int) context + d;

    if (other >= 0 && same_group (other, context)) {
      sum += p[density][other];
      n++;
    }
  }
  return sum / n;
}

static void
spread (const Table counts, double p[PACO_N_DENSITIES][PACO_N_CONTEXTS])
{
  for (unsigned d = 0; d < PACO_N_DENSITIES; d++)
    for (unsigned c = 0; c < PACO_N_CONTEXTS; c++)
      p[d][c] = shrink (counts[d][c], 0.5);
  for (unsigned i = 0; i < N_SPREADS; i++) {
    double before[PACO_N_DENSITIES][PACO_N_CONTEXTS];

    memcpy (before, p, sizeof before);
    for (unsigned d = 0; d < PACO_N_DENSITIES; d++)
      for (unsigned c = 0; c < PACO_N_CONTEXTS; c++)
        p[d][c] = shrink (counts[d][c], neighbor_mean (before, d, c));
  }
}

static uint8_t
to_byte (double p)
{
  return CLAMP (lrint (256.0 * p), 1, 255);
}

/* Sums the rows of one orientation (or all, kind = N_KINDS) over planes. */
static void
pool (const SymbolWeights *weights, unsigned kind, Table counts)
{
  memset (counts, 0, sizeof (Table));
  for (unsigned row = 0; row < PACO_N_ROWS; row++) {
    unsigned d = row % PACO_N_DENSITIES;

    if (kind < N_KINDS && row / (PACO_N_LOW_PLANES * PACO_N_DENSITIES) != kind)
      continue;
    for (unsigned c = 0; c < PACO_N_CONTEXTS; c++)
      for (unsigned bit = 0; bit < 2; bit++)
        counts[d][c][bit] += weights->n[row][c][bit];
  }
}

void
estimate_probabilities (const SymbolWeights *weights, PacoProbabilitySet *set)
{
  double coarse[PACO_N_DENSITIES][PACO_N_CONTEXTS];
  Table counts;

  pool (weights, N_KINDS, counts);
  spread (counts, coarse);
  for (unsigned kind = 0; kind < N_KINDS; kind++) {
    pool (weights, kind, counts);
    for (unsigned plane = 0; plane < PACO_N_LOW_PLANES; plane++) {
      for (unsigned d = 0; d < PACO_N_DENSITIES; d++) {
        unsigned row = (kind * PACO_N_LOW_PLANES + plane) * PACO_N_DENSITIES
            + d;

        for (unsigned c = 0; c < PACO_N_CONTEXTS; c++) {
          double prior = shrink (counts[d][c], coarse[d][c]);

          set->p[row][c] = to_byte (shrink (weights->n[row][c], prior));
        }
      }
    }
  }
}

double
ideal_bits (const PacoReferenceCounts *counts, const PacoProbabilitySet *set)
{
  double bits = counts->raw_bits;

  for (unsigned row = 0; row < PACO_N_ROWS; row++) {
    for (unsigned c = 0; c < PACO_N_CONTEXTS; c++) {
      double p = set->p[row][c] / 256.0;

      bits -= counts->symbols[row][c][0] * log2 (p)
          + counts->symbols[row][c][1] * log2 (1.0 - p);
    }
  }
  return bits;
}
