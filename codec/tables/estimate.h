/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Probabilities from counts. */
#pragma once
#include "codec/probability.h"
#include "codec/reference/reference.h"

/* Weighted counts of symbols, as in PacoReferenceCounts. */
typedef struct
{
  double n[PACO_N_ROWS][PACO_N_CONTEXTS][2];
} SymbolWeights;

void symbol_weights_add (
    SymbolWeights *weights, const PacoReferenceCounts *counts, double weight);

void estimate_probabilities (
    const SymbolWeights *weights, PacoProbabilitySet *set);

/* Bits that the coder would need without any loss to codewords. */
double ideal_bits (
    const PacoReferenceCounts *counts, const PacoProbabilitySet *set);
