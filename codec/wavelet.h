/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What follows from a wavelet's lifting steps (lifting.h): the norms of its
 * subbands, the gain of a picture at a part of its size, and how far a coefficient
 * shows. policy.c, areas.c, the transforms and libpaco's regions ask. */
#pragma once
#include "codec/lifting.h"

typedef enum
{
  PACO_ORIENTATION_LL,
  PACO_ORIENTATION_HL, /* high-pass horizontally */
  PACO_ORIENTATION_LH,
  PACO_ORIENTATION_HH,
} PacoOrientation;

/* The LL subband of level `levels` is multiplied by this number, kappa^(-2 levels), to
 * become the picture at 1/2^levels of its size (FORMAT.md section 10). It is 1 for
 * reversible wavelets. */
float paco_wavelet_reduced_gain (PacoWaveletId wavelet, unsigned levels);

/* Returns how many coefficients on either side of a sample's place in a subband have
 * an influence on the sample, at most. An inverse filtering reaches over half of
 * paco_wavelet_reach() in coefficients of its level, and the filterings of all finer
 * levels together reach over as much. */
static inline unsigned
paco_wavelet_shown_reach (PacoWaveletId wavelet)
{
  return paco_wavelet_reach (&paco_wavelets[wavelet]);
}

/* Returns the L2 norm of the synthesis basis of a subband: how much an error of 1 in
 * one of its coefficients changes the picture. level is 1..8, and for LL the number
 * of levels; 0 gives 1. */
double paco_wavelet_norm (
    PacoWaveletId wavelet, unsigned level, PacoOrientation orientation);

/* Does or undoes step k of a line of n samples in real numbers, without the rounding of
 * reversible wavelets. */
void paco_wavelet_lift (
    const PacoWavelet *wavelet, unsigned k, bool undo, double *x, unsigned n);

/* The index of the sample that is read in the place of x[i], of n: i is mirrored at
 * 0 and n - 1 until it is inside. */
static inline int64_t
paco_lifting_mirror (int64_t i, int64_t n)
{
  if (n == 1)
    return 0;
  while (i < 0 || i >= n)
    i = i < 0 ? -i : 2 * (n - 1) - i;
  return i;
}
