/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes the kernels of the transforms of van der Laan, Jalba and Roerdink
 * (Accelerating Wavelet Lifting on Graphics Hardware using CUDA), and of those
 * that they compare theirs with. rows_methods.c launches them. */
#include "tests/lab/cuda/rows_kernels.cuh"

#define KERNEL(name, threads, call)                                            \
  extern "C" __global__ void __launch_bounds__ (threads)                       \
      name (const __grid_constant__ LabLines p)                                \
  {                                                                            \
    call (p);                                                                  \
  }

LAB_ROWS_KERNELS (KERNEL)
