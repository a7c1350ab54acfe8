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
from harness import (DAMAGE, DONE, FAILED, INTERRUPTED, PACO, USAGE, Frame, chunk, expect, frames,
                     paco, picture, same, sequence)


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


def rename(frame, name):
    """Returns the frame with another name of its file."""
    return bytes(Frame(frame).keep(name=name))


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
    expect(FAILED, 'archive', '--only-pictures', mixed, tmp / 'm.paco',
           says='scan_0000002.dpx (it is a file of kind dpx, and the sequence is of kind pnm)')


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
    expect(DONE, 'restore', '--frames=7', archive, tmp / 'out', says='1 file of ')
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
    expect(DAMAGE, 'restore', archive, tmp / 'out', says='shot.0003.ppm, cannot be restored')
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


def lines(*arguments):
    """Runs the tool, which finds damage, and returns its lines of complaint."""
    status, out, err = paco(*arguments)
    assert status == DAMAGE, (arguments, status, out, err)
    return out + err


def test_count(tmp):
    """An archive knows how many files it has: what is missing at its end is missed, also
    after archives were cut and joined."""
    folder, archive = archived(tmp, 6, width=64)
    whole = frames(archive)
    part = tmp / 'b.paco'
    for left, missing in ((whole[:1], 5), (whole[:5], 1), (whole[2:], 2), (whole[1:4], 3),
                          (whole + whole[:4], 2), (whole[:4] + whole, 2)):
        part.write_bytes(b''.join(left))
        says = f'{missing} of the {len(left) + missing} files of the archive do'
        assert len(left) > 6 or says in lines('restore', '--check', part)
        lines('restore', '-q', part, tmp / 'out')
        shutil.rmtree(tmp / 'out')
        for options in (), ('--fast',):
            assert f' {missing} missing' in lines('verify', *options, part)
        expect(DONE, 'restore', '--check', '--frames=0', part)
    # Cut, it is the archive of fewer files, and joined again what it was.
    expect(DONE, 'cut', archive, '0', '1', tmp / '1.paco')
    expect(DONE, 'cut', archive, '2', '5', tmp / '2.paco')
    expect(DONE, 'restore', '--check', tmp / '2.paco', says='4 files')
    few = tmp / 'few'
    few.mkdir()
    for name in sorted(os.listdir(folder))[2:]:
        shutil.copy(folder / name, few)
    expect(DONE, 'archive', '-q', '--md5', '--report=', few, tmp / 'few.paco')
    assert (tmp / 'few.paco').read_bytes() == (tmp / '2.paco').read_bytes()
    expect(DONE, 'join', tmp / '1.paco', tmp / '2.paco', tmp / 'c.paco')
    assert (tmp / 'c.paco').read_bytes() == archive.read_bytes()
    part.write_bytes(b''.join(frames(tmp / '2.paco')[:3]))
    expect(DAMAGE, 'join', tmp / '1.paco', part, tmp / 'd.paco',
           says='b.paco is not a whole archive: 1 more of its files is missing')
    assert '1 of the 6 files' in lines('restore', '--check', tmp / 'd.paco')
    # One of an earlier version does not know it, and comes back.
    old = [retype(frame, 16, 200) for frame in whole]
    part.write_bytes(b''.join(old))
    expect(DONE, 'restore', part, tmp / 'out')
    same(folder, tmp / 'out')
    part.write_bytes(b''.join(old[:4]))
    expect(DONE, 'restore', '--check', part, says='4 files')
    expect(DONE, 'join', part, tmp / '2.paco', tmp / 'e.paco')
    expect(DONE, 'verify', tmp / 'e.paco', says='8 frames, all sound')


def retype(frame, before, after):
    """Returns the frame with another type of its chunks of the type `before`."""
    parts = Frame(frame)
    parts.chunks = [[after if kind == before else kind, data]
                    for kind, data in parts.chunks]
    return bytes(parts)


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
    expect(DAMAGE, 'restore', tmp / 'b.paco', tmp / 'out', says='cannot be restored')
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


def test_one_is_lost(tmp):
    """Tests that a bad name, a kind of files that is not known, or a folder or link in its
    place costs that file alone: all others are restored."""
    _, archive = archived(tmp, 4, width=32, height=16)
    data = (tmp / 'in' / 'shot.0001.ppm').read_bytes()
    for case, (why, names, before) in enumerate((
            ('Not a directory', [b'a', b'a/b'], None),
            ('a folder', [b'a/b', b'a'], None),
            ('too long', [b'a', b'n' * 300], None),
            ('too long', [b'a', b'n' * 300 + b'/b'], None),
            ('a link', [b'a', b'b'], lambda out: (out / 'b').symlink_to(out / 'a')),
            ('a device', [b'a', b'b'], lambda out: os.mkfifo(out / 'b')),
            ('Not a directory', [b'a', b'b/c'], lambda out: (out / 'b').symlink_to(out)),
            ('of kind 77', [b'a', b'b'], None),
            ('has not been archived', [b'a', b''], None))):
        whole = [Frame(frame) for frame in frames(archive)]
        for frame, name in zip(whole, names + [b'c', b'd']):
            frame.keep(name=name)
        if '77' in why:
            whole[1].keep(kind=77)
        if 'archived' in why:
            for kind in 12, 13:
                whole[1].put(kind, None)
        Frame.write(tmp / 'b.paco', whole)
        out = tmp / f'out{case}'
        out.mkdir()
        if before:
            before(out)
        lost = os.fsdecode(names[1]) or 'a file without a name'
        # Two that cannot both be there come in order, because one thread writes them.
        text = expect(DAMAGE, 'restore', '-q', '--helpers=1', tmp / 'b.paco', out, says=why)
        assert f'rame 1, {lost}, cannot be restored' in text, text
        assert (out / 'c').read_bytes() and (out / 'd').read_bytes()
        assert (out / os.fsdecode(names[0])).read_bytes() == data


def test_hostile_rests(tmp):
    """Tests rests of a few bytes that stand for billions of chunks, of stored blocks, of
    bytes: they are refused before anything of that size is made."""
    lines = b''.join(bytes([0]) + random.randbytes(48) for _ in range(8))

    for level in 0, 6:
        folder = tmp / f'in{level}'
        folder.mkdir()
        (folder / 'x.png').write_bytes(
            b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', 16, 8, 8, 2, 0, 0, 0))
            + chunk(b'IDAT', zlib.compress(lines, level)) + chunk(b'IEND', b''))
        expect(DONE, 'archive', '-q', '--report=', folder, tmp / f'{level}.paco')
    huge = 0xffffffff

    def runs(level, chunks=(), blocks=()):
        """Returns a frame with some runs before those that it has."""
        (data,) = frames(tmp / f'{level}.paco')
        frame = Frame(data)
        rest = frame.rest()
        n, m = struct.unpack_from('<II', rest, 12)
        head = bytearray(rest[:28])
        struct.pack_into('<II', head, 12, n + len(chunks), m + len(blocks))
        end = 28 + 8 * n
        return frame.keep(rest=bytes(head)
                          + b''.join(struct.pack('<II', *run) for run in chunks) + rest[28:end]
                          + b''.join(struct.pack('<II', *run) for run in blocks) + rest[end:])

    (ppm,) = frames(archived(tmp / 'ppm', 1, width=16, height=8)[1])
    hostile = [
        runs(0, blocks=[(0, huge)]), runs(0, blocks=[(0, huge)]).keep(size=1 << 62),
        runs(6, chunks=[(0, huge)]), runs(6, chunks=[(0, huge)]).keep(size=1 << 62),
        runs(6, chunks=[(0, huge)]).keep(size=(1 << 31) - 1),
        runs(6, chunks=[(huge, huge)] * 2).keep(size=(1 << 31) - 1),
        runs(6, blocks=[(0, huge)]), runs(6, chunks=[(0, 0)] * (1 << 20)),
        Frame(ppm).keep(rest=Frame(ppm).rest() + bytes(300 << 20)),
    ]

    def little():
        # Sanitizers take address space for themselves.
        if 'PACO_SANITIZE' not in os.environ:
            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
        resource.setrlimit(resource.RLIMIT_CPU, (20, 20))

    for frame in hostile:
        frame.keep(name=b'hostile')
        Frame.write(tmp / 'b.paco', [frame, Frame(ppm)])
        status, _, err = paco('restore', '--threads=1', '--helpers=1', tmp / 'b.paco',
                              tmp / 'out', preexec_fn=little)
        assert status == DAMAGE and 'rame 0, hostile, ' in err, (status, err)
        assert os.listdir(tmp / 'out') == ['shot.0001.ppm']


def blank(path, width, height, file_size=None, payload=b''):
    """Returns a frame of a few bytes that is a whole picture of zeros, RGB of 16 bits."""
    (data,) = frames(path)
    frame = Frame(data)
    head = bytearray(frame.head[:72])
    struct.pack_into('<HH', head, 36, width, height)
    head[20:36] = bytes(16)
    head[64], head[66], head[68] = 3, 0, 0
    frame.head = head + bytes((16, 0, 0, 0)) * 3 + struct.pack('<H', 3 << 14) * 3
    frame.index = bytes(-(-width // 64) * -(-height // 256) * 3)
    frame.payload = payload
    text = b'P6\n%d %d\n65535\n' % (width, height)
    return frame.keep(name=b'%dx%d' % (width, height), rest=struct.pack('<BI', 1, len(text)) + text,
                      size=file_size or len(text) + 6 * width * height)


# A process also counts what the one had in which it began, as this one, so that a small
# one begins it.
PEAK = """
import resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)
"""


def peak(*arguments):
    """Runs the tool. Returns its exit code, standard error, and the most bytes that it had
    in memory."""
    # MALLOC_PERTURB_ writes to memory that programs leave alone.
    env = {name: value for name, value in os.environ.items() if name != 'MALLOC_PERTURB_'}
    run = subprocess.run([sys.executable, '-c', PEAK, PACO, *map(os.fspath, arguments)],
                         capture_output=True, text=True, check=True, env=env)
    status, most = map(int, run.stdout.split())
    return status, run.stderr, most


def test_limits(tmp):
    """Tests that archives of a few KB take neither any memory nor any disk, and that the
    line that refuses a file names the option that restores it."""
    _, small = archived(tmp, 1, width=16, height=8, maxval=65535)
    for limit, frame in (('--max-pixels=67117056', blank(small, 8192, 8193)),
                         ('--max-file=513', blank(small, 64, 64, 512000001)),
                         ('--memory=1510', blank(small, 8192, 8192, payload=bytes(9)))):
        Frame.write(tmp / 'b.paco', [frame, Frame(frames(small)[0])])
        out = tmp / limit
        text = expect(DAMAGE, 'restore', tmp / 'b.paco', out, says=limit)
        assert 'rame 0, ' in text and os.listdir(out) == ['shot.0001.ppm'], text
        text = expect(DAMAGE, 'restore', '--check', '-q', tmp / 'b.paco', says='rame 0, ')
        if 'file' in limit:
            text = expect(DAMAGE, 'restore', '--check', '-q', limit, tmp / 'b.paco')
            assert limit not in text, text
        if 'memory' in limit:
            for command in ('verify', tmp / 'b.paco'), ('decode', tmp / 'b.paco', out / '%d.ppm'):
                status, text, err = paco(*command)
                assert status == DAMAGE and limit in text + err, (status, text, err)
        if 'pixels' in limit:
            expect(FAILED, 'verify', tmp / 'b.paco', says='needs max-pixels=67117056')
    # That number of bytes comes of no archive of this size.
    Frame.write(tmp / 'b.paco', [blank(small, 64, 64, 500000000) for _ in range(33)])
    status, _, err = paco('restore', '--check', tmp / 'b.paco')
    assert status == FAILED and '--max-ratio=' in err, (status, err)
    option = err[err.index('--max-ratio='):].split()[0]
    status, _, err = paco('restore', '--check', option, tmp / 'b.paco')
    assert status == DAMAGE and option not in err, (status, err)
    for wrong in '--max-file=-1', '--memory=x', '--max-ratio=99999999999':
        assert paco('restore', '--check', wrong, small)[0] == USAGE
    # Large pictures are made one after the other.
    Frame.write(tmp / 'b.paco', [blank(small, 8192, 8192).keep(name=b'%d' % i)
                                 for i in range(4)])
    for command in (('restore', '--check', '--helpers=16'), ('verify', '--in-flight=8'),
                    ('restore', '--check', '--memory=100')):
        status, err, most = peak(*command, tmp / 'b.paco')
        assert status == (DONE if command[0] == 'verify' else DAMAGE), err
        assert 'PACO_SANITIZE' in os.environ or most < (
            600e6 if command[-1] == '--memory=100' else 1.2e9), (command, most)


def test_black(tmp):
    """Tests that pictures of which frames are a thousandth are restored."""
    folder = tmp / 'in'
    folder.mkdir()
    n = 2 if 'PACO_SANITIZE' in os.environ else 6
    for i in range(n):
        (folder / f'{i}.ppm').write_bytes(b'P6\n4096 2160\n255\n' + bytes(4096 * 2160 * 3))
    expect(DONE, 'archive', '-q', '--report=', folder, tmp / 'a.paco')
    assert os.path.getsize(tmp / 'a.paco') < 4096 * 2160 * 3 * n / 1000
    expect(DONE, 'restore', '-q', tmp / 'a.paco', tmp / 'out')
    same(folder, tmp / 'out')


def test_planted(tmp):
    """Tests that OUT.part, and the names of files that are being restored, are opened
    neither by way of a link nor if they are somebody else's."""
    folder, archive = archived(tmp, 2, width=32)
    (tmp / 'other').write_bytes(b'of somebody else')
    part = tmp / 'b.paco.part'
    for plant in (lambda: part.symlink_to(tmp / 'other'),
                  lambda: part.symlink_to(tmp / 'nothing'),
                  lambda: os.link(tmp / 'other', part), lambda: os.mkfifo(part)):
        plant()
        expect(FAILED, 'archive', '-q', folder, tmp / 'b.paco', says='b.paco.part is not a file')
        part.unlink()
    temporary = tmp / 'out' / 'shot.0001.ppm.paco-part'
    for plant in (lambda: temporary.symlink_to(tmp / 'other'),
                  lambda: temporary.symlink_to(tmp / 'nothing'),
                  lambda: os.link(tmp / 'other', temporary), lambda: os.mkfifo(temporary)):
        (tmp / 'out').mkdir()
        plant()
        expect(DONE, 'restore', archive, tmp / 'out')
        temporary.unlink()
        same(folder, tmp / 'out')
        shutil.rmtree(tmp / 'out')
    if os.geteuid() == 0:
        for path, code, run in (
                (part, FAILED, ('archive', '-q', folder, tmp / 'b.paco')),
                (temporary, DONE, ('restore', archive, tmp / 'out'))):
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(b'of somebody else')
            os.chown(path, 12345, 12345)
            expect(code, *run)
            assert path.read_bytes() == b'of somebody else'
    assert (tmp / 'other').read_bytes() == b'of somebody else'
    assert not (tmp / 'nothing').exists()


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
