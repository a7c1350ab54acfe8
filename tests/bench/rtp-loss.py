#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""rtp-loss.py [--plot FILE.svg]: pictures over RTP of which packets are lost.

A 1080p picture of 4:2:2, 10 bits, that moves eight columns a frame, is coded by
pacoenc at quality 90 and by jpegenc at the same bytes (8 bits). Its RTP packets
(rtppacopay, rtpgstpay, rtpjpegpay) go through a UDP socket of the loopback;
of each stream, packets are left out at random, with seeds that are printed.
Measured are how many frames come out of the decoder, and the PSNR of their luma
(jpegdec has chroma of 4:2:0 only). Where a frame is missing, the last one stays, as on a screen.

Prints one JSON line per figure; --plot draws PSNR over loss. Wants numpy, the
plugin in build/ and the corpus.
"""
import argparse
import math
import os
import random
import socket
import struct
import subprocess
import sys

import numpy
import gi
gi.require_version('Gst', '1.0')
gi.require_version('GstApp', '1.0')
from gi.repository import Gst, GstApp  # noqa: E402, F401

import bench  # noqa: E402

CLIP = 'clip10_photostrain_1920x1080_422p10.y4m.xz'
WIDTH, HEIGHT, STEP, CYCLE = 1920, 1080, 8, 25
FRAME_TIME = Gst.SECOND // 25
RAW = f'video/x-raw,width={WIDTH},height={HEIGHT},framerate=25/1'
RATES = 0, 0.1, 0.5, 1, 2, 5
AT_ONCE = 32
PACO = 'video/x-paco,parsed=true,alignment=frame'
RTP = 'application/x-rtp,media={},clock-rate=90000,encoding-name={}'
COLORS = {'rtppacopay': '#1f7a4d', 'rtpgstpay': '#b5482f',
          'rtpjpegpay': '#3b5b92'}


def read_picture():
    """Returns Y, Cb, Cr of the clip's first picture."""
    path = os.path.join(bench.CORPUS, CLIP)
    data = subprocess.run(['xz', '-dc', path], check=True,
                          stdout=subprocess.PIPE).stdout
    at = data.index(b'FRAME') + data[data.index(b'FRAME'):].index(b'\n') + 1
    planes = []
    for width in WIDTH, WIDTH // 2, WIDTH // 2:
        samples = numpy.frombuffer(data, '<u2', width * HEIGHT, at)
        planes.append(samples.reshape(HEIGHT, width))
        at += 2 * width * HEIGHT
    return planes


def make_pictures():
    """Returns a cycle of pictures: the first one, moved further each time."""
    luma, *chroma = read_picture()
    return [numpy.concatenate(
        [numpy.roll(luma, -STEP * i, 1).ravel()]
        + [numpy.roll(plane, -STEP * i // 2, 1).ravel() for plane in chroma])
        for i in range(CYCLE)]


def pull_all(pipeline, sink):
    while sample := sink.try_pull_sample(60 * Gst.SECOND):
        yield sample.get_buffer()
    message = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
    if message:
        raise SystemExit(message.parse_error()[0].message)


def push(source, data, pts):
    buffer = Gst.Buffer.new_wrapped(data)
    buffer.pts, buffer.duration = pts, FRAME_TIME
    source.emit('push-buffer', buffer)


def convert(description, caps, inputs):
    """Returns what a pipeline makes of (bytes, PTS), as the same."""
    pipeline = Gst.parse_launch(
        f'appsrc name=source format=time caps="{caps}" max-bytes=100000000 '
        f'block=true ! {description} ! queue max-size-buffers=0 '
        'max-size-bytes=0 max-size-time=0 ! appsink name=sink sync=false')
    source, sink = (pipeline.get_by_name(n) for n in ('source', 'sink'))
    pipeline.set_state(Gst.State.PLAYING)
    for data, pts in inputs:
        push(source, data, pts)
    source.emit('end-of-stream')
    outputs = [(buffer.extract_dup(0, buffer.get_size()), buffer.pts)
               for buffer in pull_all(pipeline, sink)]
    pipeline.set_state(Gst.State.NULL)
    return outputs


def stream(coded, n):
    """Returns n frames of the cycle, one after the other."""
    return [(coded[i % len(coded)], i * FRAME_TIME) for i in range(n)]


def code_paco(pictures):
    inputs = [(picture.tobytes(), i * FRAME_TIME)
              for i, picture in enumerate(pictures)]
    return [data for data, _ in
            convert('pacoenc', f'{RAW},format=I422_10LE', inputs)]


def code_jpeg(pictures, size):
    """Returns JPEG of the quality whose bytes are nearest to size."""
    inputs = [(((p + 2) >> 2).clip(0, 255).astype('u1').tobytes(),
               i * FRAME_TIME) for i, p in enumerate(pictures)]
    best = None
    for quality in range(60, 100, 3):
        coded = [data for data, _ in convert(
            f'jpegenc quality={quality}', f'{RAW},format=Y42B', inputs[:2])]
        off = abs(sum(map(len, coded)) / len(coded) - size)
        if best is None or off < best[0]:
            best = off, quality
    bench.say(f'jpegenc quality={best[1]}')
    return [data for data, _ in convert(
        f'jpegenc quality={best[1]}', f'{RAW},format=Y42B', inputs)]


def send(packets, loss, seed):
    """Sends through the loopback, in small parts, so that no socket overflows:
    yields what was received, and how many were left out."""
    chance = random.Random(seed)
    receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    receiver.bind(('127.0.0.1', 0))
    receiver.settimeout(5)
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.connect(receiver.getsockname())
    for at in range(0, len(packets), AT_ONCE):
        sent = [packet for packet in packets[at:at + AT_ONCE]
                if chance.random() >= loss / 100]
        for packet in sent:
            sender.send(packet)
        for _ in sent:
            yield receiver.recv(65536)
    sender.close()
    receiver.close()


class Quality:
    """The squared error of pictures against those that were sent."""

    def __init__(self, pictures, shift):
        self.pictures, self.shift = pictures, shift
        self.sum, self.shown, self.frames = 0.0, None, 0

    def error(self, i):
        if self.shown is None:
            return float(1023 ** 2) / 4
        sent = self.pictures[i % CYCLE][:WIDTH * HEIGHT].astype('i4')
        difference = sent - self.shown
        return float(numpy.vdot(difference, difference)) / difference.size

    def show(self, i, data, new):
        """Shows frames up to i: what was shown before stays until i."""
        for missed in range(self.frames, i):
            self.sum += self.error(missed)
        if new:
            kind = 'u1' if self.shift else '<u2'
            self.shown = numpy.frombuffer(
                data, kind, WIDTH * HEIGHT).astype('i4') << self.shift
            self.sum += self.error(i)
        self.frames = i + new

    def psnr(self):
        return 10 * math.log10(1023 ** 2 * self.frames / self.sum)


def receive(name, packets, loss, seed, pictures, n):
    """Returns (frames that came, PSNR of all n)."""
    media, encoding, tail, shift = {
        'rtppacopay': ('video', 'X-PACO', 'rtppacodepay ! pacodec', 0),
        'rtpgstpay': ('application', 'X-GST', 'rtpgstdepay ! pacodec', 0),
        'rtpjpegpay': ('video', 'JPEG', 'rtpjpegdepay ! jpegdec ! '
                       'video/x-raw,format=I420', 2),
    }[name]
    pipeline = Gst.parse_launch(
        'appsrc name=source format=time max-bytes=4000000 block=true caps="'
        f'{RTP.format(media, encoding)}" ! {tail} ! '
        'appsink name=sink sync=false max-buffers=4')
    source, sink = (pipeline.get_by_name(n) for n in ('source', 'sink'))
    pipeline.set_state(Gst.State.PLAYING)
    quality, came = Quality(pictures, shift), 0

    def take(sample):
        buffer = sample.get_buffer()
        i = round(buffer.pts / FRAME_TIME)
        quality.show(i, buffer.extract_dup(0, buffer.get_size()), True)
        return 1

    first = struct.unpack_from('>I', packets[0], 4)[0]
    for packet in send(packets, loss, seed):
        stamp = (struct.unpack_from('>I', packet, 4)[0] - first) % 2**32
        push(source, packet, stamp * Gst.SECOND // 90000)
        while sample := sink.try_pull_sample(0):
            came += take(sample)
    source.emit('end-of-stream')
    while sample := sink.try_pull_sample(30 * Gst.SECOND):
        came += take(sample)
    quality.show(n, None, False)
    pipeline.set_state(Gst.State.NULL)
    return came, quality.psnr()


def plot(path, rows, n):
    """Draws PSNR over loss, a line per payloader; loss is drawn by its root."""
    left, top, width, height, best = 60, 60, 560, 300, 50
    x = lambda loss: left + width * math.sqrt(loss / max(RATES))  # noqa: E731
    y = lambda psnr: top + height * (best - psnr) / 45            # noqa: E731
    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 150}"'
           f' height="{top + height + 76}" font-family="sans-serif" '
           'font-size="12">',
           '<rect width="100%" height="100%" fill="#ffffff"/>',
           '<text x="12" y="22" font-size="15">1080p over RTP: PSNR of luma in dB '
           'over packets lost</text>',
           f'<text x="12" y="42" fill="#555555">{n} frames; at the points, how '
           'many of them came. Where one is missing the last one stays.</text>']
    for psnr in range(5, best + 1, 5):
        svg.append(f'<line x1="{left}" y1="{y(psnr):.1f}" '
                   f'x2="{left + width}" y2="{y(psnr):.1f}" stroke="#dddddd"/><text x="{left - 8}" '
                   f'y="{y(psnr) + 4:.1f}" text-anchor="end">{psnr}</text>')
    for loss in RATES:
        svg.append(f'<text x="{x(loss):.1f}" y="{top + height + 20}" '
                   f'text-anchor="middle">{loss} %</text>')
    for name, color in COLORS.items():
        points = [(loss, psnr, came) for n_, loss, psnr, came in rows
                  if n_ == name]
        line = ' '.join(f'{x(p[0]):.1f},{y(p[1]):.1f}' for p in points)
        svg.append(f'<polyline points="{line}" fill="none" stroke="{color}" '
                   'stroke-width="2"/>')
        for loss, psnr, came in points:
            svg.append(f'<circle cx="{x(loss):.1f}" cy="{y(psnr):.1f}" r="3" '
                       f'fill="{color}"/><text x="{x(loss) + 4:.1f}" '
                       f'y="{y(psnr) - 6:.1f}" font-size="10" fill="{color}">'
                       f'{came}</text>')
        svg.append(f'<text x="{x(points[-1][0]) + 34:.1f}" '
                   f'y="{y(points[-1][1]) + 4:.1f}" fill="{color}">{name}'
                   '</text>')
    svg.append(f'<text x="12" y="{top + height + 60}" fill="#555555">'
               'Drawn by tests/bench/rtp-loss.py --plot</text></svg>')
    with open(path, 'w', encoding='utf-8') as file:
        file.write('\n'.join(svg) + '\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--plot', metavar='FILE.svg')
    parser.add_argument('--frames', type=int, default=150)
    parser.add_argument('--seed', type=int, default=random.randrange(10**6))
    options = parser.parse_args()
    os.environ['GST_PLUGIN_PATH'] = f'{bench.ROOT}/build/plugin'
    Gst.init(None)
    pictures = make_pictures()
    paco = code_paco(pictures)
    size = sum(map(len, paco)) / len(paco)
    jpeg = code_jpeg(pictures, size)
    bench.figure('rtp_frame_bytes', size, 'bytes')
    bench.figure('rtp_jpeg_frame_bytes', sum(map(len, jpeg)) / len(jpeg),
                 'bytes')
    rows = []
    for name, caps, coded in (
            ('rtppacopay', PACO, paco), ('rtpgstpay', PACO, paco),
            ('rtpjpegpay', f'image/jpeg,width={WIDTH},height={HEIGHT},'
             'framerate=25/1,sof-marker=0', jpeg)):
        pay = name + (' config-interval=1' if name == 'rtpgstpay' else '')
        packets = [data for data, _ in convert(
            pay, caps, stream(coded, options.frames))]
        bench.figure('rtp_packets', len(packets) / options.frames,
                     'packets/frame', payloader=name,
                     bytes_a_frame=sum(map(len, packets)) // options.frames)
        for loss in RATES:
            came, psnr = receive(name, packets, loss, options.seed, pictures,
                                 options.frames)
            bench.figure('rtp_loss', psnr, 'dB', payloader=name, loss=loss,
                         frames=came, of=options.frames, seed=options.seed)
            rows.append((name, loss, psnr, came))
    if options.plot:
        plot(options.plot, rows, options.frames)
    return 0


if __name__ == '__main__':
    sys.exit(main())
