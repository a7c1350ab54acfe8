#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""build.py [--check]: makes docs/player.html of player.html, the scripts in this folder, and the
reference decoder, which Clang 14 compiles to WebAssembly. The page ends with a checksum of
these sources. --check compares it, and fails if the page is of other ones."""
import base64
import gzip
import hashlib
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
DECODER = ROOT / 'codec/reference/decoder'
SETS = ROOT / 'codec/tables/sets.inc'
PAGE = ROOT / 'docs/player.html'


def sources():
    """All files that the page is made of."""
    here = [HERE / name for name in ('build.py', 'demux.js', 'player.html', 'player.js', 'wasm.c',
                                     'worker.js')]
    libc = sorted((HERE / 'libc').glob('*.h'))
    decoder = sorted(path for path in DECODER.glob('*.[ch]') if path.name != 'paco-to-pnm.c')
    return here + libc + decoder + [SETS]


def checksum():
    whole = hashlib.sha256()
    for path in sources():
        whole.update(path.read_bytes())
    return f'<!-- sources: SHA-256 {whole.hexdigest()} -->\n'


def wasm():
    """The decoder's module. It needs no C library but what wasm.c has, so that Emscripten is not
    needed either."""
    with tempfile.TemporaryDirectory() as tmp:
        out = pathlib.Path(tmp) / 'paco.wasm'
        subprocess.run(['clang-14', '--target=wasm32', '-std=gnu11', '-O2', '-ffreestanding',
                        '-ffp-contract=off', '-mbulk-memory', '-nostdlib', '-Wall', '-Wextra',
                        '-Werror', '-I', HERE / 'libc', '-I', DECODER, '-I', SETS.parent,
                        HERE / 'wasm.c', DECODER / 'paco-decoder.c', '-Wl,--no-entry',
                        '-Wl,--strip-all', '-Wl,-z,stack-size=1048576', '-o', out], check=True)
        return out.read_bytes()


def build():
    text = (HERE / 'player.html').read_text()
    scripts = {name: (HERE / f'{name}.js').read_bytes() for name in ('worker', 'demux', 'player')}
    for name, part in {'WASM': wasm(), 'WORKER': scripts['worker'],
                       'PLAYER': scripts['demux'] + scripts['player']}.items():
        packed = base64.b64encode(gzip.compress(part, 9, mtime=0)).decode()
        text = text.replace(f'@{name}@', packed)
    PAGE.write_text(text + checksum())


if sys.argv[1:] == ['--check']:
    if not PAGE.read_text().endswith(checksum()):
        sys.exit('docs/player.html is of other sources: run bindings/browser/build.py')
else:
    build()
