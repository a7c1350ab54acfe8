/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Which wavelet along it a stack is coded with (FORMAT.md section 12), by a sample of
 * its slices. pacoenc asks before it lifts. */
#pragma once
#include "parameters.h"

/* Samples of memory that the choice for a stack of so many slices works in. */
size_t paco_policy_stack_work (
    unsigned length, uint32_t width, uint32_t height);

/* plan: of a stack without loss or with, of any wavelet and levels (stack.h); what comes
 * back has those that take the fewest bits. slices[i] points to width * height samples
 * of slice i, as paco_slice_load() has made them. work has room for
 * paco_policy_stack_work() samples. */
PacoSlice paco_policy_stack (const PacoSlice *plan,
    const PacoParameters *parameters, uint16_t *const *slices, uint32_t width,
    uint32_t height, uint16_t *work);
