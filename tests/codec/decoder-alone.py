#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""decoder-alone.py ROOT: makes one file of the reference decoder, compiles it without
anything of this project, by each compiler that is there, as C99 and as C++, and tries it
under the sanitizers: the golden streams are decoded to their samples, no allocation that
fails and no damage crashes it."""
import hashlib
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1])
HERE = ROOT / 'tests/codec'
DECODER = ROOT / 'codec/reference/decoder'
GOLDEN = ROOT / 'tests/golden'
STRICT = ['-pedantic', '-Wall', '-Wextra', '-Wshadow', '-Wconversion', '-Wno-sign-conversion',
          '-Werror']
SEED = int(os.environ.get('PACO_SEED', random.randrange(1 << 30)))
SHARE = float(os.environ.get('PACO_CASES', '10%').rstrip('%')) / 100


def run(*command, **options):
    done = subprocess.run([os.fspath(part) for part in command], capture_output=True, check=False,
                          **options)
    if done.returncode:
        sys.exit(f'{command} ended with {done.returncode}:\n{done.stderr.decode()[:3000]}')
    return done.stdout


def compile_everywhere(folder):
    """Compiles the decoder and its example by all compilers."""
    n = 0
    for compiler, dialect in [('gcc', '-std=c99'), ('clang', '-std=c99'), ('g++', '-std=c++11'),
                              ('clang++', '-std=c++11')]:
        if shutil.which(compiler):
            language = ['-x', 'c++'] if '++' in compiler else []
            run(compiler, *language, dialect, *STRICT, '-O1', folder / 'paco-decoder.c',
                folder / 'paco-to-pnm.c', '-lm', '-o', folder / 'paco-to-pnm')
            n += 1
    return n


def check_samples(program):
    """Compares what golden streams are decoded to with components.md5."""
    expected = {}
    for line in (GOLDEN / 'components.md5').read_text().splitlines():
        if not line.startswith('#'):
            name, number, levels, md5 = line.split(maxsplit=3)
            expected.setdefault((name, levels), {})[int(number)] = md5.split()
    for (name, levels), pictures in expected.items():
        out, at, sums = run(program, 'samples', GOLDEN / f'{name}.paco', levels), 0, []
        while at < len(out):
            end = out.index(b'\n', at)
            size = int(out[at:end])
            sums.append(hashlib.md5(out[end + 1:end + 1 + size]).hexdigest())
            at = end + 1 + size
        n = len(pictures[0])
        for number, md5 in pictures.items():
            found = sums[n * number:n * number + n]
            assert found == md5, (name, levels, number, found, md5)
        assert len(sums) == n * len(pictures), (name, levels)
    return len(expected)


def frames_of(stream):
    """The frames of a stream, by the sizes in their headers."""
    data, frames = stream.read_bytes(), []
    while data:
        size = int.from_bytes(data[8:12], 'little')
        frames.append(data[:size])
        data = data[size:]
    return frames


def check_example(program, folder):
    """Tests that paco-to-pnm writes the pictures of stacks, and ends with 1 if one is missing or
    damaged."""
    frames = frames_of(GOLDEN / 'stack-gray8-lossless-haar.paco')
    lines = [line.split() for line in (GOLDEN / 'components.md5').read_text().splitlines()]
    wanted = [md5 for name, _, levels, *md5 in lines
              if (name, levels) == ('stack-gray8-lossless-haar', '0')]
    damaged = frames[1][:-1] + bytes([frames[1][-1] ^ 0x80])
    cases = [(frames * 2, 0, 10, ''), ([], 0, 0, ''),
             (frames[:2] + frames[3:], 1, 4, 'slices are missing'),
             (frames[1:], 1, 0, 'first slice'),
             (frames[1:] + frames[1:] + frames, 1, 5, 'first slice'),
             ([frames[0], damaged] + frames[2:], 1, 5, 'blocks are damaged'),
             (frames[:4] + [frames[4][:-1]], 1, 4, 'cut off')]
    for case, status, n, words in cases:
        out = pathlib.Path(tempfile.mkdtemp(dir=folder))
        (out / 'a.paco').write_bytes(b''.join(case))
        done = subprocess.run([program, out / 'a.paco', out / 'p'], capture_output=True,
                              check=False, text=True)
        sums = [[hashlib.md5((out / f'p-{i}-0.pgm').read_bytes().split(b'\n', 3)[3]).hexdigest()]
                for i in range(len(list(out.glob('*.pgm'))))]
        assert (done.returncode, len(sums)) == (status, n), (words, done, sums)
        assert words in done.stderr, (words, done)
        assert status or sums == wanted * (n // 5), sums
    assert subprocess.run([program, folder, folder / 'p'], capture_output=True,
                          check=False).returncode == 1


def main():
    with tempfile.TemporaryDirectory() as tmp:
        folder = pathlib.Path(tmp)
        run(sys.executable, DECODER / 'single.py', ROOT / 'codec/tables/sets.inc',
            folder / 'paco-decoder.c')
        for name in 'paco-decoder.h', 'paco-to-pnm.c':
            shutil.copy(DECODER / name, folder)
        n_compilers = compile_everywhere(folder)
        compiler = next(filter(shutil.which, ('gcc', 'clang', 'cc')))
        run(compiler, '-std=c99', '-g1', '-O1', '-fsanitize=address,undefined',
            '-fno-sanitize-recover=all', '-I', folder, HERE / 'decoder-alone.c', '-lm',
            '-o', folder / 'alone')
        check_example(folder / 'paco-to-pnm', folder)
        n_streams = check_samples(folder / 'alone')
        streams = sorted(GOLDEN.glob('*.paco'))
        for stream in streams:
            run(folder / 'alone', 'memory', stream)
        n = max(1, int(200 * SHARE))
        print(f'PACO_SEED={SEED}')
        run(folder / 'alone', 'damage', str(SEED), str(n), *streams)
        print(f'{n_compilers} compilers, {n_streams} streams and sizes, {n * len(streams)} damaged'
              ' frames')


main()
