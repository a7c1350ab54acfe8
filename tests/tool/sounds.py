#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests the sound that `paco cut` and `paco join` copy: each sample is compared with that
of the file that it comes from. PACO_TOOL is the program."""
import os
import random
import subprocess
import sys
import unittest

try:
    import gi
    gi.require_version('Gst', '1.0')
    from gi.repository import Gst
except (ImportError, ValueError):
    print('SKIP: GStreamer\'s Python bindings are missing.')
    sys.exit(77)

from tool import FAILED, SEED, Case

Gst.init(None)
FRAMES = 75
MUXERS = {'mov': 'qtmux', 'mkv': 'matroskamux', 'mp4': 'mp4mux'}
DEMUXERS = {'mov': 'qtdemux', 'mkv': 'matroskademux', 'mp4': 'qtdemux'}
# Bytes of a sample of all channels, samples a second, and rawaudioparse's format.
TRACKS = ((2, 48000, 'pcm-format=s16le num-channels=1'),
          (6, 8000, 'pcm-format=s24le num-channels=2'))
HAS_ELEMENTS = all(Gst.ElementFactory.find(name) for name in (
    'pacoenc', 'qtmux', 'matroskamux', 'rawaudioparse', 'timecodestamper'))


def takes_samples(muxer):
    caps = Gst.Caps.from_string('audio/x-raw')
    return any(template.direction == Gst.PadDirection.SINK
               and template.get_caps().can_intersect(caps) for template in
               Gst.ElementFactory.find(muxer).get_static_pad_templates())


def play(pipeline):
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(
        600 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    assert message and message.type == Gst.MessageType.EOS, \
        message and message.parse_error()


@unittest.skipUnless(HAS_ELEMENTS, 'elements of GStreamer are missing')
class Sounds(Case):
    def setUp(self):
        super().setUp()
        draw = random.Random(SEED)
        self.sound = []
        for number, (size, rate, _) in enumerate(TRACKS):
            self.sound.append(draw.randbytes(size * (rate * FRAMES // 23)))
            self.write(f'{number}.raw', self.sound[-1])

    def record(self, path, rate='25/1', tracks=(0, 1), lost=(), more=''):
        """Records pictures with sound. Those that are lost leave a gap."""
        sounds = ''.join(
            f'filesrc location={n}.raw blocksize={TRACKS[n][0] * 500} ! '
            f'rawaudioparse {TRACKS[n][2]} sample-rate={TRACKS[n][1]} ! queue ! mux. '
            for n in tracks)
        pipeline = Gst.parse_launch(
            f'videotestsrc name=source num-buffers={FRAMES} ! '
            f'video/x-raw,format=I420,width=32,height=24,framerate={rate} ! '
            'timecodestamper ! pacoenc ! queue ! mux. '
            f'{MUXERS[path[-3:]]} name=mux ! filesink location={path} {sounds} {more}')
        numbers = iter(range(FRAMES))
        pipeline.get_by_name('source').get_static_pad('src').add_probe(
            Gst.PadProbeType.BUFFER,
            lambda *_: Gst.PadProbeReturn.DROP if next(numbers) in lost
            else Gst.PadProbeReturn.OK)
        play(pipeline)

    def sounds_of(self, path, count=2):
        """Returns the bytes of each track."""
        found = []
        for number in range(count):
            play(Gst.parse_launch(
                f'filesrc location={path} ! {DEMUXERS[path[-3:]]} name=demux '
                f'demux.audio_{number} ! queue ! filesink location=track'))
            found.append(self.read('track'))
        return found

    def samples(self, number, first, last, rate=(25, 1)):
        """Returns the samples of a track from frame `first` on, before frame `last`."""
        size, samples, _ = TRACKS[number]
        begin, count = ((2 * frames * samples * rate[1] + rate[0]) // (2 * rate[0])
                        for frames in (first, last - first))
        return self.sound[number][begin * size:(begin + count) * size]

    def copies(self, *arguments):
        self.paco(*arguments[:1], '-f', '-q', *arguments[1:])

    def test_cut(self):
        for kind, rate in ('mov', (25, 1)), ('mkv', (30000, 1001)), ('mov', (24000, 1001)):
            self.record(f'film.{kind}', rate='/'.join(map(str, rate)))
            for first, last in (0, FRAMES), (1, 2), (10, 31), (FRAMES - 7, FRAMES):
                for out in 'mov', 'mkv':
                    self.copies('cut', f'film.{kind}', str(first), str(last - 1),
                                f'cut.{out}')
                    for number, found in enumerate(self.sounds_of(f'cut.{out}')):
                        self.assertEqual(found, self.samples(number, first, last, rate),
                                         (kind, out, rate, first, number))

    def test_join(self):
        for kind in 'mov', 'mkv':
            self.record(f'film.{kind}')
        self.copies('cut', 'film.mkv', '40', '59', 'b.mkv')
        self.copies('cut', 'film.mov', '3', '7', 'a.mov')
        self.copies('join', 'a.mov', 'b.mkv', 'film.mov', 'joined.mov')
        for number, found in enumerate(self.sounds_of('joined.mov')):
            self.assertEqual(found, self.samples(number, 3, 8)
                             + self.samples(number, 40, 60)
                             + self.samples(number, 0, FRAMES))
        # The timecode track begins with that of the first frame.
        data = self.read('joined.mov')
        self.assertIn(b'tmcd', data)

    def test_gaps(self):
        """Tests that sound stays with its pictures when some were lost, whose sound is
        left out, and that a line says so."""
        for kind in 'mov', 'mkv':
            self.record(f'film.{kind}', lost=range(20, 32))
            done = subprocess.run(
                [os.environ['PACO_TOOL'], 'cut', '-f', '-q', f'film.{kind}', '15', '24',
                 'cut.mov'], check=True, capture_output=True)
            self.assertIn(b'in 1 place (0.480 s in all), and those of cut.mov do.',
                          done.stderr)
            for number, found in enumerate(self.sounds_of('cut.mov')):
                self.assertEqual(found, self.samples(number, 15, 20)
                                 + self.samples(number, 32, 37), (kind, number))

    def test_silence(self):
        self.record('film.mov')
        self.record('mute.mkv', tracks=())
        for parts in ('mute.mkv', 'film.mov'), ('film.mov', 'mute.mkv'):
            done = subprocess.run([os.environ['PACO_TOOL'], 'join', '-f', '-q', *parts,
                                   'joined.mkv'], check=True, capture_output=True)
            self.assertIn(b'mute.mkv has no sound of samples: there is silence.',
                          done.stderr)
            for number, found in enumerate(self.sounds_of('joined.mkv')):
                whole = self.samples(number, 0, FRAMES)
                silence = bytes(len(whole))
                self.assertEqual(found, silence + whole if parts[0] == 'mute.mkv'
                                 else whole + silence)

    def test_what_is_left_out(self):
        self.record('film.mov')
        self.left_out('sound (audio/x-raw)', 'cut', 'film.mov', '0', '3', 'film.paco')
        self.left_out('sound (audio/x-raw)', 'cut', '--no-sound', 'film.mov', '0', '3',
                      'mute.mov')
        if not takes_samples('mp4mux'):
            self.left_out('sound (audio/x-raw)', 'cut', 'film.mov', '0', '3', 'film.mp4')
        self.paco('cut', 'mute.mov', '0', '1', 'again.mov')
        if Gst.ElementFactory.find('alawenc'):
            self.record('coded.mov', tracks=(0,), more='audiotestsrc num-buffers=40 ! '
                        'audio/x-raw,rate=8000,channels=1 ! alawenc ! queue ! mux.')
            self.left_out('sound (audio/x-alaw)', 'cut', 'coded.mov', '0', '9', 'cut.mov')
            self.assertEqual(self.sounds_of('cut.mov', 1), [self.samples(0, 0, 10)])

    def test_sound_that_differs(self):
        self.record('film.mov')
        self.record('one.mov', tracks=(0,))
        self.record('other.mov', tracks=(1, 0))
        for path, words in (('one.mov', 'has 1 track of sound'),
                            ('other.mov', 'is not that of the parts before it')):
            self.refuse(FAILED, words, 'join', '-q', 'film.mov', path, 'out.mov')
        self.refuse(FAILED, 'more tracks of sound', 'join', '-q', 'one.mov', 'film.mov',
                    'out.mov')
        self.assertFalse(os.path.exists('out.mov'))
        self.record('float.mkv', tracks=(), more='audiotestsrc num-buffers=40 ! '
                    'audio/x-raw,format=F32LE ! queue ! mux.')
        self.refuse(FAILED, 'cannot have this sound', 'cut', '-q', 'float.mkv', '0', '3',
                    'out.mov')
        self.paco('cut', '-q', 'float.mkv', '0', '3', 'float-cut.mkv')


if __name__ == '__main__':
    unittest.main(verbosity=2)
