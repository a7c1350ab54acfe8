#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""stacks.py: pacodec, `paco decode` and bindings/python find the same stacks in files whose
stacks are cut, joined and damaged, and `paco verify` calls these files damaged."""
import os
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError:
    print('SKIP: NumPy is missing (Debian: python3-numpy).')
    sys.exit(77)

sys.path.insert(0, os.path.join(os.environ['PACO_SOURCE_ROOT'], 'pipelines', 'python'))
import paco  # noqa: E402

LENGTH, BYTES = 8, 72 * 48
# Width, height and noise, by which frames of a and b have different sizes.
SERIES = {'a': (72, 48, 3), 'b': (72, 48, 9), 'turned': (48, 72, 3)}
GARBAGE = bytes(100)
BEGIN, REST, WHOLE = range(3), range(3, LENGTH), range(LENGTH)
# Parts are slices of the first stack of a recording: those of a stack, or strays, whose
# first slice is missing.
STACK, STRAYS = True, False
CASES = {
    'two recordings': [('a', WHOLE, STACK), ('b', WHOLE, STACK)],
    'joined within a stack': [('a', BEGIN, STACK), ('b', REST, STRAYS)],
    'garbage within a stack': [('a', BEGIN, STACK), GARBAGE, ('a', REST, STRAYS)],
    'another picture': [('a', BEGIN, STACK), ('turned', REST, STRAYS)],
    'the end is missing': [('a', BEGIN, STACK), ('b', WHOLE, STACK)],
    'a slice is missing': [('a', (0, 1, 3, 4, 5, 6, 7), STACK), ('b', WHOLE, STACK)],
    'a slice is garbage': [('a', (0, 1), STACK), GARBAGE, ('b', WHOLE, STACK)],
    'the first slice is missing': [('a', WHOLE, STACK), ('b', range(1, 8), STRAYS)],
}


def run(*command, code=0):
    done = subprocess.run(command, check=False, capture_output=True, timeout=600)
    assert done.returncode == code, (command, done)
    return done.stderr


def record(name):
    """Codes a stack of slices that are much alike. Returns its frames."""
    width, height, noise = SERIES[name]
    first = random.randbytes(BYTES)
    pathlib.Path('slices.raw').write_bytes(b''.join(
        bytes(max(0, sample - random.randrange(noise)) for sample in first) for _ in WHOLE))
    run(*f'gst-launch-1.0 filesrc location=slices.raw ! rawvideoparse format=gray8 '
        f'width={width} height={height} framerate=25/1 ! '
        f'video/x-raw,interlace-mode=progressive ! pacoenc stack={LENGTH} '
        'rate-control=lossless ! filesink location=recording.paco'.split())
    return list(paco.Reader('recording.paco'))


def by_plugin(options=''):
    run(*f'gst-launch-1.0 filesrc location=film.paco ! pacoparse ! pacodec max-errors=-1 '
        f'{options} ! video/x-raw,format=GRAY8 ! filesink location=film.raw'.split())
    data = pathlib.Path('film.raw').read_bytes()
    return [data[i:i + BYTES] for i in range(0, len(data), BYTES)]


def by_tool(code):
    for path in pathlib.Path('.').glob('out_*.pgm'):
        path.unlink()
    said = run(os.environ['PACO_TOOL'], 'decode', 'film.paco', 'out_%03d.pgm', code=code)
    assert code == 0 or b'stack' in said, said
    return [path.read_bytes()[-BYTES:] for path in
            sorted(pathlib.Path('.').glob('out_*.pgm'))]


def by_python(frames):
    """Returns also whether it ends with strays."""
    pictures = []
    try:
        for [picture] in paco.Decoder(slices=True, backend='cpu').pictures(frames):
            pictures.append(picture.tobytes())
    except ValueError:
        return pictures, True
    return pictures, False


def check(recordings, case, parts):
    film, shown, sound, whole, has_strays = b'', [], [], [], False
    decoder = paco.Decoder(slices=True, backend='cpu')
    for part in parts:
        if part is GARBAGE:
            film += GARBAGE
            continue
        name, positions, is_stack = part
        frames = [recordings[name][p] for p in positions]
        film += b''.join(frames)
        has_strays |= not is_stack
        if not is_stack:
            continue
        slices = [None] * LENGTH
        for position, frame in zip(positions, frames):
            slices[position] = decoder.decode(frame)[0]
        pictures = [picture.tobytes() for [picture] in
                    paco.stack_pictures(frames[0], slices)]
        whole += pictures
        shown += [pictures[p] for p in positions]
        sound += pictures if len(frames) == LENGTH else []
    pathlib.Path('film.paco').write_bytes(film)
    code = 3 if has_strays or shown != sound else 0
    assert by_tool(code) == shown, case
    assert by_plugin() == shown, case
    assert by_plugin('discard-corrupted-frames=true') == sound, case
    assert by_python(paco.Reader('film.paco')) == (whole, has_strays), case
    # A list says nothing of bytes between its frames.
    assert GARBAGE in parts or \
        by_python(list(paco.Reader('film.paco'))) == (whole, has_strays), case
    run(os.environ['PACO_TOOL'], 'verify', 'film.paco', code=code)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    RECORDINGS = {name: record(name) for name in SERIES}
    for name, stacks in CASES.items():
        check(RECORDINGS, name, stacks)
    os.chdir('/')
