# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests FFmpeg with PaCo against GStreamer's elements, the program paco, and the golden
streams; test.sh says with which programs. Prints what fails, and "N passed, N failed"."""
import hashlib
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

FFMPEG, FFPROBE, FFPLAY = (os.path.abspath(f'{sys.argv[1]}/{name}')
                           for name in ('ffmpeg', 'ffprobe', 'ffplay'))
LIBRARIES = os.path.abspath(f'{sys.argv[1]}/installed/lib')
GOLDEN = os.path.abspath(sys.argv[2])
PACO = os.environ['PACO_TOOL']
MUXERS = {'mov': 'qtmux', 'mp4': 'mp4mux', 'mkv': 'matroskamux'}
DEMUXERS = {'mov': 'qtdemux', 'mp4': 'qtdemux', 'mkv': 'matroskademux',
            'paco': 'identity'}
SANITIZED = 'sanitize' in FFMPEG
SEED = int(os.environ.get('PACO_SEED') or random.randrange(1 << 32))
results = []


class Failed(Exception):
    pass


def check(truth, *words):
    if not truth:
        raise Failed(' '.join(str(word) for word in words))


def test(name, call, *args):
    try:
        call(*args)
        results.append(True)
    except Failed as failure:
        results.append(False)
        print(f'FAILED {name}: {failure}', flush=True)


def run(*command, fails=False, stdin=None):
    """Returns what is written to standard output."""
    done = subprocess.run([str(word) for word in command], input=stdin,
                          capture_output=True, timeout=300)
    said = done.stderr.decode(errors='replace')
    check(done.returncode >= 0 and 'Sanitizer' not in said, 'crash of', *command, said[-3000:])
    check(fails is None or fails == (done.returncode != 0), *command, said[-900:])
    return done.stdout if not fails else said


def ffmpeg(*args, **options):
    return run(FFMPEG, '-hide_banner', '-nostdin', '-v', 'error', '-y', *args, **options)


def decode(path, *args, before=()):
    return ffmpeg(*before, '-i', path, *args, '-f', 'rawvideo', '-')


def md5s(path, *args, before=()):
    """Returns (time stamp, MD5) of each frame."""
    lines = ffmpeg(*before, '-i', path, *args, '-f', 'framemd5', '-').decode().splitlines()
    rows = [line.split(',') for line in lines if line[0] != '#']
    return [(int(row[2]), row[-1].strip()) for row in rows]


def launch(line):
    run('gst-launch-1.0', '-q', *line.split())


def probe(path, *entries):
    said = run(FFPROBE, '-v', 'error', '-of', 'default', '-select_streams', 'v', '-show_entries',
               f'stream={",".join(entries)}', path).decode()
    values = dict(line.split('=', 1) for line in said.splitlines() if '=' in line)
    return [values.get(entry, '') for entry in entries]


# --- pixel formats ---

def pixel_formats():
    """Returns those that the encoder takes, and of all those into which FFmpeg scales."""
    said = run(FFMPEG, '-hide_banner', '-h', 'encoder=libpaco').decode()
    takes = re.search('Supported pixel formats: (.*)', said)[1].split()
    rows = run(FFMPEG, '-hide_banner', '-pix_fmts').decode().splitlines()
    return takes, {row.split()[1] for row in rows if re.match('.O', row)}


# One of each kind, as nobody would miss one that the encoder does not list.
KINDS = set("""yuv420p yuv410p yuva444p16be gbrap12le gray9le ya16be monob nv24 p416be uyvy422
               uyyvyy411 rgb0 bgr565be x2bgr10le rgba64be bayer_rggb8 bayer_gbrg16be
               yuvj440p""".split())


def check_kinds(takes):
    check(KINDS <= set(takes), 'missing', KINDS - set(takes))


def random_words(n, make):
    chance = random.Random(SEED)
    return b''.join(make(chance.getrandbits(32)) for _ in range(n))


# Formats into which FFmpeg cannot scale, or not without odd bits: makers of words.
def low(bits, size, order):
    return lambda word: (word & ((1 << bits) - 1)).to_bytes(size, order)


SPECIAL = {
    'nv20le': (2, low(10, 2, 'little')), 'nv20be': (2, low(10, 2, 'big')),
    'nv16': (2, low(8, 1, 'big')), 'uyyvyy411': (1.5, low(8, 1, 'big')),
    **{f'y210{order[0]}e': (2, lambda word, order=order: (word & 0xffc0).to_bytes(2, order))
       for order in ('little', 'big')},
    'ayuv64be': (4, low(16, 2, 'big')),
    'y212be': (2, lambda word: (word & 0xfff0).to_bytes(2, 'big')),
    'xv36be': (4, lambda word: (word & 0xfff0).to_bytes(2, 'big')),
    'rgbaf16le': (4, low(16, 2, 'little')), 'rgbaf16be': (4, low(16, 2, 'big')),
    **{f'x2{rgb}10{end}': (1, low(30, 4, order)) for rgb in ('rgb', 'bgr')
       for end, order in (('le', 'little'), ('be', 'big'))},
}


def components(name, raw, width, height):
    """Returns the samples of a format that comes back as a planar one, as its planes."""
    order = 'big' if name.endswith('be') else 'little'
    size = 4 if name.startswith('x2') else 2
    words = [int.from_bytes(raw[at:at + size], order) for at in range(0, len(raw), size)]
    if size == 4:
        parts = [[word >> shift & 1023 for word in words] for shift in (10, 0, 20)]
        if 'bgr' in name:
            parts = [parts[0], parts[2], parts[1]]
    elif name.startswith('xv36'):
        parts = [[word >> 4 for word in words[at::4]] for at in (1, 0, 2)]
    elif name.startswith('ayuv64'):
        parts = [words[at::4] for at in (1, 2, 3, 0)]
    elif name.startswith('y210'):
        parts = [[word >> 6 for word in words[at::step]] for at, step in ((0, 2), (1, 4), (3, 4))]
    elif name.startswith('rgba'):
        parts = [words]
    else:
        luma = width * height
        parts = [words[:luma], words[luma::2], words[luma + 1::2]]
    return b''.join(sample.to_bytes(2, 'little') for part in parts for sample in part)


def check_format(name, scales):
    width, height = 120, 72
    source = f'-f lavfi -i testsrc2=s={width}x{height}:r=25:d=0.12'.split()
    if name in SPECIAL:
        raw = random_words(int(width * height * SPECIAL[name][0]), SPECIAL[name][1])
    elif scales:
        plain = ('-vf', 'format=yuv420p10') if name.startswith('p010') else ()
        raw = ffmpeg(*source, *plain, '-pix_fmt', name, '-f', 'rawvideo', '-')
    else:
        check(name.startswith('bayer'), 'how are its samples made?')
        raw = random_words(width * height * (2 if '16' in name else 1), low(8, 1, 'little'))
    open('source.raw', 'wb').write(raw)
    given = '-f', 'rawvideo', '-pix_fmt', name, '-s', f'{width}x{height}', '-i', 'source.raw'
    ffmpeg(*given, '-c:v', 'libpaco', '-rate-control', 'lossless', 'a.paco')
    [comes] = probe('a.paco', 'pix_fmt')
    if name in SPECIAL and comes != name:
        check(decode('a.paco') == components(name, raw, width, height), 'other samples', comes)
    else:
        check(decode('a.paco', '-pix_fmt', name) == raw, 'other samples, by way of', comes)
    ffmpeg(*given, '-c:v', 'libpaco', 'b.paco')  # visually lossless
    check(len(decode('b.paco')) == len(decode('a.paco')), 'lossy')
    header = open('a.paco', 'rb').read(36)[20:].rstrip(b'\0').decode()
    if header and not header.startswith(('rggb', 'grbg', 'gbrg', 'bggr', 'GRAY10')):
        run(PACO, 'decode', '-f', '-q', '--as=raw', f'--format={header}', 'a.paco', 'paco.raw')
        check(open('paco.raw', 'rb').read() == raw, 'paco decodes other bytes of', header)


# --- containers ---

CASES = (('I422_10LE', 'yuv422p10le', 'rate-control=lossless'),
         ('NV12', 'nv12', 'quality=90'), ('RGB', 'rgb24', 'quality=60'),
         ('GRAY16_LE', 'gray16le', 'rate-control=lossless'),
         ('A444_10LE', 'yuva444p10le', 'quality=80'))


def settings(words):
    return [part for word in words.split()
            for part in ('-' + word.split('=')[0], word.split('=')[1])]


def written_by_gstreamer(kind, name, pix_fmt, words):
    mux = MUXERS.get(kind, 'identity')
    source = ('videotestsrc pattern=ball num-buffers=12 ! videoconvert ! video/x-raw,'
              f'format={name},width=328,height=250,framerate=30000/1001 ! pacoenc {words}')
    launch(f'{source} ! {mux} ! filesink location=g.{kind}')
    launch(f'{source} ! filesink location=g.paco')
    run(PACO, 'decode', '-f', '-q', '--as=raw', f'--format={name}', 'g.paco', 'g.raw')
    raw = open('g.raw', 'rb').read()
    check(probe(f'g.{kind}', 'codec_name', 'width', 'height', 'pix_fmt', 'r_frame_rate')
          == ['paco', '328', '250', pix_fmt, '30000/1001'], probe(f'g.{kind}', 'pix_fmt'))
    size = len(raw) // 12
    expected = [hashlib.md5(raw[at:at + size]).hexdigest() for at in range(0, len(raw), size)]
    got = md5s(f'g.{kind}')
    check([md5 for _, md5 in got] == expected, 'other frames')
    steps = {b[0] - a[0] for a, b in zip(got, got[1:])}
    check(max(steps) - min(steps) <= 1, 'time stamps', got)
    ffmpeg('-i', f'g.{kind}', '-c', 'copy', 'copy.paco')
    check(open('copy.paco', 'rb').read() == open('g.paco', 'rb').read(), 'copied frames')


def written_by_ffmpeg(kind, name, pix_fmt, words):
    ffmpeg('-f', 'lavfi', '-i', 'testsrc2=s=328x250:r=30000/1001', '-frames:v', '12', '-pix_fmt',
           pix_fmt, '-c:v', 'libpaco', *settings(words), f'f.{kind}')
    ours = decode(f'f.{kind}')
    if words == 'rate-control=lossless':
        check(ours == ffmpeg('-f', 'lavfi', '-i', 'testsrc2=s=328x250:r=30000/1001', '-frames:v',
                             '12', '-pix_fmt', pix_fmt, '-f', 'rawvideo', '-'), 'not lossless')
    if kind in DEMUXERS:
        launch(f'filesrc location=f.{kind} ! {DEMUXERS[kind]} ! pacoparse ! pacodec ! '
               f'video/x-raw,format={name},framerate=30000/1001 ! filesink location=f.raw')
        raw = open('f.raw', 'rb').read()
        run(PACO, 'decode', '-f', '-q', '--as=raw', f'--format={name}', f'f.{kind}', 'p.raw')
        check(open('p.raw', 'rb').read() == raw, 'paco and pacodec differ')
    else:
        ffmpeg('-i', f'f.{kind}', '-c', 'copy', 'f.paco')
        run(PACO, 'decode', '-f', '-q', '--as=raw', f'--format={name}', 'f.paco', 'p.raw')
        raw = open('p.raw', 'rb').read()
    check(raw == ours, 'other samples', len(raw), len(ours))


# --- golden streams ---

def planes(pix_fmt, width, height):
    """Returns (component, columns, lines, bytes) of a planar picture's planes."""
    if match := re.match('gray(\\d*)', pix_fmt):
        return [(0, width, height, 2 if int(match[1] or 8) > 8 else 1)]
    match = re.match('(yuv|gbr)(a?)(4\\d\\d)?(a?)p(\\d*)', pix_fmt)
    if not match:
        return None
    size = 2 if int(match[5] or 8) > 8 else 1
    down = {'420': (2, 2), '422': (2, 1), '440': (1, 2), '411': (4, 1), '410': (4, 4)}
    x, y = down.get(match[3], (1, 1))
    order = (0, 1, 2) if match[1] == 'yuv' else (1, 2, 0)
    alpha = [(3, width, height, size)] if match[2] or match[4] else []
    return [(c, -(-width // x), -(-height // y), size) if c in (1, 2) else
            (c, width, height, size) for c in order] + alpha


def check_golden(name, reduce, expected):
    path = f'{GOLDEN}/{name}.paco'
    pix_fmt, width, height, bits = probe(path, 'pix_fmt', 'width', 'height', 'bits_per_raw_sample')
    if pix_fmt == 'unknown':
        said = ffmpeg('-i', path, '-f', 'null', '-', fails=True)
        check('no pixel format' in said or 'stack' in said, said)
        return False
    raw = decode(path, before=('-lowres', reduce))
    if pix_fmt.startswith('bayer'):
        return check_mosaic(raw, pix_fmt, int(width), int(height), reduce, int(bits), expected)
    interlaced = open(path, 'rb').read(58)[57] & 1
    fields = [int(height) + 1 >> 1, int(height) >> 1] if interlaced else [int(height)]
    size = (-(-int(width) // (1 << reduce)), sum(-(-lines // (1 << reduce)) for lines in fields))
    if name == 'yuva420-8-fields-step-map' and reduce == 2:
        return True  # chroma has 16 lines, of which a picture of 30 shows 15
    at, got = 0, {}
    for component, columns, lines, size in planes(pix_fmt, *size):
        data = raw[at:at + columns * lines * size]
        shift = int(re.search('p?(\\d*)(le)?$', pix_fmt)[1] or 8) - int(bits)
        if shift:
            data = b''.join((int.from_bytes(data[i:i + size], 'little') >> shift)
                            .to_bytes(1 if int(bits) <= 8 else 2, 'little')
                            for i in range(0, len(data), size))
        got[component] = hashlib.md5(data).hexdigest()
        at += columns * lines * size
    check(at == len(raw), 'size', at, len(raw))
    check([got[c] for c in sorted(got)] == expected, pix_fmt, 'other samples')
    return True


def check_mosaic(raw, pix_fmt, width, height, reduce, bits, expected):
    columns, lines = (-(-(side // 2) // (1 << reduce)) for side in (width, height))
    size = 2 if '16' in pix_fmt else 1
    cell = pix_fmt[6:10]
    red = cell.index('r')
    check(len(raw) == 4 * columns * lines * size, 'size', len(raw))
    for c in range(4):
        x, y = (red & 1) ^ (c & 1), (red >> 1) ^ (c >> 1)
        data = bytearray()
        for line in range(lines):
            for column in range(columns):
                at = ((2 * line + y) * 2 * columns + 2 * column + x) * size
                sample = int.from_bytes(raw[at:at + size], 'little') >> (8 * size - bits)
                data += sample.to_bytes(1 if bits <= 8 else 2, 'little')
        check(hashlib.md5(data).hexdigest() == expected[c], pix_fmt, 'component', c)
    return True


def golden():
    rows = [line.split() for line in open(f'{GOLDEN}/components.md5') if line[0] != '#']
    shown = set()
    for name, picture, reduce, *expected in rows:
        if name.startswith('stack'):
            continue

        def one():
            if check_golden(name, int(reduce), expected):
                shown.add(name)
        test(f'golden {name} reduced {reduce}', one)
    print(f'{len(shown)} golden streams have a pixel format')


# --- damage ---

def damaged(data, chance):
    data = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 8, 40))):
        at = chance.randrange(len(data))
        what = chance.randrange(4)
        if what == 0:
            data[at] ^= 1 << chance.randrange(8)
        elif what == 1:
            data[at] = chance.randrange(256)
        elif what == 2 and len(data) > 100:
            del data[at:at + chance.randrange(1, 64)]
        else:
            data[at:at] = chance.randbytes(chance.randrange(1, 64))
        if not data:
            return b'\0'
    return bytes(data)


def check_damage(name):
    chance = random.Random(f'{SEED} {name}')
    data = open(f'{GOLDEN}/{name}', 'rb').read()
    for i in range(3):
        with open('damaged.paco', 'wb') as file:
            for _ in range(1 if i == 0 else 12):
                file.write(damaged(data, chance))
        ffmpeg('-err_detect', chance.choice(('0', 'explode')), '-lowres', chance.choice('012'),
               *chance.choice(((), ('-ss', '0.2'))), '-i', 'damaged.paco', '-f', 'null', '-',
               fails=None)
        run(FFMPEG, '-v', 'error', '-nostdin', '-f', 'paco', '-i', 'pipe:0', '-f', 'null', '-',
            stdin=open('damaged.paco', 'rb').read(), fails=None)


def check_container_damage(kind):
    """Frames lie in a container that is whole, and FFmpeg's own filter damages them."""
    ffmpeg('-f', 'lavfi', '-i', 'testsrc2=s=160x120:r=25', '-frames:v', '20', '-c:v', 'libpaco',
           f'w.{kind}')
    for amount in (37, 401, 2003):
        ffmpeg('-i', f'w.{kind}', '-c', 'copy', '-bsf:v', f'noise={amount}', f'd.{kind}')
        ffmpeg('-i', f'd.{kind}', '-f', 'null', '-', fails=None)


def marked():
    """A frame with a broken block is shown, unless the user asks for an error."""
    path = f'{GOLDEN}/rgb12-broken-blocks.paco'
    check(len(decode(path)) > 0, 'nothing shown')
    ffmpeg('-err_detect', 'explode', '-xerror', '-i', path, '-f', 'null', '-', fails=True)


# --- seeking, and files that are not as they should be ---

def film(path, *args, frames=60):
    ffmpeg('-f', 'lavfi', '-i', 'testsrc2=s=96x64:r=25', '-frames:v', frames, '-c:v', 'libpaco',
           *args, path)
    return [md5 for _, md5 in md5s(path)]


def join(*names):
    with open('joined.paco', 'wb') as file:
        for name in names:
            file.write(open(name, 'rb').read())


def seeks(path, all_frames):
    for number in (0, 1, 17, len(all_frames) // 2, len(all_frames) - 1):
        got = md5s(path, '-frames:v', '3', before=('-ss', f'{number / 25:.3f}'))
        expected = all_frames[number:number + 3]
        check([md5 for _, md5 in got] == expected, path, 'frame', number, got[:1],
              all_frames.index(got[0][1]) if got and got[0][1] in all_frames else '')


def check_seeking(kind):
    seeks(f's.{kind}', film(f's.{kind}'))


def check_duration():
    film('s.paco')
    said = run(FFPROBE, '-v', 'error', '-of', 'csv=p=0', '-show_entries', 'format=duration',
               's.paco').decode()
    check(float(said) == 2.4, said)


def check_joined():
    """Two streams in a file: numbers begin again, and cannot be used for seeking."""
    first = film('one.paco')
    film('two.paco', '-pix_fmt', 'gray10le', '-s', '64x96', frames=20)
    film('three.paco', '-quality', '50', frames=20)
    join('one.paco', 'two.paco')
    got = md5s('joined.paco', '-pix_fmt', 'yuv420p')
    check([at for at, _ in got] == list(range(80)), 'time stamps', got)
    check([md5 for _, md5 in got][:60] == first, 'frames')
    join('one.paco', 'three.paco')
    got = [md5 for _, md5 in md5s('joined.paco')]
    check(len(set(got)) == 80 and got[:60] == first, 'frames', len(got))
    seeks('joined.paco', got)


def check_hole():
    """Behind a hole, and behind foreign bytes, frames go on where they would be."""
    frames = film('whole.paco')
    data = open('whole.paco', 'rb').read()
    starts = [match.start() for match in re.finditer(b'PACO\3', data)]
    check(len(starts) == 60, 'frames in the file', len(starts))
    cut = data[:starts[20] + 100] + data[starts[22]:starts[40]] + b'PACO junk' * 9 \
        + data[starts[40]:starts[59] + 200]
    open('hole.paco', 'wb').write(cut)
    got = ffmpeg('-i', 'hole.paco', '-vsync', 'passthrough', '-f', 'framemd5', '-', fails=None)
    rows = [line.split(',') for line in got.decode().splitlines() if line[0] != '#']
    got = {int(row[2]): row[-1].strip() for row in rows}
    check(set(got) == set(range(59)) - {20, 21}, sorted(got))
    check(all(frames[at] == md5 for at, md5 in got.items()), 'frames')


def frames_of(said):
    return [line.split(',')[-1].strip() for line in said.decode().splitlines() if line[0] != '#']


def check_pipe():
    frames = film('s.paco')
    data = open('s.paco', 'rb').read()
    starts = [match.start() for match in re.finditer(b'PACO\3', data)] + [len(data)]
    for junk in (b'', b'PACOPAC'):  # of all lengths
        bytes_in = b''.join(junk[:number % 8] + data[start:end]
                            for number, (start, end) in enumerate(zip(starts, starts[1:])))
        got = run(FFMPEG, '-v', 'fatal', '-i', 'pipe:0', '-f', 'framemd5', '-', stdin=bytes_in)
        check(frames_of(got) == frames, 'frames', len(frames_of(got)))


def check_parser():
    """image2pipe takes bytes without looking, and the parser finds frames in them."""
    frames = film('s.paco')
    data = open('s.paco', 'rb').read()
    for junk in (b'', b'PPACPACOjunk' * 5):
        got = run(FFMPEG, '-v', 'error', '-f', 'image2pipe', '-c:v', 'libpaco', '-i', 'pipe:0',
                  '-f', 'framemd5', '-', stdin=junk + data)
        check(frames_of(got) == frames, 'frames', len(junk))


def refusals():
    source = '-f', 'lavfi', '-i', 'testsrc2=s=96x64:d=0.1'
    for words in ('-quality 101', '-rate-control often', '-wavelet haar', '-frame-size 90 '
                  '-rate-control bitrate', '-backend gpu'):
        said = ffmpeg(*source, '-c:v', 'libpaco', *words.split(), 'r.paco', fails=True)
        check(len(said) > 20, words, said)
    said = ffmpeg('-lowres', '7', '-i', f'{GOLDEN}/gray8-lossless.paco', '-f', 'null', '-',
                  fails=True)
    check('can be halved' in said, said)
    open('other.paco', 'wb').write(b'not PaCo at all' * 100)
    ffmpeg('-f', 'paco', '-i', 'other.paco', '-f', 'null', '-', fails=True)
    ffmpeg(*source, '-c:v', 'rawvideo', '-f', 'paco', 'r.paco', fails=True)


# --- what goes with pictures ---

def side_data(path):
    said = run(FFPROBE, '-v', 'error', '-show_frames', path).decode()
    kept = re.search('(?s)TAG:timecode.*|\\[SIDE_DATA.*', said)
    return kept[0] if kept else ''


def check_side_data(name, *words):
    path = f'{GOLDEN}/{name}.paco'
    before = side_data(path)
    check(all(word in before for word in words), before)
    ffmpeg('-i', path, '-c:v', 'libpaco', 'side.paco')
    check(side_data('side.paco') == before, before, 'became', side_data('side.paco'))


def check_timecode():
    """Drop-frame timecodes of more than 30 frames a second, made by GStreamer and kept."""
    launch('videotestsrc num-buffers=70 ! video/x-raw,width=64,height=48,framerate=60000/1001 ! '
           'timecodestamper drop-frame=true ! pacoenc ! qtmux ! filesink location=time.mov')
    ffmpeg('-i', 'time.mov', '-c:v', 'libpaco', 'again.mkv')
    for path in 'time.mov', 'again.mkv':
        said = run(FFPROBE, '-v', 'error', '-select_streams', 'v', '-show_frames', path).decode()
        got = re.findall('TAG:timecode=(.*)', said)
        check(got == [f'00:00:{at // 60:02};{at % 60:02}' for at in range(70)], path, got)


def check_fields():
    for order, word in ('tff', 'tt'), ('bff', 'bb'):
        ffmpeg('-f', 'lavfi', '-i', 'testsrc2=s=160x120:d=0.2', '-vf', f'setfield={order}', '-c:v',
               'libpaco', '-rate-control', 'lossless', 'fields.mov')
        check(probe('fields.mov', 'field_order') == [word], probe('fields.mov', 'field_order'))
        launch('filesrc location=fields.mov ! qtdemux ! pacoparse ! '
               f'video/x-paco,interlace-mode=interleaved,field-order='
               f'{"top" if order == "tff" else "bottom"}-field-first ! fakesink')
    launch('videotestsrc num-buffers=3 ! video/x-raw,format=I420,width=64,height=48,'
           'interlace-mode=interleaved,field-order=bottom-field-first ! pacoenc ! '
           'filesink location=g.paco')
    check(probe('g.paco', 'field_order') == ['bb'], probe('g.paco', 'field_order'))


def check_colors():
    names = 'color_range', 'color_space', 'color_transfer', 'color_primaries', 'chroma_location'
    values = ['tv', 'bt2020nc', 'smpte2084', 'bt2020', 'topleft']
    options = '-color_range', '-colorspace', '-color_trc', '-color_primaries', \
        '-chroma_sample_location'
    given = [word for pair in zip(options, values) for word in pair]
    ffmpeg('-f', 'lavfi', '-i', 'testsrc2=s=96x64:d=0.1', '-pix_fmt', 'yuv420p10le', '-f',
           'rawvideo', 'c.raw')
    ffmpeg('-f', 'rawvideo', '-s', '96x64', '-pix_fmt', 'yuv420p10le', *given, '-i', 'c.raw',
           '-c:v', 'libpaco', *given, 'colors.paco')
    check(probe('colors.paco', *names) == values, probe('colors.paco', *names))
    launch('filesrc location=colors.paco ! pacoparse ! video/x-paco,colorimetry=bt2100-pq,'
           'chroma-site=cosited ! fakesink')


def check_rate():
    ffmpeg('-f', 'lavfi', '-i', 'testsrc2=s=320x240:r=25:d=1', '-c:v', 'libpaco', '-b:v', '2000k',
           'rate.paco')
    check(os.path.getsize('rate.paco') <= 250000, os.path.getsize('rate.paco'))
    ffmpeg('-f', 'lavfi', '-i', 'testsrc2=s=320x240:r=25:d=1', '-c:v', 'libpaco', '-rate-control',
           'bitrate', '-frame-size', '9000', 'rate.paco')
    check(os.path.getsize('rate.paco') <= 225000, os.path.getsize('rate.paco'))


def check_regions():
    """A region of interest has less than half of the errors that it has without a weight."""
    source = '-f', 'lavfi', '-i', 'testsrc2=s=320x240:r=25', '-frames:v', '1', '-pix_fmt', 'gray'
    whole = ffmpeg(*source, '-f', 'rawvideo', '-')
    errors = []
    for weight in '1', '64':
        ffmpeg(*source, '-vf', 'addroi=x=64:y=64:w=128:h=96:qoffset=-1', '-c:v', 'libpaco',
               '-rate-control', 'bitrate', '-frame-size', '4000', '-roi-weight', weight,
               'regions.paco')
        got = decode('regions.paco')
        errors.append(sum(abs(got[y * 320 + x] - whole[y * 320 + x])
                          for y in range(80, 144) for x in range(80, 176)))
    check(0 <= 2 * errors[1] < errors[0], 'errors', errors)


# --- players ---

def shown(*command, **environment):
    """Returns the checksums of the pictures that a program shows, by the filter showinfo."""
    done = subprocess.run(command, env=os.environ | environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=100)
    said = done.stdout.decode(errors='replace')
    check(done.returncode == 0, *command, said[-2000:])
    return re.findall('showinfo.* checksum:(\\w+)', said)


def check_player(kind, *command, **environment):
    path = f'film.{kind}'
    film(path, '-pix_fmt', 'yuv422p10le', frames=30)
    expected = shown(FFMPEG, '-i', path, '-vf', 'showinfo', '-f', 'null', '-')
    check(len(set(expected)) == 30, 'frames', len(expected))
    got = shown(*command, path, **environment)
    check(got == expected, len(got), 'frames')


def check_foreign(mpv):
    """Debian's own libraries do not know these files, so it is ours that play them."""
    film('film.paco', frames=3)
    run(mpv, '--no-config', '--vo=null', 'film.paco', fails=True)


def players():
    """ffplay of this FFmpeg, and Debian's own mpv with these libraries."""
    mpv = shutil.which('mpv')
    library = mpv and re.search('libavcodec\\.so\\.\\d+', run('ldd', mpv).decode())
    if os.path.exists(FFPLAY):
        for kind in 'paco', *MUXERS:
            test(f'ffplay plays {kind}', lambda: check_player(
                kind, FFPLAY, '-autoexit', '-noframedrop', '-vf', 'showinfo',
                SDL_VIDEODRIVER='dummy', SDL_RENDER_DRIVER='software'))
    else:
        print('SKIP: ffplay is not there; it wants SDL (libsdl2-dev)')
    if library and os.path.exists(f'{LIBRARIES}/{library[0]}'):
        test('mpv without the libraries', check_foreign, mpv)
        for kind in 'paco', *MUXERS:
            test(f'mpv plays {kind}', lambda: check_player(
                kind, mpv, '--no-config', '--vo=null', '--framedrop=no',
                '--msg-level=ffmpeg=v', '--vf=lavfi=[showinfo]', LD_LIBRARY_PATH=LIBRARIES))
    else:
        print('SKIP: there is no mpv that takes these libraries')


def main():
    print(f'PACO_SEED={SEED}')
    takes, scales = pixel_formats()
    if not SANITIZED:
        test('formats', check_kinds, takes)
        for name in takes:
            test(f'format {name}', check_format, name, name in scales)
        for case in CASES:
            for kind in ('paco', *MUXERS):
                test(f'GStreamer wrote {kind} {case}', written_by_gstreamer, kind, *case)
            for kind in (*DEMUXERS, 'avi'):
                test(f'FFmpeg wrote {kind} {case}', written_by_ffmpeg, kind, *case)
        players()
    golden()
    for name in sorted(os.listdir(GOLDEN)):
        if name.endswith('.paco'):
            test(f'damage {name}', check_damage, name)
    for kind in ('paco', 'mov', 'mp4', 'mkv', 'avi'):
        if kind != 'paco':  # whose muxer refuses what is no frame
            test(f'damage in {kind}', check_container_damage, kind)
        test(f'seeking {kind}', check_seeking, kind)
    for call in (marked, check_duration, check_joined, check_hole, check_pipe, check_parser,
                 refusals, check_timecode, check_fields, check_colors, check_rate,
                 check_regions):
        test(call.__name__, call)
    test('side data', check_side_data, 'gray12-ancillary', 'timecode', 'Closed Captions',
         'Active format')
    test('light', check_side_data, 'carried-set-and-chunks', 'Mastering display', 'Content light')
    print(f'{results.count(True)} passed, {results.count(False)} failed')
    return 0 if all(results) else 1


if __name__ == '__main__':
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        sys.exit(main())
