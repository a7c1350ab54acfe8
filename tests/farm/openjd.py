#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""openjd.py: tests that the template of pipelines/farm makes a film, too. openjd-cli comes from
PyPI, into a folder of its own (PACO_OPENJD, or the build folder); where it cannot be
had this test is skipped."""
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from films import ROOT, Film, check, farm, make, need_join, skip  # noqa: E402

SECONDS = 120
TEMPLATE = os.path.join(ROOT, 'pipelines', 'farm', 'farm.openjd.yaml')
FARM = os.path.join(ROOT, 'pipelines', 'farm', 'farm.sh')
FOLDER = os.environ.get('PACO_OPENJD') or os.path.join(
    os.environ['PACO_BUILD_ROOT'], 'openjd')


def install():
    """Returns the program openjd."""
    program = os.path.join(FOLDER, 'bin', 'openjd')
    if os.path.exists(program):
        return program
    for words in ((sys.executable, '-m', 'venv', FOLDER),
                  (f'{FOLDER}/bin/pip', 'install', '-q', '--retries', '1',
                   'openjd-cli')):
        try:
            done = subprocess.run(words, check=False, timeout=SECONDS, text=True,
                                  stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
        except subprocess.TimeoutExpired:
            skip('openjd-cli is not to be had in time')
        if done.returncode:
            skip(f'openjd-cli cannot be installed: {done.stdout.strip()[-300:]}')
    return program


def openjd(program, *words, status=0):
    print('$ openjd', *words, flush=True)
    done = subprocess.run([program, *words], text=True, timeout=SECONDS,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)
    check((done.returncode == 0) == (status == 0), 'openjd', done.stdout)
    return done.stdout


def main():
    need_join()
    program = install()
    openjd(program, 'check', TEMPLATE)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make('film.mov')
        ranges = re.search(r'(\d+) ranges', farm(
            'plan', 'film.mov', 'film2.mov', '--frames', 17, '--encoder',
            'pacoenc rate-control=lossless'))[1]
        words = ['run', TEMPLATE, '--job-param', f'Job={folder}/film2.mov.farm',
                 '--job-param', f'Farm={FARM}', '--job-param']
        openjd(program, *words, f'Ranges={ranges}')
        Film('film2.mov').check_same(Film('film.mov'), 'OpenJD', 10**6)
        # One range too many is an error of its task, and of the job.
        output = openjd(program, *words, f'Ranges={int(ranges) + 1}', status=1)
        check(f'There is no range {int(ranges) + 1}' in output, 'no reason',
              output)
        os.chdir('/')
    return 0


if __name__ == '__main__':
    sys.exit(main())
