# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes pictures for the tests of the program paco, and reads files without it: a
picture is (width, height, components, depth, samples), samples being a list in the
order of lines, columns and components."""
import random
import struct
import zlib


def random_picture(width, height, components, depth, seed=None):
    """Makes slopes with noise, so that coding has something to do."""
    draw = random.Random(seed)
    top = (1 << depth) - 1
    noise = max(1, top // 16)
    samples = []
    for y in range(height):
        for x in range(width):
            for c in range(components):
                value = (x * (c + 1) + y * 2) * top // (3 * (width + height))
                samples.append(min(top, max(0, value + draw.randint(-noise, noise))))
    return width, height, components, depth, samples


def words(samples, depth, order='>'):
    code = 'B' if depth <= 8 else 'H'
    return struct.pack(f'{order}{len(samples)}{code}', *samples)


def unwords(data, depth, order='>'):
    code = 'B' if depth <= 8 else 'H'
    count = len(data) // (1 if depth <= 8 else 2)
    return list(struct.unpack(f'{order}{count}{code}', data))


def pnm(picture):
    width, height, components, depth, samples = picture
    kind = {1: 'P5', 3: 'P6'}[components]
    head = f'{kind}\n{width} {height}\n{(1 << depth) - 1}\n'
    return head.encode() + words(samples, depth)


def pam(picture):
    width, height, components, depth, samples = picture
    kind = ['GRAYSCALE', 'GRAYSCALE_ALPHA', 'RGB', 'RGB_ALPHA'][components - 1]
    head = (f'P7\nWIDTH {width}\nHEIGHT {height}\nDEPTH {components}\n'
            f'MAXVAL {(1 << depth) - 1}\nTUPLTYPE {kind}\nENDHDR\n')
    return head.encode() + words(samples, depth)


def chunk(kind, data):
    return (struct.pack('>I', len(data)) + kind + data
            + struct.pack('>I', zlib.crc32(kind + data)))


def png(picture, chunks=(), color=None):
    """Returns a PNG file without filters. Samples of gray, and those that are numbers of
    a palette (color is 3), may have 1, 2 or 4 bits. chunks are (kind, bytes) after
    IHDR."""
    width, height, components, bits, samples = picture
    color = [0, 4, 2, 6][components - 1] if color is None else color
    rows = bytearray()
    for y in range(height):
        line = samples[y * width * components:(y + 1) * width * components]
        rows.append(0)
        if bits < 8:
            text = ''.join(f'{value:0{bits}b}' for value in line)
            text += '0' * (-len(text) % 8)
            rows += bytes(int(text[i:i + 8], 2) for i in range(0, len(text), 8))
        else:
            rows += words(line, bits)
    return (b'\x89PNG\r\n\x1a\n'
            + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, bits, color,
                                         0, 0, 0))
            + b''.join(chunk(*each) for each in chunks)
            + chunk(b'IDAT', zlib.compress(bytes(rows))) + chunk(b'IEND', b''))


def tiff(pages):
    """Returns a TIFF file of gray pictures of 8 bits, a page each."""
    data = b'II*\0' + struct.pack('<I', 8)
    for number, (width, height, _, _, samples) in enumerate(pages):
        tags = [(256, width), (257, height), (258, 8), (259, 1), (262, 1), (273, 0),
                (277, 1), (278, height), (279, len(samples))]
        strip = len(data) + 2 + 12 * len(tags) + 4
        tags[5] = (273, strip)
        following = strip + len(samples) if number + 1 < len(pages) else 0
        data += struct.pack('<H', len(tags))
        data += b''.join(struct.pack('<HHII', tag, 4, 1, value) for tag, value in tags)
        data += struct.pack('<I', following) + bytes(samples)
    return data


def unfilter(kind, line, above, step):
    for i, value in enumerate(line):
        left = line[i - step] if i >= step else 0
        up = above[i]
        corner = above[i - step] if i >= step else 0
        if kind == 1:
            value += left
        elif kind == 2:
            value += up
        elif kind == 3:
            value += (left + up) // 2
        elif kind == 4:
            guess = left + up - corner
            value += min((left, up, corner), key=lambda v: abs(guess - v))
        line[i] = value & 255


def read_png(data):
    """Returns (picture of the file's samples, bits of sBIT or None)."""
    assert data[:8] == b'\x89PNG\r\n\x1a\n'
    at, bodies, significant = 8, b'', None
    while at < len(data):
        size, kind = struct.unpack('>I4s', data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        check, = struct.unpack('>I', data[at + 8 + size:at + 12 + size])
        assert check == zlib.crc32(kind + body), kind
        if kind == b'IHDR':
            width, height, bits, color, *_ = struct.unpack('>IIBBBBB', body)
        elif kind == b'sBIT':
            significant = body[0]
        elif kind == b'IDAT':
            bodies += body
        at += 12 + size
    components = {0: 1, 4: 2, 2: 3, 6: 4}[color]
    step = components * bits // 8
    rows, above, samples = zlib.decompress(bodies), bytearray(width * step), []
    for y in range(height):
        begin = y * (1 + width * step)
        line = bytearray(rows[begin + 1:begin + 1 + width * step])
        unfilter(rows[begin], line, above, step)
        samples += unwords(bytes(line), bits)
        above = line
    return (width, height, components, bits, samples), significant


def read_pnm(data):
    kind, width, height, top = data.split(maxsplit=4)[:4]
    head = len(b'\n'.join((kind, width + b' ' + height, top))) + 1
    depth = int(top).bit_length()
    return (int(width), int(height), {b'P5': 1, b'P6': 3}[kind], depth,
            unwords(data[head:], depth))


# For each C of Y4M these are bits, columns and lines of the colours, and
# components.
Y4M = {
    '420jpeg': (8, 2, 2, 3), '420mpeg2': (8, 2, 2, 3), '420paldv': (8, 2, 2, 3),
    '411': (8, 4, 1, 3), '422': (8, 2, 1, 3), '444': (8, 1, 1, 3),
    '444alpha': (8, 1, 1, 4), 'mono': (8, 1, 1, 1), 'mono10': (10, 1, 1, 1),
    'mono12': (12, 1, 1, 1), '420p10': (10, 2, 2, 3), '422p10': (10, 2, 1, 3),
    '444p10': (10, 1, 1, 3), '420p12': (12, 2, 2, 3), '422p12': (12, 2, 1, 3),
    '444p12': (12, 1, 1, 3), '444p14': (14, 1, 1, 3), '422p16': (16, 2, 1, 3),
    '420p16': (16, 2, 2, 3), 'mono16': (16, 1, 1, 1),
}


def y4m_frames(colours, width, height, count, seed):
    depth, across, down, components = Y4M[colours]
    frames = []
    for number in range(count):
        data = b''
        for c in range(components):
            small = c in (1, 2)
            *_, samples = random_picture(
                -(-width // (across if small else 1)),
                -(-height // (down if small else 1)), 1, depth, (seed, number, c)
                .__hash__())
            data += words(samples, depth, '<')
        frames.append(data)
    return frames


def y4m(colours, width, height, frames, rate='25:1', more=''):
    head = f'YUV4MPEG2 W{width} H{height} F{rate} Ip A1:1 C{colours}{more}\n'
    return head.encode() + b''.join(b'FRAME\n' + frame for frame in frames)


def read_y4m(data):
    """Returns (words of the header, bytes of each frame)."""
    head, rest = data.split(b'\n', 1)
    frames = []
    if not rest:
        return head.decode().split(), frames
    size = {}
    for word in head.decode().split()[1:]:
        size[word[0]] = word[1:]
    depth, across, down, components = Y4M[size['C']]
    width, height = int(size['W']), int(size['H'])
    count = 0
    for c in range(components):
        small = c in (1, 2)
        count += (-(-width // (across if small else 1))
                  * -(-height // (down if small else 1)))
    step = count * (1 if depth == 8 else 2)
    while rest:
        assert rest[:6] == b'FRAME\n', rest[:20]
        frames.append(rest[6:6 + step])
        assert len(frames[-1]) == step
        rest = rest[6 + step:]
    return head.decode().split(), frames
