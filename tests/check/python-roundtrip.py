#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Uses the elements from Python: pictures go through appsrc, pacoenc, pacoparse and
pacodec to appsink, and come back bit by bit. Exits with 77 without GStreamer's
Python bindings, since nothing can be tested then."""
import random
import sys

try:
    import gi
    gi.require_version('Gst', '1.0')
    gi.require_version('GstApp', '1.0')
    from gi.repository import Gst, GstApp  # noqa: F401 (GstApp adds methods)
except (ImportError, ValueError) as reason:
    print(f'skipped: {reason}')
    sys.exit(77)

FRAMES = 8
FORMATS = [
    # These are format, width, height, and bytes of a frame.
    ('GRAY8', 64, 48, 64 * 48),
    ('I420', 48, 32, 48 * 32 * 3 // 2),
    ('Y444', 52, 37, 52 * 37 * 3),
    ('RGBA', 33, 21, 33 * 21 * 4),
    ('GRAY16_LE', 40, 30, 40 * 30 * 2),
]


def fail_on_error(pipeline):
    message = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
    if message:
        error, details = message.parse_error()
        sys.exit(f'{error.message}\n{details}')


def picture(size, seed):
    """Makes noise of an amplitude of its own on a slope."""
    source = random.Random(seed)
    noise = source.choice([1, 4, 64, 256])
    return bytes((i // 7 + source.randrange(noise)) % 256
                 for i in range(size))


def roundtrip(name, width, height, size):
    pipeline = Gst.parse_launch(
        'appsrc name=in format=time max-bytes=0 ! '
        'pacoenc rate-control=lossless ! pacoparse ! pacodec ! '
        'appsink name=out sync=false')
    source = pipeline.get_by_name('in')
    sink = pipeline.get_by_name('out')
    source.set_caps(Gst.Caps.from_string(
        f'video/x-raw, format={name}, width={width}, height={height}, '
        'framerate=25/1'))
    pipeline.set_state(Gst.State.PLAYING)
    pictures = [picture(size, seed) for seed in range(FRAMES)]
    for n, data in enumerate(pictures):
        buffer = Gst.Buffer.new_wrapped(data)
        buffer.pts = n * Gst.SECOND // 25
        buffer.duration = Gst.SECOND // 25
        source.push_buffer(buffer)
    source.end_of_stream()

    for n, data in enumerate(pictures):
        sample = sink.try_pull_sample(60 * Gst.SECOND)
        fail_on_error(pipeline)
        if not sample:
            sys.exit(f'{name}: frame {n} is missing')
        buffer = sample.get_buffer()
        if buffer.pts != n * Gst.SECOND // 25:
            sys.exit(f'{name}: frame {n} is at {buffer.pts} ns')
        got = buffer.extract_dup(0, buffer.get_size())
        if got != data:
            sys.exit(f'{name}: frame {n} has changed')
    if sink.try_pull_sample(60 * Gst.SECOND):
        sys.exit(f'{name}: there are more frames than went in')
    pipeline.set_state(Gst.State.NULL)
    print(f'{name} {width}x{height}: {FRAMES} frames came back')


Gst.init(None)
for arguments in FORMATS:
    roundtrip(*arguments)
