# SPDX-License-Identifier: LGPL-2.1-or-later
"""Slurm for farm.py: an array job whose tasks run `farm.py run JOB NUMBER`, and what
has become of it."""
import json
import os
import shlex
import shutil
import subprocess
import sys

from job import FarmError, TaskError, write_json

# This runs in a task. A worker that was killed, or met what may go better on
# another machine, has its task queued again a few times; status 4 says that it
# would fail again. Slurm itself does so for tasks of machines that are lost.
SCRIPT = '''#!/bin/sh
{command} run {folder} "$SLURM_ARRAY_TASK_ID"
status=$?
if [ $status -ne 0 ] && [ $status -ne 4 ] &&
  [ "${{SLURM_RESTART_COUNT:-0}}" -lt {retries} ]; then
  echo "Range $SLURM_ARRAY_TASK_ID ended with status $status and is queued again."
  scontrol requeue "${{SLURM_ARRAY_JOB_ID}}_$SLURM_ARRAY_TASK_ID"
fi
exit $status
'''
RETRIES = 3
OPTIONS = 'threads', 'gpus', 'at_once', 'sbatch'


def is_there():
    return shutil.which('sbatch') is not None


def run(*words, **options):
    try:
        done = subprocess.run(words, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False, **options)
    except FileNotFoundError:
        raise FarmError(f'There is no {words[0]} here: Slurm is not installed. '
                        '`farm.sh local` does without.') from None
    if done.returncode:
        raise TaskError(f'{words[0]}: {done.stderr.strip() or "failed"}')
    return done.stdout


def largest_index():
    """Returns the largest index of a task in an array."""
    for line in run('scontrol', 'show', 'config').splitlines():
        name, _, value = line.partition('=')
        if name.strip() == 'MaxArraySize':
            return int(value) - 1
    return 1000


def as_list(numbers):
    """Makes '1-3,7' of [1, 2, 3, 7]."""
    runs = []
    for number in sorted(numbers):
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ','.join(f'{first}-{last}' if last > first else f'{first}'
                    for first, last in runs)


def queued(job):
    """Returns what was given to Slurm before: its jobs' numbers, and how they were
    asked for, which holds until somebody asks for something else."""
    try:
        with open(job.slurm, encoding='utf-8') as file:
            return json.load(file)
    except FileNotFoundError:
        return {'jobs': [], 'options': {}}


def submit(job, numbers, args):
    """Queues these ranges; returns the number of the Slurm job."""
    largest = largest_index()
    if max(numbers) > largest:
        raise FarmError(f'This Slurm has arrays of {largest} tasks at most '
                        f'(MaxArraySize), the job has {len(job.numbers)} ranges: '
                        'make them longer.')
    before = queued(job)
    options = {'threads': 4, 'gpus': None, 'at_once': None, 'sbatch': '',
               **before['options'],
               **{name: getattr(args, name) for name in OPTIONS
                  if getattr(args, name) is not None}}
    array = as_list(numbers) + (f'%{options["at_once"]}' if options['at_once']
                                else '')
    words = ['sbatch', '--parsable', f'--array={array}', '--requeue',
             '--open-mode=append', f'--output={job.logs}/%a.log',
             f'--chdir={job.folder}', '--export=ALL',
             f'--cpus-per-task={options["threads"]}',
             f'--job-name=paco:{os.path.basename(job.plan["out"])}']
    if options['gpus']:
        words.append(f'--gres=gpu:{options["gpus"]}')
    farm = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'farm.py')
    script = SCRIPT.format(
        command=shlex.join([sys.executable, farm]),
        folder=shlex.quote(job.folder), retries=RETRIES)
    number = run(*words, *shlex.split(options['sbatch']),
                 input=script).strip().split(';')[0]
    write_json(job.slurm, {'jobs': before['jobs'] + [number],
                           'options': options})
    return number


def tasks(job):
    """{range: (state, machines)} of what is queued or runs. Raises TaskError if the
    controller does not answer."""
    mine = set(queued(job)['jobs'])
    if not mine:
        return {}
    found = {}
    # Not asked for by number: those that Slurm has forgotten would be an error.
    for line in run('squeue', '--noheader', '--array',
                    '--format=%F|%K|%T|%N').splitlines():
        number, index, state, machines = line.strip().split('|')
        if number in mine and index.isdigit():
            found[int(index)] = (state, machines)
    return found
