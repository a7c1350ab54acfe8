#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""playing.py: play.sh, without a window: which pictures its keys lead to, in every
kind of file, with sound and without."""
import os
import pty
import re
import subprocess
import sys
import tempfile
import termios

sys.dont_write_bytecode = True
from scripts import (ODD, SHOWN, check, command, launch, run,  # noqa: E402
                     without_decoder)

FRAMES = 25
VIDEO = (f'videotestsrc num-buffers={FRAMES} ! video/x-raw,format=I422_10LE,'
         'width=64,height=48,framerate=25/1 ! pacoenc ! ')
SOUND = ('audiotestsrc num-buffers=25 samplesperbuffer=320 ! '
         'audio/x-raw,rate=8000,format=S16LE ! ')
FILES = {
    'plain.mov': f'{VIDEO} qtmux name=mux ! filesink location=plain.mov '
                 f'{SOUND} mux.',
    'fragments.mov': f'{VIDEO} qtmux name=mux fragment-duration=200 ! '
                     f'filesink location=fragments.mov {SOUND} mux.',
    'sound.mkv': f'{VIDEO} matroskamux name=mux ! filesink location=sound.mkv '
                 f'{SOUND} mux.',
    'bare.paco': f'{VIDEO} filesink location=bare.paco',
}


def play(path, *arguments, status=0):
    """Returns (numbers of the pictures that were prepared or shown, output)."""
    output = run('play.sh', '--headless', '--quiet', '--verbose', *arguments,
                 path, status=status)
    times = re.findall(r'^picture ([\d.]+)$', output, re.MULTILINE)
    # A picture that was sought begins where it was sought.
    return [int(float(time) * 25 + 0.01) for time in times], output


def last_sought(path):
    """Says which picture was sought last. In a file of fragments qtdemux does
    not find the last one, unless by playing to it."""
    return FRAMES - 2 if path == 'fragments.mov' else FRAMES - 1


def check_all(path):
    numbers, output = play(path)
    check(numbers == list(range(FRAMES)), f'{path} played', output)
    check(f'{FRAMES} pictures shown' in output, 'summary', output)
    late = int(re.search(r'more than (\d+) ms late', output)[1])
    check(late < 5000, 'nothing keeps the time', output)


def check_steps(path):
    numbers, output = play(path, '--keys', '...,,,,..,')
    check(numbers == [0, 1, 2, 3, 2, 1, 0, 0, 1, 2, 1], 'steps', output)
    last = last_sought(path)
    numbers, output = play(path, '--keys', 'l..,')  # past the end there is none
    check(numbers == [0, *range(last, FRAMES), FRAMES - 2], 'the end', output)
    numbers, output = play(path, '--keys', 'l0.h')
    check(numbers == [0, last, 0, 1, 0], 'jumps', output)


def check_backwards(path):
    """Plays from the end, each picture at most once, to the first one. Where
    the machine is slow, pictures are left out."""
    numbers, output = play(path, '--keys', 'lr ')
    check(numbers[:2] == [0, last_sought(path)] and numbers[-1] == 0
          and numbers[1:] == sorted(set(numbers[1:]), reverse=True)
          and len(numbers) > 5, 'backwards', output)
    # This goes there and back again, from the fourth one.
    numbers, output = play(path, '--keys', '...rr ')
    check(numbers[-FRAMES + 4:] == list(range(4, FRAMES)), 'forward again',
          output)


def check_speed(path):
    numbers, output = play(path, '--keys', '++- ')
    check(numbers[-FRAMES + 1:] == list(range(1, FRAMES)), 'twice', output)
    numbers, output = play(path, '--keys', 'l+r ')
    check(numbers[-1] == 0, 'twice backwards', output)


def check_terminal(path):
    """Types keys, an arrow among them; the terminal is as before."""
    terminal, stdin = pty.openpty()
    before = termios.tcgetattr(stdin)
    with subprocess.Popen(
            command('play.sh', '--headless', '--quiet', '--verbose', '--paused',
                    path), stdin=stdin, stdout=subprocess.PIPE,
            text=True) as process:
        seen = [process.stdout.readline()]
        for keys in b'.', b',', b'\x1b[C':
            os.write(terminal, keys)
            seen.append(process.stdout.readline())
        os.write(terminal, b'q')
        process.communicate(timeout=240)
    numbers = [int(float(line.split()[1]) * 25 + 0.01) for line in seen]
    check(numbers == [0, 1, 0, FRAMES - 1] and process.returncode == 0,
          f'typed: {numbers}')
    check(termios.tcgetattr(stdin) == before, 'the terminal was changed')
    os.close(terminal)
    os.close(stdin)


def check_decoders():
    """Plays files of which pictures, or sound, have no decoder."""
    for path in 'plain.mov', 'fragments.mov':
        without_decoder(path, 'video', 'blind.mov')
        for keys in (), ('--keys', '.'):
            output = play('blind.mov', *keys, status=1)[1]
            check('blind.mov: GStreamer lacks a plugin: ' in output, 'blind', output)
    without_decoder('plain.mov', 'audio', 'deaf.mov')
    numbers, output = play('deaf.mov')
    check(numbers == list(range(FRAMES)) and 'GStreamer lacks' in output, 'deaf',
          output)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for path, pipeline in FILES.items():
            launch(pipeline)
            check_all(path)
            check_steps(path)
            check_backwards(path)
        check_speed('fragments.mov')
        check_terminal('plain.mov')
        output = run('play.sh', '--headless', '--reduce', 2, 'sound.mkv')
        check(f'{FRAMES} pictures' in output, 'reduced', output)
        check('There is no file' in run('play.sh', 'no.mov', status=1), 'no.mov')
        with open(ODD, 'w', encoding='utf-8') as file:
            file.write('no film')
        for arguments, status in ((ODD,), 1), (('plain.mov', ODD), 2):
            output = run('play.sh', '--headless', *arguments, status=status)
            check(SHOWN in output, 'the name of a file', output)
        for option, value in ('--reduce', 9), ('--reduce', -1), ('--keys', '.x'):
            output = run('play.sh', '--headless', option, value, 'plain.mov',
                         status=2)
            check(f'argument {option}: ' in output, 'an option', output)
        check_decoders()
        check('direction' in run('play.sh', '--help'), 'no help')
        os.chdir('/')
    return 0


if __name__ == '__main__':
    sys.exit(main())
