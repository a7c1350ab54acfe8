#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints the tables of docs/FIGURES.md of the CUDA backend from tests/gpu/last-run.json, or
from the run named as the argument. A figure that the run has not measured is -.

--against=RUN prints instead which figures are more than 3 % worse than in that run, by
their ratios to what the machine can do if they have these.
"""
import argparse
import json
import pathlib
import re

GPU_FOLDER = pathlib.Path(__file__).resolve().parents[2] / 'gpu'
# Figures without a ratio that are better when they are lower.
COST = re.compile('_ms$|_us$|_bytes$|_mib_|cores_per|bits_per')


def pair(figures, name):
    """Returns the figures of both ways, as "encode / decode"."""
    return f"{number(figures, name % 'enc')} / {number(figures, name % 'dec')}"


def number(figures, name):
    """Returns a figure as FIGURES.md writes it: three digits, or a whole
    number."""
    value = figures.get(name)
    if value is None:
        return '-'
    return f'{value:.0f}' if value >= 100 else f'{value:.3g}'


def worse(before, after):
    """Yields names of figures, what they were and are, if that is worse."""
    for name, value in after['figures'].items():
        key = 'ratios' if name in before['ratios'].keys() & after['ratios'] \
            else 'figures'
        old, new = before[key].get(name), after[key].get(name)
        if not old or not new:
            continue
        costs = key == 'figures' and COST.search(name)
        if (old / new if costs else new / old) < 0.97:
            yield name, old, new


def compare(before, after):
    print(f"more than 3 % worse than the committed run ({before['device']}):")
    rows = list(worse(before, after))
    for name, old, new in rows:
        print(f'  {name}: {old:.4g}, now {new:.4g}')
    if not rows:
        print('  none')


def table(head, rows):
    print('\n| ' + ' | '.join(head) + ' |')
    print('|' + '---|' * len(head))
    for row in rows:
        print('| ' + ' | '.join(row) + ' |')


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--against', metavar='RUN', type=pathlib.Path)
    parser.add_argument('run', nargs='?', type=pathlib.Path,
                        default=GPU_FOLDER / 'last-run.json')
    args = parser.parse_args()
    run = json.loads(args.run.read_text(encoding='utf-8'))
    if args.against:
        compare(json.loads(args.against.read_text(encoding='utf-8')), run)
        return
    figures, ratios = run['figures'], run['ratios']
    print(f"{run['device']}, driver {run['driver']}, {run['content']}")

    table(['encode / decode', 'lossless', 'quality 90, `tune=psnr`',
           'bitrate'], [
        [what, *(pair(figures, names % rate)
                 for rate in ('lossless', 'quality', 'bitrate'))]
        for what, names in (
            ('in a GStreamer pipeline, host memory to host memory',
             'gst_%s_%%s_fps'),
            ('pictures stay on the GPU', '%s_resident_%%s_fps'),
            ('one frame alone, ms', '%s_%%s_latency_ms'))])

    rows = []
    for what, names in (
            ('v210, 3840x2160', 'gst_v210_2160_%s_fps'),
            ('UYVY, 3840x2160', 'gst_uyvy_2160_%s_fps'),
            ('mosaic of 16 bits, 4096x3072', 'gst_mosaic16_3072_%s_fps'),
            ('RGB of 12 bits, 4096x2160', 'gst_lossless_%s_fps'),
            ('12 bits, 4096x2160, `memory:CUDAMemory`',
             'cudamem_lossless_%s_fps'),
            ('RGB of 12 bits, 4096x2160, decoded from a file',
             'gst_lossless_%s_file_fps'),
            ('RGB of 12 bits, 7680x4320', 'gst_gbr12_4320_%s_fps'),
            ('the same, two frames in flight', 'gst_gbr12_4320_depth2_%s_fps')):
        rows.append([what, pair(figures, names), pair(ratios, names)])
    table(['lossless', 'encode / decode', 'of the ceiling'], rows)

    rows = []
    for what, name in (
            ('8 streams of 1920x1080, lossless, encoding',
             'streams8_1080_lossless_enc_fps'),
            ('16 of 1920x1080, quality 90, encoding and decoding',
             'streams16_1080_quality_both_fps'),
            ('16 of 1280x720, quality 90, encoding and decoding',
             'streams16_720_quality_both_fps')):
        rows.append([what, number(figures, name), number(ratios, name)])
    table(['4:2:2 of 10 bits, all streams together', 'frames/s',
           'of the bus'], rows)
    print('\ncameras of 60 frames/s that one GPU encodes in time: 2160p lossless '
          + number(figures, 'live_2160_cameras') + ', 1080p quality 90 '
          + number(figures, 'live_1080_quality_cameras'))
    print('one camera of 1080p60 beside 15 streams without a clock, ms: p50 '
          + number(figures, 'streams16_1080_lone_p50_ms') + ', p99 '
          + number(figures, 'streams16_1080_lone_p99_ms'))

    table(['GPUs', 'one stream', 'as many processes'], [
        [n, *(pair(figures, f'{how}{n}_lossless_%s_scaling')
              for how in ('devices', 'processes'))]
        for n in ('2', '4')])

    table(['memory of the GPU, 4:4:4 of 12 bits, depth 2', 'MiB'], [
        [size, number(figures, f'device_memory_mib_{lines}')]
        for size, lines in (('4096x2160', 2160), ('7680x4320', 4320))])

    cores = number(figures, 'gst_v210_2160_cores_per_100fps')
    print(f'\ncores per 100 frames a second, v210: {cores}')
    print('v210 against I422_10LE on the CPU, 1920x1080: '
          + pair(figures, 'v210_1080_cpu_%s_ratio'))


if __name__ == '__main__':
    main()
