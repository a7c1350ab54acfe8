#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a quality is: bits per sample, PSNR and SSIMULACRA 2, by depth.

For every picture of the corpus (the first one of clips), at some qualities, with
pacoenc's defaults, or with --tune=psnr. SSIMULACRA 2 is that of PyPI's package of
this name, which knows RGB of 8 bits: other pictures are converted, deeper ones
rounded, and of pictures above 1920x1080 it sees the middle. Then what the
default quality loses in ten generations of coding. Prints the table of docs/FIGURES.md (stderr)
and one JSON line per figure (stdout).
"""
import argparse
import collections
import concurrent.futures
import importlib
import os
import subprocess
import sys
import tempfile

import bench

QUALITIES = (50, 60, 70, 80, 85, 90, 95, 98, 100)
PACKAGE = 'ssimulacra2==0.3.0'


def import_packages(folder):
    """Imports numpy and ssimulacra2, from an environment in folder."""
    environment = f'{folder}/ssimulacra2'
    if not os.path.exists(f'{environment}/bin/python'):
        subprocess.run([sys.executable, '-m', 'venv', environment], check=True)
    if not sys.prefix.startswith(os.path.abspath(environment)):
        subprocess.run([f'{environment}/bin/pip', 'install', '--quiet',
                        PACKAGE], check=True, stdout=sys.stderr)
        os.execv(f'{environment}/bin/python',
                 [f'{environment}/bin/python', *sys.argv])
    globals()['np'] = importlib.import_module('numpy')
    globals()['Image'] = importlib.import_module('PIL.Image')
    globals()['ssimulacra2'] = importlib.import_module('ssimulacra2')


def read_format(path):
    """Returns (width, height, depth, [(subsampling x, y)] of components, is
    RGB)."""
    if not path.endswith('.y4m'):
        width, height, maximum, n, _ = bench.read_pnm(path)
        return width, height, maximum.bit_length(), [(1, 1)] * n, n == 3
    with open(path, 'rb') as file:
        fields = file.readline().decode().split()[1:]
    value = {field[0]: field[1:] for field in fields}
    chroma = value.get('C', '420')
    depth = int(chroma.partition('p')[2]) if chroma[3:4] == 'p' and \
        chroma[4:].isdigit() else 8
    way = {'420': (2, 2), '422': (2, 1), '444': (1, 1)}[chroma[:3]]
    return int(value['W']), int(value['H']), depth, [(1, 1), way, way], False


def read_planes(path, picture):
    """Returns the components as arrays of 0 to 1, all of full size."""
    width, height, depth, components, _ = picture
    samples = np.fromfile(path, '<u2')
    planes, at = [], 0
    for x, y in components:
        w, h = -(-width // x), -(-height // y)
        plane = samples[at:at + w * h].reshape(h, w) / (2 ** depth - 1)
        at += w * h
        planes.append(enlarge(enlarge(plane, x, 1), y, 0)[:height, :width])
    return planes


def enlarge(plane, factor, axis):
    """Enlarges, linearly between samples, of which the first lies on the
    first."""
    if factor == 1:
        return plane
    after = np.concatenate([plane, plane], axis).take(
        [*range(1, plane.shape[axis]), plane.shape[axis] - 1], axis)
    both = np.stack([plane, (plane + after) / 2], axis + 1)
    shape = list(plane.shape)
    shape[axis] *= 2
    return both.reshape(shape)


def write_rgb(path, planes, picture):
    width, height, depth, _, rgb = picture
    if len(planes) == 1:
        planes = planes * 3
    elif not rgb:  # limited range of BT.709
        unit = 2 ** (depth - 8) / (2 ** depth - 1)
        y = (planes[0] / unit - 16) / 219
        cb, cr = ((plane / unit - 128) / 224 for plane in planes[1:])
        planes = [y + 1.5748 * cr, y - .187324 * cb - .468124 * cr,
                  y + 1.8556 * cb]
    values = np.rint(255 * np.clip(np.stack(planes, 2), 0, 1)).astype(np.uint8)
    top, left = max(0, (height - 1080) // 2), max(0, (width - 1920) // 2)
    Image.fromarray(values[top:top + 1080, left:left + 1920]).save(path)


def measure(job):
    program, path, options, scored = job
    with tempfile.TemporaryDirectory() as folder:
        line = bench.json_lines(program, f'--planes={folder}/', *options,
                                path)[0]
        picture = read_format(path)
        for which in ('original', 'decoded') if scored else ():
            write_rgb(f'{folder}/{which}.png',
                      read_planes(f'{folder}/{which}', picture), picture)
        if scored:
            line['ssimulacra2'] = ssimulacra2.compute_ssimulacra2(
                f'{folder}/original.png', f'{folder}/decoded.png')
    return line


def mean(lines, key):
    return sum(line[key] for line in lines) / len(lines)


def table(rows, tune):
    depths = sorted({depth for _, depth in rows})
    bench.say('| `quality` |', ' | '.join(f'{depth} bits' for depth in depths),
              '|')
    bench.say('|---|' + '---|' * len(depths))
    for quality in QUALITIES:
        cells = []
        for depth in depths:
            lines = rows[quality, depth]
            least = min(line['ssimulacra2'] for line in lines)
            score = mean(lines, 'ssimulacra2')
            cells.append(f'{mean(lines, "bits_per_sample"):.2f}, '
                         f'{mean(lines, "psnr"):.1f}, '
                         f'{score:.1f} ({least:.1f})')
            more = {'quality': quality, 'depth': depth, 'tune': tune,
                    'pictures': len(lines)}
            bench.figure('quality-rate', mean(lines, 'bits_per_sample'),
                         'bit/sample', **more)
            bench.figure('quality-psnr', mean(lines, 'psnr'), 'dB', **more)
            bench.figure('quality-ssimulacra2', score, 'points',
                         least=round(least, 2), **more)
        bench.say(f'| {quality} |', ' | '.join(cells), '|')


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('files', nargs='*', help='instead of the corpus')
    parser.add_argument('--tune', default='visual', choices=('visual', 'psnr'))
    parser.add_argument('--jobs', type=int, default=2)
    options = parser.parse_args()
    folder = bench.build('tests/bench/paco-rate')
    import_packages(folder)
    files = options.files or bench.corpus(f'{folder}/corpus')
    if not files:
        bench.say(f'There are no pictures in {bench.CORPUS}; '
                  'name PGM, PPM or Y4M files.')
        return 1
    program = f'{folder}/tests/bench/paco-rate'
    tune = f'--tune={options.tune}'
    jobs = [(quality, (program, path, [tune, f'--quality={quality}'], True))
            for quality in QUALITIES for path in files]
    rows = collections.defaultdict(list)
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for (quality, _), line in zip(
                jobs, pool.map(measure, [job for _, job in jobs])):
            rows[quality, line['depth']].append(line)
        table(rows, options.tune)
        lines = list(pool.map(measure, [
            (program, path, [tune, '--quality=90', '--generations=10'], False)
            for path in files]))
    losses = [line['first_psnr'] - line['psnr'] for line in lines]
    bench.figure('generations-loss', max(losses), 'dB', generations=10,
                 median=round(bench.median(losses), 4), tune=options.tune)
    bench.say(f'Ten generations at quality 90 lose {bench.median(losses):.3f} dB '
              f'(median) after the first, at most {max(losses):.3f} dB.')
    return 0


if __name__ == '__main__':
    raise SystemExit(main())
