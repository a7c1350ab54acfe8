/* SPDX-License-Identifier: LGPL-2.1-or-later
 * How loops over lines are written, for rows_kernels.h and layout_kernels.h: so
 * that GCC and Clang vectorise them, counted, without a branch, and with the
 * promise that an output is at most identical to an input, never shifted against
 * it (INDEPENDENT). */
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
