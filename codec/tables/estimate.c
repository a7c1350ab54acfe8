/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Probabilities from counts, also where little or nothing was counted.
 *
 * A set has 10560 probabilities, and many rows are rare: dense blocks at high
 * planes, contexts of many neighbors in sparse blocks. Each estimate is
 * therefore drawn towards a coarser one that has more to go by, as if a few
 * symbols of the coarser kind had been counted with it:
 *
 *   density and context < orientation too < lowest planes too
 *
 * and the coarsest towards its neighbors among densities and contexts, so that
 * even what no picture shows gets a sensible value. The sets of a family are drawn
 * towards what all of its blocks have in common. */
#include "codec/tables/estimate.h"
#include <math.h>
#include <string.h>

#define N_PLACES (PACO_N_ROWS * PACO_N_CONTEXTS)
#define PSEUDO_COUNT 300.0
#define SPECIAL_PSEUDO_COUNT 400.0
/* In N_SPREADS rounds the coarsest estimates spread to their neighbors. */
#define N_SPREADS 32

typedef double Table[PACO_N_DENSITIES][PACO_N_CONTEXTS][2];

void
symbol_weights_add (
    SymbolWeights *weights, const CountedBlock *block, double weight)
{
  for (uint32_t i = 0; i < block->n_counts; i++) {
    const SymbolCount *count = &block->counts[i];

    weights->n[count->place][0] += weight * count->n[0];
    weights->n[count->place][1] += weight * count->n[1];
  }
}

/* Probability of a 0: counted, with a prior that weighs pseudo_count. */
static double
shrink (const double n[2], double prior, double pseudo_count)
{
  return (n[0] + pseudo_count * prior) / (n[0] + n[1] + pseudo_count);
}

static bool
same_group (unsigned a, unsigned b)
{
  return (a < PACO_REFINEMENT_CONTEXT) == (b < PACO_REFINEMENT_CONTEXT)
      && (a < PACO_SIGN_CONTEXT) == (b < PACO_SIGN_CONTEXT);
}

/* Mean of the estimates next to (density, context): the densities before and
 * after, and, but for signs and stripes, whose contexts have no order, the
 * contexts. */
static double
neighbor_mean (double p[PACO_N_DENSITIES][PACO_N_CONTEXTS], unsigned density,
    unsigned context)
{
  double sum = 0.0;
  unsigned n = 0;

  /* Density 0, without a significant coefficient, belongs behind 15, the sparsest
   * one. */
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
      p[d][c] = shrink (counts[d][c], 0.5, PSEUDO_COUNT);
  for (unsigned i = 0; i < N_SPREADS; i++) {
    double before[PACO_N_DENSITIES][PACO_N_CONTEXTS];

    memcpy (before, p, sizeof before);
    for (unsigned d = 0; d < PACO_N_DENSITIES; d++)
      for (unsigned c = 0; c < PACO_N_CONTEXTS; c++)
        p[d][c] = shrink (
            counts[d][c], neighbor_mean (before, d, c), PSEUDO_COUNT);
  }
}

/* Sums the rows of one kind (or all, kind = PACO_N_KINDS) over planes. */
static void
pool (const SymbolWeights *weights, unsigned kind, Table counts)
{
  memset (counts, 0, sizeof (Table));
  for (unsigned row = 0; row < PACO_N_ROWS; row++) {
    unsigned d = row % PACO_N_DENSITIES;

    if (kind < PACO_N_KINDS
        && row / (PACO_N_LOW_PLANES * PACO_N_DENSITIES) != kind)
      continue;
    for (unsigned c = 0; c < PACO_N_CONTEXTS; c++)
      for (unsigned bit = 0; bit < 2; bit++)
        counts[d][c][bit] += weights->n[row * PACO_N_CONTEXTS + c][bit];
  }
}

void
estimate_common (const SymbolWeights *weights, Probabilities *common)
{
  double coarse[PACO_N_DENSITIES][PACO_N_CONTEXTS];
  Table counts;

  pool (weights, PACO_N_KINDS, counts);
  spread (counts, coarse);
  for (unsigned kind = 0; kind < PACO_N_KINDS; kind++) {
    pool (weights, kind, counts);
    for (unsigned plane = 0; plane < PACO_N_LOW_PLANES; plane++) {
      for (unsigned d = 0; d < PACO_N_DENSITIES; d++) {
        unsigned row = (kind * PACO_N_LOW_PLANES + plane) * PACO_N_DENSITIES
            + d;

        for (unsigned c = 0; c < PACO_N_CONTEXTS; c++) {
          unsigned place = row * PACO_N_CONTEXTS + c;
          double prior = shrink (counts[d][c], coarse[d][c], PSEUDO_COUNT);

          common->p[place] = shrink (weights->n[place], prior, PSEUDO_COUNT);
        }
      }
    }
  }
}

void
estimate_special (const SymbolWeights *weights, const Probabilities *common,
    Probabilities *special)
{
  for (unsigned i = 0; i < N_PLACES; i++)
    special->p[i] = shrink (weights->n[i], common->p[i], SPECIAL_PSEUDO_COUNT);
}

void
to_set (const Probabilities *probabilities, PacoProbabilitySet *set)
{
  for (unsigned i = 0; i < N_PLACES; i++)
    set->p[i / PACO_N_CONTEXTS][i % PACO_N_CONTEXTS] = (uint8_t) CLAMP (
        lrint (256.0 * probabilities->p[i]), 1, 255);
}

void
to_bits (const PacoProbabilitySet *set, SymbolBits *bits)
{
  for (unsigned i = 0; i < N_PLACES; i++) {
    double p = set->p[i / PACO_N_CONTEXTS][i % PACO_N_CONTEXTS] / 256.0;

    bits->bits[i][0] = (float) -log2 (p);
    bits->bits[i][1] = (float) -log2 (1.0 - p);
  }
}

double
ideal_bits (const CountedBlock *block, const SymbolBits *bits)
{
  double sum = block->raw_bits;

  for (uint32_t i = 0; i < block->n_counts; i++) {
    const SymbolCount *count = &block->counts[i];
    const float *of = bits->bits[count->place];

    sum += (double) (count->n[0] * of[0]) + (double) (count->n[1] * of[1]);
  }
  return sum;
}
