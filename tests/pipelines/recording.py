#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""recording.py: record.sh records what it says, and what it has written plays
however it was ended: by a number of frames, Ctrl-C, kill -9, a full disk."""
import glob
import http.server
import os
import re
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
from scripts import (FOLDER, ODD, SHOWN, Gst, GstVideo, check, command,  # noqa: E402
                     decode, launch, played, run, run_to_end, without_decoder)
sys.path.insert(0, FOLDER)
import timecode  # noqa: E402

SMALL = ('--caps', 'width=320,height=240,framerate=25/1')
KINDS = 'mov', 'mkv', 'paco'
FRAME = 40000000  # nanoseconds
TINY = 'videotestsrc num-buffers=5 ! video/x-raw,width=64,height=48,framerate=25/1'
STAMPED = ('timecodestamper set=always source=internal '
           'set-internal-timecode=10:20:30:00')
LACKING = 'GStreamer lacks a plugin: '


def frames_said(output):
    found = re.search(r': (\d+) frames, [\d:.]+, .*, (\d+) dropped$', output,
                      re.MULTILINE)
    check(found, 'there is no summary', output)
    return int(found[1]), int(found[2])


def check_file(path, frames, with_sound):
    streams = played(path)
    check(streams['video'].count == frames, f'{path} has '
          f'{streams["video"].count} frames of {frames}')
    check(('audio' in streams) == with_sound, f'{path}: sound')
    if with_sound:
        apart = streams['audio'].end - streams['video'].end
        # On a busy machine live sound ends a few buffers early or late; whether it
        # is in step with the pictures check_sync() asks of sources that are not.
        check(abs(apart) <= 5 * FRAME, f'{path}: sound ends {apart} ns later')


def check_kinds():
    """Records N frames exactly, of every kind of file, with sound."""
    for kind in KINDS:
        path = f'all.{kind}'
        output = run('record.sh', *SMALL, '--frames', 20, path)
        check(frames_said(output)[0] == 20, 'frames', output)
        check_file(path, 20, kind != 'paco')
    # The test scene takes bytes as camera pictures do, of which quickstart's scene
    # takes 0.46 bits a sample.
    bits = os.path.getsize('all.paco') * 8 / (20 * 320 * 240 * 2)
    check(0.3 < bits < 3, f'the test scene takes {bits} bits a sample')
    output = run('record.sh', *SMALL, '--seconds', 0.5, '--moov', 'reserved',
                 '--preset', 'low-latency', '--encoder', 'threads=1',
                 'reserved.mov')
    check_file('reserved.mov', 13, True)
    sizes = []
    for encoder in '', 'quality=20':
        run('record.sh', *SMALL, '--frames', 3, '--overwrite', '--sound', 'none',
            '--preset', 'proxy', '--encoder', encoder, 'preset.mov')
        sizes.append(os.path.getsize('preset.mov'))
    check(sizes[1] < sizes[0], 'the preset is stronger than --encoder', sizes)


def check_sources():
    """Records a file with its sound, and elements."""
    output = run('record.sh', '--quiet', '--source', 'all.mkv', '--preset',
                 'cinema-lossless', 'again.mov')
    check(frames_said(output) == (20, 0), 'a file', output)
    check_file('again.mov', 20, True)
    run('record.sh', '--quiet', '--source', 'all.mkv', '--sound', 'none',
        'silent.mov')
    check_file('silent.mov', 20, False)
    run('record.sh', '--source', 'videotestsrc num-buffers=9 ! identity',
        '--sound', 'audiotestsrc num-buffers=5', *SMALL, 'elements.mkv')
    check('audio' in played('elements.mkv'), 'sound of elements')
    check(played('elements.mkv')['video'].count == 9, 'elements')
    # Live sound has no end, and ends with the pictures.
    for more in '', ' is-live=true':
        run('record.sh', '--overwrite', '--source', f'videotestsrc num-buffers=9{more}',
            '--sound', 'audiotestsrc is-live=true', *SMALL, 'live.mov')
        check_file('live.mov', 9, True)
    # The last of the sound's buffers has 30 samples before the pictures end.
    offset = round(Gst.SECOND * (0.01 - 30 / 48000))
    for kind in 'mov', 'mkv':
        run('record.sh', '--frames', 9, '--source', 'videotestsrc ! identity', '--sound',
            f'audiotestsrc samplesperbuffer=480 timestamp-offset={offset} ! '
            'audio/x-raw,rate=48000', *SMALL, f'short.{kind}')
        check_file(f'short.{kind}', 9, True)


def check_tracks():
    """Checks that a file's sound is all kept, and its timecode, in frames and in a
    track."""
    silence = 'audiotestsrc wave=silence samplesperbuffer={0} num-buffers=10 ! ' \
        'audio/x-raw,rate={0}0,channels={1} ! queue ! mux.audio_{2}'
    text = ('appsrc name=text format=time caps=text/x-raw,format=utf8 ! '
            'mux.subtitle_0 ')
    for kind, mux, more in ('mov', 'qtmux', ''), ('mkv', 'matroskamux', text):
        source = Gst.parse_launch(
            'videotestsrc num-buffers=30 ! video/x-raw,width=64,height=48,'
            'framerate=30000/1001 ! timecodestamper set=always source=internal '
            f'drop-frame=true name=stamper ! jpegenc ! queue ! mux.video_0 {mux} '
            f'name=mux ! filesink location=source.{kind} '
            f'{silence.format(800, 1, 0)} {silence.format(4800, 2, 1)} {more}')
        source.get_by_name('stamper').set_property(
            'set-internal-timecode',
            GstVideo.VideoTimeCode.new_from_string('01:01:59;20'))
        if more:
            source.get_by_name('mux').add_tag_value(
                Gst.TagMergeMode.REPLACE, 'composer', '11_letters_')
            write_text(source.get_by_name('text'))
        run_to_end(source, f'source.{kind}')
        # matroskamux has no tag for timecodes, which other programs write.
        with open(f'source.{kind}', 'r+b') as file:
            data = file.read()
            file.seek(0)
            file.write(data.replace(b'COMPOSER', b'TIMECODE').replace(
                b'11_letters_', b'01:01:59;20'))
        for out in KINDS:
            output = run('record.sh', '--overwrite', '--quiet', '--source',
                         f'source.{kind}', f'kept.{out}')
            check(('1 of its streams of text' in output) == (kind == 'mkv'),
                  'text is not named', output)
            found = chunks_of(f'kept.{out}')
            check(len(found) == 30 and found[0] == (20, 1, 1, 59, 0, 1)
                  and found[-1] == (21, 1, 2, 0, 0, 1), f'{kind} to {out}', found)
            counted = sounds_of(f'kept.{out}')
            check(counted == ([] if out == 'paco' else [(8000, 1), (48000, 2)]),
                  f'{kind} to {out}: sound', counted)
        check(timecode.of_mov('kept.mov') == '01:01:59;20', 'a track')
        # Room is reserved for the length of the file.
        check(os.path.getsize('kept.mov') < 1000000, 'the table is too large')
    for number, count, drop, text in (
            (107999, 30, False, '00:59:59:29'), (1800, 30, True, '00:01:00;02'),
            (17982, 30, True, '00:10:00;00'), (3600, 60, True, '00:01:00;04'),
            (1799, 30, True, '00:00:59;29'), (17981, 30, True, '00:09:59;29')):
        check(timecode.text_of(number, count, drop) == text, text,
              timecode.text_of(number, count, drop))


def check_parts_of_files():
    """Checks that sound ends with the pictures where a part of a file is asked for; and
    that all of it is there if not."""
    run_to_end(Gst.parse_launch(
        f'{TINY.replace("=5", "=50")} ! pacoenc ! queue ! mux. qtmux name=mux ! '
        'filesink location=long.mov audiotestsrc samplesperbuffer=800 num-buffers=30 ! '
        'audio/x-raw,rate=8000 ! queue ! mux. audiotestsrc samplesperbuffer=4800 '
        'num-buffers=30 ! audio/x-raw,rate=48000,channels=1 ! queue ! mux.'), 'long.mov')
    for kind in 'mov', 'mkv':
        for arguments, frames, end in ((('--seconds', 1), 25, 1), (('--frames', 7), 7, .28),
                                       ((), 50, 3)):
            run('record.sh', '--overwrite', '--source', 'long.mov', *arguments,
                f'part.{kind}')
            streams = played(f'part.{kind}')
            check(streams['video'].count == frames, 'frames', arguments)
            check(abs(streams['audio'].end / 1e9 - end) < 0.002, 'sound of a part '
                  f'ends at {streams["audio"].end / 1e9} s, not {end}', arguments)


def check_channels():
    """Checks that sound of more than two channels keeps them, and that a file of
    PaCo is one stream of pictures."""
    run_to_end(Gst.parse_launch(
        'videotestsrc num-buffers=25 ! video/x-raw,width=64,height=48 ! pacoenc ! '
        'queue ! mux. matroskamux name=mux ! filesink location=six.mkv '
        'audiotestsrc samplesperbuffer=800 num-buffers=10 ! audio/x-raw,rate=8000,'
        'channels=6,channel-mask=(bitmask)0x3f ! queue ! mux.'), 'six.mkv')
    for out in 'mov', 'mkv':
        output = run('record.sh', '--source', 'six.mkv', f'channels.{out}')
        check('not recorded' not in output, 'streams', output)
        check(sounds_of(f'channels.{out}') == [(8000, 6)], 'channels')


def write_text(source):
    """Ends a stream of text after one line."""
    line = Gst.Buffer.new_wrapped(b'a line')
    line.pts, line.duration = 0, Gst.SECOND
    source.emit('push-buffer', line)
    source.emit('end-of-stream')


def chunks_of(path):
    """Returns (frame, hours, minutes, seconds, fields, flags) of the timecode in each
    frame of a file of 30000/1001 pictures a second."""
    begin = struct.pack('<HHII', 9, 17, 30000, 1001)
    with open(path, 'rb') as file:
        return [struct.unpack('<IBBBBB', found[1]) for found in re.finditer(
            re.escape(begin) + b'(.{9})', file.read(), re.DOTALL)]


def sounds_of(path):
    """Returns (rate, channels) of each track of sound."""
    found = []

    def probe_of(kind):
        def look(pad, _info):
            caps = pad.get_current_caps().get_structure(0)
            if kind == 'audio':
                found.append((caps.get_int('rate')[1], caps.get_int('channels')[1]))
            return Gst.PadProbeReturn.REMOVE

        return look

    decode(path, probe_of)
    return sorted(found)


def check_table():
    """Checks that a table at the begin of a MOV file has room for many pictures a
    second, and that a recording with timecodes and such a table plays when it was
    killed."""
    output = run('record.sh', '--moov', 'reserved', '--max-seconds', 12, '--source',
                 'videotestsrc num-buffers=2880', '--caps',
                 'width=16,height=16,framerate=240/1', 'fast.mov')
    check(frames_said(output) == (2880, 0), 'frames', output)
    check(played('fast.mov')['video'].count == 2880, 'fast.mov')
    # A table of two seconds is full after some more; the recording ends before that.
    output = run('record.sh', *SMALL, '--max-seconds', 1, '--source',
                 f'videotestsrc is-live=true ! {STAMPED}', '--sound',
                 'audiotestsrc is-live=true', 'full.mov', status=1)
    check('--max-seconds' in output.splitlines()[-1], 'a full table', output)
    check(timecodes_of('full.mov') == frames_said(output)[0] * [True], 'full.mov')


class Endless(http.server.BaseHTTPRequestHandler):
    """Gives endless.mkv without saying how long it is."""

    def do_GET(self):  # pylint: disable=invalid-name
        self.send_response(200)
        self.end_headers()
        with open('endless.mkv', 'rb') as file:
            self.wfile.write(file.read())

    def log_message(self, *_arguments):  # pylint: disable=arguments-differ
        pass


def check_unknown_length():
    """Checks that the table of a recording has room where nothing says how long its
    source is."""
    if not Gst.uri_protocol_is_supported(Gst.URIType.SRC, 'http'):
        print('skipped: no plugin reads http')
        return
    launch(f'{TINY.replace("=5", "=150")} ! {STAMPED} ! pacoenc ! '
           'matroskamux streamable=true ! filesink location=endless.mkv')
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Endless)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    output = run('record.sh', '--quiet', '--sound', 'none', '--source',
                 f'http://127.0.0.1:{server.server_port}/endless.mkv', 'endless.mov')
    server.shutdown()
    check(frames_said(output) == (150, 0), 'frames', output)
    check(timecodes_of('endless.mov') == 150 * [True], 'endless.mov')


def check_losses():
    """Checks that a recording ends with an error if frames are lost on their way to the
    file, or if a probe fails."""
    for probe, said in (('1 / 0', 'ZeroDivisionError: division by zero'),
                        ('record.Gst.PadProbeReturn.DROP',
                         '5 of the coded frames did not go to the file.')):
        program = (f'import sys; sys.path.insert(0, {FOLDER!r}); import record; '
                   f'record.choose_moov = lambda *_: {probe}; '
                   'record.end(record.main)')
        process = subprocess.run(
            [sys.executable, '-c', program, '--quiet', '--sound', 'none',
             '--overwrite', '--source', TINY, 'lost.mov'],
            capture_output=True, text=True, check=False, timeout=60)
        check(process.returncode == 1 and said in process.stderr, probe,
              process.stderr)


def check_sync():
    """Checks that, whichever begins first, the sound begins with the pictures."""
    for kind, more in ('mov', ()), ('mov', ('--moov', 'reserved')), ('mkv', ()):
        for picture, sound, end in ((490, 0, 1.51), (0, 490, 2.49)):
            run('record.sh', '--quiet', '--overwrite', *more, '--source',
                f'videotestsrc num-buffers=50 timestamp-offset={picture}000000',
                '--sound', 'audiotestsrc num-buffers=125 samplesperbuffer=128 '
                f'timestamp-offset={sound}000000 ! audio/x-raw,rate=8000',
                '--caps', 'width=64,height=48,framerate=25/1', f'sync.{kind}')
            streams = played(f'sync.{kind}')
            check(streams['video'].count == 50, 'frames')
            check(abs(streams['audio'].end / 1e9 - end) < 0.003,
                  f'sound ends at {streams["audio"].end / 1e9} s, not {end}')


def check_timecodes():
    """Checks that pictures with timecodes are read back whole, with timecodes,
    whatever the file and whenever the recording was killed."""
    options = '--quiet', *SMALL, '--source'
    killed = {'cut.mov': (), 'cut-fragments.mov': ('--moov', 'fragmented')}
    processes = [subprocess.Popen(command(
        'record.sh', *options, f'videotestsrc is-live=true ! {STAMPED}', *more, path))
        for path, more in killed.items()]
    wait_for(lambda: all(map(os.path.isfile, killed)), 'no files')
    time.sleep(5)
    for process in processes:
        process.kill()
        process.wait()
    frames = dict.fromkeys(killed)
    for path, *more in (('timecodes.mov',), ('timecodes.mkv',),
                        ('timecodes.paco',),
                        ('reserved-timecodes.mov', '--moov', 'reserved'),
                        ('fragments.mov', '--moov', 'fragmented'),
                        ('parts.mov', '--segment-seconds', 1)):
        output = run('record.sh', *options, f'videotestsrc ! {STAMPED}', *more,
                     '--frames', 60, path)
        check(frames_said(output) == (60, 0), 'frames', output)
        frames[path] = 60
    del frames['parts.mov']
    frames.update({'parts-00000.mov': 25, 'parts-00001.mov': 25,
                   'parts-00002.mov': 10})
    for path, count in frames.items():
        found = timecodes_of(path)
        check(len(found) >= 25 or count, f'{path}: {len(found)} frames play')
        check(found and found == (count or len(found)) * [True],
              f'{path}: not {count} timecodes', found)
    for path, begin in {'cut.mov': '10:20:30:00', 'timecodes.mov': '10:20:30:00',
                        'cut-fragments.mov': None, 'fragments.mov': None,
                        'parts-00002.mov': '10:20:32:00'}.items():
        found = timecode.of_mov(path)
        check(found == begin, f'{path}: a track from {found} on, not {begin}')


def check_late_timecodes():
    """Checks that timecodes that do not come with the first picture are in the frames,
    and that a line says that there is no track of them."""
    output = run('record.sh', '--quiet', '--source', f'{TINY} ! all. {TINY} ! '
                 f'{STAMPED} ! all. concat name=all ! identity single-segment=true',
                 'late.mov')
    check('no track' in output, 'late timecodes', output)
    check(timecodes_of('late.mov') == 5 * [False] + 5 * [True], 'late.mov')


def check_mosaics():
    """Checks that the mosaic of a sensor is recorded bit by bit, whether the source or
    --caps asks for it."""
    fields = 'format=grbg,width=64,height=48,framerate=25/1'
    source = 'videotestsrc num-buffers=5'
    launch(f'{source} ! video/x-bayer,{fields} ! filesink location=mosaic.raw')
    begin = {'mov': 'qtdemux ! pacoparse', 'mkv': 'matroskademux ! pacoparse',
             'paco': 'pacoparse'}
    for kind, parser in begin.items():
        for arguments in (('--source', f'{source} ! video/x-bayer,{fields}'),
                          ('--source', source, '--caps', fields)):
            run('record.sh', '--overwrite', '--encoder', 'rate-control=lossless',
                '--sound', 'audiotestsrc num-buffers=5',
                *arguments, f'mosaic.{kind}')
            launch(f'filesrc location=mosaic.{kind} ! {parser} ! pacodec ! '
                   f'video/x-bayer,format=grbg ! filesink location={kind}.raw')
            with open('mosaic.raw', 'rb') as one, open(f'{kind}.raw', 'rb') as other:
                check(one.read() == other.read(), f'mosaic.{kind}')


def timecodes_of(path):
    """Returns for each picture of a file whether it has a timecode."""
    Gst.init(None)
    kind, found = GstVideo.video_time_code_meta_api_get_type(), []

    def look(_pad, info):
        found.append(info.get_buffer().get_meta(kind) is not None)
        return Gst.PadProbeReturn.OK

    decode(path, lambda kind: look if kind == 'video' else pass_on)
    return found


def pass_on(_pad, _info):
    return Gst.PadProbeReturn.OK


def check_segments():
    for kind, more in ('mov', ()), ('mkv', ()), ('mov', ('--moov', 'reserved',
                                                       '--max-seconds', 60)):
        base = f'part%{len(more)}'
        run('record.sh', *SMALL, *more, '--frames', 60, '--segment-seconds', 1,
            f'{base}.{kind}')
        paths = sorted(glob.glob(f'{base}-*.{kind}'))
        check(len(paths) >= 3, 'segments', paths)
        count = sum(played(path)['video'].count for path in paths)
        check(count == 60, f'{count} frames in segments')
    run('record.sh', *SMALL, '--frames', 30, '--segment-mb', 0.05, 'size.mkv')
    check(len(glob.glob('size-*.mkv')) > 1, 'segments by size')


def check_drops():
    """Checks that pictures that come too fast are dropped and counted."""
    output = run('record.sh', '--source', 'videotestsrc is-live=true '
                 'pattern=snow', '--caps', 'width=640,height=480,'
                 'framerate=2000/1', '--queue-mb', 2, '--encoder', 'threads=1 '
                 'rate-control=lossless coding-passes=3 complexity=0',
                 '--frames', 150, 'drops.mov')
    frames, dropped = frames_said(output)
    check(frames == 150 and dropped > 0, 'drops', output)
    check_file('drops.mov', 150, False)
    # What left the source until the last frame was recorded is one or the other.
    first_to_last = played('drops.mov')['video'].end // 500000
    check(abs(first_to_last - frames - dropped) <= 10,
          f'{first_to_last} pictures came', output)


def wait_for(condition, what):
    deadline = time.monotonic() + 240
    while not condition():
        check(time.monotonic() < deadline, what)
        time.sleep(0.2)


def check_interrupt():
    with subprocess.Popen(command('record.sh', *SMALL, 'interrupted.mov'),
                          text=True, stderr=subprocess.PIPE) as process:
        wait_for(lambda: os.path.isfile('interrupted.mov')
                 and os.path.getsize('interrupted.mov') > 20000, 'no file')
        process.send_signal(signal.SIGINT)
        output = process.communicate(timeout=240)[1]
    check(process.returncode == 0, f'status {process.returncode}', output)
    check_file('interrupted.mov', frames_said(output)[0], True)


def check_kill():
    """Checks that whenever a recording is killed, all but its last second
    plays."""
    recordings = [(f'killed.{kind}', ()) for kind in KINDS]
    recordings.append(('killed-reserved.mov', ('--moov', 'reserved')))
    processes = [subprocess.Popen(command('record.sh', '--quiet', *SMALL, *more,
                                          path))
                 for path, more in recordings]
    paths = [path for path, _more in recordings]
    wait_for(lambda: all(map(os.path.isfile, paths)), 'no files')
    time.sleep(5)
    for process in processes:
        process.kill()
        process.wait()
    for path in paths:
        count = played(path)['video'].count
        # Clusters, fragments and the table's updates have a second; the rest is
        # for machines on which four recordings start slowly.
        check(count >= 25, f'{path}: {count} frames play')


def check_limit():
    """Checks that a file that may not grow any more ends the recording with a
    sentence."""
    size = 600000

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    for kind in KINDS:
        path = f'limit.{kind}'
        output = run('record.sh', '--source', 'videotestsrc pattern=snow',
                     '--sound', 'audiotestsrc',
                     '--caps', 'width=320,height=240,framerate=25/1', path,
                     status=1, preexec_fn=limit)
        check('ulimit -f' in output.splitlines()[-1]
              and 'was written' in output.splitlines()[-1], 'limit', output)
        check(played(path)['video'].count >= 1, f'nothing of {path} plays')


def check_full_disk():
    """Records on a small file system, where one can be had."""
    os.mkdir('small')
    mounted = subprocess.run(
        ['mount', '-t', 'tmpfs', '-o', 'size=6m', 'none', 'small'],
        check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if mounted.returncode:
        print('A small file system cannot be mounted here: a disk that is '
              'nearly full is not tried.')
        return
    try:
        for kind in KINDS:
            path = f'small/full.{kind}'
            output = run(
                'record.sh', '--source', 'videotestsrc is-live=true '
                'pattern=snow', '--sound', 'audiotestsrc is-live=true',
                '--caps', 'width=320,height=240,framerate=25/1', path,
                status=1)
            check('nearly full' in output.splitlines()[-1], 'full', output)
            check_file(path, frames_said(output)[0], kind != 'paco')
            os.remove(path)
        # Without an interval for the look at the disk, it fills up.
        output = run('record.sh', '--source', 'videotestsrc pattern=snow '
                     'num-buffers=500', '--queue-mb', 4, '--encoder',
                     'quality=100', '--caps',
                     'width=640,height=480,framerate=25/1', 'small/full.mkv',
                     status=1)
        check('full' in output.splitlines()[-1], 'full', output)
        played('small/full.mkv')
        output = run('record.sh', 'small/b.mov', status=1)
        check('There is no room in' in output, 'no room', output)
    finally:
        subprocess.run(['umount', 'small'], check=True)


def check_errors():
    """Checks that what cannot be done is said in a sentence, and nothing is
    overwritten."""
    before = os.path.getsize('all.mov')
    without_decoder('all.mov', 'video', 'blind.mov')
    without_decoder('all.mov', 'audio', 'deaf.mov')
    for arguments, text in (
            (('all.mov',), 'exists already'),
            (('out.avi',), '.mov, .mkv or .paco'),
            (('nowhere/out.mov',), 'There is no folder'),
            (('--preset', 'none', 'out.mov'), 'cinema-lossless'),
            (('--source', '/dev/video97', 'out.mov'), 'There is no device'),
            (('--source', 'nothing.mov', 'out.mov'), 'is no file'),
            (('--source', __file__, 'out.mov'), 'cannot be read'),
            (('--source', 'blind.mov', 'out.mov'), LACKING),
            (('--source', 'deaf.mov', 'out.mov'), LACKING),
            (('--source', 'fakesrc ! nothing', 'out.mov'), 'nothing'),
            (('--overwrite', '--source', 'audiotestsrc num-buffers=9', 'all.mov'),
             'no pictures that pacoenc takes'),
            (('--source', 'mosaic.mov', 'out.mov'), 'mosaic of a sensor'),
            (('--encoder', 'quality=high', 'out.mov'), 'quality'),
            (('--encoder', 'quality=300', 'out.mov'), 'out of range'),
            (('--seconds', 0, 'out.mov'), '--seconds: 0 is no number'),
            (('--seconds', -3, 'out.mov'), '--seconds: -3 is no number'),
            (('--seconds', 'nan', 'out.mov'), '--seconds: nan is no number'),
            (('--frames', 0, 'out.mov'), '--frames: 0 is no number'),
            (('--segment-mb', -1, 'out.mov'), '--segment-mb: -1 is no number'),
            (('--queue-mb', 5000, 'out.mov'), '--queue-mb: 5000 is no number'),
            (('--source', 'decklink:x', 'out.mov'), 'decklink:1'),
            (('--source', '/dev/null', 'out.mov'), '/dev/null'),
            ((f'nowhere{ODD}/out.mov',), f'nowhere{SHOWN}'),
            (('--source', 'videotestsrc num-buffers=0', 'out.mov'), 'no picture'),
            (('--source', 'videotestsrc num-buffers=0', '--sound', 'audiotestsrc',
              'out.mov'), 'no picture'),
            (('--overwrite', '--source', 'v4l2src device=/dev/null', 'all.mov'),
             '/dev/null'),
            (('--source', 'decklinkvideosrc device-number=77', 'out.mov'),
             'there is no such card'),
            (('--segment-seconds', '1', 'out.paco'), 'Segments are'),
            (('--caps', 'width=320,height=240,format=P010_10LE,framerate=0/1',
              '--encoder', 'rate-control=bitrate bitrate=1000', 'out.mov'),
             'frame')):
        output = run('record.sh', *arguments, status=(1, 2))
        check(text in output, f'{arguments} is not explained', output)
        check(not os.path.exists('out.mov'), f'{arguments} leaves a file', output)
    check(os.path.getsize('all.mov') == before, 'all.mov was overwritten')
    run('record.sh', '--source', 'deaf.mov', '--sound', 'none', 'mute.mov')
    check_file('mute.mov', 20, False)
    run('record.sh', '--overwrite', *SMALL, '--frames', 3, 'all.mov')
    check_file('all.mov', 3, True)
    check('Ctrl-C' in run('record.sh', '--help'), 'no help')


def main():
    parts = [check_kinds, check_sources, check_tracks, check_parts_of_files,
             check_channels, check_table, check_unknown_length, check_losses, check_sync,
             check_timecodes, check_late_timecodes, check_mosaics, check_segments,
             check_drops, check_interrupt, check_kill, check_limit, check_full_disk,
             check_errors]
    # What is of the script and of muxers shows sanitizers nothing of the plugin.
    if 'PACO_SANITIZE' in os.environ:
        parts = [check_kinds, check_drops, check_interrupt, check_full_disk]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for part in parts:
            print(part.__name__, flush=True)
            part()
        os.chdir('/')
    return 0


if __name__ == '__main__':
    # A shell has its jobs in the background ignore it, and so would their children.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main())
