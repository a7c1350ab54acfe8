#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Instructions and accesses to memory that kernels make, as Nsight Compute counts them.

Runs every program of the laboratory for a GPU with --once, which launches what is to be
counted and says what it is (lab_counted() of lab.h), and adds up what ncu says of these
launches: instructions of warps, and sectors of 32 bytes that multiprocessors ask the
second-level cache for, and that this cache asks the device's memory for; and how busy the
device was. A version of ncu that does not know all of that is asked for the most
important ones. LAB_BUILD is the build folder. Skipped where there is no ncu, or where it
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
MEMORY = ('dram__sectors_read.sum', 'dram__sectors_write.sum')
CACHE = ('lts__t_sectors_srcunit_tex_op_read.sum',
         'lts__t_sectors_srcunit_tex_op_write.sum')
# These are rows of text 004's Table 4.5, and factors.
ACTIVITY = {
    'sm__inst_executed.sum.per_cycle_elapsed': ('instructions a cycle', 1),
    'sm__cycles_active.avg.pct_of_peak_sustained_elapsed': ('SM activity, %', 1),
    'smsp__thread_inst_executed_per_inst_executed.ratio':
        ('warp efficiency, %', 100 / 32),
    'sm__warps_active.avg.pct_of_peak_sustained_active': ('SM occupancy, %', 1),
}
LEAST = (INSTRUCTIONS,) + MEMORY
ALL = LEAST + CACHE + tuple(ACTIVITY)


def find_ncu():
    found = shutil.which('ncu')
    others = sorted(glob.glob('/usr/local/cuda/bin/ncu')
                    + glob.glob('/opt/nvidia/nsight-compute/*/ncu'))
    return found or (others[-1] if others else None)


def skip(why):
    print(f'skipped: {why}')
    sys.exit(77)


def has_something(program):
    """Says whether a program has anything to be counted; it runs on the
    device."""
    return subprocess.run([program, '--once', '--short'], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False).returncode == 0


def counts_of(path):
    """Returns the metrics of each launch in the order of running."""
    launches = {}
    with open(path, encoding='utf-8') as file:
        rows = csv.DictReader(line for line in file if line.startswith('"'))
        for row in rows:
            launch = launches.setdefault(int(row['ID']), {})
            try:
                launch[row['Metric Name']] = float(
                    row['Metric Value'].replace(',', ''))
            except ValueError:
                pass # what cannot be counted is no number
    return [launches[number] for number in sorted(launches)]


def result(table, series, x, value, unit):
    print(json.dumps({'table': table, 'series': series, 'x': x,
                      'value': round(value, 3), 'unit': unit}))


def run(ncu, program, short, metrics):
    """Returns the launches that the program announces, and what was counted of
    each; or None."""
    with tempfile.TemporaryDirectory() as folder:
        log = f'{folder}/counts.csv'
        done = subprocess.run(
            [ncu, '--csv', '--log-file', log, '--clock-control', 'none',
             '--print-units', 'base', '--metrics', ','.join(metrics), program, '--once']
            + short, stdout=subprocess.PIPE, text=True, check=False)
        plan = [json.loads(line) for line in done.stdout.splitlines()
                if line.startswith('{')]
        if done.returncode != 0 or not plan:
            return None
        launches = counts_of(log)
    if any(set(metrics) - set(one) for one in launches):
        return None
    announced = sum(line['launches'] for line in plan)
    if len(launches) != announced:
        sys.exit(f'{program}: {len(launches)} launches were counted, {announced} were '
                 'announced')
    return plan, launches


def show_sums(line, own):
    """Shows sums; own are the counts of the line's launches."""
    def thousands(names):
        return sum(one[name] for one in own for name in names) / 1e3

    result(line['instructions'], line['series'], line['x'], thousands([INSTRUCTIONS]),
           'thousands')
    if not line['accesses']:
        return
    if CACHE[0] in own[0]:
        result(line['accesses'], line['series'], line['x'], thousands(CACHE),
               'thousands of sectors')
    result(line['accesses'], f'{line["series"]}, to memory', line['x'],
           thousands(MEMORY), 'thousands of sectors')


def show_activity(line, launch):
    result(line['activity'], line['series'], 'instructions, 10^6',
           launch[INSTRUCTIONS] / 1e6, '')
    for name, (x, factor) in ACTIVITY.items():
        if name in launch:
            result(line['activity'], line['series'], x, factor * launch[name], '')


def count(ncu, program, short):
    counted = run(ncu, program, short, ALL) or run(ncu, program, short, LEAST)
    if not counted:
        return 'ncu cannot count here'
    plan, launches = counted
    own = []
    for line in plan:
        if 'activity' in line:
            show_activity(line, own[-1])
            continue
        own, launches = launches[:line['launches']], launches[line['launches']:]
        show_sums(line, own)
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
