#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""ranges.py [--long] [CHECK...]: tests farm.sh, which codes films by ranges on this
machine: whatever the container and the ranges, each picture is there once and at its
time, with all sound, and .paco files are those of one range. It also tests what
farm.sh says if that is impossible."""
import glob
import json
import os
import random
import shutil
import socket
import subprocess
import sys
from unittest import mock

sys.dont_write_bytecode = True
from films import (ROOT, TOOL, Film, check, command, farm, has, launch,  # noqa: E402
                   make, run_checks, same_bytes, without_decoder)

MS = 10**6
LOSSLESS = ('--encoder', 'pacoenc rate-control=lossless')


def some(*values):
    """Returns two of them; with --long all."""
    return values if '--long' in sys.argv else random.sample(values, 2)


def coded(source, out, *options, workers=3):
    """Returns the film that becomes of source, by random ranges."""
    frames = random.randint(1, 30)
    farm('local', source, out, '--frames', frames, '--workers', workers,
         '--threads', 1, *options)
    farm('status', f'{out}.farm')
    farm('join', f'{out}.farm')
    check(os.listdir(f'{out}.farm/parts'), 'parts are gone')
    check(not glob.glob(f'{out}.farm/parts/.*'), 'something is left')
    return Film(out)


def check_containers():
    """Checks films whose times are rounded in all ways."""
    make('film.mov')
    make('rounded.mkv', coder='pacoenc rate-control=lossless ! matroskamux')
    make('raw.avi', coder='avimux', caps='format=UYVY,width=96,height=64,'
         'framerate=25/1')
    make('still.paco', coder='pacoenc rate-control=lossless ! identity',
         sound=False, caps='format=GBR_12LE,width=64,height=48,framerate=24/1')
    for source, out in some(
            ('film.mov', 'film2.mov'), ('film.mov', 'film.mkv'),
            ('rounded.mkv', 'rounded.mov'), ('raw.avi', 'raw.mov'),
            ('still.paco', 'still.mov')):
        one, other = Film(source), coded(source, out, *LOSSLESS)
        other.check_same(one, f'{source} to {out}', MS)
        check(one.sound == other.sound, f'{source} to {out}: other sound')


def check_prediction():
    """Checks films of a codec that predicts pictures."""
    if not has('x264enc', 'h264parse', 'openh264dec'):
        print('There is no x264enc or no openh264dec: no H.264.')
        return
    launch('videotestsrc pattern=snow num-buffers=90 ! video/x-raw,format=I420,width=96,'
           'height=64,framerate=30000/1001 ! x264enc bframes=0 key-int-max=17 ! '
           'video/x-h264,profile=main ! mp4mux ! filesink location=gops.mp4')
    coded('gops.mp4', 'gops.mov', *LOSSLESS).check_same(
        Film('gops.mp4'), 'from H.264', MS)


def check_sound():
    """Checks that sound which the container does not take comes as samples, all of
    it."""
    if not has('flacenc', 'flacdec'):
        print('There is no flacenc or no flacdec: no FLAC.')
        return
    make('film.mov')
    launch('filesrc location=film.mov ! qtdemux name=from matroskamux name=to ! '
           'filesink location=flac.mkv from.video_0 ! queue ! pacoparse ! to. '
           'from.audio_0 ! queue ! audioconvert ! flacenc ! to.')
    coded('flac.mkv', 'flac.mov', *LOSSLESS)
    check(Film('flac.mov').sound == Film('film.mov').sound, 'other sound from FLAC')


def check_identity():
    """Checks that the bytes are the same, whatever the ranges, and are those
    of gst-launch-1.0."""
    make('film.mov')
    launch('filesrc location=film.mov ! qtdemux ! pacoparse ! pacodec ! pacoenc '
           'quality=70 ! filesink location=straight.paco')
    coded('film.mov', 'out.paco', '--encoder', 'pacoenc quality=70')
    check(same_bytes('out.paco', 'straight.paco'),
          'ranges show in the codestream')


def check_stacks():
    """Checks the same of pictures that come from stacks, and are coded in
    others."""
    source, muxer = random.choice((('slices.mov', 'qtmux !'), ('slices.paco', '')))
    encoder = f'pacoenc rate-control=lossless stack={random.randint(2, 9)}'
    launch('videotestsrc pattern=smpte num-buffers=60 ! video/x-raw,format=GRAY8,'
           'width=96,height=64,framerate=25/1 ! pacoenc rate-control=lossless '
           f'stack=7 ! pacoparse ! {muxer} filesink location={source}')
    launch(f'filesrc location={source} ! {"qtdemux !" if muxer else ""} pacoparse ! '
           f'pacodec ! {encoder} ! filesink location=straight-stacks.paco')
    coded(source, 'stacks.paco', '--encoder', encoder)
    check(same_bytes('stacks.paco', 'straight-stacks.paco'),
          f'ranges show in stacks of {source}, {encoder}')


def make_folder(name, frames):
    """Makes pictures of random samples, as PGM files."""
    os.mkdir(name)
    for number in range(frames):
        with open(f'{name}/scan_{number:04}.pgm', 'wb') as file:
            file.write(b'P5\n40 30\n65535\n' + random.randbytes(2400))


def paco(*words):
    """Runs the program paco."""
    done = subprocess.run([TOOL, *words], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    check(done.returncode == 0, f'paco {words}', done.stdout)


def knows(command):
    return subprocess.run([TOOL, command, '--help'], check=False,
                          stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0


def check_archive():
    """Checks a folder of pictures, by ranges of files: it becomes the archive
    of one machine, which restores each file."""
    if not all(map(knows, ('archive', 'restore', 'join'))):
        print('The program paco archives nothing: no archive.')
        return
    make_folder('scans', 23)
    farm('local', 'scans', 'scans.paco', '--frames', random.randint(1, 9),
         '--workers', 3, '--archive=--fps=24')
    farm('join', 'scans.paco.farm')
    paco('archive', '--quiet', '--fps=24', 'scans', 'one.paco')
    check(same_bytes('scans.paco', 'one.paco'), 'another archive')
    paco('restore', 'scans.paco', 'restored')
    check(subprocess.run(['diff', '-r', 'scans', 'restored'],
                         check=False).returncode == 0, 'other files')
    farm('plan', 'scans', 'other.paco', '--ranges', 4)
    refuse('files are .paco', 'plan', 'scans', 'x.mp4')
    os.utime('scans/scan_0002.pgm')
    refuse('scan_0002.pgm has changed', 'run', 'other.paco.farm', 1)
    farm('run', 'other.paco.farm', 2)
    make_folder('more', 1)
    os.rename('more/scan_0000.pgm', 'scans/scan_0023.pgm')
    refuse('scan_0023.pgm is new', 'run', 'other.paco.farm', 3)
    os.unlink('scans/scan_0023.pgm')
    odd = 'scans/\x1b[2J\nscan_0023.pgm'
    with open(odd, 'wb'):
        pass
    refuse('\\x1b[2J\\nscan_0023.pgm is new', 'run', 'other.paco.farm', 3)
    os.rename('scans/scan_0022.pgm', odd)
    refuse('\\x1b[2J\\nscan_0023.pgm has control characters', 'plan', 'scans', 'odd.paco',
           '--archive=--allow-gaps')
    os.unlink(odd)
    refuse('scan_0022.pgm has gone', 'run', 'other.paco.farm', 3)


def check_without_bindings():
    """Checks that a folder becomes an archive on a machine that has no GStreamer
    bindings, and that a film does not there, with a reason."""
    make_folder('scans', 5)
    make('film.mov')
    os.mkdir('hidden')
    with open('hidden/gi.py', 'w', encoding='utf-8') as file:
        file.write('raise ImportError("hidden by the test")')
    with mock.patch.dict(os.environ, PYTHONPATH=os.path.abspath('hidden')):
        farm('local', 'scans', 'scans.paco', '--frames', 2, '--archive=--fps=24')
        farm('status', 'scans.paco.farm')
        farm('join', 'scans.paco.farm')
        output = farm('plan', 'film.mov', 'film.paco', status=1)
    check('Python bindings are missing' in output, 'no reason', output)
    paco('restore', 'scans.paco', 'restored')
    check(subprocess.run(['diff', '-r', 'scans', 'restored'],
                         check=False).returncode == 0, 'other files')


def refuse(text, *arguments, status=4):
    output = farm(*arguments, status=status)
    check(text in output, f'{arguments} is not explained by "{text}"', output)


def job_with_parts(out, *options):
    farm('local', 'film.mov', out, '--frames', 20, *options)
    return f'{out}.farm'


def check_refusals():
    make('film.mov')
    job = job_with_parts('out.paco')
    refuse('There is no range 9', 'run', job, 9)
    refuse('There is no range 0', 'run', job, 0)
    refuse('no folder of a job', 'status', 'film.mov')
    refuse('There is no nothing.mov', 'plan', 'nothing.mov', 'x.paco')
    refuse('There is no folder', 'plan', 'film.mov', 'nowhere/x.paco')
    refuse('exists already', 'plan', 'film.mov', 'film.mov')
    refuse('files are .paco', 'plan', 'film.mov', 'film.xyz')
    for out in 'x.paco', 'x.mov':
        refuse('makes no PaCo', 'plan', 'film.mov', out, '--encoder', 'jpegenc')
    refuse('is no pipeline', 'plan', 'film.mov', 'x.paco', '--encoder',
           'nothing ! pacoenc')
    without_decoder('film.mov', 'video', 'blind.mov')
    refuse('GStreamer lacks a plugin: ', 'plan', 'blind.mov', 'x.paco',
           status=(1, 4))
    without_decoder('film.mov', 'audio', 'deaf.mov')
    farm('local', 'deaf.mov', 'deaf.mkv')
    refuse('GStreamer lacks a plugin: ', 'join', 'deaf.mkv.farm')
    check(not os.path.exists('deaf.mkv'), 'a film without its sound')
    refuse('out of range', 'plan', 'film.mov', 'x.paco', '--encoder',
           'pacoenc quality=300')
    refuse('other settings', 'plan', 'film.mov', 'out.paco', '--encoder',
           'pacoenc quality=50', '--frames', 20)
    for words in (('plan',), ('plan', 'film.mov', 'x.paco', '--frames', '0'),
                  ('plan', 'film.mov', 'x.paco', '--frames', '1', '--ranges',
                   '1'), ('join',), ('nothing',)):
        farm(*words, status=2)

    # A part may be missing, damaged, or of other settings.
    part = f'{job}/parts/00002.paco'
    shutil.copy(part, 'kept')
    os.unlink(part)
    refuse('Ranges 2 are missing', 'join', job)
    farm('status', job, status=1)
    with open('kept', 'rb') as file:
        data = bytearray(file.read())
    data[random.randrange(len(data))] ^= 1
    with open(part, 'wb') as file:
        file.write(data)
    refuse('was damaged', 'join', job)
    refuse('Ranges 2 are missing', 'join', job)
    farm('local', job)
    check(same_bytes(part, 'kept'), 'the part is another one')
    other = job_with_parts('other.paco', '--encoder', 'pacoenc quality=30')
    for name in ('00002.paco', '00002.json'):
        shutil.copy(f'{other}/parts/{name}', f'{job}/parts/{name}')
    refuse('of another job', 'join', job)
    for name in ('00002.paco', '00002.json'):
        os.unlink(f'{job}/parts/{name}')

    # A source may have changed, or parts may not meet.
    farm('local', job)
    with open(f'{job}/parts/00001.json', encoding='utf-8') as file:
        record = json.load(file)
    record['after'] += record['times'][1] - record['times'][0]
    with open(f'{job}/parts/00001.json', 'w', encoding='utf-8') as file:
        json.dump(record, file)
    refuse('missing, or there twice, between range 1 and range 2', 'join', job)
    os.unlink(f'{job}/parts/00001.paco')
    os.utime('film.mov')
    refuse('has changed since', 'run', job, 1)
    os.truncate('film.mov', 1000)
    # There may be an error of the demuxer, or a film of no pictures, as its
    # threads come to it.
    farm('plan', 'film.mov', 'broken.paco', status=(1, 4))
    check(not os.path.exists('broken.paco.farm'), 'a job of a broken film')
    check(not os.path.exists('out.paco'), 'a film was made of all that')


def check_strangers():
    """Checks that what runs is not taken from a job that others can write to, or have
    made, and that a job is one's own whatever the umask."""
    make('film.mov')
    before = os.umask(0o002)
    farm('plan', 'film.mov', 'out.paco', '--frames', 30)
    os.umask(before)
    job = 'out.paco.farm'
    farm('run', job, 1)
    for name in ('', 'job.json', 'parts', 'logs'):
        path = os.path.join(job, name)
        mode = os.stat(path).st_mode & 0o777
        for more in (0o020, 0o002):
            os.chmod(path, mode | more)
            for words in ('run', job, 2), ('local', job), ('join', job):
                refuse('may write to', *words)
        farm('status', job, status=1)
        os.chmod(path, mode)
    with open(f'{job}/slurm.json', 'w', encoding='utf-8') as file:
        json.dump({'jobs': [], 'options': {'sbatch': '--wrap=id'}}, file)
    os.chmod(f'{job}/slurm.json', 0o646)
    refuse('may write to', 'submit', job)
    os.unlink(f'{job}/slurm.json')
    if os.geteuid() == 0:
        os.chown(f'{job}/job.json', 65534, -1)
        refuse('belongs to nobody', 'run', job, 2)
        farm('status', job, status=1)
        with mock.patch.dict(os.environ, PACO_FARM_OWNERS='anna,nobody'):
            farm('run', job, 2)


def check_full_disk():
    """Checks a disk of nothing but a few pages: what cannot be written is
    said, and what is there stays."""
    make('film.mov')
    job = job_with_parts('full.paco', '--encoder',
                         'pacoenc rate-control=lossless')
    os.unlink(f'{job}/parts/00003.paco')
    limit = ['sh', '-c', 'ulimit -f 16; trap "" XFSZ; exec "$@"', 'sh']
    done = subprocess.run(
        [*limit, *command('farm/farm.sh', 'run', job, '3')], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    check(done.returncode == 1 and 'Traceback' not in done.stdout
          and 'farm.sh: ' in done.stdout, 'a full disk', done.stdout)
    check(not glob.glob(f'{job}/parts/.*')
          and not os.path.exists(f'{job}/parts/00003.paco'), 'leftovers',
          os.listdir(f'{job}/parts'))
    farm('local', job)
    farm('status', job)


def check_sweep():
    """Checks that what killed tasks of this machine have left of a range goes,
    and what others make stays, also on a machine whose name begins with
    this one's."""
    sys.path.insert(0, os.path.join(ROOT, 'pipelines', 'farm'))
    from job import Job, own_name
    host = socket.gethostname()
    job = Job.create('sweep.farm', {'ranges': [{}], 'extension': '.paco',
                                    'checksum': 'md5'})
    # No process has such a number.
    with mock.patch('os.getpid', return_value=999999999):
        dead = own_name(job.part_path(1))
        with mock.patch('socket.gethostname', return_value=f'{host}.other'):
            elsewhere = own_name(job.part_path(1))
        of_range_11 = own_name(job.part_path(11))
    mine = own_name(job.part_path(1))
    kept = {mine, elsewhere, of_range_11}
    for path in kept | {dead}:
        with open(path, 'w', encoding='utf-8'):
            pass
    job.sweep_dead(1)
    left = {os.path.join(job.parts, name) for name in os.listdir(job.parts)}
    check(left == kept, 'what sweep_dead() leaves', left ^ kept)


CHECKS = {'archive': check_archive, 'without-bindings': check_without_bindings,
          'sweep': check_sweep, 'containers': check_containers,
          'prediction': check_prediction, 'sound': check_sound, 'identity': check_identity, 'stacks': check_stacks,
          'refusals': check_refusals, 'strangers': check_strangers,
          'disk': check_full_disk}


if __name__ == '__main__':
    sys.exit(run_checks(CHECKS, [word for word in sys.argv[1:] if word != '--long']))
