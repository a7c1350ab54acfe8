#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests TIFF files of many pages, and the mosaics of DNG and TIFF/EP files, which paco encode
and paco archive take; what is none of these is refused, or kept as it is."""
import hashlib
import json
import os
import pathlib
import random
import struct
import subprocess
import sys

import dng
import harness
import paging
from harness import DAMAGE, DONE, FAILED, expect, frames, paco, same

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'tool'))
# pylint: disable=wrong-import-position
import pictures  # noqa: E402

LAYOUTS = ({}, {'rows': 4}, {'rows': 3, 'gap': 5}, {'tile': 16}, {'sub': False})


def draw(depth=16, least=2, **how):
    """Returns samples of a mosaic, and a file of them."""
    width, height = (2 * random.randint(least // 2, 35) for _ in range(2))
    lines = dng.mosaic(width, height, depth)
    return lines, dng.dng(lines, depth, order=random.choice('<>'), **how)


def decoded(path, lines, depth):
    """Fails unless the frames of a file, decoded, are those mosaics."""
    status, out, err = paco('decode', '--as', 'raw', path, path.with_suffix('.raw'))
    assert status == DONE, (out, err)
    want = b''.join(struct.pack(f'<{len(line)}{"B" if depth == 8 else "H"}', *line)
                    for line in lines)
    assert path.with_suffix('.raw').read_bytes() == want, path


# --- pages ---

def draw_pages(n, components=1, depth=8):
    return [pictures.random_picture(40, 30, components, depth, random.random()) for _ in range(n)]


def page_bytes(path):
    """Returns the samples of all frames of a file, of gray pictures of 8 bits."""
    expect(DONE, 'decode', '--force', '--as', 'raw', path, path.with_suffix('.raw'))
    return path.with_suffix('.raw').read_bytes()


def test_pages(tmp):
    """Tests that each page becomes a frame, with other files before and after it."""
    pages = draw_pages(64)
    (tmp / 'a.tif').write_bytes(pictures.tiff(pages))
    (tmp / 'b.tif').write_bytes(pictures.tiff(pages[:1]))
    (tmp / 'c.pgm').write_bytes(pictures.pnm(pages[1]))
    expect(DONE, 'encode', '--lossless', tmp / 'a.tif', tmp / 'a.paco')
    assert len(frames(tmp / 'a.paco')) == 64
    assert page_bytes(tmp / 'a.paco') == b''.join(bytes(page[4]) for page in pages)
    names = [tmp / name for name in ('b.tif', 'a.tif', 'c.pgm', 'a.tif')]
    whole = [pages[0], *pages, pages[1], *pages]
    for _ in range(4):
        first = random.randrange(len(whole))
        last = random.randrange(first, len(whole) + 9)
        expect(DONE, 'encode', '--force', '--lossless', '--frames', f'{first}-{last}', *names,
               tmp / 'd.paco')
        assert page_bytes(tmp / 'd.paco') == b''.join(
            bytes(page[4]) for page in whole[first:last + 1]), (first, last)
    expect(FAILED, 'encode', '--frames', '131-', *names, tmp / 'e.paco', says='no picture')


def test_numbered_pages(tmp):
    """Tests files of a pattern, each with pages, of which some are left out."""
    pages = draw_pages(9)
    for i, n in enumerate((2, 1, 3, 1, 2)):
        at = sum((2, 1, 3, 1, 2)[:i])
        (tmp / f'a{i + 7}.tif').write_bytes(pictures.tiff(pages[at:at + n]))
    for first in range(9):
        expect(DONE, 'encode', '--force', '--lossless', '--frames', f'{first}-', tmp / 'a%d.tif',
               tmp / 'a.paco')
        assert page_bytes(tmp / 'a.paco') == b''.join(bytes(page[4]) for page in pages[first:])


def test_pages_refused(tmp):
    """Tests that the page is named that is another picture, or cannot be read."""
    pages = draw_pages(5)
    for other in (pictures.random_picture(41, 30, 1, 8, 1), pictures.random_picture(40, 29, 1, 8, 1)):
        (tmp / 'a.tif').write_bytes(pictures.tiff(pages[:3] + [other] + pages[3:]))
        expect(FAILED, 'encode', tmp / 'a.tif', tmp / 'a.paco',
               says=f'(page 4 of {tmp}/a.tif) is another one than those before')
        assert not (tmp / 'a.paco').exists()
    data = bytearray(pictures.tiff(pages))
    second = struct.unpack_from('<I', data, 8 + 2 + 9 * 12)[0]
    for tag, value, says in (
            (2, 16, 'page 2 of'), (3, 7, 'compressed with loss (JPEG)'), (4, 5, 'CMYK'),
            (5, 1 << 30, 'ends within the samples')):
        broken = bytearray(data)
        struct.pack_into('<I', broken, second + 2 + tag * 12 + 8, value)
        (tmp / 'b.tif').write_bytes(broken)
        text = expect(FAILED, 'encode', tmp / 'b.tif', tmp / 'b.paco', says=says)
        assert f'page 2 of {tmp}/b.tif' in text, text
    # A page that is there, and has no size.
    struct.pack_into('<H', data, second + 2, 60000)
    (tmp / 'c.tif').write_bytes(data)
    expect(FAILED, 'encode', tmp / 'c.tif', tmp / 'c.paco', says='the second one is no page')
    # Pages whose directories libtiff does not find, so that it does not count them.
    data = pictures.tiff(pages)
    link = 8 + 2 + 9 * 12
    for page in range(2, 6):
        lost = bytearray(data)
        struct.pack_into('<I', lost, link, len(data) + random.choice((-1, 1000)))
        (tmp / 'd.tif').write_bytes(lost)
        expect(FAILED, 'encode', tmp / 'd.tif', tmp / 'd.paco',
               says='the second one is no page' if page == 2 else f'page {page} of {tmp}/d.tif')
        assert not (tmp / 'd.paco').exists()
        link = struct.unpack_from('<I', data, link)[0] + 2 + 9 * 12


def archived(tmp, files, *options, n_frames=None, says='', name='a'):
    """Archives the files, {name: bytes}, restores them, and compares them. Returns the
    archive."""
    folder, code, out = tmp / f'{name}-in', tmp / f'{name}.paco', tmp / f'{name}-out'
    os.mkdir(folder)
    for path, data in files.items():
        (folder / path).write_bytes(data)
    expect(DONE, 'archive', *options, folder, code, says=says)
    if n_frames is not None:
        assert len(frames(code)) == n_frames, (len(frames(code)), n_frames)
    expect(DONE, 'restore', '--check', code)
    expect(DONE, 'restore', code, out)
    same(folder, out)
    return code


def draw_paged(n, **how):
    """Returns a file of n pages of gray, 8 bits, as paging.write() makes it."""
    return paging.write([paging.Page() for _ in range(n)], **how)


def test_archived_pages(tmp):
    """Tests that each page of an archived file is a frame, and what the reports say."""
    files = {f'{i}.tif': pictures.tiff(draw_pages(64)) for i in range(3)}
    files['notes.txt'] = b'notes'
    code = archived(tmp, files, '--md5', n_frames=192,
                    says='3 files have several pictures, which are 192 frames: 0.tif (64), ')
    lists = [line.split(', ')[-1] for line in
             pathlib.Path(f'{code}.framemd5').read_text('utf-8').splitlines() if line[0] != '#']
    assert lists == [hashlib.md5(files[f'{i}.tif']).hexdigest() for i in range(3)]
    report = json.loads(pathlib.Path(f'{code}.json').read_text('utf-8'))
    assert [(f['name'], f['size'], f['frames']) for f in report['frames']] == [
        (f'{i}.tif', len(files[f'{i}.tif']), 64) for i in range(3)]
    assert report['verified_frames'] == 192 and report['verified']
    expect(DONE, 'archive', '--md5', tmp / 'a-in', code, says='4 files of')
    assert '192 frames' in expect(DONE, 'verify', code)
    assert '1.tif, 64 frames' in expect(DONE, 'info', code, says='members    notes.txt, 5 bytes')
    assert json.loads(expect(DONE, 'info', '--json', code))[0]['pictures'] == [
        {'name': f'{i}.tif', 'frames': 64} for i in range(3)]
    # Players see all pages.
    expect(DONE, 'decode', '--as', 'raw', code, tmp / 'a.raw')
    assert len((tmp / 'a.raw').read_bytes()) == 192 * 40 * 30


def test_ways_of_pages(tmp):
    """Tests all ways in which pages lie in files."""
    for i in range(30):
        n, depth, place = random.randint(2, 9), random.choice((8, 16)), random.choice(
            ('before', 'after', 'end'))
        tile = random.choice((0, 0, 16))
        components = 1 if tile else random.randint(1, 4)
        pages = [paging.Page(random.randint(1, 40), random.randint(1, 30), components, depth)]
        pages += [paging.Page(pages[0].width, pages[0].height, components, depth)
                  for _ in range(1, n)]
        how = {'order': random.choice('<>'), 'rows': random.randint(1, pages[0].height),
               'tile': tile, 'place': place, 'gap': random.choice((0, 0, 1, 5)),
               'compress': random.choice((paging.raw, paging.deflate))}
        archived(tmp, {'a.tif': paging.write(pages, **how)}, n_frames=n, name=f'{i}')


def test_stray_pages(tmp):
    """Tests pages that cannot be frames beside those that are: they lie in what these keep."""
    pages = [paging.Page() for _ in range(6)]
    small, wide = paging.Page(4, 3), paging.Page(25, 17)
    for i, (order, strays) in enumerate((
            ([small] + pages, 6), (pages[:3] + [small] + pages[3:], 1),
            (pages[:2] + [wide, small] + pages[2:], 2), (pages + [small], 1))):
        for place in 'before', 'after', 'end':
            first = strays == 6
            archived(tmp, {'a.tif': paging.write(order, place=place)},
                     n_frames=1 if first else 6, name=f'{i}-{place}',
                     says='' if first else f'a.tif (6; {strays} more')
    # A page that is compressed with loss, or has no samples, is none.
    for i, (n, change) in enumerate((
            (5, {259: ('H', [7])}), (5, {262: ('H', [5])}), (5, {273: ('I', [1 << 30])}),
            (2, {256: ('I', [0])}))):
        archived(tmp, {'a.tif': paging.write(pages, change={2: change})}, n_frames=n,
                 name=f'b{i}', says=f'a.tif ({n}; 1 more is kept with them)')
    # Two pages have the same samples; samples are in the reverse order.
    at = paging.write(pages, place='end').index(b'\x11\x01\x04\0')
    file = bytearray(paging.write(pages, place='end'))
    offsets = [m for m in range(len(file) - 12) if file[m:m + 8] == b'\x11\x01\x04\0\x01\0\0\0']
    assert len(offsets) == 6, at
    values = [file[m + 8:m + 12] for m in offsets]
    file[offsets[3] + 8:offsets[3] + 12] = values[2]
    archived(tmp, {'a.tif': bytes(file)}, n_frames=5, name='c')
    for m, value in zip(offsets, reversed(values)):
        file[m + 8:m + 12] = value
    archived(tmp, {'a.tif': bytes(file)}, n_frames=1, name='d')
    # The directories are a ring.
    file = bytearray(paging.write(pages, place='end'))
    last = len(file) - len(dng.directory('<', 0, {})) + 2
    struct.pack_into('<I', file, file.rindex(bytes(4), 0, last + 4), 8)
    archived(tmp, {'a.tif': bytes(file), 'b.tif': paging.write(pages)}, name='e')


def test_broken_pages(tmp):
    """Tests files of pages with any byte changed: they come back, as frames or not."""
    whole = [paging.write([paging.Page(9, 7, 1, 8) for _ in range(4)], place=place,
                          order=random.choice('<>'), compress=compress, rows=random.choice((0, 3)))
             for place in ('before', 'after', 'end')
             for compress in (paging.raw, paging.deflate)]
    whole.append(b''.join(harness.picture(5, 9, 7) for _ in range(4)))
    for kind, files in ('tif', whole[:-1]), ('pgm', whole[-1:]):
        folder = tmp / kind
        os.mkdir(folder)
        (folder / f'a.{kind}').write_bytes(files[0])
        for i in range(80):
            data = bytearray(random.choice(files))
            for _ in range(random.randint(1, 3)):
                data[random.randrange(len(data))] = random.choice((0, 1, 255, random.randrange(256)))
            if i % 5 == 0:
                del data[random.randrange(len(data)):]
            (folder / f'b{i}.{kind}').write_bytes(data)
        expect(DONE, 'archive', '-q', folder, tmp / f'{kind}.paco')
        expect(DONE, 'restore', '-q', tmp / f'{kind}.paco', tmp / f'{kind}.out')
        same(folder, tmp / f'{kind}.out')
        resumed(folder, tmp / f'{kind}.paco')


def ranges_of_late_page(tmp, name, late):
    """Tests two ranges of a folder, whose frames 3 to 12 are of a file, one of them none."""
    for cut in random.sample(range(1, 17), 5):
        parts = [tmp / f'{name}-{cut}-{i}.paco' for i in range(2)]
        for part, frames in zip(parts, (f'0-{cut - 1}', f'{cut}-')):
            says = ''
            if 3 < cut < 13 and part == parts[0] and late < cut:
                says = f'2.tif cannot be archived by a range that ends in it, as picture {late - 2}'
            elif 3 < cut < 13 and part == parts[1] and late == cut:
                says = f'2.tif cannot be archived from picture {late - 2} on'
            expect(FAILED if says else DONE, 'archive', '-q', f'--frames={frames}', tmp / name,
                   part, says=says)
        if all(part.exists() for part in parts):
            expect(DONE, 'join', '-f', *parts, tmp / 'joined.paco')
            expect(DONE, 'restore', '-q', tmp / 'joined.paco', tmp / f'{name}-{cut}-out')
            same(tmp / name, tmp / f'{name}-{cut}-out')


def test_late_pages(tmp):
    """Tests files of which a page turns out to be no frame when it is read."""
    for at in 0, 1, 5, 9:
        how = [paging.deflate] * 10
        how[at] = paging.other
        files = {'1.tif': draw_paged(3, compress=paging.deflate), '2.tif': draw_paged(
            10, compress=how), '3.tif': draw_paged(4, compress=paging.deflate)}
        code = archived(tmp, files, '--md5', n_frames=7 + at, name=f'{at}',
                        says='2.tif is kept as it is' + (
                            f' from picture {at + 1} on' if at else ''))
        report = json.loads(pathlib.Path(f'{code}.json').read_text('utf-8'))
        assert report['source_bytes'] == sum(map(len, files.values()))
        assert {f['name']: f['md5'] for f in report['frames'] + report['members']} == {
            name: hashlib.md5(data).hexdigest() for name, data in files.items()}
        resumed(tmp / f'{at}-in', code, '--md5')
        expect(FAILED, 'archive', '--only-pictures', tmp / f'{at}-in', tmp / 'o.paco',
               says='2.tif cannot be archived')
        os.remove(tmp / 'o.paco.part')
        ranges_of_late_page(tmp, f'{at}-in', 3 + at)
        archived(tmp, files, '--keep-files', n_frames=17, name=f'{at}-kept')
    # A frame carries files before it and after it.
    for i, hows in enumerate((('x..', '.x.'), ('x', 'x', '.', 'x', 'x', '.'))):
        files = {f'{n}.tif': draw_paged(len(how), compress=[
            paging.other if page == 'x' else paging.deflate for page in how])
                 for n, how in enumerate(hows)}
        code = archived(tmp, files, n_frames=1 + i, name=f'around-{i}')
        resumed(tmp / f'around-{i}-in', code)
    # Nothing is left that is a frame.
    for at in 0, 1:
        folder = tmp / f'alone-{at}'
        os.mkdir(folder)
        how = [paging.other if i == at else paging.deflate for i in range(3)]
        (folder / 'a.tif').write_bytes(draw_paged(3, compress=how))
        expect(DONE if at else FAILED, 'archive', folder, tmp / f'alone-{at}.paco',
               says='a.tif is kept' if at else 'a.tif cannot be archived')
    expect(DONE, 'restore', tmp / 'alone-1.paco', tmp / 'alone-out')
    same(tmp / 'alone-1', tmp / 'alone-out')
    # A range of frames that begins with it has no frame before it that could carry it.
    expect(FAILED, 'archive', '--frames', '12-', tmp / '9-in', tmp / 'o.paco',
           says='2.tif cannot be archived from picture 10 on')


def resumed(folder, code, *options):
    """Tests that a run that was interrupted anywhere ends with the same archive."""
    whole = code.read_bytes()
    for _ in range(4):
        again = code.with_name('again.paco')
        again.with_name('again.paco.part').write_bytes(whole[:random.randrange(len(whole))])
        expect(DONE, 'archive', '--report=', *options, folder, again)
        assert again.read_bytes() == whole
        expect(DONE, 'archive', '--report=', *options, folder, again, says='is complete')
        os.remove(again)
        if '--md5' in options:
            os.remove(f'{again}.framemd5')


def test_pages_resumed(tmp):
    """Tests runs that go on within a file, and files that have changed in between."""
    files = {f'{i}.tif': draw_paged(7) for i in range(3)}
    code = archived(tmp, {**files, 'a.txt': b'a' * 3000000}, n_frames=21)
    resumed(tmp / 'a-in', code)
    whole = code.read_bytes()
    changed = bytearray(files['1.tif'])
    changed[500] ^= 1
    (tmp / 'a-in' / '1.tif').write_bytes(changed)
    (tmp / 'b.paco.part').write_bytes(whole[:sum(map(len, frames(code)[:12]))])
    expect(FAILED, 'archive', tmp / 'a-in', tmp / 'b.paco', says='1.tif has changed')
    (tmp / 'a-in' / '1.tif').write_bytes(draw_paged(8))
    expect(FAILED, 'archive', tmp / 'a-in', tmp / 'b.paco', says='of another folder')


def test_pages_damaged(tmp):
    """Tests that a damaged frame is named with its file and page, and costs this file."""
    archived(tmp, {f'{i}.tif': draw_paged(5) for i in range(3)}, n_frames=15)
    whole = frames(tmp / 'a.paco')
    for i in range(25):
        number = random.randrange(15)
        parts = [bytearray(frame) for frame in whole]
        where = random.choice(('payload', 'missing', 'rest'))
        if where == 'payload':
            parts[number][-1 - random.randrange(40)] ^= 1 << random.randrange(8)
        elif where == 'missing':
            del parts[number:number + random.randint(1, 4)]
        else:
            frame = harness.Frame(bytes(parts[number]))
            rest = bytearray(frame.rest())
            rest[random.randrange(48)] ^= 1 << random.randrange(8)
            parts[number] = bytes(frame.keep(rest=bytes(rest)))
        (tmp / 'b.paco').write_bytes(b''.join(parts))
        out = tmp / f'{i}'
        for options in ('--check',), ():
            status, text, err = paco('restore', *options, tmp / 'b.paco', *([] if options else [out]))
            assert status == DAMAGE, (where, number, text, err)
            assert f'{number // 5}.tif' in text + err, (where, number, text, err)
            if where == 'payload':
                assert f'{number // 5}.tif (picture {number % 5 + 1} of 5), is damaged' in (
                    text + err), text
            if where != 'missing':
                assert '1 of the 3 files' in text, (where, text)
        there = {path.name: path.read_bytes() for path in out.iterdir()}
        assert len(there) in ((2,) if where != 'missing' else (1, 2)), (where, there.keys())
        for name, data in there.items():
            assert data == (tmp / 'a-in' / name).read_bytes(), (where, number, name)


def test_records_damaged(tmp):
    """Tests each number of what frames say of their sections: a wrong one costs one file."""
    archived(tmp, {f'{i}.tif': draw_paged(5) for i in range(3)}, n_frames=15)
    whole = frames(tmp / 'a.paco')
    for number in 5, 6, 9, 14:
        for at, value in (0, 2), (4, 0), (4, 3), (8, 9), (12, 255), (16, 1), (24, 1), (40, 1):
            frame = harness.Frame(bytes(whole[number]))
            rest = bytearray(frame.rest())
            if rest[at] == value:
                continue
            rest[at] = value
            parts = list(whole)
            parts[number] = bytes(frame.keep(rest=bytes(rest)))
            (tmp / 'b.paco').write_bytes(b''.join(parts))
            status, text, err = paco('restore', '--check', tmp / 'b.paco')
            assert status == DAMAGE and '1 of the 3 files' in text, (number, at, text, err)
            assert f'{number // 5}.tif' in err, (number, at, err)


def test_pages_cut(tmp):
    """Tests that parts of an archive say what is in others, and are joined again."""
    archived(tmp, {f'{i}.tif': draw_paged(5) for i in range(3)}, n_frames=15)
    for first in random.sample(range(1, 15), 4):
        a, b = tmp / 'b.paco', tmp / 'c.paco'
        expect(DONE, 'cut', '--force', tmp / 'a.paco', '0', f'{first - 1}', a,
               says=f'{first // 5}.tif, which has several' if first % 5 else '')
        expect(DONE, 'cut', '--force', tmp / 'a.paco', f'{first}', '14', b,
               says=f'{first // 5}.tif, which has several' if first % 5 else '')
        for part, says in (a, 'ends'), (b, 'begins'):
            out = tmp / f'{first}-{says}'
            expect(DONE, 'restore', part, out,
                   says=f'{first // 5}.tif {says} in another part' if first % 5 else '')
            for path in out.iterdir():
                assert path.read_bytes() == (tmp / 'a-in' / path.name).read_bytes()
            whole = first // 5 if part is a else 3 - (first + 4) // 5
            assert len(list(out.iterdir())) == whole
        expect(DONE, 'join', '--force', a, b, tmp / 'd.paco')
        assert (tmp / 'd.paco').read_bytes() == (tmp / 'a.paco').read_bytes()
        expect(DONE, 'join', '--force', b, a, tmp / 'd.paco')
        status, text, err = paco('restore', '--check', tmp / 'd.paco')
        assert status == (DAMAGE if first % 5 else DONE), (first, text, err)
        assert ('joined in the wrong order' in err) == (first % 5 > 0), (first, text, err)
        # The same in ranges, as a farm makes it.
        expect(DONE, 'archive', '--report=', '--frames', f'0-{first - 1}', tmp / 'a-in',
               tmp / f'{first}-a.paco')
        expect(DONE, 'archive', '--report=', '--frames', f'{first}-', tmp / 'a-in',
               tmp / f'{first}-b.paco')
        expect(DONE, 'join', '--force', tmp / f'{first}-a.paco', tmp / f'{first}-b.paco',
               tmp / 'd.paco')
        assert (tmp / 'd.paco').read_bytes() == (tmp / 'a.paco').read_bytes()
        expect(DONE, 'restore', '--frames', f'{first}-', tmp / 'a.paco', tmp / f'{first}-range',
               says=f'{first // 5}.tif begins with frames out of the range' if first % 5 else '')
    expect(DONE, 'archive', '--report=', '--split=3kB', tmp / 'a-in', tmp / 's.paco')
    assert len(list(tmp.glob('s.0*.paco'))) > 3
    expect(DONE, 'restore', tmp / 's.0001.paco', tmp / 's-out')
    same(tmp / 'a-in', tmp / 's-out')


def test_parts_damaged(tmp):
    """Tests that frames that are missing are damage, too, in a part of an archive that begins
    within a file."""
    archived(tmp, {f'{i}.tif': draw_paged(6) for i in range(2)}, n_frames=12)
    for last in 4, 5, 9:
        expect(DONE, 'cut', '--force', tmp / 'a.paco', '2', f'{last}', tmp / 'b.paco')
        whole = frames(tmp / 'b.paco')
        expect(DONE, 'restore', '--check', tmp / 'b.paco')
        for lost in range(1, len(whole)):
            n = random.randint(1, len(whole) - lost)
            (tmp / 'c.paco').write_bytes(b''.join(whole[:lost] + whole[lost + n:]))
            status, text, err = paco('restore', '--check', tmp / 'c.paco')
            assert status == DAMAGE and 'missing' in err, (last, lost, n, text, err)
    parts = frames(tmp / 'a.paco')
    (tmp / 'c.paco').write_bytes(b''.join(parts[:3] + parts[4:]))
    status, text, err = paco('restore', '--check', '--frames', '2-5', tmp / 'c.paco')
    assert status == DAMAGE and 'missing' in err, (text, err)


def test_large(tmp):
    """Tests files of more than 2 GiB: they are frames if their pictures are smaller."""
    os.mkdir(tmp / 'in')
    head, size, n = b'P5\n16000 2000\n255\n', 16000 * 2000, 70
    with open(tmp / 'in' / 'a.pgm', 'wb') as file:
        for i in range(n):
            file.seek(i * (len(head) + size))
            file.write(head)
        file.truncate(n * (len(head) + size))
    (tmp / 'in' / '1.pgm').write_bytes(head + bytes(size))
    names = expect(DONE, 'archive', '--list', tmp / 'in').split()
    assert names == ['1.pgm'] + ['a.pgm'] * n, names
    expect(DONE, 'archive', '--no-verify', '--frames', '0-1', tmp / 'in', tmp / 'a.paco',
           says='paco restore takes files of this size with --max-file=2241')
    assert len(frames(tmp / 'a.paco')) == 2
    os.remove(tmp / 'in' / '1.pgm')
    with open(tmp / 'in' / 'a.pgm', 'wb') as file:
        file.write(head)
        file.truncate(1 << 31)
    expect(FAILED, 'archive', tmp / 'in', tmp / 'b.paco', says='a.pgm (it has more than 2 GiB)')


def test_pictures_of_pnm(tmp):
    """Tests PNM files of several pictures, which become frames in the same way."""
    one, two, small = harness.picture(5), harness.picture(5), harness.picture(5, 10, 10)
    files = {'a.pgm': one + two + harness.picture(5, behind=b'end'), 'b.pgm': one,
             'c.pgm': one + small + two}
    archived(tmp, files, '--md5', n_frames=6, says='a.pgm (3), c.pgm (2; 1 more is kept')
    archived(tmp, {'a.pam': harness.picture(7) + harness.picture(7)}, n_frames=2, name='b')
    archived(tmp, {'a.ppm': harness.picture(6, maxval=1000) * 3 + b'P6 nonsense'}, n_frames=3,
             name='c')


# --- mosaics ---

def test_mosaics(tmp):
    """Tests all patterns, depths, orders of bytes and ways to lie in a file."""
    for depth in 8, 10, 12, 14, 16:
        os.mkdir(tmp / f'{depth}')
        for i, (pattern, how) in enumerate((p, h) for p in dng.PATTERNS for h in LAYOUTS):
            if i % 4:
                continue
            lines, file = draw(depth, pattern=pattern, **how)
            folder = tmp / f'{depth}' / f'{i}'
            os.mkdir(folder)
            (folder / 'a.dng').write_bytes(file)
            code = tmp / f'{depth}-{i}.paco'
            text = expect(DONE, 'archive', '--md5', folder, code)
            assert 'kept' not in text, text
            assert f'mosaic, {depth} bits' in expect(DONE, 'info', code)
            expect(DONE, 'restore', '-q', code, folder / 'out')
            assert (folder / 'out' / 'a.dng').read_bytes() == file, (pattern, depth, how)
            expect(DONE, 'encode', '--force', '--lossless', folder / 'a.dng', code)
            decoded(code, lines, depth)


def test_sequence(tmp):
    """Tests a folder of DNG files of a camera, with others that are no frames of it."""
    folder, lines = tmp / 'in', []
    os.mkdir(folder)
    for i in range(6):
        lines += dng.mosaic(50, 36, 14)
        (folder / f'A_{i:03}.dng').write_bytes(dng.dng(lines[-36:], 14, rows=8))
    lossy = dng.dng(dng.mosaic(50, 36, 14), 14, change={259: ('H', [7])})
    (folder / 'A_006.dng').write_bytes(lossy)
    (folder / 'A_007.dng').write_bytes(dng.dng(dng.mosaic(50, 36, 14), 14, pattern='bggr'))
    (folder / 'A_008.dng').write_bytes(dng.dng(dng.mosaic(50, 36, 14), 14)[:2000])
    (folder / 'still.tif').write_bytes(pictures.tiff(draw_pages(1)))
    text = expect(DONE, 'archive', folder, tmp / 'a.paco', says='4 pictures are no frames')
    for says in ('A_006.dng (the mosaic is compressed', 'A_007.dng (the colors of its mosaic lie',
                 'A_008.dng (the file ends within', 'still.tif ('):
        assert says in text, (says, text)
    assert len(frames(tmp / 'a.paco')) == 6
    expect(DONE, 'restore', tmp / 'a.paco', tmp / 'out')
    same(folder, tmp / 'out')
    expect(DONE, 'encode', '--lossless', '--frames', '0-5', folder / 'A_%03d.dng', tmp / 'b.paco')
    decoded(tmp / 'b.paco', lines, 14)


def test_mosaics_refused(tmp):
    """Tests what is no mosaic that can be coded: encode never takes the thumbnail for it."""
    path, small = tmp / 'a.dng', dng.mosaic(8, 6, 16)
    linear = {262: ('H', [34892]), 33421: None, 33422: None}
    cells = {33421: ('H', [6, 6]), 33422: ('B', [0, 1, 2] * 12)}
    cases = (
        ({259: ('H', [7])}, 'the mosaic is compressed'),
        ({259: ('H', [34713])}, 'the mosaic is compressed'),
        ({256: ('I', [7])}, 'an odd number of columns or lines'),
        ({257: ('I', [5])}, 'an odd number of columns or lines'),
        ({258: ('H', [13])}, 'no integers of 8, 10, 12, 14 or 16 bits'),
        ({277: ('H', [2]), 258: ('H', [8, 8])}, 'no integers of'),
        ({339: ('H', [3])}, 'no integers of'),
        ({266: ('H', [2])}, 'FillOrder'),
        ({33422: ('B', [0, 1, 1, 1])}, 'no cells of red, two greens and blue'),
        ({33422: ('B', [1, 1, 0, 2])}, 'no cells of red, two greens and blue'),
        ({33422: ('B', [0, 2, 1, 1])}, 'no cells of red, two greens and blue'),
        ({33422: ('B', [0, 1, 1, 3])}, 'no cells of red, two greens and blue'),
        ({33421: ('H', [2, 4])}, 'no cells of red, two greens and blue'),
        ({33422: None}, 'no cells of red, two greens and blue'),
        ({50710: ('B', [0, 1, 3])}, 'no cells of red, two greens and blue'),
        ({50711: ('H', [2])}, 'staggered'),
        (cells, 'no cells of red, two greens and blue'),
        (linear, 'neither gray nor RGB, nor a mosaic'),
        ({273: ('I', [1 << 20])}, 'ends within the samples'),
        ({256: None}, 'no'),
        ({254: ('I', [1])}, 'its first picture is a thumbnail'))
    for change, says in cases:
        for sub in True, False:
            if not sub and 254 in change:
                continue
            path.write_bytes(dng.dng(small, 16, sub=sub, change=change))
            expect(FAILED, 'encode', path, tmp / 'a.paco', says=says)
            assert not (tmp / 'a.paco').exists()


def test_line_ends(tmp):
    """Tests that bits after the last sample of a packed line are not lost."""
    lines = dng.mosaic(10, 6, 10)
    file = bytearray(dng.dng(lines, 10))
    at = len(file) - len(b'maker') - 1
    os.mkdir(tmp / 'in')
    (tmp / 'in' / 'a.dng').write_bytes(file)
    file[at] |= 1
    (tmp / 'in' / 'b.dng').write_bytes(file)
    expect(DONE, 'archive', tmp / 'in', tmp / 'a.paco', says='b.dng is kept as it is: bits')
    expect(DONE, 'restore', tmp / 'a.paco', tmp / 'out')
    same(tmp / 'in', tmp / 'out')
    expect(FAILED, 'encode', tmp / 'in' / 'b.dng', tmp / 'b.paco', says='are not zero')


def test_several_sensors(tmp):
    """Tests that a file of two mosaics is not encoded as one, and comes back."""
    one = dng.dng(dng.mosaic(8, 6, 16), 16)
    at = one.index(struct.pack('<2HI', 330, 4, 1))
    file = bytearray(one) + bytes(len(one) % 2)
    sub, = struct.unpack_from('<I', file, at + 8)
    struct.pack_into('<2I', file, at + 4, 2, len(file))
    file += struct.pack('<2I', sub, sub)
    os.mkdir(tmp / 'in')
    (tmp / 'in' / 'a.dng').write_bytes(file)
    expect(FAILED, 'encode', tmp / 'in' / 'a.dng', tmp / 'a.paco', says='more than one picture')
    # The second one follows the first one, and is a page.
    file = bytearray(one) + bytes(len(one) % 2)
    end = sub + 2 + 12 * struct.unpack_from('<H', file, sub)[0]
    second = file[sub:end + 4]
    struct.pack_into('<I', file, end, len(file))
    (tmp / 'in' / 'b.dng').write_bytes(file + second)
    expect(DONE, 'encode', tmp / 'in' / 'b.dng', tmp / 'b.paco')
    assert len(frames(tmp / 'b.paco')) == 2
    expect(DONE, 'archive', tmp / 'in', tmp / 'a.paco', says='2 pages')
    expect(DONE, 'restore', tmp / 'a.paco', tmp / 'out')
    same(tmp / 'in', tmp / 'out')


def test_damaged(tmp):
    """Tests that no change of a few bytes of a file gives other bytes back, or a crash."""
    _, file = draw(12, 16)
    os.mkdir(tmp / 'out')
    for i in range(30):
        folder, broken = tmp / f'{i}', bytearray(file)
        os.mkdir(folder)
        (folder / 'b.dng').write_bytes(file)
        (folder / 'c.dng').write_bytes(file)
        for _ in range(random.randint(1, 4)):
            broken[random.randrange(700)] = random.choice((0, 1, 2, 255, random.randrange(256)))
        (folder / 'a.dng').write_bytes(broken)
        expect(DONE, 'archive', '-q', folder, tmp / f'{i}.paco')
        expect(DONE, 'restore', '-q', tmp / f'{i}.paco', tmp / 'out' / f'{i}')
        same(folder, tmp / 'out' / f'{i}')
        status, _, err = paco('encode', folder / 'a.dng', tmp / f'{i}-b.paco')
        assert status in (DONE, FAILED), err


def test_libraw(tmp):
    """Tests that LibRaw takes the files of these tests for what they should be."""
    python = os.environ.get('PACO_RAWPY', sys.executable)
    if subprocess.run([python, '-c', 'import rawpy'], capture_output=True, check=False).returncode:
        print('# skipped: there is no rawpy (PACO_RAWPY names a Python that has it)')
        return
    for depth in 8, 10, 12, 14, 16:
        for pattern, how in zip(dng.PATTERNS, ({}, {'rows': 4}, {'tile': 16}, {'sub': False})):
            lines = dng.mosaic(128, 96, depth)
            (tmp / 'a.dng').write_bytes(dng.dng(lines, depth, pattern=pattern,
                                                order=random.choice('<>'), **how))
            program = ('import rawpy, sys; raw = rawpy.imread(sys.argv[1]);'
                       'sys.stdout.buffer.write(bytes(raw.raw_pattern.flatten()) '
                       '+ raw.raw_image.astype("<u2").tobytes())')
            out = subprocess.run([python, '-c', program, tmp / 'a.dng'], capture_output=True,
                                 check=True).stdout
            assert out[:4].replace(b'\3', b'\1') == dng.PATTERNS[pattern]
            assert out[4:] == b''.join(struct.pack('<128H', *line) for line in lines), how


if __name__ == '__main__':
    sys.exit(harness.main(globals()))
