/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds the cells of the step map of a transformed frame (codec/policy_map.h), for
 * encoder.c. The workers share the rows of cells. */
#pragma once
#include "codec/cpu/frame.h"
#include "codec/policy_map.h"

/* Sets the paco_step_map_n_cells() exponents of the frame. */
void paco_find_cells (
    const PacoFrame *frame, const PacoActivity *activity, uint8_t *cells);
