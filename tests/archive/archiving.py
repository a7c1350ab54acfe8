#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests paco archive, as people run it: what it writes, what it refuses and how it goes on
after it was killed, interrupted, or the disk was full."""
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import time

import harness
from harness import (DONE, FAILED, INTERRUPTED, PACO, USAGE, expect, frames, paco, picture,
                     sequence)


def test_report(tmp):
    """Tests that the report has every file, and framemd5 is FFmpeg's."""
    sequence(tmp / 'in', 5, behind=b'behind')
    text = expect(DONE, 'archive', '--md5', '--fps', '24000/1001', tmp / 'in',
                  tmp / 'out.paco', says='5 files')
    assert 'Every frame was decoded' in text
    report = json.loads((tmp / 'out.paco.json').read_text())
    assert report['verified'] and report['failure'] is None
    assert report['verified_frames'] == len(report['frames'])
    assert report['picture'] == {'width': 48, 'height': 32, 'depths': [8, 8, 8],
                                 'fps': [24000, 1001]}
    assert report['coded_bytes'] == (tmp / 'out.paco').stat().st_size
    assert set(report['spent']) == {'reading', 'checksums', 'parsing', 'coding',
                                    'decoding', 'writing'}
    names = sorted(os.listdir(tmp / 'in'))
    assert [f['name'] for f in report['frames']] == names
    assert [f['coded'] for f in report['frames']] == [
        len(f) for f in frames(tmp / 'out.paco')]
    listed = [line.split(',')[-1].strip() for line in
              (tmp / 'out.paco.framemd5').read_text().splitlines() if line[0] != '#']
    assert listed == [f['md5'] for f in report['frames']]
    for tool, key in ('md5sum', 'md5'), ('xxh128sum', 'xxh3'):
        if shutil.which(tool):
            sums = subprocess.run([tool, *names], cwd=tmp / 'in', check=True,
                                  capture_output=True, text=True).stdout.split()[::2]
            assert sums == [f[key] for f in report['frames']], tool
    if shutil.which('ffmpeg'):
        theirs = subprocess.run(
            ['ffmpeg', '-v', 'error', '-framerate', '24000/1001', '-start_number', '1',
             '-i', tmp / 'in' / 'shot.%04d.ppm', '-c', 'copy', '-f', 'framemd5', '-'],
            check=True, capture_output=True, text=True).stdout
        ours = (tmp / 'out.paco.framemd5').read_text()
        keep = ('#software', '#codec_id')
        assert ([line for line in ours.splitlines() if not line.startswith(keep)]
                == [line for line in theirs.splitlines() if not line.startswith(keep)])


def test_options(tmp):
    """Tests that options that do not change the bytes do not, and that each
    does what it says."""
    sequence(tmp / 'in', 9)
    expect(DONE, 'archive', '-q', tmp / 'in', tmp / 'a.paco')
    whole = (tmp / 'a.paco').read_bytes()
    for i, options in enumerate((['--no-verify'], ['--threads=1'], ['--helpers=1'],
                                 ['--helpers=9', '--threads=3'], ['--backend=cpu'])):
        out = tmp / f'{i}.paco'
        assert expect(DONE, 'archive', '-q', '--report=', *options, tmp / 'in', out) == ''
        assert out.read_bytes() == whole, options
        assert not os.path.exists(f'{out}.json')
    expect(DONE, 'archive', '--no-verify', '--report', tmp / 'r', tmp / 'in',
           tmp / 'n.paco')
    report = json.loads((tmp / 'r').read_text())
    assert not report['verified'] and report['verified_frames'] == 0
    expect(DONE, 'archive', '--complexity=3', tmp / 'in', tmp / 'c.paco')
    assert (tmp / 'c.paco').read_bytes() != whole
    for wrong in ('--backend=gpu', '--threads=-1', '--helpers=x', '--frames=3-1',
                  '--frames=a', '--fps=0', '--fps=24/0', '--fps=1/2/3', '--nonsense',
                  '--complexity=9', '--gpus=x'):
        status, out, err = paco('archive', wrong, tmp / 'in', tmp / 'w.paco')
        assert status in (FAILED, USAGE) and err.count('\n') == 1, (wrong, err)
        assert not os.path.exists(tmp / 'w.paco') and not os.path.exists(
            tmp / 'w.paco.part'), wrong
    expect(USAGE, 'archive', tmp / 'in')
    expect(USAGE, 'archive', '--list', tmp / 'in', tmp / 'out')


def files_chunk(number):
    """The chunk of a header that says how many files an archive has."""
    return struct.pack('<HHI', 16, 4, number)


def test_range(tmp):
    """Tests that ranges are the frames of the whole run, but for their places and how
    many they are, and become these when they are joined."""
    sequence(tmp / 'in', 10, name='{}.ppm', first=4)
    expect(DONE, 'archive', '-q', tmp / 'in', tmp / 'all.paco')
    whole = frames(tmp / 'all.paco')
    parts, names = [], []
    for begin, end in (0, 3), (4, 4), (5, 9):
        out = tmp / f'{begin}.paco'
        expect(DONE, 'archive', '-q', '--frames', f'{begin}-{end}', tmp / 'in', out)
        found = frames(out)
        assert all(files_chunk(len(found)) in frame for frame in found)
        expect(DONE, 'restore', '--check', out, says=f'{len(found)} file')
        parts += [frame.replace(files_chunk(len(found)), files_chunk(10))
                  for frame in found]
        names.append(out)
    expect(DONE, 'join', '-q', *names, tmp / 'joined.paco')
    assert frames(tmp / 'joined.paco') == whole
    assert len(parts) == len(whole)
    for a, b in zip(parts, whole):
        # The place is the last chunk; then there is the header's CRC.
        end = int.from_bytes(a[6:8], 'little')
        assert a[:end - 16] == b[:end - 16] and a[end:] == b[end:]
    expect(DONE, 'archive', '-q', '--frames=3', tmp / 'in', tmp / 'one.paco')
    assert len(frames(tmp / 'one.paco')) == 1
    expect(DONE, 'archive', '-q', '--frames=7-', tmp / 'in', tmp / 'end.paco')
    assert [f[-99:] for f in frames(tmp / 'end.paco')] == [f[-99:] for f in whole[7:]]
    expect(FAILED, 'archive', '--frames=10-', tmp / 'in', tmp / 'no.paco',
           says='frames 0 to 9')
    expect(FAILED, 'archive', '--frames=5-10', tmp / 'in', tmp / 'no.paco',
           says='frames 0 to 9')


def test_order(tmp):
    """Tests that digits are numbers, folders go before what is in them, and
    names may be any."""
    names = ['a2.ppm', 'a10.ppm', 'a100.ppm']
    for name in names:
        (tmp / 'in').mkdir(exist_ok=True)
        (tmp / 'in' / name).write_bytes(picture())
    out = expect(DONE, 'archive', '--list', '--allow-gaps', tmp / 'in')
    assert out.split() == names
    shutil.rmtree(tmp / 'in')
    odd = os.fsdecode(b'r\xe9el_')
    sequence(tmp / 'in' / 'reel2', 2, name=odd + '{}.ppm')
    sequence(tmp / 'in' / 'reel10', 2, name='\u00e9"\\ {}.ppm')
    out = expect(DONE, 'archive', '--list', tmp / 'in')
    assert out.splitlines() == [f'reel2/{odd}1.ppm', f'reel2/{odd}2.ppm',
                                'reel10/\u00e9"\\ 1.ppm', 'reel10/\u00e9"\\ 2.ppm']
    expect(DONE, 'archive', '-q', tmp / 'in', tmp / 'o.paco')
    report = json.loads((tmp / 'o.paco.json').read_text())
    assert [f['name'] for f in report['frames']] == out.splitlines()


def test_refused_folders(tmp):
    """Tests that a folder that is no sequence is refused before anything is
    written, if pictures alone are wanted."""
    def refused(says, *options, **more):
        expect(FAILED, 'archive', '--only-pictures', *options, tmp / 'in', tmp / 'o.paco', says=says, **more)
        left = [e for e in os.listdir(tmp) if e.startswith('o.paco')]
        assert not left, left
        shutil.rmtree(tmp / 'in', ignore_errors=True)

    refused('No such file')
    (tmp / 'in').mkdir()
    refused('has no files')
    sequence(tmp / 'in', 3)
    sequence(tmp / 'in', 2, first=7)
    refused('shot.0003.ppm is followed by a gap: 4 to 6 are missing (1 gap, 3 files in '
            'all)')
    sequence(tmp / 'in', 2)
    sequence(tmp / 'in', 2, first=4)
    refused('(1 gap, 1 file in all)')
    sequence(tmp / 'in', 3)
    (tmp / 'in' / 'shot.0004.ppm').write_bytes(picture(width=50))
    refused('shot.0004.ppm (it has 50 x 32')
    sequence(tmp / 'in', 3)
    (tmp / 'in' / 'shot.0004.ppm').write_bytes(picture(maxval=1023))
    refused('samples have 10 bits')
    sequence(tmp / 'in', 3)
    (tmp / 'in' / 'shot.0004.ppm').write_bytes(picture(5))
    refused('it has 1 component, and the first file 3')
    sequence(tmp / 'in', 3)
    (tmp / 'in' / 'shot.0004.ppm').write_bytes(b'')
    refused('1 file that is no picture of the sequence: shot.0004.ppm (empty); --skip')
    sequence(tmp / 'in', 3)
    (tmp / 'in' / 'shot.0004.ppm').write_bytes(b'hello world')
    refused('1 file that is no picture of the sequence: shot.0004.ppm; --skip')
    sequence(tmp / 'in', 3)
    sequence(tmp / 'in', 1, name='other.{:04}.ppm')
    refused('two sequences')
    sequence(tmp / 'in', 3)
    (tmp / 'in' / 'shot.3.ppm').write_bytes(picture())
    refused('the same number')
    sequence(tmp / 'in', 3)
    (tmp / 'in' / '.DS_Store').write_bytes(b'x')
    expect(DONE, 'archive', '--list', '--skip=.DS_*', tmp / 'in')
    refused('.DS_Store')
    sequence(tmp / 'in', 3)
    (tmp / 'in' / 'shot.0003.ppm.paco-part').write_bytes(picture())
    refused('an interrupted paco restore has left', '--allow-gaps')
    sequence(tmp / 'in', 3)
    (tmp / 'in' / 'empty').mkdir()
    refused('is an empty folder')
    sequence(tmp / 'in', 3)
    os.mkfifo(tmp / 'in' / 'pipe')
    refused('neither a file nor a folder')
    sequence(tmp / 'in', 3)
    (tmp / 'in' / 'loop').symlink_to('.')
    refused('a link that leads to no file')
    sequence(tmp / 'in', 3)
    (tmp / 'in' / 'sound.wav').write_bytes(b'RIFF\0\0\0\0WAVEfmt ')
    refused('sound')
    sequence(tmp / 'in', 3)
    expect(FAILED, 'archive', tmp / 'in', tmp / 'in' / 'o.paco', says='in the folder')
    (tmp / 'in' / 'shot.0004.ppm').write_bytes(picture()[:-1])
    refused('ends within the picture')
    for head in (b'P6\n0 4\n255\n', b'P6\n99999999999 4\n255\n', b'P6\n4 4\n70000\n',
                 b'P6\n4 4', b'P7\nWIDTH 4\n', b'P7\nENDHDR\n', b'P6 20000 4 255 '):
        sequence(tmp / 'in', 1)
        (tmp / 'in' / 'shot.0002.ppm').write_bytes(head + bytes(100))
        refused('no pictur')
    if os.geteuid() != 0:
        sequence(tmp / 'in', 3)
        (tmp / 'in' / 'shot.0002.ppm').chmod(0)
        refused('Permission denied')


def test_strays(tmp):
    """Tests that all files that are no pictures are named, at once."""
    strays = ['.DS_Store', 'Thumbs.db', 'notes.txt', 'reel 2/.DS_Store', 'shot.0003.ppm~']
    sequence(tmp / 'in', 3)
    sequence(tmp / 'in' / 'reel 2', 3)
    for name in strays:
        (tmp / 'in' / name).write_bytes(b'no picture')
    for options in [], ['--allow-gaps'], ['--list']:
        arguments = ['archive', '--only-pictures', *options, tmp / 'in']
        text = expect(FAILED, *arguments, *([] if '--list' in options else [tmp / 'o.paco']),
                      says='in has 5 files that are no pictures of the sequence')
        named = re.search(r'sequence: (.*); --skip=PATTERN leaves files out', text)[1]
        assert sorted(named.split(', ')) == sorted(strays), named
    expect(DONE, 'archive', *(f'--skip={name}' for name in strays), tmp / 'in', tmp / 'o.paco',
           says='files or folders were left out')


def test_skipped(tmp):
    """Tests that the report says what was left out."""
    sequence(tmp / 'in', 3)
    (tmp / 'in' / 'notes.txt').write_bytes(b'x')
    sequence(tmp / 'in' / 'proxies', 2)
    expect(DONE, 'archive', '--skip=*.txt', '--skip=proxies', tmp / 'in', tmp / 'o.paco',
           says='2 files or folders were left out')
    report = json.loads((tmp / 'o.paco.json').read_text())
    assert len(report['frames']) == 3 and 'left out' in report['notes'][0], report


def deeper(**like):
    """Returns a picture one of whose samples has more bits than its header
    promises, which shows only when it is read whole."""
    return picture(**like)[:-1] + b'\xff'


def test_refused_later(tmp):
    """Tests what cannot be archived, and is seen only when it is reached: the
    frames before it stay."""
    sequence(tmp / 'in', 3, maxval=127)
    (tmp / 'in' / 'shot.0004.ppm').write_bytes(deeper(maxval=127))
    expect(FAILED, 'archive', '--only-pictures', tmp / 'in', tmp / 'o.paco',
           says='shot.0004.ppm')
    assert len(frames(tmp / 'o.paco.part')) == 3
    (tmp / 'in' / 'shot.0004.ppm').write_bytes(
        picture(maxval=127, behind=random.randbytes(4000000)))
    expect(DONE, 'archive', tmp / 'in', tmp / 'o.paco', says='3 of them were there')
    assert len(frames(tmp / 'o.paco')) == 4


def test_too_large(tmp):
    """Tests that a file that is too large is refused before anything is
    written."""
    sequence(tmp / 'in', 3)
    os.truncate(tmp / 'in' / 'shot.0003.ppm', 2 ** 31)
    expect(FAILED, 'archive', '--only-pictures', tmp / 'in', tmp / 'o.paco', says='2 GiB')
    assert os.listdir(tmp) == ['in']


def test_nothing_overwritten(tmp):
    """Tests that nothing that is there changes."""
    sequence(tmp / 'in', 2)
    for name in 'o.paco', 'o.paco.json', 'o.paco.framemd5', 'o.paco.part':
        (tmp / name).write_bytes(b'mine, not a frame')
        expect(FAILED, 'archive', '--md5', tmp / 'in', tmp / 'o.paco', says=name)
        assert (tmp / name).read_bytes() == b'mine, not a frame'
        (tmp / name).unlink()
    (tmp / 'o.paco').symlink_to('nowhere')
    expect(FAILED, 'archive', tmp / 'in', tmp / 'o.paco', says='is there already')
    assert not os.path.exists(tmp / 'nowhere')


def whole_run(tmp, n, **like):
    """Makes a folder, and what an undisturbed run makes of it."""
    sequence(tmp / 'in', n, **like)
    expect(DONE, 'archive', '-q', '--report=', tmp / 'in', tmp / 'whole.paco')
    return (tmp / 'whole.paco').read_bytes()


def begin(tmp, *options, frames_first=1):
    """Starts the tool, and returns when `size` bytes are written."""
    process = subprocess.Popen(
        [PACO, 'archive', '--threads=1', *options, tmp / 'in', tmp / 'o.paco'],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        try:
            if os.stat(tmp / 'o.paco.part').st_size > frames_first:
                break
        except FileNotFoundError:
            pass
        time.sleep(0.002)
    return process


def test_kill(tmp):
    """Tests that after kill -9 the same command goes on, to the same bytes."""
    whole = whole_run(tmp, 40, width=160, height=120)
    process = begin(tmp, frames_first=random.randrange(len(whole) // 2))
    process.kill()
    process.communicate()
    if not os.path.exists(tmp / 'o.paco'):
        assert whole.startswith((tmp / 'o.paco.part').read_bytes())
        expect(DONE, 'archive', tmp / 'in', tmp / 'o.paco')
    assert (tmp / 'o.paco').read_bytes() == whole
    assert not os.path.exists(tmp / 'o.paco.part')


def test_interrupt(tmp):
    """Tests that Ctrl-C ends in order, with whole frames and a sentence."""
    whole = whole_run(tmp, 60, width=160, height=120)
    process = begin(tmp, frames_first=len(whole) // 10)
    process.send_signal(signal.SIGINT)
    err = process.communicate(timeout=60)[1].decode()
    if process.returncode != DONE:
        assert process.returncode == INTERRUPTED and 'goes on from there' in err, err
        left = (tmp / 'o.paco.part').read_bytes()
        assert whole.startswith(left) and len(frames(tmp / 'o.paco.part')) > 0
        expect(DONE, 'archive', tmp / 'in', tmp / 'o.paco')
    assert (tmp / 'o.paco').read_bytes() == whole


def test_resume(tmp):
    """Tests that what is in OUT.part is checked, and kept up to the first
    damage."""
    whole = whole_run(tmp, 8)
    sizes = [len(f) for f in frames(tmp / 'whole.paco')]
    part = tmp / 'o.paco.part'
    for case in range(6):
        kept = random.randrange(0 if case else 1, 8)
        cut = sum(sizes[:kept]) + random.randrange(sizes[kept])
        left = bytearray(whole[:cut])
        if case % 2 and kept > 1:
            # This is a byte of a frame's payload, near its end.
            kept -= 1
            left[sum(sizes[:kept + 1]) - 5] ^= 0x10
        part.write_bytes(left)
        if 0 < cut and kept == 0 and cut < 4:
            continue
        text = expect(DONE, 'archive', '--report=', tmp / 'in', tmp / 'o.paco')
        assert f'{kept} of them w' in text or kept == 0, (kept, text)
        assert (tmp / 'o.paco').read_bytes() == whole
        (tmp / 'o.paco').unlink()
    part.write_bytes(whole)
    text = expect(DONE, 'archive', '--report=', tmp / 'in', tmp / 'o.paco',
                  says='8 of them were there')
    assert 'was decoded' not in text, text
    (tmp / 'o.paco').unlink()
    # The report tells of the frames that this run has decoded.
    part.write_bytes(whole[:sum(sizes[:3])])
    expect(DONE, 'archive', '--report', tmp / 'r', tmp / 'in', tmp / 'o.paco',
           says='Every frame of this run was decoded')
    report = json.loads((tmp / 'r').read_text())
    assert report['resumed'] == 3 and report['verified_frames'] == 5, report
    assert not report['verified']
    (tmp / 'o.paco').unlink()
    # The folder has more files than when it was begun.
    more = sequence(tmp / 'more', 2, first=9)
    shutil.copytree(tmp / 'in', more, dirs_exist_ok=True)
    expect(DONE, 'archive', '-q', '--report=', more, tmp / 'more.paco')
    part.write_bytes(whole[:sum(sizes[:3])])
    expect(DONE, 'archive', '--report=', more, tmp / 'o.paco',
           says='3 of them were there')
    assert (tmp / 'o.paco').read_bytes() == (tmp / 'more.paco').read_bytes()
    (tmp / 'o.paco').unlink()
    # These options ask for other frames, or begin otherwise.
    part.write_bytes(whole[:sum(sizes[:3])])
    for options in ['--md5'], ['--frames=2-7'], ['--fps=24']:
        expect(FAILED, 'archive', *options, tmp / 'in', tmp / 'o.paco',
               says='go on as it was begun')
        assert part.read_bytes() == whole[:sum(sizes[:3])]
    # It was begun at a later file.
    part.unlink()
    expect(DONE, 'archive', '-q', '--report=', '--frames=3-7', tmp / 'in', tmp / 'o.paco')
    ranged = (tmp / 'o.paco').rename(part).read_bytes()
    expect(FAILED, 'archive', tmp / 'in', tmp / 'o.paco', says='is not kept in it')
    assert part.read_bytes() == ranged
    part.write_bytes(whole[:sum(sizes[:3])])
    # This file has changed, and is as large as it was.
    was = (tmp / 'in' / 'shot.0002.ppm').read_bytes()
    (tmp / 'in' / 'shot.0002.ppm').write_bytes(was[:-1] + bytes([was[-1] ^ 1]))
    expect(FAILED, 'archive', tmp / 'in', tmp / 'o.paco', says='shot.0002.ppm has changed')
    assert part.read_bytes() == whole[:sum(sizes[:3])]
    (tmp / 'in' / 'shot.0002.ppm').write_bytes(picture() + b'longer')
    expect(FAILED, 'archive', tmp / 'in', tmp / 'o.paco', says='another folder')


def test_interrupted_resume(tmp):
    """Tests that what is there stays there, whenever the next run is
    interrupted."""
    whole = whole_run(tmp, 60, width=160, height=120)
    sizes = [len(f) for f in frames(tmp / 'whole.paco')]
    left = sum(sizes[:55])
    (tmp / 'o.paco.part').write_bytes(whole[:left])
    for _ in range(5):
        process = subprocess.Popen([PACO, 'archive', tmp / 'in', tmp / 'o.paco'],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(random.random() * 0.06)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        if os.path.exists(tmp / 'o.paco'):
            break
        part = (tmp / 'o.paco.part').read_bytes()
        assert len(part) >= left and whole.startswith(part)
    else:
        expect(DONE, 'archive', tmp / 'in', tmp / 'o.paco')
    assert (tmp / 'o.paco').read_bytes() == whole


def test_two_at_once(tmp):
    """Tests that a second process keeps away from what the first one writes."""
    whole = whole_run(tmp, 60, width=160, height=120)
    process = begin(tmp)
    if process.poll() is None:
        process.send_signal(signal.SIGSTOP)
        if not os.path.exists(tmp / 'o.paco'):
            expect(FAILED, 'archive', tmp / 'in', tmp / 'o.paco',
                   says='being written by another process')
        process.send_signal(signal.SIGCONT)
    process.communicate(timeout=60)
    assert (tmp / 'o.paco').read_bytes() == whole


def test_full_disk(tmp):
    """Tests a file that may not grow: there is one line; what was written is
    valid, and goes on."""
    whole = whole_run(tmp, 8)
    sizes = [len(f) for f in frames(tmp / 'whole.paco')]
    limit = sum(sizes[:5]) + sizes[5] // 2

    def keep_small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    expect(FAILED, 'archive', tmp / 'in', tmp / 'o.paco', says='o.paco.part cannot be '
           'written', preexec_fn=keep_small)
    assert (tmp / 'o.paco.part').read_bytes() == whole[:sum(sizes[:5])]
    expect(DONE, 'archive', tmp / 'in', tmp / 'o.paco', says='5 of them were there')
    assert (tmp / 'o.paco').read_bytes() == whole


def test_unreadable_file(tmp):
    """Tests a file that vanishes, or changes, while others are archived."""
    whole = whole_run(tmp, 8, maxval=127)
    sizes = [len(f) for f in frames(tmp / 'whole.paco')]
    if os.geteuid() != 0:
        (tmp / 'in' / 'shot.0005.ppm').chmod(0)
        expect(FAILED, 'archive', tmp / 'in', tmp / 'o.paco', says='Permission denied')
        (tmp / 'in' / 'shot.0005.ppm').chmod(0o644)
    (tmp / 'in' / 'shot.0006.ppm').write_bytes(deeper(maxval=127))
    expect(FAILED, 'archive', '--only-pictures', tmp / 'in', tmp / 'o.paco',
           says='shot.0006.ppm')
    assert (tmp / 'o.paco.part').read_bytes() == whole[:sum(sizes[:5])]


def test_depths(tmp):
    """Tests kinds of PNM, and files that break their promise."""
    for i, (kind, maxval) in enumerate(((5, 255), (5, 1), (5, 1023), (5, 65535), (6, 4095),
                                        (6, 200), (7, 255), (7, 65535))):
        folder = sequence(tmp / f'in{i}', 2, kind=kind, maxval=maxval, width=33,
                          height=17, comment=b'#c\n')
        expect(DONE, 'archive', folder, tmp / f'{i}.paco', says='Every frame')
        report = json.loads((tmp / f'{i}.paco.json').read_text())
        assert report['picture']['depths'][0] == maxval.bit_length()
    broken = b'P5\n4 4\n1000\n' + b'\xff\xff' * 16
    (tmp / 'promise').mkdir()
    (tmp / 'promise' / '1.pgm').write_bytes(broken)
    expect(DONE, 'archive', tmp / 'promise', tmp / 'p.paco', says='Every frame')


def test_full_output(tmp):
    """Tests that what cannot be printed is an error, if nothing else is."""
    sequence(tmp / 'in', 3)
    expect(DONE, 'archive', tmp / 'in', tmp / 'a.paco')
    for arguments in (['info', tmp / 'a.paco'], ['info', '--json', '--frames', tmp / 'a.paco'],
                      ['verify', tmp / 'a.paco'], ['archive', '--list', tmp / 'in'],
                      ['restore', '--check', tmp / 'a.paco'], ['--version'], ['--help'],
                      ['info', '--help'], ['join', '--help']):
        with open('/dev/full', 'wb') as full:
            run = subprocess.run([PACO, *arguments], stdout=full, stderr=subprocess.PIPE,
                                 check=False)
        assert run.returncode == FAILED, (arguments, run)
        # GLib, which prints the help of a command, does not keep the reason.
        why = b'' if arguments[-1] == '--help' and len(arguments) > 1 else b': the disk is full'
        assert b'standard output cannot be written' + why in run.stderr, run.stderr


if __name__ == '__main__':
    sys.exit(harness.main(globals()))
