#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""qualities.py table|budgets|cuts: what qualities, budgets and cut recordings give.

table: bits per sample, PSNR and SSIMULACRA 2, by depth, for every picture of the corpus
(the first one of clips), at some qualities, with pacoenc's defaults, or with
--tune=psnr. SSIMULACRA 2 is that of PyPI's package of this name, which knows RGB of 8
bits: other pictures are converted, deeper ones rounded, and of pictures above 1920x1080
it sees the middle. Then what the default quality loses in ten generations of coding.

budgets: how well frames keep their budget (rate-control=bitrate). Random pictures first,
of all formats and sizes from one sample, with budgets from the smallest to beyond coding
without loss that change while playing: 5,000 frames, each compared with the reference's.
Then the corpus at 0.05 to 6 bits a sample and around what it takes without loss, against
the rate-distortion curve of rate-control=quality.

cuts: every picture is coded once, with cut points, and cut to 0.5, 1 and 2 bits a sample
without being decoded, as pacoparse max-frame-size does it; a recording of fewer bits
stays as it is. Compared with frames that were coded with rate-control=bitrate.

Prints a table (stderr) and one JSON line per figure (stdout).
"""
import argparse
import collections
import concurrent.futures
import importlib
import itertools
import math
import os
import re
import subprocess
import sys
import tempfile

import bench

QUALITIES = (50, 60, 70, 80, 85, 90, 95, 98, 100)
PACKAGE = 'ssimulacra2==0.3.0'
BUDGETS = (0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1, 1.5, 2, 3, 4, 6)  # bits a sample
FRAMES_OF_A_CASE = 48
RECORDINGS = (('quality 98', ['--quality=98']), ('lossless', []))
CUTS = (0.5, 1, 2)


# --- qualities ---

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
    if path.endswith('.y4m'):
        with open(path, 'rb') as file:
            return *bench.read_y4m(file), False
    width, height, maximum, n, _ = bench.read_pnm(path)
    return width, height, maximum.bit_length(), [(1, 1)] * n, n == 3


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


def measure_quality(job):
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
    return bench.mean([line[key] for line in lines])


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


def measure_qualities(options, folder, program):
    import_packages(folder)
    files = bench.pictures(options.files, folder)
    tune = f'--tune={options.tune}'
    jobs = [(quality, (program, path, [tune, f'--quality={quality}'], True))
            for quality in QUALITIES for path in files]
    rows = collections.defaultdict(list)
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for (quality, _), line in zip(
                jobs, pool.map(measure_quality, [job for _, job in jobs])):
            rows[quality, line['depth']].append(line)
        table(rows, options.tune)
        lines = list(pool.map(measure_quality, [
            (program, path, [tune, '--quality=90', '--generations=10'], False)
            for path in files]))
    losses = [line['first_psnr'] - line['psnr'] for line in lines]
    bench.figure('generations-loss', max(losses), 'dB', generations=10,
                 median=round(bench.median(losses), 4), tune=options.tune)
    bench.say(f'Ten generations at quality 90 lose {bench.median(losses):.3f} dB '
              f'(median) after the first, at most {max(losses):.3f} dB.')


# --- budgets ---

def random_pictures(folder, frames):
    """Returns (frames, mean fill) of test-cpu-budget, which fails if any is
    over."""
    cases = -(-frames // FRAMES_OF_A_CASE)
    out = bench.run(f'{folder}/tests/codec/test-cpu-budget', '-p',
                    '/budget/sequences',
                    env={**os.environ, 'PACO_CASES': str(cases)})
    found = re.search(r'(\d+) frames, (\d+) lossy and large enough to fill: '
                      r'mean ([0-9.]+)', out)
    return int(found[1]), int(found[2]), float(found[3])


def expected_at(size, curve):
    """Returns (PSNR, seconds) at that size, between the two points of the curve around
    it, or None outside of it."""
    for a, b in itertools.pairwise(curve):
        if a['bytes'] <= size <= b['bytes'] != a['bytes']:
            part = math.log(size / a['bytes']) / math.log(b['bytes'] / a['bytes'])
            return tuple(a[key] + part * (b[key] - a[key])
                         for key in ('psnr', 'encode_seconds'))
    return None


def fill_budgets(job):
    """Returns what a picture's frames with budgets are, each a dictionary."""
    program, path = job

    def code(*options):
        return bench.json_lines(program, *options, path)[0]
    # Steps are in a geometric progression.
    curve = [code(f'--quality={100 - 100 * (1 - i / 50) ** 2}') for i in range(51)]
    lossless = code()
    budgets = [bits * lossless['samples'] / 8 for bits in BUDGETS] \
        + [lossless['bytes'] * percent / 100 for percent in range(90, 111, 4)]
    lines = []
    for budget in map(int, budgets):
        line = code(f'--frame-size={budget}')
        line['fill'] = line['bytes'] / budget
        expected = expected_at(line['bytes'], curve)
        if expected and line['psnr'] < 999:
            line['against_quality'] = line['psnr'] - expected[0]
            line['time_against_quality'] = line['encode_seconds'] / expected[1]
        lines.append(line)
    return lines


def measure_budgets(options, folder, program):
    frames, filled, fill = random_pictures(folder, options.frames)
    bench.say(f'{frames} frames of random pictures: none over their budget, '
              f'filled to {100 * fill:.2f} % on the mean of {filled}')
    bench.figure('budget_random_frames', frames, 'frames')
    bench.figure('budget_random_fill', fill, 'of the budget')
    files, lines = bench.pictures(options.files, folder), []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for path, own in zip(files, pool.map(fill_budgets,
                                             [(program, path) for path in files])):
            compared = [line['against_quality'] for line in own
                        if 'against_quality' in line] or [0]
            bench.say(f'{os.path.basename(path):40} '
                      f'over {sum(line["fill"] > 1 for line in own)}, '
                      f'PSNR {bench.mean(compared):+.3f} dB, '
                      f'worst {min(compared):+.3f}')
            lines += own
    lossy = [line for line in lines if line['psnr'] < 999]
    compared = [line for line in lines if 'against_quality' in line]
    bench.figure('budget_corpus_frames', len(lines), 'frames')
    bench.figure('budget_corpus_over', sum(line['fill'] > 1 for line in lines), 'frames')
    bench.figure('budget_corpus_fill', mean(lossy, 'fill'), 'of the budget')
    bench.figure('budget_corpus_psnr', mean(compared, 'against_quality'),
                 'dB against quality', worst=round(
                     min(line['against_quality'] for line in compared), 3))
    bench.figure('budget_corpus_time', mean(compared, 'time_against_quality'),
                 'times quality')


# --- cut recordings ---

def measure_cuts(options, folder, program):
    files = bench.pictures(options.files, folder)
    for name, recording in RECORDINGS:
        differences = collections.defaultdict(list)
        bench.say(f'\nrecorded with {name}: PSNR when cut / coded directly, dB')
        for path in files:
            samples = bench.json_lines(program, path)[0]['samples']
            words = []
            for bits in CUTS:
                size = int(bits * samples / 8)
                cut = bench.json_lines(program, *recording, f'--cut={size}', path)[0]
                direct = bench.json_lines(program, f'--frame-size={size}', path)[0]
                words.append(f'  {bits:.1f}: {cut["psnr"]:6.2f} / {direct["psnr"]:6.2f}')
                if cut['recorded_bytes'] > size:
                    differences[bits].append(cut['psnr'] - direct['psnr'])
            bench.say(f'{os.path.basename(path):40}' + ''.join(words))
        for bits, own in sorted(differences.items()):
            bench.figure('cut-psnr', bench.mean(own), 'dB against coding directly',
                         recording=name, bits_per_sample=bits, pictures=len(own))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('what', choices=('table', 'budgets', 'cuts'))
    parser.add_argument('files', nargs='*', help='instead of the corpus')
    parser.add_argument('--tune', default='visual', choices=('visual', 'psnr'))
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--frames', type=int, default=5000,
                        help='random ones with budgets')
    options = parser.parse_intermixed_args()
    folder = bench.build('tests/bench/paco-rate', 'tests/codec/test-cpu-budget')
    measure = {'table': measure_qualities, 'budgets': measure_budgets,
               'cuts': measure_cuts}[options.what]
    measure(options, folder, f'{folder}/tests/bench/paco-rate')


if __name__ == '__main__':
    main()
