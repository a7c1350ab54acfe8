#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Codes a film, or a moving scene, losslessly and at quality 90, decodes it again, and
says what has become of it. quickstart.sh builds and starts this.

Pictures are in memory while the clock runs, and go through the elements without Python,
so that neither disks nor other codecs nor this program are measured."""
import argparse
import os
import sys
import time
from dataclasses import dataclass, field

sys.dont_write_bytecode = True
import session  # noqa: E402
from session import GLib, Gst, GstVideo  # noqa: E402
from pictures import (Failure, Pipeline, Reader, error_of, formats,  # noqa: E402
                      in_number, in_words, numpy, psnr_of, size_of, write_png)

FRAMES = 60  # of a file, if nobody asks for another number
TIMED_FRAMES = 24  # of fewer the time says how coding begins
SCENE_FRAMES = 24
WIDTH, HEIGHT = 1920, 1080
PAN = 8  # columns per picture


@dataclass
class Clip:
    """Pictures, or coded frames, in memory."""
    caps: Gst.Caps
    info: GstVideo.VideoInfo
    buffers: list = field(default_factory=list)

    def bytes(self):
        return sum(buffer.get_size() for buffer in self.buffers)

    def raw_bytes(self):
        return size_of(self.info).bits * len(self.buffers) // 8

    def add(self, buffer):
        """Adds a picture, whose time is that of its number."""
        number, info = len(self.buffers), self.info
        buffer.pts = number * Gst.SECOND * info.fps_d // info.fps_n
        buffer.dts = Gst.CLOCK_TIME_NONE
        buffer.duration = Gst.SECOND * info.fps_d // info.fps_n
        self.buffers.append(buffer)


# --- the scene ------------------------------------------------------------------

def clouds(width, random):
    """Returns heights with detail of all sizes: random ones on grids, interpolated."""
    heights, amplitude = numpy.zeros((HEIGHT, width), 'f4'), 150
    for scale in (512, 256, 128, 64, 32, 16, 8, 4, 2):
        grid = random.uniform(-amplitude, amplitude,
                              (HEIGHT // scale + 2, width // scale + 2)).astype('f4')
        for axis, length in (1, width), (0, HEIGHT):
            at = numpy.arange(length)
            part = (at % scale / scale).astype('f4').reshape((-1, 1)[:2 - axis])
            grid = grid.take(at // scale, axis) * (1 - part) \
                + grid.take(at // scale + 1, axis) * part
        heights += grid
        amplitude *= 0.6
    return heights


def scene(count):
    """Draws a moving scene of 10-bit 4:2:2. Patterns of videotestsrc code to next to
    nothing; this has what camera pictures have: shapes of all sizes under a panning
    camera, a ball, and grain."""
    random = numpy.random.default_rng(1)
    maps = [clouds(WIDTH + PAN * count, random) for _ in range(3)]
    maps[0] += numpy.where((maps[0] + 1024) // 96 % 2, 70, -70)
    caps = Gst.Caps.from_string(
        f'video/x-raw,format=I422_10LE,width={WIDTH},height={HEIGHT},framerate=24/1')
    clip = Clip(caps, GstVideo.VideoInfo.new_from_caps(caps))
    for number in range(count):
        data = b''
        for plane, step in enumerate((1, 2, 2)):
            y, x = numpy.ogrid[:HEIGHT, :WIDTH:step]
            x, y = x - (300 + 55 * number), y - (400 + (number - 12) ** 2)
            value = maps[plane][:, number * PAN:number * PAN + WIDTH:step]
            ball = 40 - 80 * (plane & 1) if plane else 380 - (x + y)
            value = numpy.where(x * x + y * y < 120 ** 2, ball,
                                value / 2 if plane else value)
            grain = random.integers(0, 8, (2, *value.shape), 'i1').sum(0) - 7
            value += 512 + (grain / 2 if plane else grain)
            data += value.clip(64, 940).astype('<u2').tobytes()
        clip.add(Gst.Buffer.new_wrapped(data))
    return clip


# --- files ----------------------------------------------------------------------

def read_pictures(reader, frames, memory):
    """Returns the Clip, which is None if there is none, and why it has no more
    pictures, in words, or None if the file has no more."""
    clip = None
    try:
        while sample := reader.pull():
            caps, info = caps_of(sample)
            clip = clip or Clip(caps, info)
            if len(clip.buffers) == frames:
                return clip, 'FRAMES=N (--frames) takes N'
            if (info.finfo.name, info.width, info.height) != (
                    clip.info.finfo.name, clip.info.width, clip.info.height):
                return clip, 'the next one is of another size or format'
            if clip.buffers and clip.info.size * (len(clip.buffers) + 1) > memory << 20:
                return clip, ('with more of them, the raw pictures would take more '
                              f'than {memory} MiB (--memory)')
            clip.add(sample.get_buffer().copy())
    except Failure:
        # A damaged end is no reason to throw away the pictures before it.
        if not clip:
            raise
        return clip, 'there the file is damaged'
    return clip, None


def caps_of(sample):
    caps = sample.get_caps()
    info = GstVideo.VideoInfo.new_from_caps(caps)
    if not info.fps_n:
        # Stills have no rate; one is needed for times.
        info.fps_n, info.fps_d = 25, 1
        caps = info.to_caps()
    return caps, info


def read_file(path, args):
    """Returns the Clip of a file, and says what of it is not coded."""
    print(f'Reading {path} ...', file=sys.stderr)
    reader = Reader(path, formats())
    try:
        clip, reason = read_pictures(reader, args.frames or FRAMES, args.memory)
    except Failure as error:
        raise Failure(f'{path}: {error}') from None
    if not clip:
        raise Failure(f'{path}: no picture came out of this file.')
    said = []
    if reason:
        said.append(f'Taking the first {len(clip.buffers)} of its pictures: {reason}.')
    if reader.has_sound:
        said.append('Its sound is left out.')
    if turned := reader.orientation():
        said.append('Its pictures are coded as they lie in the file; that players turn '
                    f'them ({turned}) is left out.')
    reader.close()
    print(*said, sep='\n', end='\n' if said else '', file=sys.stderr)
    return clip


def draw_scene(args):
    print('Drawing the test scene ...', file=sys.stderr)
    if args.frames > SCENE_FRAMES:
        print(f'It has no more than {SCENE_FRAMES} pictures.', file=sys.stderr)
    return scene(min(args.frames or SCENE_FRAMES, SCENE_FRAMES))


def name_results(folder, path):
    """Returns the name of the results of a file, or of the scene: its own, with a
    number if another file of that name was here before. NAME.source.txt says whose
    results they are."""
    source = os.path.abspath(path) if path else 'the test scene'
    base = os.path.splitext(os.path.basename(path))[0] if path else 'scene'
    number = 1
    while True:
        name = base if number == 1 else f'{base}-{number}'
        record = os.path.join(folder, f'{name}.source.txt')
        try:
            with open(record, encoding='utf-8', errors='surrogateescape') as file:
                if file.read().rstrip('\n') == source:
                    return name
        except FileNotFoundError:
            with open(record, 'x', encoding='utf-8',
                      errors='surrogateescape') as file:
                file.write(source + '\n')
            return name
        number += 1


# --- coding ---------------------------------------------------------------------

def run(clip, elements, what, caps=None, keep=True):
    """Puts a clip through elements, and returns (what has come out, which is empty
    unless it is kept, seconds from the first buffer to the end, statistics)."""
    drop = '' if keep else 'max-buffers=1 drop=true'
    pipeline = Pipeline(
        f'appsrc name=in format=time max-bytes=0 ! {elements} name=coder ! '
        f'appsink name=out sync=false wait-on-eos=false {drop}', clip.caps, caps)
    line, expected = session.StatusLine(), len(clip.buffers)
    pipeline.start()
    began = time.monotonic()
    pipeline.push(clip.buffers)
    pipeline.end()
    while not pipeline.listen(Gst.SECOND // 5):
        if line.on_terminal:
            left = pipeline.source.get_property('current-level-buffers')
            line.show(f'{what}: {expected - left} of {expected}')
    seconds = time.monotonic() - began
    count = pipeline.sink.get_property('stats').get_uint64('rendered')[1]
    out = Clip(None, clip.info)
    while keep and (sample := pipeline.pull()):
        out.caps = out.caps or sample.get_caps()
        out.buffers.append(sample.get_buffer())
    stats = pipeline.get('coder').get_property('stats')
    pipeline.close()
    line.show(f'{what}: {count} of {expected}')
    line.end()
    if count != expected or keep and len(out.buffers) != expected:
        raise Failure(f'{what}: {expected} pictures went in, {count} came out.')
    return out, seconds, stats


def compare(clip, coded, caps):
    """Returns the mean squared error of coded pictures, and (source, decoded) from the
    middle."""
    pipeline = Pipeline('appsrc name=in format=time max-bytes=0 ! pacodec ! appsink '
                        'name=out sync=false max-buffers=2', coded.caps, caps)
    pipeline.start()
    pipeline.push(coded.buffers)
    pipeline.end()
    total, middle = 0, None
    for number, buffer in enumerate(clip.buffers):
        decoded = pipeline.pull()
        if not decoded:
            raise Failure(f'Comparing: only {number} pictures were decoded.')
        source = Gst.Sample.new(buffer, clip.caps, None, None)
        total += error_of(source, decoded, clip.info)
        if number == len(clip.buffers) // 2:
            middle = source, decoded
    pipeline.close()
    return total / len(clip.buffers), middle


def write_mov(coded, path):
    pipeline = Pipeline('appsrc name=in format=time max-bytes=0 ! pacoparse ! qtmux ! '
                        'filesink name=file', coded.caps)
    pipeline.get('file').set_property('location', path)
    pipeline.start()
    pipeline.push(coded.buffers)
    pipeline.end()
    while not pipeline.listen(Gst.SECOND):
        pass
    pipeline.close()


def speed(count, seconds):
    if count < TIMED_FRAMES:
        return f'takes {TIMED_FRAMES} pictures'
    return f'{count / seconds:.1f} fps'


def measure(title, coder, clip, path):
    """Codes a clip in one way, into a file. Returns the cells of a column of the table,
    and two pictures to be drawn."""
    raw = Gst.Caps.from_string(f'video/x-raw,format=(string){clip.info.finfo.name}')
    count = len(clip.buffers)
    coded, encoding, stats = run(clip, coder, f'{title}: encoding')
    # Keeping pictures takes longer than decoding them.
    _, decoding, _ = run(coded, 'pacodec', f'{title}: decoding', raw, keep=False)
    error, drawn = compare(clip, coded, raw)
    write_mov(coded, path)
    size, device = coded.bytes(), stats.get_string('device')
    backend = stats.get_string('backend') or 'unknown'
    share, samples = 100 * size / clip.raw_bytes(), size_of(clip.info).samples
    return (title, f'{GLib.format_size(size)} ({share:.1f} %)',
            f'{8 * size / (samples * count):.3f}', in_words(psnr_of(error)),
            speed(count, encoding), speed(count, decoding),
            f'{backend} ({device})' if device else backend), drawn


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n', maxsplit=1)[0])
    parser.error = lambda text: sys.exit(f'{parser.format_usage()}{text}')
    add = parser.add_argument
    add('file', metavar='FILE', nargs='?')
    add('-o', '--out', default='.', metavar='FOLDER', help='for results')
    add('-f', '--frames', type=int, metavar='N', help='at most')
    add('-m', '--memory', type=session.number(int, 1, 2**31), default=512,
        metavar='MIB', help='for raw pictures, at most')
    args = parser.parse_args()
    if args.frames is not None and args.frames < 1:
        sys.exit(f'FRAMES={args.frames} (--frames) must be 1 or more.')
    args.frames = args.frames or 0
    return args


def main():
    args = parse_arguments()
    session.start()
    rows = ('', 'size', 'bits per sample', 'PSNR', 'encoding', 'decoding', 'backend')
    try:
        os.makedirs(args.out, exist_ok=True)
        clip = read_file(args.file, args) if args.file else draw_scene(args)
        base = os.path.join(args.out, name_results(args.out, args.file))
        files = {'lossless': f'{base}-lossless.mov', 'quality 90': f'{base}-q90.mov'}
        lossless, _ = measure('lossless', 'pacoenc rate-control=lossless', clip,
                              files['lossless'])
        lossy, drawn = measure('quality 90', 'pacoenc quality=90', clip,
                               files['quality 90'])
        write_png(*drawn, f'{base}-q90.png')
    except (Failure, OSError) as error:
        sys.exit(f'\n{error}')
    info = clip.info
    print(f'\n{in_number(len(clip.buffers))} {info.width}x{info.height} '
          f'{info.finfo.name}, {GLib.format_size(clip.raw_bytes())} without coding\n')
    for cells in zip(rows, lossless, lossy):
        print(f'{cells[0]:<17}{cells[1]:<26}{cells[2]:<26}')
    print()
    for title, path in {**files, 'picture': f'{base}-q90.png'}.items():
        print(f'{title:<17}{path}')
    print(f'{"":<17}(from the left: source, quality 90, difference times 16)')
    return 0


if __name__ == '__main__':
    sys.exit(main())
