#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""frozen.py PACO ROOT: restores the golden archives of ROOT/tests/golden/archives by
docs/ARCHIVE-FORMAT.md alone (tests/codec/format/restore.py) and by PACO, and compares the
files with their MD5s in files.md5.

frozen.py --make PACO ROOT: makes archives that are not there yet, of files that it writes."""
import glob
import hashlib
import os
import struct
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, f'{sys.argv[-1]}/tests/codec/format')
# pylint: disable=wrong-import-position
import dng  # noqa: E402
import paging  # noqa: E402
from header import read_builtin_sets, split  # noqa: E402
from restore import restore, restore_sounds  # noqa: E402

FOLDER = f'{sys.argv[-1]}/tests/golden/archives'


def samples(n, depth):
    """Returns n samples of a slope with some noise."""
    top = (1 << depth) - 1
    return [(i * top // n + i * i * 7 % (1 + top // 16)) % (top + 1) for i in range(n)]


def dpx(order, width, height, descriptor, depth, packing, lines, *, eol=0, tail=b''):
    """lines: bytes of each line, padding and all."""
    head = bytearray(2048)
    head[0:4] = b'SDPX' if order == '>' else b'XPDS'
    struct.pack_into(order + 'I', head, 4, 2048)
    head[8:12] = b'V2.0'
    struct.pack_into(order + 'I', head, 660, 2**32 - 1)
    struct.pack_into(order + '2H2I', head, 768, 0, 1, width, height)
    struct.pack_into(order + 'I', head, 780, 0)
    head[800:804] = bytes([descriptor, 2, 6, depth])
    struct.pack_into(order + '2H2I', head, 804, packing, 0, 2048, eol)
    head[1500:1510] = b'a scanner\n'
    return bytes(head) + b''.join(lines) + tail


def dpx_in_threes(order, width, height, descriptor, letters, low, noise):
    data = samples(width * letters * height, 10)
    lines = []
    for y in range(height):
        line = data[y * width * letters:(y + 1) * width * letters]
        line += [0] * (-len(line) % 3)
        lines.append(b''.join(struct.pack(order + 'I', sum(
            x << shift + low for x, shift in zip(
                line[i:i + 3], (20, 10, 0) if letters > 1 else (0, 10, 20)))
            | (noise and y % 5 == 0) << (0 if low else 31)) for i in range(0, len(line), 3)))
    return dpx(order, width, height, descriptor, 10, 1 if low else 2, lines, tail=b'end')


def dpx_packed(order, width, height):
    """RGB of 12 bits."""
    lines, data = [], samples(width * 3 * height, 12)
    for y in range(height):
        line = data[y * width * 3:(y + 1) * width * 3]
        bits = sum(x << 12 * i for i, x in enumerate(line))
        words = bits.to_bytes(-(-len(line) * 12 // 32) * 4, 'little')
        lines.append(b''.join(struct.pack(order + 'I', word)
                              for word, in struct.iter_unpack('<I', words)))
    return dpx(order, width, height, 50, 12, 0, lines)


def dpx_bytes(width, height):
    """RGBA of 8 bits, with bytes at the ends of lines."""
    data = bytes(samples(width * 4 * height, 8))
    lines = [data[y * width * 4:(y + 1) * width * 4] + b'\1\2\3\4' for y in range(height)]
    return dpx('<', width, height, 51, 8, 0, lines, eol=4)


def tiff(order, width, height, per_pixel, depth, *, tile=0, planar=1, kind=1):
    """Tiles are tile * tile, strips four lines."""
    size, planes = depth // 8 or 1, 1 if planar == 1 else per_pixel
    data = samples(width * height * per_pixel, depth)
    row = width * per_pixel // planes
    lines = [data[i * row:(i + 1) * row] for i in range(height * planes)]
    pack = {8: lambda x: bytes(x), 16: lambda x: struct.pack(f'{order}{len(x)}H', *x)}.get(
        depth, lambda x: int(''.join(f'{v:0{depth}b}' for v in x).ljust(
            -(-len(x) * depth // 8) * 8, '0'), 2).to_bytes(-(-len(x) * depth // 8), 'big'))
    segments = []
    for p in range(planes):
        plane = lines[p * height:(p + 1) * height]
        for y in range(0, height, tile or 4):
            if not tile:
                segments.append(b''.join(map(pack, plane[y:y + 4])))
                continue
            for x in range(0, width, tile):
                columns = tile * per_pixel // planes
                part = [line[x * per_pixel:][:columns] for line in plane[y:y + tile]]
                part = [pack(line).ljust(columns * size, b'\7') for line in part]
                segments.append(b''.join(part).ljust(tile * columns * size, b'\x09'))
    n = len(segments)
    tags = {256: ('H', [width]), 257: ('H', [height]), 258: ('H', [depth] * per_pixel),
            259: ('H', [1]), 262: ('H', [2 if per_pixel == 3 else 1]),
            277: ('H', [per_pixel]), 284: ('H', [planar]), 339: ('H', [kind] * per_pixel)}
    tags.update({322: ('H', [tile]), 323: ('H', [tile]), 324: ('I', [0] * n),
                 325: ('I', list(map(len, segments)))} if tile else
                {273: ('I', [0] * n), 278: ('H', [4]), 279: ('I', list(map(len, segments)))})
    at = 8 + 2 + 12 * len(tags) + 4
    start = at + sum(len(v) * struct.calcsize(k) for k, v in tags.values()) + 10
    offsets = [start + sum(map(len, segments[:i])) + 3 * (i // 2) for i in range(n)]
    tags[324 if tile else 273] = ('I', offsets)
    entries, extra = b'', b''
    for tag, (layout, values) in sorted(tags.items()):
        value = struct.pack(f'{order}{len(values)}{layout}', *values)
        if len(value) > 4:
            extra += value
            value = struct.pack(order + 'I', at + len(extra) - len(value))
        entries += struct.pack(order + '2HI', tag, 3 if layout == 'H' else 4,
                               len(values)) + value.ljust(4, b'\0')
    file = {'<': b'II*\0', '>': b'MM\0*'}[order] + struct.pack(order + 'IH', 8, len(tags))
    file += entries + bytes(4) + extra
    for offset, segment in zip(offsets, segments):
        file = file.ljust(offset, b'\xaa') + segment
    return file + b'after'


def png(width, height, color, depth, level, *, chunk=40, interlaced=0, flush=False):
    """Lines have the filters 0 to 4 in turn, and these as if their samples were so."""
    pixel = {0: 1, 2: 3, 4: 2, 6: 4}[color] * depth // 8
    passes = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4),
              (1, 0, 2, 2), (0, 1, 1, 2)) if interlaced else ((0, 0, 1, 1),)
    data, n = b'', 0
    for x, y, dx, dy in passes:
        columns = len(range(x, width, dx))
        for _ in range(y, height, dy) if columns else ():
            data += bytes([n % 5]) + bytes(samples(columns * pixel, 8))
            n += 1
    coder = zlib.compressobj(level)
    stream = coder.compress(data[:99]) + (coder.flush(zlib.Z_FULL_FLUSH) if flush else b'')
    stream += coder.compress(data[99:]) + coder.flush()

    def of(kind, body):
        return struct.pack('>I', len(body)) + kind + body + struct.pack(
            '>I', zlib.crc32(kind + body))

    return (b'\x89PNG\r\n\x1a\n' + of(b'IHDR', struct.pack(
        '>2I5B', width, height, depth, color, 0, 0, interlaced)) + of(b'tEXt', b'Title\0x')
            + b''.join(of(b'IDAT', stream[i:i + chunk]) for i in range(0, len(stream), chunk))
            + of(b'IEND', b'') + b'more')


def wav(name, n):
    """Returns the bytes of a WAV file before its samples, these, and those after them."""
    return (b'RIFF' + struct.pack('<I', 2 * n + 56) + b'WAVEfmt ' + struct.pack(
        '<I2H2I2H', 16, 1, 1, 24000, 48000, 2, 16) + b'data' + struct.pack('<I', 2 * n),
            struct.pack(f'<{n}H', *samples(n, 16)), b'LIST' + struct.pack('<I4sI', 8, b'INFO', 0)
            + name.encode())


# The frame tells of these, which were with its file in a container.
WAVS = {name: wav(name, n) for name, n in (('a.wav', 1000), ('b.wav', 999), ('c.wav', 1001))}
SOUNDS = 'sounds.pgm'


class Slope:
    """Noise for samples of a sensor that is always the same."""
    at = 1

    def randrange(self, n):
        self.at = self.at * 69069 % 2**32
        return self.at * n >> 32


def raw(width, height, depth, **how):
    return dng.dng(dng.mosaic(width, height, depth, Slope()), depth, **how)


class Page:
    """A page of gray, or of colors, of 8 bits, for paging.write()."""

    def __init__(self, width, height, components, first):
        self.width, self.height, self.components, self.depth = width, height, components, 8
        row, data = width * components, samples(first + width * height * components, 8)[first:]
        self.lines = [data[y * row:(y + 1) * row] for y in range(height)]


def pages(n, components, **how):
    return paging.write([Page(15, 9, components, 7 * i) for i in range(n)], **how)


FILES = {
    'gray8.pgm': lambda: b'P5 # slope\n21 9\n255\n' + bytes(samples(21 * 9, 8)) + b'tail\n',
    'rgb12.ppm': lambda: b'P6\n13 8\n4095\n' + struct.pack('>312H', *samples(312, 12)),
    'rgb10-be.dpx': lambda: dpx_in_threes('>', 19, 7, 50, 3, 2, True),
    'gray10-le.dpx': lambda: dpx_in_threes('<', 15, 6, 6, 1, 0, True),
    'uyvy10-be.dpx': lambda: dpx_in_threes('>', 18, 5, 100, 2, 2, False),
    'rgb12-packed-be.dpx': lambda: dpx_packed('>', 11, 6),
    'rgb12-packed-le.dpx': lambda: dpx_packed('<', 11, 6),
    'rgba8-end-of-line.dpx': lambda: dpx_bytes(9, 7),
    'rgb16-be.tif': lambda: tiff('>', 14, 10, 3, 16),
    'gray12-le.tif': lambda: tiff('<', 15, 9, 1, 12),
    'rgb8-planar-tiles.tif': lambda: tiff('<', 21, 19, 3, 8, tile=16, planar=2),
    'signed16-tiles.tif': lambda: tiff('<', 20, 10, 1, 16, tile=16, kind=2),
    'grbg16-be.dng': lambda: raw(16, 10, 16, pattern='grbg', order='>', rows=4, gap=2),
    'bggr14-le.dng': lambda: raw(18, 8, 14, pattern='bggr'),
    'gbrg10-tiles.dng': lambda: raw(20, 18, 10, pattern='gbrg', tile=16),
    'rggb12-first.dng': lambda: raw(14, 6, 12, sub=False, rows=2),
    'rgb8.png': lambda: png(17, 11, 2, 8, 9),
    'gray16-interlaced.png': lambda: png(13, 12, 0, 16, 6, interlaced=1),
    'rgba8-stored.png': lambda: png(9, 6, 6, 8, 0),
    SOUNDS: lambda: b'P5\n8 6\n255\n' + bytes(samples(48, 8)),
    'pages-le.tif': lambda: pages(4, 3, rows=5, gap=3),
    'pages-be.tif': lambda: paging.write([Page(12, 10, 1, 0), Page(4, 3, 1, 0), Page(12, 10, 1, 9)],
                                         order='>', place='end'),
    'pictures.pgm': lambda: b''.join(b'P5\n9 7\n255\n' + bytes(samples(63 + i, 8)[i:])
                                     for i in range(3)) + b'tail',
    'kept-whole.png': lambda: png(14, 9, 0, 8, 6, flush=True),
}


def make(paco):
    for name, file in FILES.items():
        archive = f'{FOLDER}/{name}.paco'
        if os.path.exists(archive):
            continue
        with tempfile.TemporaryDirectory() as folder:
            with open(f'{folder}/{name}', 'wb') as to:
                to.write(file())
            archived, rate = f'{folder}.paco', []
            if name == SOUNDS:
                archived, rate = f'{folder}.mkv', ['--fps=24']
                for sound, parts in WAVS.items():
                    with open(f'{folder}/{sound}', 'wb') as to:
                        to.write(b''.join(parts))
            subprocess.check_call([paco, 'archive', '-q', '--md5', '--keep-files', *rate,
                                   f'--report={folder}.paco.json', folder, archived])
            if name == SOUNDS:
                subprocess.check_call([paco, 'cut', '-q', archived, '0', '0', f'{folder}.paco'])
                os.rename(f'{archived}.framemd5', f'{folder}.paco.framemd5')
                os.remove(archived)
            os.rename(f'{folder}.paco', archive)
            for end in 'json', 'framemd5':
                os.remove(f'{folder}.paco.{end}')
        with open(f'{FOLDER}/files.md5', 'a', encoding='utf-8') as to:
            to.write(f'{hashlib.md5(file()).hexdigest()}  {name}\n')
            with open(archive, 'rb') as made:
                to.write(f'{hashlib.md5(made.read()).hexdigest()}  {name}.paco\n')


def check(paco):
    sets = read_builtin_sets(f'{sys.argv[-1]}/codec/tables/sets.inc')
    with open(f'{FOLDER}/files.md5', encoding='utf-8') as lines:
        md5s = {name: md5 for md5, name in map(str.split, lines)}
    archives = sorted(glob.glob(f'{FOLDER}/*.paco'))
    assert {f'{name}{end}' for name in FILES for end in ('', '.paco')} == md5s.keys()
    assert len(archives) == len(FILES)
    for path in archives:
        with open(path, 'rb') as archive:
            data = archive.read()
        found = list(split(data))
        name, form, file = restore(found, sets)
        assert md5s[name] == hashlib.md5(file).hexdigest(), name
        assert md5s[f'{name}.paco'] == hashlib.md5(data).hexdigest(), path
        assert form == (255 if 'whole' in name else 2 if '.dng' in name else 1), name
        with tempfile.TemporaryDirectory() as folder:
            subprocess.check_call([paco, 'restore', '-q', path, folder])
            with open(f'{folder}/{name}', 'rb') as restored:
                assert restored.read() == file, f'{name}: paco restores another file'
        if name == SOUNDS:
            assert restore_sounds(found[0], [parts[1] for parts in WAVS.values()]) == {
                sound: b''.join(parts) for sound, parts in WAVS.items()}
        print(name)


if __name__ == '__main__':
    (make if sys.argv[1] == '--make' else check)(sys.argv[-2])
