#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests folders of TIFF and PNG files, as people archive them with the tool: written
here, byte by byte, they come back unchanged, and files that cannot come back are
refused before anything is written."""
import os
import random
import struct
import sys
import zlib

import harness
from harness import DAMAGE, DONE, FAILED, chunk, expect, same

WIDTH, HEIGHT = 61, 37


def samples(n, depth, order):
    """Returns lines of a slope with noise."""
    top = 2 ** depth - 1
    return [b''.join(((x * 40 + y * 9 + random.randrange(30)) * (c + 1) & top)
                     .to_bytes(depth // 8, order)
                     for x in range(WIDTH) for c in range(n))
            for y in range(HEIGHT)]


def png(n=3, depth=16, level=6, chunks=b'', compressed=None, color=None):
    """Returns a PNG file, filtered line by line by chance."""
    bytes_of_pixel = n * depth // 8
    lines, above = b'', bytes(WIDTH * bytes_of_pixel)
    for line in samples(n, depth, 'big'):
        kind = random.randrange(3)
        left = bytes(bytes_of_pixel) + line[:-bytes_of_pixel]
        lines += bytes([kind]) + bytes(
            (a - (0, b, c)[kind]) & 255 for a, b, c in zip(line, left, above))
        above = line
    color = {1: 0, 2: 4, 3: 2, 4: 6}[n] if color is None else color
    data = compressed(lines) if compressed else zlib.compress(lines, level)
    return (b'\x89PNG\r\n\x1a\n'
            + chunk(b'IHDR', struct.pack('>IIBBBBB', WIDTH, HEIGHT, depth, color, 0, 0, 0))
            + chunks + chunk(b'IDAT', data[:999]) + chunk(b'IDAT', data[999:])
            + chunk(b'tEXt', b'Comment\0of a test') + chunk(b'IEND', b'') + b'behind')


def tiff(n=3, depth=16, order='<', strip=10, gap=b'', compression=1, photometric=None,
         compressed=lambda data: data, sample_format=1):
    """Returns a TIFF file whose strips have something between them."""
    lines = samples(n, depth, 'little' if order == '<' else 'big')
    strips = [compressed(b''.join(lines[y:y + strip])) for y in range(0, HEIGHT, strip)]
    body, offsets = b'a header of our own', []
    for data in strips:
        offsets.append(8 + len(body))
        body += data + gap
    lists = len(body) + 8
    body += struct.pack(f'{order}{len(strips)}I', *offsets)
    counts = len(body) + 8
    body += struct.pack(f'{order}{len(strips)}I', *map(len, strips))
    depths = len(body) + 8
    body += struct.pack(f'{order}4H', *[depth] * 4)
    if len(strips) == 1:
        lists, counts = offsets[0], len(strips[0])
    if n == 1:
        depths = depth
    profile = len(body) + 8
    body += random.randbytes(2000)
    tags = [(256, 4, 1, WIDTH), (257, 4, 1, HEIGHT), (258, 3, n, depths),
            (259, 3, 1, compression),
            (262, 3, 1, (2 if n > 2 else 1) if photometric is None else photometric),
            (273, 4, len(strips), lists), (277, 3, 1, n), (278, 4, 1, strip),
            (279, 4, len(strips), counts), (339, 3, 1, sample_format),
            (34675, 7, 2000, profile)]
    directory = struct.pack(f'{order}H', len(tags))
    for tag, kind, count, value in tags:
        directory += struct.pack(f'{order}HHI', tag, kind, count)
        directory += (struct.pack(f'{order}HH', value, 0)
                      if kind == 3 and count == 1 else struct.pack(f'{order}I', value))
    return ((b'II*\0' if order == '<' else b'MM\0*')
            + struct.pack(f'{order}I', 8 + len(body)) + body + directory
            + struct.pack(f'{order}I', 0) + b'behind')


def fill(folder, suffix, files):
    os.makedirs(folder)
    for i, data in enumerate(files):
        (folder / f'scan.{i:05}.{suffix}').write_bytes(data)


def check_back(tmp, suffix, files):
    fill(tmp / 'in', suffix, files)
    expect(DONE, 'archive', '--md5', tmp / 'in', tmp / 'a.paco')
    expect(DONE, 'restore', '--check', tmp / 'a.paco')
    expect(DONE, 'restore', '--md5', tmp / 'a.paco', tmp / 'out')
    same(tmp / 'in', tmp / 'out')


def test_png(tmp):
    """Tests gray and RGB with any level, with chunks before and behind."""
    note = chunk(b'iTXt', b'XML:com.adobe.xmp\0\0\0\0\0' + b'<x/>' * 900)
    check_back(tmp, 'png', [png(3, random.choice((8,)), level, note)
                            for level in range(10)])


def test_png16(tmp):
    """Tests RGBA of 16 bits."""
    check_back(tmp, 'png', [png(4, 16) for _ in range(3)])


def test_tiff(tmp):
    """Tests both orders of bytes, strips with gaps and without, and a profile."""
    check_back(tmp, 'tif', [tiff(3, 16, order, strip, gap)
                            for order in '<>' for strip in (1, 10, HEIGHT)
                            for gap in (b'', b'between')])


def test_tiff_gray(tmp):
    """Tests 8 bits where white is 0: the report says what players show."""
    fill(tmp / 'in', 'tif', [tiff(1, 8, photometric=0)])
    expect(DONE, 'archive', tmp / 'in', tmp / 'a.paco', says='negative')
    expect(DONE, 'restore', tmp / 'a.paco', tmp / 'out')
    same(tmp / 'in', tmp / 'out')


def test_tiff_kinds(tmp):
    """Tests signed samples and half floats: files come back, the tool says what they
    are, and writes them as raw samples only."""
    for sample_format, depth, kind in ((2, 8, 1), (2, 16, 1), (3, 16, 2)):
        folder = tmp / f'{sample_format}-{depth}'
        folder.mkdir()
        files = [tiff(n, depth, order, sample_format=sample_format)
                 for n, order in ((1, '<'), (1, '>'))]
        check_back(folder, 'tif', files)
        expect(FAILED, 'decode', folder / 'a.paco', folder / '%04d.pgm', says='--as=raw')
        expect(DONE, 'decode', folder / 'a.paco', folder / 'all.raw')
        raw = b''.join(samples(1, depth, 'little'))
        assert (folder / 'all.raw').stat().st_size == 2 * len(raw)
        expect(DONE, 'info', folder / 'a.paco')
    mixed = [tiff(1, 16, sample_format=kind) for kind in (1, 2)]
    refused(tmp / 'mixed', 'tif', mixed, 'its samples are signed')


def odd_stream(lines):
    """Returns Deflate as no program of zlib writes it: an empty stored block
    comes first."""
    raw = zlib.compressobj(6, zlib.DEFLATED, -15)
    return (b'\x78\x9c\0\0\0\xff\xff' + raw.compress(lines) + raw.flush()
            + struct.pack('>I', zlib.adler32(lines)))


def refused(tmp, suffix, files, says):
    fill(tmp / 'in', suffix, files)
    expect(FAILED, 'archive', '--only-pictures', tmp / 'in', tmp / 'a.paco', says=says)
    assert not (tmp / 'a.paco').exists()


def test_refused_stream(tmp):
    """Tests what zlib does not make."""
    refused(tmp, 'png', [png(3, 8, compressed=odd_stream)], 'bit by bit')


def test_refused_palette(tmp):
    """Tests that a palette is seen in a file's head, and nothing is begun."""
    refused(tmp, 'png', [png(3, 8), png(1, 8, color=3)], 'palette')
    assert not (tmp / 'a.paco.part').exists()


def test_refused_jpeg(tmp):
    """Tests TIFF that has lost something already: it is seen in its tags,
    wherever they are, and nothing is begun."""
    refused(tmp, 'tif', [tiff(3, 8), tiff(3, 8), tiff(3, 8, compression=7)], 'JPEG')
    assert not (tmp / 'a.paco.part').exists()


def test_mixed_tiff(tmp):
    """Tests that other depths, and other sizes, are seen so as well."""
    refused(tmp, 'tif', [tiff(3, 8), tiff(3, 16)], 'its samples have 16 bits')
    assert not (tmp / 'a.paco.part').exists()


def check_kept_whole(tmp, suffix, files):
    """Checks files one of which no zlib compresses so."""
    fill(tmp / 'in', suffix, files)
    expect(FAILED, 'archive', '--only-pictures', tmp / 'in', tmp / 'a.paco',
           says='--keep-files')
    # By default it is a member.
    (tmp / 'a.paco.part').unlink()
    expect(DONE, 'archive', '-q', '--report=', tmp / 'in', tmp / 'm.paco')
    expect(DONE, 'verify', tmp / 'm.paco', says='and 1 member, all sound')
    expect(DONE, 'restore', '-q', tmp / 'm.paco', tmp / 'kept')
    same(tmp / 'in', tmp / 'kept')
    expect(DONE, 'archive', '--keep-files', tmp / 'in', tmp / 'a.paco',
           says=f'scan.00001.{suffix}: its compressed bytes cannot be made again')
    kept = harness.frames(tmp / 'a.paco')[1]
    assert len(kept) - attachment(kept) > len(files[1]) if len(files[1]) > 32768 else \
        len(kept) > len(files[1])
    expect(DONE, 'verify', tmp / 'a.paco')
    expect(DONE, 'restore', '--check', tmp / 'a.paco')
    expect(DONE, 'restore', tmp / 'a.paco', tmp / 'out')
    same(tmp / 'in', tmp / 'out')
    # Its samples are in the picture, as others read them from the file.
    expect(DONE, 'decode', '--frames', '1', tmp / 'a.paco', tmp / 'a.pam')
    expect(DONE, 'encode', '--lossless', tmp / 'in' / f'scan.00001.{suffix}',
           tmp / 'b.paco')
    expect(DONE, 'decode', tmp / 'b.paco', tmp / 'b.pam')
    assert (tmp / 'a.pam').read_bytes() == (tmp / 'b.pam').read_bytes()


def test_kept_png(tmp):
    """Tests PNG of 8 and of 16 bits, filtered."""
    depth = random.choice((8, 16))
    check_kept_whole(tmp, 'png', [png(3, depth), png(3, depth, compressed=odd_stream),
                                  png(3, depth)])


def test_kept_trailing_png(tmp):
    """Tests PNG with bytes behind the compressed ones."""
    check_kept_whole(tmp, 'png', [png(1, 8), png(1, 8, compressed=lambda lines: (
        zlib.compress(lines) + b'more')), png(1, 8)])


def test_kept_tiff(tmp):
    """Tests Deflate of either order of bytes, in strips."""
    like = {'order': random.choice('<>'), 'compression': 8}
    check_kept_whole(tmp, 'tif', [tiff(compressed=zlib.compress, **like),
                                  tiff(compressed=odd_stream, **like)])


def attachment(frame):
    """Returns where the attachment of a frame begins (FORMAT.md, chunk 256)."""
    header = frame[:int.from_bytes(frame[6:8], 'little')]
    at = header.rindex(struct.pack('<2H', 256, 8))
    return len(frame) - int.from_bytes(header[at + 4:at + 8], 'little')


def test_large_rest(tmp):
    """Tests that more beside the samples than chunks have room for is
    attached: it comes back, is cut and joined with its frame, and damage of
    it is found."""
    files = [png(3, 8, chunks=chunk(b'zzZz', random.randbytes(n)))
             for n in (100, 32000, 33000, 40000, 700000)]
    check_back(tmp, 'png', files)
    expect(DONE, 'verify', '--fast', tmp / 'a.paco')
    expect(DONE, 'info', tmp / 'a.paco')
    listed = expect(DONE, 'info', '--frames', tmp / 'a.paco').splitlines()
    assert ['attachment' in line for line in listed[1:6]] == [False] * 2 + [True] * 3
    expect(DONE, 'cut', tmp / 'a.paco', '0', '2', tmp / 'b.paco')
    expect(DONE, 'cut', tmp / 'a.paco', '3', '4', tmp / 'c.paco')
    expect(DONE, 'join', tmp / 'b.paco', tmp / 'c.paco', tmp / 'd.paco')
    data = bytearray((tmp / 'a.paco').read_bytes())
    assert (tmp / 'd.paco').read_bytes() == data
    parts = harness.frames(tmp / 'a.paco')
    begin = attachment(parts[4])
    data[len(data) - len(parts[4]) + random.randrange(begin, len(parts[4]))] ^= 4
    (tmp / 'e.paco').write_bytes(data)
    for how in (('verify', '--fast'), ('restore', '--check')):
        code, out, err = harness.paco(*how, tmp / 'e.paco')
        assert code == DAMAGE and 'attachment' in out + err, (how, out, err)
    # The picture is there all the same.
    expect(DONE, 'decode', '--frames', '4', tmp / 'e.paco', tmp / 'e.ppm')


def test_large_rest_tiff(tmp):
    """Tests the same of TIFF, whose samples are coded from the file."""
    check_back(tmp, 'tif', [tiff(3, 16, gap=random.randbytes(30000))
                            for _ in range(3)])


if __name__ == '__main__':
    sys.exit(harness.main(globals()))
