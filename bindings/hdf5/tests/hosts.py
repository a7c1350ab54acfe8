# SPDX-License-Identifier: LGPL-2.1-or-later
"""hosts.py GOLDEN FILTER: the filter in h5py, which finds it in a folder of HDF5_PLUGIN_PATH,
and in h5repack (H5REPACK, a command; left out if that is empty). GOLDEN: the folder of golden
streams, which it gets damaged. FILTER: its file, whose function gets parameters that no file
should have. The last line says how many tests passed and failed. DAMAGED=N: how many damaged
chunks (500)."""
import ctypes
import glob
import os
import shlex
import subprocess
import sys
import tempfile
import traceback

import h5py
import numpy

GOLDEN, FILTER = sys.argv[1:]
REPACK = shlex.split(os.environ.get('H5REPACK', ''))
RANDOM = numpy.random.default_rng()
ID, LOSSLESS, REVERSE = 403, 255, 0x100
DAMAGED = int(os.environ.get('DAMAGED', 500))
TYPES = 'uint8', 'int8', 'uint16', 'int16', '>u2', '>i2', 'float16', '>f2'
SHAPES = {(70, 90): (32, 64), (7, 60, 90): (3, 32, 64), (3, 2, 40, 50): (1, 2, 40, 50),
          (300,): (100,)}


def volume(shape, dtype):
    """Samples that have something in common with their neighbors, and some that have not."""
    walk = RANDOM.integers(-9, 10, shape).cumsum(axis=-1) % 50000
    walk[..., :3] = RANDOM.integers(0, 50000, walk[..., :3].shape)
    dtype = numpy.dtype(dtype)
    return (walk & 0xff if dtype.itemsize == 1 else walk // 2).astype(dtype)


def same(a, b):
    return a.dtype == b.dtype and a.tobytes() == b.tobytes()


def fails(function, *arguments, **settings):
    """HDF5's own error, in which our sentence may be."""
    try:
        function(*arguments, **settings)
    except (OSError, ValueError, RuntimeError) as error:
        assert len(str(error)) > 20, error
        return True
    return False


def test_lossless(folder):
    for dtype in TYPES:
        for shape, chunks in SHAPES.items():
            path, array = os.path.join(folder, 'a.h5'), volume(shape, dtype)
            with h5py.File(path, 'w') as file:
                stored = file.create_dataset('x', data=array, chunks=chunks, compression=ID)
                assert stored._filters[str(ID)][0] == LOSSLESS
            with h5py.File(path) as file:
                assert same(file['x'][:], array)
                assert same(file['x'][1:60], array[1:60])


def test_lossy(folder):
    path, array, sizes = os.path.join(folder, 'a.h5'), volume((4, 64, 80, 3), 'uint8'), []
    for options in (LOSSLESS, 1), (80, 1), (40, 1), (80,), ():
        with h5py.File(path, 'w') as file:
            file.create_dataset('x', data=array, chunks=(2, 64, 80, 3), compression=ID,
                                compression_opts=options)
        # What was written is in HDF5's cache of chunks until the file is closed.
        with h5py.File(path) as file:
            sizes.append(file['x'].id.get_storage_size())
            assert same(file['x'][:], array) == (options in ((), (LOSSLESS, 1))), options
    assert sizes[0] > sizes[1] > sizes[2] and sizes[4] > sizes[0], sizes
    with h5py.File(path, 'w') as file:
        for options in (101,), (90, 2), (90, 1, 7):
            done = not fails(file.create_dataset, f'x{options}', data=array,
                             chunks=(2, 64, 80, 3), compression=ID, compression_opts=options)
            # The filter replaces what comes after its two parameters.
            assert done == (options == (90, 1, 7)), options


def test_refused(folder):
    with h5py.File(os.path.join(folder, 'a.h5'), 'w') as file:
        for dtype in 'float32', 'uint32', 'S4', [('a', 'u1')]:
            assert fails(file.create_dataset, 'x', shape=(9, 9), chunks=(9, 9), dtype=dtype,
                         compression=ID)
        assert fails(file.create_dataset, 'x', shape=(9, 16400), chunks=(9, 16400),
                     dtype='u1', compression=ID)
        assert fails(file.create_dataset, 'x', shape=(9, 9, 5), chunks=(9, 9, 5), dtype='u1',
                     compression=ID, compression_opts=(90, 1))


def test_repack(folder):
    """h5repack of another HDF5 writes and reads with the filter."""
    if not REPACK:
        print('h5repack is left out.')
        return
    one, two, three = (os.path.join(folder, name) for name in ('1.h5', '2.h5', '3.h5'))
    array = volume((6, 100, 90), 'uint16')
    with h5py.File(one, 'w', libver='earliest') as file:
        file.create_dataset('x', data=array, chunks=(2, 50, 90))
    subprocess.run([*REPACK, '-f', f'UD={ID},0,0', one, two], check=True)
    subprocess.run([*REPACK, '-f', f'x:UD={ID},0,1,95', '-l', 'x:CHUNK=3x100x90', one, three],
                   check=True)
    with h5py.File(two) as file, h5py.File(three) as lossy:
        assert same(file['x'][:], array) and str(ID) in file['x']._filters
        assert file['x'].id.get_storage_size() < array.nbytes
        assert lossy['x']._filters[str(ID)][0] == 95 and lossy['x'].chunks == (3, 100, 90)
        assert not same(lossy['x'][:], array)
    # Other chunks have other parameters that describe them. And without the filter.
    subprocess.run([*REPACK, '-l', 'x:CHUNK=6x64x64', two, one], check=True)
    subprocess.run([*REPACK, '-f', 'NONE', one, three], check=True)
    with h5py.File(one) as file, h5py.File(three) as plain:
        assert same(file['x'][:], array) and same(plain['x'][:], array)
        assert str(ID) in file['x']._filters and not plain['x']._filters


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
        elif data:
            data[at % min(len(data), 120 if kind == 2 else len(data))] ^= \
                1 << int(RANDOM.integers(0, 8))
    return bytes(data)


def test_damaged(folder):
    """Chunks that are damaged, and chunks that are other streams: HDF5's error."""
    streams = [open(path, 'rb').read() for path in glob.glob(os.path.join(GOLDEN, '*.paco'))]
    assert len(streams) > 30
    refused = 0
    with h5py.File(os.path.join(folder, 'a.h5'), 'w') as file:
        array = volume((4, 64, 80), 'uint16')
        stored = file.create_dataset('x', data=array, chunks=array.shape, compression=ID)
        file.flush()
        good = stored.id.read_direct_chunk((0, 0, 0))[1]
        for i in range(-1, DAMAGED):
            bad = damaged(good if i % 3 else streams[RANDOM.integers(0, len(streams))])
            bad = good if i < 0 else bad
            # A new data set has nothing in HDF5's cache of chunks.
            other = file.create_dataset(f'x{i}', shape=array.shape, dtype='uint16',
                                        chunks=array.shape, compression=ID)
            other.id.write_direct_chunk((0, 0, 0), bad or b'x')
            if i < 0:
                assert same(other[:], array)
            else:
                refused += fails(lambda: other[:])
    print(f'{refused} of {DAMAGED} damaged chunks are refused')
    assert refused > DAMAGED // 2


class Class(ctypes.Structure):
    """H5Z_class2_t."""
    _fields_ = [('version', ctypes.c_int), ('id', ctypes.c_int), ('encoder', ctypes.c_uint),
                ('decoder', ctypes.c_uint), ('name', ctypes.c_char_p),
                ('can_apply', ctypes.c_void_p), ('set_local', ctypes.c_void_p),
                ('filter', ctypes.CFUNCTYPE(
                    ctypes.c_size_t, ctypes.c_uint, ctypes.c_size_t,
                    ctypes.POINTER(ctypes.c_uint), ctypes.c_size_t,
                    ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(ctypes.c_void_p)))]


def test_parameters(folder):
    """Parameters come from files: whatever they are, the filter does not crash. HDF5 is made
    global here, because it is not HDF5 that calls."""
    with open('/proc/self/maps', encoding='utf-8') as maps:
        [hdf5] = {line.split()[-1] for line in maps if '/libhdf5-' in line
                  or '/libhdf5.so' in line or '/libhdf5_serial.so' in line}
    ctypes.CDLL(hdf5, ctypes.RTLD_GLOBAL)
    library = ctypes.CDLL(FILTER)
    library.H5PLget_plugin_info.restype = ctypes.POINTER(Class)
    call = library.H5PLget_plugin_info().contents.filter
    malloc = ctypes.CDLL(None).malloc
    malloc.restype, malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    free = ctypes.CDLL(None).free
    free.argtypes = [ctypes.c_void_p]

    def run(flags, values, data):
        size, buffer = ctypes.c_size_t(len(data)), ctypes.c_void_p(malloc(len(data) + 1))
        ctypes.memmove(buffer, data, len(data))
        n = call(flags, len(values), (ctypes.c_uint * len(values))(*values), len(data),
                 ctypes.byref(size), ctypes.byref(buffer))
        result = ctypes.string_at(buffer.value, n)
        free(buffer)
        return result

    samples = volume((2, 40, 30), 'uint16').tobytes()
    good = [LOSSLESS, 0, 1, 0, 2, 0, 2, 40, 30, 1]
    coded = run(0, good, samples)
    assert coded and run(REVERSE, good, coded) == samples
    failed = 0
    for _ in range(DAMAGED):
        values = list(good)
        for _ in range(RANDOM.integers(1, 4)):
            values[RANDOM.integers(0, len(values))] = int(RANDOM.choice(
                [0, 1, 2, 3, 4, 5, 16384, 16385, 0xffff, 0x80000000, 0xffffffff]))
        values = values[:RANDOM.integers(0, 11)] if RANDOM.integers(0, 9) == 0 else values
        failed += not run(REVERSE, values, coded)
        failed += not run(0, values, samples)
    assert failed > DAMAGED


def main():
    failed = passed = 0
    for name, test in list(globals().items()):
        if not name.startswith('test_'):
            continue
        try:
            with tempfile.TemporaryDirectory() as folder:
                test(folder)
        except Exception:
            traceback.print_exc()
            print(f'FAILED: {name}', flush=True)
            failed += 1
        else:
            print(f'ok: {name}', flush=True)
            passed += 1
    print(f'This was HDF5 {h5py.version.hdf5_version}.\n{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
