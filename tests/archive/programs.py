#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests that still pictures of common programs come back bit by bit (come-back.c), and
what PaCo codes is what ImageMagick reads in them, sample by sample; and FFmpeg in DPX
files. DPX files of the tests' own writer, of every packing that the two read rightly, are
what they see, too: the tables say what they do not read.

    programs.py COME-BACK

Writers are ImageMagick, FFmpeg and Pillow, as far as they are installed."""
import array
import os
import random
import shutil
import subprocess
import sys
import tempfile

COME_BACK = os.path.abspath(sys.argv[1])
WIDTH, HEIGHT = 150, 110
CONVERT = shutil.which('convert', path='/usr/bin') or shutil.which('convert')
FFMPEG = shutil.which('ffmpeg')
failed = 0
number = 0


def report(name, reason):
    global failed, number
    number += 1
    print(f'{"not ok" if reason else "ok"} {number} {name}')
    if reason:
        failed += 1
        print(f'# {reason}')


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def write_source(path):
    """Writes a PPM of 16 bits: slopes with noise."""
    samples = array.array('H')
    for y in range(HEIGHT):
        for x in range(WIDTH):
            for c in range(3):
                samples.append((x * 300 + y * 90 * (c + 1)
                                + random.randrange(700)) % 65536)
    samples.byteswap()
    with open(path, 'wb') as file:
        file.write(b'P6\n%d %d\n65535\n' % (WIDTH, HEIGHT))
        file.write(samples.tobytes())


def of_imagemagick(source):
    """Yields files, as the other writers do; with words of check(), if they need some."""
    for depth in 8, 16:
        for name, words in (
                ('png', []), ('png', ['-quality', '10']),
                ('png', ['-quality', '95']), ('png', ['-interlace', 'PNG']),
                ('png', ['-colorspace', 'Gray']),
                ('png', ['-alpha', 'on']),
                ('tif', ['-compress', 'none']),
                ('tif', ['-compress', 'none', '-endian', 'MSB']),
                ('tif', ['-compress', 'none', '-interlace', 'plane']),
                ('tif', ['-compress', 'none', '-define',
                         'tiff:tile-geometry=64x32']),
                ('tif', ['-compress', 'LZW']), ('tif', ['-compress', 'Zip']),
                ('tif', ['-compress', 'RLE']),
                ('tif', ['-compress', 'none', '-alpha', 'on']),
                ('tif', ['-compress', 'none', '-colorspace', 'Gray'])):
            path = f'im{depth}-{"".join(words)}.{name}'.replace(':', '')
            run(CONVERT, source, *words, '-depth', str(depth), path)
            yield path
    for depth in 10, 12:
        path = f'im{depth}.tif'
        run(CONVERT, source, '-compress', 'none', '-depth', str(depth), path)
        yield path


def of_ffmpeg(source):
    for pixels in 'rgb24', 'rgb48be', 'gray', 'gray16be', 'rgba', 'ya8':
        for prediction in 'none', 'mixed':
            path = f'ff-{pixels}-{prediction}.png'
            run(FFMPEG, '-y', '-i', source, '-pix_fmt', pixels, '-pred',
                prediction, path)
            yield path
    for pixels in 'rgb24', 'rgb48le', 'gray', 'gray16le':
        for compression in 'raw', 'deflate', 'lzw', 'packbits':
            path = f'ff-{pixels}-{compression}.tif'
            run(FFMPEG, '-y', '-i', source, '-pix_fmt', pixels,
                '-compression_algo', compression, path)
            # Its LZW and its PackBits are its own.
            yield path, {'may_be_refused': compression in ('lzw', 'packbits')}


def of_pillow(source):
    picture = Image.open(source).convert('RGB')
    for mode in 'RGB', 'L', 'RGBA', 'LA':
        for name, words in (
                ('png', {}), ('png', {'optimize': True}),
                ('png', {'compress_level': 1}), ('png', {'compress_level': 0}),
                ('tif', {}), ('tif', {'compression': 'tiff_lzw'}),
                ('tif', {'compression': 'tiff_adobe_deflate'}),
                ('tif', {'compression': 'packbits'})):
            path = f'pillow-{mode}-{"-".join(map(str, words.values()))}.{name}'
            picture.convert(mode).save(path, **words)
            yield path


# What FFmpeg 5.1 reads: descriptor, depth, packings (packed, method A, method B), orders
# (little-endian, big-endian), and the format for its samples. Of 10 bits that are packed
# and of lines of 4:4:4 with padding it reads something else.
DPX_OF_FFMPEG = (
    (1, 8, (0,), (0, 1), 'gray'),
    (6, 8, (0, 1, 2), (0, 1), 'gray'), (6, 10, (1, 2), (0, 1), 'gray10le'),
    (6, 12, (0, 1, 2), (0, 1), 'gray12le'), (6, 16, (0, 1, 2), (0, 1), 'gray16le'),
    (50, 8, (0, 1, 2), (0, 1), 'rgb24'), (50, 10, (1, 2), (0, 1), 'gbrp10le'),
    (50, 12, (0, 1, 2), (0, 1), 'gbrp12le'), (50, 16, (0, 1, 2), (0, 1), 'rgb48le'),
    (51, 8, (0, 1, 2), (0, 1), 'rgba'), (51, 10, (1, 2), (0, 1), 'gbrap10le'),
    (51, 12, (0, 1, 2), (0, 1), 'gbrap12le'), (51, 16, (0, 1, 2), (0, 1), 'rgba64le'),
    (52, 8, (0,), (0, 1), 'rgba'),
    (100, 8, (0,), (1,), 'uyvy422'), (102, 8, (0,), (1,), 'yuv444p'),
    (103, 8, (0,), (1,), 'yuva444p'))
# ImageMagick 6.9 reads method B as method A, ABGR as RGBA, samples of gray and RGBA of 10
# and 12 bits in other places, and takes the padding of lines of 12 and 16 bits for samples.
# But it knows 10 bits that are packed.
DPX_OF_MAGICK = (
    (6, 8, (0, 1, 2), (0, 1)), (6, 16, (0, 1, 2), (0, 1)), (50, 8, (0, 1, 2), (0, 1)),
    (50, 10, (0, 1), (0, 1)), (50, 12, (0, 1), (0, 1)), (50, 16, (0, 1, 2), (0, 1)),
    (51, 8, (0, 1, 2), (0, 1)), (51, 16, (0, 1, 2), (0, 1)))
DPX_BY_FFMPEG = {
    'gray': 'gray', 'gray16le': 'gray16le', 'gray16be': 'gray16le', 'rgb24': 'rgb24',
    'rgba': 'rgba', 'abgr': 'rgba', 'rgb48le': 'rgb48le', 'rgb48be': 'rgb48le',
    'rgba64le': 'rgba64le', 'rgba64be': 'rgba64le', 'gbrp10le': 'gbrp10le',
    'gbrp10be': 'gbrp10le', 'gbrp12le': 'gbrp12le', 'gbrp12be': 'gbrp12le'}
DPX_BY_MAGICK = {
    ('gray', 8): 'gray', ('gray', 10): 'gray10le', ('gray', 12): 'gray12le',
    ('gray', 16): 'gray16le', ('sRGB', 8): 'rgb24', ('sRGB', 10): 'gbrp10le',
    ('sRGB', 12): 'gbrp12le', ('sRGB', 16): 'rgb48le'}


def own_dpx(rows, width, name):
    """Yields files of the tests' own writer, and their rows."""
    for row in rows:
        columns = 36 if row[0] >= 100 else width
        for packing in row[2]:
            for big_endian in row[3]:
                path = f'{name}-{row[0]}-{row[1]}-{packing}-{big_endian}.dpx'
                run(COME_BACK, '--dpx', path, *map(str, (*row[:2], packing, columns, 5,
                                                         big_endian)))
                yield path, row, (columns, 5)


def dpx_for_ffmpeg(source):
    for path, row, size in own_dpx(DPX_OF_FFMPEG, 37, 'for-ffmpeg'):
        yield path, {'size': size, 'raw': row[4]}
    for pixels, raw in DPX_BY_FFMPEG.items():
        path = f'ff-{pixels}.dpx'
        run(FFMPEG, '-y', '-i', source, '-vf', 'scale=37:5', '-pix_fmt', pixels, path)
        yield path, {'size': (37, 5), 'raw': raw}
    for (colours, depth), raw in DPX_BY_MAGICK.items() if CONVERT else ():
        path = f'im-{colours}-{depth}.dpx'
        run(CONVERT, '-size', '36x5', 'plasma:red-blue', '-colorspace', colours, '-depth',
            str(depth), path)
        yield path, {'size': (36, 5), 'raw': raw}


def dpx_for_magick(_):
    for path, _, size in own_dpx(DPX_OF_MAGICK, 36, 'for-magick'):
        yield path, {'size': size}


def read_by_ffmpeg(path, raw):
    """Returns samples of a raw format in the order in which come-back writes them."""
    data = subprocess.run(
        [FFMPEG, '-nostdin', '-v', 'error', '-i', path, '-frames:v', '1', '-f', 'rawvideo',
         '-pix_fmt', raw, '-'], check=True, stdout=subprocess.PIPE).stdout
    samples = array.array('H' if raw.endswith('le') else 'B', data)
    if raw.endswith('le') and sys.byteorder == 'big':
        samples.byteswap()
    if raw == 'uyvy422':
        return [v for x in range(len(samples) // 2)
                for v in (samples[2 * x + 1], samples[x // 2 * 4], samples[x // 2 * 4 + 2])]
    if raw[:3] not in ('gbr', 'yuv'):
        return samples.tolist()
    n = 4 if raw[3] == 'a' else 3
    planes = [samples[i * len(samples) // n:(i + 1) * len(samples) // n] for i in range(n)]
    order = (2, 0, 1, 3)[:n] if raw[:3] == 'gbr' else range(n)
    return [v for pixel in zip(*planes) for v in (pixel[c] for c in order)]


def read_by_imagemagick(path, n, depth):
    """Returns samples as 16-bit numbers of the file's own depth."""
    kind = {1: 'gray', 2: 'graya', 3: 'rgb', 4: 'rgba'}[n]
    plain = ['-set', 'colorspace', 'sRGB'] if path.endswith('.dpx') else []
    data = subprocess.run(
        [CONVERT, path, *plain, '-depth', '16', '-endian', 'MSB', f'{kind}:-'],
        check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    samples = array.array('H', data)
    samples.byteswap()
    top = 2 ** depth - 1
    return [(s * top + 32767) // 65535 for s in samples]


def check(path, may_be_refused=False, size=(WIDTH, HEIGHT), raw=None):
    """Compares the file with what FFmpeg reads in the format `raw`, or ImageMagick."""
    done = subprocess.run([COME_BACK, path], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        return done.stdout
    # The first line is GLib's seed.
    words = done.stdout.splitlines()[-1].split(': ', 1)[-1]
    if words.startswith('refused'):
        return None if may_be_refused else words
    width, height, n, depth = map(int, words.split()[:4])
    if (width, height) != size:
        return words
    if not CONVERT and not raw:
        return None
    with open(path + '.samples', 'rb') as file:
        found = array.array('H', file.read())
    found.byteswap()
    if found.tolist() != (read_by_ffmpeg(path, raw) if raw
                          else read_by_imagemagick(path, n, depth)):
        return f'{words}: {"FFmpeg" if raw else "ImageMagick"} reads other samples'
    return None


try:
    from PIL import Image
except ImportError:
    Image = None
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    write_source('source.ppm')
    for program, there, write in (('ImageMagick', CONVERT, of_imagemagick),
                                  ('FFmpeg', FFMPEG, of_ffmpeg),
                                  ('ImageMagick', CONVERT, dpx_for_magick),
                                  ('FFmpeg', FFMPEG, dpx_for_ffmpeg),
                                  ('Pillow', Image, of_pillow)):
        if not there:
            number += 1
            print(f'ok {number} # SKIP {program} is not installed')
            continue
        for made in write('source.ppm'):
            name, words = made if isinstance(made, tuple) else (made, {})
            report(name, check(name, **words))
print(f'1..{number}')
sys.exit(failed != 0)
