/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The block coder for any machine: bpc_template.h compiled with operations in plain C.
 * bpc.c has it in its list. */
#include "codec/cpu/bpc_lanes_plain.h"
#include "codec/cpu/bpc_model_plain.h"
#include "codec/cpu/bpc_template.h"
