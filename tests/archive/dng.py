# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes DNG and TIFF/EP files with a mosaic, as cameras lay them out, for tests."""
import random
import struct

SIZES = {'B': (1, 1), 's': (2, 1), 'H': (3, 2), 'I': (4, 4), 'R': (5, 8), 'S': (10, 8)}
PATTERNS = {'rggb': b'\0\1\1\2', 'grbg': b'\1\0\2\1', 'gbrg': b'\1\2\0\1', 'bggr': b'\2\1\1\0'}


def pack_value(order, kind, values):
    if kind in 'Bs':
        return bytes(values)
    if kind in 'RS':
        return b''.join(struct.pack(order + ('2i' if kind == 'S' else '2I'), *v) for v in values)
    return struct.pack(f'{order}{len(values)}{kind}', *values)


def directory(order, at, tags, following=0):
    """Returns the bytes of a directory that begins at byte `at`. tags: number: (kind, values)."""
    extra, entries = b'', b''
    behind = at + 2 + 12 * len(tags) + 4
    for tag, (kind, values) in sorted(tags.items()):
        value = pack_value(order, kind, values)
        if len(value) > 4:
            extra += value + bytes(len(value) % 2)
            value = struct.pack(order + 'I', behind + len(extra) - len(value) - len(value) % 2)
        entries += struct.pack(order + '2HI', tag, SIZES[kind][0], len(values)) + value.ljust(
            4, b'\0')
    return (struct.pack(order + 'H', len(tags)) + entries + struct.pack(order + 'I', following)
            + extra)


def pack_line(order, depth, line):
    if depth in (8, 16):
        return struct.pack(f'{order}{len(line)}{"B" if depth == 8 else "H"}', *line)
    bits = int(''.join(f'{v:0{depth}b}' for v in line), 2)
    n = -(-len(line) * depth // 8)
    return (bits << 8 * n - len(line) * depth).to_bytes(n, 'big')


def mosaic(width, height, depth, noise=random):
    """Returns lines of samples as of a sensor: smooth, with noise, red and blue darker."""
    top = (1 << depth) - 1
    return [[min(top, (x * 3 + y * 2) * top // (6 * (width + height)) * (2 - (x + y) % 2)
                 + noise.randrange(1 + top // 64)) for x in range(width)] for y in range(height)]


def cut(order, depth, lines, rows, tile):
    """Returns strips of so many lines, or tiles of that size."""
    if not tile:
        return [b''.join(pack_line(order, depth, line) for line in lines[y:y + rows])
                for y in range(0, len(lines), rows)]
    parts = []
    for y in range(0, len(lines), tile):
        for x in range(0, len(lines[0]), tile):
            part = [line[x:x + tile] for line in lines[y:y + tile]]
            part = [line + [7] * (tile - len(line)) for line in part]
            part += [[9] * tile] * (tile - len(part))
            parts.append(b''.join(pack_line(order, depth, line) for line in part))
    return parts


def thumbnail(order, at, pixels):
    return {254: ('I', [1]), 256: ('I', [4]), 257: ('I', [3]), 258: ('H', [8, 8, 8]),
            259: ('H', [1]), 262: ('H', [2]), 273: ('I', [at]), 277: ('H', [3]),
            278: ('I', [3]), 279: ('I', [len(pixels)]), 284: ('H', [1])}


def dng(lines, depth, *, pattern='rggb', order='<', rows=0, tile=0, gap=0, sub=True, change=None,
        camera=b'a camera\0'):
    """lines: the samples. rows: lines of a strip. gap: bytes between strips. sub: the picture is
    in a directory within the first one, which has a thumbnail; else in the first one.
    change: tags of the picture to change, or to remove where it has None."""
    width, height = len(lines[0]), len(lines)
    parts = cut(order, depth, lines, rows or height, tile)
    n = len(parts)
    first = {271: ('s', camera), 272: ('s', camera), 274: ('H', [1]), 305: ('s', b'a test\0'),
             50706: ('B', [1, 4, 0, 0]), 50707: ('B', [1, 1, 0, 0]), 50708: ('s', camera),
             50721: ('S', [(9, 10), (-2, 10), (-1, 10), (-4, 10), (12, 10), (2, 10), (0, 10),
                           (1, 10), (7, 10)]),
             50728: ('R', [(5, 10), (1, 1), (6, 10)]), 50778: ('H', [21])}
    pixels = bytes(range(36))

    def picture(at):
        offsets = [at + sum(map(len, parts[:i])) + i * gap for i in range(n)]
        tags = {254: ('I', [0]), 256: ('I', [width]), 257: ('I', [height]), 258: ('H', [depth]),
                259: ('H', [1]), 262: ('H', [32803]), 277: ('H', [1]), 284: ('H', [1]),
                33421: ('H', [2, 2]), 33422: ('B', PATTERNS[pattern]), 50710: ('B', [0, 1, 2]),
                50711: ('H', [1]), 50717: ('I', [(1 << depth) - 1])}
        tags.update({322: ('I', [tile]), 323: ('I', [tile]), 324: ('I', offsets),
                     325: ('I', list(map(len, parts)))} if tile else
                    {273: ('I', offsets), 278: ('I', [rows or height]),
                     279: ('I', list(map(len, parts)))})
        tags.update(change or {})
        return {tag: value for tag, value in tags.items() if value}

    def build(sub_at, thumb_at, data_at):
        if not sub:
            return directory(order, 8, {**picture(data_at), **first}), b''
        tags = {**thumbnail(order, thumb_at, pixels), **first, 330: ('I', [sub_at])}
        return directory(order, 8, tags), directory(order, sub_at, picture(data_at))

    head = {'<': b'II*\0', '>': b'MM\0*'}[order] + struct.pack(order + 'I', 8)
    a, b = build(0, 0, 0)
    sub_at = 8 + len(a)
    thumb_at = sub_at + len(b)
    data_at = thumb_at + (len(pixels) if sub else 0)
    a, b = build(sub_at, thumb_at, data_at)
    return (head + a + b + (pixels if sub else b'') + (b'\xaa' * gap).join(parts) + b'maker')
