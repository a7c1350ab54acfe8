/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The block coder for AVX-512 with VBMI and VBMI2: bpc_template.h compiled with the
 * operations of the headers below. bpc.c has it in its list. */
#include "codec/cpu/bpc_lanes_avx512.h"
#include "codec/cpu/bpc_model_avx512.h"
#define LANES_SIGNS_HEADER "codec/cpu/bpc_template_signs_avx512.h"
#include "codec/cpu/bpc_template.h"
