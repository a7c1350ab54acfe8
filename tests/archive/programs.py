#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests that still pictures of common programs come back bit by bit (come-back.c), and
what PaCo codes is what ImageMagick reads in them, sample by sample.

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
    """Yields files and the words that they are made with."""
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
            yield path, False
    for depth in 10, 12:
        path = f'im{depth}.tif'
        run(CONVERT, source, '-compress', 'none', '-depth', str(depth), path)
        yield path, False


def of_ffmpeg(source):
    for pixels in 'rgb24', 'rgb48be', 'gray', 'gray16be', 'rgba', 'ya8':
        for prediction in 'none', 'mixed':
            path = f'ff-{pixels}-{prediction}.png'
            run(FFMPEG, '-y', '-i', source, '-pix_fmt', pixels, '-pred',
                prediction, path)
            yield path, False
    for pixels in 'rgb24', 'rgb48le', 'gray', 'gray16le':
        for compression in 'raw', 'deflate', 'lzw', 'packbits':
            path = f'ff-{pixels}-{compression}.tif'
            run(FFMPEG, '-y', '-i', source, '-pix_fmt', pixels,
                '-compression_algo', compression, path)
            # Its LZW and its PackBits are its own.
            yield path, compression in ('lzw', 'packbits')


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
            yield path, False


def read_by_imagemagick(path, n, depth):
    """Returns samples as 16-bit numbers of the file's own depth."""
    kind = {1: 'gray', 2: 'graya', 3: 'rgb', 4: 'rgba'}[n]
    data = subprocess.run(
        [CONVERT, path, '-depth', '16', '-endian', 'MSB', f'{kind}:-'],
        check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    samples = array.array('H', data)
    samples.byteswap()
    top = 2 ** depth - 1
    return [(s * top + 32767) // 65535 for s in samples]


def check(path, may_be_refused):
    done = subprocess.run([COME_BACK, path], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    words = done.stdout.strip().split(': ', 1)[-1]
    if done.returncode != 0:
        return done.stdout
    if words.startswith('refused'):
        return None if may_be_refused else words
    width, height, n, depth = map(int, words.split()[:4])
    if (width, height) != (WIDTH, HEIGHT):
        return words
    if not CONVERT:
        return None
    with open(path + '.samples', 'rb') as file:
        found = array.array('H', file.read())
    found.byteswap()
    if found.tolist() != read_by_imagemagick(path, n, depth):
        return f'{words}: ImageMagick reads other samples'
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
                                  ('Pillow', Image, of_pillow)):
        if not there:
            number += 1
            print(f'ok {number} # SKIP {program} is not installed')
            continue
        for name, refusable in write('source.ppm'):
            report(name, check(name, refusable))
print(f'1..{number}')
sys.exit(failed != 0)
