# SPDX-License-Identifier: LGPL-2.1-or-later
"""Components of pictures in the memory of a GPU: what encoders take by
__cuda_array_interface__ or DLPack, and what decoders give. Without CuPy or PyTorch, by the
driver's library alone."""
import ctypes
from ctypes import byref, c_int, c_int32, c_int64, c_size_t, c_uint8, c_uint16, c_uint64, c_void_p
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy

from . import _paco

CUDA = 2  # kDLCUDA of DLPack
POINTER_CONTEXT = 1  # CU_POINTER_ATTRIBUTE_CONTEXT
LEGACY_STREAM = 1  # CU_STREAM_LEGACY, also of both protocols
DLPACK_KINDS = 'iuf'


class CudaError(RuntimeError):
    """A function of the driver has failed, or there is no driver."""


class Driver:
    """libcuda.so.1, when something of it is needed."""
    library: Optional[ctypes.CDLL] = None
    contexts: Dict[int, int] = {}  # by device; kept until the process ends

    @classmethod
    def call(cls, name: str, *arguments: Any) -> None:
        if cls.library is None:
            try:
                library = ctypes.CDLL('libcuda.so.1')
            except OSError as error:
                raise CudaError(f'There is no driver for NVIDIA GPUs: {error}.') from error
            if library.cuInit(0):
                raise CudaError('The driver for NVIDIA GPUs does not start.')
            cls.library = library
        status = getattr(cls.library, name)(*arguments)
        if status:
            raise CudaError(f'{name}() of the driver failed with error {status}.')


def primary_context(device: int) -> int:
    """The context (CUcontext) of a GPU in which CuPy and PyTorch work."""
    if device not in Driver.contexts:
        context, handle = c_void_p(), c_int()
        Driver.call('cuDeviceGet', byref(handle), c_int(device))
        Driver.call('cuDevicePrimaryCtxRetain', byref(context), handle)
        Driver.contexts[device] = context.value or 0
    return Driver.contexts[device]


class InContext:
    """Makes a context current: with InContext(context): ..."""

    def __init__(self, context: int) -> None:
        self.context = context

    def __enter__(self) -> None:
        Driver.call('cuCtxPushCurrent_v2', c_void_p(self.context))

    def __exit__(self, *_: object) -> None:
        Driver.call('cuCtxPopCurrent_v2', byref(c_void_p()))


class CudaArray:
    """Samples of a component in the memory of a GPU, lines without gaps. cupy.asarray()
    and torch.as_tensor() take it, and torch.from_dlpack(); numpy() copies it."""

    def __init__(self, device: int, shape: Tuple[int, ...], dtype: Any) -> None:
        self.device, self.shape, self.dtype = device, shape, numpy.dtype(dtype)
        self.nbytes = self.dtype.itemsize * int(numpy.prod(shape))
        memory = c_uint64()
        with InContext(primary_context(device)):
            Driver.call('cuMemAlloc_v2', byref(memory), c_size_t(self.nbytes))
        self.pointer = memory.value

    def __del__(self) -> None:
        if getattr(self, 'pointer', 0):
            with InContext(primary_context(self.device)):
                Driver.call('cuMemFree_v2', c_uint64(self.pointer))

    @property
    def __cuda_array_interface__(self) -> Dict[str, Any]:
        return {'shape': self.shape, 'typestr': self.dtype.str, 'strides': None,
                'data': (self.pointer, False), 'version': 3, 'stream': None}

    def __dlpack_device__(self) -> Tuple[int, int]:
        return CUDA, self.device

    def __dlpack__(self, *, stream: Any = None, **_: Any) -> Any:
        """Decoding is over when there is an array, so no stream has to wait."""
        return export(self)

    def numpy(self) -> Any:
        array = numpy.empty(self.shape, self.dtype)
        with InContext(primary_context(self.device)):
            Driver.call('cuMemcpyDtoH_v2', c_void_p(array.ctypes.data),
                        c_uint64(self.pointer), c_size_t(self.nbytes))
        return array


def allocate(device: int, image: _paco.PacoImage,
             arrays: Sequence[Any]) -> Tuple[_paco.PacoImage, List[CudaArray]]:
    """Has an image lie in new arrays in a GPU's memory."""
    ours = [CudaArray(device, array.shape, array.dtype) for array in arrays]
    for c, array in enumerate(ours):
        image.data[c] = array.pointer
    image.where = _paco.PACO_IN_CUDA_MEMORY
    return image, ours


# --- arrays of others --------------------------------------------------------------------

class View:
    """Where somebody else's array lies."""

    def __init__(self, owner: Any, pointer: int, shape: Tuple[int, ...], dtype: Any,
                 strides: Optional[Tuple[int, ...]], stream: Optional[int]) -> None:
        self.owner, self.pointer, self.shape, self.stream = owner, pointer, shape, stream
        self.dtype = numpy.dtype(dtype)
        words = self.dtype.itemsize
        self.stride = strides[0] if strides else words * (shape[-1] if shape else 0)
        if strides and len(shape) == 2 and shape[1] > 1 and strides[1] != words:
            raise ValueError('The samples of a line must lie one after the other in the '
                             'memory of a GPU: copy the array to a contiguous one.')
        if self.dtype.byteorder == '>':
            raise ValueError('Samples in the memory of a GPU must be little-endian.')

    def context(self) -> int:
        found = c_void_p()
        Driver.call('cuPointerGetAttribute', byref(found), c_int(POINTER_CONTEXT),
                    c_uint64(self.pointer))
        return found.value or 0


def is_cuda(thing: Any) -> bool:
    # PyTorch raises an AttributeError here if a tensor is on the CPU.
    return hasattr(thing, '__cuda_array_interface__') or (
        hasattr(thing, '__dlpack_device__') and thing.__dlpack_device__()[0] == CUDA)


def view(thing: Any) -> View:
    """Where an array is of which is_cuda() is true. It is kept alive by the result."""
    if not hasattr(thing, '__cuda_array_interface__'):
        return from_dlpack(thing.__dlpack__(stream=LEGACY_STREAM))
    what = thing.__cuda_array_interface__
    return View(thing, what['data'][0], tuple(what['shape']), what['typestr'],
                what.get('strides'), what.get('stream'))


def point(image: _paco.PacoImage, views: Sequence[View]) -> None:
    """Has an image lie where the arrays are."""
    for c, part in enumerate(views):
        lines, columns = part.shape
        image.data[c], image.stride[c] = part.pointer, part.stride
        image.size[c] = abs(part.stride) * (lines - 1) + columns * part.dtype.itemsize
    streams = {part.stream for part in views} - {None}
    if len(streams) > 1:
        raise ValueError('The components of a picture are on different CUDA streams.')
    image.where = _paco.PACO_IN_CUDA_MEMORY
    image.stream = streams.pop() if streams else None


# --- DLPack ------------------------------------------------------------------------------

class Tensor(ctypes.Structure):
    """DLManagedTensor, which begins with a DLTensor."""
    _fields_ = [('data', c_void_p), ('device_type', c_int32), ('device', c_int32),
                ('ndim', c_int32), ('code', c_uint8), ('bits', c_uint8), ('lanes', c_uint16),
                ('shape', ctypes.POINTER(c_int64)), ('strides', ctypes.POINTER(c_int64)),
                ('byte_offset', c_uint64), ('context', c_void_p), ('deleter', c_void_p)]


_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [c_void_p, ctypes.c_char_p, c_void_p]
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = c_void_p, [ctypes.py_object, ctypes.c_char_p]
# A capsule that is being freed must not become an object of Python again.
_is_valid = ctypes.PYFUNCTYPE(c_int, c_void_p, ctypes.c_char_p)(
    ('PyCapsule_IsValid', ctypes.pythonapi))
_freed_pointer = ctypes.PYFUNCTYPE(c_void_p, c_void_p, ctypes.c_char_p)(
    ('PyCapsule_GetPointer', ctypes.pythonapi))
_lent: Dict[int, Any] = {}  # what tensors of others need, by the tensors' addresses


def _delete(address: int) -> None:
    _lent.pop(address, None)


def _drop_capsule(capsule: int) -> None:
    """Frees what nobody has taken out of the capsule."""
    if _is_valid(capsule, b'dltensor'):
        _delete(_freed_pointer(capsule, b'dltensor'))


_DELETE, _DROP = map(ctypes.PYFUNCTYPE(None, c_void_p), (_delete, _drop_capsule))


def export(array: CudaArray) -> Any:
    """A capsule that keeps the array."""
    shape = (c_int64 * 2)(*array.shape)
    strides = (c_int64 * 2)(array.shape[1], 1)
    tensor = Tensor(array.pointer, CUDA, array.device, 2,
                    DLPACK_KINDS.index(array.dtype.kind), 8 * array.dtype.itemsize, 1, shape,
                    strides, 0, None, ctypes.cast(_DELETE, c_void_p))
    address = ctypes.addressof(tensor)
    _lent[address] = array, tensor, shape, strides
    return _new(address, b'dltensor', ctypes.cast(_DROP, c_void_p))


def from_dlpack(capsule: Any) -> View:
    """The capsule frees the tensor itself, because its name does not change."""
    tensor = Tensor.from_address(_pointer(capsule, b'dltensor'))
    if tensor.lanes != 1 or tensor.code >= len(DLPACK_KINDS):
        raise ValueError('The type of a DLPack tensor is none that samples have.')
    size = tensor.bits // 8
    shape = tuple(tensor.shape[:tensor.ndim])
    strides = tuple(size * step for step in tensor.strides[:tensor.ndim]) \
        if tensor.strides else None
    return View(capsule, (tensor.data or 0) + tensor.byte_offset, shape,
                f'{DLPACK_KINDS[tensor.code]}{size}', strides, LEGACY_STREAM)
