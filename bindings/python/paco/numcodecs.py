# SPDX-License-Identifier: LGPL-2.1-or-later
"""The codec "paco" of numcodecs, which is the compressor of an array of zarr's format 2."""
from typing import Any, Optional

import numcodecs.abc  # type: ignore[import-untyped]
import numcodecs.compat  # type: ignore[import-untyped]
import numcodecs.registry  # type: ignore[import-untyped]
import numpy

from . import volumes


class PaCo(numcodecs.abc.Codec):  # type: ignore[misc]
    """quality: 0..100, or None for lossless. components: the last dimension of a chunk is
    the components of pictures."""
    codec_id = 'paco'

    def __init__(self, quality: Optional[int] = None, components: bool = False) -> None:
        volumes.check(quality, components)
        self.quality, self.components = quality, components

    def encode(self, buf: Any) -> bytes:
        return volumes.encode(numcodecs.compat.ensure_ndarray(buf), self.quality,
                             self.components)

    def decode(self, buf: Any, out: Any = None) -> Any:
        data = numcodecs.compat.ensure_contiguous_ndarray(buf).view('u1')
        array = volumes.decode(data, components=self.components)
        return array if out is None else numcodecs.compat.ndarray_copy(
            numpy.ascontiguousarray(array), out)


numcodecs.registry.register_codec(PaCo)
