/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Chooses the weights of green in the color transform of a mosaic (FORMAT.md section 9): a
 * noisy color wants less of it. Some tiles of the picture are looked at, in integers
 * (policy_tiles.h). The encoders of all backends and the reference call this. */
#pragma once
#include "parameters.h"
#include "policy_tiles.h"

/* Says whether pictures choose the weights: mosaics that are coded without loss by the
 * transform, as paco_policy_coding() says, and have a tile. */
bool paco_policy_chooses_weights (const PacoPictureFormat *picture,
    const PacoParameters *parameters, const PacoCoding *coding);

/* Sets them in *coding. */
void paco_policy_choose_weights (const PacoPictureFormat *picture,
    const PacoBandSamples *samples, PacoCoding *coding);
