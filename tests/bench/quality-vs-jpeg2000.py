#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a gray picture takes and is like, against JPEG 2000 Part 1.

For every 8-bit photograph of the corpus, as gray (the luma of BT.601): OpenJPEG
codes it at some rates (9/7, blocks of 64x64, five levels, one layer), pacoenc's
defaults with tune=psnr at many qualities. Between these the PSNR is taken to be
linear in the logarithm of the bytes. Then both code it lossless. Sizes are those
of the whole codestream, headers included, no JP2 boxes. Prints dB above JPEG 2000
at its bytes, percent of its bytes at its PSNR, and percent of its lossless bytes:
a table (stderr), one JSON line per figure (stdout). --folder keeps what JPEG 2000
made for the next time.
"""
import argparse
import bisect
import json
import math
import operator
import os
import subprocess

import bench

RATES = (0.25, 0.5, 1, 2, 4)
QUALITIES = (25, 35, 45, 53, 60, 66, 71, 75, 79, 82, 85, 88, 90.5, 93, 95, 96.7,
             98, 99, 99.7)


def gray(path, folder):
    """Writes the luma of a picture as a PGM file in folder, and returns its
    path."""
    out = os.path.join(folder, os.path.basename(path).split('.')[0] + '.pgm')
    if not os.path.exists(out):
        width, height, maximum, n, samples = bench.read_pnm(path)
        if n == 3:
            r, g, b = ([weight * i for i in range(256)]
                       for weight in (299, 587, 114))
            samples = bytes((r[x] + g[y] + b[z] + 500) // 1000 for x, y, z in
                            zip(samples[0::3], samples[1::3], samples[2::3]))
        bench.write_pgm(out, width, height, maximum, samples)
    return out


def psnr(path, other):
    a, b = bench.read_pnm(path)[4], bench.read_pnm(other)[4]
    squares = [i * i for i in range(256)]
    error = sum(squares[abs(d)] for d in map(operator.sub, a, b))
    return 10 * math.log10(255 * 255 * len(a) / error) if error else 999


def jpeg2000(path, folder, bits):
    """Returns (bytes, PSNR), which are kept for the next time."""
    kept = f'{folder}/{os.path.basename(path)}-{bits}.json'
    if not os.path.exists(kept):
        j2k, back = f'{folder}/out.j2k', f'{folder}/out.pgm'
        bench.run('opj_compress', '-i', path, '-o', j2k, '-n', 6, '-b', '64,64',
                  '-I', '-r', 8 / bits, stderr=subprocess.DEVNULL)
        bench.run('opj_decompress', '-i', j2k, '-o', back,
                  stderr=subprocess.DEVNULL)
        with open(kept, 'w', encoding='ascii') as file:
            json.dump([os.path.getsize(j2k), psnr(path, back)], file)
    with open(kept, encoding='ascii') as file:
        return json.load(file)


def jpeg2000_lossless(path, folder):
    """Returns bytes, which are kept for the next time."""
    kept = f'{folder}/{os.path.basename(path)}-lossless.json'
    if not os.path.exists(kept):
        j2k = f'{folder}/out.j2k'
        bench.run('opj_compress', '-i', path, '-o', j2k, '-n', 6, '-b', '64,64',
                  stderr=subprocess.DEVNULL)
        with open(kept, 'w', encoding='ascii') as file:
            json.dump(os.path.getsize(j2k), file)
    with open(kept, encoding='ascii') as file:
        return json.load(file)


def between(x, xs, ys):
    """Returns y at x of the line through the points, or None outside of them."""
    k = bisect.bisect_left(xs, x)
    if k == 0 or k == len(xs):
        return None
    t = (x - xs[k - 1]) / (xs[k] - xs[k - 1])
    return ys[k - 1] + t * (ys[k] - ys[k - 1])


def paco_curve(program, path, options):
    """Returns logarithms of bytes and PSNRs, rising."""
    points = []
    for quality in QUALITIES:
        line = bench.json_lines(program, f'--quality={quality}', *options,
                                path)[0]
        points.append((math.log(line['bytes']), line['psnr']))
    return [list(values) for values in zip(*points)]


def compare(program, path, folder, options):
    """Returns (dB, percent) for each rate, or None where it cannot be
    compared. The last is lossless, with 0 dB."""
    logs, psnrs = paco_curve(program, path, options)
    pairs = []
    for bits in RATES:
        size, theirs = jpeg2000(path, folder, bits)
        ours = between(math.log(size), logs, psnrs)
        log = between(theirs, psnrs, logs)
        pairs.append(None if ours is None or log is None else
                     (ours - theirs, 100 * (math.exp(log) / size - 1)))
    size = bench.json_lines(program, *options, path)[0]['bytes']
    pairs.append((0, 100 * (size / jpeg2000_lossless(path, folder) - 1)))
    return pairs


def words(pairs):
    return ' '.join(f'{"":16}' if pair is None else
                    f'{pair[0]:+7.2f} {pair[1]:+6.1f} %' for pair in pairs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('files', nargs='*', help='instead of the corpus')
    parser.add_argument('--complexity', default='1')
    parser.add_argument('--folder', help='for the gray pictures')
    options = parser.parse_args()
    folder = bench.build('tests/bench/paco-rate')
    files = options.files or [
        path for path in bench.corpus(f'{folder}/corpus')
        if path.endswith('.ppm') and bench.read_pnm(path)[2] == 255]
    if not files:
        bench.say(f'There are no pictures in {bench.CORPUS}; '
                  'name PGM or PPM files.')
        return 1
    work = options.folder or f'{folder}/gray'
    os.makedirs(work, exist_ok=True)
    bench.say(f'{"bits per sample":24}' + ' '.join(f'{rate:>16}' for rate in
                                                   (*RATES, 'lossless')))
    rows = []
    for path in files:
        rows.append(compare(f'{folder}/tests/bench/paco-rate',
                            gray(path, work), work,
                            ['--tune=psnr',
                             f'--complexity={options.complexity}']))
        bench.say(f'{os.path.basename(path):24}' + words(rows[-1]))
    means = []
    columns = list(zip(*rows))
    for rate, column in zip(RATES, columns):
        column = [pair for pair in column if pair]
        means.append([sum(values) / len(values) for values in zip(*column)]
                     if column else None)
        if column:
            bench.figure('lossy-psnr-vs-jpeg2000', means[-1][0], 'dB',
                         bits_per_sample=rate, pictures=len(column),
                         worst=round(min(column)[0], 3),
                         percent=round(means[-1][1], 3))
    percents = [pair[1] for pair in columns[-1]]
    means.append((0, sum(percents) / len(percents)))
    bench.figure('lossless-gray-vs-jpeg2000', means[-1][1], '%',
                 pictures=len(percents), worst=round(max(percents), 3))
    bench.say(f'{"mean":24}' + words(means))
    return 0


if __name__ == '__main__':
    raise SystemExit(main())
