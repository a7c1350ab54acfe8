/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Estimates probabilities from counts of symbols, for train.c. */
#pragma once
#include "codec/probability.h"
#include "codec/tables/count.h"

/* Weighted counts of symbols. */
typedef struct
{
  double n[PACO_N_ROWS * PACO_N_CONTEXTS][2];
} SymbolWeights;

void symbol_weights_add (
    SymbolWeights *weights, const CountedBlock *block, double weight);

/* Probabilities of a 0. */
typedef struct
{
  double p[PACO_N_ROWS * PACO_N_CONTEXTS];
} Probabilities;

/* Estimates the probabilities of all blocks of a family together. */
void estimate_common (const SymbolWeights *weights, Probabilities *common);

/* Estimates those of some of the blocks, drawn towards the common ones. */
void estimate_special (const SymbolWeights *weights,
    const Probabilities *common, Probabilities *special);

void to_set (const Probabilities *probabilities, PacoProbabilitySet *set);

/* How many bits a 0 and a 1 take with the probabilities of a set. */
typedef struct
{
  float bits[PACO_N_ROWS * PACO_N_CONTEXTS][2];
} SymbolBits;

void to_bits (const PacoProbabilitySet *set, SymbolBits *bits);

/* Returns how many bits the block would take if codewords wasted none. */
double ideal_bits (const CountedBlock *block, const SymbolBits *bits);
