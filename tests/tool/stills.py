#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests pictures that paco makes of recordings of Y, Cb, Cr: their colours, against the
equations of the matrices; the frame at a timecode; and sheets. PACO_TOOL is the
program."""
import json
import os
import random
import struct
import subprocess
import unittest

import pictures
from tool import FAILED, SEED, USAGE, Case

MATRICES = {'bt601': (0.299, 0.114), 'bt709': (0.2126, 0.0722),
            'bt2020': (0.2627, 0.0593)}
WIDTH, HEIGHT = 20, 12


def has_elements(*names):
    return all(subprocess.run(['gst-inspect-1.0', name], check=False,
                              stdout=subprocess.DEVNULL).returncode == 0
               for name in names)


HAS_ELEMENTS = has_elements('timecodestamper', 'rsvgoverlay', 'pacoenc', 'qtmux')


def read_ppm(data):
    """Returns (width, height, largest sample, samples)."""
    kind, size, most, rest = data.split(b'\n', 3)
    assert kind == b'P6'
    width, height = map(int, size.split())
    return (width, height, int(most),
            pictures.unwords(rest, 8 if int(most) < 256 else 16))


def read_tiff(data):
    """Returns (tags, samples) of a file with one strip. Tags are lists of values."""
    assert data[:4] == b'MM\0*'
    directory, = struct.unpack_from('>I', data, 4)
    count, = struct.unpack_from('>H', data, directory)
    tags = {}
    for number in range(count):
        at = directory + 2 + 12 * number
        tag, kind, n = struct.unpack_from('>HHI', data, at)
        code = {3: 'H', 4: 'I', 5: 'II'}[kind] * n
        if struct.calcsize('>' + code) > 4:
            where, = struct.unpack_from('>I', data, at + 8)
        else:
            where = at + 8
        tags[tag] = list(struct.unpack_from('>' + code, data, where))
    begin, size = tags[273][0], tags[279][0]
    assert begin + size == len(data)
    return tags, pictures.unwords(data[begin:], tags[258][0])


def rgb_of(codes, depth, matrix, full, most):
    """Returns R, G, B of Y, Cb, Cr by the equations of the recommendations."""
    red, blue = MATRICES[matrix]
    step = 2 ** (depth - 8)
    y, cb, cr = codes
    if full:
        y, cb, cr = (v / (2 ** depth - 1) for v in (y, cb - 128 * step, cr - 128 * step))
    else:
        y, cb, cr = ((y - 16 * step) / (219 * step), (cb - 128 * step) / (224 * step),
                     (cr - 128 * step) / (224 * step))
    r, b = y + 2 * (1 - red) * cr, y + 2 * (1 - blue) * cb
    g = (y - red * r - blue * b) / (1 - red - blue)
    return [min(max(v, 0), 1) * most for v in (r, g, b)]


class Coded(Case):
    def code(self, colours, frame, *more, width=WIDTH, height=HEIGHT, head=''):
        data = pictures.y4m(colours, width, height, [frame])
        self.write('clip.y4m', data.replace(b' Ip ', f' {head or "Ip"} '.encode()))
        self.paco('encode', '-f', '--lossless', *more, 'clip.y4m', 'clip.paco')


class Colours(Coded):

    def test_matrices(self):
        draw = random.Random(SEED)
        for colours, depth in ('444', 8), ('444p10', 10), ('444p12', 12):
            for matrix in MATRICES:
                for extent in 'full', 'limited':
                    planes = [[draw.randrange(1 << depth) for _ in range(WIDTH * HEIGHT)]
                              for _ in range(3)]
                    self.code(colours, b''.join(
                        pictures.words(plane, depth, '<') for plane in planes),
                              '--matrix', matrix, '--range', extent)
                    self.compare(planes, depth, matrix, extent == 'full')

    def compare(self, planes, depth, matrix, full):
        for kind in 'ppm', 'png', 'tiff':
            self.paco('decode', '-f', 'clip.paco', f'clip.{kind}')
        width, height, most, samples = read_ppm(self.read('clip.ppm'))
        self.assertEqual((width, height, most),
                         (WIDTH, HEIGHT, 255 if depth == 8 else 65535))
        # Numbers of 10 and 12 bits, stretched to 16, are up to 1 off.
        bound = 0.51 if depth == 8 else 3
        for i, codes in enumerate(zip(*planes)):
            expected = rgb_of(codes, depth, matrix, full, most)
            for value, exact in zip(samples[3 * i:3 * i + 3], expected):
                self.assertLess(abs(value - exact), bound, (matrix, full, depth, codes))
        picture, _ = pictures.read_png(self.read('clip.png'))
        self.assertEqual(picture, (WIDTH, HEIGHT, 3, 8 if depth == 8 else 16, samples))
        tags, strip = read_tiff(self.read('clip.tiff'))
        self.assertEqual((tags[256], tags[257], tags[262], tags[277]),
                         ([WIDTH], [HEIGHT], [2], [3]))
        self.assertEqual(strip, samples)

    def test_places_of_chroma(self):
        """Tests that a slope of chroma samples is one of pixels, from where the
        samples lie."""
        for colours, place in ('420mpeg2', 0), ('420jpeg', 0.5):
            half = [64 + 4 * x for x in range(16)]
            frame = bytes([128] * 32 * 8 + half * 4 + [128] * 16 * 4)
            data = pictures.y4m('420jpeg', 32, 8, [frame])
            self.write('clip.y4m', data.replace(b'420jpeg', colours.encode()))
            self.paco('encode', '-f', '--lossless', '--matrix', 'bt601', '--range', 'full',
                      'clip.y4m', 'clip.paco')
            self.paco('decode', '-f', 'clip.paco', 'clip.ppm')
            *_, samples = read_ppm(self.read('clip.ppm'))
            for x in range(4, 28):
                cb = (samples[3 * (4 * 32 + x) + 2] - 128) / 1.772 + 128
                self.assertLess(abs(cb - 64 - 2 * (x - place)), 0.8, (colours, x))

    def test_transfer(self):
        """Tests that PNG files name primaries and transfer, which stay, and that these
        come back."""
        frame = bytes([128] * (WIDTH * HEIGHT * 3))
        for more, chunk in (
                (('--transfer', 'arib-std-b67', '--primaries', 'bt2020'), b'\t\x12\0\1'),
                (('--transfer', 'bt709', '--primaries', 'bt709'), b'\1\1\0\1'),
                (('--transfer', 'bt709'), None), ((), None)):
            self.code('444', frame, '--matrix', 'bt709', *more)
            self.paco('decode', '-f', 'clip.paco', 'clip.png')
            data = self.read('clip.png')
            self.assertEqual(b'cICP' in data, chunk is not None, more)
            if chunk:
                self.assertIn(b'\0\0\0\4cICP' + chunk, data)
                self.paco('encode', '-f', 'clip.png', 'back.paco')
                told = self.paco('info', 'back.paco').decode()
                self.assertIn(f'transfer {more[1]}, primaries {more[3]}', told)

    def test_fields(self):
        """Tests that colours of one field do not get into the other one."""
        luma = bytes([100] * WIDTH * HEIGHT)
        chroma = b''.join(bytes([60 if y % 2 else 190] * (WIDTH // 2))
                          for y in range(HEIGHT // 2))
        self.code('420jpeg', luma + chroma + bytes([128] * (WIDTH * HEIGHT // 4)),
                  '--matrix', 'bt601', '--range', 'full', head='It')
        self.paco('decode', 'clip.paco', 'clip.ppm')
        *_, samples = read_ppm(self.read('clip.ppm'))
        # At the border libgstvideo mixes them.
        for y in range(2, HEIGHT - 2):
            line = samples[3 * WIDTH * y:3 * WIDTH * (y + 1)]
            expected = rgb_of((100, 60 if y % 2 else 190, 128), 8, 'bt601', True, 255)
            for value, exact in zip(line, expected * WIDTH):
                self.assertLess(abs(value - exact), 0.51, y)

    def test_other_pictures(self):
        """Tests alpha, odd sizes, parts and pictures that there is no format for."""
        planes = [[90], [120], [150], [33]]
        self.code('444alpha', b''.join(bytes(plane * WIDTH * HEIGHT) for plane in planes),
                  '--matrix', 'bt709', '--range', 'limited')
        self.refuse(FAILED, 'no alpha', 'decode', 'clip.paco', 'clip.ppm')
        self.paco('decode', 'clip.paco', 'clip.png')
        (*_, components, depth, samples), _ = pictures.read_png(self.read('clip.png'))
        self.assertEqual((components, depth, samples[3]), (4, 8, 33))
        self.paco('decode', 'clip.paco', 'clip.tif')
        tags, strip = read_tiff(self.read('clip.tif'))
        self.assertEqual((tags[277], tags[338], strip), ([4], [2], samples))
        for colours, width, height in ('420jpeg', 21, 13), ('411', 23, 9), ('422p10', 7, 5):
            frame, = pictures.y4m_frames(colours, width, height, 1, SEED)
            self.code(colours, frame, width=width, height=height)
            self.paco('decode', '-f', 'clip.paco', 'odd.ppm')
            self.assertEqual(read_ppm(self.read('odd.ppm'))[:2], (width, height))
            self.paco('decode', '-f', '--region', '4,2,3,2', 'clip.paco', 'part.ppm')
            _, _, most, whole = read_ppm(self.read('odd.ppm'))
            self.assertEqual(read_ppm(self.read('part.ppm'))[:3], (3, 2, most))
        frame, = pictures.y4m_frames('444p14', WIDTH, HEIGHT, 1, SEED)
        self.code('444p14', frame)
        self.refuse(FAILED, 'has no format for pictures', 'decode', 'clip.paco', 'x.png')
        self.assertFalse(os.path.exists('x.png'))

    def test_gray_and_depths(self):
        """Tests TIFF files of gray, alpha and samples of other depths, without
        conversion."""
        for components, depth in (1, 8), (1, 10), (2, 8), (3, 16), (4, 12):
            picture = pictures.random_picture(9, 7, components, depth, SEED)
            self.write('in.pam', pictures.pam(picture))
            self.paco('encode', '-f', '--lossless', 'in.pam', 'clip.paco')
            self.paco('decode', '-f', 'clip.paco', 'clip.tiff')
            tags, samples = read_tiff(self.read('clip.tiff'))
            bits = 8 if depth == 8 else 16
            self.assertEqual((tags[277], tags[258]), ([components], [bits] * components))
            self.assertEqual([value >> (bits - depth) for value in samples], picture[4])


@unittest.skipUnless(has_elements('jpegenc', 'jpegdec', 'rsvgoverlay'),
                     'elements of GStreamer are missing')
class Jpegs(Coded):
    def show(self, path, width, height):
        """Returns R, G, B of a JPEG file, one after the other."""
        subprocess.run(f'gst-launch-1.0 -q filesrc location={path} ! jpegdec ! '
                       'videoconvert ! video/x-raw,format=RGB ! filesink '
                       'location=shown.raw'.split(), check=True, timeout=600)
        data, stride = self.read('shown.raw'), (3 * width + 3) // 4 * 4
        self.assertEqual(len(data), stride * height)
        return b''.join(data[stride * y:][:3 * width] for y in range(height))

    def test_samples(self):
        for components, depth in (1, 8), (1, 12), (3, 8), (3, 10), (3, 16):
            width, height = random.randrange(1, 40), random.randrange(1, 40)
            top = 2 ** depth - 1
            slopes = [(x * (c + 1) + y * 2 + 50) * top // 300
                      for y in range(height) for x in range(width)
                      for c in range(components)]
            self.write('in.pam', pictures.pam((width, height, components, depth, slopes)))
            self.paco('encode', '-f', '--lossless', 'in.pam', 'clip.paco')
            self.paco('decode', '-f', 'clip.paco', 'clip.jpg')
            shown = self.show('clip.jpg', width, height)
            for c in range(3):
                exact = slopes[c if components == 3 else 0::components]
                apart = [abs(v - w * 255 / top) for v, w in zip(shown[c::3], exact)]
                self.assertLess(max(apart), 20, (width, height, depth, c))
                self.assertLess(sum(apart) / len(apart), 3, (width, height, depth, c))

    def test_matrix(self):
        """Tests that Y, Cb, Cr of JPEG are made by way of R, G, B."""
        codes = 500, 400, 700
        frame = b''.join(pictures.words([code] * WIDTH * HEIGHT, 10, '<')
                         for code in codes)
        self.code('444p10', frame, '--matrix', 'bt2020', '--range', 'limited')
        self.paco('still', 'clip.paco', '0', 'clip.jpeg')
        expected = rgb_of(codes, 10, 'bt2020', False, 255)
        for value, exact in zip(self.show('clip.jpeg', WIDTH, HEIGHT), expected * WIDTH):
            self.assertLess(abs(value - exact), 3)

    def test_files(self):
        """Tests numbered files, the shape of pixels, and a sheet."""
        frames = [bytes([50 * n] * 64 * 48) for n in range(3)]
        data = pictures.y4m('mono', 64, 48, frames).replace(b'A1:1', b'A16:11')
        self.write('clip.y4m', data)
        self.paco('encode', '--lossless', 'clip.y4m', 'clip.paco')
        self.paco('decode', 'clip.paco', 'clip_%02d.jpg')
        for n in range(3):
            self.assertEqual(self.read(f'clip_{n:02}.jpg')[:18],
                             b'\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\x0b\0\x10')
            shown = self.show(f'clip_{n:02}.jpg', 64, 48)
            self.assertLess(max(abs(v - 50 * n) for v in shown), 3)
        self.paco('contact', 'clip.paco', 'sheet.jpg')
        self.paco('contact', 'clip.paco', 'sheet.png')
        (width, height, *_, samples), _ = pictures.read_png(self.read('sheet.png'))
        apart = [abs(v - w) for v, w in
                 zip(self.show('sheet.jpg', width, height), samples)]
        self.assertLess(sum(apart) / len(apart), 2)

    def test_alpha(self):
        self.write('in.pam', pictures.pam(pictures.random_picture(9, 7, 4, 8, SEED)))
        self.paco('encode', '-f', '--lossless', 'in.pam', 'clip.paco')
        self.refuse(FAILED, 'has alpha', 'decode', 'clip.paco', 'x.jpg')
        self.assertFalse(os.path.exists('x.jpg'))


@unittest.skipUnless(HAS_ELEMENTS, 'elements of GStreamer are missing')
class Times(Case):
    def record(self, path, stamper='', rate='25/1', count=40):
        """Records pictures that are brighter from one to the next."""
        frames = b''.join(bytes([40 + 4 * n] * 64 * 48) for n in range(count))
        self.write('frames.raw', frames)
        muxer = '! qtmux' if path.endswith('.mov') else ''
        subprocess.run(
            'gst-launch-1.0 -q filesrc location=frames.raw ! rawvideoparse format=gray8 '
            f'width=64 height=48 framerate={rate} ! {stamper} videoconvert ! '
            'video/x-raw,format=Y444,colorimetry=bt601 ! pacoenc rate-control=lossless '
            f'{muxer} ! filesink location={path}'.split(), check=True, timeout=600)

    def expect(self, number, *arguments):
        self.paco('still', '-f', '-q', *arguments, 'still.png')
        self.paco('decode', '-f', '-q', '--frames', str(number), arguments[0], 'frame.png')
        self.assertEqual(self.read('still.png'), self.read('frame.png'), arguments)

    def test_counted_timecodes(self):
        self.record('film.mov')
        self.record('fast.paco', rate='30000/1001')
        for path in 'film.mov', 'fast.paco':
            self.expect(7, path, '7')
            self.expect(3, path, '00:00:00:03')
        self.expect(28, 'film.mov', '00:00:01:03')
        self.expect(33, 'fast.paco', '00:00:01;03')
        for code, words, *arguments in (
                (USAGE, 'a second has 25 frames', 'film.mov', '00:00:00:25'),
                (USAGE, 'no timecode', 'film.mov', '0:1'),
                (USAGE, 'no timecode', 'film.mov', '00:60:00:00'),
                (USAGE, 'a number says', '-', '00:00:00:01'),
                (FAILED, 'no such frames', 'film.mov', '00:01:00:00')):
            self.refuse(code, words, 'still', *arguments, 'x.png')

    def test_timecodes_of_frames(self):
        for path in 'film.mov', 'film.paco':
            self.record(path, 'timecodestamper set=always source=internal '
                        'timecode-offset=90000 !')
            self.expect(0, path, '01:00:00:00')
            told, = json.loads(self.paco('info', '--json', path))
            self.assertEqual(told['timecode'], '01:00:00:00')
            text = self.paco('info', path).decode()
            self.assertIn('timecode   01:00:00:00\n', text)
            # Only frames that were read are counted, and their bytes.
            self.assertEqual('about 40, ' in text and 'in the whole file' in text,
                             path == 'film.mov', text)
            self.assertIn('frames     40, ',
                          self.paco('info', '--frames', path).decode())
            self.expect(31, path, '01:00:01:06')
            self.refuse(FAILED, 'the first one has 01:00:00:00', 'still', path,
                        '00:00:00:10', 'x.png')
        # After a gap the frame is not where counting expects it.
        self.paco('cut', 'film.paco', '0', '4', 'a.paco')
        self.paco('cut', 'film.paco', '20', '39', 'b.paco')
        self.paco('join', 'a.paco', 'b.paco', 'gap.paco')
        self.expect(6, 'gap.paco', '01:00:00:21')

    def test_rgb_of_16_bits(self):
        """Tests that R, G, B of 16 bits plays with any GStreamer, sample by sample, and
        that stills and sheets are made of it."""
        picture = pictures.random_picture(32, 24, 3, 16, SEED)
        self.write('picture.ppm', pictures.pnm(picture))
        self.paco('encode', '--lossless', '--fps', '25', 'picture.ppm', 'film.paco')
        self.paco('join', 'film.paco', 'film.mov')
        for path in 'film.paco', 'film.mov':
            uri = f'uri=file://{os.path.abspath(path)}'
            subprocess.run(
                ['gst-launch-1.0', '-q', 'uridecodebin', uri, '!', 'videoconvert', '!',
                 'video/x-raw,format=RGBA64_LE', '!', 'filesink', 'location=played.raw'],
                check=True, timeout=600)
            subprocess.run(['gst-launch-1.0', '-q', 'playbin', uri,
                            'video-sink=fakesink'], check=True, timeout=600)
            samples = pictures.unwords(self.read('played.raw'), 16, '<')
            self.assertEqual([v for i, v in enumerate(samples) if i % 4 < 3], picture[4])
            self.assertEqual(set(samples[3::4]), {65535})
            self.paco('still', '-f', path, '00:00:00:00', 'still.ppm')
            self.assertEqual(self.read('still.ppm'), self.read('picture.ppm'))
            self.paco('contact', '-f', path, 'sheet.ppm')
            width, *_, sheet = read_ppm(self.read('sheet.ppm'))
            for c in range(3):
                shown = [sheet[3 * (width * y + x) + c] for y in range(8, 248)
                         for x in range(8, 328)]
                self.assertLess(abs(sum(shown) / len(shown)
                                    - sum(picture[4][c::3]) / (257 * 768)), 1.5)

    def test_sheet(self):
        self.record('film.mov')
        self.paco('contact', '-q', '--pictures', '10', '--columns', '5', '--width', '32',
                  'film.mov', 'sheet.png')
        (width, height, *_, samples), _ = pictures.read_png(self.read('sheet.png'))
        # 8 lines between pictures of 32 x 24, 12 for texts.
        self.assertEqual((width, height), (8 + 5 * 40, 8 + 2 * 44))
        for n in range(10):
            x, y = 8 + n % 5 * 40, 8 + n // 5 * 44
            line = samples[3 * (width * (y + 12) + x):][:96]
            gray = (40 + 4 * (4 * n) - 16) * 255 / 219
            self.assertLess(max(abs(value - gray) for value in line), 4, (n, line))
            below = [samples[3 * (width * row + column)] for row in range(y + 24, y + 36)
                     for column in range(x, x + 32)]
            self.assertGreater(max(below), 100, 'there is no text')
            self.assertEqual(samples[3 * (width * (y + 12) + x - 4)], 0x20)
        self.paco('contact', '-q', '--frames', '4-6', 'film.mov', 'few.tiff')
        tags, _ = read_tiff(self.read('few.tiff'))
        self.assertEqual((tags[256], tags[257]), ([8 + 3 * 328], [8 + 240 + 22 + 8]))
        for code, words, *arguments in (
                (USAGE, 'a sheet is', 'film.mov', 'x.dpx'),
                (USAGE, 'at most', '--width', '5000', 'film.mov', 'x.png'),
                (USAGE, 'at least', '--pictures', '0', 'film.mov', 'x.png'),
                (FAILED, 'No such file', 'none.mov', 'x.png'),
                (FAILED, 'it is there', 'film.mov', 'sheet.png')):
            self.refuse(code, words, 'contact', '-q', *arguments)
        self.write('mosaic.raw', bytes(64 * 48))
        self.paco('encode', '--format', 'rggb', '--size', '64x48', 'mosaic.raw',
                  'mosaic.paco')
        self.refuse(FAILED, 'no sheet is made', 'contact', '-q', 'mosaic.paco', 'x.png')
        self.assertFalse(os.path.exists('x.png'))

    def test_sheet_of_stacks(self):
        self.write('slices.raw', b''.join(bytes([20 * n] * 64 * 48) for n in range(8)))
        subprocess.run(
            'gst-launch-1.0 -q filesrc location=slices.raw ! rawvideoparse format=gray8 '
            'width=64 height=48 framerate=25/1 ! pacoenc stack=4 rate-control=lossless '
            '! filesink location=stacks.paco'.split(), check=True, timeout=600)
        self.paco('contact', '-q', '--pictures', '4', '--width', '64', 'stacks.paco',
                  'sheet.ppm')
        width, *_, samples = read_ppm(self.read('sheet.ppm'))
        for n in range(4):
            shown = samples[3 * (width * 20 + 8 + 72 * n + 32)]
            self.assertLess(abs(shown - 40 * n), 4, n)


if __name__ == '__main__':
    unittest.main(verbosity=2)
