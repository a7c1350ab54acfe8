#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Codes real pictures with gst-launch-1.0, lossless: raw file, pacoenc, .paco file,
pacodec, raw file. Prints a line for each picture of the corpus, with the bits
that a sample took, and fails when one does not come back bit by bit.

The pictures are the binary PGM, PPM and Y4M files of $PACO_CORPUS (or, by hand,
of the folder or the files named as arguments), also packed with xz. Exits with
77 if there are none."""
import lzma
import os
import re
import subprocess
import sys
import tempfile


class Skip(Exception):
    pass


# --- reading: everything becomes planes of rows without gaps -----------------

class Pictures:
    """Frames of one format. A frame is a list of planes."""

    def __init__(self, raw_format, width, height, sample_bytes, sizes, frames,
                 samples=None):
        self.raw_format = raw_format
        self.width, self.height = width, height
        self.sample_bytes = sample_bytes
        self.sizes = sizes  # This is (width, height) of each plane.
        self.frames = frames
        self.samples = samples or len(frames) * sum(w * h for w, h in sizes)


def swap_bytes(data):
    swapped = bytearray(len(data))
    swapped[0::2] = data[1::2]
    swapped[1::2] = data[0::2]
    return bytes(swapped)


def read_pnm(data):
    kind, width, height, maximum = re.match(
        rb'(P[56])\s+(\d+)\s+(\d+)\s+(\d+)\s', data).groups()
    start = len(re.match(rb'P[56]\s+\d+\s+\d+\s+\d+\s', data).group())
    width, height, maximum = int(width), int(height), int(maximum)
    samples = data[start:]
    depth = maximum.bit_length()
    sample_bytes = 1 if depth <= 8 else 2
    if kind == b'P5':
        names = {8: 'GRAY8'}
        planes = [samples if depth <= 8 else swap_bytes(samples)]
        return Pictures(names.get(depth, 'GRAY16_LE'), width, height,
                        sample_bytes, [(width, height)], [planes])

    if depth == 16:  # Planar RGB ends at 12 bits.
        pixels = bytearray(b'\xff' * (8 * width * height))
        for byte in range(6):
            pixels[byte::8] = samples[byte ^ 1::6]
        return Pictures('RGBA64_LE', width, height, 2, [(width * 4, height)],
                        [[bytes(pixels)]], 3 * width * height)
    names = {8: 'GBR', 10: 'GBR_10LE', 12: 'GBR_12LE'}
    if depth not in names:
        raise Skip(f'no raw format has {depth} bits')
    planes = []
    for component in (1, 2, 0):  # The order is green, blue, red.
        if sample_bytes == 1:
            planes.append(samples[component::3])
            continue
        plane = bytearray(width * height * 2)
        plane[0::2] = samples[2 * component + 1::6]
        plane[1::2] = samples[2 * component::6]
        planes.append(bytes(plane))
    return Pictures(names[depth], width, height, sample_bytes,
                    [(width, height)] * 3, [planes])


def read_y4m(data):
    header, data = data.split(b'\n', 1)
    fields = {item[:1]: item[1:].decode() for item in header.split()[1:]}
    width, height = int(fields[b'W']), int(fields[b'H'])
    name, sample_bytes, x, y = {
        '420': ('I420', 1, 2, 2), '420jpeg': ('I420', 1, 2, 2),
        '422': ('Y42B', 1, 2, 1), '444': ('Y444', 1, 1, 1),
        '420p10': ('I420_10LE', 2, 2, 2), '422p10': ('I422_10LE', 2, 2, 1),
        '444p10': ('Y444_10LE', 2, 1, 1),
    }[fields[b'C']]
    chroma = (-(-width // x), -(-height // y))
    sizes = [(width, height), chroma, chroma]
    frames = []
    while data:
        at = data.index(b'\n') + 1
        planes = []
        for w, h in sizes:
            planes.append(data[at:at + w * h * sample_bytes])
            at += w * h * sample_bytes
        frames.append(planes)
        data = data[at:]
    return Pictures(name, width, height, sample_bytes, sizes, frames)


def read(path):
    with open(path, 'rb') as file:
        data = file.read()
    if path.endswith('.xz'):
        data = lzma.decompress(data)
    return read_y4m(data) if data.startswith(b'YUV4MPEG2') else read_pnm(data)


# --- GStreamer's layout: rows are padded to four bytes ------------------------

def write_raw(pictures, path):
    with open(path, 'wb') as file:
        for planes in pictures.frames:
            for (width, height), plane in zip(pictures.sizes, planes):
                row = width * pictures.sample_bytes
                gap = bytes(-row % 4)
                if not gap:
                    file.write(plane)
                    continue
                for y in range(height):
                    file.write(plane[y * row:(y + 1) * row] + gap)


def same_as_raw(pictures, path):
    with open(path, 'rb') as file:
        for planes in pictures.frames:
            for (width, height), plane in zip(pictures.sizes, planes):
                row = width * pictures.sample_bytes
                stride = row + -row % 4
                data = file.read(stride * height)
                if stride == row:
                    if data != plane:
                        return False
                    continue
                for y in range(height):
                    if (data[y * stride:y * stride + row]
                            != plane[y * row:(y + 1) * row]):
                        return False
        return not file.read(1)


# --- the pipelines ------------------------------------------------------------

def known_formats():
    text = subprocess.run(['gst-inspect-1.0', 'pacoenc'], text=True, check=True,
                          stdout=subprocess.PIPE).stdout
    return set(re.findall(r'\b[A-Zv][A-Za-z0-9]+(?:_\d*[A-Z0-9]+)?\b', text))


def launch(description):
    run = subprocess.run(['gst-launch-1.0', '-q', *description.split()],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True)
    if run.returncode or 'ERROR' in run.stdout or 'WARNING' in run.stdout:
        raise RuntimeError(run.stdout.strip() or f'status {run.returncode}')


def check(path, folder, formats):
    pictures = read(path)
    if pictures.raw_format not in formats:
        raise Skip(f'this GStreamer has no {pictures.raw_format}')
    raw, coded, back = (os.path.join(folder, name)
                        for name in ('in.raw', 'test.paco', 'out.raw'))
    write_raw(pictures, raw)
    nick = pictures.raw_format.lower().replace('_', '-')
    launch(f'filesrc location={raw} ! rawvideoparse format={nick} '
           f'width={pictures.width} height={pictures.height} framerate=25/1 ! '
           f'pacoenc rate-control=lossless ! pacoparse ! '
           f'filesink location={coded}')
    launch(f'filesrc location={coded} ! pacoparse ! pacodec ! '
           f'video/x-raw,format={pictures.raw_format} ! '
           f'filesink location={back}')
    if not same_as_raw(pictures, back):
        raise RuntimeError('the samples have changed')
    size = os.path.getsize(coded)
    return (f'{pictures.raw_format} {pictures.width}x{pictures.height}, '
            f'{len(pictures.frames)} frames: {size} bytes, '
            f'{8 * size / pictures.samples:.3f} bits per sample')


def corpus(arguments):
    places = arguments or [os.environ.get('PACO_CORPUS', '')]
    for place in places:
        if os.path.isdir(place):
            yield from (os.path.join(place, name)
                        for name in sorted(os.listdir(place)))
        elif os.path.exists(place):
            yield place


def main():
    paths = [path for path in corpus(sys.argv[1:])
             if re.search(r'\.(ppm|pgm|y4m)(\.xz)?$', path)]
    if not paths:
        print('skipped: no pictures in $PACO_CORPUS')
        return 77
    formats = known_formats()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            name = os.path.basename(path)
            try:
                print(f'{name}: {check(path, folder, formats)}', flush=True)
            except Skip as reason:
                print(f'{name}: skipped, {reason}', flush=True)
            except (RuntimeError, KeyError, ValueError) as reason:
                print(f'{name}: FAILED: {reason}', flush=True)
                failed += 1
    print(f'{len(paths)} files, {failed} failed')
    return 1 if failed else 0


sys.exit(main())
