#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Three qualities from one recording, against coding at these sizes directly.

Every picture of the corpus (the first one of clips) is coded once, with cut
points, and cut to 0.5, 1 and 2 bits a sample without being decoded, as pacoparse
max-frame-size does it; a recording of fewer bits stays as it is. Prints the PSNR
of these and of frames that were coded with rate-control=bitrate: a table
(stderr), and one JSON line per figure (stdout).
"""
import argparse
import os

import bench

RECORDINGS = (('quality 98', ['--quality=98']), ('lossless', []))


def mean(values):
    return sum(values) / len(values)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split('\n', maxsplit=1)[0])
    parser.add_argument('files', nargs='*', help='instead of the corpus')
    options = parser.parse_args()
    folder = bench.build('tests/bench/paco-cut')
    files = options.files or bench.corpus(f'{folder}/corpus')
    if not files:
        bench.say(f'There are no pictures in {bench.CORPUS}; '
                  'name PGM, PPM or Y4M files.')
        return 1
    for name, recording in RECORDINGS:
        lines = [line for path in files for line in bench.json_lines(
            f'{folder}/tests/bench/paco-cut', *recording, path)]
        bench.say(f'\nrecorded with {name}: PSNR when cut / coded directly, dB')
        for path in files:
            own = [line for line in lines
                   if line['file'] == os.path.basename(path)]
            bench.say(f'{os.path.basename(path):40}' + ''.join(
                f'  {line["size_bits"]:.1f}: {line["cut_psnr"]:6.2f} /'
                f' {line["direct_psnr"]:6.2f}' for line in own))
        for size in sorted({line['size_bits'] for line in lines}):
            own = [line for line in lines if line['size_bits'] == size
                   and line['recorded_bits'] > size]
            if own:
                bench.figure('cut-psnr', mean([line['cut_psnr'] -
                                               line['direct_psnr']
                                               for line in own]),
                             'dB against coding directly', recording=name,
                             bits_per_sample=size, pictures=len(own))
    return 0


if __name__ == '__main__':
    raise SystemExit(main())
