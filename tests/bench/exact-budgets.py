#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How well frames keep their budget (rate-control=bitrate).

Random pictures first, of all formats and sizes from one sample, with budgets from
the smallest to beyond coding without loss that change while playing: 5,000
frames, each compared with the reference's. Then the corpus at 0.05 to 6 bits a
sample and around what it takes without loss, against the rate-distortion curve of
rate-control=quality. Prints a table (stderr) and one JSON line per figure.
"""
import argparse
import concurrent.futures
import json
import os
import re
import subprocess

import bench

FRAMES_OF_A_CASE = 48


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


def picture(folder, path):
    found = subprocess.run([f'{folder}/tests/bench/paco-budget', path],
                           stdout=subprocess.PIPE, text=True, check=False)
    lines = [json.loads(line) for line in found.stdout.splitlines()]
    return os.path.basename(path), lines[:-1], lines[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--frames', type=int, default=5000)
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--unpack', default='/tmp/paco-corpus')
    arguments = parser.parse_args()
    folder = bench.build('tests/bench/paco-budget', 'tests/codec/test-cpu-budget')
    frames, filled, fill = random_pictures(folder, arguments.frames)
    bench.say(f'{frames} frames of random pictures: none over their budget, '
              f'filled to {100 * fill:.2f} % on the mean of {filled}')
    bench.figure('budget_random_frames', frames, 'frames')
    bench.figure('budget_random_fill', fill, 'of the budget')

    lines = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for name, own, total in pool.map(
                lambda path: picture(folder, path),
                bench.corpus(arguments.unpack)):
            bench.say(f'{name:40} over {total["over"]}, fill '
                      f'{100 * total["mean_fill"]:.2f} %, PSNR '
                      f'{total["psnr_against_quality"]:+.3f} dB, worst '
                      f'{total["worst"]:+.3f}')
            lines += own
    if not lines:
        return
    lossy = [line for line in lines if line['psnr'] < 999]
    bench.figure('budget_corpus_frames', len(lines), 'frames')
    bench.figure('budget_corpus_over',
                 sum(line['fill'] > 1 for line in lines), 'frames')
    bench.figure('budget_corpus_fill',
                 sum(line['fill'] for line in lossy) / len(lossy),
                 'of the budget')
    compared = [line['against_quality'] for line in lossy
                if line['time_against_quality'] > 0]
    bench.figure('budget_corpus_psnr', sum(compared) / len(compared),
                 'dB against quality')


main()
