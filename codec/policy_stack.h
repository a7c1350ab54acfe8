/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Chooses the wavelet along a stack (FORMAT.md section 12) by a sample of its slices,
 * for pacoenc (plugin/coder/gstpacostack.c). */
#pragma once
#include "parameters.h"

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
