/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compiles the block coder's kernels for the emulation. */
#define __CUDACC__ 1 /* pointers in parameters */
#include "tests/gpu/kernels/emulation.hpp"
#include "gpu/kernels/bpc.cu"

#define BOTH(bits, passes)                                                     \
  EMULATED_KERNEL (                                                            \
      paco_bpc_encode_##bits##_##passes, PacoBpcEncodeParameters),             \
      EMULATED_KERNEL (                                                        \
          paco_bpc_decode_##bits##_##passes, PacoBpcDecodeParameters)

const EmulatedKernel emulated_bpc[] = {
  BOTH (16, 1),
  BOTH (16, 2),
  BOTH (16, 3),
  BOTH (32, 1),
  BOTH (32, 2),
  BOTH (32, 3),
  EMULATED_END,
};
