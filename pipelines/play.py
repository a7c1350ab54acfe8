#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plays PaCo video, or anything else that GStreamer plays, with its sound.
play.sh starts it.

Each picture of a PaCo recording stands for itself, so every one can be gone to at
once, backwards as well."""
import argparse
import os
import sys
import termios
import time
import tty

sys.dont_write_bytecode = True
from session import (Gst, GLib, Parser, Session, end, in_time, need,  # noqa: E402
                     number, start, uri_of)

KEYS = """keys:
  space        stops, goes on
  .  ,         one picture on, one back
  left right   ten seconds back, on (also h and l)
  r            the other direction
  + - 1        twice, half, once as fast
  0            to the beginning
  q            ends
"""
ESCAPES = {'\x1b[C': 'l', '\x1b[D': 'h'}
JUMP = 10 * Gst.SECOND


def keys(text):
    """Checks the keys of the command line."""
    for key in text:
        if key not in Player.ACTIONS:
            raise argparse.ArgumentTypeError(
                f'"{key}" is no key; the keys are {" ".join(Player.ACTIONS)} and '
                'the space bar')
    return text


def parse_arguments():
    parser = Parser('play.sh', __doc__, KEYS)
    add = parser.add_argument
    add('file', metavar='FILE', help='a file or a URI')
    add('--keys', type=keys, default='', metavar='KEYS',
        help='presses these keys first, one after the other')
    add('--paused', action='store_true', help='shows the first picture and waits')
    add('--reduce', type=number(int, 0, 8), default=0, metavar='N',
        help='decodes PaCo at 1/2, 1/4, ... of its size (N = 1, 2, ...)')
    add('--headless', action='store_true',
        help='opens no window and plays no sound, in time nevertheless; at the '
        'end of the keys or of the file it says what was shown')
    add('--verbose', action='store_true',
        help='with --headless, prints when each picture is in the stream')
    add('--quiet', action='store_true', help='shows no status')
    return parser.parse_args()


class Player(Session):
    """playbin, and what keys do to it. A key waits until the one before it has
    taken effect."""

    def __init__(self, args):
        need('playbin')
        super().__init__(Gst.ElementFactory.make('playbin'), args.quiet)
        self.args = args
        self.rate = 1.0
        self.wants_pause = args.paused or bool(args.keys)
        self.keys, self.busy = list(args.keys), True
        # These are the picture and the time at which playing backwards began;
        # what waits for a picture to be due is of the generation it was
        # started in.
        self.backwards_from, self.generation = None, 0
        self.sought = None  # while it is on the way to there
        self.shown, self.apart = 0, 0
        self.blind = ''  # a sentence, when pictures have no decoder
        self.pipeline.set_property('uri', uri_of(args.file))
        self.pipeline.connect('element-setup', self.set_up)
        if args.headless:
            self.make_sinks()

    def make_sinks(self):
        """Makes sinks that wait as real ones do, and count."""
        for name, shown in (('video', self.show), ('audio', self.sound)):
            sink = Gst.ElementFactory.make('fakesink', name)
            sink.set_property('sync', True)
            sink.set_property('signal-handoffs', True)
            sink.connect('handoff', shown)
            if name == 'video':
                sink.connect('preroll-handoff', self.preroll)
            self.pipeline.set_property(f'{name}-sink', sink)

    def set_up(self, _playbin, element):
        factory = element.get_factory()
        if factory and factory.get_name() == 'pacodec':
            element.set_property('reduce', self.args.reduce)

    # These run in the threads of the sinks.

    def preroll(self, _sink, buffer, pad):
        if self.rate < 0 and not self.wants_pause:
            self.shown += 1
        if self.args.verbose and (self.rate < 0 or self.wants_pause):
            self.print_picture(pad, buffer)

    def show(self, sink, buffer, pad):
        self.shown += 1
        self.note_lateness(sink, buffer, pad)
        if self.args.verbose:
            self.print_picture(pad, buffer)

    def sound(self, sink, buffer, pad):
        self.note_lateness(sink, buffer, pad)

    def note_lateness(self, sink, buffer, pad):
        """Notes how late it is shown or heard, by the clock both sinks have."""
        event = pad.get_sticky_event(Gst.EventType.SEGMENT, 0)
        clock = sink.get_clock()
        if event is None or clock is None:
            return
        due = event.parse_segment().to_running_time(
            Gst.Format.TIME, buffer.pts)
        late = clock.get_time() - sink.get_base_time() - due
        self.apart = max(self.apart, late)

    @staticmethod
    def print_picture(pad, buffer):
        event = pad.get_sticky_event(Gst.EventType.SEGMENT, 0)
        shown = event.parse_segment().to_stream_time(
            Gst.Format.TIME, buffer.pts)
        print(f'picture {shown / Gst.SECOND:.3f}', flush=True)

    # These say where it is.

    def position(self):
        return max(self.pipeline.query_position(Gst.Format.TIME)[1], 0)

    def duration(self):
        return max(self.pipeline.query_duration(Gst.Format.TIME)[1], 0)

    def picture_duration(self):
        pad = self.pipeline.emit('get-video-pad', 0)
        caps = pad.get_current_caps() if pad else None
        found, number, of = caps.get_structure(0).get_fraction('framerate') \
            if caps else (False, 0, 1)
        return Gst.SECOND * of // number if found and number \
            else Gst.SECOND // 25

    def picture_time(self):
        """Returns the time of the picture that is shown, in the stream."""
        sample = self.pipeline.get_property('sample')
        if sample is None:
            return self.position()
        return sample.get_segment().to_stream_time(
            Gst.Format.TIME, sample.get_buffer().pts)

    def picture_number(self):
        """Returns the number of the picture that is shown, where all last
        equally long. Containers round times."""
        duration = self.picture_duration()
        return (self.picture_time() + duration // 16) // duration

    # These play backwards. The pipeline itself always plays forward: qtdemux
    # cannot go backwards where there is raw sound, nor in fragments. Every
    # picture that is due is sought, which is quick where each stands for
    # itself.

    def start_backwards(self):
        """Starts from the picture that is shown."""
        self.backwards_from = self.picture_number(), time.monotonic()
        self.wait_backwards()

    def pictures_due(self):
        """Returns how many pictures back it should be by now, with a fraction."""
        seconds = time.monotonic() - self.backwards_from[1]
        return seconds * -self.rate * Gst.SECOND / self.picture_duration()

    def wait_backwards(self):
        """Waits until the picture before is due."""
        number = self.picture_number()
        if number <= 0:
            self.arrive_at_beginning()
            return
        ahead = self.backwards_from[0] - number + 1 - self.pictures_due()
        seconds = ahead * self.picture_duration() / Gst.SECOND / -self.rate
        generation = self.generation
        GLib.timeout_add(max(int(seconds * 1000), 0),
                         lambda: self.go_backwards(generation))

    def go_backwards(self, generation):
        if generation == self.generation and not self.busy:
            due = self.backwards_from[0] - int(self.pictures_due())
            self.busy = self.seek_picture(
                min(self.picture_number() - 1, due))
        return GLib.SOURCE_REMOVE

    def arrive_at_beginning(self):
        self.rate, self.wants_pause = -self.rate, True
        if self.args.headless:
            self.loop.quit()

    # Keys do these. Each returns whether it takes effect later.

    def seek(self, position, rate=None):
        """Goes to a time; a rate of what is played forward may come with it."""
        flags = Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE
        rate = rate or (self.rate if self.rate > 0 else 1.0)
        sought = self.pipeline.seek(
            rate, Gst.Format.TIME, flags, Gst.SeekType.SET, max(position, 0),
            Gst.SeekType.NONE, -1)
        if not sought:
            self.line.say('This cannot be sought in.')
        self.sought = position if sought else None
        return sought

    def seek_picture(self, number):
        """Goes into a picture's first half, as its time may be rounded."""
        duration = self.picture_duration()
        return self.seek(max(number, 0) * duration + duration // 4)

    def pause(self, paused=True):
        """Stops, or goes on in the direction that was chosen."""
        self.wants_pause = paused
        self.generation += 1
        if self.rate < 0 and not paused:
            self.start_backwards()
            return False
        state = Gst.State.PAUSED if paused else Gst.State.PLAYING
        return self.pipeline.set_state(state) == Gst.StateChangeReturn.ASYNC

    def settle(self):
        """Stops, for what is done to the picture that is shown."""
        self.pause()
        self.pipeline.get_state(5 * Gst.SECOND)

    def step(self):
        self.settle()
        return self.pipeline.send_event(Gst.Event.new_step(
            Gst.Format.BUFFERS, 1, 1.0, True, False))

    def step_back(self):
        self.settle()
        return self.seek_picture(self.picture_number() - 1)

    def change_rate(self, rate):
        self.generation += 1
        here, before, paused = self.picture_time(), self.rate, self.wants_pause
        self.rate = rate
        if rate < 0:
            self.settle()
        if not paused and min(rate, before) < 0:
            self.pause(False)
        return rate > 0 and self.seek(here)

    # Each is called with the player and the times of this and the last picture.
    ACTIONS = {
        '.': lambda self, here, last: here < last and self.step(),
        ',': lambda self, *_: self.step_back(),
        ' ': lambda self, *_: self.pause(not self.wants_pause),
        'h': lambda self, here, _last: self.seek(here - JUMP),
        'l': lambda self, here, last: self.seek(min(here + JUMP, max(last, here))),
        'r': lambda self, *_: self.change_rate(-self.rate),
        '+': lambda self, *_: self.change_rate(self.rate * 2),
        '-': lambda self, *_: self.change_rate(self.rate / 2),
        '1': lambda self, *_: self.change_rate(1.0),
        '0': lambda self, *_: self.seek(0),
        'q': lambda self, *_: self.loop.quit(),
    }

    def press(self, key):
        here, last = self.picture_time(), self.duration() - self.picture_duration()
        return bool(key in self.ACTIONS and self.ACTIONS[key](self, here, last))

    def next_key(self):
        while self.keys and not self.busy:
            self.busy = self.press(self.keys.pop(0))
        if self.busy or self.keys or not self.args.keys:
            return
        # The keys of the command line are done.
        self.args.keys = ''
        if self.args.headless and self.wants_pause:
            self.loop.quit()

    def typed(self, _source, _condition):
        text = os.read(sys.stdin.fileno(), 64).decode(errors='ignore')
        if not text:
            return GLib.SOURCE_REMOVE
        for escape, key in ESCAPES.items():
            text = text.replace(escape, key)
        self.keys += text
        self.next_key()
        return GLib.SOURCE_CONTINUE

    # These receive what the session says.

    def run(self):
        if self.wants_pause:
            self.pipeline.set_state(Gst.State.PAUSED)
            self.loop.run()
            self.pipeline.set_state(Gst.State.NULL)
            self.line.end()
            return self.error is None
        return super().run()

    def lacks(self, kind, sentence):
        """What else the file has is played, if it has pictures."""
        super().lacks(kind, sentence)
        if kind == 'video':
            self.blind = sentence
        else:
            self.line.say(sentence)

    def received(self, message):
        if message.type != Gst.MessageType.ASYNC_DONE:
            return
        if self.blind and not self.pipeline.get_property('n-video'):
            self.error = self.blind
            self.loop.quit()
            return
        # In the last picture of a file of fragments, qtdemux finds nothing; in
        # the one before it does.
        before = (self.sought or 0) - self.picture_duration()
        if before > 0 and self.pipeline.get_property('sample') is None:
            self.seek(before)
            return
        self.busy, self.sought = False, None
        if self.rate < 0 and not self.wants_pause:
            self.wait_backwards()
        self.next_key()

    def tick(self):
        paused = 'stopped' if self.wants_pause else f'{self.rate:g} times'
        self.line.show(f'{in_time(self.position())} of '
                       f'{in_time(self.duration())}  {paused}')


def play(args):
    player = Player(args)
    if sys.stdin.isatty():
        attributes = termios.tcgetattr(sys.stdin)
        tty.setcbreak(sys.stdin)
        GLib.io_add_watch(sys.stdin.fileno(), GLib.PRIORITY_DEFAULT,
                          GLib.IO_IN, player.typed)
        try:
            good = player.run()
        finally:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, attributes)
    else:
        good = player.run()
    if not good:
        sys.exit(f'{args.file}: {player.error}')
    if args.headless:
        print(f'{player.shown} pictures shown, none of them and no sound more '
              f'than {player.apart // Gst.MSECOND} ms late')


def main():
    args = parse_arguments()
    start()
    play(args)
    return 0


if __name__ == '__main__':
    end(main)
