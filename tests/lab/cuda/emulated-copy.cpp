/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compiles the kernels of copy.cu for the emulation. */
#include "tests/gpu/kernels/emulation.hpp"
#include "tests/lab/cuda/copy.cu"

EMULATED_TABLE (emulated_lab_copy) = {
  EMULATED_KERNEL (copy_words, LabCopyParameters),
  EMULATED_KERNEL (copy_quads, LabCopyParameters),
  EMULATED_END,
};
