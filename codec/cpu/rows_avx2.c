/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The line operations (rows.h) compiled for AVX2 and FMA. rows.c has them in its
 * list. */
#define LAYOUT_VECTORS_HEADER "codec/cpu/layout_vectors_avx2.h"
#include "codec/cpu/rows_kernels.h"

const PacoRowOps paco_row_ops_avx2 = PACO_ROW_OPS ("avx2");
