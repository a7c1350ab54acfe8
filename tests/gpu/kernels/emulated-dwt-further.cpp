/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compiles the kernels of the wavelets that few frames have, for the
 * emulation. */
#include "tests/gpu/kernels/emulated-dwt.hpp"
#include "gpu/kernels/dwt_further.cu"

const EmulatedKernel emulated_dwt_further[] = {
  KERNELS (dwt_forward_haar),
  KERNELS (dwt_inverse_haar),
  KERNELS (dwt_forward_dd97),
  KERNELS (dwt_inverse_dd97),
  KERNELS (dwt_forward_fidelity),
  KERNELS (dwt_inverse_fidelity),
  LAYOUTS (dwt_inverse_grown_direct),
  EMULATED_END,
};
