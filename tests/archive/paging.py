# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes TIFF files of several pages in the ways that programs have, for tests."""
import random
import struct
import zlib

import dng


class Page:
    """A page: its samples are noise over a slope."""

    def __init__(self, width=24, height=17, components=1, depth=8):
        self.width, self.height, self.depth = width, height, depth
        self.components = components
        top = (1 << depth) - 1
        self.lines = [[min(top, (x + 2 * y) * top // (3 * (width * components + height))
                           + random.randrange(1 + top // 32))
                       for x in range(width * components)] for y in range(height)]


def deflate(data, level=6, strategy=zlib.Z_DEFAULT_STRATEGY):
    how = zlib.compressobj(level, zlib.DEFLATED, 15, 8, strategy)
    return how.compress(data) + how.flush()


def raw(data):
    return data


def other(data):
    """Compresses as no program does that the archive knows."""
    return deflate(data, strategy=zlib.Z_FIXED)


def tags_of(page, order, at, parts, rows, tile, compress, change):
    offsets = [at + sum(map(len, parts[:i])) for i in range(len(parts))]
    n = page.components
    tags = {256: ('I', [page.width]), 257: ('I', [page.height]), 258: ('H', [page.depth] * n),
            259: ('H', [1 if compress is raw else 8]), 262: ('H', [2 if n > 2 else 1]),
            277: ('H', [n]), 284: ('H', [1]), 305: ('s', b'a test\0'),
            282: ('R', [(300, 1)]), 283: ('R', [(300, 1)])}
    if n % 2 == 0:
        tags[338] = ('H', [2])
    tags.update({322: ('I', [tile]), 323: ('I', [tile]), 324: ('I', offsets),
                 325: ('I', list(map(len, parts)))} if tile else
                {273: ('I', offsets), 278: ('I', [rows]), 279: ('I', list(map(len, parts)))})
    tags.update(change)
    return {tag: value for tag, value in tags.items() if value}


def write(pages, *, order='<', rows=0, tile=0, compress=raw, place='before', gap=0, change=None):
    """Returns the file. place: where directories are: before or after the samples of their
    page, or all at the end of the file. gap: bytes between pages. compress: a function, or one
    for each page. change: tags of pages, by their numbers."""
    file = bytearray({'<': b'II*\0', '>': b'MM\0*'}[order] + bytes(4))
    link, late = 4, []

    def add(tags):
        nonlocal link
        file.extend(bytes(len(file) % 2))
        struct.pack_into(order + 'I', file, link, len(file))
        link = len(file) + 2 + 12 * len(tags)
        file.extend(dng.directory(order, len(file), tags))

    for i, page in enumerate(pages):
        how = compress if callable(compress) else compress[i]
        if tile:
            assert page.components == 1
        height = rows or page.height
        parts = [how(part) for part in dng.cut(order, page.depth, page.lines, height, tile)]

        def tags(at, page=page, parts=parts, height=height, how=how, i=i):
            return tags_of(page, order, at, parts, height, tile, how, (change or {}).get(i, {}))

        if place == 'before':
            at = len(file) + len(file) % 2
            add(tags(at + len(dng.directory(order, at, tags(0)))))
            file += b''.join(parts)
        else:
            late.append(tags(len(file)))
            file += b''.join(parts)
            if place == 'after':
                add(late.pop())
        file += b'\xaa' * gap
    for tags in late:
        add(tags)
    return bytes(file)
