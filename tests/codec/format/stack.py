# SPDX-License-Identifier: LGPL-2.1-or-later
"""Undoes wavelets along stacks (FORMAT.md section 12)."""
import numpy as np


def undo_stack_step(y, wavelet, parity, in_range):
    for i in range(parity, len(y), 2):
        if wavelet == 0:
            last = len(y) - 1
            s = y[abs(i - 1)] + y[i + 1 if i < last else last - 1]
            y[i] = in_range(y[i] - ((s + 2) >> 2 if parity == 0 else (1 - s) >> 1))
        elif parity == 1:
            y[i] = in_range(y[i] + y[i - 1])
        elif i + 1 < len(y):
            y[i] = in_range(y[i] - ((y[i + 1] + 1) >> 1))


def pictures_of_stack(slices, plan):
    """Returns the pictures of all slices of a stack, given in order."""
    def in_range(x):
        if plan.bits == 16:
            return ((x + 2**15) & 0xffff) - 2**15
        return np.clip(x, -2**15, 2**15 - 1)

    x = [samples.astype(np.int32) - 2**15 for samples in slices]
    for level in range(plan.levels - 1, -1, -1):
        y = x[::1 << level]
        if len(y) > 1:
            undo_stack_step(y, plan.wavelet, 0, in_range)
            undo_stack_step(y, plan.wavelet, 1, in_range)
        x[::1 << level] = y
    pictures = []
    for u in x:
        u = u + 2**(plan.bits - 1)
        if plan.bits < 16:
            u = np.clip(u, 0, 2**plan.bits - 1)
        if plan.depth == 8 and plan.bits == 13:
            u = (u - (u >> 8) + 16) >> 5
        elif plan.depth == 16 and plan.bits == 13:
            u = 8 * u + (u >> 10)
        pictures.append(u)
    return pictures
