/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compiles the kernels of convolution.cu for the emulation. */
#include "tests/gpu/kernels/emulation.hpp"
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
