# SPDX-License-Identifier: LGPL-2.1-or-later
"""hosts.py GOLDEN: the package as it is installed, in the programs that it is for: zarr of both
formats, napari's plugin engine, a type checker. GOLDEN: the folder of golden streams, which
each codec gets damaged. The last line says how many tests passed and failed. DAMAGED=N: how
many damaged chunks each codec gets (300). Names of tests: only these."""
import asyncio
import glob
import os
import subprocess
import sys
import tempfile
import traceback

import numpy
import paco

GOLDEN = sys.argv[1]
RANDOM = numpy.random.default_rng()
TYPES = 'uint8', 'uint16', 'int8', 'int16', 'float16'
SKIPPED = []


def volume(shape, dtype='uint16'):
    """Samples that have something in common with their neighbors, and some that have not."""
    walk = numpy.cumsum(RANDOM.integers(-9, 10, shape), axis=-1).cumsum(axis=-2) % 50000
    walk[..., :3] = RANDOM.integers(0, 50000, walk[..., :3].shape)
    return (walk & 0xff if dtype.endswith('int8') else walk // 2).astype(dtype)


def fails(kinds, function, *arguments, **settings):
    try:
        function(*arguments, **settings)
    except kinds as error:
        assert len(str(error)) > 20, error
        return True
    return False


def test_alone():
    """Three lines; and no GStreamer and no GLib come into the process."""
    array = volume((50, 70))
    data = paco.Encoder(rate_control='lossless').encode(array)
    [again] = paco.Decoder().decode(data)
    assert numpy.array_equal(array, again)
    with open('/proc/self/maps', encoding='utf-8') as maps:
        libraries = {line.split()[-1] for line in maps if '.so' in line}
    assert any('.paco_codec.mesonpy.libs/libpaco' in name for name in libraries) \
        or 'PACO_LIBRARY' in os.environ
    assert not [name for name in libraries if 'gst' in name or 'libglib' in name]


def test_types():
    """A type checker takes the package and good code, and finds the mistakes in bad code."""
    try:
        import mypy  # noqa: F401
    except ImportError:
        SKIPPED.append('mypy')
        return
    subprocess.run([sys.executable, '-m', 'mypy', '--strict', '--cache-dir=/dev/null', '-p',
                    'paco'], check=True)
    good = ("import paco\nwith paco.Reader('a') as film:\n    part: list[bytes] = film[1:3]\n"
            "    width: int = paco.probe(film[0]).width\n"
            "    pictures = paco.Film('a')[1:2]\n")
    with tempfile.TemporaryDirectory() as folder:
        for code, bad in ((good, False), (good + "paco.Writer(7)\n", True),
                          (good + "text: str = film[0]\n", True)):
            path = os.path.join(folder, 'code.py')
            with open(path, 'w', encoding='utf-8') as file:
                file.write(code)
            run = subprocess.run([sys.executable, '-m', 'mypy', '--strict', path, '--cache-dir',
                                  os.path.join(folder, 'cache')], capture_output=True,
                                 text=True, check=False)
            assert run.returncode == int(bad), run.stdout + run.stderr


def check_store(folder, zarr, **codec):
    """An array of zarr comes back, whole and in part, also by a process that does not know
    of us. Returns the bytes of its first chunk."""
    for dtype in TYPES:
        array, path = volume((7, 60, 90), dtype), os.path.join(folder, dtype)
        stored = zarr.create_array(path, shape=array.shape, dtype=dtype, chunks=(3, 32, 64),
                                   **codec)
        stored[:] = array
        again = zarr.open_array(path, mode='r')
        assert numpy.array_equal(again[:], array)
        assert numpy.array_equal(again[2:5, 10:40, 7], array[2:5, 10:40, 7])
    subprocess.run([sys.executable, '-c', 'import sys, zarr; assert "paco" not in sys.modules;'
                    'print(zarr.open_array(sys.argv[1])[1, 2:9].mean())', path], check=True,
                   stdout=subprocess.DEVNULL)
    # A chunk is a file of PaCo frames.
    chunk = glob.glob(os.path.join(path, 'c/0/0/0')) + glob.glob(os.path.join(path, '0.0.0'))
    assert len(paco.Reader(chunk[0])) == 3
    return chunk[0]


def damage_store(zarr, path, chunk):
    """Whatever is in a chunk, reading it ends with an exception or with an array."""
    with open(chunk, 'rb') as file:
        good = file.read()
    stored = zarr.open_array(path, mode='r')
    wrong = 0
    for bad in [b'', good[:-1], good + b'PACO', good * 2, *(damaged(good) for _ in range(30))]:
        with open(chunk, 'wb') as file:
            file.write(bad)
        wrong += fails((ValueError, paco.PacoError), stored.__getitem__, 0)
    assert wrong >= 4


def damaged(data):
    """Some bytes are others, some are missing, or there are some more."""
    data = bytearray(data)
    for _ in range(int(RANDOM.integers(1, 6))):
        at = int(RANDOM.integers(0, len(data) + 1))
        kind = RANDOM.integers(0, 4)
        if kind == 0:
            del data[at:at + int(RANDOM.integers(1, 40))]
        elif kind == 1:
            data[at:at] = RANDOM.bytes(int(RANDOM.integers(1, 40)))
        elif data and RANDOM.integers(0, 3):
            data[at % len(data)] = int(RANDOM.integers(0, 256))
        elif data:  # headers are where most is decided
            data[at % min(len(data), 120)] ^= 1 << int(RANDOM.integers(0, 8))
    return bytes(data)


def test_zarr3():
    import zarr
    import paco.zarr
    with tempfile.TemporaryDirectory() as folder:
        chunk = check_store(folder, zarr, serializer=paco.zarr.PaCo(), compressors=None)
        damage_store(zarr, os.path.join(folder, TYPES[-1]), chunk)
        # Colors, and a quality.
        array = volume((5, 64, 80, 3), 'uint8')
        for quality in None, 98:
            stored = zarr.create_array(
                os.path.join(folder, f'colors{quality}'), shape=array.shape, dtype='uint8',
                chunks=(2, 64, 80, 3), compressors=None,
                serializer=paco.zarr.PaCo(quality=quality, components=True))
            stored[:] = array
            error = abs(stored[:].astype(int) - array)
            assert (error.max() == 0) == (quality is None) and error.mean() < 20
        for dtype, settings in (('float32', {}), ('uint16', {'components': True})):
            assert fails(ValueError, zarr.create_array, os.path.join(folder, 'no'),
                         shape=(3, 9, 9), chunks=(3, 9, 9), dtype=dtype, compressors=None,
                         serializer=paco.zarr.PaCo(**settings))
        for settings in {'quality': 101}, {'quality': 1.5}, {'components': 1}:
            assert fails(ValueError, paco.zarr.PaCo, **settings)


def test_zarr2():
    import numcodecs
    import zarr
    with tempfile.TemporaryDirectory() as folder:
        chunk = check_store(folder, zarr, zarr_format=2,
                            compressors=numcodecs.get_codec({'id': 'paco'}))
        damage_store(zarr, os.path.join(folder, TYPES[-1]), chunk)
    codec = numcodecs.get_codec({'id': 'paco', 'quality': 90, 'components': True})
    assert codec.get_config() == {'id': 'paco', 'quality': 90, 'components': True}
    array = volume((4, 30, 40, 3), 'uint8')
    assert codec.decode(codec.encode(array)).shape == array.shape
    codec, out = numcodecs.get_codec({'id': 'paco'}), numpy.empty_like(array)
    assert codec.decode(codec.encode(array), out) is out and numpy.array_equal(out, array)


def test_damaged_streams():
    """Golden streams, damaged, through each way in."""
    import numcodecs
    import paco.zarr
    import zarr
    compressor = numcodecs.get_codec({'id': 'paco'})
    serializer, spec = paco.zarr.PaCo(), zarr.create_array(
        {}, shape=(2, 33, 29), dtype='uint16', chunks=(2, 33, 29))
    spec = spec.async_array.metadata.get_chunk_spec(
        (0, 0, 0), spec.async_array.config, zarr.core.buffer.default_buffer_prototype())
    decoder = paco.Decoder(backend='cpu', threads=1, slices=True, max_pixels=1 << 20)

    def by_zarr(data):
        buffer = zarr.core.buffer.cpu.Buffer.from_bytes(data)
        asyncio.run(serializer._decode_single(buffer, spec))

    ways = {'decoder': decoder.decode, 'numcodecs': compressor.decode, 'zarr': by_zarr,
            'film': by_film, 'probe': lambda data: (
                paco.probe(data), paco.chunks(data), paco.attachment(data))}
    streams = []
    for path in glob.glob(os.path.join(GOLDEN, '*.paco')):
        with open(path, 'rb') as file:
            streams.append(file.read())
    assert len(streams) > 30
    for name, way in ways.items():
        n_failed, n = 0, int(os.environ.get('DAMAGED', 300))
        for _ in range(n):
            data = damaged(streams[RANDOM.integers(0, len(streams))])
            try:
                way(data)
            except (ValueError, paco.PacoError, IndexError) as error:
                assert len(str(error)) > 10, error
                n_failed += 1
        print(f'{name}: {n_failed} of {n} damaged streams are refused')
        assert n_failed > n // 5


def by_film(data):
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        with paco.Film(file.name, backend='cpu', threads=1, max_pixels=1 << 20) as film:
            if not film[:]:
                raise IndexError('There is no picture in the file.')


def test_napari():
    """napari's plugin engine finds the reader, and it gives layers. With napari itself, its
    viewer shows them."""
    try:
        from npe2 import PluginManager, read
    except ImportError:
        SKIPPED.append('npe2')
        return
    manager = PluginManager.instance()
    manager.discover()
    array = volume((6, 40, 50))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'volume.paco')
        encoder = paco.Encoder(rate_control='lossless')
        with paco.Writer(path) as writer:
            for picture in array:
                writer.add(encoder.encode(picture))
        [(data, settings, kind)] = read([path], stack=False)
        assert kind == 'image' and data.shape == array.shape and settings['name'] == 'volume'
        assert numpy.array_equal(numpy.asarray(data), array)
        assert numpy.array_equal(data[2:4, 3, :], array[2:4, 3]) and data.dtype == array.dtype
        shapes = [layer[0].shape for layer in read(
            [os.path.join(GOLDEN, 'yuv420-8-quality-90-checks.paco')], stack=False)]
        assert len(shapes) == 3 and shapes[1] == shapes[2] != shapes[0], shapes
        with open(path, 'wb') as file:
            file.write(b'PACO is what this text begins with.')
        assert fails(ValueError, read, [path], stack=False)
        try:
            from napari.components import ViewerModel
        except ImportError:
            SKIPPED.append('napari')
            return
        with paco.Writer(path, paco.REPLACE) as writer:
            for picture in array:
                writer.add(encoder.encode(picture))
        [layer] = ViewerModel().open(path, plugin='paco-codec')
        assert numpy.array_equal(numpy.asarray(layer.data), array)


def main():
    failed = passed = 0
    for name, test in list(globals().items()):
        if not name.startswith('test_') or (sys.argv[2:] and name not in sys.argv[2:]):
            continue
        try:
            test()
        except Exception:
            traceback.print_exc()
            print(f'FAILED: {name}', flush=True)
            failed += 1
        else:
            print(f'ok: {name}', flush=True)
            passed += 1
    if SKIPPED:
        print(f'Not tried, because it is not installed: {", ".join(SKIPPED)}.')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
