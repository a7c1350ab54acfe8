#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""arrays.py: the samples that decode_to_numpy.py gives are those that were coded.

The pictures are random bits in many formats, coded losslessly. What a format's
bytes mean is taken from GStreamer's own conversion to planes or to 16 bits, or is
written down here, not from the tables that the program under test uses."""
import os
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError:
    print('SKIP: NumPy is missing (Debian: python3-numpy).')
    sys.exit(77)

sys.dont_write_bytecode = True
APPS = os.path.join(os.environ['PACO_SOURCE_ROOT'], 'pipelines', 'apps')
sys.path.insert(0, APPS)
from decode_to_numpy import DecodeError, Gst, frames  # noqa: E402
from scripts import check, launch, without_decoder  # noqa: E402

PROGRAM = os.path.join(APPS, 'decode_to_numpy.py')
FRAMES, WIDTH, HEIGHT = 3, 38, 22
RANDOM = numpy.random.default_rng()


def record(name, raw_format, pictures):
    """Codes pictures, which are bytes, into NAME."""
    with open('source.raw', 'wb') as file:
        for picture in pictures:
            file.write(picture)
    muxer = {'.mov': '! qtmux', '.mkv': '! matroskamux', '.paco': ''}
    launch('filesrc location=source.raw ! rawvideoparse framerate=25/1 '
           f'format={raw_format.lower().replace("_", "-")} width={WIDTH} '
           f'height={HEIGHT} ! video/x-raw,format={raw_format} ! pacoenc '
           f'rate-control=lossless {muxer[os.path.splitext(name)[1]]} '
           f'! filesink location={name}')


def planes(depth, *sizes):
    """Draws random samples: for each picture a list of arrays of these sizes."""
    kind = numpy.uint8 if depth <= 8 else numpy.dtype('<u2')
    return [[RANDOM.integers(0, 1 << depth, size, kind) for size in sizes]
            for _ in range(FRAMES)]


def padded(array, multiple=4):
    """Returns the bytes of a plane whose lines are a multiple of bytes long."""
    lines = array.reshape(array.shape[0], -1).view(numpy.uint8)
    extra = -lines.shape[1] % multiple
    return numpy.pad(lines, ((0, 0), (0, extra))).tobytes()


def in_planes(components):
    return b''.join(map(padded, components))


def semi_planar(shift):
    def pack(components):
        luma, u, v = components
        chroma = numpy.stack([u, v], -1)
        return padded(luma << shift) + padded(chroma << shift)
    return pack


def interleaved(components):
    return padded(numpy.stack(components, -1))


def uyvy(components):
    luma, u, v = components
    return padded(numpy.stack([u, luma[:, ::2], v, luma[:, 1::2]], -1))


def ten_bits_in_words(components):
    red, green, blue = (samples.astype('<u4') for samples in components)
    return (red | green << 10 | blue << 20 | 3 << 30).astype('<u4').tobytes()


FULL, HALF = (HEIGHT, WIDTH), (HEIGHT, WIDTH // 2)
QUARTER = (HEIGHT // 2, WIDTH // 2)
# For each format these are its depth, the sizes of the components, how their
# bytes lie, and their names in that order.
FORMATS = (
    ('GRAY8', 8, (FULL,), in_planes, 'Y'),
    ('GRAY16_LE', 16, (FULL,), in_planes, 'Y'),
    ('I420', 8, (FULL, QUARTER, QUARTER), in_planes, 'YUV'),
    ('I422_10LE', 10, (FULL, HALF, HALF), in_planes, 'YUV'),
    ('Y444_12LE', 12, (FULL, FULL, FULL), in_planes, 'YUV'),
    ('Y444_16LE', 16, (FULL, FULL, FULL), in_planes, 'YUV'),
    ('GBR_12LE', 12, (FULL, FULL, FULL), in_planes, 'GBR'),
    ('GBRA_10LE', 10, (FULL, FULL, FULL, FULL), in_planes, 'GBRA'),
    ('NV12', 8, (FULL, QUARTER, QUARTER), semi_planar(0), 'YUV'),
    ('P010_10LE', 10, (FULL, QUARTER, QUARTER), semi_planar(6), 'YUV'),
    ('BGRA', 8, (FULL, FULL, FULL, FULL), interleaved, 'BGRA'),
    ('UYVY', 8, (FULL, HALF, HALF), uyvy, 'YUV'),
    ('RGB10A2_LE', 10, (FULL, FULL, FULL), ten_bits_in_words, 'RGB'),
    ('RGBA64_LE', 16, (FULL, FULL, FULL, FULL), interleaved, 'RGBA'),
)


def test_format(raw_format, depth, sizes, pack, names, kind):
    expected, path = planes(depth, *sizes), f'{raw_format}{kind}'
    record(path, raw_format, [pack(picture) for picture in expected])
    decoded = list(frames(path))
    check(len(decoded) == FRAMES, f'{path}: {len(decoded)} frames')
    for number, (frame, picture) in enumerate(zip(decoded, expected)):
        check(abs(frame.time - number / 25) < 0.0011, f'{path}: {frame.time} s')
        check(frame.depth == depth and (
            frame.format == raw_format or raw_format == 'RGB10A2_LE'),
              f'{path} came as {frame.format}')
        check(''.join(frame.components) in {
            'Y', 'YUV', 'RGB', 'RGBA'} and set(names) <= set(frame.components),
              f'{path} has {list(frame.components)}')
        for name, samples in zip(names, picture):
            array = frame.components[name]
            check(array.dtype == (numpy.uint8 if depth <= 8 else numpy.uint16),
                  f'{path}: {array.dtype}')
            check(numpy.array_equal(array, samples), f'{path}: {name} differs')
    if len(set(sizes)) == 1:
        check(decoded[0].interleaved().shape
              == FULL + (len(decoded[0].components),), path)
    else:
        try:
            decoded[0].interleaved()
        except DecodeError:
            return
        raise SystemExit(f'{path} was interleaved')


def test_packed():
    """Tests that v210 is unpacked on the way, without another sample."""
    expected = planes(10, FULL, HALF, HALF)
    for picture in expected:
        for array in picture:
            numpy.clip(array, 4, 1019, out=array)
    record('planes.mov', 'I422_10LE', [in_planes(p) for p in expected])
    launch('filesrc location=planes.mov ! decodebin ! videoconvert dither=none ! '
           'video/x-raw,format=v210 ! pacoenc rate-control=lossless ! qtmux ! '
           'filesink location=v210.mov')
    for frame, picture in zip(frames('v210.mov'), expected):
        for name, samples in zip('YUV', picture):
            check(numpy.array_equal(frame.components[name], samples),
                  f'v210: {name} differs')


def test_reduce():
    """Tests the sizes, and about the mean, of smaller pictures. Other codecs
    have no smaller ones."""
    launch('videotestsrc num-buffers=2 ! video/x-raw,format=I420,width=101,'
           'height=75 ! pacoenc ! qtmux ! filesink location=small.mov')
    whole = next(frames('small.mov')).components
    for reduce, size in ((1, (38, 51)), (2, (19, 26))):
        small = next(frames('small.mov', reduce)).components
        check(small['Y'].shape == size, small['Y'].shape)
        check(abs(small['Y'].mean() - whole['Y'].mean()) < 6, 'mean')
    launch('videotestsrc num-buffers=2 ! jpegenc ! matroskamux ! '
           'filesink location=jpeg.mkv')
    check(len(list(frames('jpeg.mkv'))) == 2, 'JPEG')
    without_decoder('small.mov', 'video', 'blind.mov')
    for path, text in (('jpeg.mkv', 'no PaCo video'), ('none', 'There is no'),
                       ('blind.mov', 'Missing decoder: '), (__file__, '')):
        try:
            list(frames(path, 1))
        except DecodeError as error:
            check(text in str(error) and path in str(error), error)
        else:
            raise SystemExit(f'{path} was decoded')


def test_cut_off():
    """Tests that what is whole of a file comes before the error, or the end."""
    data = open('GRAY8.paco', 'rb').read()
    with open('cut.paco', 'wb') as file:
        file.write(data[:len(data) * 5 // 6])
    count = 0
    try:
        for _ in frames('cut.paco'):
            count += 1
    except DecodeError as error:
        print(error)
    check(count >= FRAMES - 1, f'{count} frames of a file that is cut off')


def run_program(*arguments, status=0):
    print('$ decode_to_numpy.py', *arguments, flush=True)
    done = subprocess.run([sys.executable, PROGRAM, *arguments], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False, timeout=600)
    check(done.returncode == status and 'Traceback' not in done.stdout,
          f'status {done.returncode}', done.stdout)
    return done.stdout


def test_program():
    expected = list(frames('GBR_12LE.mov'))
    green = numpy.stack([frame.components['G'] for frame in expected])
    output = run_program('GBR_12LE.mov', 'I420.mkv', '--out', '.')
    for text in (f'{FRAMES} frames, {WIDTH}x{HEIGHT}, GBR_12LE, 12 bits',
                 f'G: {green.min()} to {green.max()}, mean {green.mean():.3f}, '
                 f'deviation {green.std():.3f}', 'I420.mkv'):
        check(text in output, text, output)
    for number, frame in enumerate(expected):
        saved = numpy.load(f'GBR_12LE-{number:06}-G.npy')
        check(numpy.array_equal(saved, frame.components['G']), 'saved samples')
    run_program('GBR_12LE.mov', '--out', '.', '--interleave', '--frames', '1')
    saved = numpy.load('GBR_12LE-000000.npy')
    check(numpy.array_equal(saved, expected[0].interleaved()), 'interleaved')
    check(not os.path.exists('GBR_12LE-000001.npy'), '--frames')
    output = run_program('nothing.mov', 'I420.mkv', status=1)
    check('There is no file nothing.mov' in output and 'I420.mkv: 3' in output,
          'one bad file', output)
    for arguments, text in (
            (('GBR_12LE.mov', '--out', '.'), 'exists'),
            (('GBR_12LE.mov', '--out', 'nowhere'), 'There is no folder'),
            (('I420.mkv', '--out', '.', '--interleave'), 'different sizes')):
        output = run_program(*arguments, status=1)
        check(text in output, f'{arguments} is not explained', output)
    check('--reduce' in run_program('--help'), 'no help')


def test_without_gpu():
    """Tests that arrays on a GPU are refused in words where they cannot be
    had."""
    try:
        import cupy  # noqa: F401
    except ImportError:
        output = run_program('GBR_12LE.mov', '--cuda', status=1)
        check('CuPy' in output, '--cuda is not explained', output)
    else:
        print('SKIP: what is said without CuPy, which is here.')


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for number, row in enumerate(FORMATS):
            kind = '.paco' if number == 0 else ('.mov', '.mkv')[number % 2 == 0]
            if row[0] == 'GBR_12LE':
                kind = '.mov'
            if row[0] == 'I420':
                kind = '.mkv'
            test_format(*row, kind)
        test_packed()
        test_reduce()
        test_cut_off()
        test_program()
        test_without_gpu()
        os.chdir('/')
    return 0


if __name__ == '__main__':
    Gst.init(None)
    sys.exit(main())
