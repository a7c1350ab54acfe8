# SPDX-License-Identifier: LGPL-2.1-or-later
"""What quickstart.py and compare.py have in common: pipelines that give pictures, how
near two pictures are, and a drawing of both. Samples are read by NumPy."""
import collections
import math
import os
import struct
import sys
import zlib

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'apps'))
from session import Gst, GstVideo, Polled, parse  # noqa: E402
from decode_to_numpy import (components_of, numpy, plain_formats,  # noqa: E402
                             read_host)

if numpy is None:
    sys.exit('NumPy is missing (Debian: python3-numpy).')

POLL = Gst.SECOND // 10
PANEL = 720, 640  # lines and columns of a panel, at most
GAP = 8
GAIN = 16


class Failure(Exception):
    """A sentence for the user."""


class Pipeline(Polled):
    """A pipeline. Elements have names: appsrc is "in", appsink is "out"."""

    failure = Failure

    def __init__(self, description, caps=None, out_caps=None):
        try:
            super().__init__(parse(description))
        except ValueError as error:
            raise Failure(str(error)) from None
        self.source, self.sink = self.get('in'), self.get('out')
        if caps:
            self.source.set_property('caps', caps)
        if out_caps:
            self.sink.set_property('caps', out_caps)

    def get(self, name):
        return self.pipeline.get_by_name(name)

    def start(self):
        self.pipeline.set_state(Gst.State.PLAYING)

    def push(self, buffers):
        for buffer in buffers:
            self.source.emit('push-buffer', buffer)

    def end(self):
        self.source.emit('end-of-stream')

    def pull(self):
        """Returns the next sample of "out", or None at the end."""
        while True:
            sample = self.sink.emit('try-pull-sample', POLL)
            if sample:
                return sample
            self.listen()
            if self.sink.get_property('eos'):
                return None


class Reader(Pipeline):
    """The pictures of a file, in one of the formats of `caps`."""

    def __init__(self, path, caps):
        super().__init__(
            'filesrc name=file ! decodebin name=decoder  videoconvert name=converter '
            'dither=none ! appsink name=out sync=false max-buffers=2', None, caps)
        self.has_sound, self.is_blind = False, False
        self.pad = self.get('converter').get_static_pad('sink')
        self.get('file').set_property('location', path)
        decoder = self.get('decoder')
        decoder.connect('pad-added', self.link)
        decoder.connect('no-more-pads', self.check)
        self.start()

    def link(self, _decoder, pad):
        """Takes the first stream of pictures; others go nowhere."""
        caps = pad.get_current_caps()
        kind = caps.get_structure(0).get_name() if caps else ''
        self.has_sound |= kind.startswith('audio/')
        sink = self.pad
        if kind != 'video/x-raw' or sink.is_linked():
            nowhere = Gst.ElementFactory.make('fakesink')
            nowhere.set_property('async', False)
            self.pipeline.add(nowhere)
            nowhere.sync_state_with_parent()
            sink = nowhere.get_static_pad('sink')
        pad.link(sink)

    def check(self, _decoder):
        self.is_blind = not self.pad.is_linked()

    def listen(self, wait=0):
        ended = super().listen(wait)
        if self.is_blind:
            raise Failure(self.lacking() or 'There are no pictures in this file.')
        return ended

    def orientation(self):
        """Returns how players turn the pictures, as 'rotate-90', or None."""
        number = 0
        while event := self.pad.get_sticky_event(Gst.EventType.TAG, number):
            known, name = event.parse_tag().get_string('image-orientation')
            if known:
                return None if name == 'rotate-0' else name
            number += 1
        return None


def formats():
    """Returns caps of what pacoenc takes, as far as samples can be compared."""
    plain = Gst.Caps.from_string(
        f'video/x-raw,format=(string){{{",".join(plain_formats())}}}')
    for template in Gst.ElementFactory.find('pacoenc').get_static_pad_templates():
        if template.direction == Gst.PadDirection.SINK:
            return plain.intersect(template.get_caps())
    return None


def in_number(count):
    return f'{count} picture{"" if count == 1 else "s"}'


# --- samples ------------------------------------------------------------------

Size = collections.namedtuple('Size', 'samples bits')


def size_of(info):
    """Returns how many samples a picture has, and how many bits without padding."""
    found = info.finfo
    counts = [(-(-info.width >> found.w_sub[c])) * (-(-info.height >> found.h_sub[c]))
              for c in range(found.n_components)]
    return Size(sum(counts), sum(map(int.__mul__, counts, found.depth)))


def components(sample):
    buffer = sample.get_buffer()
    return list(components_of(
        *read_host(buffer), GstVideo.VideoInfo.new_from_caps(sample.get_caps()),
        GstVideo.buffer_get_video_meta(buffer)).values())


def error_of(one, other, info):
    """Returns the mean squared difference of the samples of two pictures, which are
    taken for numbers from 0 to 1."""
    total = 0
    for c, (p, q) in enumerate(zip(components(one), components(other))):
        difference = (p.astype('f8') - q).ravel()
        total += float(numpy.vdot(difference, difference)) \
            / ((1 << info.finfo.depth[c]) - 1) ** 2
    return total / size_of(info).samples


def psnr_of(error):
    return -10 * math.log10(error) if error else math.inf


def in_words(psnr):
    return 'identical' if psnr == math.inf else f'{psnr:.2f} dB'


# --- drawings -----------------------------------------------------------------

def rgb_of(sample):
    """Returns the middle of a picture as RGB of 16 bits, which show small
    differences."""
    wide = GstVideo.video_convert_sample(
        sample, Gst.Caps.from_string('video/x-raw,format=ARGB64'), 10 * Gst.SECOND)
    size = wide.get_caps().get_structure(0)
    width, height = size.get_int('width')[1], size.get_int('height')[1]
    rgb = read_host(wide.get_buffer())[1].view('u2').reshape(height, width, 4)[..., 1:]
    top, left = (max(have - most, 0) // 2 for have, most in zip((height, width), PANEL))
    return rgb[top:top + PANEL[0], left:left + PANEL[1]].astype('i4')


def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data \
        + struct.pack('>I', zlib.crc32(kind + data))


def write_png(one, other, path):
    """Writes a PNG with the middle of both pictures, and their difference, GAIN times
    as strong, around gray."""
    p, q = rgb_of(one), rgb_of(other)
    gap = numpy.full((len(p), GAP, 3), 255)
    difference = (128 + (q - p) * GAIN / 256).clip(0, 255)
    drawn = numpy.hstack([p >> 8, gap, q >> 8, gap, difference]).astype('u1')
    height, width = drawn.shape[:2]
    # Each line begins with the number of its filter: none.
    lines = numpy.pad(drawn.reshape(height, -1), ((0, 0), (1, 0)))
    with open(path, 'wb') as file:
        file.write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack(
            '>IIBBBBB', width, height, 8, 2, 0, 0, 0))
            + chunk(b'IDAT', zlib.compress(lines.tobytes())) + chunk(b'IEND', b''))
