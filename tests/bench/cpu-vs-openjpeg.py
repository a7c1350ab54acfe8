#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The CPU backend's speed per core, against OpenJPEG in the same run.

Lossless, 8-bit gray, 4096x2160, memory to memory, the time spent in the
library alone: samples per second of CPU time with one thread each, runs of the
two taken in turns, medians. Beside it what the machine gives (a copy in
memory), what a second thread brings, and the memory that gst-launch-1.0 takes
to code 4K 4:4:4 16-bit. One JSON line per figure.
"""
import argparse
import os

import bench

WIDTH, HEIGHT = 4096, 2160


def test_picture(folder):
    """Returns the green plane of a 3840x2160 photo, widened by mirroring its
    edge."""
    path = f'{folder}/gray-4096x2160.pgm'
    sources = [p for p in bench.corpus(f'{folder}/corpus') if 'canyon' in p]
    if sources:
        width, height, _, _, data = bench.read_pnm(sources[0])
        green = data[1::3]
        rows = []
        for y in range(height):
            row = green[y * width:(y + 1) * width]
            rows.append(row + row[-2:-2 - (WIDTH - width):-1])
        samples, what = b''.join(rows), 'photo (p4k_canyon, green)'
    else:
        # There is no photo, so these are smooth shapes and noise, which are
        # neither.
        state, samples, what = 1, bytearray(), 'synthetic'
        for y in range(HEIGHT):
            for x in range(WIDTH):
                state = (state * 1103515245 + 12345) & 0x7fffffff
                wave = ((x * x + y * y) >> 12) & 127
                samples.append(64 + wave + (state >> 27))
    bench.write_pgm(path, WIDTH, HEIGHT, 255, samples)
    return path, what


def peak_memory(*pipeline, folder):
    """Returns the peak resident bytes of gst-launch-1.0 with a pipeline."""
    environment = dict(os.environ, GST_PLUGIN_PATH=f'{folder}/plugin',
                       GST_REGISTRY=f'{folder}/tests/bench/registry.bin')
    null = os.open(os.devnull, os.O_WRONLY)
    child = os.posix_spawnp('gst-launch-1.0', ['gst-launch-1.0', '-q',
                            *' ! '.join(pipeline).split()], environment,
                            file_actions=[(os.POSIX_SPAWN_DUP2, null, 1)])
    _, status, usage = os.wait4(child, 0)
    os.close(null)
    if status:
        raise SystemExit(f'gst-launch-1.0 failed: {" ! ".join(pipeline)}')
    return usage.ru_maxrss * 1024


def measure_memory(folder):
    source = ('videotestsrc num-buffers=6', 'video/x-raw,format=Y444_16LE,'
              'width=4096,height=2160,framerate=24/1')
    encoder = 'pacoenc backend=cpu rate-control=lossless pipeline-depth=2'
    frame = 4096 * 2160 * 3 * 2
    # The first run fills the registry.
    peak_memory(*source, 'fakesink', folder=folder)
    without = peak_memory(*source, 'fakesink', folder=folder)
    with_encoder = peak_memory(*source, encoder, 'fakesink', folder=folder)
    bench.figure('encode-peak-memory', with_encoder / 2**20, 'MiB',
                 what='gst-launch-1.0, 4096x2160 4:4:4 16 bits, '
                      'pipeline-depth=2',
                 without_encoder=round(without / 2**20, 1),
                 frames=round((with_encoder - without) / frame, 2))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--rounds', type=int, default=7)
    options = parser.parse_args()
    rounds = max(options.rounds, 5)
    folder = bench.build()
    picture, what = test_picture(folder)
    samples = WIDTH * HEIGHT
    ours, theirs, two = [], [], []
    for number in range(rounds):
        bench.say(f'round {number + 1} of {rounds}')
        speed = f'{folder}/tests/bench/paco-rate'
        ours += bench.json_lines(speed, picture)
        theirs += bench.json_lines(f'{folder}/tests/bench/openjpeg-speed',
                                   picture, 1)
        if len(os.sched_getaffinity(0)) > 1:
            two += bench.json_lines(speed, '--threads=2', picture)
    copy = bench.median([run['copy_bytes'] / run['copy_wall'] for run in ours])
    bench.figure('memory-copy', copy / 1e9, 'GB/s', what='of the picture')
    common = {'picture': what, 'rounds': rounds}
    for direction in 'encode', 'decode':
        key = f'{direction}_seconds'
        mine = samples / bench.median([run[key] for run in ours])
        rival = samples / bench.median([run[key] for run in theirs])
        bench.figure(f'{direction}-per-core', mine / 1e6, 'Msample/s',
                     openjpeg=float(f'{rival / 1e6:.5g}'),
                     ratio=round(mine / rival, 2),
                     of_copy=round(mine / copy, 5),
                     library=theirs[0]['library'], **common)
        if two:
            wall = f'{direction}_wall'
            gain = bench.median([run[wall] for run in ours]) / \
                bench.median([run[wall] for run in two])
            bench.figure(f'{direction}-two-threads', gain, 'times one thread',
                         **common)
    bench.figure('lossless-rate', ours[0]['bytes'] * 8 / samples, 'bit/sample',
                 openjpeg=round(theirs[0]['bytes'] * 8 / samples, 4), **common)
    if os.path.exists(f'{folder}/plugin/libgstpaco.so'):
        measure_memory(folder)


if __name__ == '__main__':
    main()
