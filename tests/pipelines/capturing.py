#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""capturing.py PROGRAM: paco-capture records and stops while its source plays, and
no frame is missing between the first and the last one of a file: each has its
number in its samples. What fails is told in words, and the files are complete."""
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from scripts import Gst, check, decode, stream_time  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[1])
SECONDS = 290
WIDTH, HEIGHT, BITS, RATE = 64, 32, 16, 50
NUMBERED = (f'filesrc location=numbers.raw blocksize={WIDTH * HEIGHT} ! '
            f'rawvideoparse format=gray8 width={WIDTH} height={HEIGHT} '
            f'framerate={RATE}/1')
LIVE = ('videotestsrc is-live=true pattern=ball ! video/x-raw,width=64,height=48,'
        'framerate=25/1')


class Capture:
    """The program, its commands and what it prints."""

    def __init__(self, *arguments, **options):
        print('$ paco-capture', *arguments, flush=True)
        self.text = ''
        self.process = subprocess.Popen(
            [PROGRAM, '--headless', *arguments], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            **options)
        signal.alarm(SECONDS)  # a test that waits for ever ends with this

    def command(self, letters):
        self.process.stdin.write(letters + '\n')
        self.process.stdin.flush()

    def wait_for(self, pattern):
        """Reads lines until one has the pattern; gives the match."""
        for line in self.process.stdout:
            self.text += line
            match = re.search(pattern, line)
            if match:
                return match
        raise SystemExit(f'{pattern} was not said:\n{self.text}')

    def end(self, status=0):
        self.process.stdin.close()
        self.text += self.process.stdout.read()
        self.process.wait(SECONDS)
        check(self.process.returncode == status,
              f'status {self.process.returncode}', self.text)
        return self.text


def make_numbers(frames):
    """Makes frames whose first bytes are black or white: their numbers in
    binary."""
    with open('numbers.raw', 'wb') as file:
        for number in range(frames):
            bits = bytes(255 * (number >> bit & 1) for bit in range(BITS))
            rest = bytes(i * 7 + number & 255 for i in range(WIDTH - BITS))
            file.write((bits + rest) * HEIGHT)


def pictures(path):
    """Returns [(time stamp, first bytes)] of the frames of a file."""
    frames = []

    def see(pad, info):
        buffer = info.get_buffer()
        frames.append((stream_time(pad, buffer), buffer.extract_dup(0, BITS)))
        return Gst.PadProbeReturn.OK

    decode(path, {'video': see}.get)
    return frames


def check_times(path, frames, rate):
    """Checks that times go from 0, one after the other; Matroska has
    milliseconds."""
    for i, (stamp, _) in enumerate(frames):
        check(abs(stamp - i * Gst.SECOND // rate) <= Gst.MSECOND,
              f'{path}: frame {i} is at {stamp} ns')


def check_numbers(path, count):
    """Checks that the file has `count` frames, whose numbers follow on one
    another."""
    frames = pictures(path)
    numbers = [sum((byte > 127) << bit for bit, byte in enumerate(row))
               for _, row in frames]
    check(numbers == list(range(numbers[0], numbers[0] + count)),
          f'{path}: not {count} frames in a row', numbers)
    check_times(path, frames, RATE)
    return numbers


SUMMARY = r'(\S+): (\d+) frames, .* (\d+) dropped\.'


def summary(capture):
    found = capture.wait_for(SUMMARY)
    return found[1], int(found[2]), int(found[3])


def record_a_while(capture):
    """Records until there is a summary of more than two frames: a busy machine
    may need longer than the first time for a frame."""
    seconds = random.uniform(0.1, 0.6)
    while True:
        capture.command('r')
        capture.wait_for('Recording')
        time.sleep(seconds)
        capture.command('s')
        found = capture.wait_for(SUMMARY + '|gave no picture')
        if found[1] and int(found[2]) > 2:
            return found[1], int(found[2]), int(found[3])
        if found[1]:
            os.unlink(found[1])
        seconds *= 2
        check(seconds < SECONDS, 'the source gives no pictures', capture.text)


def test_cycles(kind):
    """Starts and stops at any time; the last recording ends by q."""
    capture = Capture('--source', NUMBERED, '--encoder',
                      'rate-control=lossless', f'film{kind}')
    capture.command('s')
    capture.wait_for('There is no recording')
    last = -1
    for cycle in range(4):
        if cycle < 3:
            path, count, dropped = record_a_while(capture)
        else:
            capture.command('r')
            capture.wait_for('Recording')
            time.sleep(2)
            capture.command('q')
            path, count, dropped = summary(capture)
        check(path == f'film-000{cycle}{kind}' and not dropped, path,
              capture.text)
        numbers = check_numbers(path, count)
        check(numbers[0] > last and count > 2, f'{path}: {numbers}')
        last = numbers[-1]
    capture.end()


def test_limits():
    """Records as long as was asked for, with timecodes, to the source's end, and
    to Ctrl-C."""
    capture = Capture('--source', f'{LIVE} ! timecodestamper set=always source='
                      'internal', '--record-seconds', '1', 'second.mov')
    capture.end()
    frames = pictures('second-0000.mov')
    check(len(frames) == 25, f'{len(frames)} frames in a second', capture.text)
    check_times('second-0000.mov', frames, 25)

    capture = Capture('--source', NUMBERED, '--encoder',
                      'rate-control=lossless', 'end.mkv')
    capture.command('r')
    capture.wait_for('Recording')
    time.sleep(0.3)
    capture.process.send_signal(signal.SIGINT)
    path, count, _ = summary(capture)
    check_numbers(path, count)
    capture.end()

    make_numbers(60)
    capture = Capture('--source', NUMBERED, '--encoder',
                      'rate-control=lossless', '--record-seconds', '9', 'all.mov')
    path, count, _ = summary(capture)
    check(check_numbers(path, count)[-1] == 59, 'the last frame is missing')
    capture.end()


def test_slow_encoder():
    """Tests that what the queue cannot hold is dropped and counted, and the
    source goes on: recording takes no longer for it."""
    capture = Capture('--source', LIVE.replace('64', '640'), '--queue-mb', '1',
                      '--encoder', 'quality=50 ! identity sleep-time=150000',
                      '--record-seconds', '2', 'slow.mov')
    path, count, dropped = summary(capture)
    check(dropped > 0 and count + dropped == 50, f'{count} + {dropped}',
          capture.text)
    check(len(pictures(path)) == count, 'frames')
    check('too slow' in capture.end(), 'drops are not told', capture.text)


def limit_files():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200000, 200000))


def test_errors():
    """Tests that a recording that fails leaves the source playing: the next
    one begins."""
    capture = Capture('--source', LIVE.replace('ball', 'snow'), '--encoder',
                      'rate-control=lossless', 'big.mov', preexec_fn=limit_files,
                      restore_signals=False)
    for _ in range(2):
        capture.command('r')
        capture.wait_for('Recording')
        capture.wait_for('File too large.*stays in the file')
    capture.command('q')
    capture.end(1)
    check(len(pictures('big-0001.mov')) > 0, 'what was written does not play')

    capture = Capture('--source', 'udpsrc port=0 caps=video/x-raw,format=GRAY8,'
                      'width=64,height=48,framerate=25/1', 'nothing.mov')
    capture.command('r')
    capture.wait_for('Recording')
    capture.command('s')
    capture.wait_for('gave no picture')
    capture.command('q')
    capture.end(1)
    check(not os.path.exists('nothing-0000.mov'), 'an empty file is left')

    for arguments, text in (
            (('--source', 'v4l2src device=/dev/video77'),
             "/dev/video77.*No such file"),
            (('--source', 'nosuchelement'), 'no element "nosuchelement"'),
            (('--source', LIVE, '--encoder', 'nix=3'),
             'no property "nix"'),
            (('--source', LIVE, 'nowhere/a.mov'),
             'No such file or directory'),
            (('--source', 'videotestsrc is-live=true ! video/x-bayer'),
             'cannot be built|no format that all'),
            (('--queue-mb', '0'), '1 to 4000'),
            (('a.avi',), '.mov or .mkv'),
            (('a.mov', 'b.mov'), 'one FILE')):
        output = Capture('--record-seconds', '1', *arguments).end(1)
        check(re.search(text, output), f'{arguments} is not explained', output)
    check('--record-seconds' in Capture('--help').end(), 'no help')


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make_numbers(3000)
        test_cycles('.mov')
        test_cycles('.mkv')
        test_slow_encoder()
        test_limits()
        test_errors()
        os.chdir('/')
    return 0


if __name__ == '__main__':
    # A shell has its jobs in the background ignore it, and so would their children.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main())
