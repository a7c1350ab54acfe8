/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Lists the kernels of rows.cu, which makes them, and makes the emulation's
 * table of them; rows_methods.c finds them by their names. K (name, threads,
 * call). */
#pragma once
#include "tests/lab/cuda/rows_convolution.cuh"
#include "tests/lab/cuda/rows_horizontal.cuh"
#include "tests/lab/cuda/rows_pairs.cuh"
#include "tests/lab/cuda/rows_sliding.cuh"
#include "tests/lab/cuda/rows_transpose.cuh"

/* Names are rows_<method>_<wavelet>_<element>_<direction>. */
#define LAB_LIFTING_DIRECTION(                                                 \
    K, wavelet, ID, element, Element, direction, UNDO)                         \
  K (rows_horizontal_##wavelet##_##element##_##direction, LAB_LINE_THREADS,    \
      (filter_whole_line<ID, Element, UNDO, true>) )                           \
  K (rows_columns_##wavelet##_##element##_##direction, LAB_LINE_THREADS,       \
      (filter_whole_line<ID, Element, UNDO, false>) )                          \
  K (rows_sliding_##wavelet##_##element##_##direction, LAB_SLIDING_THREADS,    \
      (slide_down<ID, Element, UNDO>) )                                        \
  K (rows_pairs_##wavelet##_##element##_##direction, LAB_PAIR_THREADS,         \
      (filter_pair_alone<ID, Element, UNDO>) )
#define LAB_LIFTING(K, wavelet, ID, element, Element)                          \
  LAB_LIFTING_DIRECTION (K, wavelet, ID, element, Element, forward, false)     \
  LAB_LIFTING_DIRECTION (K, wavelet, ID, element, Element, inverse, true)
#define LAB_INTEGER_LIFTING(K, wavelet, ID)                                    \
  LAB_LIFTING (K, wavelet, ID, 16, int16_t)                                    \
  LAB_LIFTING (K, wavelet, ID, 32, int32_t)

#define LAB_CONVOLUTION_DIRECTION(K, wavelet, ID, direction, UNDO)             \
  K (rows_convolution_rows_##wavelet##_##direction, LAB_LINE_THREADS,          \
      (convolve_row<ID, UNDO>) )                                               \
  K (rows_convolution_columns_##wavelet##_##direction, LAB_TILE_THREADS,       \
      (convolve_columns<ID, UNDO>) )
#define LAB_CONVOLUTION(K, wavelet, ID)                                        \
  LAB_CONVOLUTION_DIRECTION (K, wavelet, ID, forward, false)                   \
  LAB_CONVOLUTION_DIRECTION (K, wavelet, ID, inverse, true)

#define LAB_ROWS_KERNELS(K)                                                    \
  LAB_INTEGER_LIFTING (K, cdf53, PACO_WAVELET_CDF53)                           \
  LAB_LIFTING (K, cdf97, PACO_WAVELET_CDF97, 32, float)                        \
  LAB_INTEGER_LIFTING (K, dd137, PACO_WAVELET_DD137)                           \
  LAB_INTEGER_LIFTING (K, haar, LAB_HAAR)                                      \
  LAB_INTEGER_LIFTING (K, dd97, LAB_DD97)                                      \
  LAB_INTEGER_LIFTING (K, fidelity, LAB_FIDELITY)                              \
  LAB_INTEGER_LIFTING (K, daubechies97, LAB_DAUBECHIES97_INTEGER)              \
  LAB_CONVOLUTION (K, cdf53, PACO_WAVELET_CDF53)                               \
  LAB_CONVOLUTION (K, cdf97, PACO_WAVELET_CDF97)                               \
  LAB_CONVOLUTION (K, dd137, PACO_WAVELET_DD137)                               \
  LAB_CONVOLUTION (K, haar, LAB_HAAR)                                          \
  LAB_CONVOLUTION (K, dd97, LAB_DD97)                                          \
  LAB_CONVOLUTION (K, fidelity, LAB_FIDELITY)                                  \
  K (rows_transpose_16, LAB_TRANSPOSE_THREADS, (transpose<int16_t>) )          \
  K (rows_transpose_32, LAB_TRANSPOSE_THREADS, (transpose<int32_t>) )
