#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests TIFF files of many pages, and the mosaics of DNG and TIFF/EP files, which paco encode
and paco archive take; what is none of these is refused, or kept as it is."""
import os
import pathlib
import random
import struct
import subprocess
import sys

import dng
import harness
from harness import DONE, FAILED, expect, frames, paco, same

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'tool'))
# pylint: disable=wrong-import-position
import pictures  # noqa: E402

LAYOUTS = ({}, {'rows': 4}, {'rows': 3, 'gap': 5}, {'tile': 16}, {'sub': False})


def draw(depth=16, least=2, **how):
    """Returns samples of a mosaic, and a file of them."""
    width, height = (2 * random.randint(least // 2, 35) for _ in range(2))
    lines = dng.mosaic(width, height, depth)
    return lines, dng.dng(lines, depth, order=random.choice('<>'), **how)


def decoded(path, lines, depth):
    """Fails unless the frames of a file, decoded, are those mosaics."""
    status, out, err = paco('decode', '--as', 'raw', path, path.with_suffix('.raw'))
    assert status == DONE, (out, err)
    want = b''.join(struct.pack(f'<{len(line)}{"B" if depth == 8 else "H"}', *line)
                    for line in lines)
    assert path.with_suffix('.raw').read_bytes() == want, path


# --- pages ---

def draw_pages(n, components=1, depth=8):
    return [pictures.random_picture(40, 30, components, depth, random.random()) for _ in range(n)]


def page_bytes(path):
    """Returns the samples of all frames of a file, of gray pictures of 8 bits."""
    expect(DONE, 'decode', '--force', '--as', 'raw', path, path.with_suffix('.raw'))
    return path.with_suffix('.raw').read_bytes()


def test_pages(tmp):
    """Tests that each page becomes a frame, with other files before and after it."""
    pages = draw_pages(64)
    (tmp / 'a.tif').write_bytes(pictures.tiff(pages))
    (tmp / 'b.tif').write_bytes(pictures.tiff(pages[:1]))
    (tmp / 'c.pgm').write_bytes(pictures.pnm(pages[1]))
    expect(DONE, 'encode', '--lossless', tmp / 'a.tif', tmp / 'a.paco')
    assert len(frames(tmp / 'a.paco')) == 64
    assert page_bytes(tmp / 'a.paco') == b''.join(bytes(page[4]) for page in pages)
    names = [tmp / name for name in ('b.tif', 'a.tif', 'c.pgm', 'a.tif')]
    whole = [pages[0], *pages, pages[1], *pages]
    for _ in range(4):
        first = random.randrange(len(whole))
        last = random.randrange(first, len(whole) + 9)
        expect(DONE, 'encode', '--force', '--lossless', '--frames', f'{first}-{last}', *names,
               tmp / 'd.paco')
        assert page_bytes(tmp / 'd.paco') == b''.join(
            bytes(page[4]) for page in whole[first:last + 1]), (first, last)
    expect(FAILED, 'encode', '--frames', '131-', *names, tmp / 'e.paco', says='no picture')


def test_numbered_pages(tmp):
    """Tests files of a pattern, each with pages, of which some are left out."""
    pages = draw_pages(9)
    for i, n in enumerate((2, 1, 3, 1, 2)):
        at = sum((2, 1, 3, 1, 2)[:i])
        (tmp / f'a{i + 7}.tif').write_bytes(pictures.tiff(pages[at:at + n]))
    for first in range(9):
        expect(DONE, 'encode', '--force', '--lossless', '--frames', f'{first}-', tmp / 'a%d.tif',
               tmp / 'a.paco')
        assert page_bytes(tmp / 'a.paco') == b''.join(bytes(page[4]) for page in pages[first:])


def test_pages_refused(tmp):
    """Tests that the page is named that is another picture, or cannot be read."""
    pages = draw_pages(5)
    for other in (pictures.random_picture(41, 30, 1, 8, 1), pictures.random_picture(40, 29, 1, 8, 1)):
        (tmp / 'a.tif').write_bytes(pictures.tiff(pages[:3] + [other] + pages[3:]))
        expect(FAILED, 'encode', tmp / 'a.tif', tmp / 'a.paco',
               says=f'(page 4 of {tmp}/a.tif) is another one than those before')
        assert not (tmp / 'a.paco').exists()
    data = bytearray(pictures.tiff(pages))
    second = struct.unpack_from('<I', data, 8 + 2 + 9 * 12)[0]
    for tag, value, says in (
            (2, 16, 'page 2 of'), (3, 7, 'compressed with loss (JPEG)'), (4, 5, 'CMYK'),
            (5, 1 << 30, 'ends within the samples')):
        broken = bytearray(data)
        struct.pack_into('<I', broken, second + 2 + tag * 12 + 8, value)
        (tmp / 'b.tif').write_bytes(broken)
        text = expect(FAILED, 'encode', tmp / 'b.tif', tmp / 'b.paco', says=says)
        assert f'page 2 of {tmp}/b.tif' in text, text
    # A page that is there, and has no size.
    struct.pack_into('<H', data, second + 2, 60000)
    (tmp / 'c.tif').write_bytes(data)
    expect(FAILED, 'encode', tmp / 'c.tif', tmp / 'c.paco', says='the second one is no page')
    # Pages whose directories libtiff does not find, so that it does not count them.
    data = pictures.tiff(pages)
    link = 8 + 2 + 9 * 12
    for page in range(2, 6):
        lost = bytearray(data)
        struct.pack_into('<I', lost, link, len(data) + random.choice((-1, 1000)))
        (tmp / 'd.tif').write_bytes(lost)
        expect(FAILED, 'encode', tmp / 'd.tif', tmp / 'd.paco',
               says='the second one is no page' if page == 2 else f'page {page} of {tmp}/d.tif')
        assert not (tmp / 'd.paco').exists()
        link = struct.unpack_from('<I', data, link)[0] + 2 + 9 * 12


def test_archived_pages(tmp):
    """Tests that an archive gives back files of pages."""
    os.mkdir(tmp / 'in')
    for i in range(3):
        (tmp / 'in' / f'{i}.tif').write_bytes(pictures.tiff(draw_pages(64)))
    expect(DONE, 'archive', tmp / 'in', tmp / 'a.paco', says='64 pages')
    expect(DONE, 'restore', '--check', tmp / 'a.paco')
    expect(DONE, 'restore', tmp / 'a.paco', tmp / 'out')
    same(tmp / 'in', tmp / 'out')


# --- mosaics ---

def test_mosaics(tmp):
    """Tests all patterns, depths, orders of bytes and ways to lie in a file."""
    for depth in 8, 10, 12, 14, 16:
        os.mkdir(tmp / f'{depth}')
        for i, (pattern, how) in enumerate((p, h) for p in dng.PATTERNS for h in LAYOUTS):
            if i % 4:
                continue
            lines, file = draw(depth, pattern=pattern, **how)
            folder = tmp / f'{depth}' / f'{i}'
            os.mkdir(folder)
            (folder / 'a.dng').write_bytes(file)
            code = tmp / f'{depth}-{i}.paco'
            text = expect(DONE, 'archive', '--md5', folder, code)
            assert 'kept' not in text, text
            assert f'mosaic, {depth} bits' in expect(DONE, 'info', code)
            expect(DONE, 'restore', '-q', code, folder / 'out')
            assert (folder / 'out' / 'a.dng').read_bytes() == file, (pattern, depth, how)
            expect(DONE, 'encode', '--force', '--lossless', folder / 'a.dng', code)
            decoded(code, lines, depth)


def test_sequence(tmp):
    """Tests a folder of DNG files of a camera, with others that are no frames of it."""
    folder, lines = tmp / 'in', []
    os.mkdir(folder)
    for i in range(6):
        lines += dng.mosaic(50, 36, 14)
        (folder / f'A_{i:03}.dng').write_bytes(dng.dng(lines[-36:], 14, rows=8))
    lossy = dng.dng(dng.mosaic(50, 36, 14), 14, change={259: ('H', [7])})
    (folder / 'A_006.dng').write_bytes(lossy)
    (folder / 'A_007.dng').write_bytes(dng.dng(dng.mosaic(50, 36, 14), 14, pattern='bggr'))
    (folder / 'A_008.dng').write_bytes(dng.dng(dng.mosaic(50, 36, 14), 14)[:2000])
    (folder / 'still.tif').write_bytes(pictures.tiff(draw_pages(1)))
    text = expect(DONE, 'archive', folder, tmp / 'a.paco', says='4 pictures are no frames')
    for says in ('A_006.dng (the mosaic is compressed', 'A_007.dng (the colors of its mosaic lie',
                 'A_008.dng (the file ends within', 'still.tif ('):
        assert says in text, (says, text)
    assert len(frames(tmp / 'a.paco')) == 6
    expect(DONE, 'restore', tmp / 'a.paco', tmp / 'out')
    same(folder, tmp / 'out')
    expect(DONE, 'encode', '--lossless', '--frames', '0-5', folder / 'A_%03d.dng', tmp / 'b.paco')
    decoded(tmp / 'b.paco', lines, 14)


def test_mosaics_refused(tmp):
    """Tests what is no mosaic that can be coded: encode never takes the thumbnail for it."""
    path, small = tmp / 'a.dng', dng.mosaic(8, 6, 16)
    linear = {262: ('H', [34892]), 33421: None, 33422: None}
    cells = {33421: ('H', [6, 6]), 33422: ('B', [0, 1, 2] * 12)}
    cases = (
        ({259: ('H', [7])}, 'the mosaic is compressed'),
        ({259: ('H', [34713])}, 'the mosaic is compressed'),
        ({256: ('I', [7])}, 'an odd number of columns or lines'),
        ({257: ('I', [5])}, 'an odd number of columns or lines'),
        ({258: ('H', [13])}, 'no integers of 8, 10, 12, 14 or 16 bits'),
        ({277: ('H', [2]), 258: ('H', [8, 8])}, 'no integers of'),
        ({339: ('H', [3])}, 'no integers of'),
        ({266: ('H', [2])}, 'FillOrder'),
        ({33422: ('B', [0, 1, 1, 1])}, 'no cells of red, two greens and blue'),
        ({33422: ('B', [1, 1, 0, 2])}, 'no cells of red, two greens and blue'),
        ({33422: ('B', [0, 2, 1, 1])}, 'no cells of red, two greens and blue'),
        ({33422: ('B', [0, 1, 1, 3])}, 'no cells of red, two greens and blue'),
        ({33421: ('H', [2, 4])}, 'no cells of red, two greens and blue'),
        ({33422: None}, 'no cells of red, two greens and blue'),
        ({50710: ('B', [0, 1, 3])}, 'no cells of red, two greens and blue'),
        ({50711: ('H', [2])}, 'staggered'),
        (cells, 'no cells of red, two greens and blue'),
        (linear, 'neither gray nor RGB, nor a mosaic'),
        ({273: ('I', [1 << 20])}, 'ends within the samples'),
        ({256: None}, 'no'),
        ({254: ('I', [1])}, 'its first picture is a thumbnail'))
    for change, says in cases:
        for sub in True, False:
            if not sub and 254 in change:
                continue
            path.write_bytes(dng.dng(small, 16, sub=sub, change=change))
            expect(FAILED, 'encode', path, tmp / 'a.paco', says=says)
            assert not (tmp / 'a.paco').exists()


def test_line_ends(tmp):
    """Tests that bits after the last sample of a packed line are not lost."""
    lines = dng.mosaic(10, 6, 10)
    file = bytearray(dng.dng(lines, 10))
    at = len(file) - len(b'maker') - 1
    os.mkdir(tmp / 'in')
    (tmp / 'in' / 'a.dng').write_bytes(file)
    file[at] |= 1
    (tmp / 'in' / 'b.dng').write_bytes(file)
    expect(DONE, 'archive', tmp / 'in', tmp / 'a.paco', says='b.dng is kept as it is: bits')
    expect(DONE, 'restore', tmp / 'a.paco', tmp / 'out')
    same(tmp / 'in', tmp / 'out')
    expect(FAILED, 'encode', tmp / 'in' / 'b.dng', tmp / 'b.paco', says='are not zero')


def test_several_sensors(tmp):
    """Tests that a file of two mosaics is not encoded as one, and comes back."""
    one = dng.dng(dng.mosaic(8, 6, 16), 16)
    at = one.index(struct.pack('<2HI', 330, 4, 1))
    file = bytearray(one) + bytes(len(one) % 2)
    sub, = struct.unpack_from('<I', file, at + 8)
    struct.pack_into('<2I', file, at + 4, 2, len(file))
    file += struct.pack('<2I', sub, sub)
    os.mkdir(tmp / 'in')
    (tmp / 'in' / 'a.dng').write_bytes(file)
    expect(FAILED, 'encode', tmp / 'in' / 'a.dng', tmp / 'a.paco', says='more than one picture')
    # The second one follows the first one, and is a page.
    file = bytearray(one) + bytes(len(one) % 2)
    end = sub + 2 + 12 * struct.unpack_from('<H', file, sub)[0]
    second = file[sub:end + 4]
    struct.pack_into('<I', file, end, len(file))
    (tmp / 'in' / 'b.dng').write_bytes(file + second)
    expect(DONE, 'encode', tmp / 'in' / 'b.dng', tmp / 'b.paco')
    assert len(frames(tmp / 'b.paco')) == 2
    expect(DONE, 'archive', tmp / 'in', tmp / 'a.paco', says='2 pages')
    expect(DONE, 'restore', tmp / 'a.paco', tmp / 'out')
    same(tmp / 'in', tmp / 'out')


def test_damaged(tmp):
    """Tests that no change of a few bytes of a file gives other bytes back, or a crash."""
    _, file = draw(12, 16)
    os.mkdir(tmp / 'out')
    for i in range(30):
        folder, broken = tmp / f'{i}', bytearray(file)
        os.mkdir(folder)
        (folder / 'b.dng').write_bytes(file)
        (folder / 'c.dng').write_bytes(file)
        for _ in range(random.randint(1, 4)):
            broken[random.randrange(700)] = random.choice((0, 1, 2, 255, random.randrange(256)))
        (folder / 'a.dng').write_bytes(broken)
        expect(DONE, 'archive', '-q', folder, tmp / f'{i}.paco')
        expect(DONE, 'restore', '-q', tmp / f'{i}.paco', tmp / 'out' / f'{i}')
        same(folder, tmp / 'out' / f'{i}')
        status, _, err = paco('encode', folder / 'a.dng', tmp / f'{i}-b.paco')
        assert status in (DONE, FAILED), err


def test_libraw(tmp):
    """Tests that LibRaw takes the files of these tests for what they should be."""
    python = os.environ.get('PACO_RAWPY', sys.executable)
    if subprocess.run([python, '-c', 'import rawpy'], capture_output=True, check=False).returncode:
        print('# skipped: there is no rawpy (PACO_RAWPY names a Python that has it)')
        return
    for depth in 8, 10, 12, 14, 16:
        for pattern, how in zip(dng.PATTERNS, ({}, {'rows': 4}, {'tile': 16}, {'sub': False})):
            lines = dng.mosaic(128, 96, depth)
            (tmp / 'a.dng').write_bytes(dng.dng(lines, depth, pattern=pattern,
                                                order=random.choice('<>'), **how))
            program = ('import rawpy, sys; raw = rawpy.imread(sys.argv[1]);'
                       'sys.stdout.buffer.write(bytes(raw.raw_pattern.flatten()) '
                       '+ raw.raw_image.astype("<u2").tobytes())')
            out = subprocess.run([python, '-c', program, tmp / 'a.dng'], capture_output=True,
                                 check=True).stdout
            assert out[:4].replace(b'\3', b'\1') == dng.PATTERNS[pattern]
            assert out[4:] == b''.join(struct.pack('<128H', *line) for line in lines), how


if __name__ == '__main__':
    sys.exit(harness.main(globals()))
