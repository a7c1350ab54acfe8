/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compiles the kernels of registers.cu for the emulation. */
#include "tests/gpu/kernels/emulation.hpp"
#include "tests/lab/cuda/registers.cu"

#define NAMED(name) EMULATED_KERNEL (name, LabRegistersParameters)
#define NAMED_HEIGHT(height, direction, wavelet)                               \
  NAMED (registers_##direction##_##wavelet##_shuffle_##height),
#define NAMED_DIRECTION(direction, wavelet)                                    \
  LAB_REGISTERS_HEIGHTS (NAMED_HEIGHT, direction, wavelet)                     \
  NAMED (registers_##direction##_##wavelet##_buffer),                          \
      NAMED (registers_##direction##_##wavelet##_shared),                      \
      NAMED (registers_##direction##_##wavelet##_arithmetic),                  \
      NAMED (registers_##direction##_##wavelet##_memory),                      \
      NAMED (registers_##direction##_##wavelet##_bare)

EMULATED_TABLE (emulated_lab_registers) = {
  NAMED_DIRECTION (forward, cdf53),
  NAMED_DIRECTION (inverse, cdf53),
  NAMED_DIRECTION (forward, cdf97),
  NAMED_DIRECTION (inverse, cdf97),
  NAMED (registers_forward_cdf97_floats),
  NAMED (registers_inverse_cdf97_floats),
  EMULATED_END,
};
