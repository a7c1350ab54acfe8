/* SPDX-License-Identifier: LGPL-2.1-or-later
 * How large coefficients can become, from the taps of the wavelet. policy.c and
 * the CUDA backend ask, to know what fits 16 bits. */
#pragma once
#include "header.h"

/* bounds[c][k]: what no coefficient of entry k of component c exceeds
 * (PacoCoding.subbands): in quantizer steps, or with the reversible wavelet in
 * integers. */
void paco_coefficient_bounds (const PacoPictureFormat *format,
    const PacoCoding *coding,
    double bounds[PACO_MAX_COMPONENTS][PACO_MAX_SUBBANDS]);
