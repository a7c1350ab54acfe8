# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes the files again that archives keep (docs/ARCHIVE-FORMAT.md). Like the decoder, it
was written from the text alone. TIFF files that are compressed, which takes libtiff, are
beyond it."""
import hashlib
import struct
import zlib

import numpy as np

from ancillary import need
from frame import decode
from header import read_header


def numbers(layout, data, at=0):
    return struct.unpack_from(layout, data, at)


# --- PNM ---

def restore_pnm(rest, components, size):
    before = 5 + numbers('<I', rest, 1)[0]
    n = sum(c.size for c in components)
    wide = size - (len(rest) - 5) == 2 * n
    return rest[5:before] + np.stack(components, -1).astype(
        '>u2' if wide else 'u1').tobytes() + rest[before:]


# --- DPX ---

LETTERS = {1: 'R', 2: 'G', 3: 'B', 4: 'A', 6: 'Y', 50: 'RGB', 51: 'RGBA', 52: 'ABGR',
           53: 'BGR', 54: 'BGRA', 55: 'ARGB', 100: 'UYVY', 101: 'UYAVYA', 102: 'UYV',
           103: 'UYVA'}
PICTURES = ('Y', 'YA', 'RGB', 'RGBA', 'YUV', 'YUVA', 'R', 'G', 'B', 'A')


class Element:
    """An image element: what its header says."""

    def __init__(self, head, index, order):
        at = 780 + 72 * index
        self.letters = LETTERS[head[at + 20]]
        self.columns = 2 if head[at + 20] in (100, 101) else 1
        self.depth = head[at + 23]
        self.packing, = numbers(order + 'H', head, at + 24)
        self.offset, padding = numbers(order + '2I', head, at + 28)
        if index == 0 and self.offset in (0, 2**32 - 1):
            self.offset, = numbers(order + 'I', head, 4)
        self.padding = 0 if padding == 2**32 - 1 else padding
        self.order = order
        self.in_threes = self.depth == 10 and self.packing in (1, 2)
        self.packed = self.depth in (10, 12) and self.packing == 0

    def measure(self, width, height, end):
        """Finds how far lines are apart, and what the last one has."""
        datums = width // self.columns * len(self.letters)
        group = len(self.letters)
        while self.in_threes and group % 3 or self.packed and group * self.depth % 8:
            group += len(self.letters)
        bits_of = {True: lambda n: -(-n // 3) * 32}.get(self.in_threes) or (
            lambda n: n * (self.depth if self.packed else 16 if self.depth > 8 else 8))
        of_groups = -(-datums // group) * bits_of(group) // 8
        if self.packed and self.order == '>':
            of_groups = -(-of_groups // 4) * 4
        bits = bits_of(datums)
        n = -(-bits // 8)
        m = -(-n // 4) * 4
        space = end - self.offset
        tried = [d for d in (m + self.padding, n + self.padding, m, n)
                 if (bits % 8 == 0 or d in (m, m + self.padding))
                 and not (self.packed and self.order == '>' and d % 4)
                 and d * (height - 1) + min(of_groups, d) <= space]
        self.distance = next((d for d in tried if d * height == space), tried[0])
        self.last = min(of_groups, self.distance)
        self.end = self.offset + self.distance * (height - 1) + self.last

    def line(self, datums):
        if self.packed:
            bits = sum(x << i * self.depth for i, x in enumerate(datums))
            words = bits.to_bytes(-(-len(datums) * self.depth // 32) * 4, 'little')
            words = np.frombuffer(words, '<u4').astype(self.order + 'u4').tobytes()
        elif self.in_threes:
            shifts = (20, 10, 0) if len(self.letters) > 1 else (0, 10, 20)
            low = 2 * (self.packing == 1)
            datums = datums + [0] * (-len(datums) % 3)
            words = b''.join(struct.pack(self.order + 'I', sum(
                x << shift + low for x, shift in zip(datums[i:i + 3], shifts)))
                for i in range(0, len(datums), 3))
        else:
            low = 4 * (self.depth == 12 and self.packing == 1)
            words = np.array(datums, 'u2') << low
            words = words.astype(self.order + 'u2' if self.depth > 8 else 'u1').tobytes()
        return words[:self.last].ljust(self.last, b'\0')


def datums_of_line(element, components, y):
    """Returns the datums of a line, from the left."""
    lines = {letter: iter(c[y].tolist()) for letter, c in components.items()
             if letter in element.letters}
    n = len(components[element.letters[0]][y]) if element.columns == 1 else len(
        components['U'][y])
    return [next(lines[letter]) for _ in range(n) for letter in element.letters]


def restore_dpx(rest, components, size):
    before, = numbers('<I', rest, 1)
    head, order = rest[5:5 + before], '>' if rest[5:9] == b'SDPX' else '<'
    n, width, height = numbers(order + 'H2I', head, 770)
    elements = sorted((Element(head, i, order) for i in range(n)), key=lambda e: e.offset)
    for element, end in zip(elements, [e.offset for e in elements[1:]] + [size]):
        element.measure(width, height, end)
    letters = next(p for p in PICTURES if set(p) == {
        letter for e in elements for letter in e.letters})
    components = dict(zip(letters, components))
    file, at, start = bytearray(size), 5, 0
    for end, following in [(e.offset, e.end) for e in elements] + [(size, size)]:
        file[start:end] = rest[at:at + end - start]
        at += end - start
        start = following
    for element in elements:
        y = 0
        while y < height:
            lines, is_set = numbers('<IB', rest, at)
            at += 5
            run = bytes(element.distance)
            if is_set:
                n_run = element.distance if height > 1 else element.last
                run = rest[at:at + n_run]
                at += n_run
            for y in range(y, y + lines):
                line = bytearray(run[:element.distance if y + 1 < height else element.last])
                for i, byte in enumerate(element.line(datums_of_line(element, components, y))):
                    line[i] |= byte
                begin = element.offset + y * element.distance
                file[begin:begin + len(line)] = line
            y += 1
    need(at == len(rest), 'bytes after the runs')
    return bytes(file)


# --- TIFF ---

def read_tags(file, at):
    order = {b'II': '<', b'MM': '>'}[bytes(file[:2])]
    at = at or numbers(order + 'I', file, 4)[0]
    tags = {}
    for i in range(numbers(order + 'H', file, at)[0]):
        tag, kind, count = numbers(order + '2HI', file, at + 2 + 12 * i)
        layout = f'{order}{count}{ {1: "B", 3: "H", 4: "I"}.get(kind, "B") }'
        place = at + 10 + 12 * i
        if struct.calcsize(layout) > 4:
            place, = numbers(order + 'I', file, place)
        tags[tag] = numbers(layout, file, place)
    return order, tags


def lines_of(samples, depth, order):
    """Returns lines as the uncompressed file has them; samples: [line][..]."""
    if depth % 8 == 0:
        return [line.astype('u1' if depth == 8 else order + 'u2').tobytes() for line in samples]
    return [int(''.join(f'{x:0{depth}b}' for x in line.tolist()).ljust(
        -(-len(line) * depth // 8) * 8, '0'), 2).to_bytes(-(-len(line) * depth // 8), 'big')
        for line in samples]


def restore_tiff(rest, components, size):
    crc, n_holes, n_beyond = numbers('<3I', rest, 4)
    head, directory = 16, 0
    if rest[0] == 2:
        head, (directory,) = 24, numbers('<Q', rest, 16)
        need(rest[1:8] == bytes(7), 'zeros of form 2')
    at = head + 16 * n_holes
    beyond, left = rest[at:at + n_beyond], rest[at + n_beyond:]
    file = bytearray()
    for i in range(n_holes):
        before, hole = numbers('<2Q', rest, head + 16 * i)
        file += left[:before] + bytes(hole)
        left = left[before:]
    file += left
    order, tags = read_tags(file, directory)
    width, height, depth = tags[256][0], tags[257][0], tags[258][0]
    planes = [np.stack(components, -1).reshape(height, -1)] if tags.get(
        284, (1,))[0] == 1 else components
    per_pixel = len(components) // len(planes)
    tiled = 322 in tags
    across, high = (tags[322][0], tags[323][0]) if tiled else (
        width, min(tags.get(278, (height,))[0], height))
    offsets = iter(tags[324 if tiled else 273])
    sizes = iter(tags[325 if tiled else 279])
    need(len(file) == size and tags.get(259, (1,)) == (1,) and crc == 0, 'uncompressed file')
    for plane in planes:
        for y in range(0, height, high):
            for x in range(0, width, across):
                lines = lines_of(plane[y:y + high, x * per_pixel:(x + across) * per_pixel],
                                 depth, order)
                if tiled:
                    full = -(-across * per_pixel * depth // 8)
                    for i, line in enumerate(lines):
                        lines[i] = line + beyond[:full - len(line)]
                        beyond = beyond[full - len(line):]
                    below = (high - len(lines)) * full
                    lines.append(beyond[:below])
                    beyond = beyond[below:]
                segment = b''.join(lines)
                offset = next(offsets)
                need(len(segment) == next(sizes), 'size of a strip or tile')
                file[offset:offset + len(segment)] = segment
    need(not beyond, 'bytes beyond the edges')
    return bytes(file)


# --- PNG ---

ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
         (0, 1, 1, 2))


def filter_line(kind, line, above, pixel):
    left = bytes(pixel) + line[:-pixel]
    corner = bytes(pixel) + above[:-pixel]
    out = bytearray(line)
    for i, (a, b, c) in enumerate(zip(left, above, corner)):
        p = a + b - c
        paeth = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
        out[i] = (line[i] - (0, a, b, (a + b) // 2, paeth)[kind]) % 256
    return bytes([kind]) + out


def runs(data):
    return [size for size, n in struct.iter_unpack('<2I', data) for _ in range(n)]


def restore_png(rest, components, _size):
    level, strategy, memory, window = rest[1:5]
    crc, n_sizes, n_blocks, before, after = numbers('<5I', rest, 8)
    parts, at = [], 28
    for n in 8 * n_sizes, 8 * n_blocks, before, after:
        parts.append(rest[at:at + n])
        at += n
    sizes, blocks, head, tail = runs(parts[0]), runs(parts[1]), parts[2], parts[3]
    depth, interlaced = head[24], head[28]
    samples = np.stack(components, -1)
    pixel, filters, data = samples.shape[2] * depth // 8, iter(rest[at:]), b''
    for x, y, dx, dy in ADAM7 if interlaced else ((0, 0, 1, 1),):
        lines = samples[y::dy, x::dx]
        if not lines.size:
            continue
        above = bytes(lines.shape[1] * pixel)
        for line in lines:
            line = line.astype('u1' if depth == 8 else '>u2').tobytes()
            data += filter_line(next(filters), line, above, pixel)
            above = line
    need(next(filters, None) is None, 'filters')
    if level:
        coder = zlib.compressobj(level, zlib.DEFLATED, -window, memory, strategy)
        stream = coder.compress(data) + coder.flush()
    else:
        stream, plain = b'', data
        for i, n in enumerate(blocks):
            stream += struct.pack('<B2H', i + 1 == len(blocks), n, n ^ 0xffff) + plain[:n]
            plain = plain[n:]
    stream = rest[6:8] + stream + struct.pack('>I', zlib.adler32(data))
    need(zlib.crc32(stream) == crc and sum(sizes) == len(stream), 'zlib stream')
    for n in sizes:
        chunk = b'IDAT' + stream[:n]
        head += struct.pack('>I', n) + chunk + struct.pack('>I', zlib.crc32(chunk))
        stream = stream[n:]
    return head + tail


# --- sound ---

def sound_head(data):
    """Returns name, where samples begin, how many bytes they are, bytes of the file around
    them, and of the head."""
    size, first, samples, _, zero, length = numbers('<3Q16sQH', data)
    need(zero == 0, 'chunk of sound')
    return data[50:50 + length].decode(), first, samples, size - samples, 50 + length


def restore_sounds(frame, tracks):
    """Returns {name: bytes} of the WAV files that a frame tells of. tracks: their samples."""
    chunks = dict(chunk for chunk in read_header(frame).chunks['ancillary']
                  if chunk[0] in (15, 18))
    head = sound_head(chunks[15])
    found = [(*head, zlib.decompress(chunks[15][head[4]:]))]
    if 18 in chunks:
        n, zero, size = numbers('<2HI', chunks[18])
        plain = zlib.decompress(chunks[18][8:])
        need(zero == 0 and len(plain) == size, 'chunk 18')
        for _ in range(n):
            head = sound_head(plain)
            found.append((*head, plain[head[4]:head[4] + head[3]]))
            plain = plain[head[4] + head[3]:]
        need(not plain, 'bytes after the files of chunk 18')
    files = {}
    for (name, first, samples, size, _, around), track in zip(found, tracks, strict=True):
        need(len(around) == size and len(track) == samples, 'sound')
        files[name] = around[:first] + track + around[first:]
    return files


KINDS = {1: restore_dpx, 2: restore_tiff, 3: restore_png, 4: restore_pnm}


def weave(components, header):
    """Returns the mosaic, as the sensor has it, as one component (FORMAT.md 4.1)."""
    lines, columns = components[0].shape
    mosaic = np.zeros((2 * lines, 2 * columns), components[0].dtype)
    for samples, component in zip(components, header.components):
        x, y = component.place
        mosaic[y::2, x::2] = samples
    return [mosaic]


class Section:
    """A section of a file: what the rest of its frame begins with."""

    def __init__(self, rest):
        form, self.number, self.n, self.head, self.offset, self.file_size = numbers(
            '<4I2Q', rest)
        need(form == 1 and self.number < self.n, 'form of a section')


def join_sections(parts, md5):
    """Returns the file of which these are the sections, [(section, its bytes)]."""
    file = b''
    for number, (section, data) in enumerate(parts):
        need((section.number, section.n, section.offset) == (number, len(parts), len(file)),
             'order of sections')
        file += data
        need(section.file_size >= len(file), 'size of the file')
    need(parts[-1][0].file_size == len(file), 'size of the file')
    need(md5 is None or hashlib.md5(file).digest() == md5, 'MD5 of the file')
    return file


def restore(frames, sets):
    """Returns name, form and bytes of the file that one frame keeps, or each a section."""
    parts = [restore_one(frame, sets) for frame in frames]
    name, form, data, section, md5 = parts[-1]
    need({part[0] for part in parts} == {name}, 'name of the file')
    if section is None:
        need(len(parts) == 1, 'frames of one file')
        need(md5 is None or hashlib.md5(data).digest() == md5, 'MD5 of the file')
        return name, form, data
    need(all(part[4] is None for part in parts[:-1]), 'MD5 before the last section')
    return name, form, join_sections([(part[3], part[2][part[3].head:]) for part in parts], md5)


def restore_one(frame, sets):
    """Returns name, form, bytes, section and MD5 of what a frame keeps; the MD5 is that of the
    file."""
    header = read_header(frame)
    chunks = [chunk for chunk in header.chunks['ancillary'] if isinstance(chunk[0], int)]
    source, = (data for number, data in chunks if number == 12)
    kind, zero, size, rest_size = numbers('<2BQI', source)
    packed = b''.join(data for number, data in chunks if number == 13)
    attached = header.attachment[0]
    need(zero == 0 and bool(packed) != bool(attached), 'chunk 12')
    rest = zlib.decompress(packed or frame[len(frame) - attached:])
    need(len(rest) == rest_size, 'size of the rest')
    section = None
    if kind > 64:
        section, kind, rest = Section(rest), kind - 64, rest[48:]
    if rest[0] == 255:
        file = rest[1:]
    else:
        components = decode(frame, sets)[0][0]
        file = KINDS[kind](rest, weave(components, header) if header.mosaic else components, size)
    need(len(file) == size, 'size of the file')
    return source[30:].decode(), rest[0], file, section, dict(chunks).get(14)
