# SPDX-License-Identifier: LGPL-2.1-or-later
"""module.py GOLDEN [SEED]: tests PaCo in nvImageCodec's module for Python, with NumPy and, if
there is a GPU, with CuPy and PyTorch. The last line says how many tests passed and failed."""
import glob
import os
import random
import sys
import tempfile

import numpy
import nvidia

if 'NVIDIA' in os.environ:
    nvidia.__path__ = [*nvidia.__path__, os.environ['NVIDIA']]
from nvidia import nvimgcodec

try:
    import cupy
    GPU = cupy.cuda.runtime.getDeviceCount() > 0
except Exception:  # Without a GPU it is not installed, or fails in its own ways.
    GPU = False

seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 30)
print('seed', seed)
generator = numpy.random.default_rng(seed)
results = {True: 0, False: 0}
UNCHANGED = nvimgcodec.ColorSpec.UNCHANGED
AS_IT_IS = nvimgcodec.DecodeParams(color_spec=UNCHANGED, allow_any_depth=True)
LOSSLESS = nvimgcodec.EncodeParams(quality_type=nvimgcodec.LOSSLESS)
PLANAR = {1: nvimgcodec.P_Y, 2: nvimgcodec.P_YA, 3: nvimgcodec.P_RGB, 4: nvimgcodec.P_RGBA}


def expect(good, *what):
    results[bool(good)] += 1
    if not good:
        print('FAILED:', *what)


def noise(shape, kind):
    array = generator.integers(0, 256, shape, dtype=numpy.uint8).astype(kind)
    return array * 100 if array.dtype.itemsize == 2 and kind != numpy.float16 else array


def is_equal(image, array):
    return (image is not None and image.dtype == array.dtype and image.shape == array.shape
            and numpy.array_equal(numpy.asarray(image.cpu() if GPU else image), array))


def decode(decoder, stream, params=AS_IT_IS, **view):
    """A frame, or its part, and None for what cannot be read."""
    try:
        if view:
            stream = stream.get_sub_code_stream(nvimgcodec.CodeStreamView(**view))
        return decoder.decode(stream, params=params)
    except RuntimeError:
        return None


def kinds(name, decoder, encoder, convert):
    """All types and numbers of channels, without loss."""
    for kind in (numpy.uint8, numpy.uint16, numpy.int16, numpy.float16):
        for n in (1, 2, 3, 4):
            what = name, kind.__name__, n
            height, width = generator.integers(1, 200, 2)
            array = noise((height, width, n), kind)
            stream = encoder.encode(nvimgcodec.as_image(convert(array)), 'paco', params=LOSSLESS)
            expect(stream is not None and stream.codec_name == 'paco', *what, 'encoded')
            expect(is_equal(decode(decoder, stream), array), *what)
            planes = numpy.ascontiguousarray(array.transpose(2, 0, 1))
            image = nvimgcodec.as_image(convert(planes), sample_format=PLANAR[n])
            again = encoder.encode(image, 'paco', params=LOSSLESS)
            params = nvimgcodec.DecodeParams(
                color_spec=UNCHANGED, allow_any_depth=True, sample_format=PLANAR[n])
            expect(again.size == stream.size, *what, 'the same frame of planes')
            expect(is_equal(decode(decoder, again, params), planes), *what, 'planar')


def colors(name, decoder, encoder, convert):
    """Y'CbCr, fewer bits than a type has, and what is not converted."""
    planes = noise((3, 50, 70), numpy.uint8)
    image = nvimgcodec.as_image(convert(planes), sample_format=nvimgcodec.P_YCC,
                                color_spec=nvimgcodec.ColorSpec.SYCC)
    stream = encoder.encode(image, 'paco', params=LOSSLESS)
    params = nvimgcodec.DecodeParams(color_spec=nvimgcodec.ColorSpec.SYCC,
                                     sample_format=nvimgcodec.P_YCC)
    expect(stream is not None and is_equal(decode(decoder, stream, params), planes), name, 'YCC')
    expect(decode(decoder, stream, nvimgcodec.DecodeParams()) is None, name, 'YCC is not RGB')
    array = generator.integers(0, 1024, (40, 30, 3), dtype=numpy.uint16)
    image = nvimgcodec.as_image(convert(array), precision=10)
    stream = encoder.encode(image, 'paco', params=LOSSLESS)
    expect(stream.precision == 10 and is_equal(decode(decoder, stream), array), name, '10 bits')
    expect(decode(decoder, stream, nvimgcodec.DecodeParams()) is None, name, 'are not 8 bits')
    expect(encoder.encode(nvimgcodec.as_image(convert(array.astype(numpy.float32))), 'paco')
           is None, name, 'float32 is refused')


def films(name, decoder, encoder, convert):
    """Frames of a file, by number and region, and batches of them."""
    arrays = [noise((60, 80, 3), numpy.uint8) for _ in range(7)]
    images = [nvimgcodec.as_image(convert(array)) for array in arrays]
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, f'{i}.paco') for i in range(len(arrays))]
        written = encoder.write(paths, images, codec='paco', params=LOSSLESS)
        expect(written == paths, name, 'written')
        film = os.path.join(folder, 'film.paco')
        with open(film, 'wb') as file:
            for path in paths:
                with open(path, 'rb') as frame:
                    file.write(frame.read())
        expect(is_equal(decoder.read(nvimgcodec.CodeStream(paths[2])), arrays[2]), name, 'read')
        stream = nvimgcodec.CodeStream(film)
        expect(stream.num_images == len(arrays), name, 'counted')
        views = [stream.get_sub_code_stream(nvimgcodec.CodeStreamView(image_idx=i))
                 for i in range(len(arrays))]
        for i, image in enumerate(decoder.decode(views)):
            expect(is_equal(image, arrays[i]), name, 'frame', i)
        region = nvimgcodec.Region(11, 13, 40, 60)
        expect(is_equal(decode(decoder, stream, image_idx=4, region=region),
                        arrays[4][11:40, 13:60]), name, 'region')
        expect(decode(decoder, stream, image_idx=7) is None, name, 'no such frame')


def damage(name, decoder):
    paths = sorted(glob.glob(os.path.join(sys.argv[1], '*.paco')))
    for i in range(200):
        with open(paths[generator.integers(len(paths))], 'rb') as file:
            data = bytearray(file.read())
        for _ in range(generator.integers(1, 6)):
            data[generator.integers(len(data))] = generator.integers(256)
        try:
            decode(decoder, nvimgcodec.CodeStream(bytes(data)))
        except RuntimeError:
            pass
    expect(True, name, 'damage')


def on_gpu(decoder, encoder):
    """Arrays of CuPy and PyTorch, whose memory is that of the host's images, on streams."""
    import torch
    for kind in (numpy.uint8, numpy.uint16):
        array = noise((300, 400, 3), kind)
        stream = cupy.cuda.Stream(non_blocking=True)
        with stream:
            for _ in range(20):
                cupy.zeros(1 << 24)  # keeps the stream busy for a while
            there = cupy.asarray(array)
            image = nvimgcodec.as_image(there, stream.ptr)
            frame = encoder.encode(image, 'paco', params=LOSSLESS, cuda_stream=stream.ptr)
            image = decoder.decode(frame, params=AS_IT_IS, cuda_stream=stream.ptr)
            expect(image.buffer_kind == nvimgcodec.STRIDED_DEVICE, 'CuPy', 'on the GPU')
            expect(bool((cupy.asarray(image) == there).all()), 'CuPy', kind.__name__)
    there = torch.randint(0, 256, (3, 120, 90), dtype=torch.uint8, device='cuda')
    torch.cuda.synchronize()
    image = nvimgcodec.as_image(there, sample_format=nvimgcodec.P_RGB)
    frame = encoder.encode(image, 'paco', params=LOSSLESS)
    params = nvimgcodec.DecodeParams(sample_format=nvimgcodec.P_RGB)
    back = torch.from_dlpack(decoder.decode(frame, params=params))
    expect(back.is_cuda and torch.equal(back, there), 'PyTorch')


def main():
    none = nvimgcodec.NVIMGCODEC_DEVICE_CPU_ONLY
    cpu = {'backends': [nvimgcodec.Backend(nvimgcodec.CPU_ONLY)]}
    gpu = {'backends': [nvimgcodec.Backend(nvimgcodec.GPU_ONLY)]}
    sides = [('CPU', cpu if GPU else {'device_id': none, **cpu}, lambda array: array)]
    if GPU:
        sides.append(('GPU', gpu, cupy.asarray))
    for name, how, convert in sides:
        decoder, encoder = nvimgcodec.Decoder(**how), nvimgcodec.Encoder(**how)
        kinds(name, decoder, encoder, convert)
        colors(name, decoder, encoder, convert)
        films(name, decoder, encoder, convert)
        damage(name, decoder)
    if GPU:
        on_gpu(nvimgcodec.Decoder(), nvimgcodec.Encoder())
    print(f'{results[True]} passed, {results[False]} failed')
    return results[False] > 0


sys.exit(main())
