#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests mosaics of sensors in files: DNG and PGM that decode writes, gray pictures that
encode takes for mosaics, and packed raw files. PACO_TOOL is the program. With --rawpy
LibRaw reads the DNG files, by PyPI's rawpy: of the Python that PACO_RAWPY names, or in a
folder in the build folder. Where it cannot be had that is skipped."""
import json
import os
import random
import struct
import subprocess
import sys
import unittest

import pictures
from tool import FAILED, SEED, USAGE, Case

PATTERNS = ('rggb', 'grbg', 'gbrg', 'bggr')
DEPTHS = (8, 10, 12, 14, 16)
FOLDER = os.path.join(os.environ.get('PACO_BUILD_ROOT', '/tmp'), 'venv-rawpy')
# Prints what LibRaw makes of a file: its size, pattern, levels and samples.
READER = '''
import sys, rawpy
for name in sys.argv[1:]:
    with rawpy.imread(name) as raw:
        colors = raw.color_desc.decode()
        pattern = ''.join(colors[i] for row in raw.raw_pattern for i in row)
        picture = raw.raw_image
        raw.postprocess(half_size=True)
        print(picture.shape[1], picture.shape[0], pattern, raw.white_level,
              *raw.black_level_per_channel, *picture.flatten())
'''


# Where bit k of sample x is, by the ends of formats' names and depths.
PLACES = {
    'p': {depth: lambda x, k, depth=depth: depth * x + k for depth in (10, 12)},
    'csi2': {10: lambda x, k: 40 * (x // 4) + (32 + 2 * (x % 4) + k if k < 2 else
                                               8 * (x % 4) + k - 2),
             12: lambda x, k: 24 * (x // 2) + (16 + 4 * (x % 2) + k if k < 4 else
                                               8 * (x % 2) + k - 4)},
}


def read_dng(data):
    """Returns (tags, samples) of a file with one directory and one strip."""
    assert data[:4] == b'MM\0*'
    directory, = struct.unpack_from('>I', data, 4)
    count, = struct.unpack_from('>H', data, directory)
    tags, before = {}, 0
    for number in range(count):
        at = directory + 2 + 12 * number
        tag, kind, n = struct.unpack_from('>HHI', data, at)
        assert tag > before, tag
        before = tag
        code = {1: 'B', 2: 's', 3: 'H', 4: 'I', 5: 'I', 10: 'i'}[kind]
        form = '>' + str(n * (2 if kind in (5, 10) else 1)) + code
        where = at + 8
        if struct.calcsize(form) > 4:
            where, = struct.unpack_from('>I', data, where)
            assert where % 2 == 0
        tags[tag] = list(struct.unpack_from(form, data, where))
    assert struct.unpack_from('>I', data, directory + 2 + 12 * count) == (0,)
    begin, = tags[273]
    assert begin + tags[279][0] == len(data)
    return tags, pictures.unwords(data[begin:], tags[258][0])


def pack(samples, width, bits, place):
    """Packs lines of samples: place() returns the places of a sample's bits, the lowest
    one first, in a line whose bits are numbered from the lowest of the first byte on."""
    packed = b''
    for y in range(0, len(samples), width):
        line = sum((sample >> k & 1) << place(x, k)
                   for x, sample in enumerate(samples[y:y + width]) for k in range(bits))
        packed += line.to_bytes((width * bits + 7) // 8, 'little')
    return packed


class Mosaics(Case):
    def draw(self, depth, width, height):
        picture = pictures.random_picture(width, height, 1, depth, SEED + depth)
        samples = picture[4]
        samples[0], samples[-1] = 0, (1 << depth) - 1
        return picture

    def film(self, pattern, depth, width, height):
        """Makes film.paco of a mosaic; returns its samples."""
        picture = self.draw(depth, width, height)
        self.write('in.pgm', pictures.pnm(picture))
        self.paco('encode', '-f', '--lossless', '--mosaic', pattern, 'in.pgm', 'film.paco')
        return picture[4]

    def test_dng_and_pgm(self):
        draw = random.Random(SEED)
        for pattern in PATTERNS:
            for depth in DEPTHS + (draw.randint(2, 7), draw.randint(8, 16)):
                width, height = 2 * draw.randint(1, 20), 2 * draw.randint(1, 20)
                samples = self.film(pattern, depth, width, height)
                self.paco('decode', '-f', 'film.paco', 'out.pgm')
                self.assertEqual(self.read('out.pgm'), self.read('in.pgm'))
                self.paco('decode', '-f', 'film.paco', 'out.dng')
                tags, found = read_dng(self.read('out.dng'))
                self.assertEqual(found, samples)
                self.assertEqual((tags[256], tags[257]), ([width], [height]))
                self.assertEqual((tags[262], tags[277]), ([32803], [1]))
                self.assertEqual(tags[33421], [2, 2])
                self.assertEqual(''.join('rgb'[c] for c in tags[33422]), pattern)
                self.assertEqual(tags[50706], [1, 4, 0, 0])
                self.assertEqual((tags[50714], tags[50717]), ([0], [(1 << depth) - 1]))
                self.assertEqual(len(tags[50721]), 18)

    def test_raw_of_both(self):
        """Tests that raw pictures with --format are those of PGM with --mosaic."""
        for pattern in PATTERNS:
            for depth in DEPTHS:
                samples = self.film(pattern, depth, 34, 12)
                self.write('in.raw', pictures.words(samples, depth, '<'))
                name = pattern + (f'{depth}le' if depth > 8 else '')
                self.paco('encode', '-f', '--lossless', '--format', name, '--size',
                          '34x12', 'in.raw', 'raw.paco')
                for coded in ('raw.paco', 'film.paco'):
                    self.assertEqual(self.paco('decode', '--as', 'raw', coded, '-'),
                                     self.read('in.raw'))
                    told = json.loads(self.paco('info', '--json', coded))[0]
                    self.assertEqual((told['format'], told['components']),
                                     (name, 'mosaic'))

    def test_packed(self):
        """Tests packed raw files, of mosaics and gray: their samples are those that come
        out, and they come back."""
        draw = random.Random(SEED)
        for name in (f'{pattern}{depth}{suffix}' for pattern in (*PATTERNS, 'GRAY')
                     for depth in (10, 12) for suffix in PLACES):
            depth = int(name[4:6])
            width, height = 4 * draw.randint(1, 40), 2 * draw.randint(1, 9)
            picture = self.draw(depth, width, height)
            packed = pack(picture[4], width, depth, PLACES[name[6:]][depth])
            self.write('in.raw', packed)
            self.paco('encode', '-f', '--lossless', '--format', name, '--size',
                      f'{width}x{height}', 'in.raw', 'x.paco')
            self.paco('decode', '-f', 'x.paco', 'out.pgm')
            self.assertEqual(self.read('out.pgm'), pictures.pnm(picture), name)
            self.assertEqual(self.paco('decode', '--as', 'raw', 'x.paco', '-'), packed)
            if name[:4] != 'GRAY':
                self.assertEqual(
                    self.paco('decode', '--as', 'raw', '--format', f'{name[:6]}le',
                              'x.paco', '-'), pictures.words(picture[4], depth, '<'))

    def test_gray_files(self):
        """Tests gray files other than PGM, and a raw one."""
        samples = self.film('gbrg', 16, 34, 12)
        self.write('in.raw', pictures.words(samples, 16, '>'))
        self.paco('encode', '--lossless', 'in.pgm', 'gray.paco')
        for kind in ('png', 'tiff', 'dpx'):
            self.paco('decode', 'gray.paco', f'gray.{kind}')
            self.paco('encode', '-f', '--lossless', '--mosaic', 'gbrg', f'gray.{kind}',
                      'x.paco')
            self.paco('decode', '-f', 'x.paco', 'out.pgm')
            self.assertEqual(self.read('out.pgm'), self.read('in.pgm'), kind)
        self.paco('encode', '-f', '--lossless', '--mosaic', 'gbrg', '--format',
                  'GRAY16_BE', '--size', '34x12', 'in.raw', 'x.paco')
        self.paco('decode', '-f', 'x.paco', 'out.pgm')
        self.assertEqual(self.read('out.pgm'), self.read('in.pgm'))

    def test_reduced(self):
        """Tests that half of a mosaic is a mosaic."""
        self.film('rggb', 12, 64, 32)
        self.paco('decode', '--reduce', '1', 'film.paco', 'half.dng')
        tags, samples = read_dng(self.read('half.dng'))
        self.assertEqual((tags[256], tags[257], len(samples)), ([32], [16], 32 * 16))

    def test_refusals(self):
        self.write('rgb.ppm', pictures.pnm(pictures.random_picture(4, 4, 3, 8)))
        self.write('odd.pgm', pictures.pnm(self.draw(8, 5, 4)))
        self.film('rggb', 8, 4, 4)
        encode = ('encode', '-f', '--mosaic')
        self.refuse(FAILED, '3 components is no mosaic', *encode, 'rggb', 'rgb.ppm',
                    'x.paco')
        self.refuse(FAILED, 'even numbers', *encode, 'rggb', 'odd.pgm', 'x.paco')
        self.refuse(USAGE, 'grbg, gbrg and bggr', *encode, 'rgbg', 'in.pgm', 'x.paco')
        self.refuse(FAILED, 'DNG, PGM', 'decode', 'film.paco', 'x.png')
        self.paco('encode', '-f', 'rgb.ppm', 'rgb.paco')
        self.refuse(FAILED, 'which TIFF files hold', 'decode', 'rgb.paco', 'x.dng')


def install():
    """Returns a Python that has rawpy. Ends the program if there is none."""
    python = os.environ.get('PACO_RAWPY') or os.path.join(FOLDER, 'bin', 'python')
    for words in ((sys.executable, '-m', 'venv', FOLDER),
                  (python, '-m', 'pip', 'install', '-q', '--retries', '1',
                   '--timeout', '20', 'rawpy')):
        if os.path.exists(python) and subprocess.run(
                [python, '-I', '-c', 'import rawpy'], check=False,
                stderr=subprocess.DEVNULL).returncode == 0:
            break
        done = subprocess.run(words, check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode:
            print(f'rawpy cannot be installed: {done.stdout.strip()[-300:]}: skipped')
            sys.exit(77)
    return python


class LibRaw(Mosaics):
    """Has LibRaw read the files."""
    python = None

    def test_dng_and_pgm(self):
        wanted = []
        for pattern in PATTERNS:
            for depth in DEPTHS:
                # LibRaw takes no pictures of less than 22 x 22 samples.
                samples = self.film(pattern, depth, 66, 34)
                name = f'{pattern}{depth}.dng'
                self.paco('decode', 'film.paco', name)
                wanted.append((name, ['66', '34', pattern.upper(), str((1 << depth) - 1),
                                      '0', '0', '0', '0', *map(str, samples)]))
        read = subprocess.run([self.python, '-c', READER, *(name for name, _ in wanted)],
                              check=True, timeout=120, text=True,
                              stdout=subprocess.PIPE).stdout.splitlines()
        self.assertEqual(len(read), len(wanted))
        for (name, expected), line in zip(wanted, read):
            self.assertEqual(line.split(), expected, name)


if __name__ == '__main__':
    print(f'PACO_SEED={SEED}')
    RAWPY = '--rawpy' in sys.argv
    if RAWPY:
        sys.argv.remove('--rawpy')
        LibRaw.python = install()
    unittest.main(verbosity=2, defaultTest='LibRaw.test_dng_and_pgm' if RAWPY
                  else 'Mosaics')
