#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares raw files that the program paco reads and writes, in each format that it lists,
with the files that GStreamer's conversions make of the same picture. PACO_TOOL is the
program."""
import collections
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

try:
    import gi
    gi.require_version('Gst', '1.0')
    gi.require_version('GstVideo', '1.0')
    from gi.repository import Gst, GstVideo
except (ImportError, ValueError):
    sys.exit(77)

TOOL = os.environ['PACO_TOOL']
SEED = int(os.environ.get('PACO_SEED', random.randrange(1 << 30)))


def paco(*arguments):
    return subprocess.run([TOOL, *arguments], check=True, timeout=600,
                          stdout=subprocess.PIPE).stdout


def refusal(name):
    done = subprocess.run([TOOL, 'encode', '--format', name, '--size', '8x8', 'a', 'b'],
                          check=False, capture_output=True, text=True)
    assert done.returncode == 2, done
    return done.stderr.rstrip('.\n')


def formats_by_samples(names):
    """Returns lists of formats with the same samples, of those that GStreamer knows."""
    groups = collections.defaultdict(list)
    for name in names:
        number = GstVideo.VideoFormat.from_string(name)
        if number != GstVideo.VideoFormat.UNKNOWN:
            info = GstVideo.VideoFormat.get_info(number)
            n = info.n_components
            groups[int(info.flags) & 7, tuple(info.depth[:n]), tuple(info.w_sub[:n]),
                   tuple(info.h_sub[:n])].append(name)
    return list(groups.values())


def convert(groups, width, height):
    """Lets GStreamer make a file in each format; those of a group show one picture."""
    size = width * height * 8
    with open('noise', 'wb') as file:
        file.write(random.Random(SEED).randbytes(size))
    convert_to = 'queue ! videoconvert chroma-mode=none dither=none ! video/x-raw,format='
    branches = ''
    for group in groups:
        branches += f' t. ! {convert_to}{group[0]} ! tee name={group[0]}'
        for name in group:
            branches += (f' {group[0]}. ! {convert_to}{name} ! filesink async=false '
                         f'location={name}')
    subprocess.run(
        ['gst-launch-1.0', '-q', *(f'filesrc location=noise blocksize={size} ! rawvideoparse '
         f'format=argb64-le width={width} height={height} ! tee name=t' + branches).split()],
        check=True, timeout=600)


def read(name):
    with open(name, 'rb') as file:
        return file.read()


class Formats(unittest.TestCase):
    def setUp(self):
        self.home = os.getcwd()
        self.folder = tempfile.TemporaryDirectory()
        os.chdir(self.folder.name)

    def tearDown(self):
        os.chdir(self.home)
        self.folder.cleanup()

    def encode(self, name, width, height):
        paco('encode', '-f', '--lossless', '--format', name, '--size',
             f'{width}x{height}', name, 'x.paco')

    def test_every_format(self):
        names = refusal('X').split(' these are ')[1].split(', ')
        self.assertGreater(len(names), 100)
        groups = formats_by_samples(names)
        self.assertGreater(sum(map(len, groups)), 100)
        # The lines of all formats have no gaps at this width.
        convert(groups, 192, 16)
        for group in groups:
            for name, following in zip(group, group[1:] + group[:1]):
                self.encode(name, 192, 16)
                made = paco('decode', '--as', 'raw', '--format', following, 'x.paco', '-')
                self.assertTrue(made == read(following), (name, following))
                if name != following and name in ('v210', 'P010_10LE', 'UYVP', 'r210'):
                    self.assertTrue(paco('decode', '--as', 'raw', 'x.paco', '-')
                                    == read(name), name)

    def test_lines_with_gaps(self):
        """Tests v210, whose lines are multiples of 128 bytes: 52 samples take 144."""
        convert([['I422_10LE', 'v210']], 52, 4)
        self.encode('v210', 52, 4)
        self.assertEqual(paco('decode', '--as', 'raw', '--format', 'I422_10LE', 'x.paco',
                              '-'), read('I422_10LE'))
        made = paco('decode', '--as', 'raw', 'x.paco', '-')
        self.assertEqual(len(made), len(read('v210')))
        for y in range(0, 4 * 256, 256):
            self.assertEqual(made[y:y + 138], read('v210')[y:y + 138])
            self.assertEqual(made[y + 144:y + 256], bytes(112))

    def test_mosaics(self):
        """Tests mosaics: what the samples of a cell are called, and that they come back in
        either order of bytes."""
        draw = random.Random(SEED)
        for name in (f'{colors}{depth}' for colors in ('rggb', 'grbg', 'gbrg', 'bggr')
                     for depth in ('', '10le', '12be', '14le', '16be')):
            bits = int(name[4:6] or 8)
            order = 'big' if name.endswith('be') else 'little'
            samples = [draw.randrange(1 << bits) for _ in range(20 * 6)]
            with open(name, 'wb') as file:
                for sample in samples:
                    file.write(sample.to_bytes((bits + 7) // 8, order))
            self.encode(name, 20, 6)
            self.assertEqual(paco('decode', '--as', 'raw', 'x.paco', '-'), read(name))
            if bits > 8:
                other = name[:-2] + ('le' if order == 'big' else 'be')
                made = paco('decode', '--as', 'raw', '--format', other, 'x.paco', '-')
                self.assertEqual(made[0::2], read(name)[1::2])
            told = json.loads(paco('info', '--json', 'x.paco'))[0]
            self.assertEqual(told['components'], 'mosaic')
            self.assertEqual((told['width'], told['height']), (20, 6))
            done = subprocess.run([TOOL, 'decode', 'x.paco', 'x.png'], check=False,
                                  capture_output=True, text=True)
            self.assertIn('is a mosaic', done.stderr)

    def test_no_format_of_files(self):
        for name in ('NV12_4L4', 'RGB8P'):
            self.assertIn('no raw format that files can have', refusal(name))


if __name__ == '__main__':
    Gst.init(None)
    print(f'PACO_SEED={SEED}')
    unittest.main(verbosity=2)
