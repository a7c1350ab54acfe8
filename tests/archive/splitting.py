#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests split archives: their volumes, one after the other, are the archive that there would be
otherwise, and commands take them for it; a run that was killed goes on."""
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import harness
from harness import (DAMAGE, DONE, FAILED, PACO, USAGE, expect, frames, paco, picture, same,
                     sequence)


def volumes(tmp, out='film', ending=''):
    return sorted(tmp.glob(f'{out}.*.paco{ending}'))


def whole(tmp, out='film'):
    return b''.join(path.read_bytes() for path in volumes(tmp, out))


def reel(folder, n=40, late=()):
    """Makes a folder of pictures, members, and pictures that turn out to be none."""
    sequence(folder, n)
    (folder / 'a.bin').write_bytes(random.randbytes(30000))
    (folder / 'z.txt').write_bytes(b'note' * 5000)
    for i in late:
        path = sorted(folder.glob('*.ppm'))[i]
        path.write_bytes(path.read_bytes()[:-1])
    return folder


def test_volumes(tmp):
    """Tests that volumes have no more bytes than they may, unless it is one frame, and that all
    commands take them for one archive."""
    folder = reel(tmp / 'in')
    expect(DONE, 'archive', '--md5', folder, tmp / 'one.paco')
    one = (tmp / 'one.paco').read_bytes()
    for size, most in (('20kB', 20000), ('64KiB', 65536), ('1G', 10**9)):
        text = expect(DONE, 'archive', '--md5', f'--split={size}', folder, tmp / 'film.paco')
        found = volumes(tmp)
        assert [path.name for path in found] == [
            f'film.{n + 1:04}.paco' for n in range(len(found))]
        assert whole(tmp) == one, size
        for path in found:
            assert path.stat().st_size <= most or len(frames(path)) == 1, (path, size)
        assert (f'in {len(found)} files' in text) == (len(found) > 1), text
        assert not volumes(tmp, ending='.part') and not (tmp / 'film.paco').exists()
        first = found[0]
        for named in [first], found:
            expect(DONE, 'restore', '--check', '--md5', *named, says='42 files')
            expect(DONE, 'restore', *named, tmp / 'out', says='42 files')
            same(folder, tmp / 'out')
            shutil.rmtree(tmp / 'out')
            expect(DONE, 'verify', *named, says='40 frames and 2 members, all sound')
            expect(DONE, 'verify', '--fast', *named, says='all sound')
            expect(DONE, 'join', '--force', *named, tmp / 'joined.paco')
            assert (tmp / 'joined.paco').read_bytes() == one
            assert expect(DONE, 'info', *named).count('PaCo frames') == 1
        expect(DONE, 'restore', '-q', '--frames=17-21', first, tmp / 'out')
        assert len(list((tmp / 'out').glob('*.ppm'))) == 5
        shutil.rmtree(tmp / 'out')
        expect(DONE, 'cut', '--force', first, '10', '30', tmp / 'cut.paco')
        assert len(frames(tmp / 'cut.paco')) == 21
        if len(found) > 1:
            expect(FAILED, 'cut', '--force', first, '0', '3', found[-1],
                   says='one of the files that are read')
        # It is there, whole.
        expect(DONE, 'archive', '--md5', f'--split={size}', folder, tmp / 'film.paco',
               says='there already')
        for path in [*found, *tmp.glob('film.paco.*')]:
            path.unlink()
    expect(USAGE, 'restore', '--check', tmp / 'one.paco', tmp / 'cut.paco')
    expect(USAGE, 'verify', tmp / 'one.paco', tmp / 'cut.paco')


def test_late(tmp):
    """Tests members that are found out on the way, which have frames written again."""
    folder = reel(tmp / 'in', late=(0, 7, 8, 20, 39))
    expect(DONE, 'archive', folder, tmp / 'one.paco')
    # With the smallest size each frame is a file.
    size = random.choice((1, 15000))
    expect(DONE, 'archive', f'--split={size}', folder, tmp / 'film.paco')
    assert whole(tmp) == (tmp / 'one.paco').read_bytes() and len(volumes(tmp)) > 5
    expect(DONE, 'restore', '-q', tmp / 'film.0001.paco', tmp / 'out')
    same(folder, tmp / 'out')


def test_missing(tmp):
    """Tests that a volume that is missing, cut or damaged is missed, and that all files of
    others come back."""
    folder = reel(tmp / 'in')
    expect(DONE, 'archive', '--split=45k', folder, tmp / 'film.paco')
    found = volumes(tmp)
    n = {path: len(frames(path)) for path in found}
    for path in random.choice(found[1:-1]), found[-1]:
        path.rename(tmp / 'away')
        status, out, err = paco('restore', found[0], tmp / 'out')
        assert status == DAMAGE and f'{n[path]} ' in out + err, (out, err)
        assert len(list((tmp / 'out').glob('*.ppm'))) == 40 - n[path]
        shutil.rmtree(tmp / 'out')
        status, out, err = paco('verify', found[0])
        assert status == DAMAGE, (out, err)
        for command, name in ('join', 'joined.paco'), ('decode', 'd_%d.ppm'):
            status, out, err = paco(command, '--force', found[0], tmp / name)
            assert status == DAMAGE and 'missing' in err, (command, out, err)
        (tmp / 'away').rename(path)
    for path in random.sample(found, 2):
        data = path.read_bytes()
        for broken in data[:-1], b'PACX' + data[4:], data[:100] + bytes(50) + data[150:]:
            path.write_bytes(broken)
            status, out, err = paco('restore', found[0], tmp / 'out')
            assert status == DAMAGE, (out, err)
            assert len(list((tmp / 'out').glob('*.ppm'))) >= 38, (path, broken[:9], out, err)
            shutil.rmtree(tmp / 'out')
        path.write_bytes(data)
    expect(DONE, 'restore', '--check', found[0])
    status, out, err = paco('restore', '--check', found[2])
    assert status == DAMAGE and 'missing' in err, (out, err)


def test_others(tmp):
    """Tests that files of such names that are archives of their own are not taken for volumes,
    and that none is overwritten."""
    folder = reel(tmp / 'in', 9)
    for n in 1, 2, 3:
        expect(DONE, 'archive', '-q', folder, tmp / f'shot.{n:04}.paco')
    expect(DONE, 'cut', tmp / 'shot.0002.paco', '4', '8', tmp / 'shot.0004.paco')
    expect(DONE, 'restore', '--check', tmp / 'shot.0001.paco', says='11 files')
    expect(DONE, 'verify', tmp / 'shot.0001.paco', says='9 frames')
    expect(DONE, 'join', tmp / 'shot.0001.paco', tmp / 'shot.0002.paco', tmp / 'two.paco')
    assert len(frames(tmp / 'two.paco')) == 18
    expect(DONE, 'cut', '--force', tmp / 'shot.0001.paco', '0', '3', tmp / 'shot.0004.paco')
    kept = whole(tmp, 'shot')
    expect(FAILED, 'archive', '--split=9k', folder, tmp / 'shot.paco',
           says='shot.0001.paco is there already')
    (tmp / 'shot.0001.paco').rename(tmp / 'away')
    expect(FAILED, 'archive', '--split=9k', folder, tmp / 'shot.paco',
           says='shot.0002.paco is there already')
    (tmp / 'shot.0001.paco.part').unlink(missing_ok=True)
    (tmp / 'away').rename(tmp / 'shot.0001.paco')
    assert whole(tmp, 'shot') == kept


def test_refused(tmp):
    """Tests sizes that are none, and containers."""
    folder = reel(tmp / 'in', 3)
    for size in '0', '-1', 'x', '1.5G', '10X', '10MBx', '99999999999T':
        expect(USAGE, 'archive', f'--split={size}', folder, tmp / 'film.paco', says='no size')
    status, out, err = paco('archive', '--split=1M', '--fps=24', folder, tmp / 'film.mkv')
    assert status == USAGE and '.paco files' in err, (out, err)
    assert os.listdir(tmp) == ['in']


def test_killed(tmp):
    """Tests runs that are killed at any time, and go on: in the end all is as if they had
    not been."""
    folder = sequence(tmp / 'in', 40, width=400, height=300)
    (folder / 'a.bin').write_bytes(random.randbytes(3000000))
    expect(DONE, 'archive', folder, tmp / 'one.paco')
    options = ('--split=700k', folder, tmp / 'film.paco')
    for _ in range(12):
        with subprocess.Popen([PACO, 'archive', '-q', *map(str, options)],
                              stderr=subprocess.DEVNULL) as run:
            time.sleep(random.uniform(0.02, 0.3))
            run.send_signal(random.choice((signal.SIGKILL, signal.SIGINT)))
        if run.returncode == 0:
            break
        # What the disk had not written yet may be lost, until volumes get their names.
        left = volumes(tmp, ending='.part')
        if left and not volumes(tmp) and random.randrange(3) == 0:
            path = random.choice(left)
            os.truncate(path, random.randrange(path.stat().st_size + 1))
    else:
        expect(DONE, 'archive', '-q', *options)
    assert whole(tmp) == (tmp / 'one.paco').read_bytes()
    assert not volumes(tmp, ending='.part')


def test_half_named(tmp):
    """Tests a run that ended while it gave the volumes their names, the last one first."""
    folder = reel(tmp / 'in')
    options = ('--split=20k', folder, tmp / 'film.paco')
    expect(DONE, 'archive', *options)
    kept, found = whole(tmp), volumes(tmp)
    (tmp / 'film.paco.json').unlink()
    for path in found[:-2]:
        path.rename(f'{path}.part')
    expect(DONE, 'archive', *options)
    assert whole(tmp) == kept and not volumes(tmp, ending='.part')
    # What is in those that have names is never changed.
    for path in found[:-2]:
        path.rename(f'{path}.part')
    (tmp / 'film.paco.json').unlink()
    last = found[-1].read_bytes()
    found[-1].write_bytes(last[:-9])
    expect(FAILED, 'archive', *options, says='is there already')
    assert found[-1].read_bytes() == last[:-9]


if __name__ == '__main__':
    sys.exit(harness.main(globals()))
