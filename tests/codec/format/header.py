# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads headers and their chunks (FORMAT.md sections 2 and 3)."""
from dataclasses import dataclass
import re
import struct
import zlib

from ancillary import need, read_ancillary

SIZES_OF_CHUNKS = {1: 24, 2: 4, 4: 12, 5: 4, 6: 4, 256: 8, 257: 10, 258: 12,
                   259: 36, 260: 5}
SET_ROWS, SET_CONTEXTS = 192, 55
REVERSIBLE = {0: True, 1: False, 2: True}


@dataclass
class Component:
    depth: int
    kind: int
    subsampling: tuple  # log2, horizontal and vertical
    wavelet: int
    family: int
    place: tuple  # x and y in the cell of a mosaic
    entries: tuple


@dataclass
class CodeTable:
    """Chunk 258."""
    components: int
    form: int
    first: int
    last: int
    codes_less_one: int
    size: int


@dataclass
class Slice:
    """Chunk 257."""
    number: int
    length: int
    position: int
    wavelet: int
    levels: int
    depth: int
    bits: int


@dataclass
class Header:
    header_size: int
    frame_size: int
    index_size: int
    checks: int
    width: int
    height: int
    fields: int
    mosaic: int
    levels: int
    passes: int
    transform: int
    parameters: tuple
    reconstruction: int
    components: list
    chunks: dict
    interlace_mode: int

    @property
    def cut_points(self):
        """Bytes of them, None without."""
        chunk = self.chunks.get(6)
        return chunk and struct.unpack('<I', chunk)[0]

    @property
    def step_map(self):
        """Its bytes, and the components that take half of it; None without."""
        chunk = self.chunks.get(260)
        return chunk and struct.unpack('<IB', chunk)

    @property
    def matrix(self):
        """Its nine coefficients, row by row."""
        return struct.unpack('<9f', self.chunks[259])

    @property
    def code_tables(self):
        return [CodeTable(*struct.unpack('<BB3HI', chunk))
                for chunk in self.chunks.get(258, ())]

    @property
    def attachment(self):
        """Its bytes and their CRC."""
        return struct.unpack('<2I', self.chunks.get(256, bytes(8)))

    @property
    def slice(self):
        return 257 in self.chunks and Slice(*struct.unpack(
            '<I6B', self.chunks[257]))


def split(data):
    """Yields the frames of a stream."""
    while data:
        size = struct.unpack_from('<I', data, 8)[0]
        yield data[:size]
        data = data[size:]


def read_builtin_sets(path):
    """Returns the sets of sets.inc: [family][number] -> values."""
    with open(path, encoding='utf-8') as file:
        text = re.sub(r'/\*.*?\*/', '', file.read(), flags=re.S)
    values = list(map(int, re.findall(r'\d+', text)))
    size = SET_ROWS * SET_CONTEXTS
    sets = [values[at:at + size] for at in range(0, len(values), size)]
    need(len(sets) == 16 and len(sets[-1]) == size, 'sets.inc')
    return [sets[:8], sets[8:]]


def read_carried_set(data, builtin):
    differences, at = [], 0
    while at < len(data):
        run = data[at] == 0
        differences += [0] * (data[at + 1] + 1) if run else [data[at]]
        at += 1 + run
    need(len(differences) == len(builtin), 'size of a set')
    values = [(a + b) % 256 for a, b in zip(differences, builtin)]
    need(all(values), '0 in a set')
    return values


def sets_of_frame(header, builtin):
    """Returns [family][number] -> rows of probabilities."""
    sets = [list(family) for family in builtin]
    if 3 in header.chunks:
        family, number = header.chunks[3][:2]
        sets[family][number] = read_carried_set(
            header.chunks[3][2:], sets[family][number])
    return [[[values[at:at + SET_CONTEXTS]
              for at in range(0, len(values), SET_CONTEXTS)]
             for values in family] for family in sets]


def read_chunks(data):
    chunks, ancillary = {}, 0
    while data:
        kind, size = struct.unpack_from('<2H', data)
        chunk, data = data[4:4 + size], data[4 + size:]
        need(len(chunk) == size, 'size of a chunk')
        if 7 <= kind <= 255:
            ancillary += 4 + size
            chunks.setdefault('ancillary', []).append(
                read_ancillary(kind, chunk))
            continue
        need(kind == 3 or kind in SIZES_OF_CHUNKS, 'type of a chunk')
        need(size == SIZES_OF_CHUNKS.get(kind, size), 'its size')
        if kind == 258:
            chunks.setdefault(258, []).append(chunk)
            continue
        need(kind not in chunks, 'type of a chunk')
        chunks[kind] = chunk
    need(ancillary <= 32768, 'bytes of ancillary chunks')
    need(chunks.get(5, bytes(4))[1] == 0, 'views')
    need(3 not in chunks or chunks[3][0] < 2 and chunks[3][1] < 8, 'carried set')
    return chunks


def check_code_tables(header):
    seen = 0
    for table in header.code_tables:
        of = [component for c, component in enumerate(header.components)
              if table.components >> c & 1]
        need(of and not table.components >> len(header.components)
             and not table.components & seen, 'components of a code table')
        need(min(table.last - table.first, 1) <= table.codes_less_one
             <= table.last - table.first, 'number of codes')
        need(table.form < 2 and table.first <= table.last and all(
            table.last < 1 << c.depth and REVERSIBLE[c.wavelet] for c in of),
             'code table')
        seen |= table.components
    need(not seen or not header.slice, 'code table of a slice')


def check_slice(header):
    part = header.slice
    if not part:
        return
    need(1 <= part.length <= 64 and part.position < part.length
         and part.wavelet in (0, 3) and part.levels <= 3
         and part.depth in (8, 16) and part.bits in (part.depth, 13), 'slice')
    need(len(header.components) == 1 and header.components[0].depth == 16
         and header.components[0].kind == header.interlace_mode == 0 and not header.fields,
         'picture of a slice')


def read_components(data, levels):
    """Returns the n components, and where the chunks begin."""
    n, components = data[64], []
    at, n_entries = 72 + 4 * n, 3 * levels + 1
    for c in range(n):
        samples, geometry, wavelet, family = data[72 + 4 * c:76 + 4 * c]
        depth, kind = samples & 31, samples >> 6
        need(samples & 32 == 0 and kind < 3 and (kind < 2 or depth == 16), 'samples')
        entries = struct.unpack_from(f'<{n_entries}H', data, at)
        at += 2 * n_entries
        need(1 <= depth <= 16 and wavelet in REVERSIBLE and family < 2,
             'component')
        need(not REVERSIBLE[wavelet] or not any(e & 0x3fff for e in entries), 'step')
        need(geometry & 0x88 == 0, 'subsampling')
        components.append(Component(
            depth, kind, (geometry & 3, geometry >> 4 & 3), wavelet, family,
            (geometry >> 2 & 1, geometry >> 6 & 1), entries))
    return components, at


def check_geometry(header):
    components = header.components
    if header.mosaic:
        need(len(components) == 4 and not header.fields
             and header.width % 2 == header.height % 2 == 0
             and len({c.place for c in components}) == 4 and all(
                 c.subsampling == (1, 1) and c.depth == components[0].depth
                 and c.kind == components[0].kind for c in components), 'mosaic')
    else:
        need(components[0].subsampling == (0, 0) and all(
            max(c.subsampling) <= 2 and c.place == (0, 0) for c in components),
             'subsampling')


def check_transform(header):
    first = header.components[:3]
    if header.transform == 7:
        corners = [header.components[c].place for c in (0, -1)]
        need(header.mosaic and max(header.parameters) <= 8
             and all(a != b for a, b in zip(*corners)), 'color transform')
        return
    if header.transform == 5:
        order, weights = header.parameters
        c, b, x, y = order & 3, order >> 2 & 3, weights & 15, weights >> 4
        need(order < 32 and c < 3 and b < 3 and b != c
             and x + y <= 8, 'color transform')
    else:
        need(header.transform <= 4 and header.parameters == (0, 0), 'color transform')
    need((header.transform == 4) == (259 in header.chunks) and (
        header.transform != 4 or all(abs(m) <= 16 for m in header.matrix)), 'matrix')
    if header.transform:
        need(len(first) == 3 and all(
            c.subsampling == (0, 0) and c.depth == first[0].depth
            and c.wavelet == first[0].wavelet for c in first), 'color transform')
        need(header.transform not in (2, 4) or first[0].wavelet == 1, 'wavelet')


def check_description(data):
    """Checks the fields that only describe the picture."""
    mode, flags = data[56:58]
    width, height, par_n, par_d, fps_n, fps_d = struct.unpack_from('<2H4I', data, 36)
    need(re.fullmatch(rb'[!-~]*\0+', data[20:36]), 'raw format')
    need(1 <= width <= 16384 and 1 <= height <= 16384, 'size of the picture')
    need(0 < par_n < 2**31 and 0 < par_d < 2**31, 'pixel aspect ratio')
    need(fps_n < 2**31 and 0 < fps_d < 2**31, 'frame rate')
    need(mode <= 3 and flags < 16, 'interlace mode')
    need(mode < 3 or height <= 8192 and not flags & 1, 'height of a field')


def read_header(data):
    magic, version, flags, *sizes, index_crc = struct.unpack_from('<4sBBHIII', data)
    header_size, frame_size, index_size = sizes
    need(magic == b'PACO' and version == 3 and flags & 14 == 0, 'no frame')
    need(header_size + index_size <= frame_size == len(data), 'sizes')
    end = header_size - 4
    need(zlib.crc32(data[:end]) == struct.unpack_from('<I', data, end)[0],
         'CRC of the header')
    need(zlib.crc32(data[header_size:header_size + index_size]) == index_crc,
         'CRC of the index')
    check_description(data)
    n, features, levels, passes, transform, reconstruction, *parameters = data[64:72]
    need(1 <= n <= 4 and levels <= 8 and 1 <= passes <= 3, 'coding')
    need(features < 2, 'features')
    components, at = read_components(data, levels)
    need(at <= end, 'size of the header')
    header = Header(*sizes, flags & 1, *struct.unpack_from('<2H', data, 36),
                    data[57] & 1, features, levels, passes, transform,
                    tuple(parameters), reconstruction, components,
                    read_chunks(data[at:end]), data[56])
    check_geometry(header)
    check_transform(header)
    check_slice(header)
    check_code_tables(header)
    size, crc = header.attachment
    payload = data[header_size + index_size:]
    need(256 not in header.chunks or 1 <= size <= min(len(payload), 2**28),
         'size of the attachment')
    need(zlib.crc32(payload[len(payload) - size:]) == crc, 'CRC of the attachment')
    return header
