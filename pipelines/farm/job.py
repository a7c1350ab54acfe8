# SPDX-License-Identifier: LGPL-2.1-or-later
"""The folder of a job, which every machine of a farm sees: what is to be made of what
(job.json, which never changes), its finished parts with a record of each, and what
tasks have said (logs). farm.py calls this; tasks of many machines do so at the same
time, and may be killed at any moment.

A part is written under a name of its task's own and renamed when it is whole, then
its record is, which says that it is there. Whoever makes it twice replaces a file by
the same one."""
import glob
import hashlib
import json
import os
import pwd
import secrets
import socket
import stat
import sys

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from text import shown  # noqa: E402

try:
    import xxhash
except ImportError:
    xxhash = None

VERSION = 2
CHUNK = 1 << 22  # bytes that are read at a time


class FarmError(Exception):
    """A failure that stays as long as nobody changes anything: a sentence."""


class TaskError(Exception):
    """A failure of what may go well another time, as on another machine."""


def checksums():
    """Returns names of what this machine can compute, the fastest first."""
    return (['xxh3-128'] if xxhash else []) + ['md5']


def checksum(path, kind):
    if kind not in checksums():
        raise FarmError(f'This machine cannot compute {kind}: python3-xxhash is not '
                        'installed.')
    digest = xxhash.xxh3_128() if kind == 'xxh3-128' else hashlib.md5()
    with open(path, 'rb') as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def own_name(path):
    """Returns a temporary name beside path, of the same kind, that no other process
    has, and nobody can know in advance."""
    folder, name = os.path.split(path)
    stem, extension = os.path.splitext(name)
    return os.path.join(folder, f'.{stem}.{socket.gethostname()}@{os.getpid()}.'
                                f'{secrets.token_hex(8)}{extension}')


def remove_own(temporary):
    """Removes a file of a temporary name, and what others have made beside it."""
    for path in glob.glob(glob.escape(temporary) + '*'):
        os.unlink(path)


def files_below(folder):
    """Returns names of all files of a folder and of those in it."""
    return {os.path.relpath(os.path.join(path, name), folder)
            for path, _, names in os.walk(folder) for name in names}


def share(total, args, usual, most=1000):
    """Returns how many frames a range has: what the command line
    says, or `usual`, but for films of which that would be too many ranges."""
    if args.frames:
        return args.frames
    return -(-total // args.ranges) if args.ranges else \
        max(usual, -(-total // most))


def sync(path):
    """Writes what the system still holds of a file or folder."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def put(temporary, path):
    """Gives a file that is whole its name."""
    sync(temporary)
    os.replace(temporary, path)
    sync(os.path.dirname(path))


def open_own(path, flags):
    """Opens a file that only its owner may change, whatever the umask is."""
    return os.open(path, flags, 0o644)


def user_of(number):
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)


def check_trust(path):
    """Raises an error if a user other than this one, root, and those that
    PACO_FARM_OWNERS names may have written the file or folder."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return
    owner = user_of(found.st_uid)
    if found.st_uid not in (0, os.geteuid()) and \
            owner not in os.environ.get('PACO_FARM_OWNERS', '').split(','):
        raise FarmError(f'{path} belongs to {owner}, who would decide what runs here '
                        f'as {user_of(os.geteuid())}. PACO_FARM_OWNERS={owner} '
                        'allows that.')
    if stat.S_IMODE(found.st_mode) & 0o022:
        raise FarmError(f'Other users may write to {path}, and would decide what runs '
                        f'here as {user_of(os.geteuid())}. `chmod go-w` ends that.')


def write_json(path, value, **options):
    temporary = own_name(path)
    try:
        with open(temporary, 'x', encoding='utf-8', opener=open_own) as file:
            json.dump(value, file, **options)
            file.write('\n')
        put(temporary, path)
    finally:
        remove_own(temporary)


def state_of(path):
    """Returns what tells that a file has changed."""
    try:
        found = os.stat(path)
    except OSError as error:
        raise FarmError(f'{path} cannot be read: {error.strerror}.') from None
    return [found.st_size, found.st_mtime_ns]


class Job:
    """What submit decided, and how far it has come.

    plan: {'kind': 'archive' or 'transcode', 'source': path, 'out': path,
    'extension': of parts, 'checksum': name, 'options': what the kind is told,
    'files': [[name, size, time], ...] of the source, 'others': what else its folder
    has, 'ranges': [{...}, ...]}; what
    a range says is the kind's affair, 'files' in it are those that it reads, as
    [first, end] of the list, if it does not read them all."""

    def __init__(self, folder, trusted=True):
        """Raises an error if `trusted` is true and others may have written the job."""
        self.folder = os.path.abspath(folder)
        self.plan_path = os.path.join(self.folder, 'job.json')
        self.parts = os.path.join(self.folder, 'parts')
        self.logs = os.path.join(self.folder, 'logs')
        self.slurm = os.path.join(self.folder, 'slurm.json')
        for path in (self.folder, self.plan_path, self.parts, self.logs,
                     self.slurm) if trusted else ():
            check_trust(path)
        try:
            with open(self.plan_path, 'rb') as file:
                text = file.read()
        except OSError as error:
            raise FarmError(f'{folder} is no folder of a job: job.json cannot be '
                            f'read ({error.strerror}).') from None
        try:
            self.plan = json.loads(text)
            version = self.plan['version']
        except (ValueError, KeyError, TypeError):
            raise FarmError(f'{self.plan_path} is not what submit has '
                            'written.') from None
        if version != VERSION:
            raise FarmError(f'{self.plan_path} was written by another version of '
                            'this program.')
        # Parts name the job, so that those of another one are told apart.
        self.identity = hashlib.md5(text).hexdigest()
        self.numbers = range(1, len(self.plan['ranges']) + 1)

    @staticmethod
    def exists(folder):
        return os.path.exists(os.path.join(folder, 'job.json'))

    @classmethod
    def create(cls, folder, plan):
        """Makes the folder; job.json comes last and says that all is there."""
        for name in ('parts', 'logs'):
            path = os.path.join(folder, name)
            for made in (folder, path):
                if not os.path.isdir(made):
                    os.makedirs(made)
                    os.chmod(made, 0o755 & os.stat(made).st_mode)
        if os.listdir(os.path.join(folder, 'parts')):
            raise FarmError(f'{folder}/parts has files of something else.')
        plan = {'version': VERSION, **plan}
        write_json(os.path.join(folder, 'job.json'), plan, indent=1)
        return cls(folder)

    def same_as(self, plan):
        """Says whether the job is what plan asks for."""
        # This is as it is when it was written and read.
        asked = json.loads(json.dumps({'version': VERSION, **plan}))
        asked['checksum'] = self.plan['checksum']
        return asked == self.plan

    def range(self, number):
        if number not in self.numbers:
            raise FarmError(f'There is no range {number}: they are 1 to '
                            f'{len(self.numbers)}.')
        return self.plan['ranges'][number - 1]

    def part_path(self, number):
        return os.path.join(self.parts,
                            f'{number:05}{self.plan["extension"]}')

    def record_path(self, number):
        return os.path.join(self.parts, f'{number:05}.json')

    def record(self, number):
        """Returns what is known of a finished part, or None if it is yet to be
        made."""
        try:
            with open(self.record_path(number), encoding='utf-8') as file:
                record = json.load(file)
            size = os.path.getsize(self.part_path(number))
        except (OSError, ValueError):
            return None
        if not isinstance(record, dict) or record.get('bytes') != size:
            return None
        if record.get('job') != self.identity:
            raise FarmError(f'{self.part_path(number)} is a part of another job, or '
                            'of other settings. Where it is not needed, remove it '
                            f'and {self.record_path(number)}.')
        return record

    def missing(self):
        return [number for number in self.numbers
                if self.record(number) is None]

    def keep(self, number, temporary, facts):
        """Makes the file a part. facts are what else its record says."""
        record = {
            'job': self.identity,
            'range': number,
            'bytes': os.path.getsize(temporary),
            'checksum': checksum(temporary, self.plan['checksum']),
            'host': socket.gethostname(),
            **facts,
        }
        put(temporary, self.part_path(number))
        write_json(self.record_path(number), record)

    def check_part(self, number, record):
        """Raises an error if a part is not what its task has written; it then counts
        as missing."""
        path = self.part_path(number)
        if checksum(path, self.plan['checksum']) == record['checksum']:
            return
        os.replace(path, path + '.damaged')
        os.unlink(self.record_path(number))
        raise FarmError(f'{path} was damaged after it had been written (it is '
                        f'{path}.damaged now). `farm.sh submit {self.folder}` '
                        'makes it again.')

    def check_source(self, number):
        """Raises an error if the source is not what submit has seen: its files, and
        size and time of those that this range reads."""
        source, files = self.plan['source'], self.plan['files']
        if os.path.isdir(source):
            names = {name for name, *_ in files} | set(self.plan['others'])
            found = files_below(source)
            for name in sorted(found ^ names):
                what = 'is new' if name in found else 'has gone'
                raise FarmError(f'{source} has changed since the job was made: '
                                f'{shown(name)} {what}.')
        first, end = self.range(number).get('files', (0, len(files)))
        for name, *state in files[first:end]:
            path = os.path.join(source, name) if name else source
            if state_of(path) != state:
                raise FarmError(f'{path} has changed since the job was made.')

    def sweep_dead(self, number):
        """Removes what tasks of this machine have left that made the same range and
        were killed."""
        stem = os.path.splitext(os.path.basename(self.part_path(number)))[0]
        # No host has an @ in its name, while one may begin with another's.
        begin = f'.{stem}.{socket.gethostname()}@'
        for entry in os.scandir(self.parts):
            process = entry.name.removeprefix(begin).split('.')[0]
            if entry.name.startswith(begin) and \
                    not os.path.exists(f'/proc/{process}'):
                os.unlink(entry.path)

    def sweep(self):
        """Removes what killed tasks have left, once no task runs."""
        for path in glob.glob(os.path.join(glob.escape(self.parts), '.*')):
            os.unlink(path)
