# SPDX-License-Identifier: LGPL-2.1-or-later
"""The codec "paco" of zarr's format 3, the serializer of an array:
zarr.create_array(..., serializer=paco.zarr.PaCo(), compressors=None)."""
import asyncio
from dataclasses import dataclass
from typing import Any, Dict, Optional

from zarr.abc.codec import ArrayBytesCodec
from zarr.core.common import parse_named_configuration
from zarr.registry import register_codec

from . import volumes


@dataclass(frozen=True)
class PaCo(ArrayBytesCodec):
    """quality: 0..100, or None for lossless. components: the last dimension of a chunk is
    the components of pictures."""
    is_fixed_size = False
    quality: Optional[int] = None
    components: bool = False

    def __post_init__(self) -> None:
        volumes.check(self.quality, self.components)

    @classmethod
    def from_dict(cls, data: Any) -> 'PaCo':
        _, settings = parse_named_configuration(data, 'paco', require_configuration=False)
        return cls(**(settings or {}))  # type: ignore[arg-type]

    def to_dict(self) -> Dict[str, Any]:
        return {'name': 'paco', 'configuration': {
            'quality': self.quality, 'components': self.components}}

    def validate(self, *, shape: Any, dtype: Any, chunk_grid: Any) -> None:
        size = getattr(chunk_grid, 'chunk_shape', shape)
        volumes.check_array(size, dtype.to_native_dtype(), self.components)

    async def _decode_single(self, chunk_bytes: Any, chunk_spec: Any) -> Any:
        return chunk_spec.prototype.nd_buffer.from_ndarray_like(await asyncio.to_thread(
            volumes.decode, chunk_bytes.as_numpy_array(), chunk_spec.shape,
            chunk_spec.dtype.to_native_dtype(), self.components))

    async def _encode_single(self, chunk_array: Any, chunk_spec: Any) -> Any:
        return chunk_spec.prototype.buffer.from_bytes(await asyncio.to_thread(
            volumes.encode, chunk_array.as_numpy_array(), self.quality, self.components))

    def compute_encoded_size(self, input_byte_length: int, chunk_spec: Any) -> int:
        raise NotImplementedError


register_codec('paco', PaCo)
