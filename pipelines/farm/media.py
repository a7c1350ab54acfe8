# SPDX-License-Identifier: LGPL-2.1-or-later
"""GStreamer for transcode.py: pictures of a source from a moment on, and pipelines
into which pictures are put. Both are read and written in a loop, and every wait also
looks for errors."""
import threading

import tool
from job import FarmError, TaskError
from session import Gst, explain, lacking_of, parse

POLL = Gst.SECOND // 10
PATIENCE = 120  # seconds without a picture, after which something hangs
# A pipeline is ready after so many seconds. uridecodebin can lose the error of
# a demuxer that finds its file cut off, and waits for ever then.
READY = 45
THREADED = ('pacoenc', 'pacodec')


def start():
    Gst.init(None)
    if not Gst.ElementFactory.find('pacoenc'):
        raise FarmError('GStreamer does not find pacoenc: GST_PLUGIN_PATH must name '
                        'the folder with libgstpaco.so, on all machines.')


def limit_threads(_bin, _parent, element):
    factory = element.get_factory()
    if factory and factory.get_name() in THREADED and \
            element.get_property('threads') == 0:
        element.set_property('threads', tool.threads())


def elements_of(made):
    """Returns the elements of a bin. The bindings alone, without
    python3-gst-1.0, have no loops over iterators."""
    found = []
    made.iterate_recurse().foreach(found.append)
    return found


def bin_of(description):
    """Makes a bin of elements that somebody has described, with a pad at each
    end."""
    try:
        made = parse(description,
                     lambda text: Gst.parse_bin_from_description(text, True))
    except ValueError as error:
        raise FarmError(f'"{description}" is no pipeline: {error}') from None
    for element in elements_of(made):
        limit_threads(None, None, element)
    return made


class Pipeline:
    """A pipeline, and what goes wrong in it."""

    def __init__(self):
        self.pipeline = Gst.Pipeline()
        self.pipeline.connect('deep-element-added', limit_threads)
        self.bus = self.pipeline.get_bus()
        self.warnings = []
        self.lack = {}  # sentences about missing plugins, by what they are for
        self.ended = False

    def make(self, factory, **properties):
        element = Gst.ElementFactory.make(factory)
        if element is None:
            raise FarmError(f'This GStreamer has no {factory}.')
        for name, value in properties.items():
            element.set_property(name.replace('_', '-'), value)
        self.pipeline.add(element)
        return element

    def set_state(self, state):
        if self.pipeline.set_state(state) == Gst.StateChangeReturn.FAILURE:
            self.listen()
            raise TaskError('The pipeline does not start.')

    def listen(self, wait=0):
        """Takes what the bus has, and waits so long for something; errors are
        raised."""
        while message := self.bus.timed_pop_filtered(
                wait, Gst.MessageType.ERROR | Gst.MessageType.WARNING
                | Gst.MessageType.EOS | Gst.MessageType.ELEMENT):
            wait = 0
            if message.type == Gst.MessageType.ERROR:
                raise TaskError(explain(message, self.lacking()))
            if message.type == Gst.MessageType.ELEMENT:
                kind, sentence = lacking_of(message)
                if kind:
                    self.lack.setdefault(kind, sentence)
            elif message.type == Gst.MessageType.WARNING:
                self.warnings.append(message.parse_warning()[0].message)
            else:
                self.ended = True

    def wait(self, state):
        """Waits until a change of state is done."""
        for _ in range(READY * 10):
            result = self.pipeline.get_state(POLL)[0]
            self.listen()
            if result != Gst.StateChangeReturn.ASYNC:
                return
        raise TaskError(self.lacking() or f'The pipeline does not become {state}.')

    def lacking(self):
        """Returns a sentence if a plugin is missing, else an empty string."""
        return next(iter(self.lack.values()), '')

    def close(self):
        self.pipeline.set_state(Gst.State.NULL)


class Source(Pipeline):
    """The pictures of a file, decoded, in order."""

    def __init__(self, uri):
        super().__init__()
        self.sink = self.make('appsink', sync=False, max_buffers=3,
                              enable_last_sample=False)
        source = self.make('uridecodebin', uri=uri)
        source.connect('autoplug-continue', self.wants)
        source.connect('pad-added', self.link)
        self.set_state(Gst.State.PAUSED)
        self.wait('ready')

    @staticmethod
    def wants(_source, _pad, caps):
        """Leaves sound as it is; nobody takes it."""
        return not caps.get_structure(0).get_name().startswith('audio/')

    def link(self, _source, pad):
        caps = pad.get_current_caps() or pad.query_caps(None)
        sink = self.sink.get_static_pad('sink')
        if caps.get_structure(0).get_name() == 'video/x-raw' and \
                not sink.is_linked():
            pad.link(sink)

    def preroll(self):
        """Returns the first picture, which is not taken."""
        return self.sink.emit('try-pull-preroll', 0)

    def duration(self):
        """Returns the duration in ns, or None."""
        known, duration = self.pipeline.query_duration(Gst.Format.TIME)
        return duration if known and duration > 0 else None

    def can_seek(self):
        query = Gst.Query.new_seeking(Gst.Format.TIME)
        return self.pipeline.query(query) and query.parse_seeking()[1]

    def seek(self, time):
        if not self.pipeline.seek_simple(
                Gst.Format.TIME, Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE,
                time):
            self.listen()
            raise TaskError(f'The source cannot be sought to {time} ns.')
        self.wait('ready')

    def samples(self):
        """Yields everything from here on."""
        self.set_state(Gst.State.PLAYING)
        quiet = 0
        while True:
            sample = self.sink.emit('try-pull-sample', POLL)
            self.listen()
            if sample is not None:
                quiet = 0
                yield sample
            elif self.sink.get_property('eos'):
                return
            elif (quiet := quiet + 1) > PATIENCE * 10:
                raise TaskError(f'No picture has come for {PATIENCE} seconds.')


def time_of(sample):
    """Returns when a sample is shown, ns from the begin of its stream on."""
    buffer = sample.get_buffer()
    if buffer.pts == Gst.CLOCK_TIME_NONE:
        raise FarmError('The pictures of this source have no times.')
    time = sample.get_segment().to_stream_time(Gst.Format.TIME, buffer.pts)
    if time == Gst.CLOCK_TIME_NONE:
        raise TaskError(f'The source gives a picture outside of what it was '
                        f'asked for, at {buffer.pts} ns.')
    return time


def on_one_line(sample):
    """Returns the same sample in a segment that all ranges of a source have in
    common: what was time in the stream becomes running time."""
    found = sample.get_segment()
    segment = Gst.Segment.new()
    segment.init(Gst.Format.TIME)
    shift = found.start - found.time
    if shift >= 0:
        segment.start = segment.position = shift
    else:
        segment.base = segment.time = -shift
    return Gst.Sample.new(sample.get_buffer(), sample.get_caps(), segment, None)


class Sink(Pipeline):
    """A pipeline that begins with an appsrc."""

    def __init__(self):
        super().__init__()
        self.input = self.make('appsrc', format=Gst.Format.TIME,
                               handle_segment_change=True)
        self.room = threading.Event()
        self.room.set()
        self.input.connect('need-data', lambda *_: self.room.set())
        self.input.connect('enough-data', lambda *_: self.room.clear())
        self.limit = 0  # bytes in the appsrc

    def push(self, sample):
        if not self.limit:
            self.limit = max(1, 2 * sample.get_buffer().get_size())
            self.input.set_property('max-bytes', self.limit)
        for _ in range(PATIENCE * 10):
            self.listen()
            # Of "enough" and "need", which come from two threads, the older one may
            # come last.
            if self.room.wait(0.1) or \
                    self.input.get_property('current-level-bytes') < self.limit:
                break
        else:
            raise TaskError(f'No picture was taken for {PATIENCE} seconds.')
        if self.input.emit('push-sample', sample) != Gst.FlowReturn.OK:
            self.listen(Gst.SECOND)
            raise TaskError('The pipeline has stopped.')

    def finish(self):
        """Ends the stream and waits for what is in flight."""
        self.input.emit('end-of-stream')
        while not self.ended:
            self.listen(POLL)
