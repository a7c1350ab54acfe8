#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the program paco: each command on real files, against readers that know nothing of
it, and everything that can be wrong with files, disks and command lines. PACO_TOOL is
the program."""
import errno
import json
import os
import pathlib
import pty
import random
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

import pictures

TOOL = os.environ['PACO_TOOL']
SEED = int(os.environ.get('PACO_SEED', random.randrange(1 << 30)))
COMMANDS = ('info', 'verify', 'decode', 'still', 'contact', 'encode', 'cut', 'join',
            'archive', 'restore')
DONE, FAILED, USAGE, DAMAGE, INTERRUPTED = 0, 1, 2, 3, 130
# One of anything has no plural.
ONE_OF_MANY = (rb'(?<![\d.])1 (arguments|bits|blocks|bytes|components|files|frames|levels|'
               rb'pictures|times)\b')


def has_containers():
    return all(subprocess.run(['gst-inspect-1.0', name], check=False,
                              stdout=subprocess.DEVNULL).returncode == 0
               for name in ('pacoparse', 'matroskamux', 'qtmux'))


class Case(unittest.TestCase):
    """Has a folder for each test, which is empty of unfinished files at the
    end."""

    def setUp(self):
        self.home = os.getcwd()
        self.folder = tempfile.mkdtemp()
        os.chdir(self.folder)

    def tearDown(self):
        left = [name for name in os.listdir('.') if '.part' in name]
        os.chdir(self.home)
        shutil.rmtree(self.folder)
        self.assertEqual(left, [])

    def paco(self, *arguments, code=DONE, data=None, stdin=None, **more):
        with open(stdin or os.devnull, 'rb') as file:
            more['stdin' if data is None else 'input'] = file if data is None else data
            done = subprocess.run([TOOL, *arguments], check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  timeout=600, **more)
        self.assertEqual(done.returncode, code,
                         (arguments, done.stderr.decode(errors='replace')))
        if code == DONE:
            self.assertEqual(done.stderr, b'', arguments)
        self.complaint = done.stderr.decode()
        self.assertNotRegex(done.stdout + done.stderr, ONE_OF_MANY)
        return done.stdout

    def refuse(self, code, words, *arguments, **more):
        """Expects that the command fails and says one sentence with these
        words."""
        self.paco(*arguments, code=code, **more)
        self.assertIn(words, self.complaint)
        self.assertRegex(self.complaint, r'\A(paco[^\n]*\.\n)+\Z')

    def left_out(self, words, *arguments):
        """Runs a command that does what it shall, and names in a line what it leaves
        out."""
        done = subprocess.run([TOOL, *arguments], check=True, capture_output=True,
                              timeout=600)
        self.assertRegex(done.stderr.decode(), r'\Apaco[^\n]*; left out: [^\n]*\.\n\Z')
        self.assertIn(words, done.stderr.decode())

    def write(self, name, data):
        with open(name, 'wb') as file:
            file.write(data)
        return name

    def read(self, name):
        with open(name, 'rb') as file:
            return file.read()

    def clip(self, name='clip.y4m', count=8, seed=SEED):
        """Makes a clip and its frames, and clip.paco, which is coded from it."""
        frames = pictures.y4m_frames('422p10', 70, 34, count, seed)
        self.write(name, pictures.y4m('422p10', 70, 34, frames))
        self.paco('encode', '--lossless', name, name.replace('.y4m', '.paco'))
        return frames


class Pictures(Case):
    def test_single_files(self):
        for components, depth in ((1, 8), (1, 12), (3, 8), (3, 10), (3, 16)):
            picture = pictures.random_picture(37, 21, components, depth, SEED)
            self.write('in.ppm', pictures.pnm(picture))
            self.paco('encode', '--lossless', '-f', 'in.ppm', 'a.paco')
            self.paco('decode', '-f', 'a.paco', 'out.ppm')
            self.assertEqual(self.read('out.ppm'), self.read('in.ppm'))
            self.paco('decode', '-f', 'a.paco', 'out.png')
            made, significant = pictures.read_png(self.read('out.png'))
            bits = made[3]
            self.assertEqual(significant, None if depth == bits else depth)
            self.assertEqual([v >> (bits - depth) for v in made[4]], picture[4])
            # White is white, whatever the depth.
            top = (1 << depth) - 1
            for before, after in zip(picture[4], made[4]):
                self.assertEqual(after, before * ((1 << bits) - 1) // top
                                 if before in (0, top) else after)
            # It comes back with its depth, too.
            self.paco('encode', '--lossless', '-f', 'out.png', 'b.paco')
            self.assertEqual(self.read('a.paco'), self.read('b.paco'))

    def test_dpx(self):
        for components, depth in ((3, 8), (3, 10), (3, 12), (3, 16), (1, 16), (4, 8)):
            picture = pictures.random_picture(37, 21, components, depth, SEED)
            self.write('in.pam', pictures.pam(picture))
            self.paco('encode', '--lossless', '-f', '--range', 'full', 'in.pam',
                      'a.paco')
            self.paco('decode', '-f', 'a.paco', 'out.dpx')
            self.paco('encode', '--lossless', '-f', 'out.dpx', 'b.paco')
            self.paco('decode', '-f', 'b.paco', 'out.pam')
            self.assertEqual(self.read('out.pam'), self.read('in.pam'), depth)
            if not shutil.which('ffmpeg') or components != 3:
                continue
            code, form = {8: ('rgb24', '>'), 10: ('gbrp10le', '<'),
                          12: ('gbrp12le', '<'), 16: ('rgb48be', '>')}[depth]
            raw = subprocess.run(['ffmpeg', '-v', 'error', '-i', 'out.dpx', '-f',
                                  'rawvideo', '-pix_fmt', code, '-'], check=True,
                                 stdout=subprocess.PIPE).stdout
            samples = pictures.unwords(raw, depth, form)
            if code.startswith('gbrp'):
                size = 37 * 21
                samples = [samples[plane * size + n] for n in range(size)
                           for plane in (2, 0, 1)]
            self.assertEqual(samples, picture[4], depth)

    def test_alpha(self):
        for components in (2, 4):
            picture = pictures.random_picture(20, 19, components, 16, SEED)
            self.write('in.pam', pictures.pam(picture))
            self.paco('encode', '--lossless', '-f', 'in.pam', 'a.paco')
            self.paco('decode', '-f', 'a.paco', 'out.pam')
            self.assertEqual(self.read('out.pam'), self.read('in.pam'))
            self.paco('decode', '-f', 'a.paco', 'out.png')
            self.assertEqual(pictures.read_png(self.read('out.png'))[0], picture)
            self.refuse(FAILED, 'alpha', 'decode', 'a.paco', 'out.ppm')

    def test_png_of_few_bits(self):
        for bits in (1, 2, 4, 8, 16):
            picture = pictures.random_picture(37, 11, 1, bits, SEED)
            self.write('in.png', pictures.png(picture))
            self.paco('encode', '--lossless', '-f', 'in.png', 'a.paco')
            self.paco('decode', '-f', 'a.paco', 'out.pgm')
            self.assertEqual(pictures.read_pnm(self.read('out.pgm')), picture)

    def test_colours_of_png(self):
        """Tests that encode and archive read the same of a file's chunks."""
        chunks = {
            b'cICP': bytes((9, 16, 0, 1)),
            b'gAMA': struct.pack('>I', 100000),
            b'cHRM': struct.pack('>8I', 31270, 32900, 68000, 32000, 26500, 69000, 15000,
                                 6000),
            b'pHYs': struct.pack('>IIB', 64, 45, 0),
        }
        expected = {b'cICP': ('transfer', 'smpte2084'), b'gAMA': ('transfer', 'linear'),
                    b'cHRM': ('primaries', 'smpteeg432'),
                    b'pHYs': ('pixel_aspect_ratio', [45, 64])}
        picture = pictures.random_picture(37, 11, 3, 8, SEED)
        numbers = pictures.random_picture(37, 11, 1, 4, SEED)
        palette = [(b'PLTE', bytes(range(48)))]
        for kind, data in chunks.items():
            said = []
            pathlib.Path('b.paco').unlink(missing_ok=True)
            os.makedirs('in', exist_ok=True)
            self.write('in/a.png', pictures.png(picture, [(kind, data)]))
            self.paco('encode', '-f', '--lossless', 'in/a.png', 'a.paco')
            self.paco('archive', '--report', '', 'in', 'b.paco')
            # libpng reads these.
            self.write('c.png', pictures.png(numbers, [(kind, data)] + palette, color=3))
            self.write('d.png', pictures.png(picture, [(kind, data),
                                                       (b'sBIT', bytes((8, 8, 8)))]))
            for name in 'cd':
                self.paco('encode', '-f', '--lossless', f'{name}.png', f'{name}.paco')
            for name in 'abcd':
                info, = json.loads(self.paco('info', '--json', f'{name}.paco'))
                said.append([info[key] for key in ('format', 'matrix', 'range',
                                                   'transfer', 'primaries',
                                                   'pixel_aspect_ratio')])
                key, value = expected[kind]
                self.assertEqual(info[key], value, (kind, name))
            self.assertEqual(said, [said[0]] * 4, kind)

    def test_png_of_other_kinds(self):
        """Tests what libpng reads: palettes and transparent colours."""
        numbers = pictures.random_picture(37, 11, 1, 4, SEED)
        colours = [(n, 255 - n, 3 * n) for n in range(16)]
        self.write('a.png', pictures.png(
            numbers, [(b'PLTE', bytes(sum(colours, ()))), (b'tRNS', b'\x07')], color=3))
        self.paco('encode', '--lossless', 'a.png', 'a.paco')
        pam = self.paco('decode', '--as', 'pam', 'a.paco', '-')
        self.assertEqual(pictures.unwords(pam[-37 * 11 * 4:], 8),
                         [v for n in numbers[4]
                          for v in (*colours[n], 255 if n else 7)])

    def test_y4m(self):
        for colours in pictures.Y4M:
            frames = pictures.y4m_frames(colours, 33, 18, 2, SEED)
            self.write('in.y4m', pictures.y4m(colours, 33, 18, frames, '30000:1001'))
            self.paco('encode', '--lossless', '-f', 'in.y4m', 'a.paco')
            self.paco('decode', '-f', 'a.paco', 'out.y4m')
            head, back = pictures.read_y4m(self.read('out.y4m'))
            self.assertEqual(back, frames, colours)
            self.assertIn('C' + colours, head)
            self.assertIn('F30000:1001', head)

    @unittest.skipUnless(shutil.which('ffmpeg'), 'no ffmpeg')
    def test_y4m_as_ffmpeg_reads_it(self):
        def sums(name):
            lines = subprocess.run(['ffmpeg', '-v', 'error', '-i', name, '-strict',
                                    '-1', '-f', 'framemd5', '-'], check=True,
                                   stdout=subprocess.PIPE).stdout.splitlines()
            return [line for line in lines if not line.startswith(b'#so')]
        for colours in ('420mpeg2', '422p10', '444p12', 'mono', '411'):
            frames = pictures.y4m_frames(colours, 34, 18, 2, SEED)
            self.write('in.y4m', pictures.y4m(colours, 34, 18, frames))
            self.paco('encode', '--lossless', '-f', 'in.y4m', 'a.paco')
            self.paco('decode', '-f', 'a.paco', 'out.y4m')
            self.assertEqual(sums('out.y4m'), sums('in.y4m'), colours)

    def test_raw(self):
        frames = pictures.y4m_frames('422', 34, 18, 3, SEED)
        data = b''.join(frames)
        coded = self.paco('encode', '--lossless', '--format', 'Y42B', '--size',
                          '34x18', '--fps', '25', '-', '-', data=data)
        self.write('a.paco', coded)
        self.assertEqual(self.paco('decode', 'a.paco', '-', '--as', 'raw'), data)
        packed = self.paco('decode', '--as', 'raw', '--format', 'UYVY', 'a.paco', '-')
        self.assertEqual(packed[1:34 * 18 * 2:2], frames[0][:34 * 18])
        self.assertEqual(packed[0:34 * 18 * 2:4], frames[0][34 * 18:34 * 18 * 3 // 2])
        # The same samples in another order are the same picture.
        self.write('in.raw', packed)
        self.paco('encode', '--lossless', '--format', 'UYVY', '--size', '34x18',
                  '--fps', '25', 'in.raw', 'b.paco')
        self.assertEqual(self.paco('decode', 'b.paco', '-', '--as', 'raw',
                                   '--format', 'Y42B'), data)
        self.refuse(FAILED, 'does not hold', 'decode', '--format', 'RGB', 'a.paco',
                    'x.raw')
        self.refuse(FAILED, 'ends within picture 2, after 1223 of its 1224 bytes',
                    'encode', '--format', 'Y42B',
                    '--size', '34x18', '-', 'x.paco', data=data[:-1])

    def test_several_pictures(self):
        """Tests that a file of several pictures, of which one would become a frame,
        is refused, and that an archive keeps all of it."""
        pages = [pictures.random_picture(40, 30, 1, 8, (SEED, n).__hash__())
                 for n in range(5)]
        data = b''.join(map(pictures.pnm, pages))
        png = pictures.png(pages[0])
        animated = (png[:33] + pictures.chunk(b'acTL', struct.pack('>II', 1, 0))
                    + png[33:])
        self.write('a.png', animated)
        self.refuse(FAILED, 'animated', 'encode', 'a.png', 'x.paco')
        os.mkdir('several')
        self.write('several/1.pgm', data)
        self.refuse(FAILED, '1.pgm: the file has more than one picture', 'encode',
                    'several/1.pgm', 'x.paco')
        self.paco('archive', '-q', 'several', 'several.paco')
        self.paco('restore', '-q', 'several.paco', 'back')
        self.assertEqual(self.read('back/1.pgm'), data)

    def test_numbered(self):
        for number in (9, 10, 11, 12):
            picture = pictures.random_picture(20, 10, 3, 8, number)
            self.write(f'in_{number:03}.ppm', pictures.pnm(picture))
        self.paco('encode', '--lossless', 'in_%03d.ppm', 'a.paco')
        self.paco('encode', '--lossless', *[f'in_{n:03}.ppm' for n in range(9, 13)],
                  'b.paco')
        self.assertEqual(self.read('a.paco'), self.read('b.paco'))
        self.paco('decode', 'a.paco', 'out%d.ppm')
        self.paco('decode', '--frames', '1-2', '--start', '50', 'a.paco', 'o%%_%3d.ppm')
        for number in range(4):
            self.assertEqual(self.read(f'out{number}.ppm'),
                             self.read(f'in_{number + 9:03}.ppm'))
        self.assertEqual(self.read('o%_ 51.ppm'), self.read('in_011.ppm'))
        self.assertFalse(os.path.exists('o%_ 52.ppm'))
        os.unlink('in_011.ppm')
        self.refuse(FAILED, 'in_011.ppm is missing, and 12', 'encode', 'in_%03d.ppm',
                    'c.paco')
        self.refuse(USAGE, 'pattern', 'decode', 'a.paco', 'x%d%d.ppm')
        self.assertFalse(os.path.exists('c.paco'))

    def test_parts_of_pictures(self):
        picture = pictures.random_picture(64, 48, 1, 8, SEED)
        self.write('in.pgm', pictures.pnm(picture))
        self.paco('encode', '--lossless', 'in.pgm', 'a.paco')
        self.paco('decode', '--region', '8,4,20,10', 'a.paco', 'out.pgm')
        part = pictures.read_pnm(self.read('out.pgm'))
        self.assertEqual(part[4], [picture[4][y * 64 + x] for y in range(4, 14)
                                   for x in range(8, 28)])
        self.paco('decode', '-f', '--reduce', '2', 'a.paco', 'out.pgm')
        self.assertEqual(pictures.read_pnm(self.read('out.pgm'))[:2], (16, 12))
        self.refuse(USAGE, 'region', 'decode', '--region', '8,4,60,10', 'a.paco',
                    'b.pgm')
        self.refuse(USAGE, 'halved 5 times', 'decode', '--reduce', '6', 'a.paco',
                    'b.pgm')


class Files(Case):
    def test_info(self):
        self.clip()
        told, = json.loads(self.paco('info', '--json', 'clip.paco'))
        for name, value in dict(width=70, height=34, subsampling='4:2:2',
                                depth=[10, 10, 10], format='I422_10LE', frames=8,
                                frame_rate=[25, 1], seconds=0.32, coding='lossless',
                                bytes=os.path.getsize('clip.paco')).items():
            self.assertEqual(told[name], value, name)
        told, = json.loads(self.paco('info', '--json', '--frames', 'clip.paco'))
        self.assertEqual(sum(frame['bytes'] for frame in told['frame_list']),
                         told['bytes'])
        self.assertEqual([frame['number'] for frame in told['frame_list']],
                         list(range(8)))
        text = self.paco('info', '--frames', 'clip.paco').decode()
        self.assertIn('70 x 34, Y, Cb, Cr 4:2:2, 10 bits, I422_10LE', text)

    def test_rates(self):
        """Tests that decimals are the rates that they are rounded from."""
        picture = pictures.random_picture(20, 10, 1, 8, SEED)
        os.mkdir('in')
        self.write('in/1.pgm', pictures.pnm(picture))
        for rate, told in {'29.97': (30000, 1001), '23.976': (24000, 1001),
                           '23.98': (24000, 1001), '59.94': (60000, 1001),
                           '59.940': (60000, 1001), '119.88': (120000, 1001),
                           '29.97002997': None, '29.970030': (30000, 1001),
                           '25.00': (25, 1), '30.0': (30, 1), '12.5': (25, 2),
                           '29.95': (599, 20), '0.04': (1, 25), '5.00': (5, 1),
                           '24000/1001': (24000, 1001), '1.': None, '.5': None,
                           '0.0': None, '1.5/2': None, '1e3': None, '2,5': None}.items():
            if told is None:
                for arguments in (('encode', 'in/1.pgm'), ('archive', 'in')):
                    self.refuse(USAGE, 'number or fraction', *arguments, '--fps', rate,
                                'x.paco')
                continue
            self.paco('encode', '-f', '--fps', rate, 'in/1.pgm', 'x.paco')
            info, = json.loads(self.paco('info', '--json', 'x.paco'))
            self.assertEqual(info['frame_rate'], list(told), rate)
            os.unlink('x.paco')
        self.paco('archive', '-q', '--fps', '23.976', 'in', 'a.paco')
        info, = json.loads(self.paco('info', '--json', 'a.paco'))
        self.assertEqual(info['frame_rate'], [24000, 1001])

    def test_one(self):
        """Tests what is said of one of anything, and that lists name a kind once."""
        self.clip(count=1)
        self.assertEqual(self.paco('verify', 'clip.paco'), b'clip.paco: 1 frame, all sound\n')
        self.paco('info', 'clip.paco')
        data = self.read('clip.paco')
        self.write('damaged.paco', data[:-1] + bytes([data[-1] ^ 1]) + b'x')
        self.assertIn(b': 1 frame, 1 of them damaged, 0 missing; 1 block is damaged, 1 '
                      b'byte belongs to no frame\n',
                      self.paco('verify', 'damaged.paco', code=DAMAGE))
        self.paco('decode', 'damaged.paco', 'x.y4m', code=DAMAGE)
        self.paco('join', 'damaged.paco', 'x.paco', code=DAMAGE)
        self.refuse(FAILED, 'has 1 frame, counted from 0', 'cut', 'clip.paco', '1', '1',
                    'x.paco', '-f')
        picture = pictures.random_picture(3, 3, 1, 1, SEED)
        for name in ('a.pgm', 'scans/1.pgm'):
            os.makedirs('scans', exist_ok=True)
            self.write(name, pictures.pnm(picture))
        self.paco('encode', '--set', 'levels=1', 'a.pgm', 'bit.paco')
        self.paco('info', 'bit.paco')
        self.refuse(USAGE, 'halved 1 time, not 2', 'decode', '--reduce', '2', 'bit.paco',
                    'b.pgm')
        self.assertIn(b'1 file of ', self.paco('archive', 'scans', 'one.paco'))
        self.assertIn(b'1 file of ', self.paco('restore', 'one.paco', 'back'))
        self.write('text', b'no picture')
        self.refuse(FAILED, 'these are Y4M, DPX, TIFF, EXR, PNG and PNM, and raw', 'encode',
                    'text', 'y.paco')

    def test_settings(self):
        self.clip()
        self.paco('encode', '--quality', '60', '--set', 'levels=3', '--threads', '2',
                  '--in-flight', '3', '--backend', 'cpu', '--transfer', 'log100',
                  '--fps', '24000/1001', 'clip.y4m', 'q.paco')
        told, = json.loads(self.paco('info', '--json', 'q.paco'))
        self.assertEqual((told['levels'], told['coding'], told['transfer'],
                          told['frame_rate']), (3, 'lossy', 'log100', [24000, 1001]))
        self.assertLess(told['bytes'], os.path.getsize('clip.paco'))
        self.paco('encode', '--bitrate', '200', 'clip.y4m', 'r.paco')
        told, = json.loads(self.paco('info', '--json', '--frames', 'r.paco'))
        self.assertLessEqual(max(f['bytes'] for f in told['frame_list']), 1000)

    def test_cut_and_join(self):
        frames = self.clip()
        whole = self.read('clip.paco')
        ends = sorted(random.Random(SEED).sample(range(1, 8), 2))
        begin, parts = 0, []
        for end in ends + [8]:
            self.paco('cut', 'clip.paco', str(begin), str(end - 1), f'{begin}.paco')
            self.write('part.y4m', pictures.y4m('422p10', 70, 34, frames[begin:end]))
            self.paco('encode', '--lossless', '-f', 'part.y4m', 'part.paco')
            self.assertEqual(self.read(f'{begin}.paco'), self.read('part.paco'))
            parts.append(f'{begin}.paco')
            begin = end
        self.write('empty.paco', b'')
        self.paco('join', *parts, 'empty.paco', 'all.paco')
        self.assertEqual(self.read('all.paco'), whole)
        self.assertEqual(self.paco('join', *parts, '-'), whole)
        self.assertEqual(self.paco('cut', '-', '0', '7', '-', data=whole), whole)
        self.refuse(FAILED, 'no frame 8', 'cut', 'clip.paco', '3', '8', 'x.paco')

    def test_join_refuses(self):
        self.clip()
        others = dict(size=('--size', '36x20', '--format', 'I422_10LE'),
                      format=('--size', '70x34', '--format', 'GBR_10LE'))
        data = bytes(200000)
        for what, how in others.items():
            self.paco('encode', '--lossless', *how, '--fps', '25', '--frames', '0',
                      '-', f'{what}.paco', data=data)
            self.refuse(FAILED, f'another {what}', 'join', 'clip.paco',
                        f'{what}.paco', 'x.paco')
        self.paco('encode', '--lossless', '--fps', '24', 'clip.y4m', 'rate.paco')
        self.refuse(FAILED, 'another frame rate', 'join', 'clip.paco', 'rate.paco',
                    'x.paco')
        self.paco('encode', 'clip.y4m', 'lossy.paco')
        self.refuse(FAILED, 'another settings', 'join', 'clip.paco', 'lossy.paco',
                    'x.paco')
        self.assertFalse(os.path.exists('x.paco'))

    @unittest.skipUnless(has_containers(), 'no plugin')
    def test_containers(self):
        self.clip()
        rate = b'RIFF' + (36 + 61440).to_bytes(4, 'little') + b'WAVEfmt ' + bytes(
            [16, 0, 0, 0, 1, 0, 2, 0, 0x80, 0xbb, 0, 0, 0, 0xee, 2, 0, 4, 0, 16, 0])
        sound = random.Random(SEED).randbytes(61440)
        self.write('s.wav', rate + b'data' + len(sound).to_bytes(4, 'little') + sound)
        for name, demuxer in (('a.mkv', 'matroskademux'), ('a.mov', 'qtdemux')):
            self.paco('join', '--sound', 's.wav', 'clip.paco', name)
            self.assertIn(b'gst-' + self.paco('--version').strip(), subprocess.check_output(
                ['gst-launch-1.0', '-t', 'filesrc', f'location={name}', '!',
                 demuxer, '!', 'fakesink']))
            told, = json.loads(self.paco('info', '--json', name))
            self.assertEqual(told['frames'], 8)
            self.left_out('sound (audio/x-raw)', 'cut', '-f', name, '0', '7', 'back.paco')
            self.assertEqual(self.read('back.paco'), self.read('clip.paco'))
            self.left_out('sound (audio/x-raw)', 'cut', '-f', name, '5', '6', 'some.paco')
            self.left_out('sound (audio/x-raw)', 'join', '-f', '--no-sound', 'clip.paco', name,
                          'some.mkv')
            self.assertIn(b'16 frames, all sound', self.paco('verify', 'some.mkv'))
            self.paco('cut', '-f', 'clip.paco', '5', '6', 'same.paco')
            self.assertEqual(self.read('some.paco'), self.read('same.paco'))
            self.assertIn(b'8 frames, all sound', self.paco('verify', name))
            self.paco('decode', '-f', name, 'out.y4m')
            self.assertEqual(pictures.read_y4m(self.read('out.y4m'))[1],
                             pictures.read_y4m(self.read('clip.y4m'))[1])
        self.write('no.wav', b'RIFF')
        self.refuse(FAILED, 'no WAV', 'join', '--sound', 'no.wav', 'clip.paco',
                    'b.mkv')
        self.refuse(USAGE, 'sound', 'join', '--sound', 's.wav', 'clip.paco',
                    'b.paco')

    @unittest.skipUnless(has_containers(), 'no plugin')
    def test_formats_without_a_name(self):
        """Samples that no format of this GStreamer has are frames with times all the
        same: none is lost in a container."""
        for components, ending in ((3, 'png'), (2, 'pam'), (4, 'png'), (1, 'png')):
            names = [f'{components}_{i}.{ending}' for i in range(3)]
            for name in names:
                picture = pictures.random_picture(40, 30, components, 16)
                self.write(name, getattr(pictures, ending)(picture))
            self.paco('encode', '--lossless', '-f', '--fps', '24', *names, 'a.paco')
            whole = self.frames('a.paco')
            self.assertEqual(len(whole), 3)
            for name in ('a.mkv', 'a.mov', 'a.mp4'):
                self.paco('encode', '--lossless', '-f', '--fps', '24', *names, name)
                self.assertIn(b': 3 frames, all sound', self.paco('verify', name))
                self.paco('cut', '-f', name, '0', '2', 'back.paco')
                self.assertEqual(self.frames('back.paco'), whole)
                self.paco('cut', '-f', 'a.paco', '1', '2', name)
                self.assertIn(b': 2 frames, all sound', self.paco('verify', name))
                self.paco('join', '-f', 'a.paco', 'a.paco', name)
                self.assertIn(b': 6 frames, all sound', self.paco('verify', name))

    @unittest.skipUnless(has_containers(), 'no plugin')
    def test_rgb_of_16_bits_is_shown(self):
        """It plays with the samples that it has, as a format of this GStreamer, whose
        alpha is opaque."""
        picture = pictures.random_picture(38, 21, 3, 16)
        self.write('a.png', pictures.png(picture))
        self.paco('encode', '--lossless', '--fps', '24', 'a.png', 'a.png', 'a.mkv')
        self.paco('cut', 'a.mkv', '0', '1', 'a.paco')
        # GStreamer 1.26 has R, G, B of 16 bits without alpha.
        converter = ' ! videoconvert' if b'GBR_16LE' in subprocess.run(
            ['gst-inspect-1.0', 'videoconvert'], check=True, stdout=subprocess.PIPE,
            timeout=600).stdout else ''
        for source, decoder in (('a.mkv', 'decodebin ! videoconvert'),
                                ('a.paco', 'decodebin ! videoconvert'),
                                ('a.paco', f'pacoparse ! pacodec{converter}')):
            for name, order, alpha in (('ARGB64_BE', '>', 0), ('BGRA64_LE', '<', 3)):
                subprocess.run(
                    ['gst-launch-1.0', '-q', *f'filesrc location={source} ! {decoder} ! '
                     f'video/x-raw,format={name},framerate=24/1 ! '
                     'filesink location=out.raw'.split()], check=True, timeout=600)
                shown = pictures.unwords(self.read('out.raw'), 16, order)
                self.assertEqual(set(shown[alpha::4]), {65535})
                del shown[alpha::4]
                if name.startswith('BGR'):
                    shown[::3], shown[2::3] = shown[2::3], shown[::3]
                self.assertEqual(shown, 2 * picture[4], (source, decoder, name))

    @unittest.skipUnless(has_containers(), 'no plugin')
    def test_containers_are_counted(self):
        """A muxer leaves out frames that it cannot place in time, as those of a rate
        beyond all sense, and says nothing. The commands do, and leave no file."""
        names = [self.write(f'{i}.ppm', pictures.pnm(
            pictures.random_picture(40, 30, 3, 8))) for i in range(3)]
        self.paco('encode', '--lossless', '--fps', '2000000', *names, 'a.paco')
        for words in (('encode', '--lossless', '--fps', '2000000', *names),
                      ('cut', 'a.paco', '0', '2'), ('join', 'a.paco')):
            self.refuse(FAILED, 'would have 1 of the 3 frames', *words, 'b.mkv')
            self.refuse(FAILED, 'Could not multiplex stream', *words, 'b.mov')
        self.assertEqual(sorted(os.listdir()), sorted([*names, 'a.paco']))

    @unittest.skipUnless(has_containers(), 'no plugin')
    def test_muxer_refuses(self):
        """MOV takes no pictures of fewer than 16 lines: the muxer's error ends the
        command, whenever it comes."""
        picture = self.write('a.pgm', pictures.pnm(pictures.random_picture(16, 8, 1, 8)))
        for _ in range(3):
            self.refuse(FAILED, 'takes no such video of 16x8', 'encode', '--fps', '25',
                        picture, picture, 'b.mov')
        self.assertEqual(os.listdir(), [picture])

    @unittest.skipUnless(has_containers(), 'no plugin')
    def test_plugin_is_found(self):
        """Tests that the plugin of the build is found without GST_PLUGIN_PATH, and that
        GST_PLUGIN_PATH counts where it is set."""
        self.clip()
        plain = {name: value for name, value in os.environ.items()
                 if not name.startswith('GST_')}
        plain['GST_REGISTRY'] = os.path.abspath('registry.bin')
        self.paco('join', 'clip.paco', 'a.mkv', env=plain)
        self.assertIn(b'8 frames', self.paco('verify', 'a.mkv', env=plain))
        os.mkdir('none')
        self.refuse(FAILED, 'no element pacoparse', 'verify', 'a.mkv',
                    env={**plain, 'GST_PLUGIN_PATH': os.path.abspath('none')})

    @staticmethod
    def slices(n, size):
        """Makes pictures that are much alike, of samples of 8 bits."""
        first = random.randbytes(size)
        return [bytes(max(0, sample - random.randrange(3)) for sample in first)
                for _ in range(n)]

    def code_stacks(self, slices, length, path):
        self.write('slices.raw', b''.join(slices))
        subprocess.run(
            ['gst-launch-1.0', '-q', 'filesrc', 'location=slices.raw', '!',
             'rawvideoparse', 'format=gray8', 'width=72', 'height=50',
             'framerate=25/1', '!', 'video/x-raw,interlace-mode=progressive', '!',
             'pacoenc', f'stack={length}', 'rate-control=lossless', '!',
             'filesink', f'location={path}'], check=True, timeout=600)

    def decoded(self, first, last, *arguments, code=0, source='film.paco', **options):
        """Returns pictures first to last of a file, None for those that are
        left out."""
        for path in pathlib.Path('.').glob('out_*.pgm'):
            path.unlink()
        self.paco('decode', '--frames', f'{first}-{last}', *arguments, source,
                  'out_%03d.pgm', code=code, **options)
        found = []
        for number in range(first, last + 1):
            path = pathlib.Path(f'out_{number:03}.pgm')
            found.append(path.read_bytes()[-72 * 50:] if path.exists() else None)
        self.assertEqual(len(list(pathlib.Path('.').glob('out_*.pgm'))),
                         last - first + 1 - found.count(None))
        return found

    def check_stacks_decoded(self, slices, length):
        """Checks that film.paco becomes these pictures, any of them, from
        anywhere."""
        n = len(slices)
        self.paco('join', 'film.paco', 'film.mkv')
        self.assertEqual(self.decoded(0, n - 1), slices)
        for _ in range(4):
            first = random.randrange(n)
            last = random.randrange(first, n)
            self.assertEqual(self.decoded(first, last), slices[first:last + 1])
        self.assertEqual(self.decoded(first, last, source='film.mkv'),
                         slices[first:last + 1])
        self.assertEqual(
            self.decoded(first, last, source='-', data=self.read('film.paco')),
            slices[first:last + 1])
        # A part of a stack is not sound, whatever its frames are.
        frames = self.frames('film.paco')
        for part, damaged in ((frames[1:], 1), (frames[:length - 1], 1),
                              (frames[1:2], 1),
                              (frames[:length + 1] + frames[:1], 2)):
            self.write('part.paco', b''.join(part))
            for options in ((), ('--fast',)):
                told = self.paco('verify', *options, 'part.paco', code=DAMAGE)
                self.assertIn(b' of a stack of ', told)
                self.assertIn(f' {damaged} of them damaged'.encode(), told)

    def frames(self, path):
        data, found = self.read(path), []
        while data:
            size = int.from_bytes(data[8:12], 'little')
            found.append(data[:size])
            data = data[size:]
        return found

    @unittest.skipUnless(has_containers(), 'no plugin')
    def test_stacks(self):
        length = random.randint(2, 4)
        n = random.randint(2 * length, 12)
        slices = self.slices(n, 72 * 50)
        self.code_stacks(slices, length, 'film.paco')
        info, = json.loads(self.paco('info', '--json', 'film.paco'))
        self.assertEqual((info['frames'], info['stack'], info['depth'],
                          info['coding']), (n, length, [8], 'lossless'))
        self.assertIn(f'stacks     of {length} pictures'.encode(),
                      self.paco('info', 'film.paco'))
        self.paco('verify', 'film.paco')
        self.paco('verify', '--fast', 'film.paco')
        self.check_stacks_decoded(slices, length)
        # Whole stacks are cut off, and put together again.
        self.paco('cut', 'film.paco', '0', f'{length - 1}', 'a.paco')
        self.paco('cut', 'film.paco', f'{length}', f'{n - 1}', 'b.paco')
        self.paco('join', 'a.paco', 'b.paco', 'film2.paco')
        self.assertEqual(self.read('film2.paco'), self.read('film.paco'))
        # What is cut off is what is coded apart.
        self.code_stacks(slices[length:], length, 'c.paco')
        self.assertEqual(self.read('b.paco'), self.read('c.paco'))
        for first, last in ((1, n - 1), (0, length - 2), (0, length)):
            if last >= n - 1 and first == 0:
                continue
            self.refuse(FAILED, 'are a stack', 'cut', 'film.paco', f'{first}',
                        f'{last}', 'd.paco')

    def test_archives(self):
        os.mkdir('scans')
        for number in range(3):
            picture = pictures.random_picture(40, 30, 3, 8, (SEED, number).__hash__())
            self.write(f'scans/{number}.ppm', pictures.pnm(picture) + b'tail')
        subprocess.run([TOOL, 'archive', '--md5', 'scans', 'a.paco'], check=True,
                       stdout=subprocess.DEVNULL)
        for option in ('--checksums', '--md5'):
            self.paco('verify', option, '--threads', '1', 'a.paco')
        data = bytearray(self.read('a.paco'))
        data[-100] ^= 1
        self.write('a.paco', data)
        self.paco('verify', '--checksums', 'a.paco', code=DAMAGE)
        self.assertIn('2.ppm', self.complaint)
        self.refuse(USAGE, '--checksums', 'verify', '--md5', '--fast', 'a.paco')
        self.clip()
        self.assertNotEqual(subprocess.run(
            [TOOL, 'verify', '--checksums', 'clip.paco'], check=False,
            capture_output=True).returncode, DONE)

    def test_damage(self):
        frames = self.clip()
        listed = json.loads(self.paco('info', '--json', '--frames',
                                      'clip.paco'))[0]['frame_list']
        whole = self.read('clip.paco')
        self.assertIn(b'all sound', self.paco('verify', 'clip.paco'))
        broken = bytearray(whole)
        broken[listed[3]['offset'] + listed[3]['bytes'] - 5] ^= 64
        self.write('broken.paco', broken)
        for fast in ((), ('--fast',)):
            said = self.paco('verify', *fast, 'broken.paco', code=DAMAGE).decode()
            self.assertRegex(said, r'frame 3: 1 damaged block: HH of level 1, compon'
                                   r'ent 2, at 0,0\n.* 1 of them damaged')
        told = json.loads(self.paco('verify', '--json', 'broken.paco', code=DAMAGE))
        self.assertEqual([entry['frame'] for entry in told['damage']], [3])
        self.paco('decode', 'broken.paco', 'out.y4m', code=DAMAGE)
        self.assertIn('frame 3 has 1 damaged block', self.complaint)
        back = pictures.read_y4m(self.read('out.y4m'))[1]
        self.assertEqual([n for n in range(8) if back[n] != frames[n]], [3])
        self.write('gap.paco', whole[:listed[2]['offset']]
                   + whole[listed[5]['offset']:])
        said = self.paco('verify', 'gap.paco', code=DAMAGE).decode()
        self.assertIn('frame 2: missing, and those up to frame 4', said)
        self.assertIn('3 missing', said)
        self.paco('cut', 'gap.paco', '1', '6', 'x.paco', code=DAMAGE)
        self.paco('cut', 'gap.paco', '5', '7', 'x.paco', '-f')
        self.paco('cut', 'clip.paco', '5', '7', 'z.paco')
        self.assertEqual(self.read('x.paco'), self.read('z.paco'))
        self.paco('join', 'gap.paco', 'y.paco', code=DAMAGE)
        self.write('short.paco', whole[:-1])
        said = self.paco('verify', 'short.paco', code=DAMAGE).decode()
        self.assertIn(f'{listed[7]["bytes"] - 1} bytes behind frame 6 belong to no whole '
                      'one: the frame is cut\n', said)

    def change_headers(self, name, frames, place, value):
        """Changes a byte of the headers of these frames, and their checks."""
        data = bytearray(self.read('clip.paco'))
        for frame in json.loads(self.paco('info', '--json', '--frames',
                                          'clip.paco'))[0]['frame_list']:
            at = frame['offset']
            end = at + struct.unpack_from('<H', data, at + 6)[0] - 4
            if frame['number'] in frames:
                data[at + place] = value
                struct.pack_into('<I', data, end, zlib.crc32(data[at:end]))
        self.write(name, data)

    def test_refused_frames(self):
        """Tests that every command says why it takes no frame of a file."""
        self.clip(count=3)
        size = os.path.getsize('clip.paco')
        version = 'the frame is of version 4 of the format, this decoder knows 3'
        wavelet = 'the wavelet has the unknown id 9'
        for place, value, why in ((4, 4, version), (74, 9, wavelet)):
            self.change_headers('x.paco', range(3), place, value)
            for arguments in (('verify', 'x.paco'), ('verify', '--fast', 'x.paco'),
                              ('info', 'x.paco'), ('info', '--frames', 'x.paco'),
                              ('decode', '-f', 'x.paco', 'x.y4m'),
                              ('decode', '-f', '--frames', '1', 'x.paco', 'x.y4m'),
                              ('cut', '-f', 'x.paco', '0', '1', 'y.paco'),
                              ('cut', '-f', 'x.paco', '1', '2', 'y.paco'),
                              ('join', '-f', 'x.paco', 'y.paco')):
                self.refuse(FAILED, why, *arguments)
                # The error itself has the reason.
                self.assertTrue(self.complaint.endswith(why + '.\n'), self.complaint)
            for fast in ((), ('--fast',)):
                said = self.paco('verify', *fast, 'x.paco', code=FAILED).decode()
                self.assertRegex(said, rf'{size} bytes are no whole frame: .*{why}\n')
            self.assertIn(why, self.complaint)
            self.paco('verify', '-', data=self.read('x.paco'), code=FAILED)
            self.assertIn(why, self.complaint)
            # Where other frames are good, lines have it.
            self.change_headers('x.paco', (1,), place, value)
            self.assertIn(why, self.paco('verify', 'x.paco', code=DAMAGE).decode())
            self.assertIn(why, self.paco('info', '--frames', 'x.paco',
                                         code=DAMAGE).decode())
            for arguments in (('decode', 'x.paco', 'y.y4m'), ('join', 'x.paco', 'y.paco')):
                self.paco(*arguments, '-f', code=DAMAGE)
                self.assertIn(why, self.complaint)

    @unittest.skipUnless(has_containers(), 'no plugin')
    def test_containers_that_were_cut(self):
        """Tests that the end of a file that was cut is no end like any other, and that
        recordings that were never finished are read."""
        def mux(name, muxer, sink=None):
            made = subprocess.run(['gst-launch-1.0', '-q', 'fdsrc', '!', 'pacoparse', '!',
                                   *muxer.split(), '!', sink or 'filesink',
                                   *([] if sink else [f'location={name}'])], check=True,
                                  timeout=100, input=self.read('clip.paco'),
                                  stdout=subprocess.PIPE).stdout
            if sink:
                self.write(name, made)
            self.assertIn(b'8 frames, all sound', self.paco('verify', name))
            return self.read(name)
        self.clip()
        for name, muxer, lost in (
                ('a.mkv', 'matroskamux', 'the Segment at byte '),
                ('a.mov', 'qtmux faststart=true', 'the box mdat at byte '),
                ('b.mov', 'qtmux fragment-duration=80', 'the box mdat at byte ')):
            whole = mux(name, muxer)
            # No muxer has put half of a frame behind three quarters of them.
            last = whole.rfind(b'PACO', 0, len(whole) * 3 // 4) + 100
            self.write(name, whole[:last])
            words = 'the file is cut: ' + lost
            for fast in ((), ('--fast',)):
                said = self.paco('verify', *fast, name, code=DAMAGE).decode()
                self.assertIn(words, said)
                self.assertRegex(said, r'\d frames, .*; the file is cut\n\Z')
            n = int(re.search(r': (\d) frames', said).group(1))
            self.assertIn(n, range(2, 8))
            self.assertIn(words, self.paco('info', name, code=DAMAGE).decode())
            told, = json.loads(self.paco('info', '--json', name, code=DAMAGE))
            self.assertIn(words, told['cut'])
            for arguments in (('decode', name, 'x.y4m'), ('join', name, 'x.paco')):
                self.paco(*arguments, '-f', code=DAMAGE)
                self.assertIn(words, self.complaint)
            self.paco('cut', '-f', name, '0', str(n - 1), 'x.paco')
            self.refuse(FAILED, words, 'cut', '-f', name, '0', '7', 'x.paco')
        # Without its table nothing of a file can be read.
        whole = mux('c.mov', 'qtmux')
        self.write('c.mov', whole[:len(whole) * 3 // 4])
        for arguments in (('verify', 'c.mov'), ('info', 'c.mov'),
                          ('decode', '-f', 'c.mov', 'x.y4m')):
            self.refuse(FAILED, 'the file is cut: the box mdat', *arguments)
        # What is written to a pipe is never finished.
        for name, muxer in (('d.mkv', 'matroskamux streamable=true'),
                            ('d.mov', 'qtmux fragment-duration=80 streamable=true')):
            whole = mux(name, muxer, 'fdsink')
            self.write(name, whole[:whole.rfind(b'PACO') + 100])
            done = subprocess.run([TOOL, 'verify', name], check=True, capture_output=True)
            self.assertIn(b'7 frames, all sound', done.stdout)
            self.assertIn('the recording was not finished, and lacks what it wrote last',
                          done.stderr.decode())
            self.assertIn('not finished', self.paco('info', name).decode())


class Trouble(Case):
    def test_command_lines(self):
        self.clip()
        self.write('text', b'nothing at all')
        for code, words, *arguments in (
                (USAGE, 'no command', 'frobnicate'),
                (USAGE, '--nonsense', 'info', '--nonsense', 'clip.paco'),
                (USAGE, 'was given 0', 'info'),
                (USAGE, 'was given 1', 'encode', 'clip.y4m'),
                (USAGE, 'range', 'decode', '--frames', '5-3', 'clip.paco', 'x.y4m'),
                (USAGE, 'range', 'cut', 'clip.paco', '3', 'x', 'x.paco'),
                (USAGE, '--as', 'decode', 'clip.paco', 'x.foo'),
                (USAGE, 'one picture', 'decode', 'clip.paco', 'x.png'),
                (USAGE, 'no raw format', 'decode', '--format', 'X', 'clip.paco',
                 'x.raw'),
                (USAGE, '--size', 'encode', '--format', 'RGB', 'clip.y4m', 'x.paco'),
                (USAGE, 'number or fraction', 'encode', '--fps', 'x', 'clip.y4m',
                 'x.paco'),
                (USAGE, 'none of', 'encode', '--matrix', 'x', 'clip.y4m', 'x.paco'),
                (USAGE, '0 to 100', 'encode', '--quality', '101', 'clip.y4m',
                 'x.paco'),
                (USAGE, 'no setting', 'encode', '--set', 'a=b', 'clip.y4m', 'x.paco'),
                (USAGE, 'no =', 'encode', '--set', 'a', 'clip.y4m', 'x.paco'),
                (USAGE, 'exclude', 'encode', '--lossless', '--quality', '5',
                 'clip.y4m', 'x.paco'),
                (USAGE, 'stream', 'encode', 'clip.y4m', 'clip.y4m', 'x.paco'),
                (FAILED, 'No such file', 'info', 'none.paco'),
                (FAILED, 'No such file', 'encode', 'none.ppm', 'x.paco'),
                (FAILED, 'no picture of a known kind', 'encode', 'text', 'x.paco'),
                (FAILED, 'no frame', 'info', 'text'),
                (FAILED, 'no such frames', 'verify', 'text'),
                (FAILED, 'no such frames', 'decode', 'text', 'x.y4m'),
                (FAILED, 'no frame', 'join', 'text', 'x.paco'),
                (FAILED, 'No such file', 'cut', 'clip.paco', '0', '1', 'no/x.paco'),
                (FAILED, 'folder', 'cut', 'clip.paco', '0', '1', '.')):
            self.refuse(code, words, *arguments)
        self.assertEqual(sorted(os.listdir('.')), ['clip.paco', 'clip.y4m', 'text'])
        # Those that are there are written.
        self.refuse(DAMAGE, 'ends before frame 8, and', 'decode', '--frames', '6-9',
                    'clip.paco', 'part.y4m')
        self.assertEqual(len(pictures.read_y4m(self.read('part.y4m'))[1]), 2)

    def test_help(self):
        said = self.paco('--help').decode()
        for command in COMMANDS:
            self.assertIn(f'\n  {command} ', said)
            self.assertIn('Usage:', self.paco(command, '--help').decode())
            self.assertEqual(self.paco(command, '--help'),
                             self.paco('help', command))
        self.assertRegex(self.paco('--version'), rb'\Apaco \d+\.\d+')
        self.paco(code=USAGE)

    def test_man_page(self):
        """Tests that every option of these commands is in it, and that every
        option in it exists."""
        page = os.path.join(os.environ['PACO_SOURCE_ROOT'], 'docs', 'paco.1')
        text = self.read(page).decode().replace('\\-', '-')
        found = set()
        for command in COMMANDS:
            self.assertIn(f'\n.SS {command}\n', text)
            found |= set(re.findall(r'\s--([a-z-]+)',
                                    self.paco(command, '--help').decode()))
        self.assertEqual(set(re.findall(r'--([a-z-]+)', text)) - {'version'}, found)

    def complete(self, *words):
        """Returns what bash completes the last word to."""
        script = os.path.join(os.environ['PACO_SOURCE_ROOT'], 'tool', 'paco.bash')
        done = subprocess.run(
            ['bash', '-c', 'source "$0" && COMP_WORDS=("$@") && COMP_CWORD=$(($# - 1)) '
             '&& _paco "$1" && printf "%s\\n" "${COMPREPLY[@]}"', script, TOOL, *words],
            check=True, capture_output=True, text=True, timeout=600)
        self.assertEqual(done.stderr, '')
        return done.stdout.split()

    @unittest.skipUnless(shutil.which('bash'), 'there is no bash')
    def test_completion(self):
        """Tests that all commands, all options of each, and values that the
        program takes are completed."""
        self.assertEqual(sorted(self.complete('')),
                         sorted([*COMMANDS, 'help', '--help', '--version']))
        self.assertEqual(sorted(self.complete('help', '')), sorted(COMMANDS))
        self.assertEqual(self.complete('ver'), ['verify'])
        for command in COMMANDS:
            said = self.paco(command, '--help').decode()
            options = re.findall(r'^ .*?(--[a-z0-9-]+=?)', said, flags=re.M)
            self.assertGreater(len(options), 2)
            self.assertEqual(sorted(self.complete(command, '--')), sorted(options))
            self.assertEqual(self.complete(command, '--hel'),
                             [o for o in options if o.startswith('--hel')])
        self.clip()
        kinds = self.complete('decode', '--as', '')
        said = self.paco('decode', '--help').decode()
        self.assertEqual(sorted(kinds), sorted(
            re.search('OUT is called: (.*)', said)[1].split(', ')))
        for words in (('--as', '=', ''), ('--as', '=')):
            self.assertEqual(self.complete('decode', *words), kinds)
        self.assertEqual(self.complete('decode', '--as', '=', 'y'), ['y4m'])
        for name in self.complete('verify', '--backend', '='):
            subprocess.run([TOOL, 'verify', f'--backend={name}', 'clip.paco'],
                           check=name != 'cuda', capture_output=True)
        for name in self.complete('encode', '--range', ''):
            self.paco('encode', '-f', '--range', name, 'clip.y4m', 'x.paco')
        self.assertEqual(self.complete('cut', 'clip.paco', ''), [])

    def test_broken_pictures(self):
        picture = pictures.random_picture(30, 20, 3, 8, SEED)
        frames = pictures.y4m_frames('420jpeg', 30, 20, 2, SEED)
        whole = dict(ppm=pictures.pnm(picture), png=pictures.png(picture),
                     y4m=pictures.y4m('420jpeg', 30, 20, frames))
        draw = random.Random(SEED)
        for kind, data in whole.items():
            for cut in [1, len(data) - 1] + draw.sample(range(2, len(data)), 3):
                self.write(f'x.{kind}', data[:cut])
                # A Y4M file that ends between frames is whole.
                if kind == 'y4m' and data[cut:cut + 5] == b'FRAME':
                    continue
                self.paco('encode', f'x.{kind}', 'x.paco', code=FAILED)
                self.assertRegex(self.complaint, r'\Apaco encode: [^\n]*\.\n\Z')
        for words, head in (('C999', 'W8 H8 F25:1 C999'), ('width', 'F25:1'),
                            ('wrong word', 'Wx H8'), ('wrong word', 'W8 H8 F1'),
                            ('width', 'W99999 H8')):
            self.refuse(FAILED, words, 'encode', '-', 'x.paco',
                        data=f'YUV4MPEG2 {head}\n'.encode())
        self.refuse(FAILED, 'no Y4M', 'encode', '-', 'x.paco', data=b'hello\n')
        self.refuse(FAILED, 'is empty', 'encode', '-', 'x.paco', data=b'')
        self.write('a.ppm', pictures.pnm(picture))
        self.write('b.ppm', pictures.pnm(pictures.random_picture(31, 20, 3, 8)))
        self.refuse(FAILED, 'another one', 'encode', 'a.ppm', 'b.ppm', 'x.paco')
        self.assertFalse(os.path.exists('x.paco'))

    def test_nothing_is_overwritten(self):
        self.clip()
        for arguments in (('encode', 'clip.y4m'), ('cut', 'clip.paco', '0', '1'),
                          ('join', 'clip.paco'),
                          ('decode', '--as', 'y4m', 'clip.paco')):
            self.write('there', b'precious')
            self.refuse(FAILED, '--force', *arguments, 'there')
            self.assertEqual(self.read('there'), b'precious')
            self.paco(*arguments, '--force', 'there')
            self.assertNotEqual(self.read('there'), b'precious')

    def test_names_of_strangers(self):
        """Tests that names are shown on one line, without what a terminal obeys."""
        os.mkdir('in')
        odd = 'in/1\x1b]0;owned\x07\x1b[2J\nall good\r\t\u202e\u0085\x7f.ppm'
        shown = ('1\\x1b]0;owned\\x07\\x1b[2J\\nall good\\x0d\\t\\u202e\\u0085\\x7f'
                 '.ppm')
        picture = pictures.pnm(pictures.random_picture(20, 10, 3, 8, SEED))
        self.write(odd, picture)
        self.write('in/2.ppm', picture + b'P6 broken')
        said = self.paco('archive', '--list', '--allow-gaps', 'in').decode()
        self.assertEqual(said, f'{shown}\n2.ppm\n')
        self.refuse(FAILED, shown, 'archive', '--only-pictures', 'in', 'a.paco')
        os.unlink('in/2.ppm')
        self.paco('archive', '-q', 'in', 'a.paco')
        with open('a.paco.json', encoding='utf-8') as file:
            text = file.read()
        self.assertEqual(json.loads(text)['frames'][0]['name'], odd[3:])
        self.assertNotRegex(text, '[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]')
        data = bytearray(self.read('a.paco'))
        data[-5] ^= 1
        self.write('a.paco', data)
        self.paco('restore', 'a.paco', 'out', code=DAMAGE)
        self.assertIn(shown, self.complaint)
        self.assertRegex(self.complaint, r'\A(paco[^\n\x1b]*\.\n)+\Z')
        os.rename(odd, odd.replace('ppm', 'paco'))
        self.refuse(FAILED, shown.replace('ppm', 'paco'), 'info',
                    odd.replace('ppm', 'paco'))
        self.clip()
        os.rename('clip.paco', odd)
        for command in ('info', 'verify'):
            said = self.paco(command, odd).decode()
            self.assertIn(shown, said)
            self.assertNotIn('\x1b', said)

    def test_inputs_that_are_no_files(self):
        """Tests that pipes, devices and folders are refused and not waited for, and
        that descriptors that the shell has opened are read."""
        self.clip()
        os.mkdir('folder')
        os.mkfifo('pipe')
        os.symlink('pipe', 'link')
        with socket.socket(socket.AF_UNIX) as other:
            other.bind('socket')
            for name, words in (('folder', 'it is a folder'), ('pipe', 'it is a pipe'),
                                ('link', 'it is a pipe'), ('/dev/zero', 'it is a device'),
                                ('socket', 'it is a socket')):
                for arguments in (('info', name), ('verify', name),
                                  ('verify', '--fast', name),
                                  ('verify', '--checksums', name),
                                  ('decode', name, 'x.y4m'), ('cut', name, '0', '1', 'x.paco'),
                                  ('join', 'clip.paco', name, 'x.paco'),
                                  ('encode', name, 'x.paco'),
                                  ('encode', '--format', 'RGB', '--size', '8x8', name,
                                   'x.paco'),
                                  ('restore', name, 'out')):
                    self.refuse(FAILED, words, *arguments)
                    self.assertIn(name, self.complaint)
                if has_containers():
                    self.refuse(FAILED, words, 'join', '--sound', name, 'clip.paco',
                                'x.mkv')
            os.rename('pipe', 'pipe.y4m')
            self.refuse(FAILED, 'it is a pipe', 'encode', 'pipe.y4m', 'x.paco')
        frames = self.read('clip.y4m')
        for name in ('-', '/dev/stdin', '/dev/fd/0'):
            for how in ({'data': self.read('clip.paco')}, {'stdin': 'clip.paco'}):
                self.assertIn(b'8 frames, all sound', self.paco('verify', name, **how))
                self.assertEqual(self.paco('decode', '--as', 'y4m', name, '-', **how),
                                 self.paco('decode', '--as', 'y4m', 'clip.paco', '-'))
            self.paco('encode', '--lossless', '-f', '--format', 'I422_10LE', '--size',
                      '70x34', name, 'raw.paco', data=frames[:34 * 70 * 4])
        subprocess.run(['bash', '-c', '"$0" join <(cat clip.paco) bash.paco', TOOL],
                       check=True, timeout=600)
        self.assertEqual(self.read('bash.paco'), self.read('clip.paco'))

    def test_own_input(self):
        """Tests that no file is overwritten that a command reads, by whatever name."""
        self.clip()
        before = self.read('clip.paco')
        os.link('clip.paco', 'hard.paco')
        os.symlink('clip.paco', 'soft.paco')
        words = 'is one of the files that are read'
        for out in ('clip.paco', './clip.paco', 'hard.paco', 'soft.paco'):
            for arguments in (('cut', 'clip.paco', '0', '1'),
                              ('join', 'clip.paco', 'hard.paco'),
                              ('encode', '--format', 'GRAY8', '--size', '8x8',
                               'clip.paco'),
                              ('decode', '--as', 'raw', 'clip.paco')):
                self.refuse(FAILED, words, *arguments, '-f', out)
            self.refuse(FAILED, words, 'cut', '-f', '-', '0', '1', out,
                        stdin='clip.paco')
            self.assertEqual(self.read('clip.paco'), before)
            self.assertTrue(os.path.samefile('clip.paco', out))
        with open('clip.paco', 'ab') as itself:
            done = subprocess.run([TOOL, 'join', 'clip.paco', '-'], stdout=itself,
                                  stderr=subprocess.PIPE, check=False, timeout=600)
        self.assertEqual(done.returncode, FAILED)
        self.assertIn(b'standard output cannot be written', done.stderr)
        self.assertEqual(self.read('clip.paco'), before)
        for number in (1, 2, 3):
            self.write(f'in_{number}', pictures.pnm(
                pictures.random_picture(20, 10, 1, 8, number)))
        os.link('in_2', 'other')
        for out in ('in_3', 'other'):
            before = self.read(out)
            self.refuse(FAILED, words, 'encode', '-f', 'in_%d', out)
            self.refuse(FAILED, words, 'encode', '-f', 'in_1', 'in_2', 'in_3', out)
            self.assertEqual(self.read(out), before)
        self.write('s.mkv', b'RIFF____WAVE')
        self.refuse(FAILED, words, 'join', '-f', '--sound', 's.mkv', 'clip.paco', 's.mkv')

    def test_other_endings(self):
        """Tests that frames are not written to a file whose name says that it is
        something else."""
        self.clip()
        os.mkdir('scans')
        picture = pictures.pnm(pictures.random_picture(20, 10, 1, 8, SEED))
        for number in range(3):
            self.write(f'scans/{number:03}.pgm', picture)
        before = sorted(os.listdir('.'))
        for ending in ('dpx', 'avi', 'PNG', 'y4m', 'mp3', '7z'):
            for arguments in (('encode', 'clip.y4m'), ('cut', 'clip.paco', '0', '1'),
                              ('join', 'clip.paco'), ('archive', 'scans')):
                self.refuse(USAGE, 'as files of another kind do', *arguments,
                            f'x.{ending}')
        self.refuse(USAGE, 'files of another kind', 'encode', '-f', 'scans/%03d.pgm',
                    'scans/001.pgm')
        self.refuse(USAGE, '--as', 'decode', 'clip.paco', 'x.avi')
        self.assertEqual(sorted(os.listdir('.')), before)
        self.assertEqual(self.read('scans/001.pgm'), picture)
        for name in ('x', 'x.PACO', 'film.2024', 'x.y/z'):
            if '/' in name:
                os.mkdir('x.y')
            self.paco('join', 'clip.paco', name)
            self.assertEqual(self.read(name), self.read('clip.paco'))

    def test_full_disk(self):
        self.clip()

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
        for arguments in (('encode', '--lossless', 'clip.y4m', 'x.paco'),
                          ('join', 'clip.paco', 'x.paco'),
                          ('decode', 'clip.paco', 'x.y4m')):
            self.refuse(FAILED, os.strerror(errno.EFBIG), *arguments,
                        preexec_fn=limit)
            if os.path.exists('/dev/full'):
                self.refuse(FAILED, 'the disk is full', *arguments[:-1], '/dev/full',
                            *(['--as', 'y4m'] if arguments[0] == 'decode' else []))
        self.assertEqual(sorted(os.listdir('.')), ['clip.paco', 'clip.y4m'])

    def test_cut_while_it_is_read(self):
        self.clip(count=200)
        names = ['clip.paco']
        if has_containers():
            names += ['clip.mkv', 'clip.mov']
        for name in names[1:]:
            self.paco('join', 'clip.paco', name)
        for name in names:
            size = os.path.getsize(name)
            # The pipe is full long before the place where the file is cut.
            with subprocess.Popen([TOOL, 'decode', '--as', 'raw', name, '-'],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) as work:
                self.assertEqual(len(work.stdout.read(1)), 1)
                os.truncate(name, size * 3 // 4)
                complaint = work.communicate()[1].decode()
            self.assertEqual(work.returncode, FAILED, (name, complaint))
            self.assertIn(f'{name} was cut while it was read: it had {size} bytes and '
                          f'has {size * 3 // 4} now', complaint)

    def test_interruption(self):
        frames = pictures.y4m_frames('420jpeg', 64, 64, 1, SEED)
        with subprocess.Popen([TOOL, 'encode', '-', 'x.paco'], stdin=subprocess.PIPE,
                              stderr=subprocess.PIPE) as work:
            work.stdin.write(pictures.y4m('420jpeg', 64, 64, frames * 3))
            work.stdin.flush()
            while not [n for n in os.listdir('.') if n.endswith('.part')]:
                time.sleep(0.01)
            # The signal comes while it waits for the next picture, or soon after.
            time.sleep(0.3)
            work.send_signal(signal.SIGINT)
            self.assertEqual(work.wait(60), INTERRUPTED)
            self.assertIn(b'interrupted', work.stderr.read())
        self.assertEqual(os.listdir('.'), [])

    def test_progress(self):
        self.clip()

        def on_terminal(*more):
            master, slave = pty.openpty()
            with subprocess.Popen([TOOL, 'decode', '-f', 'clip.paco', 'x.y4m', *more],
                                  stderr=slave) as work:
                os.close(slave)
                said = b''
                while True:
                    try:
                        some = os.read(master, 4096)
                    except OSError:
                        break
                    if not some:
                        break
                    said += some
            os.close(master)
            self.assertEqual(work.returncode, DONE)
            return said
        said = on_terminal()
        self.assertRegex(said, rb'\r8 of 8 frames, [0-9.]+ fps')
        self.assertTrue(said.endswith(b'\r\x1b[K'))
        self.assertEqual(on_terminal('--quiet'), b'')


if __name__ == '__main__':
    # A shell has its jobs in the background ignore it, and so would their children.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    print(f'PACO_SEED={SEED}', file=sys.stderr)
    unittest.main(verbosity=2)
