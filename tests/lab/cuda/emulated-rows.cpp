/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compiles the kernels of rows.cu for the emulation. */
#include "tests/gpu/kernels/emulation.hpp"
#include "tests/lab/cuda/rows.cu"

#define EMULATED_ROW(name, threads, call) EMULATED_KERNEL (name, LabLines),

EMULATED_TABLE (
    emulated_lab_rows) = { LAB_ROWS_KERNELS (EMULATED_ROW) EMULATED_END };
