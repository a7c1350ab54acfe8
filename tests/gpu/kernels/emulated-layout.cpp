/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compiles the kernels between layouts and planes for the emulation. */
#define __shared__ static /* of one size, known when compiled */
#include "tests/gpu/kernels/emulation.hpp"
#include "gpu/kernels/layout.cu"

#define KERNELS(kind)                                                          \
  EMULATED_KERNEL (layout_load_##kind, PacoLayoutParameters),                  \
      EMULATED_KERNEL (layout_store_##kind, PacoLayoutParameters)

const EmulatedKernel emulated_layout[] = {
  KERNELS (2_8_1),
  KERNELS (2_16_1),
  KERNELS (4_8_1),
  KERNELS (4_8_2),
  KERNELS (4_16_1),
  KERNELS (8_16_1),
  KERNELS (8_16_2),
  KERNELS (string_8_3),
  KERNELS (string_10_1),
  KERNELS (string_10_3),
  KERNELS (string_10_4),
  KERNELS (string_12_1),
  KERNELS (string_12_3),
  KERNELS (string_12_4),
  KERNELS (string_16_3),
  KERNELS (v210),
  KERNELS (any),
  EMULATED_END,
};
