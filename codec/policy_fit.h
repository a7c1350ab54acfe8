/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Chooses between RCT2 and rct-fit (fit.h) for lossless RGB, and the parameters of that: a
 * noisy color wants less of the others, and none of its noise in them (FORMAT.md section
 * 9). Some tiles of the picture are looked at, in integers (policy_tiles.h). The encoders
 * of all backends and the reference call this. */
#pragma once
#include "parameters.h"
#include "policy_tiles.h"

/* Says whether pictures choose their color transform: those that paco_policy_coding() has
 * coded with RCT2 by itself, and that have a tile. Cut points need the errors of RCT2. */
bool paco_policy_chooses_fit (const PacoPictureFormat *picture,
    const PacoParameters *parameters, const PacoCoding *coding);

/* Sets the color transform and its parameters in *coding. */
void paco_policy_choose_fit (const PacoPictureFormat *picture,
    const PacoBandSamples *samples, PacoCoding *coding);
