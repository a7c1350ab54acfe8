/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compiles the kernels that put a frame together, for the emulation. */
#define __CUDACC__ 1      /* pointers in parameters */
#define __shared__ static /* of one size, known when compiled */
#include "tests/gpu/kernels/emulation.hpp"
#include "gpu/kernels/pack.cu"

const EmulatedKernel emulated_pack[] = {
  EMULATED_KERNEL (paco_pack_scan, PacoPackParameters),
  EMULATED_KERNEL (paco_pack_copy, PacoPackParameters),
  EMULATED_END,
};
