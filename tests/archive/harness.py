# SPDX-License-Identifier: LGPL-2.1-or-later
"""Helps the tests of the tool's commands archive and restore: running the tool,
making folders of pictures, and running tests of a module, as TAP."""
import os
import pathlib
import random
import signal
import struct
import subprocess
import sys
import tempfile
import traceback
import zlib

PACO = os.environ.get('PACO_TOOL') or os.path.join(
    os.environ.get('PACO_BUILD_ROOT', 'build'), 'tool', 'paco')
SEED = int(os.environ.get('PACO_SEED', random.randrange(1 << 30)))
DONE, FAILED, USAGE, DAMAGE, INTERRUPTED = 0, 1, 2, 3, 130


def paco(*arguments, **options):
    """Returns (exit code, standard output, standard error) of the tool."""
    options.setdefault('timeout', 120)
    run = subprocess.run([PACO, *map(os.fspath, arguments)], capture_output=True,
                         check=False, **options)
    return (run.returncode, run.stdout.decode('utf-8', 'surrogateescape'),
            run.stderr.decode('utf-8', 'surrogateescape'))


def expect(code, *arguments, says='', **options):
    """Runs the tool, which has to end with that code and say that. An error is one
    line that begins with the tool's name."""
    status, out, err = paco(*arguments, **options)
    assert status == code, (arguments, status, out, err)
    if code not in (DONE,):
        assert err.count('\n') == 1 and err.startswith('paco '), err
    assert says in err + out, (says, err, out)
    return out + err


def picture(kind=6, width=48, height=32, maxval=255, behind=b'', comment=b''):
    """Makes a PNM or PAM file of noise over a ramp."""
    n = {5: 1, 6: 3, 7: 4}[kind]
    size = 2 if maxval > 255 else 1
    samples = bytearray()
    for y in range(height):
        noise = random.choices(range(1 + maxval // 16), k=width * n)
        samples += struct.pack(f'>{width * n}{"BH"[size - 1]}', *(
            (3 * x + 5 * y + noise[x]) % (maxval + 1) for x in range(width * n)))
    if kind == 7:
        head = (f'P7\nWIDTH {width}\nHEIGHT {height}\nDEPTH {n}\nMAXVAL {maxval}\n'
                'TUPLTYPE RGB_ALPHA\nENDHDR\n').encode()
    else:
        head = b'P%d\n%s%d %d\n%d\n' % (kind, comment, width, height, maxval)
    return head + bytes(samples) + behind


def chunk(kind, data):
    """A chunk of a PNG file."""
    return (struct.pack('>I', len(data)) + kind + data
            + struct.pack('>I', zlib.crc32(kind + data)))


def sequence(folder, n=6, first=1, name='shot.{:04}.ppm', **like):
    """Makes a folder of n pictures."""
    os.makedirs(folder, exist_ok=True)
    for i in range(first, first + n):
        (pathlib.Path(folder) / name.format(i)).write_bytes(picture(**like))
    return folder


def same(a, b):
    """Fails unless both folders have the same files."""
    subprocess.run(['diff', '-r', os.fspath(a), os.fspath(b)], check=True)


def frames(path):
    """Returns the bytes of each frame of a .paco file."""
    data, at, found = pathlib.Path(path).read_bytes(), 0, []
    while at < len(data):
        assert data[at:at + 4] == b'PACO', at
        size = int.from_bytes(data[at + 8:at + 12], 'little')
        found.append(data[at:at + size])
        at += size
    return found


class Frame:
    """A frame taken apart, whose parts tests change; bytes() puts it together again with
    right sizes and checks (FORMAT.md 3, 3.1 and 3.2)."""

    def __init__(self, data):
        header, size, index = struct.unpack_from('<HII', data, 6)
        fixed = 72 + 4 * data[64] + 2 * data[64] * (3 * data[66] + 1)
        self.head, self.chunks, at = bytearray(data[:fixed]), [], fixed
        while at < header - 4:
            kind, n = struct.unpack_from('<HH', data, at)
            self.chunks.append([kind, bytearray(data[at + 4:at + 4 + n])])
            at += 4 + n
        attached = sum(struct.unpack_from('<I', chunk)[0] for kind, chunk in self.chunks
                       if kind == 256)
        self.index = data[header:header + index]
        self.payload = data[header + index:size - attached]
        self.attachment = data[size - attached:size]

    def chunk(self, kind):
        return b''.join(data for found, data in self.chunks if found == kind)

    def put(self, kind, data):
        """Puts a chunk in the place of all of its kind; None removes them."""
        self.chunks = [c for c in self.chunks if c[0] != kind]
        if data is not None:
            self.chunks.insert(0, [kind, bytearray(data)])

    def rest(self):
        return zlib.decompress(self.chunk(13) or self.attachment)

    def keep(self, name=None, kind=None, size=None, rest=None, xxh3=None):
        """Changes what is kept of the source file. rest is attached if it is long."""
        file = bytearray(self.chunk(12))
        if kind is not None:
            file[0] = kind
        if size is not None:
            struct.pack_into('<Q', file, 2, size)
        if xxh3 is not None:
            file[14:30] = xxh3
        if name is not None:
            file[30:] = name
        if rest is not None:
            struct.pack_into('<I', file, 10, len(rest))
            self.keep_compressed(zlib.compress(rest, 9))
        self.put(12, file)
        return self

    def keep_compressed(self, rest):
        self.put(13, None)
        self.put(256, None)
        self.attachment = b''
        if len(rest) <= 30000:
            self.put(13, rest)
        else:
            self.attachment = rest
            self.chunks.append([256, bytearray(8)])

    def __bytes__(self):
        chunks = b''
        for kind, data in self.chunks:
            if kind == 256:
                data = struct.pack('<II', len(self.attachment), zlib.crc32(self.attachment))
            chunks += struct.pack('<HH', kind, len(data)) + data
        header = len(self.head) + len(chunks) + 4
        size = header + len(self.index) + len(self.payload) + len(self.attachment)
        head = bytearray(self.head)
        struct.pack_into('<HIII', head, 6, header, size, len(self.index),
                         zlib.crc32(self.index))
        head += chunks
        return (bytes(head) + struct.pack('<I', zlib.crc32(head)) + self.index + self.payload
                + self.attachment)

    @staticmethod
    def write(path, found):
        """Writes frames, each with the place that it has then."""
        out = b''
        for number, frame in enumerate(found):
            frame.put(4, struct.pack('<IQ', number, len(out)))
            out += bytes(frame)
        pathlib.Path(path).write_bytes(out)


def main(module):
    """Runs the functions test_*() of the module, or those that the arguments name."""
    random.seed(SEED)
    # A shell has its jobs in the background ignore it, and so would their children.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    print(f'# PACO_SEED={SEED}')
    wanted = sys.argv[1:]
    tests = [(name[5:], run) for name, run in module.items()
             if name.startswith('test_') and (not wanted or name[5:] in wanted)]
    print(f'1..{len(tests)}')
    failed = 0
    for number, (name, run) in enumerate(tests, 1):
        with tempfile.TemporaryDirectory(prefix='paco-archive-') as folder:
            try:
                run(pathlib.Path(folder))
                print(f'ok {number} - {name}', flush=True)
            except Exception:  # pylint: disable=broad-except
                failed += 1
                for line in traceback.format_exc().splitlines():
                    print(f'# {line}')
                print(f'not ok {number} - {name}', flush=True)
    return 1 if failed else 0
