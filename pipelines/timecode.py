# SPDX-License-Identifier: LGPL-2.1-or-later
"""The timecode with which a file begins: of MOV and MP4 files the first sample of their
timecode track, which GStreamer does not read; of Matroska files a tag."""
import os
import re
import struct

# Boxes that have boxes in them.
FOLDERS = b'trak', b'mdia', b'minf', b'stbl'
DROP_FRAME = 1
MOST = 1 << 30  # bytes of a table of contents


def boxes(data, begin, end):
    """Yields (kind, where its content begins, where it ends) of the boxes there."""
    while begin + 8 <= end:
        size, kind = struct.unpack_from('>I4s', data, begin)
        head = 8
        if size == 1 and begin + 16 <= end:
            size, = struct.unpack_from('>Q', data, begin + 8)
            head = 16
        if size < head or begin + size > end:
            return
        yield kind, begin + head, begin + size
        begin += size


def contents(file):
    """Returns the box with the table of contents, or nothing."""
    end = file.seek(0, os.SEEK_END)
    at = 0
    while at + 16 <= end:
        file.seek(at)
        size, kind, large = struct.unpack('>I4sQ', file.read(16))
        head, size = (16, large) if size == 1 else (8, size or end - at)
        if size < head:
            break
        if kind == b'moov' and size <= MOST:
            file.seek(at + head)
            return file.read(size - head)
        at += size
    return b''


def track(data, begin, end, found):
    """Puts the boxes of a track into found, by their kinds."""
    for kind, first, last in boxes(data, begin, end):
        if kind in FOLDERS:
            track(data, first, last, found)
        elif kind != b'hdlr' or b'hdlr' not in found:
            found[kind] = data[first:last]
    return found


def first_number(file, found):
    """Returns (number of the first frame, frames a second, flags) of a timecode
    track."""
    table = b'co64' if b'co64' in found else b'stco'
    where, = struct.unpack_from('>Q' if table == b'co64' else '>I', found[table], 8)
    flags, _scale, _duration, count = struct.unpack_from('>III B', found[b'stsd'],
                                                         28)
    file.seek(where)
    return struct.unpack('>I', file.read(4))[0], count, flags


def text_of(number, count, drop):
    """Makes '01:02:03:04' of a frame's number, '01:02:03;04' if numbers are
    dropped."""
    if drop:
        # Two of 30 numbers are dropped in each minute but every tenth one.
        dropped = count // 15
        minute, ten = 60 * count - dropped, 600 * count - 9 * dropped
        tens, rest = divmod(number, ten)
        number += 9 * dropped * tens
        if rest >= dropped:
            number += dropped * ((rest - dropped) // minute)
    seconds, frame = divmod(number, count)
    return (f'{seconds // 3600 % 24:02}:{seconds // 60 % 60:02}:{seconds % 60:02}'
            f'{";" if drop else ":"}{frame:02}')


def of_mov(path):
    """Returns the timecode with which a MOV or MP4 file begins, or None."""
    try:
        with open(path, 'rb') as file:
            data = contents(file)
            for kind, begin, end in boxes(data, 0, len(data)):
                found = track(data, begin, end, {}) if kind == b'trak' else {}
                if found.get(b'hdlr', b'')[8:12] == b'tmcd':
                    number, count, flags = first_number(file, found)
                    return text_of(number, count, flags & DROP_FRAME)
    except (OSError, KeyError, struct.error, ZeroDivisionError):
        pass
    return None


def of_tags(tags):
    """Returns the timecode among a file's tags, a list of GstTagList, or None."""
    for tag_list in tags:
        for index in range(tag_list.get_tag_size('extended-comment')):
            text = tag_list.get_string_index('extended-comment', index)[1]
            found = re.fullmatch(r'TIMECODE=(\d\d:\d\d:\d\d[:;]\d\d)', text)
            if found:
                return found[1]
    return None
