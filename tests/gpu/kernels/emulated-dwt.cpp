/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The wavelet's kernels for the emulation. */
#include "tests/gpu/kernels/emulation.hpp"
#include "gpu/kernels/dwt.cu"

#define KERNEL_OF_DWT(name) EMULATED_KERNEL (name, PacoDwtParameters)
#define COMPONENTS(name) KERNEL_OF_DWT (name##_1), KERNEL_OF_DWT (name##_3)
#define FORWARD_KERNELS(wavelet)                                               \
  COMPONENTS (dwt_forward_##wavelet##_any_samples_generic),                    \
      COMPONENTS (dwt_forward_##wavelet##_any_samples_planar16),               \
      COMPONENTS (dwt_forward_##wavelet##_plain_samples_planar8),              \
      COMPONENTS (dwt_forward_##wavelet##_plain_samples_planar16),             \
      KERNEL_OF_DWT (dwt_forward_##wavelet##_any),                             \
      KERNEL_OF_DWT (dwt_forward_##wavelet##_plain),                           \
      COMPONENTS (samples_to_indices_##wavelet)
#define INVERSE_KERNELS(wavelet, ability)                                      \
  KERNEL_OF_DWT (dwt_inverse_##wavelet##_##ability),                           \
      COMPONENTS (dwt_inverse_##wavelet##_##ability##_samples_generic),        \
      COMPONENTS (dwt_inverse_##wavelet##_##ability##_samples_planar)

const EmulatedKernel emulated_dwt[] = {
  FORWARD_KERNELS (cdf53),
  FORWARD_KERNELS (cdf97),
  INVERSE_KERNELS (cdf53, plain),
  INVERSE_KERNELS (cdf53, any),
  INVERSE_KERNELS (cdf97, plain),
  INVERSE_KERNELS (cdf97, any),
  COMPONENTS (indices_to_samples_cdf53),
  COMPONENTS (indices_to_samples_cdf97),
  EMULATED_END,
};
