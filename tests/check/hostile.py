#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Decodes streams that mean harm with default settings, each in a process of
its own: it has to end, with a picture or with a sentence on the bus, in little
memory. The streams are made here, from small ones whose headers are changed;
those of ../shared/hostile are tried, too, if that folder exists.

Streams that hang are ended after HANG seconds. WORK bounds the processor's seconds, by
which work shows that grows faster than the stream."""
import lzma
import os
import pathlib
import resource
import struct
import subprocess
import sys
import tempfile
import zlib

MEMORY = 1200 * 1000 * 1000  # These are bytes, resident.
WORK = 5  # seconds of the processor
HANG = 120  # seconds, on the slowest of machines
PULL = 'filesrc location={} ! pacoparse'
PUSH = 'filesrc location={} ! queue ! pacoparse'


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(command):
    """Returns (status or None, what was printed, seconds of the processor)."""
    before = processor_seconds()
    process = subprocess.Popen(command, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
    try:
        printed = process.communicate(timeout=HANG)[0]
        status = process.returncode
    except subprocess.TimeoutExpired:
        process.kill()
        printed = process.communicate()[0]
        status = None
    return status, printed, processor_seconds() - before


def play(pipeline):
    """Plays, in a process of its own, to the end or to an error, and prints
    the number of pictures and what was said."""
    import gi
    gi.require_version('Gst', '1.0')
    from gi.repository import Gst

    Gst.init(None)
    pipeline = Gst.parse_launch(pipeline)
    pictures = 0

    def count(_pad, _info):
        nonlocal pictures
        pictures += 1
        return Gst.PadProbeReturn.OK

    pipeline.get_by_name('sink').get_static_pad('sink').add_probe(
        Gst.PadProbeType.BUFFER, count)
    pipeline.set_state(Gst.State.PLAYING)
    bus = pipeline.get_bus()
    kinds = (Gst.MessageType.EOS | Gst.MessageType.ERROR
             | Gst.MessageType.WARNING)
    while True:
        message = bus.timed_pop_filtered(Gst.CLOCK_TIME_NONE, kinds)
        if message.type == Gst.MessageType.EOS:
            break
        parse = (message.parse_error if message.type == Gst.MessageType.ERROR
                 else message.parse_warning)
        print('said:', parse()[0].message, flush=True)
        if message.type == Gst.MessageType.ERROR:
            break
    pipeline.set_state(Gst.State.NULL)
    print('pictures:', pictures)


def encode(folder, n, caps, options=''):
    """Returns n frames of a small picture."""
    path = folder / 'made.paco'
    status, printed, _ = run(['gst-launch-1.0'] + (
        f'videotestsrc num-buffers={n} ! video/x-raw,{caps},framerate=25/1 ! '
        f'pacoenc backend=cpu levels=5 codeblock-height=256 {options} ! '
        f'filesink location={path}').split())
    assert status == 0, printed
    return path.read_bytes()


def split(stream):
    frames = []
    while stream:
        size, = struct.unpack_from('<I', stream, 8)
        frames.append(bytearray(stream[:size]))
        stream = stream[size:]
    return frames


def repair(frame):
    """Makes the header's check right again, and that of the index."""
    header, = struct.unpack_from('<H', frame, 6)
    index, = struct.unpack_from('<I', frame, 12)
    struct.pack_into('<I', frame, 16, zlib.crc32(frame[header:header + index]))
    struct.pack_into('<I', frame, header - 4, zlib.crc32(frame[:header - 4]))
    return bytes(frame)


def n_blocks(width, height, components, levels=5):
    """Returns the number of codeblocks of 64 x 256 (FORMAT.md section 4)."""
    def blocks(w, h):
        return -(-w // 64) * -(-h // 256)
    n = 0
    for _ in range(levels):
        low_w, low_h = (width + 1) // 2, (height + 1) // 2
        n += blocks(width - low_w, low_h) + blocks(low_w, height - low_h)
        n += blocks(width - low_w, height - low_h)
        width, height = low_w, low_h
    return components * (n + blocks(width, height))


def empty(frame, width, height, components):
    """Returns a frame of the size, all of whose blocks are empty."""
    header, = struct.unpack_from('<H', frame, 6)
    n = n_blocks(width, height, components)
    frame = frame[:header] + bytes(n)
    struct.pack_into('<II', frame, 8, len(frame), n)
    struct.pack_into('<HH', frame, 36, width, height)
    return repair(frame)


def header_alone(frame, width, height):
    header, = struct.unpack_from('<H', frame, 6)
    frame = frame[:header]
    struct.pack_into('<II', frame, 8, header, 0)
    struct.pack_into('<HH', frame, 36, width, height)
    return repair(frame)


def with_rate(frame, numerator, denominator):
    struct.pack_into('<II', frame, 48, numerator, denominator)
    return repair(frame)


def damaged_index(frame):
    header, = struct.unpack_from('<H', frame, 6)
    frame[header + 3] ^= 0x55
    return bytes(frame)


def streams(folder):
    """Yields (name, bytes, how it is read)."""
    gray = split(encode(folder, 4, 'format=GRAY8,width=64,height=64'))
    four = split(encode(folder, 1, 'format=ARGB64,width=64,height=64'))
    v210 = split(encode(folder, 1, 'format=v210,width=64,height=64'))
    yield 'empty-gray8', empty(gray[0], 16384, 16384, 1), PULL
    yield 'empty-argb64', empty(four[0], 16384, 16384, 4), PULL
    yield 'empty-gray8-within-limits', empty(gray[0], 8192, 8192, 1), PULL
    yield 'header-argb64', header_alone(four[0], 16384, 16384), PULL
    yield 'header-v210', header_alone(v210[0], 16384, 16384), PULL
    for name, rate in [('slow', (1, 0x7fffffff)), ('fast', (0x7fffffff, 1)),
                       ('odd', (0x7ffffffe, 0x7fffffff))]:
        slow = b''.join(with_rate(bytearray(f), *rate) for f in gray[:2])
        yield f'rate-{name}', slow, PULL
        yield f'rate-{name}-pushed', slow, PUSH
    yield 'rate-slow-later', b''.join(map(bytes, gray)) + with_rate(
        bytearray(gray[0]), 1, 0x7fffffff), PULL
    noise = split(encode(folder, 8, 'format=GRAY8,width=256,height=256'))
    yield 'indexes-damaged', b''.join(map(damaged_index, noise)), PULL
    # These are beginnings of frames that never come, and of one that is 2 GB
    # long.
    header, = struct.unpack_from('<H', gray[0], 6)
    large = bytearray(gray[0][:header])
    struct.pack_into('<II', large, 8, 0x7fffffff, 1000)
    yield 'wait-for-2GB', repair(large) + bytes(100 << 20), PUSH
    small = bytearray(gray[0][:20])
    struct.pack_into('<I', small, 8, 1 << 20)
    yield 'beginnings', bytes(small) * (10 << 20 >> 5), PUSH


def shared_streams():
    folder = pathlib.Path(os.environ['PACO_SOURCE_ROOT'], '..', 'shared',
                          'hostile')
    for path in sorted(folder.glob('*.paco*')):
        data = path.read_bytes()
        if path.suffix == '.xz':
            data = lzma.decompress(data)
        yield path.name, data, PULL
        yield path.name + ' pushed', data, PUSH


def check(path, name, data, source):
    """Returns a sentence if the stream did harm, else None."""
    path.write_bytes(data)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    # gst-launch-1.0 would do, but for versions that miss an error that comes
    # before their main loop runs, whatever the parser is.
    status, printed, seconds = run(
        [sys.executable, __file__, '--play', source.format(path)
         + ' ! pacodec backend=cpu ! fakesink sync=true name=sink'])
    resident = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    said = [line for line in printed.splitlines() if line.startswith('said: ')]
    pictures = printed.rpartition('pictures: ')[2].strip()
    print(f'# {name}: {pictures} pictures, {seconds:.2f} s, at most '
          f'{resident / 1e6:.0f} MB so far,', *said[:1], flush=True)
    if status is None:
        return f'it did not end within {HANG} s'
    if seconds > WORK:
        return f'it took {seconds:.1f} s of the processor'
    if resident > MEMORY and resident > before * 1024:
        return f'{resident / 1e6:.0f} MB resident'
    if status != 0:
        return f'it ended with status {status}: {printed[-500:]}'
    if pictures == '0' and not said:
        return 'neither a picture nor a word'
    return None


def main():
    failed = 0
    with tempfile.TemporaryDirectory(prefix='paco-') as name:
        folder = pathlib.Path(name)
        number = 0
        for title, data, source in [*streams(folder), *shared_streams()]:
            number += 1
            harm = check(folder / 'hostile.paco', title, data, source)
            failed += harm is not None
            print(f'not ok {number} {title}: {harm}' if harm else
                  f'ok {number} {title}', flush=True)
    print(f'1..{number}')
    return 1 if failed else 0


if __name__ == '__main__':
    if sys.argv[1:2] == ['--play']:
        sys.exit(play(sys.argv[2]))
    sys.exit(main())
