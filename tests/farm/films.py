# SPDX-License-Identifier: LGPL-2.1-or-later
"""Helps the tests of pipelines/farm: it starts farm.sh, makes films of which no two
pictures are the same, and reads what is in a film."""
import hashlib
import os
import random
import subprocess
import sys
import tempfile

ROOT = os.environ['PACO_SOURCE_ROOT']
sys.path.insert(0, os.path.join(ROOT, 'tests', 'pipelines'))
import scripts  # noqa: E402
from scripts import (Gst, check, command, decode, launch,  # noqa: E402,F401
                     stream_time, without_decoder)

TOOL = os.environ.get('PACO_TOOL') or os.path.join(
    os.environ['PACO_BUILD_ROOT'], 'tool', 'paco')
SKIPPED = 77


def skip(why):
    print(f'Skipped: {why}.', flush=True)
    sys.exit(SKIPPED)


def need_join():
    """Ends the test where there is no program that joins."""
    if not os.path.exists(TOOL) or subprocess.run(
            [TOOL, 'join', '--help'], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, check=False).returncode:
        skip('the program paco was not built')


def run_checks(checks, names):
    """Runs checks, {name: function}, or those that are named, each in a folder of its
    own and with the same seed, which PACO_SEED may give."""
    need_join()
    seed = int(os.environ.get('PACO_SEED', random.randrange(2**32)))
    print(f'PACO_SEED={seed}', flush=True)
    for name in names or checks:
        random.seed(seed)
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            checks[name]()
            os.chdir('/')
    return 0


def farm(*arguments, status=0, **options):
    """Runs farm.sh to its end; gives what it prints."""
    return scripts.run('farm/farm.sh', *arguments, status=status, **options)


def has(*elements):
    Gst.init(None)
    return all(map(Gst.ElementFactory.find, elements))


def make(path, frames=60, coder='pacoenc rate-control=lossless ! qtmux',
         caps='format=I422_10LE,width=96,height=64,framerate=30000/1001',
         sound=True):
    """Makes a film, with sound of about its length (or a little more)."""
    pipeline = (f'videotestsrc pattern=snow num-buffers={frames} ! video/x-raw,'
                f'{caps} ! {coder} name=mux ! filesink location={path}')
    if sound:
        n, d = caps.rsplit('framerate=')[1].split('/')
        count = round(frames * int(d) / int(n) * 50) + 2
        pipeline += (f' audiotestsrc wave=ticks num-buffers={count} '
                     'samplesperbuffer=960 ! audio/x-raw,rate=48000,channels=2,'
                     'format=S16LE ! queue ! mux.')
    launch(pipeline)


class Film:
    """Times and hashes of what is in a file, decoded."""

    def __init__(self, path):
        self.pictures, self.sound = [], hashlib.md5()
        self.sound_end = None
        decode(path, {'video': self.see, 'audio': self.hear}.get)
        self.times = [time for time, _ in self.pictures]
        self.hashes = [found for _, found in self.pictures]
        self.sound = self.sound.hexdigest()

    def see(self, pad, info):
        buffer = info.get_buffer()
        known, map_info = buffer.map(Gst.MapFlags.READ)
        check(known, 'no picture')
        self.pictures.append((stream_time(pad, buffer),
                              hashlib.md5(map_info.data).hexdigest()))
        buffer.unmap(map_info)
        return Gst.PadProbeReturn.OK

    def hear(self, pad, info):
        buffer = info.get_buffer()
        known, map_info = buffer.map(Gst.MapFlags.READ)
        check(known, 'no sound')
        self.sound.update(map_info.data)
        buffer.unmap(map_info)
        self.sound_end = stream_time(pad, buffer) + buffer.duration
        return Gst.PadProbeReturn.OK

    def check_same(self, other, what, tolerance=0):
        """Raises an error unless both show the same pictures, at the same
        times but for N ns."""
        check(self.hashes == other.hashes, f'{what}: other pictures',
              f'{len(self.hashes)} and {len(other.hashes)}')
        check(all(abs(one - two) <= tolerance
                  for one, two in zip(self.times, other.times)),
              f'{what}: other times', list(zip(self.times, other.times)))


def same_bytes(one, other):
    return subprocess.run(['cmp', one, other], check=False).returncode == 0
