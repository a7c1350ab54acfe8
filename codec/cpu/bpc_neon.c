/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The block coder for 64-bit Arm, which always has NEON: bpc_template.h compiled
 * with the operations of the headers below. bpc.c has it in its list. */
#include "codec/cpu/bpc_lanes_neon.h"
#include "codec/cpu/bpc_coefficients_neon.h"
#include "codec/cpu/bpc_model_neon.h"
#include "codec/cpu/bpc_template.h"
