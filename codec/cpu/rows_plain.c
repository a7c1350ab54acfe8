/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The line operations (rows.h) compiled for any machine. rows.c has them in its
 * list. */
#include "codec/cpu/rows_kernels.h"

const PacoRowOps paco_row_ops_plain = PACO_ROW_OPS ("plain");
