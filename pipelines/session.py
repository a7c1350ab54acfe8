# SPDX-License-Identifier: LGPL-2.1-or-later
"""What record.py, play.py and proxy.py have in common: a pipeline that runs until
it ends, fails or is interrupted, errors in words, and a line that shows how far
it has come."""
import argparse
import collections
import os
import signal
import sys
import warnings

try:
    import gi
    gi.require_version('Gst', '1.0')
    gi.require_version('GstPbutils', '1.0')
    gi.require_version('GstVideo', '1.0')
    gi.require_version('GstAudio', '1.0')
    from gi.repository import GLib, Gst, GstAudio, GstPbutils, GstVideo  # noqa: F401
except (ImportError, ValueError) as error:
    sys.exit(f'GStreamer\'s Python bindings are missing ({error}): install '
             'python3-gi and gir1.2-gst-plugins-base-1.0, or run '
             '`sh pipelines/install-packages.sh run`.')

from text import shown  # noqa: E402

# Debian has elements that scripts ask for by name in these packages.
PACKAGES = {
    'decklinkvideosrc': 'gstreamer1.0-plugins-bad',
    'v4l2src': 'gstreamer1.0-plugins-good',
    'qtmux': 'gstreamer1.0-plugins-good',
    'matroskamux': 'gstreamer1.0-plugins-good',
    'splitmuxsink': 'gstreamer1.0-plugins-good',
    'uritranscodebin': 'gstreamer1.0-plugins-bad',
    'playbin': 'gstreamer1.0-plugins-base',
    'timecodestamper': 'gstreamer1.0-plugins-bad',
}

MOSAIC = ('The pictures are the mosaic of a sensor: play.sh --reduce 1 shows them, '
          '`paco decode` makes DNG files of them, and `paco cut` copies them.')

# Elements that do not say why they cannot be opened.
DECKLINK = (': there is no such card, its driver (Blackmagic Desktop Video) is not '
            'installed, or another program uses it')
REASONS = {'decklinkvideosrc': DECKLINK, 'decklinkaudiosrc': DECKLINK}


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


class Parser(argparse.ArgumentParser):
    """Says of a program what the begin of its text says, and what is wrong with
    arguments without their control characters."""

    def __init__(self, prog, text, epilog):
        super().__init__(prog=prog, description=text.split('\n\n', 1)[0], epilog=epilog,
                         formatter_class=argparse.RawDescriptionHelpFormatter)

    def error(self, message):
        super().error(shown(message))


def end(main):
    """Ends the program as main() does, whose error a terminal can show."""
    try:
        status = main()
    except SystemExit as exited:
        status = exited.code
    sys.exit(shown(status) if isinstance(status, str) else status)


def number(kind, least, most):
    """Returns what argparse makes an int or a float of an option's text with, within
    these bounds."""
    def convert(text):
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not least <= value <= most:
            raise argparse.ArgumentTypeError(
                f'{text} is no number from {least} to {most}')
        return value

    return convert


def parse(description, make=Gst.parse_launch):
    """Makes a pipeline of a description, as gst-launch-1.0 does. Ends in ValueError
    with a sentence, also where a value is out of its range: GStreamer would use
    another one then."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter('always')
        try:
            made = make(description)
        except GLib.Error as error:
            raise ValueError(error.message) from None
    if found:
        raise ValueError(f'{found[0].message} (gst-inspect-1.0 shows ranges)')
    return made


def remove_files(paths):
    for path in paths:
        if os.path.isfile(path):
            os.remove(path)


def uri_of(name):
    """Returns the URI of a file or of what is one already."""
    if Gst.uri_is_valid(name):
        return name
    if not os.path.isfile(name):
        sys.exit(f'There is no file {name}.')
    return Gst.filename_to_uri(os.path.abspath(name))


def discover(uri):
    """Returns what GStreamer finds in a file, a GstDiscovererInfo, and the error or
    None. (discover_uri() returns nothing where there is an error.)"""
    loop, found = GLib.MainLoop(), []

    def discovered(_discoverer, *info_and_error):
        found.extend(info_and_error)
        loop.quit()

    discoverer = GstPbutils.Discoverer.new(30 * Gst.SECOND)
    discoverer.connect('discovered', discovered)
    discoverer.start()
    discoverer.discover_uri_async(uri)
    loop.run()
    discoverer.stop()
    return found


# How many streams of pictures there are, how many channels each one of sound has, how
# many streams of text there are, nanoseconds, and lists of tags.
Contents = collections.namedtuple('Contents', 'pictures sounds texts duration tags')


def tracks(part):
    """Yields the streams of what GStreamer found, each one once: a parser's is another
    one for GStreamer."""
    if isinstance(part, GstPbutils.DiscovererContainerInfo):
        for inner in part.get_streams():
            yield from tracks(inner)
    elif part:
        yield part


def streams(uri, wants_sound=True):
    """Returns what is in a file, as Contents. Ends the program where pictures or sound have no decoder; sound needs
    none unless it is wanted."""
    info, error = discover(uri)
    if info.get_result() == GstPbutils.DiscovererResult.MISSING_PLUGINS:
        for detail in info.get_missing_elements_installer_details():
            kind, sentence = lacking(detail)
            if error or kind == 'video' or (kind == 'audio' and wants_sound):
                sys.exit(f'{uri}: {sentence}')
    if error:
        sys.exit(f'{uri} cannot be read: {error.message}')
    tags = [found for found in (part.get_tags() for part in (
        info.get_stream_info(), *info.get_stream_list()) if part) if found]
    parts = list(tracks(info.get_stream_info()))
    return Contents(
        sum(isinstance(part, GstPbutils.DiscovererVideoInfo) for part in parts),
        [part.get_channels() for part in parts
         if isinstance(part, GstPbutils.DiscovererAudioInfo)],
        sum(isinstance(part, GstPbutils.DiscovererSubtitleInfo) for part in parts),
        info.get_duration(), tags)


def lacking(detail):
    """Returns what a plugin is missing for ('video', 'audio' or another word) and a
    sentence. The detail is what an installer of plugins is passed."""
    what, needed = detail.split('|')[3:5]
    part, _, kind = needed.partition('/')[0].partition('-')
    if needed.startswith('decoder-video/x-bayer'):
        return kind, MOSAIC
    where = ' Many decoders are in the packages gstreamer1.0-libav and ' \
        'gstreamer1.0-plugins-ugly.' if part == 'decoder' else ''
    return kind, f'GStreamer lacks a plugin: {what}.{where}'


def lacking_of(message):
    """Returns the same for a message of the bus, or two empty strings."""
    if not GstPbutils.is_missing_plugin_message(message):
        return '', ''
    return lacking(
        GstPbutils.missing_plugin_message_get_installer_detail(message))


def explain(message, lack=''):
    """Returns an error message of the bus as one sentence. `lack` is the sentence
    about a plugin that is missing, if one is: the cause of errors in streams."""
    error, debug = message.parse_error()
    if lack and (error.matches(Gst.CoreError.quark(),
                               Gst.CoreError.MISSING_PLUGIN)
                 or error.domain == GLib.quark_to_string(
                     Gst.StreamError.quark())):
        return lack
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
        text = shown(text)
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
        print(shown(text), file=sys.stderr, flush=True)


class Polled:
    """A pipeline that is read and written in loops. Every wait also looks for errors,
    which are raised as `failure`."""

    failure = RuntimeError

    def __init__(self, pipeline):
        self.pipeline, self.bus = pipeline, pipeline.get_bus()
        self.warnings, self.ended = [], False
        self.lack = {}  # sentences about missing plugins, by what they are for

    def listen(self, wait=0):
        """Takes what the bus has, and waits so long for something. Returns whether the
        stream has ended."""
        while message := self.bus.timed_pop_filtered(
                wait, Gst.MessageType.ERROR | Gst.MessageType.WARNING
                | Gst.MessageType.EOS | Gst.MessageType.ELEMENT):
            wait = 0
            if message.type == Gst.MessageType.ERROR:
                raise self.failure(explain(message, self.lacking()))
            if message.type == Gst.MessageType.ELEMENT:
                kind, sentence = lacking_of(message)
                if kind:
                    self.lack.setdefault(kind, sentence)
            elif message.type == Gst.MessageType.WARNING:
                self.warnings.append(message.parse_warning()[0].message)
            else:
                self.ended = True
        return self.ended

    def lacking(self):
        """Returns a sentence if a plugin is missing, else an empty string."""
        return next(iter(self.lack.values()), '')

    def close(self):
        self.pipeline.set_state(Gst.State.NULL)


class Session:
    """Runs a pipeline. Subclasses say what a tick, an interruption and messages
    other than the end and an error mean."""

    TICK_MS = 250

    def __init__(self, pipeline, quiet=False):
        self.pipeline = pipeline
        self.line = StatusLine(quiet)
        self.loop = GLib.MainLoop()
        self.error = None  # a sentence, when it failed
        self.lack = ''  # a sentence, when a plugin is missing
        self.interrupts = 0
        bus = pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect('message', self.receive)
        for number in (signal.SIGINT, signal.SIGTERM):
            GLib.unix_signal_add(GLib.PRIORITY_HIGH, number, self.interrupted)
        GLib.timeout_add(self.TICK_MS, self.ticked)

    def run(self):
        """Runs it, and returns True when it came to its end without an error."""
        sys.excepthook = self.failed
        if self.begin():
            self.loop.run()
        self.finish()
        self.pipeline.set_state(Gst.State.NULL)
        self.line.end()
        return self.error is None

    def failed(self, kind, value, trace):
        """Takes what a probe or another callback raises. GStreamer goes on then, but
        drops what the probe was given."""
        sys.__excepthook__(kind, value, trace)
        self.error = self.error or (
            f'This script failed in between ({kind.__name__}: {value}): something '
            'may be missing.')

    def begin(self):
        """Starts it, and returns False where that fails."""
        if self.pipeline.set_state(Gst.State.PLAYING) \
                == Gst.StateChangeReturn.FAILURE and self.error is None:
            self.receive_pending()
            self.error = self.error or 'The pipeline does not start.'
        return self.error is None

    def open_sources(self):
        """Opens devices, before filesink makes a file. Returns False where that
        fails."""
        sources = []
        self.pipeline.iterate_sources().foreach(sources.append)
        for source in reversed(sources):
            if source.set_state(Gst.State.READY) == Gst.StateChangeReturn.FAILURE:
                self.receive_pending()
                name = source.get_factory().get_name()
                self.error = self.error or \
                    f'{name} cannot be opened{REASONS.get(name, "")}.'
        return self.error is None

    def receive_pending(self):
        while message := self.pipeline.get_bus().pop_filtered(
                Gst.MessageType.ERROR | Gst.MessageType.ELEMENT):
            self.receive(None, message)

    def receive(self, _bus, message):
        if message.type == Gst.MessageType.EOS:
            self.ended()
        elif message.type == Gst.MessageType.ERROR:
            # The first one is the cause.
            self.error = self.error or explain(message, self.lack)
            self.loop.quit()
        elif GstPbutils.is_missing_plugin_message(message):
            self.lacks(*lacking_of(message))
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

    def lacks(self, _kind, sentence):
        """Receives what a plugin is missing for. The error may come later."""
        self.lack = self.lack or sentence

    def received(self, message):
        pass

    def tick(self):
        pass

    def finish(self):
        """Is called before everything stops: threads of the pipeline must not
        wait."""
