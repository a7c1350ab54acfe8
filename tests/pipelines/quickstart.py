#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""quickstart.py PACO-QUICKSTART: what quickstart says of inputs of all kinds.

What of a file is left out it says, and why; results of different files do not
overwrite each other; and speeds are told of clips that are long enough only.
"""
import os
import struct
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from scripts import check, launch  # noqa: E402


def make_clip(path, frames, pattern='ball', sound=False,
              video='width=64,height=48'):
    """Makes a MOV file of small pictures."""
    source = (f'videotestsrc num-buffers={frames} pattern={pattern} ! '
              f'video/x-raw,format=I420,{video},framerate=25/1 ! '
              'jpegenc ! mux. ')
    if sound:
        source += ('audiotestsrc num-buffers=10 ! audio/x-raw,rate=8000 ! '
                   'mux. ')
    launch(f'{source} qtmux name=mux ! filesink location={path}')


def turn(path):
    """Turns a file's first track by 90 degrees, in its display matrix."""
    with open(path, 'r+b') as file:
        matrix = file.read().index(b'tkhd') + 44
        file.seek(matrix)
        file.write(struct.pack('>9i', 0, 1 << 16, 0, -1 << 16, 0, 0, 0, 0,
                               1 << 30))


class Quickstart:
    """Runs the program with results in a folder."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def __call__(self, *arguments, status=0):
        done = subprocess.run(
            [self.program, '--out', self.folder, *arguments], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600,
            check=False)
        check(done.returncode == status, f'status {done.returncode}',
              done.stdout)
        return done.stdout

    def read(self, name):
        with open(os.path.join(self.folder, name), 'rb') as file:
            return file.read()


def check_what_is_left_out(run, folder):
    path = os.path.join(folder, 'all.mov')
    make_clip(path, 30, sound=True)
    turn(path)
    out = run('--frames', '26', path)
    check('Taking the first 26 of its pictures: FRAMES=N' in out, 'FRAMES',
          out)
    check('Its sound is left out.' in out, 'sound', out)
    check('(rotate-90) is left out' in out, 'orientation', out)

    path = os.path.join(folder, 'plain.mov')
    make_clip(path, 30)
    out = run('--frames', '30', path)
    check('left out' not in out and 'Taking' not in out, 'nothing', out)
    check(out.count(' fps') == 4, 'speeds', out)

    path = os.path.join(folder, 'large.mov')
    make_clip(path, 40, video='width=320,height=240')
    frames = (1 << 20) // (320 * 240 * 3 // 2)
    out = run('--frames', '1000', '--memory', '1', path)
    check(f'Taking the first {frames} of its pictures: with more of them, the '
          'raw pictures would take more than 1 MiB' in out, 'memory', out)


def check_short_clips(run, folder):
    path = os.path.join(folder, 'short.mov')
    make_clip(path, 23)
    out = run(path)
    check(' fps' not in out and out.count('takes 24 pictures') == 4,
          'short clips', out)


def check_names(run, folder):
    """Tests three files of one name, and one of them twice."""
    paths = []
    for number, name in enumerate(('1/same.mov', '2/same.mov', '1/same.mp4')):
        paths.append(os.path.join(folder, name))
        os.makedirs(os.path.dirname(paths[-1]), exist_ok=True)
        make_clip(paths[-1], 3, pattern=('ball', 'smpte', 'snow')[number])
    for path in paths:
        run(path)
    results = [run.read(f'{name}-lossless.mov')
               for name in ('same', 'same-2', 'same-3')]
    check(len(set(results)) == 3, 'results are the same', '')
    run(paths[1])
    check(not os.path.exists(os.path.join(run.folder, 'same-4-lossless.mov')),
          'a second run has another name', '')
    check([run.read(f'{name}-lossless.mov')[:5000]
           for name in ('same', 'same-3')]
          == [results[0][:5000], results[2][:5000]],
          'results of another file were overwritten', '')


def main():
    with tempfile.TemporaryDirectory() as folder:
        run = Quickstart(os.path.abspath(sys.argv[1]),
                         os.path.join(folder, 'out'))
        check_what_is_left_out(run, folder)
        check_short_clips(run, folder)
        check_names(run, folder)
        out = run('--frames', '0', status=1)
        check('must be 1 or more' in out, 'no frames', out)
    return 0


if __name__ == '__main__':
    sys.exit(main())
