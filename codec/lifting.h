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
#define PACO_MAX_LIFTING_TAPS 4
#define PACO_MAX_LIFTING_REACH 14 /* of paco_wavelet_reach() */

typedef enum
{
  PACO_WAVELET_CDF53,
  PACO_WAVELET_CDF97,
  PACO_WAVELET_DD137,
  PACO_WAVELET_HAAR,
  PACO_WAVELET_DD97,
  PACO_WAVELET_FIDELITY,
  PACO_N_WAVELETS
} PacoWaveletId;

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
  bool reversible; /* 32-bit integers, else binary32 */
  /* Each step has one tap and reads only the other sample of the pair x[2k], x[2k+1]:
   * s[0] is twice that. An even sample at the end of a line has no partner and stays.
   * If not paired, samples outside of a line are mirrored ones. */
  bool paired;
  unsigned n_steps;
  PacoLiftingStep steps[PACO_MAX_LIFTING_STEPS];
  /* The DC gain kappa of the low half per filtering. Arithmetic in binary32 takes the
   * numbers nearest to it and to its reciprocal. If reversible it is 1 or 2. */
  double low_gain;
} PacoWavelet;

/* A step that changes nothing, for a wavelet that begins with the even samples or ends
 * with the odd ones. */
#define PACO_IDLE_STEP                                                         \
  {                                                                            \
    1, { 0 }, 0, 0                                                             \
  }

/* Rows stand in the order of PacoWaveletId. There are no designators, which C++ does
 * not have. */
PACO_CONSTANT PacoWavelet paco_wavelets[PACO_N_WAVELETS] = {
  { "cdf53", true, false, 2,
      {
          { 1, { -1 }, 1, 1 },
          { 1, { 1 }, 2, 2 },
      },
      1.0 },
  { "cdf97", false, false, 4,
      {
          { 1, { -1.586134342f }, 0, 0 },
          { 1, { -0.052980118f }, 0, 0 },
          { 1, { 0.882911075f }, 0, 0 },
          { 1, { 0.443506852f }, 0, 0 },
      },
      1.230174105 },
  /* Deslauriers-Dubuc 13/7, 13/7-T of Adams and Kossentini (IEEE TIP 9(6)
   * 2000): the mean of the two nearest samples becomes a cubic through four. */
  { "dd137", true, false, 2,
      {
          { 2, { -9, 1 }, 7, 4 },
          { 2, { 9, -1 }, 16, 5 },
      },
      1.0 },
  /* The steps of 5/3, with twice the nearer of two samples in place of both: a
   * difference, and the half of it. */
  { "haar", true, true, 2,
      {
          { 1, { -1 }, 1, 1 },
          { 1, { 1 }, 2, 2 },
      },
      1.0 },
  /* Deslauriers-Dubuc 9/7: it predicts as 13/7 and updates as 5/3. */
  { "dd97", true, false, 2,
      {
          { 2, { -9, 1 }, 7, 4 },
          { 1, { 1 }, 2, 2 },
      },
      1.0 },
  /* The Fidelity filter of Dirac (SMPTE ST 2042-1, wavelet index 5): first the
   * even samples become a half-band low-pass. */
  { "fidelity", true, false, 4,
      {
          PACO_IDLE_STEP,
          { 4, { 161, -46, 21, -8 }, 128, 8 },
          { 4, { -81, 25, -10, 2 }, 127, 8 },
          PACO_IDLE_STEP,
      },
      2.0 },
};

/* Returns how far from x[i] the farthest sample lies that a step reads. */
PACO_CONSTANT_FUNCTION unsigned
paco_lifting_step_reach (const PacoLiftingStep *step)
{
  return 2 * step->n_taps - 1;
}

PACO_CONSTANT_FUNCTION bool
paco_lifting_step_is_idle (const PacoLiftingStep *step)
{
  return step->n_taps == 1 && step->taps[0] == 0;
}

/* Returns the sum of the reaches of all steps, idle ones included. A window in which
 * each step follows the one before has so many lines. It is even. */
PACO_CONSTANT_FUNCTION unsigned
paco_wavelet_window (const PacoWavelet *wavelet)
{
  unsigned reach = 0;

  for (unsigned k = 0; k < wavelet->n_steps; k++)
    reach += paco_lifting_step_reach (&wavelet->steps[k]);
  return reach;
}

/* Returns how far from a sample the farthest one lies that its filtering, or the
 * undoing of it, reads: 1 with Haar, 2 with 5/3, 4 with both 9/7, 6 with 13/7, 14
 * with Fidelity. */
PACO_CONSTANT_FUNCTION unsigned
paco_wavelet_reach (const PacoWavelet *wavelet)
{
  unsigned reach = 0;

  for (unsigned k = 0; k < wavelet->n_steps; k++)
    if (!paco_lifting_step_is_idle (&wavelet->steps[k]))
      reach += paco_lifting_step_reach (&wavelet->steps[k]);
  return wavelet->paired ? 1 : reach;
}

/* log2 of the low half's gain of a reversible wavelet: 0 or 1. */
PACO_CONSTANT_FUNCTION unsigned
paco_wavelet_gain_bits (const PacoWavelet *wavelet)
{
  return wavelet->reversible && wavelet->low_gain > 1.0 ? 1 : 0;
}
