#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""rtp-latency.py [--frames N] [--quality Q]: from a picture to a picture by RTP.

A moving 1080p picture of 4:2:2, 10 bits, is coded, sent through a UDP socket of
the loopback, put together and decoded, one frame at a time, with
pipeline-depth=1 on the CPU backend. Prints, as JSON lines, the median
milliseconds, and the least, from the picture's arrival at pacoenc to: the coded
frame; the frame that rtppacodepay has put together; the decoded picture. The
difference of the first two is what packets that leave before the frame is coded
could save at most. Wants numpy, the plugin in build/ and the corpus.
"""
import argparse
import importlib
import os
import sys
import time

import gi
gi.require_version('Gst', '1.0')
gi.require_version('GstApp', '1.0')
from gi.repository import Gst, GstApp  # noqa: E402, F401

import bench  # noqa: E402

loss = importlib.import_module('rtp-loss')
STAGES = 'coded', 'received', 'decoded'
PAUSE = 0.05  # until the last packets of parity are gone, too


class Stopwatch:
    """Notes when a buffer last passed a pad."""

    def __init__(self, pad):
        self.last = None
        pad.add_probe(Gst.PadProbeType.BUFFER, self.note)

    def note(self, pad, info):
        self.last = time.monotonic()
        return Gst.PadProbeReturn.OK


def measure(picture, i, source, sink, watches):
    data = picture.tobytes()
    begin = time.monotonic()
    loss.push(source, data, i * loss.FRAME_TIME)
    if not sink.try_pull_sample(5 * Gst.SECOND):
        return None
    end = time.monotonic()
    time.sleep(PAUSE)
    return [1000 * (at - begin)
            for at in [watch.last for watch in watches] + [end]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--frames', type=int, default=100)
    parser.add_argument('--quality', type=float, default=90)
    options = parser.parse_args()
    os.environ['GST_PLUGIN_PATH'] = f'{bench.ROOT}/build/plugin'
    Gst.init(None)
    port = 42001 + os.getpid() % 20000
    receiver = Gst.parse_launch(
        f'udpsrc port={port} address=127.0.0.1 buffer-size=8000000 '
        f'caps="{loss.RTP.format("video", "X-PACO")}" ! queue '
        'max-size-buffers=0 max-size-bytes=0 max-size-time=0 ! '
        'rtppacodepay name=depay ! pacodec backend=cpu pipeline-depth=1 ! '
        'appsink name=sink sync=false')
    sender = Gst.parse_launch(
        'appsrc name=source format=time is-live=true '
        f'caps="{loss.RAW},format=I422_10LE" ! pacoenc name=coder backend=cpu '
        f'pipeline-depth=1 quality={options.quality} ! rtppacopay ! '
        f'udpsink host=127.0.0.1 port={port} sync=false')
    watches = [Stopwatch(pipeline.get_by_name(name).get_static_pad(pad))
               for pipeline, name, pad in ((sender, 'coder', 'src'),
                                           (receiver, 'depay', 'src'))]
    receiver.set_state(Gst.State.PLAYING)
    sender.set_state(Gst.State.PLAYING)
    source = sender.get_by_name('source')
    sink = receiver.get_by_name('sink')
    pictures = loss.make_pictures()
    times = [measure(pictures[i % loss.CYCLE], i, source, sink, watches)
             for i in range(options.frames + 5)][5:]
    whole = [row for row in times if row]
    for stage, values in zip(STAGES, zip(*whole)):
        bench.figure(f'rtp_latency_{stage}', bench.median(values), 'ms',
                     least=round(min(values), 2))
    bench.figure('rtp_latency_frames', len(whole), 'frames',
                 of=options.frames)
    sender.set_state(Gst.State.NULL)
    receiver.set_state(Gst.State.NULL)
    return 0


if __name__ == '__main__':
    sys.exit(main())
