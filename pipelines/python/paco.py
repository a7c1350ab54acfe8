# SPDX-License-Identifier: LGPL-2.1-or-later
"""PaCo frames and NumPy arrays, through libpaco (lib/paco.h), without GStreamer:

    import paco
    film, decoder = paco.Reader('film.paco'), paco.Decoder(reduce=1)
    print(len(film), decoder.decode(film[100])[0].mean())
    encoder = paco.Encoder(rate_control='lossless')
    with paco.Writer('other.paco') as other:
        for y, cb, cr in pictures:
            other.add(encoder.encode([y, cb, cr], depth=10))

A picture is a list of arrays of height x width, one for each component (gray; Y, Cb,
Cr; R, G, B; then alpha), of uint8 or, above 8 bits, of uint16. Settings are those of
paco.h, with _ for -. PACO_LIBRARY in the environment names another libpaco.
The module _paco, which declare.py writes, is installed too; a build has it in lib/.

Several threads may use one object: each call waits for those before it. After close(),
calls raise ValueError.

Frames of a stack (pacoenc stack=N) are slices, which are no pictures by themselves;
paco.Decoder(slices=True).pictures(film) gives the pictures of all frames."""
import ctypes
import operator
import os
import threading

import _paco
import numpy

OK, EMPTY = _paco.PACO_STATUS_OK, _paco.PACO_STATUS_EMPTY
COMPONENTS = _paco.PACO_COMPONENTS


class PacoError(Exception):
    """Its text is a sentence for the user; status is PACO_STATUS_*."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class Info(_paco.PacoInfo):
    """What a frame is: PacoInfo of paco.h, whose format is format_name here."""
    format_name = _paco.PacoInfo.format

    def __init__(self, **fields):
        super().__init__(struct_size=ctypes.sizeof(Info), **fields)

    @property
    def format(self):
        return self.format_name.decode(errors='replace')


class Result(_paco.PacoResult):
    """What was broken: PacoResult of paco.h."""


_library = ctypes.CDLL(os.environ.get('PACO_LIBRARY', 'libpaco.so.1'))
for _function, _types in vars(_paco).items():
    if _function.startswith('paco_'):
        _function = getattr(_library, _function)
        _function.restype, _function.argtypes = _types


def _call(name, *arguments, allowed=()):
    error = _paco.PacoError()
    status = getattr(_library, name)(*arguments, ctypes.byref(error))
    if status != OK and status not in allowed:
        raise PacoError(status, error.message.decode(errors='replace'))
    return status


def version():
    return _library.paco_version().decode()


def probe(data):
    """What the frame that begins with these bytes is."""
    data, info = bytes(data), Info()
    _call('paco_probe', data, len(data), ctypes.byref(info), None)
    return info


def chunks(data):
    """What accompanies the frame that begins with these bytes: (type, bytes) each, as
    FORMAT.md section 3.1 has them."""
    data, n = bytes(data), ctypes.c_size_t(probe(data).n_chunks)
    found = (_paco.PacoFrameChunk * n.value)()
    _call('paco_frame_chunks', data, len(data), found, ctypes.byref(n))
    return [(chunk.type, ctypes.string_at(chunk.data, chunk.size))
            for chunk in found]


def attachment(data):
    """The attachment of the whole frame that these bytes are; b'' if it has none."""
    data, found, n = bytes(data), ctypes.c_void_p(), ctypes.c_size_t()
    _call('paco_frame_attachment', data, len(data), ctypes.byref(found),
          ctypes.byref(n))
    return ctypes.string_at(found, n.value) if found else b''


def _take(frame):
    """Returns the bytes of a frame, which is empty then."""
    data = ctypes.string_at(frame.data, frame.size)
    _library.paco_frame_release(ctypes.byref(frame))
    return data


def _name(path):
    return os.fsencode(os.fspath(path))


class _Object:
    """An object of the library, which may be used by one thread at a time: methods hold
    self.lock while they use self.handle."""

    def __init__(self, name):
        self.name, self.lock, self._pointer = name, threading.RLock(), None

    @property
    def handle(self):
        if not self._pointer:
            raise ValueError(f'This {type(self).__name__} is closed.')
        return self._pointer

    def _open(self, *arguments):
        """Has the library open it."""
        pointer = ctypes.c_void_p()
        _call(f'paco_{self.name}_open', *arguments, ctypes.byref(pointer))
        self._pointer = pointer

    def _free(self, pointer):
        getattr(_library, f'paco_{self.name}_close')(pointer)

    def close(self):
        """Frees it, once no other thread uses it."""
        with self.lock:
            pointer, self._pointer = self._pointer, None
            if pointer:
                self._free(pointer)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, '_pointer', None):
            self._free(self._pointer)


class Reader(_Object):
    """The frames of a .paco file, as bytes: in order, by iteration, from the first one
    on or from where seek() went; by number; or, as a list, by a slice. What is damaged
    is left out: skipped and missing say how many bytes, and frames, that are no whole
    ones came before the frame that was returned last, reason why they are none, and
    number is its number."""

    def __init__(self, path):
        super().__init__('reader')
        self.number = self.skipped = self.missing = 0
        self.reason = ''
        self._open(_name(path))

    def __len__(self):
        n_frames = ctypes.c_uint64()
        with self.lock:
            _call('paco_reader_count', self.handle, ctypes.byref(n_frames))
        return n_frames.value

    def __iter__(self):
        return self

    def __next__(self):
        frame = _paco.PacoFrame()
        with self.lock:
            status = _call('paco_reader_next', self.handle, ctypes.byref(frame),
                           allowed=(EMPTY,))
            self.number, self.skipped = frame.number, frame.skipped
            self.missing = frame.missing
            self.reason = _library.paco_reader_reason(self.handle).decode()
            if status == EMPTY:
                raise StopIteration
            return _take(frame)

    def __getitem__(self, number):
        """IndexError also for a frame that is damaged."""
        with self.lock:
            n_frames = len(self)
            if isinstance(number, slice):
                return [self[i] for i in range(*number.indices(n_frames))]
            number = operator.index(number)
            if not -n_frames <= number < n_frames:
                raise IndexError(f'There are {n_frames} frames, and no {number}.')
            number %= n_frames
            self.seek(number)
            data = next(self, None)
            if data is None or self.number != number:
                raise IndexError(f'Frame {number} is damaged.')
            return data

    def seek(self, number):
        """Iteration goes on there, or, where that frame is damaged, with the last good
        one before."""
        with self.lock:
            _call('paco_reader_seek', self.handle, number)


def frames(path):
    """The frames of a .paco file, as bytes."""
    return Reader(path)


NEW, REPLACE = _paco.PACO_WRITER_NEW, _paco.PACO_WRITER_REPLACE
RESUME = _paco.PACO_WRITER_RESUME


class Writer(_Object):
    """A .paco file of frames that come as bytes. how: NEW, there must be no such file;
    REPLACE; RESUME, behind the last whole frame of it."""

    def __init__(self, path, how=NEW):
        super().__init__('writer')
        self._open(_name(path), how)

    def _free(self, pointer):
        _call('paco_writer_close', pointer)

    def add(self, data):
        """With its place in this file."""
        data = bytes(data)
        with self.lock:
            _call('paco_writer_add', self.handle, data, len(data))

    def __len__(self):
        """Frames so far, with those that were there."""
        n_frames = ctypes.c_uint64()
        with self.lock:
            _library.paco_writer_position(self.handle, ctypes.byref(n_frames), None)
        return n_frames.value


# Kinds of numpy's types, by PacoInfo.sample_kind.
KINDS = 'uif'


def _extend(array, depth):
    """Gives signed samples, which have zeros above their bits, the sign there."""
    half = array.dtype.type(1 << depth - 1)
    return (array ^ half) - half if depth < 8 * array.itemsize else array


def _check_range(array, depth):
    low, high = (-1 << depth - 1, (1 << depth - 1) - 1) if array.dtype.kind == 'i' \
        else (0, (1 << depth) - 1)
    for sample in int(array.min()), int(array.max()):
        if not low <= sample <= high:
            raise ValueError(f'A sample is {sample}, which has more than {depth} bits.')


def _allocate(info, reduce):
    """Arrays for a picture and what the library calls it."""
    image, arrays = _paco.PacoImage(), []
    _call('paco_image_init', ctypes.byref(image), ctypes.byref(info), reduce, 0,
          None, None)
    for c in range(info.n_components):
        kind = f'<{KINDS[info.sample_kind[c]]}{image.layout[c].word_bytes}'
        width, height = ctypes.c_uint32(), ctypes.c_uint32()
        _call('paco_component_size', ctypes.byref(info), c, reduce,
              ctypes.byref(width), ctypes.byref(height))
        arrays.append(numpy.zeros((height.value, width.value), kind))
        image.data[c] = arrays[c].ctypes.data
    return image, arrays


NO_FIRST_SLICE = ('The first slice of a stack is missing, without which its pictures '
                  'show nothing.')


def stack_pictures(data, slices):
    """The pictures of a stack, each a list of one array. data: any frame of it. slices:
    for each position the array that Decoder(slices=True) has made of that frame, whole,
    reduced or a region; None if the frame is missing. That costs the pictures detail, and
    there are none without the first slice: ValueError."""
    data, info = bytes(data), probe(data)
    if info.stack_length != len(slices):
        raise ValueError(f'The frame is of a stack of {info.stack_length} slices, and '
                         f'{len(slices)} are given.')
    if len(slices) == 0 or slices[0] is None:
        raise ValueError(NO_FIRST_SLICE)
    shape = numpy.shape(slices[0])
    if any(part is not None and numpy.shape(part) != shape for part in slices):
        raise ValueError('The slices of a stack are not of one size.')
    samples = [None if part is None else numpy.array(part, numpy.uint16, order='C')
               for part in slices]
    info = Info(height=shape[0], width=shape[1], n_components=1,
                depth=(info.stack_depth,))
    images, pictures = zip(*(_allocate(info, 0) for _ in slices))
    _call('paco_stack_pictures', data, len(data),
          (ctypes.c_void_p * len(slices))(
              *(None if part is None else part.ctypes.data for part in samples)),
          *reversed(shape),
          (ctypes.POINTER(_paco.PacoImage) * len(slices))(*map(ctypes.pointer, images)))
    return list(pictures)


class _Coder(_Object):
    def __init__(self, name, settings):
        super().__init__(name)
        self._pointer = ctypes.c_void_p(getattr(_library, f'paco_{name}_new')())
        if not self._pointer:
            raise MemoryError
        for setting, value in settings.items():
            self.set(setting, value)

    def _free(self, pointer):
        getattr(_library, f'paco_{self.name}_free')(pointer)

    def set(self, name, value):
        text = str(value).lower() if isinstance(value, bool) else str(value)
        with self.lock:
            _call(f'paco_{self.name}_set', self.handle,
                  name.replace('_', '-').encode(), text.encode())

    @property
    def device(self):
        """What does the work, as 'cpu: 2 threads, avx512'."""
        with self.lock:
            return getattr(_library, f'paco_{self.name}_device')(
                self.handle).decode()


def _region(value):
    """Returns x, y, width and height of a region that is given so, or as
    'x,y,width,height'; () for None, '' and ()."""
    try:
        region = () if value is None else \
            tuple(map(int, filter(None, value.split(',')))) \
            if isinstance(value, str) else tuple(map(operator.index, value))
    except (TypeError, ValueError):
        region = None
    if region is None or len(region) not in (0, 4):
        raise ValueError('A region is x, y, width and height, as (10, 20, 64, 48) or '
                         f"'10,20,64,48', and not {value!r}.")
    return region


class Decoder(_Coder):
    """Decoder(reduce=1, region=(x, y, width, height), backend='cpu', ...)"""

    def __init__(self, **settings):
        self.reduce, self.region = 0, ()
        self._results = threading.local()
        super().__init__('frame_decoder', settings)

    @property
    def result(self):
        """What was broken of the frame that this thread has decoded last."""
        return getattr(self._results, 'last', None) or Result()

    def set(self, name, value):
        with self.lock:
            if name == 'region':
                region = _region(value)
                super().set(name, ','.join(map(str, region)))
                self.region = region
                return
            super().set(name, value)
            if name == 'reduce':
                self.reduce = int(value)

    def decode(self, data):
        """The components of a frame; self.result says what of it was broken."""
        data = bytes(data)
        info, result = probe(data), Result()
        with self.lock:
            reduce = self.reduce
            if self.region:
                info.width, info.height = self.region[2:]
                reduce = 0
            image, arrays = _allocate(info, reduce)
            _call('paco_frame_decoder_decode', self.handle, data, len(data),
                  ctypes.byref(image), ctypes.byref(result))
        self._results.last = result
        return [_extend(array, info.depth[c]) if array.dtype.kind == 'i' else array
                for c, array in enumerate(arrays)]

    def pictures(self, frames):
        """The pictures of frames that come in the order of their file, each as decode()
        gives it. Those of a stack, for which the decoder has slices=True, come together,
        behind its last slice. If slices are missing they are what the others make of
        them; ValueError if that is the first one."""
        state, last, slices = _paco.PacoStackState(), b'', []
        for data in frames:
            data, info, what = bytes(data), probe(data), ctypes.c_uint32()
            frame = _paco.PacoFrame(ctypes.cast(data, ctypes.c_void_p), len(data),
                                    skipped=getattr(frames, 'skipped', 0),
                                    missing=getattr(frames, 'missing', 0))
            _call('paco_stack_next', ctypes.byref(state), ctypes.byref(frame),
                  ctypes.byref(what))
            if slices and what.value != _paco.PACO_STACK_NEXT:
                yield from stack_pictures(last, slices)
                slices = []
            if what.value == _paco.PACO_STACK_NONE:
                yield self.decode(data)
                continue
            if what.value == _paco.PACO_STACK_STRAY:
                raise ValueError(NO_FIRST_SLICE)
            slices = slices or [None] * info.stack_length
            slices[info.stack_position], last = self.decode(data)[0], data
            if info.stack_position + 1 == info.stack_length:
                yield from stack_pictures(last, slices)
                slices = []
        if slices:
            yield from stack_pictures(last, slices)


class Encoder(_Coder):
    """Encoder(quality=80), Encoder(rate_control='lossless', backend='cpu'), ..."""

    def __init__(self, **settings):
        super().__init__('frame_encoder', settings)

    def encode(self, components, depth=None, info=None, chunks=(), areas=(),
               attachment=b''):
        """A frame, as bytes. components: a list of arrays, or one array of a gray
        picture, of unsigned or signed integers or of binary16. depth: bits of a sample;
        those of the arrays' type, if it is None. info: an Info that says more (colours, frame rate, ...); its size,
        depth and subsampling are filled in from the arrays. chunks: (type, bytes) each,
        which chunks() gives back. areas: (x, y, width, height) each, none of them
        negative, which are coded finer than the rest by the setting roi_weight.
        attachment: bytes that attachment() gives back."""
        info = info or Info()
        if getattr(components, 'ndim', None) == 2:
            components = [components]
        arrays = [numpy.asarray(component) for component in components]
        if not 1 <= len(arrays) <= COMPONENTS or any(
                array.ndim != 2 or array.dtype.kind not in KINDS or
                array.dtype.itemsize > 2 or array.size == 0 for array in arrays):
            raise ValueError('A picture is one to four arrays of height x width, of '
                             'uint8, uint16, int8, int16 or float16.')
        info.height, info.width = arrays[0].shape
        info.n_components = len(arrays)
        for c, array in enumerate(arrays):
            info.depth[c] = depth or 8 * array.dtype.itemsize
            info.sample_kind[c] = KINDS.index(array.dtype.kind)
            info.subsampling_y[c], info.subsampling_x[c] = (
                self._subsampling(whole, part)
                for whole, part in zip(arrays[0].shape, array.shape))
        image, copies = _allocate(info, 0)
        for array, copy in zip(arrays, copies):
            if depth and array.dtype.kind != 'f':
                _check_range(array, depth)
                array = array & array.dtype.type((1 << depth) - 1) \
                    if depth < 8 * array.itemsize else array
            copy[...] = array
        frame, extras = _paco.PacoFrame(), self._extras(chunks, areas, bytes(attachment))
        with self.lock:
            _call('paco_frame_encoder_configure', self.handle, ctypes.byref(info))
            _call('paco_frame_encoder_encode', self.handle, ctypes.byref(image),
                  ctypes.byref(extras), ctypes.byref(frame))
            return _take(frame)

    @staticmethod
    def _extras(chunks, areas, attachment):
        """Arrays of ctypes keep what they were made from. They also take any number,
        and cut it off."""
        for area in areas:
            if len(area) != 4 or not all(0 <= number < 1 << 32 for number in area):
                raise ValueError('An area is x, y, width and height, none of them '
                                 f'negative, and not {area}.')
        array = (_paco.PacoFrameChunk * len(chunks))()
        for chunk, (kind, data) in zip(array, chunks):
            data = bytes(data)
            chunk.type, chunk.size = kind, len(data)
            chunk.data = ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p)
        return _paco.PacoExtras(ctypes.sizeof(_paco.PacoExtras), array, len(chunks),
                       (_paco.PacoFrameArea * len(areas))(*areas), len(areas),
                       ctypes.cast(ctypes.c_char_p(attachment), ctypes.c_void_p),
                       len(attachment))

    @staticmethod
    def _subsampling(whole, part):
        for log2 in range(3):
            if -(-whole >> log2) == part:
                return log2
        raise ValueError(f'A component of {part} lines or columns does not go with '
                         f'{whole} of the first one.')
