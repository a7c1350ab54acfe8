# SPDX-License-Identifier: LGPL-2.1-or-later
"""napari's reader of .paco files. Pictures are decoded when they are shown."""
import os
from typing import Any, Callable, List, Optional, Tuple

import numpy

from . import Film, PacoError, probe

Layers = List[Tuple[Any, dict[str, Any], str]]


class Lazy:
    """Component c of the pictures of a film (c None: all of them, as colors), as an array
    of pictures x height x width."""

    def __init__(self, film: Film, c: Optional[int]) -> None:
        self.film, self.c = film, c
        first = self._picture(0)
        self.dtype = first.dtype
        self.shape = (len(film), *first.shape)
        self.ndim = len(self.shape)
        self.size = int(numpy.prod(self.shape))

    def _picture(self, number: int) -> Any:
        picture = self.film[number]
        return numpy.stack(picture, -1) if self.c is None else picture[self.c]

    def __getitem__(self, key: Any) -> Any:
        number, rest = (key[0], key[1:]) if isinstance(key, tuple) else (key, ())
        if isinstance(number, slice):
            numbers = range(*number.indices(self.shape[0]))
            return numpy.stack([self._picture(i) for i in numbers])[(slice(None), *rest)]
        return self._picture(int(number))[rest]

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return numpy.asarray(self[:], dtype)


def read(path: Any) -> Layers:
    layers: Layers = []
    for name in path if isinstance(path, list) else [path]:
        film = Film(name)
        info = probe(film.reader[0])
        stem = os.path.splitext(os.path.basename(name))[0]
        # Matrix 1 says that components are red, green and blue.
        if info.n_components >= 3 and info.matrix == 1 and not info.mosaic:
            top = (1 << info.depth[0]) - 1
            layers.append((Lazy(film, None), {
                'name': stem, 'rgb': True, 'contrast_limits': (0, top)}, 'image'))
            continue
        for c in range(info.n_components):
            scale = 1, 1 << info.subsampling_y[c], 1 << info.subsampling_x[c]
            layers.append((Lazy(film, c), {
                'name': stem if info.n_components == 1 else f'{stem} {c}', 'scale': scale,
                'visible': c == 0}, 'image'))
    return layers


def get_reader(path: Any) -> Optional[Callable[[Any], Layers]]:
    """None if a file is not PaCo."""
    try:
        for name in path if isinstance(path, list) else [path]:
            with open(name, 'rb') as file:
                probe(file.read(65536))
    except (OSError, PacoError):
        return None
    return read
