# SPDX-License-Identifier: LGPL-2.1-or-later
"""From what the inverse wavelets leave to samples (FORMAT.md section 5)."""
import numpy as np

from codes import samples_of
from transform import F, fma


def to_integers(x):
    rounded = np.rint(x)
    return np.clip(rounded, F(-2**31), F(2**31 - 128)).astype(np.int32)


ICT = (1, 0, '1.402', 1, '-0.344136', '-0.714136', 1, '1.772', 0)


def undo_color(planes, transform, parameters=None):
    """planes: the first three components."""
    y, u, v = planes
    if transform == 5:
        order, weights = parameters
        b = y - (order >> 4) * (v >> 1)
        part = np.int32(weights & 15) * v - np.int32(weights >> 4) * b
        colors = {order & 3: u + b + (part >> 3), order >> 2 & 3: b}
        return [colors.get(i, v + b) for i in range(3)]
    if transform == 1:
        g = y - ((u + v) >> 2)
        return [v + g, g, u + g]
    if transform == 3:
        t = y - (u >> 2)
        g = t - (v >> 1)
        return [v + g, g, u + t]
    return [fma(parameters[2], v, fma(parameters[1], u, parameters[0] * y)),
            fma(parameters[4], u, fma(parameters[5], v, parameters[3] * y)),
            fma(parameters[7], u, fma(parameters[8], v, parameters[6] * y))]


# --- mosaics (5.1) ---

CROSS = ((-1, 0), (1, 0), (0, -1), (0, 1))
CORNERS = ((-1, -1), (1, -1), (-1, 1), (1, 1))


def mirrored(i, n):
    """Returns i, of which -1 and n are 1 and n - 2."""
    return np.where(i < 0, 1, np.where(i >= n, n - 2, i))


def undo_mosaic(planes, header):
    """Undoes the color transform of mosaics."""
    height, width = (2 * n for n in planes[0].shape)
    mosaic = np.zeros((height, width), np.int32)
    lattices = [(np.arange(y, height, 2)[:, None], np.arange(x, width, 2))
                for x, y in (c.place for c in header.components)]
    for lattice, x in zip(lattices, planes):
        mosaic[lattice] = np.clip(x, -2**15, 2**15 - 1)
    limit = 1 << (header.components[0].depth - 1)
    for c, factor, neighbours in ((1, -4, CORNERS), (2, 8, CORNERS),
                                  (3, header.parameters[1], CROSS),
                                  (0, header.parameters[0], CROSS)):
        i, j = lattices[c]
        s = sum(mosaic[mirrored(i + y, height), mirrored(j + x, width)]
                for x, y in neighbours)
        x = mosaic[i, j] + ((factor * s + 16) >> 5)
        x = ((x + 2**15) & 0xffff) - 2**15
        mosaic[i, j] = np.clip(x, -limit, limit - 1)
    return [mosaic[lattice] for lattice in lattices]


def finish(planes, header, tables):
    """Returns the samples of a field from what the inverse wavelets left."""
    if header.transform in (2, 4):
        matrix = [F(m) for m in (ICT if header.transform == 2 else header.matrix)]
        planes = undo_color(planes[:3], header.transform, matrix) + planes[3:]
    planes = [to_integers(x) if x.dtype == F else x for x in planes]
    if header.transform in (1, 3, 5):
        planes = undo_color(planes[:3], header.transform, header.parameters) + planes[3:]
    elif header.transform == 7:
        planes = undo_mosaic(planes, header)
    halves = [np.int32(1 << (component.depth - 1)) for component in header.components]
    return [samples_of(np.clip(x, -half, half - 1) + half, header, tables, c)
            for c, (x, half) in enumerate(zip(planes, halves))]
