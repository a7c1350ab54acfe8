/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The kernel that compares pictures, for the emulation. */
#define __CUDACC__ 1 /* pointers in parameters */
#include "tests/gpu/kernels/emulation.hpp"
#include "gpu/kernels/compare.cu"

const EmulatedKernel emulated_compare[] = {
  EMULATED_KERNEL (paco_compare, PacoCompareParameters),
  EMULATED_END,
};
