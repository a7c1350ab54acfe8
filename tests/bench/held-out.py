#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What pictures take that the probability sets were not trained on.

The corpus is cut into folds, or into --groups of content. The sets are trained
without one of them, an encoder is built with these, and jpeg2000.py
measures it on what was left out; then comes the next one.
Prints the means over all pictures: a table (stderr), one JSON line per figure
(stdout). With 7 folds it takes half an hour of one core.
"""
import argparse
import fnmatch
import json
import os
import shutil
import subprocess
import sys

import bench

# Pictures of one content stay together.
SAME = (('clip10_photostrain_1920x1080_422p10.y4m', 'p2k_osprey.ppm'),)
GROUPS = (('kodim*',), ('p2k_*', 'p4k_*', 'clip10*'), ('med*',),
          ('dci12*', 'exr12*', 'rgb16*'), ('clip8*',))
TABLES = ['sets.inc', 'choice.inc']


def folds_of(files, n):
    """Returns every n-th file each, what is in SAME together."""
    folds = [files[i::n] for i in range(n)]
    for first, second in SAME:
        paths = {os.path.basename(path): path for path in files}
        if first not in paths or second not in paths:
            continue
        to = next(fold for fold in folds if paths[first] in fold)
        fold = next(fold for fold in folds if paths[second] in fold)
        if fold is not to:
            other = [path for path in to if path != paths[first]][-1]
            to[to.index(other)] = paths[second]
            fold[fold.index(paths[second])] = other
    return folds


def groups_of(files):
    return [[path for path in files
             if any(fnmatch.fnmatch(os.path.basename(path), pattern)
                    for pattern in patterns)] for patterns in GROUPS]


def copy_source(to):
    """Copies what is under version control, as it lies here."""
    names = bench.run('git', '-C', bench.ROOT, 'ls-files').splitlines()
    for name in names:
        path = os.path.join(to, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.exists(os.path.join(bench.ROOT, name)):
            shutil.copy2(os.path.join(bench.ROOT, name), path)


def train(program, files, parts, folder, is_folds):
    """Makes the sets without each part in folder/0, folder/1, ... unless they are
    there."""
    wanted = [f'{folder}/{number}/{name}' for number in range(len(parts))
              for name in TABLES]
    if all(os.path.exists(path) for path in wanted):
        return
    if is_folds:
        # A file's place says in which fold it is.
        n = len(parts)
        files = [parts[i % n][i // n] for i in range(len(files))]
        bench.run(program, '--folds', n, '--output', folder, *files,
                  stderr=subprocess.DEVNULL)
        return
    for number, part in enumerate(parts):
        os.makedirs(f'{folder}/{number}', exist_ok=True)
        bench.run(program, '--output', f'{folder}/{number}',
                  *[path for path in files if path not in part],
                  stderr=subprocess.DEVNULL)


def build_with(tables, source, folder):
    for name in TABLES:
        shutil.copy(f'{tables}/{name}', f'{source}/codec/tables/{name}')
    if not os.path.exists(f'{folder}/build.ninja'):
        bench.run('meson', 'setup', folder, source, '-Dcuda=disabled')
    bench.run('ninja', '-C', folder, 'tests/bench/paco-rate')


def measure(folder, *arguments):
    lines = bench.run(sys.executable, f'{bench.ROOT}/tests/bench/jpeg2000.py',
                      *arguments, env=dict(os.environ, PACO_BUILD_ROOT=folder))
    return [json.loads(line) for line in lines.splitlines()]


def kind_of(path):
    if path.endswith('.y4m'):
        return '4:2:2, 10 bits' if '422' in path else 'YUV, 8 bits'
    depth = bench.read_pnm(path)[2].bit_length()
    kind = 'RGB' if path.endswith('.ppm') else 'gray'
    return f'{kind}, 8 bits' if depth == 8 else f'{kind}, 10 to 16 bits'


def measure_part(folder, gray, pictures, sums):
    """Adds to the sums and counts of each figure."""
    by_name = {os.path.basename(path): path for path in pictures}
    for line in measure(folder, 'rate', *pictures):
        if line['figure'] == 'lossless-rate':
            kind = kind_of(by_name[line['picture']])
            for key in (f'lossless, {kind}', 'lossless, all'):
                sums.setdefault(key, []).append((line['percent'], 1))
            bench.say(f'{line["picture"]:42} {line["percent"]:+.3f} %')
    photographs = [path for path in pictures if path.endswith('.ppm')
                   and bench.read_pnm(path)[2] == 255]
    if not photographs:
        return
    for line in measure(folder, 'quality', '--folder', gray, *photographs):
        key = 'lossless, RGB, 8 bits as gray'
        if line['unit'] == 'dB':
            key = f'gray, dB at {line["bits_per_sample"]} bits a sample'
        sums.setdefault(key, []).append((line['value'], line['pictures']))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('--folds', type=int, default=7)
    parser.add_argument('--groups', action='store_true',
                        help='leave out one kind of content after the other')
    parser.add_argument('--tables', metavar='FOLDER',
                        help='where sets are kept, in a folder for each part')
    options = parser.parse_args()
    folder = bench.build('codec/tables/train')
    files = bench.pictures([], folder)
    work = f'{folder}/held-out'
    kept = 'groups' if options.groups else f'folds-{options.folds}'
    tables = options.tables or f'{work}/{kept}'
    parts = groups_of(files) if options.groups else folds_of(files,
                                                             options.folds)
    copy_source(f'{work}/source')
    sums = {}
    train(f'{folder}/codec/tables/train', files, parts, tables,
          not options.groups)
    for number, part in enumerate(parts):
        build_with(f'{tables}/{number}', f'{work}/source', f'{work}/build')
        measure_part(f'{work}/build', f'{folder}/gray', part, sums)
    for key in sorted(sums):
        pairs = sums[key]
        pictures = sum(count for _, count in pairs)
        mean = sum(value * count for value, count in pairs) / pictures
        bench.say(f'{key:42} {mean:+.3f}, {pictures} pictures')
        bench.figure('held-out-vs-jpeg2000', mean,
                     'dB' if 'dB' in key else '%', of=key, pictures=pictures,
                     groups=options.groups)


if __name__ == '__main__':
    main()
