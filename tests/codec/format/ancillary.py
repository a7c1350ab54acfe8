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
        text = self.take(self.number(length)).decode()
        need('\0' not in text, '0 in a text')
        return text

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
        need(kind != 1 or numbers[0] < 2, 'truth value')
        need(kind != 7 or numbers[0] > -2**31 and numbers[1] >= 1, 'fraction')
        return name, numbers if kind == 7 else numbers[0]

    def lists(self, *numbers):
        """numbers: how many there may be, if not any."""
        lists = [(self.name(), [self.value() for _ in range(self.number('B'))])
                 for _ in range(self.number('B'))]
        need(not self.data, 'something after the lists')
        need(not numbers or len(lists) in numbers, 'number of lists')
        return lists


def in_years(microseconds):
    """Says whether a time is in the years 1 to 9999."""
    return -62135596800 * 10**6 <= microseconds < 253402300800 * 10**6


def read_timecode(data):
    need(len(data) in (17, 29), 'size of a timecode')
    fields = struct.unpack('<IIIBBBBB' + 'qi' * (len(data) > 17), data)
    rate_n, rate_d, _, hours, minutes, seconds, count, *rest = fields
    need(rate_n < 2**31 and 1 <= rate_d < 2**31 and hours < 24 and minutes < 60
         and seconds < 60 and count < 3, 'timecode')
    if len(rest) > 1:
        jam, offset = rest[1:]
        need(abs(offset) < 86400 and in_years(jam)
             and in_years(jam + offset * 10**6), 'daily jam')
    return 'timecode', *fields


def read_active_format(data):
    if data[0] == 0:
        field, standard, description = struct.unpack('<3B', data[1:])
        need(field < 2 and description < 16, 'active format')
        return 'AFD', field, standard, description
    if data[0] < 3:
        bars = struct.unpack('<BBII', data)
        need(bars[1] < 2, 'field of bars')
        return 'bars', *bars
    return 'active format', data


def read_ancillary(kind, data):
    rest = Bytes(data)
    if kind == 7:
        need(len(data) >= 2, 'size of a caption')
        return 'caption', data[0], data[1:]
    if kind == 8:
        return read_active_format(data)
    if kind == 9:
        return read_timecode(data)
    if kind == 10:
        return 'area', *rest.numbers('iiIIII'), rest.text(), rest.lists()
    if kind == 11:
        return 'reference', *rest.numbers('QQ'), rest.lists(1)
    return kind, data
