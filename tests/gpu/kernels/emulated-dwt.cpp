/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compiles the wavelet's kernels for the emulation. */
#include "tests/gpu/kernels/emulated-dwt.hpp"
#include "gpu/kernels/dwt.cu"

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
