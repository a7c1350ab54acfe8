/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Probabilities from counts. */
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

/* The set of all blocks of a family. */
void estimate_common (const SymbolWeights *weights, Probabilities *common);

/* The set of some of them: drawn towards the common one. */
void estimate_special (const SymbolWeights *weights,
    const Probabilities *common, Probabilities *special);

void to_set (const Probabilities *probabilities, PacoProbabilitySet *set);

/* Bits of a 0 and a 1 with the probabilities of a set. */
typedef struct
{
  float bits[PACO_N_ROWS * PACO_N_CONTEXTS][2];
} SymbolBits;

void to_bits (const PacoProbabilitySet *set, SymbolBits *bits);

/* Bits that the block would take without any loss to codewords. */
double ideal_bits (const CountedBlock *block, const SymbolBits *bits);
