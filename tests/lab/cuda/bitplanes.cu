/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes the kernels of bitplanes.cuh: each of two and three passes for blocks
 * of up to 32, 64, 96 and 128 lines, encoder and decoder; and the encoder of
 * 64 lines with the registers a thread limited as in Table 4.2. */
#include "tests/lab/cuda/bitplanes.cuh"

#define KERNEL(name, decodes, passes, height)                                  \
  extern "C" __global__ void __launch_bounds__ (32 * LAB_BITPLANES_WARPS)      \
      name##_##passes##_##height (                                             \
          const __grid_constant__ LabBitplanesParameters parameters)           \
  {                                                                            \
    code_block<decodes, passes, height> (parameters);                          \
  }
#define KERNELS(height)                                                        \
  KERNEL (bitplanes_encode, false, 2, height)                                  \
  KERNEL (bitplanes_encode, false, 3, height)                                  \
  KERNEL (bitplanes_decode, true, 2, height)                                   \
  KERNEL (bitplanes_decode, true, 3, height)

KERNELS (32)
KERNELS (64)
KERNELS (96)
KERNELS (128)

/* The text's 16 registers are fewer than the kernels of today's devices get. */
#define LIMITED(passes, registers)                                             \
  extern "C" __global__ void __maxnreg__ (registers)                           \
      bitplanes_limited_##passes##_##registers (                               \
          const __grid_constant__ LabBitplanesParameters parameters)           \
  {                                                                            \
    code_block<false, passes, 64> (parameters);                                \
  }
#define LIMITED_BOTH(registers) LIMITED (2, registers) LIMITED (3, registers)

LIMITED_BOTH (24)
LIMITED_BOTH (32)
LIMITED_BOTH (40)
LIMITED_BOTH (48)
LIMITED_BOTH (56)
LIMITED_BOTH (64)
LIMITED_BOTH (72)
LIMITED_BOTH (128)
