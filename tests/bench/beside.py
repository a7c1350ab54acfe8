#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""beside.py [--turns=N] [--folder=DIR] [--material=WORD]: bytes, PSNR and
processor time of codecs without motion compensation, on one core.

Rivals are FFmpeg's encoders and the programs ojph_compress, cjxl and SvtJpegxsEncApp,
those that are found in PATH. Writes docs/BESIDE.md, and a JSON line for each row. With
--material=WORD only materials whose name contains WORD are measured, and the document
is left alone. --folder should be in memory. Wants ffmpeg and the corpus."""
import argparse
import array
import collections
import datetime
import json
import math
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

import bench

# Columns, lines, FFmpeg's and GStreamer's names of the format, depth.
Material = collections.namedtuple('Material', 'name width height pixels format depth')
# A command has the words {input}, {output} and those of values(). Still programs take one
# frame a process. A lossy codec has settings of rising quality.
Codec = collections.namedtuple('Codec', 'name setting encode decode end still settings')

MATERIALS = [
    (Material('1920x1080, 4:2:2, 10 bits', 1920, 1080, 'yuv422p10le', 'I422_10LE', 10),
     'a photograph', 'photostrain', 'null'),
    (Material('3840x2160, 4:2:2, 10 bits', 3840, 2160, 'yuv422p10le', 'I422_10LE', 10),
     'a photograph of 8-bit RGB, converted', 'p4k_canyon', 'null'),
    (Material('3840x2160, gray, 8 bits', 3840, 2160, 'gray', 'GRAY8', 8),
     'the green plane of that photograph', 'p4k_canyon', 'format=gbrp,extractplanes=g'),
    (Material('3984x2160, RGB, 12 bits', 3984, 2160, 'gbrp12le', 'GBR_12LE', 12),
     "a film's frame of 999x540, mirrored four times each way", 'dci12_diner',
     'split[a][b];[b]hflip[b];[a][b]hstack,split[a][b];[a][b]hstack,'
     'split[a][b];[b]vflip[b];[a][b]vstack,split[a][b];[a][b]vstack,crop=3984:2160:0:0'),
]
MAX_FRAMES = 8
FFMPEG = ['ffmpeg', '-v', 'error', '-y', '-threads', '1']
RAW = '-f rawvideo -pix_fmt {pixels} -s {width}x{height}'
FFMPEG_DECODE = ' '.join(FFMPEG) + ' -i {input} -pix_fmt {pixels} -f rawvideo {output}'
PACO = '--backend=cpu --threads=1'


def ffmpeg(name, setting, words, end, settings=('',)):
    encode = ' '.join(FFMPEG) + f' {RAW} -i {{input}} -threads 1 -c:v {words} {{output}}'
    return Codec(name, setting, encode, FFMPEG_DECODE, end, False, settings)


def paco(tool, setting, words):
    return Codec('**PaCo**', setting, f'{tool} encode -q -f {PACO} --format={{format}} '
                 f'--size={{width}}x{{height}} {words} {{input}} {{output}}',
                 f'{tool} decode -q -f {PACO} --as=raw {{input}} {{output}}', 'paco', False,
                 ('',))


def openjph(material, words, settings=('',)):
    if material.pixels.startswith('yuv422'):
        words += (' -dims {{{width},{height}}} -num_comps 3 -signed false '
                  '-bit_depth {depth} -downsamp {{1,1}},{{2,1}}')
    elif material.pixels.startswith('gbr'):
        words += ' -colour_trans true'
    setting = 'lossless' if settings == ('',) else '9/7, -qstep {setting}'
    return Codec('HTJ2K (OpenJPH)', setting, f'ojph_compress -i {{input}} -o {{output}} {words}',
                 'ojph_expand -i {input} -o {output}', 'j2c', True, settings)


def jpegxl(setting, words, settings=('',)):
    return Codec('JPEG XL', setting, f'cjxl --quiet --num_threads=0 {words} {{input}} {{output}}',
                 'djxl --quiet --num_threads=0 --bits_per_sample={depth} {input} {output}',
                 'jxl', True, settings)


def steps(first, last, n):
    """Returns n numbers in equal ratios."""
    return [f'{first * (last / first) ** (i / (n - 1)):.4g}' for i in range(n)]


def lossless(material, tool):
    yield paco(tool, 'lossless', '--lossless')
    yield openjph(material, '-reversible true')
    yield ffmpeg('FFV1', 'lossless, 16 slices', 'ffv1 -level 3 -slices 16 -slicecrc 1 -g 1', 'mkv')
    if material.pixels.startswith('yuv422'):
        yield ffmpeg('JPEG 2000 (OpenJPEG)', 'lossless', 'libopenjpeg', 'mov')
        yield ffmpeg('H.264 intra (x264)', 'lossless, veryfast',
                     'libx264 -preset veryfast -qp 0 -g 1', 'mkv')
    elif material.depth == 8:
        yield jpegxl('lossless, -e 1', '-d 0 -e 1')


def lossy(material, tool):
    yield paco(tool, 'quality 90', '--quality=90')
    yield openjph(material, '-qstep {setting}', steps(0.05, 0.0002, 96))
    if material.pixels.startswith('yuv422'):
        yield ffmpeg('H.264 intra (x264)', 'veryfast, qp {setting}',
                     'libx264 -preset veryfast -g 1 -qp {setting}', 'mkv',
                     [str(qp) for qp in range(35, 0, -1)])
        yield ffmpeg('ProRes 422 HQ (prores_ks)', 'its rate', 'prores_ks -profile:v hq', 'mov')
        yield ffmpeg('DNxHR HQX (FFmpeg)', 'its rate', 'dnxhd -profile:v dnxhr_hqx', 'mov')
        yield Codec('JPEG XS (SVT-JPEG-XS)', '{setting} bits a pixel',
                    'SvtJpegxsEncApp -i {input} -b {output} -w {width} -h {height} --input-depth '
                    '{depth} --colour-format yuv422 --lp 1 --no-progress 1 --bpp {setting}',
                    'SvtJpegxsDecApp -i {input} -o {output} --lp 1', 'jxs', False,
                    steps(0.7, 12, 48))
    elif material.depth == 8:
        yield jpegxl('-e 3, -d {setting}', '-e 3 -d {setting}', steps(4, 0.03, 64))
    if not material.pixels.startswith('gray'):
        yield ffmpeg('CineForm (FFmpeg)', '-quality {setting}', 'cfhd -quality {setting}', 'mov',
                     'low low+ medium medium+ high high+ film1 film1+ film1.5 film2 film2+ film3 '
                     'film3+'.split())


def run(command):
    """Runs a command, returns the seconds of the processor that it spent in programs."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as child:
        errors = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f'{" ".join(command)} failed: {errors.decode()}')
    return usage.ru_utime


class Bench:
    """A material, the files of it, and what is done to them."""

    def __init__(self, material, folder):
        self.material, self.folder = material, folder
        self.small = material._replace(width=256, height=128)

    def make(self, source, filters):
        """Writes all frames, one of them, and its corner of 256x128, raw and as PNM."""
        whole = f'{self.folder}/whole.raw'
        subprocess.run(FFMPEG + ['-i', source, '-filter_complex', filters, '-frames:v', '1',
                                 '-pix_fmt', self.material.pixels, '-f', 'rawvideo', whole],
                       check=True)
        with open(whole, 'rb') as file:
            frame = file.read()
        for n in range(1, MAX_FRAMES + 1):
            with open(f'{self.folder}/{n}.raw', 'wb') as file:
                file.write(frame * n)
        raw = RAW.format(**self.material._asdict()).split()
        subprocess.run(FFMPEG + raw + ['-i', whole, '-vf', 'crop=256:128:0:0', '-f', 'rawvideo',
                                       f'{self.folder}/small.raw'], check=True)
        if not self.material.pixels.startswith('yuv'):
            self.write_pnm('whole', self.material)
            self.write_pnm('small', self.small)

    def write_pnm(self, name, material):
        with open(f'{self.folder}/{name}.raw', 'rb') as file:
            samples = array.array('B' if material.depth == 8 else 'H', file.read())
        mixed = samples
        if material.pixels.startswith('gbr'):
            plane = len(samples) // 3
            mixed = array.array(samples.typecode, bytes(samples.itemsize * len(samples)))
            for c in range(3):  # red, green, blue, which are planes 2, 0, 1
                first = (c + 2) % 3 * plane
                mixed[c::3] = samples[first:first + plane]
        if sys.byteorder == 'little':
            mixed.byteswap()
        kind = 'P6' if mixed is not samples else 'P5'
        with open(f'{self.folder}/{name}.{self.pnm}', 'wb') as file:
            file.write(f'{kind}\n{material.width} {material.height}\n'
                       f'{(1 << material.depth) - 1}\n'.encode() + mixed.tobytes())

    def read_pnm(self, path, raw):
        """Writes a PNM file as FFmpeg's raw format has it."""
        _, _, _, n, data = bench.read_pnm(path)
        samples = array.array('B' if self.material.depth == 8 else 'H', data)
        if sys.byteorder == 'little':
            samples.byteswap()
        with open(raw, 'wb') as file:
            for c in (1, 2, 0) if n == 3 else (0,):
                file.write(samples[c::n].tobytes())

    @property
    def pnm(self):
        return 'ppm' if self.material.pixels.startswith('gbr') else 'pgm'

    def command(self, codec, line, setting, ends, n):
        name = 'whole' if n else 'small'
        material = self.material if n else self.small
        words = dict(material._asdict(), setting=setting, input=ends[0], output=ends[1])
        coded = f'{self.folder}/{name}-coded.{codec.end}'
        decoded = f'{self.folder}/{name}-decoded.{ends[1]}'
        if ends[1] == codec.end:
            first = n if n and not codec.still else name
            words.update(input=f'{self.folder}/{first}.{ends[0]}', output=coded)
        else:
            words.update(input=coded, output=decoded)
        return [word.format(**words) for word in line.split()]

    def time(self, codec, setting, n=1):
        """Returns the seconds that each of n frames takes to encode and to decode. What a
        corner of one frame takes, which is the program's start, is taken off."""
        raw = 'raw'
        if codec.still:
            raw = 'yuv' if self.material.pixels.startswith('yuv') else self.pnm
        seconds = []
        for line, ends in ((codec.encode, (raw, codec.end)), (codec.decode, (codec.end, raw))):
            times = n if codec.still else 1
            start = run(self.command(codec, line, setting, ends, 0))
            whole = self.command(codec, line, setting, ends, n)
            seconds.append((sum(run(whole) for _ in range(times)) - start * times) / n)
        return seconds

    def judge(self, codec):
        """Returns (bytes, PSNR or None without loss) of the frame that was coded last."""
        size = os.path.getsize(f'{self.folder}/whole-coded.{codec.end}')
        decoded = f'{self.folder}/whole-decoded.raw'
        if codec.still and self.material.pixels.startswith('yuv'):
            decoded = f'{self.folder}/whole-decoded.yuv'
        elif codec.still:
            self.read_pnm(f'{self.folder}/whole-decoded.{self.pnm}', decoded)
        raw = RAW.format(**self.material._asdict()).split()
        text = subprocess.run(['ffmpeg', '-v', 'info', *raw, '-i', f'{self.folder}/whole.raw', *raw,
                               '-i', decoded, '-lavfi', 'psnr', '-f', 'null',
                               '-'], check=True, stderr=subprocess.PIPE, text=True).stderr
        psnr = float(re.search(r'average:(\S+)', text)[1])
        return size, None if math.isinf(psnr) else psnr

    def choose(self, codec, target):
        """Returns the coarsest setting whose PSNR reaches the target, how many frames take a
        second with it, and all of judge()."""
        low, high, found = 0, len(codec.settings) - 1, {}

        def look(at):
            seconds = self.time(codec, codec.settings[at])
            n = min(max(round(1 / max(sum(seconds), 1e-3)), 1), MAX_FRAMES)
            found[at] = (codec.settings[at], n, *self.judge(codec))

        while low < high:
            middle = (low + high) // 2
            look(middle)
            if target is None or (found[middle][3] or math.inf) >= target:
                high = middle
            else:
                low = middle + 1
        if low not in found:
            look(low)
        return found[low]

    def in_as_many_bytes(self, tool, size):
        """Returns the PSNR of PaCo with frames of a size."""
        codec = paco(tool, '', f'--set=frame-size={size} --set=rate-control=bitrate '
                     '--set=tune=psnr')
        self.time(codec, '')
        return self.judge(codec)[1]


def at_hand(codec):
    """Says whether the programs of a codec, and FFmpeg's encoder, are there."""
    words = codec.encode.split()
    if not all(shutil.which(line.split()[0]) for line in (codec.encode, codec.decode)):
        return False
    if words[0] != 'ffmpeg':
        return True
    name = words[words.index('-c:v') + 1]
    return 'not recognized' not in bench.run('ffmpeg', '-v', 'error', '-h', f'encoder={name}')


def measure(material, source, filters, options, tool):
    """Returns the rows of a material, and the names of codecs that are not at hand."""
    rows, missing = [], set()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        work = Bench(material, folder)
        work.make(source, filters)
        os.symlink('whole.raw', f'{folder}/whole.yuv')
        os.symlink('small.raw', f'{folder}/small.yuv')
        chosen = []
        for kind in (lossless, lossy):
            target = None
            for codec in kind(material, tool):
                if not at_hand(codec):
                    missing.add(codec.name)
                    continue
                bench.say(f'{material.name}: {codec.name}')
                setting, n, size, psnr = work.choose(codec, target and target - 0.05)
                if kind == lossless and psnr:
                    raise SystemExit(f'{codec.name} loses something: {psnr} dB')
                if kind == lossy and target is None:
                    target = psnr
                same = work.in_as_many_bytes(tool, size) if kind == lossy and rows and \
                    codec.name != '**PaCo**' else None
                rows.append({'material': material.name, 'codec': codec.name,
                             'setting': codec.setting.format(setting=setting), 'bytes': size,
                             'psnr': psnr, 'paco_psnr': same, 'turns': []})
                chosen.append((codec, setting, n))
        for turn in range(options.turns):
            bench.say(f'{material.name}: turn {turn + 1} of {options.turns}')
            for row, arguments in zip(rows, chosen):
                row['turns'].append(work.time(*arguments))
    return rows, missing


def finish(rows):
    """Adds medians to rows, prints them."""
    ours = None
    for row in rows:
        if row['codec'] == '**PaCo**':
            ours = row['turns']
        for way, name in enumerate(('encode', 'decode')):
            row[f'{name}_fps'] = 1 / bench.median([turn[way] for turn in row['turns']])
            row[f'{name}_ratio'] = bench.median(
                [turn[way] / our[way] for turn, our in zip(row['turns'], ours)])
    for row in rows:
        print(json.dumps({key: round(value, 3) if isinstance(value, float) else value
                          for key, value in row.items() if key != 'turns'}), flush=True)


def processor():
    with open('/proc/cpuinfo', encoding='utf-8') as file:
        text = file.read()
    name = re.search(r'model name\s*: (.*)', text)
    vectors = 'AVX-512' if 'avx512bw' in text else 'AVX2' if ' avx2' in text else 'no AVX2'
    return f'{name[1] if name else platform.machine()} with {vectors}'


def versions():
    """Returns what the programs call themselves."""
    known = [bench.run('ffmpeg', '-version').split()[2].split('-')[0].join(('FFmpeg ', ''))]
    for program, name in (('ojph_compress', 'OpenJPH'), ('SvtJpegxsEncApp', 'SVT-JPEG-XS')):
        path = shutil.which(program)
        library = path and re.search(r'=> (\S*lib(?:openjph|SvtJpegxs)\S*)', bench.run('ldd', path))
        if library:
            number = re.search(r'\.so\.([\d.]+)', os.path.realpath(library[1]))
            known.append(f'{name} {number[1] if number else ""}'.strip())
    if shutil.which('cjxl'):
        known.append('libjxl ' + bench.run('cjxl', '--version').split()[1].removeprefix('v'))
    return ', '.join(known)


def document(tables, missing, turns):
    """Writes docs/BESIDE.md."""
    lines = ['# Beside other codecs', '',
             '<!-- FIGURES: written by tests/bench/beside.py, not by hand. -->', '',
             f'One core of {processor()}, {datetime.date.today()}; {versions()}.',
             '', 'Frames a second are those of a core that does nothing else: medians of the',
             f'processor time that programs spend outside of the kernel, of {turns} turns in which',
             'each codec codes and decodes for a second or so. Programs read and write files in',
             'memory; what they take for 256x128 samples, mostly to start, is taken off. *Time* is',
             "that of the codec, encoding / decoding, as a multiple of PaCo's in the same turn",
             '(lossless, or quality 90). A lossy codec has the coarsest setting that reaches the PSNR',
             'of quality 90, if any does. The last column is the PSNR of PaCo with `tune=psnr` in as',
             'many bytes. Differences of time below 10 % mean nothing.']
    for material, what, rows in tables:
        lines += ['', f'## {material.name}', '', f'The picture is {what}.', '',
                  '| codec | frames/s of a core, encode / decode | time | bytes a frame | PSNR, dB |'
                  ' PaCo, same bytes |', '|---|---|---|---|---|---|']
        for row in rows:
            psnr = f"{row['psnr']:.1f}" if row['psnr'] else 'lossless'
            same = f"{row['paco_psnr']:.1f}" if row['paco_psnr'] else ''
            lines.append(f"| {row['codec']}, {row['setting']} | {row['encode_fps']:.3g} / "
                         f"{row['decode_fps']:.3g} | {row['encode_ratio']:.2f} / "
                         f"{row['decode_ratio']:.2f} | {row['bytes']:,} | {psnr} | {same} |")
    lines += ['', 'cjxl takes no 4:2:2, and with 12 bits (0.7) does not return what it was given.']
    if missing:
        lines += ['', f'Not at hand: {", ".join(sorted(missing))}.']
    with open(f'{bench.ROOT}/docs/BESIDE.md', 'w', encoding='utf-8') as file:
        file.write('\n'.join(lines) + '\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--turns', type=int, default=5)
    parser.add_argument('--folder')
    parser.add_argument('--material', default='')
    options = parser.parse_args()
    folder = bench.build('tool/paco')
    os.sched_setaffinity(0, [max(os.sched_getaffinity(0))])
    tables, missing = [], set()
    for material, what, source, filters in MATERIALS:
        if options.material not in material.name:
            continue
        paths = [path for path in bench.corpus(f'{folder}/corpus') if source in path]
        if not paths:
            raise SystemExit('The picture corpus is not there (PACO_CORPUS).')
        rows, absent = measure(material, paths[0], filters, options, f'{folder}/tool/paco')
        finish(rows)
        missing |= absent
        tables.append((material, what, rows))
    if not options.material:
        document(tables, missing, options.turns)


if __name__ == '__main__':
    main()
