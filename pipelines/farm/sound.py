# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes a container: frames of PaCo that are pushed into it, and all sound of a
source, as it is there if the container takes it, else decoded. transcode.py calls it to
join parts."""
import threading

from job import FarmError, TaskError
from media import PATIENCE, Gst, Sink

MUXERS = {
    '.mov': 'qtmux',
    '.mkv': 'matroskamux',
}
# How far one track may be ahead of the others in a source.
AHEAD = 10 * Gst.SECOND


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
