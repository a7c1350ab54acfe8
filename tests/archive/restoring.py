#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests paco restore, as people run it: files come back bit by bit, damage is named, and
nothing is overwritten, also if names in frames are hostile."""
import fcntl
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import time
import zlib

import harness
from harness import (DAMAGE, DONE, FAILED, INTERRUPTED, PACO, USAGE, expect, frames, paco,
                     picture, sequence)


def archived(tmp, n=6, **like):
    """Makes a folder with all that may differ, and its archive."""
    folder = tmp / 'in'
    if not like:
        sequence(folder / 'reel1', n - 2, behind=random.randbytes(99), comment=b'# x\n')
        sequence(folder / os.fsdecode(b'r\xe9el2'), 2)
    else:
        sequence(folder, n, **like)
    expect(DONE, 'archive', '-q', '--md5', '--report=', folder, tmp / 'a.paco')
    return folder, tmp / 'a.paco'


def same(a, b):
    subprocess.run(['diff', '-r', os.fspath(a), os.fspath(b)], check=True)


def rename(frame, name):
    """Returns the frame with another name of as many bytes in its chunk 12."""
    size = int.from_bytes(frame[6:8], 'little')
    head = bytearray(frame[:size - 4])
    at = 72 + 4 * head[64] + 2 * head[64] * (3 * head[66] + 1)
    while int.from_bytes(head[at:at + 2], 'little') != 12:
        at += 4 + int.from_bytes(head[at + 2:at + 4], 'little')
    end = at + 4 + int.from_bytes(head[at + 2:at + 4], 'little')
    assert end - at - 34 == len(name), (end - at - 34, name)
    head[at + 34:end] = name
    return bytes(head) + zlib.crc32(head).to_bytes(4, 'little') + frame[size:]


def test_identical(tmp):
    """Tests that files, names and folders are what they were."""
    folder, archive = archived(tmp)
    text = expect(DONE, 'restore', '--md5', '--report', tmp / 'r', archive, tmp / 'out',
                  says='6 files')
    assert 'gave the bytes of its file' in text
    same(folder, tmp / 'out')
    report = json.loads((tmp / 'r').read_text())
    assert report['damaged'] == 0 and len(report['frames']) == 6
    # The archive of what was restored is the same.
    expect(DONE, 'archive', '-q', '--md5', '--report=', tmp / 'out', tmp / 'b.paco')
    assert (tmp / 'b.paco').read_bytes() == archive.read_bytes()


def test_dpx(tmp):
    """Tests DPX files of FFmpeg's, with what scanners put before, between and
    behind."""
    if not shutil.which('ffmpeg'):
        return
    for i, pixels in enumerate(('gbrp10be', 'gbrp12be', 'rgb48be', 'rgb24', 'gray')):
        folder = tmp / f'in{i}'
        folder.mkdir()
        subprocess.run(['ffmpeg', '-v', 'error', '-f', 'lavfi', '-i',
                        'mandelbrot=size=101x70:rate=24', '-frames:v', '3', '-pix_fmt',
                        pixels, '-c:v', 'dpx', folder / 'scan_%07d.dpx'], check=True)
        for path in folder.iterdir():
            data = bytearray(path.read_bytes())
            data[1700:1760] = random.randbytes(60)  # television header: any bits
            path.write_bytes(bytes(data) + random.randbytes(random.randrange(99)))
        expect(DONE, 'archive', '--md5', folder, tmp / f'{i}.paco', says='Every frame')
        report = json.loads((tmp / f'{i}.paco.json').read_text())
        assert report['kind'] == 'dpx' and report['picture']['width'] == 101
        expect(DONE, 'restore', tmp / f'{i}.paco', tmp / f'out{i}')
        same(folder, tmp / f'out{i}')
    mixed = tmp / 'mixed'
    sequence(mixed, 1, name='scan_{:07}.ppm', width=101, height=70)
    shutil.copy(tmp / 'in3' / 'scan_0000002.dpx', mixed)
    expect(FAILED, 'archive', mixed, tmp / 'm.paco', says='two sequences')


def dpx(width, height, samples):
    """A DPX file of R, G and B, of 12 bits in the upper bits of words."""
    head = bytearray(2048)
    struct.pack_into('>4sI8sI', head, 0, b'SDPX', 2048, b'V1.0', 2048 + len(samples))
    struct.pack_into('>I', head, 660, 0xffffffff)
    struct.pack_into('>HHII', head, 768, 0, 1, width, height)
    struct.pack_into('>IIfIf4B', head, 780, 0, 0, 0, 4095, 2, 50, 2, 2, 12)
    struct.pack_into('>HHIII', head, 804, 1, 0, 2048, 0, 0)
    return head + samples


def test_padding(tmp):
    """Files of several pieces, as they are read, have single bits of padding set: in the
    first and the last line, where pieces meet, and anywhere."""
    piece = 256 << 10
    folder = tmp / 'in'
    folder.mkdir()
    for i in range(6):
        data = dpx(640, 360, bytes(640 * 360 * 6))
        places = (2049, len(data) - 1, piece - 1, piece + 1, 4 * piece - 1,
                  random.randrange(2048, len(data)) | 1)
        for at in random.sample(places, i // 2):
            data[at] |= 1 << random.randrange(4)
        (folder / f'scan_{i:04}.dpx').write_bytes(data)
    for options in ([], ['--no-verify']):
        out = tmp / f'a{len(options)}.paco'
        expect(DONE, 'archive', *options, '--fps=24', folder, out,
               says='bits of padding are set')
        expect(DONE, 'restore', out, tmp / f'out{len(options)}')
        same(folder, tmp / f'out{len(options)}')


def test_options(tmp):
    """Tests ranges, checks, and options that do not matter."""
    folder, archive = archived(tmp, 8, width=80)
    for options in (['--threads=1'], ['--helpers=1'], ['--helpers=9'], ['--backend=cpu']):
        assert expect(DONE, 'restore', '-q', *options, archive, tmp / 'out') == ''
        same(folder, tmp / 'out')
        shutil.rmtree(tmp / 'out')
    expect(DONE, 'restore', '--frames=2-4', archive, tmp / 'out', says='3 files')
    assert sorted(os.listdir(tmp / 'out')) == [f'shot.{n:04}.ppm' for n in (3, 4, 5)]
    for name in os.listdir(tmp / 'out'):
        assert (tmp / 'out' / name).read_bytes() == (folder / name).read_bytes()
    expect(DONE, 'restore', '--frames=7', archive, tmp / 'out', says='1 files')
    expect(DONE, 'restore', '--check', '--frames=5-', archive, says='3 files')
    expect(DONE, 'verify', '--checksums', '--frames=-4', archive, says='5 files')
    before = set(os.listdir(tmp))
    expect(DONE, 'restore', '--check', archive, says='8 files')
    assert set(os.listdir(tmp)) == before
    expect(USAGE, 'restore', archive)
    expect(USAGE, 'restore', '--check', archive, tmp / 'x')
    expect(USAGE, 'restore', '--frames=4-2', archive, tmp / 'x')
    expect(FAILED, 'restore', '--frames=8-9', archive, tmp / 'x')
    expect(FAILED, 'restore', tmp / 'nothing', tmp / 'x', says='nothing')
    (tmp / 'empty').write_bytes(b'')
    expect(FAILED, 'restore', tmp / 'empty', tmp / 'x')
    assert not (tmp / 'x').exists() or not os.listdir(tmp / 'x')


def test_nothing_overwritten(tmp):
    """Tests that what is there and the same stays, and what is other is never
    touched."""
    folder, archive = archived(tmp, 5, width=64)
    shutil.copytree(folder, tmp / 'out')
    (tmp / 'out' / 'shot.0002.ppm').unlink()
    stamps = {e.name: e.stat().st_ino for e in os.scandir(tmp / 'out')}
    expect(DONE, 'restore', archive, tmp / 'out', says='4 of them were there')
    same(folder, tmp / 'out')
    for entry in os.scandir(tmp / 'out'):
        assert stamps.get(entry.name, entry.stat().st_ino) == entry.stat().st_ino
    for other in b'mine', (folder / 'shot.0001.ppm').read_bytes():
        (tmp / 'out' / 'shot.0003.ppm').write_bytes(other)
        expect(FAILED, 'restore', archive, tmp / 'out', says='nothing is overwritten')
        assert (tmp / 'out' / 'shot.0003.ppm').read_bytes() == other
    (tmp / 'out' / 'shot.0003.ppm').unlink()
    (tmp / 'out' / 'shot.0003.ppm').symlink_to(tmp / 'elsewhere')
    expect(FAILED, 'restore', archive, tmp / 'out', says='nothing is overwritten')
    assert not (tmp / 'elsewhere').exists()
    (tmp / 'file').write_bytes(b'')
    expect(FAILED, 'restore', archive, tmp / 'file', says='Not a directory')


def test_two_at_once(tmp):
    """Tests that runs into one folder do not write into each other's files:
    all succeed, and what they leave is whole. What a killed one has left is
    used again."""
    folder, archive = archived(tmp, 8, width=256, height=200)
    runs = [subprocess.Popen([PACO, 'restore', '-q', archive, tmp / 'out'],
                             stderr=subprocess.PIPE) for _ in range(3)]
    for run in runs:
        _, err = run.communicate(timeout=120)
        assert run.returncode == DONE, err
    same(folder, tmp / 'out')
    shutil.rmtree(tmp / 'out')
    (tmp / 'out').mkdir()
    part = tmp / 'out' / 'shot.0003.ppm.paco-part'
    part.write_bytes(b'what a killed run has left' * 99999)
    expect(DONE, 'restore', archive, tmp / 'out')
    same(folder, tmp / 'out')
    (tmp / 'out' / 'shot.0003.ppm').unlink()
    part.write_bytes(b'of another run')
    with open(part, 'rb') as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        expect(DONE, 'restore', archive, tmp / 'out', says='7 of them were there')
    assert part.read_bytes() == b'of another run'
    part.unlink()
    same(folder, tmp / 'out')
    # What has another name, too, is not emptied.
    (tmp / 'out' / 'shot.0003.ppm').unlink()
    (tmp / 'other').write_bytes(b'of somebody else')
    os.link(tmp / 'other', part)
    expect(DONE, 'restore', archive, tmp / 'out', says='7 of them were there')
    assert (tmp / 'other').read_bytes() == b'of somebody else'
    part.unlink()
    same(folder, tmp / 'out')


def test_long_names(tmp):
    """Tests names as long as a file system has them, which differ in their
    ends."""
    name = os.fsdecode(b'\xe9' * 247) + '{:04}.ppm'
    folder, archive = archived(tmp, 3, name=name)
    expect(DONE, 'restore', archive, tmp / 'out')
    same(folder, tmp / 'out')


def test_damage(tmp):
    """Tests that damage is named by frame and file, and all other files are
    restored."""
    folder, archive = archived(tmp, 9, width=96, height=64)
    whole = frames(archive)
    names = sorted(os.listdir(folder))
    for case in range(4):
        broken = list(whole)
        hurt = random.randrange(1, 8)
        frame = bytearray(broken[hurt])
        header = int.from_bytes(frame[6:8], 'little')
        index = int.from_bytes(frame[12:16], 'little')
        if case == 0:  # a block
            frame[random.randrange(header + index, len(frame))] ^= 1 << random.randrange(8)
        elif case == 1:  # the index
            frame[random.randrange(header, header + index)] ^= 1 << random.randrange(8)
        elif case == 2:  # the header
            frame[random.randrange(20, header)] ^= 1 << random.randrange(8)
        else:  # bytes are missing
            del frame[-random.randrange(1, len(frame) - header):]
        broken[hurt] = bytes(frame)
        (tmp / 'b.paco').write_bytes(b''.join(broken))
        shutil.rmtree(tmp / 'out', ignore_errors=True)
        status, _, err = paco('restore', tmp / 'b.paco', tmp / 'out')
        assert status == DAMAGE, (case, err)
        if case < 2:
            assert f'rame {hurt}, {names[hurt]}, is damaged' in err, (case, err)
        else:
            assert f'efore frame {hurt + 1}' in err, (case, err)
        left = sorted(os.listdir(tmp / 'out'))
        assert left == names[:hurt] + names[hurt + 1:], (case, left)
        for name in left:
            assert (tmp / 'out' / name).read_bytes() == (folder / name).read_bytes()
        assert paco('restore', '-q', '--check', tmp / 'b.paco')[0] == DAMAGE
    (tmp / 'b.paco').write_bytes(b''.join(whole)[:-7])
    status, _, err = paco('restore', '--check', tmp / 'b.paco')
    assert status == DAMAGE and 'At the end' in err, err
    (tmp / 'b.paco').write_bytes(b''.join(whole[:3] + whole[5:]))
    status, _, err = paco('restore', '--check', tmp / 'b.paco')
    assert status == DAMAGE and '2 frames are missing' in err, err


def flip(frame, found):
    """The frame, with one bit changed in those bytes of its header."""
    size = int.from_bytes(frame[6:8], 'little')
    head = bytearray(frame[:size - 4])
    head[head.index(found) + random.randrange(len(found))] ^= 1 << random.randrange(8)
    return bytes(head) + zlib.crc32(head).to_bytes(4, 'little') + frame[size:]


def test_other_checksum(tmp):
    """A file that is not what it was gets no name, and nothing of it is left. MD5s count
    if they are asked for."""
    folder = sequence(tmp / 'in', 5)
    expect(DONE, 'archive', '-q', '--md5', '--report', tmp / 'r', folder, tmp / 'a.paco')
    whole = frames(tmp / 'a.paco')
    kept = json.loads((tmp / 'r').read_text())['frames']
    names = [f['name'] for f in kept]
    for key, options in (('xxh3', []), ('xxh3', ['--md5']), ('md5', ['--md5']), ('md5', [])):
        hurt = random.randrange(5)
        other = list(whole)
        other[hurt] = flip(whole[hurt], bytes.fromhex(kept[hurt][key]))
        (tmp / 'b.paco').write_bytes(b''.join(other))
        left = names if key == 'md5' and not options else names[:hurt] + names[hurt + 1:]
        for what in [tmp / 'b.paco', tmp / 'out'], ['--check', tmp / 'b.paco']:
            status, _, err = paco('restore', *options, *what)
            assert status == (DONE if left == names else DAMAGE), (key, options, err)
            assert left == names or (f'rame {hurt}, {names[hurt]}, is damaged' in err
                                     and 'another checksum' in err), err
        assert sorted(os.listdir(tmp / 'out')) == left, (key, options)
        shutil.rmtree(tmp / 'out')


def test_hostile_names(tmp):
    """Tests that names in frames never lead out of the folder."""
    _, archive = archived(tmp, 1, name='{:08}.ppm')
    (frame,) = frames(archive)
    for name in b'../../../../', b'/tmp/evil.pp', b'a/../../x.pp', b'x//12345.ppm':
        (tmp / 'b.paco').write_bytes(rename(frame, name))
        status, _, err = paco('restore', tmp / 'b.paco', tmp / 'out' / 'deep')
        assert status in (FAILED, DAMAGE), (name, err)
    (tmp / 'b.paco').write_bytes(rename(frame, b'link/345.ppm'))
    (tmp / 'out').mkdir(exist_ok=True)
    (tmp / 'elsewhere').mkdir()
    (tmp / 'out' / 'link').symlink_to(tmp / 'elsewhere')
    expect(FAILED, 'restore', tmp / 'b.paco', tmp / 'out', says='cannot be restored')
    assert not os.listdir(tmp / 'elsewhere')
    # The same name twice is not another file.
    (tmp / 'b.paco').write_bytes(frame + frame)
    status, _, err = paco('restore', tmp / 'b.paco', tmp / 'twice')
    assert status == DAMAGE and 'of the same file' in err, err
    # The one in which a file is made is no other file, either.
    (tmp / 'b.paco').write_bytes(rename(frame, b'x1.paco-part'))
    status, _, err = paco('restore', tmp / 'b.paco', tmp / 'part')
    assert status == DAMAGE and 'that are being restored' in err, err
    # Another name of the same file is another file, as it was.
    (tmp / 'b.paco').write_bytes(rename(frame, b'0123/567.ppm'))
    expect(DONE, 'restore', tmp / 'b.paco', tmp / 'new')
    assert (tmp / 'new' / '0123' / '567.ppm').read_bytes() == (
        tmp / 'in' / '00000001.ppm').read_bytes()


def test_not_an_archive(tmp):
    """Tests that what keeps no files is refused."""
    (tmp / 'x.paco').write_bytes(random.randbytes(5000))
    status, _, err = paco('restore', tmp / 'x.paco', tmp / 'out')
    assert status in (FAILED, DAMAGE) and err, err
    golden = pathlib.Path(os.environ.get('PACO_SOURCE_ROOT', '.')) / 'tests' / 'golden'
    expect(FAILED, 'restore', golden / 'gray8-lossless.paco', tmp / 'out',
           says='has not been archived')


def test_full_disk(tmp):
    """Tests that a file that may not grow is one line, and leaves no half of a
    file."""
    folder, archive = archived(tmp, 4, width=64)
    size = os.path.getsize(folder / 'shot.0001.ppm')

    def keep_small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size // 2, size // 2))

    expect(FAILED, 'restore', archive, tmp / 'out', says='cannot be restored',
           preexec_fn=keep_small)
    assert os.listdir(tmp / 'out') == []
    expect(DONE, 'restore', archive, tmp / 'out')
    same(folder, tmp / 'out')


def test_killed(tmp):
    """Tests that what was killed or interrupted goes on."""
    folder, archive = archived(tmp, 60, width=160, height=120)
    for number in signal.SIGKILL, signal.SIGINT:
        process = subprocess.Popen([PACO, 'restore', '--threads=1', archive, tmp / 'out'],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        end = time.monotonic() + 60
        while (time.monotonic() < end and process.poll() is None
               and not ((tmp / 'out').is_dir() and len(os.listdir(tmp / 'out')) > 5)):
            time.sleep(0.002)
        process.send_signal(number)
        err = process.communicate(timeout=60)[1].decode()
        if number == signal.SIGINT and process.returncode != DONE:
            assert process.returncode == INTERRUPTED and 'goes on' in err, err
        for name in os.listdir(tmp / 'out'):
            if not name.endswith('.paco-part'):
                assert (tmp / 'out' / name).read_bytes() == (folder / name).read_bytes()
        expect(DONE, 'restore', archive, tmp / 'out')
        same(folder, tmp / 'out')
        shutil.rmtree(tmp / 'out')


def interrupt_reading(archive, out, then=None):
    """Restores from a pipe that stops in the middle, where a signal comes, and perhaps
    one that is ignored."""
    data = archive.read_bytes()
    with subprocess.Popen(
            [PACO, 'restore', '-', out], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: then and signal.signal(then, signal.SIG_IGN)) as process:
        process.stdin.write(data[:len(data) // 2])
        process.stdin.flush()
        end = time.monotonic() + 60
        while time.monotonic() < end and not (out.is_dir() and os.listdir(out)):
            time.sleep(0.01)
        if then:
            time.sleep(0.2)  # it waits for more
        process.send_signal(signal.SIGINT)
        if then:
            time.sleep(0.05)
            process.send_signal(then)
        err = process.communicate(data[len(data) // 2:], timeout=60)[1].decode()
    assert process.returncode == INTERRUPTED and 'goes on' in err, err


def test_interrupted_reading(tmp):
    """Tests that a signal that the reading thread sees first ends it with the
    same words."""
    folder, archive = archived(tmp, 20, width=160, height=120)
    for then in None, None, None, signal.SIGHUP:
        interrupt_reading(archive, tmp / 'out', then)
        expect(DONE, 'restore', archive, tmp / 'out')
        same(folder, tmp / 'out')
        shutil.rmtree(tmp / 'out')


if __name__ == '__main__':
    sys.exit(harness.main(globals()))
