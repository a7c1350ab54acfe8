/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Lists the kernels of the emulated driver: the project's. */
#include "tests/gpu/kernels/emulation.hpp"

const EmulatedKernel *const emulated_tables[] = {
  EMULATED_PROJECT_TABLES,
  nullptr,
};
