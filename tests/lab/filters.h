/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Describes wavelets as pairs of filters, the way papers 002 and 003 compute
 * them: for vertical.c and multicore.c. */
#pragma once
#include "codec/wavelet.h"

#define LAB_MAX_TAPS 9

/* Output i of a line is, in the low half, the sum of low[k] * x[2i + first + k]
 * over the n taps, and with high[k] in the high half. Taps that are 0 are not
 * computed. */
typedef struct
{
  int first;
  int n;
  /* Samples outside of a line are those of its other end, or else mirror
   * images. */
  bool periodic;
  float low[LAB_MAX_TAPS], high[LAB_MAX_TAPS];
} LabFilter;

/* This is Daubechies' wavelet of four coefficients, (1 -+ sqrt 3) / (4 sqrt 2)
 * and (3 -+ sqrt 3) / (4 sqrt 2), in the order of paper 002, figure 6. */
static const LabFilter lab_daub4 = {
  0,
  4,
  true,
  { -0.12940952f, 0.22414387f, 0.83651630f, 0.48296291f },
  { -0.48296291f, 0.83651630f, -0.22414387f, -0.12940952f },
};

/* This is Cohen, Daubechies and Feauveau's 9/7, h[n] and g[n] of paper 003,
 * section I.A, with more digits. The codec's lifting steps (codec/lifting.h)
 * give kappa times the low half and 1 / kappa times the high half of it. */
static const LabFilter lab_cdf97 = {
  -4,
  9,
  false,
  { 0.026748757f, -0.016864118f, -0.078223267f, 0.26686412f, 0.60294902f,
      0.26686412f, -0.078223267f, -0.016864118f, 0.026748757f },
  { 0, 0, 0.091271763f, -0.057543526f, -0.59127176f, 1.1150871f, -0.59127176f,
      -0.057543526f, 0.091271763f },
};

/* Returns the index of the sample that stands for x[i], of n. */
static inline int64_t
lab_filter_sample (const LabFilter *filter, int64_t i, int64_t n)
{
  return filter->periodic ? (i % n + n) % n : paco_lifting_mirror (i, n);
}
