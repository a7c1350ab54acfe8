/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The line operations (rows.h) compiled for AVX-512. rows.c has them in its list. */
#define LAYOUT_VECTORS_HEADER "codec/cpu/layout_vectors_avx2.h"
#include "codec/cpu/rows_kernels.h"

const PacoRowOps paco_row_ops_avx512 = PACO_ROW_OPS ("avx512");
