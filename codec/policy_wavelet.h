/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Chooses the reversible wavelet of an RGB picture of 8 bits when the parameters
 * leave it open (FORMAT.md section 9): 13/7 predicts smooth content better and noise
 * worse than 5/3. Some tiles of the picture are transformed with both, in integers,
 * so that all encoders decide alike (policy_tiles.h).
 *
 * The encoders of all backends and the reference call this.
 *
 * And chooses the wavelet along a stack (FORMAT.md section 12) by a sample of its slices,
 * for pacoenc (plugin/enc/gstpacoencframes.c). */
#pragma once
#include "parameters.h"
#include "policy_tiles.h"

/* How many bits a sample may have. Deeper RGB gains little by the choice. */
#define PACO_CHOICE_DEPTH 8

/* Says whether pictures may be coded with another wavelet than paco_policy_coding()
 * says; then `other` is set to that coding. This holds for lossless RGB of at most
 * PACO_CHOICE_DEPTH bits when the wavelet is PACO_WAVELET_AUTO. */
bool paco_policy_other_wavelet (const PacoPictureFormat *picture,
    const PacoParameters *parameters, PacoCoding *other);

/* Says whether a picture that has another wavelet is coded with it. Its color transform,
 * that of *coding, is a reversible one, or none. */
bool paco_policy_takes_other_wavelet (const PacoPictureFormat *picture,
    const PacoCoding *coding, const PacoBandSamples *samples);

/* --- stacks --- */

/* Returns how many samples of memory the choice needs to work in, for a stack of
 * `length` slices of this size. */
size_t paco_policy_stack_work (
    unsigned length, uint32_t width, uint32_t height);

/* Returns *plan, which is that of paco_stack_plan(), with the wavelet and the number of
 * levels that take the fewest bits. slices[i] points to width * height samples of slice
 * i, as paco_slice_load() has made them. work has room for paco_policy_stack_work()
 * samples. */
PacoSlice paco_policy_stack (const PacoSlice *plan,
    const PacoParameters *parameters, uint16_t *const *slices, uint32_t width,
    uint32_t height, uint16_t *work);
