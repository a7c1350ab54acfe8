# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads geometry and index (FORMAT.md sections 4 and 6)."""
from dataclasses import dataclass

from ancillary import Bytes, need


@dataclass
class Place:
    """Where a codeblock is: a rectangle of a subband of a field."""
    level: int
    field: int
    component: int
    band: str
    x: int
    y: int
    width: int
    height: int


@dataclass
class Record:
    """What the index says of a codeblock that is not zero."""
    planes: int
    shared: int
    raw_left: int
    length: int
    set: int
    dropped: int
    raw: int
    cut: bool
    check: int


def sizes_of_bands(size, levels):
    """Returns the sizes of subbands of (level, band)."""
    bands = {}
    for level in range(1, levels + 1):
        low, high = [-(-n // 2) for n in size], [n // 2 for n in size]
        bands[level, 'HL'] = high[0], low[1]
        bands[level, 'LH'] = low[0], high[1]
        bands[level, 'HH'] = tuple(high)
        size = low
    bands[levels, 'LL'] = tuple(size)
    return bands


def size_of_field(header, component, field):
    """Returns columns and lines of a field of a component."""
    horizontal, vertical = header.components[component].subsampling
    width = -(-header.width // 2**horizontal)
    height = -(-header.height // 2**vertical)
    return width, (height + 1 - field) // 2 if header.fields else height


def entry_of(levels, level, band):
    """Returns which of the entries of a component is that of a subband."""
    return 0 if band == 'LL' else (
        1 + 3 * (levels - level) + ('HL', 'LH', 'HH').index(band))


def places_of_blocks(header):
    """Yields the places of all codeblocks, in their order."""
    levels = header.levels
    for level, bands in [(levels, ['LL'])] + [
            (level, ['HL', 'LH', 'HH']) for level in range(levels, 0, -1)]:
        for field in range(1 + header.fields):
            for c, component in enumerate(header.components):
                sizes = sizes_of_bands(size_of_field(header, c, field), levels)
                for band in bands:
                    width, height = sizes[level, band]
                    lines = 32 << (
                        component.entries[entry_of(levels, level, band)] >> 14)
                    for y in range(0, height, lines):
                        for x in range(0, width, 64):
                            yield Place(level, field, c, band, x, y,
                                        min(64, width - x), min(lines, height - y))


def check_of_block(data):
    def m(k):
        return k ^ k >> 11

    words = Bytes(data + bytes(-len(data) % 8))
    total = len(data)
    for n in range(1, len(words.data) // 8 + 1):
        a, b = words.numbers('II')
        total += ((a ^ m(n * 2654435761 % 2**32))
                  * (b ^ m(n * 2246822519 % 2**32)))
    total %= 2**64
    return (total ^ total >> 32) * 11400714819323198485 % 2**64 >> 48


def read_record(index, checks):
    """Returns the next record of the index, None for a block that is zero."""
    first = index.number('B')
    planes = first & 31
    need(planes <= 23, 'planes')
    if planes == 0:
        need(first == 0, 'record of an empty block')
        return None
    number = index.number('H')
    length, set_ = number & 0x1fff, number >> 13
    if length == 0x1fff:
        length = index.number('H')
        need(length >= 0x1fff, 'length')
    dropped, raw = divmod(index.number('B'), 16) if first & 128 else (0, 0)
    cut = raw == 14
    raw = 0 if cut else planes - dropped if raw == 15 else raw
    need(dropped < planes and raw + dropped <= planes, 'planes')
    need(not (first & 64 and (raw or cut)), 'raw signs')
    check = index.number('H') if checks else None
    return Record(planes, first >> 5 & 1, first >> 6 & 1, length, set_, dropped,
                  raw, cut, check)


def check_cut_points(index, records):
    """Checks the cut points (6.1), which decoders do not look at, of blocks that are
    not zero."""
    for record in records:
        head = index.number('B')
        need(head >> 6 == 0, 'cut points')
        left = record.length
        for _ in range(head & 3):
            codewords, _worth = index.numbers('HB')
            need(4 * codewords < left, 'codewords that are left')
            left = 4 * codewords
        index.take(1)
    need(not index.data, 'something after the cut points')


def read_index(header, data, payload):
    """Yields place, record and bytes of each block that is not zero. The bytes are None
    if their check differs."""
    index, payload = Bytes(data), Bytes(payload)
    for table in header.code_tables:
        index.take(table.size)
    places = list(places_of_blocks(header))
    records = [read_record(index, header.checks) for _ in places]
    if header.step_map:
        index.take(header.step_map[0])
    if header.cut_points is not None:
        index.take(header.cut_points)
    need(not index.data, 'something is left of the index')
    for place, record in zip(places, records):
        if record:
            block = payload.take(record.length)
            differs = header.checks and record.check != check_of_block(block)
            yield place, record, None if differs else block
    need(not payload.data, 'something is left of the payload')
