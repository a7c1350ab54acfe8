# SPDX-License-Identifier: LGPL-2.1-or-later
"""DPX files of 4096x2160 and 12 bits for benchmarks, made of a photograph with noise
that fills its bits; archive-gpu.py and farm.py read them. Wants numpy and the picture
corpus, and no FFmpeg, because hosts of GPUs may have none."""
import struct

import numpy

import bench

WIDTH, HEIGHT = 4096, 2160
HEAD = 2048


def photograph(folder):
    """Returns a picture of the corpus, 12 bits a sample."""
    width, height, _, _, samples = bench.read_pnm(bench.photograph(folder))
    picture = numpy.frombuffer(samples, 'u1').reshape(height, width, 3)
    wide = numpy.concatenate([picture, picture[:, ::-1]], 1)
    return wide[:HEIGHT, :WIDTH].astype('i4') * 16


def dpx_head(size):
    """Returns the head of a DPX file: R, G and B of 12 bits in the upper bits
    of words."""
    head = bytearray(HEAD)
    struct.pack_into('>4sI8sI', head, 0, b'SDPX', HEAD, b'V1.0', HEAD + size)
    struct.pack_into('>III', head, 20, 1, 1664, 384)
    struct.pack_into('>I', head, 660, 0xffffffff)
    struct.pack_into('>HHII', head, 768, 0, 1, WIDTH, HEIGHT)
    struct.pack_into('>IIfIf4B', head, 780, 0, 0, 0, 4095, 2, 50, 2, 2, 12)
    struct.pack_into('>HHIII', head, 804, 1, 0, HEAD, 0, 0)
    return bytes(head)


def make(folder, n):
    """Writes n different files into the folder, and returns their paths."""
    picture = photograph(folder)
    noise = numpy.random.default_rng(1).normal(0, 7, picture.shape)
    paths = [f'{folder}/{i:02}.dpx' for i in range(n)]
    for i, path in enumerate(paths):
        moved = numpy.roll(picture, 8 * i, 1) + numpy.roll(noise, 1117 * i, 1)
        samples = (numpy.clip(moved + .5, 0, 4095).astype('u2') << 4).astype('>u2')
        with open(path, 'wb') as file:
            file.write(dpx_head(samples.nbytes))
            file.write(samples.tobytes())
    return paths
