#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Instructions and accesses to memory that kernels make, as Nsight Compute counts them.

Runs every program of the laboratory for a GPU with --once, which launches what is to be
counted and says what it is (lab_counted() of lab.h), and adds up what ncu says of these
launches: instructions of warps, and sectors of 32 bytes that go to or come from the
device's memory. LAB_BUILD is the build folder. Skipped where there is no ncu, or where it
may not count.
"""
import csv
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

INSTRUCTIONS = 'smsp__inst_executed.sum'
SECTORS = ('dram__sectors_read.sum', 'dram__sectors_write.sum')


def find_ncu():
    found = shutil.which('ncu')
    others = sorted(glob.glob('/usr/local/cuda/bin/ncu')
                    + glob.glob('/opt/nvidia/nsight-compute/*/ncu'))
    return found or (others[-1] if others else None)


def skip(why):
    print(f'skipped: {why}')
    sys.exit(77)


def has_something(program):
    """Whether a program has anything to be counted; it runs on the device."""
    return subprocess.run([program, '--once', '--short'], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False).returncode == 0


def counts_of(path):
    """Of each launch in the order of running, its metrics."""
    launches = {}
    with open(path, encoding='utf-8') as file:
        rows = csv.DictReader(line for line in file if line.startswith('"'))
        for row in rows:
            value = float(row['Metric Value'].replace(',', ''))
            launches.setdefault(int(row['ID']), {})[row['Metric Name']] = value
    return [launches[number] for number in sorted(launches)]


def result(table, series, x, value, unit):
    print(json.dumps({'table': table, 'series': series, 'x': x,
                      'value': round(value, 3), 'unit': unit}))


def count(ncu, program, short):
    with tempfile.TemporaryDirectory() as folder:
        log = f'{folder}/counts.csv'
        done = subprocess.run(
            [ncu, '--csv', '--log-file', log, '--clock-control', 'none',
             '--print-units', 'base',
             '--metrics', ','.join((INSTRUCTIONS,) + SECTORS), program, '--once']
            + short, stdout=subprocess.PIPE, text=True, check=False)
        plan = [json.loads(line) for line in done.stdout.splitlines()
                if line.startswith('{')]
        if done.returncode != 0 or not plan:
            return f'ncu cannot count here (status {done.returncode})'
        launches = counts_of(log)
    if len(launches) != sum(line['launches'] for line in plan):
        sys.exit(f'{program}: {len(launches)} launches were counted, '
                 f'{sum(line["launches"] for line in plan)} were announced')
    for line in plan:
        own, launches = launches[:line['launches']], launches[line['launches']:]
        result(line['instructions'], line['series'], line['x'],
               sum(one[INSTRUCTIONS] for one in own) / 1e3, 'thousands')
        if line['accesses']:
            result(line['accesses'], line['series'], line['x'],
                   sum(one[name] for one in own for name in SECTORS) / 1e3,
                   'thousands of sectors')
    return None


def main():
    ncu = find_ncu()
    if not ncu:
        skip('there is no ncu, Nsight Compute')
    programs = [path for path in sorted(glob.glob(
        f'{os.environ.get("LAB_BUILD", "build")}/tests/lab/cuda/lab-*'))
        if os.path.isfile(path) and os.access(path, os.X_OK) and has_something(path)]
    if not programs:
        skip('nothing is to be counted, or there is no device')
    for program in programs:
        why = count(ncu, program, [word for word in sys.argv[1:] if word == '--short'])
        if why:
            skip(why)


if __name__ == '__main__':
    main()
