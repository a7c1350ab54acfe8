#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""rtsp.py: sends PaCo through gst-rtsp-server, rtspsrc and rtpbin, over the loopback.

A server of this process serves a live scene; it is played by what decodebin
plugs together by itself, over UDP and inside of the RTSP connection, and by two
clients at once. Then two rtpbins do it without RTSP, with packets missing. Skips
(77) where gst-rtsp-server's bindings are not installed.
"""
import os
import random
import sys

try:
    import gi
    gi.require_version('Gst', '1.0')
    gi.require_version('GstRtspServer', '1.0')
    from gi.repository import GLib, Gst, GstRtspServer
except (ImportError, ValueError) as error:
    print(f'skipped: {error}')
    sys.exit(77)

FORMAT = 'video/x-raw,format=I422_10LE,width=320,height=180,framerate=25/1'
SOURCE = (f'videotestsrc is-live=true pattern=ball ! {FORMAT} ! '
          'pacoenc backend=cpu pipeline-depth=1 ! rtppacopay')
PICTURES = 8
SECONDS = 60


class Player:
    """A pipeline whose appsink has to get WANTED pictures of FORMAT."""

    def __init__(self, loop, description, wanted=PICTURES):
        self.loop, self.wanted, self.pts = loop, wanted, []
        self.pipeline = Gst.parse_launch(description)
        sink = self.pipeline.get_by_name('sink')
        sink.set_property('emit-signals', True)
        sink.connect('new-sample', self.take)
        bus = self.pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect('message::error', self.fail)
        self.error = None
        self.pipeline.set_state(Gst.State.PLAYING)

    def take(self, sink):
        sample = sink.emit('pull-sample')
        caps = Gst.Caps.from_string(FORMAT)
        if not sample.get_caps().can_intersect(caps):
            self.error = f'caps are {sample.get_caps().to_string()}'
        self.pts.append(sample.get_buffer().pts)
        if self.error or len(self.pts) == self.wanted:
            GLib.idle_add(self.loop.quit)
        return Gst.FlowReturn.OK

    def fail(self, _, message):
        self.error = message.parse_error()[0].message
        self.loop.quit()

    def is_done(self):
        return self.error is not None or len(self.pts) >= self.wanted

    def stop(self):
        self.pipeline.set_state(Gst.State.NULL)
        self.pipeline.get_bus().remove_signal_watch()
        if self.error:
            raise SystemExit(self.error)
        pts = self.pts[:self.wanted]
        if len(pts) < self.wanted:
            raise SystemExit(f'{len(pts)} of {self.wanted} pictures came')
        steps = [b - a for a, b in zip(pts, pts[1:])]
        if min(steps) <= 0:
            raise SystemExit(f'time does not go on: {pts}')


def play(loop, players):
    def give_up():
        loop.quit()
        return False
    timer = GLib.timeout_add_seconds(SECONDS, give_up)
    while not all(player.is_done() for player in players):
        loop.run()
        if GLib.MainContext.default().find_source_by_id(timer) is None:
            break
    else:
        GLib.source_remove(timer)
    for player in players:
        player.stop()


def serve():
    server = GstRtspServer.RTSPServer()
    server.set_address('127.0.0.1')
    server.set_service('0')
    factory = GstRtspServer.RTSPMediaFactory()
    factory.set_launch(f'( {SOURCE} name=pay0 pt=96 )')
    factory.set_shared(True)
    server.get_mount_points().add_factory('/paco', factory)
    if server.attach(None) == 0:
        raise SystemExit('the server does not start')
    return server


def test_rtsp(loop):
    server = serve()
    url = f'rtsp://127.0.0.1:{server.get_bound_port()}/paco'
    sink = 'appsink name=sink sync=false max-buffers=4'
    source = f'rtspsrc location={url} latency=100'
    for protocols, tail in (
            ('tcp', f'decodebin ! {sink}'),
            ('udp', f'decodebin ! {sink}'),
            ('udp', f'rtppacodepay ! pacodec ! {sink}')):
        print(protocols, tail, flush=True)
        description = f'{source} protocols={protocols} ! {tail}'
        play(loop, [Player(loop, description) for _ in range(2)])


def drop(pad, info, chance):
    """Drops one packet in fifty, as a probe."""
    return (Gst.PadProbeReturn.DROP if chance.random() < 0.02
            else Gst.PadProbeReturn.OK)


def test_rtpbin(loop):
    port = 42000 + os.getpid() % 20000 // 2 * 2
    caps = 'application/x-rtp,media=video,clock-rate=90000,encoding-name=X-PACO'
    receiver = Player(loop, f'''
        rtpbin name=bin latency=100
        udpsrc name=source address=127.0.0.1 port={port} buffer-size=4000000
          caps="{caps}" ! bin.recv_rtp_sink_0
        udpsrc address=127.0.0.1 port={port + 1} ! bin.recv_rtcp_sink_0
        bin. ! rtppacodepay name=depay ! pacodec !
        appsink name=sink sync=false max-buffers=4''', 3 * PICTURES)
    chance = random.Random()
    receiver.pipeline.get_by_name('source').get_static_pad('src').add_probe(
        Gst.PadProbeType.BUFFER, drop, chance)
    sender = Gst.parse_launch(f'''
        rtpbin name=bin {SOURCE} mtu=300 ! bin.send_rtp_sink_0
        bin.send_rtp_src_0 ! udpsink host=127.0.0.1 port={port}
        bin.send_rtcp_src_0 ! udpsink host=127.0.0.1 port={port + 1}
          sync=false async=false''')
    sender.set_state(Gst.State.PLAYING)
    try:
        play(loop, [receiver])
    finally:
        sender.set_state(Gst.State.NULL)


def main():
    Gst.init(None)
    for name in 'rtspsrc', 'rtpbin', 'udpsrc':
        if Gst.ElementFactory.find(name) is None:
            print(f'skipped: there is no {name}')
            return 77
    loop = GLib.MainLoop()
    test_rtpbin(loop)
    test_rtsp(loop)
    return 0


if __name__ == '__main__':
    sys.exit(main())
