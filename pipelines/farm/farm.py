#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Codes a film, or archives a folder of pictures, by many machines.

A job is cut into ranges of frames. Each is a task, which makes a part; a task that
failed or was killed runs again. In the end the parts are checked and joined. farm.sh
starts this program."""
import argparse
import importlib
import os
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import local  # noqa: E402
import slurm  # noqa: E402
import tool  # noqa: E402
from job import (FarmError, Job, TaskError, checksums, own_name,  # noqa: E402
                 remove_own, shown, state_of)

EXTENSIONS = '.paco', '.mkv', '.mov'

# farm.py ends with these. 4 says that it would fail again; a task is not
# queued again then.
DONE, FAILED, USAGE, FUTILE = 0, 1, 2, 4

EPILOG = """examples:
  farm.sh submit scans/ film.paco             archives DPX, TIFF or PNG files
  farm.sh submit master.mov film.mov --encoder 'pacoenc rate-control=lossless'
  farm.sh status film.paco.farm
  farm.sh submit film.paco.farm               what is missing, once more
  farm.sh join film.paco.farm

All machines must see source and job under the same names, and have the same
gst-paco. Exit codes: 0 done, 1 failed (or not done yet), 2 wrong command line, 4
failed and would again.
"""


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog='farm.sh', description=__doc__.split('\n\n', maxsplit=1)[0],
        epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest='command', required=True,
                                     metavar='COMMAND')

    def command(name, text, **more):
        made = commands.add_parser(name, help=text, description=text, **more)
        return made

    def add_job(made):
        add = made.add_argument
        add('source', metavar='SOURCE|JOB', help='a film, a folder of pictures, or '
            'the folder of a job that goes on')
        add('out', metavar='OUT', nargs='?', help='film.paco, .mov or .mkv; not '
            'with JOB')
        add('--job', metavar='FOLDER', help='where the job is kept, which all '
            'machines see (default: OUT.farm)')
        size = made.add_mutually_exclusive_group()
        size.add_argument('--frames', type=positive, metavar='N',
                          help='of a range (default: 240, and more of long films)')
        size.add_argument('--ranges', type=positive, metavar='N',
                          help='how many there are to be')
        add('--encoder', default='pacoenc', metavar='ELEMENTS',
            help='that make PaCo of a film, as in gst-launch-1.0 (default: pacoenc)')
        add('--archive', default='', metavar='OPTIONS',
            help='of `paco archive`, for a folder of pictures, as '
            '--archive="--fps=24 --md5"')

    add_job(command('plan', 'makes a job and starts nothing'))
    made = command('submit', 'makes a job, or takes one that goes on, and has Slurm '
                   'run what is missing')
    add_job(made)
    add = made.add_argument
    add('--threads', type=positive, metavar='N',
        help='processors of a task (default: 4, or as before)')
    add('--gpus', type=positive, metavar='N', help='GPUs of a task')
    add('--at-once', type=positive, metavar='N', help='tasks at most')
    add('--sbatch', metavar='OPTIONS', help='more options of sbatch, as '
        '--sbatch="--partition=film --mem=8G"')
    made = command('local', 'makes a job, or takes one that goes on, and runs what '
                   'is missing on this machine')
    add_job(made)
    add = made.add_argument
    add('--workers', type=positive, metavar='N',
        help='ranges at a time (default: 1, or one a GPU)')
    add('--threads', type=positive, metavar='N',
        help='of a worker (default: all, shared)')
    add('--gpus', type=positive, metavar='N', help='GPUs; each worker has one')
    for name, text in (
            ('status', 'says what is done, runs, waits, failed or is missing'),
            ('join', 'checks all parts and makes OUT of them'),
            ('run', 'makes one part; that is what tasks do')):
        made = command(name, text)
        made.add_argument('job', metavar='JOB')
        if name == 'run':
            made.add_argument('number', type=int, metavar='NUMBER',
                              help='of the range, from 1 on')
    args = parser.parse_args()
    if args.command == 'local' and args.gpus and args.workers and \
            args.workers < args.gpus:
        parser.error(f'--workers {args.workers}: a worker has one GPU, so that '
                     f'{args.gpus} GPUs want {args.gpus} workers at least')
    return args


def positive(text):
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def files_of(source, names):
    """Returns what tells that the source has changed."""
    if names is None:
        return [['', *state_of(source)]]
    return [[name, *state_of(os.path.join(source, name))] for name in names]


def work_of(kind):
    """Returns the module archive or transcode. Only the latter needs GStreamer."""
    return importlib.import_module(kind)


def plan_of(args):
    """Returns what the command line asks for, as job.py keeps it."""
    source, out = os.path.abspath(args.source), os.path.abspath(args.out)
    if not os.path.exists(source):
        raise FarmError(f'There is no {args.source}.')
    if not os.path.isdir(os.path.dirname(out)):
        raise FarmError(f'There is no folder for {args.out}.')
    if os.path.exists(out):
        raise FarmError(f'{args.out} exists already, and nothing is overwritten.')
    if os.path.splitext(out)[1] not in EXTENSIONS:
        raise FarmError(f'{args.out}: files are {", ".join(EXTENSIONS)}.')
    kind = 'archive' if os.path.isdir(source) else 'transcode'
    found = work_of(kind).plan(source, out, args)
    names = found.pop('names', None)
    found.setdefault('others', [])
    return {'kind': kind, 'source': source, 'out': out,
            'checksum': checksums()[0], 'files': files_of(source, names), **found}


def job_of(args):
    """Returns the job that the command line means, which is made if it is not
    there."""
    if args.out is None:
        if args.job or not Job.exists(args.source):
            raise FarmError(f'{args.source} is no folder of a job; to make one, '
                            'say what OUT is.')
        return Job(args.source)
    folder = os.path.abspath(args.job or args.out + '.farm')
    plan = plan_of(args)
    if not Job.exists(folder):
        return Job.create(folder, plan)
    job = Job(folder)
    if not job.same_as(plan):
        raise FarmError(f'{folder} is the folder of another job, or of the same one '
                        'with other settings or another source: name another one '
                        '(--job), or remove it.')
    return job


def say(text, to=None):
    """Prints a line, or the lines of a reason."""
    print('\n'.join(map(shown, text.split('\n'))), file=to, flush=True)


def ranges(number):
    return f'{number} range' if number == 1 else f'{number} ranges'


def command_plan(args):
    job = job_of(args)
    say(f'{job.folder}: {ranges(len(job.numbers))}')
    return DONE


def command_submit(args):
    job = job_of(args)
    active = slurm.tasks(job)
    numbers = [number for number in job.missing() if number not in active]
    if not numbers:
        say(f'{job.folder}: nothing to queue; queued or running: '
            f'{ranges(len(active))}.')
        return DONE
    number = slurm.submit(job, numbers, args)
    say(f'{job.folder}: {len(numbers)} of {ranges(len(job.numbers))} queued as '
        f'Slurm job {number}.')
    return DONE


def command_local(args):
    job = job_of(args)
    failed, failures = local.run(
        job, [sys.executable, os.path.abspath(__file__)], args)
    for gpu, count in failures.items():
        say(f'Failed on GPU {gpu}: {count}; {job.logs} says why.')
    if failed:
        say(f'{job.folder}: {ranges(failed)} failed; {job.logs} says why.')
        return FAILED
    say(f'{job.folder}: {ranges(len(job.numbers))} done; '
        f'`farm.sh join {job.folder}` makes {job.plan["out"]} of them.')
    return DONE


def last_line(path):
    """Returns the last line of a log."""
    try:
        with open(path, encoding='utf-8', errors='replace', newline='\n') as file:
            lines = file.read().strip().split('\n')
    except OSError:
        return None
    return lines[-1] or None


def command_status(args):
    job = Job(args.job, trusted=False)
    try:
        active = slurm.tasks(job)
    except TaskError as error:
        say(f'Slurm does not answer ({error}); parts alone are counted.')
        active = {}
    states = {}
    for number in job.numbers:
        record = job.record(number)
        if record:
            state = 'done'
        elif number in active:
            state = active[number][0].lower()
        else:
            state = 'missing'
        states.setdefault(state, []).append(number)
    for state, numbers in sorted(states.items()):
        line = f'{state}: {len(numbers)} of {len(job.numbers)}'
        if state != 'done':
            line += f' (ranges {slurm.as_list(numbers)})'
        machines = {active[number][1] for number in numbers
                    if number in active} - {''}
        if machines:
            line += f' on {", ".join(sorted(machines))}'
        say(line)
    for number in states.get('missing', ())[:10]:
        line = last_line(os.path.join(job.logs, f'{number}.log'))
        if line:
            say(f'range {number}: {line}')
    return DONE if set(states) <= {'done'} else FAILED


def command_join(args):
    job = Job(args.job)
    out = job.plan['out']
    if os.path.exists(out):
        raise FarmError(f'{out} exists already, and nothing is overwritten.')
    missing = job.missing()
    if missing:
        raise FarmError(f'Ranges {slurm.as_list(missing)} are missing; `farm.sh '
                        f'submit {job.folder}` has them made.')
    records = [job.record(number) for number in job.numbers]
    kind = work_of(job.plan['kind'])
    kind.check(job, records)
    frames = sum(record['frames'] for record in records)
    for number in job.numbers:
        job.check_part(number, records[number - 1])
        job.check_source(number)
    temporary = own_name(out)
    try:
        kind.join(job, records, temporary)
        if out.endswith('.paco'):
            tool.check_frames(temporary, frames)
        with open(temporary, 'rb+') as file:
            os.fsync(file.fileno())
        # This fails where somebody else has made it meanwhile.
        os.link(temporary, out)
    except FileExistsError:
        raise FarmError(f'{out} exists already, and nothing is '
                        'overwritten.') from None
    finally:
        remove_own(temporary)
    job.sweep()
    say(f'{out}: {frames} frames of {len(records)} parts, '
        f'{os.path.getsize(out)} bytes.')
    for record in records:
        for warning in record.get('warnings', ()):
            say(f'range {record["range"]}: {warning}')
        if record.get('damaged'):
            say(f'range {record["range"]}: {record["damaged"]} frames of the source '
                'are damaged.')
    return DONE


def command_run(args):
    job = Job(args.job)
    number = args.number
    job.range(number)
    if job.record(number):
        say(f'Range {number} is there already.')
        return DONE
    job.check_source(number)
    job.sweep_dead(number)
    began, busy = time.monotonic(), time.process_time()
    temporary = own_name(job.part_path(number))
    try:
        facts = work_of(job.plan['kind']).make(job, number, temporary)
        # The source may have changed while it was read.
        job.check_source(number)
        facts['seconds'] = round(time.monotonic() - began, 3)
        facts['cpu_seconds'] = round(
            time.process_time() - busy + sum(os.times()[2:4]), 3)
        job.keep(number, temporary, facts)
    finally:
        remove_own(temporary)
    say(f'Range {number}: {facts["frames"]} frames in {facts["seconds"]:.1f} '
        'seconds.')
    return DONE


COMMANDS = {'plan': command_plan, 'submit': command_submit,
            'local': command_local, 'status': command_status,
            'join': command_join, 'run': command_run}


def main():
    args = parse_arguments()
    try:
        return COMMANDS[args.command](args)
    except FarmError as error:
        say(f'farm.sh: {error}', sys.stderr)
        return FUTILE
    except TaskError as error:
        say(f'farm.sh: {error}', sys.stderr)
    except OSError as error:
        # It is a full disk, or a file server that does not answer.
        say(f'farm.sh: {shown(str(error.filename or "a file"))}: {error.strerror}.',
            sys.stderr)
    except KeyboardInterrupt:
        print('farm.sh: interrupted.', file=sys.stderr, flush=True)
        return 130
    return FAILED


if __name__ == '__main__':
    sys.exit(main())
