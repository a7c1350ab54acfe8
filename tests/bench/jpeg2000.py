#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""jpeg2000.py rate|quality|color: bytes and PSNR against JPEG 2000 Part 1.

rate: how many bits lossless coding takes, for every picture of the corpus, the first
one of clips: pacoenc's defaults with rate-control=lossless against OpenJPEG's lossless
mode, RCT for RGB; the planes of YUV pictures are coded one by one by OpenJPEG. --plot
FILE.svg draws it.

quality: what a gray picture takes and is like, for every 8-bit photograph of the
corpus, as gray (the luma of BT.601): OpenJPEG codes it at some rates (9/7, one layer),
pacoenc's defaults with tune=psnr at many qualities. Between these the PSNR is taken to
be linear in the logarithm of the bytes. Then both code it lossless. Prints dB above
JPEG 2000 at its bytes, percent of its bytes at its PSNR, and percent of its lossless
bytes. --folder keeps what JPEG 2000 made for the next time.

color: the PSNR over R, G and B of the RGB pictures of the corpus. OpenJPEG codes them at
0.5, 1 and 2 bits a sample (9/7 and ICT, one layer), pacoenc with tune=psnr and what
JPEG 2000 took as the budget, with its own color matrix and with ICT.

JPEG 2000 has blocks of 64x64 and five levels. Sizes are those of the whole codestream,
headers included, no JP2 boxes. Prints a table (stderr), and one JSON line per figure
(stdout).
"""
import argparse
import array
import bisect
import json
import math
import operator
import os
import subprocess
import sys
import tempfile

import bench

RATES = (0.25, 0.5, 1, 2, 4)
COLOR_RATES = (0.5, 1, 2)
QUALITIES = (25, 35, 45, 53, 60, 66, 71, 75, 79, 82, 85, 88, 90.5, 93, 95, 96.7,
             98, 99, 99.7)


def y4m_planes(path):
    """Yields (width, height, maximum, big-endian samples) of frame one."""
    with open(path, 'rb') as file:
        width, height, depth, components = bench.read_y4m(file)
        file.readline()
        for x, y in components:
            w, h = -(-width // x), -(-height // y)
            samples = bytearray(file.read(w * h * (2 if depth > 8 else 1)))
            if depth > 8:
                samples[0::2], samples[1::2] = samples[1::2], samples[0::2]
            yield w, h, (1 << depth) - 1, samples


def compress(path, out, *options):
    """Codes with blocks of 64x64 and five levels, and returns the bytes."""
    bench.run('opj_compress', '-i', path, '-o', out, '-n', 6, '-b', '64,64',
              *options, stderr=subprocess.DEVNULL)
    return os.path.getsize(out)


def openjpeg_bytes(path):
    with tempfile.TemporaryDirectory() as folder:
        inputs = [path]
        if path.endswith('.y4m'):
            inputs = []
            for plane in y4m_planes(path):
                inputs.append(f'{folder}/{len(inputs)}.pgm')
                bench.write_pgm(inputs[-1], *plane)
        return sum(compress(name, f'{folder}/out.j2k') for name in inputs)


def plot(path, rows, mean):
    """Draws a bar per picture: percent more or fewer bits than JPEG 2000."""
    scale = 60
    top, line = 64, 17
    height = top + line * len(rows) + 34
    least = min([row[3] for row in rows] + [-1])
    zero = 230 + int(-least * scale)
    width = max(zero + int(max([r[3] for r in rows] + [1]) * scale) + 70, 640)
    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
           f'height="{height}" font-family="sans-serif" font-size="12">',
           '<rect width="100%" height="100%" fill="#ffffff"/>',
           '<text x="12" y="22" font-size="15">Lossless bits per sample '
           'against JPEG 2000 (64x64 blocks), percent</text>',
           f'<text x="12" y="42" fill="#555555">Left of the line: fewer bits. '
           f'Mean of {len(rows)} pictures: {mean:+.2f} %. '
           'Numbers at the names: bits per sample.</text>']
    for number, (name, ours, _, percent) in enumerate(rows):
        y = top + number * line
        end = zero + percent * scale
        color = '#1f7a4d' if percent <= 0 else '#b5482f'
        anchor, shift = ('end', -4) if percent <= 0 else ('start', 4)
        svg.append(f'<text x="12" y="{y + 11}">{name}</text>')
        svg.append(f'<text x="190" y="{y + 11}" text-anchor="end" '
                   f'fill="#555555">{ours:.2f}</text>')
        svg.append(f'<rect x="{min(zero, end):.1f}" y="{y + 2}" '
                   f'width="{abs(end - zero):.1f}" height="{line - 5}" '
                   f'fill="{color}"/>')
        svg.append(f'<text x="{end + shift:.1f}" y="{y + 11}" font-size="10" '
                   f'text-anchor="{anchor}" fill="#555555">'
                   f'{percent:+.2f}</text>')
    svg.append(f'<line x1="{zero}" y1="{top - 6}" x2="{zero}" '
               f'y2="{height - 28}" stroke="#222222"/>')
    svg.append(f'<text x="12" y="{height - 10}" fill="#555555">'
               'Drawn by tests/bench/jpeg2000.py rate --plot</text></svg>')
    with open(path, 'w', encoding='utf-8') as file:
        file.write('\n'.join(svg) + '\n')


def compare_rates(program, options, folder):
    rows = []
    bench.say(f'{"picture":38} {"paco":>8} {"JPEG 2000":>9}   difference')
    for path in bench.pictures(options.files, folder):
        ours = bench.json_lines(program, f'--complexity={options.complexity}',
                                path)[0]
        bits = ours['bits_per_sample']
        theirs = openjpeg_bytes(path) * 8 / ours['samples']
        percent = (bits / theirs - 1) * 100
        name = os.path.basename(path)
        short = '_'.join(name.split('.')[0].split('_')[:2])
        rows.append((short, bits, theirs, percent))
        bench.say(f'{name:38} {bits:8.4f} {theirs:9.4f}   {percent:+7.2f} %')
        bench.figure('lossless-rate', bits, 'bit/sample', picture=name,
                     jpeg2000=round(theirs, 5), percent=round(percent, 3))
    mean = bench.mean([row[3] for row in rows])
    bench.say(f'{"mean difference":58} {mean:+7.2f} %')
    bench.figure('lossless-rate-vs-jpeg2000', mean, 'percent',
                 pictures=len(rows), complexity=int(options.complexity))
    if options.plot:
        plot(options.plot, rows, mean)


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


def samples_of(path):
    """Returns the maximum, and an array of the samples."""
    _, _, maximum, _, samples = bench.read_pnm(path)
    samples = array.array('H' if maximum > 255 else 'B', samples)
    if maximum > 255 and sys.byteorder == 'little':
        samples.byteswap()
    return maximum, samples


def psnr(path, other):
    maximum, a = samples_of(path)
    error = sum(d * d for d in map(operator.sub, a, samples_of(other)[1]))
    return 10 * math.log10(maximum * maximum * len(a) / error) if error else 999


def kept(path, make):
    """Returns what was made the last time, or is made now."""
    if not os.path.exists(path):
        made = make()
        with open(path, 'w', encoding='ascii') as file:
            json.dump(made, file)
    with open(path, encoding='ascii') as file:
        return json.load(file)


def lossy(path, folder, bits):
    """Returns (bytes, PSNR)."""
    j2k, back = f'{folder}/out.j2k', f'{folder}/out{path[-4:]}'
    depth = bench.read_pnm(path)[2].bit_length()
    size = compress(path, j2k, '-I', '-r', depth / bits)
    bench.run('opj_decompress', '-i', j2k, '-o', back, stderr=subprocess.DEVNULL)
    return size, psnr(path, back)


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
    name = f'{folder}/{os.path.basename(path)}'
    logs, psnrs = paco_curve(program, path, options)
    pairs = []
    for bits in RATES:
        size, theirs = kept(f'{name}-{bits}.json',
                            lambda bits=bits: lossy(path, folder, bits))
        ours = between(math.log(size), logs, psnrs)
        log = between(theirs, psnrs, logs)
        pairs.append(None if ours is None or log is None else
                     (ours - theirs, 100 * (math.exp(log) / size - 1)))
    size = bench.json_lines(program, *options, path)[0]['bytes']
    theirs = kept(f'{name}-lossless.json',
                  lambda: compress(path, f'{folder}/out.j2k'))
    pairs.append((0, 100 * (size / theirs - 1)))
    return pairs


def words(pairs):
    return ' '.join(f'{"":16}' if pair is None else
                    f'{pair[0]:+7.2f} {pair[1]:+6.1f} %' for pair in pairs)


def compare_qualities(program, options, folder):
    files = bench.pictures(
        options.files, folder, lambda path: path.endswith('.ppm')
        and bench.read_pnm(path)[2] == 255)
    work = options.folder or f'{folder}/gray'
    os.makedirs(work, exist_ok=True)
    bench.say(f'{"bits per sample":24}' + ' '.join(f'{rate:>16}' for rate in
                                                   (*RATES, 'lossless')))
    rows = []
    for path in files:
        rows.append(compare(program, gray(path, work), work, [
            '--tune=psnr', f'--complexity={options.complexity}']))
        bench.say(f'{os.path.basename(path):24}' + words(rows[-1]))
    means = []
    columns = list(zip(*rows))
    for rate, column in zip(RATES, columns):
        column = [pair for pair in column if pair]
        means.append([bench.mean(values) for values in zip(*column)]
                     if column else None)
        if column:
            bench.figure('lossy-psnr-vs-jpeg2000', means[-1][0], 'dB',
                         bits_per_sample=rate, pictures=len(column),
                         worst=round(min(column)[0], 3),
                         percent=round(means[-1][1], 3))
    percents = [pair[1] for pair in columns[-1]]
    means.append((0, bench.mean(percents)))
    bench.figure('lossless-gray-vs-jpeg2000', means[-1][1], '%',
                 pictures=len(percents), worst=round(max(percents), 3))
    bench.say(f'{"mean":24}' + words(means))


def compare_colors(program, options, folder):
    columns = [f'{kind} {rate}' for rate in COLOR_RATES for kind in ('ict', 'own')]
    bench.say(f'{"dB over JPEG 2000":24}' + ' '.join(f'{text:>8}' for text in columns))
    work = options.folder or folder
    rows = []
    for path in bench.pictures(options.files, folder,
                               lambda path: path.endswith('.ppm')):
        rows.append([])
        for rate in COLOR_RATES:
            size, theirs = kept(f'{work}/{os.path.basename(path)}-{rate}.json',
                                lambda path=path, rate=rate: lossy(path, work, rate))
            rows[-1] += [bench.json_lines(
                program, '--tune=psnr', f'--complexity={options.complexity}',
                f'--frame-size={size}', f'--color-transform={transform}', path
            )[0]['psnr'] - theirs for transform in ('ict', 'matrix')]
        bench.say(f'{os.path.basename(path):24}'
                  + ' '.join(f'{value:+8.2f}' for value in rows[-1]))
    means = [bench.mean(column) for column in zip(*rows)]
    bench.say(f'{"mean":24}' + ' '.join(f'{value:+8.2f}' for value in means))
    for k, rate in enumerate(COLOR_RATES):
        bench.figure('color-psnr-vs-jpeg2000', means[2 * k + 1], 'dB',
                     bits_per_sample=rate, ict=round(means[2 * k], 3),
                     pictures=len(rows))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('what', choices=('rate', 'quality', 'color'))
    parser.add_argument('files', nargs='*', help='instead of the corpus')
    parser.add_argument('--plot', metavar='FILE.svg')
    parser.add_argument('--complexity', default='1')
    parser.add_argument('--folder', help='for what JPEG 2000 makes')
    options = parser.parse_intermixed_args()
    folder = bench.build('tests/bench/paco-rate')
    compare = {'rate': compare_rates, 'quality': compare_qualities,
               'color': compare_colors}[options.what]
    compare(f'{folder}/tests/bench/paco-rate', options, folder)


if __name__ == '__main__':
    main()
