/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Which instruction sets this processor and its system let programs use.
 * rows.c and bpc.c choose their variants by it. */
#pragma once
#include <stdbool.h>

#if defined(__x86_64__)
/* All that the compiler is told to use for *_avx2.c and *_avx512.c
 * (meson.build). */
bool paco_cpu_has_avx2 (void);
bool paco_cpu_has_avx512 (void);
#endif
