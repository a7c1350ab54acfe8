# SPDX-License-Identifier: LGPL-2.1-or-later
"""PaCo frames and NumPy arrays, through libpaco (lib/paco.h), without GStreamer:

    import paco
    data = paco.Encoder(rate_control='lossless').encode(array)
    [array] = paco.Decoder().decode(data)

    film, decoder = paco.Reader('film.paco'), paco.Decoder(reduce=1)
    print(len(film), decoder.decode(film[100])[0].mean())
    pictures = paco.Film('film.paco')[10:20]
    encoder = paco.Encoder(rate_control='lossless')
    with paco.Writer('other.paco') as other:
        for y, cb, cr in pictures:
            other.add(encoder.encode([y, cb, cr], depth=10))

A picture is a list of arrays of height x width, one for each component (gray; Y, Cb,
Cr; R, G, B; then alpha), of uint8 or, above 8 bits, of uint16. Encoders also take arrays
in the memory of a GPU, and Decoder.decode_cuda() gives them. Settings are those of
paco.h, with _ for -. PACO_LIBRARY in the environment names another libpaco.

Several threads may use one object: each call waits for those before it. After close(),
calls raise ValueError.

Frames of a stack (pacoenc stack=N) are slices, which are no pictures by themselves:
paco.Film gives pictures, and so does paco.Decoder(slices=True).pictures(frames)."""
import ctypes
import operator
import os
import sysconfig
import threading
from typing import (Any, Iterable, Iterator, List, Optional, Sequence, Tuple, Type, TypeVar,
                    Union, overload)

import numpy

from . import _paco

OK, EMPTY = _paco.PACO_STATUS_OK, _paco.PACO_STATUS_EMPTY
COMPONENTS = _paco.PACO_COMPONENTS
Array = Any  # mostly numpy.ndarray, which has no good type of its own
Path = Union[str, bytes, 'os.PathLike[str]']
Area = Tuple[int, int, int, int]
Self = TypeVar('Self', bound='_Object')


class PacoError(Exception):
    """Its text is a sentence for the user; status is PACO_STATUS_*."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Info(_paco.PacoInfo):
    """What a frame is: PacoInfo of paco.h, whose format is format_name here."""
    format_name = _paco.PacoInfo.format

    def __init__(self, **fields: Any) -> None:
        super().__init__(struct_size=ctypes.sizeof(Info), **fields)

    @property
    def format(self) -> str:  # type: ignore[override]
        return self.format_name.decode(errors='replace')


class Result(_paco.PacoResult):
    """What was broken: PacoResult of paco.h."""


def _find_library() -> str:
    """A wheel brings the library in a folder beside the package; other systems have it
    where the loader looks."""
    if 'PACO_LIBRARY' in os.environ:
        return os.environ['PACO_LIBRARY']
    for site in os.path.dirname(os.path.dirname(__file__)), sysconfig.get_path('platlib'):
        path = os.path.join(site, '.paco_codec.mesonpy.libs', 'libpaco.so.1')
        if os.path.exists(path):
            return path
    return 'libpaco.so.1'


_library = ctypes.CDLL(_find_library())
for _function, _types in vars(_paco).items():
    if _function.startswith('paco_'):
        _function = getattr(_library, _function)
        _function.restype, _function.argtypes = _types


def _call(name: str, *arguments: Any, allowed: Tuple[int, ...] = ()) -> int:
    error = _paco.PacoError()
    status: int = getattr(_library, name)(*arguments, ctypes.byref(error))
    if status != OK and status not in allowed:
        raise PacoError(status, error.message.decode(errors='replace'))
    return status


def version() -> str:
    return str(_library.paco_version().decode())


def probe(data: bytes) -> Info:
    """What the frame that begins with these bytes is."""
    data, info = bytes(data), Info()
    _call('paco_probe', data, len(data), ctypes.byref(info), None)
    return info


def chunks(data: bytes) -> List[Tuple[int, bytes]]:
    """What accompanies the frame that begins with these bytes: (type, bytes) each, as
    FORMAT.md section 3.1 has them."""
    data, n = bytes(data), ctypes.c_size_t(probe(data).n_chunks)
    found = (_paco.PacoFrameChunk * n.value)()
    _call('paco_frame_chunks', data, len(data), found, ctypes.byref(n))
    return [(chunk.type, ctypes.string_at(chunk.data or 0, chunk.size))
            for chunk in found]


def attachment(data: bytes) -> bytes:
    """The attachment of the whole frame that these bytes are; b'' if it has none."""
    data, found, n = bytes(data), ctypes.c_void_p(), ctypes.c_size_t()
    _call('paco_frame_attachment', data, len(data), ctypes.byref(found),
          ctypes.byref(n))
    return ctypes.string_at(found.value or 0, n.value) if found.value else b''


def _take(frame: _paco.PacoFrame) -> bytes:
    """Returns the bytes of a frame, which is empty then."""
    data = ctypes.string_at(frame.data or 0, frame.size)
    _library.paco_frame_release(ctypes.byref(frame))
    return data


def _name(path: Path) -> bytes:
    return os.fsencode(os.fspath(path))


class _Object:
    """An object of the library, which may be used by one thread at a time: methods hold
    self.lock while they use self.handle."""

    def __init__(self, name: str) -> None:
        self.name, self.lock = name, threading.RLock()
        self._pointer: Optional[ctypes.c_void_p] = None

    @property
    def handle(self) -> ctypes.c_void_p:
        if not self._pointer:
            raise ValueError(f'This {type(self).__name__} is closed.')
        return self._pointer

    def _open(self, *arguments: Any) -> None:
        """Has the library open it."""
        pointer = ctypes.c_void_p()
        _call(f'paco_{self.name}_open', *arguments, ctypes.byref(pointer))
        self._pointer = pointer

    def _free(self, pointer: ctypes.c_void_p) -> None:
        getattr(_library, f'paco_{self.name}_close')(pointer)

    def close(self) -> None:
        """Frees it, once no other thread uses it."""
        with self.lock:
            pointer, self._pointer = self._pointer, None
            if pointer:
                self._free(pointer)

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        pointer = getattr(self, '_pointer', None)
        if pointer:
            self._free(pointer)


class Reader(_Object):
    """The frames of a .paco file, as bytes: in order, by iteration, from the first one
    on or from where seek() went; by number; or, as a list, by a slice. What is damaged
    is left out: skipped and missing say how many bytes, and frames, that are no whole
    ones came before the frame that was returned last, reason why they are none, and
    number is its number."""

    def __init__(self, path: Path) -> None:
        super().__init__('reader')
        self.number = self.skipped = self.missing = 0
        self.reason = ''
        self._open(_name(path))

    def __len__(self) -> int:
        n_frames = ctypes.c_uint64()
        with self.lock:
            _call('paco_reader_count', self.handle, ctypes.byref(n_frames))
        return n_frames.value

    def __iter__(self) -> 'Reader':
        return self

    def __next__(self) -> bytes:
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

    @overload
    def __getitem__(self, number: int) -> bytes: ...

    @overload
    def __getitem__(self, number: slice) -> List[bytes]: ...

    def __getitem__(self, number: Union[int, slice]) -> Union[bytes, List[bytes]]:
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

    def seek(self, number: int) -> None:
        """Iteration continues there, or, where that frame is damaged, with the last good
        one before."""
        with self.lock:
            _call('paco_reader_seek', self.handle, number)


def frames(path: Path) -> Reader:
    """The frames of a .paco file, as bytes."""
    return Reader(path)


NEW, REPLACE = _paco.PACO_WRITER_NEW, _paco.PACO_WRITER_REPLACE
RESUME = _paco.PACO_WRITER_RESUME


class Writer(_Object):
    """A .paco file of frames that come as bytes. how: NEW, there must be no such file;
    REPLACE; RESUME, after the last whole frame of it."""

    def __init__(self, path: Path, how: int = NEW) -> None:
        super().__init__('writer')
        self._open(_name(path), how)

    def _free(self, pointer: ctypes.c_void_p) -> None:
        _call('paco_writer_close', pointer)

    def add(self, data: bytes) -> None:
        """With its place in this file."""
        data = bytes(data)
        with self.lock:
            _call('paco_writer_add', self.handle, data, len(data))

    def __len__(self) -> int:
        """Frames so far, with those that were there."""
        n_frames = ctypes.c_uint64()
        with self.lock:
            _library.paco_writer_position(self.handle, ctypes.byref(n_frames), None)
        return n_frames.value


# Kinds of numpy's types, by PacoInfo.sample_kind.
KINDS = 'uif'


def _extend(array: Array, depth: int) -> Array:
    """Gives signed samples, which have zeros above their bits, the sign there."""
    if depth == 8 * array.itemsize:
        return array
    half = array.dtype.type(1 << depth - 1)
    return (array ^ half) - half


def _check_range(array: Array, depth: int) -> None:
    low, high = (-1 << depth - 1, (1 << depth - 1) - 1) if array.dtype.kind == 'i' \
        else (0, (1 << depth) - 1)
    for sample in int(array.min()), int(array.max()):
        if not low <= sample <= high:
            raise ValueError(f'A sample is {sample}, which has more than {depth} bits.')


def _allocate(info: Info, reduce: int) -> Tuple[_paco.PacoImage, List[Array]]:
    """Arrays for a picture and what the library calls it."""
    image = _paco.PacoImage()
    arrays: List[Array] = []
    _call('paco_image_init', ctypes.byref(image), ctypes.byref(info), reduce, 0,
          None, None)
    for c in range(info.n_components):
        kind = f'<{KINDS[info.sample_kind[c]]}{image.layout[c].word_bytes}'
        width, height = ctypes.c_uint32(), ctypes.c_uint32()
        _call('paco_component_size', ctypes.byref(info), c, reduce,
              ctypes.byref(width), ctypes.byref(height))
        arrays.append(numpy.empty((height.value, width.value), kind))
        image.data[c] = arrays[c].ctypes.data
    return image, arrays


NO_FIRST_SLICE = ('The first slice of a stack is missing, without which its pictures '
                  'show nothing.')


def stack_pictures(data: bytes, slices: Sequence[Optional[Array]]) -> List[List[Array]]:
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
    made = [_allocate(info, 0) for _ in slices]
    _call('paco_stack_pictures', data, len(data),
          (ctypes.c_void_p * len(slices))(
              *(None if part is None else part.ctypes.data for part in samples)),
          *reversed(shape),
          (ctypes.POINTER(_paco.PacoImage) * len(slices))(
              *(ctypes.pointer(image) for image, _ in made)))
    return [arrays for _, arrays in made]


def _host(component: Any) -> Array:
    """An array of NumPy, without a copy where that can be."""
    if hasattr(component, '__dlpack__') and not hasattr(component, '__array__'):
        return numpy.from_dlpack(component)
    return numpy.asarray(component)


def _fill(copies: Sequence[Array], arrays: Sequence[Array], depth: Optional[int]) -> None:
    """Copies samples into arrays of the library's words, whose bits above depth are 0."""
    for array, copy in zip(arrays, copies):
        if depth and array.dtype.kind != 'f':
            _check_range(array, depth)
            if depth < 8 * array.itemsize:
                array = array & array.dtype.type((1 << depth) - 1)
        copy[...] = array


class _Coder(_Object):
    _context: bool
    _device = 0

    def __init__(self, name: str, settings: Any) -> None:
        super().__init__(name)
        self._process = os.getpid()
        self._pointer = ctypes.c_void_p(getattr(_library, f'paco_{name}_new')())
        if not self._pointer:
            raise MemoryError
        for setting, value in settings.items():
            self.set(setting, value)

    @property
    def handle(self) -> ctypes.c_void_p:
        if self._process != os.getpid():
            raise ValueError(f'This {type(self).__name__} has threads in the process that '
                             'made it: after a fork(), make another one.')
        return super().handle

    def _free(self, pointer: ctypes.c_void_p) -> None:
        if self._process == os.getpid():
            getattr(_library, f'paco_{self.name}_free')(pointer)

    def set(self, name: str, value: Any) -> None:
        text = str(value).lower() if isinstance(value, bool) else str(value)
        with self.lock:
            _call(f'paco_{self.name}_set', self.handle,
                  name.replace('_', '-').encode(), text.encode())
            if name.replace('_', '-') == 'cuda-device-id':
                self._device = max(int(value), 0)

    def use_context(self, context: int) -> None:
        """Has it work in a CUDA context (CUcontext), by its address."""
        with self.lock:
            _call(f'paco_{self.name}_use_context', self.handle, context)
            self._context = True

    @property
    def device(self) -> str:
        """What does the work, as 'cpu: 2 threads, avx512'."""
        with self.lock:
            return str(getattr(_library, f'paco_{self.name}_device')(
                self.handle).decode())


def _region(value: Any) -> Tuple[int, ...]:
    """Returns x, y, width and height of a region that is given so, or as
    'x,y,width,height'; () for None, '' and ()."""
    region: Optional[Tuple[int, ...]] = None
    try:
        region = () if value is None else \
            tuple(map(int, filter(None, value.split(',')))) \
            if isinstance(value, str) else tuple(map(operator.index, value))
    except (TypeError, ValueError):
        pass
    if region is None or len(region) not in (0, 4):
        raise ValueError('A region is x, y, width and height, as (10, 20, 64, 48) or '
                         f"'10,20,64,48', and not {value!r}.")
    return region


class Decoder(_Coder):
    """Decoder(reduce=1, region=(x, y, width, height), backend='cpu', ...)"""

    def __init__(self, **settings: Any) -> None:
        self.reduce, self._context = 0, False
        self.region: Tuple[int, ...] = ()
        self._results = threading.local()
        super().__init__('frame_decoder', settings)

    @property
    def result(self) -> Result:
        """What was broken of the frame that this thread has decoded last."""
        return getattr(self._results, 'last', None) or Result()

    def set(self, name: str, value: Any) -> None:
        with self.lock:
            if name == 'region':
                region = _region(value)
                super().set(name, ','.join(map(str, region)))
                self.region = region
                return
            super().set(name, value)
            if name == 'reduce':
                self.reduce = int(value)

    def decode(self, data: bytes) -> List[Array]:
        """The components of a frame; self.result says what of it was broken."""
        with self.lock:
            info, arrays = self._decode(data, _allocate)
        return [_extend(array, info.depth[c]) if array.dtype.kind == 'i' else array
                for c, array in enumerate(arrays)]

    def decode_cuda(self, data: bytes) -> List['cuda.CudaArray']:
        """The same in the memory of a GPU, for cupy.asarray() or torch.from_dlpack(),
        without a copy: GPU 0, or the one of the setting cuda_device_id. The first frame of
        a decoder says where it works: after decode() it is too late. Bits of signed
        samples above their depth are zero."""
        with self.lock:
            if not self._context:
                self.use_context(cuda.primary_context(self._device))
            return self._decode(data, lambda *what: cuda.allocate(
                self._device, *_allocate(*what)))[1]

    def _decode(self, data: bytes, allocate: Any) -> Tuple[Info, List[Any]]:
        data = bytes(data)
        info, result, reduce = probe(data), Result(), self.reduce
        if self.region:
            info.width, info.height = self.region[2:]
            reduce = 0
        image, arrays = allocate(info, reduce)
        _call('paco_frame_decoder_decode', self.handle, data, len(data),
              ctypes.byref(image), ctypes.byref(result))
        self._results.last = result
        return info, arrays

    def pictures(self, frames: Iterable[bytes]) -> Iterator[List[Array]]:
        """The pictures of frames that come in the order of their file, each as decode()
        gives it. Those of a stack, for which the decoder has slices=True, come together,
        after its last slice. If slices are missing they are what the others make of
        them; ValueError if that is the first one."""
        state, last = _paco.PacoStackState(), b''
        slices: List[Optional[Array]] = []
        for data in frames:
            data, info, what = bytes(data), probe(data), ctypes.c_uint32()
            frame = _paco.PacoFrame(ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p), len(data),
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

    def __init__(self, **settings: Any) -> None:
        super().__init__('frame_encoder', settings)
        self._context = False

    def encode(self, components: Any, depth: Optional[int] = None,
               info: Optional[Info] = None, chunks: Sequence[Tuple[int, bytes]] = (),
               areas: Sequence[Area] = (), attachment: bytes = b'') -> bytes:
        """A frame, as bytes. components: a list of arrays, or one array of a gray
        picture, of unsigned or signed integers or of binary16. They have
        __cuda_array_interface__ or DLPack's methods if they are in the memory of a GPU;
        the first such picture comes before any other, and samples have no bits above
        depth there. depth: bits of a sample; those of the arrays' type, if it is None.
        info: an Info that says more (colours, frame rate, ...); its size, depth and
        subsampling are filled in from the arrays. chunks: (type, bytes) each, which
        chunks() returns. areas: (x, y, width, height) each, none of them negative, which
        are coded finer than the rest by the setting roi_weight. attachment: bytes that
        attachment() returns."""
        info = info or Info()
        if getattr(components, 'ndim', None) == 2 or (
                not hasattr(components, '__len__') and cuda.is_cuda(components)):
            components = [components]
        on_gpu = len(components) > 0 and all(map(cuda.is_cuda, components))
        arrays = [cuda.view(component) if on_gpu else _host(component)
                  for component in components]
        self._describe(info, arrays, depth)
        image, copies = _allocate(info, 0)
        if on_gpu:
            cuda.point(image, arrays)
        else:
            _fill(copies, arrays, depth)
        frame, extras = _paco.PacoFrame(), self._extras(chunks, areas, bytes(attachment))
        with self.lock:
            if on_gpu and not self._context:
                self.use_context(arrays[0].context())
            _call('paco_frame_encoder_configure', self.handle, ctypes.byref(info))
            _call('paco_frame_encoder_encode', self.handle, ctypes.byref(image),
                  ctypes.byref(extras), ctypes.byref(frame))
            return _take(frame)

    def _describe(self, info: Info, arrays: Sequence[Array], depth: Optional[int]) -> None:
        """Says in info what the arrays are."""
        if not 1 <= len(arrays) <= COMPONENTS or any(
                len(array.shape) != 2 or array.dtype.kind not in KINDS or
                array.dtype.itemsize > 2 or 0 in array.shape for array in arrays):
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

    @staticmethod
    def _extras(chunks: Sequence[Tuple[int, bytes]], areas: Sequence[Area],
                attachment: bytes) -> _paco.PacoExtras:
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
                       (_paco.PacoFrameArea * len(areas))(*(
                           _paco.PacoFrameArea(*area) for area in areas)), len(areas),
                       ctypes.cast(ctypes.c_char_p(attachment), ctypes.c_void_p),
                       len(attachment))

    @staticmethod
    def _subsampling(whole: int, part: int) -> int:
        for log2 in range(3):
            if -(-whole >> log2) == part:
                return log2
        raise ValueError(f'A component of {part} lines or columns does not go with '
                         f'{whole} of the first one.')


from . import cuda  # noqa: E402
from .film import Film as Film  # noqa: E402
