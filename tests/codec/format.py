#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""format.py PROJECT: reads the golden streams by FORMAT.md alone.

A second reader of all but the insides of codeblocks: sections 1 to 4 and 6. It
shares no code with the codec, so what it reads is what FORMAT.md describes. Of
each frame some bits are then flipped: the CRCs of header and index and, where
the frame has them, the checks of the codeblocks find every one of them.
"""
import glob
import re
import struct
import sys
import zlib

# This is what is in the chunks that tests/golden/make-golden.c writes.
CHUNKS = {1: struct.pack('<8H2I', 34000, 16000, 13250, 34500, 7500, 3000,
                         15635, 16450, 10000000, 1),
          2: struct.pack('<2H', 1000, 400),
          4: struct.pack('<IQ', 7, 0x123456789a),
          5: struct.pack('<BBH', 6, 0, 1 << 0 | 1 << 14),
          256: struct.pack('<2I', 27, zlib.crc32(b'what no header has room for'))}
# This is what its ancillary chunks say.
ANCILLARY = [
    ('caption', 1, b'\x94\x2c'),
    ('caption', 3, b'\xfc\x41\x42'),
    ('AFD', 0, 2, 10),
    ('bars', 1, 0, 4, 35),
    ('timecode', 30000, 1001, 29, 23, 59, 58, 2, 3, -1000000, 7200),
    ('area', 3, -1, 8, 9, 20, 10, 'face', [
        ('detection', [('sharp', True), ('delta', -2), ('tracker', 4000000000),
                       ('from', -5000000000), ('seen', 1 << 63),
                       ('confidence', 0.75), ('scale', (-3, 4)),
                       ('who', 'Zo\u00eb')]),
        ('nothing', [])]),
    ('reference', 1700000000123456789, 2**64 - 1,
     [('timestamp/x-ptp', [('domain', 127)])]),
    (200, b'a\0\xff')]


def need(condition, what):
    if not condition:
        raise ValueError(what)


def read_builtin_sets(project, family):
    """Returns the eight sets of a family."""
    with open(f'{project}/codec/tables/sets.inc', encoding='utf-8') as file:
        text = re.sub(r'/\*.*?\*/', '', file.read(), flags=re.S)
    values = [int(value) for value in re.findall(r'\d+', text)]
    return [values[(8 * family + number) * 192 * 55:][:192 * 55]
            for number in range(8)]


def check_carried_set(data, builtin):
    differences, at = [], 0
    while at < len(data):
        run = data[at] == 0
        differences += [0] * (data[at + 1] + 1) if run else [data[at]]
        at += 1 + run
    need(len(differences) == len(builtin) == 192 * 55, 'size of a set')
    need(all((a + b) % 256 for a, b in zip(differences, builtin)), '0 in a set')


class Bytes:
    """Reads from the front."""

    def __init__(self, data):
        self.data = data

    def numbers(self, layout):
        size = struct.calcsize('<' + layout)
        need(len(self.data) >= size, 'size of a chunk')
        taken, self.data = self.data[:size], self.data[size:]
        return struct.unpack('<' + layout, taken)

    def text(self, length='B'):
        size = self.numbers(length)[0]
        need(len(self.data) >= size, 'length of a text')
        taken, self.data = self.data[:size], self.data[size:]
        return taken.decode()

    def name(self):
        name = self.text()
        need(re.fullmatch('[A-Za-z][A-Za-z0-9_.:+/-]*', name), 'name')
        return name

    def value(self):
        name, kind = self.name(), self.numbers('B')[0]
        need(1 <= kind <= 8, 'type of a value')
        if kind == 8:
            return name, self.text('H')
        numbers = self.numbers(('B', 'i', 'I', 'q', 'Q', 'd', 'ii')[kind - 1])
        return name, numbers if kind == 7 else numbers[0]

    def lists(self):
        lists = [(self.name(), [self.value() for _ in range(*self.numbers('B'))])
                 for _ in range(*self.numbers('B'))]
        need(not self.data, 'something behind the lists')
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


def read_chunks(data, sets):
    chunks = {}
    while data:
        kind, size = struct.unpack_from('<2H', data)
        chunk, data = data[4:4 + size], data[4 + size:]
        need(len(chunk) == size, 'size of a chunk')
        if 7 <= kind <= 255:
            chunks.setdefault('ancillary', []).append(
                read_ancillary(kind, chunk))
            continue
        need(kind in {1, 2, 3, 4, 5, 256, 257} - chunks.keys(), 'type of a chunk')
        need(len(chunk) == size == len(CHUNKS.get(kind, chunk)), 'its size')
        chunks[kind] = chunk
    if 3 in chunks:
        family, number = chunks[3][:2]
        check_carried_set(chunks[3][2:], sets[family][number])
    if 257 in chunks:
        check_slice(chunks[257])
    return chunks


def check_slice(data):
    need(len(data) == 10, 'size of a slice')
    _, length, position, wavelet, levels, depth, bits = struct.unpack('<I6B', data)
    need(1 <= length <= 64 and position < length and wavelet in (0, 3)
         and levels <= 3 and depth in (8, 16) and bits in (depth, 13), 'slice')


def count_blocks(width, height, fields, levels, components, entries):
    """Returns the number of codeblocks, in any order."""
    n = 0
    for c, (_, subsampling, _, _) in enumerate(components):
        for field in range(1 + fields):
            w = -(-width // 2**(subsampling & 3))
            h = -(-height // 2**(subsampling >> 4 & 3))
            h = (h + 1 - field) // 2 if fields else h
            bands = []
            for _ in range(levels):
                low, high = (-(-w // 2), -(-h // 2)), (w // 2, h // 2)
                bands = [(high[0], low[1]), (low[0], high[1]), high] + bands
                w, h = low
            bands = [(w, h)] + bands
            for (w, h), entry in zip(bands, entries[c * len(bands):]):
                n += -(-w // 64) * -(-h // (32 << (entry >> 14)))
    return n


def read_header(data, sets):
    (magic, version, flags, header_size, frame_size, index_size,
     index_crc) = struct.unpack_from('<4sBBHIII', data)
    width, height = struct.unpack_from('<2H', data, 36)
    mode, picture_flags = data[56:58]
    n, features, levels, passes, transform = data[64:69]
    need(magic == b'PACO' and version == 3 and flags < 2, 'no frame')
    need(header_size + index_size <= frame_size == len(data), 'sizes')
    end = header_size - 4
    need(zlib.crc32(data[:end]) == struct.unpack_from('<I', data, end)[0],
         'CRC of the header')
    index = data[header_size:header_size + index_size]
    need(zlib.crc32(index) == index_crc, 'CRC of the index')
    need(re.fullmatch(rb'[!-~]*\0+', data[20:36]), 'raw format')
    need(1 <= width <= 16384 and 1 <= height <= 16384, 'size of the picture')
    need(mode < 3 or (mode == 3 and height <= 8192 and not picture_flags & 1),
         'interlace mode')
    need(1 <= n <= 4 and features < 2 and levels <= 8 and 1 <= passes <= 3, 'coding')
    components = [data[72 + 4 * c:76 + 4 * c] for c in range(n)]
    if features & 1:
        places = [0x11, 0x15, 0x51, 0x55]
        need(sorted(c[1] for c in components) == places and width % 2 == height % 2 == 0
             and len({c[0] for c in components}) == 1 and not picture_flags & 1, 'mosaic')
    need(not transform or transform < 4 and n > 2 and len({c[:3] for c in components[:3]}) == 1
         or transform == 7 and features & 1 and max(data[70:72]) <= 8
         and components[0][1] ^ components[3][1] == 0x44, 'color transform')
    need(transform == 7 or data[70:72] == bytes(2), 'parameters')
    at, n_entries = 72 + 4 * n, 3 * levels + 1
    entries = struct.unpack_from(f'<{n * n_entries}H', data, at)
    for i, entry in enumerate(entries):
        need(components[i // n_entries][2] or entry & 0x3fff == 0, 'step')
    chunks = read_chunks(data[at + 2 * len(entries):end], sets)
    need(257 not in chunks or n == 1 and components[0][0] == 16 and mode == 0,
         'picture of a slice')
    n_blocks = count_blocks(width, height, picture_flags & 1, levels,
                            components, entries)
    size, crc = struct.unpack('<2I', chunks.get(256, bytes(8)))
    payload = data[header_size + index_size:]
    need(size <= min(len(payload), 2**28), 'size of the attachment')
    payload, attachment = payload[:len(payload) - size], payload[len(payload) - size:]
    need(zlib.crc32(attachment) == crc, 'CRC of the attachment')
    return flags, n_blocks, index, payload, chunks


def check_of_block(data):
    def m(k):
        return k ^ k >> 11

    total, padded = len(data), data + bytes(-len(data) % 8)
    for n, (a, b) in enumerate(struct.iter_unpack('<2I', padded)):
        total += ((a ^ m((n + 1) * 2654435761 % 2**32))
                  * (b ^ m((n + 1) * 2246822519 % 2**32)))
    total %= 2**64
    return (total ^ total >> 32) * 11400714819323198485 % 2**64 >> 48


def take16(data):
    need(len(data) >= 2, 'record')
    return struct.unpack_from('<H', data)[0], data[2:]


def read_frame(data, sets):
    flags, n_blocks, index, payload, chunks = read_header(data, sets)
    for _ in range(n_blocks):
        first, index = index[0], index[1:]
        planes = first & 31
        need(planes <= 23, 'planes')
        need(planes or first == 0, 'record of an empty block')
        if planes:
            length, index = take16(index)
            length &= 0x1fff  # the rest is the set, 0 to 7
            if length == 0x1fff:
                length, index = take16(index)
                need(length >= 0x1fff, 'length')
            dropped, raw = divmod(index[0], 16) if first & 128 else (0, 0)
            index = index[first >> 7:]
            cut = raw == 14
            raw = 0 if cut else planes - dropped if raw == 15 else raw
            need(dropped < planes and raw + dropped <= planes, 'planes')
            need(not (first & 64 and (raw or cut)), 'raw signs')
            check, index = take16(index) if flags else (None, index)
            block, payload = payload[:length], payload[length:]
            need(len(block) == length, 'payload')
            need(not flags or check == check_of_block(block), 'check')
    need(not index and not payload, 'something is left over')
    return flags, chunks


def split(data):
    """Yields the frames of a stream."""
    while data:
        size = struct.unpack_from('<I', data, 8)[0]
        yield data[:size]
        data = data[size:]


def try_frame(path, data, sets):
    """Reads a frame, sees each change of it, and returns its chunks."""
    flags, chunks = read_frame(data, sets)
    expected = {**CHUNKS, 'ancillary': ANCILLARY}
    assert all(expected.get(k, chunk) == chunk
               for k, chunk in chunks.items()), chunks
    header_size, index_size = struct.unpack_from('<H4xI', data, 6)
    end = len(data) if flags else header_size + index_size
    for at in range(0, end, 1 + end // 300):
        damaged = bytearray(data)
        damaged[at] ^= 1 << at % 8
        try:
            read_frame(bytes(damaged), sets)
        except (ValueError, IndexError, struct.error):
            continue
        sys.exit(f'{path}: a change of byte {at} is not seen')
    print(f'{path}: chunks {sorted(map(str, chunks))}, {end} bytes are checked')
    return chunks


def check_stacks(path, slices):
    """Checks the slices of one stack, all of them, in order."""
    if not any(slices):
        return
    told = [struct.unpack('<I6B', data) for data in slices]
    assert [slice_[2] for slice_ in told] == list(range(told[0][1])), path
    assert len({slice_[:2] + slice_[3:] for slice_ in told}) == 1, path


def main():
    sets = [read_builtin_sets(sys.argv[1], family) for family in (0, 1)]
    seen = set()
    for path in sorted(glob.glob(f'{sys.argv[1]}/tests/golden/*.paco')):
        with open(path, 'rb') as file:
            chunks = [try_frame(path, frame, sets) for frame in split(file.read())]
        seen |= set().union(*chunks)
        check_stacks(path, [frame.get(257) for frame in chunks])
    assert seen == {1, 2, 3, 4, 5, 256, 257, 'ancillary'}, \
        f'only chunks {seen} are in any stream'


if __name__ == '__main__':
    main()
