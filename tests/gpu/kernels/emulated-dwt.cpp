/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The wavelet's kernels for the emulation. */
#include "tests/gpu/kernels/emulation.hpp"
#include "gpu/kernels/dwt.cu"

#define KERNEL_OF_DWT(name) EMULATED_KERNEL (name, PacoDwtParameters)
#define LAYOUTS(name)                                                          \
  KERNEL_OF_DWT (name##_planar8_1), KERNEL_OF_DWT (name##_planar8_3),          \
      KERNEL_OF_DWT (name##_planar16_1), KERNEL_OF_DWT (name##_planar16_3)
#define KERNELS(name)                                                          \
  KERNEL_OF_DWT (name##_any), KERNEL_OF_DWT (name##_plain),                    \
      LAYOUTS (name##_any), LAYOUTS (name##_plain)

const EmulatedKernel emulated_dwt[] = {
  KERNELS (dwt_forward_cdf53),
  KERNELS (dwt_forward_cdf97),
  KERNELS (dwt_inverse_cdf53),
  KERNELS (dwt_inverse_cdf97),
  KERNELS (dwt_forward_dd137),
  KERNELS (dwt_inverse_dd137),
  LAYOUTS (dwt_forward_integers_direct),
  LAYOUTS (dwt_inverse_integers_direct),
  LAYOUTS (dwt_forward_floats_direct),
  LAYOUTS (dwt_inverse_floats_direct),
  EMULATED_END,
};
