/* SPDX-License-Identifier: LGPL-2.1-or-later
 * How large coefficients can become, from the taps of the wavelet. policy.c,
 * rate_table.c and gpu/dwt.c ask, to know what fits 16 bits. */
#pragma once
#include "header.h"

/* Sets bounds[c][k] to what no coefficient of entry k (PacoCoding.subbands) of
 * component c exceeds: in quantizer steps, or with a reversible wavelet in integers. */
void paco_coefficient_bounds (const PacoPictureFormat *format,
    const PacoCoding *coding,
    double bounds[PACO_MAX_COMPONENTS][PACO_MAX_SUBBANDS]);
