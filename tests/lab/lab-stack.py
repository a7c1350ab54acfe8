#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What coding a stack of pictures together brings (pacoenc stack=64), against its slices
for themselves (stack=1) and against JPEG 2000, slice by slice (OpenJPEG). Part 2 of
JPEG 2000 has transforms along components; OpenJPEG does not.

The stacks are made of the corpus:

- bands: R, G and B of a picture of 12 or 16 bits as three slices;
- frames: the luma of a clip;
- shifted: 16 copies of a medical picture, the k-th moved by 0.35 k columns (between two
  samples by a straight line, around at the edge), each with Gaussian noise of its own,
  of 8 units (CT) and 6 (MR). That is no volume: what it shows is weak evidence.

Lossless, bits a sample. With loss, bits a sample at the mean PSNR that the slices for
themselves have with quality=90 tune=psnr, on a straight line between the two nearest of
several qualities; deep samples are spread over 16 bits before. Prints JSON lines.
LAB_BUILD is the build folder. Wants the corpus, numpy, GStreamer and opj_compress."""
import json
import lzma
import math
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CORPUS = os.environ.get('PACO_CORPUS', f'{HERE}/../../../shared/corpus')
BUILD = os.path.abspath(os.environ.get('LAB_BUILD', f'{HERE}/../../build'))
SHORT = '--short' in sys.argv
QUALITIES = [80, 85, 90, 93, 96]


def skip(reason):
    print(f'skipped: {reason}')
    sys.exit(77)


try:
    import numpy
except ImportError:
    skip('there is no numpy')


# --- stacks ---

def raw(name):
    with lzma.open(f'{CORPUS}/{name}.xz') as file:
        return file.read()


def read_pnm(name):
    """Returns all components, one behind the other, and the largest sample."""
    data = raw(name)
    head = re.match(rb'P([56])\s+(\d+)\s+(\d+)\s+(\d+)\s', data)
    kind, width, height, most = (int(x) for x in head.groups())
    samples = numpy.frombuffer(data[head.end():], '>u2' if most > 255 else 'u1')
    samples = samples.reshape(height, width, -1).transpose(2, 0, 1)
    return numpy.ascontiguousarray(samples, '<u2'), most


def read_luma(name):
    data = raw(name)
    head, data = data.split(b'\n', 1)
    width, height = (int(re.search(rb' %c(\d+)' % c, head)[1]) for c in b'WH')
    size = width * height * 3 // (1 if b'C444' in head else 2)
    frames = []
    while data:
        data = data.split(b'\n', 1)[1]
        frames.append(numpy.frombuffer(data[:width * height], 'u1'))
        data = data[size:]
    return numpy.array(frames).reshape(-1, height, width), 255


def shifted(name, noise):
    picture, most = read_pnm(name)
    picture = picture[0].astype(float)
    random = numpy.random.default_rng(1)
    slices = []
    for k in range(16):
        part, whole = math.modf(0.35 * k)
        moved = ((1 - part) * numpy.roll(picture, int(whole), 1)
                 + part * numpy.roll(picture, int(whole) + 1, 1))
        slices.append(numpy.rint(moved + random.normal(0, noise, picture.shape)))
    return numpy.clip(slices, 0, most).astype('<u2'), most


STACKS = [
    ('bands, rgb16_room', lambda: read_pnm('rgb16_room.ppm')),
    ('bands, exr12_Desk', lambda: read_pnm('exr12_Desk.ppm')),
    ('bands, dci12_diner', lambda: read_pnm('dci12_diner.ppm')),
    ('frames, parkjoy', lambda: read_luma('clip8_parkjoy_480x270_420.y4m')),
    ('frames, street', lambda: read_luma('clip8_street_960x540_420.y4m')),
    ('frames, sintel', lambda: read_luma('clip8_sintel_1024x436_444.y4m')),
    ('shifted, CT1', lambda: shifted('med16_CT1.pgm', 8)),
    ('shifted, MR1', lambda: shifted('med12_MR1.pgm', 6)),
]


def spread(slices):
    """Returns deep samples over all of 16 bits, as whole multiples of them."""
    if slices.dtype == numpy.uint8:
        return slices
    low, high = int(slices.min()), int(slices.max())
    return ((slices - low) * (65535 // (high - low))).astype('<u2')


# --- coders: bytes of all slices, and what comes back ---

def paco(slices, *options):
    count, height, width = slices.shape
    size = slices.itemsize
    stride = (width * size + 3) // 4 * 4
    lines = numpy.zeros((count, height, stride), 'u1')
    lines[:, :, :width * size] = slices.view('u1')
    name = 'GRAY8' if size == 1 else 'GRAY16_LE'
    lines.tofile('in.raw')
    env = dict(os.environ, GST_PLUGIN_PATH=f'{BUILD}/plugin')
    caps = (f'video/x-raw,format={name},width={width},height={height},'
            'framerate=25/1,interlace-mode=progressive')
    command = ['gst-launch-1.0', '-q', 'filesrc', 'location=in.raw',
               f'blocksize={height * stride}', '!', caps, '!', 'pacoenc', *options,
               '!', 'filesink', 'location=out.paco']
    subprocess.run(command, check=True, env=env)
    subprocess.run(['gst-launch-1.0', '-q', 'filesrc', 'location=out.paco', '!',
                    'pacoparse', '!', 'pacodec', '!', 'filesink',
                    'location=back.raw'], check=True, env=env)
    back = numpy.fromfile('back.raw', 'u1').reshape(count, height, stride)
    back = numpy.ascontiguousarray(back[:, :, :width * size]).view(slices.dtype)
    return os.path.getsize('out.paco'), back


def quiet(*command):
    """Runs a program of OpenJPEG, which prints empty lines as well."""
    done = subprocess.run(command, check=False, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit(f'{command[0]} failed: {done.stdout}')


def openjpeg(slices, most, *options):
    """Codes with 64x64 blocks and six resolutions, which are five levels."""
    total, back = 0, []
    for one in slices:
        with open('in.pgm', 'wb') as file:
            file.write(b'P5\n%d %d\n%d\n' % (one.shape[1], one.shape[0], most))
            file.write(one.astype('>u2' if most > 255 else 'u1').tobytes())
        quiet('opj_compress', '-i', 'in.pgm', '-o', 'out.j2k', '-n', '6', *options)
        quiet('opj_decompress', '-i', 'out.j2k', '-o', 'back.pgm')
        total += os.path.getsize('out.j2k')
        with open('back.pgm', 'rb') as file:
            data = file.read()
        samples = numpy.frombuffer(data[-one.size * (2 if most > 255 else 1):],
                                   '>u2' if most > 255 else 'u1')
        back.append(samples.reshape(one.shape))
    return total, numpy.array(back)


def psnr(slices, back):
    most = 255 if slices.itemsize == 1 else 65535
    error = numpy.mean((slices.astype(float) - back) ** 2)
    return 20 * math.log10(most) - 10 * math.log10(error)


# --- measuring ---

def result(table, series, stack, value, unit='bits a sample'):
    print(json.dumps({'table': table, 'series': series, 'x': stack,
                      'value': round(value, 4), 'unit': unit}), flush=True)


def lossless(name, slices, most):
    bits = 8 / slices.size
    for series, code in (
            ('slices for themselves', lambda: paco(slices, 'rate-control=lossless')),
            ('stack', lambda: paco(slices, 'rate-control=lossless', 'stack=64')),
            ('JPEG 2000', lambda: openjpeg(slices, most))):
        size, back = code()
        if not numpy.array_equal(back, slices):
            sys.exit(f'{name}, {series}: what comes back is not what was coded')
        result('stacks lossless', series, name, size * bits)


def at(points, target):
    """Returns bits at this PSNR, by the logarithm of bits along lines."""
    points = sorted((decibels, math.log(bits)) for bits, decibels in points)
    for (a, x), (b, y) in zip(points, points[1:]):
        if b >= target or (b, y) == points[-1]:
            return math.exp(x + (y - x) * (target - a) / (b - a))


def lossy(name, slices):
    slices = spread(slices)
    most = 255 if slices.itemsize == 1 else 65535
    bits = 8 / slices.size
    qualities = [f'quality={q}' for q in QUALITIES]
    curves = {}
    for series, stack in (('slices for themselves', 'stack=1'),
                          ('stack', 'stack=64')):
        curves[series] = []
        for quality in qualities:
            size, back = paco(slices, 'tune=psnr', quality, stack)
            curves[series].append((size * bits, psnr(slices, back)))
    target = curves['slices for themselves'][QUALITIES.index(90)][1]
    curves['JPEG 2000'] = []
    for step in (-3, -1, 1, 3):
        size, back = openjpeg(slices, most, '-I', '-q', f'{target + step:.2f}')
        curves['JPEG 2000'].append((size * bits, psnr(slices, back)))
    for series, points in curves.items():
        result('stacks lossy', series, name, at(points, target))
    result('stacks lossy', 'at a PSNR of', name, target, 'dB')
    result('stacks lossy', 'a stack of quality=90 has', name,
           curves['stack'][QUALITIES.index(90)][1], 'dB')


def main():
    if not os.path.isdir(CORPUS):
        skip(f'there is no corpus in {CORPUS}')
    if not os.path.exists(f'{BUILD}/plugin/libgstpaco.so'):
        skip('the plugin is not built')
    for program in ('gst-launch-1.0', 'opj_compress'):
        if subprocess.run(['which', program], check=False,
                          stdout=subprocess.DEVNULL).returncode:
            skip(f'{program} is not installed')
    for table, title in (
            ('stacks lossless', 'stacks of pictures without loss'),
            ('stacks lossy', 'stacks of pictures at the same PSNR')):
        print(json.dumps({'table': table, 'title': title, 'x': 'stack'}))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, read in STACKS[:1] if SHORT else STACKS:
            slices, most = read()
            lossless(name, slices, most)
            lossy(name, slices)


main()
