#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""comparing.py: compare.sh says how near pictures come to their sources, and draws
it."""
import os
import re
import struct
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

sys.dont_write_bytecode = True
from scripts import ODD, SHOWN, check, launch, run, without_decoder  # noqa: E402

FRAMES = 12
SOURCE = (f'videotestsrc num-buffers={FRAMES} pattern=ball ! video/x-raw,'
          'format=I422_10LE,width=320,height=240,framerate=25/1 ! ')


def value(output, name):
    found = re.search(rf'^{name} +(\S+)', output, re.MULTILINE)
    check(found, f'no {name}', output)
    return found[1]


def check_drawings(name):
    with open(f'{name}.png', 'rb') as file:
        start = file.read(24)
    check(start[1:4] == b'PNG', f'{name}.png')
    # There are three panels and two gaps.
    check(struct.unpack('>II', start[16:]) == (3 * 320 + 16, 240), f'{name}.png')
    tree = ElementTree.parse(f'{name}.svg')
    line = tree.find('{http://www.w3.org/2000/svg}polyline')
    points = [tuple(map(float, point.split(',')))
              for point in line.get('points').split()]
    check(len(points) == FRAMES, f'{name}.svg has {len(points)} points')
    check(points == sorted(points), f'{name}.svg goes back')
    check(all(0 < x < 900 and 0 < y < 360 for x, y in points), f'{name}.svg')
    return [y for _x, y in points]


def check_one_file():
    """Compares a source with what coding makes of it: it is better where more
    is asked for."""
    psnr = []
    for quality in 40, 95:
        output = run('compare.sh', '--encoder', f'quality={quality}', '--out',
                     'one', 'source.paco')
        check(f'{FRAMES} pictures 320x240 I422_10LE' in output, 'size', output)
        check(float(value(output, 'worst')) <= float(value(output, 'PSNR')),
              'worst', output)
        psnr.append(float(value(output, 'PSNR')))
        check(0 < float(value(output, 'size')) < 10, 'bits', output)
        check_drawings('one')
    check(20 < psnr[0] < psnr[1] - 3, f'PSNR of {psnr}')
    output = run('compare.sh', '--encoder', 'rate-control=lossless',
                 'source.paco')
    check(value(output, 'PSNR') == 'identical', 'lossless', output)
    check(len(set(check_drawings('comparison'))) == 1, 'lossless curve')
    output = run('compare.sh', '--frames', 5, '--out', ODD, 'source.paco')
    check('5 pictures' in output and f' {SHOWN}.svg' in output, 'frames', output)


def check_formats():
    """Checks that samples of formats that lie otherwise are found: the same pictures
    come as near."""
    psnr = []
    for kind in 'I420_10LE', 'P010_10LE':
        launch(f'videotestsrc num-buffers=2 ! video/x-raw,format={kind},width=320,'
               f'height=240 ! pacoenc rate-control=lossless ! filesink location={kind}.paco')
        psnr.append(float(value(run('compare.sh', '--encoder', 'quality=60',
                                    f'{kind}.paco'), 'PSNR')))
    check(abs(psnr[0] - psnr[1]) < 1, f'PSNR of {psnr}')
    # Of a stack nothing comes before it is whole.
    launch('videotestsrc num-buffers=20 ! video/x-raw,format=GRAY8,width=64,height=48 ! '
           'pacoenc ! filesink location=gray.paco')
    output = run('compare.sh', '--encoder', 'stack=8', 'gray.paco')
    check('20 pictures' in output, 'stacks', output)


def check_two_files():
    """Compares recordings of one source. The worst picture is found: it is
    another one in one of the files."""
    output = run('compare.sh', '--out', 'two', 'source.paco', 'lossy.mov')
    check(value(output, 'PSNR') != 'identical', 'lossy', output)
    check_drawings('two')
    output = run('compare.sh', 'source.paco', 'source.paco')
    check(value(output, 'PSNR') == 'identical', 'the same', output)
    run('compare.sh', '--out', 'spoilt', 'source.paco', 'spoilt.mkv')
    places = check_drawings('spoilt')
    check(places.index(max(places)) == 8, f'the curve {places}')
    output = run('compare.sh', 'source.paco', 'spoilt.mkv')
    check(re.search(r'^worst .* picture 8$', output, re.MULTILINE), 'worst',
          output)
    output = run('compare.sh', 'source.paco', 'short.paco')
    check('fewer pictures' in output and '5 pictures' in output, 'short',
          output)


def make_files():
    launch(f'{SOURCE} pacoenc rate-control=lossless ! '
           'filesink location=source.paco')
    launch(f'{SOURCE} pacoenc quality=70 ! qtmux ! filesink location=lossy.mov')
    launch(f'{SOURCE} pacoenc rate-control=lossless ! '
           'multifilesink location=%d.paco')
    launch(f'{SOURCE} pacoenc quality=10 ! multifilesink location=%d.bad')
    os.replace('8.bad', '8.paco')
    with open('spoilt.paco', 'wb') as spoilt, \
            open('short.paco', 'wb') as short:
        for number in range(FRAMES):
            with open(f'{number}.paco', 'rb') as file:
                frame = file.read()
            spoilt.write(frame)
            if number < 5:
                short.write(frame)
    launch('filesrc location=spoilt.paco ! pacoparse ! matroskamux ! '
           'filesink location=spoilt.mkv')
    launch('videotestsrc num-buffers=3 ! video/x-raw,format=I422_10LE,width=64,'
           'height=48 ! pacoenc ! filesink location=small.paco')


def check_errors():
    run('record.sh', '--quiet', '--source', 'source.paco', '--frames', 2, 'seen.mov')
    without_decoder('seen.mov', 'video', 'blind.mov')
    for arguments, text in (
            ((), 'usage'),
            (('nothing.mov',), 'There is no file'),
            ((ODD,), f'There is no file {SHOWN}'),
            (('source.paco', 'nothing.mov'), 'There is no file'),
            (('source.paco', 'small.paco'), 'cannot be compared'),
            (('source.paco', __file__), 'Decoding failed'),
            ((__file__,), 'The source'),
            (('blind.mov',), 'GStreamer lacks a plugin: '),
            (('--encoder', 'quality=high', 'source.paco'), 'quality'),
            (('--encoder', 'quality=9', 'source.paco', 'lossy.mov'), 'CODED'),
            (('--out', 'nowhere/out', 'source.paco'), 'cannot be written')):
        output = run('compare.sh', *arguments, status=1)
        check(text in output, f'{arguments} is not explained', output)
    check('--encoder' in run('compare.sh', '--help'), 'no help')


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make_files()
        check_one_file()
        check_formats()
        check_two_files()
        check_errors()
        os.chdir('/')
    return 0


if __name__ == '__main__':
    sys.exit(main())
