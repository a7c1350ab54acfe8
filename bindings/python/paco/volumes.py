# SPDX-License-Identifier: LGPL-2.1-or-later
"""Chunks of n-dimensional arrays as PaCo frames, for zarr and numcodecs: a chunk becomes the
bytes of a .paco file. The last two dimensions are lines and columns (`components`: the last
three are lines, columns and components); for each index of the others there is a frame."""
import math
from typing import Any, Dict, List, Optional, Tuple

import numpy

from . import COMPONENTS, KINDS, Array, Decoder, Encoder, Info, PacoError, probe

MOST = 16384  # lines and columns of a picture

# Each chunk has a coder of its own, which takes less than a millisecond, with one thread:
# zarr works on several chunks at a time.
CODER: Dict[str, Any] = {'backend': 'cpu', 'threads': 1, 'pipeline_depth': 1}


def check(quality: Any, components: Any) -> None:
    if quality is not None and (isinstance(quality, bool) or not isinstance(quality, int)
                                or not 0 <= quality <= 100):
        raise ValueError(f'quality is 0 to 100, or None for lossless, and not {quality!r}.')
    if not isinstance(components, bool):
        raise ValueError(f'components is True or False, and not {components!r}.')


def check_array(shape: Tuple[int, ...], dtype: Any, components: bool) -> None:
    """Raises ValueError if chunks of this kind cannot be coded."""
    dtype = numpy.dtype(dtype)
    if dtype.kind not in KINDS or dtype.itemsize > 2:
        raise ValueError(f'PaCo codes uint8, uint16, int8, int16 and float16, not {dtype}.')
    if components and (len(shape) < 3 or shape[-1] > COMPONENTS):
        raise ValueError(f'With components, a chunk ends with at most {COMPONENTS} of them, '
                         f'after lines and columns; this one is {shape}.')
    if any(size > MOST for size in _parts(shape, components)[1:3]):
        raise ValueError(f'A chunk has at most {MOST} lines and columns, and not {shape}.')


def _parts(shape: Tuple[int, ...], components: bool) -> Tuple[int, int, int, int]:
    """How many frames, lines, columns and components a chunk has."""
    n = shape[-1] if components else 1
    picture = ((1, 1) + tuple(shape[:-1] if components else shape))[-2:]
    size = math.prod(picture) * n
    return math.prod(shape) // size if size else 0, picture[0], picture[1], n


def encode(array: Array, quality: Optional[int] = None, components: bool = False) -> bytes:
    """The bytes of a chunk; without a quality (0..100) it is lossless."""
    check_array(array.shape, array.dtype, components)
    pictures = array.reshape(_parts(array.shape, components))
    pictures = pictures.astype(pictures.dtype.newbyteorder('='), copy=False)
    settings: Dict[str, Any] = (
        {'rate_control': 'lossless'} if quality is None else {'quality': quality})
    with Encoder(**CODER, **settings) as encoder:
        return b''.join(encoder.encode([picture[..., c] for c in range(picture.shape[-1])])
                        for picture in pictures)


def _frames(data: Any) -> List[Tuple[Info, bytes]]:
    """The frames of a chunk, and what each of them is."""
    rest, found = memoryview(data).cast('B'), []
    while rest:
        info = probe(bytes(rest[:65536]))
        size = info.frame_size + info.attachment_size
        if size > len(rest):
            raise ValueError(f'A frame of {size} bytes is cut: {len(rest)} are there.')
        found.append((info, bytes(rest[:size])))
        rest = rest[size:]
    return found


def decode(data: Any, shape: Optional[Tuple[int, ...]] = None, dtype: Any = None,
           components: bool = False) -> Array:
    """The chunk again. ValueError if it is damaged, or none of this shape and type."""
    try:
        return _decode(_frames(data), shape, dtype, components)
    except PacoError as error:
        raise ValueError(f'This is no chunk that PaCo has coded: {error}') from error


def _decode(coded: List[Tuple[Info, bytes]], shape: Optional[Tuple[int, ...]], dtype: Any,
            components: bool) -> Array:
    if shape is None:
        if not coded:
            raise ValueError('There is no frame in the chunk.')
        info, _ = coded[0]
        parts = len(coded), info.height, info.width, info.n_components
        dtype = f'{KINDS[info.sample_kind[0]]}{1 if max(info.depth) <= 8 else 2}'
        shape = parts[:3] if parts[3] == 1 else parts
    else:
        parts = _parts(shape, components)
    if len(coded) != parts[0]:
        raise ValueError(f'The chunk has {len(coded)} frames instead of {parts[0]}.')
    # What a damaged header claims is compared before memory is allocated for it.
    for info, _ in coded:
        if (info.height, info.width, info.n_components) != parts[1:]:
            raise ValueError('A frame of the chunk has another size than the chunk.')
    out = numpy.empty(parts, numpy.dtype(dtype).newbyteorder('='))
    with Decoder(**CODER) as decoder:
        for picture, (_, data) in zip(out, coded):
            decoded = decoder.decode(data)
            if decoder.result.corrupted_blocks:
                raise ValueError('A frame of the chunk is damaged.')
            for c, samples in enumerate(decoded):
                if samples.dtype != out.dtype or samples.shape != picture.shape[:2]:
                    raise ValueError('The samples of the chunk are of another type.')
                picture[..., c] = samples
    return out.reshape(shape)
