# SPDX-License-Identifier: LGPL-2.1-or-later
"""Jobs that make PaCo of a film, by ranges of time: of what GStreamer plays, with
pacoenc. farm.py calls plan(), make(), check() and join().

A picture belongs to the range in which its time lies, so that none is coded twice and
none is lost wherever the ranges begin. As a proof each range also says when the
picture before its first one is shown, and the one after its last one: join compares
them with what its neighbours have."""
import os
import subprocess

import tool
from job import FarmError, TaskError, share
from media import (MUXERS, Gst, Muxing, Sink, Source, bin_of, elements_of, on_one_line,
                   start, time_of)

FRAMES = 240  # of a range, if nobody asks for another number
SECOND = 10**9


def uri_of(path):
    return Gst.filename_to_uri(path)


def is_paco(encoder):
    """Says whether a bin ends with PaCo."""
    caps = encoder.get_static_pad('src').query_caps(None)
    return any(caps.get_structure(i).get_name() == 'video/x-paco'
               for i in range(caps.get_size()))


def stack_of(encoder):
    """Returns how many pictures the elements of a bin code together (pacoenc
    stack=N)."""
    return max((element.get_property('stack') for element in elements_of(encoder)
                if element.get_factory().get_name() == 'pacoenc'), default=1)


def rate_of(sample):
    """Returns (numerator, denominator), or None where frames come as they
    like."""
    known, n, d = sample.get_caps().get_structure(0).get_fraction('framerate')
    return (n, d) if known and n > 0 and d > 0 else None


def frame_length(rate):
    """Returns the length of a frame in ns, which is a guess where frames come
    as they like."""
    return SECOND * rate[1] / rate[0] if rate else SECOND / 25


def boundaries(first, duration, rate, args, stack):
    """Returns where ranges begin and end, in ns: halfway between two frames,
    if there is a rate, and where a stack of N pictures begins. The
    first range begins and the last one ends with the stream."""
    length = frame_length(rate)
    total = max(1, round((duration - first) / length))
    frames = -(-share(total, args, FRAMES) // stack) * stack
    cuts = [round(first + (number - 0.5) * length)
            for number in range(frames, total, frames)]
    return list(zip([0] + cuts, cuts + [None]))


def plan(source, out, args):
    """Returns what job.py keeps of the job; see there."""
    start()
    encoder = bin_of(args.encoder)
    if not is_paco(encoder):
        raise FarmError(f'{out}: "{args.encoder}" makes no PaCo.')
    pictures = Source(uri_of(source))
    try:
        sample = pictures.preroll()
        if sample is None:
            raise FarmError(pictures.lacking()
                            or f'There are no pictures in {source}.')
        duration = pictures.duration()
        if duration is None or not pictures.can_seek():
            raise FarmError(f'{source} does not say how long it lasts, or cannot be '
                            'sought in. Copy it into another container before, a '
                            '.paco file with a frame rate.')
        cuts = boundaries(time_of(sample), duration, rate_of(sample), args,
                          stack_of(encoder))
    finally:
        pictures.close()
    return {
        'extension': '.paco',
        'options': {'encoder': args.encoder, 'frame': frame_length(rate_of(sample))},
        'ranges': [{'from': begin, 'to': end} for begin, end in cuts],
    }


class Part(Sink):
    """Codes pictures and writes a part."""

    def __init__(self, job, path):
        super().__init__()
        encoder = bin_of(job.plan['options']['encoder'])
        self.pipeline.add(encoder)
        self.input.link(encoder)
        encoder.link(self.make('filesink', location=path))
        self.set_state(Gst.State.PLAYING)


class Range:
    """The pictures of a source whose time lies in [begin, end)."""

    def __init__(self, pictures, begin, end):
        self.pictures, self.begin, self.end = pictures, begin, end
        self.earlier = 0  # pictures that came before
        self.before = self.after = None  # times of the neighbours
        self.times, self.ends, self.damaged = [], None, 0

    def samples(self):
        for sample in self.pictures.samples():
            shown = time_of(sample)
            if self.end is not None and shown >= self.end:
                self.after = shown
                return
            if shown < self.begin:
                self.earlier += 1
                self.before = shown
                continue
            if self.times and shown <= self.times[-1]:
                raise TaskError(f'Two pictures of the source are shown at {shown} '
                                'ns, or they come in disorder.')
            self.times.append(shown)
            buffer = sample.get_buffer()
            self.damaged += buffer.has_flags(Gst.BufferFlags.CORRUPTED)
            length = buffer.duration
            self.ends = shown + (0 if length == Gst.CLOCK_TIME_NONE else length)
            yield on_one_line(sample)

    def facts(self):
        return {'frames': len(self.times), 'before': self.before,
                'after': self.after, 'times': self.times, 'end': self.ends,
                'damaged': self.damaged,
                'warnings': self.pictures.warnings[:3]}


def attempt(job, begin, end, path, margin):
    """Codes a range. Reading begins N ns before it (None: at the begin
    of the stream). Returns facts, or None if that was not early enough to
    see where it begins."""
    where = 0 if margin is None else max(0, begin - margin)
    pictures = Source(uri_of(job.plan['source']))
    part = None
    try:
        if where:
            pictures.seek(where)
        found = Range(pictures, begin, end)
        for sample in found.samples():
            # The time of the first picture behind a seek may be cut off.
            if where and found.earlier < 2:
                return None
            part = part or Part(job, path)
            part.push(sample)
        if part:
            part.finish()
        else:
            with open(path, 'wb'):
                pass
        return found.facts()
    finally:
        pictures.close()
        if part:
            part.close()


def make(job, number, path):
    """Makes a part, and returns what its record is to say."""
    start()
    this = job.range(number)
    few = round(3.5 * job.plan['options']['frame'])
    for margin in (few, 2 * SECOND, 10 * SECOND, None):
        facts = attempt(job, this['from'], this['to'], path, margin)
        if facts is not None:
            return facts
    raise AssertionError('reading from the begin on is always early enough')


def same(one, other, times):
    """Says whether these are the times of the same picture."""
    if one is None or other is None:
        return one is other
    gap = times[1] - times[0] if len(times) > 1 else SECOND // 100
    return abs(one - other) < gap / 4


def check(job, records):
    """Raises an error unless the parts make a film without gaps."""
    filled = [record for record in records if record['frames']]
    if not filled:
        raise FarmError(f'There are no pictures in {job.plan["source"]}.')
    for one, other in zip([None] + filled, filled + [None]):
        met = True
        if one:
            met = same(one['after'], other and other['times'][0], one['times'])
        if other:
            met = met and same(other['before'], one and one['times'][-1],
                               other['times'])
        if not met:
            names = [f'range {record["range"]}' if record else f'the {what}'
                     for record, what in ((one, 'begin'), (other, 'end'))]
            raise FarmError(f'A picture is missing, or there twice, between '
                            f'{names[0]} and {names[1]}: reading the source from '
                            'different moments on gives other pictures. Make a job '
                            'of one range (--ranges 1).')


def paco_parts(job, records):
    """Returns the parts of PaCo that have frames."""
    return [job.part_path(record['range']) for record in records
            if record['frames']]


def join(job, records, out):
    """Writes the film to the file out, which is not there yet."""
    start()
    if job.plan['out'].endswith('.paco'):
        tool.run('join', '--quiet', *paco_parts(job, records), out)
        return
    film = Muxing(MUXERS[os.path.splitext(job.plan['out'])[1]],
                  uri_of(job.plan['source']), out)
    try:
        for sample in samples_of(job, records):
            film.push(sample)
        film.finish()
    finally:
        film.close()


class Frames(Source):
    """Frames of a codestream that is read from a file descriptor."""

    def __init__(self, descriptor):
        super(Source, self).__init__()
        source, parser = self.make('fdsrc', fd=descriptor), self.make('pacoparse')
        self.sink = self.make('appsink', sync=False, max_buffers=3,
                              enable_last_sample=False)
        source.link(parser)
        parser.link(self.sink)


def samples_of(job, records):
    """Yields the frames of a joined codestream, with the times that the source
    has."""
    times = [shown for record in records for shown in record['times']]
    times.append(max(times[-1], records_end(records)))
    process = tool.start('join', '--quiet', *paco_parts(job, records), '-',
                         stdout=subprocess.PIPE)
    frames = Frames(process.stdout.fileno())
    count = 0
    try:
        segment = Gst.Segment.new()
        segment.init(Gst.Format.TIME)
        for sample in frames.samples():
            if count + 1 == len(times):
                raise TaskError('The parts have more frames than they say.')
            buffer = sample.get_buffer().copy()
            buffer.pts = times[count]
            buffer.dts = times[count]
            buffer.duration = times[count + 1] - times[count]
            count += 1
            yield Gst.Sample.new(buffer, sample.get_caps(), segment, None)
    finally:
        frames.close()
        process.stdout.close()
        process.wait()
    tool.end(process, 'join')
    if count + 1 != len(times):
        raise TaskError(f'The parts have {count} frames, and not '
                        f'{len(times) - 1}.')


def records_end(records):
    return max(record['end'] for record in records if record['frames'])
