# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads ancillary chunks (FORMAT.md section 3.1)."""
import re
import struct


def need(condition, what):
    if not condition:
        raise ValueError(what)


class Bytes:
    """Reads from the front."""

    def __init__(self, data):
        self.data = data

    def take(self, size):
        need(len(self.data) >= size, 'bytes are missing')
        taken, self.data = self.data[:size], self.data[size:]
        return taken

    def numbers(self, layout):
        return struct.unpack('<' + layout, self.take(struct.calcsize('<' + layout)))

    def number(self, layout):
        return self.numbers(layout)[0]

    def text(self, length='B'):
        return self.take(self.number(length)).decode()

    def name(self):
        name = self.text()
        need(re.fullmatch('[A-Za-z][A-Za-z0-9_.:+/-]*', name), 'name')
        return name

    def value(self):
        name, kind = self.name(), self.number('B')
        need(1 <= kind <= 8, 'type of a value')
        if kind == 8:
            return name, self.text('H')
        numbers = self.numbers(('B', 'i', 'I', 'q', 'Q', 'd', 'ii')[kind - 1])
        return name, numbers if kind == 7 else numbers[0]

    def lists(self):
        lists = [(self.name(), [self.value() for _ in range(self.number('B'))])
                 for _ in range(self.number('B'))]
        need(not self.data, 'something after the lists')
        return lists


def read_ancillary(kind, data):
    rest = Bytes(data)
    if kind == 7:
        return 'caption', data[0], data[1:]
    if kind == 8 and data[0] == 0:
        return 'AFD', *struct.unpack('<3B', data[1:])
    if kind == 8 and data[0] < 3:
        return 'bars', *struct.unpack('<BBII', data)
    if kind == 9:
        return 'timecode', *struct.unpack(
            '<IIIBBBBB' + 'qi' * (len(data) > 17), data)
    if kind == 10:
        return 'area', *rest.numbers('iiIIII'), rest.text(), rest.lists()
    if kind == 11:
        return 'reference', *rest.numbers('QQ'), rest.lists()
    return kind, data
