#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""proxies.py: proxy.sh makes small copies of a recording, each picture in them, with
the sound, by every encoder that is there."""
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from scripts import (FOLDER, ODD, SHOWN, check, launch, played, run,  # noqa: E402
                     without_decoder)
sys.path.insert(0, FOLDER)
import timecode  # noqa: E402

BEGIN = '01:02:03:04'
FRAMES = 30
# These are the kind of file, the codec, and encoders of which one must be
# there.
PROXIES = (
    ('mov', 'paco', ('pacoenc',)),
    ('mkv', 'paco', ('pacoenc',)),
    ('webm', 'vp8', ('vp8enc',)),
    ('webm', 'vp9', ('vp9enc',)),
    ('mkv', 'vp8', ('vp8enc',)),
    ('mp4', 'h264', ('x264enc', 'openh264enc')),
    ('mp4', 'h265', ('x265enc',)),
)


def make_recording():
    launch(f'videotestsrc num-buffers={FRAMES} ! video/x-raw,format=I422_10LE,'
           'width=324,height=248,framerate=25/1 ! timecodestamper set=always '
           f'source=internal set-internal-timecode={BEGIN} ! pacoenc ! qtmux name=mux ! '
           'filesink location=film.mov audiotestsrc num-buffers=60 '
           'samplesperbuffer=960 ! audio/x-raw,rate=48000,channels=2,'
           'format=S16LE ! mux.')


def there_is(element):
    return subprocess.run(['gst-inspect-1.0', '--exists', '--atleast-version=0.0',
                           element], check=False).returncode == 0


def check_proxy(kind, codec, scale):
    path = f'{codec}-{scale}.{kind}'
    output = run('proxy.sh', '--codec', codec, '--scale', scale, 'film.mov',
                 path)
    check(f'{path}: {codec}' in output, 'summary', output)
    streams = played(path)
    check(streams['video'].count == FRAMES,
          f'{path}: {streams["video"].count} frames')
    width = int(re.search(r'width=\(int\)(\d+)', streams['video'].caps)[1])
    height = int(re.search(r'height=\(int\)(\d+)', streams['video'].caps)[1])
    check((width, height) == (324 // scale, 248 // scale),
          f'{path} has {width}x{height}')
    # Codecs of sound begin with some silence, and cut what they cannot fill.
    end = streams['audio'].end / 1e9
    check(abs(end - FRAMES / 25) < 0.1, f'{path}: sound of {end} s')
    check(os.path.getsize(path) < os.path.getsize('film.mov'), 'size')
    if kind in ('mov', 'mp4'):
        check(timecode.of_mov(path) == BEGIN, f'{path}: {timecode.of_mov(path)}')


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make_recording()
        check(there_is('pacoenc'), 'gst-inspect-1.0 does not find pacoenc')
        for kind, codec, encoders in PROXIES:
            if not any(map(there_is, encoders)):
                print(f'There is no {" or ".join(encoders)}: no {codec}.')
                continue
            check_proxy(kind, codec, 2)
        check_proxy('mov', 'paco', 4)
        # The default needs no more than the packages that are installed first.
        run('proxy.sh', '--quiet', 'film.mov', 'default.webm')
        launch('videotestsrc num-buffers=9 ! video/x-raw,width=64,height=48 ! '
               'jpegenc ! matroskamux ! filesink location=jpeg.mkv')
        output = run('proxy.sh', 'jpeg.mkv', 'silent.mkv')
        check('no PaCo video' in output, 'another codec', output)
        check(played('silent.mkv')['video'].count == 9, 'another codec')
        size = os.path.getsize('film.mov')
        without_decoder('film.mov', 'video', 'blind.mov')
        without_decoder('film.mov', 'audio', 'deaf.mov')
        with open('text.srt', 'w', encoding='utf-8') as file:
            file.write('1\n00:00:00,100 --> 00:00:01,000\nhello\n\n')
        launch('filesrc location=text.srt ! subparse ! queue ! mux. matroskamux name=mux ! '
               'filesink location=text.mkv videotestsrc num-buffers=9 ! '
               'video/x-raw,width=64,height=48 ! pacoenc ! queue ! mux.')
        for arguments, text in (
                (('film.mov', 'silent.mkv'), 'exists already'),
                (('text.mkv', 'out.mov'), 'text or captions as a stream'),
                (('--overwrite', 'film.mov', 'film.mov'), 'recording itself'),
                (('film.mov', 'out.avi'), 'proxies are'),
                (('nothing.mov', 'out.mov'), 'There is no file'),
                ((ODD, 'out.mov'), f'There is no file {SHOWN}'),
                (('film.mov', 'nowhere/out.mov'), 'There is no folder'),
                (('--codec', 'vp8', 'film.mov', 'out.mp4'), 'not vp8'),
                (('blind.mov', 'out.mov'), 'lacks a plugin: '),
                (('deaf.mov', 'out.mov'), 'lacks a plugin: '),
                (('--bitrate', -3, 'a.mov', 'out.mov'), '-3 is no number from'),
                ((__file__, 'out.mov'), 'cannot be read')):
            output = run('proxy.sh', *arguments, status=(1, 2))
            check(text in output, f'{arguments} is not explained', output)
        check(os.path.getsize('film.mov') == size, 'the recording')
        check(not os.path.exists('out.mov'), 'a proxy of nothing')
        check('--scale' in run('proxy.sh', '--help'), 'no help')
        os.chdir('/')
    return 0


if __name__ == '__main__':
    sys.exit(main())
