#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""arrays.py: bindings/python gives back the arrays that it was given, parts and halves of
them, and says what is wrong. With PACO_EMULATED also in the memory of an emulated GPU."""
import hashlib
import os
import sys
import tempfile
import threading

try:
    import numpy
except ImportError:
    print('SKIP: NumPy is missing (Debian: python3-numpy).')
    sys.exit(77)

import paco

ROOT = os.environ['PACO_SOURCE_ROOT']
RANDOM = numpy.random.default_rng()
CPU = {'backend': 'cpu', 'threads': 2}


def picture(depth, chroma_x, chroma_y, n=3):
    height, width = (int(size) for size in RANDOM.integers(20, 130, 2))
    kind = numpy.uint8 if depth <= 8 else numpy.uint16
    shapes = [(height, width)] + [(-(-height >> chroma_y), -(-width >> chroma_x))
                                  for _ in range(n - 1)]
    return [RANDOM.integers(0, 1 << depth, shape).astype(kind) for shape in shapes]


def same(a, b):
    return len(a) == len(b) and all(
        numpy.array_equal(x, y) for x, y in zip(a, b))


def check_lossless():
    for depth in (8, 10, 16):
        for chroma_x, chroma_y, n in ((0, 0, 1), (0, 0, 3), (1, 0, 3), (1, 1, 3),
                                      (0, 0, 4)):
            arrays = picture(depth, chroma_x, chroma_y, n)
            # A size may go with several subsamplings only if it is tiny.
            data = paco.Encoder(rate_control='lossless', **CPU).encode(
                arrays, depth, paco.Info(fps_n=25, fps_d=1, format_name=b'TEST'))
            info = paco.probe(data)
            assert (info.width, info.height) == arrays[0].shape[::-1]
            assert info.n_components == n and info.depth[0] == depth
            assert info.format == 'TEST' and info.frame_size == len(data)
            assert info.lossless == 1
            decoder = paco.Decoder(**CPU)
            assert same(decoder.decode(data), arrays)
            assert decoder.device.startswith('cpu: ')
            assert decoder.result.corrupted_blocks == 0
            decoder.set('region', (4, 8, 9, 11))
            for c, part in enumerate(decoder.decode(data)):
                y, x = (8 >> chroma_y, 4 >> chroma_x) if c else (8, 4)
                rows, columns = part.shape
                assert numpy.array_equal(
                    part, arrays[c][y:y + rows, x:x + columns])
            whole = decoder.decode(data)
            decoder.set('region', '4,8,9,11')
            assert same(decoder.decode(data), whole)
            decoder.set('region', None)
            decoder.set('reduce', 1)
            half = decoder.decode(data)
            assert half[0].shape == tuple(-(-size // 2) for size in arrays[0].shape)


def check_file():
    """Reads a file of frames by their order and their numbers, and one with a
    hole."""
    encoder = paco.Encoder(quality=70, **CPU)
    arrays = [picture(8, 0, 0, 3) for _ in range(5)]
    coded = [encoder.encode(components) for components in arrays]
    assert all(paco.probe(data).lossless == 0 for data in coded)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'film.paco')
        with paco.Writer(path) as writer:
            for data in coded[:3]:
                writer.add(data)
        assert fails(paco.PacoError, paco.Writer, path)
        with paco.Writer(path, paco.RESUME) as writer:
            assert len(writer) == 3
            for data in coded[3:]:
                writer.add(data)
        assert list(paco.frames(path)) == coded
        reader = paco.Reader(path)
        assert len(reader) == 5 and reader[3] == coded[3] and reader[-5] == coded[0]
        assert reader[1:3] == coded[1:3] and reader[::-2] == coded[::-2]
        reader.seek(2)
        assert list(reader) == coded[2:]
        assert fails(IndexError, lambda: reader[5])
        with paco.Writer(path, paco.REPLACE) as writer:
            for data in coded:
                writer.add(data)
        with open(path, 'r+b') as file:
            file.seek(len(coded[0]) + 30)
            file.write(b'????')
        reader = paco.Reader(path)
        assert next(reader) == coded[0] and next(reader) == coded[2]
        assert reader.skipped == len(coded[1])
        assert reader.reason == "the frame's header is damaged"
        assert next(reader) == coded[3] and reader.reason == ''
        assert fails(paco.PacoError, paco.Reader, os.path.join(folder, 'none'))


def check_chunks():
    """Checks that chunks come back, in their order, with zeros in them, and
    empty ones."""
    chunks = [(int(kind), RANDOM.bytes(int(size))) for kind, size in zip(
        RANDOM.integers(16, 256, 9), [0, 1, *RANDOM.integers(2, 3000, 7)])]
    encoder = paco.Encoder(**CPU)
    arrays = picture(8, 0, 0)
    data = encoder.encode(arrays, chunks=chunks)
    assert paco.chunks(data) == chunks and paco.probe(data).n_chunks == 9
    assert paco.chunks(encoder.encode(arrays)) == []
    assert fails(paco.PacoError, encoder.encode, arrays, chunks=[(3, b'set')])
    assert fails(paco.PacoError, encoder.encode, arrays,
                 chunks=[(200, bytes(32768))])


def check_attachment():
    """Checks that an attachment comes back, with zeros in it, and that damage
    of it is found."""
    attachment = RANDOM.bytes(int(RANDOM.integers(1, 100000))) + bytes(2)
    encoder = paco.Encoder(**CPU)
    arrays = picture(8, 0, 0)
    data = encoder.encode(arrays, attachment=attachment)
    assert paco.attachment(data) == attachment
    assert paco.probe(data).attachment_size == len(attachment)
    assert paco.attachment(encoder.encode(arrays)) == b''
    assert fails(paco.PacoError, paco.attachment, data[:-1] + b'x')


def check_areas():
    """Checks that the picture is coarser where no area is named."""
    gray = [RANDOM.integers(0, 256, (256, 512)).astype(numpy.uint8)]
    encoder = paco.Encoder(quality=90, roi_weight=16, **CPU)
    coded = paco.Decoder(**CPU).decode(
        encoder.encode(gray, areas=[(0, 0, 128, 256)]))[0].astype(int)
    for area in (-1, 0, 8, 8), (0, 0, 1 << 32, 8), (0, 0, 8):
        assert fails(ValueError, encoder.encode, gray, areas=[area])
    errors = abs(coded - gray[0])
    assert errors[:, 384:].mean() > 2 * errors[:, :128].mean()


def golden_stacks():
    """Yields the frames of each golden stack, and the MD5s of its pictures."""
    folder = os.path.join(ROOT, 'tests', 'golden')
    sums = {}
    with open(os.path.join(folder, 'components.md5')) as lines:
        for line in lines:
            name, _, left_out, *md5s = line.split()
            if name.startswith('stack-') and left_out == '0':
                sums.setdefault(name, []).extend(md5s)
    for name, md5s in sums.items():
        yield list(paco.Reader(os.path.join(folder, name + '.paco'))), md5s


def check_stacks():
    """Checks that stacks become their pictures, whole and as regions, also beside
    other frames; that slices may be missing, but not the first one."""
    gray = RANDOM.integers(0, 256, (40, 30)).astype(numpy.uint8)
    alone = paco.Encoder(rate_control='lossless', **CPU).encode([gray])
    decoder, film, whole = paco.Decoder(slices=True, **CPU), [], []
    for coded, md5s in golden_stacks():
        pictures = list(decoder.pictures(coded))
        assert [hashlib.md5(part.astype(part.dtype.newbyteorder('<')).tobytes()).hexdigest()
                for part, in pictures] == md5s
        depth = paco.probe(coded[0]).stack_depth
        assert all(part.dtype.itemsize * 8 == depth for part, in pictures)
        region = paco.Decoder(slices=True, region=(3, 2, 7, 5), **CPU)
        assert same([part for part, in region.pictures(coded)],
                    [part[2:7, 3:10] for part, in pictures])
        assert fails(paco.PacoError, next, paco.Decoder(**CPU).pictures(coded))
        assert len(list(decoder.pictures(coded[:-1]))) == (len(md5s) if coded[:-1] else 0)
        slices = [decoder.decode(data)[0] for data in coded]
        assert same(paco.stack_pictures(coded[-1], slices)[0], pictures[0])
        for wrong in ([None] + slices[1:], slices[1:], slices[:-1] + [gray]):
            assert fails((ValueError, paco.PacoError), paco.stack_pictures, coded[0], wrong)
        film += [*coded, alone]
        whole += [*pictures, [gray]]
    assert len(whole) > 8
    check_film(film, whole)
    assert all(same(a, b) for a, b in zip(decoder.pictures(film), whole, strict=True))


def check_film(frames, pictures):
    """Checks that pictures have numbers, also those of stacks, and that a slice that is
    missing costs nothing but its own picture its number."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'film.paco')
        with paco.Writer(path) as writer:
            for data in frames:
                writer.add(data)
        with paco.Film(path, **CPU) as film:
            assert len(film) == len(pictures)
            for i in RANDOM.permutation(len(pictures)):
                assert same(film[int(i)], pictures[i])
                assert same(film[int(i) - len(film)], pictures[i])
            assert all(map(same, film[2:7:2], pictures[2:7:2])) and len(film[2:7:2]) == 3
            for i in len(film), -len(film) - 1:
                assert fails(IndexError, film.__getitem__, i)
            first = next(i for i in range(len(film)) if len(frames) > i + 2
                         and paco.probe(frames[i]).stack_length > 2)
            at = sum(map(len, frames[:first + 1]))
            with open(path, 'r+b') as file:
                file.seek(at + 30)
                file.write(b'????')
            # The frames have no places, so those that are damaged have no numbers.
            damaged, length = paco.Film(path, **CPU), paco.probe(frames[first]).stack_length
            assert len(damaged) == len(film) - 1
            assert [same(damaged[i], film[i + (i > first)]) for i in range(len(damaged))
                    if not first <= i < first + length - 1].count(False) == 0
            assert damaged[first + 1][0].shape == pictures[first][0].shape
        assert fails(ValueError, lambda: film[0])


class Other:
    """Somebody else's array in the memory of a GPU, by one of the two protocols."""

    def __init__(self, array, **changes):
        self.array = array
        if changes:
            self.__cuda_array_interface__ = {**array.__cuda_array_interface__, **changes}

    def __getattr__(self, name):
        if name in ('__dlpack__', '__dlpack_device__') and \
                '__cuda_array_interface__' not in self.__dict__:
            return getattr(self.array, name)
        raise AttributeError(name)


def check_cuda():
    """Checks that pictures in the memory of a GPU are coded and decoded there."""
    for kind, depth in ('u1', 8), ('u2', 12), ('i2', 16), ('f2', 16):
        arrays = [array.view(kind) for array in picture(depth, 1, 0)]
        wanted = paco.Encoder(rate_control='lossless', **CPU).encode(arrays, depth)
        decoder = paco.Decoder()
        decoded = decoder.decode_cuda(wanted)
        assert decoder.device.startswith('cuda: ')
        assert same([array.numpy().view('u1') for array in decoded],
                    [array.view('u1') for array in arrays])
        assert same([array.view('u1') for array in decoder.decode(wanted)],
                    [array.view('u1') for array in arrays])
        encoder = paco.Encoder(rate_control='lossless')
        for components in (
                decoded, [Other(array) for array in decoded],
                [Other(array, stream=1) for array in decoded],
                [Other(array, strides=(array.shape[1] * array.dtype.itemsize,
                                       array.dtype.itemsize)) for array in decoded],
                arrays):
            assert encoder.encode(components, depth) == wanted
        assert encoder.device.startswith('cuda: ')
        # One array is a gray picture; a part of an array has longer lines.
        lines, words = decoded[0].shape[0] // 2, decoded[0].dtype.itemsize
        part = Other(decoded[0], shape=(lines, 8), strides=(
            words * decoded[0].shape[1], words))
        assert encoder.encode(part, depth) == paco.Encoder(
            rate_control='lossless', **CPU).encode(arrays[0][:lines, :8], depth)
        for wrong in ({'strides': (words * 16, words * 2)}, {'typestr': '>u2'},
                      {'typestr': '<f4'}, {'shape': (3, 3, 3)}):
            assert fails(ValueError, encoder.encode, [Other(decoded[0], **wrong)])
    capsule = decoded[0].__dlpack__()
    shape, (region,) = decoded[0].shape, decoder_of_region(wanted)
    assert region.shape == (7, 10) and same(
        [region.numpy().view('u2')], [arrays[0].view('u2')[2:9, 4:14]])
    del decoded, components, part
    assert paco.cuda.from_dlpack(capsule).shape == shape and len(paco.cuda._lent) == 1
    del capsule
    assert not paco.cuda._lent
    late = paco.Decoder()
    late.decode(wanted)
    assert fails(paco.PacoError, late.decode_cuda, wanted)
    assert fails(paco.cuda.CudaError, paco.Decoder(cuda_device_id=7).decode_cuda, wanted)


def decoder_of_region(data):
    return paco.Decoder(region=(4, 2, 10, 7)).decode_cuda(data)[:1]


def fails(kind, function, *arguments, **settings):
    try:
        function(*arguments, **settings)
    except kind as error:
        assert len(str(error)) > 20, error
        return True
    return False


def check_errors():
    gray = [numpy.zeros((8, 8), numpy.uint16)]
    assert fails(paco.PacoError, paco.probe, b'x' * 100)
    assert fails(paco.PacoError, paco.probe, b'')
    assert fails(paco.PacoError, paco.Decoder, reduce=9)
    assert fails(paco.PacoError, paco.Encoder, nothing=1)
    assert fails(paco.PacoError, paco.Decoder(**CPU).decode, b'PACO' * 10)
    for region in '4,8,9', (4, 8), '4,8,9,x', (1, 2, 3, 4.5), 7:
        assert fails(ValueError, paco.Decoder, region=region)
    assert fails(ValueError, paco.Encoder(**CPU).encode, [])
    assert fails(ValueError, paco.Encoder(**CPU).encode, [numpy.zeros((8, 8))])
    assert fails(ValueError, paco.Encoder(**CPU).encode,
                 [gray[0], numpy.zeros((3, 8), numpy.uint16), gray[0]])
    for data in gray, gray[0]:
        data = paco.Encoder(rate_control='lossless', **CPU).encode(data)
        assert same(paco.Decoder(**CPU).decode(data), gray)
    gray[0][3, 3] = 1024
    assert fails(ValueError, paco.Encoder(**CPU).encode, gray, depth=10)


def in_threads(function, *arguments):
    """Calls function(0), ... in four threads at a time; returns what they raise."""
    errors = []

    def run(number):
        try:
            function(number, *arguments)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def check_fork():
    """Checks that a coder says that its threads are elsewhere, where it would wait for them."""
    encoder = paco.Encoder(**CPU)
    arrays = picture(8, 0, 0)
    data = encoder.encode(arrays)
    child = os.fork()
    if child == 0:
        good = fails(ValueError, encoder.encode, arrays)
        encoder.close()
        good = good and paco.Encoder(**CPU).encode(arrays) == data
        os._exit(0 if good else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert encoder.encode(arrays) == data


def check_kinds():
    """Checks that signed samples and binary16 keep their bits, NaNs included."""
    encoder = paco.Encoder(rate_control='lossless', **CPU)
    decoder = paco.Decoder(**CPU)
    for kind, depth, number in (('i1', 8, 1), ('i1', 5, 1), ('i2', 16, 1), ('i2', 12, 1),
                                ('f2', 16, 2)):
        arrays = [array.view(kind) if depth % 8 == 0
                  else (array.astype(int) - (1 << depth - 1)).astype(kind)
                  for array in picture(depth, 0, 0)]
        data = encoder.encode(arrays, depth)
        info, decoded = paco.probe(data), decoder.decode(data)
        assert list(info.sample_kind)[:3] == [number] * 3
        assert all(array.dtype == arrays[0].dtype for array in decoded)
        bits = f'u{arrays[0].itemsize}'
        assert same([array.view(bits) for array in decoded],
                    [array.view(bits) for array in arrays])
    assert fails(ValueError, encoder.encode, [numpy.full((8, 8), -9, numpy.int8)], 4)


def check_threads():
    """Checks that several threads may use one object, and that one may close it: the
    others get good frames and pictures, and then a ValueError."""
    encoder = paco.Encoder(rate_control='lossless', **CPU)
    decoder = paco.Decoder(**CPU)
    pictures = [[RANDOM.integers(0, 256, (60 + 20 * i, 150 - 20 * i)).astype(
        numpy.uint8)] for i in range(4)]
    frames = [encoder.encode(arrays) for arrays in pictures]

    def code(number):
        for i in range(40):
            i = (i + number) % 4
            assert encoder.encode(pictures[i]) == frames[i]
            assert same(decoder.decode(frames[i]), pictures[i])
            assert decoder.result.corrupted_blocks == 0

    def read(number, reader):
        for i in range(100):
            i = (i * 7 + number) % len(frames)
            assert reader[i] == frames[i]

    def use_until_closed(number, thing, use):
        try:
            for _ in range(20):
                use()
        finally:
            if number == 3:
                thing.close()
        while True:
            use()

    assert not in_threads(code)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'film.paco')
        writer = paco.Writer(path)
        assert not in_threads(lambda number: writer.add(frames[number]))
        writer.close()
        writer.close()
        assert fails(ValueError, len, writer)
        assert sorted(paco.Reader(path)) == sorted(frames)
        frames[:] = paco.Reader(path)
        reader = paco.Reader(path)
        assert not in_threads(read, reader)
        for thing, use in ((reader, lambda: reader[2]),
                           (decoder, lambda: decoder.decode(frames[0])),
                           (encoder, lambda: encoder.encode(pictures[0]))):
            errors = in_threads(use_until_closed, thing, use)
            assert len(errors) == 4, errors
            assert all(type(error) is ValueError and 'closed' in str(error)
                       for error in errors), errors


check_lossless()
check_file()
check_chunks()
check_attachment()
check_areas()
check_stacks()
check_errors()
check_fork()
check_kinds()
if os.environ.get('PACO_EMULATED'):
    check_cuda()
check_threads()
