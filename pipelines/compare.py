#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares the pictures of two files, or of one with what coding makes of it.

Writes a picture of the worst place, side by side, and a curve of the PSNR. It keeps no
more than a few pictures, however long the files are. compare.sh starts it."""
import argparse
import collections
import html
import math
import os
import sys

sys.dont_write_bytecode = True
import session  # noqa: E402
from pictures import (Failure, GstVideo, Pipeline, Reader, error_of,  # noqa: E402
                      formats, in_number, in_words, psnr_of, size_of, write_png)

IN_FLIGHT = 4  # pictures in the coder while the next one is read

# The size of the curve's drawing, and of its margins.
WIDTH, HEIGHT = 900, 360
LEFT, RIGHT, TOP, BOTTOM = 60, 20, 50, 45
STEPS = 6  # lines of the grid, about
LEAST_SPAN = 4  # dB


class Coder(Pipeline):
    """Pictures that are coded and decoded again."""

    def __init__(self, properties, caps):
        super().__init__('appsrc name=in format=time ! pacoenc name=coder '
                         f'{properties} ! pacodec ! videoconvert ! appsink name=out '
                         'sync=false', caps, caps)
        # The coder gives nothing before a stack is whole, nor does the decoder.
        self.in_flight = IN_FLIGHT + 2 * self.get('coder').get_property('stack')
        self.start()

    def bytes(self):
        return self.get('coder').get_property('stats').get_uint64('bytes')[1]


class Result:
    """What the comparison has found."""

    def __init__(self):
        self.psnr, self.error, self.worst, self.info = [], 0, 0, None
        self.pair = None  # the worst picture, source and decoded

    def add(self, source, decoded):
        info = GstVideo.VideoInfo.new_from_caps(source.get_caps())
        other = GstVideo.VideoInfo.new_from_caps(decoded.get_caps())
        what = info.finfo.name, info.width, info.height
        self.info = self.info or info
        if what != (self.info.finfo.name, self.info.width, self.info.height):
            raise Failure('The pictures of the source change their size or format; '
                          'what comes before can be compared with --frames.')
        if what[1:] != (other.width, other.height):
            raise Failure(
                f'The source has {info.width}x{info.height} samples, what was made of '
                f'it {other.width}x{other.height}: these cannot be compared.')
        error = error_of(source, decoded, info)
        self.error += error
        self.psnr.append(psnr_of(error))
        if not self.pair or self.psnr[-1] < self.psnr[self.worst]:
            self.pair, self.worst = (source, decoded), len(self.psnr) - 1


def named(what, function, *arguments):
    """Calls a function whose failures are those of what is named."""
    try:
        return function(*arguments)
    except Failure as error:
        raise Failure(f'{what}: {error}') from None


def open_decoded(args, sample):
    caps = sample.get_caps()
    if not args.coded:
        return named('pacoenc', Coder, args.encoder or '', caps)
    name = caps.get_structure(0).get_string('format')
    return Reader(args.coded, session.Gst.Caps.from_string(
        f'video/x-raw,format=(string){name}'))


def compare(args):
    """Returns the Result and, if the pictures were coded here, their bytes."""
    source, decoded, waiting = Reader(args.source, formats()), None, collections.deque()
    result, count, more, limit = Result(), 0, True, IN_FLIGHT

    def compare_next():
        sample = named('Decoding failed', decoded.pull)
        if sample:
            result.add(waiting.popleft(), sample)
        return sample is not None

    while more and count != args.frames and \
            (sample := named('The source', source.pull)):
        count += 1
        # The first picture says what is compared.
        if not decoded:
            decoded = open_decoded(args, sample)
            limit = getattr(decoded, 'in_flight', limit)
        if not args.coded:
            decoded.push([sample.get_buffer()])
        waiting.append(sample)
        if len(waiting) == limit:
            more = compare_next()
    if not count:
        raise Failure('The source has no pictures.')
    if not args.coded:
        decoded.end()
    while waiting and compare_next():
        pass
    if not result.psnr:
        raise Failure('There is nothing to compare the source with.')
    if len(result.psnr) < count:
        print(f'There are fewer pictures than in the source: {len(result.psnr)}.',
              file=sys.stderr)
    size = 0 if args.coded else decoded.bytes()
    source.close()
    decoded.close()
    return result, size


# --- the curve ------------------------------------------------------------------

def round_step(span):
    """Returns 1, 2 or 5 times a power of ten, about a STEPS-th of the span."""
    power = 10 ** math.floor(math.log10(span / STEPS))
    rest = span / STEPS / power
    return power * (10 if rest > 5 else 5 if rest > 2 else 2 if rest > 1 else 1)


def axis_of(values):
    """Returns (low, high, step) of the axis of dB."""
    finite = [value for value in values if value != math.inf] or [100]
    # A curve that is nearly level is drawn so.
    more = max(LEAST_SPAN - (max(finite) - min(finite)), 0) / 2
    low, high = min(finite) - more, max(finite) + more
    step = round_step(high - low)
    return (step * math.floor(low / step), step * (math.floor(high / step) + 1), step)


def svg_of(values, rate, title):
    low, high, step = axis_of(values)
    count, scale = max(len(values), 2) - 1, 1 / rate if rate else 1

    def x_of(at):
        return LEFT + at / count * (WIDTH - LEFT - RIGHT)

    def y_of(value):
        part = (min(value, high) - low) / (high - low)
        return HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM)

    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
             'font-family="sans-serif" font-size="12">',
             '<rect width="100%" height="100%" fill="white"/>',
             f'<text x="12" y="22" font-size="15">{html.escape(title)}</text>']
    for number in range(round((high - low) / step) + 1):
        value = low + number * step
        y = y_of(value)
        lines += [f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>',
                  f'<text x="{LEFT - 8}" text-anchor="end" y="{y + 4:.1f}">'
                  f'{value:g}</text>']
    step = round_step(count * scale)
    for number in range(math.floor(count * scale / step + 0.01) + 1):
        lines.append(f'<text text-anchor="middle" y="{HEIGHT - BOTTOM + 18}" '
                     f'x="{x_of(number * step / scale):.1f}">{number * step:g}</text>')
    points = ' '.join(f'{x_of(at):.2f},{y_of(value):.2f}'
                      for at, value in enumerate(values))
    return '\n'.join(lines + [
        f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 8}" text-anchor="end">'
        f'{"seconds" if rate else "pictures"}</text>',
        f'<text x="12" y="{TOP - 12}">dB</text>',
        f'<polyline fill="none" stroke="#06c" points="{points}"/>', '</svg>', ''])


def write(result, size, out):
    info, count = result.info, len(result.psnr)
    mean = in_words(psnr_of(result.error / count))
    worst = in_words(result.psnr[result.worst])
    rate = info.fps_n / info.fps_d if info.fps_d else 0
    title = f'PSNR of {in_number(count)}: {mean}, worst {worst} ({result.worst})'
    try:
        write_png(*result.pair, f'{out}.png')
        with open(f'{out}.svg', 'w', encoding='utf-8') as file:
            file.write(svg_of(result.psnr, rate, title))
    except OSError as error:
        raise Failure(f'The results cannot be written: {error.filename}: '
                      f'{error.strerror}.') from None
    print(f'{in_number(count)} {info.width}x{info.height} {info.finfo.name}')
    print(f'PSNR      {mean}')
    print(f'worst     {worst}, picture {result.worst}')
    if size:
        bits = 8 * size / count / size_of(info).samples
        print(f'size      {bits:.3f} bits a sample')
    out = session.shown(out)
    print(f'picture   {out}.png (source, decoded, difference times 16)')
    print(f'curve     {out}.svg')


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog='compare.sh', description=__doc__.split('\n\n', maxsplit=1)[0])
    parser.error = lambda text: sys.exit(parser.print_usage(sys.stderr) or text)
    add = parser.add_argument
    add('source', metavar='SOURCE')
    add('coded', metavar='CODED', nargs='?')
    add('-e', '--encoder', metavar='PROPERTIES',
        help='without CODED: properties of pacoenc, such as "quality=80"')
    add('-f', '--frames', type=session.number(int, 0, 2**31), default=0, metavar='N',
        help='compares no more than N pictures')
    add('-o', '--out', default='comparison', metavar='NAME',
        help='writes NAME.png and NAME.svg (comparison)')
    args = parser.parse_args()
    if args.coded and args.encoder:
        parser.error('--encoder is for comparing a source with what pacoenc makes of '
                     'it; here CODED is compared.')
    for path in filter(None, (args.source, args.coded)):
        if not os.path.isfile(path):
            sys.exit(f'There is no file {path}.')
    # 0 and no option mean all of them, which no count equals.
    args.frames = args.frames or -1
    return args


def main():
    args = parse_arguments()
    session.start()
    try:
        write(*compare(args), args.out)
    except Failure as error:
        sys.exit(str(error))
    return 0


if __name__ == '__main__':
    session.end(main)
