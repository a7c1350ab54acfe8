/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What a wavelet is: a row of lifting steps (FORMAT.md section 5). C and CUDA
 * both include this table, and all else follows from it: filters, reach, gains,
 * norms, bounds of coefficients. A further wavelet is one more row. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
#define PACO_CONSTANT static constexpr
#define PACO_CONSTANT_FUNCTION static constexpr
#else
#define PACO_CONSTANT static const
#define PACO_CONSTANT_FUNCTION static inline
#endif

#define PACO_MAX_LEVELS 8
#define PACO_MAX_LIFTING_STEPS 4
#define PACO_MAX_LIFTING_TAPS 2
#define PACO_MAX_LIFTING_REACH 6 /* 13/7 has it: paco_wavelet_reach(). */

typedef enum
{
  PACO_WAVELET_CDF53,
  PACO_WAVELET_CDF97,
  PACO_WAVELET_DD137,
  PACO_N_WAVELETS
} PacoWaveletId;

/* Numbers up to this one, from PACO_N_WAVELETS on, are reserved (FORMAT.md). */
#define PACO_LAST_RESERVED_WAVELET 6

/* One lifting step forward. Steps alternate: odd samples, even ones, odd, ...
 * With the sums s[t] = x[i-1-2t] + x[i+1+2t], n_taps of them:
 *   reversible:  x[i] += (taps[0] * s[0] + taps[1] * s[1] + ... + offset) >> shift
 *   otherwise:   x[i]  = fmaf (taps[0], s[0], x[i])
 * Taps of a reversible wavelet are integers. */
typedef struct
{
  unsigned n_taps;
  float taps[PACO_MAX_LIFTING_TAPS];
  int offset, shift; /* 0 if not reversible */
} PacoLiftingStep;

typedef struct
{
  const char *name;
  bool reversible;  /* 32-bit integers, else binary32 */
  unsigned n_steps; /* an even number */
  PacoLiftingStep steps[PACO_MAX_LIFTING_STEPS];
  /* The DC gain kappa of the low half per filtering. Arithmetic in binary32 takes the
   * numbers nearest to it and to its reciprocal. If reversible it is 1. */
  double low_gain;
} PacoWavelet;

/* Rows stand in the order of PacoWaveletId. There are no designators, which C++ does
 * not have. */
PACO_CONSTANT PacoWavelet paco_wavelets[PACO_N_WAVELETS] = {
  { "cdf53", true, 2,
      {
          { 1, { -1 }, 1, 1 },
          { 1, { 1 }, 2, 2 },
      },
      1.0 },
  { "cdf97", false, 4,
      {
          { 1, { -1.586134342f }, 0, 0 },
          { 1, { -0.052980118f }, 0, 0 },
          { 1, { 0.882911075f }, 0, 0 },
          { 1, { 0.443506852f }, 0, 0 },
      },
      1.230174105 },
  /* Deslauriers-Dubuc 13/7, 13/7-T of Adams and Kossentini (IEEE TIP 9(6)
   * 2000): the mean of the two nearest samples becomes a cubic through four. */
  { "dd137", true, 2,
      {
          { 2, { -9, 1 }, 7, 4 },
          { 2, { 9, -1 }, 16, 5 },
      },
      1.0 },
};

/* Returns how far from x[i] the farthest sample lies that a step reads. */
PACO_CONSTANT_FUNCTION unsigned
paco_lifting_step_reach (const PacoLiftingStep *step)
{
  return 2 * step->n_taps - 1;
}

/* Returns how far from a sample the farthest one lies that its filtering, or the
 * undoing of it, reads: the sum of the reaches of all steps, an even number. It is 2
 * with 5/3, 4 with 9/7 and 6 with 13/7. */
PACO_CONSTANT_FUNCTION unsigned
paco_wavelet_reach (const PacoWavelet *wavelet)
{
  unsigned reach = 0;

  for (unsigned k = 0; k < wavelet->n_steps; k++)
    reach += paco_lifting_step_reach (&wavelet->steps[k]);
  return reach;
}
