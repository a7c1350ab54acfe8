/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compiles the kernels of bitplanes.cu for the emulation. */
#include "tests/gpu/kernels/emulation.hpp"
#define __maxnreg__(registers)
#include "tests/lab/cuda/bitplanes.cu"

#define OF_HEIGHT(height)                                                      \
  EMULATED_KERNEL (bitplanes_encode_2_##height, LabBitplanesParameters),       \
      EMULATED_KERNEL (bitplanes_encode_3_##height, LabBitplanesParameters),   \
      EMULATED_KERNEL (bitplanes_decode_2_##height, LabBitplanesParameters),   \
      EMULATED_KERNEL (bitplanes_decode_3_##height, LabBitplanesParameters)
#define OF_LIMIT(registers)                                                    \
  EMULATED_KERNEL (bitplanes_limited_2_##registers, LabBitplanesParameters),   \
      EMULATED_KERNEL (                                                        \
          bitplanes_limited_3_##registers, LabBitplanesParameters)

EMULATED_TABLE (emulated_lab_bitplanes) = {
  OF_HEIGHT (32),
  OF_HEIGHT (64),
  OF_HEIGHT (96),
  OF_HEIGHT (128),
  OF_LIMIT (24),
  OF_LIMIT (32),
  OF_LIMIT (40),
  OF_LIMIT (48),
  OF_LIMIT (56),
  OF_LIMIT (64),
  OF_LIMIT (72),
  OF_LIMIT (128),
  EMULATED_END,
};
