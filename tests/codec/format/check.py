#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""check.py PROJECT: decodes the golden streams by FORMAT.md alone.

This decoder was written by someone who had only FORMAT.md and sets.inc. It shares no
code with the codec: what it decodes is what FORMAT.md describes. Of each frame some
bits are then flipped: the CRCs of header and index and, where the frame has them, the
checks of the codeblocks find every one of them.
"""
import glob
import hashlib
import os
import struct
import sys
import zlib

from ancillary import Bytes
from frame import decode, read_frame
from header import read_builtin_sets, split
from index import check_cut_points
from stack import pictures_of_stack

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


def try_changes(path, data, flags, sets):
    """Sees each change of what CRCs and checks cover."""
    header_size, index_size = struct.unpack_from('<H4xI', data, 6)
    end = len(data) if flags & 1 else header_size + index_size
    for at in range(0, end, 1 + end // 150):
        damaged = bytearray(data)
        damaged[at] ^= 1 << at % 8
        try:
            *_, blocks = read_frame(bytes(damaged), sets)
        except (ValueError, IndexError, struct.error):
            continue
        if all(block is not None for *_, block in blocks):
            sys.exit(f'{path}: a change of byte {at} is not seen')


def features(header, blocks):
    """Yields what a frame has that some golden stream must have."""
    yield from header.chunks
    yield f'{header.passes} passes'
    yield f'{header.levels} levels'
    yield f'interlace mode {header.interlace_mode}'
    yield f'{1 + header.fields} fields, {"" if header.checks else "no "}checks'
    yield f'{len(header.components)} components'
    yield f'color transform {header.transform}'
    if header.mosaic:
        yield f'mosaic, R {header.components[0].place}, B {header.components[3].place}'
    for component in header.components:
        yield f'wavelet {component.wavelet}, family {component.family}'
        yield f'kind of samples {component.kind}'
        yield from (f'{axis} subsampling {log2}'
                    for axis, log2 in zip('xy', component.subsampling))
        yield from (f'blocks of {32 << (entry >> 14)} lines' for entry in component.entries)
    yield from (f'code table of form {table.form}' for table in header.code_tables)
    if 3 in header.chunks:
        yield f'carried set of family {header.chunks[3][0]}'
    if header.step_map:
        yield f'step map, {"some" if header.step_map[1] else "none"} halved'
    if header.slice:
        yield f'stack of depth {header.slice.depth}, {header.slice.bits} bits'
        yield f'stack wavelet {header.slice.wavelet}'
        yield f'stack levels {header.slice.levels}'
    for place, record, _ in blocks:
        coded = record.planes - record.dropped - record.raw
        yield f'set {record.set} of family {header.components[place.component].family}'
        yield from (name for name, there in (
            ('all planes raw', coded == 0),
            ('raw planes', coded and record.raw),
            ('dropped planes', record.dropped),
            ('a cut block', record.cut),
            ('signs of both columns raw', record.raw_left),
            ('4 lanes share codewords', record.shared and coded > 1),
            ('8 lanes share codewords', record.shared and coded == 1),
            ('a long block', record.length >= 8191)) if there)


FEATURES = {1, 2, 3, 4, 5, 6, 256, 257, 258, 259, 260, 'ancillary',
            '1 passes', '2 passes', '3 passes',
            *(f'{i} levels' for i in range(9)),
            *(f'{i} components' for i in range(1, 5)),
            *(f'interlace mode {i}' for i in range(4)),
            *(f'{i} fields, {some}checks' for i in (1, 2) for some in ('', 'no ')),
            *(f'color transform {i}' for i in (0, 1, 2, 3, 4, 5, 7)),
            *(f'mosaic, R {(x, y)}, B {(1 - x, 1 - y)}' for x in (0, 1) for y in (0, 1)),
            'mosaic, R (0, 0), B (0, 1)',
            'wavelet 0, family 0', 'wavelet 1, family 1', 'wavelet 2, family 0',
            *(f'set {i} of family {f}' for i in range(8) for f in (0, 1)),
            *(f'kind of samples {i}' for i in range(3)),
            *(f'{axis} subsampling {i}' for axis in 'xy' for i in range(3)),
            *(f'blocks of {32 << i} lines' for i in range(4)),
            *(f'{what} {i}' for i in (0, 1)
              for what in ('code table of form', 'carried set of family')),
            *(f'step map, {n} halved' for n in ('some', 'none')),
            *(f'stack of depth {d}, {b} bits' for d in (8, 16) for b in (d, 13)),
            *(f'stack wavelet {i}' for i in (0, 3)), *(f'stack levels {i}' for i in range(4)),
            'all planes raw', 'raw planes', 'dropped planes', 'a cut block',
            'signs of both columns raw', '4 lanes share codewords',
            '8 lanes share codewords', 'a long block'}


def md5_of(samples, depth):
    """Returns the MD5 of a component (section 14)."""
    return hashlib.md5(samples.astype('<u2' if depth > 8 else 'u1').tobytes()).hexdigest()


def check_frame(path, data, sets):
    """Returns what the frame has, and its pictures."""
    header, _, maps, blocks = read_frame(data, sets)
    expected = {**CHUNKS, 'ancillary': ANCILLARY}
    assert all(expected.get(k, chunk) == chunk
               for k, chunk in header.chunks.items()), header.chunks
    if path.endswith('-step-map.paco'):  # not that of an encoder
        assert all(e == (5 if i % 11 < 6 else i * 7 % 16) for i, e in enumerate(
            e for field in maps for e in field.flat)), 'step map'
    if header.cut_points is not None:
        end = header.header_size + header.index_size
        check_cut_points(Bytes(data[end - header.cut_points:end]),
                         [record for _, record, _ in blocks])
    try_changes(path, data, header.checks, sets)
    pictures, n_broken = decode(data, sets)
    assert (n_broken > 0) == ('-broken-' in path), path
    return header, set(features(header, blocks)), pictures


def check_slices(path, plans):
    """Checks what the slices of one stack say of it, all of them, in order."""
    assert [plan.position for plan in plans] == list(range(plans[0].length)), path
    assert len({(plan.number, plan.length, plan.wavelet, plan.levels, plan.depth,
                 plan.bits) for plan in plans}) == 1, path


def pictures_of_slices(frames, plan):
    """Yields number, levels left out and samples of the pictures of a stack."""
    for left_out in range(1 if plan.bits == 16 else frames[0][0].levels + 1):
        slices = [pictures[left_out][0] for _, _, pictures in frames]
        for position, samples in enumerate(pictures_of_stack(slices, plan)):
            yield position, left_out, samples


def check_stream(path, sets):
    """Returns what the stream has, and {number, levels left out: MD5s}."""
    with open(path, 'rb') as file:
        frames = [check_frame(path, data, sets) for data in split(file.read())]
    found = set().union(*(features for _, features, _ in frames))
    header = frames[0][0]
    if header.slice:
        check_slices(path, [header.slice for header, _, _ in frames])
        return found, {
            (number, left_out): [md5_of(samples, header.slice.depth)]
            for number, left_out, samples in pictures_of_slices(frames, header.slice)}
    assert len(frames) == 1, path
    return found, {
        (0, left_out): [md5_of(samples, component.depth) for samples, component
                        in zip(picture, header.components)]
        for left_out, picture in enumerate(frames[0][2])}


def read_md5s(folder):
    """Returns {stream: {number, levels left out: MD5s}}."""
    streams = {}
    with open(os.path.join(folder, 'components.md5'), encoding='utf-8') as file:
        for line in file:
            if not line.startswith('#'):
                stream, number, left_out, *md5s = line.split()
                streams.setdefault(stream, {})[int(number), int(left_out)] = md5s
    return streams


def main():
    folder = os.path.join(sys.argv[1], 'tests', 'golden')
    sets = read_builtin_sets(
        os.path.join(sys.argv[1], 'codec', 'tables', 'sets.inc'))
    expected, found = read_md5s(folder), set()
    for path in sorted(glob.glob(os.path.join(folder, '*.paco'))):
        of_stream, md5s = check_stream(path, sets)
        name = os.path.basename(path)[:-len('.paco')]
        assert md5s == expected.pop(name), f'{name} decodes to other samples'
        print(f'{name}: {len(md5s)} pictures')
        found |= of_stream
    assert not expected, f'no streams {list(expected)}'
    assert found == FEATURES, f'not as it should be: {found ^ FEATURES}'


if __name__ == '__main__':
    main()
