/* SPDX-License-Identifier: LGPL-2.1-or-later
 * How the kernels of dwt.cu and dwt_further.cu are made of a wavelet's row, and
 * what they are called: gpu/dwt.c finds them by their names. */
#pragma once
#include "gpu/kernels/dwt_direct.cuh"

#define KERNEL(name, call)                                                     \
  extern "C" __global__ void __launch_bounds__ (PACO_DWT_THREADS)              \
      name (const __grid_constant__ PacoDwtParameters p)                       \
  {                                                                            \
    call (p);                                                                  \
  }

#define BOUNDED_KERNEL(name, n_blocks, call)                                   \
  extern "C" __global__ void __launch_bounds__ (PACO_DWT_THREADS, n_blocks)    \
      name (const __grid_constant__ PacoDwtParameters p)                       \
  {                                                                            \
    call (p);                                                                  \
  }

/* How many steps before its use a pair of lines is fetched. Each step more costs
 * registers and a copy of the loop's body. The numbers are the best ones that were
 * measured. */
#define AHEAD_FORWARD 1
#define AHEAD_FORWARD_SAMPLES_1 2
#define AHEAD_FORWARD_SAMPLES_3 1
#define AHEAD_INVERSE 4
#define AHEAD_INVERSE_SAMPLES_1 2
#define AHEAD_INVERSE_SAMPLES_3 1

/* How many thread blocks a multiprocessor should run at once. Without this, ptxas
 * takes some registers more than it needs, and one block less fits. */
#define BLOCKS_FORWARD_SAMPLES_3(W)                                            \
  (W::REACH <= 2 ? 6 : W::REACH == 4 ? 4 : W::REACH == 6 ? 3 : 2)

/* The kernels of level 1, whose fine side is samples:
 * dwt_<direction>_<wavelet>_<ability>_<layout>_<components> */
#define FORWARD_SAMPLES(wavelet, W, ability, Ability, layout, Layout)          \
  KERNEL (dwt_forward_##wavelet##_##ability##_##layout##_1,                    \
      (forward<W, 1, SampleSource<Layout, 1>, Ability,                         \
          AHEAD_FORWARD_SAMPLES_1>) )                                          \
  BOUNDED_KERNEL (dwt_forward_##wavelet##_##ability##_##layout##_3,            \
      BLOCKS_FORWARD_SAMPLES_3 (W),                                            \
      (forward<W, 3, SampleSource<Layout, 3>, Ability,                         \
          AHEAD_FORWARD_SAMPLES_3>) )
#define INVERSE_SAMPLES(wavelet, W, ability, Ability, layout, Layout)          \
  KERNEL (dwt_inverse_##wavelet##_##ability##_##layout##_1,                    \
      (inverse<W, Ability##Indices, SampleSink<Layout, 1, Ability##Indices>,   \
          AHEAD_INVERSE_SAMPLES_1>) )                                          \
  KERNEL (dwt_inverse_##wavelet##_##ability##_##layout##_3,                    \
      (inverse<W, Ability##Indices, SampleSink<Layout, 3, Ability##Indices>,   \
          AHEAD_INVERSE_SAMPLES_3>) )
#define SAMPLES(wavelet, W, ability, Ability)                                  \
  FORWARD_SAMPLES (wavelet, W, ability, Ability, planar8, Planar8)             \
  FORWARD_SAMPLES (wavelet, W, ability, Ability, planar16, Planar16)           \
  INVERSE_SAMPLES (wavelet, W, ability, Ability, planar8, Planar8)             \
  INVERSE_SAMPLES (wavelet, W, ability, Ability, planar16, Planar16)

/* The kernels of the other levels: dwt_<direction>_<wavelet>_<ability>. With a
 * reversible wavelet those of the ability "any" are used where coefficients need 32
 * bits. */
#define NUMBERS(wavelet, W, ability, Ability, Number)                          \
  KERNEL (dwt_forward_##wavelet##_##ability,                                   \
      (forward<W, 1, FineSource<Number>, Ability, AHEAD_FORWARD>) )            \
  KERNEL (dwt_inverse_##wavelet##_##ability,                                   \
      (inverse<W, Ability##Indices, FineSink, AHEAD_INVERSE>) )

/* The kernels without a wavelet:
 * dwt_<direction>_<numbers>_direct_<layout>_<components>. The kind of numbers says
 * how they are quantized. */
#define DIRECT(numbers, Number, layout, Layout, G)                             \
  KERNEL (dwt_forward_##numbers##_direct_##layout##_##G,                       \
      (samples_to_indices<Number, Layout, G>) )                                \
  KERNEL (dwt_inverse_##numbers##_direct_##layout##_##G,                       \
      (indices_to_samples<Number, Layout, G>) )
#define DIRECT_LAYOUTS(numbers, Number, G)                                     \
  DIRECT (numbers, Number, planar8, Planar8, G)                                \
  DIRECT (numbers, Number, planar16, Planar16, G)
