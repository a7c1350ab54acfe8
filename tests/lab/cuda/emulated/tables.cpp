/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Lists the kernels of the laboratory's emulated driver: those of each
 * program, which meson.build lists in LAB_PROGRAMS, and the project's own. */
#include "tests/gpu/kernels/emulation.hpp"

#define PROGRAM(name) extern const EmulatedKernel emulated_lab_##name[];
LAB_PROGRAMS
#undef PROGRAM

#define PROGRAM(name) emulated_lab_##name,
const EmulatedKernel *const emulated_tables[] = {
  LAB_PROGRAMS EMULATED_PROJECT_TABLES, nullptr
};
