# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the tests of the scripts in pipelines/ have in common: starting them, and
counting what is in a file."""
import os
import re
import subprocess

import gi
gi.require_version('Gst', '1.0')
gi.require_version('GstVideo', '1.0')
from gi.repository import Gst, GstVideo  # noqa: E402,F401

FOLDER = os.path.join(os.environ['PACO_SOURCE_ROOT'], 'pipelines')
SECONDS = 600
ODD = 'odd\x1b]0;\n\u202e.mov'  # a name that changes a terminal
SHOWN = r'odd\x1b]0;\n\u202e.mov'


def command(name, *arguments):
    return ['sh', os.path.join(FOLDER, name), *map(str, arguments)]


def check(condition, what, output=''):
    if not condition:
        raise SystemExit(f'{what}:\n{output}')


def run(name, *arguments, status=0, **options):
    """Runs a script to its end; gives what it prints, which has no control characters.
    status may be several."""
    print('$', name, *arguments, flush=True)
    done = subprocess.run(
        command(name, *arguments), text=True, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS,
        check=False, **options)
    expected = status if isinstance(status, tuple) else (status,)
    check(done.returncode in expected and 'Traceback' not in done.stdout,
          f'status {done.returncode}', done.stdout)
    check(not re.search('[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]', done.stdout),
          'control characters', repr(done.stdout))
    return done.stdout


def launch(pipeline):
    subprocess.run(['gst-launch-1.0', '-q', *pipeline.split()], check=True,
                   timeout=SECONDS)


def without_decoder(path, kind, out):
    """Copies a MOV file whose codec of 'video' or 'audio' becomes one that no plugin
    decodes."""
    with open(path, 'rb') as file:
        data = file.read()
    codes = rb'PACO' if kind == 'video' else rb'sowt|in24|lpcm'
    data, count = re.subn(rb'(?s)(stsd.{12})(' + codes + rb')', rb'\1XYZW', data)
    check(count == 1, f'{path} has {count} codecs of {kind}')
    with open(out, 'wb') as file:
        file.write(data)


def stream_time(pad, buffer):
    """Returns when a buffer is shown."""
    event = pad.get_sticky_event(Gst.EventType.SEGMENT, 0)
    return event.parse_segment().to_stream_time(Gst.Format.TIME, buffer.pts)


def run_to_end(pipeline, path):
    """Ends the test unless the pipeline, which plays the file, comes to its end."""
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(
        SECONDS * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    check(message, f'{path} has no end')
    if message.type == Gst.MessageType.ERROR:
        raise SystemExit(f'{path} does not play: {message.parse_error()}')


def decode(path, probe_of):
    """Decodes a file to its end. probe_of('video' or 'audio') gives the probe that sees
    the buffers of such a stream."""
    Gst.init(None)
    pipeline = Gst.Pipeline()
    source = Gst.ElementFactory.make('uridecodebin')
    source.set_property('uri', Gst.filename_to_uri(os.path.abspath(path)))

    def add(_source, pad):
        kind = pad.get_current_caps().get_structure(0).get_name()
        sink = Gst.ElementFactory.make('fakesink')
        pipeline.add(sink)
        sink.sync_state_with_parent()
        pad.add_probe(Gst.PadProbeType.BUFFER, probe_of(kind.split('/')[0]))
        pad.link(sink.get_static_pad('sink'))

    source.connect('pad-added', add)
    pipeline.add(source)
    run_to_end(pipeline, path)


class Stream:
    """Buffers of a stream, and when the last one ends."""

    def __init__(self):
        self.count, self.end, self.caps = 0, 0, ''

    def add(self, pad, info):
        buffer = info.get_buffer()
        if not self.count:
            self.caps = pad.get_current_caps().to_string()
        self.count += 1
        self.end = stream_time(pad, buffer)
        # Matroska counts in ms: sound that ends with less than half of one has a last
        # buffer without a duration.
        if buffer.duration != Gst.CLOCK_TIME_NONE or self.caps.startswith('video'):
            self.end += buffer.duration
        return Gst.PadProbeReturn.OK


def played(path):
    """Decodes a file to its end: {'video': Stream, 'audio': Stream}."""
    streams = {}

    def probe_of(kind):
        streams[kind] = Stream()
        return streams[kind].add

    decode(path, probe_of)
    check('video' in streams, f'{path} has no pictures')
    return streams
