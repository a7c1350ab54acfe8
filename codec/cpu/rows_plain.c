/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The line operations for whatever the compiler takes the machine to be. */
#include "codec/cpu/rows_kernels.h"

const PacoRowOps paco_row_ops_plain = PACO_ROW_OPS ("plain");
