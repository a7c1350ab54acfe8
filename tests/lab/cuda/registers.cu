/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Has the register-based transform of Enfedaque, Auli-Llinas and Moure (text
 * 000; text 004, chapter 2) with every height of a block, and what the paper
 * compares it with:
 *
 *   registers_DIRECTION_WAVELET_shuffle_HEIGHT  lanes exchange numbers by shuffles
 *   ..._buffer  by a buffer in shared memory
 *   ..._shared  the whole block is in shared memory
 *   ..._arithmetic, ..._memory  without global memory, and without arithmetic
 *   ..._bare    the memory without halos
 *   ..._floats  shuffles; global memory holds floats in place of 16-bit numbers */
#include "tests/lab/cuda/registers_transform.cuh"

#define KERNEL(name, ID, inverse, Block, Element, part, halo)                  \
  extern "C" __global__ void __launch_bounds__ (LAB_REGISTERS_THREADS)         \
      name (const __grid_constant__ LabRegistersParameters p)                  \
  {                                                                            \
    transform_block<ID, inverse, Block, Element, part, halo> (p);              \
  }

#define COMMA ,
#define BLOCK(Kind, Number, height) Kind<Number COMMA height>

#define OF_HEIGHT(height, direction, inverse, wavelet, ID)                     \
  KERNEL (registers_##direction##_##wavelet##_shuffle_##height, ID, inverse,   \
      BLOCK (InRegisters, Wavelet<ID>::Number, height), int16_t, Part::ALL,    \
      Wavelet<ID>::REACH)

#define VARIANT(                                                               \
    direction, inverse, wavelet, ID, variant, Kind, Number, Part, halo)        \
  KERNEL (registers_##direction##_##wavelet##_##variant, ID, inverse,          \
      BLOCK (Kind, Number, LAB_REGISTERS_HEIGHT), int16_t, Part, halo)

#define DIRECTION(direction, inverse, wavelet, ID)                             \
  LAB_REGISTERS_HEIGHTS (OF_HEIGHT, direction, inverse, wavelet, ID)           \
  VARIANT (direction, inverse, wavelet, ID, buffer, WithBuffer,                \
      Wavelet<ID>::Number, Part::ALL, Wavelet<ID>::REACH)                      \
  VARIANT (direction, inverse, wavelet, ID, shared, InSharedMemory,            \
      Wavelet<ID>::Number, Part::ALL, Wavelet<ID>::REACH)                      \
  VARIANT (direction, inverse, wavelet, ID, arithmetic, InRegisters,           \
      Wavelet<ID>::Number, Part::ARITHMETIC, Wavelet<ID>::REACH)               \
  VARIANT (direction, inverse, wavelet, ID, memory, InRegisters, int,          \
      Part::MEMORY, Wavelet<ID>::REACH)                                        \
  VARIANT (direction, inverse, wavelet, ID, bare, InRegisters, int,            \
      Part::MEMORY, 0)

DIRECTION (forward, false, cdf53, PACO_WAVELET_CDF53)
DIRECTION (inverse, true, cdf53, PACO_WAVELET_CDF53)
DIRECTION (forward, false, cdf97, PACO_WAVELET_CDF97)
DIRECTION (inverse, true, cdf97, PACO_WAVELET_CDF97)

#define FLOATS(direction, inverse)                                             \
  KERNEL (registers_##direction##_cdf97_floats, PACO_WAVELET_CDF97, inverse,   \
      BLOCK (InRegisters, float, LAB_REGISTERS_HEIGHT), float, Part::ALL,      \
      Wavelet<PACO_WAVELET_CDF97>::REACH)
FLOATS (forward, false)
FLOATS (inverse, true)
