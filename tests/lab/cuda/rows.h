/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Declares what the kernels of rows.cu are told, and the wavelets that they
 * know: those of codec/lifting.h and one of the laboratory's own. C and CUDA
 * include it. */
#pragma once
#include "codec/lifting.h"

/* The wavelets are PacoWaveletId and, behind them, the integer approximation of
 * Daubechies 9/7. */
#define LAB_DAUBECHIES97_INTEGER PACO_N_WAVELETS
#define LAB_N_WAVELETS (PACO_N_WAVELETS + 1)

/* Daubechies 9/7 of Dirac (SMPTE ST 2042-1, wavelet index 6): the taps of cdf97
 * times 4096, rounded; 0.443506852 * 4096 is 1816.6, and so on. Dirac subtracts
 * (6497 s + 2048) >> 12; the offset of 2047 with the taps' signs turned round gives
 * the same number. */
PACO_CONSTANT PacoWavelet lab_daubechies97_integer = { "daubechies97", true,
  false, 4,
  {
      { 1, { -6497 }, 2047, 12 },
      { 1, { -217 }, 2047, 12 },
      { 1, { 3616 }, 2048, 12 },
      { 1, { 1817 }, 2048, 12 },
  },
  1.0 };

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
#define LAB_BORDER PACO_MAX_LIFTING_TAPS

/* Filters of convolution have at most so many taps on either side of the middle. */
#define LAB_MAX_FILTER_REACH PACO_MAX_LIFTING_REACH

/* The sliding window has this bound. In the words of van der Laan et al.
 * (section IV-F): overlap, the lines that still go through at least one step;
 * top, those above that later steps read; bottom, those below that the first
 * step reads. How long they are for a wavelet and a direction follows from its
 * steps (rows_sliding.cuh); the host needs no more than this bound. */
#define LAB_WINDOW_LINES(height)                                               \
  ((height) + 3 * (2 * PACO_MAX_LIFTING_TAPS - 1))

/* The horizontal step needs so many elements of shared memory for a line of
 * n. */
#define LAB_LINE_ELEMENTS(n) ((n) + 4 * LAB_BORDER + 2)
