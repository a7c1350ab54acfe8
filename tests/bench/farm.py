#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""farm.py [--workers N] [--frames N] [--gpus N]: what a farm of this machine does.

Archives a folder of 4096x2160 DPX files of 10 bits, which FFmpeg writes, and codes a
film again, by workers that have one processor each: R ranges by one worker, then
R ranges by each of N at the same time. Prints, as JSON lines: frames and bytes a second
of one worker, in and out, by the clock and by CPU time; how much of N times that N
workers reach, by both; and what checksums and joining take. `load` is how many other
processes wanted to run before it began: with any of them the clock says nothing of the
farm, and CPU time (which grows where caches and memory are shared) is what counts.

--gpus N instead: one film by one GPU, by a worker for each of N GPUs (ranges), and by
one worker whose frames go to all of them. Wants the corpus and what was built.
"""
import argparse
import json
import os
import resource
import shutil
import subprocess
import tempfile
import time

import bench
import dpx12

FARM = ['sh', f'{bench.ROOT}/pipelines/farm/farm.sh']
RANGES = 2  # of a worker


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def make_frame(folder):
    """Makes a DPX file of film size, and returns its path."""
    picture = bench.photograph(f'{bench.ROOT}/build')
    ffmpeg = shutil.which('ffmpeg')
    if not ffmpeg:
        raise SystemExit('FFmpeg, which writes the DPX files, is not installed.')
    path = os.path.join(folder, 'frame.dpx')
    # Film has grain: a picture that was scaled up codes too easily.
    bench.run(ffmpeg, '-v', 'error', '-i', picture, '-vf',
              'scale=4096:2160,format=gbrp10be,noise=all_seed=1:alls=4:allf=u',
              '-frames:v', '1', '-pix_fmt', 'gbrp10be', '-c:v', 'dpx', path)
    return path


def make_folder(frame, folder, frames):
    os.mkdir(folder)
    for number in range(frames):
        os.link(frame, f'{folder}/scan_{number:05}.dpx')
    return folder


def plan(source, out, frames, *options):
    """Returns the folder of a fresh job, whose ranges have `frames` frames."""
    job = f'{out}.farm'
    shutil.rmtree(job, ignore_errors=True)
    bench.run(*FARM, 'plan', source, out, '--frames', frames, *options)
    return job


def work(job, workers):
    """Has each of N workers make RANGES ranges, and returns (seconds,
    CPU seconds)."""
    processors = sorted(os.sched_getaffinity(0))
    began, used = time.monotonic(), cpu_seconds()
    script = 'job=$1; shift; for n; do sh "$0" run "$job" "$n" || exit; done'
    running = []
    for worker in range(workers):
        numbers = [str(worker * RANGES + i + 1) for i in range(RANGES)]
        running.append(subprocess.Popen(
            ['taskset', '-c', str(processors[worker % len(processors)]), 'sh',
             '-c', script, FARM[1], job, *numbers], stdout=subprocess.DEVNULL,
            env={**os.environ, 'PACO_FARM_THREADS': '1'}))
    if any([process.wait() for process in running]):
        raise SystemExit('A worker failed.')
    return time.monotonic() - began, cpu_seconds() - used


def alone(workers, command):
    """Returns the seconds of programs that share nothing but the machine, a
    processor each."""
    processors = sorted(os.sched_getaffinity(0))
    began = time.monotonic()
    running = [subprocess.Popen(
        ['taskset', '-c', str(processors[i % len(processors)]), *command],
        stdout=subprocess.DEVNULL) for i in range(workers)]
    if any([process.wait() for process in running]):
        raise SystemExit('A program failed.')
    return time.monotonic() - began


def measure_machine(film, args):
    """Returns how much of N times one program N of them reach that decode the
    same file, and write nothing: that is what a farm can have."""
    command = [os.environ['PACO_TOOL'], 'verify', '--quiet',
               '--backend=cpu', '--threads=1', film]
    bench.figure('machine, efficiency', alone(1, command) / alone(args.workers, command),
                 '', by='clock', load=round(os.getloadavg()[0], 1),
                 workers=args.workers)


def measure(name, source, out, args, bytes_in, *options):
    load = round(os.getloadavg()[0], 1)
    frames = RANGES * args.frames
    one = work(plan(source, out, args.frames, *options), 1)
    job = plan(source, out, args.frames, *options)
    many = work(job, args.workers)
    bytes_out = os.path.getsize(f'{job}/parts/00001.paco') / args.frames
    more = {'load': load, 'workers': args.workers}
    for what, seconds, all_cpu in (('clock', one[0], many[0]),
                                   ('cpu', one[1], many[1] / args.workers)):
        by = {'by': what, **more}
        bench.figure(f'{name}, one worker', frames / seconds, 'frames/s', **by)
        bench.figure(f'{name}, in', frames * bytes_in / seconds / 1e6, 'MB/s',
                     **by)
        bench.figure(f'{name}, out', frames * bytes_out / seconds / 1e6, 'MB/s',
                     **by)
        bench.figure(f'{name}, efficiency', seconds / all_cpu, '', **by)
    return job


def check_speeds(job, source, out):
    """Measures checksums and joining, of what lies in the page cache."""
    path = f'{job}/parts/00001.paco'
    size = os.path.getsize(path)
    for name, command in (('md5', 'md5sum'), ('xxh3-128', 'xxh128sum')):
        if shutil.which(command):
            used = cpu_seconds()
            bench.run(command, path)
            bench.figure(name, size / (cpu_seconds() - used) / 1e6, 'MB/s',
                         by='cpu')
    bench.run(*FARM, 'local', job)
    began, used = time.monotonic(), cpu_seconds()
    bench.run(*FARM, 'join', job)
    size = os.path.getsize(out)
    bench.figure('join', size / (time.monotonic() - began) / 1e6, 'MB/s',
                 by='clock')
    bench.figure('join', size / (cpu_seconds() - used) / 1e6, 'MB/s', by='cpu')


def measure_gpus(folder, film, args):
    """Measures frames a second of a film: ranges against frames."""
    frames = 2 * RANGES * args.gpus * args.frames
    jobs = {
        'one GPU': ('--gpus', '1'),
        'ranges': ('--gpus', str(args.gpus)),
        'frames': ('--workers', '1'),
    }
    for name, options in jobs.items():
        devices = 'all' if name == 'frames' else ''
        encoder = f'pacoenc backend=cuda cuda-devices={devices}' \
            if devices else 'pacoenc backend=cuda'
        out = f'{folder}/{name.replace(" ", "-")}.paco'
        job = plan(film, out, args.frames, '--encoder', encoder)
        began = time.monotonic()
        bench.run(*FARM, 'local', job, *options)
        seconds = time.monotonic() - began
        bench.run(*FARM, 'join', job)
        with open(f'{job}/job.json', encoding='utf-8') as file:
            ranges = len(json.load(file)['ranges'])
        bench.figure(f'film, {name}', frames / seconds, 'frames/s',
                     gpus=1 if name == 'one GPU' else args.gpus, ranges=ranges)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', 1)[0])
    parser.add_argument('--workers', type=int,
                        default=len(os.sched_getaffinity(0)))
    parser.add_argument('--frames', type=int, default=8, help='of a range')
    parser.add_argument('--gpus', type=int)
    parser.add_argument('--folder', help='for files (default: a temporary one)')
    args = parser.parse_args()
    build = os.environ.setdefault('PACO_BUILD_ROOT', f'{bench.ROOT}/build')
    os.environ.setdefault('PACO_TOOL', f'{build}/tool/paco')
    count = RANGES * (2 * args.gpus if args.gpus else args.workers) * args.frames
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        frame = dpx12.make(folder, 1)[0] if args.gpus else make_frame(folder)
        source = make_folder(frame, f'{folder}/scans', count)
        film = f'{folder}/film.paco'
        bench.run(os.environ['PACO_TOOL'], 'archive', '--quiet', '--no-verify',
                  '--fps=24', '--report=', source, film)
        if args.gpus:
            measure_gpus(folder, film, args)
            return
        measure_machine(film, args)
        size = os.path.getsize(frame)
        job = measure('archive', source, f'{folder}/archive.paco', args, size)
        check_speeds(job, source, f'{folder}/archive.paco')
        measure('archive --no-verify', source, f'{folder}/unverified.paco', args,
                size, '--archive=--no-verify')
        measure('film, quality 90', film, f'{folder}/film90.paco', args,
                os.path.getsize(film) / count)


if __name__ == '__main__':
    main()
