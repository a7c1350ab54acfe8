# SPDX-License-Identifier: LGPL-2.1-or-later
"""measure.py CORPUS: a volume of 200 slices of 512x512 16-bit samples in zarr: bytes, and
seconds of processor time to write and to read it, the least of three runs, by PaCo, Blosc and
JPEG XL, all lossless; and 1080p 4:2:2 pictures of 10 bits, decoded by one thread through the
package. No volume is at hand, so it is made of one real CT slice: each slice is the mean of
two of its turned and shifted copies, with the noise of both."""
import lzma
import os
import sys
import tempfile
import time

import imagecodecs.numcodecs
import numcodecs
import numpy
import paco
import paco.zarr
import zarr
import zarr.codecs

CORPUS = sys.argv[1]
RUNS = 3


def read_corpus(name):
    with lzma.open(os.path.join(CORPUS, name + '.xz')) as file:
        return file.read()


def make_volume():
    random = numpy.random.default_rng(1)
    data = read_corpus('med16_CT1.pgm')
    ct = numpy.frombuffer(data[-512 * 512 * 2:], '>u2').reshape(512, 512).astype('u4')

    def copy():
        turned = numpy.rot90(ct if random.integers(2) else ct.T, random.integers(4))
        return numpy.roll(turned, random.integers(-40, 41, 2), (0, 1))

    return numpy.stack([(copy() + copy()) // 2 for _ in range(200)]).astype('u2')


def measure(volume, **codec):
    """Returns bytes, seconds to write and seconds to read, of all processors."""
    writing, reading = [], []
    for _ in range(RUNS):
        with tempfile.TemporaryDirectory() as folder:
            begun = time.process_time()
            array = zarr.create_array(folder, shape=volume.shape, dtype='uint16',
                                      overwrite=True, **codec)
            array[:] = volume
            written = time.process_time()
            again = array[:]
            writing.append(written - begun)
            reading.append(time.process_time() - written)
            assert numpy.array_equal(again, volume)
            size = sum(os.path.getsize(os.path.join(path, name))
                       for path, _, names in os.walk(folder) for name in names)
    return size, min(writing), min(reading)


def measure_zarr():
    numcodecs.register_codec(imagecodecs.numcodecs.Jpegxl)
    volume = make_volume()
    shuffled = zarr.codecs.BloscCodec(cname='zstd', clevel=5, shuffle='shuffle')
    kinds = {
        'PaCo': {'serializer': paco.zarr.PaCo(), 'compressors': None},
        'Blosc, zstd 5, shuffle': {'compressors': shuffled},
        'Blosc, zstd 9, bitshuffle': {'compressors': zarr.codecs.BloscCodec(
            cname='zstd', clevel=9, shuffle='bitshuffle')},
        **{f'JPEG XL, effort {effort}': {'zarr_format': 2, 'compressors':
            imagecodecs.numcodecs.Jpegxl(lossless=True, effort=effort, numthreads=1,
                                         squeeze=[1, 0, 0])} for effort in (1, 3, 7)}}
    print(f'| codec, chunks of 1x512x512 | MB | of {volume.nbytes / 1e6:.1f} | write, s | '
          'read, s |\n|---|---:|---:|---:|---:|')
    for name, codec in kinds.items():
        size, writing, reading = measure(volume, chunks=(1, 512, 512), **codec)
        print(f'| {name} | {size / 1e6:.1f} | {size / volume.nbytes:.1%} | {writing:.1f} | '
              f'{reading:.1f} |', flush=True)


def measure_decoding():
    data = read_corpus('clip10_photostrain_1920x1080_422p10.y4m')
    frame = numpy.frombuffer(data[data.index(b'FRAME\n') + 6:], '<u2')
    y, cb, cr = numpy.split(frame, numpy.cumsum([1080 * 1920, 1080 * 960]))
    picture = [y.reshape(1080, 1920), cb.reshape(1080, 960), cr[:cb.size].reshape(1080, 960)]
    coded = paco.Encoder(quality=90, backend='cpu', threads=1).encode(picture, 10)
    decoder = paco.Decoder(backend='cpu', threads=1, pipeline_depth=1)
    times = []
    for _ in range(30):
        begun = time.process_time()
        decoder.decode(coded)
        times.append(time.process_time() - begun)
    print(f'\n1920x1080 4:2:2, 10 bits, quality 90: {1 / min(times):.1f} pictures a second and '
          f'thread through the package, {len(coded)} bytes each')
    with paco.Writer(os.environ['KEEP'], paco.REPLACE) if 'KEEP' in os.environ else \
            tempfile.TemporaryFile() as out:
        (out.add if hasattr(out, 'add') else out.write)(coded)


measure_zarr()
measure_decoding()
