#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""kaitai.py PACO: reads the golden streams, and an archive of a picture, by
docs/registration/paco.ksy alone, and compares the fields with those of
tests/codec/format/ and of the program PACO. It interprets the part of Kaitai's language
that the description uses, and refuses a key that it does not know."""
import glob
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import yaml
except ImportError:
    print('python3-yaml is not installed')
    sys.exit(77)

ROOT = os.environ['PACO_SOURCE_ROOT']
sys.path.insert(0, f'{ROOT}/tests/codec/format')
# pylint: disable=wrong-import-position
from ancillary import Bytes  # noqa: E402
from header import read_header, split  # noqa: E402
from index import places_of_blocks  # noqa: E402

with open(f'{ROOT}/docs/registration/paco.ksy', encoding='utf-8') as file:
    KSY = yaml.safe_load(file)
KEYS = {'id', 'type', 'size', 'size-eos', 'repeat', 'repeat-expr', 'if', 'enum', 'valid',
        'contents', 'encoding', 'doc'}
NUMBERS = {'u1': 'B', 'u2': 'H', 'u4': 'I', 'u8': 'Q', 's4': 'i', 's8': 'q', 'f4': 'f', 'f8': 'd'}


class Stream(Bytes):
    @property
    def eof(self):
        return not self.data

    def take(self, size):
        assert 0 <= size <= len(self.data), f'{size} bytes of {len(self.data)}'
        taken, self.data = self.data[:size], self.data[size:]
        return taken


class Items(list):
    size = property(len)
    last = property(lambda self: self[-1])


class Node:
    """A structure; what an expression names is one of its attributes."""

    def __init__(self, kind, stream, parent, arguments=()):
        self._description = KSY['types'][kind] if kind != 'paco' else KSY
        self._io, self._parent, self._index = stream, parent, 0
        for parameter, argument in zip(self._description.get('params', ()), arguments):
            setattr(self, parameter['id'], argument)
        for field in self._description['seq']:
            assert field.keys() <= KEYS, field
            if self.evaluate(field.get('if', True)):
                setattr(self, field['id'], self.repeated(field))

    def __getattr__(self, name):
        instances = self._description.get('instances', {})
        if name not in instances:
            raise AttributeError(name)
        return self.evaluate(instances[name]['value'])

    def __getitem__(self, name):
        try:
            return getattr(self, name)
        except AttributeError:
            raise KeyError(name) from None

    def evaluate(self, expression):
        text = re.sub(r'(\w+)::(\w+)', r'"\2"', str(expression))
        text = re.sub(r'\.as<\w+>', '', text)
        text = re.sub(r'^(.*) \? (.*) : (.*)$', r'(\2) if (\1) else (\3)', text)
        return eval(text, {}, self)  # pylint: disable=eval-used

    def repeated(self, field):
        if 'repeat' not in field:
            return self.one(field)
        items = Items()
        setattr(self, field['id'], items)
        while (not self._io.eof if field['repeat'] == 'eos'
               else len(items) < self.evaluate(field['repeat-expr'])):
            self._index = len(items)
            items.append(self.one(field))
        return items

    def one(self, field):
        kind, stream, sized = field.get('type'), self._io, False
        if 'contents' in field:
            assert stream.take(len(field['contents'])) == field['contents'].encode()
            return field['contents']
        if 'size' in field or 'size-eos' in field:
            sized = True
            stream = Stream(stream.take(self.evaluate(field['size'])
                                        if 'size' in field else len(stream.data)))
        if isinstance(kind, dict):
            on = self.evaluate(kind['switch-on'])
            kind = {case.split('::')[1]: name for case, name in kind['cases'].items()}.get(on)
        if kind in NUMBERS:
            value = stream.numbers(NUMBERS[kind])[0]
            assert field.get('valid', value) == value, field
            return KSY['enums'][field['enum']].get(value, value) if 'enum' in field else value
        if kind is None:
            return stream.data
        if kind in ('str', 'strz'):
            return stream.data.split(b'\0')[0].decode(field['encoding'])
        name, arguments = re.fullmatch(r'(\w+)(?:\((.*)\))?', kind.strip()).groups()
        value = Node(name, stream, self, [self.evaluate(argument) for argument
                                          in (arguments or '').split(', ') if argument])
        assert not sized or stream.eof, f'{name}: {len(stream.data)} bytes are left over'
        return value

    def leaves(self):
        """Yields the values of all fields, but for numbers of what follows."""
        for field in self._description['seq']:
            value = self.__dict__.get(field['id'])
            for item in value if isinstance(value, Items) else [value]:
                if isinstance(item, Node):
                    yield from item.leaves()
                elif item is not None and not field['id'].startswith(('len_', 'num_')) \
                        and field.get('enum') != 'value_kind':
                    yield item


def flat(value):
    if isinstance(value, (tuple, list)):
        for item in value:
            yield from flat(item)
    else:
        yield value


def check_frame(frame, data):
    header = frame.header
    read = read_header(data)
    chunks = read.chunks
    assert len(frame.index.records) == len(list(places_of_blocks(read)))
    assert frame.payload == data[read.header_size + read.index_size:
                                 len(data) - read.attachment[0]]
    ancillary = iter(chunks.get('ancillary', ()))
    for chunk in header.chunks.entries:
        body = chunk.body
        if isinstance(chunk.kind, int) or 'source' in chunk.kind or 'of_files' in chunk.kind:
            next(ancillary)
            continue
        number = {name: n for n, name in KSY['enums']['chunk_kind'].items()}[chunk.kind]
        if number in range(7, 256):
            expected = list(flat(next(ancillary)))[1:]
            found = list(body.leaves()) if isinstance(body, Node) else [body]
            assert found[found[0] == 0 and chunk.kind == 'active_format':] == expected, found
        else:
            assert isinstance(body, Node) or body == chunks[number]
    assert next(ancillary, None) is None
    assert len(frame.attachment) == header.chunks.num_attached


def check_stream(tool, path):
    data = pathlib.Path(path).read_bytes()
    frames = Node('paco', Stream(data), None).frames
    for frame, part in zip(frames, split(data)):
        check_frame(frame, part)
    told, = json.loads(subprocess.check_output([tool, 'info', '--json', path]))
    header = frames[0].header
    assert told['frames'] == len(frames)
    assert (told['width'], told['height']) == (header.width, header.height), path
    for name in 'pixel_aspect_ratio', 'frame_rate':
        assert told[name] == list(header[name].leaves()), path
    if 'slice' not in (chunk.kind for chunk in header.chunks.entries):
        assert told['depth'] == [component.depth for component in header.components], path
        assert told['format'] == header.raw_format, path
    return frames


def check_archive(tool):
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f'{folder}/in')
        picture = b'P5 70 9 255\n' + bytes(70 * 9)
        pathlib.Path(f'{folder}/in/a.pgm').write_bytes(picture)
        subprocess.check_call([tool, 'archive', '-q', f'{folder}/in', f'{folder}/out.paco'])
        frame, = check_stream(tool, f'{folder}/out.paco')
    chunks = {chunk.kind: chunk.body for chunk in frame.header.chunks.entries}
    source = chunks['source_file']
    assert (source.kind, source.file_size, source.name) == ('pnm', len(picture), 'a.pgm')
    assert chunks['number_of_files'].files == 1


def main():
    paths = glob.glob(f'{ROOT}/tests/golden/*.paco')
    kinds = set()
    for path in sorted(paths):
        for frame in check_stream(sys.argv[1], path):
            kinds |= {chunk.kind for chunk in frame.header.chunks.entries}
    check_archive(sys.argv[1])
    print(f'{len(paths)} streams, chunks: {sorted(map(str, kinds))}')
    assert paths


main()
