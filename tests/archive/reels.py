#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests random reels, with odd pictures and other files in them. If archive, join and restore
end with 0, each file is there as it was: after runs that were killed, while the folder changed,
and from ranges and cuts that were joined. Of a damaged archive no file comes back as another
one, and what is missing is told."""
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import exr
import members
import paging
from harness import DAMAGE, DONE, FAILED, PACO, expect, frames, main, paco, picture, same

# Reels of each test: 12, or what PACO_CASES says, a share of 120.
N = 12 * int(os.environ.get('PACO_CASES', '10%').rstrip('%')) // 10 or 1
BESIDE = ['a.txt', '0', 'shot.notes', 'sub/deep/y.dat', '- x', 'edl.xml']


def draw_picture(kind, width, odd):
    """A file of one or several pictures. An odd one may turn out to be no frame."""
    if kind == 'ppm':
        return picture(maxval=127, width=width)[:-odd or None] + b'\xff' * odd
    n = random.choice((1, 1, 2, 5))
    if kind == 'tif':
        how = [random.choice((paging.other, paging.deflate)) if odd else paging.deflate
               for _ in range(n)]
        return paging.write([paging.Page(width) for _ in how], compress=how,
                            place=random.choice(('before', 'after', 'end')))
    if kind == 'exr':
        return exr.exr_of_parts([{
            'channels': random.choice((exr.RGB, exr.RGBA)) if odd else exr.RGB, 'width': width,
            'compression': random.choice((exr.NONE, exr.RLE, exr.ZIPS, exr.ZIP)),
            'noise': random.choice((0, 2000))} for _ in range(n)])
    return members.dpx(width, 20, random.randbytes(width * 120 - odd))


class Reel:
    """A folder, and how it is archived."""

    def __init__(self, folder):
        self.folder, self.kind = folder / 'in', random.choice(('ppm', 'tif', 'exr', 'dpx'))
        self.width, self.odd = random.choice((24, 48, 200)), random.choice((0, 0, .1, .5))
        self.options = ['-q', '--report=', '--backend=cpu', f'--threads={random.randint(1, 3)}',
                        *random.sample(('--md5', '--keep-files', '--no-verify'),
                                       random.randrange(3))]
        self.folder.mkdir(parents=True)
        for number in range(random.choice((1, 2, 5, 14))):
            self.add(number)
        for name in random.sample(BESIDE, random.choice((0, 1, 4))):
            self.put(name)

    def add(self, number):
        (self.folder / f'shot.{number:04}.{self.kind}').write_bytes(
            draw_picture(self.kind, self.width, random.random() < self.odd))

    def put(self, name):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(random.choice((b'', b'a note', picture(), random.randbytes(1500000))))

    def change(self):
        """Adds, removes, renames or changes a file."""
        path = random.choice([path for path in self.folder.rglob('*') if path.is_file()])
        how = random.randrange(5)
        if how == 0 and len(os.listdir(self.folder)) > 1:
            path.unlink()
        elif how == 1:
            self.put(random.choice(BESIDE))
        elif how == 2:
            self.add(random.randrange(20))
        elif how == 3 and path.stat().st_size > 0:
            data = bytearray(path.read_bytes())
            data[random.randrange(len(data))] ^= 1
            path.write_bytes(data)
        elif how == 4:
            path.rename(self.folder / f'shot.{random.randrange(20):04}.{self.kind}')

    def archive(self, out, *options):
        """Returns whether it is archived. If not, a line says why."""
        status, text, err = paco('archive', *self.options, *options, self.folder, out)
        assert status in (DONE, FAILED), (status, text, err)
        assert status == DONE or err.count('\n') == 1, err
        return status == DONE

    def comes_back(self, archive):
        # Folders without files are not kept, which the report says.
        for folder, _, _ in os.walk(self.folder, topdown=False):
            if not os.listdir(folder):
                os.rmdir(folder)
        out = archive.with_suffix('.out')
        expect(DONE, 'restore', '-q', archive, out)
        same(self.folder, out)
        shutil.rmtree(out)


def kill(*arguments):
    """Runs the tool for some time."""
    with subprocess.Popen([PACO, *map(os.fspath, arguments)], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as run:
        time.sleep(random.random() ** 2 / 5)
        run.send_signal(random.choice((signal.SIGKILL, signal.SIGINT, signal.SIGTERM)))


def pieces(n):
    """Cuts n frames into up to four pieces: the first and the last frame of each."""
    ends = sorted(random.sample(range(1, n), min(n - 1, random.randrange(4)))) + [n]
    return [(first, end - 1) for first, end in zip([0] + ends, ends)]


def each_reel(tmp, test):
    """Calls the test with reels, which says whether one was archived. Most are."""
    done = 0
    for number in range(N):
        folder = tmp / f'{number}'
        done += test(Reel(folder), folder)
        shutil.rmtree(folder)
    print(f'# {done} of {N} are archived')
    assert done > 0 or N < 12


def test_killed(tmp):
    """Tests runs that are killed, and go on in a folder that may have changed."""
    def test(reel, tmp):
        out, part = tmp / 'a.paco', tmp / 'a.paco.part'
        for _ in range(random.randrange(3)):
            kill('archive', *reel.options, reel.folder, out)
            if out.exists():
                data = out.read_bytes()
                part.write_bytes(data[:random.choice((len(data), random.randrange(len(data))))])
                out.unlink()
            if random.random() < .5:
                reel.change()
        if not reel.archive(out):
            return False
        kill('restore', '-q', out, tmp / 'a.out')
        reel.comes_back(out)
        return True
    each_reel(tmp, test)


def test_ranges(tmp):
    """Tests archives of ranges, which are joined."""
    def test(reel, tmp):
        status, text, _ = paco('archive', '--list', reel.folder)
        parts = []
        for first, last in pieces(text.count('\n')) if status == DONE else []:
            parts.append(tmp / f'{first}.paco')
            if not reel.archive(parts[-1], f'--frames={first}-{last}'):
                return False
            expect(DONE, 'restore', '--check', '-q', parts[-1])
        # A range that begins with an odd picture may have another format than the others.
        if not parts or paco('join', *parts, tmp / 'a.paco')[0] != DONE:
            return False
        reel.comes_back(tmp / 'a.paco')
        return True
    each_reel(tmp, test)


def test_cuts(tmp):
    """Tests an archive that is cut, and joined again."""
    def test(reel, tmp):
        whole, parts = tmp / 'a.paco', []
        if not reel.archive(whole):
            return False
        for first, last in pieces(len(frames(whole))):
            parts.append(tmp / f'{first}.paco')
            paco('cut', whole, str(first), str(last), parts[-1])
            expect(DONE, 'verify', parts[-1])
        expect(DONE, 'join', *parts, tmp / 'b.paco')
        assert (tmp / 'b.paco').read_bytes() == whole.read_bytes()
        reel.comes_back(tmp / 'b.paco')
        return True
    each_reel(tmp, test)


def damage(data):
    """Returns the archive with bits changed, bytes left out or put in, or cut."""
    data = bytearray(data)
    for _ in range(random.randint(1, 3)):
        at, how = random.randrange(len(data)), random.randrange(5)
        if how < 2:
            data[at] ^= 1 << random.randrange(8)
        elif how == 2:
            del data[max(at, 1):]
        elif how == 3:
            del data[max(at, 1):at + random.randrange(1, 2000)]
        else:
            data[at:at] = data[max(0, at - random.randrange(3000)):at]
    return data


def test_damaged(tmp):
    """Tests archives that are damaged."""
    def test(reel, tmp):
        if not reel.archive(tmp / 'a.paco'):
            return False
        whole, out = (tmp / 'a.paco').read_bytes(), tmp / 'out'
        names = {path.relative_to(reel.folder) for path in reel.folder.rglob('*')
                 if path.is_file()}
        for _ in range(3):
            (tmp / 'b.paco').write_bytes(damage(whole))
            status, _, err = paco('restore', '-q', tmp / 'b.paco', out)
            assert status in (DONE, FAILED, DAMAGE) and (status == DONE) == (err == ''), err
            found = {path.relative_to(out) for path in out.rglob('*') if path.is_file()}
            assert found <= names and (status != DONE or found == names), (names, found)
            for name in found:
                assert (out / name).read_bytes() == (reel.folder / name).read_bytes(), name
            shutil.rmtree(out, ignore_errors=True)
        return True
    each_reel(tmp, test)


if __name__ == '__main__':
    sys.exit(main(globals()))
