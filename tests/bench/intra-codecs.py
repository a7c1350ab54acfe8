#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""intra-codecs.py [--frames=N] [--folder=DIR]: sizes, PSNR and processor time of codecs
without motion compensation, on one thread.

The material is a photograph of the corpus at 3840x2160, 4:2:2, 10 bits, which moves by
two columns a frame. Rivals are FFmpeg's encoders. Each line has the bits a sample, the
PSNR over all samples in dB, and the milliseconds of a core that a frame takes, reading and
writing files included. PaCo codes without loss, at quality 90, and with the frame size of
each lossy rival (same_size_as). Wants numpy, ffmpeg and the corpus."""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile

import numpy

import bench

WIDTH, HEIGHT = 3840, 2160
SAMPLES = 2 * WIDTH * HEIGHT
RIVALS = {
    'FFV1': ['ffv1', '-level', '3', '-slices', '16', '-slicecrc', '1', '-g', '1'],
    'JPEG 2000': ['libopenjpeg'],
    'ProRes 422 HQ': ['prores_ks', '-profile:v', 'hq'],
    'DNxHR HQX': ['dnxhd', '-profile:v', 'dnxhr_hqx'],
    'CineForm': ['cfhd', '-quality', 'film1'],
}
FFMPEG = ['ffmpeg', '-v', 'error', '-y', '-threads', '1']


def seconds(*command):
    """Runs a command, returns the processor's seconds."""
    def spent():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime
    before = spent()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return spent() - before


def make_material(folder, n):
    """Writes material.y4m and material.raw."""
    crop = (f'scale={WIDTH + 2 * n}:{HEIGHT}:flags=bicubic,loop={n}:1,'
            f"crop={WIDTH}:{HEIGHT}:'2*n':0")
    subprocess.run(FFMPEG + ['-loop', '1', '-r', '25', '-i', bench.photograph(folder), '-vf',
                             crop,
                             '-frames:v', str(n), '-pix_fmt', 'yuv422p10le',
                             '-strict', '-1', f'{folder}/material.y4m'], check=True)
    decode(f'{folder}/material.y4m', f'{folder}/material.raw')


def decode(path, raw):
    return seconds(*FFMPEG, '-i', path, '-pix_fmt', 'yuv422p10le', '-f', 'rawvideo', raw)


def psnr(folder, name):
    """Returns the PSNR in dB, or None if no sample differs."""
    one, two = (numpy.fromfile(f'{folder}/{file}', '<u2').astype(numpy.int32)
                for file in ('material.raw', name))
    if one.size != two.size:
        sys.exit(f'{name} has {two.size} samples instead of {one.size}')
    error = float(numpy.mean((one - two) ** 2.0))
    return round(10 * numpy.log10(1023 ** 2 / error), 2) if error else None


def report(folder, codec, path, n, encoding, decoding, **more):
    size = os.path.getsize(path) / n
    print(json.dumps({
        'codec': codec, **more, 'bits_per_sample': round(8 * size / SAMPLES, 3),
        'psnr': psnr(folder, 'decoded.raw'), 'encode_ms': round(1e3 * encoding / n, 1),
        'decode_ms': round(1e3 * decoding / n, 1)}), flush=True)
    return int(size)


def paco(tool, folder, n, *settings, **more):
    path = f'{folder}/paco.paco'
    encoding = seconds(tool, 'encode', '-q', '-f', '--backend=cpu', '--threads=1',
                       *settings, f'{folder}/material.y4m', path)
    decoding = seconds(tool, 'decode', '-q', '-f', '--backend=cpu', '--threads=1', '--as=raw',
                       path, f'{folder}/decoded.raw')
    report(folder, 'PaCo', path, n, encoding, decoding, **more)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--frames', type=int, default=8)
    parser.add_argument('--folder')
    options = parser.parse_args()
    n = options.frames
    tool = bench.build('tool/paco') + '/tool/paco'
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        make_material(folder, n)
        paco(tool, folder, n, '--lossless', setting='lossless')
        paco(tool, folder, n, '--quality=90', setting='quality 90')
        for codec, encoder in RIVALS.items():
            path = f'{folder}/rival.mov' if codec != 'FFV1' else f'{folder}/rival.mkv'
            encoding = seconds(*FFMPEG, '-i', f'{folder}/material.y4m', '-c:v', *encoder,
                               '-threads', '1', path)
            decoding = decode(path, f'{folder}/decoded.raw')
            size = report(folder, codec, path, n, encoding, decoding)
            if codec not in ('FFV1', 'JPEG 2000'):
                paco(tool, folder, n, f'--set=frame-size={size}', '--set=rate-control=bitrate',
                     '--set=tune=psnr', same_size_as=codec)
    return 0


if __name__ == '__main__':
    sys.exit(main())
