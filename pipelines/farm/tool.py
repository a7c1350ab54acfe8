# SPDX-License-Identifier: LGPL-2.1-or-later
"""The program paco, for the other modules of the farm."""
import json
import os
import subprocess

from job import FarmError, TaskError

USAGE = 2  # its exit code for a wrong command line


def command(*words):
    return [os.environ.get('PACO_TOOL') or 'paco', *words]


def threads():
    """Returns how many threads a coder of this task may have: as many as Slurm
    gives it processors, which not every Slurm binds it to; 0: all."""
    return int(os.environ.get('SLURM_CPUS_PER_TASK')
               or os.environ.get('PACO_FARM_THREADS') or 0)


def start(*words, **options):
    try:
        return subprocess.Popen(command(*words), text=True,
                                stderr=subprocess.PIPE, **options)
    except OSError as error:
        raise FarmError(f'The program paco does not start here '
                        f'({error.strerror}): PACO_TOOL must say where it is.') \
            from None


def end(process, what):
    """Waits for a process, whose standard error is taken for its reason."""
    with process.stderr:
        reason = process.stderr.read().strip()
    status = process.wait()
    if status:
        raise (FarmError if status == USAGE else TaskError)(
            reason or f'`paco {what}` ended with status {status}.')


def run(what, *words):
    """Runs it to its end, and returns what it prints."""
    process = start(what, *words, stdout=subprocess.PIPE)
    # What stands on standard error are a few lines, which the pipe holds.
    with process.stdout:
        text = process.stdout.read()
    end(process, what)
    return text


def check_frames(path, count):
    """Raises an error unless a .paco file has `count` frames, and no gaps."""
    found = json.loads(run('info', '--json', path))[0]
    if found['frames'] != count or found['missing_frames']:
        raise TaskError(f'{path} has {found["frames"]} frames, and not {count}.')
