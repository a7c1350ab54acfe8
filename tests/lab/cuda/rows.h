/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Declares the parameters of the kernels of rows.cu, and the wavelets that they
 * know: those of codec/lifting.h and the laboratory's own. C and CUDA include it. */
#pragma once
#include "codec/lifting.h"

/* The laboratory's own wavelets have the numbers after those of PacoWaveletId. */
enum
{
  LAB_HAAR = PACO_N_WAVELETS,
  LAB_DD97,
  LAB_FIDELITY,
  LAB_DAUBECHIES97_INTEGER,
  LAB_N_WAVELETS
};

#define LAB_MAX_STEPS 4
#define LAB_MAX_TAPS 4
#define LAB_MAX_REACH 14 /* Fidelity's, which is the largest lab_reach(). */

/* A step is one of PacoLiftingStep with room for more taps. */
typedef struct
{
  unsigned n_taps;
  float taps[LAB_MAX_TAPS];
  int offset, shift;
} LabStepRow;

/* A wavelet is one of PacoWavelet which may be paired, may have idle steps, and
 * whose low half may grow though it is reversible. */
typedef struct
{
  const char *name;
  bool reversible;
  /* Each step has one tap and reads the other sample of the pair x[2k], x[2k+1]:
   * s[0] is twice that sample. An even sample at the end of a line stays. */
  bool paired;
  unsigned n_steps;
  LabStepRow steps[LAB_MAX_STEPS];
  double low_gain;
} LabWavelet;

/* An idle step changes nothing. A wavelet that begins with the even samples has one
 * as its first step. */
#define LAB_IDLE_STEP                                                          \
  {                                                                            \
    1, { 0 }, 0, 0                                                             \
  }

/* The rows from LAB_HAAR on. */
PACO_CONSTANT LabWavelet lab_own_wavelets[LAB_N_WAVELETS - PACO_N_WAVELETS] = {
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
          LAB_IDLE_STEP,
          { 4, { 161, -46, 21, -8 }, 128, 8 },
          { 4, { -81, 25, -10, 2 }, 127, 8 },
          LAB_IDLE_STEP,
      },
      2.0 },
  /* Daubechies 9/7 of Dirac (wavelet index 6): the taps of cdf97 times 4096,
       * rounded; 0.443506852 * 4096 is 1816.6, and so on. Dirac subtracts (6497 s +
       * 2048) >> 12; the offset of 2047 with the taps' signs turned round gives the
       * same number. */
  { "daubechies97", true, false, 4,
      {
          { 1, { -6497 }, 2047, 12 },
          { 1, { -217 }, 2047, 12 },
          { 1, { 3616 }, 2048, 12 },
          { 1, { 1817 }, 2048, 12 },
      },
      1.0 },
};

/* Returns the row of a wavelet, below LAB_N_WAVELETS. */
PACO_CONSTANT_FUNCTION LabWavelet
lab_wavelet (unsigned wavelet)
{
  LabWavelet row = lab_own_wavelets[0];

  if (wavelet >= PACO_N_WAVELETS)
    return lab_own_wavelets[wavelet - PACO_N_WAVELETS];
  row.name = paco_wavelets[wavelet].name;
  row.reversible = paco_wavelets[wavelet].reversible;
  row.paired = false;
  row.n_steps = paco_wavelets[wavelet].n_steps;
  row.low_gain = paco_wavelets[wavelet].low_gain;
  for (unsigned k = 0; k < row.n_steps; k++) {
    row.steps[k].n_taps = paco_wavelets[wavelet].steps[k].n_taps;
    row.steps[k].offset = paco_wavelets[wavelet].steps[k].offset;
    row.steps[k].shift = paco_wavelets[wavelet].steps[k].shift;
    for (unsigned t = 0; t < row.steps[k].n_taps; t++)
      row.steps[k].taps[t] = paco_wavelets[wavelet].steps[k].taps[t];
  }
  return row;
}

PACO_CONSTANT_FUNCTION bool
lab_step_is_idle (const LabStepRow *step)
{
  return step->n_taps == 1 && step->taps[0] == 0;
}

/* Returns how far from x[i] the farthest sample lies that a step reads. */
PACO_CONSTANT_FUNCTION unsigned
lab_step_reach (const LabStepRow *step)
{
  return 2 * step->n_taps - 1;
}

/* Returns how far from a sample the farthest one lies that its filtering, or the
 * undoing of it, reads. */
PACO_CONSTANT_FUNCTION unsigned
lab_reach (const LabWavelet *wavelet)
{
  unsigned reach = 0;

  for (unsigned k = 0; k < wavelet->n_steps; k++)
    if (!lab_step_is_idle (&wavelet->steps[k]))
      reach += lab_step_reach (&wavelet->steps[k]);
  return wavelet->paired ? 1 : reach;
}

/* A launch filters lines along one dimension of an array. There are n_lines side by
 * side, n_planes times; a line has n samples. The distances between samples, lines
 * and planes count elements. Behind a forward kernel the low half of a line comes
 * first, but where a kernel says that it leaves them interleaved. */
typedef struct
{
  uint64_t from,
      to; /* addresses; the same ones where a kernel works in place */
  uint32_t n, n_lines, n_planes;
  uint32_t sample, line, plane;
  /* This is for the sliding window: log2 of the words of 4 bytes that a line of
   * its window has. */
  uint32_t words_log2;
  /* With a thread a pair, neighboring threads have neighboring lines, or else
   * pairs. */
  uint32_t across;
} LabLines;

/* A block has at most so many threads; with the sliding window 2 to 32 lines of
 * them. */
#define LAB_LINE_THREADS 256
#define LAB_PAIR_THREADS 128
#define LAB_SLIDING_THREADS 512

/* A tile of the convolution down columns has so many columns and results. */
#define LAB_TILE_COLUMNS 32
#define LAB_TILE_PAIRS 32
#define LAB_TILE_THREADS 256

/* A transposition takes a square of elements. */
#define LAB_TRANSPOSE_SIDE 32
#define LAB_TRANSPOSE_THREADS 256

/* A half of a line has so many mirror images on either side of it in shared
 * memory. No step has more taps. */
#define LAB_BORDER LAB_MAX_TAPS

/* Filters of convolution have at most so many taps on either side of the middle. */
#define LAB_MAX_FILTER_REACH LAB_MAX_REACH

/* The sliding window has this bound. In the words of van der Laan et al.
 * (section IV-F): overlap, the lines that still go through at least one step;
 * top, those above that later steps read; bottom, those below that the first
 * step reads. How long they are for a wavelet and a direction follows from its
 * steps (rows_sliding.cuh); the host needs no more than this bound. */
#define LAB_WINDOW_LINES(height) ((height) + 3 * (2 * LAB_MAX_TAPS - 1))

/* The horizontal step needs so many elements of shared memory for a line of
 * n. */
#define LAB_LINE_ELEMENTS(n) ((n) + 4 * LAB_BORDER + 2)
