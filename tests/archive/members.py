#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests members of archives: files that are no frames, and are kept as they are beside the
pictures. They come back bit by bit, whatever they are, however large, cut and joined."""
import json
import os
import pathlib
import random
import resource
import shutil
import struct
import subprocess
import sys
import time

import exr
import harness
import paging
from harness import (DAMAGE, DONE, FAILED, PACO, Frame, chunk, expect, frames, paco, picture, same,
                     sequence)


def dpx(width, height, samples):
    """A DPX file of R, G and B, of 16 bits."""
    head = bytearray(2048)
    struct.pack_into('>4sI8sI', head, 0, b'SDPX', 2048, b'V1.0', 2048 + len(samples))
    struct.pack_into('>I', head, 660, 0xffffffff)
    struct.pack_into('>HHII', head, 768, 0, 1, width, height)
    struct.pack_into('>IIfIf4B', head, 780, 0, 0, 0, 65535, 2, 50, 2, 2, 16)
    struct.pack_into('>HHIII', head, 804, 0, 0, 2048, 0, 0)
    return bytes(head) + samples


def wav(n):
    """A WAV file of n samples."""
    samples = random.randbytes(2 * n)
    return (b'RIFF' + struct.pack('<I', 36 + len(samples)) + b'WAVEfmt '
            + struct.pack('<IHHIIHH', 16, 1, 1, 48000, 96000, 2, 16) + b'data'
            + struct.pack('<I', len(samples)) + samples)


def reel(folder):
    """A folder as scanners leave it."""
    scans = folder / 'scans'
    scans.mkdir(parents=True)
    for i in range(24):
        (scans / f'scan_{i:04}.dpx').write_bytes(dpx(64, 36, random.randbytes(64 * 36 * 6)))
    whole = dpx(64, 36, random.randbytes(64 * 36 * 6))
    (scans / 'scan_0024.dpx').write_bytes(whole[:5000])
    (scans / 'scan_0025.dpx').write_bytes(bytes(2048) + whole[2048:])
    (scans / 'scan_0026.dpx').write_bytes(b'')
    (folder / '.DS_Store').write_bytes(b'\0\0\0\1Bud1' + bytes(6000))
    (folder / 'look.cube').write_text('LUT_3D_SIZE 33\n' + '0.1 0.2 0.3\n' * 9999)
    (folder / 'reel.xml').write_text('<reel/>')
    (folder / 'left.wav').write_bytes(wav(10000))
    (folder / 'right.wav').write_bytes(wav(3000000))
    (folder / 'cover.tif').write_bytes(b'II*\0' + random.randbytes(4000))
    return folder


NAMES = ['.DS_Store', 'cover.tif', 'left.wav', 'look.cube', 'reel.xml', 'right.wav',
         'scans/scan_0024.dpx', 'scans/scan_0025.dpx', 'scans/scan_0026.dpx']


def test_reel(tmp):
    """Tests a folder with all that folders of scans have."""
    folder = reel(tmp / 'in')
    text = expect(DONE, 'archive', '--md5', folder, tmp / 'a.paco', says='33 files')
    assert '7 files are no pictures and are kept as they are: .DS_Store, left.wav' in text
    assert 'scans/scan_0026.dpx (empty)' in text and '2 pictures are no frames' in text
    report = json.loads((tmp / 'a.paco.json').read_text())
    assert len(report['frames']) == 24
    assert sorted(m['name'] for m in report['members']) == NAMES
    sums = subprocess.run(['md5sum', *(m['name'] for m in report['members'])], cwd=folder,
                          check=True, capture_output=True, text=True).stdout.split()[::2]
    assert sums == [m['md5'] for m in report['members']]
    expect(DONE, 'restore', '--check', '--md5', tmp / 'a.paco', says='33 files')
    expect(DONE, 'restore', tmp / 'a.paco', tmp / 'out', says='33 files')
    same(folder, tmp / 'out')
    expect(DONE, 'restore', tmp / 'a.paco', tmp / 'out', says='33 of them were there')
    expect(DONE, 'verify', tmp / 'a.paco', says='24 frames and 9 members, all sound')
    expect(DONE, 'verify', '--fast', tmp / 'a.paco', says='24 frames and 9 members')
    listed = expect(DONE, 'info', tmp / 'a.paco')
    for name in NAMES:
        assert f' {name}, {(folder / name).stat().st_size} bytes' in listed, listed
    listed = json.loads(expect(DONE, 'info', '--json', tmp / 'a.paco'))
    assert sorted(m['name'] for m in listed[0]['members']) == NAMES
    # The archive of what was restored is the same.
    expect(DONE, 'archive', '-q', '--md5', '--report=', tmp / 'out', tmp / 'b.paco')
    assert (tmp / 'b.paco').read_bytes() == (tmp / 'a.paco').read_bytes()
    # The same command again has nothing to do, unless a file is another one now.
    expect(DONE, 'archive', '--md5', folder, tmp / 'a.paco', says='a.paco is complete')
    for name in 'right.wav', 'scans/scan_0003.dpx', 'scans/scan_0026.dpx':
        was = (folder / name).read_bytes()
        (folder / name).write_bytes(was[:-1] + (b'!' if was[-1:] == b'?' else b'?'))
        expect(FAILED, 'archive', '--md5', folder, tmp / 'a.paco', says='nothing is overwritten')
        (folder / name).write_bytes(was)
    expect(FAILED, 'archive', '--md5', '--skip=right.wav', folder, tmp / 'a.paco',
           says='nothing is overwritten')
    expect(FAILED, 'archive', folder, tmp / 'a.paco', says='nothing is overwritten')
    # Whoever wants pictures only is told what else there is.
    text = expect(FAILED, 'archive', '--only-pictures', folder, tmp / 'c.paco',
                  says='9 files that are no pictures of the sequence')
    assert all(name in text for name in NAMES) and not (tmp / 'c.paco.part').exists()


def test_decoder(tmp):
    """Tests that an archive carries a decoder of itself, which anybody can compile."""
    folder, own = sequence(tmp / 'in', n=3), tmp / 'out/paco-decoder'
    text = expect(DONE, 'archive', '--with-decoder', folder, tmp / 'a.paco', says='8 files')
    assert 'no pictures' not in text and 'decoder' not in text, text
    expect(DONE, 'archive', '--with-decoder', folder, tmp / 'a.paco', says='a.paco is complete')
    expect(DONE, 'restore', tmp / 'a.paco', tmp / 'out', says='8 files')
    assert sorted(path.name for path in own.iterdir()) == [
        'ARCHIVE-FORMAT.md', 'FORMAT.md', 'paco-decoder.c', 'paco-decoder.h', 'paco-to-pnm.c']
    # What was restored has it already.
    expect(DONE, 'archive', '--with-decoder', '--report=', tmp / 'out', tmp / 'b.paco',
           says='paco-decoder/ARCHIVE-FORMAT.md and 4 other files of the decoder are in the folder')
    assert (tmp / 'a.paco').read_bytes() == (tmp / 'b.paco').read_bytes()
    # A file and a folder of one name would not both come back.
    (folder / 'paco-decoder').write_bytes(b'a file')
    expect(FAILED, 'archive', '--with-decoder', folder, tmp / 'c.paco', says='paco-decoder is a file')
    (folder / 'paco-decoder').unlink()
    if not shutil.which('cc'):
        return
    subprocess.run(['cc', '-std=c99', '-O1', 'paco-to-pnm.c', 'paco-decoder.c', '-lm', '-o',
                    tmp / 'paco-to-pnm'], cwd=own, check=True)
    subprocess.run([tmp / 'paco-to-pnm', tmp / 'a.paco', tmp / 'p'], check=True)
    for i, path in enumerate(sorted(folder.iterdir())):
        assert path.read_bytes() == (tmp / f'p-{i}.ppm').read_bytes(), path
    broken = tmp / 'broken.paco'
    broken.write_bytes((tmp / 'a.paco').read_bytes()[:5000])
    assert subprocess.run([tmp / 'paco-to-pnm', broken, tmp / 'q'], check=False,
                          capture_output=True).returncode == 1


def test_containers(tmp):
    """Tests members in MKV and MOV files; one sound is heard there."""
    if b'without GStreamer' in subprocess.run([PACO, 'archive', '/nothing', 'x.mkv'],
                                              capture_output=True, check=False).stderr:
        return
    folder = reel(tmp / 'in')
    for name in 'a.mkv', 'a.mov':
        expect(DONE, 'archive', '-q', '--fps=24', '--any-sound-length', folder, tmp / name)
        expect(DONE, 'restore', '-q', tmp / name, tmp / 'out')
        same(folder, tmp / 'out')
        assert 'left.wav' not in expect(DONE, 'info', tmp / name)
        shutil.rmtree(tmp / 'out')


def test_no_picture(tmp):
    """Tests that a folder without a picture is refused in a sentence."""
    (tmp / 'in').mkdir()
    (tmp / 'in' / 'notes.txt').write_bytes(b'x')
    (tmp / 'in' / 'empty.dpx').write_bytes(b'')
    for options in (), ('--list',):
        expect(FAILED, 'archive', *options, tmp / 'in', *([] if options else [tmp / 'o.paco']),
               says='has no picture of a kind that can be archived (DPX')
    (tmp / 'in' / '1.png').write_bytes(b'\x89PNG\r\n\x1a\n' + bytes(99))
    expect(FAILED, 'archive', tmp / 'in', tmp / 'o.paco', says='no picture')
    assert os.listdir(tmp) == ['in']


def test_sequence(tmp):
    """Tests that the pictures of the kind and size that most have are frames, with gaps."""
    folder = sequence(tmp / 'in', 3, width=20)
    sequence(folder, 5, first=10)
    sequence(folder, 1, first=30, kind=5)
    text = expect(DONE, 'archive', folder, tmp / 'a.paco', says='9 files')
    assert len(frames(tmp / 'a.paco')) == 5
    assert '4 pictures are no frames and are kept as they are: shot.0001.ppm (it has 20 x' in text
    (folder / 'shot.0012.ppm').unlink()
    expect(DONE, 'archive', folder, tmp / 'b.paco',
           says='shot.0011.ppm is followed by a gap: 12 to 12 are missing')
    assert 'gap' not in expect(DONE, 'archive', '--allow-gaps', folder, tmp / 'c.paco')
    expect(DONE, 'restore', tmp / 'b.paco', tmp / 'out')
    same(folder, tmp / 'out')


def test_left_out(tmp):
    """Tests that what is no file is named."""
    folder = sequence(tmp / 'in', 3)
    (folder / 'empty').mkdir()
    os.mkfifo(folder / 'pipe')
    (folder / 'loop').symlink_to('.')
    (folder / 'dangling').symlink_to('nowhere')
    (tmp / 'other.txt').write_bytes(b'other')
    (folder / 'link.txt').symlink_to('../other.txt')
    text = expect(DONE, 'archive', folder, tmp / 'a.paco', says='4 things are left out')
    assert 'empty (an empty folder)' in text and 'pipe (neither' in text, text
    assert 'loop (a link' in text and 'dangling (a link' in text, text
    assert '1 file is a link, and comes back as a file: link.txt' in text
    expect(DONE, 'restore', tmp / 'a.paco', tmp / 'out')
    assert (tmp / 'out' / 'link.txt').read_bytes() == b'other'
    for name in 'empty', 'pipe', 'loop', 'dangling':
        assert not os.path.lexists(tmp / 'out' / name)
        expect(FAILED, 'archive', '--only-pictures', '--skip=link.txt',
               *(f'--skip={other}' for other in ('empty', 'pipe', 'loop', 'dangling')
                 if other != name), folder, tmp / 'b.paco', says=f'{name} is ')


def deeper():
    """A picture that turns out to be none when it is read whole."""
    return picture(maxval=127)[:-1] + b'\xff'


def late(folder, n, those):
    """Makes a folder some of whose files turn out to be no frames."""
    sequence(folder, n, maxval=127)
    for i in those:
        (folder / f'shot.{i:04}.ppm').write_bytes(deeper())


def test_late(tmp):
    """Tests files that turn out to be no frames when they are read: at the begin, in the
    middle and at the end, with members and without."""
    for case, those in enumerate(((1, 2), (4, 5, 9), (11, 12), (1, 6, 12), range(3, 12))):
        folder = tmp / f'in{case}'
        late(folder, 12, those)
        if case % 2:
            (folder / 'notes.txt').write_bytes(random.randbytes(3000000))
            (folder / 'zero').write_bytes(b'')
        archive = tmp / f'{case}.paco'
        text = expect(DONE, 'archive', folder, archive, says='is kept as it is')
        assert len(frames(archive)) == 12 - len(those)
        members = len(those) + case % 2 * 2
        assert f'{members} of them are' in text
        expect(DONE, 'verify', archive, says=f' and {members} members, all sound')
        expect(DONE, 'restore', archive, tmp / f'out{case}', says=f'{12 + case % 2 * 2} files')
        same(folder, tmp / f'out{case}')
        # One that is cut is not whole.
        whole = archive.read_bytes()
        if len(frames(archive)) > 1:
            archive.write_bytes(b''.join(frames(archive)[:-1]))
            assert paco('restore', '--check', archive)[0] == DAMAGE
        archive.write_bytes(whole)
    expect(FAILED, 'archive', '--only-pictures', '--skip=notes.txt', '--skip=zero', tmp / 'in1',
           tmp / 'n.paco', says='shot.0004.ppm cannot be archived')
    # Of all files of a folder none is a frame.
    (tmp / 'none').mkdir()
    for i in range(3):
        data = chunk(b'IHDR', struct.pack('>IIBBBBB', 9, 9, 8, 2, 0, 0, 0))
        (tmp / 'none' / f'{i}.png').write_bytes(
            b'\x89PNG\r\n\x1a\n' + data + chunk(b'IDAT', b'none') + chunk(b'IEND', b''))
    expect(FAILED, 'archive', tmp / 'none', tmp / 'm.paco', says='0.png cannot be archived')
    assert not (tmp / 'm.paco.part').exists()


def test_interrupted(tmp):
    """Tests that a run that was killed at any byte goes on, to the same bytes."""
    folder = tmp / 'in'
    late(folder, 30, (1, 7, 8, 20))
    (folder / 'big').write_bytes(random.randbytes(9000000) + bytes(9000000))
    for i in range(20):
        (folder / f'{i}.txt').write_bytes(random.randbytes(random.randrange(300000)))
    expect(DONE, 'archive', '-q', '--report=', folder, tmp / 'whole.paco')
    whole = (tmp / 'whole.paco').read_bytes()
    sizes = [len(f) for f in frames(tmp / 'whole.paco')]
    for _ in range(6):
        # A run that ends writes other numbers than one that goes on.
        process = subprocess.Popen([PACO, 'archive', '-q', '--report=', folder,
                                    tmp / 'a.paco'])
        at = random.randrange(len(whole))
        end = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < end:
            if (tmp / 'a.paco.part').exists() and (tmp / 'a.paco.part').stat().st_size > at:
                break
        process.kill()
        process.communicate()
        if not (tmp / 'a.paco').exists():
            expect(DONE, 'archive', folder, tmp / 'a.paco', says='51 files')
            (tmp / 'a.paco.json').unlink()
        assert (tmp / 'a.paco').read_bytes() == whole
        (tmp / 'a.paco').unlink()
    # A member that has changed is found out.
    part = tmp / 'b.paco.part'
    part.write_bytes(whole[:sum(sizes[:12])])
    big = bytearray((folder / 'big').read_bytes())
    big[random.randrange(4000000)] ^= 1
    (folder / 'big').write_bytes(big)
    expect(FAILED, 'archive', folder, tmp / 'b.paco', says='big has changed since it was kept')
    (folder / 'big').unlink()
    expect(FAILED, 'archive', folder, tmp / 'b.paco', says='other files are kept in it')
    # A picture has come before files that turned out to be no frames.
    folder = tmp / 'more'
    late(folder, 8, (4, 5))
    (folder / 'shot.0003.ppm').rename(tmp / 'held')
    expect(DONE, 'archive', '-q', '--report=', folder, tmp / 'c.paco')
    (tmp / 'c.paco').rename(tmp / 'c.paco.part')
    (tmp / 'held').rename(folder / 'shot.0003.ppm')
    expect(FAILED, 'archive', folder, tmp / 'c.paco', says='shot.0003.ppm is not kept in it')


def test_cut_and_join(tmp):
    """Tests that members come along whole, or a line says that they do not; parts that are
    joined again have them all."""
    folder = sequence(tmp / 'in', 12)
    for i in range(4):
        (folder / f'{i}.bin').write_bytes(random.randbytes(2500000))
    (folder / 'zero').write_bytes(b'')
    expect(DONE, 'archive', '-q', folder, tmp / 'a.paco')
    whole = (tmp / 'a.paco').read_bytes()
    text = expect(DONE, 'cut', tmp / 'a.paco', '0', '3', tmp / '1.paco',
                  says='lies on frames after these')
    assert '1.bin' in text
    expect(DONE, 'cut', tmp / 'a.paco', '4', '11', tmp / '2.paco',
           says='lies on frames before these')
    out = expect(DONE, 'restore', tmp / '1.paco', tmp / 'out', says='ends in another part')
    assert '1.bin' in out and 'lies on' not in out
    assert sorted(os.listdir(tmp / 'out'))[0] == '0.bin'
    assert not (tmp / 'out' / '1.bin').exists()
    expect(DONE, 'restore', tmp / '2.paco', tmp / 'out', says='begins in another part')
    same_but = subprocess.run(['diff', '-rq', folder, tmp / 'out'], capture_output=True,
                              text=True, check=False).stdout
    assert same_but.count('\n') == 1 and '1.bin' in same_but, same_but
    expect(DONE, 'join', tmp / '1.paco', tmp / '2.paco', tmp / 'b.paco')
    assert (tmp / 'b.paco').read_bytes() == whole
    # In another order the member ends before it begins.
    expect(DONE, 'join', tmp / '2.paco', tmp / '1.paco', tmp / 'c.paco')
    expect(DONE, 'verify', tmp / 'c.paco', says='12 frames and 5 members')
    status, text, err = paco('restore', '--check', tmp / 'c.paco')
    assert status == DAMAGE and 'joined in the wrong order' in err, (status, text, err)
    # Ranges become what one run makes.
    for first, last in (0, 2), (3, 3), (4, 9), (10, 11):
        expect(DONE, 'archive', '-q', '--report=', f'--frames={first}-{last}', folder,
               tmp / f'r{first}.paco')
        expect(DONE, 'restore', '--check', tmp / f'r{first}.paco')
    expect(DONE, 'join', *(tmp / f'r{n}.paco' for n in (0, 3, 4, 10)), tmp / 'd.paco')
    assert (tmp / 'd.paco').read_bytes() == whole


def test_damage(tmp):
    """Tests that a member with a damaged piece is named, and all others come back."""
    folder = sequence(tmp / 'in', 6)
    for i in range(3):
        (folder / f'{i}.bin').write_bytes(random.randbytes(3000000))
    (folder / 'a.txt').write_bytes(b'x' * 5000)
    expect(DONE, 'archive', '-q', folder, tmp / 'a.paco')
    whole = frames(tmp / 'a.paco')
    data = list(whole)
    hurt = bytearray(data[3])
    hurt[-9] ^= 1
    data[3] = bytes(hurt)
    (tmp / 'b.paco').write_bytes(b''.join(data))
    for command in ('verify',), ('verify', '--fast'), ('restore', '--check'):
        status, out, err = paco(*command, tmp / 'b.paco')
        assert status == DAMAGE and 'attachment' in out + err, (command, out, err)
    # A frame is missing in the middle, at the begin, and at the end.
    for gone in range(6):
        (tmp / 'b.paco').write_bytes(b''.join(whole[:gone] + whole[gone + 1:]))
        status, out, err = paco('restore', tmp / 'b.paco', tmp / f'out{gone}')
        assert status == DAMAGE, (gone, out, err)
        there = {p.name for p in (tmp / f'out{gone}').iterdir()}
        for path in (tmp / f'out{gone}').iterdir():
            assert path.read_bytes() == (folder / path.name).read_bytes()
        lost = {p.name for p in folder.iterdir()} - there
        bins = {name for name in lost if name.endswith('.bin')}
        assert f'shot.{gone + 1:04}.ppm' in lost and 1 <= len(bins) <= 2, (gone, lost)
        assert not [name for name in there if 'paco-part' in name]
        count = [line for line in out.splitlines() if ' files of the archive do' in line]
        assert count and count[0].startswith(f'{len(lost)} of the 10 '), (gone, out, err)


def test_hostile(tmp):
    """Tests names and numbers that no archive writes."""
    folder = sequence(tmp / 'in', 1)
    (folder / 'a.txt').write_bytes(b'member')
    expect(DONE, 'archive', '-q', folder, tmp / 'a.paco')
    frame, = frames(tmp / 'a.paco')

    def changed(change):
        parts = Frame(frame)
        piece = bytearray(parts.attachment)
        count = bytearray(parts.chunk(17))
        change(piece, count)
        struct.pack_into('<I', count, 12, len(piece) if count[12:16] == bytes(4) else
                         struct.unpack_from('<I', count, 12)[0])
        parts.attachment = bytes(piece)
        parts.chunks = [[kind, count if kind == 17 else data] for kind, data in parts.chunks]
        Frame.write(tmp / 'h.paco', [parts])
        status, out, err = paco('restore', tmp / 'h.paco', tmp / 'out')
        left = sorted(os.listdir(tmp / 'out')) if (tmp / 'out').exists() else []
        shutil.rmtree(tmp / 'out', ignore_errors=True)
        paco('info', tmp / 'h.paco')
        paco('verify', tmp / 'h.paco')
        return status, out + err, left

    def rename(name):
        def change(piece, count):
            piece[60:65] = name
            struct.pack_into('<H', piece, 26, len(name))
            struct.pack_into('<I', count, 12, 0)
        return change

    assert changed(rename(b'a.txt'))[::2] == (DONE, ['a.txt', 'shot.0001.ppm'])
    for name in b'../out2', b'/etc/x', b'', b'a/../b', b'a\0b', b'.':
        status, text, left = changed(rename(name))
        assert status == DAMAGE and left == ['shot.0001.ppm'], (name, status, text, left)
    status, text, left = changed(rename(b'shot.0001.ppm'))
    assert status == DAMAGE and left == ['shot.0001.ppm'] and 'same file' in text
    status, text, left = changed(rename(b'x.paco-part'))
    assert status == DAMAGE and 'being restored' in text
    for at, form, value in ((0, '<Q', 2 ** 40), (8, '<Q', 5), (16, '<I', 7), (20, '<I', 99999),
                            (24, 'B', 1), (24, 'B', 9), (26, '<H', 60000), (28, 'B', 1)):
        def change(piece, count, at=at, form=form, value=value):
            was = struct.unpack_from(form, piece, at)[0]
            struct.pack_into(form, piece, at, value if was != value else value + 1)
        status, text, left = changed(change)
        assert left == ['shot.0001.ppm'], (at, value, left)
        assert status == (DONE if 'another part' in text else DAMAGE), (at, text)
    for at, value in ((4, 2), (4, 2 ** 32 - 1), (12, 10), (12, 2 ** 32 - 1)):
        def change(piece, count, at=at, value=value):
            struct.pack_into('<I', count, at, value)
        status, text, left = changed(change)
        assert status == DAMAGE, (at, value, text)
    (tmp / 'big').mkdir()
    sequence(tmp / 'big', 1)
    with open(tmp / 'big' / 'zeros', 'wb') as file:
        file.truncate(30000000)
    expect(DONE, 'archive', '-q', tmp / 'big', tmp / 'z.paco')
    status, _, err = paco('restore', '--max-file=20', tmp / 'z.paco', tmp / 'out')
    assert status == DAMAGE and '--max-file=31 restores it' in err, err
    assert os.listdir(tmp / 'out') == ['shot.0001.ppm']


def test_planted(tmp):
    """Tests that members are written through no link, and over no other file."""
    folder = sequence(tmp / 'in', 2)
    (folder / 'sub').mkdir()
    (folder / 'sub' / 'a.txt').write_bytes(b'member')
    expect(DONE, 'archive', '-q', folder, tmp / 'a.paco')
    (tmp / 'elsewhere').mkdir()
    (tmp / 'out').mkdir()
    (tmp / 'out' / 'sub').symlink_to(tmp / 'elsewhere')
    status, _, err = paco('restore', tmp / 'a.paco', tmp / 'out')
    assert status == DAMAGE and 'sub/a.txt cannot be restored' in err, err
    assert not os.listdir(tmp / 'elsewhere')
    (tmp / 'out' / 'sub').unlink()
    (tmp / 'out' / 'sub').mkdir()
    (tmp / 'out' / 'sub' / 'a.txt').write_bytes(b'mine!!')
    expect(FAILED, 'restore', tmp / 'a.paco', tmp / 'out', says='nothing is overwritten')
    assert (tmp / 'out' / 'sub' / 'a.txt').read_bytes() == b'mine!!'
    (tmp / 'out' / 'sub' / 'a.txt').unlink()
    (tmp / 'out' / 'sub' / 'a.txt').symlink_to(tmp / 'nothing')
    status, _, err = paco('restore', tmp / 'a.paco', tmp / 'out')
    assert status == DAMAGE and 'has its name' in err and not (tmp / 'nothing').exists()


def test_reels_of_pages(tmp):
    """Tests reels whose pictures are several in a file, and reels that have such files beside
    their pictures."""
    tiff = paging.write([paging.Page() for _ in range(64)])
    parts = exr.exr_of_parts([{'channels': exr.RGB}, {'channels': [('Z', exr.FLOAT, 1)]},
                              {'channels': exr.RGB}])
    for name, n, files in (('dpx', 24, {'a.tif': tiff, 'b.exr': parts}),
                           ('tiff', 26 * 64, {f'{i}.tif': tiff for i in range(26)}),
                           ('exr', 26 * 2, {f'{i}.exr': parts for i in range(26)})):
        folder, code = reel(tmp / name), tmp / f'{name}.paco'
        for path, data in files.items():
            (folder / path).write_bytes(data)
        expect(DONE, 'archive', '--md5', '--keep-files', '--split=200kB', folder, code)
        code = tmp / f'{name}.0001.paco'
        whole = b''.join(path.read_bytes() for path in sorted(tmp.glob(f'{name}.0*.paco')))
        (tmp / 'a.paco').write_bytes(whole)
        assert len(frames(tmp / 'a.paco')) == n
        for path in code, tmp / 'a.paco':
            expect(DONE, 'restore', '--check', '--md5', path)
            expect(DONE, 'restore', '-q', path, tmp / f'{name}-out')
            same(folder, tmp / f'{name}-out')
            shutil.rmtree(tmp / f'{name}-out')
        expect(DONE, 'verify', tmp / 'a.paco', says=f'{n} frames and')
        (tmp / 'b.paco.part').write_bytes(whole[:random.randrange(len(whole))])
        expect(DONE, 'archive', '-q', '--md5', '--keep-files', '--report=', folder, tmp / 'b.paco')
        assert (tmp / 'b.paco').read_bytes() == whole
        for left in 'b.paco', 'b.paco.framemd5':
            (tmp / left).unlink()


def peak(*arguments):
    """Runs the tool, and returns what it took at most, in bytes."""
    run = subprocess.Popen([PACO, *map(os.fspath, arguments)], stderr=subprocess.PIPE,
                           stdout=subprocess.DEVNULL)
    err = run.stderr.read().decode()
    _, status, usage = os.wait4(run.pid, 0)
    run.stderr.close()
    run.returncode = os.waitstatus_to_exitcode(status)
    assert run.returncode == DONE, (arguments, err)
    return usage.ru_maxrss * 1024


def test_many(tmp):
    """Tests thousands of members, and one of 300 MB, on few frames: memory is bounded. The
    sanitizers take memory of their own, and get fewer."""
    limit = 'PACO_SANITIZE' in os.environ
    n_notes, n_pieces, n_pages = (300, 30, 15) if limit else (3000, 300, 150)
    folder = sequence(tmp / 'in', 3)
    for i in range(n_notes):
        (folder / f'note {i}.txt').write_bytes(b'%d ' % i * (i % 50))
    with open(folder / 'huge', 'wb') as file:
        piece = random.randbytes(1 << 20)
        for i in range(n_pieces):
            file.write(piece[i:] + piece[:i])
    used = peak('archive', '-q', folder, tmp / 'a.paco')
    assert limit or used < 300e6, used
    used = peak('restore', '--check', tmp / 'a.paco')
    assert limit or used < 1.2e9, used
    used = peak('restore', '-q', tmp / 'a.paco', tmp / 'out')
    assert limit or used < 1.2e9, used
    same(folder, tmp / 'out')
    # Of a file of pages one page is in memory at a time, and some that come next.
    os.mkdir(tmp / 'pages')
    page = b'P5\n2000 1000\n255\n'
    with open(tmp / 'pages' / 'a.pgm', 'wb') as file:
        for i in range(n_pages):
            file.write(page + piece[i:] + piece[:i] + bytes(2000000 - len(piece)))
    used = peak('archive', '-q', tmp / 'pages', tmp / 'p.paco')
    assert limit or used < 300e6, used
    used = peak('restore', '-q', tmp / 'p.paco', tmp / 'p.out')
    assert limit or used < 300e6, used
    same(tmp / 'pages', tmp / 'p.out')
    # More than frames can carry is refused before anything is written.
    with open(folder / 'huge', 'wb') as file:
        file.truncate(900000000)
    expect(FAILED, 'archive', folder, tmp / 'b.paco', says='3 frames carry at most 248 MiB')
    assert not (tmp / 'b.paco.part').exists()


if __name__ == '__main__':
    sys.exit(harness.main(globals()))
