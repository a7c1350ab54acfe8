# SPDX-License-Identifier: LGPL-2.1-or-later
"""Dequantises, and undoes wavelets (FORMAT.md sections 5, 8 and 10).

Arrays are int32, which wraps around, for a reversible wavelet, float32 for
wavelet 1.
"""
from decimal import Decimal, localcontext

import numpy as np

F = np.float32
KAPPA = Decimal('1.230174105')
STEPS_OF_97 = [F(x) for x in (
    '-1.586134342', '-0.052980118', '0.882911075', '0.443506852')]


def fma(a, b, c):
    """Returns a * b + c in binary32, rounded once.

    The product is exact in binary64. Their sum is rounded to odd there, so that
    rounding it again to binary32 is the only one.
    """
    a, b, c = (np.asarray(x, np.float32).astype(np.float64) for x in (a, b, c))
    product = a * b
    total = product + c
    other = total - product
    error = (product - (total - other)) + (c - other)
    even = total.view(np.int64) & 1 == 0
    toward = np.where(error > 0, np.inf, -np.inf)
    total = np.where((error != 0) & even, np.nextafter(total, toward), total)
    return total.astype(np.float32)


# --- coefficients (8) ---

def dequantise(values, record, reconstruction, reversible, entry, scales):
    """values: coefficients of a block, with planes below d zero."""
    values, d = np.array(values, np.int64), record.dropped
    magnitudes = np.abs(values) >> d
    if record.cut:
        reconstruction = 116 - ((116 - reconstruction) >> d)
    if reversible:
        back = (magnitudes << d) + ((reconstruction << d) >> 8)
        back = np.where(magnitudes == 0, 0, back)
        return (np.sign(values) * back).astype(np.int32)
    mantissa, exponent = entry & 511, entry >> 9 & 31
    step = F(2.0**(exponent - 16) * (1 + mantissa / 512) * 2.0**(d - 8)) * scales
    back = (256 * magnitudes + reconstruction).astype(np.float32) * step
    return np.where(magnitudes == 0, F(0), np.sign(values).astype(F) * back)


# --- wavelets (5); a line is along axis 0 ---

def taken(x, indices):
    """Returns x at indices, mirrored at both ends until they are inside."""
    last = len(x) - 1
    while indices.min() < 0 or indices.max() > last:
        indices = np.abs(indices)
        indices = np.where(indices > last, 2 * last - indices, indices)
    return x[indices]


def undo_step(x, parity, undo):
    """Undoes a lifting step of the samples of one parity."""
    i = np.arange(parity, len(x), 2)
    s = taken(x, i - 1) + taken(x, i + 1)
    t = taken(x, i - 3) + taken(x, i + 3)
    x[i] = undo(x[i], s, t)


def undo_lifting(x, wavelet):
    if wavelet == 0:
        undo_step(x, 0, lambda x, s, t: x - ((s + 2) >> 2))
        undo_step(x, 1, lambda x, s, t: x - ((1 - s) >> 1))
    elif wavelet == 2:
        undo_step(x, 0, lambda x, s, t: x - ((9 * s - t + 16) >> 5))
        undo_step(x, 1, lambda x, s, t: x - ((7 - 9 * s + t) >> 4))
    else:
        for step in (3, 2, 1, 0):
            undo_step(x, 1 - step % 2,
                      lambda x, s, t, step=step: fma(-STEPS_OF_97[step], s, x))


def inverse_lines(low, high, wavelet):
    """Undoes the filtering along axis 0."""
    x = np.empty((len(low) + len(high), low.shape[1]), low.dtype)
    x[0::2], x[1::2] = low, high
    if len(x) > 1 and x.shape[1]:
        undo_lifting(x, wavelet)
    elif wavelet == 1:
        x *= F('0.812893066')
    return x


def inverse_level(bands, level, low, wavelet):
    """Returns LL of the level below, from that of this level."""
    top = inverse_lines(low.T, bands[level, 'HL'].T, wavelet).T
    bottom = inverse_lines(bands[level, 'LH'].T, bands[level, 'HH'].T, wavelet).T
    return inverse_lines(top, bottom, wavelet)


def scale_for_left_out(levels_left_out):
    with localcontext() as context:
        context.prec = 60
        return F(str(KAPPA**(-2 * levels_left_out)))
