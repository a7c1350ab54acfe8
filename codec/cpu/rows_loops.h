/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Macros and types for loops over lines, for rows_kernels.h, layout_kernels.h and
 * count_kernels.h. GCC and Clang vectorise loops that are counted, have no branch, and
 * promise that an output is an input or independent of it, never one that is shifted
 * against it (INDEPENDENT). */
#pragma once
#include <stdint.h>

#define INLINE static inline __attribute__ ((always_inline))
#ifdef __clang__
#define INDEPENDENT _Pragma ("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma ("GCC ivdep")
#endif

/* Elements of a line of PacoWord. */
typedef int32_t __attribute__ ((may_alias)) Int;
typedef float __attribute__ ((may_alias)) Float;
