/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The line operations (rows.h) compiled for 64-bit Arm. The compiler vectorises plain C
 * for NEON; only layouts are shuffled by code of their own. rows.c has them in its
 * list. */
#define LAYOUT_VECTORS_HEADER "codec/cpu/layout_vectors_neon.h"
#include "codec/cpu/rows_kernels.h"

const PacoRowOps paco_row_ops_neon = PACO_ROW_OPS ("neon");
