# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads step maps (FORMAT.md sections 6.2 and 7.8)."""
import struct

import numpy as np

from ancillary import need
from index import size_of_field

MANTISSAS = (0, 97, 212, 349)


class AdaptiveBits:
    """A string of section 7.8."""

    def __init__(self, data):
        self.data, self.s, self.d, self.contexts = data, 0, 0, {}

    def bit(self, *context):
        if not self.s:
            need(len(self.data) >= 4, 'codeword of adaptive bits')
            self.d, self.s = struct.unpack_from('<I', self.data)[0], 2**32 - 1
            self.data = self.data[4:]
        p = self.contexts.get(context, 32768)
        t = self.s * max(p >> 8, 1) // 256
        bit = self.d > t
        self.contexts[context] = p - (p >> 4) if bit else p + (65536 - p >> 4)
        self.d -= (t + 1) * bit
        self.s = self.s - t - 1 if bit else t
        return bit


def read_cell(bits, left, above, corner):
    predicted = (left + above + 1) // 2
    near = min(abs(left - corner) + abs(above - corner), 3)
    if not bits.bit(1, near):
        return predicted
    down = predicted == 15
    if 0 < predicted < 15:
        down = bits.bit(2, near, (left + above) % 2)
    most = predicted if down else 15 - predicted
    difference = 1
    while difference < most and bits.bit(3, near, min(difference, 3)):
        difference += 1
    return predicted - difference if down else predicted + difference


def read_field(bits, columns, rows):
    cells = np.zeros((rows, columns), int)
    for y in range(rows):
        for x in range(columns):
            above = cells[y - 1, x] if y else cells[y, x - 1] if x else 0
            left = cells[y, x - 1] if x else above
            corner = cells[y - 1, x - 1] if x and y else above if x == 0 else left
            cells[y, x] = read_cell(bits, int(left), int(above), int(corner))
    return cells


def read_step_map(header, index):
    """Returns the exponents of each field, None if there is no map."""
    if not header.step_map:
        return None
    size, halved = header.step_map
    need(halved < 2**len(header.components), 'components of the step map')
    end = len(index) - (header.cut_points or 0)
    need(size <= end, 'size of the step map')
    bits = AdaptiveBits(index[end - size:end])
    maps = []
    for field in range(1 + header.fields):
        width, height = size_of_field(header, 0, field)
        maps.append(read_field(bits, -(-width // 16), -(-height // 16)))
    need(not bits.data, 'something is left of the step map')
    return maps


def scales_of_block(header, maps, place):
    """Returns what the steps of a block are multiplied by."""
    if maps is None or place.band == 'LL' or place.level > 3:
        return np.float32(1)
    component, first = header.components[place.component], header.components[0]
    shifts = [place.level + a - b for a, b in zip(
        component.subsampling, first.subsampling)]
    columns, rows = (((start + np.arange(n)) << shift) >> 4
                     for start, n, shift in zip(
                         (place.x, place.y), (place.width, place.height), shifts))
    exponents = maps[place.field][rows][:, columns] >> (
        header.step_map[1] >> place.component & 1)
    scales = [2**(e >> 2) * (1 + MANTISSAS[e & 3] / 512) for e in range(16)]
    return np.array(scales, np.float32)[exponents]
