#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests archives in MKV and MOV files: files and sound come back bit by bit, sound of another
length or kind is refused, and a run that was killed goes on."""
import os
import random
import resource
import shutil
import struct
import subprocess
import sys

import harness
from harness import (DAMAGE, DONE, FAILED, PACO, expect, paco, same, sequence)

SKIP = 77


def wav(seconds, bits=16, channels=2, rate=48000, kind=1, around=b'', short=0):
    """Makes a WAV file of noise, with a chunk before and one behind its
    samples."""
    block = channels * bits // 8
    samples = random.randbytes(round(seconds * rate) * block)
    head = struct.pack('<HHIIHH', kind, channels, rate, rate * block, block, bits)
    body = (b'fmt ' + struct.pack('<I', len(head)) + head
            + b'bext' + struct.pack('<I', len(around)) + around + bytes(len(around) % 2)
            + b'data' + struct.pack('<I', len(samples)) + samples[:len(samples) - short]
            + b'LIST' + struct.pack('<I', 4) + b'INFO')
    return b'RIFF' + struct.pack('<I', len(body) + 4) + b'WAVE' + body


def test_round_trip(tmp):
    """Tests pictures and sound, each kind of samples, in both containers."""
    folder = sequence(tmp / 'in', 6)
    for number, (bits, kind) in enumerate(((16, 1), (24, 1), (32, 1), (32, 3), (0, 0))):
        if bits:
            (folder / 'sound.wav').write_bytes(
                wav(6 / 24, bits, 1 + number % 2, kind=kind,
                    around=random.randbytes(random.randrange(700))))
        else:
            (folder / 'sound.wav').unlink()
        for name in ('a.mkv', 'a.mov') if number in (0, 4) else ('a.mkv',):
            expect(DONE, 'archive', '--fps=24', '--md5', folder, tmp / name,
                   says='Every frame')
            assert not os.path.exists(tmp / f'{name}.part')
            expect(DONE, 'restore', '--md5', tmp / name, tmp / 'out')
            same(folder, tmp / 'out')
            expect(DONE, 'restore', '--check', tmp / name)
            shutil.rmtree(tmp / 'out')
            for left in (name, f'{name}.json', f'{name}.framemd5'):
                (tmp / left).unlink()


def test_pages(tmp):
    """Tests files of several pictures, which last as long as their frames."""
    os.mkdir(tmp / 'in')
    for i in range(2):
        (tmp / 'in' / f'{i}.ppm').write_bytes(b''.join(harness.picture() for _ in range(12)))
    (tmp / 'in' / 'sound.wav').write_bytes(wav(1))
    for name in 'a.mkv', 'a.mov':
        expect(DONE, 'archive', '--fps=24', '--md5', tmp / 'in', tmp / name, says='24 frames')
        expect(DONE, 'restore', '--md5', tmp / name, tmp / f'{name}.out')
        same(tmp / 'in', tmp / f'{name}.out')


def test_formats(tmp):
    """Tests pictures whose samples are in no format of this GStreamer: no file is lost,
    whether the container is compared or not."""
    folder = sequence(tmp / 'in', 3, maxval=65535)
    for number, options in enumerate(([], ['--no-verify'])):
        for kind in 'mkv', 'mov':
            name = f'{number}.{kind}'
            expect(DONE, 'archive', '--fps=24', *options, folder, tmp / name)
            expect(DONE, 'restore', '--check', tmp / name, says='3 files')
            expect(DONE, 'restore', tmp / name, tmp / f'{name}.out')
            same(folder, tmp / f'{name}.out')


def test_count(tmp):
    """Tests that frames that a muxer leaves out without an error are missed."""
    folder = sequence(tmp / 'in', 3)
    for name in 'a.mkv', 'a.mov':
        expect(FAILED, 'archive', '--fps=2000000', '--no-verify', folder, tmp / name,
               says='1 of the 3 frames' if name == 'a.mkv' else 'Could not multiplex')
        assert not os.path.exists(tmp / name)


def test_lost_frames(tmp):
    """Tests that a container that has fewer frames than it was given is found out."""
    expect(DONE, 'archive', '-q', '--fps=24', sequence(tmp / 'in', 5), tmp / 'a.paco')
    for muxer, name in ('matroskamux', 'a.mkv'), ('qtmux', 'a.mov'):
        subprocess.run(['gst-launch-1.0', '-q', 'filesrc', f'location={tmp}/a.paco', '!',
                        'pacoparse', '!', 'identity', 'eos-after=4', '!', muxer, '!',
                        'filesink', f'location={tmp}/{name}'], check=True)
        for command in ['restore', '--check'], ['verify'], ['verify', '--checksums']:
            status, out, err = paco(*command, tmp / name)
            assert status == DAMAGE, (command, status, out, err)
            assert '2 missing' in out or '2 of the 5 files' in out, (out, err)


def test_no_rate(tmp):
    """Tests that a container of pictures without a rate, which would lose
    them, is refused, whoever makes it, before anything is written."""
    folder = sequence(tmp / 'in', 6)
    for name in 'a.mkv', 'a.mov':
        expect(FAILED, 'archive', '--no-verify', folder, tmp / name, says='--fps says it')
        expect(FAILED, 'encode', '--lossless', *sorted(folder.iterdir()), tmp / name,
               says='how many there are in a second')
    expect(DONE, 'archive', '-q', '--report=', folder, tmp / 'b.paco')
    expect(FAILED, 'join', tmp / 'b.paco', tmp / 'a.mkv', says='in a second')
    expect(FAILED, 'cut', tmp / 'b.paco', '0', '3', tmp / 'a.mkv', says='in a second')
    assert sorted(os.listdir(tmp)) == ['b.paco', 'in']


def test_restored_twice(tmp):
    """Tests that sound that is there already and the same stays, and that
    another one is never touched, and is no damage; nor is a disk without
    room for it."""
    folder = sequence(tmp / 'in', 6)
    (folder / 'sound.wav').write_bytes(wav(6 / 24))
    expect(DONE, 'archive', '-q', '--fps=24', folder, tmp / 'a.mkv')
    (tmp / 'out').mkdir()
    shutil.copy(folder / 'sound.wav', tmp / 'out')
    inode = (tmp / 'out' / 'sound.wav').stat().st_ino
    expect(DONE, 'restore', tmp / 'a.mkv', tmp / 'out')
    expect(DONE, 'restore', tmp / 'a.mkv', tmp / 'out', says='6 of them were there')
    same(folder, tmp / 'out')
    assert (tmp / 'out' / 'sound.wav').stat().st_ino == inode
    other = bytearray((folder / 'sound.wav').read_bytes())
    other[random.randrange(len(other))] ^= 1
    for there in other, b'mine':
        (tmp / 'out' / 'sound.wav').write_bytes(there)
        expect(FAILED, 'restore', tmp / 'a.mkv', tmp / 'out',
               says='sound.wav is there already')
        assert (tmp / 'out' / 'sound.wav').read_bytes() == there
    (tmp / 'out' / 'sound.wav').unlink()
    limit = len(other) - 1
    assert limit > max(p.stat().st_size for p in folder.glob('*.ppm'))
    expect(FAILED, 'restore', tmp / 'a.mkv', tmp / 'out',
           says='sound.wav cannot be written', preexec_fn=lambda: resource.setrlimit(
               resource.RLIMIT_FSIZE, (limit, limit)))
    assert not [e for e in os.listdir(tmp / 'out') if 'sound' in e]


def test_refused(tmp):
    """Tests sound that does not belong to the pictures, or cannot be carried."""
    folder = sequence(tmp / 'in', 6)

    def refused(data, says, *options):
        (folder / 'sound.wav').write_bytes(data)
        expect(FAILED, 'archive', *options, folder, tmp / 'a.mkv', says=says)
        assert not [e for e in os.listdir(tmp) if e.startswith('a.mkv')]

    refused(wav(6 / 24), 'how many there are in a second')
    refused(wav(7.5 / 24), 'lasts 0.312 s, and 6 pictures', '--fps=24')
    refused(wav(4.5 / 24), 'lasts', '--fps=24')
    refused(wav(6 / 24, bits=8), '8 bits', '--fps=24')
    refused(wav(6 / 24, kind=85), 'format 85', '--fps=24')
    refused(wav(6 / 24, short=99), 'not there', '--fps=24')
    refused(wav(6 / 24)[:30], 'no whole WAV', '--fps=24')
    refused(wav(6 / 24, around=random.randbytes(9000)), 'too much', '--fps=24')
    (folder / 'sound.wav').write_bytes(wav(4.5 / 24))
    expect(DONE, 'archive', '-q', '--fps=24', '--any-sound-length', folder, tmp / 'a.mkv')
    expect(DONE, 'restore', '-q', tmp / 'a.mkv', tmp / 'out')
    same(folder, tmp / 'out')
    (folder / 'more.wav').write_bytes(wav(6 / 24))
    shutil.rmtree(tmp / 'out')
    expect(DONE, 'archive', '--fps=24', folder, tmp / 'b.mkv',
           says='sound.wav lasts 0.188 s, and 6 pictures at 24/1 a second last 0.250 s; it is kept')
    expect(DONE, 'restore', '-q', tmp / 'b.mkv', tmp / 'out')
    same(folder, tmp / 'out')


def rf64(data, magic=b'RF64'):
    """Makes a WAV file one whose sizes are in another chunk, as if it had 4 GB."""
    at = data.index(b'data')
    size, = struct.unpack_from('<I', data, at + 4)
    sizes = b'ds64' + struct.pack('<IQQQI', 28, len(data) + 28, size, 0, 0)
    unknown = b'\xff\xff\xff\xff'
    return (magic + unknown + b'WAVE' + sizes + data[12:at + 4] + unknown + data[at + 8:])


def test_several(tmp):
    """Tests several files of sound, of all kinds: they are tracks, and come back."""
    folder = sequence(tmp / 'in', 6)
    kinds = ((16, 1, 1), (24, 2, 1), (32, 8, 1), (16, 6, 1), (24, 1, 1), (32, 2, 3))
    for number, (bits, channels, kind) in enumerate(kinds):
        data = wav(6 / 24, bits, channels, rate=(48000, 96000)[number % 2], kind=kind,
                   around=b'coding history' * 40 + random.randbytes(random.randrange(100)))
        (folder / f'track {number}.wav').write_bytes(
            (data, rf64(data), rf64(data, b'BW64'))[number % 3])
    (folder / 'x').mkdir()
    (folder / 'x' / 'track 9.wav').write_bytes(wav(6 / 24))
    for name, members in ('a.mkv', 1), ('a.mov', 2):
        text = expect(DONE, 'archive', '--fps=24', folder, tmp / name, says='Every frame')
        assert f'{members} of them' in text, text
        assert ('F32LE; it is kept as it is' in text) == (name == 'a.mov'), text
        expect(DONE, 'restore', '--check', tmp / name)
        expect(DONE, 'restore', tmp / name, tmp / f'{name}.out')
        same(folder, tmp / f'{name}.out')
    # Each of them is missed. Frames alone say which there were.
    expect(DONE, 'cut', tmp / 'a.mkv', '0', '5', tmp / 'b.paco')
    expect(DONE, 'join', '-q', '--sound', folder / 'track 0.wav', tmp / 'b.paco', tmp / 'b.mkv')
    status, _, err = paco('restore', '--check', tmp / 'b.mkv')
    assert status == DAMAGE and '1 track of sound instead of 6' in err, err
    expect(DONE, 'restore', tmp / 'b.paco', tmp / 'pictures', says='track 0.wav and more, is not')
    # A range has the first one, and others as members.
    for name, range_ in ('1.paco', '0-2'), ('2.paco', '3-5'):
        expect(DONE, 'archive', '-q', '--fps=24', f'--frames={range_}', folder, tmp / name)
    expect(DONE, 'join', '-q', tmp / '1.paco', tmp / '2.paco', tmp / 'c.paco')
    expect(DONE, 'restore', '-q', tmp / 'c.paco', tmp / 'c')
    same(folder, tmp / 'c')


def test_long_sound(tmp):
    """Tests sound that lasts so long that pictures beside it are not found in MOV files."""
    folder = sequence(tmp / 'in', 6)
    (folder / 'a.wav').write_bytes(wav(6 / 24))
    (folder / 'b.wav').write_bytes(wav(2))
    options = ('archive', '-q', '--report=', '--fps=24', '--any-sound-length', folder)
    for name in 'a.mov', 'a.mkv':
        expect(DONE, *options, tmp / name)
        expect(DONE, 'restore', '-q', tmp / name, tmp / f'{name}.out')
        same(folder, tmp / f'{name}.out')
    (folder / 'a.wav').unlink()
    expect(FAILED, *options, tmp / 'b.mov', says='more than 4 times as long as the pictures')
    expect(DONE, *options, tmp / 'b.mkv')


def test_several_refused(tmp):
    """Tests that further sound that cannot be a track is a member, and says why; and that
    with --only-pictures it is refused."""
    folder = sequence(tmp / 'in', 6)
    (folder / 'a.wav').write_bytes(wav(6 / 24))
    for data, says in ((wav(7.5 / 24), 'lasts 0.312 s'), (wav(6 / 24, bits=8), '8 bits'),
                       (wav(6 / 24, kind=85), 'format 85'), (wav(6 / 24, short=99), 'not there'),
                       (wav(6 / 24)[:30], 'no whole WAV'),
                       (wav(6 / 24, around=random.randbytes(20000)), 'too much')):
        (folder / 'b.wav').write_bytes(data)
        expect(FAILED, 'archive', '-q', '--fps=24', '--only-pictures', folder, tmp / 'a.mkv',
               says=says)
        text = expect(DONE, 'archive', '--report=', '--fps=24', folder, tmp / 'a.mkv', says=says)
        assert 'b.wav' in text and 'it is kept as it is' in text
        expect(DONE, 'restore', '-q', tmp / 'a.mkv', tmp / 'out')
        same(folder, tmp / 'out')
        shutil.rmtree(tmp / 'out')
        (tmp / 'a.mkv').unlink()


def test_range(tmp):
    """Tests that ranges keep what is to be known of the sound, and are the
    archive when they are joined."""
    folder = sequence(tmp / 'in', 6)
    (folder / 'sound.wav').write_bytes(wav(6 / 24))
    expect(DONE, 'archive', '-q', '--fps=24', folder, tmp / 'a.mkv')
    for kind in 'mkv', 'paco':
        for name, range_ in (f'1.{kind}', '0-2'), (f'2.{kind}', '3-5'):
            expect(DONE, 'archive', '-q', '--fps=24', f'--frames={range_}', folder, tmp / name)
        expect(DONE, 'join', '-q', '--sound', folder / 'sound.wav', tmp / f'1.{kind}',
               tmp / f'2.{kind}', tmp / f'b-{kind}.mkv')
        expect(DONE, 'restore', '-q', tmp / f'b-{kind}.mkv', tmp / kind)
        same(folder, tmp / kind)
    # A file of frames has it as it is.
    expect(DONE, 'restore', tmp / '1.paco', tmp / 'part')
    assert (tmp / 'part' / 'sound.wav').read_bytes() == (folder / 'sound.wav').read_bytes()


def main():
    # A tool without GStreamer says so.
    with open('/dev/null', 'rb') as null:
        out = subprocess.run([PACO, 'archive', '/nothing', 'x.mkv'], stdin=null,
                             capture_output=True, check=False).stderr
    if b'without GStreamer' in out:
        return SKIP
    return harness.main(globals())


if __name__ == '__main__':
    sys.exit(main())
