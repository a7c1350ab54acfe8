# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the measuring scripts share: packages, the build, the corpus."""
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
CORPUS = os.environ.get('PACO_CORPUS', os.path.join(ROOT, '../shared/corpus'))


def run(*command, **options):
    return subprocess.run([str(word) for word in command], check=True,
                          stdout=subprocess.PIPE, text=True, **options).stdout


def json_lines(*command):
    return [json.loads(line) for line in run(*command).splitlines()]


def build(*programs):
    """Builds programs of tests/bench in build/, returns that folder."""
    subprocess.run(['sh', f'{ROOT}/pipelines/install-packages.sh', 'build',
                    'run', 'bench'], check=True)
    folder = os.environ.get('PACO_BUILD_ROOT', f'{ROOT}/build')
    if not os.path.exists(f'{folder}/build.ninja'):
        run('meson', 'setup', folder, ROOT, '-Dbench=true')
    else:
        run('meson', 'configure', folder, '-Dbench=true')
    run('ninja', '-C', folder, *programs)
    return folder


def corpus(folder):
    """Unpacks the corpus into folder, returns the pictures' paths."""
    if not os.path.isdir(CORPUS):
        return []
    os.makedirs(folder, exist_ok=True)
    paths = []
    for name in sorted(os.listdir(CORPUS)):
        path = os.path.join(folder, name.removesuffix('.xz'))
        if not name.endswith('.xz'):
            continue
        if not os.path.exists(path):
            with open(path + '.part', 'wb') as out:
                subprocess.run(['xz', '-dc', os.path.join(CORPUS, name)],
                               check=True, stdout=out)
            os.rename(path + '.part', path)
        paths.append(path)
    return paths


def pictures(names, folder, wanted=lambda path: True):
    """Returns the paths that were named, or those of the corpus."""
    paths = names or [path for path in corpus(f'{folder}/corpus') if wanted(path)]
    if not paths:
        raise SystemExit(f'There are no pictures in {CORPUS}; name PGM, PPM or Y4M files.')
    return paths


def photograph(folder):
    """Returns the corpus's picture of 3840x2160."""
    paths = [path for path in corpus(f'{folder}/corpus') if 'p4k_canyon' in path]
    if not paths:
        raise SystemExit('The picture corpus is not there (PACO_CORPUS).')
    return paths[0]


def mean(values):
    return sum(values) / len(values)


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    return (values[middle] + values[-1 - middle]) / 2


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def figure(name, value, unit, **more):
    """Prints one JSON line of a measured figure."""
    print(json.dumps({'figure': name, 'value': float(f'{value:.5g}'),
                      'unit': unit, **more}), flush=True)


def read_pnm(path):
    """Returns (width, height, maximum, components, bytes of the samples)."""
    with open(path, 'rb') as file:
        kind = file.readline().split()[0]
        numbers = []
        while len(numbers) < 3:
            line = file.readline()
            if not line.startswith(b'#'):
                numbers += [int(word) for word in line.split()]
        return (*numbers, 3 if kind == b'P6' else 1, file.read())


def read_y4m(file):
    """Returns (width, height, depth, [(subsampling x, y)] of components)."""
    value = {field[0]: field[1:]
             for field in file.readline().decode().split()[1:]}
    chroma = value.get('C', '420')
    depth = int(chroma.partition('p')[2]) if chroma[3:4] == 'p' and \
        chroma[4:].isdigit() else 8
    way = {'420': (2, 2), '422': (2, 1), '444': (1, 1)}[chroma[:3]]
    return int(value['W']), int(value['H']), depth, [(1, 1), way, way]


def write_pgm(path, width, height, maximum, samples):
    with open(path, 'wb') as file:
        file.write(b'P5\n%d %d\n%d\n' % (width, height, maximum))
        file.write(samples)
