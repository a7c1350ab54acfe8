/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The wavelets as data: rows of lifting steps (FORMAT.md section 5). A further
 * wavelet is one more row of paco_wavelets. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define PACO_MAX_LEVELS 8
#define PACO_MAX_LIFTING_STEPS 4

typedef enum
{
  PACO_WAVELET_CDF53, /* reversible, 32-bit integers */
  PACO_WAVELET_CDF97, /* binary32 */
  PACO_N_WAVELETS
} PacoWaveletId;

typedef enum
{
  PACO_ORIENTATION_LL,
  PACO_ORIENTATION_HL, /* high-pass horizontally */
  PACO_ORIENTATION_LH,
  PACO_ORIENTATION_HH,
} PacoOrientation;

/* Forward, with s = x[i-1] + x[i+1]. Steps alternate: odd, even, odd, ...
 *   reversible:  x[i] += (multiplier * s + offset) >> shift
 *   otherwise:   x[i]  = fmaf (coefficient, s, x[i]) */
typedef struct
{
  int multiplier, offset, shift;
  float coefficient;
} PacoLiftingStep;

typedef struct
{
  const char *name;
  bool reversible;
  unsigned n_steps;
  PacoLiftingStep steps[PACO_MAX_LIFTING_STEPS];
  float low_gain;         /* DC gain of the low half per filtering, kappa */
  float low_gain_inverse; /* the binary32 nearest to 1 / kappa */
} PacoWavelet;

extern const PacoWavelet paco_wavelets[PACO_N_WAVELETS];

/* What the LL subband of level `levels` is multiplied by to be the picture at
 * 1/2^levels of its size (FORMAT.md section 10): kappa^(-2 levels). */
float paco_wavelet_reduced_gain (PacoWaveletId wavelet, unsigned levels);

/* L2 norm of the synthesis basis of a subband, level 1..8 (for LL, the number
 * of levels; 0 gives 1): what an error of 1 in a coefficient of it weighs in the
 * picture. */
double paco_wavelet_norm (
    PacoWaveletId wavelet, unsigned level, PacoOrientation orientation);
