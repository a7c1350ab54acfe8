# SPDX-License-Identifier: LGPL-2.1-or-later
"""GStreamer for transcode.py: pictures of a source from a moment on, pipelines into
which pictures are put, and containers, which also get all sound of a source, as it is
there if the container takes it, else decoded."""
import threading

import tool
from job import FarmError, TaskError
from session import Gst, Polled, parse

POLL = Gst.SECOND // 10
PATIENCE = 120  # seconds without a picture, after which something hangs
# A pipeline is ready after READY seconds. uridecodebin can lose the error of
# a demuxer that finds its file cut off, and waits for ever then.
READY = 45
THREADED = ('pacoenc', 'pacodec')
MUXERS = {
    '.mov': 'qtmux',
    '.mkv': 'matroskamux',
}
# How far one track may be ahead of the others in a source.
AHEAD = 10 * Gst.SECOND


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


class Pipeline(Polled):
    failure = TaskError

    def __init__(self):
        super().__init__(Gst.Pipeline())
        self.pipeline.connect('deep-element-added', limit_threads)

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

    def wait(self, state):
        """Waits until a change of state is done."""
        for _ in range(READY * 10):
            result = self.pipeline.get_state(POLL)[0]
            self.listen()
            if result != Gst.StateChangeReturn.ASYNC:
                return
        raise TaskError(self.lacking() or f'The pipeline does not become {state}.')


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


def templates(factory, kind):
    """Returns the sink pads of a muxer for 'video' or 'audio'; some have one
    kind for all."""
    return [template for template in factory.get_static_pad_templates()
            if template.direction == Gst.PadDirection.SINK
            and template.name_template.startswith((kind, 'sink'))]


class Muxing(Sink):
    """A film in the making. Sound is read from the URI."""

    def __init__(self, muxer, uri, path):
        super().__init__()
        self.known = threading.Event()
        self.problem = None
        self.mux = self.make(muxer)
        self.mux.link(self.make('filesink', location=path))
        pictures = self.make('pacoparse')
        self.input.link(pictures)
        self.enter(pictures, 'video')
        self.sounds = Gst.Caps.new_empty()
        for template in templates(self.mux.get_factory(), 'audio'):
            self.sounds.append(template.get_caps())
        self.demuxers = Gst.ElementFactory.list_get_elements(
            Gst.ELEMENT_FACTORY_TYPE_DEMUXER, Gst.Rank.MARGINAL)
        source = self.make('uridecodebin', uri=uri)
        source.connect('autoplug-continue', self.wants)
        source.connect('pad-added', self.add)
        source.connect('no-more-pads', lambda *_: self.known.set())
        self.set_state(Gst.State.PLAYING)
        # All tracks must be there before the muxer gets pictures.
        for _ in range(PATIENCE * 10):
            self.listen()
            if self.known.wait(0.1):
                break
        else:
            raise TaskError('What sound the source has does not become known.')
        self.listen()
        self.problem = self.problem or self.lack.get('audio')
        if self.problem:
            raise FarmError(self.problem)

    def enter(self, element, kind):
        """Links an element to a new pad of the muxer."""
        source = element.get_static_pad('src')
        for template in templates(self.mux.get_factory(), kind):
            pad = self.mux.request_pad(self.mux.get_pad_template(
                template.name_template), None, None)
            if pad and source.can_link(pad):
                source.link(pad)
                return
            if pad:
                self.mux.release_request_pad(pad)
        raise FarmError(f'{self.mux.get_factory().get_name()} does not take {kind} '
                        'of this kind.')

    def takes(self, caps):
        return caps.is_subset(self.sounds)

    def wants(self, _source, _pad, caps):
        """Says whether what the source has found is to be taken apart: a
        container is, pictures are not, and sound is where the muxer does
        not take it."""
        if Gst.ElementFactory.list_filter(self.demuxers, caps,
                                          Gst.PadDirection.SINK, False):
            return True
        name = caps.get_structure(0).get_name()
        if name.startswith(('video/', 'image/')):
            return False
        return not (name.startswith('audio/') and self.takes(caps))

    def add(self, _source, pad):
        """Takes a stream of the source: sound to the muxer, the rest to nobody."""
        try:
            self.link(pad)
        except FarmError as error:
            self.problem = str(error)
            self.known.set()

    def link(self, pad):
        caps = pad.get_current_caps() or pad.query_caps(None)
        sound = caps.get_structure(0).get_name().startswith('audio/')
        if not sound:
            elements = [self.make('fakesink', sync=False)]
        else:
            elements = [self.make('queue', max_size_time=AHEAD,
                                  max_size_bytes=0, max_size_buffers=0)]
            if not self.takes(caps):
                elements += [self.make('audioconvert'), self.make('audioresample')]
        for one, other in zip(elements, elements[1:]):
            one.link(other)
        if sound:
            self.enter(elements[-1], 'audio')
        for element in reversed(elements):
            element.sync_state_with_parent()
        pad.link(elements[0].get_static_pad('sink'))
