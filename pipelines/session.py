# SPDX-License-Identifier: LGPL-2.1-or-later
"""What record.py, play.py and proxy.py have in common: a pipeline that runs until
it ends, fails or is interrupted, errors in words, and a line that shows how far
it has come."""
import os
import signal
import sys

try:
    import gi
    gi.require_version('Gst', '1.0')
    gi.require_version('GstPbutils', '1.0')
    from gi.repository import GLib, Gst, GstPbutils
except (ImportError, ValueError) as error:
    sys.exit(f'GStreamer\'s Python bindings are missing ({error}): install '
             'python3-gi and gir1.2-gst-plugins-base-1.0, or run '
             '`sh pipelines/install-packages.sh run`.')

# Debian has elements that scripts ask for by name in these packages.
PACKAGES = {
    'decklinkvideosrc': 'gstreamer1.0-plugins-bad',
    'v4l2src': 'gstreamer1.0-plugins-good',
    'qtmux': 'gstreamer1.0-plugins-good',
    'matroskamux': 'gstreamer1.0-plugins-good',
    'splitmuxsink': 'gstreamer1.0-plugins-good',
    'uritranscodebin': 'gstreamer1.0-plugins-bad',
    'playbin': 'gstreamer1.0-plugins-base',
}


def start():
    """Initialises GStreamer and makes sure that the plugin is there."""
    Gst.init(None)
    if not has('pacoenc'):
        sys.exit('GStreamer does not find pacoenc. `sh pipelines/quickstart.sh` '
                 'builds it; where it was built elsewhere, GST_PLUGIN_PATH '
                 'must name the folder with libgstpaco.so.')


def has(element):
    return Gst.ElementFactory.find(element) is not None


def need(*elements):
    """Ends the program with a sentence where an element is missing."""
    for name in elements:
        if not has(name):
            package = PACKAGES.get(name)
            where = f' (Debian: {package})' if package else ''
            sys.exit(f'This GStreamer has no {name}{where}.')


def uri_of(name):
    """Returns the URI of a file or of what is one already."""
    if Gst.uri_is_valid(name):
        return name
    if not os.path.isfile(name):
        sys.exit(f'There is no file {name}.')
    return Gst.filename_to_uri(os.path.abspath(name))


def streams(uri):
    """Returns what is in a file: (has pictures, has sound)."""
    try:
        info = GstPbutils.Discoverer.new(30 * Gst.SECOND).discover_uri(uri)
    except GLib.Error as found:
        sys.exit(f'{uri} cannot be read: {found.message}')
    return bool(info.get_video_streams()), bool(info.get_audio_streams())


def explain(message):
    """Returns an error message of the bus as one sentence."""
    error, debug = message.parse_error()
    text = error.message.rstrip('.')
    if error.matches(Gst.ResourceError.quark(),
                     Gst.ResourceError.NO_SPACE_LEFT):
        text = 'The disk is full'
    else:
        # When system calls fail, elements say why behind the last line.
        reason = (debug or '').rstrip().rsplit('system error: ', 1)
        if len(reason) == 2:
            text += f' ({reason[1]})'
    source = message.src.get_name() if message.src else 'GStreamer'
    return f'{text} [{source}].'


def in_bytes(size):
    """Makes '2.3 MB' of 2345678."""
    for unit in ('B', 'kB', 'MB', 'GB'):
        if size < 1000:
            break
        size /= 1000
    else:
        unit = 'TB'
    return f'{size:.0f} {unit}' if unit == 'B' else f'{size:.1f} {unit}'


def in_time(nanoseconds):
    """Makes '0:01:23.0' of 83000000000."""
    tenths = max(nanoseconds, 0) // (Gst.SECOND // 10)
    seconds = tenths // 10
    return (f'{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}'
            f'.{tenths % 10}')


class StatusLine:
    """One line that is written over again on a terminal; elsewhere, a line now
    and then."""

    EVERY = 10  # of the lines, where there is no terminal

    def __init__(self, quiet=False):
        self.quiet, self.on_terminal = quiet, sys.stderr.isatty()
        self.count, self.width = 0, 0

    def show(self, text):
        if self.quiet:
            return
        if self.on_terminal:
            print(f'\r{text:<{self.width}}', end='', file=sys.stderr,
                  flush=True)
            self.width = len(text)
        elif self.count % self.EVERY == 0:
            print(text, file=sys.stderr, flush=True)
        self.count += 1

    def end(self):
        if self.on_terminal and self.width:
            print(file=sys.stderr)
        self.width = 0

    def say(self, text):
        """Prints a line that stays."""
        self.end()
        print(text, file=sys.stderr, flush=True)


class Session:
    """Runs a pipeline. Subclasses say what a tick, an interruption and messages
    other than the end and an error mean."""

    TICK_MS = 250

    def __init__(self, pipeline, quiet=False):
        self.pipeline = pipeline
        self.line = StatusLine(quiet)
        self.loop = GLib.MainLoop()
        self.error = None  # a sentence, when it failed
        self.interrupts = 0
        bus = pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect('message', self.receive)
        for number in (signal.SIGINT, signal.SIGTERM):
            GLib.unix_signal_add(GLib.PRIORITY_HIGH, number, self.interrupted)
        GLib.timeout_add(self.TICK_MS, self.ticked)

    def run(self):
        """Runs it, and returns True when it came to its end without an error."""
        if self.pipeline.set_state(Gst.State.PLAYING) \
                == Gst.StateChangeReturn.FAILURE and self.error is None:
            self.receive_pending()
            self.error = self.error or 'The pipeline does not start.'
        else:
            self.loop.run()
        self.finish()
        self.pipeline.set_state(Gst.State.NULL)
        self.line.end()
        return self.error is None

    def receive_pending(self):
        message = self.pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
        if message:
            self.error = explain(message)

    def receive(self, _bus, message):
        if message.type == Gst.MessageType.EOS:
            self.ended()
        elif message.type == Gst.MessageType.ERROR:
            # The first one is the cause.
            self.error = self.error or explain(message)
            self.loop.quit()
        else:
            self.received(message)

    def interrupted(self):
        """Receives Ctrl-C: the first one ends properly, the second one at
        once."""
        self.interrupts += 1
        if self.interrupts == 1:
            self.interrupt()
        else:
            self.error = 'It was interrupted twice and stopped at once.'
            self.loop.quit()
        return GLib.SOURCE_CONTINUE

    def ticked(self):
        self.tick()
        return GLib.SOURCE_CONTINUE

    def ended(self):
        self.loop.quit()

    def interrupt(self):
        self.loop.quit()

    def received(self, message):
        pass

    def tick(self):
        pass

    def finish(self):
        """Is called before everything stops: threads of the pipeline must not
        wait."""
