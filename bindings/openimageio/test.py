#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""test.py: tests the plugin with OpenImageIO's programs and its Python module.

test.sh runs it, with OIIO_LIBRARY_PATH and PATH set. `test.py damage N SEED FILE...`
is the part that runs with the address sanitizer: it reads N files damaged at random.
"""
import hashlib
import os
import random
import struct
import subprocess
import sys
import tempfile
import zlib

import numpy
import OpenImageIO as oiio

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../tests/golden')
N_DAMAGED = int(os.environ.get('PACO_DAMAGED', '500'))
results = {True: 0, False: 0}


def check(what, good, why=''):
    results[bool(good)] += 1
    if not good:
        print(f'{what}: FAILED {why}', flush=True)


def run(*command):
    """Returns what the command printed, or fails with it."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    check(' '.join(command), done.returncode == 0, done.stdout)
    return done.stdout


def refused(what, words, *command):
    """Checks that the command ends with an error that has these words."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    check(what, done.returncode == 1 and words in done.stdout, done.stdout)


def config(**hints):
    spec = oiio.ImageSpec()
    for name, value in hints.items():
        spec.attribute(name.replace('_', ':'), value)
    return spec


def read(path, subimage=0, level=0, **hints):
    """Returns the pixels, as they are in the file, or None, and the ImageSpec."""
    source = oiio.ImageInput.open(path, config(**hints))
    if source is None or not source.seek_subimage(subimage, level):
        return None, None
    spec = source.spec()
    return source.read_image(subimage, level, 0, spec.nchannels, spec.format), spec


def write(path, *pictures, **attributes):
    """Writes the pictures, each a subimage. Returns '' or the error."""
    out = oiio.ImageOutput.create(path)
    for i, pixels in enumerate(pictures):
        height, width, channels = pixels.shape
        spec = oiio.ImageSpec(width, height, channels, {
            'uint8': 'uint8', 'int8': 'int8', 'uint16': 'uint16', 'int16': 'int16',
            'uint32': 'uint', 'float16': 'half', 'float32': 'float'}[pixels.dtype.name])
        for name, value in attributes.items():
            spec.attribute(name.replace('__', ':').replace('_', '-'), *(
                value if isinstance(value, tuple) else (value,)))
        if not out.open(path, spec, 'AppendSubimage' if i else 'Create'):
            return out.geterror()
        if not out.write_image(pixels):
            return out.geterror()
    return '' if out.close() else out.geterror()


def same(a, b):
    return a is not None and b is not None and a.shape == b.shape \
        and a.dtype == b.dtype and a.tobytes() == b.tobytes()


def noise(height, width, channels, bits=8):
    numbers = numpy.random.randint(0, 1 << bits, (height, width, channels))
    return numbers.astype('uint8' if bits == 8 else 'uint16')


# --- What the frozen streams decode to ---

def components(data, pixels, level, depths):
    """Yields the samples of each component as components.md5 has them."""
    mosaic = data[65] & 1
    for c in range(data[64]):
        samples, place = data[72 + 4 * c], data[73 + 4 * c]
        # Fields are halved each by itself: a subsampled one may have a line more.
        odd = data[57] & 1 and place & 0x30 and level
        if mosaic:
            plane = pixels[place >> 6 & 1::2, place >> 2 & 1::2, 0]
        else:
            plane = pixels[::1 << (place >> 4 & 3), ::1 << (place & 3), c]
        depth = depths or samples & 31
        plane = plane.view(f'uint{plane.itemsize * 8}')
        plane = plane >> (plane.itemsize * 8 - depth)
        yield None if odd else plane.astype(
            'uint8' if depth <= 8 else '<u2').tobytes()


def test_golden():
    """Compares all frozen streams, with levels left out, sample by sample."""
    with open(f'{GOLDEN}/components.md5', encoding='utf-8') as file:
        for line in file:
            if line.startswith('#'):
                continue
            name, number, level, *sums = line.split()
            path = f'{GOLDEN}/{name}.paco'
            with open(path, 'rb') as stream:
                data = stream.read()
            pixels, _ = read(path, int(number), int(level), oiio_RawColor=1,
                             paco_miplevels=1, paco_damaged=1)
            stack = 0
            if name.startswith('stack'):
                stack = 16 if 'gray16' in name else 8
            got = [] if pixels is None else [
                plane and hashlib.md5(plane).hexdigest()
                for plane in components(data, pixels, int(level), stack)]
            check(f'{name}, picture {number}, {level} levels left out',
                  len(got) == len(sums) and all(
                      a in (None, b) for a, b in zip(got, sums)))


# --- Files to .paco and back, by the programs ---

def test_programs():
    for ending, channels, bits in (
            ('tif', 1, 8), ('tif', 3, 8), ('png', 4, 8), ('png', 3, 16), ('tif', 4, 16),
            ('tif', 1, 16), ('dpx', 3, 10), ('dpx', 3, 12)):
        pixels = noise(37, 50, channels, bits)
        if bits in (10, 12):
            pixels = pixels << (16 - bits) | pixels >> (2 * bits - 16)
        attributes = {'oiio__BitsPerSample': bits}
        if channels == 4:  # what PNG and TIFF readers do not multiply
            pixels[..., 3] = (1 << bits) - 1
        first = f'a.{ending}'
        check(f'{first} of {bits} bits', write(first, pixels, **attributes) == '')
        run('oiiotool', first, '-o', 'b.paco')
        run('oiiotool', 'b.paco', '-o', f'c.{ending}')
        run('idiff', '-q', first, f'c.{ending}')
        check(f'{ending}, {channels} channels, {bits} bits',
              same(read(first)[0], read('b.paco')[0])
              and same(read(first)[0], read(f'c.{ending}')[0]))
        check(f'{bits} bits are coded as such',
              f' {bits} bits' in run('paco', 'info', 'b.paco'))
        run('paco', 'verify', 'b.paco')
        run('iconvert', first, 'd.paco')
        run('iconvert', 'd.paco', f'e.{ending}')
        run('idiff', '-q', first, f'e.{ending}')
    for channels in (1, 3, 4):
        pixels = numpy.random.normal(size=(33, 41, channels)).astype('float16')
        check('a.exr', write('a.exr', pixels) == '')
        run('oiiotool', 'a.exr', '-o', 'b.paco')
        run('oiiotool', 'b.paco', '-o', 'c.exr')
        run('idiff', '-q', 'a.exr', 'c.exr')
        check(f'half, {channels} channels', same(read('c.exr')[0], pixels))
    text = run('oiiotool', '--info', '-v', 'b.paco')
    check('--info -v', '41 x   33, 4 channel, half paco' in text
          and 'channel list: R, G, B, A' in text, text)
    check('the file has no name that tells', os.rename('b.paco', 'unnamed') is None
          and 'half paco' in run('oiiotool', '--info', 'unnamed'))
    run('oiiotool', '--pattern', 'fill:top=.1,.2,.3:bottom=.8,.7,.6', '100x70', '3',
        '-d', 'uint8', '-o', 'a.tif')
    run('oiiotool', 'a.tif', '--compression', 'paco:60', '-o', 'b.paco')
    run('idiff', '-q', '-fail', '0.02', 'a.tif', 'b.paco')
    run('oiiotool', 'a.tif', '--attrib', 'paco:quality', '60', '-o', 'c.paco')
    check('an attribute for it', same(read('c.paco')[0], read('b.paco')[0]))
    check('a quality', not same(read('a.tif')[0], read('b.paco')[0]))


def test_formats():
    """All numbers there are, through the module."""
    halves = numpy.arange(65536, dtype='uint16').reshape(256, 256, 1)
    pictures = [halves, halves.view('float16'), halves.view('int16'),
                numpy.repeat(halves, 3, 2), numpy.repeat(halves, 4, 2).view('float16'),
                numpy.repeat(halves, 2, 2)]
    pictures += [(p & 255).astype('uint8') for p in pictures[::3]]
    pictures.append(pictures[-1].view('int8'))
    for pixels in pictures:
        error = write('a.paco', pixels)
        check(f'{pixels.dtype}, {pixels.shape[2]} channels',
              error == '' and same(read('a.paco')[0], pixels), error)
    for bits in range(1, 17):
        pixels = noise(20, 30, 3, 16) >> (16 - bits)
        wide = numpy.round(pixels * 65535.0 / ((1 << bits) - 1)).astype('uint16')
        if bits <= 8:
            wide = (wide >> 8).astype('uint8')
        error = write('a.paco', wide, oiio__BitsPerSample=bits)
        got, spec = read('a.paco')
        check(f'{bits} bits', error == '' and spec.get_int_attribute('oiio:BitsPerSample') == bits
              and numpy.array_equal(got >> (8 * got.itemsize - bits), pixels), error)
    pixels = numpy.random.normal(size=(9, 8, 3)).astype('float32')
    check('float becomes half', write('a.paco', pixels) == ''
          and same(read('a.paco')[0], pixels.astype('float16')))
    pixels = numpy.random.randint(0, 1 << 32, (9, 8, 3), 'uint32')
    check('32 bits become 16', write('a.paco', pixels) == ''
          and abs(read('a.paco')[0] - pixels / 65537).max() <= 1)
    check('a GPU if there is one', same(read('a.paco', paco_backend='auto')[0],
                                        read('a.paco')[0]))


def test_parts():
    """Lines one by one, in any order, and tiles that are written."""
    pixels = noise(64, 48, 3, 16)
    out = oiio.ImageOutput.create('a.paco')
    spec = oiio.ImageSpec(48, 64, 3, 'uint16')
    spec.tile_width = spec.tile_height = 16
    out.open('a.paco', spec)
    places = [(x, y) for y in range(0, 64, 16) for x in range(0, 48, 16)]
    random.shuffle(places)
    for x, y in places:
        out.write_tile(x, y, 0, numpy.ascontiguousarray(pixels[y:y + 16, x:x + 16]))
    check('tiles are written', out.close())
    source = oiio.ImageInput.open('a.paco')
    lines = list(range(64))
    random.shuffle(lines)
    check('lines', all(numpy.array_equal(
        source.read_scanline(y, 0, 'uint16').reshape(48, 3), pixels[y]) for y in lines))
    check('some lines', numpy.array_equal(source.read_scanlines(
        0, 0, 10, 33, 0, 1, 3, 'uint16').reshape(23, 48, 2), pixels[10:33, :, 1:]))
    check('all of it', same(read('a.paco')[0], pixels))
    run('maketx', 'a.paco', '-o', 'a.tx')
    run('oiiotool', 'a.paco', '--cut', '20x10+5+40', '-o', 'a.tif')
    check('a part by oiiotool', numpy.array_equal(read('a.tif')[0], pixels[40:50, 5:25]))


def test_films():
    frames = [noise(24, 32, 3) for _ in range(9)]
    for i, frame in enumerate(frames):
        write(f'frame.{i}.tif', frame)
    run('oiiotool', *(f'frame.{i}.tif' for i in range(9)), '--siappendall', '-o', 'a.paco')
    check('paco counts them', 'frames     9,' in run('paco', 'info', 'a.paco'))
    run('paco', 'verify', 'a.paco')
    run('oiiotool', '-a', 'a.paco', '-o', 'a.tif')
    run('oiiotool', '-a', 'a.paco', '-o', 'again.paco')
    run('oiiotool', 'a.paco', '--subimage', '5', '-o', 'five.tif')
    check('frame 5', same(read('five.tif')[0], frames[5]))
    for path in ('a.paco', 'a.tif', 'again.paco'):
        order = list(range(9))
        random.shuffle(order)
        check(path, all(same(read(path, i)[0], frames[i]) for i in order)
              and read(path, 9)[0] is None)
    source = oiio.ImageInput.open('a.paco')
    check('one reader, any order', all(
        same(source.read_image(i, 0, 0, 3, 'uint8'), frames[i]) for i in order))
    check('films say how long they are',
          source.spec().get_int_attribute('oiio:subimages') == 9)
    # Without one of its frames
    with open('a.paco', 'rb') as file:
        data = file.read()
    starts = [i for i in range(len(data)) if data.startswith(b'PACO\x03', i)]
    with open('gap.paco', 'wb') as file:
        file.write(data[:starts[4]] + data[starts[5]:])
    refused('a frame is missing', 'Frame 4 is missing', 'oiiotool', '-i:now=1',
            'gap.paco', '--subimage', '4', '-o', 'x.tif')
    check('frames around it', all(same(read('gap.paco', i)[0], frames[i]) for i in (3, 5, 8)))
    check('the one before it is shown',
          same(read('gap.paco', 4, paco_damaged=1)[0], frames[3]))
    with open('end.paco', 'wb') as file:
        file.write(data[starts[6]:])
    check('the end alone', all(same(read('end.paco', i)[0], frames[6 + i]) for i in range(3))
          and read('end.paco', 3)[0] is None)
    # A number of a frame that no file can have
    place = data.index(b'\x04\x00\x0c\x00', starts[1]) + 4
    header = starts[1] + struct.unpack_from('<H', data, starts[1] + 6)[0]
    data = bytearray(data[:starts[2]])
    struct.pack_into('<I', data, place, 1 << 31)
    struct.pack_into('<I', data, header - 4, zlib.crc32(data[starts[1]:header - 4]))
    with open('far.paco', 'wb') as file:
        file.write(data)
    refused('a number that is too large', 'larger numbers', 'oiiotool', '--info', 'far.paco')
    # Frames of any size and type
    mixed = [noise(5, 7, 1), noise(30, 40, 4, 16), noise(1, 1, 3)]
    check('mixed', write('a.paco', *mixed) == '' and all(
        same(read('a.paco', i)[0], p) for i, p in enumerate(mixed)))


# --- Y'CbCr, mosaics ---

def y4m(path, tag, planes, rate='25:1', depth=8):
    height, width = planes[0].shape
    with open(path, 'wb') as file:
        file.write(f'YUV4MPEG2 W{width} H{height} F{rate} Ip A1:1 C{tag}\nFRAME\n'.encode())
        for plane in planes:
            file.write(plane.astype('uint8' if depth == 8 else '<u2').tobytes())


def to_rgb(planes, depth, kr, kb):
    step = 1 << (depth - 8)
    y, cb, cr = (p.astype('float64') for p in planes)
    y = (y - 16 * step) / (219 * step)
    cb, cr = ((c - 128 * step) / (224 * step) for c in (cb, cr))
    red, blue = y + 2 * (1 - kr) * cr, y + 2 * (1 - kb) * cb
    rgb = numpy.stack([red, (y - kr * red - kb * blue) / (1 - kr - kb), blue], 2)
    return numpy.clip(rgb, 0, 1) * (255 if depth == 8 else 65535)


def test_yuv():
    for tag, depth, size, weights in (
            ('444', 8, (46, 64), (.299, .114)), ('444p10', 10, (578, 40), (.2126, .0722)),
            ('444p12', 12, (20, 30), (.299, .114))):
        planes = [noise(*size, 1, depth)[..., 0] for _ in range(3)]
        y4m('a.y4m', tag, planes, depth=depth)
        run('paco', 'encode', '--force', '--lossless', 'a.y4m', 'a.paco')
        wanted = to_rgb(planes, depth, *weights)
        got, spec = read('a.paco')
        check(f'R, G, B of {tag}', got is not None
              and abs(got - wanted).max() <= (.51 if depth == 8 else .6),
              '' if got is None else abs(got - wanted).max())
        check(f'{tag}: its spec', spec.channelnames == ('R', 'G', 'B')
              and spec.get_int_attribute('oiio:BitsPerSample') == depth)
        raw, spec = read('a.paco', oiio_RawColor=1)
        check(f'{tag} as it is', spec.channelnames == ('Y', 'Cb', 'Cr')
              and numpy.array_equal(raw >> (raw.itemsize * 8 - depth), numpy.stack(planes, 2)))
        run('oiiotool', '--iconfig', 'oiio:RawColor', '1', 'a.paco', '-o', 'b.paco')
        check(f'{tag} written as it is', same(read('b.paco')[0], got)
              and same(read('b.paco', oiio_RawColor=1)[0], raw))
    # Chroma that rises evenly is interpolated without an error inside of the picture.
    for tag, x, y in (('420mpeg2', 2, 2), ('422', 2, 1), ('420jpeg', 2, 2)):
        cb = 100 + numpy.arange(20)[None, :] + numpy.arange(16)[:, None] * 2
        planes = [numpy.full((16 * y, 40), 120), cb, 240 - cb]
        y4m('a.y4m', tag, planes)
        run('paco', 'encode', '--force', '--lossless', 'a.y4m', 'a.paco')
        columns = numpy.arange(40) / x if tag != '420jpeg' else (numpy.arange(40) + .5) / x - .5
        lines = (numpy.arange(16 * y) + .5) / y - .5
        full = 100 + columns[None, :] + lines[:, None] * 2
        wanted = to_rgb([planes[0], full, 240 - full], 8, .299, .114)
        error = abs(read('a.paco')[0] - wanted)[2:-2, 2:-2].max()
        check(f'chroma of {tag}', error <= .51, error)


def test_mosaics():
    for pattern in ('RGGB', 'BGGR', 'GRBG', 'GBRG'):
        pixels = noise(30, 44, 1, 16)
        error = write('a.paco', pixels, raw__FilterPattern=pattern)
        got, spec = read('a.paco')
        check(pattern, error == '' and same(got, pixels)
              and spec.get_string_attribute('raw:FilterPattern') == pattern, error)
        text = run('paco', 'info', 'a.paco')
        check('paco says so, too', ', mosaic, 16 bits' in text, text)


# --- Attributes ---

def test_attributes():
    attributes = {
        'FramesPerSecond': ('rational', (24000, 1001)), 'PixelAspectRatio': 64 / 45,
        'smpte__TimeCode': ('timecode', (0x12345619, 0)), 'oiio__ColorSpace': 'Rec709',
        'paco__Primaries': 'smpterp431', 'paco__Range': 'limited',
        'paco__InterlaceMode': 'interleaved', 'paco__PictureFlags': 2,
        'paco__FieldOrder': 1, 'paco__MultiviewMode': 3,
        'paco__MultiviewFlags': 5, 'paco__ChromaSite': 6, 'paco__Matrix': 'rgb',
        'paco__MasteringDisplay': ('int[10]', (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)),
        'paco__ContentLight': ('int[2]', (1000, 400)),
        'paco__Chunk200': ('uint8[5]', numpy.array([0, 1, 2, 255, 4], 'uint8')),
        'paco__Chunk7': ('uint8[3]', numpy.array([1, 2, 3], 'uint8')),
    }
    check('attributes', write('a.paco', noise(20, 30, 3), **attributes) == '')
    run('oiiotool', '-a', 'a.paco', '-o', 'b.paco')
    for path in ('a.paco', 'b.paco'):
        _, spec = read(path)
        for name, value in attributes.items():
            name = name.replace('__', ':')
            got = spec.getattribute(name)
            if isinstance(value, tuple):
                value = value[1]
            good = abs(got - value) < 1e-6 if isinstance(value, float) \
                else list(got) == list(value) if not isinstance(value, (str, int)) \
                else got == value
            check(f'{path}: {name}', good, got)
    text = run('paco', 'info', 'a.paco')
    check('paco reads them', '24000/1001' in text or '23.976' in text, text)
    text = run('oiiotool', '--info', '-v', 'a.paco')
    check('oiiotool reads the timecode', '12:34:56:19' in text, text)
    run('oiiotool', 'a.paco', '-o', 'a.exr')
    check('EXR has it', '12:34:56:19' in run('oiiotool', '--info', '-v', 'a.exr'))
    for number, rate in ((23.976, '24000/1001'), (59.94, '60000/1001'), (25.0, '25/1'),
                         (12.5, '25/2')):
        write('a.paco', noise(4, 4, 1), FramesPerSecond=number)
        check(f'{number} frames a second', '/'.join(map(str, read('a.paco')[1].getattribute(
            'FramesPerSecond'))) == rate)
    for rate, code in ((50, 0x23595924 | 1 << 15), (60, 0x01020329 | 1 << 15), (30, 0x69)):
        write('a.paco', noise(4, 4, 1), FramesPerSecond=('rational', (rate, 1)),
              smpte__TimeCode=('timecode', (code, 0)))
        check(f'a timecode at {rate}', read('a.paco')[1].getattribute('smpte:TimeCode')[0] == code)
    for space, wanted in (('sRGB', 'srgb'), ('Linear', 'linear')):
        write('a.paco', noise(4, 4, 1), oiio__ColorSpace=space)
        check(space, read('a.paco')[1].get_string_attribute('paco:Transfer') == wanted)
    write('a.paco', noise(4, 4, 3), CICP=('int[4]', (9, 16, 0, 1)))
    check('CICP', tuple(read('a.paco')[1].getattribute('CICP')) == (9, 16, 0, 1)
          and read('a.paco')[1].get_string_attribute('paco:Transfer') == 'smpte2084')
    os.mkdir('scans')
    write('scans/first.tif', noise(4, 4, 3))
    run('paco', 'archive', 'scans', 'archive.paco')
    names = [value.name for value in read('archive.paco')[1].extra_attribs]
    check('an archive', read('archive.paco')[1].get_string_attribute('paco:SourceFile')
          == 'first.tif' and not any('Chunk' in name for name in names), names)


def test_levels():
    pixels = numpy.repeat(noise(8, 8, 3).repeat(16, 0), 16, 1)
    write('a.paco', pixels)
    shapes = []
    for level in range(9):
        got, _ = read('a.paco', 0, level, paco_miplevels=1)
        if got is not None:
            shapes.append(got.shape[:2])
    check('MIP levels', shapes == [(128, 128), (64, 64), (32, 32), (16, 16), (8, 8), (4, 4)], shapes)
    check('without the wish there is one', read('a.paco', 0, 1)[0] is None)
    run('oiiotool', '--iconfig', 'paco:reduce', '2', 'a.paco', '-o', 'small.tif')
    check('paco:reduce', same(read('small.tif')[0], read('a.paco', 0, 2, paco_miplevels=1)[0]))


# --- What is refused ---

def test_refusals():
    for what, pixels, words in (
            ('5 channels', noise(4, 4, 5), '5 channels'),
            ('too wide', noise(1, 16385, 1), '16385'),
            ('a wavelet of no name', (noise(4, 4, 1), {'paco__wavelet': 'x'}), 'wavelet')):
        pixels, attributes = pixels if isinstance(pixels, tuple) else (pixels, {})
        error = write('a.paco', pixels, **attributes)
        check(what, words in error, error)
    error = write('no-such-folder/a.paco', noise(4, 4, 1))
    check('no such folder', 'no-such-folder' in error, error)
    for what, attribute in (('2 with 1 channels cannot', 'depth'), ('deep', 'deep')):
        out, spec = oiio.ImageOutput.create('a.paco'), oiio.ImageSpec(4, 4, 1, 'uint8')
        setattr(spec, attribute, 2)
        check(what, not out.open('a.paco', spec) and what in out.geterror())
    for what, data in (('empty', b''), ('text', b'PNG or what' * 99), ('magic', b'PACO\x03')):
        with open('bad.paco', 'wb') as file:
            file.write(data)
        refused(what, 'no whole frame', 'oiiotool', 'bad.paco', '-o', 'x.tif')
    refused('no file', 'ERROR', 'oiiotool', 'none.paco', '-o', 'x.tif')
    refused('broken blocks', 'is damaged in', 'oiiotool',
            f'{GOLDEN}/rgb12-broken-blocks.paco', '-o', 'x.tif')
    run('oiiotool', '--iconfig', 'paco:damaged', '1',
        f'{GOLDEN}/rgb12-broken-blocks.paco', '-o', 'x.tif')
    with open(f'{GOLDEN}/stack-gray8-lossy-haar.paco', 'rb') as file:
        data = file.read()
    with open('cut.paco', 'wb') as file:
        file.write(data[:data.rindex(b'PACO\x03')])
    refused('the stack is cut', 'of the stack is missing', 'oiiotool', 'cut.paco', '-o', 'x.tif')
    check('the rest of it is shown', read('cut.paco', paco_damaged=1)[0] is not None)
    refused_stack()


def refused_stack():
    """The first slice is that of a shorter stack than the second one."""
    with open(f'{GOLDEN}/stack-gray8-lossy-haar.paco', 'rb') as file:
        data = bytearray(file.read())
    data[data.index(struct.pack('<HHI', 257, 10, 0)) + 8] = 1
    header = struct.unpack_from('<H', data, 6)[0]
    struct.pack_into('<I', data, header - 4, zlib.crc32(data[:header - 4]))
    with open('mixed.paco', 'wb') as file:
        file.write(data)
    source = oiio.ImageInput.open('mixed.paco')
    check('a stack of one slice', source.read_image(0, 0, 0, 1, 'uint8') is not None)
    check('a slice of another stack', source.read_image(1, 0, 0, 1, 'uint8') is None
          and 'of the stack is missing' in source.geterror())


# --- Damage ---

def damaged(data, dice):
    """Changes some bytes, and often makes the header's CRC right again."""
    data = bytearray(data)
    header = min(struct.unpack_from('<H', data, 6)[0], len(data))
    for _ in range(dice.randrange(1, 6)):
        end = header - 4 if dice.random() < .5 else len(data)
        if dice.random() < .3:
            data[dice.randrange(end)] ^= 1 << dice.randrange(8)
        else:
            data[dice.randrange(end)] = dice.choice((0, 1, 255, dice.randrange(256)))
    if dice.random() < .1:
        at = dice.randrange(len(data))
        data[at:at + dice.randrange(50)] = b''
    if dice.random() < .8:
        header = struct.unpack_from('<H', data, 6)[0]
        if 4 < header <= len(data):
            struct.pack_into('<I', data, header - 4, zlib.crc32(data[:header - 4]))
    # The decoder takes 5.5 bytes a sample: huge pictures are no matter of this test.
    if len(data) >= 40 and max(struct.unpack_from('<HH', data, 36)) > 2000:
        return b'PACO' + bytes(data[40:])
    return bytes(data)


def read_all(path, hints):
    """Reads what there is. Returns how many pictures, and whether an error was told."""
    # Other formats' readers are not asked: some of them fail in the sanitizer.
    oiio.attribute('try_all_readers', 0)
    source = oiio.ImageInput.open(path, config(**hints))
    if source is None:
        return 0, bool(oiio.geterror())
    n, told = 0, False
    for subimage in range(9):
        for level in range(9):
            if not source.seek_subimage(subimage, level):
                break
            spec = source.spec()
            pixels = source.read_image(subimage, level, 0, spec.nchannels, spec.format)
            n += pixels is not None
            told = bool(source.geterror()) or told
            assert pixels is not None or told, path
    return n, told


def run_damage(n, seed, paths):
    dice = random.Random(seed)
    n_pictures = n_errors = 0
    for i in range(n):
        with open(paths[i % len(paths)], 'rb') as file:
            data = damaged(file.read(), dice)
        with open('damaged.paco', 'wb') as file:
            file.write(data)
        hints = {name: dice.randrange(2) for name in (
            'oiio_RawColor', 'paco_miplevels', 'paco_damaged')}
        pictures, told = read_all('damaged.paco', hints)
        n_pictures += pictures
        n_errors += told
        assert pictures or told, f'{paths[i % len(paths)]}: nothing was told'
    print(f'{n} files, {n_pictures} pictures, {n_errors} files with errors')


def test_damage():
    seed = random.randrange(1 << 30)
    done = subprocess.run(
        [sys.executable, os.path.abspath(__file__), 'damage', str(N_DAMAGED), str(seed),
         *sorted(os.path.join(GOLDEN, name) for name in os.listdir(GOLDEN)
                 if name.endswith('.paco'))],
        env={**os.environ, 'LD_PRELOAD': os.environ['PACO_ASAN'],
             'ASAN_OPTIONS': 'detect_leaks=0:allocator_may_return_null=1',
             'OIIO_LIBRARY_PATH': os.environ['PACO_ASAN_PLUGIN']},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    print(done.stdout.splitlines()[-1] if done.stdout else 'nothing was said')
    check(f'damaged files, seed {seed}', done.returncode == 0, done.stdout[-3000:])


def main():
    if sys.argv[1:2] == ['damage']:
        run_damage(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
        return 0
    seed = int(sys.argv[1]) if sys.argv[1:] else random.randrange(1 << 30)
    only = sys.argv[2:]
    random.seed(seed)
    numpy.random.seed(seed)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, test in list(globals().items()):
            if name.startswith('test_') and (not only or name[5:] in only):
                test()
        os.chdir('/')
    print(f'seed {seed}')
    print(f'{results[True]} passed, {results[False]} failed')
    return 1 if results[False] else 0


if __name__ == '__main__':
    sys.exit(main())
