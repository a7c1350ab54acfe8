# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures of a file by their numbers, also those of stacks."""
import operator
from typing import Any, Dict, List, Union, overload

from . import Array, Decoder, Path, Reader, probe


class Film:
    """The pictures of a .paco file: Film('film.paco', reduce=1)[10:20]. Each is a list of
    arrays, as Decoder.decode() gives it. Settings are those of Decoder."""

    def __init__(self, path: Path, **settings: Any) -> None:
        self.reader, self.decoder = Reader(path), Decoder(slices=True, **settings)
        self._stack: Dict[int, List[Array]] = {}

    def __len__(self) -> int:
        return len(self.reader)

    @overload
    def __getitem__(self, number: int) -> List[Array]: ...

    @overload
    def __getitem__(self, number: slice) -> List[List[Array]]: ...

    def __getitem__(self, number: Union[int, slice]) -> Any:
        """IndexError also for a picture that is damaged."""
        if isinstance(number, slice):
            return [self[i] for i in range(*number.indices(len(self)))]
        n_pictures = len(self)
        if not -n_pictures <= operator.index(number) < n_pictures:
            raise IndexError(f'There are {n_pictures} pictures, and no {number}.')
        number %= n_pictures
        with self.reader.lock:
            if number not in self._stack:
                data = self.reader[number]
                if probe(data).stack_length == 0:
                    return self.decoder.decode(data)
                self._read_stack(number, data)
            return self._stack[number]

    def _read_stack(self, number: int, data: bytes) -> None:
        """Keeps the pictures of a stack: pictures mostly come in their order. Frames that
        are damaged may have numbers or not, as their file says."""
        slices, n_frames = {number: data}, len(self)
        for step in -1, 1:
            last, i = probe(data), number
            while 0 <= last.stack_position + step < last.stack_length and \
                    0 <= i + step < n_frames:
                i += step
                try:
                    slices[i] = self.reader[i]
                except IndexError:
                    continue
                info = probe(slices[i])
                if (info.stack_length, info.stack_number) != (
                        last.stack_length, last.stack_number) or (
                        info.stack_position - last.stack_position) * step <= 0:
                    del slices[i]
                    break
                last = info
        numbers = sorted(slices)
        try:
            pictures = list(self.decoder.pictures(slices[i] for i in numbers))
        except ValueError as error:
            raise IndexError(str(error)) from error
        self._stack = {i: pictures[probe(slices[i]).stack_position] for i in numbers}

    def close(self) -> None:
        self.reader.close()
        self.decoder.close()

    def __enter__(self) -> 'Film':
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
