/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Chooses the color matrix of a picture (FORMAT.md section 9): the orthonormal one with
 * which differences of neighboring samples in some tiles (policy_tiles.h) are the
 * smallest, by the logarithms of their variances. The encoders of all backends and the
 * reference call this. */
#pragma once
#include "matrix.h"
#include "policy_tiles.h"

/* Says whether pictures choose the matrix: those with this color transform, as
 * paco_policy_coding() says, that have a tile. */
bool paco_policy_chooses_matrix (
    const PacoPictureFormat *picture, const PacoCoding *coding);

/* Sets it in *coding, unless all tiles are flat. */
void paco_policy_choose_matrix (const PacoPictureFormat *picture,
    const PacoBandSamples *samples, PacoCoding *coding);
