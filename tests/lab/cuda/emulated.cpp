/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compiles the kernels of a program for the emulation, and lists them; without a program,
 * the tables of the laboratory's emulated driver: those of each program, which
 * meson.build lists in LAB_PROGRAMS, and the project's own. */
#include "tests/gpu/kernels/emulation.hpp"

#if defined LAB_PROGRAMS

#define PROGRAM(name) extern const EmulatedKernel emulated_lab_##name[];
LAB_PROGRAMS
#undef PROGRAM

#define PROGRAM(name) emulated_lab_##name,
const EmulatedKernel *const emulated_tables[] = {
  LAB_PROGRAMS EMULATED_PROJECT_TABLES, nullptr
};

#elif defined LAB_BITPLANES
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

#elif defined LAB_CONVOLUTION
#include "tests/lab/cuda/convolution.cu"

#define BOTH(method)                                                           \
  EMULATED_KERNEL (convolution_##method##_rows, LabConvolutionParameters),     \
      EMULATED_KERNEL (                                                        \
          convolution_##method##_columns, LabConvolutionParameters)

EMULATED_TABLE (emulated_lab_convolution) = {
  BOTH (conv),
  BOTH (mem),
  BOTH (text),
  BOTH (sep),
  EMULATED_END,
};

#elif defined LAB_COPY
#include "tests/lab/cuda/copy.cu"

EMULATED_TABLE (emulated_lab_copy) = {
  EMULATED_KERNEL (copy_words, LabCopyParameters),
  EMULATED_KERNEL (copy_quads, LabCopyParameters),
  EMULATED_END,
};

#elif defined LAB_REGISTERS
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

#elif defined LAB_ROWS
#include "tests/lab/cuda/rows.cu"

#define EMULATED_ROW(name, threads, call) EMULATED_KERNEL (name, LabLines),

EMULATED_TABLE (
    emulated_lab_rows) = { LAB_ROWS_KERNELS (EMULATED_ROW) EMULATED_END };
#endif
