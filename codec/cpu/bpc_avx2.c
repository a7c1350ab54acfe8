/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The block coder for AVX2: bpc_template.h compiled with the operations of the headers
 * below. bpc.c has it in its list. */
#include "codec/cpu/bpc_lanes_avx2.h"
#include "codec/cpu/bpc_model_avx2.h"
#include "codec/cpu/bpc_template.h"
