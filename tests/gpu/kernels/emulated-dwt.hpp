/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Names the wavelet's kernels, for the tables of the emulation. */
#pragma once
#include "tests/gpu/kernels/emulation.hpp"

#define KERNEL_OF_DWT(name) EMULATED_KERNEL (name, PacoDwtParameters)
#define LAYOUTS(name)                                                          \
  KERNEL_OF_DWT (name##_planar8_1), KERNEL_OF_DWT (name##_planar8_3),          \
      KERNEL_OF_DWT (name##_planar16_1), KERNEL_OF_DWT (name##_planar16_3)
#define KERNELS(name)                                                          \
  KERNEL_OF_DWT (name##_any), KERNEL_OF_DWT (name##_plain),                    \
      LAYOUTS (name##_any), LAYOUTS (name##_plain)
