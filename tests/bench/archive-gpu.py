#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""archive-gpu.py [--frames=N] [--few=N] [--folder=DIR] [--backend=cuda]: how fast paco
archive and restore are with a GPU, when files come from the page cache.

Archives N DPX files of 4096x2160 and 12 bits (hard links to 16 different ones, made of
a photograph with noise that fills its bits) by one process, and by 2 and 4 processes
that have a range each, as in a farm; unverified, and verified. A run of N files and one
of a few tell the frames a second while it goes on from what beginning and ending take.
With --frames=1 it only measures how long one file takes, from the start of the process
to its end: the middle of nine runs.
Before that it is measured what the machine can do: how many such files it reads from
the page cache, alone and with their checksums and all else that is done before coding,
and how many frames it writes, into one file and into a file for each thread. Everything
lies in --folder, which is best a file system in memory with huge pages (mount -t tmpfs
-o huge=always); of that so much is used once before as restoring will take.
PACO_BUILD_ROOT says where the build is. Wants numpy and the picture corpus."""
import argparse
import concurrent.futures
import json
import os
import shutil
import subprocess
import tempfile
import time

import bench
import dpx12

KINDS = 16  # different files
FRAME = 24 << 20  # bytes that a frame has, or a little more
THREADS = (1, 4, 16)


def make_folder(folder, paths, n):
    os.mkdir(folder)
    for i in range(n):
        os.link(paths[i % KINDS], f'{folder}/scan_{i:06}.dpx')
    return folder


# --- the machine ---

def together(threads, work):
    """Returns bytes a second of N threads, each of which returns how many
    it has done."""
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda i: time.sleep(.01), range(threads)))
        begun = time.monotonic()
        done = sum(pool.map(work, range(threads)))
        return done / (time.monotonic() - begun)


def touch_memory(folder, size):
    """Fills N bytes of a file system in memory, and empties them. A virtual
    machine gets memory from its host when it uses it first, page by page, and that can
    be slower than all that is measured afterwards."""
    kind = subprocess.run(['stat', '-f', '-c', '%T', folder], check=True,
                          capture_output=True, text=True).stdout.strip()
    status = os.statvfs(folder)
    size = min(size, status.f_bavail * status.f_bsize * 9 // 10)
    threads = max(THREADS)
    piece = bytes(8 << 20)

    def fill(i):
        with open(f'{folder}/touch{i}', 'wb', buffering=0) as file:
            return sum(file.write(piece) for _ in range(size // threads // len(piece)))

    if kind != 'tmpfs':
        return
    bench.figure('machine_first_use_of_memory', together(threads, fill) / 1e9, 'GB/s',
                 threads=threads)
    for i in range(threads):
        os.unlink(f'{folder}/touch{i}')


def measure_machine(folder, paths, pieces):
    size = os.path.getsize(paths[0])
    buffers = [bytearray(b'\1') * size for _ in range(max(THREADS))]

    def read(i):
        for j in range(KINDS):
            with open(paths[(i + j) % KINDS], 'rb', buffering=0) as file:
                file.readinto(buffers[i])
        return KINDS * size

    def write(path, i, first):
        frame = memoryview(buffers[i])[:FRAME]
        descriptor = os.open(path, os.O_CREAT | os.O_WRONLY)
        for j in range(pieces):
            os.pwrite(descriptor, frame, (first + j) * FRAME)
        os.close(descriptor)
        return pieces * FRAME

    for n in THREADS:
        rate = together(n, read)
        bench.figure('machine_reads', rate / size, 'files/s', threads=n,
                     gbps=round(rate / 1e9, 1))
        rate = together(n, lambda i: write(f'{folder}/all', i, i * pieces))
        bench.figure('machine_writes_one_file', rate / FRAME, 'frames/s', threads=n,
                     gbps=round(rate / 1e9, 1))
        rate = together(n, lambda i: write(f'{folder}/of{i}', i, 0))
        bench.figure('machine_writes_own_files', rate / FRAME, 'frames/s', threads=n,
                     gbps=round(rate / 1e9, 1))
        for name in ['all'] + [f'of{i}' for i in range(n)]:
            os.unlink(f'{folder}/{name}')


# --- the archive ---

def measure_reading(args, paths):
    """What of an archive's work needs no GPU and writes nothing."""
    for n in THREADS:
        found = json.loads(bench.run(f'{args.build}/tests/bench/archive-read',
                                     f'--threads={n}', '--rounds=4', *paths))
        bench.figure('archive_reads', found.pop('files_per_second'), 'files/s', **found)


def archive(args, source, n, processes, options):
    """Returns the seconds that n files take, and what a process alone reports."""
    for name in os.listdir(args.folder):
        if name.startswith('out'):
            os.unlink(f'{args.folder}/{name}')
    begun = time.monotonic()
    running = [subprocess.Popen([
        args.tool, 'archive', '-q', f'--backend={args.backend}', '--fps=24',
        f'--report={args.folder}/out{i}.json',
        f'--frames={i * n // processes}-{(i + 1) * n // processes - 1}', *options,
        source, f'{args.folder}/out{i}.paco']) for i in range(processes)]
    if any([process.wait() for process in running]):
        raise SystemExit('paco archive failed.')
    seconds = time.monotonic() - begun
    with open(f'{args.folder}/out0.json', encoding='utf-8') as file:
        report = json.load(file)
    return seconds, report


def measure_archive(args, source):
    for processes in (1, 2, 4):
        for name, options in (('unverified', ['--no-verify']), ('verified', [])):
            few, _ = archive(args, source, args.few, processes, options)
            many, report = archive(args, source, args.frames, processes, options)
            bench.figure(f'archive_{name}', (args.frames - args.few) / (many - few),
                         'frames/s', processes=processes, with_ends=round(
                             args.frames / many, 1), device=report['device'],
                         ms_a_frame={what: round(1e3 * spent * processes / args.frames, 2)
                                     for what, spent in report['spent'].items()})


def measure_one(args, source):
    for name, options in (('unverified', ['--no-verify']), ('verified', [])):
        runs = sorted((archive(args, source, 1, 1, options) for _ in range(9)),
                      key=lambda run: run[0])
        seconds, report = runs[len(runs) // 2]
        bench.figure(f'archive_one_{name}', seconds, 's', lowest=round(runs[0][0], 3),
                     highest=round(runs[-1][0], 3), device=report['device'],
                     ms={what: round(1e3 * spent, 2)
                         for what, spent in report['spent'].items()})


def restore(args, n):
    """The seconds that the first n files take, and what the report says."""
    begun = time.monotonic()
    bench.run(args.tool, 'restore', '-q', f'--backend={args.backend}',
              f'--report={args.folder}/back.json', f'--frames=0-{n - 1}',
              f'{args.folder}/out0.paco', f'{args.folder}/back')
    seconds = time.monotonic() - begun
    with open(f'{args.folder}/back.json', encoding='utf-8') as file:
        report = json.load(file)
    os.unlink(f'{args.folder}/back.json')
    shutil.rmtree(f'{args.folder}/back')
    return seconds, report


def measure_restore(args, source):
    archive(args, source, args.frames, 1, ['--no-verify'])
    few, _ = restore(args, args.few)
    many, report = restore(args, args.frames)
    bench.figure('restore', (args.frames - args.few) / (many - few), 'frames/s',
                 with_ends=round(args.frames / many, 1), device=report['device'],
                 ms_a_frame={what: round(1e3 * spent / args.frames, 2)
                             for what, spent in report['spent'].items()})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', 1)[0])
    parser.add_argument('--frames', type=int, default=640)
    parser.add_argument('--few', type=int, default=80)
    parser.add_argument('--folder', help='for files (default: a temporary one)')
    parser.add_argument('--backend', default='cuda')
    args = parser.parse_args()
    build = os.environ.get('PACO_BUILD_ROOT', f'{bench.ROOT}/build')
    args.build = build
    args.tool = f'{build}/tool/paco'
    with tempfile.TemporaryDirectory(dir=args.folder) as args.folder:
        paths = dpx12.make(args.folder, min(KINDS, args.frames))
        source = make_folder(f'{args.folder}/scans', paths, args.frames)
        if args.frames == 1:
            measure_one(args, source)
            return
        touch_memory(args.folder, args.frames * (os.path.getsize(paths[0]) + FRAME))
        measure_machine(args.folder, paths, max(1, args.frames // 40))
        measure_reading(args, paths)
        measure_archive(args, source)
        measure_restore(args, source)


if __name__ == '__main__':
    main()
