/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compiles the kernels of frames with a budget for the emulation. */
#define __CUDACC__ 1 /* pointers in parameters */
#include "tests/gpu/kernels/emulation.hpp"
#include "gpu/kernels/rate.cu"

const EmulatedKernel emulated_rate[] = {
  EMULATED_KERNEL (paco_rate_count_16, PacoRateCountParameters),
  EMULATED_KERNEL (paco_rate_count_32, PacoRateCountParameters),
  EMULATED_KERNEL (paco_rate_decide, PacoRateDecideParameters),
  EMULATED_KERNEL (paco_rate_find, PacoRateFitParameters),
  EMULATED_KERNEL (paco_rate_fit, PacoRateFitParameters),
  EMULATED_KERNEL (paco_rate_shorten, PacoRateFitParameters),
  EMULATED_END,
};
