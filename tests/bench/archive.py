#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""archive.py [--frames=N] [--runs=N] [--threads=N] [--folder=DIR] [NAME...]: how fast
paco archive is on this machine's CPU, beside FFV1 of FFmpeg with as many threads.

Both read the same DPX frames (a photograph, upscaled, with noise that fills its bits)
and write a file, in turns; without verification, and with it: then FFmpeg writes
framemd5 of what it has read, and of the file that it has written. Ratios are medians of
the runs' ratios. In between it is measured what the machine can do: reading the files,
copying memory, XXH3. Everything lies in --folder (default: the folder for temporary
files). Wants numpy, ffmpeg and the picture corpus."""
import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time

import numpy

import bench

# For each name these are width, height, bits, and the pixel format of
# FFmpeg's.
MATERIALS = {
    '2k-10': (2048, 1556, 10, 'gbrp10be'),
    '4k-12': (4096, 2160, 12, 'gbrp12be'),
    '4k-16': (4096, 2160, 16, 'rgb48be'),
}
SLICES = 16


def photograph(folder, width, height):
    """Returns the picture of the corpus, 16 bits a sample, scaled."""
    raw = subprocess.run(
        ['ffmpeg', '-v', 'error', '-i', bench.photograph(folder), '-vf',
         f'scale={width + 64}:{height + 64}:flags=bicubic', '-f', 'rawvideo',
         '-pix_fmt', 'rgb48le', '-'], check=True, stdout=subprocess.PIPE).stdout
    return numpy.frombuffer(raw, '<u2').reshape(height + 64, width + 64, 3)


def make_frames(folder, name, n):
    """Draws what a camera sees that moves over a photograph; noise has about
    two steps of 10 bits."""
    width, height, bits, pixels = MATERIALS[name]
    target = f'{folder}/{name}'
    if os.path.isdir(target) and len(os.listdir(target)) == n:
        return target
    shutil.rmtree(target, ignore_errors=True)
    os.makedirs(target)
    big = photograph(folder, width, height)
    random = numpy.random.default_rng(1)
    writer = subprocess.Popen(
        ['ffmpeg', '-v', 'error', '-f', 'rawvideo', '-pix_fmt', 'rgb48le', '-s',
         f'{width}x{height}', '-i', '-', '-pix_fmt', pixels, '-c:v', 'dpx',
         '-start_number', '0', f'{target}/frame.%05d.dpx'], stdin=subprocess.PIPE)
    for i in range(n):
        cut = big[i % 64:i % 64 + height, (2 * i) % 64:(2 * i) % 64 + width]
        noisy = cut + random.normal(0, 120, cut.shape).astype('f4')
        noisy = numpy.clip(noisy, 0, 65535).astype('<u2') & (0xffff << (16 - bits) & 0xffff)
        writer.stdin.write(noisy.astype('<u2').tobytes())
    writer.stdin.close()
    if writer.wait():
        sys.exit('FFmpeg cannot write the frames.')
    return target


def seconds(*commands):
    """Returns what the commands take, one after the other."""
    start = time.monotonic()
    for command in commands:
        subprocess.run([str(word) for word in command], check=True,
                       stdout=subprocess.DEVNULL)
    return time.monotonic() - start


def remove(*paths):
    for path in paths:
        if os.path.exists(path):
            os.unlink(path)


def paco(tool, source, folder, threads, verify):
    out = f'{folder}/out.paco'
    remove(out, f'{out}.part')
    taken = seconds([tool, 'archive', '-q', '--report=', '--backend=cpu',
                     f'--threads={threads}', *([] if verify else ['--no-verify']),
                     source, out])
    return taken, os.path.getsize(out)


def ffv1(source, folder, threads, verify):
    out = f'{folder}/out.mkv'
    remove(out)
    read = ['ffmpeg', '-v', 'error', '-y', '-threads', threads]
    encode = [*read, '-i', f'{source}/frame.%05d.dpx', '-c:v', 'ffv1', '-level', 3,
              '-slices', SLICES, '-slicecrc', 1, '-g', 1, '-threads', threads, out]
    if not verify:
        return seconds(encode), os.path.getsize(out)
    taken = seconds([*encode, '-f', 'framemd5', f'{folder}/in.md5'],
                    [*read, '-i', out, '-f', 'framemd5', f'{folder}/out.md5'])
    return taken, os.path.getsize(out)


def ceilings(source, folder):
    """Returns bytes a second: of reading the files (from where they are),
    copying, and XXH3."""
    names = [f'{source}/{name}' for name in sorted(os.listdir(source))]
    buffer = bytearray(os.path.getsize(names[0]))
    copy = numpy.frombuffer(bytes(len(buffer)), 'u1').copy()
    total = len(buffer) * len(names)
    start = time.monotonic()
    for name in names:
        with open(name, 'rb', buffering=0) as file:
            file.readinto(buffer)
    read = total / (time.monotonic() - start)
    view = numpy.frombuffer(buffer, 'u1')
    start = time.monotonic()
    for _ in range(20):
        copy[:] = view
    memcpy = 20 * len(buffer) / (time.monotonic() - start)
    start = time.monotonic()
    hashlib.md5(buffer).digest()
    md5 = len(buffer) / (time.monotonic() - start)
    found = {'read': read, 'memcpy': memcpy, 'md5': md5}
    if shutil.which('xxh128sum'):
        start = time.monotonic()
        subprocess.run(['xxh128sum', *names], check=True, stdout=subprocess.DEVNULL)
        found['xxh3_with_reading'] = total / (time.monotonic() - start)
    return found


def measure(name, arguments, tool):
    source = make_frames(arguments.folder, name, arguments.frames)
    size = sum(entry.stat().st_size for entry in os.scandir(source))
    for verify in (False, True):
        ratios, ours, theirs, load = [], [], [], []
        for _ in range(arguments.runs):
            load.append(os.getloadavg()[0])
            a, a_bytes = paco(tool, source, arguments.folder, arguments.threads, verify)
            b, b_bytes = ffv1(source, arguments.folder, arguments.threads, verify)
            ratios.append(b / a)
            ours.append(arguments.frames / a)
            theirs.append(arguments.frames / b)
            bench.say(f'{name} verify={verify}: {ours[-1]:.2f} and {theirs[-1]:.2f} fps')
        bench.figure(f'archive_{name}_{"verified" if verify else "unverified"}_ratio',
                     bench.median(ratios), 'times FFV1', paco_fps=round(
                         bench.median(ours), 2), ffv1_fps=round(bench.median(theirs), 2),
                     paco_bytes=a_bytes, ffv1_bytes=b_bytes, source_bytes=size,
                     threads=arguments.threads, load=[round(l, 1) for l in load])
    for what, rate in ceilings(source, arguments.folder).items():
        bench.figure(f'machine_{name}_{what}', rate / 1e9, 'GB/s',
                     frames_per_second=round(rate * arguments.frames / size, 1))
    remove(f'{arguments.folder}/out.paco', f'{arguments.folder}/out.mkv')


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--frames', type=int, default=24)
    parser.add_argument('--runs', type=int, default=3)
    parser.add_argument('--threads', type=int, default=os.cpu_count())
    parser.add_argument('--folder')
    parser.add_argument('names', nargs='*', default=list(MATERIALS))
    arguments = parser.parse_args()
    tool = os.path.join(bench.build('tool/paco'), 'tool', 'paco')
    if arguments.folder:
        for name in arguments.names:
            measure(name, arguments, tool)
        return
    with tempfile.TemporaryDirectory(prefix='paco-archive-') as arguments.folder:
        for name in arguments.names:
            measure(name, arguments, tool)
            shutil.rmtree(f'{arguments.folder}/{name}')


if __name__ == '__main__':
    main()
