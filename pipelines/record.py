#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Records pictures as PaCo video, with their sound: a live test scene, a device, a
file, or whatever GStreamer elements give. record.sh starts it.

A thread of its own takes pictures from the source; where the encoder or the disk
cannot keep up with a live source for longer than a queue lasts, whole pictures are
dropped and counted, and the recording goes on."""
import glob
import math
import os
import re
import resource
import shutil
import sys
import threading
import time
from urllib.parse import unquote, urlparse

sys.dont_write_bytecode = True
from session import (PACKAGES, Gst, GstAudio, GstVideo, GLib, Parser,  # noqa: E402
                     Session, end, has, in_bytes, in_time, need, number, parse,
                     remove_files, start, streams, uri_of)
from text import shown  # noqa: E402
import timecode  # noqa: E402

EPILOG = """examples:
  record.sh                            the test scene, until Ctrl-C
  record.sh --source /dev/video0 --sound autoaudiosrc out.mov
  record.sh --source decklink --encoder rate-control=lossless out.mov
  record.sh --source 'udpsrc port=5000 ! tsdemux ! decodebin' out.mkv
  record.sh --preset broadcast-200 --segment-seconds 60 out.mov
                                       out-00000.mov, out-00001.mov, ...

Ctrl-C ends the file properly; pressed twice it stops at once. However a recording
is cut off (kill -9, power, a full disk), what was written until a second before
still plays. MOV files are written in fragments. With --moov reserved, and where
the first picture has a timecode, they have a table at their beginning instead, which is
rewritten every second; unless --max-seconds, --seconds or --frames say otherwise, it
takes 58 MB and has room for 4 hours at least (25 pictures a second, with sound; less on
a small disk). Where it ends, the recording ends, with a line that says so.
Timecodes are in the frames; MOV files with a table have a track of them as well. The
timecode of a file (MOV, MP4, Matroska) is kept, and all of its sound; a line names its
other streams, which are not.

A sensor's mosaic (video/x-bayer, as --caps format=rggb) stays one.
"""

# What waits for the encoder, and what waits for the disk, at most.
PICTURES = 'max-size-buffers=0 max-size-time=2000000000'
CODED = 'max-size-buffers=0 max-size-time=0 max-size-bytes=268435456'
SOUND = 'max-size-buffers=0 max-size-time=0 max-size-bytes=16777216'
SOUND_CAPS = 'audio/x-raw,format={(string)S16LE,S24LE},layout=interleaved'

MUXERS = {'.mov': 'qtmux', '.mkv': 'matroskamux', '.paco': None}
# A recording is ended while this many seconds of it still fit on the disk.
SPARE_SECONDS, SPARE_BYTES = 3, 4 << 20
DISK = 'The disk is nearly full'
TABLE = ('The table of this MOV file is nearly full (--max-seconds says how large it is, '
         '--segment-seconds makes several files)')
# Sources whose pictures have numbers.
NUMBERED = 'test', '/dev/', 'decklink'
# A table has room for that if nobody says how long a recording is to be.
MAX_SECONDS = 4 * 3600
# What a frame takes in a MOV file's table at most, and what a second of a track may
# have there: 550 is qtmux's own number, 10000 the largest one.
FRAME_BYTES, LEAST_BYTES, MOST_BYTES = 40, 550, 10000
# Tracks of sound that a file may have.
MOST_TRACKS = 64
# How long the end of the sound is waited for.
SOUND_SECONDS = 1
# PyGObject makes these when they are used for the first time, and if two probes do that at
# once, one of them finds half of it.
LOADED = (Gst.EventType.EOS, Gst.PadProbeReturn.OK, Gst.BufferCopyFlags.META,
          GstAudio.AudioInfo.new_from_caps, Gst.Format.TIME,
          GstVideo.video_time_code_meta_api_get_type)


def parse_arguments():
    parser = Parser('record.sh', __doc__, EPILOG)
    add = parser.add_argument
    add('out', nargs='?', metavar='OUT',
        help='file.mov, file.mkv or file.paco (which has no sound); without it '
        'recording-DATE-TIME.mov')
    add('--source', default='test', metavar='SOURCE',
        help='test, /dev/videoN, decklink[:N], a file, a URI, or elements as '
        'gst-launch-1.0 takes them (default: test)')
    add('--sound', metavar='ELEMENTS',
        help='elements that give sound, or none; a test scene, decklink and '
        'files bring their own')
    add('--caps', metavar='FIELDS', help='what the source is asked for, such as '
        'format=v210,width=1920,height=1080,framerate=50/1 (the test scene: '
        '4:2:2 of 10 bits, 1920x1080, 25 pictures a second)')
    add('--preset', metavar='NAME', help='of pacoenc: cinema-lossless, '
        'cinema-visually-lossless, broadcast-200, proxy, low-latency')
    add('--encoder', default='', metavar='PROPERTIES',
        help='of pacoenc, such as "quality=85 threads=4"; what they set is '
        'stronger than the preset')
    add('--moov', choices=('fragmented', 'reserved'),
        help='how a MOV file stays playable while it is written (fragmented, unless '
        'the first picture has a timecode)')
    add('--max-seconds', type=number(int, 1, 604800), default=0, metavar='N',
        help='that the table of a MOV file has room for, at least (default: what is to '
        'be recorded, else 4 hours, or what fits into 1 %% of the disk)')
    add('--segment-seconds', type=number(float, 0.001, 1000000), default=0,
        metavar='N', help='begins a new file every N seconds')
    add('--segment-mb', type=number(float, 0.001, 1000000), default=0, metavar='N',
        help='begins a new file before one has over N MB')
    add('--seconds', type=number(float, 0.001, 1000000), default=0, metavar='N',
        help='ends after N')
    add('--frames', type=number(int, 1, 10**9), default=0, metavar='N',
        help='ends after N')
    add('--queue-mb', type=number(int, 1, 4000), default=1000, metavar='N',
        help='memory for pictures that wait for the encoder (1000; 2 seconds of '
        'them at most)')
    add('--overwrite', action='store_true', help='of files that are there')
    add('--quiet', action='store_true', help='shows no status')
    return parser.parse_args()


def choose_out(args):
    """Completes args with the file, its kind and its folder, or gives up."""
    if not args.out:
        args.out = time.strftime('recording-%Y%m%d-%H%M%S.mov')
    base, args.kind = os.path.splitext(args.out)
    if args.kind not in MUXERS:
        sys.exit(f'{args.out}: recordings are .mov, .mkv or .paco files.')
    args.folder = os.path.dirname(os.path.abspath(args.out))
    if not os.path.isdir(args.folder):
        sys.exit(f'There is no folder {args.folder}.')
    args.in_segments = args.segment_seconds > 0 or args.segment_mb > 0
    if args.in_segments and args.kind == '.paco':
        sys.exit('Segments are .mov or .mkv files.')
    args.late = False
    args.existing = [args.out] if os.path.exists(args.out) else []
    if args.in_segments:
        args.pattern = f'{base.replace("%", "%%")}-%05d{args.kind}'
        args.existing = glob.glob(
            f'{glob.escape(base)}-[0-9][0-9][0-9][0-9][0-9]{args.kind}')
    if args.existing and not args.overwrite:
        sys.exit(f'{args.existing[0]} exists already; --overwrite replaces it.')


def choose_source(args):
    """Returns (elements that give pictures, elements that give sound); the
    first is None for a file, which uridecodebin reads."""
    name, sound = args.source, args.sound
    first = name.split()[0] if name.split() else ''
    if name == 'test':
        # It has detail of every size and moves; most other patterns code to nothing.
        pictures = ('videotestsrc is-live=true pattern=zone-plate kx2=20 ky2=20 '
                    'kt=1')
        args.caps = args.caps or ('format=I422_10LE,width=1920,height=1080,'
                                  'framerate=25/1')
        sound = sound or 'audiotestsrc is-live=true wave=ticks volume=0.5'
    elif name == 'decklink' or name.startswith('decklink:'):
        need('decklinkvideosrc')
        device = name.partition(':')[2] or '0'
        if not device.isdecimal():
            sys.exit(f'{name}: cards have numbers, such as decklink:1.')
        pictures = f'decklinkvideosrc device-number={device}'
        sound = sound or f'decklinkaudiosrc device-number={device}'
    elif name.startswith('/dev/'):
        need('v4l2src')
        if not os.path.exists(name):
            sys.exit(f'There is no device {name}.')
        pictures = f'v4l2src device={name}'
    elif os.path.isfile(name) or Gst.uri_is_valid(name):
        return None, sound
    elif '!' in name or has(first):
        pictures = name
    else:
        sys.exit(f'{name} is no file, no device, and GStreamer has no element '
                 f'{first}.')
    return pictures, None if sound == 'none' else sound


def muxer(args):
    """Returns the muxer's name and its properties, which are those that make a
    cut-off file playable. use_table() sets those of a table."""
    name = MUXERS[args.kind]
    need(name)
    if name == 'matroskamux':
        # No more than a cluster is lost.
        return name, {'max-cluster-duration': '(gint64)1000000000',
                      'offset-to-zero': '(boolean)true'}
    # That fragments become an ordinary file at the end (fragment-mode) is
    # no use: GStreamer 1.22 plays none of the pictures of one that is cut
    # off before.
    return name, {'fragment-duration': '(uint)1000'}


def container(args):
    """Returns the elements behind the encoder's queue that write the file."""
    if args.kind == '.paco':
        return 'filesink name=file'
    name, properties = muxer(args)
    if args.in_segments:
        need('splitmuxsink')
        fields = ','.join(f'{key}={value}' for key, value in properties.items())
        return (f'mux.video splitmuxsink name=mux muxer-factory={name} '
                f'muxer-properties="properties,{fields}"')
    fields = ' '.join(f'{key}={value.partition(")")[2]}'
                      for key, value in properties.items())
    return f'mux. {name} name=mux {fields} ! filesink name=file'


def description(args, pictures, sounds, stamper):
    """Returns the pipeline. A queue is the border between a source and what follows
    it. sounds are pairs: elements, or an empty text for a track of a file, and how
    many channels there are, 0 if that is unknown."""
    caps = (f'! video/x-raw(ANY),{args.caps};video/x-bayer,{args.caps}' if args.caps
            else '')
    source = f'{pictures} {caps} ! ' if pictures else ''
    # link_pictures() links both parts.
    text = (f'{source}queue name=pictures {PICTURES} '
            f'max-size-bytes={args.queue_mb * 1000000} {stamper}'
            'videoconvert name=converter '
            f'pacoenc name=encoder {args.encoder} ! '
            f'queue name=coded {CODED} ! {container(args)} ')
    for track, (sound, channels) in enumerate(sounds):
        source = f'{sound} ! ' if sound else ''
        # MOV files do not say which loudspeakers more than two channels are for; qtmux
        # would be given two channels then.
        unnamed = (f',channels={channels} ! capssetter '
                   'caps="audio/x-raw,channel-mask=(bitmask)0"'
                   if channels > 2 and args.kind == '.mov' else '')
        text += (f'{source}queue name=sound_{track} {SOUND} ! audioconvert ! '
                 'audioresample ! audiorate tolerance=5000000 ! '
                 f'{SOUND_CAPS}{unnamed} ! '
                 f'mux.{f"audio_{track}" if args.in_segments else ""} ')
    return text


def look_into(args, uri, wants_sound):
    """Returns (how many channels each track of a file's sound has, the timecode with
    which it begins, or None), and says what of it is not recorded."""
    found = streams(uri, wants_sound)
    if not found.pictures:
        sys.exit(f'There are no pictures in {args.source}.')
    more = {'pictures': found.pictures - 1, 'text': found.texts,
            'sound': len(found.sounds) - MOST_TRACKS}
    left = [f'{count} of its streams of {kind}' for kind, count in more.items()
            if count > 0]
    if left:
        print(f'{shown(args.source)}: not recorded: {", ".join(left)}.',
              file=sys.stderr)
    if 0 < found.duration < Gst.CLOCK_TIME_NONE:
        args.max_seconds = args.max_seconds or found.duration // Gst.SECOND + 1
    path = unquote(urlparse(uri).path) if uri.startswith('file:') else ''
    return (found.sounds[:MOST_TRACKS],
            timecode.of_tags(found.tags) or timecode.of_mov(path))


def stamp(args, begin):
    """Returns an element that gives pictures without a timecode the file's."""
    if not begin:
        return ''
    if not has('timecodestamper'):
        print(f'{shown(args.source)}: the timecode {begin} is not recorded: this '
              'GStreamer has no timecodestamper '
              f'(Debian: {PACKAGES["timecodestamper"]}).', file=sys.stderr)
        return ''
    return ('timecodestamper name=stamper source=internal set=keep '
            f'drop-frame={"true" if ";" in begin else "false"} ')


def build(args):
    pictures, sound = choose_source(args)
    sounds = [(sound, 0)] if sound and sound != 'none' else []
    decoder, begin = None, None
    if pictures is None:
        uri = uri_of(args.source)
        tracks, begin = look_into(args, uri, sound is None)
        if sound is None:
            sounds = [('', channels) for channels in tracks]
        decoder = Gst.ElementFactory.make('uridecodebin')
        decoder.set_property('uri', uri)
    if args.kind == '.paco' and sounds:
        if args.source != 'test' or args.sound:
            print('A .paco file has no sound; .mov and .mkv have it.',
                  file=sys.stderr)
        sounds = []
    stamper = stamp(args, begin)
    try:
        pipeline = parse(description(args, pictures, sounds, stamper))
    except ValueError as error:
        sys.exit(f'This cannot be built: {error}')
    if decoder:
        pipeline.add(decoder)
        decoder.connect('pad-added', link, pipeline)
    if stamper:
        pipeline.get_by_name('stamper').set_property(
            'set-internal-timecode', GstVideo.VideoTimeCode.new_from_string(begin))
    configure(pipeline, args)
    return pipeline


def link_pictures(pipeline):
    """Links the queue of pictures, whose source is open, with what follows. Mosaics go
    straight to the encoder, as no converter takes them. Returns an error or None."""
    queue, stamper, converter, encoder = map(
        pipeline.get_by_name, ('pictures', 'stamper', 'converter', 'encoder'))
    source = queue.get_static_pad('sink').get_peer()
    raw, mosaic = map(Gst.Caps.from_string, ('video/x-raw(ANY)', 'video/x-bayer'))
    caps = source.query_caps(None) if source else raw
    if caps.can_intersect(mosaic) and not caps.can_intersect(raw):
        pipeline.remove(converter)
        converter = None
    chain = [part for part in (queue, stamper, converter, encoder) if part]
    for part, following in zip(chain, chain[1:]):
        if not part.link(following):
            return 'The source gives no pictures that pacoenc takes.'
    return None


def link(_decoder, pad, pipeline):
    """Links a file's first pictures, and each track of its sound."""
    kind = pad.get_current_caps().get_structure(0).get_name()
    names = {'video/x-raw': ['pictures'],
             'audio/x-raw': [f'sound_{i}' for i in range(MOST_TRACKS)]}
    for name in names.get(kind, ()):
        queue = pipeline.get_by_name(name)
        if not queue:
            break
        sink = queue.get_static_pad('sink')
        if not sink.is_linked():
            pad.link(sink)
            break


def has_timecode(buffer):
    return buffer.get_meta(GstVideo.video_time_code_meta_api_get_type()) is not None


def leave_out_metas(pad, info):
    """Pushes a coded frame without its timecode meta, which is in the frame too.
    For a meta, qtmux writes a timecode between the boxes of a fragmented file, and
    no program can read what follows."""
    buffer = info.get_buffer()
    if not has_timecode(buffer):
        return Gst.PadProbeReturn.OK
    parts = Gst.BufferCopyFlags
    pad.push(buffer.copy_region(parts.FLAGS | parts.TIMESTAMPS | parts.MEMORY, 0,
                                buffer.get_size()))
    return Gst.PadProbeReturn.DROP


def room_for(args, rate, size):
    """Returns how many seconds the table of a file has room for, at `rate` frames and
    `size` bytes a second: as many as are to be recorded, if that is known; else no more
    than fit into a hundredth of the disk, as the table is there twice."""
    asked = args.max_seconds or args.seconds or args.frames / rate
    if asked or args.segment_seconds:
        return math.ceil(max(asked, args.segment_seconds)) + 1
    free = shutil.disk_usage(args.folder).free
    return max(min(MAX_SECONDS, free // (200 * size)), 1)


def use_table(args, mux, caps):
    """Lets qtmux keep a table at the beginning of the file in the place of fragments,
    with room for as many frames a second as there will be."""
    if args.in_segments:
        # Segments that have no length end where a table ends.
        mux.set_property('use-robust-muxing', not args.segment_seconds)
        mux = mux.get_by_name('muxer')
    found = re.search(r'framerate=\(fraction\)(\d+)/(\d+)', caps.to_string())
    rate = int(found[1]) / int(found[2]) if found else 0
    size = int(min(max(FRAME_BYTES * rate, LEAST_BYTES), MOST_BYTES))
    room = room_for(args, rate or 1, size * max(mux.numsinkpads, 1))
    for name, value in {'fragment-duration': 0, 'reserved-bytes-per-sec': size,
                        'reserved-max-duration': room * Gst.SECOND,
                        'reserved-moov-update-period': Gst.SECOND}.items():
        mux.set_property(name, value)


def choose_moov(pad, info, args, mux):
    """Chooses, by the first coded frame, how a MOV file is written: with a table if
    there are timecodes, as they have a track then."""
    stamped = has_timecode(info.get_buffer())
    if args.moov is None:
        args.moov = 'reserved' if stamped else 'fragmented'
        args.late = not stamped
    if args.moov == 'reserved':
        use_table(args, mux, pad.get_current_caps())
        return Gst.PadProbeReturn.REMOVE
    if stamped and args.late:
        args.late = False
        print(f'{shown(args.out)}: the first pictures had no timecode: those of others '
              'are in the frames, and the file has no track of them.', file=sys.stderr)
    return leave_out_metas(pad, info)


def configure(pipeline, args):
    """Sets what is not written into the description, such as names of files."""
    encoder = pipeline.get_by_name('encoder')
    if args.preset and not Gst.Preset.load_preset(encoder, args.preset):
        names = ', '.join(Gst.Preset.get_preset_names(encoder))
        sys.exit(f'pacoenc has no preset {args.preset}; it has {names}.')
    if args.preset:
        # What --encoder sets is stronger than the preset.
        given = parse(f'pacoenc {args.encoder}')
        for name in re.findall(r'([\w-]+)\s*=', args.encoder):
            encoder.set_property(name, given.get_property(name))
    if args.kind == '.mov':
        pipeline.get_by_name('coded').get_static_pad('src').add_probe(
            Gst.PadProbeType.BUFFER, choose_moov, args, pipeline.get_by_name('mux'))
    if not args.in_segments:
        pipeline.get_by_name('file').set_property('location', args.out)
        return
    mux = pipeline.get_by_name('mux')
    mux.set_property('location', args.pattern)
    mux.set_property('max-size-time', int(args.segment_seconds * Gst.SECOND))
    mux.set_property('max-size-bytes', int(args.segment_mb * 1000000))


class Sound:
    """A track of sound, which begins and ends with the pictures. Its methods are
    probes of its queue."""

    def __init__(self, recording, queue):
        self.recording, self.queue = recording, queue
        self.segment, self.begun, self.end, self.over = None, False, 0, False
        kind, out = Gst.PadProbeType, queue.get_static_pad('src')
        queue.get_static_pad('sink').add_probe(kind.BUFFER, self.enter)
        out.add_probe(kind.BUFFER, self.leave)
        out.add_probe(kind.EVENT_DOWNSTREAM, self.keep_segment)

    def enter(self, _pad, info):
        self.end = end_of(info.get_buffer())
        return Gst.PadProbeReturn.OK

    def keep_segment(self, _pad, info):
        """Keeps the sound's segment until the first picture comes."""
        event = info.get_event()
        if event.type != Gst.EventType.SEGMENT or self.begun:
            return Gst.PadProbeReturn.OK
        self.segment = event.parse_segment().copy()
        return Gst.PadProbeReturn.DROP

    def leave(self, pad, info):
        """Lets sound begin and end with the pictures: fragments of MOV do not
        say when a track begins. audiorate cuts or fills its first buffer to
        where the segment begins."""
        recording = self.recording
        recording.begun.wait()
        if not self.begun and recording.first is not None:
            self.begun, segment = True, self.segment
            segment.base = segment.to_running_time(
                Gst.Format.TIME, recording.first)
            segment.time = segment.to_stream_time(
                Gst.Format.TIME, recording.first)
            segment.start = recording.first
            # Up to that, audiorate would put silence after the last sample.
            segment.stop = Gst.CLOCK_TIME_NONE
            pad.push_event(Gst.Event.new_segment(segment))
        buffer, until = info.get_buffer(), recording.sound_until
        if recording.first is None or (until is not None and buffer.pts >= until):
            if not self.over:
                self.over = True
                recording.end_stream(self.queue)
            return Gst.PadProbeReturn.DROP
        if until is None or end_of(buffer) <= until:
            return Gst.PadProbeReturn.OK
        pad.push(cut(buffer, pad.get_current_caps(), until))
        return Gst.PadProbeReturn.DROP


def cut(buffer, caps, until):
    """Returns the samples of a buffer that come before then."""
    audio = GstAudio.AudioInfo.new_from_caps(caps)
    samples = round((until - buffer.pts) * audio.rate / Gst.SECOND)
    parts = Gst.BufferCopyFlags
    first = buffer.copy_region(parts.FLAGS | parts.TIMESTAMPS | parts.META | parts.MEMORY,
                               0, min(samples * audio.bpf, buffer.get_size()))
    first.duration = until - buffer.pts
    return first


def end_of(buffer):
    duration = buffer.duration
    return buffer.pts + (0 if duration == Gst.CLOCK_TIME_NONE else duration)


class Recording(Session):
    """A recording: counts pictures, watches the disk, and ends it."""

    def __init__(self, args):
        pipeline = build(args)
        super().__init__(pipeline, args.quiet)
        self.args = args
        self.numbered = args.source.startswith(NUMBERED)
        self.encoder = pipeline.get_by_name('encoder')
        self.mux = pipeline.get_by_name('mux')
        self.files = []
        self.why = None  # it was ended, in words
        self.taken = self.passed = self.lost = self.arrived = 0
        self.last_offset, self.live, self.source_ended = None, False, False
        # These are times of the first picture, and of the end of the last one
        # that was passed on or taken; and where the sound is to end.
        self.first = self.end = self.taken_end = self.sound_until = None
        self.begun = threading.Event()
        self.stopping = self.complete = False
        self.ticks, self.last = 0, (time.monotonic(), 0, 0)
        self.fps = self.rate = 0.0
        self.pictures = pipeline.get_by_name('pictures')
        kind = Gst.PadProbeType.BUFFER
        self.pictures.get_static_pad('sink').add_probe(kind, self.enter)
        self.pictures.get_static_pad('sink').add_probe(
            Gst.PadProbeType.EVENT_DOWNSTREAM, self.end_sounds)
        self.pictures.get_static_pad('src').add_probe(kind, self.leave)
        # This pad is of the muxer or the file, behind all other probes.
        pipeline.get_by_name('coded').get_static_pad('src').get_peer().add_probe(
            kind, self.arrive)
        tracks = (pipeline.get_by_name(f'sound_{i}') for i in range(MOST_TRACKS))
        self.sounds = [Sound(self, queue) for queue in tracks if queue]

    # These are probes, in the threads of the source and of the encoder.

    def end_sounds(self, _pad, info):
        """Ends live sound, which has no end, where the pictures end."""
        if info.get_event().type == Gst.EventType.EOS:
            if not self.taken:
                self.begun.set()
            self.source_ended = True
            self.limit_live_sound()
        return Gst.PadProbeReturn.OK

    def limit_live_sound(self):
        """Sets the end of live sound where the pictures have one. A source of few
        pictures may have ended before begin() knows what is live."""
        if self.live and self.source_ended and self.sound_until is None:
            self.sound_until = self.taken_end or 0

    def enter(self, _pad, info):
        """Counts a picture that comes out of the source. Devices that number
        them show by a gap what they have lost themselves."""
        if self.stopping or self.complete:
            return Gst.PadProbeReturn.DROP
        offset = info.get_buffer().offset
        if self.numbered and offset != Gst.BUFFER_OFFSET_NONE:
            if self.last_offset is not None and offset > self.last_offset + 1:
                self.lost += offset - self.last_offset - 1
            self.last_offset = offset
        self.taken += 1
        self.taken_end = end_of(info.get_buffer())
        return Gst.PadProbeReturn.OK

    def leave(self, _pad, info):
        """Counts a picture that goes to the encoder."""
        if self.complete:
            return Gst.PadProbeReturn.DROP
        buffer, args = info.get_buffer(), self.args
        self.passed += 1
        if self.first is None:
            self.first = buffer.pts
            planned = self.planned_end(buffer)
            if planned is not None:
                self.sound_until = planned
            self.begun.set()
        self.end = end_of(buffer)
        if self.passed == args.frames or (
                args.seconds
                and self.end - self.first >= args.seconds * Gst.SECOND):
            self.waiting = self.pictures.get_property(
                'current-level-buffers')
            self.complete = True
            GLib.idle_add(self.stop, 'as long as was asked for')
        return Gst.PadProbeReturn.OK

    def arrive(self, _pad, _info):
        """Counts a coded frame that goes to the file."""
        self.arrived += 1
        return Gst.PadProbeReturn.OK

    def planned_end(self, first):
        """Returns when the pictures are to end, if that is known: sound of a file may
        be far ahead of them, in large buffers."""
        if self.live or first.duration in (0, Gst.CLOCK_TIME_NONE):
            return None
        seconds = math.ceil(self.args.seconds * Gst.SECOND / first.duration)
        counts = [count for count in (self.args.frames, seconds) if count]
        return first.pts + min(counts) * first.duration if counts else None

    # These run in the main thread.

    def begin(self):
        """Starts it. Live sources give nothing before PLAYING. They cannot wait:
        where the queue is full, its oldest pictures are dropped."""
        if not self.open_sources():
            return False
        self.error = link_pictures(self.pipeline)
        if self.error:
            return False
        remove_files(self.args.existing)
        if not self.args.in_segments:
            self.files.append(self.args.out)
        self.live = self.pipeline.set_state(Gst.State.PAUSED) \
            == Gst.StateChangeReturn.NO_PREROLL
        if self.live:
            self.pictures.set_property('leaky', 2)
        self.limit_live_sound()
        return super().begin()

    def stop(self, why):
        """Lets what is in the queues be written, and ends the file."""
        if self.stopping:
            return GLib.SOURCE_REMOVE
        self.why, self.stopping = why, True
        self.begun.set()
        self.sound_until = self.end if self.complete else self.taken_end
        self.end_stream(self.pictures)
        # Live sound comes later than the picture that it belongs to.
        deadline = time.monotonic() + SOUND_SECONDS
        for sound in self.sounds:
            GLib.timeout_add(20, self.end_sound, sound, deadline)
        return GLib.SOURCE_REMOVE

    def end_sound(self, sound, deadline):
        if sound.end < (self.sound_until or 0) and time.monotonic() < deadline:
            return GLib.SOURCE_CONTINUE
        self.end_stream(sound.queue)
        return GLib.SOURCE_REMOVE

    @staticmethod
    def end_stream(queue):
        """Ends a stream in a thread, as a source that is writing into the
        queue holds it."""
        threading.Thread(target=queue.get_static_pad('sink').send_event,
                         args=(Gst.Event.new_eos(),), daemon=True).start()

    def interrupt(self):
        self.line.say('Ending the recording ... (Ctrl-C again stops at once)')
        self.stop('Ctrl-C')

    def received(self, message):
        structure = message.get_structure()
        if structure is None:
            return
        if structure.get_name() == 'splitmuxsink-fragment-opened':
            self.files.append(structure.get_string('location'))
        elif structure.get_name() == 'splitmuxsink-fragment-closed' \
                and not self.args.quiet:
            path = structure.get_string('location')
            self.line.say(f'{path}: {in_bytes(os.path.getsize(path))}')

    def counts(self):
        """Returns (frames coded, their bytes)."""
        stats = self.encoder.get_property('stats')
        return stats.get_uint64('frames')[1], stats.get_uint64('bytes')[1]

    def waiting_pictures(self):
        return self.pictures.get_property('current-level-buffers')

    def dropped(self):
        if not self.live:
            return self.lost
        waiting = self.waiting if self.complete else self.waiting_pictures()
        return self.lost + max(self.taken - self.passed - waiting, 0)

    def written(self):
        return sum(os.path.getsize(path) for path in self.files
                   if os.path.isfile(path))

    def finish(self):
        self.begun.set()

    def file_limit(self):
        """Returns a sentence, where a file has grown as far as the system lets
        it."""
        limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
        if limit == resource.RLIM_INFINITY or not any(
                os.path.isfile(path) and os.path.getsize(path) > limit * 0.9
                for path in self.files):
            return ''
        return f' No file may be larger than {in_bytes(limit)} here (ulimit -f).'

    def table_ends(self):
        """Says whether the table of a MOV file has room for little more. qtmux knows
        that when it has written the table a few times."""
        spare = SPARE_SECONDS * Gst.SECOND
        return (self.args.moov == 'reserved' and not self.args.in_segments
                and self.passed and self.end - self.first > spare
                and self.mux.get_property('reserved-duration-remaining') < spare)

    def tick(self):
        free = shutil.disk_usage(self.args.folder).free
        now = time.monotonic(), *self.counts()
        seconds = now[0] - self.last[0]
        if seconds >= 1:
            self.fps = (now[1] - self.last[1]) / seconds
            self.rate = (now[2] - self.last[2]) / seconds
            self.last = now
        if free < SPARE_BYTES + SPARE_SECONDS * self.rate:
            self.stop(DISK)
        if self.table_ends():
            self.stop(TABLE)
        self.ticks += 1
        if self.ticks % (1000 // self.TICK_MS) == 0:
            self.line.show(self.status(free, now[1]))

    def status(self, free, frames):
        minutes = free / self.rate / 60 if self.rate else 0
        left = f' ({minutes:.0f} min)' if 0 < minutes < 6000 else ''
        time_shown = in_time(self.end - self.first) if self.passed else '0:00'
        return (f'{time_shown}  {frames} frames  {self.fps:.1f} fps  '
                f'{self.dropped()} dropped  {self.waiting_pictures()} waiting  '
                f'{self.rate / 1e6:.1f} MB/s  {in_bytes(free)} free{left}')

    def summary(self):
        frames = self.counts()[0]
        name = self.files[0] if len(self.files) == 1 \
            else f'{len(self.files)} files'
        seconds = in_time(self.end - self.first) if self.passed else '0:00:00.0'
        return (f'{name}: {frames} frames, {seconds}, '
                f'{in_bytes(self.written())}, {self.dropped()} dropped')


def main():
    args = parse_arguments()
    start()
    choose_out(args)
    free = shutil.disk_usage(args.folder).free
    if free < SPARE_BYTES:
        sys.exit(f'There is no room in {args.folder}: {in_bytes(free)} free.')
    recording = Recording(args)
    good = recording.run()
    recorded = recording.counts()[0] > 0
    if recorded:
        recording.line.say(recording.summary())
    else:
        remove_files(recording.files)
    if not good:
        rest = ' What was written until shortly before plays.' if recorded else ''
        sys.exit(f'{recording.error}{recording.file_limit()}{rest}')
    missing = recording.counts()[0] - recording.arrived
    if missing:
        sys.exit(f'{missing} of the coded frames did not go to the file.')
    if not recorded:
        sys.exit(f'The source gave no picture: there is no {args.out}.')
    if recording.why in (DISK, TABLE):
        sys.exit(f'{recording.why}: the recording was ended, and the file is '
                 'complete.')
    return 0


if __name__ == '__main__':
    end(main)
