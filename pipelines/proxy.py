#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes a small copy of a PaCo recording, with its sound, for editing on a laptop
or for the web. proxy.sh starts it.

Pictures are decoded at 1/2, 1/4 or 1/8 of their size, which takes about as much
less time, and coded by whatever encoder this GStreamer has."""
import os
import sys

sys.dont_write_bytecode = True
from session import (Gst, GstPbutils, Parser, Session, end, in_bytes,  # noqa: E402
                     in_time, need, number, start, streams, uri_of)

EPILOG = """examples:
  proxy.sh recording.mov small.mp4          H.264 and AAC, at half the size
  proxy.sh --scale 4 recording.mov small.webm
  proxy.sh recording.mov small.mov          PaCo of quality 60, sound as it is
"""

# By the kind of file: the container, the codecs of pictures and of sound that
# are tried, first choice first.
KINDS = {
    '.mov': ('video/quicktime,variant=apple', ('paco', 'h264'), ('pcm',)),
    '.mkv': ('video/x-matroska', ('paco', 'h264', 'vp9', 'vp8'), ('pcm',)),
    '.mp4': ('video/quicktime,variant=iso', ('h264', 'h265', 'paco'),
             ('aac', 'opus', 'mp3')),
    '.webm': ('video/webm', ('vp8', 'vp9', 'av1'), ('opus', 'vorbis')),
}
CODECS = {
    'h264': 'video/x-h264',
    'h265': 'video/x-h265',
    'vp8': 'video/x-vp8',
    'vp9': 'video/x-vp9',
    'av1': 'video/x-av1',
    'pcm': 'audio/x-raw,format={(string)S24LE,S16LE}',
    'aac': 'audio/mpeg,mpegversion=4',
    'mp3': 'audio/mpeg,mpegversion=1,layer=3',
    'opus': 'audio/x-opus',
    'vorbis': 'audio/x-vorbis',
}
# As muxers take PaCo.
PACO_IN = {
    '.mov': 'video/x-qt-part,format=(uint)1329807696',
    '.mp4': 'video/x-mp4-part,format=(uint)1329807696',
    '.mkv': 'video/x-wmv,wmvversion=3,format=PACO',
}
# The quick settings of encoders; and the property of the bit rate, with the number
# of its units in a kbit/s.
ENCODERS = {
    'x264enc': ('speed-preset=veryfast', 'bitrate', 1),
    'x265enc': ('speed-preset=veryfast', 'bitrate', 1),
    'openh264enc': ('complexity=low', 'bitrate', 1000),
    'vp8enc': ('deadline=1 cpu-used=8', 'target-bitrate', 1000),
    'vp9enc': ('deadline=1 cpu-used=8 lag-in-frames=0', 'target-bitrate', 1000),
    'av1enc': ('cpu-used=8', 'target-bitrate', 1),
}


def parse_arguments():
    parser = Parser('proxy.sh', __doc__, EPILOG)
    add = parser.add_argument
    add('file', metavar='FILE', help='a recording with PaCo video in it')
    add('out', metavar='OUT', help='file.mp4, .mov, .mkv or .webm')
    add('--scale', type=int, choices=(1, 2, 4, 8), default=2,
        help='divides width and height (default: 2)')
    add('--codec', choices=('paco', 'h264', 'h265', 'vp8', 'vp9', 'av1'),
        help='of the pictures (default: the first one for this kind of file '
        'that there is an encoder for)')
    add('--bitrate', type=number(int, 1, 1000000), default=4000, metavar='KBITS',
        help='of codecs other than PaCo (default: 4000)')
    add('--overwrite', action='store_true', help='of a file that is there')
    add('--quiet', action='store_true', help='shows no status')
    return parser.parse_args()


def can_encode(codec):
    if codec in ('paco', 'pcm'):
        return True
    encoders = Gst.ElementFactory.list_get_elements(
        Gst.ELEMENT_FACTORY_TYPE_ENCODER, Gst.Rank.MARGINAL)
    return bool(Gst.ElementFactory.list_filter(
        encoders, Gst.Caps.from_string(CODECS[codec]), Gst.PadDirection.SRC,
        False))


def choose(codecs, what, kind):
    for codec in codecs:
        if can_encode(codec):
            return codec
    sys.exit(f'This GStreamer has no encoder of {what} for {kind} files: '
             f'{", ".join(codecs)}. Many are in the packages '
             'gstreamer1.0-plugins-ugly and gstreamer1.0-libav.')


def profile_of(kind, codec, has_sound):
    """Returns the encoding profile, and a description in words."""
    container, codecs, sounds = KINDS[kind]
    if codec and codec not in codecs:
        sys.exit(f'{kind} files take {", ".join(codecs)}, not {codec}.')
    codec = choose((codec,) if codec else codecs, 'pictures', kind)
    is_paco = codec == 'paco'
    # Players take this everywhere.
    raw = None if is_paco else Gst.Caps.from_string('video/x-raw,format=I420')
    pictures = GstPbutils.EncodingVideoProfile.new(
        Gst.Caps.from_string(PACO_IN[kind] if is_paco else CODECS[codec]),
        'proxy' if is_paco else None, raw, 0)
    pictures.set_variableframerate(True)
    profile = GstPbutils.EncodingContainerProfile.new(
        'proxy', None, Gst.Caps.from_string(container), None)
    profile.add_profile(pictures)
    if not has_sound:
        return profile, codec
    sound = choose(sounds, 'sound', kind)
    profile.add_profile(GstPbutils.EncodingAudioProfile.new(
        Gst.Caps.from_string(CODECS[sound]), None, None, 0))
    return profile, f'{codec}, {sound}'


class Proxy(Session):
    """A session of uritranscodebin, with what makes it small."""

    def __init__(self, args, kind):
        need('uritranscodebin')
        source = uri_of(args.file)
        found = streams(source)
        if not found.pictures:
            sys.exit(f'There are no pictures in {args.file}.')
        if found.texts:
            sys.exit(f'{args.file} has text or captions as a stream, and uritranscodebin '
                     f'never ends then: `paco join {args.file} OUT.mov` copies the '
                     'pictures and the sound without it.')
        profile, self.words = profile_of(kind, args.codec, found.sounds)
        pipeline = Gst.Pipeline()
        super().__init__(pipeline, args.quiet)
        self.args = args
        self.reduced = False
        self.bin = Gst.ElementFactory.make('uritranscodebin')
        self.bin.set_property('source-uri', source)
        self.bin.set_property('dest-uri', Gst.filename_to_uri(
            os.path.abspath(args.out)))
        self.bin.set_property('profile', profile)
        pipeline.connect('deep-element-added', self.set_up)
        pipeline.add(self.bin)

    def set_up(self, _pipeline, _bin, element):
        factory = element.get_factory()
        name = factory.get_name() if factory else ''
        if name == 'pacodec':
            element.set_property('reduce', self.args.scale.bit_length() - 1)
            self.reduced = True
        elif name in ENCODERS:
            properties, bitrate, unit = ENCODERS[name]
            for item in properties.split():
                Gst.util_set_object_arg(element, *item.split('='))
            element.set_property(bitrate, self.args.bitrate * unit)
        elif name == 'mp4mux':
            # MOV files have a track of timecodes without being asked for it.
            element.set_property('force-create-timecode-trak', True)

    def tick(self):
        position = self.pipeline.query_position(Gst.Format.TIME)[1]
        duration = self.pipeline.query_duration(Gst.Format.TIME)[1]
        self.line.show(f'{in_time(position)} of {in_time(duration)}')


def main():
    args = parse_arguments()
    start()
    kind = os.path.splitext(args.out)[1]
    if kind not in KINDS:
        sys.exit(f'{args.out}: proxies are {", ".join(KINDS)} files.')
    if not os.path.isdir(os.path.dirname(os.path.abspath(args.out))):
        sys.exit(f'There is no folder for {args.out}.')
    if os.path.exists(args.out) and (
            not args.overwrite or os.path.samefile(args.out, args.file)):
        sys.exit(f'{args.out} exists already; --overwrite replaces it, unless '
                 'it is the recording itself.')
    proxy = Proxy(args, kind)
    good = proxy.run()
    if not good and os.path.isfile(args.out) and not os.path.getsize(args.out):
        os.remove(args.out)
    if good and not proxy.reduced:
        proxy.line.say(f'{args.file} has no PaCo video: it was copied at its '
                       'own size.')
    if proxy.interrupts:
        sys.exit(f'Interrupted: {args.out} has no end.')
    if not good:
        sys.exit(f'{args.file}: {proxy.error}')
    proxy.line.say(f'{args.out}: {proxy.words}, '
                   f'{in_bytes(os.path.getsize(args.out))} of '
                   f'{in_bytes(os.path.getsize(args.file))}')
    return 0


if __name__ == '__main__':
    end(main)
