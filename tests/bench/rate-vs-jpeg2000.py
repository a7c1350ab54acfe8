#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How many bits lossless coding takes, against JPEG 2000 Part 1.

For every picture of the corpus, the first one of clips: pacoenc's defaults with
rate-control=lossless against OpenJPEG's lossless mode with blocks of 64x64 and
five levels, RCT for RGB; the planes of YUV pictures are coded one by one by
OpenJPEG. Both sizes are those of the whole codestream, headers included, no
JP2 boxes. Prints a table (stderr) and one JSON line per figure (stdout);
--plot FILE.svg draws it.
"""
import argparse
import os
import subprocess
import tempfile

import bench


def y4m_planes(path):
    """Yields (width, height, maximum, big-endian samples) of frame one."""
    with open(path, 'rb') as file:
        fields = file.readline().decode().split()[1:]
        file.readline()
        data = file.read()
    value = {field[0]: field[1:] for field in fields}
    width, height = int(value['W']), int(value['H'])
    chroma = value.get('C', '420')
    depth = int(chroma.partition('p')[2]) if chroma[3:4] == 'p' and \
        chroma[4:].isdigit() else 8
    x, y = {'420': (2, 2), '422': (2, 1), '444': (1, 1)}[chroma[:3]]
    position = 0
    for plane in range(3):
        w = -(-width // x) if plane else width
        h = -(-height // y) if plane else height
        size = w * h * (2 if depth > 8 else 1)
        samples = bytearray(data[position:position + size])
        position += size
        if depth > 8:
            samples[0::2], samples[1::2] = samples[1::2], samples[0::2]
        yield w, h, (1 << depth) - 1, samples


def openjpeg_bytes(path):
    with tempfile.TemporaryDirectory() as folder:
        inputs = [path]
        if path.endswith('.y4m'):
            inputs = []
            for plane in y4m_planes(path):
                inputs.append(f'{folder}/{len(inputs)}.pgm')
                bench.write_pgm(inputs[-1], *plane)
        total = 0
        for name in inputs:
            out = f'{folder}/out.j2k'
            bench.run('opj_compress', '-i', name, '-o', out, '-n', 6,
                      '-b', '64,64', stderr=subprocess.DEVNULL)
            total += os.path.getsize(out)
        return total


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
               'Drawn by tests/bench/rate-vs-jpeg2000.py --plot</text></svg>')
    with open(path, 'w', encoding='utf-8') as file:
        file.write('\n'.join(svg) + '\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--plot', metavar='FILE.svg')
    parser.add_argument('--complexity', default='1')
    parser.add_argument('files', nargs='*', help='instead of the corpus')
    options = parser.parse_args()
    folder = bench.build('tests/bench/paco-rate')
    files = options.files or bench.corpus(f'{folder}/corpus')
    if not files:
        bench.say(f'There are no pictures in {bench.CORPUS}; '
                  'name PGM, PPM or Y4M files.')
        return 1
    rows = []
    bench.say(f'{"picture":38} {"paco":>8} {"JPEG 2000":>9}   difference')
    for path in files:
        ours = bench.json_lines(f'{folder}/tests/bench/paco-rate',
                                f'--complexity={options.complexity}', path)[0]
        bits = ours['bits_per_sample']
        theirs = openjpeg_bytes(path) * 8 / ours['samples']
        percent = (bits / theirs - 1) * 100
        name = os.path.basename(path)
        short = '_'.join(name.split('.')[0].split('_')[:2])
        rows.append((short, bits, theirs, percent))
        bench.say(f'{name:38} {bits:8.4f} {theirs:9.4f}   {percent:+7.2f} %')
        bench.figure('lossless-rate', bits, 'bit/sample', picture=name,
                     jpeg2000=round(theirs, 5), percent=round(percent, 3))
    mean = sum(row[3] for row in rows) / len(rows)
    bench.say(f'{"mean difference":58} {mean:+7.2f} %')
    bench.figure('lossless-rate-vs-jpeg2000', mean, 'percent',
                 pictures=len(rows), complexity=int(options.complexity))
    if options.plot:
        plot(options.plot, rows, mean)
    return 0


if __name__ == '__main__':
    raise SystemExit(main())
