#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests OpenEXR files: written here, byte by byte, with each compression but PIZ, they come
back unchanged. Those of OpenEXR's own samples come back, too, and damaged ones are kept as
they are."""
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import zlib

import harness
from harness import DAMAGE, DONE, FAILED, Frame, expect, frames, same

UINT, HALF, FLOAT = 0, 1, 2
NONE, RLE, ZIPS, ZIP, PIZ, PXR24 = range(6)
LINES = {NONE: 1, RLE: 1, ZIPS: 1, ZIP: 16, PIZ: 32, PXR24: 16}


def predict(raw):
    """The bytes in OpenEXR's order, as differences."""
    data = raw[::2] + raw[1::2]
    return data[:1] + bytes((b - a + 128) & 255 for a, b in zip(data, data[1:]))


def runs(data):
    """OpenEXR's RLE."""
    out, at = b'', 0
    while at < len(data):
        n = 1
        while at + n < len(data) and data[at + n] == data[at] and n < 128:
            n += 1
        if n >= 3:
            out += bytes([n - 1, data[at]])
        else:
            while (at + n < len(data) and n < 127
                   and len(set(data[at + n:at + n + 3])) + (at + n + 3 > len(data)) > 1):
                n += 1
            out += bytes([256 - n]) + data[at:at + n]
        at += n
    return out


def line(kind, width, y, noise):
    """Samples of a line."""
    values = [(x * 3 + y * 5) % 90 / 7 - 3 + random.randrange(9) * noise for x in range(width)]
    if kind == UINT:
        return struct.pack(f'<{width}I', *(int(v * 1000) & 0xffffffff for v in values))
    return struct.pack(f'<{width}{"e" if kind == HALF else "f"}', *values)


def attribute(name, kind, value):
    return name + b'\0' + kind + b'\0' + struct.pack('<I', len(value)) + value


def make_part(channels, compression=ZIP, level=6, width=50, height=37, x0=0, y0=0, falling=False,
              more=b'', noise=0.01):
    """The attributes of a part, and its chunks: (line, bytes). channels: (name, type,
    sampling)."""
    chlist = b''.join(name.encode() + b'\0' + struct.pack('<IB3xII', kind, 0, step, step)
                      for name, kind, step in channels) + b'\0'
    window = struct.pack('<4i', x0, y0, x0 + width - 1, y0 + height - 1)
    head = (attribute(b'channels', b'chlist', chlist)
            + attribute(b'compression', b'compression', bytes([compression]))
            + attribute(b'dataWindow', b'box2i', window)
            + attribute(b'displayWindow', b'box2i', struct.pack('<4i', 0, 0, 99, 99))
            + attribute(b'lineOrder', b'lineOrder', bytes([falling])) + more
            + attribute(b'pixelAspectRatio', b'float', struct.pack('<f', 1))
            + attribute(b'screenWindowCenter', b'v2f', bytes(8))
            + attribute(b'screenWindowWidth', b'float', struct.pack('<f', 1)) + b'\0')
    chunks = []
    for first in range(0, height, LINES[compression]):
        raw = b''.join(line(kind, width // step, y, noise)
                       for y in range(first, min(first + LINES[compression], height))
                       for name, kind, step in channels if y % step == 0)
        data = raw
        if compression in (ZIP, ZIPS):
            data = zlib.compress(predict(raw), level)
        elif compression == RLE:
            data = runs(predict(raw))
        if len(data) >= len(raw):
            data = raw
        chunks.append((first, struct.pack('<iI', y0 + first, len(data)) + data))
    return head, chunks


def exr(channels, compression=ZIP, level=6, *, flags=0, falling=False, behind=b'', **how):
    """An OpenEXR file of one part."""
    head, chunks = make_part(channels, compression, level, falling=falling, **how)
    head = struct.pack('<II', 20000630, 2 | flags) + head
    at, table, body = len(head) + 8 * len(chunks), {}, b''
    for first, chunk in reversed(chunks) if falling else chunks:
        table[first] = at + len(body)
        body += chunk
    return head + b''.join(struct.pack('<Q', table[first]) for first, _ in chunks) + body + behind


def exr_of_parts(parts, interleaved=False, order=None, behind=b'', kinds=None):
    """An OpenEXR file. parts: what make_part() takes. order: of their chunks. kinds: of parts
    that are none of lines."""
    made = [make_part(**part) for part in parts]
    head = struct.pack('<II', 20000630, 2 | 0x1000)
    for i, (attributes, chunks) in enumerate(made):
        head += (attributes[:-1] + attribute(b'name', b'string', b'part %d' % i)
                 + attribute(b'type', b'string', (kinds or {}).get(i, b'scanlineimage'))
                 + attribute(b'chunkCount', b'int', struct.pack('<I', len(chunks))) + b'\0')
    head += b'\0'
    at = len(head) + 8 * sum(len(chunks) for _, chunks in made)
    table, body, queue = {}, b'', []
    for i in order or range(len(parts)):
        chunks = made[i][1]
        queue += [(n, i, c) for n, c in enumerate(
            reversed(chunks) if parts[i].get('falling') else chunks)]
    for _, i, (first, chunk) in sorted(queue, key=lambda c: c[0]) if interleaved else queue:
        table[i, first] = at + len(body)
        body += struct.pack('<I', i) + chunk
    return head + b''.join(struct.pack('<Q', table[i, first]) for i, (_, chunks) in enumerate(made)
                           for first, _ in chunks) + body + behind


RGB = [('B', HALF, 1), ('G', HALF, 1), ('R', HALF, 1)]
RGBA = [('A', HALF, 1), *RGB]


def check(tmp, name, files, n_frames=None, options=()):
    folder = tmp / name
    folder.mkdir()
    for i, data in enumerate(files):
        (folder / f'shot.{i:04}.exr').write_bytes(data)
    archive = tmp / f'{name}.paco'
    text = expect(DONE, 'archive', *options, folder, archive)
    assert len(frames(archive)) == (len(files) if n_frames is None else n_frames), text
    expect(DONE, 'restore', '--check', archive)
    expect(DONE, 'restore', '-q', archive, tmp / f'{name}.out')
    same(folder, tmp / f'{name}.out')
    return text


def test_compressions(tmp):
    """Tests each compression, level of zlib and order of lines."""
    for compression in NONE, RLE, ZIPS, ZIP:
        check(tmp, f'c{compression}', [
            exr(RGB, compression, falling=falling, noise=noise, behind=behind)
            for falling, noise, behind in ((False, 0, b''), (True, 0, b'behind'))],
              options=['--keep-files'])
    check(tmp, 'levels', [exr(RGB, ZIP, level, noise=0) for level in range(1, 10)],
          options=['--keep-files'])


def test_channels(tmp):
    """Tests what channels become: R, G, B and A, Y, Y with BY and RY, those of a layer, a
    single one; all others are kept."""
    for number, (channels, n) in enumerate((
            (RGBA, 4), ([('Y', HALF, 1)], 1), ([('A', HALF, 1), ('Y', HALF, 1)], 2),
            ([('BY', HALF, 2), ('RY', HALF, 2), ('Y', HALF, 1)], 3),
            ([('id', UINT, 1), ('left.B', HALF, 1), ('left.G', HALF, 1), ('left.R', HALF, 1),
              ('z', FLOAT, 1)], 3),
            ([('Z', HALF, 1), ('crypto00.r', FLOAT, 1)], 1),
            ([*RGBA, ('Z', FLOAT, 1), ('u', HALF, 1)], 4))):
        size = {'width': 50, 'height': 36, 'x0': -4, 'y0': 8}
        name = f'c{number}'
        check(tmp, name, [exr(channels, ZIP, **size), exr(channels, NONE, **size)], options=['--keep-files'])
        listed = expect(DONE, 'info', '--json', tmp / f'{name}.paco')
        assert f'"depth": [{", ".join(["16"] * n)}]' in listed, (channels, listed)


def test_kept(tmp):
    """Tests what is no frame: it is named, and comes back as it is."""
    other = exr(RGB, ZIP, noise=0)
    at = other.index(b'\x78\x9c')
    for number, (data, says) in enumerate((
            (exr(RGB, PXR24), 'with loss'), (exr([('G', FLOAT, 1)]), 'no channel of half'),
            (exr(RGB, flags=0x200), 'tiles'), (exr(RGB, flags=0x1000), 'no part of'),
            (other[:-9], 'ends within'), (other[:at] + b'\x78\x01' + other[at + 2:], 'not comp'),
            (other[:at + 30] + bytes(9) + other[at + 39:], 'is broken'),
            (exr(RGB, width=50, height=38), '50 x 38'), (exr(RGBA), 'component'))):
        text = check(tmp, f'k{number}', [exr(RGB, NONE), exr(RGB, NONE), data], 2)
        assert says in text, (says, text)


def test_parts(tmp):
    """Tests files of several parts: those like the first one are frames, the others are kept
    with them."""
    n = 0

    def one(n_frames, *parts, says='', **how):
        nonlocal n
        n += 1
        for compression in NONE, RLE, ZIPS, ZIP:
            made = [{'compression': compression, 'noise': 0, 'falling': random.random() < 0.3,
                     **part} for part in parts]
            data = exr_of_parts(made, **how)
            text = check(tmp, f'p{n}-{compression}', [data], n_frames, ['--keep-files', '--md5'])
            assert says in text, (says, text)

    rgb, rgba = {'channels': RGB}, {'channels': RGBA}
    depth, wide = {'channels': [('Z', FLOAT, 1)]}, {'channels': RGB, 'width': 51}
    one(3, rgb, rgb, rgb, says='1 file has several pictures, which are 3 frames')
    one(2, rgb, depth, rgb, says='(2; 1 more is kept', behind=b'behind')
    one(1, rgb, depth, says='2 parts: one is coded')
    one(1, depth, rgba, says='2 parts: one is coded')
    one(2, depth, rgba, wide, rgba, says='(2; 2 more are kept')
    one(1, rgb, says='')
    one(2, rgb, rgb, rgb, order=[2, 0, 1])
    one(1, rgb, rgb, kinds={0: b'deepscanline'}, says='one is coded')
    # Programs that make a frame of one picture must not leave the others out.
    (tmp / 'a.exr').write_bytes(exr_of_parts([rgb, rgb]))
    expect(FAILED, 'encode', tmp / 'a.exr', tmp / 'a.paco', says='more than one picture')
    # Lines of one part lie between those of others.
    folder = tmp / 'i'
    folder.mkdir()
    (folder / '0.exr').write_bytes(exr(RGB, NONE))
    (folder / '1.exr').write_bytes(exr_of_parts([rgb, rgb], interleaved=True))
    expect(DONE, 'archive', folder, tmp / 'i.paco', says='1.exr is kept as it is: ')
    expect(DONE, 'restore', tmp / 'i.paco', tmp / 'i.out')
    same(folder, tmp / 'i.out')


def test_damaged_parts(tmp):
    """Tests files of parts with any byte changed: they come back, as frames or not."""
    whole = [exr_of_parts([{'channels': RGB, 'compression': compression, 'noise': 0, 'width': 20,
                            'height': 20}] * 3) for compression in (NONE, RLE, ZIPS, ZIP)]
    folder = tmp / 'in'
    folder.mkdir()
    (folder / 'a.exr').write_bytes(whole[3])
    for i in range(100):
        data = bytearray(random.choice(whole))
        for _ in range(random.randrange(1, 4)):
            data[random.randrange(random.choice((len(data), 1200)))] = random.randrange(256)
        if i % 5 == 0:
            del data[random.randrange(len(data)):]
        (folder / f'b{i}.exr').write_bytes(data)
    expect(DONE, 'archive', '-q', folder, tmp / 'a.paco')
    expect(DONE, 'restore', '-q', tmp / 'a.paco', tmp / 'out')
    same(folder, tmp / 'out')


def test_library(tmp):
    """Tests files of parts that OpenEXR's own program makes of its samples."""
    samples = pathlib.Path(os.environ.get('PACO_SOURCE_ROOT', '.')) / '../shared/exr'
    if not shutil.which('exrmultipart') or not samples.is_dir():
        print('# skipped: there is no exrmultipart, or no samples of OpenEXR')
        return
    for i, (names, n) in enumerate((
            (['Desk', 'Desk', 'Desk'], 3), (['Desk', 'Carrots'], 1), (['t01', 't08'], 2),
            (['singlepart.0001', 'singlepart.0002', 'singlepart.0003'], 1),
            (['Rec709', 'Rec709_YC'], 1))):
        folder = tmp / f'{i}'
        folder.mkdir()
        subprocess.run(['exrmultipart', '-combine', '-i',
                        *(f'{samples}/{name}.exr::part{j}' for j, name in enumerate(names)),
                        '-o', folder / 'a.exr', '-override', '1'], check=True, capture_output=True)
        expect(DONE, 'archive', '--keep-files', folder, tmp / f'{i}.paco')
        assert len(frames(tmp / f'{i}.paco')) == n, (names, len(frames(tmp / f'{i}.paco')))
        expect(DONE, 'restore', '-q', tmp / f'{i}.paco', tmp / f'{i}.out')
        same(folder, tmp / f'{i}.out')


def test_damaged(tmp):
    """Tests files with any byte changed: they come back, as frames or not."""
    whole = [exr(RGB, compression, noise=0, width=20, height=20)
             for compression in (NONE, RLE, ZIPS, ZIP)]
    folder = tmp / 'in'
    folder.mkdir()
    (folder / 'a.exr').write_bytes(whole[3])
    for i in range(120):
        data = bytearray(random.choice(whole))
        for _ in range(random.randrange(1, 4)):
            data[random.randrange(len(data))] = random.randrange(256)
        if i % 5 == 0:
            del data[random.randrange(len(data)):]
        (folder / f'b{i}.exr').write_bytes(data)
    expect(DONE, 'archive', '-q', folder, tmp / 'a.paco')
    expect(DONE, 'restore', '-q', tmp / 'a.paco', tmp / 'out')
    same(folder, tmp / 'out')


def change_rests(tmp, name, files):
    """Restores archives whose frames keep something else of their files: none comes back
    that is another one."""
    folder = tmp / name
    folder.mkdir()
    for i, data in enumerate(files):
        (folder / f'{i}.exr').write_bytes(data)
        (folder / 'one').mkdir()
        shutil.copy(folder / f'{i}.exr', folder / 'one')
        expect(DONE, 'archive', '-q', '--keep-files', '--report=', folder / 'one',
               tmp / 'one.paco')
        shutil.rmtree(folder / 'one')
        frame, = frames(tmp / 'one.paco')
        (tmp / 'one.paco').unlink()
        changed = []
        for _ in range(25):
            parts = Frame(frame)
            rest = bytearray(parts.rest())
            # Most of what matters is at the begin, or in the tables.
            for _ in range(random.randrange(1, 4)):
                rest[random.randrange(random.choice((12, 400, len(rest))))] = (
                    random.randrange(256))
            if random.randrange(4) == 0:
                del rest[random.randrange(len(rest)):]
            if random.randrange(9) == 0:
                rest[:] = random.randbytes(len(rest))
            changed.append(parts.keep(rest=bytes(rest)))
        Frame.write(tmp / 'c.paco', changed)
        status, _, err = harness.paco('restore', '-q', tmp / 'c.paco', tmp / f'{name}{i}')
        assert status in (DAMAGE, DONE) and 'paco restore: ' in err, (status, err)
        for path in (tmp / f'{name}{i}').iterdir():
            assert path.read_bytes() == data


def test_rests(tmp):
    """Tests rests that are broken, of each compression."""
    change_rests(tmp, 'r', [exr([*RGBA, ('Z', FLOAT, 1)], compression, width=40, height=40)
                            for compression in (NONE, RLE, ZIPS, ZIP)])
    change_rests(tmp, 's', [exr_of_parts([
        {'channels': RGBA, 'compression': compression, 'width': 40, 'height': 40},
        {'channels': [('Z', FLOAT, 1)], 'width': 9, 'height': 9}]) for compression in (NONE, ZIP)])
    sample = pathlib.Path(os.environ.get('PACO_SOURCE_ROOT', '.')) / '../shared/exr/t01.exr'
    if sample.exists():
        change_rests(tmp, 'p', [sample.read_bytes()] * 3)


def test_larger(tmp):
    """Tests that a file whose frame would be larger is none, if there is another frame."""
    text = check(tmp, 'l', [exr(RGB, ZIP, noise=0)] * 3, 1)
    assert text.count('larger than the file') == 2


def test_samples(tmp):
    """Tests OpenEXR's samples, if they are there: PIZ comes back as well."""
    samples = pathlib.Path(os.environ.get('PACO_SOURCE_ROOT', '.')) / '..' / 'shared' / 'exr'
    if not samples.is_dir():
        return
    sizes = [0, 0]
    # These are the largest. One of a sequence is enough, and test_library() has Desk.
    again = ('singlepart.0002', 'singlepart.0003',
             'Desk' if shutil.which('exrmultipart') else '')
    for path in sorted(samples.glob('*.exr')):
        if path.stem in again:
            continue
        folder = tmp / path.stem
        folder.mkdir()
        shutil.copy(path, folder)
        status, _, err = harness.paco('archive', '-q', folder, tmp / f'{path.stem}.paco')
        if status == FAILED:
            assert path.stem in ('Garden', 'GrayRampsHorizontal', 'WideFloatRange'), err
            assert 'no picture' in err, err
            continue
        expect(DONE, 'restore', '-q', tmp / f'{path.stem}.paco', tmp / f'{path.stem}.out')
        same(folder, tmp / f'{path.stem}.out')
        sizes[0] += path.stat().st_size
        sizes[1] += (tmp / f'{path.stem}.paco').stat().st_size
    print(f'# {sizes[1] / sizes[0]:.3f} of the bytes')
    folder = tmp / 'damaged'
    folder.mkdir()
    shutil.copy(samples / 't01.exr', folder)
    for path in (samples / 'damaged').iterdir():
        shutil.copy(path, folder)
    piz = (samples / 't08.exr').read_bytes()
    for i in range(40):
        data = bytearray(piz)
        for _ in range(3):
            data[random.randrange(len(data))] = random.randrange(256)
        (folder / f'piz{i}.exr').write_bytes(data)
    expect(DONE, 'archive', '-q', folder, tmp / 'damaged.paco')
    expect(DONE, 'restore', '-q', tmp / 'damaged.paco', tmp / 'damaged.out')
    same(folder, tmp / 'damaged.out')


if __name__ == '__main__':
    sys.exit(harness.main(globals()))
