# SPDX-License-Identifier: LGPL-2.1-or-later
"""Jobs that archive a folder of pictures, by ranges of files: what `paco archive`
does. farm.py calls plan(), make(), check() and join().

Parts are files of the kind that is made, of which each frame keeps what restores its
source file. Sound, a WAV file in the folder, comes in when they are joined."""
import os
import shlex

import tool
from job import FarmError, TaskError, files_below, share, shown

FRAMES = 240


def plan(source, out, args):
    """Returns what job.py keeps of the job; see there."""
    extension = os.path.splitext(out)[1]
    options = shlex.split(args.archive)
    there = files_below(source)
    sounds = [name for name in sorted(there) if name.lower().endswith('.wav')
              and extension != '.paco']
    try:
        # Sound is no frame.
        names = tool.run('archive', '--list', *options,
                         *(f'--skip={name}' for name in sounds),
                         source).split('\n')[:-1]
    except TaskError as error:
        raise FarmError(str(error)) from None
    for name in names:
        if name not in there:
            raise FarmError(f'{source}: {shown(name)} has control characters in its name, which '
                            'a job cannot keep; `paco archive` archives such a folder.')
    frames = share(len(names), args, FRAMES)
    return {
        'extension': extension,
        'options': {'archive': options,
                    'sound': sounds[0] if sounds else None},
        'names': names, 'others': sorted(there - set(names)),
        'ranges': [{'files': [first, min(first + frames, len(names))]}
                   for first in range(0, len(names), frames)],
    }


def make(job, number, path):
    """Makes a part, and returns what its record is to say."""
    first, end = job.range(number)['files']
    tool.run('archive', f'--frames={first}-{end - 1}', '--quiet', '--report=',
             f'--threads={tool.threads()}', *job.plan['options']['archive'],
             job.plan['source'], path)
    return {'frames': end - first}


def check(job, records):
    """Raises an error unless each part has the frames of its range."""
    for number, record in enumerate(records, 1):
        first, end = job.range(number)['files']
        if record['frames'] != end - first:
            raise FarmError(f'{job.part_path(number)} has {record["frames"]} frames, '
                            f'and its range {end - first}.')


def join(job, records, out):
    """Writes the archive to the file out, which is not there yet."""
    sound = job.plan['options']['sound']
    options = [f'--sound={os.path.join(job.plan["source"], sound)}'] \
        if sound else []
    tool.run('join', '--quiet', *options,
             *map(job.part_path, job.numbers), out)
